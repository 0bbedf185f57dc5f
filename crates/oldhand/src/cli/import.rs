//! `oldhand import`: memories from files.

mod json;
pub(crate) mod rules;
mod scip;
pub(crate) mod transcripts;

use std::ffi::OsString;
use std::path::Path;
use std::process::ExitCode;

use anyhow::Result;
use clap::Subcommand;
use clap::builder::StyledStr;
use clap::error::{ContextKind, ContextValue, ErrorKind};

use super::Door;
use crate::wire::quoted;

/// Bring in memories from an export, from rules files, or from what agents did
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  oldhand import json memories.jsonl
  oldhand import rules
  oldhand import rules CLAUDE.md --dry-run
  oldhand import transcripts
  oldhand import scip index.scip")]
pub(crate) struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Json(json::Args),
    Rules(rules::Args),
    Scip(scip::Args),
    Transcripts(transcripts::Args),
}

pub(crate) fn run(args: Args, door: &mut Door) -> Result<ExitCode> {
    match args.command {
        Command::Json(args) => json::run(&args, door),
        Command::Rules(args) => rules::run(&args, door),
        Command::Scip(args) => scip::run(&args, door),
        Command::Transcripts(args) => transcripts::run(&args, door),
    }
}

/// The same error, with the commands that were probably meant where a file was named and not what it holds.
pub(super) fn explained(mut error: clap::Error, arguments: &[OsString]) -> clap::Error {
    let named = match error.get(ContextKind::InvalidSubcommand) {
        Some(ContextValue::String(named)) => named.clone(),
        _ => return error,
    };
    let is_ours = |two: &[OsString]| two[0] == "import" && two[1] == *named;
    if error.kind() == ErrorKind::InvalidSubcommand
        && arguments.windows(2).any(is_ours)
        && let Some(tip) = holding(&named)
    {
        error.remove(ContextKind::SuggestedSubcommand);
        let tip = ContextValue::StyledStrs(vec![StyledStr::from(tip)]);
        error.insert(ContextKind::Suggested, tip);
    }
    error
}

/// How to import a file, by what it may hold; nothing where the word names none.
fn holding(named: &str) -> Option<String> {
    let path = Path::new(named);
    let ending = path.extension().and_then(|ending| ending.to_str());
    if ending.is_none() && !named.contains(['/', '\\']) && !path.exists() {
        return None;
    }
    let file = quoted(named);
    Some(match ending {
        Some("md" | "mdc") => format!("rules are taken in by `oldhand import rules {file}`"),
        Some("scip") => format!("an index is taken in by `oldhand import scip {file}`"),
        _ => format!(
            "say what it holds: `oldhand import transcripts {file}` for what an agent did, `oldhand import json {file}` for memories of an export"
        ),
    })
}
