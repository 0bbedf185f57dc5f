//! Pieces of a file that are worth finding by meaning: functions, classes, preambles, sections of prose.
//!
//! A body is never cut. Where nothing says where to cut, a hundred lines make a piece.

use std::fmt::Write as _;

use crate::facts::SymbolKind;
use crate::snapshot::{NodeId, Snapshot, Symbol};

/// A piece of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chunk {
    pub path: String,
    pub kind: ChunkKind,
    /// The definition or heading; empty for what has none.
    pub name: String,
    /// First and last line, counted from 1.
    pub first_line: u32,
    pub last_line: u32,
    /// The lines themselves.
    pub text: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ChunkKind {
    /// Imports and statements outside of definitions.
    Preamble,
    /// A definition with its body.
    Definition(SymbolKind),
    /// Several short definitions.
    Definitions,
    /// A section of prose.
    Section,
    /// Lines of something without known structure.
    Lines,
}

impl ChunkKind {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Preamble => "preamble",
            Self::Definition(kind) => kind.as_str(),
            Self::Definitions => "definitions",
            Self::Section => "section",
            Self::Lines => "lines",
        }
    }
}

impl Chunk {
    /// What is embedded: where the piece is from, then the piece.
    pub fn embedded_text(&self) -> String {
        let mut text = format!("{} | {}", self.path, self.kind.as_str());
        if !self.name.is_empty() {
            let _ = write!(text, ": {}", self.name);
        }
        let _ = write!(
            text,
            " | {}-{}\n{}",
            self.first_line, self.last_line, self.text
        );
        text
    }
}

/// Lines of a piece that has no structure.
const WINDOW: usize = 100;
/// A class up to this long is one piece; a longer one is its head and its methods.
const WHOLE: u32 = 80;
/// Short definitions are put together up to this many lines.
const TOGETHER: u32 = 40;

/// The pieces of the source file `file`, whose current text is `text`.
pub fn chunk_source(snapshot: &Snapshot, file: NodeId, text: &str) -> Vec<Chunk> {
    let lines: Vec<&str> = text.lines().collect();
    let path = snapshot.path(file);
    let mut spans = spans(snapshot, file, &lines);
    if spans.is_empty() {
        return windows(path, ChunkKind::Lines, "", &lines, 1, lines.len() as u32);
    }
    spans = put_together(spans);
    let mut chunks = Vec::new();
    let mut next = 1;
    for span in spans {
        if span.first > next {
            chunks.extend(between(path, &lines, next, span.first - 1));
        }
        chunks.push(cut(
            path,
            span.kind,
            &span.name,
            &lines,
            span.first.max(next),
            span.last,
        ));
        next = next.max(span.last + 1);
    }
    chunks.extend(between(path, &lines, next, lines.len() as u32));
    chunks
}

/// The pieces of a text in Markdown: one a section, long ones cut between paragraphs.
pub fn chunk_prose(path: &str, text: &str) -> Vec<Chunk> {
    let lines: Vec<&str> = text.lines().collect();
    let mut chunks = Vec::new();
    let mut headings: Vec<(usize, &str)> = Vec::new();
    let mut first = 1;
    let mut fenced = false;
    for (at, line) in lines.iter().enumerate() {
        if line.trim_start().starts_with("```") {
            fenced = !fenced;
        }
        let level = line.bytes().take_while(|&byte| byte == b'#').count();
        if fenced || level == 0 || level > 6 || !line[level..].starts_with(' ') {
            continue;
        }
        chunks.extend(section(path, &headings, &lines, first, at as u32));
        headings.retain(|&(outer, _)| outer < level);
        headings.push((level, line[level..].trim()));
        first = at as u32 + 1;
    }
    chunks.extend(section(path, &headings, &lines, first, lines.len() as u32));
    chunks
}

fn section(
    path: &str,
    headings: &[(usize, &str)],
    lines: &[&str],
    first: u32,
    last: u32,
) -> Vec<Chunk> {
    let name: Vec<&str> = headings.iter().map(|&(_, heading)| heading).collect();
    windows(
        path,
        ChunkKind::Section,
        &name.join(" > "),
        lines,
        first,
        last,
    )
}

