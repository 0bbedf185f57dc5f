//! Which file small commits change that add a file of some kind: where such files may have to be entered.

use std::collections::BTreeSet;

use oldhand_domain::kind::Kind;
use rustc_hash::{FxHashMap, FxHashSet};

use super::commit::Trait;
use super::index::Index;
use super::log::{CommitId, FileId, History};

/// A kind of file, and a file that is changed where one of them is added.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entered {
    pub kind: Kind,
    pub register: String,
    /// The commits that added a file of the kind since the register is there: merges, sweeps and what programs commit aside.
    pub added: usize,
    /// Those of them that changed the register.
    pub changed: usize,
    /// The files of the kind that are there, in their order.
    pub files: Vec<String>,
}

/// Fewer commits may have met by chance.
const LEAST: usize = 5;
/// Those of fewer days may be one piece of work.
const DAYS: usize = 3;
/// Of the latest commits most have changed it: it is still so.
const LATEST: usize = 3;
const OF_LATEST: usize = 2;
/// In seconds.
const DAY: i64 = 86_400;

/// Whether so many of them are two thirds.
pub fn are_most(part: usize, whole: usize) -> bool {
    3 * part >= 2 * whole
}

/// Everything that is changed by most commits that add a file of some kind.
pub fn entered(history: &History) -> Vec<Entered> {
    let index = history.index();
    let mut added: FxHashMap<String, Vec<CommitId>> = FxHashMap::default();
    let born_as = first_paths(history);
    for (file, commit) in (0..).zip(&index.brought_by) {
        let Some(commit) = commit.filter(|commit| counts(history, index, *commit)) else {
            continue;
        };
        let path = history.path(file);
        let born_as = born_as.get(&file).copied().unwrap_or(path);
        for pattern in patterns(path) {
            // What came from elsewhere under another name was not added here.
            let fits =
                born_as == path || Kind::new(&pattern).is_some_and(|kind| kind.has_name(born_as));
            if fits {
                added.entry(pattern).or_default().push(commit);
            }
        }
    }
    for commits in added.values_mut() {
        commits.sort_unstable();
        commits.dedup();
    }
    added.retain(|_, commits| commits.len() >= LEAST);
    let mut found: Vec<Entered> = added
        .iter()
        .filter_map(|(pattern, commits)| Some((Kind::new(pattern)?, commits)))
        .flat_map(|(kind, commits)| registers(history, &kind, commits))
        .collect();
    list_files(history, &mut found);
    found.sort_by(|a, b| (&a.register, &a.kind).cmp(&(&b.register, &b.kind)));
    found
}

/// The files that most of these commits changed.
fn registers(history: &History, kind: &Kind, commits: &[CommitId]) -> Vec<Entered> {
    let index = history.index();
    let mut times: FxHashMap<FileId, usize> = FxHashMap::default();
    for commit in commits {
        for file in &history.commits[*commit as usize].files {
            *times.entry(*file).or_default() += 1;
        }
    }
    let may_be = |(file, times): (FileId, usize)| {
        let of = &history.files[file as usize];
        (of.alive && are_most(times, LEAST) && !kind.has(&of.path)).then_some(file)
    };
    let candidates = times.into_iter().filter_map(may_be);
    let weigh = |file: FileId| {
        let born = index.brought_by[file as usize]?;
        let since: Vec<CommitId> = commits.iter().copied().filter(|at| *at > born).collect();
        let entry = |at: &CommitId| &history.commits[*at as usize];
        let is_changed = |at: &&CommitId| entry(at).files.binary_search(&file).is_ok();
        let days: BTreeSet<i64> = since
            .iter()
            .map(|at| entry(at).time.div_euclid(DAY))
            .collect();
        let changed = since.iter().filter(is_changed).count();
        let latest = &since[since.len().saturating_sub(LATEST)..];
        let holds = since.len() >= LEAST
            && days.len() >= DAYS
            && are_most(changed, since.len())
            && latest.iter().filter(is_changed).count() >= OF_LATEST;
        holds.then(|| Entered {
            kind: kind.clone(),
            register: history.path(file).to_owned(),
            added: since.len(),
            changed,
            files: Vec::new(),
        })
    };
    candidates.filter_map(weigh).collect()
}

fn counts(history: &History, index: &Index, commit: CommitId) -> bool {
    let nature = history.commits[commit as usize].nature;
    commit > 0 && index.weights[commit as usize] > 0.0 && !nature.is(Trait::Automatic)
}

/// What files were called when they were added, where that was something else.
fn first_paths(history: &History) -> FxHashMap<FileId, &str> {
    let mut first: FxHashMap<FileId, &str> = FxHashMap::default();
    for rename in &history.renames {
        first.entry(rename.file).or_insert(&rename.from);
    }
    first
}

/// The files of all kinds that are told, in one look at the tree.
fn list_files(history: &History, found: &mut [Entered]) {
    let told: FxHashSet<&str> = found.iter().map(|one| one.kind.as_str()).collect();
    let mut files: FxHashMap<String, Vec<&str>> = FxHashMap::default();
    if !told.is_empty() {
        for file in history.files.iter().filter(|file| file.alive) {
            let of = patterns(&file.path).into_iter();
            for pattern in of.filter(|pattern| told.contains(pattern.as_str())) {
                files.entry(pattern).or_default().push(&file.path);
            }
        }
    }
    for one in found {
        let listed = files.get(one.kind.as_str()).into_iter().flatten();
        let listed = listed.filter(|path| **path != one.register);
        one.files = listed.map(|path| (*path).to_owned()).collect();
        one.files.sort_unstable();
    }
}

/// The kinds that a file may be of: what ends as it does in its folder, what also begins or ends with the same word, what lies in the folders
/// beside, and what is called as it is there.
fn patterns(path: &str) -> Vec<String> {
    let Some((folder, name)) = path.rsplit_once('/') else {
        return Vec::new();
    };
    let dot = name.rfind('.').filter(|at| *at > 0);
    let (stem, ending) = name.split_at(dot.unwrap_or(name.len()));
    let mut patterns = Vec::new();
    let is_mark = |c: char| matches!(c, '-' | '_' | '.');
    if !ending.is_empty() {
        patterns.push(format!("{folder}/*{ending}"));
        let first = stem
            .find(is_mark)
            .filter(|at| (1..stem.len() - 1).contains(at));
        if let Some(at) = first {
            patterns.push(format!("{folder}/{}*{ending}", &stem[..=at]));
        }
        let last = stem
            .rfind(is_mark)
            .filter(|at| (1..stem.len() - 1).contains(at));
        if let Some(at) = last {
            patterns.push(format!("{folder}/*{}{ending}", &stem[at..]));
        }
    }
    if let Some((above, _)) = folder.rsplit_once('/') {
        patterns.push(format!("{above}/*/{name}"));
        if !ending.is_empty() {
            patterns.push(format!("{above}/*/*{ending}"));
        }
    }
    patterns
}
