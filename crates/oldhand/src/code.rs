//! What is known about a project's code: its graph, its history and its words, each brought up to date before it is asked.
//!
//! All three are derived and kept below the project's state directory; deleting them costs one reading of the tree.

mod history;
mod target;

use std::path::{Path, PathBuf};
use std::thread;

use anyhow::{Context as _, Result};
use oldhand_code::concordance::Concordance;
use oldhand_code::index::{Index, IndexError, Options, Progress as Step};
use oldhand_code::read::Generated;
use oldhand_code::walk::Skip;
use oldhand_engine::Shelf;

pub(crate) use history::{describe_gap, read as read_history};
pub(crate) use target::{Target, file_of, name_of, resolve, resolve_file};

use crate::config::Environment;
use crate::desk::{Desk, Purpose};
use crate::file::create_private_dir;
use crate::out::time::count;
use crate::out::{Out, Progress, Waiting};

/// Larger files are data or made by machines; they are known by name only.
const MOST_BYTES: u64 = 2 << 20;
/// More threads than this wait for the disk.
const MOST_THREADS: usize = 8;

/// A project opened for questions about its code. One that is not known yet becomes known, as when something is
/// remembered: what is read has to be kept somewhere.
pub(crate) fn open_desk(environment: &Environment, out: &Out) -> Result<Desk> {
    let desk = Desk::open(environment, Purpose::Look, out)?;
    if desk.project.is_some() {
        return Ok(desk);
    }
    Desk::open(environment, Purpose::Teach(Shelf::Project), out)
}

/// The graph as the tree is now. Where it cannot be kept up, it is told how old it is and answers all the same.
pub(crate) fn open_index(desk: &Desk, out: &Out) -> Result<Index> {
    let folder = folder(desk)?;
    let root = &desk.location.root;
    let Some(mut index) = Index::open(root, &folder, &options()) else {
        let index = build_index(desk)?;
        out.note(&format!(
            "read {} for the first time",
            count(index.snapshot().file_count(), "file")
        ));
        return Ok(index);
    };
    if let Err(error) = index.refresh(&mut tell_steps()) {
        let drift = index.drift();
        let stale = drift.touched.len() + drift.added.len() + drift.removed.len();
        let changes = count(stale, "change");
        out.note(&format!("{error}; this answer does not know {changes}"));
    }
    Ok(index)
}

/// Reads the whole tree again.
pub(crate) fn build_index(desk: &Desk) -> Result<Index> {
    let folder = folder(desk)?;
    create_private_dir(&folder)?;
    let built = Index::build(
        &desk.location.root,
        &folder,
        &options(),
        &mut tell_steps(),
    );
    let (index, _) = built.map_err(explain)?;
    Ok(index)
}

/// The graph as it was last written; nothing is read or written for it.
pub(crate) fn peek(desk: &Desk) -> Option<Index> {
    let folder = folder(desk).ok()?;
    Index::open(&desk.location.root, &folder, &options())
}

/// Which words are in which files.
pub(crate) fn open_words(desk: &Desk) -> Result<Concordance> {
    let folder = folder(desk)?;
    create_private_dir(&folder)?;
    let path = folder.join("words");
    let _waiting = Waiting::new("reading words");
    let (words, _) = Concordance::refresh(&desk.location.root, &path, threads())
        .with_context(|| format!("could not keep {}", path.display()))?;
    Ok(words)
}

/// Where all of it is kept.
pub(crate) fn folder(desk: &Desk) -> Result<PathBuf> {
    let project = desk.project.as_ref();
    let project = project.context("this project is not known yet")?;
    Ok(folder_in(&project.directory))
}

pub(crate) fn folder_in(directory: &Path) -> PathBuf {
    directory.join("graph")
}

fn options() -> Options {
    Options {
        threads: threads(),
        max_bytes: MOST_BYTES,
        skip: Skip::Usual,
        generated: Generated::Skip,
    }
}

fn threads() -> usize {
    thread::available_parallelism().map_or(1, |threads| threads.get().min(MOST_THREADS))
}

/// The source of the error is what a person can do something about.
fn explain(error: IndexError) -> anyhow::Error {
    anyhow::Error::new(error)
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
