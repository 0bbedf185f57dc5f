//! The vectors of a store's memories, kept up with it.
//!
//! A small file beside the vectors says up to which change they follow the store. Whoever opens them brings them up to date;
//! where that is not possible (read-only, someone else is at it) they serve as they are.

mod kept;
mod sought;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use oldhand_domain::error::StoreError;
use oldhand_domain::id::MemoryId;
use oldhand_domain::port::{Embedder, MemoryReader, VectorIndex};
use oldhand_domain::text::Content;
use uuid::Uuid;

use crate::SqliteStore;
use crate::journal::make_private_folder;
use crate::vectors::{Key, Search, Vectors, VectorsError, Writer, rebuild};

use self::sought::{Nearest, Question, Sought};

pub use kept::keep_open;

/// How many texts are embedded before they are written: four blocks of vectors, which go into one write.
const BATCH: usize = 4096;

/// So many changes are caught up with while somebody waits, which takes a second or two; more are work for the background.
pub const FEW: usize = 20_000;

/// The vectors of one store for one model.
pub struct Meaning {
    vectors: Option<Vectors>,
    /// Says up to where they follow the store.
    follows: PathBuf,
    /// What was last asked of all: whoever first asks whether there is anything to say asks the same again to say it.
    last: Mutex<Option<Question>>,
    /// Why the vectors are not up to date, if they are not.
    pub lag: Option<String>,
    /// How many memories were embedded to bring them up to date.
    pub embedded: usize,
}

/// How many changes of `store` the vectors of a model do not follow yet; all of them where there are no vectors, or none that can be
/// read.
pub fn behind(store: &SqliteStore, folder: &Path, embedder: &dyn Embedder) -> usize {
    let files = Files::new(folder, embedder);
    let newest = store.newest_change().unwrap_or_default();
    let follows = files.follows().filter(|number| *number <= newest);
    let follows = follows.filter(|_| files.open(embedder).is_ok());
    let missing = newest - follows.unwrap_or_default();
    missing.try_into().unwrap_or_default()
}

/// How many vectors of a model there are.
pub fn count(folder: &Path, embedder: &dyn Embedder) -> usize {
    let vectors = Files::new(folder, embedder).open(embedder);
    vectors.map_or(0, |vectors| vectors.keys().count())
}

/// How many vectors of a model are not what was written. A file that cannot even be opened is made anew by the next search.
pub fn count_damaged(folder: &Path, embedder: &dyn Embedder) -> usize {
    let vectors = Files::new(folder, embedder).open(embedder);
    vectors.map_or(0, |vectors| vectors.count_damaged())
}

/// The model whose vectors answer while nobody has time to make any: the one that misses the least, of equals the first.
pub fn find_fullest<'a>(
    store: &SqliteStore,
    folder: &Path,
    embedders: impl Iterator<Item = &'a dyn Embedder>,
) -> Option<&'a dyn Embedder> {
    embedders
        .filter(|embedder| Files::new(folder, *embedder).vectors.exists())
        .min_by_key(|embedder| behind(store, folder, *embedder))
}

/// Removes the vectors of a model that is not used any more.
pub fn drop_vectors(folder: &Path, embedder: &dyn Embedder) {
    let files = Files::new(folder, embedder);
    for file in [&files.follows, &files.vectors, &files.owes] {
        // What cannot be removed is in nobody's way.
        let _ = fs::remove_file(file);
    }
}

/// Removes the vectors of all models but `known`: those that only an earlier version of the program knew. Nobody would take what is
/// erased out of them.
pub fn drop_unknown(folder: &Path, known: &[&dyn Embedder]) {
    let Ok(entries) = fs::read_dir(folder) else {
        return;
    };
    for entry in entries.flatten() {
        let name = entry.file_name();
        let model = name.to_str().and_then(|name| name.split('.').next());
        if !known.iter().any(|one| Some(one.model()) == model) {
            // What cannot be removed is in nobody's way.
            let _ = fs::remove_file(entry.path());
        }
    }
}

impl Meaning {
    /// Opens the vectors of `store` in `folder`, after bringing them up to date.
    pub fn keep_up(store: &SqliteStore, folder: &Path, embedder: &dyn Embedder) -> Self {
        Self::build(store, folder, embedder, &mut |_| {})
    }

