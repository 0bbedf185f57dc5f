//! What keeps Gemini CLI silent.

use std::path::{Path, PathBuf};

use serde_json::Value;

use super::{Surroundings, Way, lists_us, remove_there};
use crate::wire::{self, Client};

pub(super) fn ways(around: &Surroundings<'_>) -> Vec<Way> {
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
    ways.extend(untrusted(around, &all));
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
fn untrusted(around: &Surroundings<'_>, settings: &[PathBuf]) -> Option<Way> {
    let told = (around.variable)("GEMINI_CLI_TRUST_WORKSPACE");
    // Asking is the default, and what a person told it in one place holds.
    let asks = around.first(settings, &["security", "folderTrust", "enabled"]);
    let asks = asks.is_none_or(|(asks, _)| asks != false);
    let is_told = told.as_deref() == Some(Path::new("true"));
    let root = around.project.filter(|_| asks && !is_told)?;
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
