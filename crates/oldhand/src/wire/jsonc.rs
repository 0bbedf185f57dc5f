//! Changes to a JSON file that someone else owns: a piece goes in or out, every other byte stays, comments included.

#[cfg(test)]
mod tests;

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

    pub(super) fn at(&self, path: &[&str]) -> Option<&Self> {
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

    fn index_of(&self, key: &str) -> Option<usize> {
        let Kind::Object(members) = &self.kind else {
            return None;
        };
        members.iter().position(|member| member.key == key)
    }

    /// Whether it holds one part alone, and no comment beside that.
    fn is_only_for_one(&self, text: &str) -> bool {
        let parts = self.parts();
        let [only] = parts.as_slice() else {
            return false;
        };
        !has_comment(&text[self.start + 1..only.0]) && !has_comment(&text[only.1..self.end - 1])
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
    Reader::new(text).whole()
}

/// The byte at which a text stops being such JSON, and what is wrong there; `None` when it is.
pub(super) fn fault(text: &str) -> Option<(usize, &'static str)> {
    let mut reader = Reader::new(text);
    match reader.whole() {
        Some(_) => None,
        None if reader.rest().is_empty() => {
            Some((reader.at, "it ends before everything is closed"))
        }
        None => Some((reader.at, reader.wrong)),
    }
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

/// Takes the member at `path` out. An object around it that is empty then goes too, unless it `stays`.
pub(super) fn take(text: &str, path: &[&str], stays: &dyn Fn(&[&str]) -> bool) -> Option<String> {
    let root = parse(text)?;
    if root.at(path).is_none() {
        return Some(text.to_owned());
    }
    let (last, around) = path.split_last()?;
    let index = root.at(around)?.index_of(last)?;
    take_part(text, &root, around, index, stays)
}

/// Takes one part out of what is at `path`; the last of its kind takes along what held only it.
pub(super) fn take_part(
    text: &str,
    root: &Node,
    path: &[&str],
    mut index: usize,
    stays: &dyn Fn(&[&str]) -> bool,
) -> Option<String> {
    let mut path = path;
    while let Some((last, around)) = path.split_last()
        && root.at(path)?.is_only_for_one(text)
        && !stays(path)
    {
        index = root.at(around)?.index_of(last)?;
        path = around;
    }
    Some(without(text, root.at(path)?, index))
}

/// The text without one part and its comma. Comments around it are somebody's and stay.
pub(super) fn without(text: &str, node: &Node, index: usize) -> String {
    if node.is_only_for_one(text) {
        return format!("{}{}", &text[..=node.start], &text[node.end - 1..]);
    }
    let parts = node.parts();
    let (start, end) = parts[index];
    let earlier = index.checked_sub(1).map(|index| parts[index].1);
    if let Some(earlier) = earlier
        && index + 1 == parts.len()
        && !has_comment(&text[earlier..start])
    {
        // What stood behind its neighbour stands behind it now.
        return format!("{}{}", &text[..earlier], &text[end..]);
    }
    let own_comma = comma_after(text, end);
    let (front, start) = match earlier.and_then(|earlier| comma_after(text, earlier)) {
        // The neighbour is the last one now.
        Some(comma) if own_comma.is_none() => (&text[..comma], &text[comma + 1..start]),
        _ => ("", &text[..start]),
    };
    let (between, rest) = match own_comma {
        Some(comma) => (text[end..comma].trim_start(), &text[comma + 1..]),
        None => ("", &text[end..]),
    };
    let blank = [' ', '\t'];
    let lead = start.trim_end_matches(blank);
    let rest = if between.is_empty() {
        rest.trim_start_matches(blank)
    } else {
        rest
    };
    let ends_line = between.is_empty() && rest.starts_with(['\n', '\r']);
    let (start, rest) = match (ends_line, lead.strip_suffix('\n')) {
        // It had its lines for itself.
        (true, Some(lead)) => (lead.strip_suffix('\r').unwrap_or(lead), rest),
        (true, None) => (lead, rest),
        (false, _) => (start, rest),
    };
    format!("{front}{start}{between}{rest}")
}

/// Where the comma behind a part is.
fn comma_after(text: &str, end: usize) -> Option<usize> {
    let mut reader = Reader::new(text);
    reader.at = end;
    reader.skip_blank();
    reader.rest().starts_with(',').then_some(reader.at)
}

/// Between two parts there are blanks, a comma and comments.
fn has_comment(gap: &str) -> bool {
    gap.contains('/')
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
    // Lines end here as they do in the rest of the file.
    let words = if text.contains("\r\n") {
        words.replace('\n', "\r\n")
    } else {
        words
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
    /// What is wrong where it could not go on.
    wrong: &'static str,
}

impl<'a> Reader<'a> {
    const fn new(text: &'a str) -> Self {
        Self {
            text,
            at: 0,
            wrong: "",
        }
    }

    fn whole(&mut self) -> Option<Node> {
        self.skip_blank();
        let node = self.value(0)?;
        self.skip_blank();
        if self.at < self.text.len() {
            return self.refuse("something follows its end");
        }
        Some(node)
    }

    fn refuse<T>(&mut self, why: &'static str) -> Option<T> {
        self.wrong = why;
        None
    }

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
            return self.refuse("it is nested too deeply");
        }
        let start = self.at;
        let kind = match self.rest().chars().next()? {
            '{' => Kind::Object(self.list('{', '}', |reader| {
                let start = reader.at;
                let key = reader.string()?;
                reader.skip_blank();
                if !reader.eat(':') {
                    return reader.refuse("a colon is missing");
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
                if serde_json::from_str::<Value>(&rest[..end]).is_err() {
                    return self.refuse("this is no value");
                }
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
                if self.eat(close) {
                    return Some(found);
                }
                return self.refuse(match close {
                    '}' => "a comma or `}` is missing",
                    _ => "a comma or `]` is missing",
                });
            }
        }
    }

    fn string(&mut self) -> Option<String> {
        let rest = self.rest();
        if !rest.starts_with('"') {
            return self.refuse("a name in double quotes is missing");
        }
        let mut escaped = false;
        let length = rest[1..].find(|c: char| {
            let ends = c == '"' && !escaped;
            escaped = c == '\\' && !escaped;
            ends
        });
        let Some(length) = length.map(|length| length + 2) else {
            return self.refuse("a text is not closed");
        };
        let Ok(text) = serde_json::from_str(&rest[..length]) else {
            return self.refuse(
                "this is no text: a line break or a backslash in it is not written as JSON has it",
            );
        };
        self.at += length;
        Some(text)
    }
}
