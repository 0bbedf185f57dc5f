//! What small commits say of files that change together: how often, how often without each other, and how often of late.

use std::collections::BTreeMap;

use super::commit::Trait;
use super::index::SMALL_COMMIT;
use super::log::{CommitId, FileId, History};

/// What small commits say of two files that are there, counted since both are; merges and what brought them aside.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ChangedTogether {
    /// Those that changed both.
    pub both: usize,
    /// Those that changed the one, and those that changed the other, in the order in which they are asked for.
    pub each: [usize; 2],
    /// All of them, whatever they changed.
    pub all: usize,
    /// The latest of those that changed each, in the same order, and how many of these changed both.
    pub lately: [Lately; 2],
}

/// The latest changes of one of two files.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Lately {
    pub of: usize,
    pub both: usize,
}

/// How many commits of a file are its latest.
const LATEST: usize = 8;

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
    let is_both = |commit: &CommitId| {
        each.iter().all(|commits| is_in(commits, commit)) && !history.were_one(a, b, *commit)
    };
    let count = |commits: &[CommitId]| commits.iter().filter(|commit| is_both(commit)).count();
    let lately = |commits: &[CommitId]| {
        let latest = &commits[commits.len().saturating_sub(LATEST)..];
        Lately {
            of: latest.len(),
            both: count(latest),
        }
    };
    let before = &history.index().small_before;
    Some(ChangedTogether {
        both: count(&each[0]),
        each: [each[0].len(), each[1].len()],
        all: before.last()? - before[since as usize],
        lately: [lately(&each[0]), lately(&each[1])],
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
            let counts = other != file && history.files[other as usize].alive;
            if counts && !history.were_one(file, other, commit) {
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
    let mut changed: BTreeMap<CommitId, Vec<FileId>> = BTreeMap::new();
    for &file in &files {
        for commit in small_commits(history, file) {
            let others = changed.entry(commit).or_default();
            if !others
                .iter()
                .any(|&other| history.were_one(file, other, commit))
            {
                others.push(file);
            }
        }
    }
    let counted = changed.into_iter().filter(|(commit, _)| !brought(*commit));
    counted.map(|(_, files)| files.len()).collect()
}

fn find_living(history: &History, path: &str) -> Option<FileId> {
    let file = history.find(path)?;
    (history.files[file as usize].alive && history.path(file) == path).then_some(file)
}

/// The small commits that changed a file, oldest first. What programs write says nothing to anybody, releases of who does nothing else among it.
fn small_commits(history: &History, file: FileId) -> impl Iterator<Item = CommitId> {
    let index = history.index();
    let files = |commit: CommitId| history.commits[commit as usize].files.len();
    let row = index.commits_of_file.row(file).iter().copied();
    let by_hand = |commit: CommitId| {
        let entry = &history.commits[commit as usize];
        !entry.nature.is(Trait::Automatic) && !index.only_releases[entry.author as usize]
    };
    row.filter(move |commit| files(*commit) <= SMALL_COMMIT && by_hand(*commit))
}

fn brought_by(history: &History, file: FileId) -> Option<CommitId> {
    history.index().brought_by[file as usize]
}
