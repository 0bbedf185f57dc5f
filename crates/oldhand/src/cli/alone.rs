//! Understands the commands that are asked often without describing all the others, which takes longer than reading a memory.

use std::ffi::{OsStr, OsString};

use clap::{Args as _, FromArgMatches as _};

use super::{Cli, Command, Global, context, list, remember, search, show};

/// `None` for any other command and for whatever needs an answer of the parser's own: help, or words about a mistake.
pub(super) fn parse(arguments: &[OsString]) -> Option<Cli> {
    if let Some(plain) = plain(arguments) {
        return Some(plain);
    }
    let command = match arguments.get(1)?.to_str()? {
        "search" => search::Args::augment_args(clap::Command::new("search")),
        "context" => context::Args::augment_args(clap::Command::new("context")),
        "show" => show::Args::augment_args(clap::Command::new("show")),
        "list" => list::Args::augment_args(clap::Command::new("list")),
        "remember" => remember::Args::augment_args(clap::Command::new("remember")),
        _ => return None,
    };
    let alone = Global::augment_args(clap::Command::new("oldhand")).subcommand(command);
    let matches = alone.try_get_matches_from(arguments).ok()?;
    Cli::from_arg_matches(&matches).ok()
}

/// A question that is nothing but words, and perhaps `--json`: most are, and there is nothing about them to parse.
fn plain(arguments: &[OsString]) -> Option<Cli> {
    let (command, rest) = arguments.get(1..)?.split_first()?;
    let (flags, words): (Vec<&OsString>, Vec<&OsString>) =
        rest.iter().partition(|argument| is_flag(argument));
    let json = match flags[..] {
        [] => false,
        [only] if only == "--json" => true,
        _ => return None,
    };
    if words.is_empty() {
        return None;
    }
    let words = words.into_iter().cloned().collect();
    let command = match command.to_str()? {
        "search" => Command::Search(search::Args::plain(words)),
        "context" => Command::Context(context::Args::plain(words)),
        _ => return None,
    };
    let global = Global {
        json,
        ..Global::default()
    };
    Some(Cli { global, command })
}

/// Whether it may be anything but a word.
fn is_flag(argument: &OsStr) -> bool {
    argument.is_empty() || argument.as_encoded_bytes().starts_with(b"-")
}

#[cfg(test)]
mod tests {
    use clap::Parser as _;

    use super::*;

    fn line(words: &[&str]) -> Vec<OsString> {
        let words = std::iter::once(&"oldhand").chain(words);
        words.map(OsString::from).collect()
    }

    #[test]
    fn a_command_that_is_asked_often_is_understood_alone() {
        for words in [
            &["search", "two", "words", "--json", "-n", "3"][..],
            &["search", "--project", "/tmp", "--color", "never", "a"],
            &["context", "a task", "--file", "a.rs", "--json"],
            &["show", "0198"],
            &["list", "--type", "gotcha"],
            &["remember", "It rains."],
        ] {
            let alone = parse(&line(words)).expect("it needs no other command");
            let whole = Cli::try_parse_from(line(words)).expect("it is a command");
            let named = |cli: &Cli| std::mem::discriminant(&cli.command);
            assert_eq!(named(&alone), named(&whole), "{words:?}");
            assert_eq!(alone.global.json, whole.global.json);
            assert_eq!(alone.global.project, whole.global.project);
        }
    }

    #[test]
    fn help_mistakes_and_other_commands_go_the_long_way() {
        for words in [
            &["search"][..],
            &["search", "--help"],
            &["search", "a", "--nonsense"],
            &["--json", "search", "a"],
            &["status"],
            &[],
        ] {
            assert!(parse(&line(words)).is_none(), "{words:?}");
        }
    }

    /// All that was understood.
    fn told(cli: &Cli) -> String {
        let Cli { global, command } = cli;
        match command {
            Command::Search(args) => format!("{global:?} {args:?}"),
            Command::Context(args) => format!("{global:?} {args:?}"),
            _ => "another command".to_owned(),
        }
    }

    #[test]
    fn plain_words_are_understood_as_the_parser_does() {
        for words in [
            &["search", "one"][..],
            &["search", "one two", "three"],
            &["search", "help"],
            &["search", "search", "--json"],
            &["search", "--json", "one", "two"],
            &["context", "one"],
            &["context", "one", "--json", "two"],
            &["context", "context", "help", "version"],
            &["context", "käse", "🧀", "a=b", "@file", "+x", " ", "a-b"],
        ] {
            let plain = plain(&line(words)).expect("it is plain");
            let parsed = Cli::try_parse_from(line(words)).expect("it is a command");
            assert_eq!(told(&plain), told(&parsed), "{words:?}");
        }
    }

    #[test]
    fn whatever_else_stands_there_is_left_to_the_parser() {
        for words in [
            &["search", "--json"][..],
            &["search", "one", "--json", "--json"],
            &["search", "one", "--jso"],
            &["search", "one", "-n", "3"],
            &["search", "one", "--", "--json"],
            &["search", "-", "one"],
            &["search", "one", ""],
            &["show", "one"],
            &["context", "one", "--file", "a"],
            &["context", "--project", ".", "one"],
        ] {
            assert!(plain(&line(words)).is_none(), "{words:?}");
        }
    }
}
