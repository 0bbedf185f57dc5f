//! What the doctor says about the graph, the history, and memories about files that are gone.

use std::collections::BTreeSet;
use std::fs;
use std::ops::ControlFlow;

use oldhand_code::history::Gap;
use oldhand_code::history::log::History;
use oldhand_code::history::read::{self, ReadOptions};
use oldhand_code::problem::{Problem, ProblemKind};
use oldhand_domain::filter::Filter;
use oldhand_domain::port::MemoryReader as _;
use oldhand_store::{Mode, SqliteStore};

use super::{changes_since, describe_gap, folder_in, peek};
use crate::config::Settings;
use crate::desk::refuse_gone;
use crate::health::Check;
use crate::out::time::count;
use crate::project::Project;

/// What is named of a long list.
const NAMED: usize = 5;

/// All checks of what is derived from the tree. None of them writes.
pub(crate) fn check(project: &Project, settings: &Settings) -> Vec<Check> {
    let mut checks = vec![check_graph(project, settings), check_history(project)];
    checks.extend(check_files(project));
    checks
}

fn check_graph(project: &Project, settings: &Settings) -> Check {
    const NAME: &str = "code";
    let Some((index, _)) = peek(project, settings) else {
        return Check::good(NAME, "not read yet; the first question about it does");
    };
    let snapshot = index.snapshot();
    if !snapshot.verify() {
        let detail = "the graph is not as it was written";
        return Check::bad(NAME, detail, "`oldhand reindex` makes it anew");
    }
    let mut detail = count(snapshot.file_count(), "file");
    let changed = changes_since(&index);
    if changed > 0 {
        let changed = count(changed, "file");
        detail = format!("{detail}, {changed} changed since; the next question reads them");
    }
    for (words, paths) in by_reason(&snapshot.problems()) {
        let number = count(paths.len(), "file");
        let named = name(paths.into_iter());
        detail = format!("{detail}; {number} {words}: {named}");
    }
    Check::good(NAME, detail)
}

/// Problems with the same reason together, in the order of the first of each.
fn by_reason(problems: &[Problem]) -> Vec<(String, Vec<String>)> {
    let mut groups: Vec<(String, Vec<String>)> = Vec::new();
    for problem in problems {
        let words = match problem.kind {
            ProblemKind::Unreadable => "could not be read".to_owned(),
            ProblemKind::TooSlow => "took too long to parse".to_owned(),
            ProblemKind::SyntaxError => "parsed in part".to_owned(),
            ProblemKind::Encoding => "not in UTF-8".to_owned(),
            ProblemKind::CaseCollision => "called like another but for capitals".to_owned(),
            ProblemKind::Skipped => format!("left out, {}", problem.detail),
            _ => format!("with a problem, {}", problem.detail),
        };
        match groups.iter_mut().find(|(known, _)| *known == words) {
            Some((_, paths)) => paths.push(problem.path.clone()),
            None => groups.push((words, vec![problem.path.clone()])),
        }
    }
    groups
}

fn check_history(project: &Project) -> Check {
    const NAME: &str = "history";
    let path = folder_in(&project.directory).join("history.bin");
    let known = fs::read(path).ok();
    let known = known.and_then(|bytes| History::from_bytes(&bytes));
    let commits = known.as_ref().map(History::commit_count);
    let is_capped = |gap: &Gap| matches!(gap, Gap::Capped { .. });
    let was_capped = known
        .as_ref()
        .is_some_and(|known| known.gaps().iter().any(is_capped));
    // Enough to see what is missing; reading all of it is for a question.
    let options = ReadOptions {
        commit_limit: 1,
        progress: &mut |_| ControlFlow::Continue(()),
    };
    let history = read::read(&project.location.root, known, options);
    let gaps = history.gaps().iter();
    let gaps: Vec<String> = gaps
        .filter(|gap| was_capped || !is_capped(gap))
        .map(describe_gap)
        .collect();
    let mut detail: Vec<String> = commits
        .map(|commits| count(commits, "commit"))
        .into_iter()
        .collect();
    detail.extend(gaps);
    if detail.is_empty() {
        detail.push("not read yet; the first question about it does".to_owned());
    }
    Check::good(NAME, detail.join("; "))
}

/// Memories about files that are no longer there. Nothing is broken, but they may be out of date.
fn check_files(project: &Project) -> Option<Check> {
    let database = project.database();
    // A database that is gone is told by its own check, and opening it would make a new one.
    refuse_gone(&database, Some(&project.name)).ok()?;
    if !database.exists() {
        return None;
    }
    let store = SqliteStore::open(&database, Mode::Read).ok()?;
    let kept = store.list(&Filter::default()).ok()?;
    let mut gone: BTreeSet<String> = BTreeSet::new();
    let mut memories = 0;
    for memory in &kept.memories {
        let missing = memory
            .files
            .iter()
            .filter(|file| !project.location.root.join(file.as_str()).exists());
        let before = gone.len();
        gone.extend(missing.map(ToString::to_string));
        memories += usize::from(gone.len() > before);
    }
    if gone.is_empty() {
        return None;
    }
    let about = count(memories, "memory");
    let named = name(gone.into_iter());
    Some(Check {
        fix: Some(
            "`oldhand list --file PATH` shows them, `oldhand edit ID` changes them".to_owned(),
        ),
        ..Check::good(
            "files",
            format!("{about} about files that are gone: {named}"),
        )
    })
}

/// The first few of a list.
fn name(items: impl ExactSizeIterator<Item = String>) -> String {
    let all = items.len();
    let mut words: Vec<String> = items.take(NAMED).collect();
    if all > NAMED {
        words.push(format!("and {} more", all - NAMED));
    }
    words.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_that_took_too_long_are_named_with_their_reason() {
        let problem = |path: &str, kind| Problem {
            path: path.to_owned(),
            kind,
            detail: "takes too long to parse".to_owned(),
        };
        let told = by_reason(&[
            problem("gen/a.ts", ProblemKind::TooSlow),
            problem("b.ts", ProblemKind::SyntaxError),
            problem("gen/c.ts", ProblemKind::TooSlow),
        ]);
        let told: Vec<String> = told
            .into_iter()
            .map(|(words, paths)| format!("{} {words}", paths.join(", ")))
            .collect();
        assert_eq!(
            told,
            [
                "gen/a.ts, gen/c.ts took too long to parse",
                "b.ts parsed in part"
            ]
        );
    }
}
