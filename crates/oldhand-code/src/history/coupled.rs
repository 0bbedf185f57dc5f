//! One touched file → the files that will probably change with it.

use std::fmt;

use rustc_hash::FxHashMap;

use super::index::{Index, folders_of};
use super::log::{FileId, History};
use super::place;
use super::rank::{Ranked, Weighed, rank, sum, top};
use crate::language::language_of;

/// A file that tends to change when the asked one does.
#[derive(Clone, Debug, PartialEq)]
pub struct Coupled {
    pub path: String,
    /// About how often it changes along, in `0.0..=1.0`.
    pub strength: f32,
    /// Strongest first; never empty.
    pub because: Vec<Because>,
}

/// One reason to expect a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Because {
    /// So many of the commits that changed the asked file changed both; the newest was at this second since 1970.
    ChangedTogether {
        times: usize,
        of: usize,
        newest: i64,
    },
    /// It is named after the asked file: its test, or what the asked test tests.
    TestPair,
    /// Their paths share this uncommon word.
    SharedWord(String),
    /// Files of the two folders change together.
    FoldersChangeTogether,
    /// It changes with a file that the asked one changes with.
    Through(String),
    /// It is among the files that change most.
    OftenChanged,
}

impl fmt::Display for Because {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::ChangedTogether { times, of, .. } => {
                write!(f, "changed together in {times} of {of} commits")
            }
            Self::TestPair => f.write_str("test and tested"),
            Self::SharedWord(word) => write!(f, "both named {word}"),
            Self::FoldersChangeTogether => f.write_str("their folders change together"),
            Self::Through(path) => write!(f, "both change with {path}"),
            Self::OftenChanged => f.write_str("changes often"),
        }
    }
}

/// Whether `other` is listed below all source when the source at `asked` is asked about: change logs, lock files and
/// settings go with nearly every change, and would leave no place for the source that has to change as well. What is no
/// prose but changes in one of four cases keeps its place.
pub fn is_listed_last(asked: &str, other: &str, strength: f32) -> bool {
    let is_source = |path| language_of(path).is_some();
    is_source(asked)
        && !is_source(other)
        && (strength < ONE_IN_FOUR || place::is_prose_or_list(other))
}

const ONE_IN_FOUR: f32 = 0.25;

/// The `limit` files most coupled to the one at `path`, strongest first but for those that are listed last. A path
/// without history is judged by its name; only files that exist are answered.
pub fn coupled(history: &History, path: &str, limit: usize) -> Vec<Coupled> {
    let index = history.index();
    let asked = Asked::new(history, index, path);
    let is_last =
        |one: &Ranked<Features>| is_listed_last(path, history.path(one.file), strength(one.score));
    let ranked = rank(
        history,
        asked.candidates(),
        |file| asked.look_at(file),
        is_last,
        limit,
    );
    let answer = |one: Ranked<Features>| Coupled {
        path: history.path(one.file).to_owned(),
        strength: strength(one.score),
        because: asked.explain(one.file, &one.features),
    };
    ranked.into_iter().map(answer).collect()
}

/// Weights of two steps: neighbours of this many nearest neighbours.
const NEAREST: usize = 30;
const SECOND_STEP_CANDIDATES: usize = 60;
const FOLDER_CANDIDATES: usize = 80;
const SHARED_WORDS: usize = 4;
/// A word in more paths than this finds too much to be a lead.
const SHARED_WORD_FILES: usize = 60;
const POPULAR_CANDIDATES: usize = 30;

/// What is known about one candidate; [`WEIGHTS`] has the same shape.
#[derive(Clone, Copy, Debug, Default)]
struct Features {
    /// The logarithm of how often it changes when the asked file does.
    together: f32,
    /// Never changed together: one, else zero. Keeps `together` from punishing twice what was never seen.
    unseen: f32,
    /// How well it is reached over a common neighbour.
    second_step: f32,
    /// How often its folder changes when the asked file's folder does.
    folders: f32,
    same_folder: f32,
    test_pair: f32,
    shared_words: f32,
    rarest_shared_word: f32,
    same_extension: f32,
    activity: f32,
    recency: f32,
}

impl Features {
    fn parts(&self) -> [f32; 11] {
        [
            self.together,
            self.unseen,
            self.second_step,
            self.folders,
            self.same_folder,
            self.test_pair,
            self.shared_words,
            self.rarest_shared_word,
            self.same_extension,
            self.activity,
            self.recency,
        ]
    }
}

impl Weighed for Features {
    fn score(&self) -> f32 {
        sum(self.parts(), WEIGHTS.parts())
    }
}

/// Fitted on the tuning half of the repositories of docs/benchmarks/cochange.md.
const WEIGHTS: Features = Features {
    together: 0.74,
    unseen: 0.84,
    second_step: 2.35,
    folders: 1.89,
    same_folder: -0.58,
    test_pair: 0.82,
    shared_words: 1.49,
    rarest_shared_word: 0.79,
    same_extension: 0.26,
    activity: 0.05,
    recency: 1.03,
};

