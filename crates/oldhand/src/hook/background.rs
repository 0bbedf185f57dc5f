//! Work that takes longer than an agent should wait: a process of its own that outlives the hook and ends by itself.

use std::process::{Command, Stdio};

use oldhand_domain::id::SessionId;

use crate::project::Project;

/// Starts to learn from a session that is over. A lock makes two at once harmless; one that cannot be started is made up for
/// when the next session begins.
pub(super) fn finalize(project: &Project, session: &SessionId) {
    start(project, &["session", "finalize", session.as_str()]);
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
