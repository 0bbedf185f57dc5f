//! A check as it was run: the command with what was given to it, and the folder it ran in.

use super::given::{is_noise, is_one_run, says_nothing_more, takes_value};
use super::program::has_verbs;
use super::typed::{is_formatter, is_interpreter};
use super::{Check, check_of};
use crate::outcome::shell::{Simple, commands};

/// Longer ones nobody types.
const LONGEST: usize = 160;

/// A check that a line made in the project.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Whole {
    pub check: Check,
    /// Seen from the project, empty for its root.
    pub folder: String,
    parts: Vec<Part>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Part {
    /// What runs it: `npx`, `uv run`.
    Through(String),
    /// What makes it this command.
    Fixed(String),
    /// An option with its value, or another word that it was given.
    Given(String),
}

impl Part {
    fn text(&self) -> &str {
        match self {
            Self::Through(text) | Self::Fixed(text) | Self::Given(text) => text,
        }
    }
}

impl Whole {
    /// The command without anything that it was given: `npx vitest run`.
    pub fn base(&self) -> String {
        self.with(|_| false)
    }

    /// What it was given: `--globals`, `-p web`.
    pub fn given(&self) -> impl Iterator<Item = &str> {
        self.parts.iter().filter_map(|part| match part {
            Part::Given(text) => Some(text.as_str()),
            Part::Through(_) | Part::Fixed(_) => None,
        })
    }

    /// The command with some of what it was given, as one would type it.
    pub fn with(&self, is_kept: impl Fn(&str) -> bool) -> String {
        let kept = self.parts.iter().filter(|part| match part {
            Part::Through(_) | Part::Fixed(_) => true,
            Part::Given(text) => is_kept(text),
        });
        let texts: Vec<&str> = kept.map(Part::text).collect();
        texts.join(" ")
    }

    /// Whether one of these lines runs the same, with all that this one is given, whatever runs it.
    pub fn is_said_by(&self, lines: &[String]) -> bool {
        let core = |whole: &Self| {
            let fixed = whole.parts.iter().filter_map(|part| match part {
                Part::Fixed(text) => Some(text.clone()),
                Part::Through(_) | Part::Given(_) => None,
            });
            fixed.collect::<Vec<_>>()
        };
        let mut theirs = lines.iter().flat_map(|line| own_checks(line, "", ""));
        theirs.any(|theirs| {
            let has = |given: &str| theirs.given().any(|their| their == given);
            core(&theirs) == core(self) && self.given().all(has)
        })
    }

    /// All of it as a line that can be read again: `cd web && npx vitest run --globals`.
    pub fn line(&self) -> String {
        let typed = self.with(|_| true);
        let typed = if typed.len() > LONGEST {
            self.base()
        } else {
            typed
        };
        if self.folder.is_empty() {
            typed
        } else {
            format!("cd {} && {typed}", self.folder)
        }
    }

    /// A command of which nothing but its name is known.
    pub fn named(command: &str) -> Self {
        Self {
            check: Check::Lint,
            folder: String::new(),
            parts: vec![Part::Fixed(command.to_owned())],
        }
    }

    /// Such a line, read again.
    pub fn read(line: &str) -> Option<Self> {
        own_checks(line, "", "").pop()
    }
}

/// What a line checks in the project that lies at `root`, where it was run in `folder` of it.
pub fn own_checks(line: &str, root: &str, folder: &str) -> Vec<Whole> {
    // Behind a shell of its own nobody knows where the rest of the line runs.
    if line.contains("(cd ") || line.contains("( cd ") {
        return Vec::new();
    }
    let mut here = Some(folder.to_owned());
    let mut prepared: Option<Part> = None;
    let mut found = Vec::new();
    for simple in commands(line) {
        match &simple.words[..] {
            [program, .., to] if matches!(program.as_str(), "cd" | "pushd") => {
                here = leads(to, root, here.as_deref().unwrap_or_default());
            }
            [program, script] if matches!(program.as_str(), "source" | ".") => {
                prepared = surroundings(script);
            }
            words => {
                let (Some(folder), Some(check)) = (&here, check_of(words)) else {
                    continue;
                };
                if let Some(mut parts) = parts_of(&simple, check, root) {
                    parts.splice(0..0, prepared.clone());
                    let folder = folder.clone();
                    found.push(Whole {
                        check,
                        folder,
                        parts,
                    });
                }
            }
        }
    }
    found
}

