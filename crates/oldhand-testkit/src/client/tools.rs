//! The tools that each client offers its model, by what they do.

use serde_json::{Value, json};

use super::{Client, Stage};
use crate::{ToolCall, Turn};

impl Stage {
    /// A call that reads a file of the project.
    pub fn read(&self, file: &str) -> ToolCall {
        let path = self.sandbox.project().join(file);
        match self.client {
            Client::ClaudeCode => ToolCall::new("Read", json!({ "file_path": path })),
            Client::Codex => self.shell(&format!("cat {file}")),
            Client::Gemini => ToolCall::new("read_file", json!({ "file_path": path })),
            Client::OpenCode => ToolCall::new("read", json!({ "filePath": path })),
        }
    }

    /// A call that puts one line of a file in place of another.
    pub fn edit(&self, file: &str, old: &str, new: &str) -> ToolCall {
        let path = self.sandbox.project().join(file);
        match self.client {
            Client::ClaudeCode => ToolCall::new(
                "Edit",
                json!({ "file_path": path, "old_string": old, "new_string": new }),
            ),
            Client::Codex => ToolCall::new(
                "apply_patch",
                json!(format!(
                    "*** Begin Patch\n*** Update File: {file}\n@@\n-{old}\n+{new}\n*** End Patch"
                )),
            ),
            Client::Gemini => ToolCall::new(
                "replace",
                json!({ "file_path": path, "instruction": "as discussed", "old_string": old, "new_string": new }),
            ),
            Client::OpenCode => ToolCall::new(
                "edit",
                json!({ "filePath": path, "oldString": old, "newString": new }),
            ),
        }
    }

    /// A call that runs a command.
    pub fn shell(&self, command: &str) -> ToolCall {
        match self.client {
            Client::ClaudeCode => ToolCall::new(
                "Bash",
                json!({ "command": command, "description": "Run it" }),
            ),
            Client::Codex => ToolCall::new("exec_command", json!({ "cmd": command })),
            Client::Gemini => ToolCall::new(
                "run_shell_command",
                json!({ "command": command, "description": "Run it" }),
            ),
            Client::OpenCode => ToolCall::new(
                "bash",
                json!({ "command": command, "description": "Run it" }),
            ),
        }
    }

    /// A call of a tool of Oldhand's own server.
    pub fn ask_server(&self, tool: &str, input: Value) -> ToolCall {
        let name = match self.client {
            Client::ClaudeCode => format!("mcp__oldhand__{tool}"),
            Client::Codex => format!("mcp__oldhand/{tool}"),
            Client::Gemini => format!("mcp_oldhand_{tool}"),
            Client::OpenCode => format!("oldhand_{tool}"),
        };
        ToolCall::new(&name, input)
    }

    /// A call that gives a task to a subagent.
    pub fn delegate(&self, task: &str) -> ToolCall {
        match self.client {
            Client::ClaudeCode => ToolCall::new(
                "Agent",
                json!({ "description": "Look around", "subagent_type": "general-purpose", "prompt": task, "run_in_background": false }),
            ),
            Client::Codex => ToolCall::new(
                "multi_agent_v1/spawn_agent",
                json!({ "message": task, "agent_type": "default" }),
            ),
            Client::Gemini => ToolCall::new(
                "invoke_agent",
                json!({ "agent_name": "codebase_investigator", "prompt": task }),
            ),
            Client::OpenCode => ToolCall::new(
                "task",
                json!({ "description": "Look around", "prompt": task, "subagent_type": "general" }),
            ),
        }
    }

    /// How a subagent says that it is done.
    pub fn report(&self, words: &str) -> Turn {
        match self.client {
            Client::Gemini => Turn::call(ToolCall::new(
                "complete_task",
                json!({ "result": words, "report": { "SummaryOfFindings": words, "ExplorationTrace": [], "RelevantLocations": [] } }),
            )),
            _ => Turn::say(words),
        }
    }
}
