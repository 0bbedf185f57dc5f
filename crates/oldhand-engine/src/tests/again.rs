//! What is said again: told memories stay told, words take their files along, and what was over can come back.

use oldhand_domain::memory::Memory;
use oldhand_domain::port::MemoryStore as _;
use oldhand_domain::session::{SessionRecord, SessionStore as _};
use oldhand_testkit::story::events;

use super::learn::session;
use super::promotion::ERROR;
use super::*;

const MET: &str = "run make = 2: error: bad thing; run make = 2: error: bad thing; say The issue is that `thing` never waits for `start`, so the first row is empty.";

/// A session that met the error and fixed it, with something `after` it.
fn met(files: &[&str], after: &str) -> String {
    let edits: Vec<String> = files.iter().map(|file| format!("edit {file}")).collect();
    format!("{MET}; {}; run make = 0; {after}", edits.join("; "))
}

impl House {
    pub(super) fn of_type(&self, memory_type: BuiltInType) -> Vec<Memory> {
        let all = Filter {
            types: vec![memory_type.into()],
            ..Filter::default()
        };
        let found = self.engine().list(None, &all).unwrap().memories;
        found.into_iter().map(|shelved| shelved.memory).collect()
    }

    fn only(&self, memory_type: BuiltInType) -> Memory {
        let [memory] = self.of_type(memory_type).try_into().unwrap();
        memory
    }
}

#[test]
fn a_session_that_proves_less_does_not_silence_what_agents_are_told() {
    let house = House::new();
    let passed = met(&["src/a.c", "src/b.c"], "run make test = 0");
    house.live("one", &passed);
    house.live("two", &passed);
    let told = house.only(BuiltInType::ErrorPattern);
    assert!(!told.needs_review, "{told:?}");
    // Nothing checked the last edit, so that the terminal gate applies.
    let report = house.live("three", &met(&["src/a.c", "src/b.c"], "edit src/zz.c"));
    let again = house.only(BuiltInType::ErrorPattern);
    assert!(!again.needs_review, "{again:?}");
    assert_eq!((again.id, &again.content), (told.id, &told.content));
    assert_eq!(again.provenance.len(), 3, "it bears witness all the same");
    let why = report.lines.iter().map(|line| line.why.as_str());
    let why: Vec<&str> = why.filter(|why| why.contains("surer")).collect();
    assert!(
        !why.is_empty() && !why[0].contains("needs review"),
        "{why:?}"
    );
    house.live("four", &passed);
    let surer = house.only(BuiltInType::ErrorPattern);
    assert!(
        surer.content.as_str().contains("in 4 sessions"),
        "{surer:?}"
    );
}

#[test]
fn the_look_at_a_whole_module_does_not_silence_where_work_in_it_begins() {
    let house = House::new();
    let mut told = Vec::new();
    for number in 1..=5 {
        house.live(
            &format!("s{number}"),
            &format!("read src/m/core.rs; edit src/m/core.rs; edit src/m/x{number}.rs; edit src/m/y{number}.rs; run cargo test = 0"),
        );
        let memories = house.of_type(BuiltInType::PrefetchPattern);
        told.push(memories.len());
    }
    assert_eq!(told, [0, 0, 0, 0, 1]);
}

#[test]
fn new_words_bring_their_files_along() {
    let house = House::new();
    let with = |file: &str| met(&["src/m/schema.c", file], "run make test = 0");
    house.live("one", &with("src/m/one.c"));
    house.live("two", &with("lib/two.c"));
    house.live("three", &with("lib/two.c"));
    let memory = house.only(BuiltInType::ErrorPattern);
    for file in &memory.files {
        assert!(
            memory.content.as_str().contains(file.as_str()),
            "{memory:?}"
        );
    }
    let modules: Vec<&str> = memory
        .modules
        .iter()
        .map(oldhand_domain::text::ModuleName::as_str)
        .collect();
    assert_eq!(modules, ["lib", "src/m"], "{memory:?}");
}

#[test]
fn a_recipe_that_failed_once_comes_back_when_it_succeeds() {
    let house = House::new();
    let way =
        "read src/m/a.rs; edit src/m/b.rs; edit src/m/c.rs; run make gen = 0; run make test = 0";
    for name in ["one", "two", "three"] {
        house.live(name, way);
    }
    house.live("four", &format!("{way}; run git revert HEAD = 0"));
    assert!(house.only(BuiltInType::WorkflowRecipe).stale.is_some());
    house.live("five", &format!("wait 600s; {way}"));
    let recipe = house.only(BuiltInType::WorkflowRecipe);
    assert_eq!(recipe.stale, None);
    // Every session behind it failed after all, and three others go the same way.
    for name in ["one", "two", "three", "five"] {
        house.live(name, &format!("{way}; validated failed"));
    }
    assert_eq!(house.of_type(BuiltInType::WorkflowRecipe), []);
    for name in ["six", "seven", "eight"] {
        house.live(name, &format!("wait 3600s; {way}"));
    }
    assert_eq!(house.of_type(BuiltInType::WorkflowRecipe).len(), 1);
}

