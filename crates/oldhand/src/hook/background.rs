//! What a hook leaves to the background: learning from sessions that are over, and making ready what the next hooks need.

use std::fs;
use std::path::Path;
use std::time::{Duration, SystemTime};

use jiff::Timestamp;
use oldhand_domain::id::SessionId;
use oldhand_store::handout;

use super::Call;
use crate::cli::import::rules;
use crate::file;
use crate::job;
use crate::project::Project;
use crate::sessions::LEFT_BEHIND;
use crate::sweep;

/// How long after a look at all journals the next one has time. What it could find has been silent for an hour.
const PAUSE: Duration = Duration::from_mins(1);

/// Starts to learn from a session that is over. One that cannot be started is made up for when the next session begins.
pub(crate) fn finalize(home: &Path, project: &Project, session: &SessionId) {
    let _ = job::start(home, project, &["session", "finalize", session.as_str()]);
}

/// Starts to learn from sessions whose end nobody told, to sweep, to look whether rules files still say what was taken from them, and to make
/// ready what hooks need where it is not.
pub(super) fn catch_up(home: &Path, call: &Call, now: Timestamp) {
    let database = call.project.database();
    let wants_handout = !handout::is_there(&database) && database.exists();
    if wants_handout
        || sweep::is_due(&call.project, now)
        || rules::said::have_changed(&call.project)
        || has_left_behind(call, now)
    {
        let _ = job::catch_up(home, &call.project);
    }
}

/// Whether a job was killed, or there are sessions whose end nobody told.
fn has_left_behind(call: &Call, now: Timestamp) -> bool {
    if job::look(&call.project.directory).interrupted.is_some() {
        return true;
    }
    let mark = call.project.directory.join("locks").join("left-behind");
    let looked = fs::metadata(&mark).and_then(|mark| mark.modified()).ok();
    let is_fresh = |looked: SystemTime| looked.elapsed().is_ok_and(|since| since < PAUSE);
    if looked.is_some_and(is_fresh) {
        return false;
    }
    let Ok(journals) = call.journals.list() else {
        return false;
    };
    // Without the mark the same sessions are looked at again, and found to be finalized already.
    let _ = file::create_private_dir(&call.project.directory.join("locks"))
        .and_then(|()| Ok(fs::write(&mark, b"")?));
    let now = SystemTime::from(now);
    let is_left = |modified: SystemTime| {
        let silent = now.duration_since(modified).unwrap_or_default() >= LEFT_BEHIND;
        silent && looked.is_none_or(|looked| modified + LEFT_BEHIND > looked)
    };
    journals
        .iter()
        .any(|journal| journal.session != call.session && is_left(journal.modified))
}
