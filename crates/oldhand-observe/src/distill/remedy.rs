//! Whether what came before the end of an error is what one would do about it.

use super::phrase::without_plumbing;
use crate::detect::SolvedBy;
use crate::outcome::commands::{classify, main_command, program_key};

mod advised;
mod form;
mod offer;
mod setup;
mod subcommand;
mod vague;

pub(crate) use advised::Advice;
pub(crate) use form::form;
pub(crate) use offer::{drops_guard, is_of_a_machine, may_be_offered, reaches_out};
use setup::is_asked_for;
pub(crate) use subcommand::{Instead, NoSubcommand, is_slip};
use vague::is_answerable;

/// What a program says about how it was called, or about what it needs, not about the work that it was to check.
const ABOUT_THE_CALL: [&str; 26] = [
    "no rule to make",
    "failed to resolve",
    "cannot resolve",
    "unresolved",
    "not found",
    "no such",
    "unknown",
    "unrecognized",
    "unexpected argument",
    "invalid option",
    "invalid value",
    "usage:",
    "missing",
    "required",
    "not set",
    "cannot find",
    "can't find",
    "permission denied",
    "refused",
    "not installed",
    "no module named",
    "not supported",
    "unsupported",
    "not recognized",
    "did you mean",
    "must be",
];

/// Programs that everybody uses to look at files and at output: what they say is about the moment.
const EVERYDAY: [&str; 28] = [
    "less", "nl", "awk", "cat", "cd", "chmod", "cp", "cut", "du", "find", "git", "grep", "head",
    "kill", "ln", "ls", "mkdir", "mv", "open", "rg", "rm", "sed", "sort", "tail", "tee", "touch",
    "wc", "xargs",
];

/// What is done once so that other commands work: only such a command is told as what to run first.
const PREPARES: [&str; 30] = [
    "install",
    "i",
    "ci",
    "sync",
    "add",
    "setup",
    "init",
    "bootstrap",
    "generate",
    "gen",
    "codegen",
    "build",
    "compile",
    "migrate",
    "up",
    "start",
    "login",
    "trust",
    "fetch",
    "pull",
    "restore",
    "create",
    "checkout",
    "switch",
    "source",
    "export",
    "prepare",
    "configure",
    "seed",
    "deps",
];

/// Whether a command that came before the end of an error answers it for others as well.
pub(crate) fn is_remedy(message: &str, command: &str, by: &SolvedBy) -> bool {
    let about_the_call = is_about_the_call(message);
    if is_of_the_moment(message, command)
        || names_what_it_was_given(message)
        || is_of_another(message, command)
    {
        return false;
    }
    if let SolvedBy::First(other) | SolvedBy::Command(other) = by
        && (switches_off(command, other)
            || is_equal(command, without_chance(message, other))
            || !may_be_offered(other))
    {
        return false;
    }
    if let SolvedBy::Command(other) = by
        && options_apart(command, other).is_some_and(|(gone, _)| drops_guard(message, &gone))
    {
        return false;
    }
    if !is_answerable(message, command, by) {
        return false;
    }
    match by {
        SolvedBy::Edits(_) | SolvedBy::Again | SolvedBy::Later => false,
        SolvedBy::Without { option, .. } => about_the_call && names_option(message, option),
        // A check of a part that passes answers nothing, and makes nothing pass.
        SolvedBy::First(other) => {
            classify(other).is_none() && !is_everyday(other) && about_the_call && prepares(other)
        }
        SolvedBy::Command(other) => {
            (classify(command).is_none() || about_the_call)
                && is_one_program(command, other)
                && !asks_for_help(other)
        }
    }
}

/// Whether a program speaks of how it was called, or of what it needs.
pub(crate) fn is_about_the_call(message: &str) -> bool {
    let lower = message.to_lowercase();
    ABOUT_THE_CALL.iter().any(|words| lower.contains(words)) || is_of_words(&lower)
}

