//! Changes to a JSON file that someone else owns: a piece goes in or out, every other byte stays, comments included.

use serde_json::Value;

/// A value with the place it has in the text.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Node {
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) kind: Kind,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Kind {
    Object(Vec<Member>),
    Array(Vec<Node>),
    Text(String),
    /// Numbers, `true`, `false`, `null`.
    Plain,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) struct Member {
    pub(super) key: String,
    start: usize,
    pub(super) value: Node,
}

impl Node {
    pub(super) fn get(&self, key: &str) -> Option<&Self> {
        let Kind::Object(members) = &self.kind else {
            return None;
        };
        let found = members.iter().find(|member| member.key == key);
        found.map(|member| &member.value)
    }

    pub(super) fn elements(&self) -> &[Self] {
        match &self.kind {
            Kind::Array(elements) => elements,
            _ => &[],
        }
    }

    pub(super) fn text(&self) -> Option<&str> {
        match &self.kind {
            Kind::Text(text) => Some(text),
            _ => None,
        }
    }

    fn at(&self, path: &[&str]) -> Option<&Self> {
        path.iter().try_fold(self, |node, key| node.get(key))
    }

    /// What it says, without its comments.
    pub(super) fn to_value(&self, text: &str) -> Value {
        match &self.kind {
            Kind::Object(members) => members
                .iter()
                .map(|member| (member.key.clone(), member.value.to_value(text)))
                .collect(),
            Kind::Array(elements) => elements.iter().map(|node| node.to_value(text)).collect(),
            Kind::Text(words) => Value::from(words.as_str()),
            Kind::Plain => serde_json::from_str(&text[self.start..self.end]).unwrap_or(Value::Null),
        }
    }

    /// What has to go for one member to go.
    fn span_of_member(&self, key: &str) -> Option<(usize, usize)> {
        let Kind::Object(members) = &self.kind else {
            return None;
        };
        let index = members.iter().position(|member| member.key == key)?;
        Some(span_of(self, index))
    }

    /// The spans of what it holds.
    fn parts(&self) -> Vec<(usize, usize)> {
        match &self.kind {
            Kind::Object(members) => members
                .iter()
                .map(|member| (member.start, member.value.end))
                .collect(),
            Kind::Array(elements) => elements.iter().map(|node| (node.start, node.end)).collect(),
            Kind::Text(_) | Kind::Plain => Vec::new(),
        }
    }
}

/// Reads JSON that may hold comments and commas before a closing bracket; `None` when it is something else.
pub(super) fn parse(text: &str) -> Option<Node> {
    let mut reader = Reader { text, at: 0 };
    reader.skip_blank();
    let node = reader.value(0)?;
    reader.skip_blank();
    (reader.at == text.len()).then_some(node)
}

/// Adds `element` to the end of the list at `path`, making what is missing on the way. `None` when something else is there.
pub(super) fn push(text: &str, path: &[&str], element: &Value) -> Option<String> {
    let root = parse(text)?;
    let depth = (0..=path.len())
        .rev()
        .find(|&depth| root.at(&path[..depth]).is_some())?;
    let node = root.at(&path[..depth])?;
    if depth == path.len() {
        return matches!(node.kind, Kind::Array(_)).then(|| insert(text, node, None, element));
    }
    if !matches!(node.kind, Kind::Object(_)) {
        return None;
    }
    let mut value = Value::Array(vec![element.clone()]);
    for key in path[depth + 1..].iter().rev() {
        value = Value::Object([((*key).to_owned(), value)].into_iter().collect());
    }
    Some(insert(text, node, Some(path[depth]), &value))
}

