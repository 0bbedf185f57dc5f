//! Real repositories in temporary folders, with fixed authors and dates, for the tests of this room.

use std::cell::Cell;
use std::path::Path;
use std::process::Command;

/// One repository on branch `main`. Each commit is an hour after the one before.
pub(crate) struct Fixture {
    folder: tempfile::TempDir,
    clock: Cell<i64>,
}

impl Fixture {
    pub(crate) fn new() -> Self {
        let fixture = Self {
            folder: tempfile::tempdir().unwrap(),
            clock: Cell::new(1_700_000_000),
        };
        fixture.git(&["init", "-q", "-b", "main"]);
        fixture
    }

    pub(crate) fn clone_with(&self, options: &[&str]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let source = format!("file://{}", self.path().display());
        let target = folder.path().to_str().unwrap().to_owned();
        let arguments: Vec<&str> = ["clone", "-q"]
            .iter()
            .chain(options)
            .copied()
            .chain([&*source, &*target])
            .collect();
        self.git(&arguments);
        Self {
            folder,
            clock: self.clock.clone(),
        }
    }

    pub(crate) fn path(&self) -> &Path {
        self.folder.path()
    }

    pub(crate) fn write(&self, path: &str, content: &str) -> &Self {
        write_file(&self.path().join(path), content);
        self
    }

    pub(crate) fn commit(&self, message: &str) -> String {
        self.git(&["add", "-A"]);
        self.git(&["commit", "-q", "--allow-empty", "-m", message]);
        self.git(&["rev-parse", "HEAD"])
    }

    /// Lets time pass before the next commit.
    pub(crate) fn wait(&self, seconds: i64) {
        self.clock.set(self.clock.get() + seconds);
    }

    /// Runs git as an author nobody configured, an hour later each time; returns what it printed.
    pub(crate) fn git(&self, arguments: &[&str]) -> String {
        self.clock.set(self.clock.get() + 3600);
        let date = format!("{} +0000", self.clock.get());
        let output = Command::new("git")
            .args(arguments)
            .current_dir(self.path())
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .env("GIT_AUTHOR_NAME", "Ada")
            .env("GIT_AUTHOR_EMAIL", "ada@example.com")
            .env("GIT_COMMITTER_NAME", "Ada")
            .env("GIT_COMMITTER_EMAIL", "ada@example.com")
            .env("GIT_AUTHOR_DATE", &date)
            .env("GIT_COMMITTER_DATE", &date)
            .output()
            .unwrap();
        assert!(
            output.status.success(),
            "git {arguments:?}: {}",
            String::from_utf8_lossy(&output.stderr)
        );
        String::from_utf8(output.stdout).unwrap().trim().to_owned()
    }
}

pub(crate) fn write_file(path: &Path, content: &str) {
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, content).unwrap();
}
