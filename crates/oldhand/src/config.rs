//! The only reader of the environment and of settings: defaults ← user ← project ← `OLDHAND_*` ← flags.
//!
//! [`Environment`] is read once, when the process starts, and costs nothing but that. [`Settings`] are read by the
//! commands that need them; [`keys::KEYS`] is the whole list of what can be set.

pub(crate) mod keys;
mod layers;
mod readable;
mod session;
mod set;

use std::env;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context as _, Result};
use etcetera::BaseStrategy as _;
use jiff::Timestamp;
use oldhand_code::read::Generated;
use oldhand_domain::port::Embedder;
use oldhand_embed::MODELS;
use oldhand_observe::fold::FoldOptions;
use oldhand_recall::trust::TrustLevel;

pub(crate) use layers::{Layered, Origin, Problems};
pub(crate) use session::read_session_type;
pub(crate) use set::set;

use crate::failure::Failure;

/// The name of the settings file, in `OLDHAND_HOME` and in a project's directory.
pub(crate) const FILE: &str = "config.toml";

/// What the process was started with.
#[derive(Clone, Debug)]
pub(crate) struct Environment {
    /// Where everything is kept.
    pub(crate) home: PathBuf,
    /// Whether that is another place than the usual one.
    pub(crate) is_moved: bool,
    /// The person's own home, which is never a project of what lies below it.
    pub(crate) user_home: Option<PathBuf>,
    /// Where the project is looked for.
    pub(crate) folder: PathBuf,
    /// Whether `--project` said so.
    pub(crate) is_told_the_project: bool,
    /// Where the agent that called us was started, if it says so.
    pub(crate) agent_folder: Option<PathBuf>,
    pub(crate) now: Timestamp,
    pub(crate) seed: Option<u64>,
    /// `VISUAL`, else `EDITOR`.
    pub(crate) editor: Option<String>,
    /// Every `OLDHAND_*` variable, in the order of their names.
    variables: Vec<(String, OsString)>,
}

impl Environment {
    /// `project` is what `--project` said.
    pub(crate) fn read(project: Option<&Path>) -> Result<Self> {
        let mut variables: Vec<(String, OsString)> = env::vars_os()
            .filter_map(|(name, value)| Some((name.into_string().ok()?, value)))
            .filter(|(name, _)| name.starts_with("OLDHAND_"))
            .collect();
        variables.sort();
        let folder = env::current_dir().context("could not find out the current folder")?;
        let mut read = Self {
            home: PathBuf::new(),
            is_moved: false,
            user_home: etcetera::home_dir().ok(),
            folder: project.map_or(folder.clone(), |project| folder.join(project)),
            is_told_the_project: project.is_some(),
            agent_folder: ["CLAUDE_PROJECT_DIR", "GEMINI_PROJECT_DIR"]
                .iter()
                .find_map(|name| env::var_os(name).filter(|folder| !folder.is_empty()))
                .map(PathBuf::from),
            now: Timestamp::UNIX_EPOCH,
            seed: None,
            editor: ["VISUAL", "EDITOR"].iter().find_map(|name| {
                env::var(name)
                    .ok()
                    .filter(|editor| !editor.trim().is_empty())
            }),
            variables,
        };
        if read.is_told_the_project && !read.folder.exists() {
            let folder = read.folder.display();
            return Err(Failure::not_found(format!("there is no folder {folder}"))
                .hint("--project names the project's folder, or any folder inside it")
                .into());
        }
        if read.is_told_the_project && read.folder.is_file() {
            let file = read.folder.display();
            return Err(Failure::invalid(format!(
                "--project names a folder, and {file} is a file"
            ))
            .hint("name the project's folder, or any folder inside it")
            .into());
        }
        let told = read.variable("OLDHAND_HOME");
        let told = told
            .filter(|home| !home.is_empty())
            .map(|home| folder.join(home));
        match told {
            Some(home) => read.move_to(home),
            None => read.home = default_home()?,
        }
        read.now = read.look_at_the_clock()?;
        if let Some(text) = read.text("OLDHAND_TEST_SEED")? {
            let seed = text
                .parse()
                .map_err(|error| bad_variable("OLDHAND_TEST_SEED", "a whole number", error))?;
            read.seed = Some(seed);
        }
        Ok(read)
    }

    /// Everything is kept there.
    pub(crate) fn move_to(&mut self, home: PathBuf) {
        self.is_moved = usual_home().as_ref() != Some(&home);
        self.home = home;
    }

    /// Where everything is kept, as others are told.
    pub(crate) fn home_as_text(&self) -> Result<&str> {
        Ok(self.home.to_str().ok_or_else(|| {
            Failure::invalid("OLDHAND_HOME is not text")
                .hint("settings of agents can only name a folder whose name is UTF-8")
        })?)
    }

    /// For a process that lives on: the same, now.
    pub(crate) fn at_present(&self) -> Result<Self> {
        let now = self.look_at_the_clock()?;
        Ok(Self {
            now,
            ..self.clone()
        })
    }

    fn look_at_the_clock(&self) -> Result<Timestamp> {
        match self.text("OLDHAND_TEST_NOW")? {
            Some(text) => Ok(text
                .parse()
                .map_err(|error| bad_variable("OLDHAND_TEST_NOW", "a time in RFC 3339", error))?),
            None => Ok(whole_milliseconds(Timestamp::now())),
        }
    }

    /// Variables that look like ours and are not known: usually a slip of the pen.
    pub(crate) fn unknown_variables(&self) -> Vec<&str> {
        let known = |name: &str| {
            matches!(
                name,
                "OLDHAND_HOME" | "OLDHAND_TEST_NOW" | "OLDHAND_TEST_SEED"
            ) || session::VARIABLES.contains(&name)
                || keys::KEYS.iter().any(|key| key.variable() == name)
        };
        let names = self.variables.iter().map(|(name, _)| name.as_str());
        names.filter(|name| !known(name)).collect()
    }

