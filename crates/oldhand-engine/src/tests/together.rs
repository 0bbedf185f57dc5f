//! What many sessions show together: brought up by one of them, shown by those that did it, and never lost.

use oldhand_domain::event::{BoundedText, Event, Happening, Voice};
use oldhand_domain::memory::Memory;
use oldhand_domain::vocabulary::ReviewReason;
use oldhand_testkit::story::events;

use super::learn::session;
use super::*;

impl House {
    fn find(&self, words: &str) -> Option<Memory> {
        let found = self.engine().list(None, &Filter::default()).unwrap();
        let mut found = found.memories.into_iter().map(|shelved| shelved.memory);
        found.find(|memory| memory.content.as_str().contains(words))
    }
}

fn named(memory: &Memory) -> Vec<&str> {
    memory.provenance.iter().map(SessionId::as_str).collect()
}

fn line<'a>(report: &'a SessionReport, key: &str) -> Vec<&'a ReportLine> {
    let lines = report.lines.iter();
    lines.filter(|line| line.key.starts_with(key)).collect()
}

#[test]
fn a_session_that_only_brings_it_up_is_no_witness() {
    let house = House::new();
    let mut last = None;
    for number in 0..10 {
        // The same two files every other time: what were changed whatever is done would be no pair.
        let story = if number % 2 == 0 {
            "edit src/parser.rs; edit lib/lexer.rs"
        } else {
            "edit src/writer.rs; edit lib/printer.rs"
        };
        let task = ["fix it", "add it", "rename it"][number % 3];
        let story = format!("prompt {task}; {story}; run make test = 0");
        last = Some(house.live(&format!("s{number}"), &story));
    }
    let pair = house.find("parser.rs").unwrap();
    assert_eq!(named(&pair), ["s0", "s2", "s4", "s6", "s8"]);
    assert!(pair.needs_review, "five sessions are too few to tell it");
    let report = last.unwrap();
    let [checking] = line(&report, "checking")[..] else {
        panic!("two modules were looked at, and one statement is of both: {report:?}")
    };
    assert!(
        checking.together && checking.why.contains("seen in 10 sessions"),
        "{checking:?}"
    );
    assert!(!checking.steps.is_empty(), "it ran the check itself");
    for brought_up in line(&report, "pair:lib/lexer.rs") {
        assert_eq!(brought_up.steps, [0; 0], "{brought_up:?}");
        assert_eq!(brought_up.outcome, "dropped", "nobody new shows it");
    }
}

#[test]
fn a_module_is_looked_at_whatever_became_of_the_session_that_reaches_the_number() {
    let work = "read src/m/core.rs; edit src/m/core.rs; edit src/m/a.rs; run make test = 0";
    for last in [
        work.to_owned(),
        format!("{work}; edit src/m/a.rs; run make test = 2: error: bad"),
        format!("{work}; edit src/m/a.rs"),
        format!("start roadmap; {work}"),
        "start spec_creation; edit src/m/a.rs".to_owned(),
        "edit src/m/a.rs; run make test = 0".to_owned(),
    ] {
        let house = House::new();
        for number in 0..4 {
            house.live(&format!("s{number}"), work);
        }
        assert!(house.find("How changes are checked").is_none());
        let report = house.live("last", &last);
        let told = house.find("How changes are checked");
        assert!(told.is_some_and(|told| told.needs_review), "{last}");
        assert!(report.taught() <= report.limit, "{report:?}");
    }
}

#[test]
fn what_a_changelog_may_not_tell_the_next_session_tells() {
    let work = "read src/m/core.rs; edit src/m/core.rs; edit src/m/a.rs; run make test = 0";
    let house = House::new();
    for number in 0..4 {
        house.live(&format!("s{number}"), work);
    }
    let report = house.live("s4", &format!("start changelog; {work}"));
    assert_eq!(report.taught(), 0, "{report:?}");
    assert!(house.find("How changes are checked").is_none());
    for name in ["s5", "s5", "s6"] {
        let report = house.live(name, work);
        let told = house.find("How changes are checked");
        assert!(told.is_some(), "{name}: {report:?}");
    }
}

#[test]
fn couplings_are_told_whatever_became_of_the_first_session_of_a_week() {
    for end in ["run make test = 0", "run make test = 2: error: bad", "end"] {
        let house = House::new();
        for number in 0..6 {
            house.live(
                &format!("s{number}"),
                &format!("edit a/x/{number}.rs; edit b/y/{number}.rs"),
            );
        }
        let week = 8 * 24 * 60 * 60;
        house.live("next", &format!("wait {week}s; edit c/z.rs; {end}"));
        let coupling = house.find("change in pairs (").unwrap();
        assert_eq!(
            named(&coupling),
            ["s0", "s1", "s2", "s3", "s4", "s5"],
            "{end}"
        );
        assert!(
            coupling
                .content
                .as_str()
                .contains("6 of them in git's history, 6 sessions"),
            "{coupling:?}"
        );
    }
}

