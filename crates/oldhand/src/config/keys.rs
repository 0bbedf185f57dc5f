//! Everything that can be set, once: names, defaults, what is accepted, and the words for people.

use std::fmt;

use oldhand_domain::methodology;
use oldhand_domain::port::Embedder;
use oldhand_embed::{MODELS, StaticEmbedder, successor};
use oldhand_recall::trust::TrustLevel;

use crate::nearest::nearest;

pub(crate) struct Key {
    pub(crate) name: &'static str,
    pub(crate) default: Value,
    accepts: Accepts,
    pub(crate) says: &'static str,
}

enum Accepts {
    AnyText,
    OneOf(fn() -> Vec<&'static str>),
    Between(i64, i64),
    OnOrOff,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Value {
    Text(&'static str),
    Owned(String),
    Number(i64),
    Switch(bool),
}

pub(crate) const KEYS: &[Key] = &[
    Key {
        name: "code.generated",
        default: Value::Switch(false),
        accepts: Accepts::OnOrOff,
        says: "whether the code graph reads files that say they are generated",
    },
    Key {
        name: "code.largest",
        default: Value::Number(2048),
        accepts: Accepts::Between(1, 1_000_000),
        says: "KiB up to which the code graph reads a file; larger ones are known by name",
    },
    Key {
        name: "code.skip",
        default: Value::Text(""),
        accepts: Accepts::AnyText,
        says: "names of more folders that the code graph leaves out, with commas between",
    },
    Key {
        name: "code.vendored",
        default: Value::Switch(false),
        accepts: Accepts::OnOrOff,
        says: "whether the code graph reads vendor, node_modules, dist and the like where git does not ignore them",
    },
    Key {
        name: "editor",
        default: Value::Text(""),
        accepts: Accepts::AnyText,
        says: "the command that `oldhand edit` opens; empty takes VISUAL, else EDITOR",
    },
    Key {
        name: "enabled",
        default: Value::Switch(true),
        accepts: Accepts::OnOrOff,
        says: "whether agents are heard and told anything; `oldhand off` and `oldhand on` switch it for a project",
    },
    Key {
        name: "hook.deadline",
        default: Value::Number(100),
        accepts: Accepts::Between(10, 60_000),
        says: "milliseconds after which a hook gives up, so that no agent waits for it",
    },
    Key {
        name: "list.limit",
        default: Value::Number(20),
        accepts: Accepts::Between(1, 10_000),
        says: "how many memories `oldhand list` shows",
    },
    Key {
        name: "methodology",
        default: Value::Text("native"),
        accepts: Accepts::OneOf(methodology_names),
        says: "how work is organised here; it names phases and work units",
    },
    Key {
        name: "model",
        default: Value::Text(StaticEmbedder::MODEL),
        accepts: Accepts::OneOf(model_names),
        says: "what makes the vectors that memories are found by; `oldhand model` shows and changes it",
    },
    Key {
        name: "output.color",
        default: Value::Text("auto"),
        accepts: Accepts::OneOf(|| vec!["auto", "always", "never"]),
        says: "when to use colours; auto is on a terminal, unless NO_COLOR is set",
    },
    Key {
        name: "personal.include",
        default: Value::Switch(true),
        accepts: Accepts::OnOrOff,
        says: "whether search and list also look at what follows you from project to project",
    },
    Key {
        name: "search.limit",
        default: Value::Number(10),
        accepts: Accepts::Between(1, 1000),
        says: "how many memories `oldhand search` shows",
    },
    Key {
        name: "servers.trusted",
        default: Value::Text(""),
        accepts: Accepts::AnyText,
        says: "names of MCP servers whose answers are the project's own words, with commas between; what others answer waits for a review",
    },
    Key {
        name: "trust",
        default: Value::Text(EARNED),
        accepts: Accepts::OneOf(trust_levels),
        says: "how sure a memory must be before agents are told it unasked; earned starts at standard and grows",
    },
];

/// The trust that follows from what people made of what was learned.
pub(crate) const EARNED: &str = "earned";

fn trust_levels() -> Vec<&'static str> {
    let levels = TrustLevel::ALL.iter().map(|level| level.as_str());
    std::iter::once(EARNED).chain(levels).collect()
}

fn model_names() -> Vec<&'static str> {
    MODELS.into_iter().map(Embedder::model).collect()
}

fn methodology_names() -> Vec<&'static str> {
    methodology::ALL
        .iter()
        .map(|plugin| plugin.name())
        .collect()
}