/// `source .venv/bin/activate &&`: without it another program runs, or none.
fn surroundings(script: &str) -> Option<Part> {
    let is_ours = script.ends_with("activate") && !script.starts_with('/') && is_plain(script);
    is_ours.then(|| Part::Given(format!("source {script} &&")))
}

fn parts_of(simple: &Simple, check: Check, root: &str) -> Option<Vec<Part>> {
    let words = &simple.words;
    let program = words.first()?.as_str();
    // What runs elsewhere is told as it was typed: its name alone would run here.
    if matches!(
        program,
        "docker" | "podman" | "nerdctl" | "docker-compose" | "php"
    ) {
        let typed = words.join(" ");
        return (typed.len() <= 80).then(|| vec![Part::Fixed(typed)]);
    }
    let mut parts = wrapped(&simple.wrapping, root);
    let name = program.rsplit(['/', '\\']).next()?;
    if program.contains("node_modules/.bin/") && simple.through.is_none() {
        parts.push(Part::Through("npx".to_owned()));
    }
    let fixed = if name == "xcodebuild" {
        of_scheme(words, check)?
    } else {
        fixed_words(words, name)?
    };
    let mut at = 0;
    while at < words.len() {
        let word = words[at].as_str();
        if fixed.contains(&at) {
            let text = if at == 0 {
                typed_program(program, name, root)
            } else {
                quoted(word, root)?
            };
            parts.push(Part::Fixed(text));
        } else if word == "--" {
            parts.extend(behind(&words[at + 1..], name, root));
            break;
        } else {
            let has_value = word.starts_with('-')
                && !word.contains('=')
                && takes_value(word, name)
                && words.get(at + 1).is_some_and(|next| !next.starts_with('-'));
            let unit = &words[at..=at + usize::from(has_value)];
            parts.extend(given(unit, name, root).map(Part::Given));
            at += usize::from(has_value);
        }
        at += 1;
    }
    let is_told = parts.iter().any(|part| matches!(part, Part::Given(_)));
    (is_told || !says_nothing_more(name, words)).then_some(parts)
}

/// What stood in front of the program: assignments, and what runs it.
fn wrapped(wrapping: &[String], root: &str) -> Vec<Part> {
    let mut parts = Vec::new();
    let mut words = wrapping.iter().peekable();
    while let Some(word) = words.next() {
        if word.starts_with('-') {
            let mut unit = vec![word.clone()];
            unit.extend(
                words
                    .next_if(|next| !next.starts_with('-') && !next.contains('='))
                    .cloned(),
            );
            parts.extend(given(&unit, "", root).map(Part::Given));
        } else if let Some((variable, value)) = word.split_once('=') {
            // Whose value may be a secret stays where it is.
            let is_secret = ["KEY", "TOKEN", "SECRET", "PASS", "URL", "AUTH"];
            let is_secret = is_secret.iter().any(|part| variable.contains(part));
            if !is_secret && !value.is_empty() && !is_noise(variable, "") {
                let value = quoted(value, root);
                parts.extend(value.map(|value| Part::Given(format!("{variable}={value}"))));
            }
        } else {
            parts.push(Part::Through(word.clone()));
        }
    }
    parts
}

/// An option with its value, or a word, unless it says how to show it, which of it to run, or nothing here.
fn given(unit: &[String], program: &str, root: &str) -> Option<String> {
    let (first, value) = (unit.first()?, unit.get(1));
    let option = first.split('=').next().unwrap_or(first);
    if is_noise(option, program) || is_one_run(first, value.map(String::as_str)) {
        return None;
    }
    let texts: Option<Vec<String>> = unit.iter().map(|word| quoted(word, root)).collect();
    Some(texts?.join(" "))
}

/// What is handed on behind `--`, as one piece.
fn behind(words: &[String], program: &str, root: &str) -> Option<Part> {
    let mut units: Vec<String> = Vec::new();
    let mut words = words.iter().peekable();
    while let Some(word) = words.next() {
        // A word of its own chooses what is run.
        if !word.starts_with('-') {
            continue;
        }
        let mut unit = vec![word.clone()];
        if !word.contains('=') && takes_value(word, program) {
            unit.extend(words.next_if(|next| !next.starts_with('-')).cloned());
        }
        units.extend(given(&unit, program, root));
    }
    (!units.is_empty()).then(|| Part::Given(format!("-- {}", units.join(" "))))
}

