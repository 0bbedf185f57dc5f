//! What a session was for decides what it teaches, whoever says so and whenever; and what is found wrong with a part of it is kept at once.

use oldhand_domain::memory::Memory;
use oldhand_domain::vocabulary::Source;

use super::promotion::{CORRECTED, ERROR};
use super::*;

impl House {
    /// What is told today, by type.
    fn told(&self) -> Vec<(String, String)> {
        let live = |memory: &Memory| memory.is_live();
        let told = self.everything().into_iter().filter(live);
        let told = told.map(|memory| (memory.memory_type().to_string(), memory.id.to_string()));
        told.collect()
    }

    fn count(&self, memory_type: &str) -> usize {
        let told = self.told().into_iter();
        told.filter(|(kind, _)| kind == memory_type).count()
    }
}

fn body(done: &Finalized) -> SessionBody {
    SessionBody::read(done.record().unwrap()).unwrap()
}

#[test]
fn a_plain_review_teaches_through_the_gate_of_a_review() {
    let met = ERROR.split("; edit").next().unwrap();
    for (prompt, expected) in [("review PR #12", "pr_review"), ("does it build?", "build")] {
        let house = House::new();
        let story = format!("start build; prompt {prompt}; {met}; run make = 0; say Two findings.");
        let done = house.finalize("one", &story, Extent::Whole);
        let report = SessionReport::read(done.record().unwrap()).unwrap();
        let body = body(&done);
        assert_eq!(body.session_type, expected, "{prompt}");
        let is_review = expected == "pr_review";
        assert_eq!(body.type_because.is_some(), is_review, "{prompt}");
        // An error that a review met is told at once, one that anything else met after it came twice.
        let errors = usize::from(is_review);
        assert_eq!(house.count("error_pattern"), errors, "{report:?}");
        let gate = if is_review { "pr_review" } else { "terminal" };
        assert_eq!(report.gate, gate, "{prompt}");
    }
}

#[test]
fn a_session_teaches_what_sessions_of_its_last_type_teach() {
    let house = House::new();
    let mut story = format!("start build; {CORRECTED}");
    let first = house.finalize("one", &story, Extent::Whole);
    assert_eq!(body(&first).session_type, "build");
    let taught = house.told();
    assert_eq!(house.count("gotcha"), 1);
    for (told, expected) in [
        ("told changelog", 0),
        ("told changelog", 0),
        // Work that was right is no reason to tell what a changelog does not.
        ("validated passed", 0),
        ("told build", 1),
        ("told build", 1),
        ("told roadmap", 0),
        ("told insights", 1),
        ("validated failed", 0),
        ("told build", 0),
        ("validated passed", 1),
        ("told pr_review", 1),
        ("told terminal", 0),
        ("told build", 1),
    ] {
        story = format!("{story}; {told}");
        let done = house.finalize("one", &story, Extent::Whole);
        assert_eq!(house.count("gotcha"), expected, "{told}");
        if let Some(kind) = told.strip_prefix("told ") {
            let body = body(&done);
            assert_eq!(body.session_type, kind);
            assert_eq!(body.type_because.as_deref(), Some("user said so"));
        }
        let all = house.everything();
        let gotchas = all
            .iter()
            .filter(|memory| memory.memory_type().to_string() == "gotcha");
        assert_eq!(gotchas.count(), 1, "it is the memory it was: {told}");
    }
    let is_gotcha = |(kind, _): &&(String, String)| kind == "gotcha";
    assert_eq!(
        house.told().iter().find(is_gotcha),
        taught.iter().find(is_gotcha)
    );
}

#[test]
fn what_goes_and_comes_back_says_whether_its_type_or_its_work_was_the_reason() {
    let house = House::new();
    let mut story = format!("start build; {CORRECTED}");
    house.finalize("one", &story, Extent::Whole);
    for (told, expected) in [
        ("told changelog", "sessions of its type do not teach it"),
        ("told build", "its type teaches it again"),
        ("validated failed", "the work failed after all"),
        ("validated passed", "the work was right after all"),
        ("validated failed", "the work failed after all"),
        (
            "told changelog; validated passed",
            "sessions of its type do not teach it",
        ),
        ("told build", "its type teaches it again"),
    ] {
        story = format!("{story}; {told}");
        let done = house.finalize("one", &story, Extent::Whole);
        let Finalized::Done(record) = &done else {
            panic!("{told}: {done:?}");
        };
        let report = SessionReport::read(record).expect("a report");
        let mut lines = report.lines.iter();
        let line = lines.find(|line| line.memory_type == "gotcha" && line.memory.is_some());
        let line = line.expect("it taught it");
        assert_eq!(line.why, expected, "{told}");
        let is_of_type = expected.starts_with("sessions of its type");
        let memory = line.memory.as_deref().expect("a memory");
        assert_eq!(report.is_of_other_type(memory), is_of_type, "{told}");
    }
}

