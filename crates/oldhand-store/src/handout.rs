//! What hooks need of a database, ready beside it: a small file of answers by key, read without opening the database.
//!
//! It is derived and may be deleted at any time. It is written by who holds the database's write lock, and whoever changes anything
//! takes it away first, under the same lock and for good even if the power fails. So it is behind the database in two things only: the
//! counters of use, and whatever somebody did to the file without Oldhand, such as copying another database over it. Where there is
//! none, or one that is damaged, the database is asked.
//!
//! After the mark come the number of the database's file, the number of slots and, for each slot, where its answers begin and how long they are. An answer is the hash
//! of its key, its length and its bytes. Numbers are 32 bits wide, hashes 64, little end first.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use oldhand_domain::id::MemoryId;
use uuid::Uuid;

use crate::sqlite::files::sync_folder;
use crate::vectors::read_at;

/// Changes with every change of the layout or of what the answers look like.
const MARK: &[u8; 16] = b"oldhand-handout1";
const HEAD: usize = MARK.len() + 8 + 4;
const SLOT: usize = 8;
const ANSWER: usize = 12;
/// Nobody has that many; a number above it is damage.
const MOST_SLOTS: usize = 1 << 22;
const MOST_BYTES: usize = 1 << 26;

/// Answers by key, as they lie.
#[derive(Debug)]
pub struct Handout {
    file: File,
    slots: usize,
}

impl Handout {
    /// The handout of the database at `database`; `None` where there is none that can be read, or where the database is gone or
    /// another one has taken its place.
    pub fn open(database: &Path) -> Option<Self> {
        let mut file = File::open(path(database)).ok()?;
        let mut head = [0; HEAD];
        file.read_exact(&mut head).ok()?;
        let (mark, rest) = head.split_at(MARK.len());
        let (of, slots) = rest.split_at(8);
        let slots = number(slots)?;
        let sound = mark == MARK
            && (1..=MOST_SLOTS).contains(&slots)
            && of == file_number(database)?.to_le_bytes();
        sound.then_some(Self { file, slots })
    }

    /// The answer to `key`, `None` where there is none. Another key may have the same answer, though hardly ever.
    pub fn answer(&self, key: &str) -> io::Result<Option<Vec<u8>>> {
        let Some(place) = self.place(key)? else {
            return Ok(None);
        };
        let mut answer = vec![0; place.length];
        self.read(place, 0, &mut answer)?;
        Ok(Some(answer))
    }

    /// Where the answer to `key` is, for who needs only parts of it.
    pub(crate) fn place(&self, key: &str) -> io::Result<Option<Place>> {
        let hash = hash(key);
        let mut slot = [0; SLOT];
        let at = HEAD + self.slot(hash) * SLOT;
        read_at(&self.file, &mut slot, at as u64)?;
        let (begin, length) = (number(&slot), number(&slot[4..]));
        let (Some(begin), Some(length)) = (begin, length) else {
            return Err(damaged());
        };
        // After a power cut part of a file can be zeros, which would otherwise read as: nothing is known.
        let is_before_answers = begin < HEAD + self.slots * SLOT;
        if is_before_answers || length > MOST_BYTES {
            return Err(damaged());
        }
        let (mut at, end) = (begin, begin + length);
        while at < end {
            let mut head = [0; ANSWER];
            read_at(&self.file, &mut head, at as u64)?;
            let length = number(&head[8..]).ok_or_else(damaged)?;
            at += ANSWER;
            // No key has a hash of zeros; a part of the file that was never written does.
            if head[..8] == [0; 8] || length > end.saturating_sub(at) {
                return Err(damaged());
            }
            if head[..8] == hash.to_le_bytes() {
                return Ok(Some(Place { at, length }));
            }
            at += length;
        }
        Ok(None)
    }

    /// The bytes of an answer from its byte `from` on.
    pub(crate) fn read(&self, place: Place, from: usize, bytes: &mut [u8]) -> io::Result<()> {
        if from.saturating_add(bytes.len()) > place.length {
            return Err(damaged());
        }
        read_at(&self.file, bytes, (place.at + from) as u64)
    }

    fn slot(&self, hash: u64) -> usize {
        (hash % self.slots as u64) as usize
    }
}

/// Where an answer begins, and how long it is.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place {
    at: usize,
    length: usize,
}

/// What tells a file from another in its place, as far as the system tells; `None` for one that is gone or empty.
fn file_number(database: &Path) -> Option<u64> {
    let found = fs::metadata(database)
        .ok()
        .filter(|found| found.len() > 0)?;
    #[cfg(unix)]
    let number = std::os::unix::fs::MetadataExt::ino(&found);
    #[cfg(not(unix))]
    let number = 0;
    Some(number)
}

