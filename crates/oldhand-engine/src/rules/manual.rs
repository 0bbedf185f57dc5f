//! Sections of a rules file that are the manual of a program which is not the project's own.
//!
//! Who pastes a manual wants it looked up, not said line by line. A section is one where nearly all of its points and commands are
//! about one program; it is told as a place to read. What orders the reader to use that program stays a rule.

use std::collections::{BTreeMap, BTreeSet};

use super::guess::{demands, is_builder};
use super::markdown::{as_bullet, as_heading};

/// A manual has so many points and commands about its program; a project's own list of the commands it uses has fewer.
const FEWEST: usize = 20;
/// They are at least so much of all of them: two of three.
const SHARE: (usize, usize) = (2, 3);
/// One in so many names the program in code, where the others tell its options and functions.
const NAMED: usize = 5;
/// So many programs of a section are asked, those first that most lines name.
const ASKED: usize = 6;

/// A section, with all below it, that tells how a program is used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Manual {
    pub program: String,
    pub heading: String,
    /// The line of its heading, and its last one, from 1.
    pub first: usize,
    pub last: usize,
    /// What its headings and points say what it is.
    documented: BTreeSet<String>,
}

impl Manual {
    pub fn lines(&self) -> usize {
        self.last + 1 - self.first
    }

    pub(super) fn holds(&self, line: usize) -> bool {
        (self.first..=self.last).contains(&line)
    }

    /// Whether a statement in it tells the reader what to do with the program, and not how the program works: `Always prefix commands with
    /// `rtk``. Of an option or a function that the manual explains only the manual speaks.
    pub(super) fn orders(&self, text: &str) -> bool {
        const ORDERS: &[&str] = &[
            "always ",
            "avoid ",
            "do not ",
            "don't ",
            "must ",
            "never ",
            "use ",
            "you must ",
        ];
        let said = text.to_lowercase().replace('’', "'");
        let said = said.replace(['*', '_'], "");
        let said = said.trim_start_matches(|c: char| !c.is_alphanumeric());
        let begins = |text: &str| {
            ORDERS
                .iter()
                .any(|order| text.trim_start().starts_with(order))
        };
        let behind_label = said
            .split_once(':')
            .filter(|(label, _)| !label.contains('`'));
        let uses = said.contains(&format!("use `{}`", self.program));
        let is_order = begins(said) && demands(said)
            || behind_label.is_some_and(|(_, rest)| begins(rest) && demands(rest))
            || uses;
        let explains =
            codes(text).any(|code| is_option(code) || self.documented.contains(name_of(code)));
        is_order && !explains
    }

    /// What it is told as.
    pub(super) fn pointer(&self, file: &str) -> String {
        let Self {
            program, heading, ..
        } = self;
        format!(
            "The section \"{heading}\" of `{file}` is a manual of `{program}`: read it before you use `{program}`"
        )
    }
}

/// The outermost manuals of a text. `is_own` says whether a program or a path belongs to the project.
pub(super) fn manuals(text: &str, is_own: &dyn Fn(&str) -> bool) -> Vec<Manual> {
    let lines = read(text);
    let end = text.lines().count();
    let headings: Vec<(usize, usize, &str)> = lines
        .iter()
        .filter_map(|line| match line.what {
            What::Heading(level) => Some((line.number, level, line.text)),
            _ => None,
        })
        .collect();
    let titles = headings.iter().filter(|(_, level, _)| *level == 1).count();
    let mut found: Vec<Manual> = Vec::new();
    for (at, (first, level, heading)) in headings.iter().enumerate() {
        if found.iter().any(|manual| manual.holds(*first)) {
            continue;
        }
        let next = headings[at + 1..]
            .iter()
            .find(|(_, other, _)| other <= level);
        let last = next.map_or(end, |(next, ..)| next - 1);
        let inside = lines
            .iter()
            .filter(|line| (first + 1..=last).contains(&line.number));
        let section = Section {
            heading,
            lines: inside.collect(),
        };
        // The title of a file is about the project, unless it names the program.
        let is_title = *level == 1 && titles == 1;
        let program = section.program(is_own);
        if let Some(program) = program.filter(|program| !is_title || has_word(heading, program)) {
            found.push(Manual {
                documented: section.documented(),
                heading: (*heading).to_owned(),
                first: *first,
                last,
                program,
            });
        }
    }
    found
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum What {
    Heading(usize),
    Point,
    Command,
}

struct Line<'t> {
    number: usize,
    what: What,
    text: &'t str,
}

/// Headings, points and commands; comments beside commands and all else is left out.
fn read(text: &str) -> Vec<Line<'_>> {
    const SHELLS: &[&str] = &[
        "",
        "bash",
        "console",
        "fish",
        "powershell",
        "sh",
        "shell",
        "zsh",
    ];
    let mut lines = Vec::new();
    let mut fence: Option<(&str, bool)> = None;
    for (at, line) in text.lines().enumerate() {
        let number = at + 1;
        let body = line.trim();
        let mark = body.len() - body.trim_start_matches('`').len();
        let tilde = body.len() - body.trim_start_matches('~').len();
        let mark = &body[..mark.max(tilde)];
        match fence {
            Some((open, _)) if body.starts_with(open) && body == mark => fence = None,
            Some((_, is_shell)) => {
                if is_shell && !body.is_empty() && !body.starts_with(['#', '/']) {
                    lines.push(Line {
                        number,
                        what: What::Command,
                        text: body,
                    });
                }
            }
            None if mark.len() >= 3 => {
                let language = body[mark.len()..].trim().to_lowercase();
                fence = Some((mark, SHELLS.contains(&language.as_str())));
            }
            None => {
                let heading = as_heading(line.trim_end());
                let heading = heading.map(|(level, words)| (What::Heading(level), words));
                let found = heading.or_else(|| Some((What::Point, as_bullet(body)?)));
                lines.extend(found.map(|(what, text)| Line { number, what, text }));
            }
        }
    }
    lines
}

