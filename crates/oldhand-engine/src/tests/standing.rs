//! Memories are believed as much as their files still are what they were.

use std::collections::BTreeMap;

use oldhand_domain::payload::{Recipe, RecipeStep};

use super::*;
use crate::{KnownSince, Left, Weighed};

const FILE: &str = "src/cart.ts";

fn about(built_in: BuiltInType) -> Draft {
    Draft {
        files: [path(FILE)].into(),
        ..Draft::taught(
            Payload::Plain(built_in.into()),
            "Totals are in cents, never in euros.",
        )
    }
}

fn path(file: &str) -> ProjectPath {
    ProjectPath::new(file).unwrap()
}

fn taught(house: &House, draft: Draft) -> MemoryId {
    house.remember(draft).memory().unwrap().id
}

/// Weighs as if every file that is asked for were as `left` says.
fn weigh(house: &House, share: f64, changes: usize, now: Timestamp) -> Weighed {
    let asked = house.engine().known_since().unwrap();
    let left: BTreeMap<KnownSince, Left> = asked
        .into_iter()
        .map(|asked| (asked, Left { share, changes }))
        .collect();
    house.engine().weigh(&left, &BTreeMap::new(), now).unwrap()
}

fn shown(house: &House, id: MemoryId) -> oldhand_domain::memory::Memory {
    house.engine().show(&id.to_string()).unwrap().memory
}

fn close(a: f64, b: f64) -> bool {
    (a - b).abs() < 1e-9
}

#[test]
fn confidence_falls_with_what_is_left_once_and_comes_back_with_it() {
    let house = House::new();
    let id = taught(&house, about(BuiltInType::Gotcha));
    let before = shown(&house, id).confidence.get();
    assert_eq!(weigh(&house, 0.5, 1, day(1)).moved, [id]);
    let after = shown(&house, id);
    assert!(close(after.confidence.get(), before * 0.5));
    assert_eq!(after.relations.len(), 1);
    assert_eq!(weigh(&house, 0.5, 1, day(2)), Weighed::default());
    assert!(close(shown(&house, id).confidence.get(), before * 0.5));
    weigh(&house, 1.0, 2, day(3));
    assert!(close(shown(&house, id).confidence.get(), before));
}

#[test]
fn what_an_agent_found_out_is_stale_while_what_it_names_is_in_no_file() {
    let house = House::new();
    house.live(
        "one",
        "read src/a.c; say I was wrong about `cache_ttl`: it is in seconds, see `src/a.c`.; edit src/a.c; run make test = 0",
    );
    let [(id, names)] = house
        .engine()
        .named(&house.project)
        .unwrap()
        .try_into()
        .unwrap();
    assert_eq!(names, ["cache_ttl", "src/a.c"]);
    let weigh = |gone: Option<&str>, at| {
        let gone = BTreeMap::from([(id, gone.map(str::to_owned))]);
        let left = BTreeMap::new();
        house.engine().weigh(&left, &gone, at).unwrap().doubted
    };
    assert_eq!(weigh(Some("cache_ttl"), day(1)), [id]);
    let reason = shown(&house, id).stale.unwrap().reason;
    assert_eq!(reason, "what it names is gone: `cache_ttl` is in no file");
    weigh(None, day(2));
    assert_eq!(shown(&house, id).stale, None);
    weigh(Some("cache_ttl"), day(3));
    house.engine().verify(&id.to_string(), day(4)).unwrap();
    assert_eq!(weigh(Some("cache_ttl"), day(5)), [], "a person keeps it");
    assert_eq!(shown(&house, id).stale, None);
}

#[test]
fn what_no_agent_claimed_may_name_what_is_in_no_file() {
    let house = House::new();
    let content = "An edit of `a.rs` broke: \"cannot find function `foo`\".";
    taught(
        &house,
        Draft {
            source: Source::ObserverInferred,
            ..Draft::taught(Payload::Plain(BuiltInType::Gotcha.into()), content)
        },
    );
    assert_eq!(house.engine().named(&house.project).unwrap(), []);
}

