//! What many parts of one job had in common, each thing said once and by the steps that show it.

use std::collections::{BTreeMap, BTreeSet};

use oldhand_domain::confidence::Confidence;
use oldhand_domain::payload::BuiltInType;
use oldhand_domain::text::Fingerprint;

use super::phrase::clip;
use super::wording::Wording;
use super::{Candidate, Origin};
use crate::fold::{ErrorUse, FileId, Run, SessionAnalytics};
use crate::outcome::commands::check_commands;
use crate::outcome::results::CheckResult;
use crate::paths;
use crate::promote::Dropped;

/// With this many subtasks their outcomes are looked at together.
const CONSOLIDATED: usize = 10;
/// The share of subtasks that makes something common to them.
const COMMON: f64 = 0.5;
/// An error that fewer subtasks met is not theirs together.
const RECURRING: usize = 3;
/// The most files that are told of.
const FILES: usize = 2;
/// From this to that many insights come of one look. One thing alone is chance: ten outcomes that share no more teach nothing
/// together.
const INSIGHTS: std::ops::RangeInclusive<usize> = 2..=5;

/// The parts of a job, by the steps at which they ended.
struct Parts(Vec<u32>);

impl Parts {
    fn of(session: &SessionAnalytics) -> Self {
        let subtasks = session.subtasks.values();
        let mut ends: Vec<u32> = subtasks.map(|subtask| subtask.step).collect();
        ends.sort_unstable();
        Self(ends)
    }

    /// The first step of each part that is among `steps`. A step belongs to the first part that ended at or after it.
    fn firsts(&self, steps: impl IntoIterator<Item = u32>) -> Vec<u32> {
        let mut firsts: BTreeMap<usize, u32> = BTreeMap::new();
        for step in steps {
            let part = self.0.partition_point(|end| *end < step);
            if part < self.0.len() {
                let first = firsts.entry(part).or_insert(step);
                *first = step.min(*first);
            }
        }
        firsts.into_values().collect()
    }
}

/// What ten or more subtasks had in common: files most of them needed, errors that came back, how many failed; where that is too
/// little, how they were checked and what they took. `known` are the other candidates of the session; an error that one of them
/// tells is told as the same.
pub fn consolidate(session: &SessionAnalytics, known: &[Candidate]) -> Vec<Candidate> {
    if session.subtasks.len() < CONSOLIDATED {
        return Vec::new();
    }
    let parts = Parts::of(session);
    let mut found = common_files(session, &parts);
    found.extend(recurring_errors(session, &parts, known));
    found.extend(failed_parts(session));
    if found.len() < *INSIGHTS.start() {
        found.extend(common_check(session, &parts));
    }
    if found.len() < *INSIGHTS.start() {
        found.extend(effort(session));
    }
    if found.len() < *INSIGHTS.start() {
        for insight in &mut found {
            insight.unfit = Some(Dropped::LittleInCommon {
                subtasks: parts.0.len(),
            });
        }
    }
    found.truncate(*INSIGHTS.end());
    found
}

fn common_files(session: &SessionAnalytics, parts: &Parts) -> Vec<Candidate> {
    let all = parts.0.len();
    let mut steps_of: BTreeMap<FileId, Vec<u32>> = BTreeMap::new();
    for edit in &session.edits {
        steps_of.entry(edit.file).or_default().push(edit.step);
    }
    let mut common: Vec<(FileId, Vec<u32>)> = steps_of
        .into_iter()
        .map(|(file, steps)| (file, parts.firsts(steps)))
        .filter(|(file, firsts)| {
            firsts.len() as f64 > all as f64 * COMMON
                && !paths::is_generated(session.files.path(*file).as_str())
        })
        .collect();
    common.sort_by_key(|(file, firsts)| (std::cmp::Reverse(firsts.len()), *file));
    let told = common.into_iter().take(FILES).filter_map(|(file, firsts)| {
        let path = session.files.path(file);
        let content = format!(
            "`{path}` had to be changed by {} of {all} subtasks: plan it first, and do not give it to several agents at once.",
            firsts.len()
        );
        let summary = format!("`{path}` is touched by most subtasks; plan it first");
        let wording = Wording::plain(BuiltInType::ModuleInsight, content, summary);
        let insight = insight(format!("common:{path}"), wording, firsts, session)?;
        Some(insight.about([path.clone()]))
    });
    told.collect()
}

