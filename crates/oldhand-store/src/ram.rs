//! Memories in memory: for tests, for the few a hook chooses among, and to show what the contract asks without SQL.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Mutex, MutexGuard, PoisonError};

use jiff::Timestamp;
use oldhand_domain::bm25::{Bm25, rarity};
use oldhand_domain::error::StoreError;
use oldhand_domain::filter::{Filter, TextQuery};
use oldhand_domain::id::{MemoryId, SessionId};
use oldhand_domain::memory::Memory;
use oldhand_domain::path::ProjectPath;
use oldhand_domain::port::{
    Called, Counts, Found, Hit, Listing, Matches, MemoryReader, MemoryStore, Plan, Spread,
};
use oldhand_domain::session::{Finish, SessionRecord, SessionStore, Tombstone};
use oldhand_domain::text::ModuleName;
use oldhand_domain::words;

use crate::matching::passes;

/// A store that lives as long as the value does.
#[derive(Default)]
pub struct RamStore {
    memories: Mutex<BTreeMap<MemoryId, Memory>>,
    sessions: Mutex<BTreeMap<SessionId, SessionRecord>>,
    buried: Mutex<BTreeSet<Tombstone>>,
}

impl RamStore {
    pub fn new() -> Self {
        Self::default()
    }

    fn sessions(&self) -> MutexGuard<'_, BTreeMap<SessionId, SessionRecord>> {
        self.sessions.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn buried(&self) -> MutexGuard<'_, BTreeSet<Tombstone>> {
        self.buried.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<MemoryId, Memory>> {
        // Changes are made after the plan has returned, so a panic cannot leave half of one.
        self.memories.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl FromIterator<Memory> for RamStore {
    /// Memories as they are, to be asked in memory.
    fn from_iter<I: IntoIterator<Item = Memory>>(memories: I) -> Self {
        let memories = memories.into_iter().map(|memory| (memory.id, memory));
        Self {
            memories: Mutex::new(memories.collect()),
            ..Self::default()
        }
    }
}

impl SessionStore for RamStore {
    fn finish_session(&self, plan: &mut Finish<'_>) -> Result<(), StoreError> {
        let mut record = None;
        let mut used = Vec::new();
        self.change(&mut |reader| {
            let finished = plan(reader)?;
            record = Some(finished.record);
            used = finished.used;
            Ok(finished.memories)
        })?;
        for (id, at) in used {
            self.touch(&[id], at)?;
        }
        self.sessions()
            .extend(record.map(|record| (record.id.clone(), record)));
        Ok(())
    }

    fn rewrite_session(&self, record: &SessionRecord) -> Result<(), StoreError> {
        self.save_session(record)
    }

    fn sessions_with_error(
        &self,
        error: &str,
        limit: usize,
    ) -> Result<Vec<SessionRecord>, StoreError> {
        let mut records = SessionStore::sessions(self)?;
        records.retain(|record| record.errors.contains(error));
        records.reverse();
        records.truncate(limit);
        Ok(records)
    }

    fn bury(&self, erased: &[Tombstone]) -> Result<(), StoreError> {
        self.buried().extend(erased);
        Ok(())
    }

    fn is_buried(&self, tombstone: &Tombstone) -> Result<bool, StoreError> {
        Ok(self.buried().contains(tombstone))
    }

    fn session(&self, id: &SessionId) -> Result<Option<SessionRecord>, StoreError> {
        Ok(self.sessions().get(id).cloned())
    }

    fn sessions(&self) -> Result<Vec<SessionRecord>, StoreError> {
        let mut records: Vec<SessionRecord> = self.sessions().values().cloned().collect();
        records.sort_by(|a, b| (a.started_at, &a.id).cmp(&(b.started_at, &b.id)));
        Ok(records)
    }

    fn find_sessions(&self, prefix: &str) -> Result<Vec<SessionId>, StoreError> {
        let sessions = self.sessions();
        let begin = sessions.keys().filter(|id| id.as_str().starts_with(prefix));
        Ok(begin.take(20).cloned().collect())
    }

    fn remove_session(&self, id: &SessionId) -> Result<(), StoreError> {
        self.sessions().remove(id);
        Ok(())
    }
}

struct Reader<'a>(&'a BTreeMap<MemoryId, Memory>);

impl Reader<'_> {
    /// What matches, rated as if what `others` tells of were here as well.
    fn search_beside(&self, query: &TextQuery, others: &Spread) -> Found {
        let mut wanted: BTreeSet<String> = words::split(&query.text).into_iter().collect();
        let lone = wanted.iter().filter(|word| words::is_lone(word));
        let lone: Vec<String> = lone.cloned().collect();
        for memory in self.0.values().filter(|_| !lone.is_empty()) {
            let words = words::split(memory.content.as_str()).into_iter();
            let has = |word: &String| lone.iter().any(|character| word.contains(character));
            wanted.extend(words.filter(has));
        }
        let scores = Scores::of(self.0.values(), &wanted, others);
        let mut hits: Vec<Hit> = self
            .0
            .values()
            .filter(|memory| passes(memory, &query.filter))
            .map(|memory| Hit {
                memory: memory.clone(),
                score: scores.score(memory),
            })
            .filter(|hit| hit.score > 0.0)
            .collect();
        hits.sort_by(|a, b| b.score.total_cmp(&a.score));
        hits.truncate(query.limit.min(query.filter.limit.unwrap_or(usize::MAX)));
        Found {
            hits,
            damaged: Vec::new(),
        }
    }
}

