//! `oldhand doctor`: is everything as it should be?

use std::io::Write;
use std::process::ExitCode;

use anyhow::Result;

use super::Door;
use crate::health::{Check, examine};
use crate::out::style::{BAD, FAINT, GOOD, STRONG};
use crate::view::doctor::DoctorView;

/// Check that everything is as it should be, and say what to do where it is not
///
/// Looks at the settings, the list of projects, every page and memory of the databases, and the backups. Ends with
/// code 2 when something is broken.
///
/// Examples:
///   oldhand doctor
///   oldhand doctor --json
#[derive(clap::Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct Args {}

pub(crate) fn run(_args: &Args, door: &mut Door) -> Result<ExitCode> {
    let checks = examine(&door.environment);
    let sound = checks.iter().all(|check| check.ok);
    if door.out.is_json() {
        door.out.json(&DoctorView::new(&checks))?;
    } else {
        for Check {
            name,
            ok,
            detail,
            fix,
        } in &checks
        {
            let (style, mark) = if *ok { (GOOD, "ok  ") } else { (BAD, "bad ") };
            let gap = " ".repeat(12_usize.saturating_sub(name.len()));
            writeln!(
                door.out,
                "{style}{mark}{style:#} {STRONG}{name}{STRONG:#}{gap}{detail}"
            )?;
            if let Some(fix) = fix {
                writeln!(door.out, "                 {FAINT}to do: {fix}{FAINT:#}")?;
            }
        }
    }
    Ok(ExitCode::from(if sound { 0 } else { 2 }))
}