fn recurring_errors(
    session: &SessionAnalytics,
    parts: &Parts,
    known: &[Candidate],
) -> Vec<Candidate> {
    // What a check holds against the work is told as its rule, by whatever words it complained.
    let ruled: BTreeSet<u32> = session.hurdles.iter().map(|hurdle| hurdle.step).collect();
    let is_rule = |error: &ErrorUse| error.steps.iter().all(|step| ruled.contains(step));
    let mut told = Vec::new();
    for error in session.errors.values().filter(|error| !is_rule(error)) {
        let firsts = parts.firsts(error.steps.iter().copied());
        if firsts.len() < RECURRING {
            continue;
        }
        let content = format!(
            "\"{}\" came back in {} of {} subtasks: solve it once before going on.",
            clip(&error.message, 200),
            firsts.len(),
            parts.0.len()
        );
        let summary = format!("\"{}\" recurs across subtasks", clip(&error.message, 80));
        let wording = Wording::plain(BuiltInType::ErrorPattern, content, summary);
        let key = format!("recurring:{}", error.fingerprint);
        let Some(mut insight) = insight(key, wording, firsts, session) else {
            continue;
        };
        insight
            .fingerprints
            .extend(Fingerprint::new(&error.message).ok());
        let same = known
            .iter()
            .filter(|other| !other.fingerprints.is_empty())
            .find(|other| other.fingerprints == insight.fingerprints);
        insight.told = same.map(Candidate::told_as);
        told.push(insight);
    }
    told
}

fn failed_parts(session: &SessionAnalytics) -> Option<Candidate> {
    let all = session.subtasks.len();
    let subtasks = session.subtasks.iter();
    let failed: Vec<(&str, u32)> = subtasks
        .filter(|(_, subtask)| !subtask.passed)
        .map(|(name, subtask)| (name.as_str(), subtask.step))
        .collect();
    if failed.len() * 4 < all {
        return None;
    }
    let names: Vec<&str> = failed.iter().map(|(name, _)| *name).take(5).collect();
    let content = format!(
        "{} of {all} subtasks did not pass at first ({}): cut such work into smaller parts.",
        failed.len(),
        names.join(", ")
    );
    let summary = format!(
        "{} of {all} subtasks failed at first; plan smaller parts",
        failed.len()
    );
    let wording = Wording::plain(BuiltInType::TaskCalibration, content, summary);
    let steps = failed.iter().map(|(_, step)| *step).collect();
    insight("subtasks:failed".to_owned(), wording, steps, session)
}

/// The check that most parts ran.
fn common_check(session: &SessionAnalytics, parts: &Parts) -> Option<Candidate> {
    let all = parts.0.len();
    let mut steps_of: BTreeMap<String, Vec<u32>> = BTreeMap::new();
    let told = |run: &&Run| run.result != CheckResult::Unknown;
    for run in session.runs.iter().filter(told) {
        for (_, command) in check_commands(&run.command) {
            steps_of.entry(command).or_default().push(run.step);
        }
    }
    let steps_of = steps_of.into_iter();
    let (command, firsts) = steps_of
        .map(|(command, steps)| (command, parts.firsts(steps)))
        .max_by_key(|(command, firsts)| (firsts.len(), std::cmp::Reverse(command.clone())))
        .filter(|(_, firsts)| firsts.len() as f64 > all as f64 * COMMON)?;
    let content = format!(
        "{} of {all} subtasks were checked with `{command}` before the next one began.",
        firsts.len()
    );
    let summary = format!("Check each part of larger work with `{command}`");
    let wording = Wording::plain(BuiltInType::ModuleInsight, content, summary);
    insight(format!("checked:{command}"), wording, firsts, session)
}

