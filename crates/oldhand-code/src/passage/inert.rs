//! Whether a piece of code only says what things are: heads of types, constants and imports.
//!
//! Whatever else stands in it may do the work that is asked for: statements of a script, lines of a language that nobody parses here.

use crate::chunk::{Chunk, ChunkKind};
use crate::facts::SymbolKind;
use crate::snapshot::Symbol;

/// Whether nothing is done in a piece that defines these symbols.
pub(super) fn is_inert(chunk: &Chunk, defined: &[Symbol<'_>]) -> bool {
    use SymbolKind::{Function, Macro, Method, Test};
    let is_done = |symbol: &Symbol<'_>| matches!(symbol.kind, Function | Macro | Method | Test);
    if defined.iter().any(is_done) {
        return false;
    }
    match chunk.kind {
        ChunkKind::Definition(kind) if kind.is_type() => true,
        ChunkKind::Definition(Function | Macro | Method | Test)
        | ChunkKind::Section
        | ChunkKind::Lines => false,
        ChunkKind::Preamble | ChunkKind::Definition(_) | ChunkKind::Definitions => {
            only_declares(chunk, defined)
        }
    }
}

/// Whether all lines of a piece are of types, of values that call nothing, or of imports.
fn only_declares(chunk: &Chunk, defined: &[Symbol<'_>]) -> bool {
    let mut passing = Passing::default();
    (chunk.first_line..)
        .zip(chunk.text.lines())
        .all(|(number, line)| {
            let around =
                |symbol: &&Symbol<'_>| (symbol.first_line..=symbol.last_line).contains(&number);
            let is_type = |symbol: &Symbol<'_>| symbol.kind.is_type();
            passing.is_passed(line.trim())
                || match defined.iter().filter(around).max_by_key(|one| is_type(one)) {
                    Some(symbol) => is_type(symbol) || !line.contains('('),
                    None => false,
                }
        })
}

/// Words with which a line brings something in, or says where the file belongs.
const IMPORTS: &[&str] = &[
    "extern",
    "from",
    "import",
    "include",
    "mod",
    "namespace",
    "package",
    "require",
    "require_relative",
    "use",
    "using",
];

/// Reads the lines that say nothing of what is done: comments and imports, also over several lines.
#[derive(Default)]
struct Passing {
    /// How a comment of several lines ends.
    comment: Option<&'static str>,
    /// How many brackets of an import are open.
    open: usize,
}

impl Passing {
    fn is_passed(&mut self, line: &str) -> bool {
        if let Some(end) = self.comment {
            if line.contains(end) {
                self.comment = None;
            }
            return true;
        }
        if self.open > 0 {
            self.count(line);
            return true;
        }
        for (begin, end) in [("/*", "*/"), ("\"\"\"", "\"\"\""), ("'''", "'''")] {
            if let Some(rest) = line.strip_prefix(begin) {
                if !rest.contains(end) {
                    self.comment = Some(end);
                }
                return true;
            }
        }
        let is_mark = !line.contains(char::is_alphanumeric);
        if is_mark || line.starts_with("//") || line.starts_with('#') {
            return true;
        }
        let is_import = brings_in(line);
        let is_opened = ["const (", "var (", "type ("].contains(&line);
        if is_import {
            self.count(line);
        }
        is_import || is_opened
    }

    fn count(&mut self, line: &str) {
        // What a namespace holds is no import.
        let is_block = line.starts_with("namespace") || line.starts_with("extern");
        for c in line.chars().filter(|_| !is_block) {
            match c {
                '(' | '{' => self.open += 1,
                ')' | '}' => self.open = self.open.saturating_sub(1),
                _ => {}
            }
        }
    }
}

/// Whether a line brings in what others define: `use a::b;`, `export * from "a"`, `const a = require("a")`.
fn brings_in(line: &str) -> bool {
    let mut words = line
        .split(|c: char| !c.is_alphanumeric() && c != '_')
        .filter(|word| !["pub", "crate", "static"].contains(word))
        .filter(|word| !word.is_empty());
    let first = words.next().unwrap_or_default();
    IMPORTS.contains(&first)
        || first == "export" && line.contains(" from ")
        || first == "const" && line.contains("= require(")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn passes(text: &str) -> bool {
        let mut passing = Passing::default();
        text.lines().all(|line| passing.is_passed(line.trim()))
    }

    #[test]
    fn comments_and_imports_of_all_languages_are_passed_over() {
        for text in [
            "\"\"\"Warm ovens.\n\nRun it twice.\n\"\"\"\nfrom a import (\n    b,\n    c,\n)\nimport d",
            "/* Of somebody.\n   Run it. */\nimport {\n  a,\n} from \"a\"\nexport * from './b'",
            "// One.\nuse std::{\n    fs,\n    io,\n};\npub(crate) mod oven;",
            "package oven\n\nimport (\n\t\"fmt\"\n)\n\nconst (",
            "#include <stdio.h>\n#define A 1\nnamespace oven {",
            "const a = require('a')\nconst { b } = require('b')",
        ] {
            assert!(passes(text), "{text}");
        }
    }

    #[test]
    fn a_statement_among_imports_is_not() {
        for text in [
            "import a\n\na.warm(1)",
            "set -e\nkubectl apply -f app.yaml",
            "from a import (\n    b,\n)\nfor row in b:\n    print(row)",
            "namespace oven {\nwarm();",
            "importance = weigh(a)",
            "export default start()",
        ] {
            assert!(!passes(text), "{text}");
        }
    }
}
