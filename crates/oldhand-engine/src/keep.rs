//! Looking after a memory: edit, pin, verify, flag, forget, restore, erase.

use std::collections::BTreeSet;

use jiff::Timestamp;
use oldhand_domain::confidence::Confidence;
use oldhand_domain::id::MemoryId;
use oldhand_domain::memory::{Draft, Flag, Memory};
use oldhand_domain::path::ProjectPath;
use oldhand_domain::payload::{MemoryType, Payload};
use oldhand_domain::relation::{Linked, propagate};
use oldhand_domain::session::SessionStore;
use oldhand_domain::text::{Citation, Content, Summary, Tag};
use oldhand_domain::vocabulary::{Correction, FlaggedBy, ReviewReason, Scope};
use oldhand_redact::redact;

use crate::bury::bury;
use crate::conflict::{settle_conflicts, undisputed, without_successor};
use crate::lookup::Shelved;
use crate::redaction::{Redaction, redact_draft};
use crate::{Engine, EngineError, Shelf};

/// What to change; `None` leaves a field as it is.
#[derive(Clone, Debug, Default)]
pub struct Edit {
    pub content: Option<String>,
    pub summary: Option<String>,
    pub citation: Option<String>,
    /// Another type, like other content, drops the structured part.
    pub memory_type: Option<MemoryType>,
    pub confidence: Option<Confidence>,
    pub scope: Option<Scope>,
    pub tags: Option<BTreeSet<Tag>>,
    pub files: Option<BTreeSet<ProjectPath>>,
}

impl Engine<'_> {
    /// A person rewrites a memory. Their words are verified by being theirs, and replace what they contradict. Says what secrets
    /// were taken out.
    pub fn edit(
        &self,
        given: &str,
        edit: &Edit,
        now: Timestamp,
    ) -> Result<(Shelved, Vec<Redaction>), EngineError> {
        let mut redactions = Vec::new();
        let shelved = self.alter(given, now, |memory| {
            redactions = apply(memory, edit.clone())?;
            memory.verify(now);
            Ok(())
        })?;
        Ok((shelved, redactions))
    }

    pub fn pin(&self, given: &str, now: Timestamp) -> Result<Shelved, EngineError> {
        self.alter(given, now, |memory| {
            memory.pinned = true;
            Ok(())
        })
    }

    pub fn unpin(&self, given: &str, now: Timestamp) -> Result<Shelved, EngineError> {
        self.alter(given, now, |memory| {
            memory.pinned = false;
            Ok(())
        })
    }

    /// A person read the memory and confirms it: what it contradicts is replaced by it.
    pub fn verify(&self, given: &str, now: Timestamp) -> Result<Shelved, EngineError> {
        self.alter(given, now, |memory| {
            memory.verify(now);
            Ok(())
        })
    }

    /// A person says the memory is wrong: it is not injected any more, at once.
    pub fn flag(
        &self,
        given: &str,
        correction: Correction,
        note: Option<&str>,
        now: Timestamp,
    ) -> Result<Shelved, EngineError> {
        let flag = flag_by(FlaggedBy::Person, correction, note, now);
        self.alter(given, now, |memory| {
            memory.flagged = Some(flag.clone());
            memory.await_review(ReviewReason::Contradicted);
            memory.verified = None;
            Ok(())
        })
    }

    /// An agent says the memory is wrong: it is not injected any more until a person has looked. What people said of it, for or
    /// against, stands. An agent writes to the project it works in and nowhere else.
    pub fn dispute(
        &self,
        given: &str,
        correction: Correction,
        note: Option<&str>,
        now: Timestamp,
    ) -> Result<Shelved, EngineError> {
        if let (Shelf::Personal, id) = self.resolve(given)? {
            return Err(EngineError::NotOfProject(id));
        }
        let flag = flag_by(FlaggedBy::Agent, correction, note, now);
        self.alter(given, now, |memory| {
            memory.flagged.get_or_insert_with(|| flag.clone());
            memory.await_review(ReviewReason::Contradicted);
            Ok(())
        })
    }

    /// Out of sight; `restore` brings it back within the grace, as it was.
    pub fn forget(&self, given: &str, now: Timestamp) -> Result<Shelved, EngineError> {
        self.change_one(given, now, |memory| {
            // Forgetting twice does not start the grace again.
            memory.forget(now);
            Ok(())
        })
    }

    /// Brings a deleted or deprecated memory back. Its age starts anew, or it would go again at once.
    pub fn restore(&self, given: &str, now: Timestamp) -> Result<Shelved, EngineError> {
        self.change_one(given, now, |memory| {
            if memory.is_live() {
                return Err(EngineError::NotDeleted(memory.id));
            }
            memory.deleted_since = None;
            memory.deprecated = None;
            memory.usage.last_accessed_at = now;
            Ok(())
        })
    }

    /// Removes a memory for good, without grace: no byte of it stays, and no session of `sessions` teaches it again.
    pub fn erase(
        &self,
        given: &str,
        sessions: Option<&dyn SessionStore>,
    ) -> Result<Shelved, EngineError> {
        let shelved = self.show(given)?;
        if let (Shelf::Project, Some(sessions)) = (shelved.shelf, sessions) {
            self.bury(&shelved.memory, sessions)?;
        }
        let store = self.store(shelved.shelf)?;
        store.change(&mut |reader| {
            let freed = undisputed(reader, &[shelved.memory.id])?;
            Ok([freed, without_successor(reader, &shelved.memory)].concat())
        })?;
        store.erase(&[shelved.memory.id])?;
        Ok(shelved)
    }

    /// Removes a memory whose row is too damaged to be shown; no session of `sessions` teaches it again.
    pub fn erase_damaged(
        &self,
        given: &str,
        sessions: Option<&dyn SessionStore>,
    ) -> Result<MemoryId, EngineError> {
        let (shelf, id) = self.resolve(given)?;
        if let (Shelf::Project, Some(sessions)) = (shelf, sessions) {
            bury(id, None, sessions)?;
        }
        self.store(shelf)?.erase(&[id])?;
        Ok(id)
    }

    /// Changes a memory that is not deleted.
    fn alter(
        &self,
        given: &str,
        now: Timestamp,
        mut change: impl FnMut(&mut Memory) -> Result<(), EngineError>,
    ) -> Result<Shelved, EngineError> {
        self.change_one(given, now, |memory| {
            if memory.deleted_since.is_some() {
                return Err(EngineError::Deleted(memory.id));
            }
            change(memory)
        })
    }

    /// Changes one memory, and with it the confidence of those it is related to, in one transaction. Where the change is a person's
    /// word for it, what it contradicts goes in the same one; where it goes itself, what waited because of it waits no longer.
    pub(crate) fn change_one(
        &self,
        given: &str,
        now: Timestamp,
        mut change: impl FnMut(&mut Memory) -> Result<(), EngineError>,
    ) -> Result<Shelved, EngineError> {
        let (shelf, id) = self.resolve(given)?;
        let mut outcome = Err(EngineError::UnknownId(given.to_owned()));
        self.store(shelf)?.change(&mut |reader| {
            let Some(mut memory) = reader.get(id)? else {
                return Ok(Vec::new());
            };
            let before = memory.confidence.get();
            let confirmed = memory.verified;
            let was_live = memory.is_live();
            if let Err(error) = change(&mut memory) {
                outcome = Err(error);
                return Ok(Vec::new());
            }
            memory.updated_at = now;
            let mut changed = follow(reader, &memory, memory.confidence.get() - before, now);
            if memory.verified != confirmed && memory.is_verified() {
                settle_conflicts(reader, &mut memory, &mut changed, now);
            }
            if was_live && !memory.is_live() {
                changed.extend(undisputed(reader, &[memory.id])?);
            }
            changed.push(memory.clone());
            outcome = Ok(memory);
            Ok(changed)
        })?;
        outcome.map(|memory| Shelved { shelf, memory })
    }
}

