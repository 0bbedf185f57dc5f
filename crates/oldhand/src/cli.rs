//! The command line: one file per command, and the way from arguments to an exit code.

mod alone;
pub(crate) mod backup;
mod changed;
mod completions;
mod config;
mod context;
mod coupled;
mod deps;
mod doctor;
pub(crate) mod edit;
mod errors;
mod export;
mod flag;
mod flow;
pub(crate) mod forget;
mod help;
mod hook;
mod hot;
mod impact;
pub(crate) mod import;
pub(crate) mod init;
mod install;
mod job;
mod list;
mod locate_symbol;
mod map;
mod mcp;
mod model;
mod most;
pub(crate) mod narrow;
mod off;
mod on;
mod outline;
mod pin;
mod prune;
mod recipe;
mod refs;
mod reindex;
mod remember;
mod restore;
mod review;
mod search;
pub(crate) mod session;
mod show;
pub(crate) mod status;
mod trust;
mod uninstall;
mod unpin;
mod up;
mod verify;
mod version;
mod words;

use std::ffi::OsString;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anstream::ColorChoice;
use anyhow::Result;
use clap::{Parser, Subcommand, ValueEnum};
use oldhand_domain::id::MemoryId;
use oldhand_engine::Shelf;

use crate::config::{Environment, Layered};
use crate::desk::{Desk, Purpose};
use crate::explain::{self, Explained};
use crate::failure::Failure;
use crate::heap;
use crate::out::time::count;
use crate::out::wrap::shorten;
use crate::out::{self, Format, Out};

/// The memory of AI coding agents: what turned out to be true here, ready when it is needed.
#[derive(Parser)]
#[command(
    name = "oldhand",
    version,
    max_term_width = 80,
    disable_help_subcommand = true
)]
pub(crate) struct Cli {
    #[command(flatten)]
    global: Global,
    #[command(subcommand)]
    command: Command,
}

/// The heading of options that every command has.
const EVERYWHERE: &str = "Everywhere";

#[derive(Default, clap::Args)]
#[cfg_attr(test, derive(Debug))]
struct Global {
    /// Answer in JSON; the shapes are stable and described in docs/json.md
    #[arg(long, global = true, help_heading = EVERYWHERE)]
    json: bool,
    /// The project to work on: any folder inside it
    #[arg(long, global = true, value_name = "DIR", help_heading = EVERYWHERE)]
    project: Option<PathBuf>,
    /// When to use colours
    #[arg(long, global = true, value_name = "WHEN", help_heading = EVERYWHERE)]
    color: Option<Color>,
}

#[derive(Clone, Copy, ValueEnum)]
#[cfg_attr(test, derive(Debug))]
enum Color {
    Auto,
    Always,
    Never,
}

#[derive(Subcommand)]
enum Command {
    Init(init::Args),
    Status(status::Args),
    Remember(remember::Args),
    Search(search::Args),
    List(list::Args),
    Show(show::Args),
    Context(context::Args),
    Edit(edit::Args),
    Pin(pin::Args),
    Unpin(unpin::Args),
    Verify(verify::Args),
    Flag(flag::Args),
    Review(review::Args),
    Trust(trust::Args),
    Forget(forget::Args),
    Restore(restore::Args),
    Impact(impact::Args),
    Deps(deps::Args),
    Refs(refs::Args),
    Flow(flow::Args),
    Where(locate_symbol::Args),
    Outline(outline::Args),
    Map(map::Args),
    Coupled(coupled::Args),
    Hot(hot::Args),
    Import(import::Args),
    Export(export::Args),
    Session(session::Args),
    Errors(errors::Args),
    Recipe(recipe::Args),
    Install(install::Args),
    Uninstall(uninstall::Args),
    Off(off::Args),
    On(on::Args),
    Hook(hook::Args),
    Job(job::Args),
    Mcp(mcp::Args),
    Up(up::Args),
    Backup(backup::Args),
    Prune(prune::Args),
    Reindex(reindex::Args),
    Model(model::Args),
    Doctor(doctor::Args),
    Config(config::Args),
    Completions(completions::Args),
    Version(version::Args),
    Help(help::Args),
}

/// What every command is given: where it was started, and where its answer goes.
pub(crate) struct Door {
    pub(crate) environment: Environment,
    pub(crate) out: Out,
}

impl Door {
    /// Leaves a desk at which something was looked up, and what was found there. Closing a database and giving memory back piece by piece takes longer
    /// than ending with both; it is done where the process goes on.
    fn leave<T>(&self, desk: Desk, found: T) {
        if !self.out.is_kept() {
            if desk.is_aside_for_now() {
                // Files that somebody has mapped are not removed everywhere.
                drop(found);
            } else {
                std::mem::forget(found);
            }
            desk.leave_open();
        }
    }
}

/// The exit code of a question whose answer is that there is nothing.
pub(crate) const NOTHING_FOUND: u8 = 1;

