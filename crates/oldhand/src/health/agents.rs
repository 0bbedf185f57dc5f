//! Whether agents that were told to call us can: a hook that never runs says nothing about it.

use std::path::Path;

use super::Check;
use crate::agent::Agent;
use crate::config::Environment;
use crate::wire::{self, Hook, Reach};

/// One check per agent that is wired, for the user or in the repository at `root`.
pub(super) fn check_agents(environment: &Environment, root: Option<&Path>) -> Vec<Check> {
    let mut checks = Vec::new();
    for agent in wire::AGENTS {
        for reach in [Reach::User, Reach::Repository] {
            let root = match (reach, root) {
                (Reach::User, _) => Path::new(""),
                (Reach::Repository, Some(root)) => root,
                (Reach::Repository, None) => continue,
            };
            let Ok(path) = wire::file_of(agent, reach, environment, root) else {
                continue;
            };
            match wire::read(&path) {
                Ok(Some(text)) => checks.extend(check(agent, &path, &wire::find(&text, agent))),
                Ok(None) => {}
                Err(error) => checks.push(Check::failed(agent.as_str(), &error)),
            }
        }
    }
    checks
}

fn check(agent: Agent, path: &Path, hooks: &[Hook]) -> Option<Check> {
    let name = agent.as_str();
    let first = hooks.first()?;
    let again = format!("`oldhand install {name}` writes them anew");
    let gone = hooks
        .iter()
        .map(|hook| Path::new(hook.binary()))
        .find(|binary| binary.is_absolute() && !binary.exists());
    if let Some(binary) = gone {
        let detail = format!("its hooks run {}, which is not there", binary.display());
        return Some(Check::bad(name, detail, again));
    }
    if hooks.iter().any(|hook| hook.command != first.command) {
        return Some(Check::bad(
            name,
            format!("its hooks in {} differ", path.display()),
            again,
        ));
    }
    if agent == Agent::Codex && !is_approved(path) {
        return Some(Check::bad(
            name,
            format!(
                "the hooks in {} are not approved, so Codex skips them without a word",
                path.display()
            ),
            "start `codex` and approve the hooks when it asks",
        ));
    }
    Some(Check::good(
        name,
        format!("{} hooks in {}", hooks.len(), path.display()),
    ))
}

/// Codex notes what the user approved under the path of the file that names the hook.
fn is_approved(hooks: &Path) -> bool {
    let Some(folder) = hooks.parent() else {
        return false;
    };
    let Ok(text) = std::fs::read_to_string(folder.join("config.toml")) else {
        return false;
    };
    let Ok(config) = text.parse::<toml::Table>() else {
        return false;
    };
    let states = config
        .get("hooks")
        .and_then(|hooks| hooks.get("state"))
        .and_then(toml::Value::as_table);
    let beginning = format!("{}:", hooks.display());
    states.is_some_and(|states| {
        states
            .iter()
            .any(|(key, state)| key.starts_with(&beginning) && state.get("trusted_hash").is_some())
    })
}
