//! The tools an agent can call: their names, what they take, and who answers.
//!
//! What a tool takes is said in the few words of JSON Schema that every client passes on unharmed: an object with named
//! texts, numbers, lists of texts and closed lists. No references, no alternatives, no types that are lists.

use std::borrow::Cow;

use anyhow::Result;
use serde_json::{Map, Value, json};

use super::reply::Reply;
use super::room::Room;
use super::{graph, memory, pieces, scratchpad};
use crate::failure::Failure;
use crate::nearest::nearest;

pub(super) struct Tool {
    pub(super) name: &'static str,
    pub(super) title: &'static str,
    pub(super) about: &'static str,
    pub(super) effect: Effect,
    pub(super) takes: &'static [Argument],
    pub(super) answer: fn(&Given, &Room) -> Result<Reply>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Effect {
    Reads,
    Writes,
}

pub(super) struct Argument {
    name: &'static str,
    about: &'static str,
    kind: Kind,
    need: Need,
}

#[derive(Clone, Copy)]
enum Kind {
    /// At most this many bytes, and not empty.
    Text(usize),
    /// Whatever a person might ask with: a pasted log and nothing at all are questions too.
    Question,
    /// From one to this.
    Number(u64),
    /// From nothing to one.
    Share,
    /// A list of short texts.
    Texts,
    Choice(fn() -> Vec<&'static str>),
    YesOrNo,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Need {
    Required,
    Optional,
}

/// The longest text that is taken in.
const LONGEST: usize = 4096;
/// So much of a question is looked at: what a log is about stands first, and what went wrong last.
const BEGINNING: usize = 48 * 1024;
const END: usize = 16 * 1024;
/// The longest path or symbol.
const LONGEST_NAME: usize = 1024;
/// How many texts a list takes.
const MOST_TEXTS: usize = 50;

pub(super) const TOOLS: &[Tool] = &[
    Tool {
        name: "search_memory",
        title: "Search memory",
        about: "Find what earlier work in this project learned: traps, fixes, decisions, conventions. Also finds notes of this session.",
        effect: Effect::Reads,
        takes: &[
            required(
                "query",
                "Words, an error message or a question",
                Kind::Question,
            ),
            optional("type", "Only this type", Kind::Choice(memory::types)),
            optional(
                "file",
                "Only about this file or folder",
                Kind::Text(LONGEST_NAME),
            ),
            optional(
                "module",
                "Only of this module of get_module_map",
                Kind::Text(LONGEST_NAME),
            ),
            optional("tag", "Only with this tag", Kind::Text(LONGEST_NAME)),
            optional(
                "phase",
                "Only for define, implement, validate, refine, explore or reflect",
                Kind::Text(LONGEST_NAME),
            ),
            optional("branch", "Only of this branch", Kind::Text(LONGEST_NAME)),
            optional(
                "scope",
                "global, module, work_unit or session",
                Kind::Text(LONGEST_NAME),
            ),
            optional("source", "Such as user_taught", Kind::Text(LONGEST_NAME)),
            optional("min_confidence", "At least so sure, 0 to 1", Kind::Share),
            optional(
                "since",
                "2026-01-31, or ago: 12h, 7d, 2w",
                Kind::Text(LONGEST_NAME),
            ),
            optional("until", "As since", Kind::Text(LONGEST_NAME)),
            optional(
                "around",
                "Within a week of a time, memory or session",
                Kind::Text(LONGEST_NAME),
            ),
            optional("limit", "How many, 8 unless told", Kind::Number(30)),
        ],
        answer: memory::search,
    },
    Tool {
        name: "search_code",
        title: "Search code",
        about: "Find code by what it does: where it is and how it begins, best first.",
        effect: Effect::Reads,
        takes: &[
            required("query", "Words or a question", Kind::Question),
            optional(
                "file",
                "Only in this file or folder",
                Kind::Text(LONGEST_NAME),
            ),
            optional("limit", "How many, 8 unless told", Kind::Number(30)),
        ],
        answer: pieces::search,
    },
    Tool {
        name: "record_memory",
        title: "Record memory",
        about: "Note something the next session should know: a trap, why something is as it is, what did not work. Kept if the work turns out right; found by search_memory at once.",
        effect: Effect::Writes,
        takes: &[
            required(
                "text",
                "One statement, at most 2000 characters",
                Kind::Text(LONGEST),
            ),
            optional(
                "type",
                "What kind of statement it is",
                Kind::Choice(scratchpad::types),
            ),
            optional("files", "Files it is about", Kind::Texts),
        ],
        answer: scratchpad::record,
    },
    Tool {
        name: "get_workflow_recipe",
        title: "Get workflow recipe",
        about: "Steps that worked before for this kind of task.",
        effect: Effect::Reads,
        takes: &[required("task", "What is to be done", Kind::Question)],
        answer: memory::recipe,
    },
    Tool {
        name: "analyze_impact",
        title: "Analyze impact",
        about: "Who is touched when a file or symbol changes, and which tests to run.",
        effect: Effect::Reads,
        takes: &[
            required(
                "target",
                "A file, file:symbol, file:line or a symbol",
                Kind::Text(LONGEST_NAME),
            ),
            optional(
                "depth",
                "How many steps to follow, 3 unless told",
                Kind::Number(8),
            ),
        ],
        answer: graph::impact,
    },
    Tool {
        name: "get_dependencies",
        title: "Get dependencies",
        about: "What a file imports and uses, and who imports and uses it.",
        effect: Effect::Reads,
        takes: &[required(
            "file",
            "A file of the project",
            Kind::Text(LONGEST_NAME),
        )],
        answer: graph::dependencies,
    },
    Tool {
        name: "trace_data_flow",
        title: "Trace data flow",
        about: "How one definition or file reaches another, by calls, uses and imports.",
        effect: Effect::Reads,
        takes: &[
            required("from", "A file or symbol", Kind::Text(LONGEST_NAME)),
            required("to", "A file or symbol", Kind::Text(LONGEST_NAME)),
        ],
        answer: graph::flow,
    },
    Tool {
        name: "get_session_context",
        title: "Get session context",
        about: "What to know before starting: standing decisions, unfinished work and, for a task, what is relevant and which files it will probably touch.",
        effect: Effect::Reads,
        takes: &[
            optional("task", "What is to be done", Kind::Question),
            optional("files", "Files at hand", Kind::Texts),
            optional(
                "role",
                "For whom; a coder also gets outlines of likely files",
                Kind::Choice(memory::roles),
            ),
        ],
        answer: memory::session_context,
    },
    Tool {
        name: "get_module_map",
        title: "Get module map",
        about: "The modules of the project: what they are for, where they start, what they need. With a name, that module in full.",
        effect: Effect::Reads,
        takes: &[optional(
            "module",
            "The name of one module",
            Kind::Text(LONGEST_NAME),
        )],
        answer: graph::map,
    },
    Tool {
        name: "report_outcome",
        title: "Report outcome",
        about: "Say whether this session's work is right, once tests or a review have shown it. What was noted is then kept or dropped.",
        effect: Effect::Writes,
        takes: &[
            required("passed", "Whether the work is right", Kind::YesOrNo),
            optional(
                "issues",
                "What was found wrong, one each, as `SEVERITY FILE: words`: critical, high, medium or low",
                Kind::Texts,
            ),
            optional("subtask", "Only this part of it", Kind::Text(LONGEST_NAME)),
            optional("type", "Such as pr_review", Kind::Text(LONGEST_NAME)),
        ],
        answer: scratchpad::report,
    },
    Tool {
        name: "flag_memory",
        title: "Flag memory",
        about: "Say that a memory is wrong. Nobody is told it any more until a person has looked at it.",
        effect: Effect::Writes,
        takes: &[
            required("id", "The id it was quoted with", Kind::Text(64)),
            optional(
                "correction",
                "What is wrong with it",
                Kind::Choice(memory::corrections),
            ),
            optional("note", "A few words on why", Kind::Text(500)),
        ],
        answer: memory::flag,
    },
];

const fn required(name: &'static str, about: &'static str, kind: Kind) -> Argument {
    let need = Need::Required;
    Argument {
        name,
        about,
        kind,
        need,
    }
}

const fn optional(name: &'static str, about: &'static str, kind: Kind) -> Argument {
    let need = Need::Optional;
    Argument {
        name,
        about,
        kind,
        need,
    }
}

impl Tool {
    pub(super) fn named(name: &str) -> Option<&'static Self> {
        TOOLS.iter().find(|tool| tool.name == name)
    }

    /// The tool whose name is nearest to one that is not known.
    pub(super) fn nearest(name: &str) -> Option<&'static str> {
        nearest(name, TOOLS.iter().map(|tool| tool.name))
    }