fn number(bytes: &[u8]) -> Option<usize> {
    let bytes = bytes.first_chunk::<4>()?;
    usize::try_from(u32::from_le_bytes(*bytes)).ok()
}

fn damaged() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, "the handout is damaged")
}

fn hash(key: &str) -> u64 {
    let hash = blake3::hash(key.as_bytes());
    let first = hash.as_bytes().first_chunk::<8>();
    first.map_or(0, |bytes| u64::from_le_bytes(*bytes))
}

/// The key under which a document is handed out.
pub fn document_key(name: &str) -> String {
    format!("document:{name}")
}

/// The key of the number of the newest change.
pub(crate) const NEWEST_CHANGE: &str = "newest change";
/// The key of the ids of all memories that live no more, sixteen bytes each.
pub(crate) const GONE: &str = "gone";
/// With more of them than this they are not handed out.
pub(crate) const MOST_GONE: usize = 4096;

impl Handout {
    /// The number of the newest change of the database, and the memories of it that live no more; `None` where only the database can tell.
    pub fn newest(&self) -> Option<(i64, BTreeSet<MemoryId>)> {
        let number = self.newest_change()?;
        let gone = self.answer(GONE).ok()??;
        let (ids, rest) = gone.as_chunks::<16>();
        let id = |bytes: &[u8; 16]| MemoryId::new(Uuid::from_bytes(*bytes));
        rest.is_empty()
            .then(|| (number, ids.iter().map(id).collect()))
    }

    /// The number of the newest change of the database.
    pub(crate) fn newest_change(&self) -> Option<i64> {
        let number = self.answer(NEWEST_CHANGE).ok()??;
        std::str::from_utf8(&number).ok()?.parse().ok()
    }
}

/// Where the handout of a database is.
fn path(database: &Path) -> PathBuf {
    named(database, "-handout")
}

/// Where it is while it is written. There is one name for all, so that whoever comes next finds what a killed process left there.
fn unfinished(database: &Path) -> PathBuf {
    named(database, "-handout.new")
}

fn named(database: &Path, ending: &str) -> PathBuf {
    let mut name = database.as_os_str().to_owned();
    name.push(ending);
    name.into()
}

/// Takes the handout away, also one that was never finished. That there was none is fine. What is taken away does not come back with
/// a power cut: a memory that was flagged since would be told again.
pub(crate) fn withdraw(database: &Path) -> io::Result<()> {
    let mut has_removed = false;
    for file in [path(database), unfinished(database)] {
        match fs::remove_file(file) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(error),
            Ok(()) => has_removed = true,
        }
    }
    match database.parent().filter(|_| has_removed) {
        Some(folder) if !folder.as_os_str().is_empty() => sync_folder(folder),
        _ => Ok(()),
    }
}

/// Whether there is one.
pub fn is_there(database: &Path) -> bool {
    path(database).exists()
}

/// Puts a handout in place of the one there is, or of none. The caller holds the database's write lock.
pub(crate) fn put(database: &Path, answers: &[(String, Vec<u8>)]) -> io::Result<()> {
    let unfinished = unfinished(database);
    let of = file_number(database).ok_or(io::ErrorKind::NotFound)?;
    let written = write_private(&unfinished, &layout(of, answers)?)
        .and_then(|()| fs::rename(&unfinished, path(database)));
    written.inspect_err(|_| {
        // The first error is the one to tell; what is left over has no reader.
        let _ = fs::remove_file(&unfinished);
    })
}

