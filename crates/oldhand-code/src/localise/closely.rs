//! The likeliest files read where they lie, piece by piece.

use rustc_hash::FxHashMap;

use super::clue::{Clue, Clues};
use super::mentions::Mentions;
use super::{Ground, Query};
use crate::chunk::Chunk;
use crate::snapshot::NodeId;
use oldhand_domain::bm25::Bm25;
use oldhand_domain::words;

/// Pieces of each file whose meaning is looked at.
const BY_MEANING: usize = 4;
/// About how many words a piece has.
const USUAL_LENGTH: f64 = 120.0;

pub(super) fn by_reading(
    ground: &Ground<'_>,
    query: &Query,
    mentions: &Mentions,
    files: &[NodeId],
    clues: &mut FxHashMap<NodeId, Clues>,
) {
    let questions = (ground.embed)(&[&query.title, &query.opening]);
    let mut best_piece: Vec<(NodeId, f64, f64)> = Vec::new();
    for &file in files {
        let mut pieces: Vec<(f64, f64, Chunk)> = ground
            .index
            .chunks_of(file)
            .into_iter()
            .map(|chunk| {
                let (all, titled) = weigh(&chunk, query);
                (all, titled, chunk)
            })
            .collect();
        pieces.sort_by(|a, b| {
            b.0.total_cmp(&a.0)
                .then(a.2.first_line.cmp(&b.2.first_line))
        });
        let titled = pieces.iter().map(|piece| piece.1).fold(0.0, f64::max);
        best_piece.push((file, pieces.first().map_or(0.0, |piece| piece.0), titled));
        let entry = clues.entry(file).or_default();
        let quoted = mentions
            .phrases
            .iter()
            .filter(|phrase| {
                pieces
                    .iter()
                    .any(|(_, _, chunk)| chunk.text.contains(phrase.as_str()))
            })
            .count();
        entry.set(Clue::Quotes, (quoted as f32 / 3.0).min(1.0));
        let texts: Vec<String> = pieces
            .iter()
            .take(BY_MEANING)
            .map(|(_, _, chunk)| chunk.embedded_text())
            .collect();
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        let vectors = (ground.embed)(&texts);
        for (question, clue) in questions.iter().zip([Clue::MeaningTitled, Clue::Meaning]) {
            let nearest = vectors
                .iter()
                .map(|vector| dot(question, vector))
                .fold(0.0, f32::max);
            entry.set(clue, nearest);
        }
    }
    let most = |of: fn(&(NodeId, f64, f64)) -> f64| {
        best_piece.iter().map(of).fold(f64::MIN_POSITIVE, f64::max)
    };
    let (most_all, most_titled) = (most(|piece| piece.1), most(|piece| piece.2));
    for (file, all, titled) in best_piece {
        let entry = clues.entry(file).or_default();
        entry.set(Clue::Piece, (all / most_all) as f32);
        entry.set(Clue::PieceTitled, (titled / most_titled) as f32);
    }
}

/// BM25 of a piece for all words and for those of the first line.
fn weigh(chunk: &Chunk, query: &Query) -> (f64, f64) {
    let mut counts: FxHashMap<String, f64> = FxHashMap::default();
    let mut length = 0.0;
    for word in words::split(&chunk.text)
        .into_iter()
        .chain(words::split(&chunk.name))
    {
        length += 1.0;
        let stem = words::stem(&word);
        if query.all.contains_key(stem) {
            *counts.entry(stem.to_owned()).or_default() += 1.0;
        }
    }
    let (mut all, mut titled) = (0.0, 0.0);
    for (word, times) in counts {
        let part = query.rarity.get(&word).copied().unwrap_or_default()
            * Bm25::USUAL.weigh(times, length / USUAL_LENGTH);
        all += part * query.all.get(&word).copied().unwrap_or_default();
        if query.first_line.contains_key(&word) {
            titled += part;
        }
    }
    (all, titled)
}

fn dot(left: &[f32], right: &[f32]) -> f32 {
    left.iter()
        .zip(right)
        .map(|(left, right)| left * right)
        .sum()
}
