//! A home and a project of their own, with a clock that only moves when something is run.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicU64, Ordering};

use jiff::{SignedDuration, Timestamp};
use tempfile::TempDir;

use crate::Invocation;

/// When commits are made, unless a test says otherwise.
const COMMITTED: &str = "2026-01-15T08:00:00Z";

/// The first moment of every sandbox, in seconds since 1970: 2026-01-15 09:00:00 UTC.
pub(crate) const FIRST_SECOND: i64 = 1_768_467_600;
/// How far the clock moves between two commands: far enough to tell them apart in "2 minutes ago".
const TICK: SignedDuration = SignedDuration::from_mins(1);
const FIRST_SEED: u64 = 7;

/// A temporary `OLDHAND_HOME` and a temporary project, and the binary to try in them.
///
/// Each command run here sees a clock one minute later than the command before it and a seed of its own, so a
/// test reads the same on every machine and two memories never share an id.
pub struct Sandbox {
    binary: PathBuf,
    root: TempDir,
    runs: AtomicU64,
}

impl Sandbox {
    /// A sandbox whose project is a plain folder, without version control.
    ///
    /// `binary` is `env!("CARGO_BIN_EXE_oldhand")` in an integration test.
    pub fn with_folder(binary: impl Into<PathBuf>) -> Self {
        Self::inside(&std::env::temp_dir(), binary)
    }

    /// A sandbox whose project is a git repository with one commit on branch `main`.
    pub fn with_repository(binary: impl Into<PathBuf>) -> Self {
        let sandbox = Self::with_folder(binary);
        sandbox.make_repository(&sandbox.project());
        sandbox
    }

    /// A sandbox in a folder below `parent`: on another file system, say.
    pub fn inside(parent: &Path, binary: impl Into<PathBuf>) -> Self {
        let root = tempfile::Builder::new()
            .prefix("oldhand-")
            .tempdir_in(parent)
            .expect("a temporary folder can be made");
        let sandbox = Self {
            binary: binary.into(),
            root,
            runs: AtomicU64::new(0),
        };
        for folder in [sandbox.home(), sandbox.user_home(), sandbox.project()] {
            fs::create_dir_all(folder).expect("a folder can be made in a new temporary folder");
        }
        sandbox
    }

    /// The folder everything of this sandbox lies in.
    pub fn root(&self) -> &Path {
        self.root.path()
    }

    /// The sandbox's `OLDHAND_HOME`.
    pub fn home(&self) -> PathBuf {
        self.root().join("home")
    }

    /// The project's root folder, where commands run unless told otherwise.
    pub fn project(&self) -> PathBuf {
        self.root().join("project")
    }

    /// What `HOME` says inside the sandbox.
    pub fn user_home(&self) -> PathBuf {
        self.root().join("user")
    }

    /// Prepares a command line of the binary; nothing runs before [`Invocation::run`].
    pub fn oldhand<I, A>(&self, arguments: I) -> Invocation<'_>
    where
        I: IntoIterator<Item = A>,
        A: AsRef<OsStr>,
    {
        let turn = self.runs.fetch_add(1, Ordering::Relaxed);
        let mut command = Command::new(&self.binary);
        command.args(arguments).current_dir(self.project());
        self.isolate(&mut command);
        command
            .env("OLDHAND_HOME", self.home())
            .env("OLDHAND_TEST_NOW", Self::moment(turn).to_string())
            .env("OLDHAND_TEST_SEED", (FIRST_SEED + turn).to_string());
        Invocation::new(self, command)
    }

    /// Any other program, run in the project with the sandbox's home and today's clock.
    pub fn command(&self, program: impl AsRef<OsStr>) -> Command {
        let mut command = Command::new(program);
        command.current_dir(self.project());
        self.isolate(&mut command);
        command.env("OLDHAND_HOME", self.home());
        command
    }

    /// Writes a file of the project, with its folders.
    pub fn write(&self, path: &str, content: impl AsRef<[u8]>) {
        let path = self.project().join(path);
        let folder = path.parent().expect("a file of the project has a folder");
        fs::create_dir_all(folder).expect("a folder of the project can be made");
        fs::write(path, content).expect("a file of the project can be written");
    }

    /// Reads a file of the project.
    pub fn read(&self, path: &str) -> String {
        fs::read_to_string(self.project().join(path)).expect("the file is there and is text")
    }