pub(crate) fn run(arguments: impl Iterator<Item = OsString>) -> ExitCode {
    let mut arguments: Vec<OsString> = arguments.collect();
    heap::fit(arguments.get(1).map(OsString::as_os_str));
    if hook::answer(&arguments) {
        return ExitCode::SUCCESS;
    }
    install::name_project(&mut arguments);
    let cli = match alone::parse(&arguments).map_or_else(|| Cli::try_parse_from(&arguments), Ok) {
        Ok(cli) => cli,
        Err(error) => return refuse(&import::explained(error, &arguments), &arguments),
    };
    let format = if cli.global.json {
        Format::Json
    } else {
        Format::Human
    };
    let environment = match Environment::read(cli.global.project.as_deref()) {
        Ok(environment) => environment,
        Err(error) => return fail(&error, &Out::new(format, ColorChoice::Auto)),
    };
    let colors = choose_colors(cli.global.color, &environment);
    oldhand_store::tell_of_waiting(out::tell_waiting);
    let mut door = Door {
        environment,
        out: Out::new(format, colors),
    };
    let was_there = door.environment.home.exists();
    let needs_a_home = cli.command.needs_a_home();
    let answered = answer(cli.command, &mut door).and_then(|code| {
        door.out.finish()?;
        Ok(code)
    });
    if needs_a_home && !was_there {
        tell_missing_home(&door);
    }
    match answered {
        Ok(code) => code,
        Err(error) if explain::is_broken_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            // What was answered before the failure is still an answer.
            let _ = door.out.flush();
            let mut explained = Explained::of(&error);
            explained.hint = name_candidates(&error, &door).or(explained.hint);
            tell_failure(&explained, &door.out)
        }
    }
}

fn answer(command: Command, door: &mut Door) -> Result<ExitCode> {
    match command {
        Command::Init(args) => init::run(&args, door),
        Command::Status(args) => status::run(&args, door),
        Command::Remember(args) => remember::run(args, door),
        Command::Search(args) => search::run(&args, door),
        Command::List(args) => list::run(args, door),
        Command::Show(args) => show::run(&args, door),
        Command::Context(args) => context::run(&args, door),
        Command::Edit(args) => edit::run(&args, door),
        Command::Pin(args) => pin::run(&args, door),
        Command::Unpin(args) => unpin::run(&args, door),
        Command::Verify(args) => verify::run(&args, door),
        Command::Flag(args) => flag::run(&args, door),
        Command::Review(args) => review::run(&args, door),
        Command::Trust(args) => trust::run(&args, door),
        Command::Forget(args) => forget::run(&args, door),
        Command::Restore(args) => restore::run(&args, door),
        Command::Impact(args) => impact::run(&args, door),
        Command::Deps(args) => deps::run(&args, door),
        Command::Refs(args) => refs::run(&args, door),
        Command::Flow(args) => flow::run(&args, door),
        Command::Where(args) => locate_symbol::run(&args, door),
        Command::Outline(args) => outline::run(&args, door),
        Command::Map(args) => map::run(&args, door),
        Command::Coupled(args) => coupled::run(&args, door),
        Command::Hot(args) => hot::run(&args, door),
        Command::Import(args) => import::run(args, door),
        Command::Export(args) => export::run(args, door),
        Command::Session(args) => session::run(args, door),
        Command::Errors(args) => errors::run(&args, door),
        Command::Recipe(args) => recipe::run(&args, door),
        Command::Install(args) => install::run(&args, door),
        Command::Uninstall(args) => uninstall::run(&args, door),
        Command::Off(args) => off::run(&args, door),
        Command::On(args) => on::run(&args, door),
        Command::Hook(args) => {
            hook::run(&args);
            Ok(ExitCode::SUCCESS)
        }
        Command::Mcp(args) => mcp::run(&args, door),
        Command::Up(args) => up::run(&args, door),
        Command::Job(args) => job::run(&args, door),
        Command::Backup(args) => backup::run(&args, door),
        Command::Doctor(args) => doctor::run(&args, door),
        Command::Prune(args) => prune::run(&args, door),
        Command::Reindex(args) => reindex::run(&args, door),
        Command::Model(args) => model::run(&args, door),
        Command::Config(args) => config::run(args, door),
        Command::Completions(args) => completions::run(&args, door),
        Command::Version(args) => version::run(&args, door),
        Command::Help(args) => help::run(&args),
    }
}

/// Answers a command for another door: the JSON it would print, and what it would note beside it. Arguments that begin
/// with a dash are options; what others gave goes behind `--`.
pub(crate) fn ask(
    arguments: &[&str],
    environment: &Environment,
) -> Result<(serde_json::Value, Vec<String>)> {
    let words = std::iter::once("oldhand").chain(arguments.iter().copied());
    let cli = Cli::try_parse_from(words).map_err(|error| unheard(&error))?;
    let mut door = Door {
        environment: environment.clone(),
        out: Out::kept(),
    };
    answer(cli.command, &mut door)?;
    let (json, notes) = door.out.take();
    Ok((serde_json::from_slice(&json)?, notes))
}

