//! What both predictions look up, derived from the log in one pass: weights, postings, words of paths.

use rustc_hash::FxHashMap;

use super::commit::{SWEEP_FILES, Trait};
use super::log::{CommitId, Entry, FileId, History, Names};
use super::place;

/// After this many days a commit counts half.
const HALF_LIFE_DAYS: f64 = 730.0;
/// Old knowledge fades, but never to nothing.
const LEAST_WEIGHT: f64 = 0.05;
/// What programs change together says little.
const AUTOMATIC_WEIGHT: f64 = 0.3;
/// After this many commits "recently" has faded to a third.
const RECENT_COMMITS: f32 = 500.0;
const POPULAR_KEPT: usize = 60;

#[derive(Debug, Default)]
pub(super) struct Index {
    /// What each commit counts for; zero for merges and sweeps.
    pub(super) weights: Vec<f32>,
    pub(super) commits_of_file: Lists,
    pub(super) commits_of_folder: Lists,
    pub(super) commits_of_word: Lists,
    /// So many companions a file has in a commit of middling size. Among more of them a commit says less of each.
    pub(super) usual_company: usize,
    /// The sum of the weights of a file's commits.
    pub(super) activity: Vec<f32>,
    /// One when changed by the newest commit, falling towards zero; zero when never.
    pub(super) recency: Vec<f32>,
    pub(super) folder_of: Vec<u32>,
    pub(super) files_in_folder: Lists,
    pub(super) path_words: Names,
    pub(super) words_of_path: Lists,
    /// Living files only.
    pub(super) files_with_path_word: Lists,
    /// How rare a word of paths is.
    pub(super) path_word_rarity: Vec<f32>,
    pub(super) files_by_stem: FxHashMap<String, Vec<FileId>>,
    /// The most active living files, most active first.
    pub(super) popular: Vec<FileId>,
    pub(super) word_rarity: Vec<f32>,
    pub(super) mean_message_length: f32,
    /// How much has been said about a file in messages, and the mean of it.
    pub(super) said_of_file: Vec<f32>,
    pub(super) mean_said: f32,
    pub(super) live_files: usize,
    /// How many small commits there are before each commit, and after the last of them.
    pub(super) small_before: Vec<usize>,
    /// The commit that brought each file, be it a sweep.
    pub(super) brought_by: Vec<Option<CommitId>>,
    /// Whether all that an author ever commits is releases: a program of the project, or a person's script.
    pub(super) only_releases: Vec<bool>,
}

/// Fewer releases may be all that a person has done so far.
const RELEASES: usize = 3;

/// A commit of more files joins whatever lay about.
pub(super) const SMALL_COMMIT: usize = 15;

