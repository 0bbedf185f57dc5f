//! One append-only file per session: everything that happened in it, one event a line.
//!
//! Appending is one write to the end of a file, so that parallel hooks of one session interleave by whole lines and a crash
//! loses at most the line being written. Reading is forgiving: a line that is not an event is counted and passed over.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufRead, BufReader, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use jiff::Timestamp;
use oldhand_domain::error::StoreError;
use oldhand_domain::event::{Event, Happening, LINE_LIMIT};
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

/// What reading a journal came to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reading {
    /// Lines that are not events: torn by a crash, or written by something else.
    pub bad_lines: usize,
    /// Names what was read: the same name, the same events. `None` when there is no journal.
    pub digest: Option<String>,
}

impl JournalFile {
    /// Whether the journal may hold anything else than when `digest` was made of it, at `then`. Journals only grow, and one
    /// that is replaced is written later; so a file of the same length that is not newer need not be read.
    pub fn may_differ(&self, digest: &str, then: Timestamp) -> bool {
        let length = digest.split_once('-').map(|(length, _)| length);
        length != Some(self.bytes.to_string().as_str()) || self.modified > SystemTime::from(then)
    }
}

impl Journals {
    pub fn new(folder: impl Into<PathBuf>) -> Self {
        Self {
            folder: folder.into(),
        }
    }

    pub fn folder(&self) -> &Path {
        &self.folder
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
                // Not those above it: a project that was removed stays away, whoever still writes.
                make_folder(&self.folder, Above::IsThere)?;
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
    /// what to write, so that a long session need not be in memory. It is dated `now`, so that whoever finalizes it at that time
    /// need not read it again to see that it is the same.
    pub fn replace(
        &self,
        session: &SessionId,
        now: Timestamp,
        events: impl FnOnce(&mut dyn FnMut(&Event) -> io::Result<()>) -> io::Result<()>,
    ) -> Result<(), StoreError> {
        self.write_whole(session, now, events)
            .map_err(failed("write a journal"))
    }

    fn write_whole(
        &self,
        session: &SessionId,
        now: Timestamp,
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
        let written = written.and_then(|()| file.flush());
        // Not every store of times knows parts of a second. A date that cannot be set costs a reading, no more.
        let now = Timestamp::from_second(now.as_second()).unwrap_or(now);
        let _ = file.get_ref().set_modified(now.into());
        let renamed = written.and_then(|()| fs::rename(&beside, &path));
        renamed.inspect_err(|_| {
            let _ = fs::remove_file(&beside);
        })
    }

    /// Hands on every event of a session in the order they were written, one at a time, so that a journal of any length needs
    /// no memory; none when there is no journal.
    pub fn each(
        &self,
        session: &SessionId,
        take: impl FnMut(Event),
    ) -> Result<Reading, StoreError> {
        self.each_until(session, u64::MAX, take)
    }

    /// The same for the first `length` bytes, so that two readings of a journal that grows see the same.
    pub fn each_until(
        &self,
        session: &SessionId,
        length: u64,
        mut take: impl FnMut(Event),
    ) -> Result<Reading, StoreError> {
        let mut events = self.open(session, length)?;
        for event in &mut events {
            take(event?);
        }
        Ok(events.reading())
    }

    /// The events in the first `length` bytes of a journal, for whoever reads two of them side by side.
    pub fn open(&self, session: &SessionId, length: u64) -> Result<JournalEvents, StoreError> {
        let file = match File::open(self.path(session)) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            opened => Some(opened.map_err(failed("open a journal"))?),
        };
        let reader =
            file.map(|file| Digesting::new(BufReader::with_capacity(1 << 16, file.take(length))));
        Ok(JournalEvents {
            reader,
            bad_lines: 0,
        })
    }

    /// How long the journal of a session is by now, in bytes; `None` when there is none.
    pub fn length(&self, session: &SessionId) -> Option<u64> {
        let found = fs::metadata(self.path(session)).ok()?;
        Some(found.len())
    }

    /// All events of a session at once; for a journal that is known to be short.
    pub fn read(&self, session: &SessionId) -> Result<Replay, StoreError> {
        let mut events = Vec::new();
        let reading = self.each(session, |event| events.push(event))?;
        Ok(Replay {
            events,
            bad_lines: reading.bad_lines,
        })
    }

