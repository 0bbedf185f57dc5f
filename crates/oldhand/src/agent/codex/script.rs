//! Codex's `exec` tool: a small script that calls the client's other tools, and what it printed. The script is not run or understood, only
//! searched for calls whose arguments are written out.

use std::collections::HashMap;

use serde_json::{Map, Value};

/// How deep arguments may be nested; a script is text from outside.
const DEPTH: usize = 8;

/// The calls of a script in the order they are written, each with its arguments. What is computed is `null`.
pub(super) fn calls(script: &str) -> Vec<(String, Value)> {
    let mut reader = Reader {
        text: script,
        at: 0,
        named: HashMap::new(),
    };
    let mut found = Vec::new();
    let mut last_word = "";
    let mut assigned: Option<&str> = None;
    while let Some(next) = reader.peek() {
        if reader.skip_blank() {
            continue;
        }
        if matches!(next, '"' | '\'' | '`') {
            let value = reader.string();
            if let Some(name) = assigned.take() {
                reader.named.insert(name.to_owned(), Value::String(value));
            }
        } else if is_word(next) {
            let word = reader.word();
            if let Some(tool) = word.strip_prefix("tools.")
                && reader.rest().trim_start().starts_with('(')
            {
                reader.skip_to('(');
                let arguments = reader.value(0);
                found.push((tool.to_owned(), arguments));
            }
            last_word = word;
            assigned = None;
        } else {
            let after = reader.rest()[next.len_utf8()..].chars().next();
            assigned = (next == '=' && !matches!(after, Some('=' | '>'))).then_some(last_word);
            reader.bump();
        }
    }
    found
}

fn is_word(letter: char) -> bool {
    letter.is_alphanumeric() || matches!(letter, '_' | '$')
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
    /// Texts that the script gave a name before.
    named: HashMap<String, Value>,
}

impl<'a> Reader<'a> {
    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn bump(&mut self) {
        self.at += self.peek().map_or(0, char::len_utf8);
    }

    fn skip_to(&mut self, mark: char) {
        self.at += self.rest().find(mark).map_or(0, |at| at + mark.len_utf8());
    }

    /// Goes past white space and comments, and says whether there were any.
    fn skip_blank(&mut self) -> bool {
        let from = self.at;
        loop {
            let rest = self.rest();
            let trimmed = rest.trim_start();
            self.at += rest.len() - trimmed.len();
            let end = if trimmed.starts_with("//") {
                trimmed.find('\n').unwrap_or(trimmed.len())
            } else if trimmed.starts_with("/*") {
                trimmed.find("*/").map_or(trimmed.len(), |at| at + 2)
            } else {
                return self.at > from;
            };
            self.at += end;
        }
    }

    /// A name, with the names it is taken from: `tools.exec_command`.
    fn word(&mut self) -> &'a str {
        let rest = self.rest();
        let end = rest
            .find(|c: char| !is_word(c) && c != '.')
            .unwrap_or(rest.len());
        self.at += end;
        rest[..end].trim_end_matches('.')
    }

    /// A quoted text, its escapes resolved. What a template puts in between stays as it is written.
    fn string(&mut self) -> String {
        let quote = self.peek();
        self.bump();
        let mut out = String::new();
        while let Some(letter) = self.peek() {
            self.bump();
            if Some(letter) == quote {
                break;
            }
            if letter != '\\' {
                out.push(letter);
                continue;
            }
            let Some(escaped) = self.peek() else { break };
            self.bump();
            match escaped {
                'n' => out.push('\n'),
                't' => out.push('\t'),
                'r' => out.push('\r'),
                '\n' => {}
                'u' => match self.unicode() {
                    Some(letter) => out.push(letter),
                    None => out.push(char::REPLACEMENT_CHARACTER),
                },
                other => out.push(other),
            }
        }
        out
    }

    /// Four hexadecimal digits after `\u`.
    fn unicode(&mut self) -> Option<char> {
        let digits = self.rest().get(..4)?;
        let code = u32::from_str_radix(digits, 16).ok()?;
        self.at += 4;
        char::from_u32(code)
    }

    /// A value that is written out, or a name that was given one. Goes past the whole expression.
    fn value(&mut self, depth: usize) -> Value {
        self.skip_blank();
        let value = match self.peek() {
            Some('"' | '\'' | '`') => Value::String(self.string()),
            Some('{') if depth < DEPTH => self.object(depth),
            Some('[') if depth < DEPTH => self.array(depth),
            Some(letter) if is_word(letter) => {
                let word = self.word();
                word.parse::<u64>()
                    .map(Value::from)
                    .ok()
                    .or_else(|| self.named.get(word).cloned())
                    .unwrap_or_else(|| word.parse().map_or(Value::Null, Value::Bool))
            }
            _ => Value::Null,
        };
        // `"a" + b`, `f(x)`: computed, so that the part that was read says too little.
        if self.skip_expression() {
            Value::Null
        } else {
            value
        }
    }

    /// Goes to the next `,` or closing bracket of this level, and says whether anything stood before it.
    fn skip_expression(&mut self) -> bool {
        let mut open = 0_usize;
        let mut any = false;
        loop {
            self.skip_blank();
            match self.peek() {
                None => return any,
                Some(',' | ')' | ']' | '}') if open == 0 => return any,
                Some('"' | '\'' | '`') => {
                    self.string();
                }
                Some(letter) => {
                    open += usize::from(matches!(letter, '(' | '[' | '{'));
                    open -= usize::from(matches!(letter, ')' | ']' | '}'));
                    self.bump();
                }
            }
            any = true;
        }
    }

    fn object(&mut self, depth: usize) -> Value {
        let mut fields = Map::new();
        self.bump();
        loop {
            self.skip_blank();
            let key = match self.peek() {
                Some('"' | '\'') => self.string(),
                Some(letter) if is_word(letter) => self.word().to_owned(),
                Some('}') => {
                    self.bump();
                    break;
                }
                Some(',') => {
                    self.bump();
                    continue;
                }
                Some(_) => {
                    // `...rest`, `[computed]`
                    self.bump();
                    self.skip_expression();
                    continue;
                }
                None => break,
            };
            self.skip_blank();
            let value = if self.peek() == Some(':') {
                self.bump();
                self.value(depth + 1)
            } else {
                self.named.get(&key).cloned().unwrap_or(Value::Null)
            };
            fields.insert(key, value);
        }
        Value::Object(fields)
    }

    fn array(&mut self, depth: usize) -> Value {
        let mut items = Vec::new();
        self.bump();
        loop {
            self.skip_blank();
            match self.peek() {
                Some(']') => {
                    self.bump();
                    break;
                }
                Some(',') => self.bump(),
                Some(')' | '}') | None => break,
                Some(_) => items.push(self.value(depth + 1)),
            }
        }
        Value::Array(items)
    }
}

