//! Putting damaged databases right, and learning again what they lost.

use std::collections::BTreeSet;
use std::fs;
use std::mem::{Discriminant, discriminant};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use jiff::{SignedDuration, Timestamp};
use oldhand_domain::error::StoreError;
use oldhand_domain::id::MemoryId;
use oldhand_domain::lifecycle::GRACE_DAYS;
use oldhand_domain::session::{SessionRecord, SessionStore as _, Tombstone};
use oldhand_domain::text::Content;
use oldhand_embed::MODELS;
use oldhand_engine::{ReportLine, SessionReport};
use oldhand_store::journal::Journals;
use oldhand_store::{Mode, Repair, RepairReport, SqliteStore, meaning, refill, repair};

use crate::cli::forget::half_removed;
use crate::cli::import::rules::take_again;
use crate::cli::session::finalize::{Which, finalize_all, round_off};
use crate::config::Environment;
use crate::desk::{Desk, Purpose, backups_of_gone, vectors_beside};
use crate::out::Out;
use crate::out::time::{count, moment};
use crate::project::{self, Found, Registry, Restored};
use crate::sessions::Sessions;

/// A database or the list of projects that was put right, and how.
pub(crate) struct Mended {
    pub(crate) path: PathBuf,
    pub(crate) found: Vec<String>,
    /// Steps of one kind stand together.
    pub(crate) done: Vec<Vec<String>>,
    lost: Lost,
}

/// Memories that went with the damage. What else is not there was removed on purpose.
#[derive(Default)]
struct Lost {
    named: BTreeSet<MemoryId>,
    /// Whether more may be lost, of which nothing is known.
    more: bool,
}

impl Lost {
    fn of(done: &[Repair]) -> Self {
        let mut lost = Self::default();
        for step in done {
            match step {
                Repair::Quarantined { id: Some(id), .. } => {
                    lost.named.insert(*id);
                }
                Repair::Quarantined { id: None, .. }
                | Repair::Unreadable { .. }
                | Repair::KeptAside(_) => lost.more = true,
                _ => {}
            }
        }
        lost
    }

    fn is_any(&self) -> bool {
        self.more || !self.named.is_empty()
    }

    /// Whether a memory that is not there and that a session taught at this moment is one of them. Nothing is removed by age
    /// before its grace is over.
    fn has(&self, id: MemoryId, taught_at: Timestamp, now: Timestamp) -> bool {
        let grace = SignedDuration::from_hours(GRACE_DAYS * 24);
        self.named.contains(&id) || self.more && now.duration_since(taught_at) <= grace
    }
}

/// What brings most of it back.
const BACK: &str = "what sessions taught is learned again from their journals; `oldhand import rules` takes in what rules files say";

/// How many memories a repair could not save, where that is known. What nobody could read and no backup has is all of them.
fn say_lost(done: &[Repair]) -> Option<String> {
    let count_of = |is_it: fn(&Repair) -> bool| done.iter().filter(|step| is_it(step)).count();
    let gone =
        count_of(|step| matches!(step, Repair::Quarantined { .. } | Repair::Unreadable { .. }));
    let back = count_of(|step| matches!(step, Repair::FromBackup { .. }));
    let saved = count_of(|step| {
        matches!(
            step,
            Repair::CarriedOver(1..)
                | Repair::Lacking { .. }
                | Repair::PartsFromBackup { .. }
                | Repair::Restored { .. }
        )
    });
    let is_new = done.iter().any(|step| matches!(step, Repair::KeptAside(_)));
    if is_new && saved + back == 0 {
        let all =
            "lost: everything that was in it; nothing could be read, and there is no sound backup";
        return Some(all.to_owned());
    }
    let lost = gone.saturating_sub(back);
    (lost > 0).then(|| format!("lost: {}; no backup has them", count(lost, "memory")))
}

impl Mended {
    fn database(path: PathBuf, report: &RepairReport) -> Self {
        let mut done = in_kinds(&report.done);
        let lost = say_lost(&report.done);
        let may_lack = |step: &Repair| matches!(step, Repair::Incomplete { .. });
        if lost.is_some() || report.done.iter().any(may_lack) {
            done.push(lost.into_iter().chain([BACK.to_owned()]).collect());
        }
        Self {
            path,
            found: report.findings.iter().map(ToString::to_string).collect(),
            done,
            lost: Lost::of(&report.done),
        }
    }

    /// The folder of a project that was to go.
    fn removed(path: PathBuf) -> Self {
        Self {
            path,
            found: Vec::new(),
            done: vec![vec!["removed, as was begun before".to_owned()]],
            lost: Lost::default(),
        }
    }

