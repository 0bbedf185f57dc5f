//! A change to somebody's settings: carried out when they are still what they were, with as much kept as undoing it takes.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};

use super::record::{Before, Record};
use super::{Client, Piece, Place, look, obstacle, read, record_of, without_ours};
use crate::failure::Failure;
use crate::file;

/// What a file will be, and what it was.
pub(crate) struct Change {
    pub(crate) client: Client,
    pub(crate) path: PathBuf,
    pub(crate) before: Option<String>,
    /// `None` when there will be no file.
    pub(crate) after: Option<String>,
    /// What of ours is meant to be in it.
    pub(super) pieces: Vec<Piece>,
    pub(super) step: Step,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Step {
    Connect,
    Disconnect,
}

/// Carries out changes, and takes away folders that were made for files which are gone now and hold nothing else. What cannot be
/// undone is told after the rest is.
pub(crate) fn carry_out(changes: &[&Change], home: &Path) -> Result<()> {
    let mut folders: Vec<PathBuf> = Vec::new();
    let mut failures: Vec<anyhow::Error> = Vec::new();
    for change in changes {
        if change.step == Step::Disconnect
            && let Some(record) = change.record(home)
        {
            folders.extend(record.folders);
        }
        match (change.carry_out(home), change.step) {
            (Ok(()), _) => {}
            (Err(error), Step::Connect) => return Err(error),
            (Err(error), Step::Disconnect) => failures.push(error),
        }
    }
    folders.sort_by_key(|folder| std::cmp::Reverse(folder.components().count()));
    for folder in folders {
        // What somebody else uses by now stays.
        let _ = fs::remove_dir(folder);
    }
    all_together(failures)
}

/// One error that says everything that failed, with the next step of the first.
pub(crate) fn all_together(mut failures: Vec<anyhow::Error>) -> Result<()> {
    if failures.len() < 2 {
        return failures.pop().map_or(Ok(()), Err);
    }
    let messages: Vec<String> = failures.iter().map(|error| format!("{error:#}")).collect();
    let hint = failures
        .iter()
        .find_map(|error| error.downcast_ref::<Failure>()?.hint.clone());
    let failure = Failure::invalid(messages.join("; "));
    Err(match hint {
        Some(hint) => failure.hint(hint),
        None => failure,
    }
    .into())
}

impl Change {
    pub(crate) fn is_needed(&self) -> bool {
        self.before != self.after
    }

    /// What keeps the client from reading the file as it will be.
    pub(crate) fn obstacle(&self) -> Option<String> {
        let after = self.after.as_deref()?;
        obstacle(self.client, &self.place(), after).filter(|_| self.step == Step::Connect)
    }

    fn place(&self) -> Place {
        Place {
            path: self.path.clone(),
            pieces: self.pieces.clone(),
        }
    }

    fn record(&self, home: &Path) -> Option<Record> {
        record_of(home, self.client, &self.place(), self.before.as_deref())
    }

    /// What the file would be if we had never written to it: a file that was edited after we wrote to it has our lines too.
    fn original(&self, record: Option<&Record>) -> Result<Option<String>> {
        let Some(text) = &self.before else {
            return Ok(None);
        };
        let place = self.place();
        match record {
            None if !look(&place, text).is_ours() => Ok(Some(text.clone())),
            _ => without_ours(&place, text, record),
        }
    }

    /// What has to be kept of it, so that it can become what it was: tried out before it is relied on.
    fn kept(&self, earlier: Option<&Record>, after: &str) -> Result<Before> {
        let Some(original) = self.original(earlier)? else {
            return Ok(Before::Nothing);
        };
        let lists = self.pieces.iter().flat_map(|piece| piece.lists());
        let rest = Before::rest(&original, lists);
        let tried = Record::with(self.client, &self.path, rest.clone());
        let back = without_ours(&self.place(), after, Some(&tried));
        Ok(match back {
            Ok(Some(back)) if back == original => rest,
            _ => Before::Whole(original),
        })
    }

    /// Somebody removed the file: there is nothing left to put back.
    pub(crate) fn forget_if_gone(&self, home: &Path) -> Result<()> {
        match (&self.before, &self.after) {
            (None, None) => Record::forget(home, self.client, &self.path),
            _ => Ok(()),
        }
    }

    /// Writes the file, after putting what it was aside.
    fn carry_out(&self, home: &Path) -> Result<()> {
        // Clients write to these files too, also while a person thinks about the question.
        let found = read(&self.path)?;
        if found != self.before && found != self.after {
            let changed = format!("{} was changed meanwhile", self.path.display());
            return Err(Failure::unavailable(changed)
                .hint("it is as it was; try again")
                .into());
        }
        match self.step {
            Step::Connect => {
                let after = self.after.as_deref().unwrap_or_default();
                let earlier = self.record(home);
                let before = self.kept(earlier.as_ref(), after)?;
                let folders = earlier.map(|earlier| earlier.folders).unwrap_or_default();
                Record::keep(home, self.client, &self.path, before, after, folders)?;
                if let Some(folder) = self.path.parent() {
                    fs::create_dir_all(folder).with_context(|| {
                        format!("could not make the folder {}", folder.display())
                    })?;
                }
                file::write_atomically(&self.path, after.as_bytes())
            }
            Step::Disconnect => {
                match &self.after {
                    Some(after) => file::write_atomically(&self.path, after.as_bytes())?,
                    None if found.is_none() => {}
                    None => fs::remove_file(&self.path)
                        .with_context(|| format!("could not remove {}", self.path.display()))?,
                }
                Record::forget(home, self.client, &self.path)
            }
        }
    }
}
