//! What people typed while the agent was at work: the client keeps it in a queue and hands it over in the middle of a turn, without a message
//! of its own.
//!
//! `enqueue` puts words at the end. `dequeue` makes a prompt of the first, which a line of its own tells; `remove` hands it over at once, and
//! nothing else tells that; `popAll` gives everything back to whoever typed it. Newer clients say with `remove` why, and tell what was
//! handed over once more beside it, as an attachment.

use std::collections::{HashSet, VecDeque};

use serde_json::Value;

use super::super::json::{at, flat_text, text};

#[derive(Default)]
pub(super) struct Queue {
    waiting: VecDeque<String>,
    /// What was handed over and may be told once more.
    handed: HashSet<String>,
}

/// More than anybody types ahead: a queue that only grows is none.
const MOST: usize = 64;

impl Queue {
    /// The words that one operation hands to the agent.
    pub(super) fn take(&mut self, line: &Value) -> Option<String> {
        let words = text(line, &["content"]).map(str::to_owned);
        match text(line, &["operation"])? {
            "enqueue" => {
                if self.waiting.len() == MOST {
                    self.waiting.pop_front();
                }
                self.waiting.push_back(words.unwrap_or_default());
                None
            }
            "dequeue" => {
                self.next(words);
                None
            }
            "remove" => {
                let words = self.next(words)?;
                let reason = text(line, &["reason"]);
                let is_handed = reason.is_none_or(|reason| reason == "absorbed_mid_turn");
                is_handed.then(|| self.hand(words)).flatten()
            }
            "popAll" => {
                self.waiting.clear();
                None
            }
            _ => None,
        }
    }

    /// The words of an attachment that tells what a person typed meanwhile, unless the queue told them.
    pub(super) fn attached(&mut self, line: &Value) -> Option<String> {
        let is_command = text(line, &["attachment", "type"]) == Some("queued_command");
        let origin = text(line, &["attachment", "origin", "kind"]);
        let mode = text(line, &["attachment", "commandMode"]);
        let by_person =
            origin.is_none_or(|kind| kind == "human") && mode.is_none_or(|mode| mode == "prompt");
        let words = at(line, &["attachment", "prompt"]).filter(|_| is_command && by_person)?;
        self.hand(flat_text(words))
    }

    /// The words that an operation is about: those it names, or the first.
    fn next(&mut self, named: Option<String>) -> Option<String> {
        let at = named.as_ref().map_or(Some(0), |named| {
            self.waiting.iter().position(|words| words == named)
        });
        at.and_then(|at| self.waiting.remove(at)).or(named)
    }

    /// A client's own notices come the same way, as an object or between tags; they are read as such.
    fn hand(&mut self, words: String) -> Option<String> {
        let start = words.trim_start();
        if start.is_empty() || start.starts_with(['{', '<']) {
            return None;
        }
        if self.handed.len() == MOST {
            self.handed.clear();
        }
        self.handed.insert(words.clone()).then_some(words)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn put(words: &str) -> Value {
        json!({ "operation": "enqueue", "content": words })
    }

    fn handed(lines: &[Value]) -> Vec<String> {
        let mut queue = Queue::default();
        let told = lines
            .iter()
            .filter_map(|line| queue.take(line).or_else(|| queue.attached(line)));
        told.collect()
    }

    #[test]
    fn words_are_the_persons_once_they_are_handed_over_without_a_message() {
        let (remove, dequeue) = (
            json!({ "operation": "remove" }),
            json!({ "operation": "dequeue" }),
        );
        let absorbed = json!({ "operation": "remove", "reason": "absorbed_mid_turn" });
        let cancelled = json!({ "operation": "remove", "reason": "cancelled" });
        let pop = json!({ "operation": "popAll", "content": "a" });
        let told = |prompt: Value, kind: &str| json!({ "type": "attachment", "attachment": { "type": "queued_command", "prompt": prompt, "origin": { "kind": kind } } });
        let named = json!({ "operation": "remove", "content": "no, the other one" });
        for (lines, expected) in [
            (
                vec![put("use the other host"), remove.clone()],
                "use the other host",
            ),
            (
                vec![put("one"), put("two"), dequeue.clone(), remove.clone()],
                "two",
            ),
            (
                vec![put("one"), put("no, the other one"), named, remove.clone()],
                "no, the other one, one",
            ),
            (vec![put("one"), absorbed.clone()], "one"),
            // Told twice, typed twice.
            (
                vec![put("one"), absorbed.clone(), told(json!("one"), "human")],
                "one",
            ),
            (
                vec![put("one"), put("one"), remove.clone(), remove.clone()],
                "one",
            ),
            (
                vec![
                    absorbed,
                    told(json!([{ "type": "text", "text": "see this" }]), "human"),
                ],
                "see this",
            ),
            // Taken back, told by a message of its own, or not a person's.
            (vec![put("one"), cancelled], ""),
            (vec![put("one"), pop, remove.clone()], ""),
            (vec![put("one"), dequeue], ""),
            (vec![put("one")], ""),
            (vec![put("{\"task_id\":\"a\"}"), remove.clone()], ""),
            (
                vec![put("<task-notification>x</task-notification>"), remove],
                "",
            ),
            (vec![told(json!("done"), "task")], ""),
            (vec![json!({ "operation": "merge" })], ""),
        ] {
            assert_eq!(handed(&lines).join(", "), expected, "{lines:?}");
        }
    }
}
