//! The text of a task → the files it will probably touch, from how earlier commits described theirs.

use std::fmt;

use oldhand_domain::bm25::Bm25;
use rustc_hash::{FxHashMap, FxHashSet};

use super::coupled::weigh_neighbours;
use super::index::Index;
use super::log::{CommitId, FileId, History, message_words};
use super::place;
use super::rank::{Ranked, Weighed, rank, sum, top};

/// A file that a text is probably about.
#[derive(Clone, Debug, PartialEq)]
pub struct Expected {
    pub path: String,
    /// About how probable it is that the work touches it, in `0.0..=1.0`.
    pub strength: f32,
    /// Strongest first; never empty.
    pub because: Vec<Hint>,
}

impl Expected {
    /// Whether the text speaks for it at all: what changes often changes whatever is asked.
    pub fn is_spoken_for(&self) -> bool {
        !self.because.contains(&Hint::OftenChanged)
    }
}

/// One reason to expect a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Hint {
    /// The text says the file's name.
    Mentioned,
    /// Earlier commits that said these words changed it.
    SaidBefore(Vec<String>),
    /// Its path holds these words of the text.
    PathWords(Vec<String>),
    /// It changes with files that the text is about.
    ChangesAlong,
    /// It is among the files that change most.
    OftenChanged,
}

impl fmt::Display for Hint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Mentioned => f.write_str("named in the text"),
            Self::SaidBefore(words) => write!(f, "changed by commits about {}", words.join(", ")),
            Self::PathWords(words) => write!(f, "path says {}", words.join(", ")),
            Self::ChangesAlong => f.write_str("changes with files this is about"),
            Self::OftenChanged => f.write_str("changes often"),
        }
    }
}

/// The `limit` files that work described by `text` will most probably touch, most probable first.
pub fn files_for_message(history: &History, text: &str, limit: usize) -> Vec<Expected> {
    let index = history.index();
    let said = Said::new(history, index, text);
    let ranked = rank(
        history,
        said.candidates(),
        |file| said.look_at(file),
        |_| false,
        limit,
    );
    let answer = |one: Ranked<Features>| Expected {
        path: history.path(one.file).to_owned(),
        strength: strength(one.score),
        because: said.explain(one.file, &one.features),
    };
    ranked.into_iter().map(answer).collect()
}

const QUERY_WORDS: usize = 80;
const NEAREST_COMMITS: usize = 100;
const CANDIDATES: usize = 120;
const POPULAR_CANDIDATES: usize = 40;
const SEEDS: usize = 15;
/// A word in more than this share of all paths tells them not apart.
const COMMON_PATH_WORD: f32 = 0.3;
/// The first line says what a change is about, the rest how.
const SUBJECT_WEIGHT: f32 = 1.5;
const BODY_WEIGHT: f32 = 0.7;

/// What is known about one candidate; [`WEIGHTS`] has the same shape.
#[derive(Clone, Copy, Debug, Default)]
struct Features {
    /// How much the most similar commits changed it.
    similar_commits: f32,
    /// How similar the most similar commit is that changed it.
    nearest_commit: f32,
    /// All that was ever said about the file, against the text.
    profile: f32,
    path_words: f32,
    mentioned: f32,
    /// How well it is reached by co-change from the files found so far.
    along: f32,
    test: f32,
    activity: f32,
    recency: f32,
}

impl Features {
    fn parts(&self) -> [f32; 9] {
        [
            self.similar_commits,
            self.nearest_commit,
            self.profile,
            self.path_words,
            self.mentioned,
            self.along,
            self.test,
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
    similar_commits: 0.74,
    nearest_commit: 1.05,
    profile: 2.54,
    path_words: 1.4,
    mentioned: 0.47,
    along: 5.29,
    test: 0.49,
    activity: 0.36,
    recency: 1.4,
};

/// A score as a probability: of the answers of strength one third, about every third was touched.
fn strength(score: f32) -> f32 {
    1.0 / (1.0 + (7.977 - 1.024 * score).exp())
}

/// The text and everything that is looked up once for it.
struct Said<'h> {
    history: &'h History,
    index: &'h Index,
    lower: String,
    /// The first word of each root, as it is written.
    spelled: FxHashMap<String, String>,
    /// Words that the log's messages know, with their weight.
    words: Vec<(u32, f32)>,
    /// Words that paths know, with their weight.
    path_words: Vec<(u32, f32)>,
    similar: FxHashMap<FileId, f32>,
    similar_total: f32,
    nearest: FxHashMap<FileId, f32>,
    profile: FxHashMap<FileId, f32>,
    profile_most: f32,
    on_path: FxHashMap<FileId, f32>,
    along: FxHashMap<FileId, f32>,
}

impl<'h> Said<'h> {
    fn new(history: &'h History, index: &'h Index, text: &str) -> Self {
        let subject: FxHashSet<String> = message_words(text.lines().next().unwrap_or_default())
            .into_iter()
            .collect();
        let mut spoken = message_words(text);
        spoken.truncate(QUERY_WORDS);
        spoken.sort_unstable();
        spoken.dedup();
        let weight = |word: &String| {
            if subject.contains(word) {
                SUBJECT_WEIGHT
            } else {
                BODY_WEIGHT
            }
        };
        let known = |names: &FxHashMap<String, u32>| -> Vec<(u32, f32)> {
            spoken
                .iter()
                .filter_map(|word| Some((*names.get(word)?, weight(word))))
                .collect()
        };
        let mut said = Self {
            history,
            index,
            lower: text.to_lowercase(),
            spelled: place::spellings(text),
            words: known(&history.words.numbers),
            path_words: known(&index.path_words.numbers),
            similar: FxHashMap::default(),
            similar_total: 0.0,
            nearest: FxHashMap::default(),
            profile: FxHashMap::default(),
            profile_most: 1.0,
            on_path: FxHashMap::default(),
            along: FxHashMap::default(),
        };
        said.find_similar_commits();
        said.match_profiles();
        said.match_paths();
        said.spread();
        said
    }

