//! After how many sessions each row of the table really teaches, from the journal to the verdict.

use jiff::Timestamp;
use oldhand_domain::id::SessionId;
use oldhand_domain::payload::{Payload, Recipe};

use super::*;
use crate::harvest::harvest;
use crate::learn::Knowledge;

/// The session that first teaches what `key` begins, of sessions that all go like this. `{n}` is the number of the session and
/// `{task}` another kind of task each time.
fn earliest(story: &str, key: &str) -> Option<u32> {
    let mut known = Knowledge::default();
    for n in 1..=12_u32 {
        let task = ["fix it", "add it", "rename it"][n as usize % 3];
        let story = story.replace("{n}", &n.to_string()).replace("{task}", task);
        let session = fold(&events(&story), &FoldOptions::default());
        let id = SessionId::new(format!("s{n}")).unwrap();
        let harvest = harvest(id, &session, &known);
        let start = session.start.as_ref();
        let circumstances = Circumstances {
            session_type: start.map(|start| start.session_type).unwrap_or_default(),
            sight: Sight::Work,
            judgement: &harvest.judgement,
            complexity: harvest.complexity,
            dead_ends: &harvest.dead_ends,
            frequency: &harvest.frequency,
            neighbours: &BTreeMap::new(),
            barred: &BTreeMap::new(),
            taught_before: 0,
            feedback: Feedback::default(),
        };
        let report = promote(harvest.candidates, &circumstances);
        if report
            .promoted()
            .any(|(candidate, _)| candidate.key.starts_with(key))
        {
            return Some(n);
        }
        known.learn(&harvest.facts);
    }
    None
}

#[test]
fn the_numbers_of_the_table_are_the_least_and_sureness_decides() {
    let others = "read src/m/x{n}.rs; read src/m/y{n}.rs; read src/m/z{n}.rs; edit src/m/w{n}.rs";
    let edited = format!("prompt fix it; edit src/m/a.rs; {others}; run make test = 0");
    assert_eq!(earliest(&edited, "file:src/m/a.rs"), Some(3));
    let read =
        format!("prompt fix it; read src/m/a.rs; read src/m/a.rs; {others}; run make test = 0");
    assert_eq!(earliest(&read, "file:src/m/a.rs"), Some(4));
    let pair = |task: &str| {
        let story = format!("prompt {task}; edit src/a/a.rs; edit lib/b/b.rs; run make test = 0");
        earliest(&story, "pair:")
    };
    assert_eq!((pair("{task}"), pair("fix it")), (Some(3), Some(4)));
    let error = "run make = 2: error: bad thing; run make = 2: error: bad thing; edit a.c; edit b.c; run make = 0";
    assert_eq!(
        earliest(&format!("{error}; run make test = 0"), "error:"),
        Some(2)
    );
    assert_eq!(
        earliest(error, "error:"),
        Some(2),
        "the gate of the terminal"
    );
    let round =
        "read src/a/x.rs; edit src/b/y.rs; edit src/b/z.rs; run ./gen = 0; run ./deploy = 0; ";
    let twice = round.repeat(2);
    assert_eq!(
        earliest(&format!("{twice}run make test = 0"), "sequence:"),
        Some(3)
    );
    assert_eq!(
        earliest(&twice, "sequence:"),
        Some(5),
        "the gate of the terminal"
    );
}

#[test]
fn a_recipe_is_believed_less_where_nobody_knows_whether_the_work_was_right() {
    let (sure, doubtful) = (WorkVerdict::Passed, WorkVerdict::Unknown);
    let mut candidate = rows::taught_by(SignalKind::ToolSequence);
    candidate.origin = Origin::Synthesis;
    candidate.payload = Payload::WorkflowRecipe(Recipe {
        task_pattern: "work in src".to_owned(),
        steps: Vec::new(),
        last_validated_at: Timestamp::UNIX_EPOCH,
        success_count: 3,
    });
    let lowered = |verdict, candidate: &Candidate| {
        let gate = Gate::of(SessionType::Build, verdict);
        gate.admits(candidate).map(|rule| rule.lowered)
    };
    assert_eq!(lowered(sure, &candidate), Ok(0.0));
    assert_eq!(lowered(doubtful, &candidate), Ok(0.2));
    candidate.origin = Origin::Signal(SignalKind::ToolSequence);
    assert_eq!(
        lowered(doubtful, &candidate),
        Ok(0.2),
        "as the signal itself"
    );
}
