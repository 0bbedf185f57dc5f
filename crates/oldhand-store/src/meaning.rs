//! The vectors of a store's memories, kept up with it.
//!
//! A small file beside the vectors says up to which change they follow the store. Whoever opens them brings them up to date;
//! where that is not possible (read-only, someone else is at it) they serve as they are.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use oldhand_domain::error::StoreError;
use oldhand_domain::id::MemoryId;
use oldhand_domain::port::{Embedder, MemoryReader, VectorIndex};
use uuid::Uuid;

use crate::SqliteStore;
use crate::journal::make_private_folder;
use crate::vectors::{Key, Vectors, VectorsError, Writer, rebuild};

/// How many texts are embedded before they are written.
const BATCH: usize = 1000;

/// So many changes are caught up with while somebody waits, which takes a second or two; more are work for the background.
pub const FEW: usize = 20_000;

/// The vectors of one store for one model.
pub struct Meaning {
    vectors: Option<Vectors>,
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

/// The model whose vectors answer while nobody has time to make any: the first that has some.
pub fn first_with_vectors<'a>(
    folder: &Path,
    embedders: impl IntoIterator<Item = &'a dyn Embedder>,
) -> Option<&'a dyn Embedder> {
    let mut embedders = embedders.into_iter();
    embedders.find(|embedder| Files::new(folder, *embedder).vectors.exists())
}

