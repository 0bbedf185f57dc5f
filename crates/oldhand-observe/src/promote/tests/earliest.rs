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
    (1..=12).find(|n| {
        let task = ["fix it", "add it", "rename it"][*n as usize % 3];
        let story = story.replace("{n}", &n.to_string()).replace("{task}", task);
        teaches(&story, *n, key, &mut known)
    })
}

/// Whether the session of this number teaches what `key` begins, in the light of what is known; then it is known, too.
fn teaches(story: &str, n: u32, key: &str, known: &mut Knowledge) -> bool {
    let session = fold(&events(story), &FoldOptions::default());
    let id = SessionId::new(format!("s{n}")).unwrap();
    let harvest = harvest(id, &session, known);
    let start = session.start.as_ref();
    let circumstances = Circumstances {
        session_type: start.map(|start| start.session_type).unwrap_or_default(),
        sight: Sight::Work,
        judgement: &harvest.judgement,
        complexity: harvest.complexity,
        frequency: &harvest.frequency,
        neighbours: &BTreeMap::new(),
        barred: &BTreeMap::new(),
        taught_before: 0,
        feedback: Feedback::default(),
    };
    let report = promote(harvest.candidates, &circumstances);
    known.learn(&harvest.facts);
    report
        .promoted()
        .any(|(candidate, _)| candidate.key.starts_with(key))
}

#[test]
fn the_numbers_of_the_table_are_the_least_and_sureness_decides() {
    let others = "read src/m/x{n}.rs; read src/m/y{n}.rs; read src/m/z{n}.rs; edit src/m/w{n}.rs";
    let edited = format!("prompt fix it; edit src/m/a.rs; {others}; run make test = 0");
    assert_eq!(earliest(&edited, "file:src/m/a.rs"), Some(5));
    let read =
        format!("prompt fix it; read src/m/a.rs; read src/m/a.rs; {others}; run make test = 0");
    assert_eq!(earliest(&read, "file:src/m/a.rs"), Some(5));
    let pair = |task: &str| {
        let story = format!("prompt {task}; edit src/a/a.rs; edit lib/b/b.rs; run make test = 0");
        earliest(&story, "pair:")
    };
    assert_eq!((pair("{task}"), pair("fix it")), (Some(3), Some(4)));
    let error = "run make = 2: error: header `bad` not found; run make = 2: error: header `bad` not found; run ./configure = 0; run make = 0; edit a.c; edit b.c; run make = 0";
    assert_eq!(
        earliest(&format!("{error}; run make test = 0"), "error:"),
        Some(2)
    );
    assert_eq!(
        earliest(error, "error:"),
        Some(2),
        "the gate of the terminal"
    );
    let round = "read src/a/x.rs; edit src/b/y.rs; edit src/b/z.rs; run make gen = 0; run make deploy = 0; ";
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

/// Every row of the table but the four above, and time, which only strengthens.
#[test]
fn every_row_teaches_in_the_session_that_it_should() {
    let work = "edit src/u{n}.rs; edit src/v{n}.rs; run make test = 0";
    let many: Vec<String> = (0..60).map(|n| format!("g/f{n}.rs")).collect();
    let listed = format!("glob **/*.rs = {}", many.join(" "));
    let rows: &[(&str, &str, Option<u32>)] = &[
        (
            "edit src/a.rs; read lib/b.rs; edit src/a.rs",
            "backtrack:",
            Some(2),
        ),
        (
            "edit src/a.rs; run ./run.sh = 2: error: the port is taken; edit src/a.rs; run ./run.sh = 0",
            "backtrack:",
            Some(2),
        ),
        (
            "read src/ipc/github.ts; read src/ipc/github-issues.ts; edit src/ipc/github-issues.ts",
            "door:",
            Some(3),
        ),
        (
            "grep handle_token = nothing; grep handle_token = src/a.rs; read src/a.rs; edit src/a.rs",
            "grep:",
            Some(2),
        ),
        (
            "say I was wrong about `ttl`: it is in seconds, see `src/store.rs`.; edit src/store.rs",
            "correction:",
            Some(1),
        ),
        ("fetch https://docs.rs/pin; edit src/a.rs", "web:", Some(3)),
        (&listed, "glob:", Some(2)),
        (
            "read src/a.rs; grep token_store = src/token_store.rs; read src/token_store.rs",
            "chase:",
            Some(4),
        ),
        ("run make test = 0", "tests:", Some(3)),
        ("", "tests:", None),
        ("edit src/a.ts; edit docker-compose.yml", "config:", Some(5)),
        (
            "start build planned 2; repeat 9 read src/m/{n}.rs",
            "steps:",
            Some(3),
        ),
        (
            "as one: edit src/a.rs; as two: edit src/a.rs; as one: edit src/a.rs = failed: File has been modified since read; as one: edit src/a.rs; as two: edit src/a.rs = failed: File has been modified since read; as two: edit src/a.rs; as one: read src/b.rs",
            "conflict:",
            Some(1),
        ),
    ];
    for (shown, key, first) in rows {
        let story = format!("prompt {{task}}; {shown}; {work}").replace("; ; ", "; ");
        // The kind of task is told after the start of a session.
        let story = match shown.strip_prefix("start build planned 2; ") {
            Some(rest) => format!("start build planned 2; prompt {{task}}; {rest}; {work}"),
            None => story,
        };
        assert_eq!(earliest(&story, key), *first, "{shown}");
    }
}

/// What a file usually costs must be known before anything is dear: five sessions say so, and three more that it is.
#[test]
fn a_dear_module_is_told_after_three_sessions_that_show_it() {
    let mut known = Knowledge::default();
    let mut first = None;
    for n in 1..=10_u32 {
        let (module, tokens) = if n <= 5 {
            ("m", 4_000)
        } else {
            ("dear", 90_000)
        };
        let story = format!(
            "repeat 5 read src/{module}/{{n}}.rs; tokens {tokens} 10; edit src/{module}/b.rs; run make test = 0"
        );
        if teaches(&story, n, "tokens:", &mut known) {
            first = first.or(Some(n));
        }
    }
    assert_eq!(first, Some(8));
}

#[test]
fn a_recipe_is_believed_less_where_nobody_knows_whether_the_work_was_right() {
    let (sure, doubtful) = ("edit src/a.c; run make test = 0", "edit src/a.c");
    let mut candidate = rows::taught_by(SignalKind::ToolSequence);
    candidate.origin = Origin::Synthesis;
    candidate.payload = Payload::WorkflowRecipe(Recipe {
        task_pattern: "work in src".to_owned(),
        steps: Vec::new(),
        last_validated_at: Timestamp::UNIX_EPOCH,
        success_count: 3,
    });
    let lowered = |story, candidate: &Candidate| {
        let gate = gates::gate(SessionType::Build, story);
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

#[test]
fn the_settings_of_tools_are_everybodys() {
    for config in ["vitest.config.ts", ".eslintrc.json", "tsconfig.json"] {
        let story = format!("edit src/a.ts; edit {config}; {PASSED}");
        let report = report(&story, &given(5));
        let mut told = report.verdicts.iter();
        let told = told.find(|(candidate, _)| candidate.key.starts_with("config:"));
        let why = told.map(|(_, verdict)| verdict.to_string());
        let why = why.unwrap_or_default();
        assert!(why.contains("everybody"), "{config}: {why}");
    }
}