    pub(super) fn schema(&self) -> Map<String, Value> {
        let properties: Map<String, Value> = self
            .takes
            .iter()
            .map(|argument| (argument.name.to_owned(), argument.schema()))
            .collect();
        let needed: Vec<&str> = self
            .takes
            .iter()
            .filter(|argument| argument.need == Need::Required)
            .map(|argument| argument.name)
            .collect();
        let mut schema = Map::new();
        schema.insert("type".to_owned(), json!("object"));
        schema.insert("properties".to_owned(), Value::Object(properties));
        // An empty list is refused by some clients.
        if !needed.is_empty() {
            schema.insert("required".to_owned(), json!(needed));
        }
        schema.insert("additionalProperties".to_owned(), json!(false));
        schema
    }

    /// Checks what came; the error says what would have been right. What is not known is refused: an answer to a narrower question than the one
    /// that was understood would be taken for the right one.
    pub(super) fn take(&self, given: Map<String, Value>) -> Result<Given, Failure> {
        let mut taken = Map::new();
        for (name, value) in given {
            match self.takes.iter().find(|argument| argument.name == name) {
                // Some models fill in what they have nothing to say about.
                Some(_) if value.is_null() => {}
                Some(argument) => {
                    argument.check(&value)?;
                    taken.insert(name, value);
                }
                None => return Err(self.refuse(&name)),
            }
        }
        let missing = self
            .takes
            .iter()
            .find(|argument| argument.need == Need::Required && !taken.contains_key(argument.name));
        if let Some(missing) = missing {
            return Err(Failure::invalid(format!("`{}` is missing", missing.name))
                .hint(missing.about.to_owned()));
        }
        Ok(Given { taken })
    }

