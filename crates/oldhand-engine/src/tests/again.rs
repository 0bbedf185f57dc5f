//! What is said again: told memories stay told, words take their files along, and what was over can come back.

use oldhand_domain::event::Digest;
use oldhand_domain::memory::Memory;
use oldhand_domain::payload::Prefetch;
use oldhand_domain::port::MemoryStore as _;
use oldhand_domain::session::{SessionRecord, SessionStore as _, Tombstone};
use oldhand_domain::text::ModuleName;
use oldhand_testkit::story::events;

use super::learn::session;
use super::promotion::ERROR;
use super::*;

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
    let passed = format!("{ERROR}; run make test = 0");
    house.live("one", &passed);
    house.live("two", &passed);
    let told = house.only(BuiltInType::ErrorPattern);
    assert!(!told.needs_review, "{told:?}");
    // Nothing checked the last edit, so that the terminal gate applies.
    let report = house.live("three", &format!("{ERROR}; edit src/zz.c"));
    let again = house.only(BuiltInType::ErrorPattern);
    assert!(!again.needs_review, "{again:?}");
    let counted = told.content.as_str().replace("2 sessions", "3 sessions");
    assert_eq!((again.id, again.content.as_str()), (told.id, &*counted));
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
fn what_was_just_sure_enough_is_not_where_people_reject_much() {
    for (flagged, forgotten, is_told) in [(3, 0, true), (2, 1, true), (4, 0, false), (2, 2, false)]
    {
        let house = House::new();
        for number in 0..10 {
            let draft = Draft {
                source: Source::ObserverInferred,
                ..Draft::taught(
                    BuiltInType::Decision.into(),
                    format!("Queue {number} is drained by robot {number}{number}."),
                )
            };
            let id = house.remember(draft).id().unwrap().to_string();
            if number < flagged {
                let wrong = Correction::Inaccurate;
                house.engine().flag(&id, wrong, None, day(1)).unwrap();
            } else if number < flagged + forgotten {
                house.engine().forget(&id, day(1)).unwrap();
            }
        }
        for number in 1..=5 {
            house.live(
                &format!("s{number}"),
                &format!("read src/m/core.rs; edit src/m/core.rs; edit src/m/x{number}.rs; edit src/m/y{number}.rs; run cargo test = 0"),
            );
        }
        let told = house.of_type(BuiltInType::PrefetchPattern).len();
        assert_eq!(told == 1, is_told, "{flagged} {forgotten}");
    }
}

#[test]
fn where_work_begins_is_told_with_the_numbers_of_the_latest_session() {
    let house = House::new();
    let told = |memory: &Memory| {
        memory
            .summary
            .as_str()
            .rsplit('(')
            .next()
            .map(str::to_owned)
    };
    for number in 1..=12 {
        house.live(
            &format!("s{number}"),
            &format!("read src/m/core.rs; edit src/m/core.rs; edit src/m/x{number}.rs; edit src/m/y{number}.rs; run cargo test = 0"),
        );
        if number < 5 {
            continue;
        }
        let memory = house.only(BuiltInType::PrefetchPattern);
        let expected = format!("{number} of {number} sessions)");
        assert_eq!(told(&memory), Some(expected), "{memory:?}");
        assert_eq!(memory.provenance.len(), number, "{memory:?}");
        // What waited for being unsure waits no longer.
        assert_eq!(memory.needs_review, number < 8, "{memory:?}");
    }
    let sure = house.only(BuiltInType::PrefetchPattern).confidence.get();
    assert!(sure > 0.7, "{sure}");
}

#[test]
fn where_work_begins_keeps_the_files_that_its_sessions_use() {
    let house = House::new();
    for number in 1..=6 {
        let half = if number < 5 {
            "read src/m/half.rs; "
        } else {
            ""
        };
        house.live(
            &format!("s{number}"),
            &format!("read src/m/core.rs; edit src/m/core.rs; read src/m/gone.rs; {half}edit src/m/x{number}.rs; edit src/m/y{number}.rs; run cargo test = 0"),
        );
    }
    let memory = house.only(BuiltInType::PrefetchPattern);
    let beside = |memory: &Memory| match &memory.payload {
        Payload::PrefetchPattern(beside) => beside.clone(),
        other => panic!("{other:?}"),
    };
    let path = |file: &str| ProjectPath::new(file).unwrap();
    let expected = Prefetch {
        always_read: vec![path("src/m/core.rs")],
        frequently_read: vec![path("src/m/half.rs")],
        trigger_module: ModuleName::new("src/m").unwrap(),
        session_count: 6,
    };
    assert_eq!(beside(&memory), expected);
    let to = "src/m/whole.rs".to_owned();
    let moved = [("src/m/half.rs".to_owned(), Fate::Moved { to })];
    let places = house.engine().places().unwrap();
    assert!(places.all.contains("src/m/half.rs"), "{places:?}");
    house.engine().follow(&moved.into(), day(2)).unwrap();
    let memory = house.only(BuiltInType::PrefetchPattern);
    assert_eq!(beside(&memory).frequently_read, [path("src/m/whole.rs")]);
}