    /// As [`Meaning::keep_up`]; `progress` hears how many memories are embedded.
    pub fn build(
        store: &SqliteStore,
        folder: &Path,
        embedder: &dyn Embedder,
        progress: &mut dyn FnMut(usize),
    ) -> Self {
        let files = Files::new(folder, embedder);
        let (embedded, lag) = match files.catch_up(store, embedder, progress) {
            Ok(embedded) => (embedded, None),
            Err(why) => (0, Some(why)),
        };
        Self {
            vectors: files.open(embedder).ok(),
            follows: files.follows,
            last: Mutex::default(),
            lag,
            embedded,
        }
    }

    /// Opens the vectors in `folder` if they follow their store up to its change number `newest` and hold nothing that was erased.
    pub fn following(folder: &Path, embedder: &dyn Embedder, newest: i64) -> Option<Arc<Self>> {
        let (follows, meaning) = Self::with_follows(folder, embedder)?;
        (follows == newest).then_some(meaning)
    }

    /// Opens the vectors in `folder` if they hold nothing that was erased, and tells up to which change they follow their store at least.
    pub fn with_follows(folder: &Path, embedder: &dyn Embedder) -> Option<(i64, Arc<Self>)> {
        let files = Files::new(folder, embedder);
        let follows = files.follows().filter(|_| !files.owes.exists())?;
        let open = || Self::as_it_is(folder, embedder);
        let meaning = kept::open_or_keep(&files.vectors, follows, open);
        meaning.vectors.is_some().then_some((follows, meaning))
    }

    /// Says beforehand what is going to be asked of all, so that whoever wants to ask the same knows that somebody is at it, and helps with what is left.
    pub fn expect(&self, question: &[f32], limit: usize) {
        let vectors = self.vectors.as_ref();
        let together = vectors.and_then(|vectors| vectors.begin(question, limit).ok());
        self.ask(question, limit, together);
    }

    /// Whether a question met a vector that is damaged or cannot be read: what it is about was not found by meaning.
    pub fn is_damaged(&self) -> bool {
        self.vectors.as_ref().is_some_and(Vectors::is_damaged)
    }

    /// Says that no more will be asked of all, unless they are kept open: see [`Vectors::let_go`].
    pub fn let_go(&self) {
        if let Some(vectors) = self.vectors.as_ref().filter(|_| !kept::is_kept()) {
            vectors.let_go();
        }
    }

    /// How many memories have a vector.
    pub fn rows(&self) -> usize {
        self.vectors.as_ref().map_or(0, Vectors::rows)
    }

    /// Opens the vectors in `folder` as they lie, for those who have no time to bring them up to date.
    pub fn as_it_is(folder: &Path, embedder: &dyn Embedder) -> Self {
        let files = Files::new(folder, embedder);
        Self {
            vectors: files.open(embedder).ok(),
            follows: files.follows,
            last: Mutex::default(),
            lag: None,
            embedded: 0,
        }
    }
}

