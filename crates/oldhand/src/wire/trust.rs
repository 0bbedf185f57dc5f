//! The approval of Codex: it runs no hook that its user did not approve, and says nothing about it.
//!
//! Codex itself says what a hook's digest is, so that what is approved here is what Codex would have asked about.

use std::io::{BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::time::Duration;

use anyhow::{Context as _, Result};
use serde_json::{Value, json};
use toml_edit::{DocumentMut, Item, Table, value};

use super::hooks::Spot;
use super::servers::Shape;
use super::{Change, Client, Piece, Step, hooks, read, servers};
use crate::agent::Agent;

/// Codex reads a few files to answer.
const PATIENCE: Duration = Duration::from_secs(20);

/// A hook of ours that Codex knows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct KnownHook {
    key: String,
    digest: String,
    pub(crate) standing: Standing,
    /// It was not switched off by its user.
    pub(crate) is_on: bool,
}

/// Whether the user of Codex approved a hook.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Standing {
    Approved,
    /// It was, and is another one since.
    Changed,
    New,
}

impl KnownHook {
    pub(crate) fn is_approved(&self) -> bool {
        self.standing == Standing::Approved
    }
}

/// What Codex thinks of our hooks in `hooks_file`, asked of Codex itself.
pub(crate) fn ask(hooks_file: &Path, folder: &Path) -> Result<Vec<KnownHook>> {
    let mut child = Command::new("codex")
        .arg("app-server")
        .current_dir(folder)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .context("`codex` could not be started")?;
    let listed = converse(&mut child, folder);
    // It has no work to lose.
    let _ = child.kill();
    let _ = child.wait();
    let listed = listed?;
    let wanted = keys(hooks_file);
    let all = listed["data"].as_array().into_iter().flatten();
    let hooks = all.flat_map(|place| place["hooks"].as_array().into_iter().flatten());
    let known = hooks.filter_map(|hook| {
        let key = hook["key"].as_str()?;
        let ours = wanted.iter().any(|wanted| same_key(wanted, key));
        ours.then(|| KnownHook {
            key: key.to_owned(),
            digest: hook["currentHash"].as_str().unwrap_or_default().to_owned(),
            standing: match hook["trustStatus"].as_str() {
                Some("trusted" | "managed") => Standing::Approved,
                Some("modified") => Standing::Changed,
                _ => Standing::New,
            },
            is_on: hook["enabled"] != false,
        })
    });
    Ok(known.collect())
}

fn converse(child: &mut Child, folder: &Path) -> Result<Value> {
    let mut to = child.stdin.take().context("codex does not listen")?;
    let from = child.stdout.take().context("codex does not speak")?;
    let (sender, receiver) = mpsc::channel();
    // Ends with the process: its output ends then.
    let listen = move || {
        for line in BufReader::new(from).lines().map_while(Result::ok) {
            if let Ok(message) = serde_json::from_str::<Value>(&line)
                && sender.send(message).is_err()
            {
                return;
            }
        }
    };
    std::thread::Builder::new()
        .spawn(listen)
        .context("there is no thread to listen to codex")?;
    let mut request = |id: u64, method: &str, params: Value| -> Result<Value> {
        let message = json!({ "id": id, "method": method, "params": params });
        writeln!(to, "{message}")?;
        to.flush()?;
        loop {
            let heard = receiver
                .recv_timeout(PATIENCE)
                .with_context(|| format!("codex did not answer {method}"))?;
            if heard["id"] == id {
                return Ok(heard);
            }
        }
    };
    let who = json!({ "name": "oldhand", "version": env!("CARGO_PKG_VERSION") });
    request(1, "initialize", json!({ "clientInfo": who }))?;
    let listed = request(2, "hooks/list", json!({ "cwds": [folder] }))?;
    let result = listed.get("result").cloned();
    result.with_context(|| format!("codex cannot list its hooks: {}", listed["error"]))
}

/// What would have to change for these hooks to be approved.
pub(crate) fn approve(hooks: &[KnownHook], config: &Path) -> Result<Option<Change>> {
    let before = read(config)?;
    let text = before.clone().unwrap_or_default();
    let mut document: DocumentMut = text
        .parse()
        .with_context(|| format!("{} is not TOML", config.display()))?;
    let mut implicit = Table::new();
    implicit.set_implicit(true);
    let states = document
        .entry("hooks")
        .or_insert_with(|| Item::Table(implicit.clone()))
        .as_table_like_mut()
        .and_then(|hooks| {
            hooks
                .entry("state")
                .or_insert_with(|| Item::Table(implicit.clone()))
                .as_table_like_mut()
        });
    let Some(states) = states else {
        return Ok(None);
    };
    for hook in hooks.iter().filter(|hook| !hook.is_approved()) {
        // What else a person set for the hook stays.
        let state = states
            .entry(&hook.key)
            .or_insert_with(|| Item::Table(Table::new()));
        let Some(state) = state.as_table_like_mut() else {
            return Ok(None);
        };
        state.insert("trusted_hash", value(hook.digest.as_str()));
    }
    Ok(Some(Change {
        client: Client::Codex,
        path: config.to_owned(),
        before,
        after: Some(servers::written_like(&text, &document)),
        pieces: vec![Piece::Server(Shape::Codex)],
        step: Step::Connect,
    }))
}

