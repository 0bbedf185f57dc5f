//! Tool names and arguments of all clients, as one kind of call.

use std::collections::HashSet;

use jiff::Timestamp;
use oldhand_domain::event::{
    BoundedText, Call, Change, Ending, Event, Happening, Place, Planning, Return,
};
use oldhand_domain::path::ProjectPath;
use oldhand_observe::outcome::outside::is_scratch;
use serde_json::Value;

use super::json::{RESULT, any_text, flat_text, name, typed};
use super::root::Root;
use super::{excerpt, patch, shell};

/// The call behind a tool's name and input.
pub(super) fn call(tool: &str, input: &Value, root: &Root, cwd: Option<&str>) -> Call {
    let place = || {
        any_text(
            input,
            &[
                "file_path",
                "filePath",
                "absolute_path",
                "notebook_path",
                "path",
                "target_file",
            ],
        )
        .map_or(Place::Outside, |path| root.place(path, cwd))
    };
    let word = |keys: &[&str]| typed(any_text(input, keys).unwrap_or(""));
    // What a session keeps beside the project is neither the project's nor anybody else's.
    let looks_at_scratch = any_text(input, &["file_path", "filePath", "absolute_path", "path"])
        .is_some_and(|path| {
            root.place(path, cwd) == Place::Outside
                && (is_scratch(path) || root.is_other_checkout(path, cwd))
        });
    match tool {
        "Read" | "read" | "read_file" | "Grep" | "grep" | "Glob" | "glob" | "LS" | "list"
            if looks_at_scratch =>
        {
            Call::Other {
                name: "Read".to_owned(),
                asked: None,
                plan: None,
            }
        }
        "Read" | "read" | "read_file" | "NotebookRead" => Call::Read { file: place() },
        "Edit" | "edit" | "replace" | "MultiEdit" | "multiedit" | "NotebookEdit" | "StrReplace"
        | "edit_file" => Call::Edit {
            files: vec![place()],
            change: change(input),
        },
        "Write" | "write" | "write_file" => Call::Write {
            file: place(),
            change: change(input),
        },
        "apply_patch" | "patch" => patch::call(
            any_text(input, &["command", "input", "patch", "patchText"]).unwrap_or(""),
            root,
            cwd,
        ),
        "Grep" | "grep" | "grep_search" | "search_file_content" | "codebase_search" => {
            let within = any_text(input, &["path", "dir_path"])
                .filter(|path| !root.is_whole(path, cwd))
                .map(|path| root.place(path, cwd));
            Call::Grep {
                pattern: word(&["pattern", "query"]),
                within,
            }
        }
        "Glob" | "glob" | "list_directory" | "list" | "LS" => {
            let mut named = ["path", "dir_path", "pattern"]
                .iter()
                .filter_map(|key| any_text(input, &[key]));
            Call::Glob {
                pattern: word(&["pattern", "dir_path", "path"]),
                outside: named.any(|path| {
                    !root.is_whole(path, cwd) && root.place(path, cwd) == Place::Outside
                }),
            }
        }
        "Bash" | "bash" | "PowerShell" | "run_shell_command" | "shell" | "exec_command"
        | "shell_command" | "local_shell" | "Shell" => shell::call(tool, input, root, cwd),
        "WebFetch" | "web_fetch" | "webfetch" => Call::WebFetch {
            url: word(&["url", "prompt"]),
        },
        "WebSearch" | "google_web_search" | "websearch" | "web_search" => Call::WebSearch {
            query: word(&["query", "search_term"]),
        },
        // Codex asks for several at once.
        "web__run" => Call::WebSearch {
            query: typed(
                input
                    .pointer("/search_query/0/q")
                    .or_else(|| input.pointer("/open/0/ref_id"))
                    .and_then(Value::as_str)
                    .unwrap_or(""),
            ),
        },
        "Task" | "Agent" | "task" | "invoke_agent" | "spawn_agent" => Call::Task {
            about: excerpt::head(
                any_text(input, &["description", "message", "prompt", "task"]).unwrap_or(""),
                300,
            ),
            kind: any_text(input, &["subagent_type", "agent_type", "agent_name"]).map(name),
        },
        "codesearch" => Call::WebSearch {
            query: word(&["query"]),
        },
        "ReadMcpResourceTool"
        | "read_mcp_resource"
        | "ListMcpResourcesTool"
        | "list_mcp_resources"
        | "list_mcp_resource_templates" => Call::Mcp {
            server: name(any_text(input, &["server"]).unwrap_or("any")),
            name: name(tool),
        },
        _ => match tool
            .strip_prefix("mcp__")
            .and_then(|rest| rest.rsplit_once("__"))
        {
            Some((server, tool)) => Call::Mcp {
                server: name(server),
                name: name(tool),
            },
            None => Call::Other {
                name: name(tool),
                asked: skill(tool, input),
                plan: planning(tool, input),
            },
        },
    }
}

