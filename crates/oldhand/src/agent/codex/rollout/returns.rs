//! How the calls of a rollout end: at once, as part of a script, or long after, as a process that goes on after its call has returned.

use jiff::Timestamp;
use oldhand_domain::event::{Call, Ending, Event, Happening};
use serde_json::Value;

use super::super::super::excerpt;
use super::super::super::json::{RESULT, at, flat_text, name, text};
use super::super::super::tool::{Result, exit_code};
use super::super::script::{self, Printed, Progress};
use super::super::{GOES_ON, result};
use super::Rollout;

/// How Codex begins to say that a patch does not fit.
const REFUSED_PATCH: &str = "apply_patch verification failed";

/// What a call waits for.
pub(super) enum Waiting {
    Call(Call),
    /// The calls of a script, each under a name of its own.
    Script(Vec<(String, Call)>),
    /// More of what a script in this cell prints.
    Cell(String),
    /// More of what this process prints.
    Process(u64),
}

impl Rollout {
    pub(super) fn returned(&mut self, item: &Value, when: Timestamp, out: &mut Vec<Event>) {
        let Some(id) = text(item, &["call_id"]) else {
            return;
        };
        let output = item.get("output").unwrap_or(&Value::Null);
        let waits = match self.waiting.remove(id) {
            Some(Waiting::Cell(cell)) => self.cells.remove(&cell),
            other => other,
        };
        match waits {
            None | Some(Waiting::Cell(_)) => {}
            Some(Waiting::Call(call)) => self.ended(id, call, output, when, out),
            Some(Waiting::Script(calls)) => self.script_returned(calls, output, when, out),
            Some(Waiting::Process(process)) => {
                let printed = match script::printed(output, 1) {
                    Some((Progress::Running(cell), _)) => {
                        self.cells.insert(cell, Waiting::Process(process));
                        return;
                    }
                    Some((_, parts)) => parts.into_iter().next_back().unwrap_or_default(),
                    None => plainly(&flat_text(output)),
                };
                self.went_on(process, &printed, when, out);
            }
        }
    }

    fn ended(
        &mut self,
        id: &str,
        call: Call,
        output: &Value,
        when: Timestamp,
        out: &mut Vec<Event>,
    ) {
        let told = flat_text(output);
        // Older rollouts wrap the output and its exit code in JSON once more.
        let inner: Option<Value> = told
            .starts_with('{')
            .then(|| serde_json::from_str(&told).ok())
            .flatten();
        let (words, code) = match &inner {
            Some(inner) if inner.get("output").is_some() => (
                flat_text(inner),
                at(inner, &["metadata", "exit_code"]).and_then(Value::as_i64),
            ),
            _ => (told, None),
        };
        let printed = plainly(&words);
        if matches!(call, Call::Shell { .. })
            && let Some(process) = printed.process
        {
            self.go_on(process, id, call, &printed.output, when, out);
            return;
        }
        let failed = self.failed.remove(id) || words.starts_with(REFUSED_PATCH);
        let mut back = result(id, call, &words, failed, &self.root, self.cwd.as_deref());
        if let Some(code) = code {
            back.exit_code = i32::try_from(code).ok();
            if code != 0 {
                back.ended = Ending::Failed;
            }
        }
        out.push(back.into_event(when));
    }

    /// Each call of a script with what it printed.
    fn script_returned(
        &mut self,
        calls: Vec<(String, Call)>,
        output: &Value,
        when: Timestamp,
        out: &mut Vec<Event>,
    ) {
        let Some((progress, parts)) = script::printed(output, calls.len()) else {
            return;
        };
        if let Progress::Running(cell) = progress {
            self.cells.insert(cell, Waiting::Script(calls));
            return;
        }
        let last = calls.len();
        for (nth, ((id, call), printed)) in calls.into_iter().zip(parts).enumerate() {
            if let (Call::Shell { .. }, Some(process), None) =
                (&call, printed.process, printed.exit_code)
            {
                self.go_on(process, &id, call, &printed.output, when, out);
                continue;
            }
            let failed = progress == Progress::Failed && nth + 1 == last;
            self.end(&id, call, &printed, failed, when, out);
        }
    }

    /// It may never end: what is known of it is told now, and its end when that comes.
    fn go_on(
        &mut self,
        process: u64,
        id: &str,
        call: Call,
        output: &str,
        when: Timestamp,
        out: &mut Vec<Event>,
    ) {
        let told = format!("{GOES_ON}{process}\nOutput:\n{output}");
        let back = Result {
            id: id.to_owned(),
            call,
            ended: Ending::Succeeded,
            output: &told,
            matched: Vec::new(),
            exit_code: None,
            duration_ms: None,
        };
        out.push(back.into_event(when));
        self.running.insert(process, id.to_owned());
    }

    /// More of a process's output: it ends when its exit code is told.
    fn went_on(&mut self, process: u64, printed: &Printed, when: Timestamp, out: &mut Vec<Event>) {
        let Some(id) = self.running.get(&process) else {
            return;
        };
        let ended = Happening::CommandEnded {
            id: name(id),
            exit_code: printed.exit_code,
            output: excerpt::ends(&printed.output, RESULT),
        };
        out.push(Event::new(when, ended));
        if printed.exit_code.is_some() {
            self.running.remove(&process);
        }
    }

    fn end(
        &self,
        id: &str,
        call: Call,
        printed: &Printed,
        failed: bool,
        when: Timestamp,
        out: &mut Vec<Event>,
    ) {
        let failed = failed || printed.exit_code.is_some_and(|code| code != 0);
        let is_shell = matches!(call, Call::Shell { .. });
        let cwd = self.cwd.as_deref();
        let mut back = result(id, call, &printed.output, failed, &self.root, cwd);
        if is_shell {
            back.exit_code = printed.exit_code.or(back.exit_code);
        }
        out.push(back.into_event(when));
    }
}

/// A result as a text with a few lines above it: the exit code, or the number of a process that goes on.
fn plainly(words: &str) -> Printed {
    let (front, body) = match words.find("Output:\n") {
        Some(at) if at < 300 => words.split_at(at + "Output:\n".len()),
        _ => ("", words),
    };
    let number = front.find(GOES_ON).map(|at| &front[at + GOES_ON.len()..]);
    Printed {
        output: body.to_owned(),
        exit_code: exit_code(front),
        process: number
            .and_then(|rest| rest.split_whitespace().next())
            .and_then(|digits| digits.parse().ok()),
    }
}
