//! The ways in which a client is told to call us and does not: switches, managed settings, approvals, each with its way out.

mod codex;
mod cursor;
mod gemini;

use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::config::Environment;
use crate::wire::{self, Client, Reach};

/// What a client reads beside our own lines.
pub(super) struct Surroundings<'a> {
    pub(super) environment: &'a Environment,
    pub(super) root: Option<&'a Path>,
    /// The same where it is a known project: nobody listens to others anyway.
    pub(super) project: Option<&'a Path>,
    pub(super) variable: &'a dyn Fn(&str) -> Option<PathBuf>,
    /// The text of a file, if it is there.
    pub(super) read: &'a dyn Fn(&Path) -> Option<String>,
    pub(super) has_hooks: bool,
    pub(super) has_server: bool,
}

/// What is wrong, and what to do about it.
pub(super) type Way = (String, String);

pub(super) fn ways(client: Client, surroundings: &Surroundings<'_>) -> Vec<Way> {
    match client {
        Client::ClaudeCode => claude_code(surroundings),
        Client::Codex => codex::ways(surroundings),
        Client::Gemini => gemini::ways(surroundings),
        Client::Cursor => cursor::ways(surroundings),
        Client::VsCode => vscode(surroundings),
        Client::OpenCode => opencode(surroundings),
        Client::Windsurf | Client::Zed => Vec::new(),
    }
}

/// What cannot be seen from here, and where to look.
pub(super) fn unseen(client: Client, around: &Surroundings<'_>) -> Option<Way> {
    (client == Client::Cursor && around.has_server).then(|| {
        (
            "whether the editor lets the server in cannot be seen from here: Cursor asks once for each server".to_owned(),
            "look under Settings › MCP".to_owned(),
        )
    })
}

impl Surroundings<'_> {
    fn folder(&self, client: Client) -> Option<PathBuf> {
        client.folder(self.environment)
    }

    /// A setting in the first of these files that has it, and which one that is.
    fn first(&self, files: &[PathBuf], path: &[&str]) -> Option<(Value, PathBuf)> {
        files.iter().find_map(|file| {
            let text = (self.read)(file)?;
            Some((wire::setting(&text, path)?, file.clone()))
        })
    }

    /// The file of these in which a switch stands so.
    fn switched(&self, files: &[PathBuf], path: &[&str], to: bool) -> Option<PathBuf> {
        files.iter().find_map(|file| {
            let text = (self.read)(file)?;
            (wire::setting(&text, path)? == Value::Bool(to)).then(|| file.clone())
        })
    }

    /// The file of these whose list at `path` names us.
    fn names_us(&self, files: &[PathBuf], path: &[&str]) -> Option<PathBuf> {
        files.iter().find_map(|file| {
            let text = (self.read)(file)?;
            lists_us(&wire::setting(&text, path)?).then(|| file.clone())
        })
    }

    fn repository(&self, names: &[&str]) -> Vec<PathBuf> {
        let root = self.root.into_iter();
        root.flat_map(|root| names.iter().map(move |name| root.join(name)))
            .collect()
    }
}

/// A list of names, or of objects with a `serverName`.
fn lists_us(list: &Value) -> bool {
    let is_us = |one: &Value| one == "oldhand" || one["serverName"] == "oldhand";
    list.as_array().is_some_and(|list| list.iter().any(is_us))
}

fn remove_there(file: &Path, what: &str) -> String {
    format!("remove `{what}` in {}", file.display())
}

