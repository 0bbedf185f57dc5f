//! The passages of documents and of source: paragraphs, items and rows, and runs of comment lines.

use crate::paths;

/// How far from a comment the code stands that it is about, in lines.
const BESIDE: usize = 15;

/// A piece of a text that is read as one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Passage {
    /// Its first line, counted from one.
    pub line: usize,
    /// How many lines it has.
    pub lines: usize,
    /// Its words, with one blank between lines.
    pub text: String,
    /// The code in front of it on the same line.
    pub code: String,
}

impl Passage {
    fn push(&mut self, line: &str) {
        self.lines += 1;
        if !self.text.is_empty() {
            self.text.push(' ');
        }
        self.text.push_str(line);
    }

    /// Its words, where they say how things are: what is still to be done says nothing.
    pub(super) fn says(&self) -> &str {
        let item = self.text.trim_start_matches(['-', '*', '+', ' ']);
        if item.starts_with("[ ]") {
            ""
        } else {
            &self.text
        }
    }

    /// Whether code that has one of these names stands near: a comment elsewhere is found by nobody who works there.
    pub(super) fn is_beside(&self, text: &str, names: &[&str]) -> bool {
        let from = self.line.saturating_sub(BESIDE + 1);
        let near = text.lines().enumerate().skip(from);
        let near = near.take_while(|(at, _)| *at < self.line + self.lines + BESIDE);
        let is_own = |at: usize| (self.line - 1..self.line - 1 + self.lines).contains(&at);
        let near = near.filter(|(at, line)| !is_own(*at) && !is_comment(line.trim()));
        let mut code = near.map(|(_, line)| line).chain([self.code.as_str()]);
        code.any(|line| names.iter().any(|name| line.contains(name)))
    }
}

fn is_comment(line: &str) -> bool {
    ["//", "#", "/*", "* ", "--", "<!--"]
        .iter()
        .any(|mark| line.starts_with(mark))
}

/// The paragraphs, items and rows of a document; each line of an example is one.
pub(super) fn paragraphs(text: &str) -> Vec<Passage> {
    let mut found: Vec<Passage> = Vec::new();
    let (mut is_block, mut goes_on) = (false, false);
    for (at, line) in text.lines().map(str::trim).enumerate() {
        let is_fence = line.starts_with("```") || line.starts_with("~~~");
        is_block ^= is_fence;
        let is_item = line.starts_with(['-', '*', '|', '#', '>', '+'])
            || line.starts_with(|c: char| c.is_ascii_digit());
        if line.is_empty() || is_fence {
            goes_on = false;
            continue;
        }
        match found.last_mut().filter(|_| goes_on && !is_item) {
            Some(last) => last.push(line),
            None => found.push(Passage {
                line: at + 1,
                lines: 1,
                text: line.to_owned(),
                code: String::new(),
            }),
        }
        goes_on = !is_block && !line.starts_with('#');
    }
    found
}

/// The comments of a source file: runs of lines that are nothing else, paragraphs of what stands between marks, and what follows code.
pub(super) fn comments(file: &str, text: &str) -> Vec<Passage> {
    let name = paths::file_name(file);
    let ending = name.rsplit_once('.').map_or("", |(_, ending)| ending);
    let marks = marks_of(ending);
    let mut found: Vec<Passage> = Vec::new();
    let mut goes_on = false;
    let mut until: Option<&str> = None;
    // The mark that ends a text of the program that began behind code.
    let mut string: Option<&str> = None;
    for (at, line) in text.lines().map(str::trim).enumerate() {
        let (words, code) = if let Some(mark) = string {
            string = string.filter(|_| !is_odd(line, mark));
            (None, "")
        } else if let Some(end) = until {
            let words = line.split_once(end).map_or(line, |(words, _)| words);
            if line.contains(end) {
                until = None;
            }
            (Some(words.trim_start_matches('*')), "")
        } else if let Some((begin, end)) = marks
            .blocks
            .iter()
            .find(|(begin, _)| line.starts_with(begin))
        {
            let rest = &line[begin.len()..];
            let inside = rest.split_once(end).map(|(inside, _)| inside);
            until = inside.is_none().then_some(end);
            goes_on = false;
            (Some(inside.unwrap_or(rest).trim_start_matches('*')), "")
        } else if let Some(words) = marks.lines.iter().find_map(|mark| line.strip_prefix(mark)) {
            (Some(words.trim_start_matches(['/', '!', '#', '-'])), "")
        } else {
            // Behind code, with a blank on both sides: `//` is part of every address.
            let behind = marks
                .lines
                .iter()
                .find_map(|mark| line.split_once(&format!(" {mark} ")));
            let code = behind.map_or(line, |(code, _)| code);
            let mut quotes = marks
                .blocks
                .iter()
                .filter(|(begin, end)| begin.ends_with(end));
            string = quotes.find_map(|(_, mark)| is_odd(code, mark).then_some(*mark));
            let behind = behind.filter(|_| string.is_none());
            behind.map_or((None, ""), |(code, words)| (Some(words), code))
        };
        let is_whole = code.is_empty();
        let words = words.map(str::trim).filter(|words| !words.is_empty());
        if let Some(words) = words {
            match found.last_mut().filter(|_| goes_on && is_whole) {
                Some(last) => last.push(words),
                None => found.push(Passage {
                    line: at + 1,
                    lines: 1,
                    text: words.to_owned(),
                    code: code.to_owned(),
                }),
            }
        }
        goes_on = words.is_some() && is_whole;
    }
    found
}

/// Whether a line opens or closes what stands between such marks; one in quotes is none.
fn is_odd(line: &str, mark: &str) -> bool {
    let is_mark = |at: usize| !line[..at].ends_with(['"', '\'']);
    let marks = line.match_indices(mark).filter(|(at, _)| is_mark(*at));
    marks.count() % 2 == 1
}

/// How a language marks its comments.
struct Marks {
    lines: &'static [&'static str],
    blocks: &'static [(&'static str, &'static str)],
}

fn marks_of(ending: &str) -> Marks {
    const SLASHES: Marks = Marks {
        lines: &["//"],
        blocks: &[("/*", "*/")],
    };
    const HASH: Marks = Marks {
        lines: &["#"],
        blocks: &[],
    };
    match ending {
        "py" | "pyi" => Marks {
            lines: &["#"],
            blocks: &[("\"\"\"", "\"\"\""), ("'''", "'''"), ("r\"\"\"", "\"\"\"")],
        },
        "ex" | "exs" => Marks {
            lines: &["#"],
            blocks: &[("@doc \"\"\"", "\"\"\""), ("@moduledoc \"\"\"", "\"\"\"")],
        },
        "sql" | "lua" | "hs" | "elm" => Marks {
            lines: &["--"],
            blocks: &[("/*", "*/"), ("--[[", "]]"), ("{-", "-}")],
        },
        "html" | "xml" | "vue" | "svelte" => Marks {
            lines: &["//"],
            blocks: &[("<!--", "-->"), ("/*", "*/")],
        },
        "c" | "cc" | "cpp" | "cs" | "css" | "cts" | "cjs" | "dart" | "go" | "gradle" | "groovy"
        | "h" | "hpp" | "java" | "js" | "json5" | "jsonc" | "jsx" | "kt" | "kts" | "m" | "mjs"
        | "mm" | "mts" | "php" | "prisma" | "proto" | "rs" | "sass" | "scala" | "scss"
        | "swift" | "ts" | "tsx" | "zig" => SLASHES,
        _ => HASH,
    }
}
