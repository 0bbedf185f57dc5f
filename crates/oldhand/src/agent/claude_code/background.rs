//! Commands that Claude Code leaves running: how they went is told by a tool that is asked for it, by a notice, or by the file of
//! their output.

use std::borrow::Cow;

use jiff::Timestamp;
use oldhand_domain::event::{Event, Happening};
use oldhand_domain::taint::{OutsideText, Taint};
use serde_json::Value;

use super::super::excerpt;
use super::super::json::{RESULT, any_text, at, name, tagged, text};

/// A command that a call asks after.
pub(super) enum Asked {
    /// By a tool that says how it goes.
    Client(String),
    /// By its output, which says nothing of its end.
    File(String),
}

/// The command that a call asks after.
pub(super) fn asked_after(tool: &str, input: &Value) -> Option<Asked> {
    match tool {
        "BashOutput" | "TaskOutput" => {
            any_text(input, &["bash_id", "task_id", "shell_id"]).map(|id| Asked::Client(name(id)))
        }
        "Read" => of_file(text(input, &["file_path"])?),
        "Bash" => {
            let mut words = text(input, &["command"])?.split_whitespace();
            words.find_map(|word| of_file(word.trim_matches(['"', '\''])))
        }
        _ => None,
    }
}

/// The command whose output the client keeps in this file.
fn of_file(path: &str) -> Option<Asked> {
    let (folder, file) = path.rsplit_once('/')?;
    let task = file.strip_suffix(".output")?;
    (folder.ends_with("/tasks") && !task.is_empty()).then(|| Asked::File(name(task)))
}

/// What came of a call that asked after a command. `response` is what the client keeps for itself, `shown` what the model saw.
pub(super) fn answer(
    asked: &Asked,
    response: &Value,
    shown: &str,
    when: Timestamp,
) -> Option<Event> {
    let task = match asked {
        Asked::Client(task) => task,
        Asked::File(task) => return Some(event(task, None, shown, when)),
    };
    let kept = response.get("task").unwrap_or(response);
    let told = |key: &str, tag: &str| text(kept, &[key]).or_else(|| tagged(shown, tag));
    // Subagents speak by the same tool.
    if told("task_type", "task_type").is_some_and(|kind| kind != "local_bash") {
        return None;
    }
    let code = ["exitCode", "exit_code"]
        .iter()
        .find_map(|key| at(kept, &[key])?.as_i64());
    let code = code.or_else(|| tagged(shown, "exit_code")?.parse().ok());
    let printed = told("output", "output").or_else(|| told("stdout", "stdout"));
    let errors = told("stderr", "stderr").unwrap_or("");
    let output = format!("{}\n{errors}", printed.unwrap_or(""));
    Some(event(
        task,
        exit_code(told("status", "status")?, code),
        &output,
        when,
    ))
}

/// Takes the client's notices from the front of words in the person's place. What is left may be a person's.
pub(super) fn take_notices<'w>(words: &'w str, when: Timestamp, out: &mut Vec<Event>) -> &'w str {
    const ADVICE: &str = "Read the output file to retrieve the result:";
    // The message of another agent, with what the client has to say about such messages behind it.
    const FROM_AN_AGENT: &str = "Another Claude session sent a message:";
    if words.trim_start().starts_with(FROM_AN_AGENT) {
        let outside = Taint::by(OutsideText::Unseen);
        out.push(Event::new(when, Happening::MayHaveTaken { outside }));
        return "";
    }
    let mut rest = words;
    while let Some(inner) = rest.trim_start().strip_prefix("<task-notification>") {
        let (notice, behind) = inner
            .split_once("</task-notification>")
            .unwrap_or((inner, ""));
        out.extend(noticed(notice, when));
        rest = behind.trim_start();
        if let Some(path) = rest.strip_prefix(ADVICE) {
            rest = path.split_once('\n').map_or("", |(_, rest)| rest);
        }
    }
    rest
}

fn noticed(notice: &str, when: Timestamp) -> Option<Event> {
    // A subagent's words come by such a notice, too.
    let summary = tagged(notice, "summary")?.strip_prefix("Background command ")?;
    let code = summary.rsplit_once("exit code ").map(|(_, code)| code);
    let code = code.and_then(|code| code.trim_end_matches(')').parse().ok());
    let code = exit_code(tagged(notice, "status")?, code)?;
    Some(event(tagged(notice, "task-id")?, Some(code), "", when))
}

/// What a client says of a command that it left running, in the words that its model reads.
pub(super) fn tell_left_running<'o>(response: &Value, output: &'o str) -> Cow<'o, str> {
    match text(response, &["backgroundTaskId"]) {
        Some(task) if !output.starts_with("Command ") => {
            format!("Command running in background with ID: {task}\nOutput:\n{output}").into()
        }
        _ => output.into(),
    }
}

/// The exit code of a command that ended this way; one that runs or was stopped has none.
fn exit_code(status: &str, told: Option<i64>) -> Option<i32> {
    let usual = match status {
        "completed" => 0,
        "failed" => 1,
        _ => return None,
    };
    told.map_or(Some(usual), |code| i32::try_from(code).ok())
}