#[test]
fn new_words_bring_their_files_along() {
    let house = House::new();
    for (hour, file) in ["src/m/one.c", "lib/two.c", "src/n/three.c"]
        .iter()
        .enumerate()
    {
        let story = format!(
            "wait {}s; run larch build --only web = 1: error: Shelf 'Rows' is missing; say Root cause: `larch` reads `--only web` as a folder, because it keeps `Rows` apart from all others.; edit {file}; run larch build = 0; run make test = 0",
            3600 * (hour + 1)
        );
        house.live(file.split('/').next_back().unwrap(), &story);
    }
    let memory = house.only(BuiltInType::Gotcha);
    assert!(memory.content.as_str().contains("(met in 3 sessions)"));
    let files: Vec<&str> = memory.files.iter().map(ProjectPath::as_str).collect();
    assert_eq!(files, ["src/n/three.c"], "{memory:?}");
    let modules: Vec<&str> = memory.modules.iter().map(ModuleName::as_str).collect();
    assert_eq!(modules, ["src/n"], "{memory:?}");
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

/// What is told of a missing module after sessions that each missed one and ran something first, and how the last of them ended.
fn told_of_modules(met: &[(&str, &str)]) -> (Vec<String>, String) {
    told_of_modules_in(&House::new(), met)
}

fn told_of_modules_in(house: &House, met: &[(&str, &str)]) -> (Vec<String>, String) {
    let mut last = String::new();
    for (number, (module, first)) in met.iter().enumerate() {
        let story = format!(
            "edit src/a.ts; run npm test = 1: Error: Cannot find module '{module}'; run {first} = 0; run npm test = 0; run git commit -m x = 0"
        );
        let report = house.live(&format!("s{number}"), &story);
        let mut lines = report.lines.iter();
        let line = lines.find(|line| line.memory_type == "error_pattern");
        last = line.map_or_else(String::new, |line| line.why.clone());
    }
    let told = house.of_type(BuiltInType::ErrorPattern).into_iter();
    (
        told.map(|memory| memory.content.to_string()).collect(),
        last,
    )
}

#[test]
fn an_error_is_told_with_a_remedy_that_helped_in_more_than_one_session_and_mostly() {
    let (client, home) = ("./generated/client", "../views/home");
    let (generate, install) = ("npm run generate", "npm install");
    let (told, _) = told_of_modules(&[(client, generate), (client, generate)]);
    let [told] = told.as_slice() else {
        panic!("{told:?}")
    };
    assert!(
        told.contains("'./generated/client'") && told.contains("`npm run generate`"),
        "{told}"
    );
    for (met, why) in [
        // Another module is another error.
        (
            vec![(client, generate), (home, install)],
            "seen in 1 of 2 sessions needed",
        ),
        (
            vec![(client, generate), (home, generate)],
            "seen in 1 of 2 sessions needed",
        ),
        (
            vec![(client, generate), (client, install)],
            "it helped in one session, and something else in 1",
        ),
        (
            vec![(client, install), (client, generate), (client, generate)],
            "it helped in 2 sessions, and something else in 1",
        ),
    ] {
        let (told, last) = told_of_modules(&met);
        assert_eq!((told, last.as_str()), (vec![], why), "{met:?}");
    }
    let met = [
        (client, install),
        (client, generate),
        (client, generate),
        (client, generate),
    ];
    assert_eq!(told_of_modules(&met).0.len(), 1);
}

#[test]
fn an_error_that_was_erased_before_modules_had_names_does_not_come_back_with_one() {
    let taught = [("./generated/client", "npm run generate"); 2];
    let old = "Error: Cannot find module '<path>'";
    let (told, _) = told_of_modules(&taught);
    let words = told[0].replace("./generated/client", "<path>");
    assert_ne!(words, told[0]);
    for erased in [
        Tombstone::of_key(&format!("error:{}", Digest::of(old))),
        Tombstone::of_key(&format!("known_error:{old}")),
        Tombstone::of_words(&words),
    ] {
        let house = House::new();
        house.project.bury(&[erased]).unwrap();
        assert_eq!(told_of_modules_in(&house, &taught).0, Vec::<String>::new());
        // A module that had its name before as well is another error.
        let house = House::new();
        house.project.bury(&[erased]).unwrap();
        let other = [("client", "npm run generate"); 2];
        assert_eq!(told_of_modules_in(&house, &other).0.len(), 1);
    }
}
