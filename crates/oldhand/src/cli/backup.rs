//! `oldhand backup`: copies of a database, and going back to one.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context as _, Result};
use clap::Subcommand;
use jiff::Timestamp;
use oldhand_domain::error::StoreError;
use oldhand_domain::filter::{Filter, State};
use oldhand_domain::id::MemoryId;
use oldhand_domain::port::MemoryReader as _;
use oldhand_store::{Backup, BackupReason, Mode, Pace, SqliteStore, list_backups};

use super::{Door, NOTHING_FOUND};
use crate::desk::{backups_of_gone, refuse_gone, vectors_beside};
use crate::failure::Failure;
use crate::interrupt;
use crate::out::size::bytes;
use crate::out::style::{FAINT, GOOD, STRONG};
use crate::out::time::{ago, moment};
use crate::out::{Out, Waiting};
use crate::project::{self, Found};
use crate::view::backup::{BackupView, BackupsView, RestoredView};

/// Make a backup of the database, list backups, or go back to one
///
/// A backup is made by itself with the first change after 24 hours, and `oldhand backup` alone makes one now; the last
/// three of these are kept. One more is made, and kept, before the database is brought to a newer version, and one each
/// time before a backup is restored, of which the last five are kept.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  oldhand backup
  oldhand backup list
  oldhand backup restore latest")]
pub(crate) struct Args {
    #[command(subcommand)]
    command: Option<Command>,
    /// The memories that follow you from project to project
    #[arg(long, global = true)]
    personal: bool,
}

#[derive(Subcommand)]
enum Command {
    /// Make one now
    Now,
    /// Show the backups there are
    List,
    /// Put a backup in the database's place, and say what came since; what is there now is kept as a backup too
    Restore {
        /// A name that `oldhand backup list` shows, or `latest`
        name: String,
        /// Do not ask
        #[arg(long, short = 'y')]
        yes: bool,
    },
}

pub(crate) fn run(args: &Args, door: &mut Door) -> Result<ExitCode> {
    let (database, project) = find_database(args, door)?;
    match &args.command {
        None | Some(Command::Now) => {
            refuse_gone(&database, project.as_deref())?;
            make(&database, door)
        }
        Some(Command::List) => list(&database, door),
        Some(Command::Restore { name, yes }) => restore(&database, name, *yes, door),
    }
}

/// The database, and the name of its project unless it is the personal one.
fn find_database(args: &Args, door: &Door) -> Result<(PathBuf, Option<String>)> {
    let environment = &door.environment;
    let database = if args.personal {
        Some((environment.personal_database(), None))
    } else {
        let user_home = environment.user_home.as_deref();
        match project::find(&environment.home, &environment.folder, user_home)? {
            Found::Known(project) => Some((project.database(), Some(project.name))),
            Found::Unknown(_) => None,
        }
    };
    let there = database.filter(|(path, _)| path.exists() || has_backups(path));
    Ok(there.ok_or_else(|| {
        Failure::not_found("nothing is remembered here, so there is nothing to back up")
            .hint("`oldhand remember TEXT` starts")
    })?)
}

fn has_backups(database: &Path) -> bool {
    list_backups(database).is_ok_and(|backups| !backups.is_empty())
}

fn make(database: &Path, door: &mut Door) -> Result<ExitCode> {
    interrupt::watch("no backup was made");
    let store = SqliteStore::open(database, Mode::Write)?;
    let waiting = Waiting::new("backing up");
    let made = store.backup(door.environment.now, Pace::AtOnce)?;
    drop(waiting);
    let backup = made.context("a backup that is asked for is made")?;
    if door.out.is_json() {
        door.out.json(&BackupView::new(&backup))?;
    } else {
        writeln!(
            door.out,
            "{GOOD}backed up{GOOD:#} to {}",
            backup.path.display()
        )?;
    }
    Ok(ExitCode::SUCCESS)
}

fn list(database: &Path, door: &mut Door) -> Result<ExitCode> {
    let backups = list_backups(database)?;
    let now = door.environment.now;
    if door.out.is_json() {
        let views = backups.iter().map(BackupView::new);
        door.out.json(&BackupsView {
            backups: views.collect(),
        })?;
    } else {
        for backup in &backups {
            show(&mut door.out, backup, now)?;
        }
        if backups.is_empty() {
            door.out.note("there is no backup yet");
        }
    }
    Ok(ExitCode::from(if backups.is_empty() {
        NOTHING_FOUND
    } else {
        0
    }))
}

fn show(out: &mut Out, backup: &Backup, now: Timestamp) -> Result<()> {
    let name = name_of(backup);
    let when = describe(backup.reason, now);
    let size = bytes(backup.bytes);
    writeln!(
        out,
        "{STRONG}{name}{STRONG:#}  {when} {FAINT}({size}){FAINT:#}"
    )?;
    Ok(())
}

fn describe(reason: BackupReason, now: Timestamp) -> String {
    match reason {
        BackupReason::Rolling(at) => format!("{}, {}", ago(at, now), moment(at)),
        BackupReason::Restore(at) => {
            format!(
                "{}, {}, before a backup was restored",
                ago(at, now),
                moment(at)
            )
        }
        BackupReason::Schema(version) => format!("before version {version} of its tables changed"),
    }
}