    /// BM25 over messages; the files of the best ones, by closeness and shared among their files.
    fn find_similar_commits(&mut self) {
        let mut scores: FxHashMap<CommitId, f32> = FxHashMap::default();
        for &(word, weight) in &self.words {
            let weight = weight * self.index.word_rarity[word as usize];
            for commits in self.index.commits_of_word.row(word).chunk_by(|a, b| a == b) {
                let length = self.history.commits[commits[0] as usize].words.len() as f32;
                let length = length / self.index.mean_message_length;
                *scores.entry(commits[0]).or_default() +=
                    weight * saturate(commits.len() as f32, length);
            }
        }
        let mut best: Vec<(CommitId, f32)> = scores.into_iter().collect();
        best.sort_by(|a, b| b.1.total_cmp(&a.1).then(b.0.cmp(&a.0)));
        best.truncate(NEAREST_COMMITS);
        let closest = best.first().map_or(1.0, |(_, score)| *score);
        for (commit, score) in best {
            let files = &self.history.commits[commit as usize].files;
            let (closeness, weight) = (score / closest, self.index.weights[commit as usize]);
            let share = closeness.powi(3) * weight.powf(0.3) / (files.len() as f32).sqrt();
            for &file in files {
                *self.similar.entry(file).or_default() += share;
                let nearest = self.nearest.entry(file).or_default();
                *nearest = nearest.max(closeness * weight.powf(0.1));
            }
        }
        self.similar_total = self.similar.values().sum::<f32>() + f32::EPSILON;
    }

    /// BM25 over files, each a document of all that its commits said.
    fn match_profiles(&mut self) {
        for &(word, weight) in &self.words {
            let mut counts: FxHashMap<FileId, f32> = FxHashMap::default();
            for &commit in self.index.commits_of_word.row(word) {
                let files = &self.history.commits[commit as usize].files;
                let share = self.index.weights[commit as usize] / (files.len() as f32).sqrt();
                for &file in files {
                    *counts.entry(file).or_default() += share;
                }
            }
            let weight = weight * self.index.word_rarity[word as usize];
            for (file, count) in counts {
                let length = self.index.said_of_file[file as usize] / self.index.mean_said;
                *self.profile.entry(file).or_default() += weight * saturate(count, length);
            }
        }
        self.profile_most = self.profile.values().copied().fold(f32::EPSILON, f32::max);
    }

    fn match_paths(&mut self) {
        for &(word, weight) in &self.path_words {
            let files = self.index.files_with_path_word.row(word);
            if files.len() as f32 > self.index.live_files as f32 * COMMON_PATH_WORD {
                continue;
            }
            let weight = weight * self.index.path_word_rarity[word as usize];
            for &file in files {
                *self.on_path.entry(file).or_default() += weight;
            }
        }
    }

    /// From the best files so far to what changes with them.
    fn spread(&mut self) {
        let mut seeds: FxHashMap<FileId, f32> = FxHashMap::default();
        for (&file, share) in &self.similar {
            let profile = self
                .profile
                .get(&file)
                .map_or(0.0, |score| score / self.profile_most);
            seeds.insert(file, share / self.similar_total + 0.03 * profile);
        }
        let most = self.on_path.values().copied().fold(f32::EPSILON, f32::max);
        for (&file, found) in &self.on_path {
            *seeds.entry(file).or_default() += 0.05 * found / most;
        }
        for (seed, weight) in top(self.history, seeds.into_iter(), SEEDS) {
            let rate = weight / (self.index.activity[seed as usize] + 1.0);
            for (file, together) in weigh_neighbours(self.history, self.index, seed) {
                *self.along.entry(file).or_default() += rate * together;
            }
        }
    }

