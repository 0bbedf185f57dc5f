//! What a text says in the language of code: paths, frames of a traceback, dotted names, identifiers, messages.

use std::collections::BTreeMap;

/// Longer texts are logs: the beginning says what they are about, the end how it failed.
const MOST_BYTES: usize = 16_000;

/// A name as a text says it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Said {
    pub(super) times: u32,
    /// In the first line.
    pub(super) in_title: bool,
    /// Written as code: in backticks or a block, called, or shaped as no word is.
    pub(super) as_code: bool,
}

/// Everything a text names.
#[derive(Debug, Default)]
pub(super) struct Mentions {
    /// Paths and file names, each with its components.
    pub(super) paths: Vec<Vec<String>>,
    /// Files of a traceback, the innermost first.
    pub(super) frames: Vec<Vec<String>>,
    /// `a.b.c`, by parts, and whether the first line says it.
    pub(super) dotted: Vec<(Vec<String>, bool)>,
    pub(super) names: BTreeMap<String, Said>,
}

impl Mentions {
    pub(super) fn of(text: &str) -> Self {
        let text = &text[..text.floor_char_boundary(MOST_BYTES)];
        let mut mentions = Self::default();
        let mut fenced = false;
        let mut titled = false;
        for line in text.lines() {
            if line.trim_start().starts_with("```") {
                fenced = !fenced;
                continue;
            }
            if is_boilerplate(line) {
                continue;
            }
            let in_title = !titled && !line.trim().is_empty();
            titled |= in_title;
            mentions.read_line(line, in_title, fenced || looks_like_code(line));
        }
        mentions.frames.reverse();
        mentions.frames.dedup();
        mentions
    }

    fn read_line(&mut self, line: &str, in_title: bool, code: bool) {
        let frame = frame_path(line);
        self.frames.extend(frame.map(components));
        let paths = self.paths.len();
        let mut ticked = false;
        let mut rest = line;
        while let Some(start) = rest.find(is_token_char) {
            ticked ^= rest[..start].matches('`').count() % 2 == 1;
            let end = rest[start..]
                .find(|c| !is_token_char(c))
                .map_or(rest.len(), |length| start + length);
            let token = rest[start..end].trim_matches(['.', ':', '-', '/', '~']);
            let called = rest[end..].starts_with('(');
            self.read_token(token, in_title, code || ticked, called);
            rest = &rest[end..];
        }
        // A frame is a clue of its own, and a weaker one than a path that somebody wrote.
        if frame.is_some() {
            self.paths.truncate(paths);
        }
    }

    fn read_token(&mut self, token: &str, in_title: bool, code: bool, called: bool) {
        let token = token.split_once("/blob/").map_or(token, |(_, path)| {
            path.split_once('/').map_or(path, |(_, path)| path)
        });
        if token.contains("//") && !token.contains('.') {
            return;
        }
        let path = token.split(':').next().unwrap_or(token);
        if is_path(path) {
            self.paths.push(components(path));
        }
        let parts: Vec<&str> = token.split('.').collect();
        let dotted = parts.len() > 1 && parts.iter().all(|part| is_identifier(part));
        if dotted {
            let parts = parts.iter().map(|&part| part.to_owned()).collect();
            self.dotted.push((parts, in_title));
        }
        for name in token.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_')) {
            if name.len() < 3 || !is_identifier(name) {
                continue;
            }
            let said = self.names.entry(name.to_owned()).or_default();
            said.times += 1;
            said.in_title |= in_title;
            said.as_code |= code || called || dotted || is_shaped(name);
        }
    }
}

fn is_token_char(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '/' | ':' | '-' | '\\' | '~')
}

fn is_identifier(word: &str) -> bool {
    word.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && word
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

/// `snake_case`, `camelCase`, `CamelCase`, `CONSTANT`: no word of a sentence looks like this.
fn is_shaped(name: &str) -> bool {
    let inner = name.trim_matches('_');
    let pairs = || inner.as_bytes().windows(2);
    inner.contains('_')
        || pairs().any(|pair| pair[0].is_ascii_lowercase() && pair[1].is_ascii_uppercase())
}

/// Check boxes and comments of a form say the same in every report.
fn is_boilerplate(line: &str) -> bool {
    let trimmed = line.trim_start();
    ["- [ ]", "- [x]", "- [X]", "<!--"]
        .iter()
        .any(|start| trimmed.starts_with(start))
}

/// Prompts of an interpreter, and indented lines with marks that sentences do not have.
fn looks_like_code(line: &str) -> bool {
    let trimmed = line.trim_start();
    trimmed.starts_with(">>>")
        || trimmed.starts_with("In [")
        || trimmed.starts_with("import ")
        || (line.starts_with("    ") && trimmed.contains(['(', '=', '{', ';']))
}

/// The file of `File "x.py", line 3` and of `at f (x.js:3:4)`.
fn frame_path(line: &str) -> Option<&str> {
    let trimmed = line.trim_start();
    if let Some(rest) = trimmed.strip_prefix("File \"") {
        return rest.split_once("\", line ").map(|(path, _)| path);
    }
    let rest = trimmed.strip_prefix("at ")?;
    let place = rest.rsplit_once('(').map_or(rest, |(_, place)| place);
    place.split(':').next().filter(|path| is_path(path))
}

/// Has a folder or a file's ending.
fn is_path(token: &str) -> bool {
    let name = token.rsplit(['/', '\\']).next().unwrap_or(token);
    let ending = name
        .rsplit_once('.')
        .map(|(stem, ending)| (stem, ending.len()));
    ending.is_some_and(|(stem, length)| !stem.is_empty() && (1..=5).contains(&length))
}

fn components(path: &str) -> Vec<String> {
    path.split(['/', '\\'])
        .filter(|part| !part.is_empty() && *part != "." && *part != "..")
        .map(str::to_owned)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bug_report_names_files_frames_and_names() {
        let mentions = Mentions::of(
            "QuerySet.union() breaks `order_by`\n\
             See https://github.com/x/y/blob/main/django/db/models/query.py#L10 and utils/text.py\n\
             Traceback:\n  File \"/site/django/db/models/sql/compiler.py\", line 3, in execute\n\
             ValueError: cannot combine a unique query with another",
        );
        let joined: Vec<String> = mentions.paths.iter().map(|path| path.join("/")).collect();
        assert!(
            joined.contains(&"django/db/models/query.py".to_owned()),
            "{joined:?}"
        );
        assert!(joined.contains(&"utils/text.py".to_owned()), "{joined:?}");
        assert_eq!(mentions.frames[0].last().unwrap(), "compiler.py");
        assert!(
            mentions
                .dotted
                .iter()
                .any(|(parts, title)| parts == &["QuerySet", "union"] && *title)
        );
        assert!(mentions.names["order_by"].as_code && mentions.names["order_by"].in_title);
        assert!(!mentions.names["with"].as_code);
    }

    #[test]
    fn nothing_and_nonsense_name_nothing() {
        for text in ["", "\0\0", "🙂 …", "((((", "a b c"] {
            let mentions = Mentions::of(text);
            assert!(
                mentions.paths.is_empty() && mentions.names.is_empty(),
                "{text:?}"
            );
        }
        Mentions::of(&"é/".repeat(20_000));
    }
}
