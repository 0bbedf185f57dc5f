//! The likeliest files read where they lie, piece by piece.

use rustc_hash::FxHashMap;

use super::clue::{Clue, Clues};
use super::{Ground, Query};
use crate::chunk::Chunk;
use crate::passage::Counted;
use crate::snapshot::NodeId;

/// Pieces of each file whose meaning is looked at.
const BY_MEANING: usize = 4;

pub(super) fn by_reading(
    ground: &Ground<'_>,
    query: &Query,
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
    let counted = Counted::of(chunk, |word| query.all.contains_key(word));
    let rarity = |word: &str| query.rarity.get(word).copied().unwrap_or_default();
    let all = counted.weigh(|word| rarity(word) * query.all.get(word).copied().unwrap_or_default());
    let titled = counted.weigh(|word| {
        if query.first_line.contains_key(word) {
            rarity(word)
        } else {
            0.0
        }
    });
    (all, titled)
}

fn dot(left: &[f32], right: &[f32]) -> f32 {
    left.iter()
        .zip(right)
        .map(|(left, right)| left * right)
        .sum()
}
