//! Who bears witness to what: sessions, agents, commands, and what is taken back when they turn out to be wrong.

use super::*;

/// The lines of a report that speak of `words`.
fn about(report: &SessionReport, words: &str) -> Vec<ReportLine> {
    let lines = report.lines.iter();
    let lines = lines.filter(|line| line.summary.contains(words));
    lines.cloned().collect()
}

#[test]
fn a_command_that_only_shares_words_is_no_answer() {
    let house = House::new();
    let story = |answer: &str| {
        format!(
            "run psql -f db/schema.sql = 1: ERROR: relation users does not exist; run {answer} = 0; edit src/z.rs; run cargo test = 0"
        )
    };
    let learned = |answer: &str| {
        let (one, two) = (format!("{answer} 1"), format!("{answer} 2"));
        house.live(&one.replace(' ', "-").replace('/', "-"), &story(answer));
        let report = house.live(&two.replace(' ', "-").replace('/', "-"), &story(answer));
        let lines = about(&report, "relation users");
        lines.iter().any(|line| line.summary.contains(answer))
    };
    assert!(!learned("rm db/schema.sql"));
    assert!(!learned("cat db/schema.sql"));
    assert!(learned("psql -h db -f db/schema.sql"));
}

const SOLVED: &str =
    "run make gen = 2: error: protoc missing here; edit src/p.rs; run make gen = 0; edit src/q.rs";

#[test]
fn a_failed_session_is_no_witness() {
    let house = House::new();
    house.live(
        "one",
        &format!("{SOLVED}; run cargo test = 101: error: bad"),
    );
    let report = house.live("two", &format!("{SOLVED}; run cargo test = 0"));
    let [line] = about(&report, "protoc").try_into().unwrap();
    let line: ReportLine = line;
    assert_eq!(line.why, "seen in 1 of 2 sessions needed");
    let report = house.live("three", &format!("{SOLVED}; run cargo test = 0"));
    let [line] = about(&report, "protoc").try_into().unwrap();
    let line: ReportLine = line;
    assert_eq!(line.outcome, "promoted", "{}", line.why);
}

#[test]
fn a_verdict_told_later_does_not_move_the_session() {
    let house = House::new();
    let before = house.finalize("one", SOLVED, Extent::Whole);
    let told = format!("{SOLVED}; wait 864000s; validated passed");
    let after = house.finalize("one", &told, Extent::Whole);
    let ended = |done: &Finalized| done.record().map(|record| record.ended_at);
    assert_eq!(ended(&before), ended(&after));
}

#[test]
fn what_is_told_again_leaves_room_for_what_is_new() {
    let house = House::new();
    let met = |names: &[&str]| {
        let met = names.iter().map(|name| {
            format!("run ./tool {name} = 2: error: {name} is missing here; run touch {name} = 0; run ./tool {name} = 0")
        });
        met.collect::<Vec<_>>().join("; ")
    };
    let known = ["alpha", "beta", "gamma"];
    for session in ["one", "two"] {
        house.live(session, &met(&known));
    }
    house.live("four", &met(&["omega"]));
    let report = house.live("three", &met(&known));
    assert_eq!((report.limit, report.taught()), (3, 0), "{report:?}");
    assert!(
        report
            .lines
            .iter()
            .all(|line| line.memory.is_some() && line.confirms)
    );
    let report = house.live("three", &met(&["alpha", "beta", "gamma", "omega"]));
    let [line] = about(&report, "omega").try_into().unwrap();
    let line: ReportLine = line;
    assert_eq!(line.outcome, "promoted", "{}", line.why);
}