/// How many steps the parts took.
fn effort(session: &SessionAnalytics) -> Option<Candidate> {
    let subtasks = session.subtasks.iter();
    let mut ends: Vec<(u32, &str)> = subtasks
        .map(|(name, subtask)| (subtask.step, name.as_str()))
        .collect();
    ends.sort_unstable();
    let mut last = 0;
    let mut took: Vec<(u32, &str, u32)> = Vec::new();
    for (end, name) in ends {
        took.push((end - last, name, end));
        last = end;
    }
    took.sort_unstable();
    let (least, middle) = (took.first()?.0, took[took.len() / 2].0);
    let (most, longest, end) = *took.last()?;
    let content = format!(
        "{} subtasks took {least} to {most} steps each, {middle} in the middle; `{longest}` took the most.",
        took.len()
    );
    let summary = format!("A subtask takes about {middle} steps, at most {most} so far");
    let wording = Wording::plain(BuiltInType::TaskCalibration, content, summary);
    insight("subtasks:effort".to_owned(), wording, vec![end], session)
}

fn insight(
    key: String,
    wording: Wording,
    steps: Vec<u32>,
    session: &SessionAnalytics,
) -> Option<Candidate> {
    let mut candidate = Candidate::new(key, Origin::Synthesis, wording)?;
    candidate.confidence = Confidence::clamped(0.7);
    candidate.priority = 0.8;
    candidate.taint = session.taint_after(session.step + 1);
    candidate.evidence = steps;
    Some(candidate)
}

#[cfg(test)]
mod tests {
    use oldhand_domain::id::SessionId;

    use super::*;
    use crate::fold::{FoldOptions, fold};
    use crate::harvest::harvest;
    use crate::learn::Knowledge;
    use crate::story::events;

    fn story(parts: u32, failing: &str) -> String {
        let part = |n: u32| {
            let ended = if n.is_multiple_of(3) {
                "failed"
            } else {
                "passed"
            };
            format!(
                "edit src/hub.rs; edit src/p{n}.rs; {failing}; edit src/p{n}.rs; run make = 0; run golangci-lint run = 0; subtask s{n} {ended}"
            )
        };
        (1..=parts).map(part).collect::<Vec<_>>().join("; ")
    }

    /// What a job teaches besides what its signals do: the words, and the steps that show it.
    fn told(story: &str) -> Vec<(String, Vec<u32>)> {
        let session = fold(&events(story), &FoldOptions::default());
        let id = SessionId::new("one").unwrap();
        let candidates = harvest(id, &session, &Knowledge::default()).candidates;
        let insights = candidates.into_iter();
        insights
            .filter(|candidate| candidate.origin == Origin::Synthesis)
            .map(|candidate| (candidate.summary.to_string(), candidate.evidence))
            .collect()
    }

    #[test]
    fn ten_subtasks_are_looked_at_together() {
        let failing = "run make = 2: error: bad thing";
        assert_eq!(told(&story(9, failing)), []);
        let told = told(&story(10, failing));
        let words: Vec<&str> = told.iter().map(|(words, _)| words.as_str()).collect();
        assert_eq!(
            words,
            [
                "`src/hub.rs` is touched by most subtasks; plan it first",
                "\"error: bad thing\" recurs across subtasks",
                "3 of 10 subtasks failed at first; plan smaller parts"
            ]
        );
        // Each part takes six steps.
        let firsts = |of: u32| (0..10).map(|part| 6 * part + of).collect::<Vec<u32>>();
        assert_eq!(told[0].1, firsts(1), "the edits of the file");
        assert_eq!(told[1].1, firsts(3), "the runs that failed");
        assert_eq!(told[2].1, [18, 36, 54], "the ends of the parts that failed");
    }

