//! The hooks of Claude Code, Codex, Gemini CLI and Cursor: nearly one shape, different events and clocks.

use serde_json::{Value, json};

use super::jsonc::{self, Kind, Node};
use super::servers::Run;
use super::words;
use crate::agent::Agent;

/// A hook of ours in somebody's settings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Hook {
    pub(crate) event: String,
    pub(crate) command: String,
}

impl Hook {
    /// The binary it runs.
    pub(crate) fn binary(&self) -> String {
        words::split(&self.command).swap_remove(0)
    }

    /// Where it keeps everything, where the command says so.
    pub(crate) fn home(&self) -> Option<String> {
        let words = words::split(&self.command);
        let at = words.iter().position(|word| word == HOME)?;
        words.into_iter().nth(at + 1)
    }
}

/// The argument that says where everything is kept: hooks run without the user's variables in some clients.
const HOME: &str = "--home";

/// What a hook runs.
pub(super) fn command(run: &Run<'_>, agent: Agent) -> String {
    let words = [run.binary, "hook", agent.as_str()];
    let home = run.home.into_iter().flat_map(|home| [HOME, home]);
    let quoted = words.into_iter().chain(home).map(words::quoted);
    quoted.collect::<Vec<_>>().join(" ")
}

/// The events that are listened to. Events that only repeat others are left out: each call costs the agent time.
pub(crate) fn events(agent: Agent) -> &'static [&'static str] {
    match agent {
        Agent::ClaudeCode => &[
            "SessionStart",
            "UserPromptSubmit",
            "PostToolUse",
            "PostToolUseFailure",
            "PostToolBatch",
            "SubagentStart",
            "SubagentStop",
            "Stop",
            "PostCompact",
            "SessionEnd",
        ],
        Agent::Codex => &[
            "SessionStart",
            "UserPromptSubmit",
            "PostToolUse",
            "SubagentStart",
            "SubagentStop",
            "Stop",
            "PostCompact",
            "SessionEnd",
        ],
        Agent::Gemini => &[
            "SessionStart",
            "BeforeAgent",
            "AfterTool",
            "AfterAgent",
            "SessionEnd",
        ],
        Agent::Cursor => &[
            "sessionStart",
            "beforeSubmitPrompt",
            "postToolUse",
            "postToolUseFailure",
            "afterAgentResponse",
            "subagentStart",
            "subagentStop",
            "preCompact",
            "stop",
            "sessionEnd",
        ],
        Agent::OpenCode => &[],
    }
}

/// The text with our hooks in it, each once. `None` when it is not settings.
pub(super) fn add(text: &str, agent: Agent, command: &str) -> Option<String> {
    let numbered;
    let text = if agent == Agent::Cursor && jsonc::parse(text)?.get("version").is_none() {
        // A file without it is not read at all.
        numbered = jsonc::put(text, &["version"], &json!(1))?;
        &numbered
    } else {
        text
    };
    let root = jsonc::parse(text)?;
    let done = events(agent).iter().all(|event| {
        let groups = groups(&root, event);
        let wanted = group(agent, event, command);
        groups.iter().filter(|node| is_ours(node, agent)).count() == 1
            && groups.iter().any(|node| node.to_value(text) == wanted)
    });
    if done && find(text, agent).len() == events(agent).len() {
        return Some(text.to_owned());
    }
    let mut text = remove(text, agent, &|_: &[&str]| false)?;
    for event in events(agent) {
        text = jsonc::push(&text, &["hooks", event], &group(agent, event, command))?;
    }
    Some(text)
}

/// The text without any hook of ours, and without lists that are empty then and do not stay. `None` when it is not settings.
pub(super) fn remove(text: &str, agent: Agent, stays: &dyn Fn(&[&str]) -> bool) -> Option<String> {
    let root = jsonc::parse(text)?;
    let Some(Kind::Object(members)) = root.get("hooks").map(|hooks| &hooks.kind) else {
        return Some(text.to_owned());
    };
    let mut left = text.to_owned();
    for member in members {
        left = jsonc::retain(&left, &["hooks", &member.key], stays, |node| {
            is_ours(node, agent)
        })?;
    }
    // The number that Cursor wants came with our hooks; whoever has hooks of their own by now needs it.
    let root = jsonc::parse(&left)?;
    let has_hooks = root.get("hooks").is_some_and(|hooks| match &hooks.kind {
        Kind::Object(events) => !events.is_empty(),
        _ => true,
    });
    if agent == Agent::Cursor && !stays(&["version"]) && !has_hooks {
        left = jsonc::take(&left, &["version"], stays)?;
    }
    Some(left)
}

/// Our hooks in a settings file.
pub(crate) fn find(text: &str, agent: Agent) -> Vec<Hook> {
    let Some(root) = jsonc::parse(text) else {
        return Vec::new();
    };
    let Some(Kind::Object(members)) = root.get("hooks").map(|hooks| &hooks.kind) else {
        return Vec::new();
    };
    let found = members.iter().flat_map(|member| {
        let groups = member.value.elements().iter();
        groups.filter_map(|node| {
            Some(Hook {
                event: member.key.clone(),
                command: our_command(node, agent)?.to_owned(),
            })
        })
    });
    found.collect()
}

