//! `oldhand status`: how much is remembered, and where.

pub(crate) mod projects;

use std::collections::BTreeSet;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::Result;
use jiff::Timestamp;
use oldhand_domain::port::Counts;
use oldhand_engine::Shelf;

use super::Door;
use crate::card::fact;
use crate::config::{Environment, Listening};
use crate::desk::{Desk, Purpose};
use crate::job::{self, Jobs, Running};
use crate::out::Out;
use crate::out::size::bytes;
use crate::out::style::{FAINT, STRONG};
use crate::out::time::{ago, count};
use crate::project::Head;
use crate::sessions::Sessions;
use crate::view::graph::CodeView;
use crate::view::status::StatusView;

/// Show how much is remembered here, and where it is kept
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  oldhand status
  oldhand status --json
  oldhand status --projects")]
pub(crate) struct Args {
    /// Every project that something is kept of, and whether its folder is still there
    #[arg(long)]
    projects: bool,
}

pub(crate) fn run(args: &Args, door: &mut Door) -> Result<ExitCode> {
    if args.projects {
        return projects::run(door);
    }
    let desk = Desk::open(&door.environment, Purpose::Look, &door.out)?;
    desk.tell_look_alikes(&door.environment, &door.out)?;
    let overview = Overview::gather(&desk, &door.environment)?;
    if door.out.is_json() {
        door.out.json(&StatusView::new(&overview))?;
    } else {
        show(&overview, &mut door.out)?;
        if overview.project.is_none() {
            door.out
                .hint("`oldhand init` or `oldhand remember TEXT` makes this project known");
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// What is known about a project and its person.
pub(crate) struct Overview {
    /// Its name; `None` where nothing was ever kept.
    pub(crate) project: Option<String>,
    pub(crate) listening: Listening,
    pub(crate) root: PathBuf,
    pub(crate) head: Head,
    pub(crate) home: PathBuf,
    pub(crate) now: Timestamp,
    pub(crate) shelves: Vec<ShelfOverview>,
    /// `None` where no question about the code was ever asked.
    pub(crate) code: Option<CodeView>,
    /// What runs in the background; `None` where nothing was ever kept.
    pub(crate) jobs: Option<Jobs>,
    /// Sessions that there is something new to learn from; `None` where nothing was ever kept.
    pub(crate) unlearned: Option<usize>,
}

pub(crate) struct ShelfOverview {
    pub(crate) shelf: Shelf,
    pub(crate) counts: Counts,
    pub(crate) database: PathBuf,
    pub(crate) bytes: u64,
}

impl Overview {
    pub(crate) fn gather(desk: &Desk, environment: &Environment) -> Result<Self> {
        let status = desk.engine().status()?;
        let shelves = status.shelves.into_iter().filter_map(|(shelf, counts)| {
            let database = match shelf {
                Shelf::Project => desk.project.as_ref()?.database(),
                Shelf::Personal => environment.personal_database(),
            };
            Some(ShelfOverview {
                shelf,
                counts,
                bytes: size_of(&database),
                database,
            })
        });
        Ok(Self {
            project: desk.project_name().map(str::to_owned),
            listening: desk.settings.listening,
            root: desk.location.root.clone(),
            head: Head::read(&desk.location),
            home: environment.home.clone(),
            now: environment.now,
            shelves: shelves.collect(),
            code: describe_code(desk),
            jobs: desk
                .project
                .as_ref()
                .map(|project| job::look(&project.directory)),
            unlearned: match Sessions::of(desk) {
                Ok(sessions) => Some(sessions.pending(&BTreeSet::new())?.len()),
                Err(_) => None,
            },
        })
    }
}

/// How far the code is known.
fn describe_code(desk: &Desk) -> Option<CodeView> {
    let (index, updated_at) = crate::code::peek(desk.project.as_ref()?, &desk.settings)?;
    let snapshot = index.snapshot();
    Some(CodeView {
        files: snapshot.file_count(),
        symbols: snapshot.symbol_count(),
        edges: snapshot.edge_count(),
        updated_at,
        changed: crate::code::changes_since(&index),
    })
}

/// The database with its log.
fn size_of(database: &Path) -> u64 {
    let mut log = database.as_os_str().to_owned();
    log.push("-wal");
    let files = [database, Path::new(&log)];
    files
        .iter()
        .filter_map(|path| Some(fs::metadata(path).ok()?.len()))
        .sum()
}

pub(crate) fn show(overview: &Overview, out: &mut Out) -> Result<()> {
    let name = overview.project.as_deref().unwrap_or("not a known project");
    let branch = overview.head.branch.as_deref();
    let branch = branch
        .map(|branch| format!(" on {branch}"))
        .unwrap_or_default();
    writeln!(
        out,
        "{STRONG}{name}{STRONG:#} {FAINT}{}{branch}{FAINT:#}",
        overview.root.display()
    )?;
    if overview.listening == Listening::Off {
        let words =
            "off: agents are neither heard nor told anything here; `oldhand on` switches it on";
        fact(out, "agents", words)?;
    }
    for shelf in &overview.shelves {
        fact(out, shelf.shelf.as_str(), &kept(shelf))?;
        let marks = marks(&shelf.counts);
        if !marks.is_empty() {
            fact(out, "", &marks)?;
        }
        // On a line of its own and never broken, so that it can be copied.
        let place = shelf.database.display();
        writeln!(out, "              {FAINT}{place}{FAINT:#}")?;
    }
    if let Some(code) = &overview.code {
        fact(out, "code", &describe(code, overview.now))?;
    }
    if let Some(waiting) = overview.unlearned.filter(|waiting| *waiting > 0) {
        let sessions = count(waiting, "session");
        let words =
            format!("{sessions} not learned from yet; `oldhand session finalize --all` does it");
        fact(out, "sessions", &words)?;
    }
    if let Some(jobs) = &overview.jobs {
        show_jobs(jobs, overview.now, out)?;
    }
    Ok(())
}

/// What runs in the background or while somebody waits for it, what was killed, and how the last job ended. Nothing where nothing ever ran.
fn show_jobs(jobs: &Jobs, now: Timestamp, out: &mut Out) -> Result<()> {
    let name = |arguments: &[String]| arguments.join(" ");
    let runs = |running: &Running| {
        let progress = running.progress.as_ref();
        let progress = progress.map_or_else(String::new, |reached| {
            format!(": {}, {} of {}", reached.doing, reached.done, reached.total)
        });
        let (name, when) = (name(&running.arguments), ago(running.started_at, now));
        format!("`{name}` runs, started {when}{progress}")
    };
    if let Some(running) = &jobs.running {
        fact(out, "background", &runs(running))?;
    }
    if let Some(attended) = &jobs.attended {
        fact(out, "right now", &runs(attended))?;
    } else if jobs.is_learning {
        fact(out, "right now", "another process learns from sessions")?;
    }
    if let Some(killed) = &jobs.interrupted {
        let words = format!(
            "`{}` was interrupted; the next job goes on with it",
            name(&killed.arguments)
        );
        fact(out, "background", &words)?;
    }
    if let Some(last) = &jobs.last {
        let how = match &last.failure {
            Some(failure) => format!("failed: {failure}"),
            None => "ended well".to_owned(),
        };
        let (name, when) = (name(&last.arguments), ago(last.ended_at, now));
        fact(out, "last job", &format!("`{name}` {when} {how}"))?;
        writeln!(out, "              {FAINT}{}{FAINT:#}", jobs.log.display())?;
    }
    Ok(())
}

fn describe(code: &CodeView, now: Timestamp) -> String {
    let (files, symbols) = (count(code.files, "file"), count(code.symbols, "definition"));
    let age = code.updated_at.map(|at| format!(", read {}", ago(at, now)));
    let age = age.unwrap_or_default();
    let changed = match code.changed {
        0 => String::new(),
        changed => format!("; {} changed since", count(changed, "file")),
    };
    format!("{files}, {symbols}{age}{changed}")
}

fn kept(shelf: &ShelfOverview) -> String {
    let live = &shelf.counts.live;
    let total: usize = live.iter().map(|(_, number)| number).sum();
    let each = live.iter().map(|(name, number)| format!("{number} {name}"));
    let each: Vec<String> = each.collect();
    let size = bytes(shelf.bytes);
    match total {
        0 => format!("nothing yet ({size})"),
        _ => format!("{} ({size}): {}", count(total, "memory"), each.join(", ")),
    }
}

fn marks(counts: &Counts) -> String {
    let marks = [
        (counts.pinned, "pinned"),
        (counts.needs_review, "waiting for review"),
        (counts.flagged, "flagged"),
        (counts.stale, "stale"),
        (counts.deprecated, "replaced"),
        (counts.deleted, "deleted"),
    ];
    let holding = marks.iter().filter(|(number, _)| *number > 0);
    let words: Vec<String> = holding
        .map(|(number, words)| format!("{number} {words}"))
        .collect();
    words.join(", ")
}
