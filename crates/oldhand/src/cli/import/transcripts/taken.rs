//! Which transcripts were taken in before, and as what: one that did not change since is not read again.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use jiff::Timestamp;
use oldhand_domain::id::SessionId;
use serde::{Deserialize, Serialize};

use super::database::is_database;
use crate::agent::Reading;
use crate::file::write_privately;
use crate::out::time::count;
use crate::sessions::LEFT_BEHIND;

/// Goes up when transcripts are understood better than before, so that all are read once more.
const READING: u32 = 2;

/// What is noted, beside the journals that came of it.
pub(crate) const NOTES: &str = "taken.json";

/// A transcript as its file tells it, without reading it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Stamp {
    path: PathBuf,
    /// What subagents did, where that is written down apart.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    aside: Vec<PathBuf>,
    bytes: u64,
    modified_ns: u64,
}

impl Stamp {
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// What subagents did.
    pub(super) fn aside(&self) -> &[PathBuf] {
        &self.aside
    }

    /// Whether the files are other than they were; what is gone did not change.
    pub(super) fn is_old(&self) -> bool {
        Self::of(&self.path, &self.aside).is_ok_and(|now| now != *self)
    }

    /// Of a transcript and what belongs to it.
    pub(super) fn of(path: &Path, aside: &[PathBuf]) -> io::Result<Self> {
        let mut stamp = Self {
            path: path.to_owned(),
            aside: aside.to_vec(),
            bytes: 0,
            modified_ns: 0,
        };
        // What a database was told last may be in its log alone.
        let log = is_database(path).then(|| {
            let mut log = path.as_os_str().to_owned();
            log.push("-wal");
            PathBuf::from(log)
        });
        let log = log.filter(|log| log.exists());
        let parts = aside.iter().chain(&log).map(PathBuf::as_path);
        for part in std::iter::once(path).chain(parts) {
            let metadata = fs::metadata(part)?;
            let modified = metadata.modified()?.duration_since(UNIX_EPOCH);
            let nanoseconds = modified.map_or(0, |since| since.as_nanos());
            stamp.bytes += metadata.len();
            let modified_ns = u64::try_from(nanoseconds).unwrap_or(u64::MAX);
            stamp.modified_ns = stamp.modified_ns.max(modified_ns);
        }
        Ok(stamp)
    }
}

/// The notes of one project.
pub(super) struct Taken {
    file: PathBuf,
    notes: Notes,
}

#[derive(Serialize, Deserialize)]
struct Notes {
    reading: u32,
    sessions: BTreeMap<String, Stamp>,
    /// What of each could not be understood; most have nothing of the kind.
    #[serde(default)]
    unread: BTreeMap<String, Unread>,
    /// The folder that the paths of each begin at. It is found out by what is imported together and what is here on that day, and must not
    /// change with either.
    #[serde(default)]
    roots: BTreeMap<String, String>,
    /// The sessions that have lines in the file of each, by the names their client gives them: whether they were taken in, too, is another
    /// question.
    #[serde(default)]
    others: BTreeMap<String, BTreeSet<String>>,
}

/// What of a transcript could not be understood.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Unread {
    pub(crate) broken_lines: u64,
    pub(crate) too_long_lines: u64,
    pub(crate) unknown_kinds: BTreeMap<String, u64>,
}

impl Unread {
    pub(super) fn of(reading: &Reading) -> Self {
        Self {
            broken_lines: reading.broken,
            too_long_lines: reading.too_long,
            unknown_kinds: reading.unknown.clone(),
        }
    }

    pub(crate) fn lines(&self) -> u64 {
        self.broken_lines + self.too_long_lines
    }

    /// Counts another transcript in.
    pub(crate) fn add(&mut self, other: &Self) {
        self.broken_lines += other.broken_lines;
        self.too_long_lines += other.too_long_lines;
        for (kind, times) in &other.unknown_kinds {
            *self.unknown_kinds.entry(kind.clone()).or_default() += times;
        }
    }