/// Finds a key by name; the error says which one was probably meant.
pub(crate) fn find(name: &str) -> Result<&'static Key, Option<&'static str>> {
    let found = KEYS.iter().find(|key| key.name == name);
    found.ok_or_else(|| nearest(name, KEYS.iter().map(|key| key.name)))
}

impl Key {
    /// Whether a table of this name holds it.
    pub(super) fn is_below(&self, table: &str) -> bool {
        let rest = self.name.strip_prefix(table);
        rest.is_some_and(|rest| rest.starts_with('.'))
    }

    /// The environment variable that overrides the files.
    pub(crate) fn variable(&self) -> String {
        format!("OLDHAND_{}", self.name.to_uppercase().replace('.', "_"))
    }

    /// Reads a value from text, as an environment variable or `config set` gives it.
    pub(crate) fn parse(&self, text: &str) -> Result<Value, String> {
        let value = match self.accepts {
            Accepts::AnyText | Accepts::OneOf(_) => Some(Value::Owned(text.to_owned())),
            Accepts::Between(..) => text.trim().parse().ok().map(Value::Number),
            Accepts::OnOrOff => match text.trim() {
                "true" | "on" | "yes" | "1" => Some(Value::Switch(true)),
                "false" | "off" | "no" | "0" => Some(Value::Switch(false)),
                _ => None,
            },
        };
        value
            .ok_or_else(|| self.refusal(text))
            .and_then(|value| self.check(value))
    }

    /// Lets through what the key accepts; the error says what that is.
    pub(crate) fn check(&self, value: Value) -> Result<Value, String> {
        let value = match value {
            Value::Owned(text) if self.name == "model" => Value::Owned(successor(&text).to_owned()),
            value => value,
        };
        let fits = match (&self.accepts, &value) {
            (Accepts::AnyText, Value::Text(_) | Value::Owned(_))
            | (Accepts::OnOrOff, Value::Switch(_)) => true,
            (Accepts::OneOf(words), Value::Text(_) | Value::Owned(_)) => {
                words().contains(&value.to_string().as_str())
            }
            (Accepts::Between(low, high), Value::Number(number)) => (low..=high).contains(&number),
            _ => false,
        };
        if fits {
            Ok(value)
        } else {
            Err(self.refusal(&value.to_string()))
        }
    }

    fn refusal(&self, given: &str) -> String {
        format!(
            "`{}` cannot be `{given}`: it is {}",
            self.name,
            self.accepted()
        )
    }

    /// What the key takes, in words.
    pub(crate) fn accepted(&self) -> String {
        match self.accepts {
            Accepts::AnyText => "any text".to_owned(),
            Accepts::OneOf(words) => format!("one of {}", words().join(", ")),
            Accepts::Between(low, high) => format!("a whole number from {low} to {high}"),
            Accepts::OnOrOff => "true or false".to_owned(),
        }
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Text(text) => f.write_str(text),
            Self::Owned(text) => f.write_str(text),
            Self::Number(number) => number.fmt(f),
            Self::Switch(on) => on.fmt(f),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_default_is_a_value_the_key_accepts() {
        for key in KEYS {
            assert!(key.check(key.default.clone()).is_ok(), "{}", key.name);
            assert!(key.parse(&key.default.to_string()).is_ok(), "{}", key.name);
        }
    }

    #[test]
    fn keys_are_in_order_so_that_lists_of_them_are() {
        assert!(KEYS.is_sorted_by_key(|key| key.name));
    }

    #[test]
    fn a_value_out_of_range_says_the_range() {
        let key = find("search.limit").unwrap_or_else(|_| unreachable!("it is in the list"));
        assert_eq!(
            key.parse("0").unwrap_err(),
            "`search.limit` cannot be `0`: it is a whole number from 1 to 1000"
        );
        assert!(key.parse("many").is_err());
    }
}
