//! `oldhand doctor`: is everything as it should be?

use std::io::Write;
use std::process::ExitCode;

use anyhow::Result;

use super::Door;
use crate::health::repair::{Mended, mend};
use crate::health::{Check, examine};
use crate::interrupt;
use crate::out::style::{BAD, FAINT, GOOD, STRONG};
use crate::out::{Out, Waiting};
use crate::view::doctor::DoctorView;

/// Check that everything is as it should be, and say what to do where it is not
///
/// Looks at the settings, the list of projects, every page and memory of the databases, and the backups. Ends with
/// code 2 when something is broken. With --repair a damaged database is put right first: sound memories are kept,
/// lost ones come back from a backup that has them, the damaged file is kept aside, and you are told each step. An
/// emptied database comes back whole from its newest sound backup, and damaged vectors are made anew. A list of
/// projects that is lost or damaged is made anew from what the projects' folders say of themselves.
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
        mend(&door.environment)?
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

fn show(checks: &[Check], mended: &[Mended], out: &mut Out) -> Result<()> {
    for Mended { path, done, .. } in mended {
        writeln!(out, "{STRONG}repaired{STRONG:#} {}", path.display())?;
        for step in done {
            writeln!(out, "  {step}")?;
        }
        writeln!(out)?;
    }
    for Check {
        name,
        ok,
        detail,
        fix,
    } in checks
    {
        let (style, mark) = if *ok { (GOOD, "ok  ") } else { (BAD, "bad ") };
        let gap = " ".repeat(12_usize.saturating_sub(name.len()));
        writeln!(
            out,
            "{style}{mark}{style:#} {STRONG}{name}{STRONG:#}{gap}{detail}"
        )?;
        if let Some(fix) = fix {
            let word = if *ok { "see" } else { "to do" };
            writeln!(out, "                 {FAINT}{word}: {fix}{FAINT:#}")?;
        }
    }
    Ok(())
}
