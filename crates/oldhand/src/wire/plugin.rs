//! Oldhand as a plugin of Claude Code: a folder with a manifest, hooks and a server, which `claude` loads by itself.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::hooks;
use super::servers::{Run, Shape};
use crate::agent::Agent;

const MANIFEST: &str = ".claude-plugin/plugin.json";
const ABOUT: &str = "What earlier sessions in a project learned, told when it matters.";

/// The files of the plugin, by their place in its folder.
pub(super) fn files(run: &Run<'_>) -> Vec<(&'static str, String)> {
    let version = env!("CARGO_PKG_VERSION");
    let agent = Agent::ClaudeCode;
    let hooks = hooks::add("{}\n", agent, &hooks::command(run, agent)).unwrap_or_default();
    let server = Shape::Plain.add("", run).unwrap_or_default();
    let who = json!({ "name": "oldhand" });
    let manifest =
        json!({ "name": "oldhand", "version": version, "description": ABOUT, "author": who });
    let market = json!({
        "name": "oldhand",
        "description": ABOUT,
        "owner": who,
        "plugins": [{ "name": "oldhand", "source": "./", "description": ABOUT }],
    });
    vec![
        (MANIFEST, pretty(&manifest)),
        (".claude-plugin/marketplace.json", pretty(&market)),
        ("hooks/hooks.json", hooks),
        (".mcp.json", server),
    ]
}

/// Whether a file that was changed since is still one of the plugin's.
pub(super) fn is_ours(path: &Path, text: &str) -> bool {
    names().any(|name| path.ends_with(name)) && text.contains("oldhand")
}

/// Whether `path` lies in the folder of a plugin that was written: others have files of the same names.
pub(super) fn holds(path: &Path, written: &[PathBuf]) -> bool {
    names().filter(|name| path.ends_with(name)).any(|name| {
        let folder = path.ancestors().nth(Path::new(name).components().count());
        folder.is_some_and(|folder| written.contains(&folder.join(MANIFEST)))
    })
}

fn names() -> impl Iterator<Item = &'static str> {
    let run = Run {
        binary: "oldhand",
        home: None,
    };
    files(&run).into_iter().map(|(name, _)| name)
}

fn pretty(value: &Value) -> String {
    format!("{value:#}\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_file_of_the_plugin_is_json_that_names_the_binary_where_it_runs() {
        let run = Run {
            binary: "/my apps/oldhand",
            home: None,
        };
        for (name, text) in files(&run) {
            let value: Value = serde_json::from_str(&text).expect(name);
            let runs = name.ends_with("hooks.json") || name == ".mcp.json";
            assert_eq!(
                value.to_string().contains("/my apps/oldhand"),
                runs,
                "{name}"
            );
        }
    }
}