#[test]
fn where_work_in_a_module_begins_is_told_once() {
    let house = House::new();
    let opened = "read src/m/a0.rs; read src/m/a1.rs; read src/m/a2.rs; edit src/m/a0.rs; edit src/m/a1.rs; edit src/m/a2.rs; read src/m/z.rs; run make test = 0";
    for number in 0..6 {
        let report = house.live(&format!("s{number}"), opened);
        let told = line(&report, "prefetch:");
        let told = told.iter().filter(|line| line.memory.is_some());
        assert!(told.count() <= 1, "{report:?}");
    }
    assert!(house.find("Work in `src/m` begins with").is_some());
}

#[test]
fn a_report_says_how_much_a_task_of_its_size_may_teach() {
    for (story, limit, complexity) in [
        ("edit a.rs; run make test = 0".to_owned(), 2, "trivial"),
        (
            "edit a.rs; edit b.rs; run make test = 0".to_owned(),
            10,
            "standard",
        ),
        (
            "repeat 8 edit a{n}.rs; run make test = 0".to_owned(),
            20,
            "complex",
        ),
    ] {
        let report = House::new().live("one", &story);
        assert_eq!(report.limit, limit, "{story}");
        assert_eq!(report.complexity.as_deref(), Some(complexity));
    }
}

/// What comes up against a memory after five of ten sessions.
enum Against {
    Nothing,
    AnAgent,
    TheCode,
}

/// Lives through sessions that all check their work in one way.
fn checked_in_ten(house: &House, ends: [&str; 10], against: &Against) -> Memory {
    let work = "read src/m/core.rs; edit src/m/core.rs; edit src/m/a.rs; run make test = 0";
    for (number, end) in ends.into_iter().enumerate() {
        if let Some(told) = house
            .find("How changes are checked")
            .filter(|_| number == 5)
        {
            assert_eq!(told.review_reason, Some(ReviewReason::FewSessions));
            match against {
                Against::Nothing => {}
                Against::AnAgent => house.contradict(told.id),
                Against::TheCode => {
                    let change = house.project.change(&mut |_| {
                        let mut told = told.clone();
                        told.await_review(ReviewReason::CodeChanged);
                        Ok(vec![told])
                    });
                    change.unwrap();
                }
            }
        }
        house.live(&format!("s{number}"), &format!("{work}{end}"));
    }
    house.find("How changes are checked").unwrap()
}

impl House {
    fn contradict(&self, id: MemoryId) {
        let mut events = events("edit docs/a.md");
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
        let denial = format!("Memory {} is wrong: make test checks nothing.", id.short());
        events.push(Event::new(
            day(0),
            Happening::Text {
                voice: Voice::Said,
                text: BoundedText::head(&denial, 200),
            },
        ));
        let pad: Scratchpad = events.iter().collect();
        let mut finalizer = self.engine().finalizer(&self.project, &[]).unwrap();
        finalizer
            .finalize(&session("against"), &pad, "d", Extent::Whole, day(1))
            .unwrap();
    }
}

#[test]
fn ten_sessions_free_what_waited_for_them_and_nothing_that_an_agent_found_wrong() {
    let after = |against| checked_in_ten(&House::new(), [""; 10], &against);
    let free = after(Against::Nothing);
    assert!(!free.needs_review && free.review_reason.is_none());
    let denied = after(Against::AnAgent);
    assert_eq!(denied.review_reason, Some(ReviewReason::Contradicted));
    // More sessions say nothing about code that is another since.
    let old = after(Against::TheCode);
    assert_eq!(old.review_reason, Some(ReviewReason::CodeChanged));
    assert!(denied.needs_review && old.needs_review);
}

#[test]
fn sessions_that_failed_are_none_of_the_ten() {
    let mut ends = [""; 10];
    ends[6] = "; validated failed";
    let checking = checked_in_ten(&House::new(), ends, &Against::Nothing);
    assert!(checking.needs_review, "{checking:?}");
    assert!(!named(&checking).contains(&"s6"));
}

#[test]
fn what_agents_took_in_before_does_not_mark_a_persons_words() {
    let house = House::new();
    house.live(
        "one",
        "read src/a.rs; fetch https://a.example/how = 0: words; as two: read src/b.rs; prompt Always use pnpm for the scripts.; edit src/a.rs; run make test = 0",
    );
    let rule = house.find("Always use pnpm").unwrap();
    assert!(rule.taint.is_clean(), "{rule:?}");
}
