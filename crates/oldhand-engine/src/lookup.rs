//! Finding a memory by its id, or by the beginning of one, on whichever shelf it is.

use std::collections::BTreeSet;

use oldhand_domain::filter::Filter;
use oldhand_domain::id::MemoryId;
use oldhand_domain::memory::Memory;
use oldhand_domain::text::ModuleName;

use crate::error::MIN_PREFIX;
use crate::{Engine, EngineError, Shelf};

/// A memory and the shelf it lives on.
#[derive(Clone, Debug, PartialEq)]
pub struct Shelved {
    pub shelf: Shelf,
    pub memory: Memory,
}

/// What a listing found, and what it had to leave out.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Kept {
    pub memories: Vec<Shelved>,
    /// Their words are not the ones that were written; `oldhand doctor` tells more.
    pub damaged: Vec<(Shelf, MemoryId)>,
}

impl Engine<'_> {
    /// The one memory whose id is, or begins with, `given`; short ids as shown to people work too.
    pub fn resolve(&self, given: &str) -> Result<(Shelf, MemoryId), EngineError> {
        let given = given.trim();
        let plain: String = given.chars().filter(|&c| c != '-').collect();
        let is_hex = plain.chars().all(|c| c.is_ascii_hexdigit());
        if !is_hex {
            return Err(EngineError::UnknownId(given.to_owned()));
        }
        if plain.len() < MIN_PREFIX {
            return Err(EngineError::ShortId(given.to_owned()));
        }
        let mut found = Vec::new();
        for (shelf, store) in self.shelves() {
            found.extend(
                store
                    .find(&plain.to_lowercase())?
                    .into_iter()
                    .map(|id| (shelf, id)),
            );
        }
        match found.as_slice() {
            [] => Err(EngineError::UnknownId(given.to_owned())),
            [one] => Ok(*one),
            many => {
                let candidates = many.iter().map(|(_, id)| *id).collect();
                Err(EngineError::AmbiguousId {
                    given: given.to_owned(),
                    candidates,
                })
            }
        }
    }

    pub fn show(&self, given: &str) -> Result<Shelved, EngineError> {
        let (shelf, id) = self.resolve(given)?;
        let memory = self.store(shelf)?.get(id)?;
        let memory = memory.ok_or_else(|| EngineError::UnknownId(given.to_owned()))?;
        Ok(Shelved { shelf, memory })
    }

    /// Every module that a memory names.
    pub fn modules(&self) -> Result<BTreeSet<ModuleName>, EngineError> {
        let mut named = BTreeSet::new();
        for (_, store) in self.shelves() {
            named.extend(store.modules()?);
        }
        Ok(named)
    }

    /// What passes the filter, newest first, from one shelf or from all.
    pub fn list(&self, shelf: Option<Shelf>, filter: &Filter) -> Result<Kept, EngineError> {
        let mut kept = Kept::default();
        for (at, store) in self
            .shelves()
            .filter(|(at, _)| shelf.is_none_or(|wanted| wanted == *at))
        {
            let listing = store.list(filter)?;
            kept.memories.extend(
                listing
                    .memories
                    .into_iter()
                    .map(|memory| Shelved { shelf: at, memory }),
            );
            kept.damaged
                .extend(listing.damaged.into_iter().map(|id| (at, id)));
        }
        kept.memories.sort_by(|a, b| {
            let newest_first = b.memory.created_at.cmp(&a.memory.created_at);
            newest_first.then(b.memory.id.cmp(&a.memory.id))
        });
        kept.memories.truncate(filter.limit.unwrap_or(usize::MAX));
        Ok(kept)
    }
}