struct Piece {
    kind: ChunkKind,
    name: String,
    first: u32,
    last: u32,
}

/// What becomes a piece of its own, in order and without overlap.
fn spans(snapshot: &Snapshot, file: NodeId, lines: &[&str]) -> Vec<Piece> {
    let mut spans: Vec<Piece> = Vec::new();
    let end = lines.len() as u32;
    for node in snapshot.symbols_in(file) {
        let symbol = snapshot.symbol(node);
        if symbol.first_line > end || !is_piece(snapshot, &symbol) {
            continue;
        }
        let first = with_comment_above(lines, symbol.first_line);
        let last = symbol.last_line.min(end);
        if let Some(before) = spans.last_mut().filter(|before| before.last >= first) {
            // A method inside a long class: the class keeps only what is before its first method.
            let holds = before.first < first && before.last >= last;
            let is_long = matches!(before.kind, ChunkKind::Definition(kind) if kind.is_type() || kind == SymbolKind::Module)
                && before.last - before.first >= WHOLE;
            if !holds || !is_long {
                before.last = before.last.max(last);
                continue;
            }
            before.last = first - 1;
        }
        spans.push(Piece {
            kind: ChunkKind::Definition(symbol.kind),
            name: crate::answer::target::qualified_name(snapshot, node),
            first,
            last,
        });
    }
    spans
}

/// Definitions at the top, and methods of long types.
fn is_piece(snapshot: &Snapshot, symbol: &Symbol<'_>) -> bool {
    let mut inner = *symbol;
    while let Some(container) = inner.container {
        let around = snapshot.symbol(container);
        let holds = around.kind.is_type() || around.kind == SymbolKind::Module;
        let is_code =
            matches!(inner.kind, SymbolKind::Method | SymbolKind::Function) || inner.kind.is_type();
        if !holds || !is_code || around.last_line - around.first_line < WHOLE {
            return false;
        }
        inner = around;
    }
    true
}

/// Comments, attributes and decorators directly above belong to a definition.
pub(crate) fn with_comment_above(lines: &[&str], first: u32) -> u32 {
    let mut at = first as usize - 1;
    while at > 0 {
        let above = lines[at - 1].trim_start();
        let belongs = above.starts_with(['/', '*', '#', '@', '[']) || above.starts_with("--");
        if above.is_empty() || !belongs {
            break;
        }
        at -= 1;
    }
    at as u32 + 1
}

/// Neighbouring short definitions become one piece.
fn put_together(spans: Vec<Piece>) -> Vec<Piece> {
    let mut kept: Vec<Piece> = Vec::new();
    for span in spans {
        let is_short = span.last - span.first < 6;
        if let Some(before) = kept.last_mut()
            && is_short
            && span.first <= before.last + 2
            && span.last - before.first < TOGETHER
            && (before.kind == ChunkKind::Definitions || before.last - before.first < 6)
        {
            before.kind = ChunkKind::Definitions;
            before.last = span.last;
            if before.name.len() < 200 {
                before.name.push_str(", ");
                before.name.push_str(&span.name);
            }
            continue;
        }
        kept.push(span);
    }
    kept
}

/// What stands between definitions, when it says anything.
fn between(path: &str, lines: &[&str], first: u32, last: u32) -> Vec<Chunk> {
    if first > last {
        return Vec::new();
    }
    let said = lines[first as usize - 1..last as usize]
        .iter()
        .filter(|line| line.trim().len() > 2)
        .count();
    if said < 2 {
        Vec::new()
    } else {
        windows(path, ChunkKind::Preamble, "", lines, first, last)
    }
}

