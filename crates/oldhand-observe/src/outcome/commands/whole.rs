//! A check as it was run: the command with what was given to it, and the folder it ran in.
//!
//! What cannot be told as it was, is kept as a part that is not told: a command without it would mean something else.

mod fixed;
mod part;
mod place;
mod words;

use fixed::{fixed_words, of_scheme};
pub(super) use place::home_of;
use place::{At, join, leads};
pub(crate) use place::{has_own_shell, in_checkout};
use words::{UNTOLD, is_plain, is_secret, marked, quoted};

use super::given::{is_choice, is_exclusion, is_noise, is_one_run, says_nothing_more, takes_value};
use super::{Check, check_of};
use crate::outcome::shell::{Simple, Then, commands};

/// Longer ones nobody types.
const LONGEST: usize = 160;
/// Longer ones nobody types to run them in a container.
const LONGEST_INSIDE: usize = 80;

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
    /// Something else that it was given, which is not told: as far as it can be written, and by what other runs had the same.
    Untold { text: String, key: String },
}

impl Part {
    fn untold(text: &str) -> Self {
        Self::Untold {
            text: text.to_owned(),
            key: text.to_owned(),
        }
    }

    fn text(&self) -> &str {
        match self {
            Self::Through(text)
            | Self::Fixed(text)
            | Self::Given(text)
            | Self::Untold { text, .. } => text,
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
            _ => None,
        })
    }

    /// What else it was given and cannot be told, by what other runs had the same: `-k`, `--ignore`.
    pub fn untold(&self) -> impl Iterator<Item = &str> {
        self.parts.iter().filter_map(|part| match part {
            Part::Untold { key, .. } => Some(key.as_str()),
            _ => None,
        })
    }

    /// The command with some of what it was given, as one would type it.
    pub fn with(&self, is_kept: impl Fn(&str) -> bool) -> String {
        let kept = self.parts.iter().filter(|part| match part {
            Part::Through(_) | Part::Fixed(_) => true,
            Part::Given(text) => is_kept(text),
            Part::Untold { .. } => false,
        });
        let texts: Vec<&str> = kept.map(Part::text).collect();
        texts.join(" ")
    }

    /// Whether one of these lines, run in its folder, runs the same with all that this one is given, whatever runs it.
    pub fn is_said_by(&self, lines: &[String]) -> bool {
        let core = |whole: &Self| {
            let fixed = whole.parts.iter().filter_map(|part| match part {
                Part::Fixed(text) => Some(text.clone()),
                _ => None,
            });
            fixed.collect::<Vec<_>>()
        };
        let mut theirs = lines.iter().flat_map(|line| own_checks(line, "", ""));
        theirs.any(|theirs| {
            let has = |given: &str| theirs.given().any(|their| their == given);
            theirs.folder.is_empty() && core(&theirs) == core(self) && self.given().all(has)
        })
    }

    /// All of it as a line that can be read again: `cd web && npx vitest run --globals`.
    pub fn line(&self) -> String {
        let texts: Vec<&str> = self.parts.iter().map(Part::text).collect();
        let typed = texts.join(" ");
        if self.folder.is_empty() {
            typed
        } else {
            format!("cd {} && {typed}", self.folder)
        }
    }

    /// The same without anything that it was given: `cd web && npx vitest run`.
    pub fn bare(&self) -> String {
        let base = self.base();
        if self.folder.is_empty() {
            base
        } else {
            format!("cd {} && {base}", self.folder)
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
        found(line, "", "").pop()
    }

    /// Without what nobody types; nothing where that is what makes it this command.
    fn of_some_length(mut self) -> Option<Self> {
        if self.line().len() > LONGEST {
            self.parts
                .retain(|part| matches!(part, Part::Through(_) | Part::Fixed(_)));
            self.parts.push(Part::untold(UNTOLD));
        }
        (self.line().len() <= LONGEST).then_some(self)
    }
}

/// What a line checks in the project that lies at `root`, where it was run in `folder` of it.
pub fn own_checks(line: &str, root: &str, folder: &str) -> Vec<Whole> {
    let found = found(line, root, folder).into_iter();
    let found = found.filter_map(Whole::of_some_length);
    // What does not mean the same when it is read again is not understood.
    found
        .filter(|whole| Whole::read(&whole.line()).as_ref() == Some(whole))
        .collect()
}

