//! The words for an option that a program refused.

use oldhand_domain::payload::BuiltInType;

use super::Wording;
use crate::detect::SolvedBy;
use crate::distill::phrase::{clip, without_plumbing};
use crate::distill::refused_option;
use crate::distill::remedy::{is_of_a_machine, is_of_every_day};

/// An option that a program does not know: the program and the option are what is worth knowing, not what it was to do that day.
pub(super) fn word(message: &str, command: &str, by: &SolvedBy, seen: &str) -> Option<Wording> {
    let option = refused_option(message)?;
    let (SolvedBy::First(answer) | SolvedBy::Command(answer)) = by else {
        return None;
    };
    // What lies elsewhere on one machine is another project's.
    let program = |line: &str| line.split_whitespace().next().is_some_and(is_of_a_machine);
    if program(without_plumbing(command)) || program(without_plumbing(answer)) {
        return None;
    }
    let verbs: Vec<&str> = without_plumbing(command)
        .split_whitespace()
        .take(3)
        .enumerate()
        .take_while(|(at, word)| *at == 0 && is_script(word) || is_verb(word))
        .map(|(_, word)| word)
        .collect();
    // That a program does not say its version this way is nobody's lesson.
    if matches!(option, "--version" | "-v" | "-V" | "--help" | "-h") {
        return None;
    }
    // In a line of several programs the one that complains names itself.
    let complains = message.split_once(": ").map(|(name, _)| name);
    let complains = complains.filter(|name| {
        let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
        (2..=20).contains(&name.len()) && name.chars().all(plain) && *name != "error"
    });
    let program = match verbs.as_slice() {
        _ if complains.is_some() => complains.unwrap_or_default().to_owned(),
        [] => clip(command, 40),
        verbs => verbs.join(" "),
    };
    // What the programs of every day know is no news, and that one of them lacks something mostly the fault of what wraps it.
    if is_of_every_day(program.split(' ').next().unwrap_or_default()) {
        return None;
    }
    let answer = without_the_case(without_plumbing(answer), complains)?;
    let (worked, works) = if answer == program {
        (
            "It worked without".to_owned(),
            "it works without".to_owned(),
        )
    } else {
        (
            format!("What worked instead: `{answer}`"),
            format!("`{}` worked", clip(&answer, 60)),
        )
    };
    Some(Wording::plain(
        BuiltInType::ErrorPattern,
        format!(
            "`{program}` does not know `{option}` (\"{}\"). {worked} ({seen}).",
            clip(message, 120)
        ),
        format!("`{program}` has no `{option}`; {works}"),
    ))
}

fn is_verb(word: &str) -> bool {
    !word.starts_with('-') && word.chars().all(|c| c.is_ascii_lowercase() || c == '-')
}

/// Whether a program is called by the name of a file: `check.sh`, `./bin/lint`.
fn is_script(word: &str) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./".contains(c);
    word.contains(['.', '/']) && word.chars().all(plain)
}

/// The words of a command that say how to ask, without what it was about that day: names, numbers and texts. Of a line of several
/// programs the part of the one that complained.
fn without_the_case(answer: &str, complains: Option<&str>) -> Option<String> {
    let own = |part: &&str| complains.is_none_or(|name| part.trim_start().starts_with(name));
    let part = answer.split(['|', ';', '&']).find(own)?.trim();
    let mut words = part.split_whitespace();
    let program = words.next()?;
    let mut verbs = true;
    let mut told = vec![program];
    for word in words {
        let is_option = word.starts_with('-') && word.len() > 1;
        verbs &= word.chars().all(|c| c.is_ascii_lowercase() || c == '-') && !is_option;
        if is_option || verbs {
            told.push(word.split('=').next().unwrap_or(word));
        }
    }
    Some(told.join(" "))
}

#[test]
fn an_answer_is_told_without_the_day_it_was_given() {
    for (answer, complains, told) in [
        (
            "gh pr diff 104 --name-only",
            None,
            Some("gh pr diff --name-only"),
        ),
        (
            "bd create \"chore: tidy\" --type chore",
            None,
            Some("bd create --type"),
        ),
        (
            "curl -s x.test/a | jq --slurpfile cfg a.json",
            Some("jq"),
            Some("jq --slurpfile"),
        ),
        ("curl -s x.test/a", Some("jq"), None),
    ] {
        assert_eq!(
            without_the_case(answer, complains).as_deref(),
            told,
            "{answer}"
        );
    }
}
