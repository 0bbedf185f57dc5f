//! Which checks a text for people or agents lays down: commands between backticks and in blocks of code.

use std::collections::BTreeSet;

use super::typed::{check_commands, format_commands, is_own_name};

/// What a project says itself of how it is checked.
pub struct Stated<'a> {
    /// Kinds of checks for which its texts name a command.
    pub kinds: BTreeSet<String>,
    /// What the manifest of a folder runs under names of its own.
    pub scripts: &'a dyn Fn(&str) -> Vec<String>,
    /// Whether a folder is one of the project's own today.
    pub is_there: &'a dyn Fn(&str) -> bool,
}

impl Stated<'_> {
    pub fn nothing() -> Self {
        Self {
            kinds: BTreeSet::new(),
            scripts: &|_| Vec::new(),
            is_there: &|_| true,
        }
    }
}

/// The kinds of checks for which a text names a command.
pub fn checks_stated(text: &str) -> BTreeSet<String> {
    let mut stated = BTreeSet::new();
    let mut is_block = false;
    for line in text.lines() {
        let line = line.trim();
        if line.starts_with("```") || line.starts_with("~~~") {
            is_block = !is_block;
        } else if is_block {
            note(line.trim_start_matches(['$', '>', ' ']), &mut stated);
        } else {
            for span in line.split('`').skip(1).step_by(2) {
                note(span, &mut stated);
            }
        }
    }
    stated
}

fn note(command: &str, stated: &mut BTreeSet<String>) {
    let command = command.split(" #").next().unwrap_or_default().trim();
    // The name of a file is no command, unless it is a script.
    let is_file = !command.contains(' ') && command.contains('.') && !is_own_name(command);
    if is_file {
        return;
    }
    let checks = check_commands(command).into_iter();
    stated.extend(checks.map(|(check, _)| check.as_str().to_owned()));
    if !format_commands(command).is_empty() {
        stated.insert("format".to_owned());
    }
    // A program that nobody knows says by its verb what it does.
    let words: Vec<&str> = command.split_whitespace().collect();
    let plain = |word: &&str| {
        word.chars()
            .all(|c| c.is_ascii_alphanumeric() || "-_:./".contains(c))
    };
    if !(2..=4).contains(&words.len()) || !words.iter().all(plain) {
        return;
    }
    for step in words[1..].iter().flat_map(|word| word.split(':')) {
        let kinds: &[&str] = match step {
            "test" | "tests" => &["test"],
            "lint" => &["lint"],
            "check" => &["lint", "type check"],
            "typecheck" | "type-check" | "types" => &["type check"],
            "build" => &["build"],
            "fmt" | "format" => &["format"],
            _ => &[],
        };
        stated.extend(kinds.iter().map(|kind| (*kind).to_owned()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_between_backticks_and_in_blocks_are_laid_down() {
        for (text, expected) in [
            ("Use `nx lint` / `nx type-check` first.", "lint, type check"),
            ("Run `vp check` and `vp test`.", "lint, test, type check"),
            (
                "```sh\n$ make build   # all of it\nuv run pytest -q\n```\nDone.",
                "build, test",
            ),
            ("```\nnx run web:lint # all of it\n```", "lint"),
            ("`cargo fmt` before each commit", "format"),
            ("Write tests first, and lint what you build.", ""),
            ("The `test` folder, `src/build.rs` and `a b c d test`.", ""),
        ] {
            let stated: Vec<String> = checks_stated(text).into_iter().collect();
            assert_eq!(stated.join(", "), expected, "{text}");
        }
    }
}
