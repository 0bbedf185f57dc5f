//! The sessions of a project: their journals, and the way from a journal to memories.

pub(crate) mod around;
mod events;
mod opening;
pub(crate) mod receipts;
mod seam;
pub(crate) mod trace;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime};

use anyhow::Result;
use jiff::Timestamp;
use oldhand_domain::id::SessionId;
use oldhand_domain::memory::CommitSha;
use oldhand_domain::path::ProjectPath;
use oldhand_domain::session::{SessionRecord, SessionStore, Tombstone};
use oldhand_engine::{Extent, Finalized, Finalizer, OwnTranscript, is_current};
use oldhand_observe::fold::FoldOptions;
use oldhand_store::SqliteStore;
use oldhand_store::journal::{JournalFile, Journals};

use crate::desk::Desk;
use crate::failure::Failure;
use crate::file;

use opening::Opening;

/// A session that was silent for so long was left without an end: its client was killed, or never says when it ends.
pub(crate) const LEFT_BEHIND: Duration = Duration::from_hours(1);

/// The journals of one project. What agents' hooks tell and what is read from transcripts are kept apart; where there are both
/// of a session, they are read as one.
pub(crate) struct Sessions<'a> {
    pub(crate) store: &'a SqliteStore,
    pub(crate) live: Journals,
    pub(crate) imported: Journals,
    options: FoldOptions,
    locks: PathBuf,
}

/// Finds commits of the repository at `root` by the beginning of their names.
pub(crate) fn find_commit(root: &Path) -> impl Fn(&str) -> Option<CommitSha> {
    let root = root.to_owned();
    move |short| {
        CommitSha::new(&oldhand_code::history::identity::whole_commit(
            &root, short,
        )?)
    }
}

/// Finds how large a file below `root` is today.
pub(crate) fn find_size(root: &Path) -> impl Fn(&ProjectPath) -> Option<u64> {
    let root = root.to_owned();
    move |file| Some(fs::metadata(root.join(file.as_str())).ok()?.len())
}

/// A session, whatever is known of it.
pub(crate) struct Known {
    pub(crate) id: SessionId,
    pub(crate) record: Option<SessionRecord>,
    pub(crate) journal: Option<JournalFile>,
    /// What its transcript tells, beside what its hooks told.
    pub(crate) transcript: Option<JournalFile>,
    /// How it began, where somebody looked and there is no record of it.
    pub(crate) opening: Opening,
}

impl Known {
    /// When it began, as far as is known.
    pub(crate) fn began_at(&self) -> Option<Timestamp> {
        let record = self.record.as_ref();
        record.map(|record| record.started_at).or(self.opening.at)
    }
}

/// The journals of one session.
#[derive(Default)]
struct Files {
    live: Option<JournalFile>,
    imported: Option<JournalFile>,
}

impl Files {
    fn known(self, id: SessionId, record: Option<SessionRecord>) -> Known {
        let (journal, transcript) = match self.live {
            Some(live) => (Some(live), self.imported),
            None => (self.imported, None),
        };
        Known {
            id,
            record,
            journal,
            transcript,
            opening: Opening::default(),
        }
    }
}

impl<'a> Sessions<'a> {
    pub(crate) fn of(desk: &'a Desk) -> Result<Self> {
        let (Some(project), Some(store)) = (&desk.project, desk.project_store()) else {
            return Err(Failure::not_found("no session is known here")
                .hint("`oldhand import transcripts` brings in what agents did so far")
                .into());
        };
        Ok(Self {
            options: desk.settings.fold_options(),
            ..Self::at(&project.directory, store)
        })
    }

    pub(crate) fn at(directory: &Path, store: &'a SqliteStore) -> Self {
        Self {
            store,
            live: Journals::new(directory.join("journal")),
            imported: Journals::new(directory.join("journal").join("imported")),
            options: FoldOptions::default(),
            locks: directory.join("locks"),
        }
    }

    /// Whether a person wanted no more of a session, and did not bring it back.
    pub(crate) fn is_discarded(&self, session: &SessionId) -> Result<bool> {
        let is_here = self.live.contains(session) || self.imported.contains(session);
        Ok(!is_here && self.store.is_buried(&Tombstone::of_session(session))?)
    }

    /// Where what is said of a session is written: to its live journal, where it has one.
    pub(crate) fn journals_of(&self, session: &SessionId) -> &Journals {
        if self.live.contains(session) {
            &self.live
        } else {
            &self.imported
        }
    }

