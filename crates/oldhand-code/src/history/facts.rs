//! Questions about the past itself: who, how often, what was taken back, what had to be fixed again.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;

use super::commit::Trait;
use super::log::{CommitId, FileId, History, RevertEvidence};
use super::place;

/// What happened to one file, through all its names.
#[derive(Clone, Debug, PartialEq)]
pub struct FileFacts {
    pub path: String,
    /// Oldest first.
    pub former_paths: Vec<String>,
    /// Commits that changed it; merges do not count.
    pub commits: usize,
    pub fixes: usize,
    /// Commits taken back that had changed it.
    pub reverted: usize,
    /// How often a fix was followed by another within two weeks.
    pub repeated_fixes: usize,
    /// Changes a month over the last half year before the newest commit.
    pub volatility: f32,
    /// Who changed it how often, most first. Programs are not people.
    pub authors: Vec<(String, usize)>,
    /// Seconds since 1970; `None` when no commit of the log changed it.
    pub last_changed: Option<i64>,
}

impl FileFacts {
    /// Who changed it most, and the share of all changes that is.
    pub fn owner(&self) -> Option<(&str, f32)> {
        let all: usize = self.authors.iter().map(|(_, count)| count).sum();
        let (name, count) = self.authors.first()?;
        Some((name, *count as f32 / all as f32))
    }
}

/// A commit as the log knows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommitName {
    /// The first sixteen digits of its id.
    pub id: String,
    pub time: i64,
    pub author: String,
}

/// Work that was taken back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reversal {
    pub by: CommitName,
    /// `None` when the message names a commit outside the log.
    pub of: Option<CommitName>,
    pub evidence: RevertEvidence,
    pub paths: Vec<String>,
}

/// One file that was fixed again and again, each time within two weeks of the last.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FixChain {
    pub path: String,
    /// Oldest first; two at least.
    pub fixes: Vec<CommitName>,
    /// Some fix took away lines that the one before had brought.
    pub same_lines: bool,
}

/// A file that bugs like.
#[derive(Clone, Debug, PartialEq)]
pub struct HotSpot {
    pub path: String,
    pub fixes: usize,
    pub repeated_fixes: usize,
    /// Fixes that still count, old ones less, fixes of fixes twice.
    pub heat: f32,
}

/// Two files that change together.
#[derive(Clone, Debug, PartialEq)]
pub struct CoChange {
    pub a: String,
    pub b: String,
    pub times: usize,
    /// Recent commits count more, large ones less.
    pub weight: f32,
}

const HALF_YEAR_SECONDS: i64 = 182 * 86_400;
const HALF_YEAR_MONTHS: f32 = 6.0;

/// The facts of every file that exists, by path.
pub fn file_facts(history: &History) -> Vec<FileFacts> {
    let mut facts: Vec<FileFacts> = history
        .files
        .iter()
        .map(|file| empty_facts(&file.path))
        .collect();
    let mut authors: Vec<FxHashMap<u32, usize>> = vec![FxHashMap::default(); facts.len()];
    let newest = history
        .commits
        .iter()
        .map(|entry| entry.time)
        .max()
        .unwrap_or_default();
    for entry in &history.commits {
        for &file in &entry.files {
            let facts = &mut facts[file as usize];
            facts.commits += 1;
            facts.fixes += usize::from(counts_as_fix(entry.nature));
            if newest - entry.time <= HALF_YEAR_SECONDS {
                facts.volatility += 1.0 / HALF_YEAR_MONTHS;
            }
            facts.last_changed = facts.last_changed.max(Some(entry.time));
            if !entry.nature.is(Trait::Automatic) {
                *authors[file as usize].entry(entry.author).or_default() += 1;
            }
        }
    }
    for (facts, authors) in facts.iter_mut().zip(authors) {
        let named = authors
            .into_iter()
            .map(|(author, count)| (history.authors.list[author as usize].clone(), count));
        facts.authors = named.collect();
        facts
            .authors
            .sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    }
    for rename in &history.renames {
        facts[rename.file as usize]
            .former_paths
            .push(rename.from.clone());
    }
    for repeated in &history.repeated_fixes {
        facts[repeated.file as usize].repeated_fixes += 1;
    }
    for of in history.reverts.iter().filter_map(|revert| revert.of) {
        for &file in &history.commits[of as usize].files {
            facts[file as usize].reverted += 1;
        }
    }
    let mut alive = history.files.iter().map(|file| file.alive);
    facts.retain(|_| alive.next().unwrap_or(false));
    facts.sort_by(|a, b| a.path.cmp(&b.path));
    facts
}

