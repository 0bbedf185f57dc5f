//! Pieces of code that a search found, as JSON.

use oldhand_code::passage::Passage;
use oldhand_recall::fuse::Fused;
use serde::Serialize;

use super::memory::{LaneView, rounded};

#[derive(Serialize)]
pub(crate) struct CodeSearchView<'a> {
    /// Best first.
    pub(crate) results: Vec<PieceView<'a>>,
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
    because: PieceBecauseView,
}

#[derive(Serialize)]
struct PieceBecauseView {
    lanes: Vec<LaneView>,
    aside: bool,
}

impl<'a> PieceView<'a> {
    pub(crate) fn new(passage: &'a Passage, fused: &Fused<usize>) -> Self {
        let chunk = &passage.chunk;
        Self {
            path: &chunk.path,
            first_line: chunk.first_line,
            last_line: chunk.last_line,
            kind: chunk.kind.as_str(),
            name: &chunk.name,
            text: &chunk.text,
            score: rounded(fused.score),
            because: PieceBecauseView {
                lanes: fused.lanes.iter().map(LaneView::new).collect(),
                aside: passage.is_aside,
            },
        }
    }
}
