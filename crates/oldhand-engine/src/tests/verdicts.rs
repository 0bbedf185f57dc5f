//! A session that goes on and whose work turns out right and wrong by turns: what is known then is what one look at its end shows.

use std::collections::BTreeSet;

use oldhand_domain::memory::Memory;
use oldhand_domain::port::{Presence, Tree};
use oldhand_testkit::Dice;
use oldhand_testkit::story::events;

use super::learn::session;
use super::*;

/// A tree that uses every name and has every file.
struct Bears;

impl Tree for Bears {
    fn look_for(&self, names: &[String]) -> Vec<Presence> {
        vec![Presence::Used { file: None }; names.len()]
    }

    fn depends_on(&self, _: &str) -> bool {
        true
    }

    fn text_of(&self, _: &str) -> Option<String> {
        Some(String::new())
    }

    fn has_folder(&self, _: &str) -> bool {
        true
    }
}

/// Work on two files: a smaller task may teach two memories only, and then the first two.
const START: &str = "prompt make the upload retry; edit src/x.c; edit src/y.c";
const FOUND: &str = "read src/a.c; say I was wrong about `cache_ttl`: it is in seconds, see `src/a.c`.; edit src/a.c";
/// What a session may go on with.
const WORK: [&str; 6] = [
    FOUND,
    "read src/b.c; run make test = 2: error: bad thing; say Root cause: Larch passes `rows` by value, so the caller keeps its own.; edit src/b.c",
    "prompt and always use poetry, never pip, in this repository; edit src/c.c",
    "note decision: uploads go through the queue, never straight to the bucket; edit src/d.c",
    "say I was wrong about the retry: the client already waits twice.; edit src/e.c",
    "edit src/f.c; run make test = 2: error: no such table: users; run make test = 2: error: no such table: users; run ./migrate.sh = 0; run make test = 0; edit src/g.c",
];
/// How it may stand then.
const ENDS: [&str; 6] = [
    "run make test = 0",
    "run make test = 2: error: bad thing",
    "run make test = 2: error: no such row",
    "validated passed",
    "validated failed",
    "validated failed high src/a.c: entries are never dropped",
];

impl House {
    fn look_at(&self, name: &str, story: &str) -> SessionReport {
        self.look_at_day(name, story, 0)
    }

    fn look_at_day(&self, name: &str, story: &str, at: i64) -> SessionReport {
        let size = |_: &ProjectPath| None;
        let finalizer = self.engine().finalizer(&self.project, &[]).unwrap();
        let mut finalizer = finalizer.with_files(&size, &Bears);
        let mut events = events(story);
        for event in &mut events {
            event.at += day(at).duration_since(Timestamp::UNIX_EPOCH);
        }
        let pad: Scratchpad = events.iter().collect();
        let done = finalizer.finalize(&session(name), &pad, story, Extent::Whole, day(at + 1));
        SessionReport::read(done.unwrap().record().unwrap()).unwrap()
    }

    /// What is known, as far as anybody is told it.
    fn known(&self) -> Vec<String> {
        let all = self.engine().list(None, &Filter::default()).unwrap();
        let told = |memory: &Memory| {
            format!(
                "{} {} {} {:?} {}",
                memory.memory_type(),
                memory.content,
                memory.confidence,
                memory.provenance,
                if memory.needs_review { "waits" } else { "" },
            )
        };
        let mut known: Vec<String> = all.memories.iter().map(|one| told(&one.memory)).collect();
        known.sort();
        known
    }
}

/// A session of up to seven stretches, as it stood after each.
fn stretches(dice: &mut Dice) -> Vec<String> {
    let mut story = START.to_owned();
    let mut stood = Vec::new();
    for _ in 0..2 + dice.below(6) {
        if stood.is_empty() || dice.below(2) == 0 {
            story = format!("{story}; {}", dice.pick(&WORK));
        }
        story = format!("{story}; {}", dice.pick(&ENDS));
        stood.push(story.clone());
    }
    stood
}

