//! What a unit of work leaves behind: how it ended, and, when it had many parts, what they had in common.

use std::collections::{BTreeMap, BTreeSet};

use oldhand_domain::confidence::Confidence;
use oldhand_domain::payload::{BuiltInType, Outcome, OutcomeResult, Payload};

use super::wording::{Wording, clip, list};
use super::{Candidate, Origin};
use crate::fold::{FileId, SessionAnalytics};
use crate::outcome::judgement::{Evidence, Judgement, WorkVerdict};
use crate::paths;

/// With this many subtasks their outcomes are looked at together.
const CONSOLIDATED: usize = 10;
/// The share of subtasks that makes something common to them.
const COMMON: f64 = 0.5;
/// At most this many insights from one look.
const INSIGHTS: usize = 5;

/// How the session's unit of work ended, when it had one and the evidence says.
pub fn outcome(session: &SessionAnalytics, judgement: &Judgement) -> Option<Candidate> {
    let unit = session.start.as_ref()?.work_unit.clone()?;
    let why = judgement.evidence.last().map(Evidence::describe);
    let (result, ended) = match judgement.verdict {
        WorkVerdict::Passed => (OutcomeResult::Succeeded, "succeeded"),
        WorkVerdict::Failed => (
            OutcomeResult::Failed {
                reason: why.clone().unwrap_or_else(|| "not said".to_owned()),
            },
            "failed",
        ),
        WorkVerdict::Unknown => return None,
    };
    let files: Vec<_> = session
        .edited_files()
        .into_iter()
        .map(|file| session.files.path(file).clone())
        .collect();
    let decisions = session
        .notes
        .iter()
        .filter(|note| note.kind == "decision")
        .map(|note| clip(&note.text, 200))
        .collect();
    let retries = session
        .errors
        .values()
        .map(|error| error.count.saturating_sub(1))
        .sum();
    let because = why
        .map(|why| format!(": {}", clip(&why, 200)))
        .unwrap_or_default();
    let content = format!(
        "{} {ended} after {} steps, with edits of {}{because}.",
        unit.label(),
        session.step,
        list(&files)
    );
    let summary = format!(
        "{} {ended}; edited {}",
        clip(unit.label(), 60),
        list(&files[..files.len().min(1)])
    );
    let payload = Payload::WorkUnitOutcome(Outcome {
        result,
        files: files.clone(),
        decisions,
        steps: session.step,
        tokens: session.tokens.input + session.tokens.output,
        retries,
        work_unit: unit.clone(),
    });
    let key = format!("outcome:{}:{}", unit.methodology(), unit.path());
    let mut candidate = Candidate::new(
        key,
        Origin::Outcome,
        Wording {
            payload,
            content,
            summary,
        },
    )?;
    candidate.confidence = judgement.confidence;
    candidate.priority = 0.7;
    candidate.taint = session.taint_after(session.step + 1);
    candidate.evidence = vec![session.step];
    Some(candidate.about(files))
}

