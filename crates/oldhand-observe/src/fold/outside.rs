//! Text from outside that a session took in. It marks what follows, however the call ended: an error can be as poisoned as an answer.

use oldhand_domain::event::{Call, Event, Happening, Place, Return};
use oldhand_domain::taint::OutsideText;

use super::{FoldOptions, LIST_LIMIT, SessionAnalytics, Subagents, WebUse, key_of};
use crate::outcome::outside::{fetches, is_of_others};
use crate::outcome::results::left_running;

pub(super) fn take(session: &mut SessionAnalytics, back: &Return, options: &FoldOptions) {
    if let Some(outside) = brought_by(back, options) {
        session.take_outside(outside);
    }
    // The same where it is asked for later. A command in the background speaks by the same tool, and was marked when it was run:
    // who it is nobody says, and where a subagent was sent it may be that one.
    if let Call::Other { name, .. } = &back.call
        && is_handed_on(name)
        && options.subagents == Subagents::Here
        && session.heard_of_subagents <= session.last_task.unwrap_or(0)
        && !(name == "TaskOutput" && session.has_background && session.last_task.is_none())
    {
        session.take_outside(OutsideText::Unseen);
    }
    if let Call::Shell { .. } = &back.call
        && left_running(back.excerpt.as_str()).is_some()
    {
        session.has_background = true;
    }
    // A subagent hands on what it took in, also where it failed in the end. What that was is among its own events, if anybody told them.
    if let Some(asked) = session.tasks.remove(&key_of(&back.id))
        && options.subagents == Subagents::Here
        && session.heard_of_subagents <= asked
    {
        session.take_outside(OutsideText::Unseen);
    }
}

fn brought_by(back: &Return, options: &FoldOptions) -> Option<OutsideText> {
    match &back.call {
        Call::WebFetch { .. } | Call::WebSearch { .. } => Some(OutsideText::Web),
        Call::Mcp { server, .. } if !options.trusted_servers.contains(server) => {
            Some(OutsideText::Mcp(server.clone()))
        }
        Call::Shell { command, .. } if fetches(command.as_str()) => Some(OutsideText::Web),
        Call::Shell {
            reads_outside: true,
            ..
        }
        | Call::Glob { outside: true, .. } => Some(OutsideText::File),
        Call::Grep {
            within: Some(place),
            ..
        } if is_outside(place) => Some(OutsideText::File),
        // What a tool brings that nobody knows may be a page of a browser as well as a date.
        Call::Other {
            name, plan: None, ..
        } if !is_clients_own(name) => Some(OutsideText::Unseen),
        _ => None,
    }
}

/// Tools with which clients keep plans, ask people, look at what was started and read the project: what they bring came from
/// here, or was marked when it came. By client: Claude Code, Codex, Gemini CLI, OpenCode, Cursor.
const CLIENTS_OWN: [&str; 96] = [
    "AskUserQuestion",
    "BashOutput",
    "CronCreate",
    "CronDelete",
    "CronList",
    "Delete",
    "EnterPlanMode",
    "EnterWorktree",
    "ExitPlanMode",
    "ExitWorktree",
    "Artifact",
    "KillBash",
    "KillShell",
    "LSP",
    "ListAgents",
    "Monitor",
    "NotebookRead",
    "Read",
    "ScheduleWakeup",
    "SendMessage",
    "Skill",
    "SlashCommand",
    "StructuredOutput",
    "TaskCreate",
    "TaskGet",
    "TaskList",
    "TaskStop",
    "TaskUpdate",
    "TeamCreate",
    "TeamDelete",
    "TodoRead",
    "TodoWrite",
    "ToolSearch",
    "exit_plan_mode",
    "automation_update",
    "close_agent",
    "create_goal",
    "exec",
    "followup_task",
    "get_goal",
    "interrupt_agent",
    "kill_shell",
    "list_agents",
    "load_workspace_dependencies",
    "read_thread_terminal",
    "request_user_input",
    "resume_agent",
    "send_input",
    "send_message",
    "test_sync_tool",
    "tool_suggest",
    "update_goal",
    "update_plan",
    "view_image",
    "wait",
    "write_stdin",
    "activate_skill",
    "ask_user",
    "cli_help",
    "complete_task",
    "enter_plan_mode",
    "get_internal_docs",
    "list_background_processes",
    "read_background_output",
    "read_many_files",
    "save_memory",
    "tracker_create_task",
    "tracker_list_tasks",
    "tracker_update_task",
    "write_todos",
    "batch",
    "invalid",
    "lsp",
    "lsp_diagnostics",
    "plan_enter",
    "plan_exit",
    "question",
    "skill",
    "todoread",
    "todowrite",
    "AskQuestion",
    "Await",
    "CreatePlan",
    "ReadLints",
    "SemanticSearch",
    "SwitchMode",
    "create_diagram",
    "create_plan",
    "delete_file",
    "fetch_rules",
    "file_search",
    "list_dir",
    "read_lints",
    "switch_mode",
    "todo_write",
    "update_memory",
];

fn is_clients_own(tool: &str) -> bool {
    CLIENTS_OWN.contains(&tool) || is_handed_on(tool)
}

