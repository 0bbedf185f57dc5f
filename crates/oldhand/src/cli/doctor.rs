//! `oldhand doctor`: is everything as it should be?

use std::io::Write;
use std::process::ExitCode;

use anyhow::Result;

use super::Door;
use crate::health::repair::{Mended, learn, mend};
use crate::health::{Check, examine};
use crate::interrupt;
use crate::out::style::{BAD, FAINT, GOOD, STRONG};
use crate::out::wrap::{wrap_whole_code, wrap_words};
use crate::out::{Out, Waiting};
use crate::view::doctor::DoctorView;

/// Check that everything is as it should be, and say what to do where it is not
///
/// Looks at the settings, the list of projects, every page and memory of the databases, and the backups. Ends with
/// code 2 when something is broken. With --repair a damaged database is put right first: sound memories are kept,
/// lost ones and the records of sessions come back from a backup that has them, the damaged file is kept aside, and you
/// are told each step. A database that was emptied or deleted comes back whole from its newest sound backup, damaged
/// vectors are made anew, and sessions that are over and were not learned from are learned from. A list of projects
/// that is lost or damaged is made anew from what the projects' folders say of themselves.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  oldhand doctor
  oldhand doctor --repair
  oldhand doctor --json")]
pub(crate) struct Args {
    /// Put damaged databases right, and say what was done
    #[arg(long)]
    repair: bool,
}

pub(crate) fn run(args: &Args, door: &mut Door) -> Result<ExitCode> {
    let mended = if args.repair {
        interrupt::watch("run `oldhand doctor --repair` again to finish");
        mend_all(door)?
    } else {
        Vec::new()
    };
    let waiting = Waiting::new("looking at every memory");
    let checks = examine(&door.environment);
    drop(waiting);
    let sound = checks.iter().all(|check| check.ok);
    if door.out.is_json() {
        door.out.json(&DoctorView::new(&checks, &mended))?;
    } else {
        show(&checks, &mended, &mut door.out)?;
    }
    Ok(ExitCode::from(if sound { 0 } else { 2 }))
}

/// What cannot be learned from is no reason to keep back what was put right.
fn mend_all(door: &Door) -> Result<Vec<Mended>> {
    let mut mended = mend(&door.environment)?;
    match learn(&door.environment, &mended, &door.out) {
        Ok(learned) => mended.extend(learned),
        Err(error) => door.out.note(&format!("{error:#}")),
    }
    Ok(mended)
}

fn show(checks: &[Check], mended: &[Mended], out: &mut Out) -> Result<()> {
    for Mended { path, done, .. } in mended {
        writeln!(out, "{STRONG}repaired{STRONG:#} {}", path.display())?;
        for steps in done {
            show_steps(steps, out)?;
        }
        writeln!(out)?;
    }
    for check in checks {
        show_check(check, out)?;
    }
    Ok(())
}

/// Steps of one kind: a person wants to know how many there were, and what the first ones were about.
fn show_steps(steps: &[String], out: &mut Out) -> Result<()> {
    const MOST: usize = 3;
    for step in steps.iter().take(MOST) {
        for (at, line) in wrap_whole_code(step, out.width() - 4).iter().enumerate() {
            let indent = if at == 0 { "  " } else { "    " };
            writeln!(out, "{indent}{line}")?;
        }
    }
    if steps.len() > MOST {
        let rest = steps.len() - MOST;
        writeln!(out, "  {FAINT}and {rest} more like these{FAINT:#}")?;
    }
    Ok(())
}

fn show_check(check: &Check, out: &mut Out) -> Result<()> {
    const INDENT: usize = 17;
    let Check {
        name,
        ok,
        detail,
        fix,
    } = check;
    let (style, mark) = if *ok { (GOOD, "ok  ") } else { (BAD, "bad ") };
    let columns = out.width() - INDENT;
    let blank = " ".repeat(INDENT);
    // A long name takes the first line for itself.
    let mut gap = " ".repeat(INDENT.saturating_sub(mark.len() + 1 + name.len()));
    if gap.is_empty() {
        gap = format!("\n{blank}");
    }
    let detail = wrap_words(detail, columns).join(&format!("\n{blank}"));
    writeln!(
        out,
        "{style}{mark}{style:#} {STRONG}{name}{STRONG:#}{gap}{detail}"
    )?;
    let word = if *ok { "see" } else { "to do" };
    for line in fix
        .iter()
        .flat_map(|fix| wrap_words(&format!("{word}: {fix}"), columns))
    {
        writeln!(out, "{blank}{FAINT}{line}{FAINT:#}")?;
    }
    Ok(())
}
