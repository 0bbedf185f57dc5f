//! What a process cost: time on the clock, time of the processor, and memory at its fullest.

use std::process::{Child, ExitStatus};
use std::time::{Duration, Instant};

use anyhow::Result;

/// What a process that has ended took.
pub(super) struct Spent {
    pub(super) time: Duration,
    /// What it computed, where the system tells.
    pub(super) processor: Option<Duration>,
    /// In kilobytes, where the system tells.
    pub(super) peak: Option<u64>,
}

/// Waits until a process that began at `start` has ended.
#[cfg(target_os = "linux")]
#[expect(
    clippy::needless_pass_by_value,
    reason = "a process that was waited for has no use any more"
)]
pub(super) fn wait(child: Child, start: Instant) -> Result<(ExitStatus, Spent)> {
    use std::os::unix::process::ExitStatusExt as _;

    let process = libc::pid_t::try_from(child.id())?;
    let mut status = 0;
    let mut usage = std::mem::MaybeUninit::<libc::rusage>::zeroed();
    loop {
        // SAFETY: the child has not been waited for, so that its number is still its own, and both places outlive the call.
        let ended = unsafe { libc::wait4(process, &raw mut status, 0, usage.as_mut_ptr()) };
        if ended == process {
            break;
        }
        let error = std::io::Error::last_os_error();
        anyhow::ensure!(
            error.kind() == std::io::ErrorKind::Interrupted,
            "could not wait for a process: {error}"
        );
    }
    // SAFETY: made of zeroes, which are numbers, and filled by the call above.
    let usage = unsafe { usage.assume_init() };
    let spent = Spent {
        time: start.elapsed(),
        processor: Some(duration(usage.ru_utime)? + duration(usage.ru_stime)?),
        peak: Some(u64::try_from(usage.ru_maxrss)?),
    };
    Ok((ExitStatus::from_raw(status), spent))
}

#[cfg(target_os = "linux")]
fn duration(time: libc::timeval) -> Result<Duration> {
    let (seconds, micros) = (u64::try_from(time.tv_sec)?, u64::try_from(time.tv_usec)?);
    Ok(Duration::from_secs(seconds) + Duration::from_micros(micros))
}

/// Waits until a process that began at `start` has ended; this system tells only how long that took.
#[cfg(not(target_os = "linux"))]
pub(super) fn wait(mut child: Child, start: Instant) -> Result<(ExitStatus, Spent)> {
    let status = child.wait()?;
    let spent = Spent {
        time: start.elapsed(),
        processor: None,
        peak: None,
    };
    Ok((status, spent))
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use std::process::Command;

    use super::*;

    #[test]
    fn a_process_tells_how_it_ended_and_what_it_took() {
        let start = Instant::now();
        let child = Command::new("sh").args(["-c", "exit 3"]).spawn().unwrap();
        let (status, spent) = wait(child, start).unwrap();
        assert_eq!(status.code(), Some(3));
        assert!(spent.processor.unwrap() <= spent.time + Duration::from_millis(10));
        assert!(spent.peak.unwrap() > 0);
    }
}
