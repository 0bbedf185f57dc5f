//! A project opened for work: its settings, its stores, the embedder, and the engine over them.

use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};
use jiff::Timestamp;
use oldhand_domain::error::StoreError;
use oldhand_domain::id::MemoryId;
use oldhand_domain::path::ProjectPath;
use oldhand_domain::port::{Embedder, MemoryStore};
use oldhand_domain::session::SessionStore;
use oldhand_embed::MODELS;
use oldhand_engine::{Engine, Shelf, handout};
use oldhand_store::handout::is_there as is_handed_out;
use oldhand_store::meaning::{self, Meaning};
use oldhand_store::{Mode, Pace, RamStore, SqliteStore, list_backups};
use tempfile::TempDir;

use crate::code::surroundings::KnownCode;
use crate::config::{Environment, Personal, Settings};
use crate::failure::Failure;
use crate::ids::Ids;
use crate::job;
use crate::out::time::count;
use crate::out::{Out, Waiting};
use crate::paths;
use crate::project::{
    self, Found, Location, LookAlike, Newcomer, Place, Project, Registry, Resemblance,
};
use crate::trust;

/// What is going to be done, which decides what may be made on the way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// No database is made or changed; derived files, such as vectors, may be brought up to date.
    Look,
    /// As `Look`, without locks: see [`Desk::glance`].
    Glance,
    /// What is there changes; an unknown project stays unknown.
    Change,
    /// Something is put on this shelf, which is made when there is none.
    Teach(Shelf),
}

pub(crate) struct Desk {
    /// `None` where nothing was ever kept.
    pub(crate) project: Option<Project>,
    pub(crate) location: Location,
    home: PathBuf,
    /// The person's own.
    pub(crate) user_home: Option<PathBuf>,
    folder: PathBuf,
    pub(crate) settings: Settings,
    pub(crate) now: Timestamp,
    store: Option<SqliteStore>,
    personal: Option<SqliteStore>,
    /// Stands in for a project that has no database.
    nothing: RamStore,
    /// Stands in for the folder of what is derived, where that cannot be written; goes with the desk.
    scratch: Option<TempDir>,
    ids: Ids,
}