    fn refuse(&self, name: &str) -> Failure {
        let names = || self.takes.iter().map(|argument| argument.name);
        let known: Vec<&str> = names().collect();
        let known = known.join(", ");
        let hint = match nearest(name, names()) {
            Some(near) => format!("did you mean `{near}`? It takes {known}"),
            None => format!("it takes {known}"),
        };
        Failure::invalid(format!("{} takes no `{name}`", self.name)).hint(hint)
    }
}

impl Argument {
    fn schema(&self) -> Value {
        let Self { about, .. } = self;
        match self.kind {
            Kind::Text(_) | Kind::Question => json!({ "type": "string", "description": about }),
            Kind::Number(most) => {
                json!({ "type": "integer", "minimum": 1, "maximum": most, "description": about })
            }
            Kind::Share => {
                json!({ "type": "number", "minimum": 0, "maximum": 1, "description": about })
            }
            Kind::Texts => {
                json!({ "type": "array", "items": { "type": "string" }, "description": about })
            }
            Kind::Choice(words) => {
                json!({ "type": "string", "enum": words(), "description": about })
            }
            Kind::YesOrNo => json!({ "type": "boolean", "description": about }),
        }
    }

    fn check(&self, value: &Value) -> Result<(), Failure> {
        let Self { name, .. } = self;
        let refuse = |wanted: String| Err(Failure::invalid(format!("`{name}` is not {wanted}")));
        match self.kind {
            Kind::Text(most) => match value.as_str() {
                None => refuse("a text".to_owned()),
                Some(text) if text.len() > most => Err(Failure::invalid(format!(
                    "`{name}` has {} bytes, {most} are the most",
                    text.len()
                ))
                .hint("say it in fewer words")),
                Some(text) if text.trim().is_empty() => {
                    Err(Failure::invalid(format!("`{name}` is empty")).hint(self.about))
                }
                Some(_) => Ok(()),
            },
            Kind::Question => match value.as_str() {
                None => refuse("a text".to_owned()),
                Some(_) => Ok(()),
            },
            Kind::Number(most) => match value.as_u64() {
                Some(number) if (1..=most).contains(&number) => Ok(()),
                _ => refuse(format!("a whole number from 1 to {most}")),
            },
            Kind::Share => match share(value) {
                Some(_) => Ok(()),
                None => refuse("a number from 0 to 1".to_owned()),
            },
            Kind::Texts => match value.as_array() {
                Some(texts) if texts.len() > MOST_TEXTS => Err(Failure::invalid(format!(
                    "`{name}` has {} entries, {MOST_TEXTS} are the most",
                    texts.len()
                ))),
                Some(texts)
                    if texts.iter().all(|text| {
                        text.as_str().is_some_and(|text| text.len() <= LONGEST_NAME)
                    }) =>
                {
                    Ok(())
                }
                _ => refuse(format!("a list of texts of at most {LONGEST_NAME} bytes")),
            },
            Kind::Choice(words) => {
                let words = words();
                match value.as_str() {
                    Some(word) if words.contains(&word) => Ok(()),
                    _ => refuse(format!("one of {}", words.join(", "))),
                }
            }
            Kind::YesOrNo => match value {
                Value::Bool(_) => Ok(()),
                _ => refuse("true or false".to_owned()),
            },
        }
    }
}

/// A number from 0 to 1. Some models write numbers as texts.
fn share(value: &Value) -> Option<f64> {
    let number = value.as_f64().or_else(|| value.as_str()?.parse().ok());
    number.filter(|number| (0.0..=1.0).contains(number))
}

/// Arguments that were checked.
pub(super) struct Given {
    taken: Map<String, Value>,
}

impl Given {
    pub(super) fn text(&self, name: &str) -> Option<&str> {
        self.taken.get(name).and_then(Value::as_str)
    }

