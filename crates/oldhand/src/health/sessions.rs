//! Whether what agents did can be read, was learned from, and what runs in the background.

use std::collections::BTreeSet;

use jiff::Timestamp;
use oldhand_domain::id::SessionId;
use oldhand_store::journal::Journals;
use oldhand_store::{Mode, SqliteStore};

use super::Check;
use crate::cli::import::transcripts::{Unread, unread};
use crate::job;
use crate::out::time::{ago, count};
use crate::project::Project;
use crate::sessions::Sessions;

/// So many bytes of journals are read in search of lines that are no events; a check need not take minutes.
const READ: u64 = 512 * 1024 * 1024;

pub(super) fn check_sessions(project: &Project, now: Timestamp) -> Vec<Check> {
    let mut checks = Vec::new();
    checks.extend(check_journals(project));
    checks.extend(check_transcripts(project));
    checks.extend(check_learned(project, now));
    checks.extend(check_job(project, now));
    checks
}

fn check_journals(project: &Project) -> Option<Check> {
    const NAME: &str = "journals";
    let folder = project.directory.join("journal");
    let mut journals = 0;
    let mut bytes = 0;
    let mut broken: Vec<(SessionId, usize)> = Vec::new();
    let mut unread = 0;
    for place in [
        Journals::new(&folder),
        Journals::new(folder.join("imported")),
    ] {
        let listed = match place.list() {
            Ok(listed) => listed,
            Err(error) => return Some(Check::failed(NAME, &error.into())),
        };
        for journal in listed {
            journals += 1;
            bytes += journal.bytes;
            if bytes > READ {
                unread += 1;
                continue;
            }
            match place.each(&journal.session, drop) {
                Ok(read) if read.bad_lines > 0 => broken.push((journal.session, read.bad_lines)),
                Ok(_) => {}
                Err(error) => return Some(Check::failed(NAME, &error.into())),
            }
        }
    }
    if journals == 0 {
        return None;
    }
    let unread = match unread {
        0 => String::new(),
        _ => format!(", {unread} of them too long to be looked through"),
    };
    let detail = format!("{}{unread}", count(journals, "session"));
    let Some((worst, _)) = broken.iter().max_by_key(|(_, lines)| *lines) else {
        return Some(Check::good(NAME, format!("{detail}, every line an event")));
    };
    let lines: usize = broken.iter().map(|(_, lines)| lines).sum();
    // A line that a crash cut off is no reason for alarm: the rest is learned from.
    Some(Check {
        fix: Some(format!(
            "`oldhand session replay {worst}` shows what can be read"
        )),
        ..Check::good(
            NAME,
            format!(
                "{detail}; {} in {} cannot be read and left out",
                count(lines, "line"),
                count(broken.len(), "journal")
            ),
        )
    })
}

/// What of the transcripts that were read could not be understood.
fn check_transcripts(project: &Project) -> Option<Check> {
    const NAME: &str = "transcripts";
    let unread = unread(&project.directory.join("journal").join("imported"));
    let mut all = Unread::default();
    for one in unread.values() {
        all.add(one);
    }
    let weight = |one: &Unread| one.lines() + one.unknown_kinds.values().sum::<u64>();
    let (worst, _) = unread.iter().max_by_key(|(_, one)| weight(one))?;
    let of = count(unread.len(), "session");
    // The rest is learned from; a client that says new things is worth knowing of.
    Some(Check {
        fix: Some(format!("`oldhand session show {worst}` says what of it")),
        ..Check::good(NAME, format!("of {of}: {}", all.say()?))
    })
}

/// Sessions that are over and were not learned from.
fn check_learned(project: &Project, now: Timestamp) -> Option<Check> {
    const NAME: &str = "sessions";
    let database = project.database();
    if !database.exists() {
        return None;
    }
    // What is wrong with the database is told by its own check.
    let store = SqliteStore::open(&database, Mode::Read).ok()?;
    let sessions = Sessions::at(&project.directory, &store);
    let pending = match sessions.pending(&BTreeSet::new()) {
        Ok(pending) => pending,
        Err(error) => return Some(Check::failed(NAME, &error)),
    };
    let over = pending.iter().filter(|session| {
        let over = sessions.is_over(session, now);
        over.unwrap_or(false)
    });
    let (over, going_on) = {
        let over = over.count();
        (over, pending.len() - over)
    };
    match (over, going_on) {
        (0, 0) => None,
        (0, going_on) => Some(Check::good(
            NAME,
            format!("{} still open", count(going_on, "session")),
        )),
        (over, _) => Some(Check::bad(
            NAME,
            format!("{} over and not learned from", count(over, "session")),
            "`oldhand session finalize --ended`; the next session of an agent starts it too",
        )),
    }
}

fn check_job(project: &Project, now: Timestamp) -> Option<Check> {
    const NAME: &str = "background";
    let jobs = job::look(&project.directory);
    if let Some(killed) = &jobs.interrupted {
        let name = killed.arguments.join(" ");
        let when = ago(killed.started_at, now);
        return Some(Check::bad(
            NAME,
            format!("`{name}`, started {when}, was interrupted"),
            format!("`oldhand job {name}` goes on with it; the next job does too"),
        ));
    }
    let last = jobs.last?;
    let (name, when) = (last.arguments.join(" "), ago(last.ended_at, now));
    Some(match last.failure {
        Some(failure) => Check::bad(
            NAME,
            format!("`{name}` failed {when}: {failure}"),
            format!("its log is {}", jobs.log.display()),
        ),
        None => Check::good(NAME, format!("`{name}` ended well {when}")),
    })
}