    /// In a few words, where there is anything to say.
    pub(crate) fn say(&self) -> Option<String> {
        let number = |number: u64| usize::try_from(number).unwrap_or(usize::MAX);
        let lines = (self.lines() > 0).then(|| {
            let lines = count(number(self.lines()), "line");
            match self.too_long_lines {
                0 => format!("{lines} could not be read"),
                long => format!("{lines} could not be read, {long} of them far too long"),
            }
        });
        let mut kinds: Vec<(&String, &u64)> = self.unknown_kinds.iter().collect();
        kinds.sort_by_key(|(kind, times)| (std::cmp::Reverse(**times), *kind));
        let more = kinds.len().saturating_sub(KINDS);
        let named = kinds.iter().take(KINDS);
        let named: Vec<String> = named
            .map(|(kind, times)| match kind.as_str() {
                "" => format!("none at all {times}×"),
                kind => format!("{kind} {times}×"),
            })
            .collect();
        let unknown = (!kinds.is_empty()).then(|| {
            let more = if more > 0 {
                format!(" and {more} more")
            } else {
                String::new()
            };
            format!(
                "kinds of lines nobody here knows: {}{more}",
                named.join(", ")
            )
        });
        let all: Vec<String> = lines.into_iter().chain(unknown).collect();
        (!all.is_empty()).then(|| all.join("; "))
    }
}

/// So many unknown kinds are named.
const KINDS: usize = 5;

/// What of each session's transcript could not be understood, by the folder of the journals that came of them.
pub(crate) fn unread(journals: &Path) -> BTreeMap<String, Unread> {
    Taken::read(journals).notes.unread
}

impl Taken {
    /// Notes that cannot be read, or were made by another reading, say nothing: everything is read again, which changes nothing.
    pub(super) fn read(journals: &Path) -> Self {
        let file = journals.join(NOTES);
        let notes = fs::read(&file)
            .ok()
            .and_then(|bytes| serde_json::from_slice::<Notes>(&bytes).ok())
            .filter(|notes| notes.reading == READING);
        let notes = notes.unwrap_or_else(|| Notes {
            reading: READING,
            sessions: BTreeMap::new(),
            unread: BTreeMap::new(),
            roots: BTreeMap::new(),
            others: BTreeMap::new(),
        });
        Self { file, notes }
    }

    /// What each session's transcript was when it was read.
    pub(super) fn stamps(&self) -> impl Iterator<Item = (SessionId, &Stamp)> {
        let sessions = self.notes.sessions.iter();
        sessions.filter_map(|(session, stamp)| Some((SessionId::new(session).ok()?, stamp)))
    }

    pub(super) fn stamp(&self, session: &SessionId) -> Option<&Stamp> {
        self.notes.sessions.get(session.as_str())
    }

    pub(super) fn is_known(&self, session: &SessionId) -> bool {
        self.stamp(session).is_some()
    }

    pub(super) fn is_unchanged(&self, session: &SessionId, stamp: &Stamp) -> bool {
        self.stamp(session) == Some(stamp)
    }

    /// Sessions that have lines in the file of this one and were read from no other.
    pub(super) fn others(&self, session: &SessionId, file: &Path) -> Vec<String> {
        let names = self
            .notes
            .others
            .get(session.as_str())
            .into_iter()
            .flatten();
        let names = names.filter(|name| {
            SessionId::named(name).is_some_and(|other| self.is_of_file(&other, file))
        });
        names.cloned().collect()
    }

    /// Whether a session was read from this file, however that is spelled, or from none.
    pub(super) fn is_of_file(&self, session: &SessionId, file: &Path) -> bool {
        self.stamp(session).is_none_or(|stamp| {
            let whole = |path: &Path| fs::canonicalize(path).ok();
            stamp.path == file || whole(file).is_some_and(|file| whole(&stamp.path) == Some(file))
        })
    }

    /// The folder that its paths began at when it was taken in.
    pub(super) fn root(&self, session: &SessionId) -> Option<&str> {
        self.notes.roots.get(session.as_str()).map(String::as_str)
    }

    pub(super) fn note(
        &mut self,
        session: &SessionId,
        stamp: Stamp,
        root: &str,
        reading: &Reading,
    ) {
        let (name, unread) = (session.as_str().to_owned(), Unread::of(reading));
        self.notes.roots.insert(name.clone(), root.to_owned());
        if reading.others.is_empty() {
            self.notes.others.remove(&name);
        } else {
            let others = reading.others.clone();
            self.notes.others.insert(name.clone(), others);
        }
        if unread == Unread::default() {
            self.notes.unread.remove(&name);
        } else {
            self.notes.unread.insert(name.clone(), unread);
        }
        self.notes.sessions.insert(name, stamp);
    }

