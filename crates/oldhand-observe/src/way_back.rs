//! Every kind of memory that sessions can teach leads back to steps, or to the sessions that show it together.

use std::collections::BTreeSet;

use jiff::{SignedDuration, Timestamp};
use oldhand_domain::id::SessionId;
use oldhand_domain::path::ProjectPath;
use oldhand_domain::signal::SignalKind;

use crate::distill::{Candidate, Origin, Together};
use crate::fold::{FoldOptions, SessionAnalytics, fold};
use crate::harvest::harvest;
use crate::learn::Knowledge;
use crate::outcome::commands::Stated;
use crate::story::events;

const ERROR: &str = "run make = 2: error: header `bad` not found";

/// Stories that show, one after the other or many times, everything a session can teach.
fn told() -> Vec<String> {
    let subtasks: Vec<String> = (0..10)
        .map(|n| format!("edit src/a/user.rs; edit src/part{n}.rs; subtask s{n} passed"))
        .collect();
    let short = [
        "start build planned 2; edit src/a/user.rs; read src/b/store.rs; edit src/a/user.rs; edit Cargo.toml; grep parse_token = nothing; grep parse_token = src/b/parse.rs; read src/b/parse.rs; tokens 90000 1; as one: edit src/a/user.rs; as one: edit src/a/user.rs = failed: File has been modified since read; as two: edit src/a/user.rs = failed: File has been modified since read; as two: edit src/a/user.rs; as one: read src/b/store.rs; say I was wrong about `cache_ttl`. It is in seconds, not milliseconds, see `store.rs`.",
        "prompt make login faster; repeat 20 edit src/cache.rs; run cargo test = 101: error: cache is not shared; say This approach won't work. Each worker has a cache of its own.; edit src/pool.rs",
        "edit src/a.rs; note decision: We keep tokens in the keychain because files leak.; note requirement: Tokens never leave the machine `src/a.rs` runs on.; validated failed critical src/a.rs: the token is logged",
        "prompt Always run `make gen` before a build.; edit src/gen.rs; run make test = 0",
        "start build unit spec_1 planned 3; edit src/a.rs; read src/b.rs; run cargo test = 0; validated passed",
        "prompt add a cache; edit src/a.rs; run cargo test = 101: error: no cache; end",
        "fetch https://docs.example.org/page; edit src/a.rs; glob **/*.rs = 60 files",
        "read src/order.rs; grep OrderStore = src/order_store.rs; read src/order_store.rs; edit src/order_store.rs",
        "run cargo test = 0; edit src/a.rs; run cargo test = 0",
        "read src/big.rs = failed: File content (34278 tokens) exceeds maximum allowed tokens (25000).",
        "repeat 4 read src/costly/a{n}.rs; tokens 20000 10",
    ];
    let error =
        format!("{ERROR}; {ERROR}; run ./configure = 0; run make = 0; edit src/a.rs; run make = 0");
    let round = "prompt fix it; repeat 3 read src/b/x.rs; edit src/b/x.rs; run cargo fmt = 0; run cargo clippy = 0; run cargo test = 0; commit abcdef1".to_owned();
    let mut stories: Vec<String> = short.iter().map(ToString::to_string).collect();
    stories.extend([error, round, subtasks.join("; ")]);
    stories
}

/// A project in which a file usually costs 2 000 tokens.
fn usual() -> Knowledge {
    let mut knowledge = Knowledge::default();
    let session = fold(
        &events("edit else/where.rs; read else/there.rs; tokens 4000 1"),
        &FoldOptions::default(),
    );
    for number in 0..5 {
        let id = SessionId::new(format!("usual{number}")).unwrap();
        knowledge.learn(&harvest(id, &session, &knowledge).facts);
    }
    knowledge
}

/// What a story teaches when the same was seen in `times` sessions before it.
fn taught(story: &str, times: u32) -> (SessionAnalytics, Vec<Candidate>) {
    let session = fold(&events(story), &FoldOptions::default());
    let mut knowledge = usual();
    let mut found = Vec::new();
    for number in 0..=times {
        let id = SessionId::new(format!("s{number}")).unwrap();
        let mut harvest = harvest(id, &session, &knowledge);
        harvest.facts.at =
            Timestamp::UNIX_EPOCH + SignedDuration::from_hours(24 * i64::from(number));
        harvest.facts.succeeded = Some(true);
        found = harvest.candidates;
        for (module, _) in knowledge.learn(&harvest.facts).thresholds {
            found.extend(knowledge.synthesize(&module, &Stated::nothing()));
        }
        found.extend(knowledge.recipes(&harvest.facts, harvest.facts.at));
    }
    let couplings = knowledge.uncovered_couplings(&BTreeSet::new());
    let together = |_: &ProjectPath, _: &ProjectPath| {
        Some(Together {
            both: 9,
            days: 9,
            rarer: 9,
            other: 9,
            all: 90,
            ..Together::default()
        })
    };
    let couplings = couplings.iter();
    found.extend(couplings.filter_map(|coupling| coupling.candidate(together)));
    (session, found)
}

#[test]
fn every_kind_leads_back_to_steps_or_to_the_sessions_that_show_it_together() {
    let mut types: BTreeSet<String> = BTreeSet::new();
    let mut origins: BTreeSet<Origin> = BTreeSet::new();
    let together =
        "edit a/x/1.rs; edit b/y/1.rs; edit a/x/2.rs; edit b/y/2.rs; edit a/x/3.rs; edit b/y/3.rs"
            .to_owned();
    for story in told().iter().chain([&together]) {
        for times in [0, 4] {
            let (session, candidates) = taught(story, times);
            let last = SessionId::new(format!("s{times}")).unwrap();
            for mut candidate in candidates {
                candidate.find_witness(&last, &session);
                let leads = !candidate.evidence.is_empty() || !candidate.witnesses.is_empty();
                assert!(leads, "{} leads nowhere:\n{story}", candidate.key);
                if candidate.key.starts_with("coupling:") {
                    assert_eq!(candidate.witnesses.len(), 5, "every session that shows it");
                }
                origins.insert(candidate.origin);
                types.insert(candidate.payload.memory_type().to_string());
            }
        }
    }
    let all = "causal_dependency context_cost dead_end decision error_pattern gotcha module_insight pattern preference \
               prefetch_pattern requirement task_calibration work_state work_unit_outcome workflow_recipe";
    assert_eq!(types.into_iter().collect::<Vec<_>>().join(" "), all);
    let signals = SignalKind::ALL.iter().copied().filter(|kind| {
        // Long looks become nothing by themselves, and runs of steps become recipes of many sessions.
        !matches!(kind, SignalKind::TimeAnomaly | SignalKind::ToolSequence)
    });
    let expected: BTreeSet<Origin> = signals
        .map(Origin::Signal)
        .chain([Origin::DeadEnd, Origin::Qa, Origin::Note, Origin::Person])
        .chain([Origin::Synthesis, Origin::Many, Origin::Outcome])
        .collect();
    assert_eq!(origins, expected);
}