/// The skill that a client is asked for.
fn skill(tool: &str, input: &Value) -> Option<String> {
    let is_skill = matches!(tool, "Skill" | "skill");
    let asked = any_text(input, &["skill", "command", "name"]).filter(|_| is_skill);
    asked.map(name)
}

/// What a tool does to the agent's plan.
fn planning(tool: &str, input: &Value) -> Option<Planning> {
    match tool {
        "TodoWrite" | "todowrite" | "todo_write" | "write_todos" | "update_plan" => {
            let items = ["todos", "plan"].iter().find_map(|key| input.get(key));
            let steps = items?.as_array()?.len() as u32;
            // Some clients send only what changes.
            let is_part = input.get("merge").and_then(Value::as_bool) == Some(true);
            (!is_part).then_some(Planning::Whole(steps))
        }
        "TaskCreate" => Some(Planning::Added(1)),
        _ => None,
    }
}

fn change(input: &Value) -> Option<Change> {
    if let Some(edits) = input.get("edits").and_then(Value::as_array) {
        let joined = |keys: &[&str]| {
            edits
                .iter()
                .filter_map(|edit| any_text(edit, keys))
                .collect::<Vec<_>>()
                .join("\n")
        };
        return Some(Change::between(
            &joined(&["old_string", "oldString"]),
            &joined(&["new_string", "newString"]),
        ));
    }
    let old = any_text(input, &["old_string", "oldString", "old_str"]);
    let new = any_text(
        input,
        &[
            "new_string",
            "newString",
            "new_str",
            "content",
            "new_source",
            "contents",
        ],
    );
    new.map(|new| Change::between(old.unwrap_or(""), new))
}

/// How a call ended, as far as the client shows.
pub(super) struct Result<'a> {
    pub(super) id: String,
    pub(super) call: Call,
    pub(super) ended: Ending,
    /// The whole text of the result; only a part is kept.
    pub(super) output: &'a str,
    /// All files that a search found; the first of them are kept, and their number.
    pub(super) matched: Vec<ProjectPath>,
    pub(super) exit_code: Option<i32>,
    pub(super) duration_ms: Option<u64>,
}

impl Result<'_> {
    pub(super) fn into_event(self, at: Timestamp) -> Event {
        // What was read or written is in the files themselves; its result needs no second copy.
        let keep = match (&self.call, self.ended) {
            (
                Call::Read { .. }
                | Call::Write { .. }
                | Call::Edit { .. }
                | Call::WebFetch { .. }
                | Call::WebSearch { .. }
                | Call::Task { .. },
                Ending::Succeeded,
            ) => 0,
            _ => RESULT,
        };
        let excerpt = if keep == 0 {
            BoundedText::default()
        } else {
            excerpt::ends(self.output, keep)
        };
        let mut back = Return {
            id: name(&self.id),
            call: self.call,
            ended: self.ended,
            excerpt,
            matched: self.matched,
            found: None,
            exit_code: self.exit_code,
            duration_ms: self.duration_ms,
            size: self.output.len() as u64,
        };
        back.keep_matches(Return::MATCHES);
        Event::new(at, Happening::ToolReturned(back))
    }
}

