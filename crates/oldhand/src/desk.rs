//! A project opened for work: its settings, its stores, the embedder, and the engine over them.

mod ahead;
mod alike;
mod meanings;

use std::cell::Cell;
use std::path::{Path, PathBuf};

use anyhow::Result;
use jiff::Timestamp;
use oldhand_domain::error::StoreError;
use oldhand_domain::path::ProjectPath;
use oldhand_domain::port::{Embedder, MemoryStore};
use oldhand_domain::session::SessionStore;
use oldhand_engine::{Engine, Shelf, handout};
use oldhand_store::handout::is_there as is_handed_out;
use oldhand_store::meaning::{self, Meaning};
use oldhand_store::{Finding, Mode, Pace, RamStore, SqliteStore, list_backups};
use tempfile::TempDir;

use self::ahead::Ahead;
pub(crate) use self::ahead::Early;
pub(crate) use self::alike::{describe_look_alike, make_one, tell_look_alikes};
pub(crate) use self::meanings::Meanings;
use crate::config::{Environment, Personal, Settings};
use crate::failure::Failure;
use crate::health;
use crate::ids::Ids;
use crate::job;
use crate::out::Out;
use crate::out::time::count;
use crate::paths;
use crate::project::{self, Found, Location, Place, Project, Registry};
use crate::trust;

/// What is going to be done, which decides what may be made on the way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// No database is made or changed; derived files, such as vectors, may be brought up to date.
    Look,
    /// As `Look`, without locks: see [`Desk::glance`].
    Glance,
    /// As `Glance`, by a process that ends with its answer: see [`Mode::Once`].
    Once,
    /// What is there changes; an unknown project stays unknown.
    Change,
    /// Something is put on this shelf, which is made when there is none.
    Teach(Shelf),
}

/// What will be asked, where that is known before anything is opened.
#[derive(Clone, Copy)]
pub(crate) struct Question<'a> {
    pub(crate) text: &'a str,
    /// Where somebody is at it already.
    pub(crate) begun: Option<&'a Cell<Option<Early>>>,
    /// What else can begin while the databases are opened.
    pub(crate) meanwhile: &'a dyn Fn(&Project, &Settings),
}

impl<'a> Question<'a> {
    /// Nothing else has to be done for it.
    pub(crate) fn of(text: &'a str) -> Self {
        Self {
            text,
            begun: None,
            meanwhile: &|_, _| {},
        }
    }
}

/// Where what is derived of the code is, other than in the folder of a project.
pub(crate) enum Aside {
    /// Of a folder that is no project.
    Kept(PathBuf),
    /// Where nothing can be written; goes with the desk.
    Gone(TempDir),
}

pub(crate) struct Desk {
    /// `None` where nothing was ever kept.
    pub(crate) project: Option<Project>,
    pub(crate) location: Location,
    pub(crate) home: PathBuf,
    /// The person's own.
    pub(crate) user_home: Option<PathBuf>,
    folder: PathBuf,
    pub(crate) settings: Settings,
    pub(crate) now: Timestamp,
    store: Option<SqliteStore>,
    personal: Option<SqliteStore>,
    /// Stands in for a project that has no database.
    nothing: RamStore,
    /// Where what is derived is, where the project has no folder for it.
    aside: Option<Aside>,
    ids: Ids,
    /// Where it is known what will be asked.
    ahead: Option<Ahead>,
}

impl Desk {
    pub(crate) fn open(environment: &Environment, purpose: Purpose, out: &Out) -> Result<Self> {
        Self::open_for(None, environment, purpose, out)
    }

    /// As [`Desk::open`], where it is known what will be asked.
    pub(crate) fn open_for(
        question: Option<Question<'_>>,
        environment: &Environment,
        purpose: Purpose,
        out: &Out,
    ) -> Result<Self> {
        let ids = Ids::new(environment.seed, environment.now);
        let found = project::find(
            &environment.home,
            &environment.folder,
            environment.user_home.as_deref(),
        )?;
        let (project, location) = match found {
            Found::Known(project) => {
                if !matches!(purpose, Purpose::Look | Purpose::Glance | Purpose::Once) {
                    // What is not written down now is the next time; what was asked for does not need it.
                    let _ = project::learn(&environment.home, &project);
                }
                (Some(project.clone()), project.location)
            }
            Found::Unknown(location) if purpose == Purpose::Teach(Shelf::Project) => {
                refuse_no_project(&location, environment)?;
                let newcomer = project::look_over(&environment.home, location.clone())?;
                tell_look_alikes(&newcomer, out);
                let registered =
                    newcomer.register(&environment.home, environment.now, || ids.tag())?;
                (Some(registered), location)
            }
            Found::Unknown(location) => (None, location),
        };
        health::tell_lost(project.as_ref(), out);
        let desk = Self::at(question, environment, project, location, purpose, ids)?;
        desk.tell_damage(out);
        Ok(desk)
    }