/// How a script got on.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Progress {
    Completed,
    Failed,
    /// It goes on as the cell of this name; `wait` asks for the rest.
    Running(String),
}

/// What one call of a script printed, with the exit code where the script printed that too.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Printed {
    pub(super) output: String,
    pub(super) exit_code: Option<i32>,
    /// The process goes on under this number.
    pub(super) process: Option<u64>,
}

/// Reads a script's result: its head line, then what it printed, a text for each time.
pub(super) fn printed(output: &Value, calls: usize) -> Option<(Progress, Vec<Printed>)> {
    let texts: Vec<&str> = match output {
        Value::String(text) => vec![text],
        Value::Array(parts) => parts
            .iter()
            .filter_map(|part| part.get("text")?.as_str())
            .collect(),
        _ => return None,
    };
    let (head, rest) = texts.split_first()?;
    let (head, first) = head.split_once("Output:\n").unwrap_or((head, ""));
    let progress = if let Some(cell) = head.strip_prefix("Script running with cell ID ") {
        Progress::Running(cell.split_whitespace().next()?.to_owned())
    } else if head.starts_with("Script failed") {
        Progress::Failed
    } else {
        head.starts_with("Script completed")
            .then_some(Progress::Completed)?
    };
    let texts = || {
        std::iter::once(first)
            .filter(|text| !text.is_empty())
            .chain(rest.iter().copied())
    };
    let mut parts: Vec<Printed> = texts().flat_map(part).collect();
    if parts.len() != calls {
        // Nobody says which text belongs to which call: the last one gets them all, as it ended last.
        let last = Printed {
            output: parts
                .iter()
                .map(|part| part.output.as_str())
                .collect::<Vec<_>>()
                .join("\n"),
            exit_code: only(parts.iter().filter_map(|part| part.exit_code)).filter(|_| calls == 1),
            process: only(parts.iter().filter_map(|part| part.process)).filter(|_| calls == 1),
        };
        parts = (1..calls).map(|_| Printed::default()).collect();
        parts.push(last);
    }
    Some((progress, parts))
}

fn only<T>(mut items: impl Iterator<Item = T>) -> Option<T> {
    let first = items.next()?;
    items.next().is_none().then_some(first)
}