#[test]
fn whatever_was_said_of_its_work_before_a_session_leaves_what_one_look_at_its_end_leaves() {
    for seed in 0..30 {
        let stood = stretches(&mut Dice::new(seed));
        let house = House::new();
        for story in &stood {
            house.look_at("one", story);
            let fresh = House::new();
            fresh.look_at("one", story);
            assert_eq!(house.known(), fresh.known(), "seed {seed}: {story}");
        }
    }
}

#[test]
fn to_say_the_same_again_changes_nothing() {
    for said in ["passed", "failed"] {
        let house = House::new();
        let mut story = format!("{START}; {}", WORK.join("; "));
        // Both were said before, so that there is something to come back.
        for said in ["passed", "failed", "passed", "failed", said] {
            story = format!("{story}; validated {said}");
            house.look_at("one", &story);
        }
        let stands = || {
            let all = house.everything().into_iter();
            let stands = all.map(|memory| (memory.id, memory.is_live(), memory.content));
            stands.collect::<Vec<_>>()
        };
        let (before, known) = (stands(), house.known());
        for _ in 0..3 {
            story = format!("{story}; validated {said}");
            house.look_at("one", &story);
            assert_eq!((stands(), house.known()), (before.clone(), known.clone()));
        }
    }
}

#[test]
fn what_goes_with_failed_work_comes_back_as_the_memory_it_was() {
    let house = House::new();
    let mut story = format!("{START}; {FOUND}; validated passed");
    house.look_at("one", &story);
    let gotchas = || house.of_type(BuiltInType::Gotcha);
    let [found] = &gotchas()[..] else {
        panic!("{:?}", house.known())
    };
    // Failed work leaves no finding, whatever the files bear out.
    for (said, count) in [("failed", 0), ("failed", 0), ("passed", 1)] {
        story = format!("{story}; validated {said}");
        house.look_at("one", &story);
        let ids: Vec<MemoryId> = gotchas().iter().map(|memory| memory.id).collect();
        assert_eq!(ids, vec![found.id; count], "{said}");
    }
}

#[test]
fn a_finding_of_failed_work_is_dropped_with_its_reason_and_comes_from_work_that_passed() {
    let house = House::new();
    let found = format!("{START}; {FOUND}");
    let report = house.look_at("one", &format!("{found}; validated failed"));
    let mut lines = report.lines.iter();
    let line = lines.find(|line| line.summary.contains("cache_ttl"));
    let line = line.unwrap();
    assert_eq!(
        (line.outcome.as_str(), line.why.as_str()),
        ("dropped", "the work failed")
    );
    house.look_at("two", &format!("{found}; validated passed"));
    let [memory] = &house.of_type(BuiltInType::Gotcha)[..] else {
        panic!("{:?}", house.known())
    };
    assert_eq!(memory.provenance.len(), 1);
}

#[test]
fn what_another_session_told_meanwhile_is_not_told_twice() {
    let house = House::new();
    let mut story = format!("{START}; {FOUND}; validated passed");
    house.look_at("one", &story);
    story = format!("{story}; validated failed");
    house.look_at("one", &story);
    assert_eq!(house.of_type(BuiltInType::Gotcha), []);
    let other = format!("{START}; {FOUND}; run make test = 0");
    house.look_at("two", &other);
    house.look_at("one", &format!("{story}; validated passed"));
    let [found] = &house.of_type(BuiltInType::Gotcha)[..] else {
        panic!("{:?}", house.known())
    };
    assert_eq!(found.provenance.len(), 2, "both show it");
}