fn write_private(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut options = fs::OpenOptions::new();
    options.write(true).create(true).truncate(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    io::Write::write_all(&mut options.open(path)?, bytes)
}

fn layout(of: u64, answers: &[(String, Vec<u8>)]) -> io::Result<Vec<u8>> {
    let narrow = |number: usize| u32::try_from(number).map_err(|_| damaged());
    let slots = answers.len().max(1);
    let mut bytes_of: Vec<Vec<u8>> = vec![Vec::new(); slots];
    for (key, answer) in answers {
        let hash = hash(key);
        let slot = &mut bytes_of[(hash % slots as u64) as usize];
        slot.extend(hash.to_le_bytes());
        slot.extend(narrow(answer.len())?.to_le_bytes());
        slot.extend(answer);
    }
    let mut layout = MARK.to_vec();
    layout.extend(of.to_le_bytes());
    layout.extend(narrow(slots)?.to_le_bytes());
    let mut begin = HEAD + slots * SLOT;
    for slot in &bytes_of {
        layout.extend(narrow(begin)?.to_le_bytes());
        layout.extend(narrow(slot.len())?.to_le_bytes());
        begin += slot.len();
    }
    layout.extend(bytes_of.concat());
    Ok(layout)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use tempfile::TempDir;

    use super::*;

    fn beside(folder: &TempDir) -> PathBuf {
        let database = folder.path().join("memory.db");
        fs::write(&database, "SQLite").unwrap();
        database
    }

    #[test]
    fn every_key_has_its_answer_and_no_other_key_has_one() {
        let folder = TempDir::new().unwrap();
        let database = beside(&folder);
        let answers: Vec<(String, Vec<u8>)> = (0..500)
            .map(|number| (format!("file:{number}"), format!("answer {number}").into()))
            .collect();
        put(&database, &answers).unwrap();
        let handout = Handout::open(&database).unwrap();
        for (key, answer) in &answers {
            assert_eq!(handout.answer(key).unwrap().as_ref(), Some(answer));
        }
        assert_eq!(handout.answer("file:500").unwrap(), None);
        withdraw(&database).unwrap();
        withdraw(&database).unwrap();
        assert!(Handout::open(&database).is_none());
    }

    #[test]
    fn what_a_killed_process_left_unfinished_goes_with_the_handout() {
        let folder = TempDir::new().unwrap();
        let database = beside(&folder);
        let canary = [("file:a".to_owned(), b"canary".to_vec())];
        let left = || fs::read_dir(folder.path()).unwrap().count();
        let written = layout(1, &canary).unwrap();
        write_private(&unfinished(&database), &written).unwrap();
        put(&database, &canary).unwrap();
        assert_eq!(left(), 2, "one unfinished file serves all who write");
        write_private(&unfinished(&database), &written).unwrap();
        withdraw(&database).unwrap();
        assert_eq!(left(), 1, "only the database");
    }

    #[test]
    fn zeros_where_something_was_written_are_damage_and_not_the_answer_that_nothing_is_known() {
        let folder = TempDir::new().unwrap();
        let database = beside(&folder);
        let answers = [
            ("met:one".to_owned(), Vec::new()),
            ("met:two".to_owned(), Vec::new()),
        ];
        put(&database, &answers).unwrap();
        let whole = fs::read(path(&database)).unwrap();
        let answers_begin = HEAD + answers.len() * SLOT;
        for zeros in [HEAD..answers_begin, answers_begin..whole.len()] {
            let mut torn = whole.clone();
            torn[zeros.clone()].fill(0);
            fs::write(path(&database), &torn).unwrap();
            let handout = Handout::open(&database).unwrap();
            assert!(handout.answer("met:one").is_err(), "{zeros:?}");
        }
    }

    #[test]
    fn what_prompts_need_is_told_whole_or_not_at_all() {
        let folder = TempDir::new().unwrap();
        let database = beside(&folder);
        let newest = (NEWEST_CHANGE.to_owned(), b"17".to_vec());
        let told = |gone: Option<&[u8]>| {
            let gone = gone.map(|bytes| (GONE.to_owned(), bytes.to_vec()));
            let answers: Vec<_> = std::iter::once(newest.clone()).chain(gone).collect();
            put(&database, &answers).unwrap();
            Handout::open(&database).unwrap().newest()
        };
        assert_eq!(told(Some(&[])), Some((17, BTreeSet::new())));
        let (_, gone) = told(Some(&[7; 32])).unwrap();
        assert_eq!(gone.len(), 1, "the same id twice");
        assert_eq!(told(Some(&[7; 17])), None);
        assert_eq!(told(None), None, "they are too many to tell");
    }

    #[test]
    fn an_empty_handout_answers_nothing() {
        let folder = TempDir::new().unwrap();
        let database = beside(&folder);
        put(&database, &[]).unwrap();
        let handout = Handout::open(&database).unwrap();
        assert_eq!(handout.answer("brief").unwrap(), None);
    }

    #[test]
    fn the_handout_of_a_database_that_is_gone_is_none() {
        let folder = TempDir::new().unwrap();
        let database = beside(&folder);
        put(&database, &[]).unwrap();
        fs::write(&database, "").unwrap();
        assert!(Handout::open(&database).is_none(), "it was emptied");
        fs::remove_file(&database).unwrap();
        assert!(Handout::open(&database).is_none(), "it is not there");
    }

    proptest! {
        #[test]
        fn whatever_the_file_holds_nothing_panics(bytes in prop::collection::vec(any::<u8>(), 0..200), cut in 0_usize..300) {
            let folder = TempDir::new().unwrap();
            let database = beside(&folder);
            fs::write(path(&database), &bytes).unwrap();
            let _ = Handout::open(&database).map(|handout| handout.answer("brief"));
            let of = file_number(&database).unwrap();
            let mut sound = layout(of, &[("brief".to_owned(), vec![7; 90])]).unwrap();
            sound.truncate(cut);
            fs::write(path(&database), &sound).unwrap();
            let answer = Handout::open(&database).and_then(|handout| handout.answer("brief").ok().flatten());
            prop_assert!(answer.is_none_or(|answer| answer == [7; 90]));
        }
    }
}
