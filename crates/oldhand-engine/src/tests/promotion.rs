//! From a session to its memories: in one transaction, part by part, never what a person rejected or erased.

use std::collections::BTreeSet;

use oldhand_domain::event::{BoundedText, Event, Happening, Voice};
use oldhand_domain::memory::{CommitSha, Memory};
use oldhand_domain::port::{MemoryReader, MemoryStore};
use oldhand_domain::session::SessionStore;
use oldhand_testkit::story::events;

use super::breaking::Breaking;
use super::learn::session;
use super::*;

/// An error twice and its fix; the second session that shows it teaches it.
pub(super) const ERROR: &str = "run make = 2: error: header `bad` not found; run make = 2: error: header `bad` not found; run ./configure = 0; run make = 0; edit src/a.c; edit src/b.c; run make = 0";
pub(super) const CORRECTED: &str = "say I was wrong about `src/a.c`: it holds the parser, not the lexer.; edit src/a.c; edit src/b.c; run make test = 0";

impl House {
    pub(super) fn everything(&self) -> Vec<Memory> {
        let all = Filter {
            state: State::Any,
            ..Filter::default()
        };
        self.project.list(&all).unwrap().memories
    }

    /// Stories happen long ago; what is used is not old.
    fn use_it(&self, id: &str) {
        self.project.touch(&[id.parse().unwrap()], day(1)).unwrap();
    }

    fn live_memories(&self) -> Vec<Memory> {
        self.project.list(&Filter::default()).unwrap().memories
    }
}

fn only(report: &SessionReport, memory_type: &str) -> ReportLine {
    let mut lines = report
        .lines
        .iter()
        .filter(|line| line.memory_type == memory_type);
    let line = lines
        .next()
        .unwrap_or_else(|| panic!("no {memory_type} in {report:?}"));
    line.clone()
}

#[test]
fn the_same_session_twice_changes_nothing() {
    let house = House::new();
    house.live("one", ERROR);
    let first = house.live("two", ERROR);
    let before = (
        house.everything(),
        SessionStore::sessions(&house.project).unwrap(),
    );
    assert!(matches!(
        house.finalize("two", ERROR, Extent::Whole),
        Finalized::Already(_)
    ));
    assert_eq!(
        (
            house.everything(),
            SessionStore::sessions(&house.project).unwrap()
        ),
        before
    );
    // The same events under another name of the journal: everything is looked at again, and is known.
    let mut finalizer = house.engine().finalizer(&house.project, &[]).unwrap();
    let pad: Scratchpad = events(ERROR).iter().collect();
    let again = finalizer
        .finalize(&session("two"), &pad, "another", Extent::Whole, day(1))
        .unwrap();
    let again = SessionReport::read(again.record().unwrap()).unwrap();
    assert_eq!(again.lines, first.lines);
    assert_eq!(house.everything(), before.0);
}

fn parts(count: u32, second: &str) -> String {
    let part = |n: u32| {
        let work = if n == 2 {
            second.to_owned()
        } else {
            format!("edit src/p{n}.rs")
        };
        format!("{work}; subtask s{n} passed")
    };
    (1..=count).map(part).collect::<Vec<_>>().join("; ")
}

#[test]
fn with_more_than_five_subtasks_each_is_promoted_as_it_validates() {
    let house = House::new();
    let five = parts(5, CORRECTED);
    assert_eq!(
        house.finalize("one", &five, Extent::Subtasks),
        Finalized::Waiting
    );
    assert_eq!(house.everything(), []);
    let six = parts(6, CORRECTED);
    let done = house.finalize("one", &six, Extent::Subtasks);
    let report = SessionReport::read(done.record().unwrap()).unwrap();
    let line = only(&report, "gotcha");
    assert_eq!(
        (line.outcome.as_str(), line.subtask.as_deref()),
        ("promoted", Some("s2"))
    );
    assert!(!report.whole);
    let count = house.everything().len();

    // The end fails: what its validated parts taught stays, and is not taught again.
    let failed = format!("{six}; edit src/z.rs; run make test = 2: error: no");
    let report = house.live("one", &failed);
    let line = only(&report, "gotcha");
    assert_eq!(
        (line.outcome.as_str(), line.subtask.as_deref()),
        ("promoted", Some("s2"))
    );
    let gotchas = house.live_memories().into_iter();
    let gotchas = gotchas.filter(|memory| memory.memory_type().to_string() == "gotcha");
    assert_eq!(gotchas.count(), 1);
    assert!(house.everything().len() >= count);
}

