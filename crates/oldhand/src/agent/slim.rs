//! Transcript lines parsed without what nobody reads: copies of whole files, pictures, endless output.
//!
//! Most bytes of a transcript are such copies. They are skipped while parsing instead of being
//! allocated and thrown away.

use std::borrow::Cow;
use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value};

use super::excerpt;

/// Fields that only repeat what the project's files hold.
const SKIPPED: [&str; 9] = [
    "originalFile",
    "structuredPatch",
    "oldTodos",
    "newTodos",
    "base64",
    "originalContent",
    "newContent",
    "fileDiff",
    "signature",
];

/// Longer texts keep their ends: an error is named first, a result is told last.
const TEXT_LIMIT: usize = 64 * 1024;
const FRONT: usize = 24 * 1024;

/// The line as JSON, slimmed; `None` when it is no JSON.
pub(super) fn parse(line: &str) -> Option<Value> {
    let mut deserializer = serde_json::Deserializer::from_str(line);
    let value = Slim.deserialize(&mut deserializer).ok()?;
    deserializer.end().ok()?;
    Some(value)
}

struct Slim;

impl<'de> DeserializeSeed<'de> for Slim {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Slim {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any JSON value")
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(Value::from(value))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(Value::from(value))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
        Ok(Value::from(value))
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_str<E>(self, text: &str) -> Result<Value, E> {
        if text.len() <= TEXT_LIMIT {
            return Ok(Value::from(text));
        }
        Ok(Value::from(excerpt::both(text, FRONT, TEXT_LIMIT - FRONT)))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        let mut list = Vec::new();
        while let Some(item) = items.next_element_seed(Slim)? {
            list.push(item);
        }
        Ok(Value::Array(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Value, A::Error> {
        let mut object = Map::new();
        while let Some(key) = entries.next_key::<Cow<'de, str>>()? {
            if SKIPPED.contains(&key.as_ref()) {
                entries.next_value::<IgnoredAny>()?;
            } else {
                object.insert(key.into_owned(), entries.next_value_seed(Slim)?);
            }
        }
        Ok(Value::Object(object))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_keeps_everything_that_is_read() {
        let line = r#"{"a":[1,-2,0.5,true,null,"x\ny"],"originalFile":"gone","b":{"c":"d"}}"#;
        let mut whole: Value = serde_json::from_str(line).unwrap();
        whole.as_object_mut().unwrap().remove("originalFile");
        assert_eq!(parse(line), Some(whole));
    }

    #[test]
    fn endless_texts_keep_their_ends() {
        let long = format!("first{}last", "é".repeat(100_000));
        let slim = parse(&serde_json::to_string(&long).unwrap()).unwrap();
        let text = slim.as_str().unwrap();
        assert!(text.len() < 90_000 && text.starts_with("first") && text.ends_with("last"));
    }

    #[test]
    fn broken_lines_are_no_json() {
        for line in ["{", "{\"a\":", "{} {}", "nope", ""] {
            assert_eq!(parse(line), None, "{line}");
        }
    }
}