/// The commands of a line that it runs in the root of the project.
pub(crate) fn run_in_root(line: &str, root: &str, folder: &str) -> Vec<Simple> {
    let mut run = Vec::new();
    walk(line, root, folder, |simple, going| {
        if going.here.as_deref() == Some("") {
            run.push(simple.clone());
        }
    });
    run
}

fn found(line: &str, root: &str, folder: &str) -> Vec<Whole> {
    let mut found = Vec::new();
    walk(line, root, folder, |simple, going| {
        let (Some(folder), Some(check)) = (&going.here, check_of(&simple.words)) else {
            return;
        };
        let at = At { root, folder };
        if let Some(parts) = parts_of(simple, check, at, going) {
            let folder = folder.clone();
            found.push(Whole {
                check,
                folder,
                parts,
            });
        }
    });
    found
}

/// How far a line has come.
#[derive(Clone)]
struct Going {
    /// The folder; none where it is another project's or not known.
    here: Option<String>,
    /// `source .venv/bin/activate`: without it another program runs, or none. Seen from the project.
    source: Option<String>,
    /// `export A=b`
    set: Vec<String>,
    /// Something else was made ready that nobody can tell.
    lost: bool,
}

/// Goes through a line, and shows every command that neither moves nor prepares.
fn walk(line: &str, root: &str, folder: &str, mut show: impl FnMut(&Simple, &Going)) {
    if has_own_shell(line) {
        return;
    }
    let mut going = Going {
        here: Some(folder.to_owned()).filter(|folder| folder.is_empty() || is_plain(folder)),
        source: None,
        set: Vec::new(),
        lost: false,
    };
    // A script of its own leaves everything as it was.
    let mut before: Vec<(usize, Going)> = Vec::new();
    for simple in commands(line) {
        let same = before.iter().zip(&simple.within);
        let same = same.take_while(|((one, _), two)| one == *two).count();
        if let Some((_, outside)) = before.drain(same..).next() {
            going = outside;
        }
        let scripts = simple.within.iter().skip(same);
        before.extend(scripts.map(|script| (*script, going.clone())));
        going.go(&simple, root, &mut show);
        // What goes on beside it is left where it began.
        if simple.then == Then::Aside {
            going.here = None;
        }
    }
}

impl Going {
    fn go(&mut self, simple: &Simple, root: &str, show: &mut impl FnMut(&Simple, &Self)) {
        let words: Vec<&str> = simple.words.iter().map(String::as_str).collect();
        match &words[..] {
            ["cd" | "pushd", to] if !simple.lost => {
                self.here = leads(to, root, self.here.as_deref());
            }
            ["cd" | "pushd" | "popd", ..] => self.here = None,
            ["source" | ".", script] => {
                self.source = self.activated(script, root);
                self.lost |= self.source.is_none();
            }
            ["export", set @ ..] => {
                self.lost |= simple.lost || !set.iter().all(|word| word.contains('='));
                self.set.extend(set.iter().map(|word| (*word).to_owned()));
            }
            [
                "source" | "." | "eval" | "unset" | "nvm" | "fnm" | "conda" | "pyenv" | "rbenv"
                | "module" | "workon" | "sdk" | "asdf" | "alias" | "direnv",
                ..,
            ] => self.lost = true,
            _ => show(simple, self),
        }
    }

    fn activated(&self, script: &str, root: &str) -> Option<String> {
        let here = self.here.as_deref()?;
        let at = At { root, folder: here };
        let script = at.path(script).filter(|script| is_plain(script))?;
        script.ends_with("activate").then(|| join(here, &script))?
    }
}

