//! The likeliest files read where they lie, piece by piece.

use rustc_hash::FxHashMap;

use super::clue::{Clue, Clues};
use super::{Ground, Query};
use crate::chunk::Chunk;
use crate::index::work;
use crate::passage::Counted;
use crate::snapshot::NodeId;

/// Pieces of each file whose meaning is looked at.
const BY_MEANING: usize = 4;
/// Fewer files are read sooner than a thread is started for them.
const FILES_A_THREAD: usize = 8;

pub(super) fn by_reading(
    ground: &Ground<'_>,
    query: &Query,
    files: &[NodeId],
    clues: &mut FxHashMap<NodeId, Clues>,
) {
    let questions = (ground.embed)(&[&query.title, &query.opening]);
    let mut read: Vec<Option<Read>> = files.iter().map(|_| None).collect();
    let threads = ground.index.threads().min(files.len() / FILES_A_THREAD);
    let read_one = |(): &mut (), at: usize| Read::of(ground, query, &questions, files[at]);
    work::share(
        threads,
        files.len(),
        || (),
        read_one,
        |at, one| {
            read[at] = Some(one);
        },
    );
    let read: Vec<(NodeId, Read)> = files
        .iter()
        .zip(read)
        .filter_map(|(file, read)| Some((*file, read?)))
        .collect();
    let most = |of: fn(&Read) -> f64| {
        let worths = read.iter().map(|(_, read)| of(read));
        worths.fold(f64::MIN_POSITIVE, f64::max)
    };
    let (most_all, most_titled) = (most(|read| read.all), most(|read| read.titled));
    for (file, read) in read {
        let entry = clues.entry(file).or_default();
        entry.set(Clue::MeaningTitled, read.meanings[0]);
        entry.set(Clue::Meaning, read.meanings[1]);
        entry.set(Clue::Piece, (read.all / most_all) as f32);
        entry.set(Clue::PieceTitled, (read.titled / most_titled) as f32);
    }
}

/// What the pieces of a file say of a text.
struct Read {
    /// What the best piece is worth for all words, and the best for those of the first line.
    all: f64,
    titled: f64,
    /// How near the nearest of the best pieces is to the first line and to the beginning.
    meanings: [f32; 2],
}

impl Read {
    fn of(ground: &Ground<'_>, query: &Query, questions: &[Vec<f32>], file: NodeId) -> Self {
        let chunks = ground.index.chunks_of(file).into_iter();
        let mut pieces: Vec<(f64, f64, Chunk)> = chunks
            .map(|chunk| {
                let (all, titled) = weigh(&chunk, query);
                (all, titled, chunk)
            })
            .collect();
        pieces.sort_by(|a, b| {
            b.0.total_cmp(&a.0)
                .then(a.2.first_line.cmp(&b.2.first_line))
        });
        let best = pieces.iter().take(BY_MEANING);
        let texts: Vec<String> = best.map(|(_, _, chunk)| chunk.embedded_text()).collect();
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        let vectors = (ground.embed)(&texts);
        let nearest = |question: usize| {
            let question = questions.get(question).into_iter();
            let near = question.flat_map(|question| vectors.iter().map(|it| dot(question, it)));
            near.fold(0.0, f32::max)
        };
        Self {
            all: pieces.first().map_or(0.0, |piece| piece.0),
            titled: pieces.iter().map(|piece| piece.1).fold(0.0, f64::max),
            meanings: [nearest(0), nearest(1)],
        }
    }
}

/// BM25 of a piece for all words and for those of the first line.
fn weigh(chunk: &Chunk, query: &Query) -> (f64, f64) {
    let counted = Counted::of(chunk, |word| query.rarity.contains_key(word));
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