    /// Removes what processes left half written that ended long ago.
    pub(super) fn sweep(&self, now: Timestamp) {
        let Some(Ok(entries)) = self.file.parent().map(fs::read_dir) else {
            return;
        };
        for entry in entries.flatten() {
            let path = entry.path();
            let is_half = path
                .extension()
                .is_some_and(|extension| extension == "tmp" || extension == "new");
            let age = entry.metadata().and_then(|metadata| metadata.modified());
            let age = age.map(|modified| SystemTime::from(now).duration_since(modified));
            if is_half && age.is_ok_and(|age| age.is_ok_and(|age| age > LEFT_BEHIND)) {
                // One that cannot be removed costs a little space.
                let _ = fs::remove_file(path);
            }
        }
    }

    pub(super) fn write(&self) -> anyhow::Result<()> {
        let bytes = serde_json::to_vec(&self.notes)?;
        write_privately(&self.file, &bytes)
    }
}

/// Adds what the notes in the folder `from` say and those in `into` do not. The journals that came of it move with them.
pub(crate) fn join_notes(from: &Path, into: &Path) -> anyhow::Result<()> {
    let (moved, mut there) = (Taken::read(from), Taken::read(into));
    for (session, stamp) in moved.notes.sessions {
        there.notes.sessions.entry(session).or_insert(stamp);
    }
    for (session, unread) in moved.notes.unread {
        there.notes.unread.entry(session).or_insert(unread);
    }
    for (session, root) in moved.notes.roots {
        there.notes.roots.entry(session).or_insert(root);
    }
    for (session, others) in moved.notes.others {
        there.notes.others.entry(session).or_insert(others);
    }
    there.write()?;
    Ok(fs::remove_file(&moved.file)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn notes_of_two_projects_are_joined_by_session() {
        let folder = tempfile::tempdir().unwrap();
        let (from, into) = (folder.path().join("from"), folder.path().join("into"));
        let stamp = |bytes| Stamp {
            path: PathBuf::from("one.jsonl"),
            aside: Vec::new(),
            bytes,
            modified_ns: 1,
        };
        let session = |name: &str| SessionId::new(name).unwrap();
        for (place, names) in [
            (&from, [("both", 1), ("moved", 2)]),
            (&into, [("both", 3), ("there", 4)]),
        ] {
            fs::create_dir(place).unwrap();
            let mut taken = Taken::read(place);
            for (name, bytes) in names {
                taken.note(&session(name), stamp(bytes), "/me/one", &Reading::default());
            }
            taken.write().unwrap();
        }
        join_notes(&from, &into).unwrap();
        let joined = Taken::read(&into);
        for (name, bytes) in [("both", 3), ("moved", 2), ("there", 4)] {
            assert!(joined.is_unchanged(&session(name), &stamp(bytes)), "{name}");
            assert_eq!(joined.root(&session(name)), Some("/me/one"), "{name}");
        }
        assert!(!from.join(NOTES).exists());
    }

    #[test]
    fn what_an_older_reading_took_in_is_read_once_more() {
        let folder = tempfile::tempdir().unwrap();
        let transcript = folder.path().join("one.jsonl");
        fs::write(&transcript, "{}").unwrap();
        let stamp = Stamp::of(&transcript, &[]).unwrap();
        let session = SessionId::new("one").unwrap();
        let mut taken = Taken::read(folder.path());
        taken.note(&session, stamp.clone(), "/me/one", &Reading::default());
        taken.write().unwrap();
        assert!(Taken::read(folder.path()).is_unchanged(&session, &stamp));
        taken.notes.reading = READING - 1;
        taken.write().unwrap();
        assert!(!Taken::read(folder.path()).is_unchanged(&session, &stamp));
    }

    #[test]
    fn a_database_that_was_told_more_has_another_stamp() {
        let folder = tempfile::tempdir().unwrap();
        let database = folder.path().join("opencode.db");
        fs::write(&database, "pages").unwrap();
        let alone = Stamp::of(&database, &[]).unwrap();
        let log = folder.path().join("opencode.db-wal");
        fs::write(&log, "frame").unwrap();
        let told = Stamp::of(&database, &[]).unwrap();
        fs::write(&log, "frame and frame").unwrap();
        let more = Stamp::of(&database, &[]).unwrap();
        assert_ne!(alone, told);
        assert_ne!(told, more);
    }
}