/// The exit code a client writes into a result's text.
pub(super) fn exit_code(output: &str) -> Option<i32> {
    const MARKS: [&str; 5] = [
        "Exit code: ",
        "Exit Code: ",
        "Exit code ",
        "Process exited with code ",
        "exited with code ",
    ];
    let (_, rest) = MARKS
        .iter()
        .find_map(|mark| output.find(mark).map(|at| (at, &output[at + mark.len()..])))?;
    let digits: &str = rest
        .split(|c: char| !c.is_ascii_digit() && c != '-')
        .next()?;
    digits.parse().ok()
}

/// Files a search found: listed by the client, or the paths its text begins lines with.
pub(super) fn matches(
    listed: Option<&Value>,
    output: &str,
    root: &Root,
    cwd: Option<&str>,
) -> Vec<ProjectPath> {
    let mut found: Vec<ProjectPath> = Vec::new();
    let mut known: HashSet<ProjectPath> = HashSet::new();
    let mut push = |path: &str| {
        if let Some(path) = root.project(path, cwd)
            && known.insert(path.clone())
        {
            found.push(path);
        }
    };
    // Searches that show lines list no files; then the lines name them.
    if let Some(Value::Array(listed)) =
        listed.filter(|listed| listed.as_array().is_some_and(|listed| !listed.is_empty()))
    {
        listed.iter().filter_map(Value::as_str).for_each(&mut push);
        return found;
    }
    for line in output.lines() {
        let line = line.trim().trim_start_matches("File: ");
        let path = line.split(':').next().unwrap_or("");
        let like_path = !path.is_empty()
            && path.len() < 200
            && !path.contains(' ')
            && (path.contains('/') || path.contains('.'));
        if like_path
            && path.chars().any(char::is_alphanumeric)
            && !path.starts_with(['<', '-', '"', '('])
        {
            push(path);
        }
    }
    found
}

