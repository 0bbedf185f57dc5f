//! Who bears witness to what: sessions, agents, commands, and what is taken back when they turn out to be wrong.

use std::collections::BTreeSet;

use oldhand_domain::memory::Memory;
use oldhand_domain::port::MemoryReader;
use oldhand_observe::distill::Candidate;
use oldhand_testkit::story::events;

use super::learn::session;
use super::*;

/// The lines of a report that tell of an error with these `words`.
fn about(report: &SessionReport, words: &str) -> Vec<ReportLine> {
    let lines = report.lines.iter();
    let lines =
        lines.filter(|line| line.memory_type == "error_pattern" && line.summary.contains(words));
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
        house.live(&one.replace([' ', '/'], "-"), &story(answer));
        let report = house.live(&two.replace([' ', '/'], "-"), &story(answer));
        let lines = about(&report, "relation users");
        let mut promoted = lines.iter().filter(|line| line.outcome == "promoted");
        promoted.any(|line| house.memory(line).content.as_str().contains(answer))
    };
    assert!(!learned("rm db/schema.sql"));
    assert!(!learned("cat db/schema.sql"));
    assert!(learned("psql --single-transaction -f db/schema.sql"));
}

const SOLVED: &str = "run make gen = 2: error: protoc missing here; run ./setup.sh = 0; run make gen = 0; edit src/p.rs; edit src/q.rs";

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
            format!("run ./tool {name} = 2: error: {name} is missing here; run ./setup.sh {name} = 0; run ./tool {name} = 0")
        });
        // Enough steps for a task that is not trivial.
        let looked = "repeat 10 read src/f{n}.rs".to_owned();
        [looked]
            .into_iter()
            .chain(met)
            .collect::<Vec<_>>()
            .join("; ")
    };
    let known = ["alpha", "beta", "gamma"];
    for session in ["one", "two"] {
        house.live(session, &met(&known));
    }
    house.live("four", &met(&["omega"]));
    let report = house.live("three", &met(&known));
    assert_eq!((report.limit, report.taught()), (3, 0), "{report:?}");
    let again = about(&report, "missing");
    assert_eq!(again.len(), 3);
    assert!(
        again
            .iter()
            .all(|line| line.memory.is_some() && line.confirms)
    );
    let report = house.live("three", &met(&["alpha", "beta", "gamma", "omega"]));
    let [line] = about(&report, "omega").try_into().unwrap();
    let line: ReportLine = line;
    assert_eq!(line.outcome, "promoted", "{}", line.why);
}

/// An error and its answer, as one agent meets it.
fn met_by(agent: &str) -> String {
    let steps = [
        "run make gen = 2: error: protoc missing here",
        "run ./setup.sh = 0",
        "run make gen = 0",
    ];
    let steps = steps.map(|step| match agent {
        "" => step.to_owned(),
        agent => format!("as {agent}: {step}"),
    });
    steps.join("; ")
}

#[test]
fn two_agents_that_agree_are_a_quorum_and_one_is_not() {
    let looks = "read src/r1.rs; read src/r2.rs; read src/r3.rs";
    let line = |agents: &[&str]| {
        let met: Vec<String> = agents.iter().map(|agent| met_by(agent)).collect();
        let story = format!(
            "{looks}; {}; edit src/z.rs; run cargo test = 0",
            met.join("; ")
        );
        let report = House::new().live("one", &story);
        let [line] = about(&report, "protoc").try_into().unwrap();
        let line: ReportLine = line;
        (line.outcome, line.steps)
    };
    let dropped = |steps: &[u32]| ("dropped".to_owned(), steps.to_vec());
    let promoted = |steps: &[u32]| ("promoted".to_owned(), steps.to_vec());
    assert_eq!(line(&[""]), dropped(&[4, 5, 6]));
    assert_eq!(
        line(&["sub"]),
        dropped(&[4, 5, 6]),
        "the whole is no second agent"
    );
    // Steps are those of the whole session, whoever took them.
    assert_eq!(line(&["sub", "other"]), promoted(&[4, 5, 6, 7, 8, 9]));
    assert_eq!(line(&["", "sub"]), promoted(&[4, 5, 6, 7, 8, 9]));
}

impl House {
    fn memory(&self, line: &ReportLine) -> Memory {
        let id = line.memory.as_ref().unwrap();
        self.project.get(id.parse().unwrap()).unwrap().unwrap()
    }
}