/// Removes all vectors in `folder`: for a database that was replaced by another. They come back with the next search.
pub fn start_over(folder: &Path) -> std::io::Result<()> {
    match fs::remove_dir_all(folder) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// Overwrites the vectors of erased memories. Where that fails, whoever next brings them up to date has to.
pub fn forget(
    folder: &Path,
    embedder: &dyn Embedder,
    ids: &[MemoryId],
) -> Result<(), VectorsError> {
    let files = Files::new(folder, embedder);
    if !files.vectors.exists() {
        return Ok(());
    }
    let keys: Vec<Key> = ids.iter().map(|id| Key::from(*id)).collect();
    let forgotten = Writer::open(&files.vectors, embedder.model(), embedder.dimensions())
        .and_then(|mut writer| writer.remove(&keys));
    if forgotten.is_err() {
        // Erasing is no change that anybody could see to be missing.
        fs::write(&files.owes, "").map_err(|source| VectorsError::Disk {
            doing: "note what is erased beside",
            path: files.vectors,
            source,
        })?;
    }
    forgotten
}

struct Files {
    vectors: PathBuf,
    /// Holds the number of the last change that is in the vectors.
    follows: PathBuf,
    /// Is there when they may hold the vector of an erased memory.
    owes: PathBuf,
}

impl Files {
    fn new(folder: &Path, embedder: &dyn Embedder) -> Self {
        let file = |extension: &str| folder.join(format!("{}.{extension}", embedder.model()));
        Self {
            vectors: file("vec"),
            follows: file("follows"),
            owes: file("owes"),
        }
    }

    fn open(&self, embedder: &dyn Embedder) -> Result<Vectors, VectorsError> {
        Vectors::open(&self.vectors, embedder.model(), embedder.dimensions())
    }

    /// `None` when there are no vectors, or when nobody knows what they follow.
    fn follows(&self) -> Option<i64> {
        let number = fs::read_to_string(&self.follows).ok()?;
        number.trim().parse().ok().filter(|_| self.vectors.exists())
    }

    fn catch_up(
        &self,
        store: &SqliteStore,
        embedder: &dyn Embedder,
        progress: &mut dyn FnMut(usize),
    ) -> Result<usize, String> {
        let newest = store.newest_change().map_err(|error| error.to_string())?;
        let follows = self.follows();
        if follows == Some(newest) && !self.owes.exists() && self.open(embedder).is_ok() {
            return Ok(0);
        }
        if let Some(folder) = self.vectors.parent() {
            make_private_folder(folder).map_err(|error| error.to_string())?;
        }
        // A restored backup can be older than the vectors: then they start over, too.
        let sound = follows.is_some_and(|number| number <= newest) && self.open(embedder).is_ok();
        if !sound {
            // Whoever is stopped between the two would leave an empty file that is said to follow everything.
            remove(&self.follows).map_err(|error| error.to_string())?;
            rebuild(
                &self.vectors,
                embedder.model(),
                embedder.dimensions(),
                std::iter::empty(),
            )
            .map_err(|error| error.to_string())?;
        }
        let from = if sound { follows.unwrap_or(0) } else { 0 };
        let (embedded, until) = self.add_changes(store, embedder, from, progress)?;
        let until = until.max(newest);
        // Whoever is stopped while they are compared is followed by one who compares them.
        self.follow(until - 1)?;
        // What is erased from here on may be missed below, and is owed again.
        remove(&self.owes).map_err(|error| error.to_string())?;
        self.reconcile(store, embedder)?;
        self.follow(until)?;
        Ok(embedded)
    }

    fn follow(&self, change: i64) -> Result<(), String> {
        fs::write(&self.follows, change.to_string()).map_err(|error| error.to_string())
    }

    fn add_changes(
        &self,
        store: &SqliteStore,
        embedder: &dyn Embedder,
        mut from: i64,
        progress: &mut dyn FnMut(usize),
    ) -> Result<(usize, i64), String> {
        let mut embedded = 0;
        let mut writer = Writer::open(&self.vectors, embedder.model(), embedder.dimensions())
            .map_err(|error| error.to_string())?;
        loop {
            let changes = store
                .changes_since(from, BATCH)
                .map_err(|error| error.to_string())?;
            if changes.until == from {
                return Ok((embedded, from));
            }
            let texts: Vec<&str> = changes
                .texts
                .iter()
                .map(|(_, text)| text.as_str())
                .collect();
            let vectors = embedder.embed(&texts).map_err(|error| error.to_string())?;
            let rows = changes.texts.iter().zip(&vectors);
            let rows: Vec<(Key, &[f32])> = rows
                .map(|((id, _), vector)| (Key::from(*id), vector.as_slice()))
                .collect();
            writer.put(&rows).map_err(|error| error.to_string())?;
            from = changes.until;
            embedded += texts.len();
            // Whoever is stopped here is gone on with from here. One short, since nothing is compared yet.
            self.follow(from - 1)?;
            progress(embedded);
        }
    }

    /// Vectors of memories that are not there any more are overwritten; memories without one get theirs.
    fn reconcile(&self, store: &SqliteStore, embedder: &dyn Embedder) -> Result<(), String> {
        let known = ids(store).map_err(|error| error.to_string())?;
        let vectors = self.open(embedder).map_err(|error| error.to_string())?;
        let keys: BTreeSet<Key> = vectors.keys().collect();
        drop(vectors);
        let strangers: Vec<Key> = keys.difference(&known).copied().collect();
        let missing: Vec<Key> = known.difference(&keys).copied().collect();
        if strangers.is_empty() && missing.is_empty() {
            return Ok(());
        }
        let mut writer = Writer::open(&self.vectors, embedder.model(), embedder.dimensions())
            .map_err(|error| error.to_string())?;
        writer
            .remove(&strangers)
            .map_err(|error| error.to_string())?;
        for keys in missing.chunks(BATCH) {
            // What cannot be read has no meaning to be found by.
            let read = |key: &Key| Some((*key, store.get(id(*key)).ok()??.content));
            let (keys, texts): (Vec<Key>, Vec<_>) = keys.iter().filter_map(read).unzip();
            let texts: Vec<&str> = texts.iter().map(Content::as_str).collect();
            let vectors = embedder.embed(&texts).map_err(|error| error.to_string())?;
            let rows: Vec<(Key, &[f32])> = keys
                .into_iter()
                .zip(vectors.iter().map(Vec::as_slice))
                .collect();
            writer.put(&rows).map_err(|error| error.to_string())?;
        }
        Ok(())
    }
}

fn remove(file: &Path) -> std::io::Result<()> {
    match fs::remove_file(file) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

fn ids(store: &SqliteStore) -> Result<BTreeSet<Key>, StoreError> {
    Ok(store.all_ids()?.into_iter().map(Key::from).collect())
}

impl VectorIndex for Meaning {
    fn nearest(
        &self,
        question: &[f32],
        limit: usize,
        among: Option<&BTreeSet<MemoryId>>,
    ) -> Vec<(MemoryId, f32)> {
        if among.is_some() {
            return self.look(question, limit, among);
        }
        // Who asks the same meanwhile waits for what is found; nobody waits for the search of another.
        let sought = self.asked(question, limit);
        if let (Some(search), Some(vectors)) = (&sought.together, &self.vectors) {
            let found = vectors.finish(search);
            self.mend(vectors);
            return found
                .iter()
                .map(|near| (id(near.key), near.cosine))
                .collect();
        }
        let look = || self.look(question, limit, None);
        sought.found.get_or_init(look).clone()
    }

    fn how_near(&self, question: &[f32]) -> Option<f32> {
        let vectors = self.vectors.as_ref()?;
        let nearest = vectors.how_near(question).ok().flatten();
        self.mend(vectors);
        nearest
    }

    fn is_asked(&self, question: &[f32], limit: usize) -> bool {
        let last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        last.as_ref().is_some_and(|last| last.is(question, limit))
    }

    fn is_found(&self, question: &[f32], limit: usize) -> bool {
        let last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        last.as_ref()
            .is_some_and(|last| last.is(question, limit) && last.found.is_found())
    }

    fn cosines(&self, question: &[f32], ids: &[MemoryId]) -> Vec<(MemoryId, f32)> {
        let keys: Vec<Key> = ids.iter().map(|id| Key::from(*id)).collect();
        let found = self.vectors.as_ref().and_then(|vectors| {
            let found = vectors.cosines(question, &keys).ok();
            self.mend(vectors);
            found
        });
        found
            .unwrap_or_default()
            .into_iter()
            .map(|near| (id(near.key), near.cosine))
            .collect()
    }

    fn vectors(&self, ids: &[MemoryId]) -> BTreeMap<MemoryId, Vec<f32>> {
        let keys: Vec<Key> = ids.iter().map(|id| Key::from(*id)).collect();
        let found = self
            .vectors
            .as_ref()
            .map(|vectors| vectors.get(&keys))
            .unwrap_or_default();
        found
            .into_iter()
            .map(|(key, vector)| (id(key), vector))
            .collect()
    }
}

impl Meaning {
    /// Where what is found for this question is kept.
    fn asked(&self, question: &[f32], limit: usize) -> Arc<Sought> {
        self.ask(question, limit, None)
    }

    /// The same, and how it is looked for where nobody has asked yet.
    fn ask(&self, question: &[f32], limit: usize, together: Option<Search>) -> Arc<Sought> {
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(last) = last.as_ref().filter(|last| last.is(question, limit)) {
            return Arc::clone(&last.found);
        }
        let found = Arc::new(Sought::new(together));
        *last = Some(Question {
            vector: question.to_vec(),
            limit,
            found: Arc::clone(&found),
        });
        found
    }

    /// Has vectors that are damaged made anew: those of which nobody knows what they follow are, by whoever next brings them up to date.
    fn mend(&self, vectors: &Vectors) {
        if vectors.is_damaged() {
            let _ = remove(&self.follows);
        }
    }

    fn look(&self, question: &[f32], limit: usize, among: Option<&BTreeSet<MemoryId>>) -> Nearest {
        let found = self.vectors.as_ref().and_then(|vectors| {
            let allowed = among.map(|ids| vectors.allow(|key| ids.contains(&id(key))));
            let found = vectors.nearest(question, limit, allowed.as_ref()).ok();
            self.mend(vectors);
            found
        });
        let found = found.unwrap_or_default().into_iter();
        found.map(|near| (id(near.key), near.cosine)).collect()
    }
}

fn id(key: Key) -> MemoryId {
    MemoryId::new(Uuid::from_bytes(key.bytes()))
}

#[cfg(test)]
mod tests;
