//! How each client wants to be told something, and when it can be told at all.

use serde_json::Value;

use crate::agent::Agent;
use crate::view::hook::{AnswerView, BareAnswerView, PluginAnswerView};

/// A way for words into an agent's context.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Door {
    /// The shape that Claude Code, Codex and Gemini CLI share.
    Context(&'static str),
    /// Cursor, which takes it by another name.
    Bare,
    /// Our own plugin, which puts the words where they belong.
    Plugin,
}

/// The way in that this call offers; `None` where the client takes no words, throws them away or takes them for an order.
pub(super) fn door(agent: Agent, payload: &Value) -> Option<Door> {
    let event = payload.get("hook_event_name")?.as_str()?;
    let listed = |events: &[&'static str]| {
        let known = events.iter().find(|known| **known == event);
        known.map(|event| Door::Context(event))
    };
    match agent {
        Agent::ClaudeCode => listed(&[
            "SessionStart",
            "UserPromptSubmit",
            "PostToolUse",
            "PostToolUseFailure",
            "PostToolBatch",
        ]),
        Agent::Codex => listed(&["SessionStart", "UserPromptSubmit", "PostToolUse"]),
        // Words beside the error of a tool never reach the model.
        Agent::Gemini if payload.pointer("/tool_response/error").is_some() => None,
        Agent::Gemini => listed(&["SessionStart", "BeforeAgent", "AfterTool"]),
        Agent::OpenCode => match event {
            "session.start" | "chat.message" | "event" | "tool.execute.after" => Some(Door::Plugin),
            _ => None,
        },
        Agent::Cursor => match event {
            "sessionStart" | "postToolUse" | "postToolUseFailure" => Some(Door::Bare),
            _ => None,
        },
    }
}

impl Door {
    /// Exactly what the client's schema allows, on one line.
    pub(super) fn word(self, text: &str) -> String {
        let json = match self {
            Self::Context(event) => serde_json::to_string(&AnswerView::new(event, text)),
            Self::Bare => serde_json::to_string(&BareAnswerView {
                additional_context: text,
            }),
            Self::Plugin => serde_json::to_string(&PluginAnswerView { text }),
        };
        json.map(|json| json + "\n").unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn opens(agent: Agent, payload: &Value) -> bool {
        door(agent, payload).is_some()
    }

    #[test]
    fn what_would_force_an_agent_on_or_break_a_schema_has_no_door() {
        for event in ["Stop", "SubagentStop", "PreCompact", "SessionEnd", "News"] {
            let payload = json!({ "hook_event_name": event });
            for agent in Agent::ALL {
                assert!(!opens(agent, &payload), "{agent:?} at {event}");
            }
        }
    }

    #[test]
    fn gemini_hears_nothing_beside_an_error() {
        let good = json!({ "hook_event_name": "AfterTool", "tool_response": {} });
        let bad = json!({ "hook_event_name": "AfterTool", "tool_response": { "error": {} } });
        assert!(opens(Agent::Gemini, &good));
        assert!(!opens(Agent::Gemini, &bad));
    }

    #[test]
    fn an_answer_is_one_line_of_the_shared_shape() {
        let word = Door::Context("PostToolUse").word("a\n\"b\"");
        assert_eq!(
            word,
            "{\"hookSpecificOutput\":{\"hookEventName\":\"PostToolUse\",\"additionalContext\":\"a\\n\\\"b\\\"\"}}\n"
        );
    }
}