#[test]
fn a_way_of_working_is_fresh_again_when_the_session_that_failed_was_right() {
    let house = House::new();
    let way =
        "read src/m/a.rs; edit src/m/b.rs; edit src/m/c.rs; run make gen = 0; run make test = 0";
    for name in ["one", "two", "three"] {
        house.live(name, way);
    }
    let recipe = || house.of_type(BuiltInType::WorkflowRecipe).remove(0);
    let before = recipe();
    house.live("three", &format!("{way}; validated failed"));
    assert!(recipe().stale.is_some());
    house.live(
        "three",
        &format!("{way}; validated failed; validated passed"),
    );
    let after = recipe();
    assert_eq!(after.stale, None);
    assert_eq!(
        (after.provenance, after.confidence),
        (before.provenance, before.confidence)
    );
}

#[test]
fn where_work_stands_is_not_said_anew_in_words_that_a_person_has_to_read_first() {
    let house = House::new();
    let state = || house.of_type(BuiltInType::WorkState).remove(0);
    let story = "start build unit spec_7; edit src/a.rs; run make test = 2: error: no such thing";
    house.live("one", story);
    let before = state();
    assert!(!before.needs_review, "{before:?}");
    let read = "fetch https://a.example/page; edit src/b.rs; run make test = 2: error: obey me";
    house.live("one", &format!("{story}; {read}"));
    assert_eq!(state().content, before.content);
    let went_on = "edit src/b.rs; run make test = 2: error: another thing";
    house.live("one", &format!("{story}; {went_on}"));
    assert_ne!(state().content, before.content);
}

#[test]
fn where_work_stood_is_no_more_learned_once_it_is_finished() {
    let house = House::new();
    let story = format!("{START}; {FOUND}; validated failed");
    let state = |report: &SessionReport| {
        let mut lines = report.lines.iter();
        let line = lines.find(|line| line.memory_type == "work_state");
        line.map(|line| (line.outcome.clone(), line.memory.clone()))
    };
    let open = state(&house.look_at("one", &story)).unwrap();
    assert_eq!(open.0, "promoted");
    let story = format!("{story}; validated passed");
    let over = state(&house.look_at("one", &story)).unwrap();
    assert_eq!(over, ("withdrawn".to_owned(), open.1.clone()));
    let story = format!("{story}; validated failed");
    let again = state(&house.look_at("one", &story)).unwrap();
    assert_eq!(again, open);
}

/// What several sessions may have in common.
const MET: &str = "prompt change the tax; edit src/f.c; run make test = 2: error: no such table: users; run make test = 2: error: no such table: users; run ./migrate.sh = 0; run make test = 0; edit src/g.c; run make test = 0";

/// Sessions on days of their own, and what was said of their work.
struct Sessions {
    house: House,
    stories: Vec<String>,
}

impl Sessions {
    fn begin(stories: &[String]) -> Self {
        let sessions = Self {
            house: House::new(),
            stories: stories.to_vec(),
        };
        for number in 0..stories.len() {
            sessions.look(number);
        }
        sessions
    }

    fn look(&self, number: usize) -> SessionReport {
        let (name, story) = (format!("s{number}"), &self.stories[number]);
        let at = i64::try_from(number).unwrap();
        self.house.look_at_day(&name, story, at)
    }

    fn say(&mut self, number: usize, said: &str) -> SessionReport {
        self.stories[number] = format!("{}; validated {said}", self.stories[number]);
        self.look(number)
    }

    /// What is known beside where work stands, which is for the latest session to say.
    fn known(&self) -> Vec<String> {
        let mut known = self.house.known();
        known.retain(|told| !told.starts_with("work_state"));
        known
    }
}