#[test]
fn what_is_open_waits_for_its_subtask() {
    let house = House::new();
    let story = format!("{}; {CORRECTED}", parts(6, "edit src/p2.rs"));
    let done = house.finalize("one", &story, Extent::Subtasks);
    let report = SessionReport::read(done.record().unwrap()).unwrap();
    assert_eq!(
        only(&report, "gotcha").why,
        "its subtask is not validated yet"
    );
    assert_eq!(house.live_memories(), []);
    let report = house.live("one", &story);
    assert_eq!(only(&report, "gotcha").outcome, "promoted");
}

#[test]
fn work_that_turns_out_wrong_takes_back_what_it_alone_taught() {
    let house = House::new();
    let report = house.live("one", CORRECTED);
    let id = only(&report, "gotcha").memory.unwrap();
    let report = house.live("one", &format!("{CORRECTED}; validated failed"));
    assert_eq!(only(&report, "gotcha").outcome, "withdrawn");
    let memory = house.engine().show(&id).unwrap().memory;
    assert_eq!(
        memory.deprecated.unwrap().reason,
        "session one taught it and failed"
    );

    for word in ["verify", "pin"] {
        let house = House::new();
        let report = house.live("one", CORRECTED);
        let id = only(&report, "gotcha").memory.unwrap();
        if word == "pin" {
            house.engine().pin(&id, day(1)).unwrap();
        } else {
            house.engine().verify(&id, day(1)).unwrap();
        }
        house.live("one", &format!("{CORRECTED}; validated failed"));
        let memory = house.engine().show(&id).unwrap().memory;
        assert!(memory.is_live(), "a person stands by it: {word}");
    }
}

#[test]
fn what_a_person_rejected_is_not_promoted_again() {
    let reject: [fn(&House, &str); 2] = [
        |house, id| {
            let wrong = Correction::Inaccurate;
            house.engine().flag(id, wrong, None, day(1)).unwrap();
        },
        |house, id| {
            house.use_it(id);
            house.engine().forget(id, day(1)).unwrap();
        },
    ];
    for reject in reject {
        let house = House::new();
        let id = only(&house.live("one", CORRECTED), "gotcha")
            .memory
            .unwrap();
        reject(&house, &id);
        let again = only(&house.live("two", CORRECTED), "gotcha");
        assert_eq!(again.why, format!("a person rejected it as memory {id}"));
        assert_eq!(again.outcome, "dropped");
    }
}

#[test]
fn a_file_that_changes_with_everything_is_told_of_three_times() {
    let house = House::new();
    let mut told = Vec::new();
    for other in ["a", "b", "c", "d"] {
        let story = format!("edit src/main.c; edit lib/{other}.c; run make test = 0");
        for number in 0..6 {
            let elsewhere = format!("edit doc/{other}{number}.c; run make test = 0");
            house.live(&format!("{other}{number}-elsewhere"), &elsewhere);
            let report = house.live(&format!("{other}{number}"), &story);
            told.extend(
                report
                    .lines
                    .into_iter()
                    .filter(|line| line.key.starts_with("pair:")),
            );
        }
    }
    let promoted = told.iter().filter(|line| line.outcome == "promoted");
    let keys: BTreeSet<&str> = promoted.map(|line| line.key.as_str()).collect();
    assert_eq!(keys.len(), 3, "{keys:?}");
    let last = told.last().unwrap();
    assert_eq!(last.why, "one of its files is in 3 told pairs already");
}

