//! `oldhand reindex`: makes everything that is derived from the tree and its history anew.

use std::io::Write;
use std::process::ExitCode;

use anyhow::Result;

use super::{Door, job};
use crate::card::fact;
use crate::code::{self, survey};
use crate::interrupt;
use crate::out::style::STRONG;
use crate::out::time::count;

/// Read the code and its history again from the beginning
///
/// Questions keep the graph up to date by themselves. This is for when something looks wrong: everything derived is
/// thrown away and made anew. Memories are not touched, nor what `import scip` took in.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  oldhand reindex
  oldhand reindex --json")]
pub(crate) struct Args {
    /// In the background; `oldhand status` shows how far it is
    #[arg(long)]
    detach: bool,
}

/// Problems told to a person.
const SHOWN: usize = 10;

pub(crate) fn run(args: &Args, door: &mut Door) -> Result<ExitCode> {
    if args.detach {
        return job::hand_over(door, &["reindex"]);
    }
    interrupt::watch("run `oldhand reindex` again to finish");
    let desk = code::open_desk_to_keep(&door.environment, &door.out)?;
    code::forget(&desk)?;
    let index = code::build_index(&desk)?;
    code::follow_anchors(&desk, &index, &door.out);
    let history = code::read_history(&desk, &door.out)?;
    code::open_words(&desk)?;
    code::write_crib(&desk, &index, &history, &door.out);
    code::registers::learn(&desk, &history, &door.out);
    code::weigh(&desk, &history, &door.out);
    let view = survey::describe_index(&index, &history);
    let out = &mut door.out;
    if out.is_json() {
        out.json(&view)?;
    } else {
        let name = desk.project_name().unwrap_or_default();
        writeln!(out, "{STRONG}{name}{STRONG:#} read again")?;
        for (label, value) in survey::say_index(&view) {
            fact(out, label, &value)?;
        }
        for problem in view.problems.iter().take(SHOWN) {
            out.note(problem);
        }
        if view.problems.len() > SHOWN {
            let more = count(view.problems.len() - SHOWN, "problem");
            out.note(&format!("{more} more; `--json` lists them"));
        }
    }
    Ok(ExitCode::SUCCESS)
}
