//! One append-only file per session: everything that happened in it, one event a line.
//!
//! Appending is one write to the end of a file, so that parallel hooks of one session interleave by whole lines and a crash
//! loses at most the line being written. Reading is forgiving: a line that is not an event is counted and passed over.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufRead, BufReader, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use oldhand_domain::error::StoreError;
use oldhand_domain::event::{Event, LINE_LIMIT};
use oldhand_domain::id::SessionId;

/// The folder of a project's journals. It comes into being with the first event.
#[derive(Clone, Debug)]
pub struct Journals {
    folder: PathBuf,
}

/// A journal as its file tells it, without reading it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JournalFile {
    pub session: SessionId,
    pub bytes: u64,
    pub modified: SystemTime,
}

/// Everything a journal holds.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Replay {
    pub events: Vec<Event>,
    /// Lines that are not events: torn by a crash, or written by something else.
    pub bad_lines: usize,
}

impl Journals {
    pub fn new(folder: impl Into<PathBuf>) -> Self {
        Self {
            folder: folder.into(),
        }
    }

    /// Writes events to the end of a session's journal. What is returned is on its way to the disk and survives a crash of
    /// this process; it is not forced out, since nothing here is a memory yet.
    pub fn append(&self, session: &SessionId, events: &[Event]) -> Result<(), StoreError> {
        let mut lines = String::new();
        for line in events.iter().filter_map(Event::to_line) {
            lines.push_str(&line);
            lines.push('\n');
        }
        if lines.is_empty() {
            return Ok(());
        }
        self.append_lines(session, lines)
            .map_err(failed("write to a journal"))
    }

    fn append_lines(&self, session: &SessionId, mut lines: String) -> io::Result<()> {
        let mut file = match self.open_to_append(session) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                make_private_folder(&self.folder)?;
                self.open_to_append(session)?
            }
            opened => opened?,
        };
        // A line that a crash cut off ends here, so that it takes no other line with it.
        if !ends_with_newline(&mut file)? {
            lines.insert(0, '\n');
        }
        file.write_all(lines.as_bytes())
    }

    fn open_to_append(&self, session: &SessionId) -> io::Result<File> {
        let mut options = OpenOptions::new();
        options.read(true).append(true).create(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        options.open(self.path(session))
    }

    /// Writes a whole journal in place of the one there is, or of none, so that nobody ever sees half of it. `events` hands on
    /// what to write, so that a long session need not be in memory.
    pub fn replace(
        &self,
        session: &SessionId,
        events: impl FnOnce(&mut dyn FnMut(&Event) -> io::Result<()>) -> io::Result<()>,
    ) -> Result<(), StoreError> {
        self.write_whole(session, events)
            .map_err(failed("write a journal"))
    }

    fn write_whole(
        &self,
        session: &SessionId,
        events: impl FnOnce(&mut dyn FnMut(&Event) -> io::Result<()>) -> io::Result<()>,
    ) -> io::Result<()> {
        make_private_folder(&self.folder)?;
        let path = self.path(session);
        let beside = path.with_extension(format!("{}.new", std::process::id()));
        let mut options = OpenOptions::new();
        options.write(true).create(true).truncate(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let mut file = BufWriter::new(options.open(&beside)?);
        let written = events(&mut |event| match event.to_line() {
            Some(line) => writeln!(file, "{line}"),
            None => Ok(()),
        });
        let renamed = written
            .and_then(|()| file.flush())
            .and_then(|()| fs::rename(&beside, &path));
        renamed.inspect_err(|_| {
            let _ = fs::remove_file(&beside);
        })
    }

    /// Names what a journal holds: the same name, the same events. `None` when there is no journal.
    pub fn digest(&self, session: &SessionId) -> Result<Option<String>, StoreError> {
        let mut hasher = blake3::Hasher::new();
        let read =
            File::open(self.path(session)).and_then(|mut file| io::copy(&mut file, &mut hasher));
        match read {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(failed("read a journal")(error)),
            Ok(_) => Ok(Some(hasher.finalize().to_hex().to_string())),
        }
    }

    /// All events of a session in the order they were written; empty when there is no journal.
    pub fn read(&self, session: &SessionId) -> Result<Replay, StoreError> {
        match File::open(self.path(session)) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Replay::default()),
            Err(error) => Err(failed("open a journal")(error)),
            Ok(file) => replay(BufReader::new(file)).map_err(failed("read a journal")),
        }
    }

    /// The journals there are, by session.
    pub fn list(&self) -> Result<Vec<JournalFile>, StoreError> {
        let entries = match fs::read_dir(&self.folder) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            entries => entries.map_err(failed("list the journals"))?,
        };
        let described = entries.filter_map(|entry| {
            let entry = entry.ok()?;
            let session = session_of(&entry.path())?;
            let metadata = entry.metadata().ok()?;
            Some(JournalFile {
                session,
                bytes: metadata.len(),
                modified: metadata.modified().ok()?,
            })
        });
        let mut journals: Vec<JournalFile> = described.collect();
        journals.sort_by(|a, b| a.session.cmp(&b.session));
        Ok(journals)
    }

    pub fn contains(&self, session: &SessionId) -> bool {
        self.path(session).exists()
    }

    /// Removes a journal; one that is not there is removed already.
    pub fn remove(&self, session: &SessionId) -> Result<(), StoreError> {
        match fs::remove_file(self.path(session)) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                Err(failed("remove a journal")(error))
            }
            _ => Ok(()),
        }
    }

    /// Session ids may hold a colon, which not every file system takes.
    fn path(&self, session: &SessionId) -> PathBuf {
        self.folder
            .join(format!("{}.jsonl", session.as_str().replace(':', "%3A")))
    }
}

