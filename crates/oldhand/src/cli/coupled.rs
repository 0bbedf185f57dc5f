//! `oldhand coupled`: files that change or are worked on together with one.

use std::io::Write;
use std::process::ExitCode;

use anyhow::Result;
use jiff::Timestamp;
use oldhand_code::history::coupled::{Because, coupled, is_listed_last};
use oldhand_code::history::facts::current_path;
use oldhand_domain::path::ProjectPath;

use super::most::Most;
use super::{Door, NOTHING_FOUND};
use crate::code;
use crate::desk::Desk;
use crate::failure::Failure;
use crate::out::Out;
use crate::out::style::{FAINT, STRONG};
use crate::out::time::{ago, count};
use crate::view::graph::{CoupledFileView, CoupledView, rounded};

/// Show which files change together with a file, and why that is thought
///
/// Git's history says which files were committed together; sessions of agents say which were worked on together. No link
/// in the code is needed: a migration and the docs about it are coupled too. Source is listed before
/// prose, lock files and settings, which go with nearly everything. "3 of 8 commits" are those that changed this file; merges,
/// formatting and commits of more files than is usual here are left out. Memories and hooks count only small commits since
/// both files are there, and name lower numbers.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  oldhand coupled src/schema.sql
  oldhand coupled src/api.ts --limit 5 --json")]
pub(crate) struct Args {
    file: String,
    /// At most this many; 0 is all
    #[arg(
        long,
        short = 'n',
        value_name = "N",
        allow_negative_numbers = true,
        default_value = "10"
    )]
    limit: Most,
}

/// A file that goes with the one that was asked for.
struct Companion {
    path: String,
    strength: f32,
    because: Vec<String>,
    /// Commits, sessions or a test's name say so, and not names and folders alone.
    is_shown: bool,
}

pub(crate) fn run(args: &Args, door: &mut Door) -> Result<ExitCode> {
    let desk = code::open_desk(&door.environment, &door.out)?;
    let limit = args.limit.get();
    let history = code::read_history(&desk, &door.out)?;
    let given = desk.path(&args.file)?;
    let path = current_path(&history, given.as_str()).unwrap_or(given.as_str());
    let path = ProjectPath::new(path)?;
    let exists = desk.location.root.join(path.as_str()).exists();
    if !exists && current_path(&history, path.as_str()).is_none() {
        return Err(Failure::not_found(format!("there is no file `{path}`"))
            .hint("give it from where you are, or from the root of the project")
            .into());
    }
    if desk.location.root.join(path.as_str()).is_dir() {
        return Err(Failure::invalid(format!("`{path}` is a folder"))
            .hint("name one of its files; `oldhand impact` and `oldhand hot` take folders")
            .into());
    }
    let mut companions: Vec<Companion> = Vec::new();
    // Sessions may lift a file that history alone would have left out.
    for found in coupled(&history, path.as_str(), limit * 3) {
        let because = found.because.iter();
        let shows =
            |why: &Because| matches!(why, Because::ChangedTogether { .. } | Because::TestPair);
        companions.push(Companion {
            path: found.path,
            strength: found.strength,
            is_shown: found.because.iter().any(shows),
            because: because.map(|why| say(why, desk.now)).collect(),
        });
    }
    join_sessions(&mut companions, &path, &desk)?;
    let is_last = |it: &Companion| is_listed_last(path.as_str(), &it.path, it.strength);
    companions.sort_by(|a, b| {
        is_last(a)
            .cmp(&is_last(b))
            .then_with(|| b.strength.total_cmp(&a.strength))
            .then_with(|| a.path.cmp(&b.path))
    });
    companions.truncate(limit);
    let found = !companions.is_empty();
    if door.out.is_json() {
        let files = companions.into_iter().map(|companion| CoupledFileView {
            path: companion.path,
            strength: rounded(companion.strength),
            because: companion.because,
        });
        door.out.json(&CoupledView {
            files: files.collect(),
        })?;
    } else {
        show(&path, &companions, &mut door.out)?;
        for gap in history.gaps() {
            door.out.note(&code::describe_gap(gap));
        }
    }
    Ok(ExitCode::from(if found { 0 } else { NOTHING_FOUND }))
}

/// Adds what sessions know. Two independent reasons make a pair surer than either.
fn join_sessions(companions: &mut Vec<Companion>, path: &ProjectPath, desk: &Desk) -> Result<()> {
    /// Sessions in which both were merely read count this much.
    const READ: f32 = 0.3;
    const DOUBT: f32 = 2.0;
    /// One session alone is an anecdote, and stands behind what commits show again and again.
    const ANECDOTE: f32 = 0.05;
    let Some(store) = desk.project_store() else {
        return Ok(());
    };
    let finalizer = desk.engine().finalizer(store, &[])?;
    let knowledge = finalizer.knowledge();
    let sessions = knowledge.files.get(path).map_or(0, |file| file.sessions);
    for (other, edge) in knowledge.companions(path) {
        if !desk.location.root.join(other.as_str()).exists() {
            continue;
        }
        let (edited, all) = (edge.edited_sessions as f32, edge.sessions as f32);
        let together = edited + READ * (all - edited).max(0.0);
        let mut strength = (together / (sessions as f32 + DOUBT)).clamp(0.0, 1.0);
        if edge.sessions == 1 {
            strength = strength.min(ANECDOTE);
        }
        let why = if edge.edited_sessions > 0 {
            let times = count(edge.edited_sessions as usize, "session");
            format!("edited together in {times}")
        } else {
            let times = count(edge.sessions as usize, "session");
            format!("looked at together in {times}")
        };
        let known = companions
            .iter_mut()
            .find(|companion| companion.path == other.as_str());
        match known {
            Some(companion) => {
                companion.strength = 1.0 - (1.0 - companion.strength) * (1.0 - strength);
                companion.because.push(why);
                companion.is_shown = true;
            }
            None => companions.push(Companion {
                path: other.to_string(),
                strength,
                because: vec![why],
                is_shown: true,
            }),
        }
    }
    Ok(())
}

fn say(because: &Because, now: Timestamp) -> String {
    match because {
        Because::ChangedTogether { times, of, newest } => {
            let times = format!("{times} of {}", count(*of, "commit"));
            match Timestamp::from_second(*newest) {
                Ok(newest) => format!("changed together in {times}, last {}", ago(newest, now)),
                Err(_) => format!("changed together in {times}"),
            }
        }
        Because::TestPair => "one tests the other, by its name".to_owned(),
        Because::SharedWord(word) => format!("both are about `{word}`, by their names"),
        Because::FoldersChangeTogether => "their folders change together".to_owned(),
        Because::Through(path) => format!("both change with {path}"),
        Because::OftenChanged => "it changes often".to_owned(),
    }
}

fn show(path: &ProjectPath, companions: &[Companion], out: &mut Out) -> Result<()> {
    let (shown, guesses): (Vec<_>, Vec<_>) = companions.iter().partition(|one| one.is_shown);
    if shown.is_empty() {
        out.note(&format!("nothing is known to change together with {path}"));
    } else {
        writeln!(out, "{STRONG}{path}{STRONG:#} goes with")?;
    }
    for companion in shown {
        writeln!(
            out,
            "\n  {:>4.2}  {STRONG}{}{STRONG:#}",
            companion.strength, companion.path
        )?;
        for why in &companion.because {
            out.pieces("        ", &[("        ", FAINT, why)])?;
        }
    }
    if !guesses.is_empty() {
        let guesses = count(guesses.len(), "file");
        out.note(&format!(
            "{guesses} guessed by names and folders alone left out; `--json` has them"
        ));
    }
    Ok(())
}