/// Whether a program did not take the words that it was given: no edit of the project mends how it is called.
pub(crate) fn is_of_words_given(message: &str, command: &str) -> bool {
    let lower = message.to_lowercase();
    let is_given = |word: &str| {
        let word = word.trim_matches(|c: char| ".,:;()".contains(c));
        let bare = word.trim_matches(['\'', '"', '`']);
        let is_named = bare.len() < word.len() || bare.starts_with('-');
        is_named && bare.len() > 1 && command.split_whitespace().any(|given| given == bare)
    };
    let refuses = |word: &str| REFUSES.contains(&word);
    let names_one =
        lower.split_whitespace().any(refuses) && message.split_whitespace().any(is_given);
    names_one || is_of_words(&lower) || lower.contains("command not found")
}

/// The program that a shell did not find: `zsh: command not found: hk`, `bash: line 1: hk: command not found`, `sh: 1: hk: not found`.
pub fn missing_program(message: &str) -> Option<&str> {
    let named = if let Some((before, after)) = message.split_once("command not found") {
        match after.strip_prefix(": ") {
            Some(named) => named,
            None => before.trim_end().strip_suffix(':')?.rsplit(": ").next()?,
        }
    } else {
        let mut parts = message.strip_suffix(": not found")?.rsplit(": ");
        let named = parts.next()?;
        let is_line = |part: &str| part == "<n>" || part.parse::<u32>().is_ok();
        parts.next().filter(|part| is_line(part)).map(|_| named)?
    };
    let named = named.trim();
    (!named.is_empty() && !named.contains([' ', '<'])).then_some(named)
}

/// How a program says that it does not know something.
const REFUSES: [&str; 13] = [
    "unexpected",
    "unrecognized",
    "unrecognised",
    "unknown",
    "invalid",
    "illegal",
    "extra",
    "ambiguous",
    "unsupported",
    "no",
    "bad",
    "undefined",
    "missing",
];

/// `unknown option`, `no library targets found`: a word of refusal with what a command line is made of right behind it.
fn is_of_words(lower: &str) -> bool {
    const PARTS: [&str; 9] = [
        "argument",
        "option",
        "flag",
        "switch",
        "subcommand",
        "command",
        "target",
        "task",
        "script",
    ];
    let words: Vec<&str> = lower
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .collect();
    words
        .windows(3)
        .chain([words
            .get(words.len().saturating_sub(2)..)
            .unwrap_or_default()])
        .any(|near| {
            let is_part = |word: &&str| PARTS.contains(&word.trim_end_matches('s'));
            near.first().is_some_and(|first| REFUSES.contains(first))
                && near[1..].iter().any(is_part)
        })
}

/// Whether an error is about this option: it has it, or a word that begins with its name, as `--lib` has "library". To leave out what
/// found something wrong (`--strict`) mends nothing.
fn names_option(message: &str, option: &str) -> bool {
    const SHORTEST: usize = 3;
    let lower = message.to_lowercase();
    let option = option.to_lowercase();
    let name = option.trim_start_matches('-');
    let mut words = lower.split(|c: char| c.is_whitespace() || "'\"`=,;:()".contains(c));
    words.any(|word| {
        word == option || name.len() >= SHORTEST && word.trim_start_matches('-').starts_with(name)
    })
}

/// Whether an error is one of the programs of every day, which speak of the moment: `git`, or `tail` within another line.
pub(crate) fn is_of_the_moment(message: &str, command: &str) -> bool {
    let lower = message.to_lowercase();
    // `tail: no such file`: the program that complains is not the one that the line is about.
    let complains = lower.split_once(": ").map_or("", |(name, _)| name);
    EVERYDAY.contains(&complains) || is_everyday(command)
}

/// The options that a failing line has and a passing one of the same program has not, and the other way round.
pub(crate) fn options_apart(command: &str, other: &str) -> Option<(Vec<String>, Vec<String>)> {
    if program_key(command) != program_key(other) {
        return None;
    }
    // Those of the program alone: `gofmt -w a.go && go test` has none.
    let options = |line: &str| -> Vec<String> {
        let words = main_command(without_plumbing(line)).map_or_else(Vec::new, |main| main.words);
        let options = words
            .iter()
            .filter(|word| word.starts_with('-') && word.len() > 1 && *word != "--");
        options
            .map(|word| word.split('=').next().unwrap_or(word).to_owned())
            .collect()
    };
    let (failing, passing) = (options(command), options(other));
    let only = |these: &[String], those: &[String]| -> Vec<String> {
        let own = these.iter().filter(|word| !those.contains(word));
        own.cloned().collect()
    };
    Some((only(&failing, &passing), only(&passing, &failing)))
}

