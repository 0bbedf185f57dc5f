//! What is known about a project's code: its graph, its history and its words, each brought up to date before it is asked.
//!
//! All three are derived and kept below the project's state directory; deleting them costs one reading of the tree.

mod anchors;
mod check;
pub(crate) mod everywhere;
mod ground;
mod history;
mod kept;
pub(crate) mod modules;
mod named;
mod past;
pub(crate) mod pieces;
pub(crate) mod registers;
mod standing;
pub(crate) mod still;
mod stillness;
pub(crate) mod surroundings;
pub(crate) mod survey;
mod target;
mod watch;

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::thread;
use std::time::{Duration, SystemTime};

use anyhow::{Context as _, Result};
use jiff::Timestamp;
use oldhand_code::concordance::Concordance;
use oldhand_code::history::log::History;
use oldhand_code::index::{Index, IndexError, Options, Progress as Step};
use oldhand_code::walk::Skip;
use oldhand_engine::Shelf;
use tempfile::TempDir;

pub(crate) use anchors::follow as follow_anchors;
pub(crate) use check::check;
pub(crate) use ground::{Ground, Looking};
pub(crate) use history::{describe_gap, read as read_history};
pub(crate) use named::named_commands;
pub(crate) use past::Past;
pub(crate) use standing::weigh;
pub(crate) use target::{
    Target, file_of, is_code, name_of, named_in, resolve, resolve_file, resolve_place,
};
pub(crate) use watch::Watches;

use crate::config::{CodeSettings, Environment, Settings, Vendored};
use crate::crib;
use crate::desk::{Aside, Desk, Purpose, Question, refuse_no_project};
use crate::explain;
use crate::file::create_private_dir;
use crate::out::time::count;
use crate::out::{Out, Progress, Waiting};
use crate::processors::processors;
use crate::project::{self, Project};

/// What the words of all files are kept in.
const WORDS: &str = "words";
/// More threads than this wait for the disk.
const MOST_THREADS: usize = 8;

/// A project opened for questions about its code. A folder that is none does not become one by being asked about: what is read of it is kept aside,
/// and hooks go on to leave it alone. Where nothing can be kept, it is read for this question alone.
pub(crate) fn open_desk(environment: &Environment, out: &Out) -> Result<Desk> {
    open_desk_for(None, Purpose::Look, environment, out)
}

/// As [`open_desk`], for this kind of look, and where it is known what will be asked.
pub(crate) fn open_desk_for(
    question: Option<Question<'_>>,
    look: Purpose,
    environment: &Environment,
    out: &Out,
) -> Result<Desk> {
    let desk = Desk::open_for(question, environment, look, out)?;
    let refused = match &desk.project {
        Some(project) if is_read(project, &desk.settings) => return Ok(desk),
        Some(project) => match try_to_write(&folder_in(&project.directory)) {
            Ok(()) => return Ok(desk),
            Err(error) => error,
        },
        None => match look_aside(&desk, environment, out) {
            Ok(folder) => return Ok(desk.with_aside(Aside::Kept(folder))),
            Err(error) => error,
        },
    };
    if !explain::is_read_only(&refused) {
        return Err(refused);
    }
    let home = environment.home.display();
    out.note(&format!(
        "{home} cannot be written: what is read for this answer is not kept"
    ));
    let folder = TempDir::with_prefix("oldhand-").context("could not make a folder for now")?;
    Ok(desk.with_aside(Aside::Gone(folder)))
}

/// Where what is read of a folder is kept that is no project, made if need be.
fn look_aside(desk: &Desk, environment: &Environment, out: &Out) -> Result<PathBuf> {
    refuse_no_project(&desk.location, environment)?;
    let folder = project::aside(&environment.home, &desk.location.place);
    if !folder.exists() {
        project::tidy_asides(&environment.home, SystemTime::from(environment.now));
        desk.tell_look_alikes(environment, out)?;
    }
    try_to_write(&folder)?;
    Ok(folder)
}

