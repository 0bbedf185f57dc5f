//! Pieces of code that a search found, as JSON.

use std::num::NonZeroUsize;

use oldhand_code::passage::Passage;
use oldhand_engine::code_search::{FoundPiece, Nearness};
use serde::Serialize;

use super::memory::{LaneView, rounded};

#[derive(Serialize)]
pub(crate) struct CodeSearchView<'a> {
    /// Best first.
    pub(crate) results: Vec<PieceView<'a>>,
    /// What was looked for where no file has a word of the question.
    pub(crate) instead: Vec<InsteadView<'a>>,
    /// How many words of a long question were not looked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) words_left_out: Option<NonZeroUsize>,
}

#[derive(Serialize)]
pub(crate) struct InsteadView<'a> {
    word: &'a str,
    looked_for: &'a [String],
}

impl<'a> InsteadView<'a> {
    pub(crate) fn new((word, looked_for): (&'a String, &'a Vec<String>)) -> Self {
        Self { word, looked_for }
    }
}

#[derive(Serialize)]
pub(crate) struct PieceView<'a> {
    path: &'a str,
    first_line: u32,
    last_line: u32,
    kind: &'static str,
    name: &'a str,
    text: &'a str,
    score: f64,
    because: PieceBecauseView<'a>,
}

#[derive(Serialize)]
struct PieceBecauseView<'a> {
    lanes: Vec<LaneView>,
    near: NearnessView,
    begins: f64,
    words: &'a [String],
    aside: bool,
    /// What it lost for being a type where a question asks what is done.
    shape: f64,
}

/// Cosines of the parts of a piece.
#[derive(Serialize)]
struct NearnessView {
    text: f64,
    name: f64,
    place: f64,
    signatures: f64,
    usual: f64,
}

impl NearnessView {
    fn new(near: Nearness) -> Self {
        let Nearness {
            text,
            name,
            place,
            signatures,
            usual,
        } = near;
        let [text, name, place, signatures, usual] =
            [text, name, place, signatures, usual].map(|near| rounded(near.into()));
        Self {
            text,
            name,
            place,
            signatures,
            usual,
        }
    }
}

impl<'a> PieceView<'a> {
    pub(crate) fn new(passage: &'a Passage, found: &FoundPiece) -> Self {
        let chunk = &passage.chunk;
        Self {
            path: &chunk.path,
            first_line: chunk.first_line,
            last_line: chunk.last_line,
            kind: chunk.kind.as_str(),
            name: &chunk.name,
            text: &chunk.text,
            score: rounded(found.score),
            because: PieceBecauseView {
                lanes: found.lanes.iter().map(LaneView::new).collect(),
                near: NearnessView::new(found.near),
                begins: found.begins,
                words: &passage.words,
                aside: passage.is_aside,
                shape: found.shape,
            },
        }
    }
}
