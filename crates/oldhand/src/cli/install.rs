//! `oldhand install`: tell an agent to call us.

use std::io::Write;
use std::process::ExitCode;

use anyhow::Result;

use super::Door;
use crate::agent::Agent;
use crate::failure::Failure;
use crate::nearest::nearest;
use crate::out::Out;
use crate::out::style::{BAD, FAINT, GOOD, STRONG};
use crate::project;
use crate::view::hook::{WireView, WiresView};
use crate::wire::{self, Change, Reach};

/// Tell an agent to call Oldhand while it works
///
/// Adds hooks to the agent's own settings, or a plugin where it has no hooks: what it does is written down, and it is told what is known when that matters. You are
/// shown every line before it is written; what else stands in the file stays as it is. Only projects that `oldhand init` made
/// known are listened to. `oldhand uninstall AGENT` undoes it.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  oldhand install claude-code
  oldhand install codex --dry-run
  oldhand install gemini --local --yes")]
pub(crate) struct Args {
    /// claude-code, codex, gemini or opencode
    agent: String,
    /// Write to the settings in this repository, which others share
    #[arg(long)]
    local: bool,
    /// Do not ask
    #[arg(long)]
    yes: bool,
    /// Only show what would be written
    #[arg(long)]
    dry_run: bool,
}

pub(crate) fn run(args: &Args, door: &mut Door) -> Result<ExitCode> {
    let agent = agent_named(&args.agent)?;
    let reach = if args.local {
        Reach::Repository
    } else {
        Reach::User
    };
    let root = root(door)?;
    let change = wire::connect(agent, reach, &door.environment, &root)?;
    let mode = Mode::of(args.dry_run, args.yes);
    let command = format!("oldhand install {} --yes", args.agent);
    let done = carry_out(&[(agent, change)], mode, &command, door)?;
    if done == Done::Written && !door.out.is_json() {
        if agent == Agent::Codex {
            door.out
                .note("Codex skips new hooks without a word until you approve them");
            door.out
                .hint("start `codex` and approve the hooks when it asks; `oldhand doctor` sees whether you did");
        }
        door.out
            .hint("`oldhand init` makes a project known; others are not listened to");
    }
    Ok(ExitCode::SUCCESS)
}

pub(super) fn agent_named(name: &str) -> Result<Agent> {
    Agent::named(name).ok_or_else(|| {
        let names = wire::AGENTS.map(Agent::as_str);
        let meant = nearest(name, names);
        let hint = match meant {
            Some(meant) => format!("did you mean `{meant}`?"),
            None => format!("known agents: {}", names.join(", ")),
        };
        Failure::invalid(format!("no agent is called `{name}`"))
            .hint(hint)
            .into()
    })
}

/// The top of the repository that the command runs in.
pub(super) fn root(door: &Door) -> Result<std::path::PathBuf> {
    let environment = &door.environment;
    let found = project::find(
        &environment.home,
        &environment.folder,
        environment.user_home.as_deref(),
    )?;
    Ok(match found {
        project::Found::Known(project) => project.location.root,
        project::Found::Unknown(location) => location.root,
    })
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Mode {
    Show,
    Ask,
    Do,
}

impl Mode {
    pub(super) fn of(dry_run: bool, yes: bool) -> Self {
        match (dry_run, yes) {
            (true, _) => Self::Show,
            (false, true) => Self::Do,
            (false, false) => Self::Ask,
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Done {
    Nothing,
    Written,
}

/// Shows the changes, asks, and carries them out. `command` is what to run where nobody can be asked.
pub(super) fn carry_out(
    changes: &[(Agent, Change)],
    mode: Mode,
    command: &str,
    door: &mut Door,
) -> Result<Done> {
    let needed: Vec<&(Agent, Change)> = changes
        .iter()
        .filter(|(_, change)| change.is_needed())
        .collect();
    if !door.out.is_json() {
        for (agent, change) in changes {
            show(*agent, change, &mut door.out)?;
        }
    }
    let mut done = Done::Nothing;
    if !needed.is_empty() && mode != Mode::Show {
        let agreed = match mode {
            Mode::Ask => door.out.ask("Write this?")?,
            Mode::Do | Mode::Show => Some(true),
        };
        match agreed {
            Some(true) => {
                for (_, change) in &needed {
                    change.carry_out(&door.environment.home)?;
                }
                done = Done::Written;
            }
            Some(false) => door.out.note("nothing was written"),
            None => {
                return Err(
                    Failure::invalid("writing to an agent's settings needs a yes")
                        .hint(format!("`{command}`"))
                        .into(),
                );
            }
        }
    }
    if door.out.is_json() {
        let files = changes.iter().map(|(agent, change)| {
            let outcome = match (change.is_needed(), done) {
                (false, _) => "unchanged",
                (true, Done::Written) => "written",
                (true, Done::Nothing) => "planned",
            };
            WireView::new(*agent, change, outcome)
        });
        let files = files.collect();
        door.out.json(&WiresView { files })?;
    }
    Ok(done)
}

/// How many lines around a change are shown.
const AROUND: usize = 2;

fn show(agent: Agent, change: &Change, out: &mut Out) -> Result<()> {
    let path = change.path.display();
    if !change.is_needed() {
        writeln!(
            out,
            "{STRONG}{}{STRONG:#} {FAINT}nothing to change in {path}{FAINT:#}",
            agent.as_str()
        )?;
        return Ok(());
    }
    writeln!(out, "{STRONG}{}{STRONG:#} {path}", agent.as_str())?;
    let before: Vec<&str> = change
        .before
        .as_deref()
        .unwrap_or_default()
        .lines()
        .collect();
    let after: Vec<&str> = change
        .after
        .as_deref()
        .unwrap_or_default()
        .lines()
        .collect();
    let same = |a: &mut dyn Iterator<Item = (&&str, &&str)>| a.take_while(|(a, b)| a == b).count();
    let front = same(&mut before.iter().zip(&after));
    let back = same(
        &mut before[front..]
            .iter()
            .rev()
            .zip(after[front..].iter().rev()),
    );
    for line in &before[front.saturating_sub(AROUND)..front] {
        writeln!(out, "    {FAINT}{line}{FAINT:#}")?;
    }
    for line in &before[front..before.len() - back] {
        writeln!(out, "  {BAD}- {line}{BAD:#}")?;
    }
    for line in &after[front..after.len() - back] {
        writeln!(out, "  {GOOD}+ {line}{GOOD:#}")?;
    }
    for line in after[after.len() - back..].iter().take(AROUND) {
        writeln!(out, "    {FAINT}{line}{FAINT:#}")?;
    }
    Ok(())
}