#[test]
fn what_goes_with_a_type_says_so_and_spares_what_others_show() {
    let house = House::new();
    house.live("one", ERROR);
    house.live("two", ERROR);
    house.live("three", ERROR);
    assert_eq!(house.count("error_pattern"), 1);
    let report = house.live("two", &format!("{ERROR}; told changelog"));
    let gone = report.lines.iter().find(|line| line.outcome == "withdrawn");
    let gone = gone.expect("it taught it");
    assert_eq!(gone.why, "sessions of its type do not teach it");
    let id = gone.memory.as_deref().unwrap();
    let memory = house.engine().show(id).unwrap().memory;
    assert!(memory.is_live(), "the third session shows it too");
    assert!(!memory.provenance.iter().any(|one| one.as_str() == "two"));
}

#[test]
fn what_is_found_wrong_with_a_subtask_is_kept_at_once() {
    let leak = "critical src/a.rs: the handle leaks";
    for (story, extent, expected) in [
        // Few parts: the rest waits, what was found does not.
        (format!("subtask one failed {leak}"), Extent::Subtasks, 1),
        (format!("subtask one failed {leak}"), Extent::Whole, 1),
        (format!("subtask one passed {leak}"), Extent::Subtasks, 1),
        (
            format!("subtask one failed {leak}; validated failed"),
            Extent::Whole,
            1,
        ),
        (
            format!("subtask one failed {leak}; validated passed"),
            Extent::Whole,
            1,
        ),
        (
            "subtask one failed low src/a.rs: a typo".to_owned(),
            Extent::Whole,
            0,
        ),
        (
            format!("{}; subtask s7 failed {leak}", six()),
            Extent::Subtasks,
            1,
        ),
        (
            format!("told changelog; subtask one failed {leak}"),
            Extent::Whole,
            0,
        ),
    ] {
        let house = House::new();
        let story = format!("{CORRECTED}; edit src/a.rs; {story}");
        let done = house.finalize("one", &story, extent);
        let report = SessionReport::read(done.record().unwrap()).unwrap();
        let found: Vec<Memory> = house.everything();
        let found: Vec<&Memory> = found
            .iter()
            .filter(|memory| memory.source == Source::QaAuto)
            .collect();
        assert_eq!(found.len(), expected, "{story}: {report:?}");
        for memory in found {
            assert_eq!(memory.memory_type().to_string(), "error_pattern");
            assert!((memory.confidence.get() - 0.8).abs() < f64::EPSILON);
            let id = memory.id.to_string();
            let mut lines = report.lines.iter();
            let line = lines.find(|line| line.memory.as_ref() == Some(&id));
            let subtask = line.and_then(|line| line.subtask.as_deref());
            assert!(matches!(subtask, Some("one" | "s7")), "{report:?}");
            let content = memory.content.as_str();
            assert!(content.contains("in subtask `"), "{content}");
        }
        // The whole look later tells it once.
        house.finalize("one", &format!("{story}; end"), Extent::Whole);
        let all = house.everything();
        let again = all.iter().filter(|memory| memory.source == Source::QaAuto);
        assert_eq!(again.count(), expected, "{story}");
    }
}

fn six() -> String {
    let part = |n: u32| format!("edit src/p{n}.rs; subtask s{n} passed");
    (1..=6).map(part).collect::<Vec<_>>().join("; ")
}

#[test]
fn with_few_subtasks_only_what_was_found_wrong_is_kept_before_the_end() {
    let house = House::new();
    let story = format!("{CORRECTED}; subtask one passed; subtask two failed");
    assert_eq!(
        house.finalize("one", &story, Extent::Subtasks),
        Finalized::Waiting
    );
    let story = format!("{story} high src/a.rs: the handle leaks");
    let done = house.finalize("one", &story, Extent::Subtasks);
    let told: Vec<String> = house.told().into_iter().map(|(kind, _)| kind).collect();
    assert_eq!(told, ["error_pattern"]);
    let report = SessionReport::read(done.record().unwrap()).unwrap();
    assert!(!report.whole);
    let mut open = report.lines.iter().filter(|line| line.memory.is_none());
    assert!(open.all(|line| line.why == "its subtask is not validated yet"));
}