/// Removes the vectors of a model that is not used any more.
pub fn drop_vectors(folder: &Path, embedder: &dyn Embedder) {
    let files = Files::new(folder, embedder);
    for file in [&files.follows, &files.vectors] {
        // What cannot be removed is in nobody's way.
        let _ = fs::remove_file(file);
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
            lag,
            embedded,
        }
    }

    /// Opens the vectors in `folder` as they lie, for those who have no time to bring them up to date.
    pub fn as_it_is(folder: &Path, embedder: &dyn Embedder) -> Self {
        Self {
            vectors: Files::new(folder, embedder).open(embedder).ok(),
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

/// Overwrites the vectors of erased memories.
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
    Writer::open(&files.vectors, embedder.model(), embedder.dimensions())?.remove(&keys)
}

struct Files {
    vectors: PathBuf,
    /// Holds the number of the last change that is in the vectors.
    follows: PathBuf,
}

impl Files {
    fn new(folder: &Path, embedder: &dyn Embedder) -> Self {
        let file = |extension: &str| folder.join(format!("{}.{extension}", embedder.model()));
        Self {
            vectors: file("vec"),
            follows: file("follows"),
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
        if follows == Some(newest) && self.open(embedder).is_ok() {
            return Ok(0);
        }
        if let Some(folder) = self.vectors.parent() {
            make_private_folder(folder).map_err(|error| error.to_string())?;
        }
        // A restored backup can be older than the vectors: then they start over, too.
        let sound = follows.is_some_and(|number| number <= newest) && self.open(embedder).is_ok();
        if !sound {
            // Whoever is stopped between the two would leave an empty file that is said to follow everything.
            self.follow_nothing().map_err(|error| error.to_string())?;
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
        self.reconcile(store, embedder)?;
        self.follow(until.max(newest))?;
        Ok(embedded)
    }

    fn follow(&self, change: i64) -> Result<(), String> {
        fs::write(&self.follows, change.to_string()).map_err(|error| error.to_string())
    }

    fn follow_nothing(&self) -> std::io::Result<()> {
        match fs::remove_file(&self.follows) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        }
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
            // Whoever is stopped here is gone on with from here.
            self.follow(from)?;
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
        for key in missing {
            // What cannot be read has no meaning to be found by.
            let Ok(Some(memory)) = store.get(id(key)) else {
                continue;
            };
            let vectors = embedder
                .embed(&[memory.content.as_str()])
                .map_err(|error| error.to_string())?;
            let rows: Vec<(Key, &[f32])> = vectors
                .iter()
                .map(|vector| (key, vector.as_slice()))
                .collect();
            writer.put(&rows).map_err(|error| error.to_string())?;
        }
        Ok(())
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
        let found = self.vectors.as_ref().and_then(|vectors| {
            let allowed = among.map(|ids| vectors.allow(|key| ids.contains(&id(key))));
            vectors.nearest(question, limit, allowed.as_ref()).ok()
        });
        found
            .unwrap_or_default()
            .into_iter()
            .map(|near| (id(near.key), near.cosine))
            .collect()
    }

    fn cosines(&self, question: &[f32], ids: &[MemoryId]) -> Vec<(MemoryId, f32)> {
        let keys: Vec<Key> = ids.iter().map(|id| Key::from(*id)).collect();
        let found = self
            .vectors
            .as_ref()
            .and_then(|vectors| vectors.cosines(question, &keys).ok());
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

fn id(key: Key) -> MemoryId {
    MemoryId::new(Uuid::from_bytes(key.bytes()))
}

#[cfg(test)]
mod tests {
    use oldhand_domain::error::EmbedError;
    use oldhand_domain::payload::BuiltInType;
    use oldhand_domain::port::MemoryStore;
    use oldhand_embed::StaticEmbedder;

    use super::*;
    use crate::Mode;

    struct House {
        folder: tempfile::TempDir,
        store: SqliteStore,
    }

    impl House {
        fn new() -> Self {
            let folder = tempfile::tempdir().unwrap();
            let store = SqliteStore::open(&folder.path().join("memory.db"), Mode::Write).unwrap();
            Self { folder, store }
        }

        fn save(&self, number: u32, content: &str) -> MemoryId {
            let memory = oldhand_testkit::memory(number, BuiltInType::Gotcha, content);
            self.store
                .change(&mut |_| Ok(vec![memory.clone()]))
                .unwrap();
            memory.id
        }

        fn vectors(&self) -> PathBuf {
            self.folder.path().join("vectors")
        }

        fn keep_up(&self) -> (Meaning, usize) {
            let meaning = Meaning::keep_up(&self.store, &self.vectors(), &StaticEmbedder);
            assert_eq!(meaning.lag, None);
            let embedded = meaning.embedded;
            (meaning, embedded)
        }
    }

    fn nearest(meaning: &Meaning, question: &str) -> Option<MemoryId> {
        meaning
            .nearest(&StaticEmbedder.embed(question), 1, None)
            .first()
            .map(|(id, _)| *id)
    }

    #[test]
    fn vectors_follow_the_store_change_by_change() {
        let house = House::new();
        let parser = house.save(1, "The parser keeps a stack of open brackets");
        let build = house.save(2, "The build needs protoc installed");
        let (meaning, embedded) = house.keep_up();
        assert_eq!(embedded, 2);
        assert_eq!(nearest(&meaning, "parsing brackets"), Some(parser));
        assert_eq!(house.keep_up().1, 0);
        house.save(1, "Deploys happen on Mondays");
        let (meaning, embedded) = house.keep_up();
        assert_eq!(embedded, 1);
        assert_eq!(nearest(&meaning, "when do we deploy"), Some(parser));
        assert_eq!(nearest(&meaning, "what the build needs"), Some(build));
    }

    #[test]
    fn erased_memories_lose_their_vector() {
        let house = House::new();
        let parser = house.save(1, "The parser keeps a stack of open brackets");
        house.save(2, "The build needs protoc installed");
        house.keep_up();
        house.store.erase(&[parser]).unwrap();
        forget(&house.vectors(), &StaticEmbedder, &[parser]).unwrap();
        let (meaning, _) = house.keep_up();
        assert_ne!(nearest(&meaning, "parsing brackets"), Some(parser));
        assert!(meaning.vectors(&[parser]).is_empty());
    }

    #[test]
    fn missing_or_damaged_vectors_come_back_by_themselves() {
        let house = House::new();
        let parser = house.save(1, "The parser keeps a stack of open brackets");
        house.keep_up();
        for file in fs::read_dir(house.vectors()).unwrap() {
            let file = file.unwrap().path();
            let whole = fs::read(&file).unwrap();
            for damage in [
                None,
                Some(b"nonsense".to_vec()),
                Some(whole[..whole.len() / 2].to_vec()),
            ] {
                match damage {
                    None => fs::remove_file(&file).unwrap(),
                    Some(bytes) => fs::write(&file, bytes).unwrap(),
                }
                assert_eq!(
                    nearest(&house.keep_up().0, "parsing brackets"),
                    Some(parser),
                    "{}",
                    file.display()
                );
            }
        }
    }

    /// Stops whoever asks it, as a kill would.
    struct Stopping;

    impl Embedder for Stopping {
        fn model(&self) -> &str {
            Embedder::model(&StaticEmbedder)
        }

        fn dimensions(&self) -> usize {
            Embedder::dimensions(&StaticEmbedder)
        }

        fn embed(&self, _: &[&str]) -> Result<Vec<Vec<f32>>, EmbedError> {
            Err(EmbedError::Unavailable {
                model: self.model().to_owned(),
                source: "stopped".into(),
            })
        }
    }

    #[test]
    fn vectors_that_were_stopped_while_they_started_over_come_back() {
        let house = House::new();
        let parser = house.save(1, "The parser keeps a stack of open brackets");
        house.keep_up();
        let files = Files::new(&house.vectors(), &StaticEmbedder);
        let behind = || behind(&house.store, &house.vectors(), &StaticEmbedder);
        assert_eq!(behind(), 0);
        fs::write(&files.vectors, "nonsense").unwrap();
        assert_eq!(behind(), 1, "they cannot be read");
        let stopped = Meaning::keep_up(&house.store, &house.vectors(), &Stopping);
        assert!(stopped.lag.is_some());
        assert_eq!(behind(), 1, "they are empty");
        let (meaning, _) = house.keep_up();
        assert_eq!(nearest(&meaning, "parsing brackets"), Some(parser));
    }

    #[test]
    fn a_lost_vector_comes_back_with_the_next_change() {
        let house = House::new();
        let parser = house.save(1, "The parser keeps a stack of open brackets");
        house.keep_up();
        forget(&house.vectors(), &StaticEmbedder, &[parser]).unwrap();
        house.save(2, "The build needs protoc installed");
        assert_eq!(
            nearest(&house.keep_up().0, "parsing brackets"),
            Some(parser)
        );
        start_over(&house.vectors()).unwrap();
        start_over(&house.vectors()).unwrap();
        assert_eq!(house.keep_up().1, 2);
    }

    #[test]
    fn an_empty_store_has_no_neighbours() {
        let house = House::new();
        assert_eq!(nearest(&house.keep_up().0, "anything"), None);
    }
}