fn session_of(path: &Path) -> Option<SessionId> {
    let name = path.file_name()?.to_str()?.strip_suffix(".jsonl")?;
    SessionId::new(name.replace("%3A", ":")).ok()
}

fn replay(mut reader: impl BufRead) -> io::Result<Replay> {
    let mut replay = Replay::default();
    let mut line = Vec::new();
    loop {
        line.clear();
        // Bounded, whatever the file holds: a line that goes on past the limit is no event.
        let read = reader
            .by_ref()
            .take(LINE_LIMIT as u64)
            .read_until(b'\n', &mut line)?;
        if read == 0 {
            return Ok(replay);
        }
        if line.last() != Some(&b'\n') && read == LINE_LIMIT {
            skip_line(&mut reader)?;
            replay.bad_lines += 1;
            continue;
        }
        let text = line.trim_ascii();
        if text.is_empty() {
            continue;
        }
        match serde_json::from_slice(text) {
            Ok(event) => replay.events.push(event),
            Err(_) => replay.bad_lines += 1,
        }
    }
}

fn skip_line(reader: &mut impl BufRead) -> io::Result<()> {
    loop {
        let buffer = reader.fill_buf()?;
        if buffer.is_empty() {
            return Ok(());
        }
        let (length, ended) = match buffer.iter().position(|&byte| byte == b'\n') {
            Some(at) => (at + 1, true),
            None => (buffer.len(), false),
        };
        reader.consume(length);
        if ended {
            return Ok(());
        }
    }
}

fn ends_with_newline(file: &mut File) -> io::Result<bool> {
    if file.metadata()?.len() == 0 {
        return Ok(true);
    }
    let mut last = [0_u8];
    file.seek(SeekFrom::End(-1))?;
    file.read_exact(&mut last)?;
    Ok(last == *b"\n")
}

pub(crate) fn make_private_folder(folder: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}