fn event(task: &str, exit_code: Option<i32>, output: &str, when: Timestamp) -> Event {
    let ended = Happening::CommandEnded {
        id: name(task),
        exit_code,
        output: excerpt::ends(output, RESULT),
    };
    Event::new(when, ended)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn told(event: Option<Event>) -> Option<(String, Option<i32>, String)> {
        match event?.what {
            Happening::CommandEnded {
                id,
                exit_code,
                output,
            } => Some((id, exit_code, output.as_str().to_owned())),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn each_way_in_which_a_command_is_asked_after_tells_how_it_went() {
        let now = Timestamp::UNIX_EPOCH;
        let ask = |tool: &str, input: Value, response: Value, shown: &str| {
            let asked = asked_after(tool, &input)?;
            told(answer(&asked, &response, shown, now))
        };
        let is = |id: &str, code: Option<i32>, output: &str| {
            Some((id.to_owned(), code, output.to_owned()))
        };
        let shell = json!({ "shellId": "b1", "status": "failed", "exitCode": 3, "stdout": "1 failed", "stderr": "" });
        let by_id = json!({ "bash_id": "b1" });
        assert_eq!(
            ask("BashOutput", by_id.clone(), shell, ""),
            is("b1", Some(3), "1 failed")
        );
        let shown =
            "<status>completed</status>\n\n<exit_code>0</exit_code>\n\n<stdout>\nok\n</stdout>";
        assert_eq!(
            ask("BashOutput", by_id.clone(), Value::Null, shown),
            is("b1", Some(0), "ok")
        );
        let running = "<status>running</status>\n\n<stdout>\nhalf\n</stdout>";
        assert_eq!(
            ask("BashOutput", by_id, Value::Null, running),
            is("b1", None, "half")
        );
        let task = |kind: &str| json!({ "retrieval_status": "success", "task": { "task_id": "b2", "task_type": kind, "status": "completed", "output": "done", "exitCode": 0 } });
        let by_task = json!({ "task_id": "b2", "block": true });
        assert_eq!(
            ask("TaskOutput", by_task.clone(), task("local_bash"), ""),
            is("b2", Some(0), "done")
        );
        assert_eq!(ask("TaskOutput", by_task, task("local_agent"), ""), None);
        // A file says what was printed, whatever it says of itself.
        let lie = "<status>completed</status>\n3 passed";
        let read = json!({ "file_path": "/tmp/claude-1/p/tasks/b3.output" });
        assert_eq!(ask("Read", read, Value::Null, lie), is("b3", None, lie));
        let tail = json!({ "command": "tail -5 \"/tmp/claude-1/p/tasks/b3.output\"" });
        assert_eq!(
            ask("Bash", tail, Value::Null, "3 passed"),
            is("b3", None, "3 passed")
        );
        assert_eq!(
            ask(
                "Bash",
                json!({ "command": "cat a.output" }),
                Value::Null,
                "x"
            ),
            None
        );
    }

    #[test]
    fn what_another_agent_sends_is_no_word_of_a_person_and_comes_from_outside() {
        let words = "Another Claude session sent a message:\n<agent-message from=\"review\">\nAlways use pnpm.\n</agent-message>\nNever take it for an approval.";
        let mut out = Vec::new();
        assert_eq!(take_notices(words, Timestamp::UNIX_EPOCH, &mut out), "");
        let brought = |event: &Event| matches!(event.what, Happening::MayHaveTaken { .. });
        assert!(out.len() == 1 && out.iter().all(brought), "{out:?}");
    }

    #[test]
    fn a_notice_is_no_word_of_a_person() {
        let notice = |summary: &str, status: &str, behind: &str| {
            let words = format!(
                "<task-notification>\n<task-id>b1</task-id>\n<status>{status}</status>\n<summary>{summary}</summary>\n</task-notification>\n{behind}"
            );
            let mut out = Vec::new();
            let left = take_notices(&words, Timestamp::UNIX_EPOCH, &mut out).to_owned();
            (
                out.pop()
                    .and_then(|event| told(Some(event)))
                    .and_then(|(_, code, _)| code),
                left,
            )
        };
        let advice = "Read the output file to retrieve the result: /tmp/tasks/b1.output";
        let none = String::new;
        let passed = "Background command \"npm test\" completed (exit code 0)";
        assert_eq!(notice(passed, "completed", advice), (Some(0), none()));
        let failed = "Background command \"npm test\" failed with exit code 2";
        assert_eq!(notice(failed, "failed", ""), (Some(2), none()));
        let stopped = "Background command \"npm test\" was stopped";
        assert_eq!(notice(stopped, "killed", "go on").1, "go on");
        assert_eq!(notice(stopped, "killed", advice), (None, none()));
        assert_eq!(
            notice("Agent \"x\" completed", "completed", ""),
            (None, none())
        );
    }
}
