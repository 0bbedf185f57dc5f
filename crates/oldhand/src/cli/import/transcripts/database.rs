//! Sessions that agents keep in databases.

use std::io;
use std::path::{Path, PathBuf};

use jiff::Timestamp;
use oldhand_domain::id::SessionId;
use oldhand_store::cursor::{self, CursorChat};
use oldhand_store::opencode::{self, OpenCodeSession};

use super::find::{Kept, Look, Order, Transcript};
use super::here::{Belonging, Here};
use super::left_out::Skipped;
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

/// The database at a place where an agent keeps everything: the file itself, or one in that folder.
pub(super) fn database_at(place: &Path) -> PathBuf {
    if is_database(place) {
        place.to_owned()
    } else {
        place.join("opencode.db")
    }
}

/// The sessions in the database of OpenCode that belong here.
pub(super) fn opencode_database(
    path: &Path,
    here: &mut Here<'_>,
    belonging: Belonging,
) -> io::Result<Look> {
    let sessions = opencode::sessions(path)?.into_iter();
    let sessions = sessions.filter_map(|session| of_opencode(path, session, here, belonging));
    Ok(Look {
        sessions: sessions.map(|one| (order_of(&one), one)).collect(),
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
        homeless += usize::from(chat.folder.is_none());
        let found = of_cursor(path, chat, here, belonging);
        look.sessions.extend(found.map(|one| (order_of(&one), one)));
    }
    if homeless > 0 {
        look.worth_telling = Some(Skipped::unreadable(
            path,
            format!(
                "Cursor notes no folder for {}, so that nobody can tell which project they are of",
                count(homeless, "chat")
            ),
        ));
    }
    Ok(look)
}

/// One session of a database, asked for by its name alone: such a file holds years of every project.
pub(super) fn one_in_database(
    path: &Path,
    session: &SessionId,
    here: &mut Here<'_>,
) -> io::Result<Option<Transcript>> {
    let (name, belonging) = (session.as_str(), Belonging::ByFolder);
    Ok(if is_opencode(path) {
        let found = opencode::session(path, name)?;
        found.and_then(|session| of_opencode(path, session, here, belonging))
    } else {
        let found = cursor::chat(path, name)?;
        found.and_then(|chat| of_cursor(path, chat, here, belonging))
    })
}

fn order_of(one: &Transcript) -> Order {
    let place = format!("{}#{}", one.path.display(), one.name);
    (one.started_at, place)
}

fn of_opencode(
    path: &Path,
    session: OpenCodeSession,
    here: &mut Here<'_>,
    belonging: Belonging,
) -> Option<Transcript> {
    let (root, kin) = here.root_of(&session.directory, belonging)?;
    Some(Transcript {
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
        started_at: Timestamp::from_millisecond(session.created).ok(),
    })
}

fn of_cursor(
    path: &Path,
    chat: CursorChat,
    here: &mut Here<'_>,
    belonging: Belonging,
) -> Option<Transcript> {
    let folder = chat.folder?;
    let (root, kin) = here.root_of(&folder, belonging)?;
    let started_at = chat.created.map(Timestamp::from_millisecond);
    Some(Transcript {
        path: path.to_owned(),
        aside: Vec::new(),
        agent: Agent::Cursor,
        kept: Kept::Cursor { folder },
        session: SessionId::named(&chat.id)?,
        name: chat.id,
        root,
        kin,
        is_aside: false,
        is_named: belonging == Belonging::Named,
        is_guest: false,
        started_at: started_at.and_then(Result::ok),
    })
}
