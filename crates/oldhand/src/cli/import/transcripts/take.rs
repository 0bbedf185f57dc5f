//! From a transcript to the journal of its session, without its secrets.

use std::collections::BTreeMap;
use std::fs;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::io;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::Result;
use jiff::Timestamp;
use oldhand_domain::error::StoreError;
use oldhand_domain::event::{Event, Happening};
use oldhand_domain::id::SessionId;
use oldhand_redact::{SecretKind, redact};
use oldhand_store::{cursor, opencode};

use super::aside::Aside;
use super::find::{Kept, Transcript};
use super::left_out::{Skipped, Why};
use super::taken::{Stamp, Taken, Unread};
use crate::agent::{self, Agent, Reading, Telling};
use crate::sessions::Sessions;

/// Whether this process took in anything: whoever interrupts it is told.
static HAS_TAKEN_IN: AtomicBool = AtomicBool::new(false);

pub(super) fn has_taken_in() -> bool {
    HAS_TAKEN_IN.load(Ordering::Relaxed)
}

/// What taking transcripts in came to.
#[derive(Default)]
pub(super) struct Tray {
    pub(super) total: Reading,
    pub(super) taken: usize,
    /// Read before, and the same since.
    pub(super) unchanged: usize,
    /// Their hooks still tell of them; the end brings the transcript.
    pub(super) known: usize,
    /// A person wanted no more of them.
    pub(super) discarded: usize,
    /// Sessions that have lines in the file of another.
    pub(super) others: Vec<(PathBuf, String)>,
    /// Sessions that secrets were taken out of.
    pub(super) redacted_in: Vec<SessionId>,
    /// Files of which something could not be understood.
    pub(super) unread_in: Vec<(PathBuf, Option<u64>)>,
    /// Files that tell of a part of a session.
    pub(super) parts: usize,
    /// What kept it from taking in the rest: a full disk.
    pub(super) failure: Option<anyhow::Error>,
}

impl Tray {
    /// Counts another tray in.
    pub(super) fn add(&mut self, other: Self) {
        self.total.add(other.total);
        self.taken += other.taken;
        self.unchanged += other.unchanged;
        self.known += other.known;
        self.discarded += other.discarded;
        self.redacted_in.extend(other.redacted_in);
        self.unread_in.extend(other.unread_in);
        self.parts += other.parts;
        self.failure = self.failure.take().or(other.failure);
    }
}

/// How many transcripts are read before it is noted which.
const NOTED_AFTER: usize = 20;
/// And how many bytes of them: a few may be large.
const NOTED_AFTER_BYTES: u64 = 64 << 20;

/// Takes in what is new. What cannot be read is passed over and told; `progress` hears how many are done.
pub(super) fn take_all(
    transcripts: &[Transcript],
    sessions: &Sessions<'_>,
    now: Timestamp,
    skipped: &mut Vec<Skipped>,
    progress: impl Fn(usize),
) -> Tray {
    let mut tray = Tray::default();
    let mut taken = Taken::read(sessions.imported.folder());
    taken.sweep(now);
    let mut noted = 0;
    for (done, transcript) in transcripts.iter().enumerate() {
        let whole = with_known_parts(transcript, taken.stamp(&transcript.session));
        tray.parts += whole.aside.len();
        if whole.is_aside && !whole.is_named {
            skipped.extend(orphans(&whole));
            tray.parts -= whole.aside.len();
            progress(done + 1);
            continue;
        }
        match take_new(&whole, sessions, now, &mut taken, &mut tray) {
            Ok(Outcome::Taken) => {}
            // Those may be missing still: the import that read it was broken off, or one of them was discarded.
            Ok(Outcome::PassedOver) => {
                let others = taken.others(&whole.session, &whole.path).into_iter();
                tray.others
                    .extend(others.map(|name| (whole.path.clone(), name)));
            }
            Ok(Outcome::SaysLess) => {
                skipped.push(Skipped {
                    path: transcript.path.clone(),
                    why: Why::SaysLess(whole.session.clone()),
                });
                tray.parts -= whole.aside.len();
            }
            // No other transcript fits either; the next import goes on from here.
            Err(error) if is_full(&error) => {
                tray.failure = Some(error);
                break;
            }
            Err(error) => {
                skipped.push(Skipped::unreadable(&transcript.path, format!("{error:#}")));
            }
        }
        // An import that is broken off goes on from here. Notes that cannot be kept cost another reading, no more.
        let is_much = tray.total.bytes - noted >= NOTED_AFTER_BYTES;
        if is_much || (done + 1) % NOTED_AFTER == 0 || done + 1 == transcripts.len() {
            noted = tray.total.bytes;
            let _ = taken.write();
        }
        progress(done + 1);
    }
    tray
}