#[test]
fn what_a_session_taught_hangs_on_the_files_that_it_names() {
    let house = House::new();
    let learned = |content: &str| {
        taught(
            &house,
            Draft {
                source: Source::ObserverInferred,
                files: [path(FILE)].into(),
                ..Draft::taught(Payload::Plain(BuiltInType::ErrorPattern.into()), content)
            },
        )
    };
    let named = learned("An edit of `cart.ts` broke the build.");
    let other = learned("The build `make all` reads art.ts and shop/cart.ts too.");
    let function = learned("`parse_price` rounds half of a cent down.");
    let mut moved = weigh(&house, 0.5, 30, day(1)).moved;
    moved.sort();
    let mut expected = [named, function];
    expected.sort();
    assert_eq!(moved, expected);
    assert!(shown(&house, other).relations.is_empty());
}

#[test]
fn a_kind_that_is_told_to_nobody_any_more_is_stale() {
    let house = House::new();
    let draft = |content: &str| Draft {
        source: Source::ObserverInferred,
        files: [path(FILE)].into(),
        ..Draft::taught(Payload::from(BuiltInType::PrefetchPattern), content)
    };
    let old = draft(
        "Of 12 sessions that worked in `src`, these files were used by most: `src/cart.ts` (11).",
    );
    let old = taught(&house, old);
    let begins = "Work in `src` begins with `src/cart.ts`: it was edited by 9 of 9 sessions.";
    taught(&house, draft(begins));
    assert_eq!(weigh(&house, 1.0, 0, day(1)).doubted, [old]);
}

#[test]
fn a_few_lines_are_not_noticed() {
    let house = House::new();
    taught(&house, about(BuiltInType::Gotcha));
    assert_eq!(weigh(&house, 0.96, 1, day(1)), Weighed::default());
}

#[test]
fn a_memory_is_stale_when_hardly_a_line_of_its_file_is_left_and_until_a_person_stands_by_it() {
    let house = House::new();
    let id = taught(&house, about(BuiltInType::ModuleInsight));
    assert_eq!(weigh(&house, 0.21, 1, day(1)).doubted, []);
    assert_eq!(weigh(&house, 0.1, 1, day(1)).doubted, [id]);
    let reason = shown(&house, id).stale.unwrap().reason;
    assert_eq!(
        reason,
        "its files changed: hardly a line of src/cart.ts is left"
    );
    assert_eq!(weigh(&house, 0.9, 1, day(2)).doubted, []);
    assert_eq!(shown(&house, id).stale, None);
}

#[test]
fn what_people_want_and_what_is_pinned_does_not_fall() {
    let house = House::new();
    let wanted = [
        BuiltInType::Decision,
        BuiltInType::Requirement,
        BuiltInType::Preference,
    ];
    for built_in in wanted {
        taught(&house, about(built_in));
    }
    assert!(house.engine().known_since().unwrap().is_empty());
    let id = taught(&house, about(BuiltInType::Gotcha));
    house.engine().pin(&id.to_string(), day(1)).unwrap();
    assert!(house.engine().known_since().unwrap().is_empty());
}

#[test]
fn an_unused_memory_of_a_busy_file_wants_a_look_unless_a_person_had_one() {
    let house = House::new();
    let id = taught(&house, about(BuiltInType::Gotcha));
    assert_eq!(weigh(&house, 1.0, 19, day(1)).to_review, []);
    assert_eq!(weigh(&house, 1.0, 20, day(1)).to_review, [id]);
    house.engine().verify(&id.to_string(), day(2)).unwrap();
    assert_eq!(weigh(&house, 1.0, 20, day(3)).to_review, []);
}

#[test]
fn a_recipe_is_doubted_when_a_file_of_its_steps_changed_or_nobody_used_it_for_sixty_days() {
    let house = House::new();
    let recipe = Recipe {
        task_pattern: "add a rule".to_owned(),
        steps: vec![RecipeStep {
            description: "edit the list".to_owned(),
            canonical_file: Some(path(FILE)),
            canonical_line: None,
        }],
        last_validated_at: day(0),
        success_count: 3,
    };
    let draft = Draft::taught(Payload::WorkflowRecipe(recipe), "Add a rule in four steps.");
    let id = taught(&house, draft);
    assert_eq!(weigh(&house, 1.0, 0, day(1)), Weighed::default());
    assert_eq!(weigh(&house, 0.99, 1, day(1)).doubted, [id]);
    weigh(&house, 1.0, 0, day(2));
    assert_eq!(shown(&house, id).stale, None);
    assert_eq!(weigh(&house, 1.0, 0, day(62)).doubted, [id]);
}
