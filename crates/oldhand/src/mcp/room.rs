//! What one call is answered from: the project the agent works in, as it is now, and the session it belongs to.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime};

use anyhow::Result;
use oldhand_domain::event::{Event, Happening, Start};
use oldhand_domain::id::SessionId;
use oldhand_store::journal::Journals;

use crate::config::Environment;
use crate::desk::{Desk, Purpose};
use crate::failure::Failure;
use crate::ids::Ids;
use crate::project::{self, Found, Project};

/// A session that wrote nothing for so long is not the one that is calling.
const SILENT: Duration = Duration::from_hours(12);
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

/// The session of a client without hooks: it begins with the first thing that is written.
#[derive(Debug, Default)]
pub(super) struct OwnSession(Mutex<Option<(Project, SessionId)>>);

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
        let ids = Ids::new(self.environment.seed, self.environment.now);
        let location = self.project.location.clone();
        Desk::at(
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

    /// The session this call belongs to, where hooks tell of it: the one the client names, else the one of this client that
    /// is going on and wrote last.
    fn hooked_session(&self) -> Option<SessionId> {
        let journals = self.journals();
        let named = self.named_session.clone();
        if let Some(named) = named.and_then(|named| SessionId::new(named).ok())
            && journals.contains(&named)
        {
            return Some(named);
        }
        let mut listed = journals.list().ok()?;
        listed.sort_by_key(|journal| std::cmp::Reverse(journal.modified));
        let now = SystemTime::from(self.environment.now);
        let recent = listed.into_iter().take_while(|journal| {
            now.duration_since(journal.modified).unwrap_or_default() < SILENT
        });
        for journal in recent {
            let Ok(replay) = journals.read(&journal.session) else {
                continue;
            };
            if is_going_on(&replay.events) && is_of(&replay.events, &self.client) {
                return Some(journal.session);
            }
        }
        None
    }

    /// The session this call belongs to, if anything was ever written to it.
    pub(super) fn session(&self) -> Option<SessionId> {
        self.session_beside(self.own.hold().as_ref())
    }

    fn session_beside(&self, own: Option<&(Project, SessionId)>) -> Option<SessionId> {
        let mine = own
            .filter(|(project, _)| project.directory == self.project.directory)
            .map(|(_, session)| session.clone());
        mine.or_else(|| self.hooked_session())
    }

    /// Writes to the session this call belongs to. Without hooks it begins here.
    pub(super) fn append(&self, happening: Happening) -> Result<SessionId> {
        let journals = self.journals();
        // Held until it is written: of two calls at once only one begins a session.
        let mut own = self.own.hold();
        let session = match self.session_beside(own.as_ref()) {
            Some(session) => session,
            None => self.begin(&journals)?,
        };
        let mut event = Event::new(self.environment.now, happening);
        event.change_texts(|text| {
            let redacted = oldhand_redact::redact(text);
            if !redacted.findings.is_empty() {
                *text = redacted.text.into_owned();
            }
        });
        journals.append(&session, &[event])?;
        if session.as_str().starts_with(OWN) {
            *own = Some((self.project.clone(), session.clone()));
        }
        Ok(session)
    }

    fn begin(&self, journals: &Journals) -> Result<SessionId> {
        let ids = Ids::new(self.environment.seed, self.environment.now);
        let session = SessionId::new(format!("{OWN}{}", ids.tag()))?;
        let start = Start {
            client: self.client.clone(),
            session_type: oldhand_domain::event::SessionType::default(),
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
    fn hold(&self) -> MutexGuard<'_, Option<(Project, SessionId)>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The client has gone: the session that began here is over. Returns what there is to learn from.
    pub(super) fn end(&self, environment: &Environment) -> Option<(Project, SessionId)> {
        let (project, session) = self.hold().take()?;
        let now = environment.at_present().ok()?.now;
        let over = Happening::SessionEnded { reason: None };
        let journals = Journals::new(project.directory.join("journal"));
        journals.append(&session, &[Event::new(now, over)]).ok()?;
        Some((project, session))
    }
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
