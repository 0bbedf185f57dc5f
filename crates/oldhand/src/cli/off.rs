//! `oldhand off`: agents are neither heard nor told anything in this project.

use std::io::Write;
use std::process::ExitCode;

use anyhow::Result;

use super::Door;
use crate::config::{self, FILE, Listening, Settings, keys};
use crate::failure::Failure;
use crate::out::style::STRONG;
use crate::project::{self, Found};
use crate::view::status::SwitchView;

/// Switch Oldhand off for agents in this project, at once
///
/// From the next call on nothing that agents do here is written down, they are told nothing, and tools over MCP refuse; sessions that
/// run already are no exception. Memories stay, and you can still search, teach and review. `oldhand on` switches it on again;
/// `oldhand status` and `oldhand doctor` say that it is off.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  oldhand off
  oldhand off --project ../shop
  oldhand on")]
pub(crate) struct Args {}

pub(crate) fn run(_args: &Args, door: &mut Door) -> Result<ExitCode> {
    switch(Listening::Off, door)
}

/// Writes the switch into the settings of this project, which lie beside its database.
pub(super) fn switch(to: Listening, door: &mut Door) -> Result<ExitCode> {
    let environment = &door.environment;
    let found = project::find(
        &environment.home,
        &environment.folder,
        environment.user_home.as_deref(),
    )?;
    let Found::Known(project) = found else {
        return Err(Failure::not_found("this project is not known yet")
            .hint("nothing is heard here before `oldhand init` makes it known")
            .into());
    };
    let key = keys::find("enabled").map_err(|_| Failure::invalid("there is no such setting"))?;
    let value = keys::Value::Switch(to == Listening::On);
    config::set(&project.directory.join(FILE), key, &value)?;
    let holds = Settings::read(environment, Some(&project.directory))?.listening;
    if holds != to {
        door.out.note(&format!(
            "{} says otherwise and goes before what is set here",
            key.variable()
        ));
    }
    let out = &mut door.out;
    if out.is_json() {
        out.json(&SwitchView {
            project: project.name,
            enabled: holds == Listening::On,
        })?;
        return Ok(ExitCode::SUCCESS);
    }
    let name = project.name;
    match holds {
        Listening::On => writeln!(
            out,
            "{STRONG}{name}{STRONG:#} is on: agents that are connected are heard and told what is known"
        )?,
        Listening::Off => {
            writeln!(
                out,
                "{STRONG}{name}{STRONG:#} is off: nothing that agents do here is written down, and they are told nothing"
            )?;
            out.hint("`oldhand on` switches it on again");
        }
    }
    Ok(ExitCode::SUCCESS)
}
