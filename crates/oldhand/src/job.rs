//! Work in the background: one process at a time for each project, with a log, its progress and its result, that ends by itself.
//!
//! A job is a command of ours, run by a process that nobody waits for. Whoever wants one waits in line; a job that was killed
//! is gone on with by the next. Start reading at [`start`] and [`run`]. Long work that somebody waits for is told, too ([`attend`]).

use std::fs::{self, File, OpenOptions};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result};
use jiff::Timestamp;
use oldhand_domain::event::Digest;
use serde::{Deserialize, Serialize};

use crate::file;
use crate::project::Project;

/// What runs, or ran when its process was killed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Running {
    pub(crate) arguments: Vec<String>,
    pub(crate) pid: u32,
    pub(crate) started_at: Timestamp,
    pub(crate) progress: Option<Reached>,
    /// Whether it goes on with one that was killed.
    #[serde(default)]
    pub(crate) is_second_try: bool,
}

/// How far it got.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Reached {
    pub(crate) doing: String,
    pub(crate) done: usize,
    pub(crate) total: usize,
}

/// How the last one ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Finished {
    pub(crate) arguments: Vec<String>,
    pub(crate) started_at: Timestamp,
    pub(crate) ended_at: Timestamp,
    /// What went wrong; `None` when nothing did.
    pub(crate) failure: Option<String>,
}

/// What is known about the jobs of a project.
pub(crate) struct Jobs {
    pub(crate) running: Option<Running>,
    /// It runs no more and did not end: it was killed.
    pub(crate) interrupted: Option<Running>,
    pub(crate) last: Option<Finished>,
    pub(crate) log: PathBuf,
    /// What somebody waits for in a terminal of their own.
    pub(crate) attended: Option<Running>,
    /// Whether a process that is no job learns from sessions right now.
    pub(crate) is_learning: bool,
}

/// The place of a project's jobs.
struct Bench {
    folder: PathBuf,
    locks: PathBuf,
}

/// How long a job waits in line. Whatever it was for is made up for when the next session starts.
const PATIENCE: Duration = Duration::from_mins(30);
const LOG_LIMIT: u64 = 256 * 1024;
/// How often progress is written down.
const PACE: Duration = Duration::from_millis(500);

/// What this process does for long, as a job or while somebody waits for it.
static THIS: Mutex<Option<AtWork>> = Mutex::new(None);

struct AtWork {
    state: PathBuf,
    running: Running,
    told_at: Instant,
    is_job: bool,
}

/// Long work that somebody waits for: told as long as this lives.
pub(crate) struct Attended {
    state: PathBuf,
    _lock: File,
}

impl Bench {
    fn of(directory: &Path) -> Self {
        Self {
            folder: directory.join("job"),
            locks: directory.join("locks"),
        }
    }

    fn state(&self) -> PathBuf {
        self.folder.join("running.json")
    }

    /// What somebody waits for.
    fn attended(&self) -> PathBuf {
        self.folder.join("attended.json")
    }

    /// Held by the process that somebody waits for.
    fn attending(&self) -> PathBuf {
        self.locks.join("attended")
    }

    /// Takes that lock. What was killed under it left its state behind and is told of no more.
    fn attend(&self) -> Option<File> {
        let lock = file::try_lock(&self.attending()).ok()??;
        let _ = fs::remove_file(self.attended());
        Some(lock)
    }

    fn last(&self) -> PathBuf {
        self.folder.join("last.json")
    }

    fn log(&self) -> PathBuf {
        self.folder.join("log")
    }

    /// Held by the job that waits in line to do this.
    fn waiting(&self, arguments: &[impl AsRef<str>]) -> PathBuf {
        let words: Vec<&str> = arguments.iter().map(AsRef::as_ref).collect();
        let digest = Digest::of(&words.join("\0"));
        self.locks.join(format!("waiting-{digest}"))
    }

