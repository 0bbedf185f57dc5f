//! Memories follow the code they are about.

use std::collections::{BTreeMap, BTreeSet};

use super::*;

const TOTAL: &str = "src/cart.ts:Cart.total";

fn about(place: &str, files: &[&str]) -> Draft {
    Draft {
        files: files
            .iter()
            .map(|file| ProjectPath::new(file).unwrap())
            .collect(),
        target_node: Some(place.to_owned()),
        ..Draft::taught(
            Payload::Plain(BuiltInType::Gotcha.into()),
            "Totals are in cents, never in euros.",
        )
    }
}

fn taught(house: &House) -> MemoryId {
    house
        .remember(about(TOTAL, &["src/cart.ts", "docs/cart.md"]))
        .memory()
        .unwrap()
        .id
}

fn follow(house: &House, place: &str, fate: Fate) -> Followed {
    let fates = BTreeMap::from([(place.to_owned(), fate)]);
    house.engine().follow(&fates, day(1)).unwrap()
}

fn shown(house: &House, id: MemoryId) -> oldhand_domain::memory::Memory {
    house.engine().show(&id.to_string()).unwrap().memory
}

fn gone() -> Fate {
    Fate::Gone {
        reason: format!("`{TOTAL}` is gone"),
        since: day(1),
    }
}

#[test]
fn a_memory_goes_where_its_definition_went_and_takes_its_file_along() {
    let house = House::new();
    let id = taught(&house);
    let to = "shop/basket.ts:Basket.total".to_owned();
    let followed = follow(&house, TOTAL, Fate::Moved { to: to.clone() });
    assert_eq!(followed.moved, [id]);
    let memory = shown(&house, id);
    assert_eq!(memory.target_node, Some(to));
    let files: Vec<&str> = memory.files.iter().map(ProjectPath::as_str).collect();
    assert_eq!(files, ["docs/cart.md", "shop/basket.ts"]);
    assert_eq!(memory.stale, None);
}

#[test]
fn a_memory_is_doubted_when_its_definition_is_gone_and_believed_when_it_is_back() {
    let house = House::new();
    let id = taught(&house);
    assert_eq!(follow(&house, TOTAL, gone()).doubted, [id]);
    let stale = shown(&house, id).stale.unwrap();
    assert_eq!(stale.reason, format!("the code changed: `{TOTAL}` is gone"));
    assert_eq!(house.engine().places().unwrap().doubted.len(), 3);
    assert!(follow(&house, TOTAL, gone()).is_empty(), "told once");
    assert_eq!(follow(&house, TOTAL, Fate::Holds).believed, [id]);
    assert_eq!(shown(&house, id).stale, None);
}

#[test]
fn who_verifies_a_doubted_memory_ends_the_doubt() {
    let house = House::new();
    let id = taught(&house);
    follow(&house, TOTAL, gone());
    house.engine().verify(&id.to_string(), day(2)).unwrap();
    assert_eq!(shown(&house, id).stale, None);
}

#[test]
fn a_memory_about_several_files_stands_while_one_is_left() {
    let house = House::new();
    let draft = Draft {
        target_node: None,
        ..about(TOTAL, &["src/cart.ts", "docs/cart.md"])
    };
    let id = house.remember(draft).memory().unwrap().id;
    let fates = |names: &[&str]| -> BTreeMap<String, Fate> {
        let names = names.iter().map(|name| ((*name).to_owned(), gone()));
        names.collect()
    };
    let one = house.engine().follow(&fates(&["src/cart.ts"]), day(1));
    assert!(one.unwrap().is_empty());
    let both = house
        .engine()
        .follow(&fates(&["src/cart.ts", "docs/cart.md"]), day(1));
    assert_eq!(both.unwrap().doubted, [id]);
}

#[test]
fn files_that_change_together_are_no_more_once_one_is_gone() {
    let house = House::new();
    let pair = Draft {
        target_node: None,
        source: Source::ObserverInferred,
        payload: BuiltInType::CausalDependency.into(),
        impacted_nodes: BTreeSet::from(["docs/cart.md".to_owned()]),
        ..about(TOTAL, &["src/cart.ts", "docs/cart.md"])
    };
    let id = house.remember(pair).memory().unwrap().id;
    let to = "docs/basket.md".to_owned();
    let moved = follow(&house, "docs/cart.md", Fate::Moved { to });
    assert_eq!(moved.moved, [id]);
    let memory = shown(&house, id);
    let [from, not_from] =
        ["src/cart.ts", "docs/basket.md"].map(|file| ProjectPath::new(file).unwrap());
    assert!(memory.holds_from(&from) && !memory.holds_from(&not_from));
    assert_eq!(follow(&house, "docs/basket.md", gone()).doubted, [id]);
    assert_eq!(follow(&house, "docs/basket.md", Fate::Holds).believed, [id]);
}

#[test]
fn what_a_person_says_of_several_files_holds_while_one_is_left() {
    let house = House::new();
    let taught = Draft {
        target_node: None,
        payload: BuiltInType::CausalDependency.into(),
        ..about(TOTAL, &["src/cart.ts", "docs/cart.md"])
    };
    let id = house.remember(taught).memory().unwrap().id;
    assert!(follow(&house, "docs/cart.md", gone()).doubted.is_empty());
    assert!(shown(&house, id).stale.is_none());
}

#[test]
fn what_went_before_anybody_looked_is_over_for_what_sessions_saw_and_what_was_said_before() {
    for (source, left, expected) in [
        (Source::ObserverInferred, -1, 1),
        (Source::UserTaught, -1, 0),
        (Source::UserTaught, 1, 1),
    ] {
        let house = House::new();
        let draft = Draft {
            target_node: None,
            source,
            ..about(TOTAL, &["src/cart.ts"])
        };
        house.remember(draft).memory().unwrap();
        let reason = "src/cart.ts is gone".to_owned();
        let followed = follow(
            &house,
            "src/cart.ts",
            Fate::GoneUnseen {
                reason,
                since: day(1),
                left: day(left),
            },
        );
        assert_eq!(followed.doubted.len(), expected, "{source:?} {left}");
    }
}

#[test]
fn a_lost_call_asks_for_a_review() {
    let house = House::new();
    let id = taught(&house);
    let to = TOTAL.to_owned();
    follow(&house, TOTAL, Fate::Unsure { to });
    let memory = shown(&house, id);
    assert!(memory.needs_review && memory.stale.is_none());
}