/// At most [`WINDOW`] lines each, cut at an empty line where there is one in the second half.
fn windows(
    path: &str,
    kind: ChunkKind,
    name: &str,
    lines: &[&str],
    first: u32,
    last: u32,
) -> Vec<Chunk> {
    let mut chunks = Vec::new();
    let mut start = first as usize;
    let end = (last as usize).min(lines.len());
    while start <= end {
        let mut stop = (start + WINDOW - 1).min(end);
        if stop < end {
            let half = start + WINDOW / 2;
            stop = (half..=stop)
                .rev()
                .find(|&line| lines[line - 1].trim().is_empty())
                .unwrap_or(stop);
        }
        if lines[start - 1..stop]
            .iter()
            .any(|line| !line.trim().is_empty())
        {
            chunks.push(cut(path, kind, name, lines, start as u32, stop as u32));
        }
        start = stop + 1;
    }
    chunks
}

/// One piece, without empty lines at its ends.
fn cut(path: &str, kind: ChunkKind, name: &str, lines: &[&str], first: u32, last: u32) -> Chunk {
    let (mut first, mut last) = (first as usize, (last as usize).min(lines.len()));
    while first < last && lines[first - 1].trim().is_empty() {
        first += 1;
    }
    while last > first && lines[last - 1].trim().is_empty() {
        last -= 1;
    }
    let text = lines.get(first - 1..last).unwrap_or_default().join("\n");
    Chunk {
        path: path.to_owned(),
        kind,
        name: name.to_owned(),
        first_line: first as u32,
        last_line: last as u32,
        text,
    }
}

#[cfg(test)]
mod tests {
    use insta::assert_snapshot;

    use super::{Chunk, chunk_prose, chunk_source};
    use crate::testing::{snapshot, split};

    fn shown(chunks: &[Chunk]) -> String {
        let heads = chunks.iter().map(|chunk| {
            chunk
                .embedded_text()
                .lines()
                .next()
                .unwrap_or_default()
                .to_owned()
        });
        heads.collect::<Vec<_>>().join("\n")
    }

    #[test]
    fn a_file_is_its_preamble_and_its_definitions() {
        let fixture = "//- a.ts\nimport { b } from './b'\nimport { c } from './c'\n\n// Says hello.\nexport function hello() {\n  b()\n  b()\n  b()\n  b()\n  b()\n  b()\n}\n\nexport const one = 1\nexport const two = 2\n\nhello()\nrun()\n";
        let graph = snapshot(fixture);
        let text = &split(fixture)[0].1;
        let chunks = chunk_source(&graph, graph.find_file("a.ts").expect("is there"), text);
        assert_snapshot!(shown(&chunks), @"
        a.ts | preamble | 1-2
        a.ts | function: hello | 4-12
        a.ts | definitions: one, two | 14-15
        a.ts | preamble | 17-18
        ");
    }

    #[test]
    fn a_long_class_is_its_head_and_its_methods() {
        let body = "    work()\n".repeat(45);
        let fixture = format!(
            "//- a.ts\nexport class Big {{\n  field = 1\n  one() {{\n{body}  }}\n  two() {{\n{body}  }}\n}}\n"
        );
        let graph = snapshot(&fixture);
        let chunks = chunk_source(
            &graph,
            graph.find_file("a.ts").expect("is there"),
            &split(&fixture)[0].1,
        );
        assert_snapshot!(shown(&chunks), @"
        a.ts | class: Big | 1-2
        a.ts | method: Big.one | 3-49
        a.ts | method: Big.two | 50-96
        ");
    }

    #[test]
    fn prose_is_cut_at_headings_outside_of_code() {
        let text = "Before.\n\n# One\n\ntext\n\n```sh\n# not a heading\n```\n\n## Inner\n\nmore\n\n# Two\n\nlast\n";
        assert_snapshot!(shown(&chunk_prose("README.md", text)), @"
        README.md | section | 1-1
        README.md | section: One | 3-9
        README.md | section: One > Inner | 11-13
        README.md | section: Two | 15-17
        ");
    }

    #[test]
    fn text_without_structure_is_cut_every_hundred_lines() {
        let text = "word\n".repeat(230);
        assert_snapshot!(shown(&chunk_prose("notes.md", &text)), @"
        notes.md | section | 1-100
        notes.md | section | 101-200
        notes.md | section | 201-230
        ");
    }
}