#[test]
fn what_was_said_of_several_sessions_counts_by_the_last_word_on_each() {
    for seed in 0..16 {
        let mut dice = Dice::new(seed);
        let stories: Vec<String> = (0..2 + dice.below(2))
            .map(|number| {
                format!(
                    "{START}; {MET}; {}; edit src/w{number}.c; run make test = 0",
                    dice.pick(&["read src/h.c", FOUND])
                )
            })
            .collect();
        let mut sessions = Sessions::begin(&stories);
        let fresh = sessions.known();
        let mut last: Vec<Option<&str>> = vec![None; stories.len()];
        let mut path = Vec::new();
        for _ in 0..4 + dice.below(5) {
            let number = *dice.pick(&[0, 1, 2][..stories.len()]);
            let said = *dice.pick(&["passed", "failed"]);
            path.push((number, said));
            last[number] = Some(said);
            sessions.say(number, said);
        }
        let known = sessions.known();
        for (number, said) in path.iter().rev().take(1) {
            sessions.say(*number, said);
            assert_eq!(sessions.known(), known, "seed {seed}, again: {path:?}");
        }
        let mut once = Sessions::begin(&stories);
        for (number, said) in last.iter().enumerate() {
            if let Some(said) = said {
                once.say(number, said);
            }
        }
        assert_eq!(known, once.known(), "seed {seed}: {path:?}");
        for number in 0..stories.len() {
            sessions.say(number, "passed");
        }
        assert_eq!(sessions.known(), fresh, "seed {seed}, all right: {path:?}");
    }
}

#[test]
fn both_sessions_of_an_error_stand_behind_it_again_when_both_were_right() {
    let story = format!("{START}; {MET}");
    let mut sessions = Sessions::begin(&[story.clone(), story]);
    let before = sessions.known();
    assert_eq!(before.len(), 1, "{before:?}");
    for (number, said) in [(0, "failed"), (1, "failed"), (0, "passed"), (1, "passed")] {
        sessions.say(number, said);
    }
    assert_eq!(sessions.known(), before);
    sessions.say(1, "passed");
    assert_eq!(sessions.known(), before);
}

#[test]
fn where_work_stood_that_another_session_finished_is_no_more_learned() {
    let story = format!("{START}; edit src/a.c");
    let mut sessions = Sessions::begin(&[story.clone(), story]);
    let state = |report: &SessionReport| {
        let mut lines = report.lines.iter();
        let line = lines.find(|line| line.memory_type == "work_state");
        line.map(|line| line.outcome.clone())
    };
    let states = |sessions: &Sessions| {
        let states = sessions.house.of_type(BuiltInType::WorkState).into_iter();
        states.map(|state| state.provenance).collect::<Vec<_>>()
    };
    let both = || BTreeSet::from([session("s0"), session("s1")]);
    sessions.say(0, "failed");
    sessions.say(1, "failed");
    assert_eq!(states(&sessions), [both()]);
    // The later one failed with it all the same.
    let report = sessions.say(0, "passed");
    assert_eq!(state(&report).as_deref(), Some("withdrawn"));
    assert_eq!(states(&sessions), [BTreeSet::from([session("s1")])]);
    sessions.say(0, "failed");
    assert_eq!(states(&sessions), [both()]);
    sessions.say(1, "passed");
    assert_eq!(states(&sessions), []);
    let report = sessions.say(0, "passed");
    assert_eq!(state(&report).as_deref(), Some("withdrawn"), "{report:?}");
    sessions.say(1, "failed");
    assert_eq!(states(&sessions), [BTreeSet::from([session("s1")])]);
}

#[test]
fn work_that_a_later_session_left_open_stays_so_when_nobody_says_how_that_one_ended() {
    let unit = "start build unit tax/rates";
    let story =
        format!("{unit}; prompt change the tax; edit src/a.c; run make test = 2: error: bad");
    let unsaid = format!("{unit}; prompt change the tax; edit src/a.c");
    let mut sessions = Sessions::begin(&[story, unsaid]);
    let states = |sessions: &Sessions| {
        let states = sessions.house.of_type(BuiltInType::WorkState).into_iter();
        states.map(|state| state.provenance).collect::<Vec<_>>()
    };
    let both = || BTreeSet::from([session("s0"), session("s1")]);
    assert_eq!(states(&sessions), [both()]);
    sessions.say(0, "passed");
    assert_eq!(states(&sessions), [BTreeSet::from([session("s1")])]);
    sessions.say(0, "failed");
    assert_eq!(states(&sessions), [both()]);
    sessions.say(1, "passed");
    assert_eq!(states(&sessions), []);
}
