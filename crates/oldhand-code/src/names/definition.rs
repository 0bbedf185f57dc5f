//! Whether a line of source defines a name, in one language or another.

use super::places;

/// Words before a name that define it, in one language or another.
const DEFINE: [&str; 27] = [
    "fn",
    "func",
    "fun",
    "def",
    "defp",
    "class",
    "struct",
    "enum",
    "trait",
    "interface",
    "type",
    "const",
    "let",
    "var",
    "val",
    "function",
    "function*",
    "static",
    "protocol",
    "extension",
    "object",
    "mod",
    "module",
    "defmodule",
    "macro_rules!",
    "union",
    "record",
];

/// Whether a line of a file defines a name.
pub(super) fn defines(text: &str, name: &str, path: &str) -> bool {
    places(text, name).any(|at| {
        let from = text[..at].rfind('\n').map_or(0, |end| end + 1);
        let until = text[at..].find('\n').map_or(text.len(), |end| at + end);
        let (before, after) = (&text[from..at], text[at + name.len()..until].trim_end());
        is_definition(before, after) || is_declaration(before, after, path)
    })
}

fn is_definition(before: &str, after: &str) -> bool {
    let trimmed = before.trim();
    let last = trimmed.rsplit(' ').next().unwrap_or("");
    // `const [open, setOpen] = …` names several, and a receiver stands before the name of a method in Go.
    let several = ["const ", "let ", "var ", "val "]
        .iter()
        .any(|word| trimmed.starts_with(word) && !trimmed.contains('='));
    let method = trimmed.starts_with("func (") && trimmed.ends_with(')');
    // A name at the beginning of a line that is assigned, or a method with its body.
    let assigned = trimmed.is_empty()
        && before.is_empty()
        && (after.starts_with(" = ") || after.starts_with(" := ") || after.starts_with(": "));
    let is_modifier = |word: &str| {
        word.chars()
            .all(|c| c.is_alphanumeric() || "_<>[]?".contains(c))
    };
    let calls = [
        "return", "await", "new", "throw", "if", "while", "else", "yield", "in",
    ];
    let body = after.starts_with('(')
        && after.ends_with(['{', ':'])
        && trimmed
            .split_whitespace()
            .all(|word| is_modifier(word) && !calls.contains(&word));
    DEFINE.contains(&last) || several || method || assigned || body
}

/// Whether a name is declared with its type: a variable or a field of a block in Go, a field or a parameter in Python. Elsewhere what
/// stands so may be somebody else's field that is set.
fn is_declaration(before: &str, after: &str, path: &str) -> bool {
    let begins = before.trim().is_empty();
    let ending = path.rsplit('.').next().unwrap_or_default();
    match ending {
        "go" => {
            let is_type = |c: char| c.is_alphabetic() || matches!(c, '[' | '*');
            begins
                && !before.is_empty()
                && after.starts_with(' ')
                && after.trim_start().starts_with(is_type)
        }
        "py" | "pyi" => {
            (begins || before.ends_with(['(', ' ']) && before.trim_end().ends_with(['(', ',']))
                && after.starts_with(": ")
        }
        _ => false,
    }
}