impl Desk {
    pub(crate) fn open(environment: &Environment, purpose: Purpose, out: &Out) -> Result<Self> {
        let ids = Ids::new(environment.seed, environment.now);
        let found = project::find(
            &environment.home,
            &environment.folder,
            environment.user_home.as_deref(),
        )?;
        let (project, location) = match found {
            Found::Known(project) => {
                if !matches!(purpose, Purpose::Look | Purpose::Glance) {
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
        Self::at(environment, project, location, purpose, ids)
    }

    /// Takes one short look, without locks: taking them costs more than reading a memory. Where somebody wrote meanwhile, or where the look
    /// failed, which may have the same cause, it is taken again with locks.
    pub(crate) fn glance<T>(
        open: impl Fn(Purpose) -> Result<Self>,
        look: impl Fn(&Self) -> Result<T>,
    ) -> Result<(Self, T)> {
        if let Ok(desk) = open(Purpose::Glance)
            && let Ok(seen) = look(&desk)
            && desk.stores().all(SqliteStore::is_as_it_was)
        {
            return Ok((desk, seen));
        }
        let desk = open(Purpose::Look)?;
        let seen = look(&desk)?;
        Ok((desk, seen))
    }

    /// Opens a project that is already found.
    pub(crate) fn at(
        environment: &Environment,
        project: Option<Project>,
        location: Location,
        purpose: Purpose,
        ids: Ids,
    ) -> Result<Self> {
        let directory = project.as_ref().map(|project| project.directory.as_path());
        let settings = Settings::read(environment, directory)?;
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
            scratch: None,
            ids,
        })
    }

    /// The desk with a folder for what is derived that nobody finds again.
    pub(crate) fn with_scratch(self) -> Result<Self> {
        let scratch =
            TempDir::with_prefix("oldhand-").context("could not make a folder for now")?;
        Ok(Self {
            scratch: Some(scratch),
            ..self
        })
    }

    pub(crate) fn scratch(&self) -> Option<&Path> {
        self.scratch.as_ref().map(TempDir::path)
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

    /// The vectors of every shelf, up to date as far as they can be brought while somebody waits. While those of a newly chosen model are
    /// made, those of the one before answer.
    pub(crate) fn meanings(&self, out: &Out) -> Meanings {
        let chosen = self.settings.embedder();
        if let Some(current) = self.current_meanings(chosen) {
            return current;
        }
        let missing = self.behind(chosen);
        let are_few = missing <= meaning::FEW || self.project.is_none();
        let serving = if are_few { chosen } else { self.serving() };
        if !are_few {
            self.read_in_background(missing, out);
        }
        let keep_up = |store: &SqliteStore| {
            let folder = vectors_beside(store.path());
            if !are_few && meaning::behind(store, &folder, serving) > meaning::FEW {
                return Meaning::as_it_is(&folder, serving);
            }
            let _waiting = Waiting::new("reading new memories");
            let meaning = Meaning::keep_up(store, &folder, serving);
            if meaning.embedded > 0 {
                meaning::drop_unknown(&folder, &MODELS);
            }
            if let Some(why) = &meaning.lag {
                out.note(&format!("search by meaning is not up to date: {why}"));
            }
            meaning
        };
        let project = self.store.as_ref().map(keep_up);
        let personal = self.personal.as_ref().map(keep_up);
        let lags = |meaning: &Option<Meaning>| {
            meaning
                .as_ref()
                .is_some_and(|meaning| meaning.lag.is_some())
        };
        let behind = if !are_few || lags(&project) || lags(&personal) {
            self.behind(serving)
        } else {
            0
        };
        Meanings {
            embedder: serving,
            behind,
            project,
            personal,
            code: KnownCode::of(self.project.as_ref(), &self.settings),
        }
    }

    /// The vectors of every shelf, where none is behind: nearly always.
    fn current_meanings(&self, embedder: &'static dyn Embedder) -> Option<Meanings> {
        let follow = |store: &Option<SqliteStore>| match store {
            None => Some(None),
            Some(store) => {
                let newest = store.newest_change().ok()?;
                Meaning::following(&vectors_beside(store.path()), embedder, newest).map(Some)
            }
        };
        Some(Meanings {
            embedder,
            behind: 0,
            project: follow(&self.store)?,
            personal: follow(&self.personal)?,
            code: KnownCode::of(self.project.as_ref(), &self.settings),
        })
    }

    /// How many changes of memories the vectors of this model do not follow yet.
    pub(crate) fn behind(&self, embedder: &dyn Embedder) -> usize {
        let behind =
            |store: &SqliteStore| meaning::behind(store, &vectors_beside(store.path()), embedder);
        self.stores().map(behind).max().unwrap_or_default()
    }

    /// The model whose vectors answer: the chosen one, unless nearly all of its vectors are missing and another's are there.
    pub(crate) fn serving(&self) -> &'static dyn Embedder {
        let chosen = self.settings.embedder();
        let is_there = |model: &&'static dyn Embedder| self.behind(*model) <= meaning::FEW;
        std::iter::once(chosen)
            .chain(MODELS)
            .find(is_there)
            .unwrap_or(chosen)
    }

    /// Lets a job make the vectors of the chosen model, and says so. One is enough, whoever asks for it; behind another it waits.
    fn read_in_background(&self, missing: usize, out: &Out) {
        let Some(project) = &self.project else {
            return;
        };
        let build = ["model", "build"];
        let running = job::look(&project.directory).running;
        let is_at_it = running.is_some_and(|running| running.arguments == build);
        if is_at_it || job::start(&self.home, project, &build).is_ok() {
            let number = count(missing, "change");
            out.note(&format!(
                "search by meaning is not up to date: {number} to read, which goes on in the background"
            ));
        }
    }

    /// The engine that also finds by meaning.
    pub(crate) fn engine_with<'a>(&'a self, meanings: &'a Meanings) -> Engine<'a> {
        let mut engine = self
            .engine_by(meanings.embedder)
            .with_surroundings(&meanings.code);
        for (shelf, meaning) in [
            (Shelf::Project, &meanings.project),
            (Shelf::Personal, &meanings.personal),
        ] {
            if let Some(meaning) = meaning {
                engine = engine.with_vectors(shelf, meaning);
            }
        }
        engine
    }

    /// Takes the vector of an erased memory out of its file. What cannot be taken out now goes when the file is next brought
    /// up to date; a file that nobody brings up to date goes as a whole.
    pub(crate) fn forget_meaning(&self, shelf: Shelf, id: MemoryId, out: &Out) {
        let Some(store) = self.store(shelf) else {
            return;
        };
        let folder = vectors_beside(store.path());
        meaning::drop_unknown(&folder, &MODELS);
        for model in MODELS {
            let Err(error) = meaning::forget(&folder, model, &[id]) else {
                continue;
            };
            let answers = [self.settings.embedder(), self.serving()];
            if answers.iter().all(|one| one.model() != model.model()) {
                meaning::drop_vectors(&folder, model);
            } else {
                out.note(&format!("its vector goes with the next search: {error}"));
            }
        }
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
            hand_out(store);
            match store.backup(self.now, Pace::Daily) {
                // Another process is making it.
                Ok(_) | Err(StoreError::Busy { .. }) => {}
                Err(error) => out.note(&format!("the backup of today was not made: {error}")),
            }
        }
    }

