//! A session that goes on and whose work turns out right and wrong by turns: what is known then is what one look at its end shows.

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

/// The same with nothing in it.
struct Bare;

impl Tree for Bare {
    fn look_for(&self, names: &[String]) -> Vec<Presence> {
        vec![Presence::Absent; names.len()]
    }

    fn depends_on(&self, _: &str) -> bool {
        false
    }

    fn text_of(&self, _: &str) -> Option<String> {
        None
    }

    fn has_folder(&self, _: &str) -> bool {
        false
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
    fn look_at(&self, name: &str, story: &str, tree: &dyn Tree) -> SessionReport {
        let size = |_: &ProjectPath| None;
        let finalizer = self.engine().finalizer(&self.project, &[]).unwrap();
        let mut finalizer = finalizer.with_files(&size, tree);
        let mut events = events(story);
        for event in &mut events {
            event.at += day(0).duration_since(Timestamp::UNIX_EPOCH);
        }
        let pad: Scratchpad = events.iter().collect();
        let done = finalizer.finalize(&session(name), &pad, story, Extent::Whole, day(1));
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
            house.look_at("one", story, &Bears);
            let fresh = House::new();
            fresh.look_at("one", story, &Bears);
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
            house.look_at("one", &story, &Bears);
        }
        let stands = || {
            let all = house.everything().into_iter();
            let stands = all.map(|memory| (memory.id, memory.is_live(), memory.content));
            stands.collect::<Vec<_>>()
        };
        let (before, known) = (stands(), house.known());
        for _ in 0..3 {
            story = format!("{story}; validated {said}");
            house.look_at("one", &story, &Bears);
            assert_eq!((stands(), house.known()), (before.clone(), known.clone()));
        }
    }
}

#[test]
fn what_goes_with_failed_work_comes_back_as_the_memory_it_was() {
    let house = House::new();
    let mut story = format!("{START}; {FOUND}; validated passed");
    house.look_at("one", &story, &Bears);
    let gotchas = || house.of_type(BuiltInType::Gotcha);
    let [found] = &gotchas()[..] else {
        panic!("{:?}", house.known())
    };
    // Nothing bears it out any more, then all does again, and then the work was right.
    for (said, tree, count) in [
        ("failed", &Bare as &dyn Tree, 0),
        ("failed", &Bears, 1),
        ("failed", &Bears, 1),
        ("passed", &Bears, 1),
    ] {
        story = format!("{story}; validated {said}");
        house.look_at("one", &story, tree);
        let ids: Vec<MemoryId> = gotchas().iter().map(|memory| memory.id).collect();
        assert_eq!(ids, vec![found.id; count], "{said}");
    }
}

#[test]
fn what_another_session_told_meanwhile_is_not_told_twice() {
    let house = House::new();
    let mut story = format!("{START}; {FOUND}; validated passed");
    house.look_at("one", &story, &Bears);
    story = format!("{story}; validated failed");
    house.look_at("one", &story, &Bare);
    assert_eq!(house.of_type(BuiltInType::Gotcha), []);
    let other = format!("{START}; {FOUND}; run make test = 0");
    house.look_at("two", &other, &Bears);
    house.look_at("one", &format!("{story}; validated passed"), &Bears);
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
    let open = state(&house.look_at("one", &story, &Bears)).unwrap();
    assert_eq!(open.0, "promoted");
    let story = format!("{story}; validated passed");
    let over = state(&house.look_at("one", &story, &Bears)).unwrap();
    assert_eq!(over, ("withdrawn".to_owned(), open.1.clone()));
    let story = format!("{story}; validated failed");
    let again = state(&house.look_at("one", &story, &Bears)).unwrap();
    assert_eq!(again, open);
}
