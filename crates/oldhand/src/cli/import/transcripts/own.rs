//! The transcript that a client keeps of a session its hooks told of: read when the session is over, as an import reads it.
//!
//! Hooks do not tell what an agent said between two calls, what it thought, how many tokens it took. The path comes from a
//! payload, so that only a regular file is read, only where that client keeps its transcripts, and only one that says itself that
//! it is of this session and of this project. Whatever is wrong with it, what hooks told is enough to go on.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::Result;
use oldhand_domain::event::Happening;
use oldhand_domain::id::SessionId;
use oldhand_domain::session::SessionStore as _;
use oldhand_engine::{OwnTranscript, SessionBody};

use super::database::{database_at, is_database, one_in_database};
use super::find::{Order, Transcript, TranscriptAgent, files_below, gather};
use super::here::{Belonging, Here};
use super::recognise::{Recognised, recognise};
use super::take::take;
use super::taken::{Stamp, Taken};
use crate::agent::Agent;
use crate::desk::Desk;
use crate::out::time::count;
use crate::sessions::{Sessions, receipts};

/// What hooks say of a session's transcripts.
#[derive(Default)]
struct Named {
    agent: Option<Agent>,
    path: Option<PathBuf>,
    /// Of its subagents.
    aside: Vec<PathBuf>,
}

/// The transcripts of sessions that hooks tell of.
pub(crate) struct OwnTranscripts<'a> {
    desk: &'a Desk,
    sessions: &'a Sessions<'a>,
    taken: Taken,
}

impl<'a> OwnTranscripts<'a> {
    pub(crate) fn of(desk: &'a Desk, sessions: &'a Sessions<'a>) -> Self {
        Self {
            desk,
            sessions,
            taken: Taken::read(sessions.imported.folder()),
        }
    }

    /// Sessions whose transcript is another than when it was read.
    pub(crate) fn changed(&self) -> BTreeSet<SessionId> {
        let read = self.taken.stamps();
        let changed = read.filter(|(session, stamp)| {
            // A database changes with every session in it.
            !is_database(stamp.path()) && self.sessions.live.contains(session) && stamp.is_old()
        });
        changed.map(|(session, _)| session).collect()
    }

    /// Waits until a client has written down the end that it just told: for work in the background, and not for long.
    pub(crate) fn settle(&self, session: &SessionId) -> Result<()> {
        const QUIET: Duration = Duration::from_millis(750);
        const PAUSE: Duration = Duration::from_millis(250);
        const MOST_PAUSES: usize = 12;
        let Some(path) = self.named(session)?.path else {
            return Ok(());
        };
        for _ in 0..MOST_PAUSES {
            let modified = fs::metadata(&path).and_then(|about| about.modified());
            if !modified.is_ok_and(|at| at.elapsed().is_ok_and(|since| since < QUIET)) {
                break;
            }
            std::thread::sleep(PAUSE);
        }
        Ok(())
    }

    /// Reads what is new in the transcript of a session; says what became of it. Nothing where hooks named none.
    pub(crate) fn complete(&mut self, session: &SessionId) -> Result<Option<OwnTranscript>> {
        if !self.sessions.live.contains(session) {
            return Ok(None);
        }
        let named = self.named(session)?;
        let read = self
            .find(session, &named)
            .and_then(|found| self.read(session, &found));
        Ok(match read {
            Ok(read) => Some(read),
            Err(None) => None,
            Err(Some(why)) => {
                let read = self.sessions.imported.contains(session);
                Some(OwnTranscript {
                    read,
                    why: Some(if read {
                        format!("{why}; what was read of it before counts")
                    } else {
                        why
                    }),
                })
            }
        })
    }

    /// What a session's hooks say of its transcripts.
    fn named(&self, session: &SessionId) -> Result<Named> {
        let mut named = Named::default();
        self.sessions.live.each(session, |event| match event.what {
            Happening::SessionStarted(start) => named.agent = Agent::named(&start.client),
            Happening::Transcribed { path } => {
                let path = PathBuf::from(path);
                if event.agent.is_none() {
                    named.path = Some(path);
                } else {
                    named.aside.push(path);
                }
            }
            _ => {}
        })?;
        Ok(named)
    }