/// Tools that hand on what a subagent said.
fn is_handed_on(tool: &str) -> bool {
    matches!(
        tool,
        "TaskOutput" | "AgentOutputTool" | "Workflow" | "wait_agent"
    )
}

/// Whether reading here takes in what neither the project nor its people wrote.
pub(super) fn is_outside(place: &Place) -> bool {
    place
        .project()
        .is_none_or(|path| is_of_others(path.as_str()))
}

/// The outside text that an event by itself brings in.
pub fn outside_of(event: &Event, options: &FoldOptions) -> Option<OutsideText> {
    let read = |call: &Call| {
        let outside = matches!(call, Call::Read { file } if is_outside(file));
        outside.then_some(OutsideText::File)
    };
    match &event.what {
        Happening::Prompt { pasted: true, .. } => Some(OutsideText::Pasted),
        Happening::ToolCalled { call, .. } => read(call),
        Happening::ToolReturned(back) => brought_by(back, options).or_else(|| read(&back.call)),
        _ => None,
    }
}

/// More sources than these say nothing new of what follows.
const SOURCES: usize = 64;

impl SessionAnalytics {
    /// Only the first of each kind matters: what comes after is marked already.
    pub(super) fn take_outside(&mut self, outside: OutsideText) {
        if self.outside.len() < SOURCES && !self.outside.iter().any(|(_, known)| *known == outside)
        {
            self.outside.push((self.step, outside));
        }
    }

    pub(super) fn look_outside(&mut self, subject: String) {
        if self.web.len() < LIST_LIMIT {
            self.web.push(WebUse {
                step: self.step,
                subject,
            });
        }
    }
}

/// A page's address without its query and fragment.
pub(super) fn page_of(url: &str) -> String {
    let end = url.find(['?', '#']).unwrap_or(url.len());
    url[..end].trim_end_matches('/').to_lowercase()
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;
    use oldhand_domain::event::{BoundedText, Ending};

    use super::super::fold;
    use super::*;

    fn returned(number: usize, call: Call, excerpt: &str) -> Event {
        let back = Return {
            id: format!("c{number}"),
            call,
            ended: Ending::Succeeded,
            excerpt: BoundedText::ends(excerpt, 300),
            matched: Vec::new(),
            found: None,
            exit_code: None,
            duration_ms: None,
            size: 0,
        };
        Event::new(Timestamp::UNIX_EPOCH, Happening::ToolReturned(back))
    }

    fn marks(calls: &[(&str, &str)]) -> Vec<String> {
        let events: Vec<Event> = calls
            .iter()
            .enumerate()
            .map(|(number, (tool, excerpt))| {
                let call = match tool.strip_prefix("run ") {
                    Some(command) => Call::Shell {
                        command: BoundedText::tail(command, 300),
                        reads_outside: false,
                        folder: None,
                    },
                    None => Call::Other {
                        name: (*tool).to_owned(),
                        asked: None,
                        plan: None,
                    },
                };
                returned(number, call, excerpt)
            })
            .collect();
        let session = fold(&events, &FoldOptions::default());
        let taken = session.outside.iter();
        taken.map(|(_, outside)| outside.label()).collect()
    }

    #[test]
    fn a_tool_that_nobody_knows_may_bring_anything() {
        for tool in ["BrowserSnapshot", "_fetch_pr", "search_code", ""] {
            assert_eq!(marks(&[(tool, "words")]), ["unseen"], "{tool}");
        }
        for tool in CLIENTS_OWN {
            assert!(marks(&[(tool, "words")]).is_empty(), "{tool}");
        }
    }

    #[test]
    fn what_a_subagent_said_is_marked_unless_its_doings_were_told() {
        assert_eq!(marks(&[("TaskOutput", "what I found")]), ["unseen"]);
        let left = "Command running in background with ID: b1";
        assert!(marks(&[("run make test", left), ("TaskOutput", "1 passed")]).is_empty());
        assert_eq!(
            marks(&[("run make test", left), ("wait_agent", "what I found")]),
            ["unseen"],
            "no command speaks by it"
        );
        let mut seen = returned(
            1,
            Call::WebSearch {
                query: "x".to_owned(),
            },
            "",
        );
        seen.agent = Some("a1".to_owned());
        let asked = Call::Other {
            name: "TaskOutput".to_owned(),
            asked: None,
            plan: None,
        };
        let labels = |events: &[Event]| -> Vec<String> {
            let session = fold(events, &FoldOptions::default());
            let taken = session.outside.iter();
            taken.map(|(_, one)| one.label()).collect()
        };
        let told = returned(9, asked, "found");
        assert_eq!(
            labels(&[seen.clone(), told.clone()]),
            ["web"],
            "by what it did itself"
        );
        // Another one, of which nothing was told, and a command that still runs.
        let make = Call::Shell {
            command: BoundedText::tail("make test", 300),
            reads_outside: false,
            folder: None,
        };
        let sent = Event::new(
            Timestamp::UNIX_EPOCH,
            Happening::ToolCalled {
                id: "t".to_owned(),
                call: Call::Task {
                    kind: None,
                    about: BoundedText::tail("look it up", 300),
                },
            },
        );
        let events = [seen, returned(2, make, left), sent, told];
        assert_eq!(labels(&events), ["web", "unseen"]);
    }
}
