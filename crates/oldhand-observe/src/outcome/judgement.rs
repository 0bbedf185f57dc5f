//! Whether a session's work is right, as far as the evidence goes. "Unknown" is an honest answer.

use oldhand_domain::confidence::Confidence;
use oldhand_domain::event::UserCorrection;

use super::commands::Check;
use super::git::GitVerb;
use super::results::CheckResult;
use crate::fold::SessionAnalytics;
use crate::paths;

/// What the evidence says, and how far it can be trusted.
#[derive(Clone, Debug, PartialEq)]
pub struct Judgement {
    pub verdict: WorkVerdict,
    pub confidence: Confidence,
    /// In the order it came.
    pub evidence: Vec<Evidence>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WorkVerdict {
    Passed,
    Failed,
    Unknown,
}

/// One reason to believe that the work is right or wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Evidence {
    /// Somebody who may say so said it.
    Told {
        by: String,
        passed: bool,
        step: u32,
    },
    Check {
        checks: Vec<Check>,
        command: String,
        result: CheckResult,
        step: u32,
    },
    Committed {
        step: u32,
    },
    Reverted {
        step: u32,
    },
    /// The user went on to something else.
    MovedOn {
        step: u32,
    },
    /// The user said that it is wrong.
    Objected {
        words: String,
        step: u32,
    },
    Corrected {
        how: UserCorrection,
        step: u32,
    },
}

impl Evidence {
    /// A line for the report.
    pub fn describe(&self) -> String {
        match self {
            Self::Told { by, passed, .. } => {
                format!("{by} said it {}", if *passed { "passed" } else { "failed" })
            }
            Self::Check {
                checks,
                command,
                result,
                ..
            } => {
                let names: Vec<&str> = checks.iter().map(|check| check.as_str()).collect();
                let went = if *result == CheckResult::Passed {
                    "passed"
                } else {
                    "failed"
                };
                format!(
                    "{} {went} after the last edit: `{command}`",
                    names.join(" and ")
                )
            }
            Self::Committed { .. } => "committed after the last edit".to_owned(),
            Self::Reverted { .. } => "the edits were taken back".to_owned(),
            Self::MovedOn { .. } => "the user went on to other work".to_owned(),
            Self::Objected { words, .. } => format!("the user objected: \"{words}\""),
            Self::Corrected { how, .. } => format!("the user stepped in: {how}"),
        }
    }
}

/// Judges a session by what came after its last edit.
pub fn judge(session: &SessionAnalytics) -> Judgement {
    let last_edit = last_telling_edit(session);
    if let Some(told) = session.validations.last()
        && last_edit.is_none_or(|edit| edit <= told.step)
        && !taken_back_after(session, told.step)
    {
        let evidence = Evidence::Told {
            by: told.by.clone(),
            passed: told.passed,
            step: told.step,
        };
        let verdict = if told.passed {
            WorkVerdict::Passed
        } else {
            WorkVerdict::Failed
        };
        return Judgement {
            verdict,
            confidence: Confidence::clamped(0.95),
            evidence: vec![evidence],
        };
    }
    let Some(last_edit) = last_edit else {
        return Judgement {
            verdict: WorkVerdict::Unknown,
            confidence: Confidence::NONE,
            evidence: Vec::new(),
        };
    };
    let evidence = gather(session, last_edit);
    weigh(evidence)
}

/// Whether the work that somebody judged was thrown away since.
fn taken_back_after(session: &SessionAnalytics, told: u32) -> bool {
    let since = last_telling_edit(session).unwrap_or(0);
    let evidence = gather(session, since);
    evidence
        .iter()
        .any(|found| matches!(found, Evidence::Reverted { step } if *step > told))
}

/// The last edit that a check could judge: words for people do not break a build.
fn last_telling_edit(session: &SessionAnalytics) -> Option<u32> {
    let telling = session
        .edits
        .iter()
        .rev()
        .find(|edit| !paths::is_prose(session.files.path(edit.file).as_str()));
    telling.or(session.edits.last()).map(|edit| edit.step)
}