    /// What another program's variable says, such as a folder.
    pub(crate) fn other_variable(name: &str) -> Option<PathBuf> {
        let folder = env::var_os(name).filter(|folder| !folder.is_empty());
        folder.map(PathBuf::from)
    }

    /// What the environment alone says of a hook's patience, which runs before any file is read.
    pub(crate) fn hook_deadline() -> Option<Duration> {
        let told = env::var("OLDHAND_HOOK_DEADLINE").ok()?;
        told.parse().ok().map(Duration::from_millis)
    }

    pub(crate) fn personal_database(&self) -> PathBuf {
        self.home.join("user.db")
    }

    fn variable(&self, name: &str) -> Option<&OsString> {
        let found = self.variables.iter().find(|(known, _)| known == name);
        found.map(|(_, value)| value)
    }

    fn text(&self, name: &str) -> Result<Option<&str>> {
        let Some(value) = self.variable(name).filter(|value| !value.is_empty()) else {
            return Ok(None);
        };
        let text = value
            .to_str()
            .ok_or_else(|| Failure::invalid(format!("{name} is not text")))?;
        Ok(Some(text))
    }
}

/// Finer than that is noise, in the database and in answers.
fn whole_milliseconds(now: Timestamp) -> Timestamp {
    Timestamp::from_millisecond(now.as_millisecond()).unwrap_or(now)
}

/// Where everything is kept where nothing else is said.
pub(crate) fn usual_home() -> Option<PathBuf> {
    default_home().ok()
}

fn default_home() -> Result<PathBuf> {
    let strategy = etcetera::base_strategy::choose_native_strategy().map_err(|error| {
        Failure::unavailable("could not find a folder for Oldhand's data")
            .because(error)
            .hint("set OLDHAND_HOME to a folder of your choice")
    })?;
    Ok(strategy.data_dir().join("oldhand"))
}

fn bad_variable(
    name: &str,
    wanted: &str,
    error: impl std::error::Error + Send + Sync + 'static,
) -> Failure {
    Failure::invalid(format!("{name} is not {wanted}")).because(error)
}

/// Every setting, checked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Settings {
    pub(crate) code: CodeSettings,
    pub(crate) editor: Option<String>,
    pub(crate) hook_deadline: Duration,
    pub(crate) list_limit: usize,
    pub(crate) listening: Listening,
    pub(crate) methodology: String,
    /// What makes the vectors of memories.
    model: String,
    pub(crate) personal: Personal,
    pub(crate) search_limit: usize,
    /// MCP servers whose answers are no outside text.
    trusted_servers: Vec<String>,
    /// `None` takes what was earned.
    pub(crate) trust: Option<TrustLevel>,
}

/// Whether agents are heard and answered here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Listening {
    On,
    /// Nothing that agents do is written down, and they are told nothing, whoever asks.
    Off,
}

/// What of a tree is read for the code graph.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct CodeSettings {
    /// Names of folders that are left out.
    pub(crate) skip: Vec<String>,
    pub(crate) vendored: Vendored,
    pub(crate) generated: Generated,
    /// Larger files, in bytes, are known by name only.
    pub(crate) largest: u64,
}

/// Whether the usual folders of what others wrote and of what builds made are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Vendored {
    LeftOut,
    Read,
}

/// Whether a person's own memories are looked at beside the project's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Personal {
    Included,
    LeftOut,
}

impl Settings {
    /// `project` is the directory of the project's state, where there is one.
    pub(crate) fn read(environment: &Environment, project: Option<&Path>) -> Result<Self> {
        Ok(Self::from(&Layered::read(environment, project)?))
    }
}

impl Settings {
    /// The model that is chosen.
    pub(crate) fn embedder(&self) -> &'static dyn Embedder {
        let chosen = MODELS.into_iter().find(|model| model.model() == self.model);
        chosen.unwrap_or(MODELS[0])
    }

    /// How journals are read here.
    pub(crate) fn fold_options(&self) -> FoldOptions {
        FoldOptions::trusting(self.trusted_servers.iter().cloned())
    }
}

/// What stands between commas.
fn names(listed: &str) -> Vec<String> {
    let names = listed.split(',').map(str::trim);
    names
        .filter(|name| !name.is_empty())
        .map(str::to_owned)
        .collect()
}

impl From<&Layered> for Settings {
    fn from(layered: &Layered) -> Self {
        Self {
            code: CodeSettings {
                skip: names(&layered.text("code.skip")),
                vendored: if layered.is_on("code.vendored") {
                    Vendored::Read
                } else {
                    Vendored::LeftOut
                },
                generated: if layered.is_on("code.generated") {
                    Generated::Read
                } else {
                    Generated::Skip
                },
                largest: (layered.number("code.largest") as u64) << 10,
            },
            editor: Some(layered.text("editor")).filter(|editor| !editor.is_empty()),
            hook_deadline: Duration::from_millis(layered.number("hook.deadline") as u64),
            list_limit: layered.number("list.limit"),
            listening: if layered.is_on("enabled") {
                Listening::On
            } else {
                Listening::Off
            },
            methodology: layered.text("methodology"),
            model: layered.text("model"),
            personal: if layered.is_on("personal.include") {
                Personal::Included
            } else {
                Personal::LeftOut
            },
            search_limit: layered.number("search.limit"),
            trusted_servers: names(&layered.text("servers.trusted")),
            trust: layered.text("trust").parse().ok(),
        }
    }
}
