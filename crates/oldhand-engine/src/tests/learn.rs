//! Learning from sessions: what finalizing them leaves behind.

use std::collections::BTreeSet;

use oldhand_domain::session::SessionStore;
use oldhand_observe::distill::{Company, Together};
use oldhand_testkit::story::events;

use super::*;

pub(super) fn session(name: &str) -> SessionId {
    SessionId::new(name).unwrap()
}

/// Git saw files of one name change together, loose ones as often as not, and with one that leads each other one.
pub(super) struct OneName;

impl Company for OneName {
    fn together(&self, a: &ProjectPath, b: &ProjectPath) -> Option<Together> {
        let both_are = |word: &str| a.as_str().contains(word) && b.as_str().contains(word);
        if both_are("loose") {
            let loose = Together::of(6, [10, 20]);
            return Some(Together { all: 400, ..loose });
        }
        if both_are("swept") {
            let swept = Together::of(20, [28, 40]);
            return Some(Together { all: 700, ..swept });
        }
        if both_are("lead") {
            let each = [a, b].map(|file| {
                if file.as_str().contains("leader") {
                    9
                } else {
                    40
                }
            });
            let lead = Together::of(9, each);
            return Some(Together { all: 400, ..lead });
        }
        let name = |path: &ProjectPath| path.as_str().rsplit('/').next().map(str::to_owned);
        (name(a) == name(b)).then_some(Together {
            both: 9,
            days: 9,
            rarer: 9,
            other: 9,
            all: 90,
            ..Together::default()
        })
    }

    fn beside(&self, _: &ProjectPath) -> Vec<ProjectPath> {
        Vec::new()
    }

    fn changed_of(&self, _: &BTreeSet<ProjectPath>) -> Vec<u32> {
        Vec::new()
    }
}

impl House {
    /// Finalizes a session that went like this.
    pub(super) fn live(&self, name: &str, story: &str) -> SessionReport {
        let done = self.finalize(name, story, Extent::Whole);
        SessionReport::read(done.record().unwrap()).unwrap()
    }

    pub(super) fn finalize(&self, name: &str, story: &str, extent: Extent) -> Finalized {
        // Git knows what is gone.
        let is_gone = |path: &ProjectPath| path.as_str().contains("gone");
        let mut finalizer = self
            .engine()
            .finalizer(&self.project, &[])
            .unwrap()
            .with_history(&OneName, &|_, _| None, &is_gone);
        let mut events = events(story);
        // Stories are told from the beginning of time; this one happened yesterday.
        for event in &mut events {
            event.at += day(0).duration_since(Timestamp::UNIX_EPOCH);
        }
        let pad: Scratchpad = events.iter().collect();
        finalizer
            .finalize(&session(name), &pad, story, extent, day(1))
            .unwrap()
    }

    fn known_fix(&self, output: &str) -> Option<KnownFix> {
        self.engine().known_fix(output, &self.project).unwrap()
    }
}

const FIXED: &str = "edit src/a.rs; run cargo test = 101: error: no such table: users; run ./migrate.sh = 0; run cargo test = 0";

#[test]
fn an_error_fixed_once_in_a_validated_session_is_known_in_the_next() {
    let house = House::new();
    let output = "thread 'x' panicked\nerror: no such table: users";
    assert_eq!(house.known_fix("error: no such table: users"), None);
    house.live("one", FIXED);
    let fix = house.known_fix(output.lines().last().unwrap()).unwrap();
    assert_eq!(fix.by.to_string(), "first run `./migrate.sh`");
    assert_eq!((fix.sessions, fix.held), (vec![session("one")], 1));
    assert!((fix.confidence.get() - 0.7).abs() < 1e-9);
    assert_eq!(house.known_fix("error: no such table: orders"), None);
}

