//! Commands of the project that put things right by their name, and whatever else may have done so.

use super::{LIST_LIMIT, SessionAnalytics};
use crate::detect::sequence::is_act;
use crate::outcome::commands::{check_of, is_own_name, program_key, run_in_root};
use crate::outcome::shell::{Simple, commands};

/// A longer name of a command is told to nobody.
const LONGEST: usize = 80;

/// What a call of the shell may have put right, besides looking and checking.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mending {
    pub step: u32,
    /// The command of the project that did, as it is typed in the project's own folder; nothing for any other.
    pub by: Option<String>,
}

impl SessionAnalytics {
    /// Notes what a call ran that may put things right.
    pub(super) fn count_mending(&mut self, command: &str, root: &str, within: &str, failed: bool) {
        let here = run_in_root(command, root, within);
        let run = commands(command);
        for simple in run.iter().filter(|simple| !is_harmless(simple)) {
            if self.mending.len() >= LIST_LIMIT {
                return;
            }
            let by = mending(simple).filter(|_| !failed && here.contains(simple));
            let step = self.step;
            self.mending.push(Mending { step, by });
        }
    }
}

/// Whether a command only looks, or only checks: no option of it puts anything right.
fn is_harmless(simple: &Simple) -> bool {
    const MENDS: [&str; 6] = [
        "--fix",
        "--write",
        "-w",
        "-u",
        "--update",
        "--update-snapshot",
    ];
    let words = &simple.words;
    if mends_by_name(words.iter().map(String::as_str)) {
        return false;
    }
    if check_of(words).is_some() {
        let mut options = words
            .iter()
            .map(|word| word.split('=').next().unwrap_or(word));
        return !options.any(|option| MENDS.contains(&option));
    }
    let key = program_key(&words.join(" "));
    key.is_none_or(|key| {
        !is_act(&format!("run {key}")) || matches!(key.as_str(), "git add" | "git commit")
    })
}

/// The command as it is typed, where that is all there is to it: a name that the project gave, without a path of its own.
fn mending(simple: &Simple) -> Option<String> {
    let typed = simple.words.join(" ");
    let is_plain = |c: char| c.is_ascii_alphanumeric() || " :-_.".contains(c);
    let is_whole = !simple.lost
        && simple.through.is_none()
        && simple.wrapping.is_empty()
        && simple.within.is_empty()
        && simple.from.is_empty();
    let is_told = typed.len() <= LONGEST && typed.chars().all(is_plain);
    // A script is found by its path, and an option may send a command elsewhere.
    let is_name = is_own_name(&typed)
        && !simple.words[0].contains('.')
        && !simple.words.iter().any(|word| word.starts_with('-'));
    (is_whole && is_told && is_name && mends_by_name(simple.words.iter().map(String::as_str)))
        .then_some(typed)
}

/// Whether a word says that things are put right.
pub(crate) fn mends_by_name<'w>(words: impl IntoIterator<Item = &'w str>) -> bool {
    const WORDS: [&str; 13] = [
        "fix",
        "autofix",
        "autocorrect",
        "format",
        "fmt",
        "prettier",
        "tidy",
        "generate",
        "gen",
        "codegen",
        "regen",
        "migrate",
        "sync",
    ];
    let names = words.into_iter().take_while(|word| !word.starts_with('-'));
    let mut parts = names.flat_map(|word| word.split([':', '-', '_', '.', '/']));
    parts.any(|part| WORDS.contains(&part))
}
