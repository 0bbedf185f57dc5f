//! What one call is answered from: the project the agent works in, as it is now, and the session it belongs to.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime};

use anyhow::Result;
use jiff::{SignedDuration, Timestamp};
use oldhand_domain::event::{Event, Happening, Start};
use oldhand_domain::id::SessionId;
use oldhand_domain::path::ProjectPath;
use oldhand_domain::taint::{OutsideText, Taint};
use oldhand_observe::fold::SessionAnalytics;
use oldhand_store::journal::{JournalFile, Journals};

use super::scratchpad::Note;
use crate::config::{Environment, Listening, Settings};
use crate::desk::{Desk, Purpose, Question};
use crate::failure::Failure;
use crate::hook;
use crate::ids::Ids;
use crate::project::{self, Found, Project};

/// A session that wrote nothing for so long is not the one that is calling.
const SILENT: Duration = Duration::from_hours(12);
/// How many notes of a client are kept at hand; the journal has all.
const MOST_NOTES: usize = 1000;
/// How many places of the code are kept in mind, and for how long.
const MOST_PLACES: usize = 3;
const NOT_LONG_AGO: SignedDuration = SignedDuration::from_mins(10);
/// What the names of sessions that began here begin with.
const OWN: &str = "mcp-";

pub(super) struct Room {
    /// The clock is that of the call, the folder that of the project.
    pub(super) environment: Environment,
    pub(super) project: Project,
    /// As the client calls itself.
    pub(super) client: String,
    /// The session as the client names it, where it does.
    pub(super) named_session: Option<String>,
    pub(super) own: Arc<OwnSession>,
}

/// What came over this connection: the session of a client without hooks, which begins with the first thing that is written, and
/// what was noted.
#[derive(Debug)]
pub(super) struct OwnSession {
    environment: Environment,
    began: Mutex<Option<(Project, SessionId)>>,
    /// The hooks' sessions that could be this client's when it first called in a project.
    likely: Mutex<Option<(PathBuf, Vec<SessionId>)>>,
    notes: Mutex<Vec<(PathBuf, Note)>>,
    /// The files whose place in the code was asked about, the latest last.
    places: Mutex<Vec<Place>>,
}

/// A file whose place in the code was asked about.
#[derive(Debug)]
struct Place {
    directory: PathBuf,
    at: Timestamp,
    file: ProjectPath,
}

impl Room {
    /// The first of `folders` that belongs to a known project is where the agent works.
    pub(super) fn open(
        environment: &Environment,
        folders: &[PathBuf],
        client: String,
        named_session: Option<String>,
        own: Arc<OwnSession>,
    ) -> Result<Self> {
        let mut environment = environment.at_present()?;
        let mut unknown = None;
        for folder in folders {
            match project::find(&environment.home, folder, environment.user_home.as_deref())? {
                Found::Known(project) => {
                    refuse_off(&environment, &project)?;
                    environment.folder.clone_from(folder);
                    return Ok(Self {
                        environment,
                        project,
                        client,
                        named_session,
                        own,
                    });
                }
                Found::Unknown(location) => {
                    unknown.get_or_insert(location.root);
                }
            }
        }
        let place = unknown.unwrap_or_else(|| environment.folder.clone());
        Err(
            Failure::not_found(format!("{} is not a known project", place.display()))
                .hint("the user can run `oldhand init` there; until then nothing is kept or known")
                .into(),
        )
    }

    pub(super) fn desk(&self, purpose: Purpose) -> Result<Desk> {
        self.desk_for(None, purpose)
    }

    /// As [`Room::desk`], where it is known what will be asked.
    pub(super) fn desk_for(
        &self,
        question: Option<Question<'_>>,
        purpose: Purpose,
    ) -> Result<Desk> {
        let ids = Ids::new(self.environment.seed, self.environment.now);
        let location = self.project.location.clone();
        Desk::at(
            question,
            &self.environment,
            Some(self.project.clone()),
            location,
            purpose,
            ids,
        )
    }

    pub(super) fn journals(&self) -> Journals {
        Journals::new(self.project.directory.join("journal"))
    }

    /// The session the client itself names beside the call, where hooks tell of it.
    fn named_session(&self) -> Option<SessionId> {
        let named = SessionId::named(self.named_session.as_deref()?)?;
        self.journals().contains(&named).then_some(named)
    }

    /// The sessions that could be this client's. Looked for once: what came in the meantime is somebody else's, and there may
    /// be many journals.
    fn likely_sessions(&self) -> Vec<SessionId> {
        let likely = self.own.likely.lock();
        let mut likely = likely.unwrap_or_else(PoisonError::into_inner);
        match &*likely {
            Some((directory, sessions)) if *directory == self.project.directory => sessions.clone(),
            _ => {
                let sessions = self.look_for_sessions();
                *likely = Some((self.project.directory.clone(), sessions.clone()));
                sessions
            }
        }
    }

