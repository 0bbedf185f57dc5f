//! What a tool answers: words for a model and the same as data, neither longer than a model should have to read.

use std::fmt::Write as _;

use rmcp::model::{CallToolResult, ContentBlock};
use serde_json::{Map, Value};

use crate::explain::Explained;

/// The most bytes of words, and of data.
const MOST: usize = 8 * 1024;

pub(super) struct Reply {
    text: String,
    data: Map<String, Value>,
}

impl Reply {
    /// `data` is an object whose lists have the best first.
    pub(super) fn new(text: String, data: Value) -> Self {
        let data = match data {
            Value::Object(data) => data,
            other => Map::from_iter([("answer".to_owned(), other)]),
        };
        Self { text, data }
    }

    /// Words beside the answer.
    pub(super) fn note(mut self, notes: &[String]) -> Self {
        for note in notes {
            self.text.push_str("\nnote: ");
            self.text.push_str(note);
        }
        if !notes.is_empty() {
            self.data.insert("notes".to_owned(), notes.into());
        }
        self
    }

    pub(super) fn into_result(self) -> CallToolResult {
        let mut result = CallToolResult::success(vec![ContentBlock::text(cut(self.text))]);
        result.structured_content = Some(Value::Object(fit(self.data)));
        result
    }
}

/// What went wrong and what to do next, for the model to read.
pub(super) fn failure(explained: &Explained) -> CallToolResult {
    let mut text = explained.message.clone();
    if let Some(hint) = &explained.hint {
        text.push_str("\nhint: ");
        text.push_str(hint);
    }
    CallToolResult::error(vec![ContentBlock::text(cut(text))])
}

/// Text up to the last line that fits.
pub(super) fn cut(mut text: String) -> String {
    if text.len() <= MOST {
        return text;
    }
    let end = text.floor_char_boundary(MOST);
    let end = text[..end].rfind('\n').unwrap_or(end);
    let lost = text[end..].trim().lines().count();
    text.truncate(end);
    let _ = write!(
        text,
        "
… {lost} more lines; ask for something narrower"
    );
    text
}

/// Data with the ends of its longest lists taken off until it fits.
fn fit(mut data: Map<String, Value>) -> Map<String, Value> {
    let size = |data: &Map<String, Value>| serde_json::to_string(data).map_or(0, |text| text.len());
    let mut cut_off = false;
    while size(&data) > MOST {
        let lists = data.values_mut().filter_map(Value::as_array_mut);
        let Some(longest) = lists.max_by_key(|list| list.iter().map(weight).sum::<usize>()) else {
            break;
        };
        if longest.is_empty() {
            break;
        }
        let kept = longest.len() * 3 / 4;
        longest.truncate(kept);
        cut_off = true;
    }
    if cut_off {
        data.insert("truncated".to_owned(), true.into());
    }
    data
}

fn weight(value: &Value) -> usize {
    value.to_string().len()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn an_answer_is_never_longer_than_its_bound() {
        let many: Vec<String> = (0..5000)
            .map(|number| format!("src/file{number}.rs"))
            .collect();
        let reply = Reply::new(many.join("\n"), json!({ "files": many, "target": "x" }));
        let result = reply.into_result();
        let data = result.structured_content.unwrap();
        assert!(data.to_string().len() <= MOST + 20);
        assert_eq!(data["truncated"], true);
        assert_eq!(data["files"][0], "src/file0.rs");
        let text = result.content[0].as_text().unwrap().text.clone();
        assert!(text.len() < MOST + 80 && text.ends_with("ask for something narrower"));
    }

    #[test]
    fn a_line_without_end_is_cut_between_letters() {
        let text = cut("é".repeat(MOST));
        assert!(text.len() < MOST + 80);
    }
}
