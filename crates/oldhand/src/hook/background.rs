//! Work that takes longer than an agent should wait: a process of its own that outlives the hook and ends by itself.

use std::fs;
use std::process::{Command, Stdio};
use std::time::{Duration, SystemTime};

use jiff::Timestamp;
use oldhand_domain::id::SessionId;

use super::Call;
use crate::file;
use crate::project::Project;

/// A session that was silent for so long was left without an end: its client was killed, or never says when it ends.
const LEFT_BEHIND: Duration = Duration::from_hours(1);
/// The most sessions that are made up for at once.
const MOST: usize = 4;

/// Starts to learn from a session that is over. A lock makes two at once harmless; one that cannot be started is made up for
/// when the next session begins.
pub(crate) fn finalize(project: &Project, session: &SessionId) {
    start(project, &["session", "finalize", session.as_str()]);
}

/// Starts to learn from sessions whose end nobody told, the latest first.
pub(super) fn finalize_left_behind(call: &Call, now: Timestamp) {
    let mark = call.project.directory.join("locks").join("left-behind");
    let looked = fs::metadata(&mark).and_then(|mark| mark.modified());
    let Ok(journals) = call.journals.list() else {
        return;
    };
    // Without the mark the same sessions are looked at again, and found to be finalized already.
    let _ = file::create_private_dir(&call.project.directory.join("locks"))
        .and_then(|()| Ok(fs::write(&mark, b"")?));
    let now = SystemTime::from(now);
    let is_left = |modified: SystemTime| {
        let silent = now.duration_since(modified).unwrap_or_default() >= LEFT_BEHIND;
        silent
            && !looked
                .as_ref()
                .is_ok_and(|looked| modified + LEFT_BEHIND <= *looked)
    };
    let mut left: Vec<_> = journals
        .into_iter()
        .filter(|journal| journal.session != call.session && is_left(journal.modified))
        .collect();
    left.sort_by_key(|journal| std::cmp::Reverse(journal.modified));
    for journal in left.iter().take(MOST) {
        finalize(&call.project, &journal.session);
    }
}

fn start(project: &Project, arguments: &[&str]) {
    let Ok(binary) = std::env::current_exe() else {
        return;
    };
    let mut command = Command::new(binary);
    command
        .args(arguments)
        .arg("--project")
        .arg(&project.location.root)
        // The folder of the agent may go away; this one holds what is worked on.
        .current_dir(&project.directory)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    detach(&mut command);
    // The hook ends at once, so that the process is nobody's child.
    let _ = command.spawn();
}

/// An interrupt in the agent's terminal is not meant for this process.
#[cfg(unix)]
fn detach(command: &mut Command) {
    std::os::unix::process::CommandExt::process_group(command, 0);
}

#[cfg(windows)]
fn detach(command: &mut Command) {
    const DETACHED_PROCESS: u32 = 0x0000_0008;
    const CREATE_NEW_PROCESS_GROUP: u32 = 0x0000_0200;
    std::os::windows::process::CommandExt::creation_flags(
        command,
        DETACHED_PROCESS | CREATE_NEW_PROCESS_GROUP,
    );
}