fn gather(session: &SessionAnalytics, last_edit: u32) -> Vec<Evidence> {
    let mut evidence = Vec::new();
    // Of several runs of one check only the last counts; an early failure was then fixed or flaky.
    for check in [Check::Test, Check::Build, Check::TypeCheck, Check::Lint] {
        let runs = session.runs.iter().filter(|run| {
            run.step > last_edit
                && run.checks.contains(&check)
                && run.result != CheckResult::Unknown
        });
        if let Some(run) = runs.max_by_key(|run| run.step) {
            let found = Evidence::Check {
                checks: vec![check],
                command: run.command.clone(),
                result: run.result,
                step: run.step,
            };
            evidence.push(found);
        }
    }
    let edited = session.edited_files();
    for (step, act) in session.git.iter().filter(|(step, _)| *step >= last_edit) {
        match act.verb {
            GitVerb::Commit => evidence.push(Evidence::Committed { step: *step }),
            // The commit is gone; whether its files go too is told beside it.
            GitVerb::Reset => {
                evidence.retain(|found| !matches!(found, Evidence::Committed { .. }));
            }
            GitVerb::Revert => evidence.push(Evidence::Reverted { step: *step }),
            GitVerb::Restore
                if edited
                    .iter()
                    .all(|&file| act.takes_back(session.files.path(file).as_str()))
                    && !was_committed(session, *step) =>
            {
                evidence.push(Evidence::Reverted { step: *step });
            }
            _ => {}
        }
    }
    for prompt in session
        .prompts
        .iter()
        .filter(|prompt| prompt.step >= last_edit)
    {
        match objection(&prompt.text) {
            Some(words) => evidence.push(Evidence::Objected {
                words,
                step: prompt.step,
            }),
            // Who has just refused a call does not go on to other work.
            None if prompt.refused.is_none() => {
                evidence.push(Evidence::MovedOn { step: prompt.step });
            }
            None => {}
        }
    }
    for (step, how) in session
        .user_corrections
        .iter()
        .filter(|(step, _)| *step >= last_edit)
    {
        evidence.push(Evidence::Corrected {
            how: *how,
            step: *step,
        });
    }
    evidence.sort_by_key(Evidence::step);
    evidence
}

/// Cleaning up after a commit takes nothing of the work back.
fn was_committed(session: &SessionAnalytics, before: u32) -> bool {
    let last_edit = session.last_edit_step().unwrap_or(0);
    let acts = session
        .git
        .iter()
        .filter(|(step, _)| *step >= last_edit && *step <= before);
    let mut kept = acts.filter_map(|(step, act)| match act.verb {
        GitVerb::Commit if *step < before => Some(true),
        GitVerb::Reset => Some(false),
        _ => None,
    });
    kept.next_back().unwrap_or(false)
}

fn weigh(evidence: Vec<Evidence>) -> Judgement {
    let mut doubt: f64 = 1.0;
    let mut failed: f64 = 0.0;
    let mut moved_on = false;
    for found in &evidence {
        match found {
            Evidence::Check {
                checks,
                result: CheckResult::Passed,
                ..
            } => {
                doubt *= match checks.first() {
                    Some(Check::Test) => 0.15,
                    Some(Check::Build | Check::TypeCheck) => 0.35,
                    _ => 0.6,
                };
            }
            Evidence::Check { checks, .. } => {
                failed = failed.max(if checks.contains(&Check::Lint) {
                    0.6
                } else {
                    0.8
                });
            }
            Evidence::Committed { .. } => doubt *= 0.35,
            Evidence::Reverted { .. } => failed = failed.max(0.9),
            Evidence::Objected { .. }
            | Evidence::Corrected {
                how: UserCorrection::Rewound,
                ..
            } => failed = failed.max(0.75),
            Evidence::MovedOn { .. } => moved_on = true,
            Evidence::Told { .. } | Evidence::Corrected { .. } => {}
        }
    }
    if moved_on {
        doubt *= 0.55;
    }
    let (verdict, confidence) = if failed > 0.0 {
        (WorkVerdict::Failed, failed)
    } else if doubt < 1.0 {
        (WorkVerdict::Passed, (1.0 - doubt).min(0.93))
    } else {
        (WorkVerdict::Unknown, 0.0)
    };
    Judgement {
        verdict,
        confidence: Confidence::clamped(confidence),
        evidence,
    }
}

impl Evidence {
    fn step(&self) -> u32 {
        match self {
            Self::Told { step, .. }
            | Self::Check { step, .. }
            | Self::Committed { step }
            | Self::Reverted { step }
            | Self::MovedOn { step }
            | Self::Objected { step, .. }
            | Self::Corrected { step, .. } => *step,
        }
    }
}