    /// The log, to be written on at its end; one that has grown long is put aside.
    fn open_log(&self) -> Result<File> {
        file::create_private_dir(&self.folder)?;
        let path = self.log();
        if fs::metadata(&path).is_ok_and(|log| log.len() > LOG_LIMIT) {
            fs::rename(&path, self.folder.join("log.old"))?;
        }
        let mut options = OpenOptions::new();
        options.create(true).append(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        Ok(options.open(path)?)
    }
}

/// Starts to learn from sessions whose end nobody told, to sweep, and to write what hooks need where it is not there.
pub(crate) fn catch_up(home: &Path, project: &Project) -> Result<()> {
    start(home, project, &["session", "finalize", "--ended"])
}

/// Starts a command of ours in the background. It waits until those before it are done; where the same waits already, that is
/// enough. In a project that was removed meanwhile there is nothing to do.
pub(crate) fn start(home: &Path, project: &Project, arguments: &[&str]) -> Result<()> {
    let bench = Bench::of(&project.directory);
    let is_removed = !project.directory.is_dir();
    if is_removed || file::is_locked(&bench.waiting(arguments)) {
        return Ok(());
    }
    let binary = std::env::current_exe().context("could not find this program")?;
    let log = bench.open_log()?;
    let mut command = Command::new(binary);
    command
        .arg("job")
        .arg("--project")
        .arg(&project.location.root)
        .args(arguments)
        // A hook may have been told where that is by its arguments alone.
        .env("OLDHAND_HOME", home)
        // The folder of the agent may go away; this one holds what is worked on.
        .current_dir(&project.directory)
        .stdin(Stdio::null())
        .stdout(log.try_clone()?)
        .stderr(log);
    detach(&mut command);
    let mut child = command.spawn().context("could not start a process")?;
    // A hook ends at once, and the job is nobody's child. A server stays, and sees it to its end.
    let _ = std::thread::Builder::new().spawn(move || child.wait());
    Ok(())
}

/// Runs one job in this process: waits in line, goes on with one that was killed, does the work, and puts down how it ended.
pub(crate) fn run(
    directory: &Path,
    arguments: &[String],
    clock: impl Fn() -> Timestamp,
    mut work: impl FnMut(&[String]) -> Result<()>,
) -> Result<()> {
    let bench = Bench::of(directory);
    file::create_private_dir(&bench.folder)?;
    file::create_private_dir(&bench.locks)?;
    let waiting = bench.waiting(arguments);
    // Whoever waits has not begun: it will see to everything that this one was for.
    let Some(place) = file::try_lock(&waiting)? else {
        return Ok(());
    };
    let _alone = file::lock_within(&bench.locks.join("job"), PATIENCE)?;
    // Whoever comes from now on may have something newer in mind.
    let _ = fs::remove_file(&waiting);
    drop(place);
    // What was killed twice would be killed again, and nothing behind it would ever be done.
    let killed = read::<Running>(&bench.state())
        .filter(|killed| !killed.is_second_try)
        .map(|killed| killed.arguments);
    let mut todo: Vec<(&[String], bool)> = Vec::new();
    // What was killed while it did the same is done by doing it.
    todo.extend(
        killed
            .iter()
            .map(Vec::as_slice)
            .filter(|killed| *killed != arguments)
            .map(|killed| (killed, true)),
    );
    todo.push((arguments, false));
    let mut first_failure = Ok(());
    for (arguments, is_second_try) in todo {
        let running = Running {
            arguments: arguments.to_vec(),
            pid: std::process::id(),
            started_at: clock(),
            progress: None,
            is_second_try,
        };
        begin(&bench, running.clone())?;
        let result = work(arguments);
        let ended = Finished {
            arguments: arguments.to_vec(),
            started_at: running.started_at,
            ended_at: clock(),
            failure: result.as_ref().err().map(|error| format!("{error:#}")),
        };
        file::write_privately(&bench.last(), &serde_json::to_vec(&ended)?)?;
        fs::remove_file(bench.state())?;
        first_failure = first_failure.and(result);
    }
    first_failure
}

fn begin(bench: &Bench, running: Running) -> Result<()> {
    file::write_privately(&bench.state(), &serde_json::to_vec(&running)?)?;
    now_at_work(bench.state(), running, true);
    Ok(())
}

fn now_at_work(state: PathBuf, running: Running, is_job: bool) {
    if let Ok(mut this) = THIS.lock() {
        *this = Some(AtWork {
            state,
            running,
            told_at: Instant::now(),
            is_job,
        });
    }
}

/// Lets `oldhand status` tell of work that somebody waits for. `None` in a job, which is told of already, and where somebody else
/// waits for something of this project: one of them is told. Work is done all the same where it cannot be told.
pub(crate) fn attend(directory: &Path, arguments: Vec<String>, now: Timestamp) -> Option<Attended> {
    if is_this() {
        return None;
    }
    let bench = Bench::of(directory);
    file::create_private_dir(&bench.folder).ok()?;
    file::create_private_dir(&bench.locks).ok()?;
    let lock = bench.attend()?;
    let running = Running {
        arguments,
        pid: std::process::id(),
        started_at: now,
        progress: None,
        is_second_try: false,
    };
    let state = bench.attended();
    file::write_privately(&state, &serde_json::to_vec(&running).ok()?).ok()?;
    now_at_work(state.clone(), running, false);
    Some(Attended { state, _lock: lock })
}

impl Drop for Attended {
    fn drop(&mut self) {
        if let Ok(mut this) = THIS.lock() {
            *this = None;
        }
        let _ = fs::remove_file(&self.state);
    }
}

/// Whether this process is a job: it may wait longer than a person would.
pub(crate) fn is_this() -> bool {
    let this = THIS.lock();
    this.is_ok_and(|this| this.as_ref().is_some_and(|this| this.is_job))
}

/// Puts down how far long work got. Where it is not told of, or the disk is full, nobody learns it.
pub(crate) fn reach(doing: &str, done: usize, total: usize) {
    let Ok(mut this) = THIS.lock() else {
        return;
    };
    let Some(this) = this.as_mut() else {
        return;
    };
    if done < total && this.told_at.elapsed() < PACE {
        return;
    }
    this.told_at = Instant::now();
    this.running.progress = Some(Reached {
        doing: doing.to_owned(),
        done,
        total,
    });
    if let Ok(text) = serde_json::to_vec(&this.running) {
        let _ = file::write_privately(&this.state, &text);
    }
}

/// What runs, what was killed and how the last one ended.
pub(crate) fn look(directory: &Path) -> Jobs {
    let bench = Bench::of(directory);
    let state = read::<Running>(&bench.state());
    let held = file::is_locked(&bench.locks.join("job"));
    let (running, interrupted) = if held { (state, None) } else { (None, state) };
    Jobs {
        running,
        interrupted,
        last: read(&bench.last()),
        log: bench.log(),
        attended: file::is_locked(&bench.attending())
            .then(|| read(&bench.attended()))
            .flatten(),
        is_learning: !held && file::is_locked(&bench.locks.join("finalize")),
    }
}

fn read<T: for<'de> Deserialize<'de>>(path: &Path) -> Option<T> {
    serde_json::from_slice(&fs::read(path).ok()?).ok()
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

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<String> {
        text.split(' ').map(str::to_owned).collect()
    }

    #[test]
    fn a_job_says_that_it_runs_and_how_it_ended() {
        let folder = tempfile::tempdir().unwrap();
        let clock = || Timestamp::UNIX_EPOCH;
        let seen = Mutex::new(None);
        run(folder.path(), &words("session finalize"), clock, |_| {
            *seen.lock().unwrap() = look(folder.path()).running;
            Ok(())
        })
        .unwrap();
        let seen = seen.into_inner().unwrap().unwrap();
        assert_eq!(seen.arguments, words("session finalize"));
        let jobs = look(folder.path());
        assert!(jobs.running.is_none() && jobs.interrupted.is_none());
        assert_eq!(jobs.last.unwrap().failure, None);
        let failed = run(folder.path(), &words("reindex"), clock, |_| {
            anyhow::bail!("the disk is gone")
        });
        assert!(failed.is_err());
        let last = look(folder.path()).last.unwrap();
        assert_eq!(last.failure.as_deref(), Some("the disk is gone"));
    }

    #[test]
    fn a_killed_job_is_told_of_and_gone_on_with() {
        let folder = tempfile::tempdir().unwrap();
        let bench = Bench::of(folder.path());
        file::create_private_dir(&bench.folder).unwrap();
        let killed = Running {
            arguments: words("import transcripts"),
            pid: 1,
            started_at: Timestamp::UNIX_EPOCH,
            progress: None,
            is_second_try: false,
        };
        fs::write(bench.state(), serde_json::to_vec(&killed).unwrap()).unwrap();
        assert_eq!(look(folder.path()).interrupted, Some(killed));
        let mut done = Vec::new();
        run(
            folder.path(),
            &words("session finalize"),
            || Timestamp::UNIX_EPOCH,
            |arguments| {
                done.push(arguments.join(" "));
                Ok(())
            },
        )
        .unwrap();
        assert_eq!(done, ["import transcripts", "session finalize"]);
        assert!(look(folder.path()).interrupted.is_none());
    }

    #[test]
    fn work_that_was_killed_is_not_told_of_as_what_comes_after_it() {
        let folder = tempfile::tempdir().unwrap();
        let bench = Bench::of(folder.path());
        file::create_private_dir(&bench.folder).unwrap();
        file::create_private_dir(&bench.locks).unwrap();
        let killed = r#"{"arguments":["reindex"],"pid":1,"started_at":"1970-01-01T00:00:00Z"}"#;
        fs::write(bench.attended(), killed).unwrap();
        assert!(read::<Running>(&bench.attended()).is_some());
        let _lock = bench.attend().unwrap();
        assert_eq!(look(folder.path()).attended, None);
    }

    #[test]
    fn the_same_job_waits_in_line_once() {
        let folder = tempfile::tempdir().unwrap();
        let clock = || Timestamp::UNIX_EPOCH;
        let bench = Bench::of(folder.path());
        file::create_private_dir(&bench.locks).unwrap();
        let build = words("model build");
        let done = Mutex::new(0);
        let work = |_: &[String]| {
            *done.lock().unwrap() += 1;
            Ok(())
        };
        let busy = file::lock(&bench.locks.join("job")).unwrap();
        std::thread::scope(|scope| {
            let first = scope.spawn(|| run(folder.path(), &build, clock, work));
            let waits = || file::is_locked(&bench.waiting(&build));
            let is_in_line = (0..1000).any(|_| {
                std::thread::sleep(Duration::from_millis(5));
                waits()
            });
            assert!(is_in_line);
            for _ in 0..3 {
                run(folder.path(), &build, clock, work).unwrap();
            }
            assert_eq!(*done.lock().unwrap(), 0, "those left it to the first");
            drop(busy);
            first.join().unwrap().unwrap();
        });
        assert_eq!(*done.lock().unwrap(), 1);
        assert!(!bench.waiting(&build).exists());
        run(folder.path(), &build, clock, work).unwrap();
        assert_eq!(*done.lock().unwrap(), 2, "what comes later is done anew");
    }

    #[test]
    fn two_jobs_never_run_at_once() {
        let folder = tempfile::tempdir().unwrap();
        let at_work = Mutex::new(0);
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    run(
                        folder.path(),
                        &words("reindex"),
                        || Timestamp::UNIX_EPOCH,
                        |_| {
                            let alone = at_work.try_lock().expect("nobody else is at work");
                            std::thread::sleep(Duration::from_millis(20));
                            drop(alone);
                            Ok(())
                        },
                    )
                    .unwrap();
                });
            }
        });
    }
}