fn failed(doing: &'static str) -> impl FnOnce(io::Error) -> StoreError {
    move |error| match error.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => StoreError::DiskFull { doing },
        _ => StoreError::Backend {
            doing,
            source: Box::new(error),
        },
    }
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;
    use oldhand_domain::event::{BoundedText, Happening};

    use super::*;

    fn prompt(text: &str) -> Event {
        let text = BoundedText::head(text, 200);
        Event {
            at: Timestamp::UNIX_EPOCH,
            agent: None,
            what: Happening::Prompt {
                text,
                pasted: false,
            },
        }
    }

    fn session() -> SessionId {
        SessionId::new("s:1").unwrap()
    }

    fn journals() -> (tempfile::TempDir, Journals) {
        let folder = tempfile::tempdir().unwrap();
        let journals = Journals::new(folder.path().join("journal"));
        (folder, journals)
    }

    #[test]
    fn events_come_back_in_order() {
        let (_folder, journals) = journals();
        assert_eq!(journals.read(&session()).unwrap(), Replay::default());
        journals.append(&session(), &[prompt("one")]).unwrap();
        journals
            .append(&session(), &[prompt("two"), prompt("three")])
            .unwrap();
        let replay = journals.read(&session()).unwrap();
        assert_eq!(
            replay,
            Replay {
                events: vec![prompt("one"), prompt("two"), prompt("three")],
                bad_lines: 0
            }
        );
        assert_eq!(journals.list().unwrap()[0].session, session());
        journals.remove(&session()).unwrap();
        journals.remove(&session()).unwrap();
        assert!(journals.list().unwrap().is_empty());
    }

    #[test]
    fn a_replaced_journal_is_whole_or_the_old_one() {
        let (_folder, journals) = journals();
        journals.append(&session(), &[prompt("old")]).unwrap();
        let old = journals.digest(&session()).unwrap();
        let failed = journals.replace(&session(), |write| {
            write(&prompt("new"))?;
            Err(io::Error::other("the source broke off"))
        });
        assert!(failed.is_err());
        assert_eq!(journals.digest(&session()).unwrap(), old);
        for _ in 0..2 {
            journals
                .replace(&session(), |write| write(&prompt("new")))
                .unwrap();
        }
        assert_eq!(journals.read(&session()).unwrap().events, [prompt("new")]);
        assert_ne!(journals.digest(&session()).unwrap(), old);
        assert_eq!(journals.list().unwrap().len(), 1);
    }

    #[test]
    fn a_torn_line_takes_no_other_with_it() {
        let (_folder, journals) = journals();
        journals.append(&session(), &[prompt("one")]).unwrap();
        let path = journals.path(&session());
        let whole = fs::read(&path).unwrap();
        for cut in 1..whole.len() {
            fs::write(&path, &whole[..cut]).unwrap();
            journals.append(&session(), &[prompt("two")]).unwrap();
            let replay = journals.read(&session()).unwrap();
            assert_eq!(replay.events.last(), Some(&prompt("two")), "cut at {cut}");
            // Cut before its newline only, the first line is still whole.
            assert_eq!(replay.events.len() + replay.bad_lines, 2, "cut at {cut}");
        }
    }

    #[test]
    fn garbage_is_counted_and_never_held_in_memory() {
        let (_folder, journals) = journals();
        journals.append(&session(), &[prompt("one")]).unwrap();
        let mut file = OpenOptions::new()
            .append(true)
            .open(journals.path(&session()))
            .unwrap();
        file.write_all(&vec![b'x'; 3 * LINE_LIMIT]).unwrap();
        file.write_all(b"\n\xff\xfe\n\n{\"event\":\"unheard_of\"}\n")
            .unwrap();
        journals.append(&session(), &[prompt("two")]).unwrap();
        let replay = journals.read(&session()).unwrap();
        assert_eq!(
            replay,
            Replay {
                events: vec![prompt("one"), prompt("two")],
                bad_lines: 3
            }
        );
    }

    #[test]
    fn parallel_writers_interleave_by_whole_lines() {
        let (_folder, journals) = journals();
        let long = "x".repeat(180);
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    for _ in 0..50 {
                        journals.append(&session(), &[prompt(&long)]).unwrap();
                    }
                });
            }
        });
        let replay = journals.read(&session()).unwrap();
        assert_eq!((replay.events.len(), replay.bad_lines), (400, 0));
    }

    #[cfg(unix)]
    #[test]
    fn journals_are_private() {
        use std::os::unix::fs::PermissionsExt;
        let (_folder, journals) = journals();
        journals.append(&session(), &[prompt("one")]).unwrap();
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!(
            (mode(&journals.path(&session())), mode(&journals.folder)),
            (0o600, 0o700)
        );
    }
}
