//! What a file was before we wrote to it, so that it can become that again.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};
use oldhand_domain::event::Digest;
use serde::{Deserialize, Serialize};

use super::{Client, jsonc};
use crate::file;

/// The folder of `OLDHAND_HOME` where they are kept.
pub(super) const FOLDER: &str = "wires";

/// What was found in one file.
#[derive(Serialize, Deserialize)]
pub(super) struct Record {
    agent: String,
    pub(super) path: PathBuf,
    before: Before,
    /// Of what we wrote.
    after: Digest,
    /// Folders that were made for it, the outermost first.
    #[serde(default)]
    pub(super) folders: Vec<PathBuf>,
}

/// What a file was. Other people's settings hold their keys, so no more of them is kept than undoing takes.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Before {
    /// There was none.
    Nothing,
    /// What is left when ours is taken out, to the byte. These lists were there, and the last line had an end or not.
    Rest {
        lists: Vec<Vec<String>>,
        ends_line: bool,
    },
    /// Nothing less brings it back.
    Whole(String),
}

impl Before {
    pub(super) fn is_nothing(&self) -> bool {
        matches!(self, Self::Nothing)
    }

    /// Whether the list at `path` was there.
    pub(super) fn had(&self, path: &[&str]) -> bool {
        match self {
            Self::Nothing => false,
            Self::Rest { lists, .. } => lists.iter().any(|list| list == path),
            Self::Whole(text) => jsonc::parse(text).is_some_and(|root| root.at(path).is_some()),
        }
    }

    /// Whether its last line had no end.
    pub(super) fn is_unended(&self) -> bool {
        match self {
            Self::Nothing => false,
            Self::Rest { ends_line, .. } => !ends_line,
            Self::Whole(text) => !text.is_empty() && !text.ends_with('\n'),
        }
    }

    /// What a text was, said by the lists of ours that it had.
    pub(super) fn rest(text: &str, lists: impl Iterator<Item = Vec<String>>) -> Self {
        let root = jsonc::parse(text);
        let had = |list: &Vec<String>| {
            let path: Vec<&str> = list.iter().map(String::as_str).collect();
            root.as_ref().is_some_and(|root| root.at(&path).is_some())
        };
        Self::Rest {
            lists: lists.filter(had).collect(),
            ends_line: text.is_empty() || text.ends_with('\n'),
        }
    }
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
        let Ok(entries) = fs::read_dir(home.join(FOLDER)) else {
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
        before: Before,
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
            before,
            after: Digest::of(after),
            folders,
        };
        file::create_private_dir(&home.join(FOLDER))?;
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

    pub(super) fn before(&self) -> &Before {
        &self.before
    }

    /// The record of a file as it would be, to see whether that is enough.
    pub(super) fn with(client: Client, path: &Path, before: Before) -> Self {
        Self {
            agent: client.as_str().to_owned(),
            path: path.to_owned(),
            before,
            after: Digest::of(""),
            folders: Vec::new(),
        }
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
    home.join(FOLDER)
        .join(format!("{}-{digest}.json", client.as_str()))
}