    /// Every session there is a record or a journal of, oldest first; those never finalized last, in the order they were last
    /// heard of.
    pub(crate) fn all(&self) -> Result<Vec<Known>> {
        let mut journals: BTreeMap<SessionId, Files> = BTreeMap::new();
        for file in self.imported.list()? {
            let files = journals.entry(file.session.clone()).or_default();
            files.imported = Some(file);
        }
        for file in self.live.list()? {
            let files = journals.entry(file.session.clone()).or_default();
            files.live = Some(file);
        }
        let mut known: Vec<Known> = Vec::new();
        for record in self.store.sessions()? {
            let files = journals.remove(&record.id).unwrap_or_default();
            known.push(files.known(record.id.clone(), Some(record)));
        }
        let open = journals.into_iter();
        let mut open: Vec<Known> = open.map(|(id, files)| files.known(id, None)).collect();
        open.sort_by_key(|known| known.journal.as_ref().map(|journal| journal.modified));
        known.extend(open);
        Ok(known)
    }

    /// The one session whose id is, or begins with, `given`.
    pub(crate) fn resolve(&self, given: &str) -> Result<Known> {
        if given.is_empty() {
            return Err(Failure::invalid("the id of a session is empty")
                .hint("`oldhand session list` shows them")
                .into());
        }
        let mut found: Vec<Known> = self
            .all()?
            .into_iter()
            .filter(|known| known.id.as_str().starts_with(given))
            .collect();
        if let Some(exact) = found.iter().position(|known| known.id.as_str() == given) {
            return Ok(found.swap_remove(exact));
        }
        match found.len() {
            1 => Ok(found.remove(0)),
            0 => Err(
                Failure::not_found(format!("no session has the id `{given}`"))
                    .hint("`oldhand session list` shows them")
                    .into(),
            ),
            many => Err(Failure::invalid(format!(
                "`{given}` is the beginning of {many} session ids"
            ))
            .hint("give more of it; `oldhand session list` shows them")
            .into()),
        }
    }

    /// Sessions whose journal has not been finalized as it is now, and those in `changed`, the oldest first. Journals that did
    /// not change since are not read.
    /// One that cannot be read is among them, so that whoever learns from them says so.
    pub(crate) fn pending(&self, changed: &BTreeSet<SessionId>) -> Result<Vec<SessionId>> {
        let mut pending = Vec::new();
        for known in self.all()? {
            if known.journal.is_none() {
                continue;
            }
            let started = match &known.record {
                Some(record)
                    if !changed.contains(&known.id)
                        && self.is_finalized(record, &known).unwrap_or(false) =>
                {
                    continue;
                }
                Some(record) => record.started_at,
                None => self
                    .journals_of(&known.id)
                    .began_at(&known.id)
                    .ok()
                    .flatten()
                    .unwrap_or(Timestamp::MAX),
            };
            pending.push((started, known.id));
        }
        pending.sort();
        Ok(pending.into_iter().map(|(_, id)| id).collect())
    }

    /// Whether nothing more is to be expected of a session: it told its end, or was silent for an hour, or comes from a
    /// transcript.
    pub(crate) fn is_over(&self, session: &SessionId, now: Timestamp) -> Result<bool> {
        let live = self.live.list()?;
        let Some(journal) = live.iter().find(|journal| journal.session == *session) else {
            return Ok(true);
        };
        let silent = SystemTime::from(now).duration_since(journal.modified);
        Ok(silent.is_ok_and(|silent| silent >= LEFT_BEHIND) || self.live.is_ended(session)?)
    }

    fn is_finalized(&self, record: &SessionRecord, known: &Known) -> Result<bool> {
        if !is_current(record, &record.digest) {
            return Ok(false);
        }
        let mut digests = record.digest.split('+');
        let mut may_differ = |file: &Option<JournalFile>| match (file, digests.next()) {
            (Some(file), Some(digest)) => file.may_differ(digest, record.finalized_at),
            (file, digest) => file.is_some() != digest.is_some(),
        };
        if !may_differ(&known.journal) && !may_differ(&known.transcript) {
            return Ok(true);
        }
        Ok(self.digest(&record.id)?.as_deref() == Some(record.digest.as_str()))
    }

    /// Held while sessions are finalized, so that two at once neither repeat nor miss anything. Whoever comes second waits: a
    /// long history takes its time, and what the first one saw is not all that there is by then.
    pub(crate) fn lock(&self) -> Result<fs::File> {
        file::create_private_dir(&self.locks)?;
        file::lock_within(&self.locks.join("finalize"), Duration::from_hours(1))
    }

    /// Reads the journals event by event, and learns from them. `transcript` says whether the client's own was read for that.
    pub(crate) fn finalize(
        &self,
        finalizer: &mut Finalizer<'_>,
        session: &SessionId,
        transcript: Option<OwnTranscript>,
        extent: Extent,
        now: Timestamp,
    ) -> Result<Finalized> {
        let began = Instant::now();
        let (mut pad, read) = self.scratchpad(finalizer, session)?;
        pad.note_folding(began.elapsed());
        pad.note_transcript(transcript);
        let digest = read.digest.unwrap_or_default();
        Ok(finalizer.finalize(session, &pad, &digest, extent, now)?)
    }
}