/// Every commit that took another back, oldest first.
pub fn reversals(history: &History) -> Vec<Reversal> {
    let tell = |revert: &super::log::Revert| Reversal {
        by: name(history, revert.by),
        of: revert.of.map(|of| name(history, of)),
        evidence: revert.evidence,
        paths: history.commits[revert.by as usize]
            .files
            .iter()
            .map(|&file| history.path(file).to_owned())
            .collect(),
    };
    history.reverts.iter().map(tell).collect()
}

/// Fixes of existing files that needed fixing, longest chain first.
pub fn fix_chains(history: &History) -> Vec<FixChain> {
    let mut chains: BTreeMap<FileId, Vec<(Vec<CommitId>, bool)>> = BTreeMap::new();
    let is_alive = |file: FileId| history.files[file as usize].alive;
    for repeated in history.repeated_fixes.iter().filter(|it| is_alive(it.file)) {
        let of_file = chains.entry(repeated.file).or_default();
        match of_file.last_mut() {
            Some((fixes, same_lines)) if fixes.last() == Some(&repeated.first) => {
                fixes.push(repeated.again);
                *same_lines |= repeated.same_lines;
            }
            _ => of_file.push((vec![repeated.first, repeated.again], repeated.same_lines)),
        }
    }
    let of_file = |(file, chains): (FileId, Vec<(Vec<CommitId>, bool)>)| {
        chains.into_iter().map(move |(fixes, same_lines)| FixChain {
            path: history.path(file).to_owned(),
            fixes: fixes
                .into_iter()
                .map(|commit| name(history, commit))
                .collect(),
            same_lines,
        })
    };
    let mut chains: Vec<FixChain> = chains.into_iter().flat_map(of_file).collect();
    chains.sort_by(|a, b| {
        b.fixes
            .len()
            .cmp(&a.fixes.len())
            .then_with(|| a.path.cmp(&b.path))
    });
    chains
}

/// Files that exist and of which at least `least` fixes in a row were each fixed again in the same lines, the last of them within
/// half a year before the newest commit: path and number of fixes.
pub fn fragile_files(history: &History, least: usize) -> BTreeMap<String, usize> {
    let newest = history.commits.iter().map(|entry| entry.time).max();
    let newest = newest.unwrap_or_default();
    // The row that is going on for each file: how many, and the last of them.
    let mut rows: BTreeMap<FileId, (usize, CommitId)> = BTreeMap::new();
    let mut found: BTreeMap<String, usize> = BTreeMap::new();
    for repeated in &history.repeated_fixes {
        let (fixes, last) = rows.entry(repeated.file).or_insert((1, repeated.first));
        let goes_on = repeated.same_lines && *last == repeated.first;
        *fixes = match (goes_on, repeated.same_lines) {
            (true, _) => *fixes + 1,
            (false, true) => 2,
            (false, false) => 1,
        };
        *last = repeated.again;
        let time = history.commits[repeated.again as usize].time;
        let path = history.path(repeated.file);
        let is_told = *fixes >= least
            && newest - time <= HALF_YEAR_SECONDS
            && history.files[repeated.file as usize].alive
            && place::can_hold_bugs(path);
        if is_told {
            let most = found.entry(path.to_owned()).or_default();
            *most = (*most).max(*fixes);
        }
    }
    found
}