/// What is wrong with words that no person typed, in one line.
fn unheard(error: &clap::Error) -> Failure {
    let told = error.render().to_string();
    let first = told.lines().next().unwrap_or_default();
    Failure::invalid(first.trim_start_matches("error: "))
}

impl Command {
    /// Whether what it says depends on what is kept, and a person reads it.
    fn needs_a_home(&self) -> bool {
        !matches!(
            self,
            Self::Hook(_) | Self::Mcp(_) | Self::Completions(_) | Self::Version(_) | Self::Help(_)
        )
    }
}

/// A slip of the pen in OLDHAND_HOME looks as if nothing had ever been learned.
fn tell_missing_home(door: &Door) {
    let home = &door.environment.home;
    if door.environment.is_moved && !home.exists() {
        door.out.note(&format!(
            "OLDHAND_HOME is {}, which does not exist: nothing is known there",
            home.display()
        ));
    }
}

fn fail(error: &anyhow::Error, out: &Out) -> ExitCode {
    tell_failure(&Explained::of(error), out)
}

fn tell_failure(explained: &Explained, out: &Out) -> ExitCode {
    out.fail(explained);
    ExitCode::from(explained.exit_code())
}

/// When an id could be that of several memories: what each of them says.
fn name_candidates(error: &anyhow::Error, door: &Door) -> Option<String> {
    const COLUMNS: usize = 40;
    let candidates = explain::candidates(error)?;
    let desk = Desk::open(&door.environment, Purpose::Look, &door.out).ok()?;
    let named = candidates.iter().take(explain::MOST_CANDIDATES).map(|id| {
        let says = match desk.engine().show(&id.to_string()) {
            Ok(shelved) => shorten(shelved.memory.summary.as_str(), COLUMNS),
            Err(_) => "cannot be read".to_owned(),
        };
        format!("{} ({says})", id.short())
    });
    let named: Vec<String> = named.collect();
    let rest = candidates.len() - named.len();
    let more = match rest {
        0 => String::new(),
        _ => format!(", and {rest} more"),
    };
    Some(format!("it could be {}{more}", named.join(", ")))
}

/// Arguments that cannot be understood, or a question about them.
fn refuse(error: &clap::Error, arguments: &[OsString]) -> ExitCode {
    let asks_for_json = arguments.iter().any(|argument| argument == "--json");
    if error.use_stderr() && asks_for_json {
        let message = error.render().to_string();
        let told = message
            .lines()
            .find_map(|line| line.strip_prefix("error: "));
        // Without a command there is no error to read, only the help.
        let first = told.unwrap_or("the command is not complete");
        let mut tips = message.lines().map(str::trim_start);
        let tip = tips.find_map(|line| line.strip_prefix("tip: "));
        let failure = Failure::invalid(first).hint(tip.unwrap_or(
            "`oldhand --help` shows the commands, `oldhand COMMAND --help` their options",
        ));
        return fail(&failure.into(), &Out::new(Format::Json, ColorChoice::Auto));
    }
    // A closed terminal cannot be told anything.
    let _ = error.print();
    ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(2))
}

/// Broken settings are told by the commands that need them; here they mean the default.
fn choose_colors(flag: Option<Color>, environment: &Environment) -> ColorChoice {
    match flag {
        Some(Color::Auto) => ColorChoice::Auto,
        Some(Color::Always) => ColorChoice::Always,
        Some(Color::Never) => ColorChoice::Never,
        None => match Layered::read(environment, None) {
            Ok(layered) => layered.colors(),
            Err(_) => ColorChoice::Auto,
        },
    }
}

impl Door {
    /// Where the state of the project is, if it is known; settings of its own are there.
    fn project_directory(&self) -> Result<Option<PathBuf>> {
        let Environment {
            home,
            folder,
            user_home,
            ..
        } = &self.environment;
        Ok(
            match crate::project::find(home, folder, user_home.as_deref())? {
                crate::project::Found::Known(project) => Some(project.directory),
                crate::project::Found::Unknown(_) => None,
            },
        )
    }

    fn layered(&self, project: Option<&Path>) -> Result<Layered> {
        Layered::read(&self.environment, project)
    }
}

/// A name that is given and says nothing is a slip, such as an empty variable of a script.
fn refuse_empty(given: Option<&str>, hint: &str) -> Result<()> {
    match given {
        Some(given) if given.trim().is_empty() => {
            Err(Failure::invalid("there are no words to look for")
                .hint(hint)
                .into())
        }
        _ => Ok(()),
    }
}

/// Memories whose words are not the ones that were written are never shown as if they were sound.
fn tell_damaged(out: &Out, damaged: &[(Shelf, MemoryId)]) {
    if damaged.is_empty() {
        return;
    }
    let ids: Vec<String> = damaged.iter().map(|(_, id)| id.short()).collect();
    out.note(&format!(
        "{} left out because of damage: {}",
        count(damaged.len(), "memory"),
        ids.join(", ")
    ));
    out.hint("`oldhand doctor` tells more");
}