/// The text of a result in whatever shape it comes.
pub(super) fn output(response: &Value) -> String {
    match response {
        Value::Object(_) => {
            let stdout = any_text(response, &["stdout"]);
            let stderr = any_text(response, &["stderr"]).filter(|text| !text.is_empty());
            match (stdout, stderr) {
                (Some(stdout), Some(stderr)) => format!("{stdout}\n{stderr}"),
                (Some(stdout), None) => stdout.to_owned(),
                _ => flat_text(response),
            }
        }
        other => flat_text(other),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_a_server_keeps_is_its_word_and_scratch_is_the_sessions_own() {
        let root = Root::new("/home/dev/project");
        let told = |tool: &str, input: Value| call(tool, &input, &root, None);
        for tool in ["ReadMcpResourceTool", "read_mcp_resource"] {
            let read = told(tool, json!({ "server": "jira", "uri": "x://1" }));
            assert!(matches!(read, Call::Mcp { server, .. } if server == "jira"));
        }
        let path = |path: &str| json!({ "file_path": path });
        for own in ["/tmp/out.log", "/Users/dev/.claude/plans/a.md"] {
            assert!(
                matches!(told("Read", path(own)), Call::Other { .. }),
                "{own}"
            );
        }
        for (file, outside) in [
            ("/opt/x.md", true),
            ("/tmp/../etc/hosts", true),
            ("/home/dev/project/src/a.rs", false),
        ] {
            let Call::Read { file: place } = told("Read", path(file)) else {
                panic!("{file} is read")
            };
            assert_eq!(place == Place::Outside, outside, "{file}");
        }
    }

    #[test]
    fn a_search_in_the_whole_project_is_a_search_at_home() {
        let root = Root::new("/home/dev/project");
        let within = |path: &str| {
            let input = json!({ "pattern": "port", "path": path });
            match call("Grep", &input, &root, None) {
                Call::Grep { within, .. } => within,
                _ => None,
            }
        };
        assert_eq!(within("/home/dev/project"), None);
        assert_eq!(within("."), None);
        assert_eq!(within("/etc"), Some(Place::Outside));
        let lists_outside = |input: Value| {
            matches!(
                call("Glob", &input, &root, None),
                Call::Glob { outside: true, .. }
            )
        };
        assert!(lists_outside(
            json!({ "pattern": "**/*.md", "path": "/opt/other" })
        ));
        assert!(lists_outside(json!({ "pattern": "../other/*.md" })));
        assert!(!lists_outside(json!({ "pattern": "**/*.md", "path": "." })));
        assert!(!lists_outside(
            json!({ "pattern": "/home/dev/project/src/*.rs" })
        ));
    }
}

#[test]
fn of_a_long_listing_the_first_files_are_kept_and_how_many_there_are() {
    let root = Root::new("/home/dev/project");
    let listing = |files: usize| {
        let lines = (0..files).map(|n| format!("/home/dev/project/src/f{n}.ts\n"));
        let output: String = lines.collect();
        let matched = matches(None, &output, &root, None);
        let result = Result {
            id: "1".to_owned(),
            call: Call::Glob {
                pattern: "**/*.ts".to_owned(),
                outside: false,
            },
            ended: Ending::Succeeded,
            output: &output,
            matched,
            exit_code: None,
            duration_ms: None,
        };
        match result.into_event(Timestamp::UNIX_EPOCH).what {
            Happening::ToolReturned(back) => (back.matched.len(), back.found),
            _ => panic!("it came back"),
        }
    };
    assert_eq!(listing(60), (60, None));
    assert_eq!(listing(61), (60, Some(61)));
    assert_eq!(listing(1200), (60, Some(1200)));
}

#[test]
fn the_plans_of_all_clients_are_counted() {
    let item = serde_json::json!({ "content": "a", "step": "a", "status": "pending" });
    let three = serde_json::json!([item, item, item]);
    for (tool, input, plan) in [
        (
            "TodoWrite",
            serde_json::json!({ "todos": three }),
            Some(Planning::Whole(3)),
        ),
        (
            "todowrite",
            serde_json::json!({ "todos": three }),
            Some(Planning::Whole(3)),
        ),
        (
            "write_todos",
            serde_json::json!({ "todos": three }),
            Some(Planning::Whole(3)),
        ),
        (
            "update_plan",
            serde_json::json!({ "plan": three }),
            Some(Planning::Whole(3)),
        ),
        (
            "todo_write",
            serde_json::json!({ "todos": three, "merge": true }),
            None,
        ),
        (
            "TaskCreate",
            serde_json::json!({ "subject": "a" }),
            Some(Planning::Added(1)),
        ),
        ("TaskUpdate", serde_json::json!({ "taskId": "1" }), None),
        ("update_plan", serde_json::json!({ "plan": "later" }), None),
    ] {
        assert_eq!(planning(tool, &input), plan, "{tool} {input}");
    }
}

#[test]
fn what_a_client_is_asked_for_by_its_name_is_kept() {
    let root = Root::new("/home/dev/project");
    let asked = |tool: &str, input: Value| match call(tool, &input, &root, None) {
        Call::Other { asked, .. } => asked,
        Call::Task { kind, .. } => kind,
        other => panic!("{other:?}"),
    };
    for (tool, input, expected) in [
        (
            "Skill",
            serde_json::json!({ "skill": "commit" }),
            Some("commit"),
        ),
        (
            "Skill",
            serde_json::json!({ "command": "commit" }),
            Some("commit"),
        ),
        (
            "skill",
            serde_json::json!({ "name": "commit" }),
            Some("commit"),
        ),
        (
            "Task",
            serde_json::json!({ "subagent_type": "Explore", "prompt": "look" }),
            Some("Explore"),
        ),
        (
            "spawn_agent",
            serde_json::json!({ "agent_type": "default" }),
            Some("default"),
        ),
        ("Task", serde_json::json!({ "prompt": "look" }), None),
        ("TeamCreate", serde_json::json!({ "name": "commit" }), None),
    ] {
        assert_eq!(asked(tool, input).as_deref(), expected, "{tool}");
    }
}
