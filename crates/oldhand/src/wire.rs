//! Agents told to call us: which file each of them reads, what stands there, and how it goes away again.
//!
//! These files belong to other people. What is not ours keeps every byte, and a file that nobody changed since becomes what it
//! was before. Start reading at [`connect`] and [`disconnect`]: they say what would change, [`Change::carry_out`] does it.

mod hooks;
mod jsonc;
mod opencode;
mod record;

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};

use crate::agent::Agent;
use crate::config::Environment;
use crate::failure::Failure;
use crate::file;
use crate::input;
use record::Record;

pub(crate) use hooks::Hook;

/// The agents that can be told so.
pub(crate) const AGENTS: [Agent; 4] = [
    Agent::ClaudeCode,
    Agent::Codex,
    Agent::Gemini,
    Agent::OpenCode,
];

/// Whose settings are changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reach {
    /// The user's own, for every project that is known.
    User,
    /// The repository's, which others share.
    Repository,
}

/// What a file will be, and what it was.
pub(crate) struct Change {
    agent: Agent,
    pub(crate) path: PathBuf,
    pub(crate) before: Option<String>,
    /// `None` when there will be no file.
    pub(crate) after: Option<String>,
    step: Step,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Step {
    Connect,
    Disconnect,
}

/// What would have to change for `agent` to call us.
pub(crate) fn connect(
    agent: Agent,
    reach: Reach,
    environment: &Environment,
    root: &Path,
) -> Result<Change> {
    let path = file_of(agent, reach, environment, root)?;
    let before = read(&path)?;
    let binary = binary(reach)?;
    let after = match (agent, before.as_deref()) {
        (Agent::OpenCode, Some(text)) if !opencode::is_ours(text) => {
            return Err(taken(&path).into());
        }
        (Agent::OpenCode, _) => opencode::plugin(&binary),
        (_, before) => {
            let text = before.filter(|text| !text.trim().is_empty());
            let command = format!("{} hook {}", quoted(&binary), agent.as_str());
            hooks::add(text.unwrap_or("{}\n"), agent, &command).ok_or_else(|| strange(&path))?
        }
    };
    Ok(Change {
        agent,
        path,
        before,
        after: Some(after),
        step: Step::Connect,
    })
}

/// What would have to change for `agent` not to call us any more.
pub(crate) fn disconnect(
    agent: Agent,
    reach: Reach,
    environment: &Environment,
    root: &Path,
) -> Result<Change> {
    let path = file_of(agent, reach, environment, root)?;
    let before = read(&path)?;
    let record = Record::read(&environment.home, agent, &path);
    let after = match (&before, record) {
        (None, _) => None,
        // Nobody touched it since: it becomes what it was.
        (Some(text), Some(record)) if record.wrote(text) => record.original(),
        // The whole file is ours, or none of it.
        (Some(text), _) if agent == Agent::OpenCode => {
            (!opencode::is_ours(text)).then(|| text.clone())
        }
        (Some(text), _) => Some(hooks::remove(text, agent).ok_or_else(|| strange(&path))?),
    };
    Ok(Change {
        agent,
        path,
        before,
        after,
        step: Step::Disconnect,
    })
}

/// The hooks of ours in what [`file_of`] names.
pub(crate) fn find(text: &str, agent: Agent) -> Vec<Hook> {
    match agent {
        Agent::OpenCode => opencode::find(text),
        _ => hooks::find(text, agent),
    }
}

impl Change {
    pub(crate) fn is_needed(&self) -> bool {
        self.before != self.after
    }