/// A project opened for what is read to be kept.
pub(crate) fn open_desk_to_keep(environment: &Environment, out: &Out) -> Result<Desk> {
    let desk = Desk::open(environment, Purpose::Look, out)?;
    if desk.project.is_some() {
        return Ok(desk);
    }
    Desk::open(environment, Purpose::Teach(Shelf::Project), out)
}

fn try_to_write(folder: &Path) -> Result<()> {
    create_private_dir(folder)?;
    let path = folder.join(format!("written.{}", std::process::id()));
    let could_not = || format!("could not write {}", path.display());
    File::create(&path).with_context(could_not)?;
    fs::remove_file(&path).with_context(could_not)
}

/// The graph as the tree is now. Where it cannot be kept up, it is told how old it is and answers all the same.
pub(crate) fn open_index(desk: &Desk, out: &Out) -> Result<Index> {
    let (index, _) = open_index_as_it_stands(desk, out)?;
    Ok(index)
}

/// Whether a graph is as the tree is.
enum Standing {
    Current,
    Behind,
}

fn open_index_as_it_stands(desk: &Desk, out: &Out) -> Result<(Index, Standing)> {
    let is_new = Index::open(&desk.location.root, &folder(desk)?, &options(desk)).is_none();
    let is_shared = Index::being_read(&desk.location.root, &folder(desk)?).is_some();
    let (index, standing) = refresh(desk, out)?;
    if is_new && !is_shared {
        let files = count(index.snapshot().file_count(), "file");
        out.note(&format!("read {files} for the first time"));
    }
    Ok((index, standing))
}

/// Like [`open_index`], for those who say themselves what was read.
pub(crate) fn refresh_index(desk: &Desk, out: &Out) -> Result<Index> {
    let (index, _) = refresh(desk, out)?;
    Ok(index)
}

fn refresh(desk: &Desk, out: &Out) -> Result<(Index, Standing)> {
    let (root, folder, options) = (&desk.location.root, folder(desk)?, options(desk));
    let Some(mut index) = Index::open(root, &folder, &options) else {
        if let Some(part) = wait_for_first_reading(root, &folder, &options, out) {
            return Ok((part, Standing::Behind));
        }
        let index = build_index(desk)?;
        follow_anchors(desk, &index, out);
        return Ok((index, Standing::Current));
    };
    if !wait_until(SHORT, || !Index::is_being_written(root, &folder)) {
        let changes = count(changes_since(&index), "change");
        out.note(&format!(
            "the code is being read again; this answer does not know {changes}"
        ));
        return Ok((index, Standing::Behind));
    }
    let standing = match index.refresh(&mut tell_steps()) {
        Ok(refresh) if refresh.is_empty() => Standing::Current,
        Ok(_) => {
            stamp(desk);
            follow_anchors(desk, &index, out);
            Standing::Current
        }
        Err(error) => {
            let changes = count(changes_since(&index), "change");
            let error = anyhow::Error::from(error);
            out.note(&format!("{error:#}; this answer does not know {changes}"));
            Standing::Behind
        }
    };
    Ok((index, standing))
}

/// How long a question waits for another process that brings the graph up to date.
const SHORT: Duration = Duration::from_secs(3);
/// How long it waits for the first part of a first reading.
const LONG: Duration = Duration::from_mins(10);

/// While another process reads the tree for the first time: what there is of the graph, as soon as there is some. Nothing when
/// nobody is reading.
fn wait_for_first_reading(
    root: &Path,
    folder: &Path,
    options: &Options,
    out: &Out,
) -> Option<Index> {
    let mut known: Option<(Index, Option<(usize, usize)>)> = None;
    let _waiting = Index::is_being_written(root, folder)
        .then(|| Waiting::new("another process is reading the code"));
    wait_until(LONG, || {
        let progress = Index::being_read(root, folder);
        if progress.is_none() && !Index::is_being_written(root, folder) {
            known = Index::open(root, folder, options).map(|index| (index, None));
            return true;
        }
        let part = Index::open_part(root, folder, options);
        known = part.map(|part| (part, progress));
        known.is_some()
    });
    let (index, progress) = known?;
    if let Some((done, of)) = progress {
        out.note(&format!(
            "the code is being read for the first time, {done} of {of} files so far: this answer knows a part of it"
        ));
    }
    Some(index)
}

