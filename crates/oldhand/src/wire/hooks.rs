//! The hooks of Claude Code, Codex, Gemini CLI and Cursor: nearly one shape, different events and clocks.

use std::path::Path;

use serde_json::{Value, json};

use super::jsonc::{self, Kind, Node};
use super::servers::Run;
use super::{record, words};
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
    let mut text = text.to_owned();
    for spare in spare(&text, agent).into_iter().rev() {
        text = spare.take_out(&text, &|_: &[&str]| false)?;
    }
    for event in events(agent) {
        let known = spots(&text, agent)
            .into_iter()
            .find(|spot| spot.event == *event);
        text = match known {
            // What a person made of it, a matcher or more time, is theirs.
            Some(spot) if spot.command == command => text,
            Some(spot) => spot.run(&text, command)?,
            None => jsonc::push(&text, &["hooks", event], &group(agent, event, command))?,
        };
    }
    Some(text)
}

/// Hooks of ours that should not be there: a second one for an event, and any for an event nobody listens to.
fn spare(text: &str, agent: Agent) -> Vec<Spot> {
    let mut seen: Vec<String> = Vec::new();
    let mut spare = spots(text, agent);
    spare.retain(|spot| {
        let first = events(agent).contains(&spot.event.as_str()) && !seen.contains(&spot.event);
        seen.push(spot.event.clone());
        !first
    });
    spare
}