/// The text of `config.toml` without the approval of our hooks. `None` when it cannot be read.
pub(super) fn withdraw(text: &str, hooks_file: &Path) -> Option<String> {
    let mut document: DocumentMut = text.parse().ok()?;
    let hooks = document.get_mut("hooks")?.as_table_like_mut()?;
    let states = hooks.get_mut("state")?.as_table_like_mut()?;
    for key in keys(hooks_file) {
        let found: Vec<String> = states
            .iter()
            .map(|(known, _)| known.to_owned())
            .filter(|known| same_key(known, &key))
            .collect();
        for known in found {
            states.remove(&known);
        }
    }
    if states.is_empty() {
        hooks.remove("state");
    }
    if hooks.is_empty() {
        document.remove("hooks");
    }
    Some(servers::written_like(text, &document))
}

/// Those of our hooks that nobody approved, by what `config.toml` says. Whether they changed since only Codex knows.
pub(crate) fn unapproved(hooks_file: &Path, config: &str) -> Vec<String> {
    let config: toml::Table = config.parse().unwrap_or_default();
    let states = config
        .get("hooks")
        .and_then(|hooks| hooks.get("state"))
        .and_then(toml::Value::as_table);
    let is_approved = |key: &String| {
        states.is_some_and(|states| {
            states
                .iter()
                .any(|(known, state)| same_key(known, key) && state.get("trusted_hash").is_some())
        })
    };
    let mut keys = keys(hooks_file);
    keys.retain(|key| !is_approved(key));
    keys
}

/// What Codex calls our hooks: file, event, and two places.
fn keys(hooks_file: &Path) -> Vec<String> {
    let text = read(hooks_file).ok().flatten().unwrap_or_default();
    let spots = hooks::spots(&text, Agent::Codex);
    let spots = spots.into_iter().map(|spot| {
        let Spot {
            event, group, hook, ..
        } = spot;
        format!("{}:{}:{group}:{hook}", hooks_file.display(), snake(&event))
    });
    spots.collect()
}

/// The same hook of the same file, whatever links lead there.
fn same_key(a: &str, b: &str) -> bool {
    let parts = |key: &str| {
        let mut parts = key.rsplitn(4, ':');
        let place: Vec<String> = parts.by_ref().take(3).map(str::to_owned).collect();
        let path = PathBuf::from(parts.next().unwrap_or_default());
        (place, path.canonicalize().unwrap_or(path))
    };
    a == b || parts(a) == parts(b)
}

fn snake(event: &str) -> String {
    let mut words = String::new();
    for letter in event.chars() {
        if letter.is_uppercase() && !words.is_empty() {
            words.push('_');
        }
        words.extend(letter.to_lowercase());
    }
    words
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn approval_is_given_once_and_goes_again() {
        let folder = tempfile::tempdir().unwrap();
        let hooks_file = folder.path().join("hooks.json");
        let text = hooks::add("{}\n", Agent::Codex, "oldhand hook codex").unwrap();
        fs::write(&hooks_file, text).unwrap();
        let config = folder.path().join("config.toml");
        let theirs = "model = \"o5\" # mine\n\n[hooks.state.\"/else/hooks.json:stop:0:0\"]\ntrusted_hash = \"sha256:1\"\n";
        fs::write(&config, theirs).unwrap();
        let all = unapproved(&hooks_file, theirs);
        assert!(
            all.iter()
                .any(|key| key.ends_with(":user_prompt_submit:0:0")),
            "{all:?}"
        );
        let known: Vec<KnownHook> = all
            .iter()
            .map(|key| KnownHook {
                key: key.clone(),
                digest: "sha256:2".to_owned(),
                standing: Standing::New,
                is_on: true,
            })
            .collect();
        let change = approve(&known, &config).unwrap().unwrap();
        let approved = change.after.unwrap();
        assert!(approved.starts_with(theirs), "{approved}");
        assert_eq!(unapproved(&hooks_file, &approved), [""; 0]);
        assert_eq!(withdraw(&approved, &hooks_file).as_deref(), Some(theirs));

        let off = format!("[hooks.state.\"{}\"]\r\nenabled = false\r\n", known[0].key);
        fs::write(&config, &off).unwrap();
        let change = approve(&known, &config).unwrap().unwrap();
        let approved = change.after.unwrap();
        let wanted = format!("{off}trusted_hash = \"sha256:2\"\r\n");
        assert!(approved.starts_with(&wanted), "{approved}");
    }
}