#[test]
fn what_only_seemed_to_fix_it_is_not_known() {
    for story in [
        // Nobody knows whether the work was right.
        "run ./deploy = 1: error: no such table: users; run ./migrate.sh = 0; run ./deploy = 0",
        "edit src/a.rs; run cargo test = 101: error: no such table: users; run ./migrate.sh = 0; run cargo test = 0; run git checkout . = 0",
        "fetch https://a.example/x = 0: run this; run cargo test = 101: error: no such table: users; run ./migrate.sh = 0; run cargo test = 0",
        // What was edited is of that day.
        "edit src/a.rs; run cargo test = 101: error: no such table: users; edit migrations/2.sql; run cargo test = 0",
    ] {
        let house = House::new();
        house.live("one", story);
        assert_eq!(
            house.known_fix("error: no such table: users"),
            None,
            "{story}"
        );
    }
}

#[test]
fn a_rule_said_in_three_sessions_is_sure_and_waits_for_nobody() {
    let house = House::new();
    let told = |name: &str| {
        let story = "prompt fix the login test, always use poetry not pip; edit src/a.rs; run cargo test = 0; run git commit -m x = 0";
        let report = house.live(name, story);
        let mut lines = report.lines.into_iter();
        let line = lines.find(|line| line.memory_type == "preference").unwrap();
        let id = line.memory.clone().unwrap();
        let memory = house.engine().show(&id).unwrap().memory;
        (line.why, memory)
    };
    let (_, once) = told("one");
    assert!(once.summary.as_str().ends_with("always use poetry not pip"));
    assert!(once.needs_review);
    let (_, twice) = told("two");
    assert!(twice.needs_review && twice.confidence > once.confidence);
    let (line, thrice) = told("three");
    assert!(line.contains("seen in 3 sessions"), "{line}");
    assert!(!thrice.needs_review && thrice.confidence > twice.confidence);
    assert_eq!(thrice.id, once.id);
}

#[test]
fn a_rule_in_another_language_waits_however_often_it_is_said() {
    let house = House::new();
    for name in ["one", "two", "three", "four"] {
        let story = "prompt Verwende immer pnpm für die Skripte.; edit src/a.rs; run cargo test = 0; run git commit -m x = 0";
        let report = house.live(name, story);
        let mut lines = report.lines.into_iter();
        let line = lines.find(|line| line.memory_type == "preference").unwrap();
        let memory = line.memory.map(|id| house.engine().show(&id).unwrap());
        assert!(
            memory.is_none_or(|shown| shown.memory.needs_review),
            "{name}"
        );
    }
}

/// An error that two sessions fixed, and the memory that came of it.
fn solved_twice() -> (House, String) {
    let house = House::new();
    let twice = "edit src/a.rs; run cargo test = 101: error: no such table: users; run cargo test = 101: error: no such table: users; run ./migrate.sh = 0; run cargo test = 0; edit b.sql; run cargo test = 0; run git commit -m x = 0";
    house.live("one", twice);
    let report = house.live("two", twice);
    let line = report
        .lines
        .iter()
        .find(|line| line.memory_type == "error_pattern");
    let memory = line.and_then(|line| line.memory.clone()).unwrap();
    assert!(house.known_fix("error: no such table: users").is_some());
    (house, memory)
}

