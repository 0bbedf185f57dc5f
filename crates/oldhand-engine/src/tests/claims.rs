//! What agents found out is held against the files of today.

use std::cell::Cell;

use oldhand_domain::port::{Presence, Tree};
use oldhand_testkit::story::events;

use super::*;

/// A tree that has everything, and counts how often it was walked.
#[derive(Default)]
struct Walked(Cell<usize>);

impl Tree for Walked {
    fn look_for(&self, names: &[String]) -> Vec<Presence> {
        self.0.set(self.0.get() + 1);
        vec![Presence::Used { file: None }; names.len()]
    }

    fn depends_on(&self, _: &str) -> bool {
        true
    }

    fn text_of(&self, _: &str) -> Option<String> {
        Some(String::new())
    }
}

#[test]
fn a_session_walks_the_tree_once_for_all_that_it_found_out() {
    let house = House::new();
    let tree = Walked::default();
    let size = |_: &ProjectPath| None;
    let mut finalizer = house.engine().finalizer(&house.project, &[]).unwrap();
    finalizer = finalizer.with_files(&size, &tree);
    let story = "read src/a.c; say I was wrong about `cache_ttl`: it is in seconds, see `src/a.c`.; edit src/a.c; read src/b.c; say I was wrong about `retry_limit`: it is per host, see `src/b.c`.; edit src/b.c; run make test = 0";
    let pad: Scratchpad = events(story).iter().collect();
    let session = SessionId::new("one").unwrap();
    let done = finalizer.finalize(&session, &pad, story, Extent::Whole, day(1));
    let report = SessionReport::read(done.unwrap().record().unwrap()).unwrap();
    let found = report.lines.iter();
    let found = found.filter(|line| line.key.starts_with("correction:"));
    assert_eq!(found.count(), 2, "{report:?}");
    assert_eq!(tree.0.get(), 1);
}
