//! Where in the code a text belongs: an issue, a task, a traceback → the files it will be about.
//!
//! Many clues, each cheap: files and names the text says, words inside and in paths, what the pieces of the likeliest files say and
//! mean, what commits said, who imports whom. A linear model adds them up; its weights were learned on public issues
//! with known fixes (`docs/benchmarks/localise.md`). Nothing is kept for it: the likeliest files are read where they lie.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;

mod closely;
mod clue;
mod mentions;
mod names;

pub use clue::{Clue, Clues};

use crate::concordance::Concordance;
use crate::history::log::History;
use crate::history::message::files_for_message;
use crate::index::Index;
use crate::snapshot::NodeId;
use mentions::Mentions;
use oldhand_domain::words;

/// What is known about the code.
#[derive(Clone, Copy)]
pub struct Ground<'a> {
    pub index: &'a Index,
    pub words: &'a Concordance,
    pub history: &'a History,
    /// A unit vector for each text.
    pub embed: &'a (dyn Fn(&[&str]) -> Vec<Vec<f32>> + Sync),
}

/// A file that a text is probably about.
#[derive(Clone, Debug, PartialEq)]
pub struct Located {
    pub path: String,
    /// Comparable within one answer only.
    pub score: f32,
    pub clues: Clues,
}

/// How many files the words of a text may bring.
const BY_WORDS: usize = 300;
/// How many files the history may bring.
const BY_HISTORY: usize = 100;
/// How many of the likeliest are read closely.
const READ: usize = 60;
/// The files whose surroundings count.
const BEST: usize = 8;

/// The files that `text` is probably about, likeliest first.
pub fn localise(ground: &Ground<'_>, text: &str, limit: usize) -> Vec<Located> {
    let mentions = Mentions::of(text);
    let query = Query::of(text, ground.words);
    let mut clues: FxHashMap<NodeId, Clues> = FxHashMap::default();
    by_words(ground, &query, &mut clues);
    names::by_names(ground, &mentions, &mut clues);
    by_history(ground, text, &mut clues);
    by_path_words(ground, &query, &mut clues);
    by_standing(ground, &mut clues);
    let first = ranked(&clues);
    let read: Vec<NodeId> = first.iter().take(READ).map(|(file, _)| *file).collect();
    closely::by_reading(ground, &query, &read, &mut clues);
    let second = ranked(&clues);
    by_neighbours(ground, &second, &mut clues);
    ranked(&clues)
        .into_iter()
        .take(limit)
        .map(|(file, score)| Located {
            path: ground.index.snapshot().path(file).to_owned(),
            score,
            clues: clues[&file],
        })
        .collect()
}

/// Best first; equal scores in the order of paths.
fn ranked(clues: &FxHashMap<NodeId, Clues>) -> Vec<(NodeId, f32)> {
    let mut ranked: Vec<(NodeId, f32)> = clues
        .iter()
        .map(|(file, clues)| (*file, clues.score()))
        .collect();
    ranked.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    ranked
}

/// The words of a text with their weights.
struct Query {
    title: String,
    /// All words, those of the first line twice as heavy.
    all: BTreeMap<String, f64>,
    first_line: BTreeMap<String, f64>,
    /// How rare each word is among files.
    rarity: FxHashMap<String, f64>,
    /// The beginning of the text, for its meaning.
    opening: String,
}

const OPENING: usize = 1_500;
const LONGEST: usize = 12_000;

impl Query {
    fn of(text: &str, concordance: &Concordance) -> Self {
        let text = text.trim_start();
        let title = text.lines().next().unwrap_or_default().to_owned();
        let text = &text[..text.floor_char_boundary(LONGEST)];
        let counts = count(text);
        let first_line = count(&title);
        let mut all = BTreeMap::new();
        for (word, times) in &counts {
            let titled = first_line.contains_key(word);
            let weight = times.min(4.0).sqrt() * if titled { 2.0 } else { 1.0 };
            all.insert(word.clone(), weight);
        }
        let rarity = all
            .keys()
            .map(|word| (word.clone(), concordance.rarity(word)))
            .collect();
        Self {
            opening: text[..text.floor_char_boundary(OPENING)].to_owned(),
            title,
            all,
            first_line,
            rarity,
        }
    }
}

fn count(text: &str) -> BTreeMap<String, f64> {
    let mut counts = BTreeMap::new();
    for word in words::split(text) {
        if word.len() > 1 && !is_filler(&word) {
            *counts.entry(words::stem(&word).to_owned()).or_insert(0.0) += 1.0;
        }
    }
    counts
}

fn is_filler(word: &str) -> bool {
    FILLERS.binary_search(&word).is_ok()
}

/// Words that reports say whatever they are about. Sorted.
const FILLERS: &[&str] = &[
    "about", "after", "all", "also", "an", "and", "any", "are", "as", "at", "be", "because",
    "been", "but", "by", "can", "could", "did", "do", "does", "don", "for", "from", "get", "got",
    "had", "has", "have", "how", "if", "in", "into", "is", "it", "its", "just", "like", "may",
    "me", "my", "no", "not", "now", "of", "on", "one", "only", "or", "our", "out", "should", "so",
    "some", "than", "that", "the", "their", "them", "then", "there", "these", "they", "this", "to",
    "use", "using", "very", "was", "we", "were", "what", "when", "where", "which", "while", "why",
    "will", "with", "would", "you", "your",
];