impl Index {
    pub(super) fn build(history: &History) -> Self {
        let file_count = history.files.len();
        let weights = weigh(&history.commits);
        let counted = || {
            (0_u32..)
                .zip(&history.commits)
                .filter(|(at, _)| weights[*at as usize] > 0.0)
        };

        let mut folders = Names::default();
        let folder_of: Vec<u32> = history
            .files
            .iter()
            .map(|file| folders.intern(place::folder(&file.path)))
            .collect();
        let mut path_words = Names::default();
        let words_of_path = Lists::from_rows(history.files.iter().map(|file| {
            let words = place::path_words(&file.path);
            words
                .iter()
                .map(|word| path_words.intern(word))
                .collect::<Vec<u32>>()
        }));

        let mut activity = vec![0.0; file_count];
        let mut recency = vec![0.0; file_count];
        let mut said_of_file = vec![0.0; file_count];
        let mut message_length = 0;
        let newest = history.commits.len() as f32;
        for (at, entry) in counted() {
            let weight = weights[at as usize];
            message_length += entry.words.len();
            for &file in &entry.files {
                activity[file as usize] += weight;
                recency[file as usize] = (-(newest - at as f32) / RECENT_COMMITS).exp();
                said_of_file[file as usize] +=
                    weight * entry.words.len() as f32 / (entry.files.len() as f32).sqrt();
            }
        }

        let is_live = |file: &FileId| history.files[*file as usize].alive;
        let live: Vec<FileId> = (0..file_count as FileId).filter(is_live).collect();
        let mut popular = live.clone();
        popular.sort_by(|a, b| {
            let by_activity = activity[*b as usize].total_cmp(&activity[*a as usize]);
            by_activity.then_with(|| history.path(*a).cmp(history.path(*b)))
        });
        popular.truncate(POPULAR_KEPT);
        let mut files_by_stem: FxHashMap<String, Vec<FileId>> = FxHashMap::default();
        for &file in &live {
            files_by_stem
                .entry(place::stem(history.path(file)))
                .or_default()
                .push(file);
        }

        let files_with_path_word = Lists::invert(
            path_words.list.len(),
            live.iter().flat_map(|&file| {
                words_of_path
                    .row(file)
                    .iter()
                    .map(move |&word| (word, file))
            }),
        );
        let commits_of_word = Lists::invert(
            history.words.list.len(),
            counted().flat_map(|(at, entry)| entry.words.iter().map(move |&word| (word, at))),
        );
        let said_files = said_of_file
            .iter()
            .filter(|said| **said > 0.0)
            .count()
            .max(1);
        let commit_count = counted().count();
        Self {
            commits_of_file: Lists::invert(
                file_count,
                counted().flat_map(|(at, entry)| entry.files.iter().map(move |&file| (file, at))),
            ),
            commits_of_folder: Lists::invert(
                folders.list.len(),
                counted().flat_map(|(at, entry)| {
                    folders_of(entry, &folder_of)
                        .into_iter()
                        .map(move |it| (it, at))
                }),
            ),
            files_in_folder: Lists::invert(
                folders.list.len(),
                live.iter().map(|&file| (folder_of[file as usize], file)),
            ),
            path_word_rarity: (0..path_words.list.len() as u32)
                .map(|word| {
                    (1.0 + live.len() as f32 / files_with_path_word.row(word).len().max(1) as f32)
                        .ln()
                })
                .collect(),
            word_rarity: (0..history.words.list.len() as u32)
                .map(|word| {
                    let mut commits = commits_of_word.row(word).to_vec();
                    commits.dedup();
                    let (all, with) = (commit_count as f32, commits.len() as f32);
                    (1.0 + (all - with + 0.5) / (with + 0.5)).ln()
                })
                .collect(),
            mean_message_length: message_length as f32 / commit_count.max(1) as f32,
            mean_said: said_of_file.iter().sum::<f32>() / said_files as f32,
            live_files: live.len(),
            small_before: count_small(&history.commits, &weights),
            brought_by: find_births(&history.commits, file_count),
            usual_company: Sizes::of(&history.commits).middle.saturating_sub(1).max(1),
            only_releases: find_releasers(&history.commits, history.authors.list.len()),
            weights,
            commits_of_word,
            activity,
            recency,
            folder_of,
            path_words,
            words_of_path,
            files_with_path_word,
            files_by_stem,
            popular,
            said_of_file,
        }
    }

    /// How rare the words are that two sorted lists of words of paths share, all together.
    pub(super) fn shared_rarity(&self, a: &[u32], b: &[u32]) -> f32 {
        a.iter()
            .filter(|word| b.contains(word))
            .map(|&word| self.path_word_rarity[word as usize])
            .sum()
    }

    pub(super) fn total_rarity(&self, words: &[u32]) -> f32 {
        words
            .iter()
            .map(|&word| self.path_word_rarity[word as usize])
            .sum()
    }
}

fn find_births(commits: &[Entry], files: usize) -> Vec<Option<CommitId>> {
    let mut births = vec![None; files];
    for (at, entry) in (0..).zip(commits) {
        for &file in &entry.files {
            births[file as usize].get_or_insert(at);
        }
    }
    births
}

fn find_releasers(commits: &[Entry], authors: usize) -> Vec<bool> {
    let mut seen = vec![0; authors];
    let mut releases = vec![0; authors];
    for entry in commits {
        seen[entry.author as usize] += 1;
        releases[entry.author as usize] += usize::from(entry.nature.is(Trait::Release));
    }
    let all = seen.iter().zip(&releases);
    all.map(|(seen, releases)| *releases >= RELEASES && seen == releases)
        .collect()
}

