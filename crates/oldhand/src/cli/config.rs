//! `oldhand config`: what is set, where that was said, and setting it.

use std::io::Write;
use std::process::ExitCode;

use anyhow::Result;
use clap::Subcommand;

use super::Door;
use crate::config::{self, FILE, Layered, Origin, Problems, keys};
use crate::explain::Explained;
use crate::failure::Failure;
use crate::out::Out;
use crate::out::style::{FAINT, STRONG};
use crate::view::{SettingView, SettingsView};

/// Show and change settings
///
/// Settings come from, in this order, later ones winning: defaults, config.toml in OLDHAND_HOME, config.toml of the
/// project (kept beside its database, not in your repository), OLDHAND_* variables, flags.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  oldhand config show --origin
  oldhand config set search.limit 20
  oldhand config set --local methodology tdd")]
pub(crate) struct Args {
    #[command(subcommand)]
    command: Option<Command>,
}

#[derive(Subcommand)]
enum Command {
    /// List every setting
    Show {
        /// Also say where each value comes from
        #[arg(long)]
        origin: bool,
    },
    /// Print one setting
    Get { key: String },
    /// Change one setting
    Set {
        key: String,
        value: String,
        /// For this project only
        #[arg(long)]
        local: bool,
    },
}

pub(crate) fn run(args: Args, door: &mut Door) -> Result<ExitCode> {
    match args.command {
        None => show(false, door),
        Some(Command::Show { origin }) => show(origin, door),
        Some(Command::Get { key }) => get(&key, door),
        Some(Command::Set { key, value, local }) => set(&key, &value, local, door),
    }
}

fn show(with_origin: bool, door: &mut Door) -> Result<ExitCode> {
    let project = door.project_directory()?;
    let (layered, problems) = Layered::gather(&door.environment, project.as_deref());
    let views = layered
        .all()
        .iter()
        .map(|(key, value, origin)| SettingView::new(key, value, origin));
    let views: Vec<SettingView> = views.collect();
    if door.out.is_json() {
        door.out.json(&SettingsView { settings: views })?;
        tell(&problems, &door.out);
        return Ok(ExitCode::SUCCESS);
    }
    for (at, (key, value, origin)) in layered.all().iter().enumerate() {
        if at > 0 {
            writeln!(door.out)?;
        }
        let shown = match value.to_string() {
            text if text.is_empty() => "\"\"".to_owned(),
            text => text,
        };
        writeln!(door.out, "{STRONG}{}{STRONG:#} = {shown}", key.name)?;
        door.out.paragraph("  ", key.says)?;
        if with_origin {
            writeln!(door.out, "  {FAINT}from {}{FAINT:#}", describe(origin))?;
        }
    }
    tell(&problems, &door.out);
    Ok(ExitCode::SUCCESS)
}

/// What could not be read is not among what is shown, and other commands refuse to work until it is mended.
fn tell(problems: &Problems, out: &Out) {
    for problem in problems {
        let Explained { message, hint, .. } = Explained::of(problem);
        out.note(&message);
        if let Some(hint) = hint {
            out.hint(&hint);
        }
    }
}

fn get(name: &str, door: &mut Door) -> Result<ExitCode> {
    find(name)?;
    let project = door.project_directory()?;
    let layered = door.layered(project.as_deref())?;
    let (key, value, origin) = layered.get(name).expect("a key that was found has a value");
    if door.out.is_json() {
        door.out.json(&SettingView::new(key, value, origin))?;
    } else {
        writeln!(door.out, "{value}")?;
    }
    Ok(ExitCode::SUCCESS)
}

fn set(name: &str, text: &str, local: bool, door: &mut Door) -> Result<ExitCode> {
    let key = find(name)?;
    let value = key.parse(text).map_err(Failure::invalid)?;
    let folder = if local {
        door.project_directory()?.ok_or_else(|| {
            Failure::not_found("this project is not known yet")
                .hint("`oldhand init` makes it known")
        })?
    } else {
        door.environment.home.clone()
    };
    let path = folder.join(FILE);
    let unread = config::set(&path, key, &value)?;
    for line in unread {
        door.out.note(&format!(
            "line {line} of it could not be read and is a comment now"
        ));
    }
    if door.out.is_json() {
        let origin = Origin::File { path, line: 0 };
        door.out.json(&SettingView::new(key, &value, &origin))?;
    } else {
        writeln!(door.out, "{name} = {value} in {}", path.display())?;
    }
    // What other commands still refuse to work with.
    let project = door.project_directory()?;
    let (_, problems) = Layered::gather(&door.environment, project.as_deref());
    tell(&problems, &door.out);
    Ok(ExitCode::SUCCESS)
}

fn find(name: &str) -> Result<&'static keys::Key> {
    Ok(keys::find(name).map_err(|near| {
        Failure::invalid(format!("unknown key `{name}`")).hint(match near {
            Some(near) => format!("did you mean `{near}`?"),
            None => "`oldhand config show` lists every key".to_owned(),
        })
    })?)
}

fn describe(origin: &Origin) -> String {
    match origin {
        Origin::Default => "the default".to_owned(),
        Origin::File { path, line } => format!("{}:{line}", path.display()),
        Origin::Variable(name) => format!("the environment, {name}"),
    }
}
