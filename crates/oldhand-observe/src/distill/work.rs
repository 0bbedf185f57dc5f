//! What a unit of work leaves behind: how it ended, or how far it got.

use std::collections::BTreeMap;

use oldhand_domain::confidence::Confidence;
use oldhand_domain::memory::Memory;
use oldhand_domain::payload::{BuiltInType, Outcome, OutcomeResult, Payload, WorkState};

use super::phrase::{clip, list};
use super::wording::Wording;
use super::{Candidate, Origin};
use crate::fold::{FileUse, SessionAnalytics};
use crate::outcome::judgement::{Evidence, Judgement, WorkVerdict};
use crate::outcome::results::CheckResult;

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

/// Whether a session goes on with what a state tells of: the same unit of work, or else, on the same branch, an edit of its
/// files. `judgement` of a session that passed also counts where it used them and passed the check that failed.
pub fn goes_on_with(
    session: &SessionAnalytics,
    judgement: Option<&Judgement>,
    state: &Memory,
) -> bool {
    let start = session.start.as_ref();
    if let Payload::WorkState(of) = &state.payload {
        return start.and_then(|start| start.work_unit.as_ref()) == Some(&of.work_unit);
    }
    let is_later = session.last_at.is_none_or(|at| state.created_at <= at);
    if !is_later || start.and_then(|start| start.branch.as_ref()) != state.branch.as_ref() {
        return false;
    }
    let used = || {
        let files = session.files.iter().map(|(_, file)| file);
        files.filter(|file| file.first_step > 0 && state.files.contains(&file.path))
    };
    let passes = |evidence: &Evidence| match evidence {
        Evidence::Check {
            command,
            result: CheckResult::Passed,
            ..
        } => state.content.as_str().contains(&format!("`{command}`")),
        _ => false,
    };
    used().any(FileUse::is_edited)
        || used().next().is_some()
            && judgement.is_some_and(|judgement| judgement.evidence.iter().any(passes))
}

/// The key of whatever says how far a unit of work, or else what was begun with a file on a branch, got.
fn state_key(session: &SessionAnalytics) -> String {
    let start = session.start.as_ref();
    let unit = start.and_then(|start| start.work_unit.as_ref());
    let branch = start.and_then(|start| start.branch.as_deref());
    match (unit, branch) {
        (Some(unit), _) => format!("work_state:{}:{}", unit.methodology(), unit.path()),
        // Several works may be open on a branch.
        (None, branch) => {
            let begun = session
                .edited_files()
                .first()
                .map(|file| session.files.path(*file));
            format!(
                "work_state:branch:{}:{}",
                branch.unwrap_or_default(),
                begun.map_or("", |file| file.as_str())
            )
        }
    }
}

/// Where unfinished work stands, for whoever goes on with it: the edits stand, and something says that they are not right yet.
///
/// Without a unit of work only a failure says so; a user who stops without a word may be content.
pub fn unfinished(session: &SessionAnalytics, judgement: &Judgement) -> Option<Candidate> {
    let start = session.start.as_ref();
    let unit = start.and_then(|start| start.work_unit.clone());
    let failing = judgement.evidence.iter().rev().find(|evidence| {
        matches!(
            evidence,
            Evidence::Check {
                result: CheckResult::Failed,
                ..
            } | Evidence::Told { passed: false, .. }
                | Evidence::Objected { .. }
        )
    });
    let taken_back = judgement
        .evidence
        .iter()
        .any(|evidence| matches!(evidence, Evidence::Reverted { .. }));
    let open = match judgement.verdict {
        WorkVerdict::Passed => false,
        WorkVerdict::Failed => failing.is_some(),
        WorkVerdict::Unknown => unit.is_some(),
    };
    let files: Vec<_> = session
        .edited_files()
        .into_iter()
        .map(|file| session.files.path(file).clone())
        .collect();
    if !open || taken_back || files.is_empty() {
        return None;
    }
    let named = unit
        .as_ref()
        .map(|unit| unit.label().to_owned())
        .or_else(|| {
            session
                .prompts
                .first()
                .map(|prompt| clip(&prompt.text, 160))
        })?;
    let last_error = session
        .errors
        .values()
        .filter(|error| error.resolution.is_none())
        .max_by_key(|error| error.steps.last().copied());
    let mut why = failing.map_or_else(
        || "nothing checked the last edit".to_owned(),
        |evidence| clip(&evidence.describe(), 200),
    );
    if let Some(error) = last_error {
        why = format!(
            "{why}; the last error was \"{}\"",
            clip(&error.message, 160)
        );
    }
    let content = format!(
        "Unfinished: \"{named}\". Edited so far: {}. It stands like this: {why}.",
        list(&files)
    );
    let summary = format!("Unfinished: {}; {}", clip(&named, 60), clip(&why, 60));
    let payload = match unit {
        Some(work_unit) => Payload::WorkState(WorkState {
            work_unit,
            state: BTreeMap::from([
                (
                    "edited".to_owned(),
                    files.iter().map(ToString::to_string).collect(),
                ),
                ("stands".to_owned(), vec![why]),
            ]),
        }),
        None => BuiltInType::WorkState.into(),
    };
    let wording = Wording {
        payload,
        content,
        summary,
    };
    let mut candidate = Candidate::new(state_key(session), Origin::Outcome, wording)?;
    candidate.confidence = if judgement.verdict == WorkVerdict::Failed {
        judgement.confidence
    } else {
        Confidence::clamped(0.6)
    };
    candidate.priority = 0.7;
    candidate.taint = session.taint_after(session.step + 1);
    candidate.evidence = vec![session.last_edit_step().unwrap_or(session.step)];
    candidate
        .evidence
        .extend(last_error.and_then(|error| error.steps.last().copied()));
    candidate.evidence.sort_unstable();
    candidate.evidence.dedup();
    Some(candidate.about(files))
}