    /// The sessions of this client that hooks tell of and that are going on. What began on another connection is that
    /// connection's.
    fn look_for_sessions(&self) -> Vec<SessionId> {
        let journals = self.journals();
        let open = journals.list().unwrap_or_default().into_iter();
        let open = open.filter(|journal| {
            self.is_recent(journal)
                && journals.read(&journal.session).is_ok_and(|replay| {
                    is_going_on(&replay.events) && is_of(&replay.events, &self.client)
                })
        });
        open.map(|journal| journal.session).collect()
    }

    /// The one session it can be. Of two it might be either, and a report on the one must not be taken for the other's.
    fn likely_session(&self) -> Option<SessionId> {
        match self.likely_sessions().as_slice() {
            [only] => Some(only.clone()),
            _ => None,
        }
    }

    /// The outside text that any of the sessions has taken in by now that this client's may be. What cannot be read may be one
    /// of them, and hold anything.
    fn taint_of_likely(&self) -> Taint {
        let journals = self.journals();
        let unseen = || Taint::by(OutsideText::Unseen);
        let (Ok(listed), Ok(settings)) = (
            journals.list(),
            Settings::read(&self.environment, Some(&self.project.directory)),
        ) else {
            return unseen();
        };
        let options = settings.fold_options();
        let likely = self.likely_sessions();
        let taken = likely.iter().map(|session| {
            let mut seen = SessionAnalytics::default();
            let read = journals.each(session, |event| seen.take(&event, &options));
            match read {
                Ok(reading) if reading.bad_lines == 0 && seen.events > 0 => {
                    seen.taint_after(u32::MAX)
                }
                // Torn, empty or gone: nobody knows what it took in besides.
                Ok(_) => seen.taint_after(u32::MAX).join(&unseen()),
                Err(_) => unseen(),
            }
        });
        // Of the others it matters only whether they could be told apart from this client's.
        let others = listed
            .iter()
            .filter(|journal| self.is_recent(journal) && !likely.contains(&journal.session));
        let dark = others.filter(|journal| !journals.is_readable(&journal.session));
        let dark = dark.map(|_| unseen());
        taken
            .chain(dark)
            .fold(Taint::CLEAN, |all, one| all.join(&one))
    }

    /// Whether a session that hooks tell of may be going on.
    fn is_recent(&self, journal: &JournalFile) -> bool {
        let now = SystemTime::from(self.environment.now);
        !journal.session.as_str().starts_with(OWN)
            && now.duration_since(journal.modified).unwrap_or_default() < SILENT
    }

    /// The session this call belongs to, if anything was ever written to it.
    pub(super) fn session(&self) -> Option<SessionId> {
        self.session_beside(self.own.hold().as_ref())
    }

    /// The notes that this client may be told before anybody judged them, the latest first: those of the session it names, and
    /// those it wrote itself. A session that only seems to be its own may be somebody else's.
    pub(super) fn notes(&self) -> Vec<Note> {
        if let Some(named) = self.named_session() {
            let events = self.journals().read(&named).unwrap_or_default().events;
            return events
                .into_iter()
                .rev()
                .filter_map(|event| Note::of(event.what))
                .collect();
        }
        let written = self.own.notes.lock();
        let written = written.unwrap_or_else(PoisonError::into_inner);
        let here = written
            .iter()
            .rev()
            .filter(|(directory, _)| *directory == self.project.directory);
        here.map(|(_, note)| note.clone()).collect()
    }

    /// Keeps in mind that the client asked what depends on `file`: what it asks next is probably about the same.
    pub(super) fn keep_place(&self, file: &str) {
        let Ok(file) = ProjectPath::new(file) else {
            return;
        };
        let places = self.own.places.lock();
        let mut places = places.unwrap_or_else(PoisonError::into_inner);
        places.push(Place {
            directory: self.project.directory.clone(),
            at: self.environment.now,
            file,
        });
        let surplus = places.len().saturating_sub(MOST_PLACES);
        places.drain(..surplus);
    }

    /// The files whose place in the code was asked about not long ago.
    pub(super) fn places(&self) -> BTreeSet<ProjectPath> {
        let places = self.own.places.lock();
        let places = places.unwrap_or_else(PoisonError::into_inner);
        let is_near = |place: &&Place| {
            place.directory == self.project.directory
                && self.environment.now.duration_since(place.at) < NOT_LONG_AGO
        };
        let near = places.iter().filter(is_near);
        near.map(|place| place.file.clone()).collect()
    }

    fn session_beside(&self, own: Option<&(Project, SessionId)>) -> Option<SessionId> {
        let mine = own
            .filter(|(project, _)| project.directory == self.project.directory)
            .map(|(_, session)| session.clone());
        mine.or_else(|| self.named_session())
            .or_else(|| self.likely_session())
    }