fn by_words(ground: &Ground<'_>, query: &Query, clues: &mut FxHashMap<NodeId, Clues>) {
    for (clue, words) in [
        (Clue::Words, &query.all),
        (Clue::TitleWords, &query.first_line),
    ] {
        let weighted = words.iter().map(|(word, weight)| (word.as_str(), *weight));
        let found = ground.words.search(weighted, BY_WORDS);
        let most = found
            .first()
            .map_or(1.0, |(_, score)| *score)
            .max(f64::MIN_POSITIVE);
        for (place, (path, score)) in found.iter().enumerate() {
            let Some(file) = ground.index.snapshot().find_file(path) else {
                continue;
            };
            let clues = clues.entry(file).or_default();
            clues.set(clue, (score / most) as f32);
            if clue == Clue::Words {
                clues.set(Clue::WordsPlace, place_value(place));
            }
        }
    }
}

/// 1 for the first, less and less for later ones.
fn place_value(place: usize) -> f32 {
    1.0 / (1.0 + place as f32 / 3.0)
}

fn by_history(ground: &Ground<'_>, text: &str, clues: &mut FxHashMap<NodeId, Clues>) {
    let expected = files_for_message(ground.history, text, BY_HISTORY);
    let most = expected
        .first()
        .map_or(1.0, |first| first.strength)
        .max(f32::MIN_POSITIVE);
    let spoken_for = expected
        .iter()
        .enumerate()
        .filter(|(_, file)| file.is_spoken_for());
    for (place, file) in spoken_for {
        let Some(node) = ground.index.snapshot().find_file(&file.path) else {
            continue;
        };
        let clues = clues.entry(node).or_default();
        clues.set(Clue::History, file.strength / most);
        clues.set(Clue::HistoryPlace, place_value(place));
    }
}

/// Words of the text in the path: those of the file's name count whole, those of folders half.
fn by_path_words(ground: &Ground<'_>, query: &Query, clues: &mut FxHashMap<NodeId, Clues>) {
    let total: f64 = query
        .first_line
        .keys()
        .map(|word| query.rarity.get(word).copied().unwrap_or_default())
        .sum::<f64>()
        .max(1.0);
    // Words by their places in the order of letters.
    let asked: Vec<f64> = query.all.values().copied().collect();
    let places = query.all.keys().enumerate();
    let places: FxHashMap<&str, usize> = places.map(|(at, word)| (word.as_str(), at)).collect();
    let cut = |text: &str| -> Vec<usize> {
        let mut met = Vec::new();
        words::each(text, &mut |word| met.extend(places.get(words::stem(word))));
        met.sort_unstable();
        met.dedup();
        met
    };
    let snapshot = ground.index.snapshot();
    let mut spread = vec![0.0; asked.len()];
    let mut files = 0.0_f64;
    let mut met: Vec<(NodeId, Vec<usize>, Vec<usize>)> = Vec::new();
    for file in snapshot.files() {
        files += 1.0;
        let path = snapshot.path(file);
        let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
        let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
        let (name, folder) = (cut(stem), cut(folder));
        let only_folder = folder.iter().filter(|word| !name.contains(word));
        for &word in name.iter().chain(only_folder) {
            spread[word] += 1.0;
        }
        if !name.is_empty() || !folder.is_empty() {
            met.push((file, name, folder));
        }
    }
    let worth = |words: &[usize]| -> f64 {
        let worth = |&word: &usize| asked[word].min(2.0) * (1.0 + files / spread[word]).ln();
        words.iter().map(worth).fold(0.0, |sum, worth| sum + worth)
    };
    for (file, name, folder) in &met {
        let share = |words: &[usize]| (worth(words) / total.max(8.0)).min(2.0) as f32;
        let clues = clues.entry(*file).or_default();
        clues.set(Clue::NameWords, share(name));
        clues.set(Clue::FolderWords, share(folder));
    }
}

/// What a file is, whatever is asked.
fn by_standing(ground: &Ground<'_>, clues: &mut FxHashMap<NodeId, Clues>) {
    let snapshot = ground.index.snapshot();
    for (file, clues) in clues.iter_mut() {
        let entry = snapshot.file(*file);
        let path = entry.path;
        let flag = |yes: bool| f32::from(u8::from(yes));
        clues.set(Clue::IsTest, flag(entry.is_test || is_for_tests(path)));
        clues.set(Clue::IsSource, flag(entry.language.get().is_some()));
        clues.set(Clue::IsAside, flag(is_aside(path)));
        let used = snapshot.incoming_count(*file) as f32;
        clues.set(Clue::Used, used.ln_1p() / 5.0);
    }
}

pub(crate) fn is_for_tests(path: &str) -> bool {
    path.split('/')
        .any(|part| matches!(part, "test" | "tests" | "testing" | "__tests__" | "spec"))
}

/// Beside the product: documents, examples, benchmarks, builds.
fn is_aside(path: &str) -> bool {
    path.split('/').any(|part| {
        matches!(
            part,
            "doc"
                | "docs"
                | "example"
                | "examples"
                | "benchmark"
                | "benchmarks"
                | "bin"
                | "scripts"
                | "release"
                | "setup.py"
                | "conftest.py"
        )
    })
}

/// What is one step from the best files in the graph.
fn by_neighbours(
    ground: &Ground<'_>,
    ranked: &[(NodeId, f32)],
    clues: &mut FxHashMap<NodeId, Clues>,
) {
    let Some(&(_, top)) = ranked.first() else {
        return;
    };
    for (place, &(file, score)) in ranked.iter().take(BEST).enumerate() {
        let share = (1.0 + score - top).clamp(0.1, 1.0) * place_value(place).sqrt();
        let uses = ground.index.dependencies(file).uses;
        let spread = share / (uses.len() as f32).max(1.0).sqrt();
        for neighbour in uses {
            if let Some(clues) = clues.get_mut(&neighbour.file) {
                clues.raise(Clue::UsedByBest, spread);
            }
        }
    }
}

#[cfg(test)]
mod tests;