fn count_small(commits: &[Entry], weights: &[f32]) -> Vec<usize> {
    let mut before = vec![0];
    let mut small = 0;
    for (entry, weight) in commits.iter().zip(weights) {
        let is_small = (1..=SMALL_COMMIT).contains(&entry.files.len());
        let counts = *weight > 0.0 && !entry.nature.is(Trait::Automatic);
        small += usize::from(is_small && counts);
        before.push(small);
    }
    before
}

/// The folders that a commit touches, each once.
pub(super) fn folders_of(entry: &Entry, folder_of: &[u32]) -> Vec<u32> {
    let mut folders: Vec<u32> = entry
        .files
        .iter()
        .map(|&file| folder_of[file as usize])
        .collect();
    folders.sort_unstable();
    folders.dedup();
    folders
}

fn weigh(commits: &[Entry]) -> Vec<f32> {
    let now = commits
        .iter()
        .map(|entry| entry.time)
        .max()
        .unwrap_or_default();
    let usual = Sizes::of(commits).largest_usual;
    let weigh_one = |entry: &Entry| {
        let files = entry.files.len();
        let is_sweep = entry.nature.is(Trait::Formatting)
            || entry.nature.is(Trait::Sweep) && !(SWEEP_FILES..=usual).contains(&files);
        if entry.nature.is(Trait::Merge) || is_sweep || files == 0 {
            return 0.0;
        }
        let days = (now - entry.time) as f64 / 86_400.0;
        let faded = 0.5_f64.powf(days / HALF_LIFE_DAYS).max(LEAST_WEIGHT);
        let by_hand = if entry.nature.is(Trait::Automatic) {
            AUTOMATIC_WEIGHT
        } else {
            1.0
        };
        (faded * by_hand) as f32
    };
    commits.iter().map(weigh_one).collect()
}

/// How many files commits have here.
struct Sizes {
    /// Half of them have no more.
    middle: usize,
    /// One in ten, and no fewer than five, have as many or more. Where branches are squashed into one commit each, such commits are how
    /// people work, and no sweeps.
    largest_usual: usize,
}

impl Sizes {
    fn of(commits: &[Entry]) -> Self {
        let one_by_one = commits.iter().filter(|entry| {
            let is_left_out = entry.nature.is(Trait::Merge) || entry.nature.is(Trait::Formatting);
            !is_left_out && !entry.files.is_empty()
        });
        let mut sizes: Vec<usize> = one_by_one.map(|entry| entry.files.len()).collect();
        sizes.sort_unstable();
        let largest = (sizes.len() / 10).max(5);
        let largest = sizes.len().checked_sub(largest).map(|at| sizes[at]);
        Self {
            middle: sizes.get(sizes.len() / 2).copied().unwrap_or_default(),
            largest_usual: largest.unwrap_or_default().min(SQUASHED_FILES),
        }
    }
}

/// Nobody changes more files than this for one purpose, squashed or not.
const SQUASHED_FILES: usize = 100;

/// Many lists of numbers in two flat arrays.
#[derive(Debug, Default)]
pub(super) struct Lists {
    starts: Vec<u32>,
    items: Vec<u32>,
}

impl Lists {
    fn from_rows(rows: impl Iterator<Item = Vec<u32>>) -> Self {
        let mut lists = Self {
            starts: vec![0],
            items: Vec::new(),
        };
        for row in rows {
            lists.items.extend(row);
            lists.starts.push(lists.items.len() as u32);
        }
        lists
    }

    /// The items of each of `count` keys, in the order of `pairs`, which is walked twice.
    fn invert(count: usize, pairs: impl Iterator<Item = (u32, CommitId)> + Clone) -> Self {
        let mut starts = vec![0_u32; count + 1];
        for (key, _) in pairs.clone() {
            starts[key as usize + 1] += 1;
        }
        for at in 1..starts.len() {
            starts[at] += starts[at - 1];
        }
        let mut next = starts.clone();
        let mut items = vec![0; starts[count] as usize];
        for (key, item) in pairs {
            items[next[key as usize] as usize] = item;
            next[key as usize] += 1;
        }
        Self { starts, items }
    }

    pub(super) fn row(&self, key: u32) -> &[u32] {
        let key = key as usize;
        &self.items[self.starts[key] as usize..self.starts[key + 1] as usize]
    }
}