/// A file that was asked for by another name is told in words that differ by these names alone.
#[test]
fn a_statement_of_one_file_says_nothing_of_another() {
    const MISSED: &str = "read src/FILE.yml = failed: File does not exist. Did you mean src/FILE.yaml?; edit src/a.c; run make test = 0";
    let house = House::new();
    let live = |session: &str, file: &str| {
        only(
            &house.live(session, &MISSED.replace("FILE", file)),
            "gotcha",
        )
    };
    let once = live("once", "alpha");
    assert_eq!(once.why, "seen in 1 of 2 sessions needed");
    let one = live("one", "alpha");
    let memory = one.memory.clone().unwrap();
    let useless = Correction::Inaccurate;
    house.engine().flag(&memory, useless, None, day(1)).unwrap();
    live("two", "alphas");
    let other = live("three", "alphas");
    assert_eq!(other.outcome, "promoted", "{}", other.why);
    let again = live("four", "alpha");
    assert_eq!(
        again.why,
        format!("a person rejected it as memory {memory}")
    );
}

#[test]
fn what_only_grew_old_may_be_learned_again() {
    let house = House::new();
    house.live("one", CORRECTED);
    house
        .engine()
        .prune(PruneMode::Do, Some(&house.project), day(400))
        .unwrap();
    assert_eq!(house.live_memories(), []);
    assert_eq!(
        only(&house.live("two", CORRECTED), "gotcha").outcome,
        "promoted"
    );
}

#[test]
fn what_was_erased_is_in_no_record_and_is_not_learned_again() {
    let house = House::new();
    house.live("one", ERROR);
    let line = only(&house.live("two", ERROR), "error_pattern");
    let id = line.memory.clone().unwrap();
    house.engine().erase(&id, Some(&house.project)).unwrap();
    for record in SessionStore::sessions(&house.project).unwrap() {
        for text in [&record.report, &record.body] {
            assert!(!text.contains("header"), "{text}");
        }
        assert!(record.errors.is_empty());
    }
    let later = house.live("three", &format!("{ERROR}; edit src/c.c; run make = 0"));
    let again = only(&later, "error_pattern");
    assert_eq!(again.why, "it was erased and stays so");
    assert_eq!(again.summary, "(erased)", "the report says it no more");
    assert_eq!(house.engine().errors(&house.project).unwrap(), []);

    // Forgotten, and erased when its grace was over.
    let house = House::new();
    let id = only(&house.live("one", CORRECTED), "gotcha")
        .memory
        .unwrap();
    house.use_it(&id);
    house.engine().forget(&id, day(1)).unwrap();
    let pruned = house
        .engine()
        .prune(PruneMode::Do, Some(&house.project), day(60))
        .unwrap();
    assert_eq!(pruned.erased.len(), 1);
    let again = only(&house.live("two", CORRECTED), "gotcha");
    assert_eq!(again.why, "it was erased and stays so");
}

#[test]
fn how_far_work_got_is_told_once_and_not_after_it_was_finished() {
    let house = House::new();
    let start = "start build unit spec_7";
    let states = |house: &House| {
        let live = house.live_memories().into_iter();
        live.filter(|memory| memory.memory_type().to_string() == "work_state")
            .map(|memory| memory.content.to_string())
            .collect::<Vec<_>>()
    };
    house.live(
        "one",
        &format!("{start}; edit src/a.rs; run make test = 2: error: no such thing"),
    );
    let first = states(&house);
    assert_eq!(first.len(), 1, "{first:?}");
    house.live(
        "two",
        &format!("{start}; edit lib/wholly_different.py; edit docs/b.py; run make test = 2: ImportError: cannot import name x"),
    );
    let second = states(&house);
    assert_eq!(second.len(), 1, "{second:?}");
    assert_ne!(first, second);
    house.live(
        "three",
        &format!("{start}; edit src/a.rs; edit src/b.rs; run make test = 0"),
    );
    assert_eq!(states(&house), [""; 0]);
}

