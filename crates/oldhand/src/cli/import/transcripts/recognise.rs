//! Whose transcript a file is, and which session of this project it tells of.

use std::fs;
use std::io;
use std::path::Path;

use oldhand_domain::id::SessionId;

use super::find::{Kept, Kin, Transcript, TranscriptAgent};
use super::here::{Belonging, Here};
use crate::agent::{self, Head, Root, loose};

pub(super) enum Recognised {
    Here(Box<Transcript>),
    /// It ran in another project, at the root it has here.
    Elsewhere(Box<Transcript>),
    /// It does not say where it ran.
    Nowhere,
    NoTranscript,
}

pub(super) fn recognise(
    path: &Path,
    agents: &[TranscriptAgent],
    here: &mut Here<'_>,
    belonging: Belonging,
) -> io::Result<Recognised> {
    for agent in agents {
        let mut head = if *agent == TranscriptAgent::OpenCode && loose::is_session(path) {
            loose::head(path)
        } else {
            agent::peek_file(agent.agent(), path)?
        };
        if *agent == TranscriptAgent::Gemini {
            head.cwd = head.cwd.or_else(|| folder_noted(path));
            // A subagent's file lies in a folder that is named after the session.
            let session = head.subagent.as_ref().and_then(|_| gemini_session(path));
            head.session = session.or(head.session);
        }
        // Gemini CLI and Cursor do not always say where they ran; who names the file says so.
        let is_known = match agent {
            TranscriptAgent::Gemini => head.started_at.is_some(),
            TranscriptAgent::Cursor => head.session.is_some(),
            _ => false,
        };
        if head.cwd.is_none() && is_known {
            if belonging != Belonging::Named {
                return Ok(Recognised::Nowhere);
            }
            head.cwd = Some(here.root().display().to_string());
        }
        let Head {
            session: Some(session),
            subagent,
            cwd: Some(cwd),
            started_at,
            ..
        } = head
        else {
            continue;
        };
        let place = here.root_of(&cwd, belonging);
        let is_here = place.is_some();
        let (root, kin) = place.unwrap_or_else(|| (Root::new(&cwd), Kin::Afar));
        let Some(id) = SessionId::named(&session) else {
            continue;
        };
        let transcript = Box::new(Transcript {
            path: path.to_owned(),
            aside: Vec::new(),
            agent: agent.agent(),
            kept: Kept::Alone,
            session: id,
            is_aside: is_aside(path)
                // What a subagent did has a name of its own.
                || path.file_stem().is_none_or(|stem| stem != session.as_str())
                    && (subagent.is_some_and(|subagent| subagent != session)
                        || loose::is_session(path)),
            is_named: belonging == Belonging::Named,
            is_guest: false,
            name: session,
            root,
            kin,
            started_at,
        });
        return Ok(if is_here {
            Recognised::Here(transcript)
        } else {
            Recognised::Elsewhere(transcript)
        });
    }
    Ok(Recognised::NoTranscript)
}

/// The session in whose folder Gemini CLI keeps what its subagents did.
fn gemini_session(path: &Path) -> Option<String> {
    let folder = path.parent()?;
    let is_of_chats = folder.parent()?.file_name()? == "chats";
    is_of_chats.then(|| folder.file_name()?.to_str().map(str::to_owned))?
}

/// The folder that Gemini CLI notes beside the sessions of a project.
fn folder_noted(path: &Path) -> Option<String> {
    let notes = path.ancestors().skip(1).take(3);
    let found = notes.filter_map(|folder| fs::read_to_string(folder.join(".project_root")).ok());
    found
        .map(|noted| noted.trim().to_owned())
        .find(|noted| !noted.is_empty())
}

/// Whether Claude Code keeps what a subagent did in this file.
fn is_aside(path: &Path) -> bool {
    let folder = path.parent().and_then(Path::file_name);
    folder.is_some_and(|folder| folder == "subagents")
}