    /// Writes the file, after putting what it was aside.
    pub(crate) fn carry_out(&self, home: &Path) -> Result<()> {
        match self.step {
            Step::Connect => {
                let after = self.after.as_deref().unwrap_or_default();
                Record::keep(home, self.agent, &self.path, self.before.as_deref(), after)?;
                if let Some(folder) = self.path.parent() {
                    fs::create_dir_all(folder).with_context(|| {
                        format!("could not make the folder {}", folder.display())
                    })?;
                }
                file::write_atomically(&self.path, after.as_bytes())
            }
            Step::Disconnect => {
                match &self.after {
                    Some(after) => file::write_atomically(&self.path, after.as_bytes())?,
                    None => fs::remove_file(&self.path)
                        .with_context(|| format!("could not remove {}", self.path.display()))?,
                }
                Record::forget(home, self.agent, &self.path)
            }
        }
    }
}

/// Where an agent reads its hooks from.
pub(crate) fn file_of(
    agent: Agent,
    reach: Reach,
    environment: &Environment,
    root: &Path,
) -> Result<PathBuf> {
    let (folder, name) = match agent {
        Agent::ClaudeCode => (".claude", "settings.json"),
        Agent::Codex => (".codex", "hooks.json"),
        Agent::Gemini => (".gemini", "settings.json"),
        Agent::OpenCode => (".opencode", "plugin/oldhand.js"),
        Agent::Cursor => {
            return Err(
                Failure::invalid(format!("{} cannot be wired yet", agent.as_str()))
                    .hint("docs/agents.md says what works with which agent")
                    .into(),
            );
        }
    };
    if reach == Reach::Repository {
        return Ok(root.join(folder).join(name));
    }
    let moved = match agent {
        Agent::ClaudeCode => Environment::other_variable("CLAUDE_CONFIG_DIR"),
        Agent::Codex => Environment::other_variable("CODEX_HOME"),
        Agent::OpenCode => {
            Environment::other_variable("XDG_CONFIG_HOME").map(|folder| folder.join("opencode"))
        }
        _ => Environment::other_variable("GEMINI_CLI_HOME").map(|home| home.join(folder)),
    };
    if let Some(moved) = moved {
        return Ok(moved.join(name));
    }
    let home = environment.user_home.as_ref().ok_or_else(|| {
        Failure::unavailable("could not find your home folder")
            .hint("set HOME, or use --local for this repository alone")
    })?;
    let folder = match agent {
        Agent::OpenCode => ".config/opencode",
        _ => folder,
    };
    Ok(home.join(folder).join(name))
}

/// What an agent runs. In a repository it is the bare name: others keep the binary elsewhere.
fn binary(reach: Reach) -> Result<String> {
    Ok(match reach {
        Reach::Repository => "oldhand".to_owned(),
        Reach::User => {
            let binary = std::env::current_exe().context("could not find out where oldhand is")?;
            binary.to_string_lossy().into_owned()
        }
    })
}

/// A path as a shell takes it.
fn quoted(path: &str) -> String {
    let plain =
        |c: char| c.is_ascii_alphanumeric() || matches!(c, '/' | '.' | '-' | '_' | '+' | ':');
    if path.chars().all(plain) {
        path.to_owned()
    } else if cfg!(windows) {
        format!("\"{path}\"")
    } else {
        format!("'{}'", path.replace('\'', r"'\''"))
    }
}

/// `None` where there is no such file.
pub(crate) fn read(path: &Path) -> Result<Option<String>> {
    match input::file(path) {
        Ok(text) => Ok(Some(text)),
        Err(error) => match error.downcast_ref::<io::Error>() {
            Some(missing) if missing.kind() == io::ErrorKind::NotFound => Ok(None),
            _ => Err(error),
        },
    }
}

fn taken(path: &Path) -> Failure {
    Failure::invalid(format!("{} is somebody else's file", path.display()))
        .hint("nothing was changed; give that file another name, then try again")
}

fn strange(path: &Path) -> Failure {
    Failure::invalid(format!(
        "{} is not what was expected: an object whose `hooks` are lists",
        path.display()
    ))
    .hint("nothing was changed; put the file right, then try again")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_quoted_when_a_shell_would_take_it_apart() {
        assert_eq!(quoted("/usr/bin/oldhand"), "/usr/bin/oldhand");
        #[cfg(unix)]
        assert_eq!(
            quoted("/my apps/it's/oldhand"),
            r"'/my apps/it'\''s/oldhand'"
        );
    }
}