    fn candidates(&self) -> Vec<FileId> {
        let mut found: Vec<FileId> = self
            .index
            .popular
            .iter()
            .take(POPULAR_CANDIDATES)
            .copied()
            .collect();
        let best = |scores: &FxHashMap<FileId, f32>| {
            let best = top(
                self.history,
                scores.iter().map(|(&file, &score)| (file, score)),
                CANDIDATES,
            );
            best.into_iter()
                .map(|(file, _)| file)
                .collect::<Vec<FileId>>()
        };
        found.extend(best(&self.similar));
        found.extend(best(&self.profile));
        found.extend(best(&self.along));
        found.extend(best(&self.on_path));
        found.sort_unstable();
        found.dedup();
        found.retain(|&file| self.history.files[file as usize].alive);
        found
    }

    fn look_at(&self, file: FileId) -> Features {
        let path = self.history.path(file);
        let value =
            |scores: &FxHashMap<FileId, f32>| scores.get(&file).copied().unwrap_or_default();
        Features {
            similar_commits: (value(&self.similar) / self.similar_total).sqrt(),
            nearest_commit: value(&self.nearest),
            profile: value(&self.profile) / self.profile_most,
            path_words: value(&self.on_path) / 10.0,
            mentioned: f32::from(u8::from(self.mentions(path))),
            along: value(&self.along).sqrt(),
            test: f32::from(u8::from(place::is_test(path))),
            activity: (self.index.activity[file as usize] + 0.01).ln(),
            recency: self.index.recency[file as usize],
        }
    }

    /// Whether the text says the file's name, with its ending or, when long enough to be no accident, without.
    fn mentions(&self, path: &str) -> bool {
        let name = path
            .rsplit_once('/')
            .map_or(path, |(_, name)| name)
            .to_lowercase();
        let stem = name
            .rsplit_once('.')
            .map_or(name.as_str(), |(stem, _)| stem);
        let is_telling = stem.len() > 5 && !place::is_common_stem(stem);
        contains_word(&self.lower, &name) || (is_telling && contains_word(&self.lower, stem))
    }

    fn spell(&self, roots: &[String]) -> Vec<String> {
        let spelled = |root: &String| self.spelled.get(root).unwrap_or(root).clone();
        roots.iter().map(spelled).collect()
    }

    fn explain(&self, file: FileId, features: &Features) -> Vec<Hint> {
        let mut because = Vec::new();
        if features.mentioned > 0.0 {
            because.push(Hint::Mentioned);
        }
        let said_before = rarest_words(
            &self.words,
            &self.index.word_rarity,
            &self.history.words.list,
            |word| {
                let commits = self.index.commits_of_word.row(word);
                commits
                    .iter()
                    .any(|&commit| self.history.commits[commit as usize].files.contains(&file))
            },
        );
        if !said_before.is_empty() {
            because.push(Hint::SaidBefore(self.spell(&said_before)));
        }
        let rarity = &self.index.path_word_rarity;
        let on_path = rarest_words(
            &self.path_words,
            rarity,
            &self.index.path_words.list,
            |word| {
                self.on_path.contains_key(&file)
                    && self.index.words_of_path.row(file).contains(&word)
            },
        );
        if !on_path.is_empty() {
            because.push(Hint::PathWords(self.spell(&on_path)));
        }
        if because.is_empty() && features.along > 0.0 {
            because.push(Hint::ChangesAlong);
        }
        if because.is_empty() {
            because.push(Hint::OftenChanged);
        }
        because
    }
}

/// The three rarest of `words` that `holds`.
fn rarest_words(
    words: &[(u32, f32)],
    rarity: &[f32],
    names: &[String],
    holds: impl Fn(u32) -> bool,
) -> Vec<String> {
    let mut held: Vec<u32> = words
        .iter()
        .map(|(word, _)| *word)
        .filter(|word| holds(*word))
        .collect();
    held.sort_by(|&a, &b| {
        rarity[b as usize]
            .total_cmp(&rarity[a as usize])
            .then(a.cmp(&b))
    });
    held.into_iter()
        .take(3)
        .map(|word| names[word as usize].clone())
        .collect()
}

/// BM25's saturation: the tenth mention says less than the first; `length` is the text's against the mean.
fn saturate(count: f32, length: f32) -> f32 {
    Bm25::USUAL.weigh(f64::from(count), f64::from(length)) as f32
}

fn contains_word(text: &str, word: &str) -> bool {
    let is_letter = |c: char| c.is_alphanumeric() || c == '_';
    text.match_indices(word).any(|(at, _)| {
        let before = text[..at].chars().next_back();
        let after = text[at + word.len()..].chars().next();
        !word.is_empty() && !before.is_some_and(is_letter) && !after.is_some_and(is_letter)
    })
}