/// A score as a rate: of the answers of strength one third, about every third did change along.
fn strength(score: f32) -> f32 {
    1.0 / (1.0 + (2.765 - 0.98 * score).exp())
}

/// The asked file and everything that is looked up once for it.
struct Asked<'h> {
    history: &'h History,
    index: &'h Index,
    path: &'h str,
    file: Option<FileId>,
    stem: String,
    /// The first word of each root in its path, as it is written.
    spelled: FxHashMap<String, String>,
    is_test: bool,
    words: Vec<u32>,
    word_rarity: f32,
    activity: f32,
    together: FxHashMap<FileId, Together>,
    second_step: FxHashMap<FileId, (f32, FileId)>,
    folder: Option<u32>,
    folders: FxHashMap<u32, f32>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Together {
    weight: f32,
    times: usize,
    newest: i64,
}

impl<'h> Asked<'h> {
    fn new(history: &'h History, index: &'h Index, path: &'h str) -> Self {
        let file = history.find(path);
        let words: Vec<u32> = if let Some(file) = file {
            index.words_of_path.row(file).to_vec()
        } else {
            let words = place::path_words(path);
            let numbers = &index.path_words.numbers;
            words
                .iter()
                .filter_map(|word| numbers.get(word).copied())
                .collect()
        };
        let folder = file
            .map(|file| index.folder_of[file as usize])
            .or_else(|| find_sibling_folder(history, index, path));
        let together = file
            .map(|file| count_together(history, index, file))
            .unwrap_or_default();
        let mut asked = Self {
            history,
            index,
            path,
            file,
            stem: place::stem(path),
            spelled: place::spellings(path),
            is_test: place::is_test(path),
            word_rarity: index.total_rarity(&words),
            words,
            activity: file.map_or(0.0, |file| index.activity[file as usize]),
            second_step: FxHashMap::default(),
            together,
            folder,
            folders: folder
                .map(|folder| count_folders(history, index, folder))
                .unwrap_or_default(),
        };
        asked.take_second_steps();
        asked
    }

    /// Spreads over the nearest neighbours, each by its share, to what they change with.
    fn take_second_steps(&mut self) {
        let total: f32 = self.together.values().map(|together| together.weight).sum();
        for (near, weight) in self.nearest(NEAREST) {
            let beyond = count_together(self.history, self.index, near);
            let beyond_total: f32 = beyond.values().map(|together| together.weight).sum();
            for (file, step) in beyond {
                if Some(file) == self.file {
                    continue;
                }
                let reached = weight / total * step.weight / beyond_total;
                let entry = self.second_step.entry(file).or_insert((0.0, near));
                entry.0 += reached;
            }
        }
    }

    /// The files most changed together with the asked one, most first.
    fn nearest(&self, limit: usize) -> Vec<(FileId, f32)> {
        top(
            self.history,
            self.together
                .iter()
                .map(|(&file, together)| (file, together.weight)),
            limit,
        )
    }

    fn candidates(&self) -> Vec<FileId> {
        let mut found: Vec<FileId> = self.together.keys().copied().collect();
        let reached = self
            .second_step
            .iter()
            .map(|(&file, &(weight, _))| (file, weight));
        found.extend(
            top(self.history, reached, SECOND_STEP_CANDIDATES)
                .into_iter()
                .map(|(file, _)| file),
        );
        if let Some(named_alike) = self.index.files_by_stem.get(&self.stem) {
            found.extend(named_alike.iter().take(SHARED_WORD_FILES));
        }
        if let Some(folder) = self.folder {
            found.extend(
                self.index
                    .files_in_folder
                    .row(folder)
                    .iter()
                    .take(FOLDER_CANDIDATES),
            );
        }
        let mut words = self.words.clone();
        words.sort_by(|&a, &b| {
            let rarity = |word: u32| self.index.path_word_rarity[word as usize];
            rarity(b).total_cmp(&rarity(a)).then(a.cmp(&b))
        });
        for &word in words.iter().take(SHARED_WORDS) {
            let files = self.index.files_with_path_word.row(word);
            if files.len() <= SHARED_WORD_FILES {
                found.extend(files);
            }
        }
        found.extend(self.index.popular.iter().take(POPULAR_CANDIDATES));
        found.sort_unstable();
        found.dedup();
        found.retain(|&file| Some(file) != self.file && self.history.files[file as usize].alive);
        found
    }

