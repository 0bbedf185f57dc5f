//! What keeps Codex silent.

use std::path::Path;

use serde_json::Value;

use super::{Surroundings, Way, remove_there};
use crate::wire::{self, Client, Reach};

pub(super) fn ways(around: &Surroundings<'_>) -> Vec<Way> {
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
    if let Some(server) = config
        .get("mcp_servers")
        .and_then(|list| list.get("oldhand"))
    {
        let listed = |key: &str| server.get(key).and_then(toml::Value::as_array);
        for (key, is_in_the_way) in [
            (
                "disabled_tools",
                listed("disabled_tools").is_some_and(|list| !list.is_empty()),
            ),
            ("enabled_tools", listed("enabled_tools").is_some()),
        ] {
            if is_in_the_way {
                ways.push((
                    format!(
                        "some tools of the server are left out in {}",
                        path.display()
                    ),
                    remove_there(&path, &format!("mcp_servers.oldhand.{key}")),
                ));
            }
        }
    }
    let mut files = around.repository(&[".codex/hooks.json"]);
    files.push(folder.join("hooks.json"));
    for file in files.iter().filter(|_| around.has_hooks) {
        let text = (around.read)(file).filter(|text| text.contains("oldhand"));
        let hooks: Option<Value> = text.and_then(|text| serde_json::from_str(&text).ok());
        let keys = hooks.as_ref().and_then(Value::as_object);
        let strange = keys
            .into_iter()
            .flat_map(serde_json::Map::keys)
            .find(|key| !matches!(key.as_str(), "hooks" | "description"));
        if let Some(key) = strange {
            ways.push((
                format!(
                    "{} has a `{key}`, so Codex reads nothing of the file",
                    file.display()
                ),
                remove_there(file, key),
            ));
        }
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
