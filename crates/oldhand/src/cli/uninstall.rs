//! `oldhand uninstall`: agents stop calling us, and their settings are what they were.

use std::process::ExitCode;

use anyhow::Result;

use super::Door;
use super::install::{Mode, carry_out, client_named, root};
use crate::wire::{self, Change, Client};

/// Take Oldhand out of the settings of an agent or editor
///
/// Looks at your own settings, at those in this repository, and wherever else `install` wrote. A file that nobody changed since
/// becomes what it was, byte for byte; from any other only what is Oldhand's goes. A file that cannot be undone is named
/// at the end, after the others are. Memories stay.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  oldhand uninstall claude-code
  oldhand uninstall --all --yes")]
pub(crate) struct Args {
    /// claude-code, codex, gemini, cursor, opencode, vscode, windsurf or zed
    #[arg(required_unless_present = "all", conflicts_with = "all")]
    agent: Option<String>,
    /// Every agent
    #[arg(long)]
    all: bool,
    /// Do not ask
    #[arg(long)]
    yes: bool,
    /// Only show what would be written
    #[arg(long)]
    dry_run: bool,
}

pub(crate) fn run(args: &Args, door: &mut Door) -> Result<ExitCode> {
    let clients: Vec<Client> = match &args.agent {
        Some(name) => vec![client_named(name)?],
        None => Client::ALL.to_vec(),
    };
    let root = root(door)?;
    let mut changes: Vec<Change> = Vec::new();
    let mut failures: Vec<anyhow::Error> = Vec::new();
    for client in clients {
        for change in wire::disconnect(client, &door.environment, &root) {
            match change {
                Ok(change) => changes.push(change),
                Err(error) => failures.push(error),
            }
        }
    }
    // Where nothing is ours there is nothing to tell.
    changes.retain(Change::is_needed);
    let command = match &args.agent {
        Some(agent) => format!("oldhand uninstall {agent} --yes"),
        None => "oldhand uninstall --all --yes".to_owned(),
    };
    if changes.is_empty() && failures.is_empty() && !door.out.is_json() {
        let who = args.agent.as_deref().unwrap_or("no agent");
        let calls = match args.agent {
            Some(_) => "does not call Oldhand",
            None => "calls Oldhand",
        };
        door.out.note(&format!("{who} {calls}"));
    }
    if let Err(error) = carry_out(&changes, Mode::of(args.dry_run, args.yes), &command, door) {
        failures.insert(0, error);
    }
    wire::all_together(failures)?;
    Ok(ExitCode::SUCCESS)
}