    fn look_at(&self, file: FileId) -> Features {
        let index = self.index;
        let path = self.history.path(file);
        let together = self.together.get(&file).copied().unwrap_or_default();
        let rate = together.weight / (self.activity + 1.0);
        let activity = index.activity[file as usize];
        let folder = index.folder_of[file as usize];
        let words = index.words_of_path.row(file);
        let shared = index.shared_rarity(&self.words, words);
        let all = self.word_rarity + index.total_rarity(words) - shared;
        let rarest = self
            .rarest_shared_word(words)
            .map_or(0.0, |word| index.path_word_rarity[word as usize]);
        Features {
            together: (rate + 1e-3).ln(),
            unseen: f32::from(u8::from(together.times == 0)),
            second_step: self
                .second_step
                .get(&file)
                .map_or(0.0, |(weight, _)| weight.sqrt()),
            folders: self.folders.get(&folder).map_or(0.0, |share| share.sqrt()),
            same_folder: f32::from(u8::from(self.folder == Some(folder))),
            test_pair: f32::from(u8::from(self.is_test_pair(path))),
            shared_words: shared / (all + f32::EPSILON),
            rarest_shared_word: rarest / (1.0 + index.live_files as f32).ln(),
            same_extension: f32::from(u8::from(
                place::extension(path) == place::extension(self.path),
            )),
            activity: (activity + 0.01).ln(),
            recency: index.recency[file as usize],
        }
    }

    fn is_test_pair(&self, path: &str) -> bool {
        self.is_test != place::is_test(path)
            && !place::is_common_stem(&self.stem)
            && place::stem(path) == self.stem
    }

    fn rarest_shared_word(&self, words: &[u32]) -> Option<u32> {
        let shared = words
            .iter()
            .copied()
            .filter(|word| self.words.contains(word));
        shared.max_by(|&a, &b| {
            let rarity = |word: u32| self.index.path_word_rarity[word as usize];
            rarity(a).total_cmp(&rarity(b)).then(b.cmp(&a))
        })
    }

    fn explain(&self, file: FileId, features: &Features) -> Vec<Because> {
        let mut because = Vec::new();
        if let Some(together) = self.together.get(&file) {
            let of = self.file.map_or(0, |file| {
                let commits = self.index.commits_of_file.row(file);
                commits.len()
            });
            because.push(Because::ChangedTogether {
                times: together.times,
                of,
                newest: together.newest,
            });
        }
        if features.test_pair > 0.0 {
            because.push(Because::TestPair);
        }
        let shared = self.rarest_shared_word(self.index.words_of_path.row(file));
        if let Some(word) = shared.filter(|_| features.rarest_shared_word > 0.5) {
            let word = &self.index.path_words.list[word as usize];
            let spelled = self.spelled.get(word).unwrap_or(word);
            because.push(Because::SharedWord(spelled.clone()));
        }
        if because.is_empty()
            && let Some(&(_, near)) = self.second_step.get(&file)
        {
            because.push(Because::Through(self.history.path(near).to_owned()));
        }
        if because.is_empty() && features.folders > 0.3 {
            because.push(Because::FoldersChangeTogether);
        }
        if because.is_empty() {
            because.push(Because::OftenChanged);
        }
        because
    }
}

/// What changed in the same commits as `file`, each commit shared out among its files.
pub(super) fn weigh_neighbours(
    history: &History,
    index: &Index,
    file: FileId,
) -> FxHashMap<FileId, f32> {
    count_together(history, index, file)
        .into_iter()
        .map(|(file, together)| (file, together.weight))
        .collect()
}

fn count_together(history: &History, index: &Index, file: FileId) -> FxHashMap<FileId, Together> {
    let mut counts: FxHashMap<FileId, Together> = FxHashMap::default();
    for &commit in index.commits_of_file.row(file) {
        let entry = &history.commits[commit as usize];
        let others = (entry.files.len() - 1).max(index.usual_company);
        let share = index.usual_company as f32 / others as f32;
        let is_other = |other: &FileId| *other != file && !history.were_one(*other, file, commit);
        for other in entry.files.iter().copied().filter(is_other) {
            let together = counts.entry(other).or_default();
            together.weight += index.weights[commit as usize] * share;
            together.times += 1;
            together.newest = together.newest.max(entry.time);
        }
    }
    counts
}

/// The share of each folder in what changes with `folder`.
fn count_folders(history: &History, index: &Index, folder: u32) -> FxHashMap<u32, f32> {
    let mut shares: FxHashMap<u32, f32> = FxHashMap::default();
    for &commit in index.commits_of_folder.row(folder) {
        let entry = &history.commits[commit as usize];
        if entry.files.len() < 2 {
            continue;
        }
        let weight = index.weights[commit as usize] / (entry.files.len() - 1) as f32;
        for other in folders_of(entry, &index.folder_of) {
            *shares.entry(other).or_default() += weight;
        }
    }
    let total: f32 = shares.values().sum();
    for share in shares.values_mut() {
        *share /= total;
    }
    shares
}

/// A file that git has not seen yet lies in a folder that it may have.
fn find_sibling_folder(history: &History, index: &Index, path: &str) -> Option<u32> {
    let wanted = place::folder(path);
    let sibling = history
        .files
        .iter()
        .position(|file| place::folder(&file.path) == wanted)?;
    Some(index.folder_of[sibling])
}