/// What a person calls a backup: its file.
pub(crate) fn name_of(backup: &Backup) -> String {
    let name = backup.path.file_name().unwrap_or_default();
    name.to_string_lossy().into_owned()
}

fn restore(database: &Path, name: &str, yes: bool, door: &mut Door) -> Result<ExitCode> {
    let backups = list_backups(database)?;
    let now = door.environment.now;
    let backup = choose(&backups, name, now)?;
    if !yes {
        let when = describe(backup.reason, now);
        let question = format!("Go back to the backup of {when}?");
        match door.out.ask(&question)? {
            Some(true) => {}
            Some(false) => {
                door.out.note("nothing was changed");
                return Ok(ExitCode::SUCCESS);
            }
            None => {
                return Err(Failure::invalid("going back to a backup needs a yes")
                    .hint(format!("`oldhand backup restore {name} --yes`"))
                    .into());
            }
        }
    }
    interrupt::watch("the database is as it was, or as the backup is");
    let waiting = Waiting::new("restoring");
    let gone = backups_of_gone(database).is_some();
    let mut lost = None;
    let aside = match SqliteStore::open(database, Mode::Write) {
        Ok(store) => {
            // A database that cannot be listed is the one that needs going back.
            let before = Known::of(&store).ok();
            let aside = store.restore(backup, now)?;
            let after = Known::of(&store).ok();
            lost = before
                .zip(after)
                .map(|(before, after)| before.without(&after));
            (!gone).then(|| name_of(&aside))
        }
        Err(StoreError::DamagedDatabase { .. }) => {
            let aside = oldhand_store::replace(database, backup)?;
            Some(aside.display().to_string())
        }
        Err(error) => return Err(error.into()),
    };
    drop(waiting);
    // They follow the database that was there before.
    if let Err(error) = oldhand_store::meaning::start_over(&vectors_beside(database)) {
        door.out
            .note(&format!("what memories mean is out of date: {error}"));
    }
    if door.out.is_json() {
        door.out
            .json(&RestoredView::new(backup, aside.as_deref(), lost))?;
    } else {
        let from = name_of(backup);
        let when = describe(backup.reason, now);
        writeln!(
            door.out,
            "{GOOD}restored{GOOD:#} {from}{FAINT}, {when}{FAINT:#}"
        )?;
        if let Some(lost) = lost.filter(Lost::is_any) {
            door.out.note(&format!("since then {lost}"));
        }
        if let Some(aside) = aside {
            door.out
                .note(&format!("what was there before is kept as {aside}"));
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// The memories of a database, each with when it was last changed.
struct Known(BTreeMap<MemoryId, Timestamp>);

impl Known {
    fn of(store: &SqliteStore) -> Result<Self> {
        let everything = Filter {
            state: State::Any,
            ..Filter::default()
        };
        let memories = store.list(&everything)?.memories.into_iter();
        Ok(Self(
            memories
                .map(|memory| (memory.id, memory.updated_at))
                .collect(),
        ))
    }

    fn without(&self, then: &Self) -> Lost {
        let known = self.0.iter();
        let known = known.map(|(id, at)| then.0.get(id).map(|before| before != at));
        let (changed, new): (Vec<_>, Vec<_>) = known.partition(Option::is_some);
        Lost {
            memories: new.len(),
            changes: changed.into_iter().flatten().filter(|it| *it).count(),
        }
    }
}

/// What a backup does not have of what was there.
#[derive(Clone, Copy)]
pub(crate) struct Lost {
    pub(crate) memories: usize,
    pub(crate) changes: usize,
}

impl Lost {
    fn is_any(&self) -> bool {
        self.memories + self.changes > 0
    }
}

impl std::fmt::Display for Lost {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let new = match self.memories {
            0 => None,
            1 => Some("1 memory came that is not in it".to_owned()),
            many => Some(format!("{many} memories came that are not in it")),
        };
        let changed = match self.changes {
            0 => None,
            1 => Some("1 was changed and is as it was".to_owned()),
            many => Some(format!("{many} were changed and are as they were")),
        };
        let told: Vec<String> = new.into_iter().chain(changed).collect();
        f.write_str(&told.join(", "))
    }
}

fn choose<'a>(backups: &'a [Backup], name: &str, now: Timestamp) -> Result<&'a Backup> {
    let rolling = |backup: &&Backup| matches!(backup.reason, BackupReason::Rolling(_));
    // What is dated later than now was made before the clock went back.
    let past = |backup: &&Backup| matches!(backup.reason, BackupReason::Rolling(at) if at <= now);
    let found = if name == "latest" {
        let mut newest_first = backups.iter();
        let latest = newest_first.find(past);
        latest.or_else(|| backups.iter().find(rolling))
    } else {
        backups.iter().find(|backup| name_of(backup) == name)
    };
    Ok(found.ok_or_else(|| {
        Failure::not_found(format!("there is no backup `{name}`"))
            .hint("`oldhand backup list` shows the backups there are")
    })?)
}