    /// Writes to the session this call belongs to. Without hooks it begins here.
    pub(super) fn append(&self, happening: Happening) -> Result<SessionId> {
        let journals = self.journals();
        // Held until it is written: of two calls at once only one begins a session.
        let mut own = self.own.hold();
        let session = if let Some(session) = self.session_beside(own.as_ref()) {
            session
        } else {
            let session = self.begin(&journals)?;
            *own = Some((self.project.clone(), session.clone()));
            session
        };
        let mut event = Event::new(self.environment.now, happening);
        event.change_texts(|text| {
            let redacted = oldhand_redact::redact(text);
            if !redacted.findings.is_empty() {
                *text = redacted.text.into_owned();
            }
        });
        let mut events = Vec::new();
        if is_unwatched(&session) {
            let outside = self.taint_of_likely();
            if !outside.is_clean() {
                let taken = Happening::MayHaveTaken { outside };
                events.push(Event::new(self.environment.now, taken));
            }
        }
        events.push(event.clone());
        journals.append(&session, &events)?;
        if let Some(note) = Note::of(event.what) {
            let written = self.own.notes.lock();
            let mut written = written.unwrap_or_else(PoisonError::into_inner);
            written.push((self.project.directory.clone(), note));
            let surplus = written.len().saturating_sub(MOST_NOTES);
            written.drain(..surplus);
        }
        Ok(session)
    }

    fn begin(&self, journals: &Journals) -> Result<SessionId> {
        let ids = Ids::new(self.environment.seed, self.environment.now);
        let mut session = SessionId::new(format!("{OWN}{}", ids.tag()))?;
        while journals.contains(&session) {
            session = SessionId::new(format!("{OWN}{}", ids.tag()))?;
        }
        let start = Start {
            client: self.client.clone(),
            session_type: oldhand_domain::event::SessionType::default(),
            type_told: false,
            task: None,
            cwd: self.project.location.root.to_string_lossy().into_owned(),
            branch: None,
            work_unit: None,
            planned_steps: None,
        };
        let started = Event::new(self.environment.now, Happening::SessionStarted(start));
        journals.append(&session, &[started])?;
        Ok(session)
    }
}

impl OwnSession {
    pub(super) fn new(environment: &Environment) -> Self {
        Self {
            environment: environment.clone(),
            began: Mutex::default(),
            likely: Mutex::default(),
            notes: Mutex::default(),
            places: Mutex::default(),
        }
    }

    fn hold(&self) -> MutexGuard<'_, Option<(Project, SessionId)>> {
        self.began.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The client has gone: the session that began here is over, and learned from.
    pub(super) fn end(&self) {
        let Some((project, session)) = self.hold().take() else {
            return;
        };
        let Ok(now) = self.environment.at_present().map(|present| present.now) else {
            return;
        };
        if refuse_off(&self.environment, &project).is_err() {
            return;
        }
        let over = Happening::SessionEnded { reason: None };
        let journals = Journals::new(project.directory.join("journal"));
        if journals.append(&session, &[Event::new(now, over)]).is_ok() {
            hook::finalize_in_background(&self.environment.home, &project, &session);
        }
    }
}

impl Drop for OwnSession {
    fn drop(&mut self) {
        self.end();
    }
}

/// A project that is switched off is neither told about nor written to, whoever asks.
fn refuse_off(environment: &Environment, project: &Project) -> Result<()> {
    let settings = Settings::read(environment, Some(&project.directory))?;
    if settings.listening == Listening::On {
        return Ok(());
    }
    let name = &project.name;
    Err(
        Failure::unavailable(format!("Oldhand is switched off in {name}"))
            .hint("the user can switch it on with `oldhand on`; until then nothing is kept or told")
            .into(),
    )
}

/// Whether no hook tells of the session: it began here, and nobody saw what its agent read.
pub(super) fn is_unwatched(session: &SessionId) -> bool {
    session.as_str().starts_with(OWN)
}

fn is_going_on(events: &[Event]) -> bool {
    let last_start = events
        .iter()
        .rposition(|event| matches!(event.what, Happening::SessionStarted(_)));
    let last_end = events
        .iter()
        .rposition(|event| matches!(event.what, Happening::SessionEnded { .. }));
    last_end.is_none() || last_start > last_end
}

/// Clients name themselves a little differently to servers and to hooks: `codex-mcp-client` is `codex`.
fn is_of(events: &[Event], client: &str) -> bool {
    let client = client.to_lowercase();
    events.iter().any(|event| match &event.what {
        Happening::SessionStarted(start) => client.starts_with(&start.client.to_lowercase()),
        _ => false,
    })
}