/// What ten or more subtasks had in common: files most of them needed, errors that came back, how many failed.
pub fn consolidate(session: &SessionAnalytics) -> Vec<Candidate> {
    if session.subtasks.len() < CONSOLIDATED {
        return Vec::new();
    }
    let mut ends: Vec<u32> = session
        .subtasks
        .values()
        .map(|subtask| subtask.step)
        .collect();
    ends.sort_unstable();
    let all = ends.len();
    // The subtask a step belongs to is the first that ended at or after it.
    let part = |step: u32| ends.partition_point(|end| *end < step);
    let mut found: Vec<Candidate> = Vec::new();

    let mut parts_of: BTreeMap<FileId, BTreeSet<usize>> = BTreeMap::new();
    for edit in session.edits.iter().filter(|edit| part(edit.step) < all) {
        parts_of
            .entry(edit.file)
            .or_default()
            .insert(part(edit.step));
    }
    let mut common: Vec<(usize, FileId)> = parts_of
        .into_iter()
        .map(|(file, parts)| (parts.len(), file))
        .filter(|(parts, file)| {
            *parts as f64 > all as f64 * COMMON
                && !paths::is_generated(session.files.path(*file).as_str())
        })
        .collect();
    common.sort_by_key(|(parts, file)| (std::cmp::Reverse(*parts), *file));
    for (parts, file) in common.into_iter().take(2) {
        let path = session.files.path(file);
        let content = format!(
            "`{path}` had to be changed by {parts} of {all} subtasks: plan it first, and do not give it to several agents at once."
        );
        let summary = format!("`{path}` is touched by most subtasks; plan it first");
        let wording = Wording::plain(BuiltInType::ModuleInsight, content, summary);
        found.extend(
            insight(format!("common:{path}"), wording, session)
                .map(|candidate| candidate.about([path.clone()])),
        );
    }
    for error in session.errors.values() {
        let parts: BTreeSet<usize> = error.steps.iter().map(|step| part(*step)).collect();
        if parts.len() >= 3 {
            let content = format!(
                "\"{}\" came back in {} of {all} subtasks: solve it once before going on.",
                clip(&error.message, 200),
                parts.len()
            );
            let summary = format!("\"{}\" recurs across subtasks", clip(&error.message, 80));
            let wording = Wording::plain(BuiltInType::ErrorPattern, content, summary);
            found.extend(insight(
                format!("recurring:{}", error.fingerprint),
                wording,
                session,
            ));
        }
    }
    let failed = session
        .subtasks
        .values()
        .filter(|subtask| !subtask.passed)
        .count();
    if failed * 4 >= all {
        let names: Vec<&str> = session
            .subtasks
            .iter()
            .filter(|(_, subtask)| !subtask.passed)
            .map(|(name, _)| name.as_str())
            .take(5)
            .collect();
        let content = format!(
            "{failed} of {all} subtasks did not pass at first ({}): cut such work into smaller parts.",
            names.join(", ")
        );
        let summary = format!("{failed} of {all} subtasks failed at first; plan smaller parts");
        found.extend(insight(
            "subtasks:failed".to_owned(),
            Wording::plain(BuiltInType::TaskCalibration, content, summary),
            session,
        ));
    }
    found.truncate(INSIGHTS);
    found
}

fn insight(key: String, wording: Wording, session: &SessionAnalytics) -> Option<Candidate> {
    let mut candidate = Candidate::new(key, Origin::Synthesis, wording)?;
    candidate.confidence = Confidence::clamped(0.7);
    candidate.priority = 0.8;
    candidate.taint = session.taint_after(session.step + 1);
    candidate.evidence = session
        .subtasks
        .values()
        .map(|subtask| subtask.step)
        .collect();
    Some(candidate)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fold::{FoldOptions, fold};
    use crate::outcome::judgement::judge;
    use crate::story::events;

    fn told(story: &str) -> SessionAnalytics {
        fold(&events(story), &FoldOptions::default())
    }

    #[test]
    fn a_unit_of_work_leaves_its_outcome() {
        let session = told(
            "start build unit spec_042/subtask_3; note decision: Keep tokens in the keychain.; edit src/a.rs; run cargo test = 101: error: no; run cargo test = 101: error: no; edit src/a.rs; run cargo test = 0",
        );
        let candidate = outcome(&session, &judge(&session)).unwrap();
        assert_eq!(
            candidate.content.as_str(),
            "spec_042/subtask_3 succeeded after 5 steps, with edits of `src/a.rs`: test passed after the last edit: `cargo test`."
        );
        let Payload::WorkUnitOutcome(outcome) = &candidate.payload else {
            panic!("{candidate:?}")
        };
        assert_eq!(
            (outcome.steps, outcome.retries, outcome.decisions.len()),
            (5, 1, 1)
        );
    }

    #[test]
    fn without_a_unit_or_evidence_there_is_no_outcome() {
        for story in [
            "edit src/a.rs; run cargo test = 0",
            "start build unit spec_1; edit src/a.rs",
        ] {
            let session = told(story);
            assert_eq!(outcome(&session, &judge(&session)), None, "{story}");
        }
    }

    #[test]
    fn ten_subtasks_are_looked_at_together() {
        let part = |n: u32| {
            format!(
                "edit src/hub.rs; edit src/p{n}.rs; run make = 2: error: bad thing; run make = 0; subtask s{n} {}",
                if n.is_multiple_of(3) {
                    "failed"
                } else {
                    "passed"
                }
            )
        };
        let story = |parts: u32| (1..=parts).map(part).collect::<Vec<_>>().join("; ");
        assert!(consolidate(&told(&story(9))).is_empty());
        let told: Vec<String> = consolidate(&told(&story(10)))
            .iter()
            .map(|candidate| candidate.summary.to_string())
            .collect();
        insta::assert_snapshot!(told.join("\n"), @r#"
    `src/hub.rs` is touched by most subtasks; plan it first
    "error: bad thing" recurs across subtasks
    3 of 10 subtasks failed at first; plan smaller parts
    "#);
    }
}