/// The words with which a user says that the work is wrong, if this prompt does.
///
/// Only the opening counts: further down people describe what the code should do.
fn objection(prompt: &str) -> Option<String> {
    const PHRASES: [&str; 22] = [
        "that's wrong",
        "that is wrong",
        "this is wrong",
        "that's not right",
        "that's not correct",
        "that is not correct",
        "that's incorrect",
        "it doesn't work",
        "this doesn't work",
        "that doesn't work",
        "that didn't work",
        "it's still failing",
        "still failing",
        "still fails",
        "still broken",
        "still doesn't work",
        "you broke",
        "not what i asked",
        "not what i wanted",
        "not what i meant",
        "revert that",
        "undo that",
    ];
    let opening = &prompt[..prompt.floor_char_boundary(160)];
    let lower = opening.to_lowercase().replace('’', "'");
    PHRASES
        .iter()
        .find(|phrase| lower.contains(**phrase))
        .map(|_| {
            let line = opening.lines().next().unwrap_or(opening).trim();
            line[..line.floor_char_boundary(100)].to_owned()
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(story: &str) -> String {
        let session = crate::fold::fold(
            &crate::story::events(story),
            &crate::fold::FoldOptions::default(),
        );
        let judgement = judge(&session);
        format!("{:?} {}", judgement.verdict, judgement.confidence)
    }

    #[test]
    fn the_verdict_follows_the_evidence_after_the_last_edit() {
        let cases = [
            ("edit src/a.rs; run cargo test = 0", "Passed 0.85"),
            ("run cargo test = 0; edit src/a.rs", "Unknown 0.00"),
            (
                "edit src/a.rs; run cargo test = 101: error: bad",
                "Failed 0.80",
            ),
            (
                "edit src/a.rs; run cargo test = 101: error: bad; run cargo test = 0",
                "Passed 0.85",
            ),
            (
                "edit src/a.rs; run cargo test = 0; edit README.md",
                "Passed 0.85",
            ),
            ("edit src/a.rs; run cargo build = 0", "Passed 0.65"),
            ("edit src/a.rs; run cargo clippy = 0", "Passed 0.40"),
            (
                "edit src/a.rs; run cargo test = 0; run git commit -m x = 0",
                "Passed 0.93",
            ),
            ("edit src/a.rs; run git commit -m x = 0", "Passed 0.65"),
            ("edit src/a.rs; commit x", "Passed 0.65"),
            (
                "edit src/a.rs; run git commit -m x = 0; run git revert HEAD = 0",
                "Failed 0.90",
            ),
            (
                "edit src/a.rs; run git checkout -- src/a.rs = 0",
                "Failed 0.90",
            ),
            (
                "edit src/a.rs; run git commit -m x = 0; run git checkout . = 0",
                "Passed 0.65",
            ),
            ("edit src/a.rs; prompt now the docs", "Passed 0.45"),
            (
                "edit src/a.rs; run cargo test = 0; prompt That's wrong, the port is 80",
                "Failed 0.75",
            ),
            ("edit src/a.rs; corrected rewound", "Failed 0.75"),
            ("edit src/a.rs; corrected interrupted", "Unknown 0.00"),
            ("edit src/a.rs", "Unknown 0.00"),
            ("read src/a.rs; run cargo test = 0", "Unknown 0.00"),
            (
                "edit src/a.rs; run cargo test | tail -3 = 0: ...",
                "Unknown 0.00",
            ),
            (
                "edit src/a.rs; run cargo test = 0; validated failed",
                "Failed 0.95",
            ),
            (
                "edit src/a.rs; run cargo test = 101: error: x; validated passed",
                "Passed 0.95",
            ),
            // What somebody said holds for what there was to be seen.
            ("edit src/a.rs; validated passed; edit b.rs", "Unknown 0.00"),
            (
                "edit src/a.rs; validated passed; edit README.md",
                "Passed 0.95",
            ),
            (
                "edit src/a.rs; validated passed; edit b.rs; run cargo test = 101: error: x",
                "Failed 0.80",
            ),
            (
                "edit src/a.rs; validated failed; edit b.rs; run cargo test = 0",
                "Passed 0.85",
            ),
            (
                "edit src/a.rs; validated passed; run cargo test = 101: error: x",
                "Passed 0.95",
            ),
            (
                "edit src/a.rs; validated passed; run git checkout . = 0",
                "Failed 0.90",
            ),
            (
                "edit src/a.rs; validated passed; edit b.rs; validated failed",
                "Failed 0.95",
            ),
        ];
        for (story, expected) in cases {
            assert_eq!(told(story), expected, "{story}");
        }
    }

    #[test]
    fn a_check_counts_however_it_is_wrapped() {
        let after_an_edit = [
            ("cd web && npm test = 0", "Passed 0.85"),
            (
                "cd web && npm test = 1: Tests: 1 failed, 3 passed",
                "Failed 0.80",
            ),
            ("(cd web && npm test) = 0", "Passed 0.85"),
            ("bash -c 'cd web && npm run test:unit' = 0", "Passed 0.85"),
            ("CI=1 timeout 60 npm test = 0", "Passed 0.85"),
            (
                "go test ./... 2>&1 | tail -20 = 0: ok  \texample.org/a\t0.2s",
                "Passed 0.85",
            ),
            (
                "go test ./... 2>&1 | tail -20 = 0: --- FAIL: TestX (0.00s)",
                "Failed 0.80",
            ),
            ("go test ./... 2>&1 | tail -20 = 0", "Unknown 0.00"),
            (
                "set -o pipefail && go test ./... | tail -3 = 0",
                "Passed 0.85",
            ),
            ("cargo test || true = 0", "Unknown 0.00"),
            ("make test = 0", "Passed 0.85"),
            ("make -C api test = 2: error: bad", "Failed 0.80"),
            ("just test = 0", "Passed 0.85"),
            ("just lint = 0", "Passed 0.40"),
            ("npm run build = 0", "Passed 0.65"),
            ("npm run typecheck = 0", "Passed 0.65"),
            ("npm run lint = 1: 3 problems", "Failed 0.60"),
            ("pnpm -r test && pnpm lint = 0", "Passed 0.91"),
            ("npm run dev = 0", "Unknown 0.00"),
            ("grep -rn 'npm test' . = 0", "Unknown 0.00"),
        ];
        for (line, expected) in after_an_edit {
            assert_eq!(
                told(&format!("edit src/a.rs; run {line}")),
                expected,
                "{line}"
            );
        }
    }

    #[test]
    fn what_git_does_with_the_work_counts_however_it_is_wrapped() {
        let after_an_edit = [
            (
                "run cd web && git add -A && git commit -qm x = 0",
                "Passed 0.65",
            ),
            ("run git commit -m x = 1: nothing to commit", "Unknown 0.00"),
            (
                "run git commit -m x = 0; run git revert --no-edit HEAD = 0",
                "Failed 0.90",
            ),
            (
                "run git commit -m x = 0; run git reset --hard HEAD~1 = 0",
                "Failed 0.90",
            ),
            (
                "run git commit -m x = 0; run git reset --soft HEAD~1 = 0",
                "Unknown 0.00",
            ),
            ("run git restore src/a.rs = 0", "Failed 0.90"),
            ("run git restore src = 0", "Failed 0.90"),
            ("run git restore src/other.rs = 0", "Unknown 0.00"),
            ("run git restore --staged src/a.rs = 0", "Unknown 0.00"),
            ("run git reset --hard = 0", "Failed 0.90"),
            ("run git stash = 0", "Unknown 0.00"),
            ("run git stash = 0; run git stash drop = 0", "Unknown 0.00"),
            ("run git stash && git stash pop = 0", "Unknown 0.00"),
            (
                "run git stash = 0; run git stash pop = 0; run make test = 0",
                "Passed 0.85",
            ),
        ];
        for (acts, expected) in after_an_edit {
            assert_eq!(told(&format!("edit src/a.rs; {acts}")), expected, "{acts}");
        }
    }

    #[test]
    fn an_objection_is_one_only_when_it_opens_the_prompt() {
        assert!(objection("no, it doesn't work when the cache is cold").is_some());
        assert!(objection("Still failing:\n```\nerror\n```").is_some());
        assert!(objection("add a retry when login fails").is_none());
        assert!(
            objection(&format!(
                "{} that's wrong",
                "please explain the design of this module ".repeat(6)
            ))
            .is_none()
        );
    }
}
