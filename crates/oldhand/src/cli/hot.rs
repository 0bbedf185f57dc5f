//! `oldhand hot`: files where much depends on what changes and breaks often.

use std::io::Write;
use std::process::ExitCode;

use anyhow::Result;

use super::most::Most;
use super::{Door, NOTHING_FOUND};
use crate::code::{self, survey};
use crate::out::style::{FAINT, STRONG};
use crate::view::graph::HotView;

/// Show the files where much depends on what changes and breaks often
///
/// Fixes count more than other commits, recent ones more than old ones, fixes of fixes twice.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  oldhand hot
  oldhand hot --limit 3 --json")]
pub(crate) struct Args {
    /// At most this many; 0 is all
    #[arg(
        long,
        short = 'n',
        value_name = "N",
        allow_negative_numbers = true,
        default_value = "10"
    )]
    limit: Most,
}

pub(crate) fn run(args: &Args, door: &mut Door) -> Result<ExitCode> {
    let desk = code::open_desk(&door.environment, &door.out)?;
    let index = code::open_index(&desk, &door.out)?;
    let history = code::read_history(&desk, &door.out)?;
    let files = survey::hot_spots(&index, &history, args.limit.get());
    let gaps: Vec<String> = history.gaps().iter().map(code::describe_gap).collect();
    let out = &mut door.out;
    let found = !files.is_empty();
    if out.is_json() {
        out.json(&HotView { files, gaps })?;
    } else {
        for file in &files {
            writeln!(out, "{STRONG}{}{STRONG:#}", file.path)?;
            out.pieces("  ", &[("  ", FAINT, &file.say())])?;
        }
        if !found {
            out.note("no file stands out");
        }
        for gap in gaps {
            out.note(&gap);
        }
    }
    Ok(ExitCode::from(if found { 0 } else { NOTHING_FOUND }))
}