/// One text: as it is, or the results that a script printed whole, as JSON.
fn part(text: &str) -> Vec<Printed> {
    let whole = text
        .starts_with(['{', '['])
        .then(|| serde_json::from_str(text).ok())
        .flatten();
    let of = |result: &Value| {
        let known = ["output", "exit_code", "session_id"]
            .iter()
            .any(|key| result.get(key).is_some());
        known.then(|| Printed {
            output: result
                .get("output")
                .and_then(Value::as_str)
                .unwrap_or("")
                .to_owned(),
            exit_code: result
                .get("exit_code")
                .and_then(Value::as_i64)
                .and_then(|code| i32::try_from(code).ok()),
            process: result.get("session_id").and_then(Value::as_u64),
        })
    };
    let results = match &whole {
        Some(Value::Array(results)) => results.iter().map(of).collect::<Option<Vec<_>>>(),
        Some(result) => of(result).map(|one| vec![one]),
        None => None,
    };
    results
        .filter(|results| !results.is_empty())
        .unwrap_or_else(|| {
            vec![Printed {
                output: text.to_owned(),
                ..Printed::default()
            }]
        })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn calls_are_found_with_their_arguments_however_they_are_quoted() {
        let script = r#"
            // tools.exec_command({cmd: "no"})
            const say = "tools.exec_command({cmd: \"neither\"})";
            const patch = "*** Begin Patch\n*** Update File: a.rs\n*** End Patch";
            const [one, two] = await Promise.all([
                tools.exec_command({ "cmd": 'make "check"', workdir: "/p", yield_time_ms: 1000, tty: false }),
                tools.exec_command({cmd:`rg -n x
src`}),
            ]);
            text(await tools.apply_patch(patch));
            await tools.update_plan({plan: [{step: "a"}, {step: "b"}]});
            const cmd = "ls"; await tools.exec_command({cmd, workdir});
            await tools.exec_command({cmd: "rm " + name, timeout: f({a: 1}, "}")});
            tools.iter().map(x => x);
        "#;
        assert_eq!(
            calls(script),
            [
                (
                    "exec_command".to_owned(),
                    json!({ "cmd": "make \"check\"", "workdir": "/p", "yield_time_ms": 1000, "tty": false })
                ),
                ("exec_command".to_owned(), json!({ "cmd": "rg -n x\nsrc" })),
                (
                    "apply_patch".to_owned(),
                    json!("*** Begin Patch\n*** Update File: a.rs\n*** End Patch")
                ),
                (
                    "update_plan".to_owned(),
                    json!({ "plan": [{ "step": "a" }, { "step": "b" }] })
                ),
                (
                    "exec_command".to_owned(),
                    json!({ "cmd": "ls", "workdir": null })
                ),
                (
                    "exec_command".to_owned(),
                    json!({ "cmd": null, "timeout": null })
                ),
                ("iter".to_owned(), json!(null)),
            ]
        );
    }

    #[test]
    fn a_broken_script_ends_where_its_text_ends() {
        for script in [
            "tools.exec_command({cmd: \"a",
            "tools.exec_command({[",
            "tools.x(",
            "'",
            "tools.exec_command({cmd:[[[[[[[[[[[[[[[[",
        ] {
            assert!(calls(script).len() <= 1, "{script}");
        }
        assert_eq!(
            calls("const a = \"\\u00e9\\uzzzz\"; tools.x(a)")[0].1,
            json!("é\u{fffd}zzzz")
        );
    }

    #[test]
    fn what_was_printed_belongs_to_its_call() {
        let texts = |texts: &[&str]| {
            Value::Array(
                texts
                    .iter()
                    .map(|text| json!({ "type": "input_text", "text": text }))
                    .collect(),
            )
        };
        let head = "Script completed\nWall time 0.1 seconds\nOutput:\n";
        let plain = |output: &str| Printed {
            output: output.to_owned(),
            ..Printed::default()
        };
        let (progress, parts) = printed(&texts(&[head, "a", "b"]), 2).expect("a result");
        assert_eq!(
            (progress, parts),
            (Progress::Completed, vec![plain("a"), plain("b")])
        );
        let (_, parts) =
            printed(&texts(&[head, r#"{"exit_code":1,"output":"no"}"#]), 1).expect("a result");
        assert_eq!(
            parts,
            [Printed {
                exit_code: Some(1),
                ..plain("no")
            }]
        );
        let (_, parts) = printed(
            &texts(&[
                head,
                r#"{"session_id":7,"wall_time_seconds":5.0}"#,
                "so far",
            ]),
            1,
        )
        .expect("a result");
        assert_eq!(
            parts,
            [Printed {
                process: Some(7),
                ..plain("\nso far")
            }]
        );
        let (_, parts) = printed(
            &texts(&[
                head,
                r#"[{"exit_code":0,"output":"x"},{"exit_code":2,"output":"y"}]"#,
            ]),
            2,
        )
        .expect("a result");
        assert_eq!(
            parts.iter().map(|part| part.exit_code).collect::<Vec<_>>(),
            [Some(0), Some(2)]
        );
        let (_, parts) = printed(&texts(&[head, "all"]), 2).expect("a result");
        assert_eq!(parts, [Printed::default(), plain("all")]);
        let running = json!("Script running with cell ID 40\nWall time 10.0 seconds\nOutput:\n");
        assert_eq!(
            printed(&running, 1).expect("a result").0,
            Progress::Running("40".to_owned())
        );
        assert_eq!(printed(&json!("aborted by user after 3s"), 1), None);
    }
}