/// A word against a memory, without the secrets in it.
pub(crate) fn flag_by(
    by: FlaggedBy,
    correction: Correction,
    note: Option<&str>,
    now: Timestamp,
) -> Flag {
    Flag {
        since: now,
        correction,
        note: note.map(|note| redact(note).text.into_owned()),
        by,
    }
}

/// The related memories that a change of confidence reaches, as they should be saved.
fn follow(
    reader: &dyn oldhand_domain::port::MemoryReader,
    changed: &Memory,
    delta: f64,
    now: Timestamp,
) -> Vec<Memory> {
    let look_up = |id: MemoryId| {
        // A damaged neighbour is left alone; it must not keep a sound memory from being changed.
        let memory = if id == changed.id {
            Some(changed.clone())
        } else {
            reader.get(id).ok().flatten()
        };
        memory.map(|memory| Linked {
            confidence: memory.confidence,
            relations: memory.relations,
        })
    };
    let updated = propagate(changed.id, delta, look_up);
    let moved = updated.into_iter().filter_map(|(id, confidence)| {
        let mut memory = reader.get(id).ok().flatten()?;
        memory.confidence = confidence;
        memory.updated_at = now;
        Some(memory)
    });
    moved.collect()
}

fn apply(memory: &mut Memory, edit: Edit) -> Result<Vec<Redaction>, EngineError> {
    let content_changed = edit.content.is_some();
    let draft = Draft {
        summary: edit.summary,
        citation: edit.citation,
        tags: edit.tags.unwrap_or_else(|| memory.tags.clone()),
        files: edit.files.unwrap_or_else(|| memory.files.clone()),
        ..Draft::taught(
            memory.payload.clone(),
            edit.content
                .unwrap_or_else(|| memory.content.as_str().to_owned()),
        )
    };
    let (draft, redactions) = redact_draft(draft);
    let content = Content::new(&draft.content)?;
    memory.summary = match draft.summary {
        Some(summary) => Summary::new(&summary)?,
        None if content_changed => Summary::of(&content),
        None => memory.summary.clone(),
    };
    if let Some(citation) = draft.citation {
        memory.citation = Some(Citation::new(&citation)?);
    }
    let memory_type = edit.memory_type.unwrap_or_else(|| memory.memory_type());
    // Words that were edited out must not live on in the structured part.
    if content_changed || memory_type != memory.memory_type() {
        memory.payload = Payload::Plain(memory_type);
    }
    memory.content = content;
    memory.tags = draft.tags;
    memory.files = draft.files;
    memory.confidence = edit.confidence.unwrap_or(memory.confidence);
    memory.scope = edit.scope.unwrap_or(memory.scope);
    Ok(redactions)
}