    /// Says what the last writer, which was killed, left damaged. An index was put right when that was found.
    fn tell_damage(&self, out: &Out) {
        let found = self.stores().flat_map(SqliteStore::found_at_open);
        let found = found.filter(|finding| !matches!(finding, Finding::Index(_)));
        let found: Vec<String> = found.map(ToString::to_string).collect();
        if !found.is_empty() {
            out.note(&found.join("; "));
            out.hint("`oldhand doctor --repair` brings back what a backup has");
        }
    }

    /// Takes one short look, without locks: taking them costs more than reading a memory. Where somebody wrote meanwhile it is taken again with
    /// locks.
    pub(crate) fn glance<T>(
        out: &Out,
        open: impl Fn(Purpose) -> Result<Self>,
        look: impl Fn(&Self) -> Result<T>,
    ) -> Result<(Self, T)> {
        let short = if out.is_kept() {
            Purpose::Glance
        } else {
            Purpose::Once
        };
        if let Ok(desk) = open(short) {
            let seen = look(&desk);
            if desk.stores().all(SqliteStore::is_as_it_was) {
                return Ok((desk, seen?));
            }
        }
        let desk = open(Purpose::Look)?;
        let seen = look(&desk)?;
        Ok((desk, seen))
    }

    /// Opens a project that is already found.
    pub(crate) fn at(
        question: Option<Question<'_>>,
        environment: &Environment,
        project: Option<Project>,
        location: Location,
        purpose: Purpose,
        ids: Ids,
    ) -> Result<Self> {
        let directory = project.as_ref().map(|project| project.directory.as_path());
        let settings = Settings::read(environment, directory)?;
        let ahead = question.zip(project.as_ref());
        let ahead = ahead.map(|(question, project)| {
            let begun = question.begun.and_then(Cell::take);
            let begun = begun.unwrap_or_else(|| Early::start(question.text));
            let ahead = begun.ask(&project.database(), settings.embedder());
            (question.meanwhile)(project, &settings);
            ahead
        });
        let store = match &project {
            Some(project) => {
                refuse_gone(&project.database(), Some(&project.name))?;
                open_store(&project.database(), purpose, Shelf::Project)?
            }
            None => None,
        };
        let personal = if settings.personal == Personal::Included
            || purpose == Purpose::Teach(Shelf::Personal)
        {
            refuse_gone(&environment.personal_database(), None)?;
            open_store(&environment.personal_database(), purpose, Shelf::Personal)?
        } else {
            None
        };
        Ok(Self {
            project,
            location,
            home: environment.home.clone(),
            user_home: environment.user_home.clone(),
            folder: environment.folder.clone(),
            settings,
            now: environment.now,
            store,
            personal,
            nothing: RamStore::new(),
            aside: None,
            ids,
            ahead,
        })
    }

    /// The desk with another folder for what is derived.
    pub(crate) fn with_aside(self, aside: Aside) -> Self {
        Self {
            aside: Some(aside),
            ..self
        }
    }

    /// Where what is derived of the code is kept instead of in the project's own folder.
    pub(crate) fn aside(&self) -> Option<&Path> {
        match self.aside.as_ref()? {
            Aside::Kept(folder) => Some(folder),
            Aside::Gone(folder) => Some(folder.path()),
        }
    }

    /// Whether that goes with this desk.
    pub(crate) fn is_aside_for_now(&self) -> bool {
        matches!(self.aside, Some(Aside::Gone(_)))
    }

