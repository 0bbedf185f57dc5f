//! From a transcript to the journal of its session, without its secrets.

use std::io::{BufReader, Read as _};
use std::iter::Peekable;
use std::path::Path;
use std::vec::IntoIter;

use anyhow::Result;
use jiff::Timestamp;
use oldhand_domain::event::{Event, Happening};
use oldhand_redact::redact;
use oldhand_store::opencode;

use super::Skipped;
use super::find::{Transcript, is_database};
use super::taken::{Stamp, Taken};
use crate::agent::{self, Reading};
use crate::file;
use crate::sessions::Sessions;

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
}

/// How transcripts came to be looked at.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Wanted {
    ByFolder,
    /// A person named them.
    Given,
}

/// How many transcripts are read before it is noted which.
const NOTED_AFTER: usize = 20;

/// Takes in what is new. What cannot be read is passed over and told; `progress` hears how many are done.
pub(super) fn take_all(
    transcripts: &[Transcript],
    sessions: &Sessions<'_>,
    wanted: Wanted,
    now: Timestamp,
    skipped: &mut Vec<Skipped>,
    progress: impl Fn(usize),
) -> Tray {
    let mut tray = Tray::default();
    let mut taken = Taken::read(sessions.imported.folder());
    for (done, transcript) in transcripts.iter().enumerate() {
        match take_new(transcript, sessions, wanted, now, &mut taken, &mut tray) {
            Ok(()) => {}
            Err(error) => skipped.push(Skipped {
                path: transcript.path.clone(),
                why: format!("{error:#}"),
            }),
        }
        // An import that is broken off goes on from here. Notes that cannot be kept cost another reading, no more.
        if (done + 1) % NOTED_AFTER == 0 || done + 1 == transcripts.len() {
            let _ = taken.write();
        }
        progress(done + 1);
    }
    tray
}

fn take_new(
    transcript: &Transcript,
    sessions: &Sessions<'_>,
    wanted: Wanted,
    now: Timestamp,
    taken: &mut Taken,
    tray: &mut Tray,
) -> Result<()> {
    let session = &transcript.session;
    let is_live = sessions.live.contains(session);
    if is_live && !sessions.is_over(session, now)? {
        tray.known += 1;
        return Ok(());
    }
    let stamp = Stamp::of(&transcript.path, &transcript.aside)?;
    if sessions.imported.contains(session) {
        if taken.is_unchanged(session, &stamp) {
            tray.unchanged += 1;
            return Ok(());
        }
    } else if !is_live
        && wanted == Wanted::ByFolder
        && (taken.is_known(session) || sessions.is_discarded(session)?)
    {
        tray.discarded += 1;
        return Ok(());
    }
    let reading = take(transcript, sessions, now)?;
    add(&mut tray.total, reading);
    tray.taken += 1;
    taken.note(session, stamp);
    Ok(())
}

/// Reads a transcript into the journal of its session. Nothing happened later than `now`, whatever the clock said that wrote
/// the transcript.
pub(super) fn take(
    transcript: &Transcript,
    sessions: &Sessions<'_>,
    now: Timestamp,
) -> Result<Reading> {
    let mut reading = Reading::default();
    let mut said = said_since(transcript, sessions)?.into_iter().peekable();
    let mut aside = Vec::new();
    for path in &transcript.aside {
        let of_subagent = read(transcript, path, |event| {
            if !matches!(event.what, Happening::SessionStarted(_)) {
                aside.push(event);
            }
        })?;
        add(&mut reading, of_subagent);
    }
    // What subagents did goes between what the session did meanwhile; it was written down in files of its own.
    aside.sort_by_key(|event| event.at);
    let mut aside = aside.into_iter().peekable();
    sessions.imported.replace(&transcript.session, |write| {
        let mut written = Ok(());
        let mut count = 0;
        let mut put = |mut event: Event| {
            while let Some((_, word)) = said.next_if(|(after, _)| *after <= count) {
                written = std::mem::replace(&mut written, Ok(())).and_then(|()| write(&word));
            }
            count += 1;
            event.at = event.at.min(now);
            let event = without_secrets(event);
            written = std::mem::replace(&mut written, Ok(())).and_then(|()| write(&event));
        };
        let main = read(transcript, &transcript.path, |event| {
            until(&mut aside, &event).chain([event]).for_each(&mut put);
        })?;
        add(&mut reading, main);
        aside.for_each(&mut put);
        written?;
        said.try_for_each(|(_, word)| write(&word))
    })?;
    Ok(reading)
}