fn claude_code(around: &Surroundings<'_>) -> Vec<Way> {
    let mut ways = Vec::new();
    let managed = managed_by_claude_code();
    let mut all = managed.clone();
    all.extend(
        around
            .folder(Client::ClaudeCode)
            .map(|folder| folder.join("settings.json")),
    );
    all.extend(around.repository(&[".claude/settings.json", ".claude/settings.local.json"]));
    if around.has_hooks {
        if let Some(file) = around.switched(&all, &["disableAllHooks"], true) {
            ways.push((
                format!("hooks are switched off in {}", file.display()),
                remove_there(&file, "disableAllHooks"),
            ));
        }
        if let Some(file) = around.switched(&managed, &["allowManagedHooksOnly"], true) {
            ways.push((
                format!(
                    "your organization allows its own hooks only, in {}",
                    file.display()
                ),
                "ask whoever manages it to allow Oldhand's hooks".to_owned(),
            ));
        }
    }
    if around.has_hooks
        && let Some(file) = around.switched(&all, &["enabledPlugins", "oldhand@oldhand"], true)
    {
        ways.push((
            format!(
                "it is connected twice: by its settings and by the plugin in {}",
                file.display()
            ),
            "`oldhand uninstall claude-code`, or remove the plugin in `claude` with `/plugin`"
                .to_owned(),
        ));
    }
    if !around.has_server {
        return ways;
    }
    for (list, said) in [
        ("deniedMcpServers", "the server is denied"),
        ("disabledMcpjsonServers", "the server is switched off"),
    ] {
        if let Some(file) = around.names_us(&all, &[list]) {
            ways.push((
                format!("{said} in {}", file.display()),
                remove_there(&file, list),
            ));
        }
    }
    if let Some((allowed, file)) = around.first(&managed, &["allowedMcpServers"])
        && !lists_us(&allowed)
    {
        ways.push((
            format!("only listed servers are allowed, in {}", file.display()),
            "ask whoever manages it to allow the server `oldhand`".to_owned(),
        ));
    }
    // What was switched off with `/mcp` is kept for each project.
    let places = Client::ClaudeCode.places(Reach::User, around.environment, Path::new(""));
    if let (Some(state), Some(root)) = (places.get(1), around.root) {
        let root = root.to_string_lossy();
        let is_off = ["disabledMcpServers", "disabledMcpjsonServers"]
            .into_iter()
            .any(|list| {
                let path = ["projects", root.as_ref(), list];
                let state = std::slice::from_ref(&state.path);
                around.names_us(state, &path).is_some()
            });
        if is_off {
            ways.push((
                "the server is switched off for this project".to_owned(),
                "in `claude`, `/mcp` switches it on again".to_owned(),
            ));
        }
    }
    ways
}

fn managed_by_claude_code() -> Vec<PathBuf> {
    let folder = if cfg!(target_os = "macos") {
        "/Library/Application Support/ClaudeCode"
    } else if cfg!(windows) {
        r"C:\Program Files\ClaudeCode"
    } else {
        "/etc/claude-code"
    };
    vec![Path::new(folder).join("managed-settings.json")]
}

/// Tools can be switched off by name, one by one or with a star.
fn opencode(around: &Surroundings<'_>) -> Vec<Way> {
    let mut files = around.repository(&["opencode.json", "opencode.jsonc"]);
    files.extend(
        around
            .folder(Client::OpenCode)
            .into_iter()
            .flat_map(|folder| ["opencode.json", "opencode.jsonc"].map(|name| folder.join(name))),
    );
    let mut ways: Vec<Way> = Vec::new();
    if around.has_hooks && (around.variable)("OPENCODE_PURE").is_some() {
        ways.push((
            "OPENCODE_PURE is set, so OpenCode loads no plugins".to_owned(),
            "unset it where OpenCode is started".to_owned(),
        ));
    }
    if !around.has_server {
        return ways;
    }
    let denied = files.iter().find(|file| {
        let rules = (around.read)(file).and_then(|text| wire::setting(&text, &["permission"]));
        let rules = rules.as_ref().and_then(Value::as_object);
        rules
            .into_iter()
            .flatten()
            .any(|(name, rule)| name.starts_with("oldhand") && rule == "deny")
    });
    ways.extend(denied.map(|file| {
        (
            format!("tools of the server are denied in {}", file.display()),
            remove_there(file, "permission"),
        )
    }));
    let off = files.into_iter().find(|file| {
        let tools = (around.read)(file).and_then(|text| wire::setting(&text, &["tools"]));
        let tools = tools.as_ref().and_then(Value::as_object);
        tools.into_iter().flatten().any(|(name, on)| {
            let is_ours = name.starts_with("oldhand") || name == "*";
            is_ours && *on == Value::Bool(false)
        })
    });
    ways.extend(off.map(|file| {
        (
            format!("tools of the server are switched off in {}", file.display()),
            remove_there(&file, "tools"),
        )
    }));
    ways
}

fn vscode(around: &Surroundings<'_>) -> Vec<Way> {
    let mut files = around.repository(&[".vscode/settings.json"]);
    files.extend(
        around
            .folder(Client::VsCode)
            .map(|folder| folder.join("settings.json")),
    );
    let access = around.first(&files, &["chat.mcp.access"]);
    let none = access.filter(|(access, _)| access == "none");
    let off = none
        .map(|(_, file)| file)
        .or_else(|| around.switched(&files, &["chat.mcp.enabled"], false));
    let way = off.map(|file| {
        (
            format!("MCP servers are switched off in {}", file.display()),
            "allow them in the setting `chat.mcp.access`".to_owned(),
        )
    });
    way.into_iter().collect()
}

#[cfg(test)]
mod tests;