fn parts_of(simple: &Simple, check: Check, at: At<'_>, going: &Going) -> Option<Vec<Part>> {
    let words = &simple.words;
    let program = words.first()?.as_str();
    let mut parts = Vec::new();
    if let Some(script) = &going.source {
        let script = at.written(script);
        parts.push(Part::Given(format!("source {script} &&")));
    }
    parts.extend(wrapped(&going.set, at)?);
    parts.extend(wrapped(&simple.wrapping, at)?);
    if matches!(
        program,
        "docker" | "podman" | "nerdctl" | "docker-compose" | "php"
    ) {
        parts.push(Part::Fixed(as_typed(words, at)?));
    } else {
        own_parts(simple, check, at, &mut parts)?;
    }
    if going.lost || simple.lost {
        parts.push(Part::untold(UNTOLD));
    }
    Some(parts)
}

/// What runs elsewhere is told as it was typed, or not at all: its name alone would run here.
fn as_typed(words: &[String], at: At<'_>) -> Option<String> {
    const OF_ONE: [&str; 6] = ["-v", "-e", "--volume", "--env", "--env-file", "--mount"];
    let is_of_one = |word: &String| {
        let option = word.split('=').next().unwrap_or_default();
        OF_ONE.contains(&option) || is_secret(option)
    };
    if words.iter().any(is_of_one) {
        return None;
    }
    let typed: Option<Vec<String>> = words.iter().map(|word| quoted(word, at)).collect();
    let typed = typed?.join(" ");
    (typed.len() <= LONGEST_INSIDE).then_some(typed)
}

fn own_parts(simple: &Simple, check: Check, at: At<'_>, parts: &mut Vec<Part>) -> Option<()> {
    let words = &simple.words;
    let program = words.first()?.as_str();
    let name = program.rsplit(['/', '\\']).next()?;
    if program.contains("node_modules/.bin/") && simple.through.is_none() {
        parts.push(Part::Through("npx".to_owned()));
    }
    let fixed = if name == "xcodebuild" {
        of_scheme(words, check)?
    } else {
        fixed_words(words, name)?
    };
    let before = parts.len();
    let mut next = 0;
    while next < words.len() {
        let word = words[next].as_str();
        if fixed.contains(&next) {
            let text = if next == 0 {
                typed_program(program, name, at)?
            } else {
                quoted(word, at)?
            };
            parts.push(Part::Fixed(text));
        } else if word == "--" {
            parts.extend(behind(&words[next + 1..], name, at));
            break;
        } else {
            let unit = &words[next..=next + usize::from(has_value(&words[next..], name))];
            let is_free = unit
                .iter()
                .enumerate()
                .all(|(step, _)| !fixed.contains(&(next + step)));
            let unit = if is_free { unit } else { &unit[..1] };
            let is_behind = next > 0 && !fixed.contains(&(next - 1));
            let part = given(unit, name, at);
            parts.extend(part.or_else(|| {
                let before = words[..next].last().filter(|_| is_behind)?;
                perhaps_value(before, word, name, at)
            }));
            next += unit.len() - 1;
        }
        next += 1;
    }
    let is_told = parts[before..]
        .iter()
        .any(|part| matches!(part, Part::Given(_)));
    (is_told || !says_nothing_more(name, words)).then_some(())
}

/// Whether the second of these words belongs to the first, an option.
fn has_value(words: &[String], program: &str) -> bool {
    let option = words[0].as_str();
    option.starts_with('-')
        && !option.contains('=')
        && (takes_value(option, program) || is_secret(option))
        && words.get(1).is_some_and(|next| !next.starts_with('-'))
}

/// What stood in front of the program: assignments, and what runs it.
fn wrapped(wrapping: &[String], at: At<'_>) -> Option<Vec<Part>> {
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
            parts.extend(given(&unit, "", at));
        } else if let Some((variable, value)) = word.split_once('=') {
            if is_noise(variable, "") {
                continue;
            }
            // Whose value may be a secret stays where it is.
            let value = quoted(value, at).filter(|_| !is_secret(variable));
            parts.push(match value {
                Some(value) => Part::Given(format!("{variable}={value}")),
                None => Part::Untold {
                    text: format!("{variable}={UNTOLD}"),
                    key: variable.to_owned(),
                },
            });
        } else if is_plain(word) {
            parts.push(Part::Through(word.clone()));
        } else {
            return None;
        }
    }
    Some(parts)
}