fn until(aside: &mut Peekable<IntoIter<Event>>, event: &Event) -> IntoIter<Event> {
    let mut earlier = Vec::new();
    while let Some(next) = aside.next_if(|next| next.at < event.at) {
        earlier.push(next);
    }
    earlier.into_iter()
}

/// What people said of a session since it was taken in, each with the number of events it was said after: that is in no
/// transcript, and must outlive another reading in its place.
fn said_since(transcript: &Transcript, sessions: &Sessions<'_>) -> Result<Vec<(usize, Event)>> {
    let mut said = Vec::new();
    let mut count = 0;
    sessions.imported.each(&transcript.session, |event| {
        let by_person = match &event.what {
            Happening::Validated { by, .. } => by == "user",
            Happening::SubtaskValidated { .. } => true,
            _ => false,
        };
        if by_person {
            said.push((count, event));
        } else {
            count += 1;
        }
    })?;
    Ok(said)
}

fn read(transcript: &Transcript, path: &Path, put: impl FnMut(Event)) -> std::io::Result<Reading> {
    let (agent, root) = (transcript.agent, &transcript.root);
    if is_database(path) {
        let id = transcript.session.as_str();
        agent::read_values(agent, root, put, |give| opencode::each_row(path, id, give))
    } else {
        let file = file::open_regular(path)?;
        // A client may still be writing; what it adds from now on is for the next reading.
        let length = file.metadata()?.len();
        let mut reader = BufReader::with_capacity(1 << 16, file.take(length));
        agent::read(agent, &mut reader, root, put)
    }
}

fn without_secrets(mut event: Event) -> Event {
    event.change_texts(|text| *text = redact(text).text.into_owned());
    event
}

fn add(total: &mut Reading, one: Reading) {
    total.lines += one.lines;
    total.bytes += one.bytes;
    total.events += one.events;
    total.broken += one.broken;
    total.too_long += one.too_long;
    for (kind, times) in one.unknown {
        *total.unknown.entry(kind).or_default() += times;
    }
}

#[cfg(test)]
mod tests {
    use std::panic::{AssertUnwindSafe, catch_unwind};

    use oldhand_domain::id::SessionId;
    use oldhand_store::{Mode, SqliteStore};

    use super::super::find::Kin;
    use super::*;
    use crate::agent::{Agent, Root};

    #[test]
    fn an_import_that_was_broken_off_goes_on_where_it_was() {
        let folder = tempfile::tempdir().unwrap();
        let store = SqliteStore::open(&folder.path().join("memory.db"), Mode::Write).unwrap();
        let sessions = Sessions::at(folder.path(), &store);
        let transcripts: Vec<Transcript> = (0..NOTED_AFTER + 5)
            .map(|number| {
                let path = folder.path().join(format!("{number}.jsonl"));
                std::fs::write(&path, "{\"type\":\"summary\"}\n").unwrap();
                Transcript {
                    path,
                    aside: Vec::new(),
                    agent: Agent::ClaudeCode,
                    session: SessionId::new(format!("session-{number}")).unwrap(),
                    root: Root::new("/project"),
                    kin: Kin::Own,
                    started_at: None,
                }
            })
            .collect();
        let take = |progress: &dyn Fn(usize)| {
            let mut skipped = Vec::new();
            let tray = take_all(
                &transcripts,
                &sessions,
                Wanted::ByFolder,
                Timestamp::now(),
                &mut skipped,
                progress,
            );
            assert!(skipped.is_empty());
            (tray.taken, tray.unchanged)
        };
        let broken_off = catch_unwind(AssertUnwindSafe(|| {
            take(&|done| assert!(done < NOTED_AFTER + 3, "the power went"))
        }));
        assert!(broken_off.is_err());
        assert_eq!(take(&|_| {}), (5, NOTED_AFTER));
    }
}