impl MemoryReader for Reader<'_> {
    fn get(&self, id: MemoryId) -> Result<Option<Memory>, StoreError> {
        Ok(self.0.get(&id).cloned())
    }

    fn find(&self, prefix: &str) -> Result<Vec<MemoryId>, StoreError> {
        let digits = prefix.replace('-', "").to_ascii_lowercase();
        if digits.is_empty() {
            return Ok(Vec::new());
        }
        let begins = |id: &&MemoryId| {
            id.uuid().simple().to_string().starts_with(&digits) || id.short().starts_with(&digits)
        };
        Ok(self.0.keys().filter(begins).take(20).copied().collect())
    }

    fn list(&self, filter: &Filter) -> Result<Listing, StoreError> {
        let passing = self.0.values().filter(|memory| passes(memory, filter));
        let mut memories: Vec<Memory> = passing.cloned().collect();
        memories.sort_by_key(|memory| std::cmp::Reverse((memory.created_at, memory.id)));
        memories.truncate(filter.limit.unwrap_or(usize::MAX));
        Ok(Listing {
            memories,
            damaged: Vec::new(),
        })
    }

    fn search(&self, query: &TextQuery) -> Result<Found, StoreError> {
        Ok(self.search_beside(query, &Spread::default()))
    }

    fn matches_beside(&self, query: &TextQuery, others: &Spread) -> Result<Matches, StoreError> {
        let hits = self.search_beside(query, others).hits.into_iter();
        let texts: Vec<Vec<String>> = self.0.values().map(text_words).collect();
        let having = |word: &String| texts.iter().filter(|text| text.contains(word)).count();
        let words = words::split(&query.text).into_iter();
        let words: BTreeMap<String, usize> =
            words.map(|word| (word.clone(), having(&word))).collect();
        let is_met = words.values().any(|number| *number > 0);
        let met = texts.iter().filter(|_| is_met);
        Ok(Matches {
            hits: hits.map(|hit| (hit.memory.id, hit.score)).collect(),
            spread: Spread {
                memories: self.0.len(),
                words,
                indexed: met.clone().count(),
                length: met.map(Vec::len).sum(),
            },
        })
    }

    fn read(&self, ids: &[MemoryId], filter: &Filter) -> Result<Listing, StoreError> {
        let known = ids.iter().filter_map(|id| self.0.get(id));
        Ok(Listing {
            memories: known
                .filter(|memory| passes(memory, filter))
                .cloned()
                .collect(),
            damaged: Vec::new(),
        })
    }

    fn ids(&self, filter: &Filter) -> Result<Vec<MemoryId>, StoreError> {
        let passing = self.0.values().filter(|memory| passes(memory, filter));
        Ok(passing.map(|memory| memory.id).collect())
    }

    fn called(&self, names: &BTreeSet<ProjectPath>) -> Result<Called, StoreError> {
        let files = self.0.values().flat_map(|memory| &memory.files);
        let files: BTreeSet<&ProjectPath> = files.collect();
        let mut called = Called::new();
        for name in names {
            let ends_so = |file: &&&ProjectPath| file.ends().any(|end| end == name.as_str());
            let found: BTreeSet<ProjectPath> = if files.contains(name) {
                BTreeSet::from([name.clone()])
            } else {
                files.iter().filter(ends_so).copied().cloned().collect()
            };
            if !found.is_empty() {
                called.insert(name.clone(), found);
            }
        }
        Ok(called)
    }

    fn modules(&self) -> Result<Vec<ModuleName>, StoreError> {
        let named = self.0.values().flat_map(|memory| memory.modules.iter());
        let named: BTreeSet<&ModuleName> = named.collect();
        Ok(named.into_iter().cloned().collect())
    }

    fn learned_in(&self, session: &SessionId) -> Result<usize, StoreError> {
        let learned = |memory: &&Memory| memory.session.as_ref() == Some(session);
        Ok(self.0.values().filter(learned).count())
    }

    fn counts(&self) -> Result<Counts, StoreError> {
        let mut live: BTreeMap<String, usize> = BTreeMap::new();
        let mut counts = Counts::default();
        for memory in self.0.values() {
            if memory.deleted_since.is_some() {
                counts.deleted += 1;
            } else if memory.deprecated.is_some() {
                counts.deprecated += 1;
            } else {
                *live.entry(memory.memory_type().to_string()).or_default() += 1;
                counts.needs_review += usize::from(memory.needs_review);
                counts.pinned += usize::from(memory.pinned);
                counts.flagged += usize::from(memory.flagged.is_some());
                counts.stale += usize::from(memory.stale.is_some());
            }
        }
        counts.live = live.into_iter().collect();
        counts
            .live
            .sort_by_key(|(_, count)| std::cmp::Reverse(*count));
        Ok(counts)
    }
}

