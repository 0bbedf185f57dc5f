//! `oldhand uninstall`: agents stop calling us, and their settings are what they were.

use std::process::ExitCode;

use anyhow::Result;

use super::Door;
use super::install::{Mode, agent_named, carry_out, root};
use crate::agent::Agent;
use crate::wire::{self, Change, Reach};

/// Take Oldhand's hooks out of an agent's settings
///
/// Looks at your own settings and at those in this repository. A file that nobody changed since becomes what it was, byte for byte;
/// from any other only the hooks go. Memories stay.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  oldhand uninstall claude-code
  oldhand uninstall --all --yes")]
pub(crate) struct Args {
    /// claude-code, codex, gemini or opencode
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
    let agents: Vec<Agent> = match &args.agent {
        Some(name) => vec![agent_named(name)?],
        None => wire::AGENTS.to_vec(),
    };
    let root = root(door)?;
    let mut changes: Vec<(Agent, Change)> = Vec::new();
    for agent in agents {
        for reach in [Reach::User, Reach::Repository] {
            let change = wire::disconnect(agent, reach, &door.environment, &root)?;
            // Where nothing is ours there is nothing to tell, unless it was asked for.
            if change.is_needed() || args.agent.is_some() && reach == Reach::User {
                changes.push((agent, change));
            }
        }
    }
    let command = match &args.agent {
        Some(agent) => format!("oldhand uninstall {agent} --yes"),
        None => "oldhand uninstall --all --yes".to_owned(),
    };
    if changes.is_empty() && !door.out.is_json() {
        door.out.note("no agent calls Oldhand");
    }
    carry_out(&changes, Mode::of(args.dry_run, args.yes), &command, door)?;
    Ok(ExitCode::SUCCESS)
}
