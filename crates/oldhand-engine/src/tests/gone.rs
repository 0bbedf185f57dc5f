//! What the asker sees to be gone from the tree takes nobody's place.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

use oldhand_domain::filter::State;
use oldhand_domain::id::MemoryId;
use oldhand_domain::memory::Memory;

use super::*;

fn request(text: &str) -> SearchRequest {
    SearchRequest {
        text: text.to_owned(),
        filter: Filter::default(),
        shelf: None,
        stale: Stale::Hidden,
        near: BTreeSet::new(),
        recent: RecentWork::Ordinary,
        phase: None,
        reasons: Reasons::Read,
        weak: Weak::Shown,
        limit: 5,
    }
}

#[test]
fn however_much_is_gone_what_is_there_is_found() {
    let house = House::new();
    let gone = ProjectPath::new("src/old.rs").unwrap();
    for number in 0..36 {
        house.remember(Draft {
            files: [gone.clone()].into(),
            ..gotcha(&format!("Invoice totals: rule {number} of totals."))
        });
    }
    house.remember(Draft {
        files: [ProjectPath::new("src/new.rs").unwrap()].into(),
        ..gotcha("Whoever writes an invoice rounds the sums of every line first, and only then what is to be paid.")
    });
    let looked: RefCell<BTreeMap<MemoryId, usize>> = RefCell::default();
    let why_gone = |memory: &Memory| {
        *looked.borrow_mut().entry(memory.id).or_default() += 1;
        let is_gone = memory.files.contains(&gone);
        is_gone.then(|| format!("{gone} is gone"))
    };
    let asked = request("invoice totals");
    let answer = house.engine().search(&asked, &why_gone, day(0)).unwrap();
    let said: Vec<&str> = answer
        .results
        .iter()
        .map(|(_, found)| found.memory.content.as_str())
        .collect();
    assert!(
        matches!(&said[..], [one] if one.starts_with("Whoever writes")),
        "{said:?}"
    );
    let left_out: Vec<String> = answer
        .left_out
        .iter()
        .map(|(_, left)| left.why.to_string())
        .collect();
    assert_eq!(left_out, vec!["stale: src/old.rs is gone"; 36]);
    let looked = looked.into_inner();
    assert_eq!(looked.len(), 37);
    assert!(looked.values().all(|times| *times == 1), "{looked:?}");
}

#[test]
fn what_was_replaced_is_left_out_once() {
    let house = House::new();
    let old = house.teach("Use tabs for indentation in the panel");
    house.teach("Never use tabs for indentation in the panel");
    let asked = SearchRequest {
        filter: Filter {
            state: State::Any,
            ..Filter::default()
        },
        reasons: Reasons::ReadOfAll,
        ..request("tabs indentation")
    };
    let answer = house.engine().search(&asked, &|_| None, day(0)).unwrap();
    let left_out: Vec<_> = answer.left_out.iter().map(|(_, left)| left.id).collect();
    assert_eq!(left_out, [old.id().unwrap()]);
}