/// BM25 over all text of a memory.
struct Scores<'a> {
    wanted: Vec<(&'a String, f64)>,
    mean_length: f64,
}

impl<'a> Scores<'a> {
    fn of<'m>(
        memories: impl Iterator<Item = &'m Memory>,
        wanted: &'a BTreeSet<String>,
        others: &Spread,
    ) -> Self {
        let texts: Vec<Vec<String>> = memories.map(text_words).collect();
        let total = (texts.len() + others.indexed) as f64;
        let weight = |word: &String| {
            let having = texts.iter().filter(|text| text.contains(word)).count();
            let elsewhere = others.words.get(word).copied().unwrap_or_default();
            rarity(total, (having + elsewhere) as f64)
        };
        let length = texts.iter().map(Vec::len).sum::<usize>() + others.length;
        Self {
            wanted: wanted.iter().map(|word| (word, weight(word))).collect(),
            mean_length: length as f64 / total.max(1.0),
        }
    }

    fn score(&self, memory: &Memory) -> f64 {
        let text = text_words(memory);
        let length = text.len() as f64 / self.mean_length.max(1.0);
        let score = |(word, weight): &(&String, f64)| {
            let times = text.iter().filter(|own| own == word).count() as f64;
            weight * Bm25::USUAL.weigh(times, length)
        };
        self.wanted.iter().map(score).sum()
    }
}

fn text_words(memory: &Memory) -> Vec<String> {
    let mut all = words::split(memory.content.as_str());
    all.extend(words::split(memory.summary.as_str()));
    for tag in &memory.tags {
        all.extend(words::split(tag.as_str()));
    }
    for file in &memory.files {
        all.extend(words::split(file.as_str()));
    }
    all
}

impl MemoryReader for RamStore {
    fn get(&self, id: MemoryId) -> Result<Option<Memory>, StoreError> {
        Reader(&self.lock()).get(id)
    }

    fn find(&self, prefix: &str) -> Result<Vec<MemoryId>, StoreError> {
        Reader(&self.lock()).find(prefix)
    }

    fn list(&self, filter: &Filter) -> Result<Listing, StoreError> {
        Reader(&self.lock()).list(filter)
    }

    fn search(&self, query: &TextQuery) -> Result<Found, StoreError> {
        Reader(&self.lock()).search(query)
    }

    fn matches_beside(&self, query: &TextQuery, others: &Spread) -> Result<Matches, StoreError> {
        Reader(&self.lock()).matches_beside(query, others)
    }

    fn read(&self, ids: &[MemoryId], filter: &Filter) -> Result<Listing, StoreError> {
        Reader(&self.lock()).read(ids, filter)
    }

    fn ids(&self, filter: &Filter) -> Result<Vec<MemoryId>, StoreError> {
        Reader(&self.lock()).ids(filter)
    }

    fn called(&self, names: &BTreeSet<ProjectPath>) -> Result<Called, StoreError> {
        Reader(&self.lock()).called(names)
    }

    fn modules(&self) -> Result<Vec<ModuleName>, StoreError> {
        Reader(&self.lock()).modules()
    }

    fn learned_in(&self, session: &SessionId) -> Result<usize, StoreError> {
        Reader(&self.lock()).learned_in(session)
    }

    fn counts(&self) -> Result<Counts, StoreError> {
        Reader(&self.lock()).counts()
    }
}

impl MemoryStore for RamStore {
    fn change(&self, plan: &mut Plan<'_>) -> Result<(), StoreError> {
        let mut memories = self.lock();
        for mut memory in plan(&Reader(&memories))? {
            let old = memories.get(&memory.id);
            memory.revision = old.map_or(1, |old| old.revision + 1);
            memories.insert(memory.id, memory);
        }
        Ok(())
    }

    fn erase(&self, ids: &[MemoryId]) -> Result<usize, StoreError> {
        let mut memories = self.lock();
        let erased = ids.iter().filter_map(|id| memories.remove(id));
        Ok(erased.count())
    }

    fn touch(&self, ids: &[MemoryId], now: Timestamp) -> Result<(), StoreError> {
        let mut memories = self.lock();
        for id in ids {
            if let Some(memory) = memories.get_mut(id) {
                memory.usage.access_count += 1;
                memory.usage.last_accessed_at = now;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    crate::contract!(Box::new(super::RamStore::new()));
}