/// The places of the words that make it this command: `cargo nextest run`, `python -m ruff check`, `tsc --noEmit`.
fn fixed_words(words: &[String], name: &str) -> Option<Vec<usize>> {
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
fn of_scheme(words: &[String], check: Check) -> Option<Vec<usize>> {
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

/// The program as it is called from the project; what lies elsewhere on a machine by its name.
fn typed_program(program: &str, name: &str, root: &str) -> String {
    let inside = relative(program, root);
    match inside {
        Some(inside) if inside.contains("node_modules/.bin/") => name.to_owned(),
        Some(inside) if is_plain(inside) => inside.to_owned(),
        _ => name.to_owned(),
    }
}

/// A word as it has to be typed, seen from the project; none that a shell would fill in or that names a place of one machine.
fn quoted(word: &str, root: &str) -> Option<String> {
    let (option, value) = match word.split_once('=') {
        Some((option, value)) if option.starts_with('-') => (Some(option), value),
        _ => (None, word),
    };
    let value = without_id(relative(value, root)?);
    let typed = match option {
        Some(option) => format!("{option}={value}"),
        None => value,
    };
    if is_plain(&typed) {
        return Some(typed);
    }
    let is_quotable = |c: char| is_plain_char(c) || matches!(c, ' ' | '(' | ')' | '…');
    let is_words = typed.chars().all(is_quotable) && typed.len() <= 80;
    is_words.then(|| format!("'{typed}'"))
}

/// A word without what one machine calls a thing: `id=…`.
fn without_id(word: &str) -> String {
    let is_id = |piece: &&str| {
        let is_of_id = |c: char| c.is_ascii_hexdigit() || c == '-';
        piece.len() == 36 && piece.chars().all(is_of_id)
    };
    let id = word.split(['=', ',', '/']).find(is_id);
    id.map_or_else(|| word.to_owned(), |id| word.replace(id, "…"))
}

/// A path seen from the project; nothing of one outside of it.
fn relative<'w>(word: &'w str, root: &str) -> Option<&'w str> {
    if !word.starts_with('/') {
        return Some(word);
    }
    let root = root.trim_end_matches('/');
    let rest = word.strip_prefix(root).filter(|_| !root.is_empty())?;
    let rest = rest.strip_prefix('/')?;
    (!rest.is_empty()).then_some(rest)
}

fn is_plain(word: &str) -> bool {
    !word.is_empty() && word.chars().all(is_plain_char)
}

fn is_plain_char(c: char) -> bool {
    c.is_alphanumeric() || "-_./:=,@+*%".contains(c)
}

/// The folder that `cd` leads to, seen from the project, coming from `here`; none for another project. A variable may be anything, and a
/// neighbour is another project; what contains the root may be the project's own root.
fn leads(to: &str, root: &str, here: &str) -> Option<String> {
    let root = root.trim_end_matches('/');
    let home = root
        .match_indices('/')
        .nth(2)
        .map_or(root, |(at, _)| &root[..at]);
    let to = match to.strip_prefix('~') {
        Some(rest) => format!("{home}{rest}"),
        None => to.to_owned(),
    };
    let to = to.trim_end_matches('/');
    let is_in = |path: &str, folder: &str| {
        let rest = path.strip_prefix(folder);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    };
    if to.starts_with('/') && !root.is_empty() {
        return match to.strip_prefix(root) {
            Some(inside) if is_in(to, root) => Some(of_checkout(inside.trim_matches('/'))),
            _ => is_in(root, to).then(String::new),
        };
    }
    if !to.chars().all(|c| is_plain_char(c) || c == ' ') {
        return Some(String::new());
    }
    let mut steps: Vec<&str> = here.split('/').filter(|step| !step.is_empty()).collect();
    let mut left = false;
    for step in to.split('/') {
        match step {
            "" | "." => {}
            ".." => left |= steps.pop().is_none(),
            // Up from the root and down again is another project.
            _ if left => return None,
            step => steps.push(step),
        }
    }
    let folder = steps.join("/");
    Some(of_checkout(&folder)).filter(|folder| !folder.contains(' '))
}

/// A folder as it is called in the project, where that is checked out once more inside itself.
fn of_checkout(folder: &str) -> String {
    let steps: Vec<&str> = folder.split('/').collect();
    let skipped = match &steps[..] {
        [".claude", "worktrees", ..] => 3,
        [".worktrees" | "worktrees" | ".trees", ..] => 2,
        [".git", ..] => steps.len(),
        _ => 0,
    };
    steps.get(skipped..).unwrap_or_default().join("/")
}

#[cfg(test)]
mod tests;
