//! One typed, sourced statement: the thing all of this is about.

use std::collections::BTreeSet;
use std::fmt;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::confidence::Confidence;
use crate::id::{MemoryId, SessionId};
use crate::path::ProjectPath;
use crate::payload::{BuiltInType, MemoryType, Payload};
use crate::relation::{Relation, RelationTarget};
use crate::seal::TextHash;
use crate::spelled::spelled;
use crate::taint::Taint;
use crate::text::{Citation, Content, Fingerprint, InvalidText, ModuleName, Summary, Tag};
use crate::vocabulary::{Correction, FlaggedBy, ReviewReason, Scope, Source, Visibility};
use crate::work_unit::WorkUnit;

/// How many memories one agent session may leave behind.
pub const SESSION_LIMIT: usize = 50;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Memory {
    pub id: MemoryId,
    pub payload: Payload,
    pub content: Content,
    pub summary: Summary,
    pub citation: Option<Citation>,
    pub confidence: Confidence,
    pub tags: BTreeSet<Tag>,
    pub files: BTreeSet<ProjectPath>,
    pub modules: BTreeSet<ModuleName>,
    /// The errors this memory is about.
    pub fingerprints: BTreeSet<Fingerprint>,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
    pub usage: Usage,
    /// The session it was learned in; `None` when a person taught it outside any.
    pub session: Option<SessionId>,
    /// Every session that confirmed it.
    pub provenance: BTreeSet<SessionId>,
    pub commit: Option<CommitSha>,
    pub branch: Option<String>,
    pub work_unit: Option<WorkUnit>,
    pub methodology: Option<String>,
    pub scope: Scope,
    pub source: Source,
    pub created_by: Author,
    pub visibility: Visibility,
    /// The place in the code graph it is about: `path` or `path:symbol`.
    pub target_node: Option<String>,
    /// Those of its places that change when the others do. The statement holds from the others, not from these.
    pub impacted_nodes: BTreeSet<String>,
    pub relations: Vec<Relation>,
    /// Days after which confidence halves, where it differs from the type's own.
    pub half_life_days: Option<u32>,
    pub needs_review: bool,
    /// Why it waits for a person; nothing where it does not, and of what waited before reasons were kept.
    pub review_reason: Option<ReviewReason>,
    pub verified: Option<Verified>,
    pub pinned: bool,
    pub flagged: Option<Flag>,
    pub stale: Option<Mark>,
    pub deprecated: Option<Mark>,
    pub deleted_since: Option<Timestamp>,
    pub chunk: Option<Chunk>,
    pub embedding_model: Option<String>,
    /// Goes up with every change; what two devices compare when they meet.
    pub revision: u64,
    pub taint: Taint,
}

/// How often and how recently a memory was put in front of someone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Usage {
    pub last_accessed_at: Timestamp,
    pub access_count: u64,
}

/// Since when something holds, and why.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Mark {
    pub since: Timestamp,
    pub reason: String,
}

/// A word against a memory: it is not injected any more.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Flag {
    pub since: Timestamp,
    pub correction: Correction,
    pub note: Option<String>,
    /// Left out for a person, so that seals made before agents could flag still match.
    #[serde(default = "Flag::person", skip_serializing_if = "Flag::is_by_person")]
    pub by: FlaggedBy,
}

impl Flag {
    fn person() -> FlaggedBy {
        FlaggedBy::Person
    }

    #[expect(
        clippy::trivially_copy_pass_by_ref,
        reason = "the serialiser hands out references"
    )]
    fn is_by_person(by: &FlaggedBy) -> bool {
        *by == FlaggedBy::Person
    }
}

/// A person's word for a memory. It covers the text they read and no other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Verified {
    pub at: Timestamp,
    pub text: TextHash,
}

spelled! {
    /// What a piece of code or prose is.
    ChunkType, "chunk type", {
        Function => "function",
        Class => "class",
        Module => "module",
        Prose => "prose",
    }
}

/// Where in a file a memory about code was cut from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Chunk {
    pub chunk_type: ChunkType,
    pub first_line: u32,
    pub last_line: u32,
    pub context_prefix: String,
}

/// A git commit, by its full hexadecimal name.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct CommitSha(String);

impl CommitSha {
    pub fn new(text: &str) -> Option<Self> {
        let hex = text.bytes().all(|b| b.is_ascii_hexdigit());
        (hex && matches!(text.len(), 40 | 64)).then(|| Self(text.to_ascii_lowercase()))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl TryFrom<String> for CommitSha {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        Self::new(&text).ok_or_else(|| format!("`{text}` is not a commit"))
    }
}

impl From<CommitSha> for String {
    fn from(sha: CommitSha) -> Self {
        sha.0
    }
}

/// Who wrote a memory down: `user`, `agent:coder`, `runner:insights`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Author(String);

impl Author {
    pub fn user() -> Self {
        Self("user".to_owned())
    }