/// The files of a subagent whose session is unknown.
pub(super) fn orphans(of: &Transcript) -> impl Iterator<Item = Skipped> {
    let parts = std::iter::once(&of.path).chain(&of.aside);
    parts.map(|path| Skipped {
        path: path.clone(),
        why: Why::Orphan(of.session.clone()),
    })
}

fn is_full(error: &anyhow::Error) -> bool {
    let cause = error.chain().find_map(|cause| cause.downcast_ref());
    matches!(cause, Some(StoreError::DiskFull { .. }))
}

/// A session whose parts come one by one is read whole each time, as far as what was read before is still there: what is written
/// down anew takes the place of all that was known of it.
fn with_known_parts(transcript: &Transcript, known: Option<&Stamp>) -> Transcript {
    let mut whole = transcript.clone();
    let Some(known) = known.filter(|_| matches!(transcript.kept, Kept::Alone)) else {
        return whole;
    };
    let mut parts: Vec<PathBuf> = known.aside().to_vec();
    if known.path() != transcript.path && known.path().exists() {
        if transcript.is_aside {
            parts.push(std::mem::replace(&mut whole.path, known.path().to_owned()));
            whole.is_aside = false;
        } else if tells_of_subagent(transcript, known.path()) {
            parts.push(known.path().to_owned());
        }
    }
    parts.retain(|part| part.exists() && *part != whole.path);
    parts.append(&mut whole.aside);
    for part in parts {
        if !whole.aside.contains(&part) {
            whole.aside.push(part);
        }
    }
    whole
}

fn tells_of_subagent(transcript: &Transcript, path: &Path) -> bool {
    let head = agent::peek_file(transcript.agent, path);
    head.is_ok_and(|head| head.subagent.is_some_and(|one| one != transcript.name))
}

/// What became of a transcript.
enum Outcome {
    Taken,
    /// There was nothing to do, and it was not read.
    PassedOver,
    /// All that it tells is known, and more: as of a copy that was cut.
    SaysLess,
}

fn take_new(
    transcript: &Transcript,
    sessions: &Sessions<'_>,
    now: Timestamp,
    taken: &mut Taken,
    tray: &mut Tray,
) -> Result<Outcome> {
    let session = &transcript.session;
    let is_live = sessions.live.contains(session);
    // Hooks of Cursor tell what came of a call, which its files do not.
    let tells_less = transcript.agent == Agent::Cursor && transcript.kept == Kept::Alone;
    if is_live && (tells_less || !sessions.is_over(session, now)?) {
        tray.known += 1;
        return Ok(Outcome::PassedOver);
    }
    let stamp = Stamp::of(&transcript.path, &transcript.aside)?;
    if sessions.imported.contains(session) {
        if taken.is_unchanged(session, &stamp) {
            tray.unchanged += 1;
            return Ok(Outcome::PassedOver);
        }
    } else if !is_meant(transcript, taken)
        && (taken.is_known(session) || sessions.is_discarded(session)?)
    {
        tray.discarded += 1;
        return Ok(Outcome::PassedOver);
    }
    // What an older version read may have been more than there is.
    let reading = if taken.is_known(session) {
        take_more(transcript, sessions, now)?
    } else {
        Some(take(transcript, sessions, now)?)
    };
    let Some(mut reading) = reading else {
        return Ok(Outcome::SaysLess);
    };
    if transcript.is_guest {
        (reading.broken, reading.too_long, reading.first_unread) = (0, 0, None);
    }
    taken.note(session, stamp, transcript.root.as_str(), &reading);
    let others = std::mem::take(&mut reading.others).into_iter();
    tray.others
        .extend(others.map(|name| (transcript.path.clone(), name)));
    if !reading.redacted.is_empty() {
        tray.redacted_in.push(session.clone());
    }
    if Unread::of(&reading).say().is_some() {
        let first = reading.first_unread;
        tray.unread_in.push((transcript.path.clone(), first));
    }
    tray.total.add(reading);
    tray.taken += 1;
    HAS_TAKEN_IN.store(true, Ordering::Relaxed);
    Ok(Outcome::Taken)
}