/// Looks again and again whether `holds`, and says in the end whether it did.
fn wait_until(longest: Duration, mut holds: impl FnMut() -> bool) -> bool {
    const STEP: Duration = Duration::from_millis(50);
    let looks = longest.as_millis() / STEP.as_millis();
    for _ in 0..looks {
        if holds() {
            return true;
        }
        thread::sleep(STEP);
    }
    holds()
}

/// Where the graph is known, which it returns: brings it up to date, and lets memories follow what changed.
pub(crate) fn keep_up(desk: &Desk, out: &Out) -> bool {
    let project = desk.project.as_ref();
    let is_known = project.is_some_and(|project| is_read(project, &desk.settings));
    if is_known && let Err(error) = refresh_index(desk, out) {
        out.note(&format!("the code graph is not up to date: {error:#}"));
    }
    is_known
}

/// How many files were touched, added or removed since the graph was made.
pub(crate) fn changes_since(index: &Index) -> usize {
    let drift = index.drift();
    drift.touched.len() + drift.added.len() + drift.removed.len()
}

/// Reads the whole tree again.
pub(crate) fn build_index(desk: &Desk) -> Result<Index> {
    let folder = folder(desk)?;
    create_private_dir(&folder)?;
    let root = &desk.location.root;
    let built = Index::build(root, &folder, &options(desk), &mut tell_steps());
    let (index, _) = built?;
    stamp(desk);
    Ok(index)
}

/// Throws away everything that is derived. What a compiler was asked for stays: it cannot be made here.
pub(crate) fn forget(desk: &Desk) -> Result<()> {
    let folder = folder(desk)?;
    let derived = ["facts.bin", history::FILE, WORDS, "crib"];
    let derived = derived.iter().map(|name| folder.join(name));
    let graph = Index::snapshot_path(&desk.location.root, &folder);
    for path in derived.chain([graph]) {
        match fs::remove_file(&path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                return Err(error).with_context(|| format!("could not remove {}", path.display()));
            }
            _ => {}
        }
    }
    Ok(())
}

/// Takes in what a compiler found, and returns how many files it covers.
pub(crate) fn import_scip(
    index: &mut Index,
    desk: &Desk,
    bytes: &[u8],
) -> Result<usize, IndexError> {
    let covered = index.import_scip(bytes, &mut tell_steps())?;
    stamp(desk);
    Ok(covered)
}

/// The graph of a project as it was last written, and when that was; nothing is written for it.
pub(crate) fn peek(project: &Project, settings: &Settings) -> Option<(Index, Option<Timestamp>)> {
    let folder = folder_in(&project.directory);
    let root = &project.location.root;
    let index = Index::open(root, &folder, &options_of(settings))?;
    let snapshot = Index::snapshot_path(root, &folder);
    let modified = fs::metadata(snapshot).and_then(|file| file.modified());
    let modified = modified
        .ok()
        .and_then(|time| Timestamp::try_from(time).ok());
    Some((index, modified))
}

/// Whether there is a graph that can be read.
fn is_read(project: &Project, settings: &Settings) -> bool {
    // Nothing is walked: nobody has to be asked how many processors there are.
    let options = options_with(1, settings);
    let folder = folder_in(&project.directory);
    Index::open(&project.location.root, &folder, &options).is_some()
}

/// Notes that the graph is from `now`: the clock of the command, which is not always the one of the file system.
fn stamp(desk: &Desk) {
    let Ok(folder) = folder(desk) else {
        return;
    };
    // The age is for people to read; a file system that cannot keep it costs nothing else.
    let _ = File::options()
        .append(true)
        .open(Index::snapshot_path(&desk.location.root, &folder))
        .and_then(|file| file.set_modified(desk.now.into()));
}