    /// When a session began: the time of its first event. Reads no further than that.
    pub fn began_at(&self, session: &SessionId) -> Result<Option<Timestamp>, StoreError> {
        let mut reader = match File::open(self.path(session)) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            opened => BufReader::new(opened.map_err(failed("open a journal"))?),
        };
        loop {
            match next_line(&mut reader).map_err(failed("read a journal"))? {
                Line::Event(event) => return Ok(Some(event.at)),
                Line::End => return Ok(None),
                Line::Bad | Line::Blank => {}
            }
        }
    }

    /// Whether the last thing that happened in a session is its end. Reads no more than the end of the file.
    pub fn is_ended(&self, session: &SessionId) -> Result<bool, StoreError> {
        const TAIL: u64 = 4 * LINE_LIMIT as u64;
        let tail = || -> io::Result<Vec<u8>> {
            let mut file = File::open(self.path(session))?;
            let length = file.metadata()?.len();
            file.seek(SeekFrom::Start(length.saturating_sub(TAIL)))?;
            let mut tail = Vec::new();
            file.take(TAIL).read_to_end(&mut tail)?;
            Ok(tail)
        };
        let tail = match tail() {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(false),
            tail => tail.map_err(failed("read a journal"))?,
        };
        let lines = tail.split(|byte| *byte == b'\n').rev();
        let mut events = lines.filter_map(|line| serde_json::from_slice::<Event>(line).ok());
        let last = events.find(|event| !event.what.is_afterword());
        Ok(last.is_some_and(|event| matches!(event.what, Happening::SessionEnded { .. })))
    }

    /// Whether a journal holds these words at least twice, found without reading its events. What cannot be read holds nothing.
    pub fn repeats(&self, session: &SessionId, words: &str) -> bool {
        let Ok(bytes) = fs::read(self.path(session)) else {
            return false;
        };
        String::from_utf8_lossy(&bytes)
            .matches(words)
            .nth(1)
            .is_some()
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

    /// Whether a journal can be read at all, told by its first byte.
    pub fn is_readable(&self, session: &SessionId) -> bool {
        let file = File::open(self.path(session));
        file.and_then(|mut file| file.read(&mut [0])).is_ok()
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

/// The events of a journal in the order they were written, one at a time; none when there is no journal.
pub struct JournalEvents {
    reader: Option<Digesting<BufReader<io::Take<File>>>>,
    bad_lines: usize,
}

impl JournalEvents {
    /// What reading came to. It names the whole journal once the last event was handed on.
    pub fn reading(&self) -> Reading {
        Reading {
            bad_lines: self.bad_lines,
            digest: self.reader.as_ref().map(Digesting::digest),
        }
    }
}

impl Iterator for JournalEvents {
    type Item = Result<Event, StoreError>;

    fn next(&mut self) -> Option<Self::Item> {
        let reader = self.reader.as_mut()?;
        loop {
            match next_line(reader) {
                Ok(Line::Event(event)) => return Some(Ok(*event)),
                Ok(Line::Bad) => self.bad_lines += 1,
                Ok(Line::Blank) => {}
                Ok(Line::End) => return None,
                Err(error) => return Some(Err(failed("read a journal")(error))),
            }
        }
    }
}

enum Line {
    Event(Box<Event>),
    Bad,
    Blank,
    End,
}

/// Bounded, whatever the file holds: a line that goes on past the limit is no event.
fn next_line(reader: &mut impl BufRead) -> io::Result<Line> {
    let mut line = Vec::new();
    let read = reader
        .by_ref()
        .take(LINE_LIMIT as u64)
        .read_until(b'\n', &mut line)?;
    if read == 0 {
        return Ok(Line::End);
    }
    if line.last() != Some(&b'\n') && read == LINE_LIMIT {
        skip_line(reader)?;
        return Ok(Line::Bad);
    }
    let text = line.trim_ascii();
    if text.is_empty() {
        return Ok(Line::Blank);
    }
    Ok(serde_json::from_slice(text).map_or(Line::Bad, |event| Line::Event(Box::new(event))))
}

/// Names what it reads on the way.
struct Digesting<R> {
    reader: R,
    hasher: blake3::Hasher,
    bytes: u64,
}

impl<R: BufRead> Digesting<R> {
    fn new(reader: R) -> Self {
        Self {
            reader,
            hasher: blake3::Hasher::new(),
            bytes: 0,
        }
    }

    /// The length comes first, so that a file of another length is known to be another without being read.
    fn digest(&self) -> String {
        format!("{}-{}", self.bytes, self.hasher.finalize().to_hex())
    }
}

impl<R: BufRead> Read for Digesting<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let available = self.fill_buf()?;
        let length = available.len().min(buffer.len());
        buffer[..length].copy_from_slice(&available[..length]);
        self.consume(length);
        Ok(length)
    }
}

impl<R: BufRead> BufRead for Digesting<R> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        self.reader.fill_buf()
    }

    fn consume(&mut self, length: usize) {
        if let Ok(available) = self.reader.fill_buf() {
            self.hasher.update(&available[..length]);
            self.bytes += length as u64;
        }
        self.reader.consume(length);
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

/// Makes a folder, and those above it, that only this user can look into.
pub fn make_private_folder(folder: &Path) -> io::Result<()> {
    make_folder(folder, Above::IsMade)
}

/// What lies above a folder that is made.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Above {
    IsThere,
    IsMade,
}

fn make_folder(folder: &Path, above: Above) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(above == Above::IsMade);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    match builder.create(folder) {
        // Another hook was quicker.
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
        made => made,
    }
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
mod tests;
