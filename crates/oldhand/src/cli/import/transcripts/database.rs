//! Sessions that agents keep in databases.

use std::io;
use std::path::Path;

use jiff::Timestamp;
use oldhand_domain::id::SessionId;
use oldhand_store::{cursor, opencode};

use super::Skipped;
use super::find::{Kept, Look, Transcript};
use super::here::{Belonging, Here};
use crate::agent::Agent;
use crate::out::time::count;

/// Whether an agent keeps many sessions in a file.
pub(super) fn is_database(path: &Path) -> bool {
    is_opencode(path) || is_cursor(path)
}

/// Whether a file is the database of OpenCode.
pub(super) fn is_opencode(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name == "opencode.db")
}

/// Whether a file is the database that all windows of Cursor share.
pub(super) fn is_cursor(path: &Path) -> bool {
    path.ends_with("globalStorage/state.vscdb")
}

/// The sessions in the database of OpenCode that belong here.
pub(super) fn opencode_database(
    path: &Path,
    here: &mut Here<'_>,
    belonging: Belonging,
) -> io::Result<Look> {
    let sessions = opencode::sessions(path)?.into_iter().filter_map(|session| {
        let started_at = Timestamp::from_millisecond(session.created).ok();
        let (root, kin) = here.root_of(&session.directory, belonging)?;
        let transcript = Transcript {
            path: path.to_owned(),
            aside: Vec::new(),
            agent: Agent::OpenCode,
            kept: Kept::OpenCode,
            session: SessionId::named(&session.id)?,
            name: session.id,
            root,
            kin,
            is_aside: false,
            is_named: belonging == Belonging::Named,
            is_guest: false,
            started_at,
        };
        let order = (
            started_at,
            format!("{}#{}", path.display(), transcript.name),
        );
        Some((order, transcript))
    });
    Ok(Look {
        sessions: sessions.collect(),
        ..Look::default()
    })
}

/// The chats in the database of Cursor that belong here. Those it notes no folder for belong nowhere.
pub(super) fn cursor_database(
    path: &Path,
    here: &mut Here<'_>,
    belonging: Belonging,
) -> io::Result<Look> {
    let mut look = Look::default();
    let mut homeless = 0;
    for chat in cursor::chats(path)? {
        let Some(folder) = chat.folder else {
            homeless += 1;
            continue;
        };
        let Some((root, kin)) = here.root_of(&folder, belonging) else {
            continue;
        };
        let Some(session) = SessionId::named(&chat.id) else {
            continue;
        };
        let started_at = chat
            .created
            .and_then(|at| Timestamp::from_millisecond(at).ok());
        let order = (started_at, format!("{}#{}", path.display(), chat.id));
        let transcript = Transcript {
            path: path.to_owned(),
            aside: Vec::new(),
            agent: Agent::Cursor,
            kept: Kept::Cursor { folder },
            session,
            name: chat.id,
            root,
            kin,
            is_aside: false,
            is_named: belonging == Belonging::Named,
            is_guest: false,
            started_at,
        };
        look.sessions.push((order, transcript));
    }
    if homeless > 0 {
        look.worth_telling = Some(Skipped {
            path: path.to_owned(),
            why: format!(
                "Cursor notes no folder for {}, so that nobody can tell which project they are of",
                count(homeless, "chat")
            ),
        });
    }
    Ok(look)
}