/// An option with its value, or a word, unless it says how to show it, which of its files to run, or nothing here.
fn given(unit: &[String], program: &str, at: At<'_>) -> Option<Part> {
    let (first, value) = (unit.first()?, unit.get(1));
    let option = first.split('=').next().unwrap_or(first);
    let is_file = value.is_none() && is_one_run(first, None);
    if is_noise(option, program) || is_file {
        return None;
    }
    let is_one = value.is_some() && is_one_run(first, value.map(String::as_str));
    let is_chosen = is_choice(option, program);
    let is_kept = !is_chosen && !is_one && !is_secret(option);
    let texts: Option<Vec<String>> = unit.iter().map(|word| quoted(word, at)).collect();
    if let Some(texts) = texts.filter(|_| is_kept) {
        return Some(Part::Given(texts.join(" ")));
    }
    let mut texts: Vec<String> = unit.iter().map(|word| marked(word, at)).collect();
    if is_secret(option)
        && let Some(value) = texts.get_mut(1)
    {
        UNTOLD.clone_into(value);
    }
    let text = texts.join(" ");
    // Every run chooses something else; what they leave out they have in common.
    let leaves_out = |value: &String| value.starts_with("not ") || value.contains(" not ");
    let differs = is_chosen && !is_exclusion(option) && !unit.iter().any(leaves_out);
    let name = text.split(['=', ' ']).next().unwrap_or(UNTOLD);
    let key = if differs { &text } else { name };
    Some(Part::Untold {
        key: key.to_owned(),
        text,
    })
}

/// A file behind an option that nobody knows: it may be what that is set to.
fn perhaps_value(option: &str, word: &str, program: &str, at: At<'_>) -> Option<Part> {
    let is_option = option.len() > 1 && option.starts_with('-') && !option.contains('=');
    let is_set = is_option && option != "--" && !is_noise(option, program);
    let is_file = !word.starts_with('-') && !takes_value(option, program);
    (is_set && is_file).then(|| Part::untold(&marked(word, at)))
}

/// What is handed on behind `--`, as one piece; a word of its own there chooses what is run.
fn behind(words: &[String], program: &str, at: At<'_>) -> Vec<Part> {
    let (mut told, mut untold) = (Vec::new(), Vec::new());
    let mut next = 0;
    while next < words.len() {
        let unit = &words[next..=next + usize::from(has_value(&words[next..], program))];
        let part = given(unit, program, at).or_else(|| {
            let before = words[..next].last()?;
            perhaps_value(before, &unit[0], program, at)
        });
        match part {
            Some(Part::Given(text)) if text.starts_with('-') => told.push(text),
            Some(Part::Given(text)) => untold.push(Part::untold(&text)),
            other => untold.extend(other),
        }
        next += unit.len();
    }
    if !told.is_empty() {
        let told = Part::Given(format!("-- {}", told.join(" ")));
        untold.insert(0, told);
    } else if let Some(Part::Untold { text, .. }) = untold.first_mut() {
        *text = format!("-- {text}");
    }
    untold
}

/// The program as it is called from the folder; what every machine has in a place of its own by its name.
fn typed_program(program: &str, name: &str, at: At<'_>) -> Option<String> {
    const EVERYWHERE: [&str; 3] = ["/usr/", "/bin/", "/opt/"];
    const AT_HOME: [&str; 4] = ["/.cargo/bin/", "/.bun/bin/", "/.local/bin/", "/go/bin/"];
    if program.contains("node_modules/.bin/") {
        return Some(name.to_owned());
    }
    let typed = at
        .path(program)
        .filter(|typed| is_plain(typed) && !typed.contains(":/"));
    match typed {
        // The shell looks for a name alone somewhere else.
        Some(typed) if program.starts_with('/') && !typed.contains('/') => {
            Some(format!("./{typed}"))
        }
        Some(typed) => Some(typed),
        None => {
            let is_tool = EVERYWHERE.iter().any(|place| program.starts_with(place))
                || AT_HOME.iter().any(|place| program.contains(place));
            (is_tool && is_plain(name)).then(|| name.to_owned())
        }
    }
}

#[cfg(test)]
mod tests;
