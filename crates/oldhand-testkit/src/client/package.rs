//! The npm package of each client, in the version its contract was written down for.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::Client;

impl Client {
    /// Name and version.
    pub const fn package(self) -> (&'static str, &'static str) {
        match self {
            Self::ClaudeCode => ("@anthropic-ai/claude-code", "2.1.325"),
            Self::Codex => ("@openai/codex", "0.166.0"),
            Self::Gemini => ("@google/gemini-cli", "0.61.0"),
            Self::OpenCode => ("opencode-ai", "1.18.33"),
        }
    }

    /// Puts the package below `packages` unless it is there. The reason, when it cannot be had, is for people.
    pub fn install(self, packages: &Path) -> Result<(), String> {
        let folder = self.folder(packages);
        if folder.exists() {
            return Ok(());
        }
        let (name, version) = self.package();
        // Whole or not at all: an install that broke off is begun anew.
        let unfinished = packages.join(format!("{}-unfinished", self.as_str()));
        let _ = fs::remove_dir_all(&unfinished);
        fs::create_dir_all(&unfinished)
            .and_then(|()| fs::write(unfinished.join("package.json"), "{ \"private\": true }\n"))
            .map_err(|error| format!("could not write to {}: {error}", unfinished.display()))?;
        let npm = if cfg!(windows) { "npm.cmd" } else { "npm" };
        let output = Command::new(npm)
            .args(["install", "--no-audit", "--no-fund", "--save-exact"])
            // Who is offline should not wait a minute to be told.
            .args(["--fetch-retries", "1", "--fetch-retry-mintimeout", "2000"])
            .arg(format!("{name}@{version}"))
            .current_dir(&unfinished)
            .output()
            .map_err(|error| format!("npm, which brings {name}, does not run: {error}"))?;
        if !output.status.success() {
            let said = String::from_utf8_lossy(&output.stderr);
            let lines = said.lines().filter(|line| line.contains("npm error"));
            let why = lines.take(2).collect::<Vec<_>>().join("; ");
            return Err(format!("npm could not bring {name} {version}: {why}"));
        }
        fs::rename(&unfinished, &folder)
            .map_err(|error| format!("could not make {}: {error}", folder.display()))
    }

    /// What starts the client.
    pub(super) fn program(self, packages: &Path) -> PathBuf {
        let name = match self {
            Self::ClaudeCode => "claude",
            Self::Codex => "codex",
            Self::Gemini => "gemini",
            Self::OpenCode => "opencode",
        };
        let name = if cfg!(windows) {
            format!("{name}.cmd")
        } else {
            name.to_owned()
        };
        self.folder(packages).join("node_modules/.bin").join(name)
    }

    fn folder(self, packages: &Path) -> PathBuf {
        let (_, version) = self.package();
        packages.join(format!("{}-{version}", self.as_str()))
    }
}
