//! `oldhand import scip`: what a compiler knows better than a reader.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Result;
use oldhand_code::index::IndexError;

use crate::cli::{Door, NOTHING_FOUND};
use crate::code;
use crate::failure::Failure;
use crate::input;
use crate::out::time::count;
use crate::view::graph::ScipView;

/// Take in a SCIP index, as compilers and language servers write it
///
/// Its references replace those that were guessed from names, for every file it covers, until that file changes.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  oldhand import scip index.scip
  oldhand import scip index.scip --json")]
pub(super) struct Args {
    file: PathBuf,
}

pub(super) fn run(args: &Args, door: &mut Door) -> Result<ExitCode> {
    let bytes = input::named_file_bytes(&args.file)?;
    let desk = code::open_desk_to_keep(&door.environment, &door.out)?;
    let mut index = code::open_index(&desk, &door.out)?;
    let files =
        code::import_scip(&mut index, &desk, &bytes).map_err(|error| refuse(error, args))?;
    let out = &mut door.out;
    if out.is_json() {
        out.json(&ScipView { files })?;
    } else if files == 0 {
        out.note("it covers no file of this project as it is now");
    } else {
        out.note(&format!(
            "the links of {} are precise now",
            count(files, "file")
        ));
    }
    Ok(ExitCode::from(if files == 0 { NOTHING_FOUND } else { 0 }))
}

fn refuse(error: IndexError, args: &Args) -> anyhow::Error {
    match error {
        IndexError::Scip(_) => {
            Failure::invalid(format!("{} is not a SCIP index", args.file.display()))
                .hint("scip-typescript, scip-python, rust-analyzer and scip-go write them")
                .into()
        }
        other => other.into(),
    }
}
