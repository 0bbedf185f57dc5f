//! The ways in which a client is told to call us and does not: switches, managed settings, approvals, each with its way out.

use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::config::Environment;
use crate::wire::{self, Client, Reach};

/// What a client reads beside our own lines.
pub(super) struct Surroundings<'a> {
    pub(super) environment: &'a Environment,
    pub(super) root: Option<&'a Path>,
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
        Client::Codex => codex(surroundings),
        Client::Gemini => gemini(surroundings),
        Client::Cursor => cursor(surroundings),
        Client::VsCode => vscode(surroundings),
        Client::OpenCode => opencode(surroundings),
        Client::Windsurf | Client::Zed => Vec::new(),
    }
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
        let path = ["projects", root.as_ref(), "disabledMcpServers"];
        if around
            .names_us(std::slice::from_ref(&state.path), &path)
            .is_some()
        {
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

fn codex(around: &Surroundings<'_>) -> Vec<Way> {
    let mut ways = Vec::new();
    let Some(folder) = around.folder(Client::Codex) else {
        return ways;
    };
    let path = folder.join("config.toml");
    let config: toml::Table = (around.read)(&path)
        .and_then(|text| text.parse().ok())
        .unwrap_or_default();
    let feature = |name: &str| {
        let features = config.get("features")?;
        features.get(name)?.as_bool()
    };
    let off = ["hooks", "codex_hooks"]
        .into_iter()
        .find(|name| feature(name) == Some(false));
    if let Some(name) = off.filter(|_| around.has_hooks) {
        ways.push((
            format!("hooks are switched off in {}", path.display()),
            remove_there(&path, &format!("features.{name}")),
        ));
    }
    let managed = Path::new("/etc/codex/requirements.toml");
    let requirements: toml::Table = (around.read)(managed)
        .and_then(|text| text.parse().ok())
        .unwrap_or_default();
    let only_managed = requirements.get("allow_managed_hooks_only");
    if around.has_hooks && only_managed.and_then(toml::Value::as_bool) == Some(true) {
        ways.push((
            format!(
                "your organization allows its own hooks only, in {}",
                managed.display()
            ),
            "ask whoever manages it to allow Oldhand's hooks".to_owned(),
        ));
    }
    // What stands in a repository counts in places that are trusted.
    if let Some(root) = around.root {
        let here = Client::Codex.places(Reach::Repository, around.environment, root);
        let wired = here.iter().any(|place| {
            (around.read)(&place.path).is_some_and(|text| {
                let wiring = wire::look(place, &text);
                !wiring.hooks.is_empty() || wiring.server.is_some()
            })
        });
        let trusted = config
            .get("projects")
            .and_then(|projects| projects.get(root.to_string_lossy().as_ref()))
            .and_then(|project| project.get("trust_level"))
            .and_then(toml::Value::as_str);
        if wired && trusted != Some("trusted") {
            ways.push((
                "Codex does not trust this folder, so what stands in it does not count".to_owned(),
                "start `codex` here and trust the folder when it asks".to_owned(),
            ));
        }
    }
    ways
}

fn gemini(around: &Surroundings<'_>) -> Vec<Way> {
    let mut ways = Vec::new();
    let system = if cfg!(target_os = "macos") {
        "/Library/Application Support/GeminiCli/settings.json"
    } else if cfg!(windows) {
        r"C:\ProgramData\gemini-cli\settings.json"
    } else {
        "/etc/gemini-cli/settings.json"
    };
    let mut all = vec![PathBuf::from(system)];
    all.extend(around.repository(&[".gemini/settings.json"]));
    all.extend(
        around
            .folder(Client::Gemini)
            .map(|folder| folder.join("settings.json")),
    );
    if around.has_hooks {
        for path in [&["hooksConfig", "enabled"][..], &["tools", "enableHooks"]] {
            if let Some(file) = around.switched(&all, path, false) {
                ways.push((
                    format!("hooks are switched off in {}", file.display()),
                    remove_there(&file, &path.join(".")),
                ));
            }
        }
        if let Some(file) = around.names_us(&all, &["hooksConfig", "disabled"]) {
            ways.push((
                format!("our hooks are switched off in {}", file.display()),
                "in `gemini`, `/hooks enable oldhand`".to_owned(),
            ));
        }
    }
    ways.extend(untrusted_by_gemini(around, &all));
    if !around.has_server {
        return ways;
    }
    if let Some(file) = around.names_us(&all, &["mcp", "excluded"]) {
        ways.push((
            format!("the server is left out in {}", file.display()),
            remove_there(&file, "mcp.excluded"),
        ));
    }
    if let Some((allowed, file)) = around.first(&all, &["mcp", "allowed"])
        && !lists_us(&allowed)
    {
        ways.push((
            format!("only listed servers are allowed, in {}", file.display()),
            "add `oldhand` to `mcp.allowed` there".to_owned(),
        ));
    }
    let switches = around
        .folder(Client::Gemini)
        .map(|folder| folder.join("mcp-server-enablement.json"));
    let switches: Vec<PathBuf> = switches.into_iter().collect();
    if around
        .switched(&switches, &["oldhand", "enabled"], false)
        .is_some()
    {
        ways.push((
            "the server is switched off".to_owned(),
            "`gemini mcp enable oldhand`".to_owned(),
        ));
    }
    ways
}

/// In a folder that is not trusted, Gemini CLI runs neither hooks nor servers.
fn untrusted_by_gemini(around: &Surroundings<'_>, settings: &[PathBuf]) -> Option<Way> {
    around.switched(settings, &["security", "folderTrust", "enabled"], true)?;
    let root = around.root?;
    let list = around.folder(Client::Gemini)?.join("trustedFolders.json");
    let list = (around.read)(&list).and_then(|text| wire::setting(&text, &[]));
    let list = list.as_ref().and_then(Value::as_object);
    let said: Vec<(&Path, &Value)> = list
        .into_iter()
        .flatten()
        .map(|(folder, said)| (Path::new(folder.as_str()), said))
        .collect();
    // Who trusts a folder trusts what is in it; `TRUST_PARENT` is kept with a folder and means the one above.
    let is_trusted = said.iter().any(|(folder, said)| {
        let trusted = match said.as_str() {
            Some("TRUST_FOLDER") => Some(*folder),
            Some("TRUST_PARENT") => folder.parent(),
            _ => None,
        };
        trusted.is_some_and(|trusted| root.starts_with(trusted))
    });
    let is_refused = said
        .iter()
        .any(|(folder, said)| *folder == root && *said == "DO_NOT_TRUST");
    (!is_trusted || is_refused).then(|| {
        (
            "Gemini CLI does not trust this folder, so neither hooks nor servers run in it"
                .to_owned(),
            "start `gemini` here and trust the folder when it asks, or `/permissions`".to_owned(),
        )
    })
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
    if !around.has_server {
        return Vec::new();
    }
    let off = files.into_iter().find(|file| {
        let tools = (around.read)(file).and_then(|text| wire::setting(&text, &["tools"]));
        let tools = tools.as_ref().and_then(Value::as_object);
        tools.into_iter().flatten().any(|(name, on)| {
            let is_ours = name.starts_with("oldhand") || name == "*";
            is_ours && *on == Value::Bool(false)
        })
    });
    let way = off.map(|file| {
        (
            format!("tools of the server are switched off in {}", file.display()),
            remove_there(&file, "tools"),
        )
    });
    way.into_iter().collect()
}

/// Every event that Cursor knows; a file that names another is not read at all.
const CURSOR_EVENTS: [&str; 21] = [
    "afterAgentResponse",
    "afterAgentThought",
    "afterFileEdit",
    "afterMCPExecution",
    "afterShellExecution",
    "afterTabFileEdit",
    "beforeMCPExecution",
    "beforeReadFile",
    "beforeShellExecution",
    "beforeSubmitPrompt",
    "beforeTabFileRead",
    "postToolUse",
    "postToolUseFailure",
    "preCompact",
    "preToolUse",
    "sessionEnd",
    "sessionStart",
    "stop",
    "subagentStart",
    "subagentStop",
    "workspaceOpen",
];

fn cursor(around: &Surroundings<'_>) -> Vec<Way> {
    let mut ways = Vec::new();
    if !around.has_hooks {
        return ways;
    }
    let mut files = around.repository(&[".cursor/hooks.json"]);
    files.extend(
        around
            .folder(Client::Cursor)
            .map(|folder| folder.join("hooks.json")),
    );
    for file in files {
        let Some(text) = (around.read)(&file).filter(|text| text.contains("oldhand")) else {
            continue;
        };
        let shown = file.display();
        let Ok(hooks) = serde_json::from_str::<Value>(&text) else {
            ways.push((
                format!("{shown} holds comments, which Cursor does not read past"),
                "take the comments out".to_owned(),
            ));
            continue;
        };
        if hooks["version"] != 1 {
            ways.push((
                format!("{shown} has no `version` 1, so Cursor does not read it"),
                "`oldhand install cursor` writes it".to_owned(),
            ));
        }
        let events = hooks["hooks"].as_object().into_iter().flatten();
        let strange: Vec<&str> = events
            .map(|(event, _)| event.as_str())
            .filter(|event| !CURSOR_EVENTS.contains(event))
            .collect();
        if !strange.is_empty() {
            ways.push((
                format!(
                    "{shown} names events that Cursor does not know, so it reads none of it: {}",
                    strange.join(", ")
                ),
                "take them out".to_owned(),
            ));
        }
    }
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