    #[test]
    fn what_is_common_to_parts_has_its_numbers() {
        let parts = |all: u32, part: &dyn Fn(u32) -> String| {
            let part = |n: u32| format!("{}edit src/p{n}.rs; subtask s{n} passed", part(n));
            told(&(1..=all).map(part).collect::<Vec<_>>().join("; "))
        };
        let has = |told: &[(String, Vec<u32>)], words: &str| {
            told.iter().filter(|(said, _)| said.contains(words)).count()
        };
        // More than half of the parts change a file.
        let until = |last: u32, step: &'static str| {
            move |n: u32| {
                if n <= last {
                    step.to_owned()
                } else {
                    String::new()
                }
            }
        };
        let hub = |last| parts(10, &until(last, "edit src/hub.rs; "));
        assert_eq!((has(&hub(5), "hub.rs"), has(&hub(6), "hub.rs")), (0, 1));
        let hubs = parts(10, &|_| {
            "edit src/h1.rs; edit src/h2.rs; edit src/h3.rs; ".to_owned()
        });
        assert_eq!(has(&hubs, "is touched by most"), 2);
        // Three of them meet an error.
        let error = |last| parts(10, &until(last, "run make = 2: error: bad thing; "));
        assert_eq!((has(&error(2), "recurs"), has(&error(3), "recurs")), (0, 1));
        // A quarter of them fails.
        let failed = |failing: u32| {
            let part = |n: u32| {
                let ended = if n <= failing { "failed" } else { "passed" };
                format!("edit src/hub.rs; edit src/p{n}.rs; subtask s{n} {ended}")
            };
            told(&(1..=12).map(part).collect::<Vec<_>>().join("; "))
        };
        assert_eq!(
            (has(&failed(2), "failed"), has(&failed(3), "failed")),
            (0, 1)
        );
        // At most five things are told.
        let much = parts(10, &|_| {
            let errors = ["one", "two", "three", "four"];
            let errors = errors.map(|what| format!("run make = 2: error: {what} thing; "));
            format!("edit src/h1.rs; edit src/h2.rs; {}", errors.concat())
        });
        assert_eq!(much.len(), 5);
    }

    #[test]
    fn where_outcomes_share_little_it_is_how_they_were_reached_or_nothing() {
        let parts = |checked: &str, sharing: &str| {
            let part =
                |n: u32| format!("{sharing}; edit src/p{n}.rs; {checked}; subtask s{n} passed");
            (1..=10).map(part).collect::<Vec<_>>().join("; ")
        };
        let told = |story: &str| {
            let session = fold(&events(story), &FoldOptions::default());
            let id = SessionId::new("one").unwrap();
            let candidates = harvest(id, &session, &Knowledge::default()).candidates;
            let insights = candidates
                .into_iter()
                .filter(|candidate| candidate.origin == Origin::Synthesis);
            insights
                .map(|insight| (insight.summary.to_string(), insight.unfit))
                .collect::<Vec<_>>()
        };
        let (effort, check) = (
            "A subtask takes about 3 steps, at most 3 so far",
            "Check each part of larger work with `make test`",
        );
        let hub = "`src/hub.rs` is touched by most subtasks; plan it first";
        let [read, test] = ["read notes.md", "run make test = 0"];
        let both = [(check.to_owned(), None), (effort.to_owned(), None)];
        assert_eq!(told(&parts(test, read)), both);
        let both = [(hub.to_owned(), None), (check.to_owned(), None)];
        assert_eq!(told(&parts(test, "edit src/hub.rs")), both);
        let both = [(hub.to_owned(), None), (effort.to_owned(), None)];
        assert_eq!(told(&parts(read, "edit src/hub.rs")), both);
        let little = Dropped::LittleInCommon { subtasks: 10 };
        let alone = [(effort.to_owned(), Some(little))];
        assert_eq!(told(&parts(read, read)), alone);
    }

    #[test]
    fn what_a_linter_holds_against_the_work_is_no_recurring_error() {
        let failing = "edit log.go; run golangci-lint run = 1: log.go:10:2: string `agent` has 3 occurrences, make it a constant (goconst)";
        let words = told(&story(12, failing));
        assert!(
            words.iter().all(|(words, _)| !words.contains("agent")),
            "{words:?}"
        );
    }

    #[test]
    fn an_error_that_a_signal_tells_is_the_same_statement() {
        let failing =
            "run make = 2: error: header `bad` not found; run ./configure = 0; run make = 0";
        let session = fold(&events(&story(10, failing)), &FoldOptions::default());
        let id = SessionId::new("one").unwrap();
        let candidates = harvest(id, &session, &Knowledge::default()).candidates;
        let about = candidates
            .iter()
            .filter(|candidate| candidate.content.as_str().contains("header `bad`"))
            .filter(|candidate| !candidate.fingerprints.is_empty());
        let statements: BTreeSet<String> = about.clone().map(Candidate::told_as).collect();
        assert_eq!((about.count(), statements.len()), (2, 1), "{statements:?}");
    }
}
