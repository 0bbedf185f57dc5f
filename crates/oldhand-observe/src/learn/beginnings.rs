//! Which files the sessions of a module mostly use: what a memory of where work begins keeps beside its words.

use oldhand_domain::path::ProjectPath;
use oldhand_domain::payload::Prefetch;
use oldhand_domain::signal::SignalKind;
use oldhand_domain::text::ModuleName;

use super::Knowledge;
use crate::distill::{Candidate, Origin};
use crate::paths;

/// In more than so many of a hundred sessions of its module a file is always used, or frequently.
const ALWAYS: u32 = 80;
const FREQUENTLY: u32 = 50;
/// As many files as are looked into before work begins.
const FILES: usize = 12;

impl Knowledge {
    /// The files beside the one that a candidate says work begins with; nothing for any other candidate. Uses that outside text came before
    /// count for no candidate that it had no hand in.
    pub fn beginnings(
        &self,
        candidate: &Candidate,
        is_there: &dyn Fn(&ProjectPath) -> bool,
    ) -> Option<Prefetch> {
        let file = candidate.files.first()?;
        if candidate.origin != Origin::Signal(SignalKind::FileAccess) {
            return None;
        }
        let module = paths::module_of(file.as_str());
        let trigger_module = ModuleName::new(module).ok()?;
        let session_count = self.modules.get(module)?.sessions;
        let is_clean = candidate.taint.is_clean();
        let below = format!("{module}/");
        let from = ProjectPath::new(module).ok()?;
        let near = self.files.range(from..);
        let near = near.take_while(|(path, _)| path.as_str().starts_with(module));
        let own = near.filter(|(path, _)| {
            path.as_str().starts_with(&below) && paths::module_of(path.as_str()) == module
        });
        let mut used: Vec<(u32, &ProjectPath)> = own
            .map(|(path, stats)| {
                let by = stats.by.iter();
                let by = by.filter(|place| !is_clean || !place.is_after_outside());
                (by.count() as u32, path)
            })
            .filter(|(sessions, path)| {
                is_more(*sessions, session_count, FREQUENTLY) && is_there(path)
            })
            .collect();
        used.sort_by(|(one, a), (two, b)| two.cmp(one).then_with(|| a.cmp(b)));
        let (always, frequently): (Vec<_>, Vec<_>) = used
            .into_iter()
            .partition(|(sessions, _)| is_more(*sessions, session_count, ALWAYS));
        let first = |used: Vec<(u32, &ProjectPath)>| {
            let paths = used.into_iter().map(|(_, path)| path.clone());
            paths.take(FILES).collect()
        };
        Some(Prefetch {
            always_read: first(always),
            frequently_read: first(frequently),
            trigger_module,
            session_count,
        })
    }
}

/// Whether `part` of `whole` is more than so many of a hundred.
fn is_more(part: u32, whole: u32, of_hundred: u32) -> bool {
    u64::from(part) * 100 > u64::from(whole) * u64::from(of_hundred)
}

#[cfg(test)]
mod tests {
    use super::super::tests::learned;
    use super::*;
    use crate::detect::detected;
    use crate::distill::{Frequency, distill};
    use crate::fold::{FoldOptions, fold};
    use crate::story::events;

    fn offered(story: &str) -> Vec<Candidate> {
        let session = fold(&events(story), &FoldOptions::default());
        distill(&session, &detected(story), &[], &Frequency::default())
    }

    /// What is kept beside the statement that work in `src/m` begins with `src/m/core.rs`.
    fn beside(stories: &[&str], own: &str) -> Option<[Vec<String>; 2]> {
        let knowledge = learned(stories);
        let mut told = offered(own).into_iter();
        let told = told.find(|candidate| candidate.key == "file:src/m/core.rs")?;
        let is_there = |file: &ProjectPath| file.as_str() != "src/m/gone.rs";
        let found = knowledge.beginnings(&told, &is_there)?;
        assert_eq!(found.session_count, stories.len() as u32);
        assert_eq!(found.trigger_module.as_str(), "src/m");
        let named = |files: Vec<ProjectPath>| files.iter().map(ToString::to_string).collect();
        Some([found.always_read, found.frequently_read].map(named))
    }

    const ALL: &str = "read src/m/core.rs; edit src/m/core.rs; read src/m/often.rs; read src/m/half.rs; read src/m/gone.rs; read src/m/deep/x.rs; read src/mill/x.rs";
    const MOST: &str =
        "read src/m/core.rs; edit src/m/core.rs; read src/m/often.rs; read src/m/gone.rs";
    const CORE: &str = "read src/m/core.rs; edit src/m/core.rs; read src/m/gone.rs";
    const OTHER: &str = "read src/m/other.rs";

    #[test]
    fn files_are_kept_by_how_many_sessions_of_the_module_use_them() {
        // Core in nine, often in six, half in five of ten.
        let ten = [ALL, ALL, ALL, ALL, ALL, MOST, CORE, CORE, CORE, OTHER];
        let [always, frequently] = beside(&ten, CORE).unwrap();
        assert_eq!(always, ["src/m/core.rs"]);
        assert_eq!(frequently, ["src/m/often.rs"]);
        // Eight of ten are no more than eight in ten.
        let ten = [ALL, ALL, ALL, ALL, ALL, MOST, CORE, CORE, OTHER, OTHER];
        let [always, frequently] = beside(&ten, CORE).unwrap();
        assert_eq!((always.len(), frequently.len()), (0, 2));
    }

    #[test]
    fn what_outside_text_came_before_counts_for_no_clean_statement() {
        let after = format!("fetch https://a.example/how = 0: words; {ALL}");
        let stories = [ALL, ALL, &after, &after];
        let [always, frequently] = beside(&stories, CORE).unwrap();
        assert_eq!((always.len(), frequently.len()), (0, 0));
        let [always, _] = beside(&stories, &after).unwrap();
        assert_eq!(always.len(), 3);
    }

    #[test]
    fn only_where_work_begins_has_files_beside_it() {
        let knowledge = learned(&[ALL; 5]);
        let told = offered(ALL);
        let with = told
            .iter()
            .filter(|one| knowledge.beginnings(one, &|_| true).is_some());
        assert!(with.clone().count() > 0);
        assert!(with.into_iter().all(|one| one.key.starts_with("file:")));
    }
}