/// The text without any hook of ours, and without lists that are empty then and do not stay. `None` when it is not settings.
pub(super) fn remove(text: &str, agent: Agent, stays: &dyn Fn(&[&str]) -> bool) -> Option<String> {
    jsonc::parse(text)?;
    let mut left = text.to_owned();
    for spot in spots(text, agent).into_iter().rev() {
        left = spot.take_out(&left, stays)?;
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
    let spots = spots(text, agent).into_iter();
    spots
        .map(|spot| Hook {
            event: spot.event,
            command: spot.command,
        })
        .collect()
}

/// Where a hook of ours stands: which group of an event, and which hook of the group. Cursor has no groups.
pub(super) struct Spot {
    pub(super) event: String,
    pub(super) group: usize,
    pub(super) hook: usize,
    command: String,
}

/// Our hooks in the order of the file, also those that share a group with somebody else's.
pub(super) fn spots(text: &str, agent: Agent) -> Vec<Spot> {
    let Some(root) = jsonc::parse(text) else {
        return Vec::new();
    };
    let Some(Kind::Object(members)) = root.get("hooks").map(|hooks| &hooks.kind) else {
        return Vec::new();
    };
    let mut spots = Vec::new();
    for member in members {
        for (group, node) in member.value.elements().iter().enumerate() {
            for (hook, node) in hooks_of(node).iter().enumerate() {
                if let Some(command) = our_command(node, agent) {
                    spots.push(Spot {
                        event: member.key.clone(),
                        group,
                        hook,
                        command: command.to_owned(),
                    });
                }
            }
        }
    }
    spots
}

fn hooks_of(group: &Node) -> &[Node] {
    match group.get("hooks") {
        Some(hooks) => hooks.elements(),
        None => std::slice::from_ref(group),
    }
}

impl Spot {
    /// The text with another command here.
    fn run(&self, text: &str, command: &str) -> Option<String> {
        let root = jsonc::parse(text)?;
        let group = root
            .at(&["hooks", &self.event])?
            .elements()
            .get(self.group)?;
        let node = hooks_of(group).get(self.hook)?.get("command")?;
        let mut text = text.to_owned();
        text.replace_range(node.start..node.end, &Value::from(command).to_string());
        Some(text)
    }

    /// The text without this hook, and without its group if that was for it alone.
    fn take_out(&self, text: &str, stays: &dyn Fn(&[&str]) -> bool) -> Option<String> {
        let root = jsonc::parse(text)?;
        let path = ["hooks", self.event.as_str()];
        let group = root.at(&path)?.elements().get(self.group)?;
        match group.get("hooks") {
            Some(hooks) if hooks.elements().len() > 1 => {
                Some(jsonc::without(text, hooks, self.hook))
            }
            _ => jsonc::take_part(text, &root, &path, self.group, stays),
        }
    }
}

/// It is run as we are run. A program of another name is ours when it is this one, or is told a home of ours, as [`super::run`] tells it.
fn our_command(hook: &Node, agent: Agent) -> Option<&str> {
    let command = hook.get("command")?.text()?;
    let words = words::split(command);
    let [binary, verb, who, rest @ ..] = words.as_slice() else {
        return None;
    };
    let is_called_so = is_our_name(binary) || is_this_program(binary);
    let is_ours = match rest {
        [] => is_called_so,
        [option, home] if option == HOME => is_called_so || is_our_home(Path::new(home)),
        _ => false,
    };
    (is_ours && verb == "hook" && who == agent.as_str()).then_some(command)
}

/// Whether something lies there that only we put down: what was written to settings of clients, or projects.
fn is_our_home(home: &Path) -> bool {
    [record::FOLDER, "projects.toml"]
        .iter()
        .any(|name| home.join(name).exists())
}

/// Whatever it is called when it is installed beside another version or wrapped.
pub(super) fn is_our_name(binary: &str) -> bool {
    let name = binary.rsplit(['/', '\\']).next();
    name.is_some_and(|name| name.contains("oldhand"))
}

fn is_this_program(binary: &str) -> bool {
    std::env::current_exe().is_ok_and(|this| this == Path::new(binary))
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
    fn a_copy_of_another_name_takes_the_place_of_the_first_and_a_strangers_program_does_not() {
        let run = |binary, home| command(&Run { binary, home }, Agent::ClaudeCode);
        let (ours, others) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        std::fs::create_dir(ours.path().join(record::FOLDER)).unwrap();
        let (ours, others) = (ours.path().to_str(), others.path().to_str());
        for stranger in [run("/opt/minder", None), run("/opt/minder", others)] {
            let theirs = THEIRS.replace("say done", &stranger);
            let mut text = theirs.clone();
            for command in [
                run("/opt/oldhand", None),
                run("/opt/oldhand", others),
                run("/opt/oh-next", ours),
                run("/opt/memory", ours),
            ] {
                text = add(&text, Agent::ClaudeCode, &command).unwrap();
                let hooks = find(&text, Agent::ClaudeCode);
                assert_eq!(hooks.len(), events(Agent::ClaudeCode).len(), "{text}");
                assert!(hooks.iter().all(|hook| hook.command == command), "{text}");
            }
            let left = remove(&text, Agent::ClaudeCode, &|_: &[&str]| false);
            assert_eq!(left, Some(theirs));
        }
    }

    #[test]
    fn what_a_person_made_of_our_hooks_stays_and_ours_go_from_among_others() {
        let command = "/opt/oldhand-1.2 hook claude-code";
        let wired = add("{}\n", Agent::ClaudeCode, command).unwrap();
        let shared = wired.replacen(
            "\"hooks\": [\n        {\n          \"hooks\": [",
            "\"hooks\": [\n        {\n          \"matcher\": \"Bash\",\n          \"hooks\": [",
            1,
        );
        let mine = r#"{ "hooks": { "Stop": [{ "matcher": "x", "hooks": [
            { "type": "command", "command": "say done" },
            { "type": "command", "command": "/opt/oldhand-1.2 hook claude-code", "timeout": 9 }
        ] }] } }"#;
        assert_eq!(add(&shared, Agent::ClaudeCode, command), Some(shared));
        let again = add(mine, Agent::ClaudeCode, "/new/oldhand hook claude-code").unwrap();
        assert_eq!(
            find(&again, Agent::ClaudeCode).len(),
            events(Agent::ClaudeCode).len()
        );
        assert!(again.contains("\"timeout\": 9") && !again.contains("oldhand-1.2"));
        let left = remove(&again, Agent::ClaudeCode, &|_: &[&str]| false).unwrap();
        assert!(left.contains("say done") && left.contains("\"matcher\": \"x\""));
        assert!(!left.contains("oldhand"), "{left}");
    }

    #[test]
    fn a_file_of_cursor_has_its_number_from_the_first_time_on() {
        let wired = add("{\"hooks\": {}}", Agent::Cursor, "oldhand hook cursor").unwrap();
        assert!(wired.contains("\"version\": 1"), "{wired}");
        assert_eq!(
            add(&wired, Agent::Cursor, "oldhand hook cursor"),
            Some(wired)
        );
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
