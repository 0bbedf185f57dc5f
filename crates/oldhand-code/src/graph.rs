//! The words of the graph: kinds of edges, how strongly change travels along them, and how sure they are.

use crate::project::{DefinitionId, FileId};

/// What one end of an edge has to do with the other. The order is part of the snapshot format.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum EdgeKind {
    Imports,
    Calls,
    EntryPointFor,
    Implements,
    Extends,
    Exports,
    FlowsTo,
    /// Names a type, a value or a field without calling it.
    Uses,
    DependsLogically,
    HandlesErrorsFrom,
    AppliesPattern,
}

impl EdgeKind {
    pub const ALL: [Self; 11] = [
        Self::Imports,
        Self::Calls,
        Self::EntryPointFor,
        Self::Implements,
        Self::Extends,
        Self::Exports,
        Self::FlowsTo,
        Self::Uses,
        Self::DependsLogically,
        Self::HandlesErrorsFrom,
        Self::AppliesPattern,
    ];

    pub fn as_str(self) -> &'static str {
        match self {
            Self::Imports => "imports",
            Self::Calls => "calls",
            Self::EntryPointFor => "is_entrypoint_for",
            Self::Implements => "implements",
            Self::Extends => "extends",
            Self::Exports => "exports",
            Self::FlowsTo => "flows_to",
            Self::Uses => "uses",
            Self::DependsLogically => "depends_logically",
            Self::HandlesErrorsFrom => "handles_errors_from",
            Self::AppliesPattern => "applies_pattern",
        }
    }

    /// How strongly a change travels along the edge.
    pub fn weight(self) -> f32 {
        match self {
            Self::Imports => 0.9,
            Self::Calls | Self::EntryPointFor => 0.8,
            Self::Implements | Self::Extends => 0.7,
            Self::Exports | Self::FlowsTo => 0.6,
            Self::Uses | Self::DependsLogically => 0.5,
            Self::HandlesErrorsFrom => 0.4,
            Self::AppliesPattern => 0.3,
        }
    }
}

/// Where an edge is known from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Origin {
    Ast,
    Scip,
    Model,
    Agent,
}

impl Origin {
    pub const ALL: [Self; 4] = [Self::Ast, Self::Scip, Self::Model, Self::Agent];

    pub fn as_str(self) -> &'static str {
        match self {
            Self::Ast => "ast",
            Self::Scip => "scip",
            Self::Model => "llm",
            Self::Agent => "agent",
        }
    }
}

/// One end of a link: a file, or a definition in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct End {
    pub file: FileId,
    pub definition: Option<u32>,
}

impl From<FileId> for End {
    fn from(file: FileId) -> Self {
        Self {
            file,
            definition: None,
        }
    }
}

impl From<DefinitionId> for End {
    fn from(id: DefinitionId) -> Self {
        Self {
            file: id.file,
            definition: Some(id.at),
        }
    }
}

/// An edge that starts in a given file, before it has a place in a snapshot.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Link {
    /// The definition it starts from, or the file itself.
    pub from: Option<u32>,
    pub to: End,
    pub kind: EdgeKind,
    pub origin: Origin,
    /// In percent.
    pub confidence: u8,
    pub line: u32,
}
