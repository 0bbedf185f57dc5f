//! The words of a command that make it this one.

use super::super::Check;
use super::super::given::takes_value;
use super::super::program::has_verbs;
use super::super::typed::{is_formatter, is_interpreter};

/// The places of the words that make it this command: `cargo nextest run`, `python -m ruff check`, `tsc --noEmit`.
pub(super) fn fixed_words(words: &[String], name: &str) -> Option<Vec<usize>> {
    const MAKE_IT_ONE: [&str; 5] = [
        "--noEmit",
        "--check",
        "--dry-run",
        "--no-run",
        "--list-different",
    ];
    let mut fixed = vec![0];
    if is_interpreter(name) {
        let second = words.get(1)?;
        if second == "-m" {
            fixed.extend([1, 2]);
            let module = words.get(2)?;
            let verb = has_verbs(module).then(|| plain_word(words, 3, name));
            fixed.extend(verb.flatten());
        } else if second.starts_with('-') {
            (name == "node" && second == "--test").then(|| fixed.push(1))?;
        } else {
            fixed.push(1);
            let is_verb = |verb: &String| verb.chars().all(char::is_alphanumeric);
            fixed.extend(words.get(2).filter(|verb| is_verb(verb)).map(|_| 2));
        }
        return Some(fixed);
    }
    if has_verbs(name) || is_verbed(name) {
        match plain_word(words, 1, name) {
            Some(verb) => {
                fixed.push(verb);
                let goes_on = matches!(words[verb].as_str(), "run" | "nextest") && has_verbs(name);
                let next = plain_word(words, verb + 1, name).filter(|_| goes_on);
                fixed.extend(next);
            }
            // `make` alone is a command, `pnpm` alone is none.
            None if has_verbs(name) && !matches!(name, "make" | "just" | "task") => return None,
            None => {}
        }
    }
    let key: Vec<&str> = fixed.iter().map(|&at| words[at].as_str()).collect();
    if is_formatter(&key.join(" ")) {
        return None;
    }
    let ends = name.ends_with("vitest");
    for (at, word) in words.iter().enumerate().skip(1) {
        let is_one = MAKE_IT_ONE.contains(&word.as_str()) || ends && word == "run";
        if is_one && !fixed.contains(&at) {
            fixed.push(at);
        }
    }
    Some(fixed)
}

/// Whether a program that checks in one way only says so by the word behind it.
fn is_verbed(name: &str) -> bool {
    matches!(
        name,
        "golangci-lint"
            | "playwright"
            | "cypress"
            | "vite"
            | "next"
            | "nuxt"
            | "astro"
            | "ng"
            | "pre-commit"
            | "meson"
            | "forge"
            | "zig"
            | "stack"
            | "cabal"
            | "moon"
            | "rush"
            | "lerna"
            | "buck2"
            | "sbt"
            | "mvnw"
            | "vp"
    )
}

/// Where the first word from `from` on stands that is no option and no value of one.
fn plain_word(words: &[String], from: usize, name: &str) -> Option<usize> {
    let is_value = |at: usize| {
        let before = words[at - 1].as_str();
        at > 1 && before.starts_with('-') && !before.contains('=') && takes_value(before, name)
    };
    let is_name = |word: &str| {
        let mut chars = word.chars();
        chars.all(|c| c.is_alphanumeric() || matches!(c, '-' | ':' | '_'))
    };
    (from..words.len()).find(|&at| {
        let word = &words[at];
        !word.starts_with('-') && is_name(word) && !is_value(at)
    })
}

/// Without its scheme nobody can run it; it finds a project by itself, and no workspace where both are there.
pub(super) fn of_scheme(words: &[String], check: Check) -> Option<Vec<usize>> {
    let mut fixed = vec![0];
    for option in ["-project", "-workspace", "-scheme"] {
        if let Some(at) = words.iter().position(|word| word == option) {
            words.get(at + 1)?;
            fixed.extend([at, at + 1]);
        }
    }
    words.iter().position(|word| word == "-scheme")?;
    let action = words.iter().position(|word| {
        word == check.as_str() || word == "build-for-testing" || word == "test-without-building"
    });
    fixed.extend(action);
    Some(fixed)
}
