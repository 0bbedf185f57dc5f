//! What an agent would be told, as JSON.

use jiff::Timestamp;
use oldhand_domain::id::MemoryId;
use oldhand_engine::Context;
use oldhand_recall::candidate::BAR;
use oldhand_recall::predict::Predicted;
use serde::Serialize;

use super::memory::{ResultView, rounded};
use crate::agent::Agent;

/// A file that the task will probably touch.
pub(crate) struct Likely {
    pub(crate) file: Predicted,
    /// Whether it is on disk: one that is not may still be made, or made again.
    pub(crate) there: bool,
    /// For each of its reasons, the words of the task that it rests on, as far as it rests on words.
    pub(crate) words: Vec<Vec<String>>,
    /// Whether the task or what is at hand speaks for it: it is told as one that the task will probably touch.
    pub(crate) pointed_at: bool,
}

/// Whether the task or what is at hand speaks for any of these files; else they are only those that were touched lately.
pub(crate) fn is_pointed_at(files: &[Likely]) -> bool {
    files.iter().any(|likely| likely.pointed_at)
}

#[derive(Serialize)]
pub(crate) struct ContextView<'a> {
    /// Nothing would be said.
    silent: bool,
    text: &'a str,
    tokens: usize,
    /// The relevance that something must reach to be told.
    bar: f64,
    /// The tokens that the shortest takes of what is worth saying, where none fits.
    least: Option<usize>,
    memories: Vec<ResultView<'a>>,
    /// Whether the task points at any of the files.
    pointed: bool,
    files: Vec<FileView<'a>>,
    left_out: Vec<UnsaidView>,
    /// What some clients are not told all the same.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    left_to_clients: Vec<LeftToView>,
    /// How many changes of memories the search by meaning does not know yet.
    behind: usize,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    prefetch: Vec<PrefetchView<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    steps: Option<StepsView>,
}

/// Not its words: agents read this too, and what is left out is not for them.
#[derive(Serialize)]
struct UnsaidView {
    id: MemoryId,
    shelf: &'static str,
    relevance: f64,
    why: String,
}

#[derive(Serialize)]
struct LeftToView {
    client: &'static str,
    id: MemoryId,
    why: &'static str,
}

#[derive(Serialize)]
struct PrefetchView<'a> {
    path: &'a str,
    text: &'a str,
}

#[derive(Clone, Copy, Serialize)]
pub(crate) struct StepsView {
    pub(crate) planned: u32,
    pub(crate) allowed: u32,
    /// Actual over planned steps of earlier work.
    pub(crate) ratio: Option<f64>,
}

#[derive(Serialize)]
struct FileView<'a> {
    path: &'a str,
    /// Whether it is on disk.
    there: bool,
    /// Whether the task points at it.
    pointed: bool,
    score: f64,
    because: Vec<ReasonView<'a>>,
}

#[derive(Serialize)]
struct ReasonView<'a> {
    /// The words of the task that it rests on.
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    words: &'a [String],
    why: &'static str,
    share: f64,
}

impl<'a> ContextView<'a> {
    pub(crate) fn new(
        context: &'a Context,
        files: &'a [Likely],
        behind: usize,
        now: Timestamp,
    ) -> Self {
        let memories = context
            .memories
            .iter()
            .map(|(shelf, candidate)| ResultView::new(*shelf, candidate, now));
        let pointed = is_pointed_at(files);
        let files = files.iter().map(
            |Likely {
                 file,
                 there,
                 words,
                 pointed_at,
             }| FileView {
                pointed: *pointed_at,
                there: *there,
                path: &file.path,
                score: rounded(file.score),
                because: file
                    .because
                    .iter()
                    .zip(words)
                    .map(|(reason, words)| ReasonView {
                        words,
                        why: reason.lane.as_str(),
                        share: rounded(reason.share),
                    })
                    .collect(),
            },
        );
        let left_out = context.left_out.iter().map(|unsaid| UnsaidView {
            id: unsaid.id,
            shelf: unsaid.shelf.as_str(),
            relevance: rounded(unsaid.relevance),
            why: unsaid.to_string(),
        });
        Self {
            silent: context.text.is_empty(),
            text: &context.text,
            tokens: context.tokens,
            bar: BAR,
            least: context.least,
            memories: memories.collect(),
            pointed,
            files: files.collect(),
            left_out: left_out.collect(),
            left_to_clients: Vec::new(),
            behind,
            prefetch: Vec::new(),
            steps: None,
        }
    }

    /// With what each client would not be told all the same.
    pub(crate) fn less(self, left: &[(Agent, MemoryId, &'static str)]) -> Self {
        let left = left.iter().map(|&(agent, id, why)| LeftToView {
            client: agent.as_str(),
            id,
            why,
        });
        Self {
            left_to_clients: left.collect(),
            ..self
        }
    }

    /// With what was asked for beside it.
    pub(crate) fn with(self, texts: &'a [(String, String)], steps: Option<StepsView>) -> Self {
        let prefetch = texts.iter().map(|(path, text)| PrefetchView { path, text });
        Self {
            prefetch: prefetch.collect(),
            steps,
            ..self
        }
    }
}
