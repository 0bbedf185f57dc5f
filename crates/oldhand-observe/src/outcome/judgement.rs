//! Whether a session's work is right, as far as the evidence goes. "Unknown" is an honest answer.

use std::borrow::Cow;
use std::collections::BTreeSet;

use oldhand_domain::confidence::Confidence;
use oldhand_domain::event::UserCorrection;

use super::commands::{Check, check_of};
use super::git::GitVerb;
use super::results::CheckResult;
use super::shell::commands;
use crate::fold::{PromptUse, Run, SessionAnalytics};
use crate::paths;

mod closing;
mod reply;

use reply::Reply;

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
    /// Git's history has the edits in a commit that nobody took back.
    TakenIn {
        commit: String,
        minutes: i64,
        step: u32,
    },
    Reverted {
        step: u32,
    },
    /// The edits lie in a stash.
    PutAside {
        step: u32,
    },
    /// Less was run again than what had failed.
    Part {
        command: String,
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
    /// The user accepted the specification.
    Accepted {
        words: String,
        step: u32,
    },
    /// The review was brought to its end in writing, or by this line.
    Reviewed {
        posted: Option<String>,
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
                let (names, went) = if *result == CheckResult::Passed {
                    (names.join(" and "), "passed")
                } else {
                    (names.join(" or "), "failed")
                };
                let command = whole_steps(command);
                format!("{names} {went} after the last edit: `{command}`")
            }
            Self::Committed { .. } => "committed after the last edit".to_owned(),
            Self::TakenIn {
                commit, minutes, ..
            } => {
                let later = if *minutes < 120 {
                    format!("{minutes} min")
                } else {
                    format!("{} h", minutes / 60)
                };
                format!("commit {commit} took the edits in, {later} later")
            }
            Self::Reverted { .. } => "the edits were taken back".to_owned(),
            Self::PutAside { .. } => "the edits were put aside with `git stash`".to_owned(),
            Self::Part { command, .. } => {
                let command = whole_steps(command);
                format!("only a part of what had failed was run again: `{command}`")
            }
            Self::MovedOn { .. } => "the user went on to other work".to_owned(),
            Self::Objected { words, .. } => format!("the user objected: \"{words}\""),
            Self::Corrected { how, .. } => format!("the user stepped in: {how}"),
            Self::Accepted { words, .. } => format!("the user accepted it: \"{words}\""),
            Self::Reviewed { posted, .. } => match posted {
                Some(line) => format!("the review was posted: `{}`", whole_steps(line)),
                None => "the review ended with a summary".to_owned(),
            },
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
    let mut evidence = last_edit.map_or_else(Vec::new, |edit| gather(session, edit));
    evidence.extend(closing::find(session));
    evidence.sort_by_key(Evidence::step);
    weigh(evidence)
}

impl Judgement {
    /// Whether somebody told that the work is right, or the evidence has what the gate of its kind of session waits for.
    pub(crate) fn reaches(&self, what: impl Fn(&Evidence) -> bool) -> bool {
        let told = |found: &Evidence| matches!(found, Evidence::Told { passed: true, .. });
        self.evidence.iter().any(|found| told(found) || what(found))
    }

    /// The same judgement, where it knew nothing, in the light of a commit that has the edits. What a session shows itself is not overruled.
    #[must_use]
    pub fn taken_in(self, session: &SessionAnalytics, commit: &str, minutes: i64) -> Self {
        if self.verdict != WorkVerdict::Unknown || session.edits.is_empty() {
            return self;
        }
        let mut evidence = self.evidence;
        evidence.push(Evidence::TakenIn {
            commit: commit.to_owned(),
            minutes,
            step: session.step,
        });
        weigh(evidence)
    }
}

/// Whether the work that somebody judged was thrown away since.
fn taken_back_after(session: &SessionAnalytics, told: u32) -> bool {
    let since = last_telling_edit(session).unwrap_or(0);
    let evidence = gather(session, since);
    evidence
        .iter()
        .any(|found| matches!(found, Evidence::Reverted { step } if *step > told))
}

/// The longest line of a check that is told, in bytes.
const TOLD_OF_A_LINE: usize = 200;