/// Makes the member at `path` this, making what is missing on the way. `None` when something else is in the way.
pub(super) fn put(text: &str, path: &[&str], value: &Value) -> Option<String> {
    let root = parse(text)?;
    if let Some(known) = root.at(path) {
        if known.to_value(text) == *value {
            return Some(text.to_owned());
        }
        let indent = indent_at(text, known.start);
        let unit = if text.contains("\n\t") { "\t" } else { "  " };
        let words = if text[known.start..known.end].contains('\n') {
            pretty(value, indent, unit)
        } else {
            value.to_string()
        };
        let mut text = text.to_owned();
        text.replace_range(known.start..known.end, &words);
        return Some(text);
    }
    let depth = (0..path.len())
        .rev()
        .find(|&depth| root.at(&path[..depth]).is_some())?;
    let node = root.at(&path[..depth])?;
    if !matches!(node.kind, Kind::Object(_)) {
        return None;
    }
    let mut value = value.clone();
    for key in path[depth + 1..].iter().rev() {
        value = Value::Object([((*key).to_owned(), value)].into_iter().collect());
    }
    Some(insert(text, node, Some(path[depth]), &value))
}

/// Takes the member at `path` out. An object around it that is empty then goes too.
pub(super) fn take(text: &str, path: &[&str]) -> Option<String> {
    let root = parse(text)?;
    if root.at(path).is_none() {
        return Some(text.to_owned());
    }
    let mut depth = path.len() - 1;
    while depth > 0 && root.at(&path[..depth])?.parts().len() == 1 {
        depth -= 1;
    }
    let around = root.at(&path[..depth])?;
    let span = around.span_of_member(path[depth])?;
    let mut text = text.to_owned();
    text.replace_range(span.0..span.1, "");
    Some(text)
}

/// Takes out of the list at `path` what `unwanted` names. A list, and an object around it, that is empty then goes too.
pub(super) fn retain(
    text: &str,
    path: &[&str],
    unwanted: impl Fn(&Node) -> bool,
) -> Option<String> {
    let mut text = text.to_owned();
    loop {
        let root = parse(&text)?;
        let Some(list) = root.at(path) else {
            return Some(text);
        };
        let Some(index) = list.elements().iter().position(&unwanted) else {
            return Some(text);
        };
        let mut depth = path.len();
        let mut span = span_of(list, index);
        // The last of its kind takes its list along.
        while depth > 0 && root.at(&path[..depth])?.parts().len() == 1 {
            depth -= 1;
            span = root.at(&path[..depth])?.span_of_member(path[depth])?;
        }
        text.replace_range(span.0..span.1, "");
    }
}

/// What has to go for one part to go: a comma goes with it, and all the room of the only one.
fn span_of(node: &Node, index: usize) -> (usize, usize) {
    let parts = node.parts();
    if parts.len() == 1 {
        (node.start + 1, node.end - 1)
    } else if index + 1 < parts.len() {
        (parts[index].0, parts[index + 1].0)
    } else {
        (parts[index - 1].1, parts[index].1)
    }
}

/// Writes a part at the end of an object or a list, indented as its neighbours are.
fn insert(text: &str, node: &Node, key: Option<&str>, value: &Value) -> String {
    let outer = indent_at(text, node.start);
    let parts = node.parts();
    // A neighbour on a line of its own shows how lines begin here.
    let sibling = parts.iter().rev().find_map(|part| {
        let at = text[..part.0].rfind(['\n', '{', '['])?;
        let lead = text[at..part.0].strip_prefix('\n')?;
        lead.trim().is_empty().then_some(lead)
    });
    let name = key
        .map(|key| format!("{}: ", Value::from(key)))
        .unwrap_or_default();
    let (at, end, words) = match (parts.last(), sibling) {
        // Neighbours on the line of the bracket: this one joins them.
        (Some(last), None) => (last.1, last.1, format!(", {name}{value}")),
        (Some(last), Some(inner)) => {
            let unit = inner.strip_prefix(outer).filter(|unit| !unit.is_empty());
            let pretty = pretty(value, inner, unit.unwrap_or("  "));
            (last.1, last.1, format!(",\n{inner}{name}{pretty}"))
        }
        (None, _) => {
            let unit = if text.contains("\n\t") { "\t" } else { "  " };
            let inner = format!("{outer}{unit}");
            let pretty = pretty(value, &inner, unit);
            let words = format!("\n{inner}{name}{pretty}\n{outer}");
            (node.start + 1, node.end - 1, words)
        }
    };
    // A comment in an empty object is not ours to remove.
    let kept = text[at..end].trim();
    let kept = if kept.is_empty() {
        String::new()
    } else {
        text[at..end].trim_end().to_owned()
    };
    format!("{}{kept}{words}{}", &text[..at], &text[end..])
}

