//! `oldhand prune`: let go of what is old.

use std::io::Write;
use std::process::ExitCode;

use anyhow::Result;
use oldhand_domain::lifecycle::GRACE_DAYS;
use oldhand_engine::{PruneMode, Pruned, Shelved};

use super::{Door, edit};
use crate::card;
use crate::desk::{Desk, Purpose};
use crate::failure::Failure;
use crate::interrupt;
use crate::out::style::FAINT;
use crate::out::time::count;
use crate::out::{Out, Waiting};
use crate::view::prune::PruneView;

/// Let go of what is old and unused
///
/// What is unused for three half-lives is forgotten and can be restored for 30 days; then its bytes are removed,
/// unless you verified it. Pinned memories, decisions and requirements stay. The project's own go by themselves, too: after
/// a session on another day and after every twenty sessions; where work stands and what was taught with `--scope work_unit`
/// is put away once its branch is merged (its commits are in the main line, or a merge there names it; not seen where it
/// was squashed).
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  oldhand prune --dry-run
  oldhand prune --yes")]
pub(crate) struct Args {
    /// Only show what would go
    #[arg(long)]
    dry_run: bool,
    /// Do not ask
    #[arg(long, short = 'y', conflicts_with = "dry_run")]
    yes: bool,
}

pub(crate) fn run(args: &Args, door: &mut Door) -> Result<ExitCode> {
    interrupt::watch("what was pruned so far stays so");
    let (purpose, mode) = if args.dry_run {
        (Purpose::Look, PruneMode::DryRun)
    } else {
        (Purpose::Change, PruneMode::Do)
    };
    let desk = Desk::open(&door.environment, purpose, &door.out)?;
    if mode == PruneMode::Do && !args.yes && !is_wanted(&desk, &mut door.out)? {
        door.out.note("nothing was pruned");
        return Ok(ExitCode::SUCCESS);
    }
    let pruned = prune(&desk, mode)?;
    if mode == PruneMode::Do {
        for shelved in &pruned.erased {
            edit::remove_leftovers(&door.environment.home, shelved.memory.id)?;
            desk.forget_meaning(shelved.shelf, shelved.memory.id, &door.out);
        }
        desk.back_up(&door.out);
    }
    if door.out.is_json() {
        door.out.json(&PruneView::new(&pruned, mode, desk.now))?;
    } else {
        tell(&pruned, mode, &desk, &mut door.out)?;
    }
    Ok(ExitCode::SUCCESS)
}

fn prune(desk: &Desk, mode: PruneMode) -> Result<Pruned> {
    let waiting = Waiting::new("looking at every memory");
    let pruned = desk.engine().prune(mode, desk.sessions(), desk.now)?;
    drop(waiting);
    Ok(pruned)
}

/// Shows what would go and asks; nothing to let go of needs no answer.
fn is_wanted(desk: &Desk, out: &mut Out) -> Result<bool> {
    let pruned = prune(desk, PruneMode::DryRun)?;
    if pruned.deleted.is_empty() && pruned.erased.is_empty() {
        return Ok(true);
    }
    if !out.is_json() {
        tell(&pruned, PruneMode::DryRun, desk, out)?;
    }
    let question = format!(
        "Forget {} and remove {} for good?",
        count(pruned.deleted.len(), "memory"),
        pruned.erased.len()
    );
    let answer = out.ask(&question)?;
    Ok(answer.ok_or_else(|| {
        Failure::invalid("pruning needs a yes")
            .hint("`oldhand prune --dry-run` shows what would go, `oldhand prune --yes` lets it go")
    })?)
}

fn tell(pruned: &Pruned, mode: PruneMode, desk: &Desk, out: &mut Out) -> Result<()> {
    for (shelved, reason) in &pruned.deleted {
        one(out, shelved, reason, desk)?;
    }
    for shelved in &pruned.erased {
        let reason = format!("deleted more than {GRACE_DAYS} days ago");
        one(out, shelved, &reason, desk)?;
    }
    let would = match mode {
        PruneMode::DryRun => "would be ",
        PruneMode::Do => "",
    };
    writeln!(
        out,
        "{} {would}forgotten, {} {would}removed for good",
        count(pruned.deleted.len(), "memory"),
        pruned.erased.len()
    )?;
    Ok(())
}

fn one(out: &mut Out, shelved: &Shelved, reason: &str, desk: &Desk) -> Result<()> {
    card::brief(out, shelved, desk.now)?;
    writeln!(out, "  {FAINT}{reason}{FAINT:#}")?;
    writeln!(out)?;
    Ok(())
}