/// Which words are in which files.
pub(crate) fn open_words(desk: &Desk) -> Result<Concordance> {
    let folder = folder(desk)?;
    create_private_dir(&folder)?;
    let path = folder.join(WORDS);
    let _waiting = Waiting::new("reading words");
    words_at(&desk.location.root, &path, threads())
        .with_context(|| format!("could not keep {}", path.display()))
}

/// The words of a tree; where they cannot be written, those that were read last.
fn words_at(root: &Path, path: &Path, threads: usize) -> io::Result<Concordance> {
    let fresh = Concordance::refresh(root, path, threads).map(|(words, _)| words);
    fresh.or_else(|error| Concordance::open(path).ok_or(error))
}

/// Brings up to date what hooks say of the code and what memories are worth, where the code was ever read.
pub(crate) fn keep_crib(desk: &Desk, out: &Out) {
    let Some(project) = &desk.project else {
        return;
    };
    if let Some((index, _)) = peek(project, &desk.settings)
        && let Ok(history) = read_history(desk, out)
    {
        if !crib::is_current(&project.directory, &history) {
            write_crib(desk, &index, &history, out);
            registers::learn(desk, &history, out);
        }
        weigh(desk, &history, out);
    }
}

/// Puts down what hooks say of the code. One that cannot be written costs those words and nothing else.
pub(crate) fn write_crib(desk: &Desk, index: &Index, history: &History, out: &Out) {
    let Some(project) = &desk.project else {
        return;
    };
    if let Err(error) = crib::write(&project.directory, &survey::map(index, history), history) {
        out.note(&format!("agents are not told of the modules: {error:#}"));
    }
}

/// Where all of it is kept.
fn folder(desk: &Desk) -> Result<PathBuf> {
    if let Some(aside) = desk.aside() {
        return Ok(aside.to_owned());
    }
    let project = desk.project.as_ref();
    let project = project.context("this project is not known yet")?;
    Ok(folder_in(&project.directory))
}

fn folder_in(directory: &Path) -> PathBuf {
    directory.join("graph")
}

fn options(desk: &Desk) -> Options {
    options_of(&desk.settings)
}

fn options_of(settings: &Settings) -> Options {
    options_with(threads(), settings)
}

fn options_with(threads: usize, settings: &Settings) -> Options {
    let CodeSettings {
        skip,
        vendored,
        generated,
        largest,
    } = &settings.code;
    let skip = match (vendored, skip.is_empty()) {
        (Vendored::LeftOut, true) => Skip::Usual,
        (Vendored::LeftOut, false) => Skip::Also(skip.clone()),
        (Vendored::Read, _) => Skip::Only(skip.clone()),
    };
    Options {
        threads,
        max_bytes: *largest,
        skip,
        generated: *generated,
    }
}

fn threads() -> usize {
    // Asked once, and where there are more than two in earnest: how much of them a group may use stands in half a dozen files of the system's.
    static THREADS: OnceLock<usize> = OnceLock::new();
    *THREADS.get_or_init(|| match processors() {
        few @ ..=2 => few,
        _ => thread::available_parallelism().map_or(1, |threads| threads.get().min(MOST_THREADS)),
    })
}

/// Shows how far the work is, on a terminal.
fn tell_steps() -> impl FnMut(Step) {
    let mut turning = None;
    let mut bar: Option<Progress> = None;
    move |step| {
        turning.take();
        match step {
            Step::Walking => turning = Some(Waiting::new("looking through folders")),
            Step::Reading { done, of } => {
                let bar = bar.get_or_insert_with(|| Progress::new("reading code", of));
                bar.reach(done);
            }
            Step::Linking { .. } => {
                bar.take();
                turning = Some(Waiting::new("linking code"));
            }
            Step::Writing => turning = Some(Waiting::new("keeping the graph")),
        }
    }
}
