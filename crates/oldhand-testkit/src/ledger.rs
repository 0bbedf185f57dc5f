//! What a store has acknowledged, and whether it kept its word.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::Sandbox;

/// Every memory the binary said it has, with its words.
#[derive(Default)]
pub struct Ledger {
    acknowledged: BTreeMap<String, Entry>,
}

struct Entry {
    content: String,
    outcome: String,
}

/// What the store has in the end, held against the ledger.
#[derive(Debug, Default)]
pub struct Audit {
    /// How many memories were acknowledged.
    pub acknowledged: usize,
    /// How many of those were acknowledged as new, the rest having been merged into another.
    pub inserted: usize,
    /// Acknowledged and not there, or there with other words.
    pub lost: Vec<String>,
    /// What the store's own integrity check has to say; empty when it passes.
    pub integrity: String,
}

impl Ledger {
    /// Takes down one answer of `remember --json` or one line of `import json`. Returns whether it was whole and
    /// acknowledged anything: a process that is killed may print half an answer, and half an answer is no promise.
    pub fn take_down(&mut self, answer: &str, content: &str) -> bool {
        let Ok(answer) = serde_json::from_str::<Value>(answer) else {
            return false;
        };
        let (Some(id), Some(outcome)) = (answer["id"].as_str(), answer["outcome"].as_str()) else {
            return false;
        };
        let entry = Entry {
            content: content.to_owned(),
            outcome: outcome.to_owned(),
        };
        self.acknowledged.insert(id.to_owned(), entry);
        true
    }

    /// Joins what another writer took down.
    pub fn append(&mut self, mut other: Self) {
        self.acknowledged.append(&mut other.acknowledged);
    }

    /// Asks the store for everything it has.
    pub fn audit(&self, sandbox: &Sandbox) -> Audit {
        let exported = sandbox.oldhand(["export", "--format", "json"]).run();
        let kept: BTreeMap<String, String> = exported
            .stdout
            .lines()
            .filter_map(|line| serde_json::from_str::<Value>(line).ok())
            .filter_map(|memory| {
                let text = |key: &str| memory[key].as_str().map(str::to_owned);
                text("id").zip(text("content"))
            })
            .collect();
        let doctor = sandbox.oldhand(["doctor"]).run();
        let inserted = |entry: &&Entry| entry.outcome == "inserted";
        Audit {
            acknowledged: self.acknowledged.len(),
            inserted: self.acknowledged.values().filter(inserted).count(),
            lost: self.lost(&kept),
            integrity: match doctor.code {
                Some(0) => String::new(),
                _ => doctor.to_string(),
            },
        }
    }

    fn lost(&self, kept: &BTreeMap<String, String>) -> Vec<String> {
        let mut lost = Vec::new();
        for (id, entry) in &self.acknowledged {
            match kept.get(id) {
                None => lost.push(format!("{id} is gone: {}", entry.content)),
                Some(words) if entry.outcome == "inserted" && *words != entry.content => {
                    lost.push(format!("{id} says other words: {words}"));
                }
                Some(_) => {}
            }
        }
        lost
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ledger() -> Ledger {
        let mut ledger = Ledger::default();
        assert!(ledger.take_down(
            r#"{"id":"1","outcome":"inserted"}"#,
            "Run migrations first."
        ));
        ledger
    }

    fn kept(id: &str, content: &str) -> BTreeMap<String, String> {
        BTreeMap::from([(id.to_owned(), content.to_owned())])
    }

    #[test]
    fn half_an_answer_is_no_promise() {
        let mut ledger = Ledger::default();
        for answer in [
            "",
            "{\"id\":\"1\",\"outc",
            r#"{"id":null,"outcome":"refused"}"#,
        ] {
            assert!(
                !ledger.take_down(answer, "Run migrations first."),
                "{answer}"
            );
        }
    }

    #[test]
    fn a_memory_that_is_gone_or_garbled_is_lost() {
        assert_eq!(ledger().lost(&kept("2", "Run migrations first.")).len(), 1);
        assert_eq!(ledger().lost(&kept("1", "Run migrations last.")).len(), 1);
        assert_eq!(ledger().lost(&kept("1", "Run migrations first.")), [""; 0]);
    }
}
