//! How much is remembered, as JSON.

use std::collections::BTreeMap;

use jiff::Timestamp;
use oldhand_domain::memory::CommitSha;
use serde::Serialize;

use super::graph::CodeView;
use crate::cli::status::projects::Kept;
use crate::cli::status::{Overview, ShelfOverview};
use crate::config::Listening;
use crate::job::{Finished, Jobs, Reached};

#[derive(Serialize)]
pub(crate) struct StatusView<'a> {
    version: &'static str,
    project: Option<&'a str>,
    /// Whether agents are heard and told anything here.
    enabled: bool,
    root: String,
    branch: Option<&'a str>,
    commit: Option<&'a CommitSha>,
    home: String,
    shelves: Vec<ShelfView<'a>>,
    code: Option<&'a CodeView>,
    job: Option<JobView<'a>>,
    /// How many sessions there is something new to learn from.
    sessions_not_learned: Option<usize>,
}

/// Every project that something is kept of.
#[derive(Serialize)]
pub(crate) struct ProjectsView<'a> {
    projects: Vec<ProjectView<'a>>,
}

#[derive(Serialize)]
struct ProjectView<'a> {
    name: &'a str,
    directory: &'a str,
    created_at: Timestamp,
    places: Vec<PlaceView>,
    memories: Option<usize>,
    bytes: u64,
}

#[derive(Serialize)]
struct PlaceView {
    path: String,
    still_there: bool,
}

impl<'a> ProjectsView<'a> {
    pub(crate) fn new(projects: &'a [Kept]) -> Self {
        Self {
            projects: projects.iter().map(ProjectView::new).collect(),
        }
    }
}

impl<'a> ProjectView<'a> {
    fn new(kept: &'a Kept) -> Self {
        let places = kept.places.iter().map(|(path, still_there)| PlaceView {
            path: path.display().to_string(),
            still_there: *still_there,
        });
        Self {
            name: &kept.entry.name,
            directory: &kept.entry.directory,
            created_at: kept.entry.created_at,
            places: places.collect(),
            memories: kept.memories,
            bytes: kept.bytes,
        }
    }
}

/// How the switch of a project stands.
#[derive(Serialize)]
pub(crate) struct SwitchView {
    pub(crate) project: String,
    pub(crate) enabled: bool,
}

/// What runs in the background.
#[derive(Serialize)]
struct JobView<'a> {
    /// `running`, `interrupted` (it was killed; the next job goes on with it) or `idle`.
    state: &'static str,
    arguments: Option<&'a [String]>,
    pid: Option<u32>,
    started_at: Option<Timestamp>,
    progress: Option<&'a Reached>,
    last: Option<&'a Finished>,
    log: String,
    /// What somebody waits for in a terminal of their own: `arguments`, `pid`, `started_at`, `progress`.
    attended: Option<AttendedView<'a>>,
    /// Whether a process that is no job learns from sessions right now.
    learning: bool,
}

#[derive(Serialize)]
struct AttendedView<'a> {
    arguments: &'a [String],
    pid: u32,
    started_at: Timestamp,
    progress: Option<&'a Reached>,
}

impl<'a> JobView<'a> {
    fn new(jobs: &'a Jobs) -> Self {
        let (state, current) = match (&jobs.running, &jobs.interrupted) {
            (Some(running), _) => ("running", Some(running)),
            (None, Some(killed)) => ("interrupted", Some(killed)),
            (None, None) => ("idle", None),
        };
        Self {
            state,
            arguments: current.map(|current| current.arguments.as_slice()),
            pid: jobs.running.as_ref().map(|running| running.pid),
            started_at: current.map(|current| current.started_at),
            progress: current.and_then(|current| current.progress.as_ref()),
            last: jobs.last.as_ref(),
            log: jobs.log.display().to_string(),
            attended: jobs.attended.as_ref().map(|attended| AttendedView {
                arguments: &attended.arguments,
                pid: attended.pid,
                started_at: attended.started_at,
                progress: attended.progress.as_ref(),
            }),
            learning: jobs.is_learning,
        }
    }
}

#[derive(Serialize)]
struct ShelfView<'a> {
    shelf: &'static str,
    database: String,
    bytes: u64,
    memories: usize,
    types: BTreeMap<&'a str, usize>,
    pinned: usize,
    needs_review: usize,
    flagged: usize,
    stale: usize,
    deprecated: usize,
    deleted: usize,
}

impl<'a> StatusView<'a> {
    pub(crate) fn new(overview: &'a Overview) -> Self {
        Self {
            version: env!("CARGO_PKG_VERSION"),
            project: overview.project.as_deref(),
            enabled: overview.listening == Listening::On,
            root: overview.root.display().to_string(),
            branch: overview.head.branch.as_deref(),
            commit: overview.head.commit.as_ref(),
            home: overview.home.display().to_string(),
            shelves: overview.shelves.iter().map(ShelfView::new).collect(),
            code: overview.code.as_ref(),
            job: overview.jobs.as_ref().map(JobView::new),
            sessions_not_learned: overview.unlearned,
        }
    }
}

impl<'a> ShelfView<'a> {
    fn new(overview: &'a ShelfOverview) -> Self {
        let counts = &overview.counts;
        let types: BTreeMap<&str, usize> = counts
            .live
            .iter()
            .map(|(name, number)| (name.as_str(), *number))
            .collect();
        Self {
            shelf: overview.shelf.as_str(),
            database: overview.database.display().to_string(),
            bytes: overview.bytes,
            memories: types.values().sum(),
            types,
            pinned: counts.pinned,
            needs_review: counts.needs_review,
            flagged: counts.flagged,
            stale: counts.stale,
            deprecated: counts.deprecated,
            deleted: counts.deleted,
        }
    }
}