    /// Why it is not read, or nothing where there is none to read.
    fn find(&self, session: &SessionId, named: &Named) -> Result<Transcript, Option<String>> {
        let agent = named.agent.ok_or(None)?;
        let user_home = self.desk.user_home.as_deref();
        let mut here = Here::of(&self.desk.location, user_home, &[]);
        let known = TranscriptAgent::of(agent);
        let places = known.places(user_home);
        if matches!(known, TranscriptAgent::OpenCode | TranscriptAgent::Cursor) {
            let databases = places.iter().map(|place| database_at(place));
            let mut databases = databases.filter(|path| path.exists());
            let found =
                databases.find_map(|path| one_in_database(&path, session, &mut here).transpose());
            let found = found.transpose();
            return found.map_err(|error| Some(error.to_string()))?.ok_or(None);
        }
        let path = accept(named.path.as_ref().ok_or(None)?, agent, &places)?;
        let named_aside = named.aside.iter();
        let named_aside = named_aside.filter_map(|path| accept(path, agent, &places).ok());
        let aside: BTreeSet<PathBuf> = named_aside.chain(aside_of(&path, session)).collect();
        let mut found: BTreeMap<Order, Transcript> = BTreeMap::new();
        for path in std::iter::once(path.clone()).chain(aside) {
            match recognise(&path, &[known], &mut here, Belonging::ByFolder) {
                Ok(Recognised::Here(one)) if one.session == *session => {
                    let order = (one.started_at, path.display().to_string());
                    found.insert(order, *one);
                }
                Ok(_) => {}
                Err(error) => return Err(Some(error.to_string())),
            }
        }
        let mut gathered = gather(found.into_values(), &mut Vec::new());
        gathered
            .pop()
            .filter(|one| one.path == path)
            .ok_or_else(|| Some("it tells of no session of this name and project".to_owned()))
    }

    fn read(
        &mut self,
        session: &SessionId,
        found: &Transcript,
    ) -> Result<OwnTranscript, Option<String>> {
        let said = |error: &dyn std::fmt::Display| Some(format!("{error:#}"));
        let now = self.desk.now;
        if !is_database(&found.path) {
            let files = std::iter::once(&found.path).chain(&found.aside);
            receipts::take(&self.sessions.live, session, files, now)
                .map_err(|error| said(&error))?;
        }
        let stamp = Stamp::of(&found.path, &found.aside).map_err(|error| said(&error))?;
        let is_known = self.sessions.imported.contains(session);
        if is_known && self.taken.is_unchanged(session, &stamp) {
            let record = self.sessions.store.session(session).ok().flatten();
            let before = record.as_ref().and_then(SessionBody::read);
            let before = before.and_then(|body| body.transcript);
            return Ok(before
                .filter(|before| before.read)
                .unwrap_or(OwnTranscript {
                    read: true,
                    why: None,
                }));
        }
        let reading = take(found, self.sessions, now).map_err(|error| said(&error))?;
        let root = found.root.as_str();
        self.taken.note(session, stamp, root, &reading);
        // Notes that cannot be kept cost another reading, no more.
        let _ = self.taken.write();
        let unread = usize::try_from(reading.broken + reading.too_long).unwrap_or(usize::MAX);
        Ok(OwnTranscript {
            read: true,
            why: (unread > 0).then(|| format!("{} of it could not be", count(unread, "line"))),
        })
    }
}

/// The file that a hook named, where a transcript of that agent may be.
fn accept(named: &Path, agent: Agent, places: &[PathBuf]) -> Result<PathBuf, Option<String>> {
    let refuse = |why: String| Some(why);
    if !named.is_absolute() {
        return Err(refuse("its path is not whole".to_owned()));
    }
    let found = fs::canonicalize(named).map_err(|error| {
        refuse(match error.kind() {
            io::ErrorKind::NotFound => "it is not there".to_owned(),
            _ => error.to_string(),
        })
    })?;
    let mut places = places
        .iter()
        .filter_map(|place| fs::canonicalize(place).ok());
    if !places.any(|place| found.starts_with(place)) {
        return Err(refuse(format!(
            "it is not where {} keeps its transcripts",
            agent.as_str()
        )));
    }
    let about = fs::symlink_metadata(&found).map_err(|error| refuse(error.to_string()))?;
    if !about.is_file() {
        return Err(refuse("it is no regular file".to_owned()));
    }
    Ok(found)
}

/// What subagents did: Claude Code keeps it in a folder of the transcript's name, Gemini CLI in one of the session's. Codex
/// writes it beside the rest, and its hooks say where.
fn aside_of(path: &Path, session: &SessionId) -> Vec<PathBuf> {
    let beside = path.with_file_name(session.as_str());
    let mut files = files_below(&path.with_extension("").join("subagents"));
    if beside != path.with_extension("") {
        files.extend(files_below(&beside));
    }
    files
}