struct Section<'s, 't> {
    heading: &'s str,
    lines: Vec<&'s Line<'t>>,
}

impl Section<'_, '_> {
    /// The program that it is a manual of.
    fn program(&self, is_own: &dyn Fn(&str) -> bool) -> Option<String> {
        let said = || {
            self.lines
                .iter()
                .filter(|line| !matches!(line.what, What::Heading(_)))
        };
        let all = said().count();
        if all < FEWEST {
            return None;
        }
        let mut named: BTreeMap<&str, usize> = BTreeMap::new();
        for line in said() {
            for program in programs_in(line).into_iter().collect::<BTreeSet<_>>() {
                *named.entry(program).or_default() += 1;
            }
        }
        let mut named: Vec<(&str, usize)> = named.into_iter().collect();
        named.sort_by_key(|(program, times)| (std::cmp::Reverse(*times), *program));
        let is_it = |(program, times): &&(&str, usize)| {
            let about = self.lines_about(program, is_own);
            times * NAMED >= all && about >= FEWEST && about * SHARE.1 >= all * SHARE.0
        };
        let mut asked = named.iter().take(ASKED);
        let (program, _) = asked.find(|one| is_it(one) && !is_builder(one.0) && !is_own(one.0))?;
        Some((*program).to_owned())
    }

    /// How many points and commands are about the program: they name it, tell an option or a function, or stand below a heading that does.
    /// What names a path of the project is how the project uses it.
    fn lines_about(&self, program: &str, is_own: &dyn Fn(&str) -> bool) -> usize {
        let mut is_below = false;
        let mut about = 0;
        for line in &self.lines {
            let is_path = |word: &&str| word.contains('/') && is_own(word);
            match line.what {
                What::Heading(_) => {
                    is_below = documents(line.text) || programs_in(line).contains(&program);
                }
                _ if words(line.text).any(|word| is_path(&word)) => {}
                What::Command => {
                    about += usize::from(is_below || command(line.text) == Some(program));
                }
                What::Point => {
                    let is_about = is_below || documents(line.text) || has_word(line.text, program);
                    about += usize::from(is_about);
                }
            }
        }
        about
    }

    /// The names of what its headings and points explain.
    fn documented(&self) -> BTreeSet<String> {
        let told = self.lines.iter().filter(|line| documents(line.text));
        let names = told.filter_map(|line| codes(line.text).next().map(name_of));
        let heading = codes(self.heading).map(name_of);
        let names = names.chain(heading).filter(|name| !name.is_empty());
        names.map(str::to_owned).collect()
    }
}

/// What a point or a command begins pieces of code with, where it may be a program.
fn programs_in<'t>(line: &Line<'t>) -> Vec<&'t str> {
    match line.what {
        What::Command => command(line.text).into_iter().collect(),
        _ => codes(line.text).filter_map(command).collect(),
    }
}

/// `rtk` of `$ sudo rtk git status`.
fn command(line: &str) -> Option<&str> {
    const WRAPPERS: &[&str] = &["bunx", "command", "exec", "npx", "sudo", "time", "uvx"];
    let is_before = |word: &&str| *word == "$" || word.contains('=') || WRAPPERS.contains(word);
    let program = line.split_whitespace().find(|word| !is_before(word))?;
    let is_name = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || "-_.".contains(c);
    (program.starts_with(|c: char| c.is_ascii_lowercase()) && program.chars().all(is_name))
        .then_some(program)
}

fn codes(text: &str) -> impl Iterator<Item = &str> {
    text.split('`').skip(1).step_by(2).map(str::trim)
}

/// Whether a heading or a point begins with an option or a function that it explains: `--flag`: …, `name(args)`: ….
fn documents(text: &str) -> bool {
    let text = text.trim_start_matches(['*', '_']);
    let Some(code) = text
        .strip_prefix('`')
        .and_then(|rest| rest.split('`').next())
    else {
        return is_option(text);
    };
    is_option(code) || code.ends_with(')') && !name_of(code).is_empty() && name_of(code) != code
}

fn is_option(code: &str) -> bool {
    let name = code.trim_start_matches('-');
    (1..=2).contains(&(code.len() - name.len()))
        && name.starts_with(|c: char| c.is_ascii_alphabetic())
}

/// `map` of `map(f)`.
fn name_of(code: &str) -> &str {
    let end = code.find(|c: char| !(c.is_alphanumeric() || "_.$@".contains(c)));
    &code[..end.unwrap_or(code.len())]
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    let cut = |c: char| c.is_whitespace() || "`'\"()[]<>,;*".contains(c);
    text.split(cut).filter(|word| !word.is_empty())
}

/// Whether a text has the name as a word of its own, in any case.
fn has_word(text: &str, name: &str) -> bool {
    let mut words = words(text).map(|word| word.trim_end_matches(['.', ':', '!', '?']));
    words.any(|word| word.eq_ignore_ascii_case(name))
}

#[cfg(test)]
mod tests;