    /// One that nothing is left of.
    fn anew(path: PathBuf) -> Self {
        let made = "a new one was made; no backup of the one that is gone is here";
        let lost = Lost {
            more: true,
            ..Lost::default()
        };
        Self {
            path,
            found: vec!["the file is gone".to_owned()],
            done: vec![vec![made.to_owned(), BACK.to_owned()]],
            lost,
        }
    }

    fn list(Restored { list, aside, again }: Restored) -> Self {
        let kept = aside.as_deref().map(kept_aside);
        let named = (!again.is_empty()).then(|| format!("in the list again: {}", again.join(", ")));
        Self {
            path: list,
            found: Vec::new(),
            done: kept
                .into_iter()
                .chain(named)
                .map(|step| vec![step])
                .collect(),
            lost: Lost::default(),
        }
    }
}

/// Puts the list of projects and the project's and the person's database right, where they need it.
pub(crate) fn mend(environment: &Environment) -> Result<Vec<Mended>> {
    let restored = Registry::restore(&environment.home)?;
    let found = project::find(
        &environment.home,
        &environment.folder,
        environment.user_home.as_deref(),
    )?;
    let project = match found {
        Found::Known(project) => Some(project.database()),
        Found::Unknown(_) => None,
    };
    let databases = project.into_iter().chain([environment.personal_database()]);
    let mut mended: Vec<Mended> = restored.map(Mended::list).into_iter().collect();
    for folder in half_removed(&environment.home) {
        fs::remove_dir_all(&folder)
            .with_context(|| format!("could not remove {}", folder.display()))?;
        mended.push(Mended::removed(folder));
    }
    for database in databases {
        if journals_of_gone(&database).is_some() {
            drop(SqliteStore::open(&database, Mode::Write)?);
            mended.push(Mended::anew(database));
            continue;
        }
        let repaired = if backups_of_gone(&database).is_some() {
            refill(&database)?
        } else if database.exists() && needs_repair(&database)? {
            Some(repair(&database, environment.now)?)
        } else {
            None
        };
        let vectors = vectors_beside(&database);
        let damaged = count_damaged(&database);
        // Those of another database follow nothing that is there.
        if repaired.is_some() || damaged > 0 {
            meaning::start_over(&vectors)
                .with_context(|| format!("cannot remove {}", vectors.display()))?;
            let mut report = repaired.unwrap_or_default();
            if damaged > 0 {
                report.done.push(Repair::VectorsRemoved(damaged));
            }
            mended.push(Mended::database(database, &report));
        }
    }
    Ok(mended)
}

/// Learns from sessions that are over and were not learned from: a damaged database may have lost what was known of them. Where the
/// database was `mended`, those are among them that taught what is lost.
pub(crate) fn learn(
    environment: &Environment,
    mended: &[Mended],
    out: &Out,
) -> Result<Option<Mended>> {
    let desk = Desk::open(environment, Purpose::Change, out)?;
    let Ok(sessions) = Sessions::of(&desk) else {
        return Ok(None);
    };
    let path = sessions.store.path();
    if let Some(one) = mended.iter().find(|one| one.path == path) {
        unlearn(&one.lost, &desk, &sessions)?;
        if one.lost.is_any() {
            let is_lost = |content: &Content, id: MemoryId| {
                let is_there = desk.engine().show(&id.to_string()).is_ok();
                let words = Tombstone::of_words(content.as_str());
                !is_there && !sessions.store.is_buried(&words).unwrap_or(true)
            };
            take_again(&desk, out, is_lost)?;
        }
    }
    let (tally, failure) = finalize_all(&desk, &sessions, Which::Ended, out)?;
    if let Some(failure) = failure {
        out.note(&format!("{failure:#}"));
    }
    if !tally.is_busy() {
        return Ok(None);
    }
    round_off(&desk, &tally, &environment.home, out)?;
    let (number, came) = tally.say();
    let was = if number.starts_with("1 ") {
        "was"
    } else {
        "were"
    };
    let learned = format!("{number} over and not learned from {was} learned from: {came}");
    Ok(Some(Mended {
        path: sessions.store.path().to_owned(),
        found: Vec::new(),
        done: vec![vec![learned]],
        lost: Lost::default(),
    }))
}

/// A session that taught what is lost counts as not learned from, where its journal can teach it again.
fn unlearn(lost: &Lost, desk: &Desk, sessions: &Sessions<'_>) -> Result<()> {
    let engine = desk.engine();
    for known in sessions.all()? {
        let record = known.record.filter(|_| known.journal.is_some());
        let report = record.as_ref().and_then(SessionReport::read);
        let (Some(record), Some(report)) = (record, report) else {
            continue;
        };
        let is_lost = |line: &ReportLine| {
            let id = line.memory();
            let id = id.filter(|id| lost.has(*id, record.finalized_at, desk.now));
            id.is_some_and(|id| engine.show(&id.to_string()).is_err())
        };
        if let Some(report) = report.to_teach_again(is_lost) {
            let report = serde_json::to_string(&report).context("could not write a report")?;
            sessions
                .store
                .save_session(&SessionRecord { report, ..record })?;
        }
    }
    Ok(())
}