/// The `limit` files that bugs like most, hottest first. Tests and prose change with fixes but hold no bugs.
pub fn hot_spots(history: &History, limit: usize) -> Vec<HotSpot> {
    let index = history.index();
    let mut spots: FxHashMap<FileId, HotSpot> = FxHashMap::default();
    for (entry, weight) in history.commits.iter().zip(&index.weights) {
        if !counts_as_fix(entry.nature) {
            continue;
        }
        let is_spot = |file: &FileId| {
            history.files[*file as usize].alive && place::can_hold_bugs(history.path(*file))
        };
        for file in entry.files.iter().copied().filter(is_spot) {
            let spot = spots.entry(file).or_insert_with(|| HotSpot {
                path: history.path(file).to_owned(),
                fixes: 0,
                repeated_fixes: 0,
                heat: 0.0,
            });
            spot.fixes += 1;
            spot.heat += weight;
        }
    }
    for repeated in &history.repeated_fixes {
        if let Some(spot) = spots.get_mut(&repeated.file) {
            spot.repeated_fixes += 1;
            spot.heat += index.weights[repeated.again as usize];
        }
    }
    let mut spots: Vec<HotSpot> = spots.into_values().collect();
    spots.sort_by(|a, b| b.heat.total_cmp(&a.heat).then_with(|| a.path.cmp(&b.path)));
    spots.truncate(limit);
    spots
}

/// Pairs of existing files that changed together `least_times` at least, heaviest first, `limit` at most.
pub fn co_changes(history: &History, least_times: usize, limit: usize) -> Vec<CoChange> {
    let index = history.index();
    let mut pairs: FxHashMap<(FileId, FileId), (usize, f32)> = FxHashMap::default();
    let weighted = history.commits.iter().zip(&index.weights);
    for (commit, (entry, weight)) in (0_u32..)
        .zip(weighted)
        .filter(|(_, (_, weight))| **weight > 0.0)
    {
        let alive: Vec<FileId> = entry
            .files
            .iter()
            .copied()
            .filter(|&file| history.files[file as usize].alive)
            .collect();
        for (at, &a) in alive.iter().enumerate() {
            for b in alive[at + 1..]
                .iter()
                .copied()
                .filter(|&b| !history.were_one(a, b, commit))
            {
                let (times, sum) = pairs.entry((a, b)).or_default();
                *times += 1;
                *sum += weight / (entry.files.len() - 1) as f32;
            }
        }
    }
    let kept = pairs
        .into_iter()
        .filter(|(_, (times, _))| *times >= least_times);
    let mut edges: Vec<CoChange> = kept
        .map(|((a, b), (times, weight))| {
            let (a, b) = (history.path(a), history.path(b));
            let (a, b) = if a <= b { (a, b) } else { (b, a) };
            CoChange {
                a: a.to_owned(),
                b: b.to_owned(),
                times,
                weight,
            }
        })
        .collect();
    edges.sort_by(|x, y| {
        y.weight
            .total_cmp(&x.weight)
            .then_with(|| (&x.a, &x.b).cmp(&(&y.a, &y.b)))
    });
    edges.truncate(limit);
    edges
}

/// Whether history knows a file of this path that is gone, or lies elsewhere by now.
pub fn is_gone(history: &History, path: &str) -> bool {
    history.find(path).is_some() && current_path(history, path) != Some(path)
}

/// When a commit last touched the file that once had `path`, in seconds; of a file that is gone, when it went.
pub fn last_touched(history: &History, path: &str) -> Option<i64> {
    let file = history.find(path)?;
    let mut newest_first = history.commits.iter().rev();
    let touched = newest_first.find(|commit| commit.files.contains(&file));
    touched.map(|commit| commit.time)
}

/// Where the file that once had `path` lies today; `None` when it is gone or never was.
pub fn current_path<'h>(history: &'h History, path: &str) -> Option<&'h str> {
    let file = history.find(path)?;
    history.files[file as usize]
        .alive
        .then(|| history.path(file))
}

fn counts_as_fix(nature: super::commit::Nature) -> bool {
    nature.is(Trait::Fix) && !nature.is(Trait::Sweep) && !nature.is(Trait::Automatic)
}

fn name(history: &History, commit: CommitId) -> CommitName {
    let entry = &history.commits[commit as usize];
    CommitName {
        id: format!("{:016x}", entry.id),
        time: entry.time,
        author: history.authors.list[entry.author as usize].clone(),
    }
}

fn empty_facts(path: &str) -> FileFacts {
    FileFacts {
        path: path.to_owned(),
        former_paths: Vec::new(),
        commits: 0,
        fixes: 0,
        reverted: 0,
        repeated_fixes: 0,
        volatility: 0.0,
        authors: Vec::new(),
        last_changed: None,
    }
}
