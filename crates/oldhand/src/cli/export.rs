//! `oldhand export`: memories as files that others can read.

use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Result;
use clap::ValueEnum;
use jiff::Timestamp;
use oldhand_domain::filter::{Filter, State};
use oldhand_engine::{Shelf, Shelved};

use super::narrow::Narrow;
use super::{Door, tell_damaged};
use crate::desk::{Desk, Purpose};
use crate::file;
use crate::out::Waiting;
use crate::out::time::count;
use crate::page;
use crate::view::memory::MemoryView;

/// Write memories as JSON lines, as Markdown, or as a CLAUDE.md
///
/// json holds everything and is what `oldhand import json` takes; what comes back that way has another id, does not lead to other memories
/// (`oldhand backup` keeps those) and, without `--trusted`, is learned anew: unverified, unflagged and unused. markdown is for people. claude-md is for agents
/// that read a rules file: one bullet each, without what is flagged, stale, unreviewed or from outside text. What
/// follows you from project to project is left out unless you ask for it with --personal.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  oldhand export > memories.jsonl
  oldhand export --format markdown --output MEMORIES.md
  oldhand export --format claude-md --type requirement --type gotcha")]
pub(crate) struct Args {
    #[arg(long, value_enum, default_value_t = ExportFormat::Json)]
    format: ExportFormat,
    /// Write to this file, whole or not at all, instead of standard output
    #[arg(long, short = 'o', value_name = "FILE")]
    output: Option<PathBuf>,
    /// Also what was forgotten or replaced (json only)
    #[arg(long)]
    all: bool,
    #[command(flatten)]
    narrow: Narrow,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum ExportFormat {
    /// One memory per line
    Json,
    Markdown,
    ClaudeMd,
}

pub(crate) fn run(args: Args, door: &mut Door) -> Result<ExitCode> {
    let desk = Desk::open(&door.environment, Purpose::Look, &door.out)?;
    // What is personal leaves only when it is asked for by name.
    let shelf = Some(args.narrow.shelf().unwrap_or(Shelf::Project));
    let filter = Filter {
        state: if args.all && args.format == ExportFormat::Json {
            State::Any
        } else {
            State::Live
        },
        ..args.narrow.filter(&desk, &door.out)?
    };
    let waiting = Waiting::new("reading");
    let kept = desk.engine().list(shelf, &filter)?;
    drop(waiting);
    let write = |into: &mut dyn Write| write(into, args.format, &kept.memories, &desk);
    let left_out = match &args.output {
        Some(path) => {
            let mut bytes = Vec::new();
            let left_out = write(&mut bytes)?;
            file::write_atomically(path, &bytes)?;
            left_out
        }
        None => write(&mut door.out)?,
    };
    tell_damaged(&door.out, &kept.damaged);
    if left_out > 0 {
        door.out.note(&format!(
            "{} left out: flagged, stale, unreviewed or from outside text",
            count(left_out, "memory")
        ));
    }
    if let Some(path) = &args.output {
        let written = count(kept.memories.len() - left_out, "memory");
        door.out
            .note(&format!("{written} written to {}", path.display()));
    }
    Ok(ExitCode::SUCCESS)
}

/// One memory per line, oldest first, so that an import meets what replaces something after what it replaces.
pub(super) fn write_lines(
    into: &mut dyn Write,
    memories: &[Shelved],
    now: Timestamp,
) -> io::Result<()> {
    for shelved in memories.iter().rev() {
        serde_json::to_writer(&mut *into, &MemoryView::of(shelved, now))?;
        writeln!(into)?;
    }
    Ok(())
}

/// Returns how many memories the format leaves out.
fn write(
    into: &mut dyn Write,
    format: ExportFormat,
    memories: &[Shelved],
    desk: &Desk,
) -> Result<usize> {
    let name = match memories.first() {
        Some(Shelved {
            shelf: Shelf::Personal,
            ..
        }) => "me",
        _ => desk.project_name().unwrap_or("this project"),
    };
    match format {
        ExportFormat::Json => {
            write_lines(into, memories, desk.now)?;
            Ok(0)
        }
        ExportFormat::Markdown => {
            write!(into, "{}", page::markdown(name, memories, desk.now))?;
            Ok(0)
        }
        ExportFormat::ClaudeMd => {
            let sound = memories
                .iter()
                .filter(|shelved| page::is_sound(&shelved.memory));
            let sound: Vec<&Shelved> = sound.collect();
            write!(into, "{}", page::claude_md(name, &sound))?;
            Ok(memories.len() - sound.len())
        }
    }
}