#[test]
fn what_was_removed_for_good_is_not_taught_again_by_its_session_unless_it_was_lost() {
    for is_lost in [false, true] {
        let house = House::new();
        house.live("one", ERROR);
        let first = house.live("two", ERROR);
        let taught = house.everything();
        assert!(!taught.is_empty());
        let ids: Vec<MemoryId> = taught.iter().map(|memory| memory.id).collect();
        house.project.erase(&ids).unwrap();
        if is_lost {
            let known = house.project.session(&session("two")).unwrap().unwrap();
            let report = SessionReport::read(&known).unwrap();
            let report = report.to_teach_again(|_| true).unwrap();
            let report = serde_json::to_string(&report).unwrap();
            let record = SessionRecord { report, ..known };
            house.project.rewrite_session(&record).unwrap();
        }
        let pending = [session("two")];
        let mut finalizer = house.engine().finalizer(&house.project, &pending).unwrap();
        let pad: Scratchpad = events(ERROR).iter().collect();
        let again = finalizer
            .finalize(&session("two"), &pad, "another", Extent::Whole, day(1))
            .unwrap();
        let again = SessionReport::read(again.record().unwrap()).unwrap();
        if is_lost {
            assert_eq!(house.everything().len(), taught.len());
        } else {
            assert_eq!(again.lines, first.lines);
            assert!(house.everything().is_empty());
        }
    }
}

/// The form of facts before findings about others' things were cut to what lasts.
const EARLIER: u32 = 6;

#[test]
fn sessions_of_an_earlier_form_are_read_anew_once_and_what_people_decided_stays() {
    let house = House::new();
    let rule = |words: &str| {
        format!(
            "prompt fix the login test, {words}; edit src/a.rs; run cargo test = 0; run git commit -m x = 0"
        )
    };
    let stories = [
        ("confirmed", rule("always use poetry not pip")),
        ("forgotten", rule("always use pnpm not npm")),
        ("flagged", rule("always use ruff not pylint")),
        ("waiting", rule("always use mise not asdf")),
        ("lesser", rule("always use yarn not bower")),
    ];
    let mut taught = Vec::new();
    for (name, story) in &stories {
        let report = house.live(name, story);
        let mut told = report.lines.iter().filter_map(|line| line.memory.clone());
        taught.push(told.next().unwrap_or_else(|| panic!("{report:#?}")));
    }
    let engine = house.engine();
    engine.verify(&taught[0], day(2)).unwrap();
    engine.forget(&taught[1], day(2)).unwrap();
    let wrong = Correction::Inaccurate;
    engine.flag(&taught[2], wrong, None, day(2)).unwrap();
    // What the rules of before did not hear is in no record of theirs.
    let unheard = taught[4].parse().unwrap();
    house.project.erase(&[unheard]).unwrap();
    for (name, _) in &stories {
        let mut record = house.project.session(&session(name)).unwrap().unwrap();
        let mut body: serde_json::Value = serde_json::from_str(&record.body).unwrap();
        body["facts"]["form"] = EARLIER.into();
        record.body = body.to_string();
        if *name == "lesser" {
            let mut report = SessionReport::read(&record).unwrap();
            report.lines.clear();
            record.report = serde_json::to_string(&report).unwrap();
        }
        house.project.rewrite_session(&record).unwrap();
    }
    let decided = || taught[..4].iter().map(|id| engine.show(id).unwrap().memory);
    let before: Vec<Memory> = decided().collect();
    for (name, story) in &stories {
        let again = house.finalize(name, story, Extent::Whole);
        assert!(matches!(again, Finalized::Done(_)), "{name}");
    }
    assert_eq!(decided().collect::<Vec<Memory>>(), before);
    let heard = house.everything();
    let heard = heard
        .iter()
        .filter(|memory| memory.content.as_str().contains("yarn"));
    assert_eq!(
        heard.count(),
        1,
        "what only the rules of today hear is kept"
    );
    let kept = house.everything();
    for (name, story) in &stories {
        let third = house.finalize(name, story, Extent::Whole);
        assert!(matches!(third, Finalized::Already(_)), "{name}");
    }
    assert_eq!(house.everything(), kept);
}