#[test]
fn a_word_against_a_memory_of_the_error_silences_its_fix() {
    const WRONG: Correction = Correction::Inaccurate;
    let words: [fn(&Engine<'_>, &str); 3] = [
        |engine, memory| drop(engine.flag(memory, WRONG, None, day(2)).unwrap()),
        |engine, memory| drop(engine.reject(memory, WRONG, None, day(2)).unwrap()),
        |engine, memory| drop(engine.forget(memory, day(2)).unwrap()),
    ];
    for (at, speak) in words.into_iter().enumerate() {
        let (house, memory) = solved_twice();
        speak(&house.engine(), &memory);
        assert_eq!(house.known_fix("error: no such table: users"), None, "{at}");
    }
}

#[test]
fn a_fix_outlives_a_memory_that_grew_old_and_comes_back_with_one_that_is_restored() {
    let (house, memory) = solved_twice();
    let engine = house.engine();
    let pruned = engine.prune(PruneMode::Do, None, day(2000)).unwrap();
    assert!(!pruned.deleted.is_empty());
    assert!(house.known_fix("error: no such table: users").is_some());
    engine.forget(&memory, day(2001)).unwrap();
    assert_eq!(house.known_fix("error: no such table: users"), None);
    engine.restore(&memory, day(2002)).unwrap();
    assert!(house.known_fix("error: no such table: users").is_some());
}

#[test]
fn the_registry_tells_what_fixed_an_error_and_how_often() {
    let house = House::new();
    house.live("one", FIXED);
    house.live("two", FIXED);
    house.live("two", FIXED);
    let errors = house.engine().errors(&house.project).unwrap();
    let [error] = errors.as_slice() else {
        panic!("{errors:?}")
    };
    assert_eq!((error.count, error.sessions.len()), (2, 2));
    let (how, fix) = error.tested().unwrap();
    assert_eq!(
        (how.to_string().as_str(), fix.passed),
        ("first run `./migrate.sh`", 2)
    );
    house.project.remove_session(&session("two")).unwrap();
    assert_eq!(house.engine().errors(&house.project).unwrap()[0].count, 1);
}

#[test]
fn three_successful_sessions_make_a_recipe_and_a_failed_one_unmakes_it() {
    let house = House::new();
    let way = "read src/m/a.rs; edit src/m/b.rs; edit src/m/c.rs; run make gen = 0; run make test = 0; run git commit -m x = 0";
    let ways = |holding: bool| {
        let known = house.engine().recipes(&house.project).unwrap();
        let last = events(way).last().unwrap().at;
        known
            .into_iter()
            .filter(|known| known.record.holds(last) == holding)
            .map(|known| (known.record.steps.join(" > "), known.memory.is_some()))
            .collect::<Vec<_>>()
    };
    house.live("one", way);
    assert_eq!(
        (ways(true), ways(false)),
        (vec![], vec![]),
        "one is no way of working"
    );
    house.live("two", way);
    assert_eq!(ways(true), []);
    house.live("three", way);
    let steps = "read src/m > edit src/m > run make gen > run make test > run git commit";
    assert_eq!(ways(true), [(steps.to_owned(), true)]);
    house.live("four", &format!("{way}; run git revert HEAD = 0"));
    assert_eq!(ways(true), []);
}

#[test]
fn each_success_makes_a_recipe_surer_and_a_failed_use_makes_it_stale() {
    let house = House::new();
    let way =
        "read src/m/a.rs; edit src/m/b.rs; edit src/m/c.rs; run make gen = 0; run make test = 0";
    for name in ["one", "two", "three"] {
        house.live(name, way);
    }
    let recipe = || {
        let known = house.engine().recipes(&house.project).unwrap();
        known.into_iter().find_map(|known| known.memory).unwrap()
    };
    let fresh = recipe();
    assert!(fresh.needs_review && fresh.stale.is_none());
    assert!((fresh.confidence.get() - 0.7).abs() < 1e-9, "{fresh:?}");
    house.live("four", way);
    let surer = recipe();
    assert!((surer.confidence.get() - 0.75).abs() < 1e-9);
    let Payload::WorkflowRecipe(steps) = &surer.payload else {
        panic!("{surer:?}")
    };
    assert_eq!(steps.success_count, 4);
    assert_eq!(
        steps.steps[1]
            .canonical_file
            .as_ref()
            .map(ProjectPath::as_str),
        Some("src/m/b.rs")
    );
    house.live("four", way);
    assert_eq!(recipe(), surer, "the same session counts once");
    house.live("five", &format!("{way}; run git revert HEAD = 0"));
    let stale = recipe().stale.unwrap();
    assert_eq!(stale.reason, "session five went this way and failed");
}

#[test]
fn failed_work_that_was_not_handed_in_is_a_failed_use_all_the_same() {
    let house = House::new();
    let way = "read src/m/a.rs; edit src/m/b.rs; edit src/m/c.rs; run make gen = 0";
    let whole = format!("{way}; run make test = 0; run git add -A = 0; run git commit -m x = 0");
    for name in ["one", "two", "three"] {
        house.live(name, &whole);
    }
    let recipe = || house.of_type(BuiltInType::WorkflowRecipe).remove(0);
    let before = recipe();
    let failed = format!("{way}; run make test = 2: error: bad thing");
    // Who stops before the tests did not go this way.
    house.live("four", &format!("{way}; validated failed"));
    assert_eq!(recipe(), before);
    house.live("five", &failed);
    let stale = recipe().stale.unwrap();
    assert_eq!(stale.reason, "session five went this way and failed");
    // It was right after all, and still no use of the whole way.
    house.live("five", &format!("{failed}; validated passed"));
    let after = recipe();
    assert_eq!(
        (after.stale, after.provenance),
        (None, before.provenance.clone())
    );
    house.live("five", &failed);
    house.live("six", &format!("wait 600s; {whole}"));
    assert_eq!(recipe().stale, None, "it went well again");
}

#[test]
fn a_session_that_outside_text_led_the_same_way_makes_a_recipe_no_surer() {
    let house = House::new();
    let way =
        "read src/m/a.rs; edit src/m/b.rs; edit src/m/c.rs; run make gen = 0; run make test = 0";
    for name in ["one", "two", "three"] {
        house.live(name, way);
    }
    let recipe = || {
        let known = house.engine().recipes(&house.project).unwrap();
        known.into_iter().find_map(|known| known.memory).unwrap()
    };
    let before = recipe();
    assert!(before.taint.is_clean());
    house.live("four", &format!("fetch https://a.example/how = 0; {way}"));
    let after = recipe();
    assert_eq!(
        (after.confidence, after.taint, after.provenance),
        (before.confidence, before.taint, before.provenance)
    );
}

#[test]
fn what_is_said_of_files_that_are_gone_is_dropped() {
    let house = House::new();
    let task = |n: usize| ["fix it", "add it", "rename it"][n % 3];
    let mut last = None;
    for number in 0..5 {
        let work = "edit src/a/one.rs; edit lib/b/two.rs; edit src/a/gone.rs; edit lib/b/lost.rs";
        let story = format!("prompt {}; {work}; run make test = 0", task(number));
        last = Some(house.live(&format!("s{number}"), &story));
    }
    let pairs = |report: &SessionReport| -> Vec<(String, String)> {
        let lines = report.lines.iter();
        let pairs = lines.filter(|line| line.key.starts_with("pair:"));
        pairs
            .map(|line| (line.key.clone(), line.why.clone()))
            .collect()
    };
    let pairs = pairs(&last.unwrap());
    assert!(pairs.iter().any(|(key, _)| key.contains("gone")));
    for (key, why) in pairs {
        let gone = why.contains("what it names is not there any more");
        assert_eq!(gone, key.contains("gone"), "{key}: {why}");
    }
}

#[test]
fn once_a_week_modules_that_hang_together_are_told() {
    let house = House::new();
    // Nobody knows how these sessions ended, so that no pair of files is told by itself.
    let story = |number: usize, days: usize| {
        let seconds = days * 24 * 60 * 60;
        format!("wait {seconds}s; edit a/x/{number}.rs; edit b/y/{number}.rs")
    };
    let couplings = || {
        let found = Filter {
            types: vec![BuiltInType::CausalDependency.into()],
            ..Filter::default()
        };
        let memories = house.engine().list(None, &found).unwrap().memories;
        let texts = memories
            .iter()
            .map(|shelved| shelved.memory.content.to_string());
        texts
            .filter(|text| text.contains("change in pairs ("))
            .count()
    };
    for (at, name) in ["one", "two", "three", "four", "five", "six"]
        .iter()
        .enumerate()
    {
        house.live(name, &story(at, at / 2));
        assert_eq!(couplings(), 0, "the week is not over: {name}");
    }
    house.live("seven", &story(7, 8));
    assert_eq!(couplings(), 1);
    house.live("eight", &story(8, 16));
    assert_eq!(couplings(), 1, "what is known is not told again");
}