    /// A file of the project is written with its whole path, whatever characters a path may have.
    pub fn new(text: &str) -> Result<Self, InvalidText> {
        if text.is_empty() {
            return Err(InvalidText::Empty { what: "author" });
        }
        let file = text.strip_prefix("import:").map(ProjectPath::new);
        if let Some(Ok(_)) = file {
            return Ok(Self(text.to_owned()));
        }
        let limit = 64;
        if text.len() > limit {
            return Err(InvalidText::TooLong {
                what: "author",
                length: text.len(),
                limit,
                unit: "bytes",
            });
        }
        let bad =
            |c: &char| !(c.is_ascii_alphanumeric() || matches!(c, ':' | '-' | '_' | '.' | '/'));
        match text.chars().find(bad) {
            Some(character) => Err(InvalidText::Character {
                what: "author",
                character,
            }),
            None => Ok(Self(text.to_owned())),
        }
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Author {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

impl TryFrom<String> for Author {
    type Error = InvalidText;

    fn try_from(text: String) -> Result<Self, InvalidText> {
        Self::new(&text)
    }
}

impl From<Author> for String {
    fn from(author: Author) -> Self {
        author.0
    }
}

impl Memory {
    /// What the parts of one text have in common: the id of the first of them, which is its own for what is whole.
    pub fn family(&self) -> MemoryId {
        let first = self.relations.iter().find_map(Relation::first_part);
        first.unwrap_or(self.id)
    }

    /// Makes a memory of a draft, checking every limit. Redaction comes before this, comparison with
    /// what is known after.
    pub fn new(id: MemoryId, draft: Draft, now: Timestamp) -> Result<Self, InvalidText> {
        let content = Content::new(&draft.content)?;
        let summary = match &draft.summary {
            Some(summary) => Summary::new(summary)?,
            None => Summary::of(&content),
        };
        let created_at = draft.created_at.unwrap_or(now);
        let memory_type = draft.payload.memory_type();
        let is_state = memory_type == BuiltInType::WorkState.into();
        let past = draft.past;
        let verified = past.verified_at.map(|at| Verified {
            at,
            text: TextHash::of(&memory_type, &content, &summary),
        });
        let to_files = past
            .relations
            .into_iter()
            .filter(|relation| matches!(relation.target, RelationTarget::File(_)));
        Ok(Self {
            id,
            payload: draft.payload,
            summary,
            content,
            citation: draft.citation.as_deref().map(Citation::new).transpose()?,
            confidence: draft.confidence,
            tags: draft.tags,
            files: draft.files,
            modules: draft.modules,
            fingerprints: draft.fingerprints,
            created_at,
            updated_at: past.updated_at.unwrap_or(now),
            usage: Usage {
                // What is learned today is fresh, however old the session was that taught it. Only how far work got is as old as
                // that work.
                last_accessed_at: past.last_accessed_at.unwrap_or(if is_state {
                    created_at
                } else {
                    now
                }),
                access_count: past.access_count,
            },
            provenance: draft
                .session
                .iter()
                .cloned()
                .chain(past.provenance)
                .collect(),
            session: draft.session,
            commit: draft.commit,
            branch: draft.branch,
            work_unit: draft.work_unit,
            methodology: draft.methodology,
            scope: draft.scope,
            source: draft.source,
            created_by: draft.created_by,
            visibility: draft
                .visibility
                .unwrap_or(draft.source.default_visibility()),
            target_node: draft.target_node,
            impacted_nodes: draft.impacted_nodes,
            relations: draft
                .part_of
                .map(Relation::to_first_part)
                .into_iter()
                .chain(to_files)
                .collect(),
            half_life_days: None,
            needs_review: draft.needs_review,
            review_reason: draft.review_reason.filter(|_| draft.needs_review),
            verified,
            pinned: draft.pinned,
            flagged: past.flagged,
            stale: past.stale,
            deprecated: None,
            deleted_since: None,
            chunk: None,
            embedding_model: None,
            revision: 0,
            taint: draft.taint,
        })
    }

    pub fn memory_type(&self) -> MemoryType {
        self.payload.memory_type()
    }

    /// Whether it is about this file and holds when this file is at hand, not only when another one is.
    pub fn holds_from(&self, file: &ProjectPath) -> bool {
        self.files.contains(file) && !self.impacted_nodes.contains(file.as_str())
    }

    /// The hash of what a person reads when they review this memory.
    pub fn text_hash(&self) -> TextHash {
        TextHash::of(&self.memory_type(), &self.content, &self.summary)
    }

    /// Whether a person stands by the text as it is now. An edit after the review ends that.
    pub fn is_verified(&self) -> bool {
        self.verified
            .is_some_and(|verified| verified.text == self.text_hash())
    }

    /// Whether a person spoke against it. An agent's word alone only keeps it back until a person has looked.
    pub fn is_flagged_by_a_person(&self) -> bool {
        let flag = self.flagged.as_ref();
        flag.is_some_and(|flag| flag.by == FlaggedBy::Person)
    }

    /// Whether it takes part in searches: not deleted, not replaced by another.
    pub fn is_live(&self) -> bool {
        self.deleted_since.is_none() && self.deprecated.is_none()
    }

    /// Keeps it from agents until a person has looked. What speaks against it outweighs what is only missing.
    pub fn await_review(&mut self, reason: ReviewReason) {
        let stands = matches!(
            self.review_reason,
            Some(ReviewReason::Contradicted | ReviewReason::OutsideText)
        );
        if !self.needs_review || !stands {
            self.review_reason = Some(reason);
        }
        self.needs_review = true;
    }

    /// It need not wait any longer.
    pub fn end_review(&mut self) {
        self.needs_review = false;
        self.review_reason = None;
    }

    /// A person read the text as it stands and confirms it: the review flag, the flag, the taint and the doubt go.
    pub fn verify(&mut self, now: Timestamp) {
        self.verified = Some(Verified {
            at: now,
            text: self.text_hash(),
        });
        self.end_review();
        self.flagged = None;
        self.stale = None;
        self.taint = Taint::CLEAN;
        self.usage.last_accessed_at = now;
        self.updated_at = now;
    }
}

/// A would-be memory, as a door hands it in: not yet redacted, checked or compared.
#[derive(Clone, Debug)]
pub struct Draft {
    pub payload: Payload,
    pub content: String,
    /// `None` takes the first sentence of the content.
    pub summary: Option<String>,
    pub citation: Option<String>,
    pub confidence: Confidence,
    pub tags: BTreeSet<Tag>,
    pub files: BTreeSet<ProjectPath>,
    pub modules: BTreeSet<ModuleName>,
    pub fingerprints: BTreeSet<Fingerprint>,
    /// `None` is now. Imports bring their own.
    pub created_at: Option<Timestamp>,
    pub session: Option<SessionId>,
    pub commit: Option<CommitSha>,
    pub branch: Option<String>,
    pub work_unit: Option<WorkUnit>,
    pub methodology: Option<String>,
    pub scope: Scope,
    pub source: Source,
    pub created_by: Author,
    /// The place in the code graph it is about: `path` or `path:symbol`.
    pub target_node: Option<String>,
    /// Those of its places that change when the others do.
    pub impacted_nodes: BTreeSet<String>,
    /// `None` takes the source's own.
    pub visibility: Option<Visibility>,
    pub needs_review: bool,
    pub review_reason: Option<ReviewReason>,
    pub pinned: bool,
    pub taint: Taint,
    /// The first part of a text that was too long for one memory.
    pub part_of: Option<MemoryId>,
    /// What became of it before it came here.
    pub past: Past,
    /// Whether a program handed the words over, so that no person may have read them.
    pub is_handed_over: bool,
}

/// What became of a memory where it was before, as an export tells it.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct Past {
    pub provenance: BTreeSet<SessionId>,
    pub updated_at: Option<Timestamp>,
    pub last_accessed_at: Option<Timestamp>,
    pub access_count: u64,
    pub verified_at: Option<Timestamp>,
    pub flagged: Option<Flag>,
    pub stale: Option<Mark>,
    /// Those to files; other memories have other ids here.
    pub relations: Vec<Relation>,
}

impl Draft {
    /// What a person teaches, in their own words.
    pub fn taught(payload: Payload, content: impl Into<String>) -> Self {
        Self {
            payload,
            content: content.into(),
            summary: None,
            citation: None,
            confidence: Confidence::clamped(0.9),
            tags: BTreeSet::new(),
            files: BTreeSet::new(),
            modules: BTreeSet::new(),
            fingerprints: BTreeSet::new(),
            created_at: None,
            session: None,
            commit: None,
            branch: None,
            work_unit: None,
            methodology: None,
            scope: Scope::Global,
            source: Source::UserTaught,
            created_by: Author::user(),
            target_node: None,
            impacted_nodes: BTreeSet::new(),
            visibility: None,
            needs_review: false,
            review_reason: None,
            pinned: false,
            taint: Taint::CLEAN,
            part_of: None,
            past: Past::default(),
            is_handed_over: false,
        }
    }
}

#[cfg(test)]
pub(crate) mod tests;
