//! What a file was before we wrote to it, so that it can become that again.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};
use oldhand_domain::event::Digest;
use serde::{Deserialize, Serialize};

use crate::agent::Agent;
use crate::file;

/// Kept in the folder `wires` of `OLDHAND_HOME`.
#[derive(Serialize, Deserialize)]
pub(super) struct Record {
    agent: String,
    path: PathBuf,
    /// What the file was; `None` when there was none.
    before: Option<String>,
    /// Of what we wrote.
    after: Digest,
}

impl Record {
    /// `None` when nothing is known of the file, or the record cannot be read.
    pub(super) fn read(home: &Path, agent: Agent, path: &Path) -> Option<Self> {
        let text = fs::read_to_string(place(home, agent, path)).ok()?;
        serde_json::from_str(&text).ok()
    }

    /// Remembers what the file was. A file that is as we left it keeps what it was before that.
    pub(super) fn keep(
        home: &Path,
        agent: Agent,
        path: &Path,
        before: Option<&str>,
        after: &str,
    ) -> Result<()> {
        let earlier = Self::read(home, agent, path);
        let before = match (earlier, before) {
            (Some(earlier), Some(text)) if earlier.wrote(text) => earlier.before,
            _ => before.map(str::to_owned),
        };
        let record = Self {
            agent: agent.as_str().to_owned(),
            path: path.to_owned(),
            before,
            after: Digest::of(after),
        };
        file::create_private_dir(&home.join("wires"))?;
        let text = serde_json::to_string_pretty(&record)?;
        file::write_atomically(&place(home, agent, path), text.as_bytes())
    }

    pub(super) fn forget(home: &Path, agent: Agent, path: &Path) -> Result<()> {
        let place = place(home, agent, path);
        match fs::remove_file(&place) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                Err(error).with_context(|| format!("could not remove {}", place.display()))
            }
            _ => Ok(()),
        }
    }

    /// Whether `text` is what we wrote.
    pub(super) fn wrote(&self, text: &str) -> bool {
        self.after == Digest::of(text)
    }

    pub(super) fn original(self) -> Option<String> {
        self.before
    }
}

fn place(home: &Path, agent: Agent, path: &Path) -> PathBuf {
    let digest = Digest::of(&path.to_string_lossy());
    home.join("wires")
        .join(format!("{}-{digest}.json", agent.as_str()))
}