    /// A path as a person gives it, seen from the project's root.
    pub(crate) fn path(&self, given: &str) -> Result<ProjectPath> {
        paths::inside(&self.location.root, &self.folder, given)
    }

    /// The project's name, or what to say where there is none.
    pub(crate) fn project_name(&self) -> Option<&str> {
        self.project.as_ref().map(|project| project.name.as_str())
    }
}

/// The vectors of each shelf that has a database, and which files belong together.
pub(crate) struct Meanings {
    /// What made them, and has to make those of questions.
    embedder: &'static dyn Embedder,
    /// How many changes of memories they do not follow yet.
    pub(crate) behind: usize,
    project: Option<Meaning>,
    personal: Option<Meaning>,
    code: KnownCode,
}

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
        Purpose::Change | Purpose::Teach(_) => Mode::Write,
    };
    let opened = match SqliteStore::open(path, mode) {
        // Another process may have been making it between two looks at the same file.
        Err(StoreError::DamagedDatabase { .. }) => SqliteStore::open(path, mode),
        opened => opened,
    };
    Ok(Some(opened?))
}

/// Says that a new project looks like one that is known, and how to make them one.
pub(crate) fn tell_look_alikes(newcomer: &Newcomer, out: &Out) {
    let Some(first) = newcomer.look_alikes.first() else {
        return;
    };
    out.note(&describe_look_alike(first));
    out.hint(&format!(
        "`oldhand init --same-as {}` makes them one project",
        first.directory
    ));
}

pub(crate) fn describe_look_alike(look_alike: &LookAlike) -> String {
    let LookAlike {
        name,
        place,
        still_there,
        resemblance,
        ..
    } = look_alike;
    match (resemblance, still_there) {
        (Resemblance::History, true) => {
            format!("this is another clone of project {name}, known at {place}")
        }
        (Resemblance::History, false) => format!(
            "this looks like project {name}, which was at {place} and is not there any more"
        ),
        (Resemblance::Folder, _) => {
            format!("this folder was project {name} before a repository came into it")
        }
        (Resemblance::Whereabouts, _) => {
            format!("this may be project {name}, which was at {place} and is not there any more")
        }
    }
}
