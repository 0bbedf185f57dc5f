//! `oldhand uninstall`: agents stop calling us, and their settings are what they were.

use std::path::Path;
use std::process::ExitCode;

use anyhow::Result;

use super::Door;
use super::install::{Done, Mode, carry_out, client_named, root};
use crate::wire::{self, Change, Client, Undo};

/// Take Oldhand out of the settings of an agent or editor
///
/// Undoes `oldhand install AGENT` in your own settings and plugins; with --project, what `install --project` wrote into a repository:
/// `--project` for this one, `--project DIR` for another. --all undoes everything, in your settings and in every repository that
/// was written to; with --project, every agent in one repository. A file that nobody changed since becomes what it was, byte for byte;
/// from any other only what is Oldhand's goes. A file that cannot be undone is named at the end, after the others are.
/// Memories stay.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  oldhand uninstall claude-code
  oldhand uninstall gemini --project
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
    let undo = match (door.environment.is_told_the_project, &args.agent) {
        (true, _) => Undo::Repository,
        (false, Some(_)) => Undo::User,
        (false, None) => Undo::Everywhere,
    };
    let (mut changes, mut failures) = look(&clients, undo, &root, door);
    if !args.dry_run {
        for change in &changes {
            change.forget_if_gone(&door.environment.home)?;
        }
    }
    // Where nothing is ours there is nothing to tell.
    changes.retain(Change::is_needed);
    let whom = args.agent.as_deref().unwrap_or("--all");
    let project = match undo {
        Undo::Repository => " --project",
        Undo::User | Undo::Everywhere => "",
    };
    let command = format!("oldhand uninstall {whom}{project} --yes");
    if changes.is_empty() && failures.is_empty() && !door.out.is_json() {
        let who = args.agent.as_deref().unwrap_or("no agent");
        let calls = match args.agent {
            Some(_) => "does not call Oldhand",
            None => "calls Oldhand",
        };
        let place = match undo {
            Undo::User => " by your settings",
            Undo::Repository => " by the settings of this repository",
            Undo::Everywhere => "",
        };
        door.out.note(&format!("{who} {calls}{place}"));
    }
    match carry_out(&changes, Mode::of(args.dry_run, args.yes), &command, door) {
        Err(error) => failures.insert(0, error),
        // Who takes out one of them means that one.
        Ok(Done::Written) if undo == Undo::User => {
            for client in &clients {
                wire::part(&door.environment.home, *client)?;
            }
        }
        Ok(_) => {}
    }
    if undo == Undo::User {
        tell_what_stays(&clients, &root, door);
    }
    wire::all_together(failures)?;
    Ok(ExitCode::SUCCESS)
}

fn look(
    clients: &[Client],
    undo: Undo,
    root: &Path,
    door: &Door,
) -> (Vec<Change>, Vec<anyhow::Error>) {
    let all = clients
        .iter()
        .flat_map(|client| wire::disconnect(*client, undo, &door.environment, root));
    let (mut changes, mut failures) = (Vec::new(), Vec::new());
    for change in all {
        match change {
            Ok(change) => changes.push(change),
            Err(error) => failures.push(error),
        }
    }
    (changes, failures)
}

/// What stands in this repository is shared with others and was not asked about.
fn tell_what_stays(clients: &[Client], root: &Path, door: &Door) {
    let (here, _) = look(clients, Undo::Repository, root, door);
    for change in here.iter().filter(|change| change.is_needed()) {
        let (path, client) = (change.path.display(), change.client.as_str());
        door.out.note(&format!(
            "{path} still names Oldhand, for everybody who works here"
        ));
        door.out
            .hint(&format!("`oldhand uninstall {client} --project`"));
    }
}