/// Whether a fix brings a package or a page that this error does not speak of: errors are known by their words without names, and
/// what one missing package needed helps no other.
pub(crate) fn names_another(by: &SolvedBy, output: &str) -> bool {
    let (SolvedBy::First(command) | SolvedBy::Command(command)) = by else {
        return false;
    };
    let mut words = command.split_whitespace();
    words.any(|word| {
        let word = word.trim_matches(['"', '\'']);
        let versioned = word.rsplit_once('@').filter(|(name, version)| {
            !name.is_empty() && version.starts_with(|c: char| c.is_ascii_digit() || c == 'v')
        });
        let host = word.split_once('/').map_or("", |(host, _)| host);
        let is_address = host.trim_matches('.').contains('.') || word.contains("://");
        match versioned {
            Some((name, _)) => !output.contains(name),
            None => is_address && !output.contains(word),
        }
    })
}

/// Whether what made an error go away may be told when it comes again: it is no look, does not pass by leaving out what had failed,
/// and has something to do with it.
pub(crate) fn may_answer(by: &SolvedBy, message: &str, command: &str) -> bool {
    if is_of_the_moment(message, command)
        || names_what_it_was_given(message)
        || is_of_another(message, command)
        || !is_answerable(message, command, by)
    {
        return false;
    }
    match by {
        SolvedBy::Edits(_) | SolvedBy::Later => false,
        SolvedBy::Again => true,
        SolvedBy::Without { option, .. } => {
            is_about_the_call(message) && names_option(message, option)
        }
        SolvedBy::First(other) => is_asked_for(message, command, other),
        SolvedBy::Command(other) => {
            !switches_off(command, other)
                && !is_equal(command, without_chance(message, other))
                && !is_everyday(other)
                && !asks_for_help(other)
        }
    }
}

/// Whether a word was refused that the program of a line was not given: then another one of the line complains.
fn is_of_another(message: &str, command: &str) -> bool {
    const REFUSED: [&str; 4] = [
        "unknown command",
        "unknown subcommand",
        "unrecognized subcommand",
        "no such command",
    ];
    let lower = message.to_lowercase();
    let Some(at) = REFUSED
        .iter()
        .find_map(|words| Some(lower.find(words)? + words.len()))
    else {
        return false;
    };
    let is_quote = |c: char| matches!(c, '"' | '\'' | '`');
    let after = message.get(at..).unwrap_or_default();
    let Some(word) = after.split(is_quote).nth(1) else {
        return false;
    };
    let words = main_command(command).map_or_else(Vec::new, |main| main.words);
    !words.iter().any(|given| given == word)
}

/// A line without the variables before it of which an error says nothing: with them it is the same line.
fn without_chance<'l>(message: &str, line: &'l str) -> &'l str {
    const TELLING: usize = 3;
    let lower = message.to_lowercase();
    let mut rest = line.trim_start();
    while let Some((variable, after)) = rest.split_once(' ') {
        let (name, _) = variable.split_once('=').unwrap_or_default();
        let is_part = |c: char| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_';
        let is_told = name
            .split('_')
            .any(|part| part.len() >= TELLING && lower.contains(&part.to_lowercase()));
        if name.is_empty() || !name.chars().all(is_part) || is_told {
            break;
        }
        rest = after.trim_start();
    }
    rest
}

/// Whether a command only prints how it is to be called, or which one it is.
fn asks_for_help(command: &str) -> bool {
    let words = main_command(command).map_or_else(Vec::new, |main| main.words);
    let given = words.get(1..).unwrap_or_default();
    let is_asked = |word: &String| matches!(word.as_str(), "--help" | "-h" | "help" | "--version");
    // `npm version patch` makes one.
    given.iter().any(is_asked) || given.last().is_some_and(|last| last == "version")
}

