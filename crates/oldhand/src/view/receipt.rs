//! What became of a memory, as JSON: after `remember`, `import` and every change.

use std::path::Path;

use jiff::Timestamp;
use oldhand_domain::id::MemoryId;
use oldhand_domain::memory::Memory;
use oldhand_engine::{Place, Receipt, Redaction, Shelf, Shelved, Written};
use oldhand_observe::orders::Order;
use serde::Serialize;

use super::memory::MemoryView;

/// What `remember` answers.
#[derive(Serialize)]
pub(crate) struct ReceiptView<'a> {
    id: Option<MemoryId>,
    outcome: &'static str,
    shelf: &'static str,
    project: Option<&'a str>,
    memory: Option<MemoryView<'a>>,
    /// The memories that this one replaces.
    superseded: Vec<MemoryId>,
    redactions: Vec<RedactionView>,
    /// Why nothing was stored.
    why: Option<String>,
    /// Why a person reads it before an agent does.
    #[serde(skip_serializing_if = "Option::is_none")]
    held_back: Option<&'static str>,
}

impl<'a> ReceiptView<'a> {
    pub(crate) fn new(
        receipt: &'a Receipt,
        shelf: Shelf,
        project: Option<&'a str>,
        now: Timestamp,
    ) -> Self {
        let view = |memory: &'a Memory| MemoryView::new(memory, shelf, now);
        Self {
            id: receipt.id(),
            outcome: outcome(&receipt.outcome),
            shelf: shelf.as_str(),
            project,
            memory: receipt.memory().map(view),
            superseded: superseded(&receipt.outcome),
            redactions: RedactionView::all(&receipt.redactions),
            why: why(&receipt.outcome),
            held_back: receipt.order.map(Order::as_str),
        }
    }
}

/// What each line of an import answers.
#[derive(Clone, Serialize)]
pub(crate) struct LineView {
    /// Of the file, from 1.
    pub(crate) line: usize,
    pub(crate) id: Option<MemoryId>,
    pub(crate) outcome: &'static str,
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    pub(crate) memory_type: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) content: Option<String>,
    /// Of a text that was too long for one memory: the memories it became, in its order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) parts: Vec<MemoryId>,
    pub(crate) superseded: Vec<MemoryId>,
    pub(crate) redactions: Vec<RedactionView>,
    pub(crate) why: Option<String>,
    /// Why a person reads it before an agent does.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) held_back: Option<&'static str>,
}

impl LineView {
    pub(crate) fn new(line: usize, receipt: &Receipt) -> Self {
        Self {
            line,
            id: receipt.id(),
            outcome: outcome(&receipt.outcome),
            memory_type: None,
            content: None,
            parts: Vec::new(),
            superseded: superseded(&receipt.outcome),
            redactions: RedactionView::all(&receipt.redactions),
            why: why(&receipt.outcome),
            held_back: receipt.order.map(Order::as_str),
        }
    }

    /// One more part of a long text. What is not taken of it makes the line one that was not taken.
    pub(crate) fn take_part(&mut self, receipt: &Receipt) {
        self.parts.extend(receipt.id());
        self.superseded.extend(superseded(&receipt.outcome));
        self.held_back = self.held_back.or(receipt.order.map(Order::as_str));
        if let Some(why) = why(&receipt.outcome) {
            self.outcome = outcome(&receipt.outcome);
            self.why = Some(why);
        } else if self.outcome == "known" {
            self.outcome = outcome(&receipt.outcome);
        }
    }

    /// A line that nothing was written for.
    pub(crate) fn unwritten(line: usize, outcome: &'static str, why: Option<String>) -> Self {
        Self {
            line,
            id: None,
            outcome,
            memory_type: None,
            content: None,
            parts: Vec::new(),
            superseded: Vec::new(),
            redactions: Vec::new(),
            why,
            held_back: None,
        }
    }
}

pub(crate) fn outcome(written: &Written) -> &'static str {
    match written {
        Written::Inserted(_) => "inserted",
        Written::Merged { .. } => "merged",
        Written::Superseded { .. } => "superseded",
        Written::Refused(_) => "refused",
    }
}

fn superseded(written: &Written) -> Vec<MemoryId> {
    match written {
        Written::Superseded { old, .. } => old.iter().map(|memory| memory.id).collect(),
        _ => Vec::new(),
    }
}

fn why(written: &Written) -> Option<String> {
    match written {
        Written::Refused(refusal) => Some(refusal.to_string()),
        _ => None,
    }
}

#[derive(Clone, Serialize)]
pub(crate) struct RedactionView {
    kind: &'static str,
    /// The field it was in.
    field: &'static str,
    line: Option<usize>,
    column: Option<usize>,
}

impl RedactionView {
    /// Says where in a file it was, instead of where in the memory.
    pub(crate) fn place_at(&mut self, line: usize) {
        self.line = Some(line);
        self.column = None;
    }

    pub(crate) fn all(redactions: &[Redaction]) -> Vec<Self> {
        redactions.iter().map(Self::new).collect()
    }

    fn new(redaction: &Redaction) -> Self {
        let field = match redaction.place {
            Place::Content { .. } => "content",
            Place::Summary => "summary",
            Place::Citation => "citation",
            Place::Details => "payload",
            Place::Tag => "tags",
            Place::File => "files",
            Place::Module => "modules",
            Place::Fingerprint => "fingerprints",
            Place::Branch => "branch",
            Place::Session => "session",
            Place::WorkUnit => "work_unit",
            Place::Author => "created_by",
        };
        let (line, column) = match redaction.place {
            Place::Content { line, column } => (Some(line), Some(column)),
            _ => (None, None),
        };
        Self {
            kind: redaction.kind.as_str(),
            field,
            line,
            column,
        }
    }
}

/// What a change of a memory answers.
#[derive(Serialize)]
pub(crate) struct ChangeView<'a> {
    id: MemoryId,
    outcome: &'static str,
    memory: MemoryView<'a>,
    redactions: Vec<RedactionView>,
}

impl<'a> ChangeView<'a> {
    pub(crate) fn new(
        outcome: &'static str,
        shelved: &'a Shelved,
        redactions: &[Redaction],
        now: Timestamp,
    ) -> Self {
        Self {
            id: shelved.memory.id,
            outcome,
            memory: MemoryView::of(shelved, now),
            redactions: RedactionView::all(redactions),
        }
    }
}

/// A project that nothing more is kept of.
#[derive(Serialize)]
pub(crate) struct RemovedView<'a> {
    project: &'a str,
    outcome: &'static str,
    memories: usize,
    /// Where its memories are written; `null` when there were none.
    export: Option<String>,
}

impl<'a> RemovedView<'a> {
    pub(crate) fn new(project: &'a str, memories: usize, export: Option<&Path>) -> Self {
        Self {
            project,
            outcome: "removed",
            memories,
            export: export.map(|path| path.display().to_string()),
        }
    }
}

#[derive(Serialize)]
pub(crate) struct ErasedView {
    pub(crate) id: MemoryId,
    pub(crate) outcome: &'static str,
}