    pub(crate) fn engine(&self) -> Engine<'_> {
        self.engine_by(self.settings.embedder())
    }

    fn engine_by(&self, embedder: &'static dyn Embedder) -> Engine<'_> {
        let store: &dyn MemoryStore = match &self.store {
            Some(store) => store,
            None => &self.nothing,
        };
        let personal = self.personal.as_ref();
        let personal = personal.map(|store| store as &dyn MemoryStore);
        Engine::new(store, personal, embedder, &self.ids)
    }

    /// Lets `change` alter the project's memories, also where the desk was opened for looking; where there is no database
    /// there is nothing to alter.
    pub(crate) fn change_engine<T: Default>(
        &self,
        change: impl FnOnce(&Engine<'_>) -> Result<T>,
    ) -> Result<T> {
        let Some(project) = self.project.as_ref().filter(|_| self.store.is_some()) else {
            return Ok(T::default());
        };
        let store = open_store(&project.database(), Purpose::Change, Shelf::Project)?;
        match &store {
            Some(store) => change(&Engine::new(
                store,
                None,
                self.settings.embedder(),
                &self.ids,
            )),
            None => Ok(T::default()),
        }
    }

    /// The database of a shelf, where there is one.
    pub(crate) fn store(&self, shelf: Shelf) -> Option<&SqliteStore> {
        match shelf {
            Shelf::Project => self.store.as_ref(),
            Shelf::Personal => self.personal.as_ref(),
        }
    }

    /// Where nothing was ever kept: says if this looks like a known project that was moved or cloned again.
    pub(crate) fn tell_look_alikes(&self, environment: &Environment, out: &Out) -> Result<()> {
        let home = &environment.home;
        if self.project.is_some() || Registry::read(home)?.projects().is_empty() {
            return Ok(());
        }
        tell_look_alikes(&project::look_over(home, self.location.clone())?, out);
        Ok(())
    }

    /// The project's database, where there is one.
    pub(crate) fn project_store(&self) -> Option<&SqliteStore> {
        self.store.as_ref()
    }

    /// The project's finished sessions, where there is a database.
    pub(crate) fn sessions(&self) -> Option<&dyn SessionStore> {
        self.store.as_ref().map(|store| store as &dyn SessionStore)
    }

    /// The databases there are.
    pub(crate) fn stores(&self) -> impl Iterator<Item = &SqliteStore> {
        self.store.iter().chain(&self.personal)
    }

    /// Leaves open what was opened only to be read, for a process that is about to end.
    pub(crate) fn leave_open(self) {
        let stores = [self.store, self.personal].into_iter().flatten();
        stores.for_each(SqliteStore::leave_open);
    }

    /// Makes the backups of the day and brings the vectors up to date, after a change: hooks take them as they lie. What was
    /// asked for is done; a backup that cannot be made is told, and does not turn that into a failure.
    pub(crate) fn back_up(&self, out: &Out) {
        let chosen = self.settings.embedder();
        let missing = self.behind(chosen);
        if missing > meaning::FEW && self.project.is_some() {
            self.read_in_background(missing, out);
        } else {
            for store in self.stores() {
                // Vectors that lag follow with the next search, which says so.
                let _ = Meaning::keep_up(store, &vectors_beside(store.path()), chosen);
            }
        }
        for store in self.stores() {
            self.make_ready(store);
            match store.backup(self.now, Pace::Daily) {
                // Another process is making it.
                Ok(_) | Err(StoreError::Busy { .. }) => {}
                Err(error) => out.note(&format!("the backup of today was not made: {error}")),
            }
        }
    }

    /// Makes a database that was changed ready for questions and hooks, or has it made ready where that takes longer than anybody should wait.
    fn make_ready(&self, store: &SqliteStore) {
        let is_large = || store.holds_more_than(READY_AT_ONCE).unwrap_or_default();
        let project = self.project.as_ref();
        let project = project.filter(|project| project.database() == store.path());
        let is_handed_over = project.is_some_and(|project| {
            !job::is_this() && is_large() && job::catch_up(&self.home, project).is_ok()
        });
        if !is_handed_over {
            hand_out(store);
            // An index in many pieces answers the same, only later.
            let _ = store.put_words_together();
        }
    }

    /// Lets `oldhand status` tell of long work that somebody waits for, until what is handed back is dropped.
    pub(crate) fn attend(&self, arguments: Vec<String>) -> Option<job::Attended> {
        job::attend(&self.project.as_ref()?.directory, arguments, self.now)
    }

    /// A path as a person gives it, seen from the project's root.
    pub(crate) fn path(&self, given: &str) -> Result<ProjectPath> {
        paths::inside(&self.location.root, &self.folder, given)
    }

    /// Says which of the files that a person named are not there: a slip of the pen, or gone.
    pub(crate) fn tell_missing<'f>(
        &self,
        files: impl IntoIterator<Item = &'f ProjectPath>,
        out: &Out,
    ) {
        let is_missing = |file: &&ProjectPath| !self.location.root.join(file.as_str()).exists();
        for file in files.into_iter().filter(is_missing) {
            out.note(&format!("there is no file `{file}` in this project now"));
        }
    }

    /// The project's name, or what to say where there is none.
    pub(crate) fn project_name(&self) -> Option<&str> {
        self.project.as_ref().map(|project| project.name.as_str())
    }
}