/// Whether a person asked for this very session. Lines that were copied into the file of another are not what is meant.
fn is_meant(transcript: &Transcript, taken: &Taken) -> bool {
    transcript.is_named
        && (!transcript.is_guest || taken.is_of_file(&transcript.session, &transcript.path))
}

/// Reads a transcript into the journal of its session. Nothing happened later than `now`, whatever the clock said that wrote
/// the transcript.
pub(super) fn take(
    transcript: &Transcript,
    sessions: &Sessions<'_>,
    now: Timestamp,
) -> Result<Reading> {
    let known = known(transcript, sessions)?;
    write_down(transcript, sessions, now, known.said, |_| false).map(Option::unwrap_or_default)
}

/// As [`take`], but what says only a part of what is known, in the same order, takes the place of nothing: `None`.
fn take_more(
    transcript: &Transcript,
    sessions: &Sessions<'_>,
    now: Timestamp,
) -> Result<Option<Reading>> {
    let known = known(transcript, sessions)?;
    let says_less = |told: &[u64]| {
        let mut known = known.told.iter();
        told.len() < known.len() && told.iter().all(|one| known.any(|other| other == one))
    };
    write_down(transcript, sessions, now, known.said, says_less)
}

/// Nothing where `is_unwanted` says so of all that was read; then everything stays as it was.
fn write_down(
    transcript: &Transcript,
    sessions: &Sessions<'_>,
    now: Timestamp,
    said: Vec<(usize, Event)>,
    is_unwanted: impl FnOnce(&[u64]) -> bool,
) -> Result<Option<Reading>> {
    let mut reading = Reading::default();
    let mut redacted = BTreeMap::new();
    let mut said = said.into_iter().peekable();
    let mut told = Vec::new();
    let mut is_refused = false;
    let mut aside = Aside::of(transcript)?;
    // What has no time of its own stands before the first that has one.
    let untimed = transcript.started_at;
    let untimed = untimed.unwrap_or_else(|| written_at(&transcript.path));
    let written = sessions
        .imported
        .replace(&transcript.session, now, |write| {
            let mut written = Ok(());
            let mut count = 0;
            let mut put = |mut event: Event| {
                while let Some((_, word)) = said.next_if(|(after, _)| *after <= count) {
                    written = std::mem::replace(&mut written, Ok(())).and_then(|()| write(&word));
                }
                count += 1;
                if event.at == Timestamp::UNIX_EPOCH {
                    event.at = untimed;
                }
                event.at = event.at.min(now);
                let event = without_secrets(event, &mut redacted);
                told.extend(trace(&event));
                written = std::mem::replace(&mut written, Ok(())).and_then(|()| write(&event));
            };
            let main = read(transcript, |event| {
                // What subagents did goes between what the session did meanwhile.
                while let Some(earlier) = aside.next_before(event.at) {
                    put(earlier);
                }
                put(event);
            })?;
            // Of the file that is named; those of subagents have lines of their own.
            reading.first_unread = main.first_unread;
            reading.add(main);
            while let Some(later) = aside.next_before(Timestamp::MAX) {
                put(later);
            }
            reading.add(aside.finish()?);
            written?;
            is_refused = is_unwanted(&told);
            if is_refused {
                return Err(io::Error::other("it says less than what is known"));
            }
            said.try_for_each(|(_, word)| write(&word))
        });
    if is_refused {
        return Ok(None);
    }
    written?;
    reading.redacted = redacted;
    Ok(Some(reading))
}