    /// Makes `folder` a git repository with one commit, the same one on every machine.
    pub fn make_repository(&self, folder: &Path) {
        fs::create_dir_all(folder).expect("a folder of the sandbox can be made");
        self.git(folder, ["init", "--quiet", "--initial-branch", "main"]);
        self.git(
            folder,
            ["commit", "--quiet", "--allow-empty", "-m", "Begin"],
        );
    }

    /// Runs git in `folder` and returns what it printed.
    pub fn git<I, A>(&self, folder: &Path, arguments: I) -> String
    where
        I: IntoIterator<Item = A>,
        A: AsRef<OsStr>,
    {
        self.git_at(folder, COMMITTED, arguments)
    }

    /// The same at another time, for commits.
    pub fn git_at<I, A>(&self, folder: &Path, time: &str, arguments: I) -> String
    where
        I: IntoIterator<Item = A>,
        A: AsRef<OsStr>,
    {
        let mut command = Command::new("git");
        command.args(arguments).current_dir(folder);
        self.isolate(&mut command);
        command
            .env("GIT_AUTHOR_DATE", time)
            .env("GIT_COMMITTER_DATE", time);
        let output = command.output().expect("git is installed");
        assert!(
            output.status.success(),
            "git failed: {}",
            String::from_utf8_lossy(&output.stderr)
        );
        String::from_utf8(output.stdout).expect("git prints text here")
    }

    /// Puts names in place of the sandbox's own paths, for snapshots.
    pub fn without_paths(&self, text: &str) -> String {
        let mut text = text.to_owned();
        for (folder, name) in [
            (self.home(), "[HOME]"),
            (self.project(), "[PROJECT]"),
            (self.user_home(), "[USER]"),
            (self.root().to_owned(), "[SANDBOX]"),
        ] {
            // Where the temporary folder is a link, programs may print either spelling.
            let resolved = folder.canonicalize().unwrap_or_else(|_| folder.clone());
            for spelling in [resolved, folder] {
                text = text.replace(&*spelling.to_string_lossy(), name);
            }
        }
        text
    }

    fn moment(turn: u64) -> Timestamp {
        let first = Timestamp::from_second(FIRST_SECOND).expect("the first second is in range");
        let turns = i32::try_from(turn).expect("a test runs fewer commands than that");
        first + TICK * turns
    }

    fn isolate(&self, command: &mut Command) {
        let path = std::env::var_os("PATH").unwrap_or_default();
        command
            .env_clear()
            .env("PATH", path)
            .env("HOME", self.user_home())
            .env("LC_ALL", "C.UTF-8")
            .env("TZ", "UTC")
            .env("NO_COLOR", "1")
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .env("GIT_CONFIG_GLOBAL", self.user_home().join(".gitconfig"))
            .env("GIT_AUTHOR_NAME", "Author")
            .env("GIT_AUTHOR_EMAIL", "author@example.com")
            .env("GIT_AUTHOR_DATE", COMMITTED)
            .env("GIT_COMMITTER_NAME", "Author")
            .env("GIT_COMMITTER_EMAIL", "author@example.com")
            .env("GIT_COMMITTER_DATE", COMMITTED);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_repository_has_the_same_first_commit_every_time() {
        let heads: Vec<String> = (0..2)
            .map(|_| {
                let sandbox = Sandbox::with_repository("unused");
                sandbox.git(&sandbox.project(), ["rev-parse", "HEAD"])
            })
            .collect();
        assert_eq!(heads[0], heads[1]);
    }

    #[test]
    fn the_clock_moves_a_minute_with_each_command() {
        assert_eq!(Sandbox::moment(0).to_string(), "2026-01-15T09:00:00Z");
        assert_eq!(Sandbox::moment(61).to_string(), "2026-01-15T10:01:00Z");
    }

    #[test]
    fn the_innermost_folder_gives_a_path_its_name() {
        let sandbox = Sandbox::with_folder("unused");
        let text = format!(
            "{} {}",
            sandbox.project().join("src/a.rs").display(),
            sandbox.root().join("elsewhere").display()
        );
        assert_eq!(
            sandbox.without_paths(&text),
            "[PROJECT]/src/a.rs [SANDBOX]/elsewhere"
        );
    }
}