/// Where our hooks stand: the event, and which of its groups.
pub(super) fn spots(text: &str, agent: Agent) -> Vec<(String, usize)> {
    let Some(root) = jsonc::parse(text) else {
        return Vec::new();
    };
    let Some(Kind::Object(members)) = root.get("hooks").map(|hooks| &hooks.kind) else {
        return Vec::new();
    };
    let spots = members.iter().flat_map(|member| {
        let groups = member.value.elements().iter().enumerate();
        groups
            .filter(|(_, group)| is_ours(group, agent))
            .map(|(index, _)| (member.key.clone(), index))
    });
    spots.collect()
}

fn groups<'a>(root: &'a Node, event: &str) -> &'a [Node] {
    let event = root.get("hooks").and_then(|hooks| hooks.get(event));
    event.map_or(&[], Node::elements)
}

fn is_ours(group: &Node, agent: Agent) -> bool {
    our_command(group, agent).is_some()
}

/// A group that holds our hook and nothing else; what a person put together stays as they put it.
fn our_command(group: &Node, agent: Agent) -> Option<&str> {
    let hook = match group.get("hooks") {
        // Cursor has no groups.
        None => group,
        Some(hooks) => match hooks.elements() {
            [hook] => hook,
            _ => return None,
        },
    };
    let command = hook.get("command")?.text()?;
    let words = words::split(command);
    let [binary, verb, who, rest @ ..] = words.as_slice() else {
        return None;
    };
    let name = binary.rsplit(['/', '\\']).next()?;
    let is_plain = match rest {
        [] => true,
        [option, _] => option == HOME,
        _ => false,
    };
    let ours = matches!(name, "oldhand" | "oldhand.exe") && verb == "hook" && who == agent.as_str();
    (ours && is_plain).then_some(command)
}

/// Far more than a hook takes: it ends by itself long before.
fn group(agent: Agent, event: &str, command: &str) -> Value {
    match agent {
        // Codex waits no longer at the end of a session, and warns whoever asks it to.
        Agent::Codex if event == "SessionEnd" => {
            json!({ "hooks": [{ "type": "command", "command": command, "timeout": 3 }] })
        }
        // Counts in milliseconds, and asks for a name and a matcher.
        Agent::Gemini => json!({
            "matcher": "*",
            "hooks": [{ "type": "command", "command": command, "name": "oldhand", "timeout": 5000 }],
        }),
        Agent::Cursor => json!({ "command": command, "timeout": 5 }),
        _ => json!({ "hooks": [{ "type": "command", "command": command, "timeout": 5 }] }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const THEIRS: &str = r#"{
  "model": "opus", // the good one
  "hooks": {
    "Stop": [
      { "hooks": [{ "type": "command", "command": "say done" }] }
    ]
  },
  "permissions": { "allow": ["Bash(ls:*)"] }
}
"#;

    #[test]
    fn hooks_are_added_once_and_other_peoples_stay() {
        for agent in [Agent::ClaudeCode, Agent::Codex, Agent::Gemini] {
            let command = format!("/opt/oldhand hook {}", agent.as_str());
            let wired = add(THEIRS, agent, &command).unwrap();
            assert_eq!(find(&wired, agent).len(), events(agent).len());
            assert!(wired.contains("say done") && wired.contains("// the good one"));
            assert_eq!(add(&wired, agent, &command), Some(wired.clone()));
            let left = remove(&wired, agent, &|_: &[&str]| false);
            assert_eq!(left.as_deref(), Some(THEIRS));
        }
    }

    #[test]
    fn a_binary_that_moved_replaces_its_old_place() {
        let old = add(
            THEIRS,
            Agent::ClaudeCode,
            "'/old place/oldhand' hook claude-code",
        )
        .unwrap();
        let new = add(&old, Agent::ClaudeCode, "/new/oldhand hook claude-code").unwrap();
        let hooks = find(&new, Agent::ClaudeCode);
        assert!(hooks.iter().all(|hook| hook.binary() == "/new/oldhand"));
        assert_eq!(
            find(&old, Agent::ClaudeCode)[0].binary(),
            "/old place/oldhand"
        );
        assert!(!new.contains("old place"));
    }

    #[test]
    fn a_command_says_binary_and_home_whatever_they_are_called() {
        for (binary, home) in [
            ("/opt/oldhand", None),
            ("/my apps/it's/oldhand", Some("/data/o'brien \"x\" $HOME")),
        ] {
            let command = command(&Run { binary, home }, Agent::Codex);
            let text = add(THEIRS, Agent::Codex, &command).unwrap();
            let hooks = find(&text, Agent::Codex);
            assert_eq!(hooks.len(), events(Agent::Codex).len(), "{command}");
            assert_eq!(hooks[0].binary(), binary);
            assert_eq!(hooks[0].home().as_deref(), home);
            let left = remove(&text, Agent::Codex, &|_: &[&str]| false);
            assert_eq!(left.as_deref(), Some(THEIRS));
        }
    }

    #[test]
    fn what_is_not_settings_is_refused() {
        for text in [
            "[]",
            "{\"hooks\": []}",
            "{\"hooks\": {\"Stop\": 1}}",
            "hooks",
        ] {
            assert_eq!(
                add(text, Agent::ClaudeCode, "oldhand hook claude-code"),
                None,
                "{text}"
            );
        }
    }
}
