//! Where the house stands, what lies in it, and how to call cargo there.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};
use serde::Deserialize;

/// What tools made: nothing in it is ours to judge. In a worktree `.git` is a file.
const NOT_OURS: [&str; 3] = [".git", "target", "node_modules"];

pub(crate) struct House {
    pub(crate) root: PathBuf,
}

/// A text file of the house.
pub(crate) struct SourceFile {
    /// From the root of the house, with `/` between the parts.
    pub(crate) path: String,
    pub(crate) text: String,
}

impl House {
    pub(crate) fn of_this_workspace() -> Self {
        // As cargo says it now, not when this was compiled: two clones may share a target folder.
        let xtask = std::env::var_os("CARGO_MANIFEST_DIR")
            .map_or_else(|| env!("CARGO_MANIFEST_DIR").into(), PathBuf::from);
        let root = xtask.parent().expect("xtask lies one level below the root");
        Self {
            root: root.to_owned(),
        }
    }

    /// A cargo command that runs at the root, with the cargo that runs us.
    pub(crate) fn cargo<I, A>(&self, arguments: I) -> Command
    where
        I: IntoIterator<Item = A>,
        A: AsRef<OsStr>,
    {
        let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
        let mut command = Command::new(cargo);
        command.args(arguments).current_dir(&self.root);
        command
    }

    /// Whether cargo has this subcommand on this machine.
    pub(crate) fn has_cargo(&self, subcommand: &str) -> bool {
        self.cargo([subcommand, "--version"])
            .output()
            .is_ok_and(|output| output.status.success())
    }

    /// Where cargo puts what it builds.
    pub(crate) fn target_directory(&self) -> Result<PathBuf> {
        #[derive(Deserialize)]
        struct Target {
            target_directory: PathBuf,
        }
        let metadata = ["metadata", "--format-version", "1", "--no-deps", "--locked"];
        let output = self.cargo(metadata).output()?;
        let target: Target =
            serde_json::from_slice(&output.stdout).context("could not read `cargo metadata`")?;
        Ok(target.target_directory)
    }

    /// Every text file of the house, in the order of their paths.
    pub(crate) fn files(&self) -> Result<Vec<SourceFile>> {
        let mut files = Vec::new();
        self.gather(&self.root, &mut files)?;
        files.sort_by(|a, b| a.path.cmp(&b.path));
        Ok(files)
    }

    fn gather(&self, folder: &Path, files: &mut Vec<SourceFile>) -> Result<()> {
        let entries =
            fs::read_dir(folder).with_context(|| format!("could not list {}", folder.display()))?;
        for entry in entries {
            let entry = entry?;
            let kind = entry.file_type()?;
            let path = entry.path();
            let name = entry.file_name();
            if NOT_OURS.iter().any(|other| name == *other) {
                continue;
            }
            if kind.is_dir() {
                self.gather(&path, files)?;
            } else if kind.is_file() {
                let bytes = fs::read(&path)
                    .with_context(|| format!("could not read {}", path.display()))?;
                // What is not UTF-8 is data, and the rules are about words.
                if let Ok(text) = String::from_utf8(bytes) {
                    let path = self.name(&path);
                    files.push(SourceFile { path, text });
                }
            }
        }
        Ok(())
    }

    fn name(&self, path: &Path) -> String {
        let inside = path.strip_prefix(&self.root).unwrap_or(path);
        inside.to_string_lossy().replace('\\', "/")
    }
}
