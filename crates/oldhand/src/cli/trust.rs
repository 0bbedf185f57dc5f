//! `oldhand trust`: how much of what was learned agents may hear unasked.

use std::io::Write;
use std::process::ExitCode;

use anyhow::Result;
use clap::Subcommand;
use oldhand_engine::Shelf;

use super::Door;
use crate::card::fact;
use crate::desk::{Desk, Purpose};
use crate::failure::Failure;
use crate::out::style::STRONG;
use crate::out::time::{ago, count};
use crate::project::Project;
use crate::trust;
use crate::view::review::TrustView;

/// Show or set how much of what was learned agents may hear unasked
///
/// cautious: what is 0.80 sure, and `oldhand review` asks about everything that was learned. standard: 0.65. confident: 0.55.
/// autonomous: 0.45, only when you choose it. What you confirmed or what was used twice is sure enough at any level. Left alone,
/// trust starts at standard and becomes confident after ten sessions when you confirmed half of what was learned and corrected less
/// than 5 %. Whatever the level, nothing is said that was flagged, nor, before you confirmed it, what waits for a review or what outside text
/// had a hand in.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  oldhand trust
  oldhand trust back
  oldhand trust set cautious
  oldhand trust set earned")]
pub(crate) struct Args {
    #[command(subcommand)]
    command: Option<Command>,
}

#[derive(Subcommand)]
enum Command {
    /// The level, why it holds, and what the next one takes
    Show,
    /// One step less; what was earned has to be earned again, by what comes from now on
    Back,
    /// Set the level for this project
    Set {
        /// cautious, standard, confident, autonomous, or earned to let it grow by itself
        level: String,
    },
}

pub(crate) fn run(args: &Args, door: &mut Door) -> Result<ExitCode> {
    match &args.command {
        None | Some(Command::Show) => show(door),
        Some(Command::Back) => back(door),
        Some(Command::Set { level }) => set(level, door),
    }
}

fn back(door: &mut Door) -> Result<ExitCode> {
    let desk = Desk::open(&door.environment, Purpose::Change, &door.out)?;
    let project = known(&desk)?;
    if trust::step_back(&desk, project)?.is_none() {
        return Err(
            Failure::invalid("trust is cautious, there is no step behind that")
                .hint("`oldhand flag ID` stops a single memory, `oldhand uninstall AGENT` all of them")
                .into(),
        );
    }
    desk.back_up(&door.out);
    show(door)
}

fn set(level: &str, door: &mut Door) -> Result<ExitCode> {
    let purpose = Purpose::Teach(Shelf::Project);
    let desk = Desk::open(&door.environment, purpose, &door.out)?;
    trust::set(known(&desk)?, level)?;
    show(door)
}

fn known(desk: &Desk) -> Result<&Project> {
    desk.project.as_ref().ok_or_else(|| {
        Failure::not_found("this project is not known yet")
            .hint("`oldhand init` makes it known")
            .into()
    })
}

fn show(door: &mut Door) -> Result<ExitCode> {
    let desk = Desk::open(&door.environment, Purpose::Look, &door.out)?;
    let store = desk.project_store();
    let level = trust::level(&desk.settings, store);
    let record = trust::record(&desk)?;
    let waiting = desk.engine().review_queue(level)?.len();
    let is_set = desk.settings.trust.is_some();
    let went_back = trust::went_back(store);
    let out = &mut door.out;
    if out.is_json() {
        out.json(&TrustView::new(level, is_set, &record, waiting))?;
        return Ok(ExitCode::SUCCESS);
    }
    let why = match went_back {
        _ if is_set => "set by a person".to_owned(),
        Some(since) => format!(
            "a step back {}, and what came after it",
            ago(since, desk.now)
        ),
        None => "earned; a project starts at standard".to_owned(),
    };
    writeln!(out, "{STRONG}{}{STRONG:#}", level.as_str())?;
    fact(out, "because", &why)?;
    let bar = format!("{:.2} sure or more", level.at_least().get());
    fact(out, "agents hear", &bar)?;
    let sessions = format!("{} in which agents were told something", record.sessions);
    fact(out, "sessions", &sessions)?;
    let gone = match record.gone {
        0 => String::new(),
        gone => format!(" ({gone} of them gone since)"),
    };
    let learned = format!(
        "{}{gone}, {} confirmed, {} corrected",
        count(record.learned, "memory"),
        record.confirmed,
        record.corrected
    );
    fact(out, "learned", &learned)?;
    fact(out, "to review", &count(waiting, "memory"))?;
    if !is_set && let Some(missing) = level.missing(&record) {
        fact(out, "next", &missing)?;
    }
    if waiting > 0 {
        out.hint("`oldhand review` goes through them");
    }
    Ok(ExitCode::SUCCESS)
}