    /// What is asked, of a very long text its beginning and its end; nothing where it is empty.
    pub(super) fn question(&self, name: &str) -> Option<Cow<'_, str>> {
        let text = self.text(name).filter(|text| !text.trim().is_empty())?;
        if text.len() <= BEGINNING + END {
            return Some(Cow::Borrowed(text));
        }
        let begins = &text[..text.floor_char_boundary(BEGINNING)];
        let ends = &text[text.ceil_char_boundary(text.len() - END)..];
        Some(Cow::Owned(format!("{begins}\n{ends}")))
    }

    pub(super) fn number(&self, name: &str) -> Option<u64> {
        self.taken.get(name).and_then(Value::as_u64)
    }

    /// A text or a number, as a text.
    pub(super) fn word(&self, name: &str) -> Option<String> {
        match self.taken.get(name)? {
            Value::String(text) => Some(text.clone()),
            Value::Number(number) => Some(number.to_string()),
            _ => None,
        }
    }

    pub(super) fn is_true(&self, name: &str) -> bool {
        self.taken.get(name) == Some(&Value::Bool(true))
    }

    pub(super) fn texts(&self, name: &str) -> Vec<&str> {
        let list = self.taken.get(name).and_then(Value::as_array);
        let texts = list.into_iter().flatten().filter_map(Value::as_str);
        texts.filter(|text| !text.trim().is_empty()).collect()
    }
}

#[cfg(test)]
mod tests;
