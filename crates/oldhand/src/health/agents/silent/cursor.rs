//! What keeps Cursor silent.

use serde_json::Value;

use super::{Surroundings, Way};
use crate::wire::{self, Client};

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

pub(super) fn ways(around: &Surroundings<'_>) -> Vec<Way> {
    let mut ways = Vec::new();
    ways.extend(not_let_in(around));
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
        let Some(hooks) = wire::setting(&text, &[]) else {
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

/// The agent of Cursor on the command line keeps a list of servers for each folder, and passes over others without a word.
fn not_let_in(around: &Surroundings<'_>) -> Option<Way> {
    let root = around.project.filter(|_| around.has_server)?;
    let folders = around.folder(Client::Cursor)?.join("projects");
    let root = root.to_string_lossy();
    let words = root.split(|c: char| !c.is_ascii_alphanumeric());
    let words: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
    let list = folders.join(words.join("-")).join("mcp-approvals.json");
    // Without that list the agent was never used here, and asks when it is.
    let text = (around.read)(&list)?;
    let known = wire::setting(&text, &[])?;
    let ours = |one: &Value| one.as_str().is_some_and(|one| one.starts_with("oldhand-"));
    let is_in = known.as_array().is_some_and(|list| list.iter().any(ours));
    (!is_in).then(|| {
        (
            format!(
                "`cursor-agent` was not told to let the server in here, in {}",
                list.display()
            ),
            "`cursor-agent mcp enable oldhand`".to_owned(),
        )
    })
}
