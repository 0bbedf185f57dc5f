//! Letting go of what is old: soft delete first, the bytes after the grace.

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;
use oldhand_domain::filter::{Filter, State};
use oldhand_domain::lifecycle::Fate;
use oldhand_domain::memory::{Mark, Memory};
use oldhand_domain::session::SessionStore;
use oldhand_domain::vocabulary::Scope;

use crate::lookup::Shelved;
use crate::{Engine, EngineError, Shelf};

/// Whether to only look.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PruneMode {
    DryRun,
    Do,
}

/// What went, or would go.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Pruned {
    /// Out of sight now, each with the reason.
    pub deleted: Vec<(Shelved, &'static str)>,
    /// Their grace is over: gone for good.
    pub erased: Vec<Shelved>,
}

/// Finds which of these branches the main line took in since a time, and when their work was done.
pub type FindMerged<'a> = &'a dyn Fn(&BTreeSet<String>, Timestamp) -> BTreeMap<String, Timestamp>;

impl Engine<'_> {
    /// What a person forgot and whose grace is over is not taught again by any session of `sessions`.
    pub fn prune(
        &self,
        mode: PruneMode,
        sessions: Option<&dyn SessionStore>,
        now: Timestamp,
    ) -> Result<Pruned, EngineError> {
        self.prune_shelves(mode, |_| true, sessions, now)
    }

    /// The same for the project alone: what follows a person goes by that person's word.
    pub fn prune_project(
        &self,
        sessions: Option<&dyn SessionStore>,
        now: Timestamp,
    ) -> Result<Pruned, EngineError> {
        let is_project = |shelf| shelf == Shelf::Project;
        self.prune_shelves(PruneMode::Do, is_project, sessions, now)
    }

    /// Puts away what was learned for a piece of work that is done; `merged` is asked once. What is put away is out of
    /// searches, and goes for good after its 90 days.
    pub fn archive_merged(
        &self,
        merged: FindMerged<'_>,
        now: Timestamp,
    ) -> Result<usize, EngineError> {
        let mut archived = 0;
        for (shelf, store) in self.shelves() {
            if shelf != Shelf::Project {
                continue;
            }
            let of_work = |memory: &Memory| {
                memory.scope == Scope::WorkUnit && memory.is_live() && !memory.pinned
            };
            let filter = Filter {
                scopes: vec![Scope::WorkUnit],
                ..Filter::default()
            };
            let known = store.list(&filter)?.memories.into_iter();
            let known: Vec<_> = known.filter(of_work).collect();
            let branches = known.iter().filter_map(|memory| memory.branch.clone());
            let branches: BTreeSet<String> = branches.collect();
            let Some(since) = known.iter().map(|memory| memory.created_at).min() else {
                continue;
            };
            let merged = merged(&branches, since);
            // A branch that was just begun is in the main line as well; only what was done since counts.
            let is_done = |memory: &Memory| {
                let merged = memory.branch.as_ref().and_then(|branch| merged.get(branch));
                merged.is_some_and(|merged| *merged > memory.created_at)
            };
            let done: Vec<_> = known.iter().filter(|memory| is_done(memory)).collect();
            if done.is_empty() {
                continue;
            }
            store.change(&mut |reader| {
                let mut changed = Vec::new();
                for memory in &done {
                    let Some(mut current) = reader.get(memory.id)?.filter(of_work) else {
                        continue;
                    };
                    let reason = "archived: its branch was merged".to_owned();
                    current.deprecated = Some(Mark { since: now, reason });
                    current.updated_at = now;
                    changed.push(current);
                }
                archived = changed.len();
                Ok(changed)
            })?;
        }
        Ok(archived)
    }

    fn prune_shelves(
        &self,
        mode: PruneMode,
        is_wanted: impl Fn(Shelf) -> bool,
        sessions: Option<&dyn SessionStore>,
        now: Timestamp,
    ) -> Result<Pruned, EngineError> {
        let mut pruned = Pruned::default();
        for (shelf, store) in self.shelves() {
            if !is_wanted(shelf) {
                continue;
            }
            let everything = Filter {
                state: State::Any,
                ..Filter::default()
            };
            let mut deleted = Vec::new();
            let mut erased = Vec::new();
            for memory in store.list(&everything)?.memories {
                match memory.fate(now) {
                    Fate::Keep => {}
                    Fate::Delete(reason) => deleted.push((memory, reason)),
                    Fate::Erase => erased.push(memory),
                }
            }
            if mode == PruneMode::Do {
                store.change(&mut |reader| {
                    // Judged again inside the transaction: someone may have used one in between.
                    let mut changed = Vec::new();
                    for (memory, _) in &deleted {
                        let Some(mut current) = reader.get(memory.id)? else {
                            continue;
                        };
                        if let Fate::Delete(reason) = current.fate(now) {
                            current.let_go(reason, now);
                            changed.push(current);
                        }
                    }
                    Ok(changed)
                })?;
                // Someone may have brought one back since the list was made.
                let mut over = Vec::new();
                for memory in erased {
                    let current = store.get(memory.id)?;
                    over.extend(current.filter(|current| current.fate(now) == Fate::Erase));
                }
                erased = over;
                if let (Shelf::Project, Some(sessions)) = (shelf, sessions) {
                    for memory in erased.iter().filter(|memory| memory.is_rejected()) {
                        self.bury(memory, sessions)?;
                    }
                }
                let ids: Vec<_> = erased.iter().map(|memory| memory.id).collect();
                if !ids.is_empty() {
                    store.erase(&ids)?;
                }
            }
            pruned.deleted.extend(
                deleted
                    .into_iter()
                    .map(|(memory, reason)| (Shelved { shelf, memory }, reason)),
            );
            pruned
                .erased
                .extend(erased.into_iter().map(|memory| Shelved { shelf, memory }));
        }
        Ok(pruned)
    }
}