/// How many journals of sessions lie beside a database that is gone and has no backup: one that was never made has none.
pub(super) fn journals_of_gone(database: &Path) -> Option<usize> {
    if database.exists() || backups_of_gone(database).is_some() {
        return None;
    }
    let folder = database.with_file_name("journal");
    let both = [folder.join("imported"), folder].map(Journals::new);
    let found = both.iter().filter_map(|journals| journals.list().ok());
    let number = found.map(|journals| journals.len()).sum();
    (number > 0).then_some(number)
}

/// How many vectors beside a database are not what was written, of all models.
pub(super) fn count_damaged(database: &Path) -> usize {
    let folder = vectors_beside(database);
    let models = MODELS.into_iter();
    models
        .map(|model| meaning::count_damaged(&folder, model))
        .sum()
}

fn needs_repair(database: &Path) -> Result<bool, StoreError> {
    match SqliteStore::open(database, Mode::Write) {
        Ok(store) => Ok(!store.check()?.is_empty()),
        Err(StoreError::DamagedDatabase { .. }) => Ok(true),
        Err(error) => Err(error),
    }
}

fn kept_aside(path: &Path) -> String {
    format!("the damaged file is kept as {}", path.display())
}

/// The steps in words, each beside those of its kind.
fn in_kinds(steps: &[Repair]) -> Vec<Vec<String>> {
    let mut kinds: Vec<(Discriminant<Repair>, Vec<String>)> = Vec::new();
    for step in steps {
        let kind = discriminant(step);
        match kinds.iter_mut().find(|(known, _)| *known == kind) {
            Some((_, words)) => words.push(describe(step)),
            None => kinds.push((kind, vec![describe(step)])),
        }
    }
    kinds.into_iter().map(|(_, words)| words).collect()
}

/// One step, in words.
fn describe(step: &Repair) -> String {
    match step {
        Repair::KeptAside(path) => kept_aside(path),
        Repair::CarriedOver(count) => format!("sound memories carried over: {count}"),
        Repair::UseLost(number) => format!(
            "how often {} used could not be read, so that {} never used",
            match number {
                1 => "1 memory was".to_owned(),
                number => format!("{number} memories were"),
            },
            match number {
                1 => "it counts as",
                _ => "they count as",
            }
        ),
        Repair::Lacking { id, parts } => format!(
            "memory {id} was carried over, but not all of its {} could be read; it waits for `oldhand review`",
            parts.join(" or ")
        ),
        Repair::PartsFromBackup { id, backup } => format!(
            "what could not be read of memory {id} came back from {}",
            backup.display()
        ),
        Repair::Quarantined { id: Some(id), .. } => {
            format!("memory {id} is damaged and was set aside")
        }
        Repair::Quarantined { key, id: None } => {
            format!("a memory whose id cannot be read (row {key}) was set aside")
        }
        Repair::Unreadable { key } => {
            format!("a memory (row {key}) cannot be read; its bytes are in the file kept aside")
        }
        Repair::FromBackup { id, backup } => {
            format!("memory {id} came back from {}", backup.display())
        }
        Repair::SessionRemoved(id) => format!("the damaged record of session {id} was removed"),
        Repair::DocumentQuarantined(name) => format!("document `{name}` was set aside"),
        Repair::DocumentFromBackup { name, backup } => {
            format!("document `{name}` came back from {}", backup.display())
        }
        Repair::SessionsFromBackup {
            count: number,
            backup,
        } => format!(
            "what is known of {} came back from {}",
            count(*number, "session"),
            backup.display()
        ),
        Repair::IndexRebuilt(count) => {
            format!("the full-text index was built anew, memories in it: {count}")
        }
        Repair::Restored { backup, made_at } => format!(
            "everything came back from {}, made {}; what was kept after that is lost, but for what sessions teach again",
            backup.display(),
            moment(*made_at)
        ),
        Repair::Incomplete {
            since: Some((backup, made_at)),
        } => format!(
            "what was kept after {}, when {} was made, and could not be read is lost, but for what sessions teach again",
            moment(*made_at),
            backup.display()
        ),
        Repair::Incomplete { since: None } => {
            "what could not be read is lost: there is no sound backup".to_owned()
        }
        Repair::VectorsRemoved(number) => format!(
            "the vectors were removed, {number} of them damaged; the next search makes them anew"
        ),
        other => format!("{other:?}"),
    }
}