/// A line that is told in part ends where a step of it ends: half of `&&` reads as something else.
fn whole_steps(command: &str) -> Cow<'_, str> {
    if command.len() + 3 < TOLD_OF_A_LINE {
        return Cow::Borrowed(command);
    }
    let command = &command[..command.floor_char_boundary(TOLD_OF_A_LINE)];
    let ends = [" && ", " || ", "; ", " | "];
    let end = ends.iter().filter_map(|end| command.rfind(end)).max();
    Cow::Owned(format!("{} …", &command[..end.unwrap_or(command.len())]))
}

/// The last edit that a check could judge: words for people do not break a build.
fn last_telling_edit(session: &SessionAnalytics) -> Option<u32> {
    let telling = session
        .edits
        .iter()
        .rev()
        .find(|edit| !paths::is_prose(session.files.path(edit.file).as_str()));
    let named = telling.or(session.edits.last()).map(|edit| edit.step);
    named.max(session.unnamed_edits.last().copied())
}

const CHECKS: [Check; 5] = [
    Check::Test,
    Check::Build,
    Check::TypeCheck,
    Check::Lint,
    Check::Unclear,
];

/// Whether the same command was run again and showed then that it is another check.
fn is_replaced(session: &SessionAnalytics, check: Check, run: &Run) -> bool {
    session.runs.iter().any(|later| {
        later.step > run.step
            && later.command == run.command
            && later.result != CheckResult::Unknown
            && !later.checks.contains(&check)
    })
}

