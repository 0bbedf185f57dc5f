//! A memory that nothing stands against: the only kind that can be said.

use jiff::Timestamp;
use oldhand_domain::id::MemoryId;
use oldhand_domain::memory::Memory;
use oldhand_domain::path::ProjectPath;
use oldhand_domain::payload::Payload;
use oldhand_domain::seal::TextHash;
use oldhand_domain::vocabulary::Scope;

use crate::gate::{Audience, Purpose, Refusal, is_elsewhere, refuse};
use crate::pack::Item;
use crate::trust::TrustLevel;
use oldhand_domain::tokens;

/// A memory is said in full up to this many tokens, and by its summary beyond.
const FULL_TEXT: usize = 140;

/// Whose word a memory is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Whose {
    #[default]
    Project,
    /// Another memory of the project that is told too says the opposite.
    ProjectAgainst(MemoryId),
    /// It follows the person from project to project.
    Person,
    /// The same, and a memory of the project that is told too says the opposite.
    PersonAgainst(MemoryId),
}

impl Whose {
    pub const fn is_personal(&self) -> bool {
        matches!(self, Self::Person | Self::PersonAgainst(_))
    }

    const fn is_contrary(&self) -> bool {
        matches!(self, Self::ProjectAgainst(_) | Self::PersonAgainst(_))
    }

    /// What is said of it behind the type of the memory.
    pub fn note(&self) -> String {
        match self {
            Self::Project => String::new(),
            Self::ProjectAgainst(other) => format!(" (contradicted by {})", other.short()),
            // Also where it says the opposite in other words, or where the project's word is not told here.
            Self::Person => " (the user's own; what this project says goes first)".to_owned(),
            Self::PersonAgainst(other) => {
                format!(
                    " (the user's own; this project says otherwise, see {})",
                    other.short()
                )
            }
        }
    }
}

/// A memory that may be put before a model as it stands.
#[derive(Clone, Debug, PartialEq)]
pub struct Cleared {
    pub(super) memory: Memory,
    whose: Whose,
    /// Of the text that was let through.
    text: TextHash,
}

impl Cleared {
    /// Lets a memory through, or says what stands against it.
    pub fn of(
        memory: Memory,
        level: TrustLevel,
        audience: Audience<'_>,
        now: Timestamp,
    ) -> Result<Self, Refusal> {
        let refusal = refuse(&memory, Purpose::Inject { level }, now);
        match refusal.or_else(|| is_elsewhere(&memory, audience)) {
            Some(refusal) => Err(refusal),
            None => Ok(Self {
                text: memory.text_hash(),
                whose: Whose::default(),
                memory,
            }),
        }
    }

    /// The same, with whose word it is.
    #[must_use]
    pub fn by(self, whose: Whose) -> Self {
        Self { whose, ..self }
    }

    pub fn whose(&self) -> &Whose {
        &self.whose
    }

    pub fn memory(&self) -> &Memory {
        &self.memory
    }

    /// The line that is said. Words other than those that were let through are never said, whatever led to them.
    pub(super) fn item(&self, about: Option<&ProjectPath>, score: f64) -> Item {
        let memory = &self.memory;
        assert!(
            memory.text_hash() == self.text,
            "a cleared memory has the text that was cleared"
        );
        let content = memory.content.as_str();
        let text = if tokens::count(content) <= FULL_TEXT {
            content
        } else {
            memory.summary.as_str()
        };
        // Of several files none stands for all of them, unless it holds from that one alone, or it is the folder whose rules file says so.
        let mut from = memory.files.iter().filter(|file| memory.holds_from(file));
        let only = from.next().filter(|_| from.next().is_none());
        let only = memory
            .files
            .iter()
            .find(|file| is_of(memory, file))
            .or(only);
        let file = about.filter(|file| memory.files.contains(*file)).or(only);
        Item {
            cite: memory.id.short(),
            label: match &memory.payload {
                Payload::E2eObservation(seen) => {
                    format!("{} ({})", memory.memory_type(), seen.kind)
                }
                _ => memory.memory_type().to_string(),
            } + &self.whose.note(),
            text: text.to_owned(),
            file: file.cloned(),
            lines: None,
            is_contrary: self.whose.is_contrary(),
            share: 1.0,
            score,
        }
    }
}

/// Whether a rules file that lies in this folder says it.
fn is_of(memory: &Memory, folder: &ProjectPath) -> bool {
    let file = memory.created_by.as_str().strip_prefix("import:");
    let name = file.and_then(|file| file.strip_prefix(folder.as_str())?.strip_prefix('/'));
    memory.scope == Scope::Module && name.is_some_and(|name| !name.contains('/'))
}