#[test]
fn a_memory_names_the_commit_that_touched_its_files() {
    let house = House::new();
    let whole = "1a2b3c4".to_owned() + &"0".repeat(33);
    let find = |short: &str| {
        (short == "1a2b3c4")
            .then(|| CommitSha::new(&whole))
            .flatten()
    };
    let story = format!(
        "{CORRECTED}; run git commit -am x = 0: [main 1a2b3c4] x; edit other.rs; run git commit -am y = 0: [main 9999999] y"
    );
    let pad: Scratchpad = events(&story).iter().collect();
    let mut finalizer = house
        .engine()
        .finalizer(&house.project, &[])
        .unwrap()
        .with_commits(&find);
    finalizer
        .finalize(&session("one"), &pad, "d", Extent::Whole, day(1))
        .unwrap();
    let commits: Vec<_> = house
        .everything()
        .iter()
        .filter(|memory| memory.memory_type().to_string() == "gotcha")
        .map(|memory| memory.commit.clone())
        .collect();
    assert_eq!(commits, [CommitSha::new(&whole)]);
}

/// A session that was told a memory and goes by it.
fn heeding(id: MemoryId) -> Scratchpad {
    let mut events = events("edit src/a.rs; run make test = 0");
    events.push(Event::new(
        day(0),
        Happening::Injected {
            point: "file".to_owned(),
            memories: vec![id.to_string()],
            facts: Vec::new(),
            tokens: 9,
            fence: None,
        },
    ));
    let cited = format!("As {} says, the migrations come first.", id.short());
    events.push(Event::new(
        day(0),
        Happening::Text {
            voice: Voice::Said,
            text: BoundedText::head(&cited, 200),
        },
    ));
    events.iter().collect()
}

#[test]
fn what_a_session_was_told_counts_as_used_once_whomever_it_follows() {
    let house = House::new();
    let text = "Run the migrations first.";
    let known = house.teach(text).id().unwrap();
    let mine = house
        .engine()
        .remember(Shelf::Personal, gotcha(text), day(0));
    let mine = mine.unwrap().id().unwrap();
    let uses = |id: MemoryId| {
        let shown = house.engine().show(&id.to_string()).unwrap();
        shown.memory.usage.access_count
    };
    let breaking = Breaking::on(&house.project);
    let mut finalizer = house.engine().finalizer(&breaking, &[]).unwrap();
    let before = uses(known);
    let one = session(&format!("told-{}", known.short()));
    let broken = finalizer.finalize(&one, &heeding(known), "a", Extent::Whole, day(1));
    assert!(broken.is_err());
    assert_eq!(
        uses(known),
        before,
        "a use is put down with the rest or not at all"
    );
    for id in [known, mine] {
        let before = uses(id);
        for digest in ["a", "b"] {
            let one = session(&format!("told-{}", id.short()));
            let mut finalizer = house.engine().finalizer(&house.project, &[]).unwrap();
            finalizer
                .finalize(&one, &heeding(id), digest, Extent::Whole, day(1))
                .unwrap();
            assert_eq!(uses(id), before + 1);
        }
    }
}

#[test]
fn a_memory_names_every_session_that_showed_it() {
    let house = House::new();
    house.live("one", ERROR);
    house.live("failed", &format!("{ERROR}; validated failed"));
    let id = only(&house.live("two", ERROR), "error_pattern")
        .memory
        .unwrap();
    let memory = house.engine().show(&id).unwrap().memory;
    let sessions: Vec<&str> = memory.provenance.iter().map(SessionId::as_str).collect();
    assert_eq!(sessions, ["one", "two"], "what failed bears no witness");
}