fn gather(session: &SessionAnalytics, last_edit: u32) -> Vec<Evidence> {
    let mut evidence = Vec::new();
    // Of several runs of one check only the last counts; an early failure was then fixed or flaky.
    for check in CHECKS {
        let runs = session.runs.iter().filter(|run| {
            // A line may change files and check them, in this order.
            let judges = run.step > last_edit || run.step == last_edit && !run.then_edited;
            judges && run.checks.contains(&check) && run.result_of(check) != CheckResult::Unknown
        });
        if let Some(run) = runs.max_by_key(|run| run.step) {
            if is_replaced(session, check, run) {
                continue;
            }
            let (command, step) = (run.command.clone(), run.step);
            if is_part_of_failed(session, check, run) {
                evidence.push(Evidence::Part { command, step });
                continue;
            }
            let found = Evidence::Check {
                // Which of them it was nobody knows.
                checks: if run.is_open() {
                    run.checks.clone()
                } else {
                    vec![check]
                },
                command,
                result: run.result_of(check),
                step,
            };
            if !evidence.contains(&found) {
                evidence.push(found);
            }
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
                if !edited.is_empty()
                    && edited
                        .iter()
                        .all(|&file| act.takes_back(session.files.path(file).as_str()))
                    && !was_committed(session, *step) =>
            {
                evidence.push(Evidence::Reverted { step: *step });
            }
            _ => {}
        }
    }
    if session.is_put_aside()
        && let Some((step, _)) = session.git.last()
    {
        evidence.push(Evidence::PutAside { step: *step });
    }
    for prompt in session
        .prompts
        .iter()
        .filter(|prompt| prompt.step >= last_edit)
    {
        match reply::read(&prompt.text) {
            Reply::Objects(words) => evidence.push(Evidence::Objected {
                words,
                step: prompt.step,
            }),
            // Who has just refused a call does not go on to other work.
            Reply::GoesOn if !prompt.refuses && is_other_work(session, prompt) => {
                evidence.push(Evidence::MovedOn { step: prompt.step });
            }
            Reply::GoesOn | Reply::Neither => {}
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

/// Whether a run passed that looked at less than one that failed before it and was not run again: `pytest` failed,
/// `pytest tests/other.py` passed.
fn is_part_of_failed(session: &SessionAnalytics, check: Check, run: &Run) -> bool {
    let words = |run: &Run| -> Option<BTreeSet<String>> {
        let mut run = commands(&run.command).into_iter();
        let simple = run.find(|simple| check_of(&simple.words) == Some(check))?;
        Some(simple.words.into_iter().collect())
    };
    let is_passed = run.result_of(check) == CheckResult::Passed;
    let Some(now) = words(run).filter(|_| is_passed) else {
        return false;
    };
    let is_narrower = |wider: &BTreeSet<String>| {
        let mut more = now.difference(wider);
        wider.is_subset(&now) && more.any(|word| !word.starts_with('-'))
    };
    let earlier = session.runs.iter().rev().filter(|other| {
        other.step < run.step
            && other.checks.contains(&check)
            && other.result_of(check) != CheckResult::Unknown
    });
    for other in earlier {
        let Some(then) = words(other) else { continue };
        match other.result_of(check) {
            CheckResult::Failed if is_narrower(&then) => return true,
            // All of it passed once more since.
            CheckResult::Passed if then.is_subset(&now) => return false,
            _ => {}
        }
    }
    false
}

/// Whether neither the prompt nor what followed it is about the files that had been edited.
fn is_other_work(session: &SessionAnalytics, prompt: &PromptUse) -> bool {
    let edited = session.edited_files();
    let lower = prompt.text.to_lowercase();
    let named = edited.iter().any(|&file| {
        let name = session.files.path(file).as_str().rsplit('/').next();
        let stem = name.map(|name| name.split('.').next().unwrap_or(name).to_lowercase());
        stem.is_some_and(|stem| stem.len() > 2 && lower.contains(&stem))
    });
    let after = session.accesses.iter().rev();
    let mut after = after.take_while(|access| access.step > prompt.step);
    !named && !after.any(|access| edited.contains(&access.file))
}

/// Cleaning up after a commit takes nothing of the work back.
fn was_committed(session: &SessionAnalytics, before: u32) -> bool {
    let last_edit = session.last_edit_step().unwrap_or(0);
    let acts = session
        .git
        .iter()
        .filter(|(step, _)| *step >= last_edit && *step <= before);
    let mut kept = acts.filter_map(|(step, act)| match act.verb {
        GitVerb::Commit | GitVerb::Draft if *step < before => Some(true),
        GitVerb::Reset => Some(false),
        _ => None,
    });
    kept.next_back().unwrap_or(false)
}

/// Whether a check may never have run the work.
fn is_weak(check: Check) -> bool {
    matches!(check, Check::Lint | Check::Unclear)
}

fn weigh(evidence: Vec<Evidence>) -> Judgement {
    let mut doubt: f64 = 1.0;
    let mut failed: f64 = 0.0;
    let (mut moved_on, mut linted, mut put_aside) = (false, false, false);
    for found in &evidence {
        match found {
            Evidence::Check {
                checks,
                result: CheckResult::Passed,
                ..
            } => match checks.first() {
                Some(Check::Test) => doubt *= 0.15,
                Some(Check::Build | Check::TypeCheck) => doubt *= 0.35,
                _ => linted = true,
            },
            Evidence::Check { checks, .. } => {
                failed = failed.max(if checks.iter().any(|check| is_weak(*check)) {
                    0.6
                } else {
                    0.8
                });
            }
            Evidence::Committed { .. } | Evidence::Accepted { .. } => doubt *= 0.35,
            // Somebody else may have put right what was committed then; and a part is often just what had failed, but not always.
            Evidence::TakenIn { .. } | Evidence::Part { .. } => doubt *= 0.5,
            Evidence::Reverted { .. } => failed = failed.max(0.9),
            Evidence::Objected { .. }
            | Evidence::Corrected {
                how: UserCorrection::Rewound,
                ..
            } => failed = failed.max(0.75),
            Evidence::MovedOn { .. } => moved_on = true,
            Evidence::PutAside { .. } => put_aside = true,
            // That a review is over says nothing of what it found.
            Evidence::Told { .. } | Evidence::Corrected { .. } | Evidence::Reviewed { .. } => {}
        }
    }
    // A linter does not run the work, and who goes on may not have looked: each makes other evidence surer and is none by itself.
    if linted && (doubt < 1.0 || moved_on) {
        doubt *= 0.6;
    }
    if moved_on && doubt < 1.0 {
        doubt *= 0.55;
    }
    // What was checked is not there any more, and may come back.
    if put_aside {
        doubt = 1.0;
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
            | Self::TakenIn { step, .. }
            | Self::Reverted { step }
            | Self::MovedOn { step }
            | Self::PutAside { step }
            | Self::Part { step, .. }
            | Self::Objected { step, .. }
            | Self::Corrected { step, .. }
            | Self::Accepted { step, .. }
            | Self::Reviewed { step, .. } => *step,
        }
    }
}

#[cfg(test)]
mod tests;