#[cfg(test)]
mod tests {
    use jiff::SignedDuration;
    use oldhand_domain::path::ProjectPath;
    use oldhand_domain::work_unit::WorkUnit;
    use oldhand_testkit::memory;

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
            "start build unit spec_042/subtask_3; note decision: Keep tokens in the keychain.; edit src/a.rs; run cargo test = 101: error: no store; run cargo test = 101: error: no store; edit src/a.rs; run cargo test = 0",
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
    fn unfinished_work_is_left_for_whoever_goes_on() {
        let state = |story: &str| {
            let session = told(story);
            unfinished(&session, &judge(&session)).map(|candidate| candidate.content.to_string())
        };
        assert_eq!(
            state("prompt add a retry; edit src/a.rs; run make test = 2: error: no such thing")
                .as_deref(),
            Some(
                "Unfinished: \"add a retry\". Edited so far: `src/a.rs`. It stands like this: test failed after the last edit: `make test`; the last error was \"error: no such thing\"."
            )
        );
        for finished in [
            "prompt add a retry; edit src/a.rs; run make test = 0",
            "prompt add a retry; edit src/a.rs; run make test = 2: error: no; run git checkout . = 0",
            "prompt add a retry; edit src/a.rs",
            "prompt why?; read src/a.rs; run make test = 2: error: no",
        ] {
            assert_eq!(state(finished), None, "{finished}");
        }
        let unit = "start build unit spec_1/part_2; edit src/a.rs";
        assert!(state(unit).is_some_and(|words| words.contains("nothing checked the last edit")));
    }

    #[test]
    fn work_goes_on_with_its_unit_or_with_its_files_on_its_branch() {
        let stands = memory(
            1,
            BuiltInType::Gotcha,
            "It stands like this: `make test` failed.",
        );
        let state = Memory {
            branch: Some("main".to_owned()),
            files: [ProjectPath::new("src/a.rs").unwrap()].into(),
            ..stands
        };
        let at = state.created_at;
        let earlier = at - SignedDuration::from_mins(1);
        // The story, its branch, when it ended, and whether it goes on with that.
        for (story, branch, ended, goes_on) in [
            ("edit src/a.rs", "main", at, true),
            ("edit src/a.rs", "main", earlier, false),
            ("edit src/a.rs", "other", at, false),
            ("edit src/b.rs", "main", at, false),
            // What it only read needs the check that had failed.
            ("read src/a.rs; run make test = 0", "main", at, false),
            (
                "read src/a.rs; edit src/b.rs; run make test = 0",
                "main",
                at,
                true,
            ),
            (
                "read src/a.rs; edit src/b.rs; run make lint = 0",
                "main",
                at,
                false,
            ),
            ("edit src/b.rs; run make test = 0", "main", at, false),
        ] {
            let mut session = told(&format!("start build; {story}"));
            session.last_at = Some(ended);
            let start = session.start.as_mut().unwrap();
            start.branch = Some(branch.to_owned());
            let judgement = judge(&session);
            let found = goes_on_with(&session, Some(&judgement), &state);
            assert_eq!(found, goes_on, "{story} on {branch} until {ended}");
        }
        let of_unit = Memory {
            payload: Payload::WorkState(WorkState {
                work_unit: WorkUnit::parse("native", "spec_1").unwrap(),
                state: BTreeMap::new(),
            }),
            ..state
        };
        for (unit, goes_on) in [("unit spec_1", true), ("unit spec_2", false), ("", false)] {
            let session = told(&format!("start build {unit}; edit src/a.rs"));
            assert_eq!(goes_on_with(&session, None, &of_unit), goes_on, "{unit}");
        }
    }
}