/// A database with so many memories is made ready in a few hundredths of a second; a larger one is work for the background.
const READY_AT_ONCE: u32 = 2_000;

/// Puts what hooks need beside a database that was changed. Where that does not work they ask the database, which takes longer.
pub(crate) fn hand_out(store: &SqliteStore) {
    if !is_handed_out(store.path()) {
        let _ = store.hand_out(&[trust::PAGE], handout::met, handout::hand_out);
    }
}

/// Where the vectors of a database are.
pub(crate) fn vectors_beside(database: &Path) -> PathBuf {
    let stem = database.file_stem().unwrap_or_default();
    database.with_file_name("vectors").join(stem)
}

/// How many backups are there of a database that is not there any more, or that was emptied. A database that was
/// never made has none.
pub(crate) fn backups_of_gone(database: &Path) -> Option<usize> {
    let is_there = || std::fs::metadata(database).is_ok_and(|found| found.len() > 0);
    if is_there() {
        return None;
    }
    let backups = list_backups(database).ok()?;
    // Looked at again: somebody else may have made both meanwhile, the database first.
    (!backups.is_empty() && !is_there()).then_some(backups.len())
}

/// A new database in the place of one that is gone would look as if nothing had ever been learned, and its backups
/// would push out the good ones. Without a project's name it is the personal one.
pub(crate) fn refuse_gone(database: &Path, project: Option<&str>) -> Result<()> {
    let Some(number) = backups_of_gone(database) else {
        return Ok(());
    };
    let (whose, option) = match project {
        Some(name) => (name, ""),
        None => ("your personal memories", " --personal"),
    };
    let backups = count(number, "backup");
    let are = if number == 1 { "is" } else { "are" };
    Err(Failure::damaged(format!(
        "the database of {whose} is gone, {backups} {are} here"
    ))
    .hint(format!(
        "`oldhand backup restore latest{option}` brings it back; to start anew, move its backups away"
    ))
    .into())
}

/// A person's home and the root of the file system are hardly meant as projects: everything below them would be one.
pub(crate) fn refuse_no_project(location: &Location, environment: &Environment) -> Result<()> {
    let Place::Folder(root) = &location.place else {
        return Ok(());
    };
    let user_home = environment.user_home.as_ref();
    let user_home = user_home.and_then(|home| std::fs::canonicalize(home).ok());
    let what = if root.parent().is_none() {
        "the root of the file system"
    } else if Some(root) == user_home.as_ref() {
        "your home folder"
    } else {
        return Ok(());
    };
    Err(Failure::invalid(format!("{what} is not a project"))
        .hint(
            "go into the project's folder, or name it with --project; `oldhand remember --personal` keeps what is true everywhere, \
             `oldhand init --separate` makes a project here all the same",
        )
        .into())
}

/// `None` where there is no database and none is wanted.
fn open_store(path: &Path, purpose: Purpose, shelf: Shelf) -> Result<Option<SqliteStore>> {
    let made_if_missing = purpose == Purpose::Teach(shelf);
    if !made_if_missing && !path.exists() {
        return Ok(None);
    }
    let mode = match purpose {
        Purpose::Look => Mode::Read,
        Purpose::Glance => Mode::Glance,
        Purpose::Once => Mode::Once,
        Purpose::Change | Purpose::Teach(_) => Mode::Write,
    };
    let opened = match SqliteStore::open(path, mode) {
        // Another process may have been making it between two looks at the same file.
        Err(StoreError::DamagedDatabase { .. }) => SqliteStore::open(path, mode),
        opened => opened,
    };
    Ok(Some(opened?))
}
