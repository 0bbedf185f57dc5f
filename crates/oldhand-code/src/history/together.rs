//! What small commits say of files that change together: how often, how often without each other, and how often of late.

use std::collections::{BTreeMap, BTreeSet};

use super::commit::Trait;
use super::index::SMALL_COMMIT;
use super::log::{CommitId, FileId, History};

/// What small commits say of two files that are there, counted since both are; merges and what brought them aside.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ChangedTogether {
    /// Those that changed both.
    pub both: usize,
    /// On how many days these were made.
    pub days: usize,
    /// Those that changed the one, and those that changed the other, in the order in which they are asked for.
    pub each: [usize; 2],
    /// All of them, whatever they changed.
    pub all: usize,
    /// The latest of those that changed each, in the same order, and how many of these changed both.
    pub lately: [Lately; 2],
    pub apart: Apart,
}

/// How two files went on after the latest commit that changed both.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Apart {
    /// The commits since that changed one of them.
    pub changes: usize,
    /// The days from that commit to the last of these.
    pub days: usize,
    /// The days from where both were there to the same.
    pub of: usize,
}

/// The latest changes of one of two files.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Lately {
    pub of: usize,
    pub both: usize,
}

/// How many commits of a file are its latest.
const LATEST: usize = 8;
/// In seconds.
const DAY: i64 = 86_400;

/// Nothing where one of the two is not there under this name.
pub fn changed_together(history: &History, a: &str, b: &str) -> Option<ChangedTogether> {
    let (a, b) = (find_living(history, a)?, find_living(history, b)?);
    let since = brought_by(history, a)?.max(brought_by(history, b)?);
    let row = |file: FileId| -> Vec<CommitId> {
        let row = small_commits(history, file);
        row.filter(|commit| *commit > since).collect()
    };
    let each = [row(a), row(b)];
    let is_in = |commits: &[CommitId], commit: &CommitId| commits.binary_search(commit).is_ok();
    let is_both = |commit: &CommitId| each.iter().all(|commits| is_in(commits, commit));
    let count = |commits: &[CommitId]| commits.iter().filter(|commit| is_both(commit)).count();
    let lately = |commits: &[CommitId]| {
        let latest = &commits[commits.len().saturating_sub(LATEST)..];
        Lately {
            of: latest.len(),
            both: count(latest),
        }
    };
    let before = &history.index().small_before;
    let day = |commit: CommitId| history.commits[commit as usize].time.div_euclid(DAY);
    let shared = || each[0].iter().copied().filter(is_both);
    let days: BTreeSet<i64> = shared().map(day).collect();
    let last = each.iter().filter_map(|commits| commits.last()).max();
    let apart = shared().next_back().zip(last).map(|(both, last)| Apart {
        changes: each.iter().flatten().filter(|at| **at > both).count(),
        days: usize::try_from(day(*last) - day(both)).unwrap_or_default(),
        of: usize::try_from(day(*last) - day(since)).unwrap_or_default(),
    });
    Some(ChangedTogether {
        both: count(&each[0]),
        days: days.len(),
        each: [each[0].len(), each[1].len()],
        all: before.last()? - before[since as usize],
        lately: [lately(&each[0]), lately(&each[1])],
        apart: apart.unwrap_or_default(),
    })
}

/// The living files that small commits changed with one, twice at least, the most often changed first.
pub fn changed_with<'h>(history: &'h History, path: &str, limit: usize) -> Vec<&'h str> {
    let Some(file) = find_living(history, path) else {
        return Vec::new();
    };
    let mut times: BTreeMap<FileId, usize> = BTreeMap::new();
    for commit in small_commits(history, file) {
        for &other in &history.commits[commit as usize].files {
            let is_there = divided_at(history, other).is_none_or(|at| at <= commit);
            if other != file && is_there && history.files[other as usize].alive {
                *times.entry(other).or_default() += 1;
            }
        }
    }
    let mut found: Vec<(usize, &str)> = times
        .into_iter()
        .filter(|(_, times)| *times >= 2)
        .map(|(file, times)| (times, history.path(file)))
        .collect();
    found.sort_by(|a, b| b.0.cmp(&a.0).then_with(|| a.1.cmp(b.1)));
    found.truncate(limit);
    found.into_iter().map(|(_, path)| path).collect()
}

/// How many of these files each small commit changed, for those that changed any of them. What brings a file says nothing of what changes
/// with it.
pub fn changed_of(history: &History, paths: &[&str]) -> Vec<usize> {
    let files = paths.iter().filter_map(|path| find_living(history, path));
    let files: Vec<FileId> = files.collect();
    let brought = |commit: CommitId| {
        let mut files = files.iter();
        files.any(|&file| brought_by(history, file) == Some(commit))
    };
    let mut changed: BTreeMap<CommitId, usize> = BTreeMap::new();
    for &file in &files {
        for commit in small_commits(history, file) {
            *changed.entry(commit).or_default() += 1;
        }
    }
    let counted = changed.into_iter().filter(|(commit, _)| !brought(*commit));
    counted.map(|(_, files)| files).collect()
}

/// Whether a file is in the tree of the latest commit.
pub fn is_kept(history: &History, path: &str) -> bool {
    find_living(history, path).is_some()
}

fn find_living(history: &History, path: &str) -> Option<FileId> {
    let file = history.find(path)?;
    (history.files[file as usize].alive && history.path(file) == path).then_some(file)
}

/// The small commits that changed a file, oldest first. What programs write says nothing to anybody, releases of who does nothing else among it,
/// nor does what came before a part was divided from its whole.
fn small_commits(history: &History, file: FileId) -> impl Iterator<Item = CommitId> {
    let index = history.index();
    let divided = divided_at(history, file).unwrap_or_default();
    let files = |commit: CommitId| history.commits[commit as usize].files.len();
    let row = index.commits_of_file.row(file).iter().copied();
    let by_hand = |commit: CommitId| {
        let entry = &history.commits[commit as usize];
        !entry.nature.is(Trait::Automatic) && !index.only_releases[entry.author as usize]
    };
    row.filter(move |commit| {
        *commit >= divided && files(*commit) <= SMALL_COMMIT && by_hand(*commit)
    })
}

/// What brought a file; a part, whatever its whole was before.
fn brought_by(history: &History, file: FileId) -> Option<CommitId> {
    divided_at(history, file).or(history.index().brought_by[file as usize])
}

fn divided_at(history: &History, file: FileId) -> Option<CommitId> {
    let divided = history.files[file as usize].divided_from;
    divided.map(|(_, commit)| commit)
}
