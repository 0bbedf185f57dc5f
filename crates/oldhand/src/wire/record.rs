//! What a file was before we wrote to it, so that it can become that again.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};
use oldhand_domain::event::Digest;
use serde::{Deserialize, Serialize};

use super::Client;
use crate::file;

/// Kept in the folder `wires` of `OLDHAND_HOME`.
#[derive(Serialize, Deserialize)]
pub(super) struct Record {
    agent: String,
    pub(super) path: PathBuf,
    /// What the file was; `None` when there was none.
    before: Option<String>,
    /// Of what we wrote.
    after: Digest,
    /// Folders that were made for it, the outermost first.
    #[serde(default)]
    pub(super) folders: Vec<PathBuf>,
}

impl Record {
    /// `None` when nothing is known of the file, or the record cannot be read.
    pub(super) fn read(home: &Path, client: Client, path: &Path) -> Option<Self> {
        Self::read_at(&place(home, client, path))
    }

    fn read_at(place: &Path) -> Option<Self> {
        let text = fs::read_to_string(place).ok()?;
        serde_json::from_str(&text).ok()
    }

    /// The files of a client that were ever written to and not put back since.
    pub(super) fn all(home: &Path, client: Client) -> Vec<Self> {
        let Ok(entries) = fs::read_dir(home.join("wires")) else {
            return Vec::new();
        };
        let mut places: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
        places.sort();
        let records = places.iter().filter_map(|place| Self::read_at(place));
        records
            .filter(|record| record.agent == client.as_str())
            .collect()
    }

    /// Remembers what the file was, and which folders were ever made for it; `folders` are those of before.
    pub(super) fn keep(
        home: &Path,
        client: Client,
        path: &Path,
        original: Option<String>,
        after: &str,
        mut folders: Vec<PathBuf>,
    ) -> Result<()> {
        for folder in missing_folders(path) {
            if !folders.contains(&folder) {
                folders.push(folder);
            }
        }
        let record = Self {
            agent: client.as_str().to_owned(),
            path: path.to_owned(),
            before: original,
            after: Digest::of(after),
            folders,
        };
        file::create_private_dir(&home.join("wires"))?;
        let text = serde_json::to_string_pretty(&record)?;
        file::write_privately(&place(home, client, path), text.as_bytes())
    }

    pub(super) fn forget(home: &Path, client: Client, path: &Path) -> Result<()> {
        let place = place(home, client, path);
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

    pub(super) fn original(&self) -> Option<&str> {
        self.before.as_deref()
    }
}

fn missing_folders(path: &Path) -> Vec<PathBuf> {
    let missing = path
        .ancestors()
        .skip(1)
        .take_while(|folder| !folder.as_os_str().is_empty() && !folder.exists());
    let mut missing: Vec<PathBuf> = missing.map(Path::to_owned).collect();
    missing.reverse();
    missing
}

fn place(home: &Path, client: Client, path: &Path) -> PathBuf {
    let digest = Digest::of(&path.to_string_lossy());
    home.join("wires")
        .join(format!("{}-{digest}.json", client.as_str()))
}