/// By which an event is known again, whenever it was: of what has no time of its own, the file tells it. Nothing where a journal has no line for it.
fn trace(event: &Event) -> Option<u64> {
    let line = event.to_line()?;
    let (_, what) = line.split_once(',')?;
    let mut hasher = DefaultHasher::new();
    what.hash(&mut hasher);
    Some(hasher.finish())
}

/// When a file was last written: the best that is known of what happened in it where nothing in it says when.
fn written_at(path: &Path) -> Timestamp {
    let modified = fs::metadata(path).and_then(|about| about.modified()).ok();
    let modified = modified.and_then(|at| Timestamp::try_from(at).ok());
    modified.unwrap_or(Timestamp::UNIX_EPOCH)
}

/// What the journal of a session holds.
struct Known {
    /// What people said since it was taken in, each with the number of events it was said after: that is in no transcript, and must
    /// outlive another reading in its place.
    said: Vec<(usize, Event)>,
    /// The others, each by its trace.
    told: Vec<u64>,
}

fn known(transcript: &Transcript, sessions: &Sessions<'_>) -> Result<Known> {
    let mut known = Known {
        said: Vec::new(),
        told: Vec::new(),
    };
    let mut count = 0;
    sessions.imported.each(&transcript.session, |event| {
        let by_person = match &event.what {
            Happening::Validated { by, .. } | Happening::TypeTold { by, .. } => by == "user",
            Happening::SubtaskValidated { .. } => true,
            _ => false,
        };
        if by_person {
            known.said.push((count, event));
        } else {
            known.told.extend(trace(&event));
            count += 1;
        }
    })?;
    Ok(known)
}

pub(super) fn read(transcript: &Transcript, mut put: impl FnMut(Event)) -> io::Result<Reading> {
    read_until(transcript, |event, _| {
        put(event);
        ControlFlow::Continue(())
    })
}

/// Hands on what happened, with how many bytes were read until then, for as long as it is wanted.
pub(super) fn read_until(
    transcript: &Transcript,
    mut put: impl FnMut(Event, u64) -> ControlFlow<()>,
) -> io::Result<Reading> {
    let (agent, root, path) = (transcript.agent, &transcript.root, &transcript.path);
    let name = &transcript.name;
    match &transcript.kept {
        Kept::OpenCode => agent::read_values(agent, root, &mut put, |give| {
            opencode::each_row(path, name, give)
        }),
        Kept::Cursor { folder } => {
            let mut too_long = 0;
            let mut reading = agent::read_values(agent, root, &mut put, |give| {
                too_long = cursor::each_bubble(path, name, folder, give)?;
                Ok(())
            })?;
            reading.lines += too_long;
            reading.too_long += too_long;
            Ok(reading)
        }
        Kept::Alone => {
            let mut telling = Telling::open(agent, path, name, root)?;
            while let Some(event) = telling.next()?
                && put(event, telling.bytes()).is_continue()
            {}
            Ok(telling.reading())
        }
    }
}

/// The event as it may be kept; `redacted` counts the secrets that stood where marks stand now: most were taken out where excerpts
/// are made. A call comes again with its return, and counts there.
fn without_secrets(mut event: Event, redacted: &mut BTreeMap<String, u64>) -> Event {
    let comes_again = matches!(event.what, Happening::ToolCalled { .. });
    event.change_texts(|text| {
        *text = redact(text).text.into_owned();
        if !comes_again {
            for kind in marked(text) {
                *redacted.entry(kind.to_string()).or_default() += 1;
            }
        }
    });
    event
}

/// The kinds of secret that marks in a text name. What is cut, or only speaks of such marks, is none.
fn marked(text: &str) -> impl Iterator<Item = SecretKind> + '_ {
    text.split("[REDACTED:")
        .skip(1)
        .filter_map(|mark| mark.split_once(']')?.0.parse().ok())
}

#[cfg(test)]
mod tests;