#[test]
fn a_memory_goes_when_every_session_behind_it_failed() {
    let house = House::new();
    let passed = format!("{SOLVED}; run cargo test = 0");
    let failed = format!("{passed}; validated failed");
    house.live("one", &passed);
    let report = house.live("two", &passed);
    let [line] = about(&report, "protoc").try_into().unwrap();
    let line: ReportLine = line;
    let (before, sure) = (
        house.memory(&line).provenance,
        house.memory(&line).confidence,
    );
    assert_eq!(before.len(), 2);
    // The session that only showed it before another taught it.
    house.live("one", &failed);
    let memory = house.memory(&line);
    assert!(memory.is_live() && memory.confidence < sure, "{memory:?}");
    assert_eq!(
        memory.provenance.iter().collect::<Vec<_>>(),
        [&session("two")]
    );
    let report = house.live("two", &failed);
    assert!(!house.memory(&line).is_live());
    assert_eq!(about(&report, "protoc")[0].outcome, "withdrawn");
    // That nobody knows any more makes it no better.
    let report = house.live("two", &passed.replace("; run cargo test = 0", ""));
    assert!(!house.memory(&line).is_live(), "{report:?}");
    let said = |line: &ReportLine| line.why.contains("right after all");
    assert!(!about(&report, "protoc").iter().any(said), "{report:?}");
    // The person was wrong about the second: its word counts again.
    house.live("two", &format!("{failed}; validated passed"));
    house.live("three", &passed);
    let report = house.live("four", &passed);
    assert!(house.memory(&about(&report, "protoc")[0]).is_live());
}

#[test]
fn a_session_that_failed_after_all_takes_its_success_back_from_a_recipe() {
    let house = House::new();
    let way =
        "read src/m/a.rs; edit src/m/b.rs; edit src/m/c.rs; run make gen = 0; run make test = 0";
    for name in ["one", "two", "three", "four"] {
        house.live(name, way);
    }
    let recipe = || {
        let known = house.engine().recipes(&house.project).unwrap();
        let memory = known.into_iter().find_map(|known| known.memory).unwrap();
        let Payload::WorkflowRecipe(recipe) = &memory.payload else {
            panic!("{memory:?}")
        };
        (
            recipe.success_count,
            memory.confidence.to_string(),
            memory.provenance.len(),
        )
    };
    assert_eq!(recipe(), (4, "0.75".to_owned(), 4));
    house.live("four", &format!("{way}; validated failed"));
    assert_eq!(recipe(), (3, "0.70".to_owned(), 3));
}

const WORK: &str =
    "prompt fix it; read src/m/a.rs; edit src/m/a.rs; edit src/m/b.rs; run make test = 0";

/// How often a module was looked at as a whole.
fn looks(report: &SessionReport) -> usize {
    let lines = report.lines.iter();
    lines.filter(|line| line.key == "checking").count()
}

#[test]
fn a_module_is_looked_at_once_for_each_threshold() {
    let house = House::new();
    let names = ["one", "two", "three", "four", "five"];
    let reports: Vec<usize> = names
        .iter()
        .map(|name| looks(&house.live(name, WORK)))
        .collect();
    assert_eq!(reports, [0, 0, 0, 0, 1]);
    // Finalized again, the first is the fifth; so is another after one was discarded.
    assert_eq!(
        looks(&house.live("one", &format!("{WORK}; validated passed"))),
        0
    );
    house
        .engine()
        .remove_session(&session("five"), &house.project)
        .unwrap();
    assert_eq!(looks(&house.live("six", WORK)), 0);
}

#[test]
fn replaying_a_session_shows_what_finalizing_it_weighs() {
    let house = House::new();
    let met = ["sub", "other"].map(met_by).join("; ");
    let story = format!("{WORK}; {met}; edit src/z.rs; run make test = 0");
    for name in ["one", "two", "three", "four"] {
        house.live(name, &story);
    }
    let replay = || {
        let engine = house.engine();
        let finalizer = engine
            .finalizer(&house.project, &[session("five")])
            .unwrap();
        let mut events = events(&story);
        for event in &mut events {
            event.at += day(0).duration_since(Timestamp::UNIX_EPOCH);
        }
        let pad: Scratchpad = events.iter().collect();
        finalizer
            .replay(&session("five"), &pad, day(1))
            .unwrap()
            .candidates
    };
    let before = replay();
    let report = house.live("five", &story);
    let weighed: BTreeSet<String> = before.iter().map(Candidate::told_as).collect();
    let told: BTreeSet<String> = report.lines.iter().map(|line| line.key.clone()).collect();
    assert_eq!(weighed, told);
    assert!(
        told.contains("checking"),
        "a look at the module is part of it"
    );
    assert_eq!(before, replay());
}

#[test]
fn a_session_whose_facts_do_not_tell_of_outside_text_is_learned_from_anew() {
    let house = House::new();
    let done = house.finalize("one", WORK, Extent::Whole);
    let mut record = done.record().unwrap().clone();
    assert!(is_current(&record, WORK));
    let mut body: serde_json::Value = serde_json::from_str(&record.body).unwrap();
    body["facts"].as_object_mut().unwrap().remove("form");
    record.body = body.to_string();
    assert!(SessionBody::read(&record).is_some() && !is_current(&record, WORK));
}

#[test]
fn what_git_says_of_files_outlives_the_session_that_brought_it_up() {
    let house = House::new();
    let story = "edit a/one.rs; edit b/one.rs; run make test = 0";
    house.live("one", story);
    let [pair] = &house.of_type(BuiltInType::CausalDependency)[..] else {
        panic!("one pair is told");
    };
    let report = house.live("one", &format!("{story}; validated failed"));
    assert!(report.taken_out.is_empty(), "{report:?}");
    let after = house.engine().show(&pair.id.to_string()).unwrap().memory;
    assert!(after.is_live());
    assert_eq!(after.confidence, pair.confidence);
}
