//! `oldhand job`: a command in the background's place. Hooks and `--detach` start it; people need not.

use std::io::Write as _;
use std::process::ExitCode;

use anyhow::Result;
use clap::Parser as _;

use super::{Cli, Door, answer};
use crate::config::Environment;
use crate::failure::Failure;
use crate::job;
use crate::project::{self, Found, Project};

/// Run a command as the background job of this project
///
/// One runs at a time; others wait in line. A job that was killed is gone on with by the next. `oldhand status` shows what runs,
/// how far it is, how the last one ended and where its log is. Hooks start jobs, and so does `--detach`.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  oldhand job session finalize --ended
  oldhand job reindex")]
pub(crate) struct Args {
    /// The command and its arguments
    #[arg(required = true, trailing_var_arg = true, allow_hyphen_values = true)]
    arguments: Vec<String>,
}

pub(crate) fn run(args: &Args, door: &mut Door) -> Result<ExitCode> {
    let project = known(&door.environment)?;
    let mut code = ExitCode::SUCCESS;
    let clock = || Environment::read(None).map_or(door.environment.now, |read| read.now);
    job::run(&project.directory, &args.arguments, clock, |arguments| {
        let words = std::iter::once("oldhand").chain(arguments.iter().map(String::as_str));
        let parsed = Cli::try_parse_from(words)
            .map_err(|error| Failure::invalid(error.kind().to_string()))?;
        if matches!(parsed.command, super::Command::Job(_)) {
            return Err(Failure::invalid("a job cannot run a job").into());
        }
        let mut own = Door {
            environment: Environment::read(Some(&project.location.root))?,
            out: door.out.again(),
        };
        code = answer(parsed.command, &mut own)?;
        own.out.flush()?;
        Ok(())
    })?;
    Ok(code)
}

/// Hands a command over to the background and says so.
pub(crate) fn hand_over(door: &mut Door, arguments: &[&str]) -> Result<ExitCode> {
    let project = known(&door.environment)?;
    job::start(&door.environment.home, &project, arguments)?;
    if door.out.is_json() {
        door.out
            .json(&serde_json::json!({ "outcome": "detached" }))?;
    } else {
        door.out
            .note("it runs in the background; `oldhand status` shows how far it is");
    }
    Ok(ExitCode::SUCCESS)
}

fn known(environment: &Environment) -> Result<Project> {
    let Environment {
        home,
        folder,
        user_home,
        ..
    } = environment;
    match project::find(home, folder, user_home.as_deref())? {
        Found::Known(project) => Ok(project),
        Found::Unknown(_) => Err(Failure::not_found("this project is not known")
            .hint("`oldhand init` makes it known")
            .into()),
    }
}