/// Whether a program only says that it was given one word too many or a wrong one, which is no option: a slip of that day.
fn names_what_it_was_given(message: &str) -> bool {
    let lower = message.to_lowercase();
    let given = [
        "unexpected argument",
        "unrecognized argument",
        "extra argument",
    ];
    let option = message
        .split(|c: char| c.is_whitespace() || "'\"`:,".contains(c))
        .any(|word| word.starts_with('-') && word.len() > 1);
    given.iter().any(|words| lower.contains(words)) && !option
}

/// Whether a command gets something ready for others: installs, generates, migrates.
pub(crate) fn prepares(command: &str) -> bool {
    let Some(main) = main_command(command) else {
        // `source .env` alone is no command that a line is about.
        return command.starts_with("source ") || command.starts_with("export ");
    };
    // `git add` and `ls build/` bring nothing that was missing.
    if is_of_every_day(&main.words[0]) {
        let brings = |word: &String| word == "submodule" || word == "lfs";
        return main.words[0] == "git" && main.words.get(1).is_some_and(brings);
    }
    let mut words = main.words.iter().take(4);
    words.any(|word| {
        word.split([':', '-', '/', '.', '_'])
            .any(|part| PREPARES.contains(&part))
    })
}

/// Whether two lines run one program, or one of them runs the other's: `uv run pytest` for `pytest`.
fn is_one_program(command: &str, other: &str) -> bool {
    let (Some(one), Some(two)) = (main_command(command), main_command(other)) else {
        return false;
    };
    let name = |word: &String| word.rsplit('/').next().unwrap_or(word).to_owned();
    let (first, second) = (name(&one.words[0]), name(&two.words[0]));
    let runs = |words: &[String], program: &String| {
        words.iter().take(4).any(|word| name(word) == *program)
    };
    runs(&one.words, &second) || runs(&two.words, &first)
}

/// Whether a program is one that everybody has at hand: what it says of its own options one session alone does not make worth telling.
pub(crate) fn is_everybodys(program: &str) -> bool {
    const EVERYBODYS: [&str; 36] = [
        "aws",
        "az",
        "brew",
        "bun",
        "bunx",
        "cargo",
        "curl",
        "deno",
        "docker",
        "docker-compose",
        "dotnet",
        "flutter",
        "gcloud",
        "gh",
        "glab",
        "go",
        "gradle",
        "helm",
        "jq",
        "kubectl",
        "make",
        "mvn",
        "node",
        "npm",
        "npx",
        "pip",
        "pip3",
        "pnpm",
        "psql",
        "rustc",
        "ssh",
        "terraform",
        "tmux",
        "tsc",
        "uv",
        "yarn",
    ];
    EVERYBODYS.contains(&program) || is_of_every_day(program)
}

/// Whether a program is one that everybody uses for the work of every day.
pub(crate) fn is_of_every_day(program: &str) -> bool {
    EVERYDAY.contains(&program)
}

fn is_everyday(command: &str) -> bool {
    main_command(command).is_some_and(|main| is_of_every_day(&main.words[0]))
}

/// Whether a command passes because it no longer looks at what had failed.
fn switches_off(command: &str, other: &str) -> bool {
    let mut options = other
        .split_whitespace()
        .filter(|word| word.starts_with('-'));
    options.any(|word| {
        let off = [
            "--no-",
            "--skip",
            "--exclude",
            "--ignore",
            "--deselect",
            "--continue",
        ];
        off.iter().any(|off| word.starts_with(off))
            && !command.split_whitespace().any(|own| own == word)
    })
}

/// Whether two lines differ in nothing that is told of them: an `echo` before it and a pipe behind it are no difference.
fn is_equal(command: &str, other: &str) -> bool {
    let words = |line| {
        let mut line = without_plumbing(line);
        while line.starts_with("echo ")
            && let Some((_, rest)) = line.split_once(" && ")
        {
            line = rest;
        }
        let is_number = |word: &&str| word.chars().all(|c| c.is_ascii_digit() || c == '#');
        let words = line.split_whitespace().filter(move |word| !is_number(word));
        words.map(str::to_owned).collect::<Vec<_>>()
    };
    words(command) == words(other)
}

#[cfg(test)]
mod tests;