fn indent_at(text: &str, at: usize) -> &str {
    let line = &text[text[..at].rfind('\n').map_or(0, |at| at + 1)..at];
    &line[..line.len() - line.trim_start().len()]
}

fn pretty(value: &Value, indent: &str, unit: &str) -> String {
    let lines = format!("{value:#}");
    let lines = lines.lines().enumerate().map(|(number, line)| {
        let depth = (line.len() - line.trim_start().len()) / 2;
        let lead = if number == 0 { "" } else { indent };
        format!("{lead}{}{}", unit.repeat(depth), line.trim_start())
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// Deeper nesting is nobody's settings.
const DEEPEST: usize = 64;

struct Reader<'a> {
    text: &'a str,
    at: usize,
}

impl Reader<'_> {
    fn rest(&self) -> &str {
        &self.text[self.at..]
    }

    fn skip_blank(&mut self) {
        loop {
            let rest = self.rest();
            let skipped = if rest.starts_with("//") {
                rest.find('\n').unwrap_or(rest.len())
            } else if rest.starts_with("/*") {
                rest.find("*/").map_or(rest.len(), |at| at + 2)
            } else {
                rest.len()
                    - rest
                        .trim_start_matches(['\u{feff}', ' ', '\t', '\r', '\n'])
                        .len()
            };
            if skipped == 0 {
                return;
            }
            self.at += skipped;
        }
    }

    fn eat(&mut self, mark: char) -> bool {
        let eaten = self.rest().starts_with(mark);
        if eaten {
            self.at += mark.len_utf8();
        }
        eaten
    }

    fn value(&mut self, depth: usize) -> Option<Node> {
        if depth > DEEPEST {
            return None;
        }
        let start = self.at;
        let kind = match self.rest().chars().next()? {
            '{' => Kind::Object(self.list('{', '}', |reader| {
                let start = reader.at;
                let key = reader.string()?;
                reader.skip_blank();
                if !reader.eat(':') {
                    return None;
                }
                reader.skip_blank();
                let value = reader.value(depth + 1)?;
                Some(Member { key, start, value })
            })?),
            '[' => Kind::Array(self.list('[', ']', |reader| reader.value(depth + 1))?),
            '"' => Kind::Text(self.string()?),
            _ => {
                let rest = self.rest();
                let end = rest
                    .find(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.')))
                    .unwrap_or(rest.len());
                serde_json::from_str::<Value>(&rest[..end]).ok()?;
                self.at += end;
                Kind::Plain
            }
        };
        Some(Node {
            start,
            end: self.at,
            kind,
        })
    }

    fn list<T>(
        &mut self,
        open: char,
        close: char,
        mut one: impl FnMut(&mut Self) -> Option<T>,
    ) -> Option<Vec<T>> {
        self.eat(open);
        let mut found = Vec::new();
        loop {
            self.skip_blank();
            if self.eat(close) {
                return Some(found);
            }
            found.push(one(self)?);
            self.skip_blank();
            if !self.eat(',') {
                return self.eat(close).then_some(found);
            }
        }
    }

    fn string(&mut self) -> Option<String> {
        let rest = self.rest();
        if !rest.starts_with('"') {
            return None;
        }
        let mut escaped = false;
        let length = rest[1..].find(|c: char| {
            let ends = c == '"' && !escaped;
            escaped = c == '\\' && !escaped;
            ends
        })? + 2;
        let text = serde_json::from_str(&rest[..length]).ok()?;
        self.at += length;
        Some(text)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn ours(node: &Node) -> bool {
        node.text() == Some("ours")
    }

    /// What goes in comes out again, and the bytes are those of before.
    #[track_caller]
    fn round(before: &str, during: &str) {
        let wired = push(before, &["hooks", "Stop"], &json!("ours")).unwrap();
        assert_eq!(wired, during);
        assert!(parse(&wired).is_some());
        let back = retain(&wired, &["hooks", "Stop"], ours).unwrap();
        assert_eq!(back, before);
    }

    #[test]
    fn a_list_beside_others_is_added_and_removed() {
        round(
            "{\n  \"model\": \"x\", // mine\n  \"hooks\": {\n    \"Start\": []\n  }\n}\n",
            "{\n  \"model\": \"x\", // mine\n  \"hooks\": {\n    \"Start\": [],\n    \"Stop\": [\n      \"ours\"\n    ]\n  }\n}\n",
        );
    }

    #[test]
    fn an_element_beside_others_is_added_and_removed() {
        round(
            "{\n\t\"hooks\": {\n\t\t\"Stop\": [\n\t\t\t\"theirs\"\n\t\t]\n\t}\n}",
            "{\n\t\"hooks\": {\n\t\t\"Stop\": [\n\t\t\t\"theirs\",\n\t\t\t\"ours\"\n\t\t]\n\t}\n}",
        );
    }

    #[test]
    fn neighbours_that_share_a_line_do_not_become_an_indent() {
        round(
            "{\n  \"a\": 1, \"b\": {}\n}",
            "{\n  \"a\": 1, \"b\": {},\n  \"hooks\": {\n    \"Stop\": [\n      \"ours\"\n    ]\n  }\n}",
        );
    }

    #[test]
    fn a_line_stays_a_line() {
        round(
            r#"{"model":"x"}"#,
            r#"{"model":"x", "hooks": {"Stop":["ours"]}}"#,
        );
    }

    #[test]
    fn nothing_becomes_something_and_nothing_again() {
        round(
            "{}",
            "{\n  \"hooks\": {\n    \"Stop\": [\n      \"ours\"\n    ]\n  }\n}",
        );
    }

    #[test]
    fn only_what_is_unwanted_goes() {
        let text = r#"{ "hooks": { "Stop": ["ours", "theirs", "ours", /* why */ "ours"] } }"#;
        let kept = retain(text, &["hooks", "Stop"], ours).unwrap();
        let node = parse(&kept).unwrap();
        let left = node.at(&["hooks", "Stop"]).unwrap().elements();
        assert_eq!(
            left.iter().map(Node::text).collect::<Vec<_>>(),
            [Some("theirs")]
        );
    }

    #[test]
    fn what_is_not_json_or_not_a_list_is_not_touched() {
        for text in [
            "",
            "{",
            "{\"hooks\": 3}",
            "{\"hooks\": {\"Stop\": {}}}",
            "[]",
            "{} {}",
            "{\"a\" 1}",
        ] {
            assert_eq!(
                push(text, &["hooks", "Stop"], &json!("ours")),
                None,
                "{text}"
            );
        }
        let deep = format!("{}{}", "[".repeat(10_000), "]".repeat(10_000));
        assert_eq!(parse(&deep), None);
    }

    #[test]
    fn commas_before_a_bracket_and_comments_are_read() {
        let text = "{\n  // a \"comment\"\n  \"a\": [1, -2.5e3, true,],\n}\n";
        let wired = push(text, &["hooks"], &json!("ours")).unwrap();
        let node = parse(&wired).unwrap();
        assert_eq!(node.get("hooks").unwrap().elements().len(), 1);
        assert!(wired.contains("// a \"comment\""));
    }
}
