//! The words for an option or a subcommand that a program does not have.

use oldhand_domain::payload::BuiltInType;

use super::Wording;
use crate::detect::SolvedBy;
use crate::distill::phrase::{clip, sessions, without_plumbing};
use crate::distill::refused_option;
use crate::distill::remedy::{
    Instead, NoSubcommand, drops_guard, is_of_a_machine, is_of_every_day, is_slip, reaches_out,
};
use crate::outcome::shell::{self, Simple};

/// What runs a script that takes the options: what that refuses is no fault of theirs.
const INTERPRETERS: [&str; 19] = [
    "bash",
    "sh",
    "zsh",
    "fish",
    "node",
    "nodejs",
    "deno",
    "bun",
    "tsx",
    "ts-node",
    "ruby",
    "php",
    "perl",
    "lua",
    "java",
    "pwsh",
    "Rscript",
    "osascript",
    "source",
];

/// What runs a task or a program of another name.
const RUNNERS: [&str; 21] = [
    "make", "just", "task", "rake", "invoke", "mise", "npm", "pnpm", "yarn", "npx", "bunx", "uv",
    "uvx", "poetry", "pipenv", "bundle", "cargo", "go", "dotnet", "docker", "gradle",
];

/// A subcommand that a program does not have, in so many sessions whatever the line was about and whatever was done then.
pub(super) fn no_subcommand(refused: &NoSubcommand, message: &str, met: u32) -> Wording {
    let NoSubcommand {
        program,
        subcommand,
        instead,
    } = refused;
    let lacks = format!("`{program}` has no subcommand `{subcommand}`");
    let (worked, short) = match instead {
        Instead::Without => (
            format!("The same line worked without `{program}`"),
            format!("leave `{program}` out"),
        ),
        Instead::Other(other) => (
            format!("What worked instead: `{other}`"),
            format!("`{other}` worked"),
        ),
    };
    let by = sessions(met);
    let message = clip(message, 120);
    Wording::plain(
        BuiltInType::ErrorPattern,
        format!("{lacks} (\"{message}\", met in {by}). {worked}."),
        format!("{lacks}; {short}"),
    )
}

/// An option that a program does not know: the program and the option are what is worth knowing, not what it was to do that day. Where
/// it is not clear whose option it is, or what it kept from being done, nothing is told.
pub(super) fn word(message: &str, command: &str, by: &SolvedBy, seen: &str) -> Option<Wording> {
    let option = refused_option(message)?;
    let (SolvedBy::First(answer) | SolvedBy::Command(answer)) = by else {
        return None;
    };
    // That a program does not say its version this way is nobody's lesson.
    if matches!(option, "--version" | "-v" | "-V" | "--help" | "-h") {
        return None;
    }
    // Nor is it one to go without what kept a command from doing harm.
    let is_guard = option.starts_with("--no-") || drops_guard(message, &[option.to_owned()]);
    if is_guard || reaches_out(command) || reaches_out(answer) {
        return None;
    }
    // In a line of several programs the one that complains names itself.
    let complains = message.split_once(": ").map(|(name, _)| name);
    let complains = complains.filter(|name| {
        let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
        (2..=20).contains(&name.len()) && name.chars().all(plain) && *name != "error"
    });
    let command = asked(without_plumbing(command), complains, |words| {
        words
            .iter()
            .any(|word| word.split('=').next() == Some(option))
    })?;
    let name = command.split_whitespace().next()?;
    let answer = asked(without_plumbing(answer), complains, |words| {
        words.iter().any(|word| word == name)
    })?;
    if is_another_use(command, answer, option) || is_another_option(command, answer, option) {
        return None;
    }
    let verbs: Vec<&str> = command
        .split_whitespace()
        .take(3)
        .enumerate()
        .take_while(|(at, word)| {
            // Behind a verb a word with a hyphen is mostly a name of that day.
            *at == 0 && is_script(word) || is_verb(word) && (*at < 2 || !word.contains('-'))
        })
        .map(|(_, word)| word)
        .collect();
    let program = match verbs.as_slice() {
        _ if complains.is_some() => complains.unwrap_or_default().to_owned(),
        [] => clip(command, 40),
        verbs => verbs.join(" "),
    };
    // What the programs of every day know is no news, and that one of them lacks something mostly the fault of what wraps it.
    if is_of_every_day(program.split(' ').next().unwrap_or_default()) {
        return None;
    }
    let answer = without_the_case(answer, complains)?;
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

/// The part of a line that begins with the program whose words are the ones in question; nothing where it lies elsewhere, or where
/// something else may have been asked by way of it.
fn asked<'a>(
    line: &'a str,
    complains: Option<&str>,
    are_those: impl Fn(&[String]) -> bool,
) -> Option<&'a str> {
    let all = shell::commands(line);
    let leaves = |simple: &Simple| match simple.words.as_slice() {
        [cd, folder, ..] if cd == "cd" => is_elsewhere(folder),
        _ => false,
    };
    if all.iter().any(leaves) {
        return None;
    }
    let is_named = |simple: &&Simple| complains.is_none_or(|name| simple.words[0] == name);
    let mut named = all.iter().filter(is_named);
    let name = named.find(|simple| are_those(&simple.words));
    let name = name.and_then(|simple| own_name(simple, complains))?;
    let is_apart = |c: char| c.is_whitespace() || "|;&(".contains(c);
    let mut places = line.match_indices(name).map(|(at, _)| at);
    let at = places.find(|&at| at == 0 || line[..at].ends_with(is_apart))?;
    let after = line[at + name.len()..].chars().next();
    after.is_none_or(is_apart).then(|| &line[at..])
}

/// What is asked by a command: the program, or the project's script where a program only runs that.
fn own_name<'a>(simple: &'a Simple, complains: Option<&str>) -> Option<&'a str> {
    let [first, rest @ ..] = simple.words.as_slice() else {
        return None;
    };
    let is_own = |word: &str| {
        let foreign = ["node_modules/", "venv/", "vendor/", "site-packages/"];
        is_script(word) && !is_elsewhere(word) && !foreign.iter().any(|of| word.contains(of))
    };
    let program = first.rsplit('/').next().unwrap_or(first);
    if INTERPRETERS.contains(&program) || program.starts_with("python") {
        return rest.first().map(String::as_str).filter(|word| is_own(word));
    }
    let is_run = simple.through.is_some() || simple.wrapping.iter().any(|word| !word.contains('='));
    let runs = is_script(first)
        && rest.iter().any(|word| {
            let word = word.as_str();
            RUNNERS.contains(&word) || INTERPRETERS.contains(&word) || word.starts_with("python")
        });
    // `npx tool.js` runs a package of that name.
    let is_package = simple.through.is_some() && !first.contains('/');
    let is_doubtful = RUNNERS.contains(&program) && complains.is_none()
        || is_run && !is_own(first)
        || is_elsewhere(first)
        || is_package
        || runs;
    (!is_doubtful).then_some(first)
}

/// Whether a path leads out of the project: what lies elsewhere on one machine is another project's.
fn is_elsewhere(path: &str) -> bool {
    path == ".." || path.starts_with("../") || path.starts_with('$') || is_of_a_machine(path)
}

fn is_verb(word: &str) -> bool {
    !word.starts_with('-') && word.chars().all(|c| c.is_ascii_lowercase() || c == '-')
}

/// Whether a program is called by the name of a file: `check.sh`, `./bin/lint`.
fn is_script(word: &str) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./".contains(c);
    word.contains(['.', '/']) && word.chars().all(plain)
}

/// The words of a command that say how to ask, without what it was about that day: names, numbers and texts. What belongs to an option is
/// shown as left out, unless it is one of its few plain values (`--new=false`). Of a line of several programs the part of the one that
/// complained.
fn without_the_case(answer: &str, complains: Option<&str>) -> Option<String> {
    let own = |part: &&str| complains.is_none_or(|name| part.trim_start().starts_with(name));
    let part = answer.split(['|', ';', '&']).find(own)?.trim();
    let mut words = part.split_whitespace();
    let program = words.next()?;
    let mut verbs = true;
    let mut told = vec![program.to_owned()];
    for word in words {
        let is_option = word.starts_with('-') && word.len() > 1;
        verbs &= word.chars().all(|c| c.is_ascii_lowercase() || c == '-') && !is_option;
        if is_option {
            told.push(match word.split_once('=') {
                Some((option, value)) if !is_plain_value(value) => format!("{option}=…"),
                _ => word.to_owned(),
            });
        } else if verbs {
            told.push(word.to_owned());
        } else if told
            .last()
            .is_some_and(|last| last.starts_with('-') && !last.contains('='))
        {
            told.push(LEFT_OUT.to_owned());
        }
    }
    Some(told.join(" "))
}

/// What stands for the words of that day.
const LEFT_OUT: &str = "…";

/// Whether a value is one of a few that an option has, and not what it was about: `false`, `short`, `none`.
fn is_plain_value(value: &str) -> bool {
    const LONGEST: usize = 12;
    (1..=LONGEST).contains(&value.len())
        && value.chars().all(|c| c.is_ascii_lowercase() || c == '-')
}

/// Whether two calls have options, the refused one aside, and none of them in common: then the second does not do what the first was to.
fn is_another_use(command: &str, answer: &str, refused: &str) -> bool {
    let options = |line: &str| -> Vec<String> {
        let words = line.split_whitespace();
        let options = words.filter(|word| word.starts_with('-') && word.len() > 1 && *word != "--");
        let names = options.map(|word| word.split('=').next().unwrap_or(word).to_owned());
        names.filter(|name| name != refused).collect()
    };
    let (tried, done) = (options(command), options(answer));
    !tried.is_empty() && !done.is_empty() && !tried.iter().any(|option| done.contains(option))
}

/// Whether the second call has an option that the first had not, which is no other spelling of the refused one: then it does another
/// thing, and what the refused one was for is not known to work.
fn is_another_option(command: &str, answer: &str, refused: &str) -> bool {
    let options = |line: &str| -> Vec<String> {
        let words = line.split_whitespace();
        let options = words.filter(|word| word.starts_with('-') && word.len() > 1 && *word != "--");
        let names = options.map(|word| word.split('=').next().unwrap_or(word).to_owned());
        names.collect()
    };
    let tried = options(command);
    let mut new = options(answer).into_iter();
    new.any(|option| !tried.contains(&option) && !is_spelling_of(&option, refused))
}

/// Whether two options are one in two spellings: `-c` and `--config`, `--max-rows` and `--maxRows`, `--dry` and `--dry-run`.
fn is_spelling_of(one: &str, other: &str) -> bool {
    /// Shorter names are part of many others.
    const LONG: usize = 3;
    let name = |option: &str| -> String {
        let letters = option.chars().filter(|c| c.is_alphanumeric());
        letters.collect::<String>().to_lowercase()
    };
    let (one, other) = (name(one), name(other));
    let (short, long) = if one.len() <= other.len() {
        (one, other)
    } else {
        (other, one)
    };
    match short.len() {
        0 => false,
        1 => long.starts_with(&short),
        2 => long == short,
        LONG.. => long.contains(&short) || short.len() > LONG && is_slip(&short, &long),
    }
}

#[test]
fn an_option_in_place_of_the_refused_one_must_be_its_other_spelling() {
    for (command, answer, refused, expected) in [
        ("sc create x -c", "sc create x -n", "-c", true),
        ("sc create x -c", "sc create x", "-c", false),
        ("sc create x -c", "sc create x --connect", "-c", false),
        ("sc create --dry", "sc create --dry-run", "--dry", false),
        (
            "sc list --maxRows=2",
            "sc list --max-rows 2",
            "--maxRows",
            false,
        ),
        ("sc list --rwos -q", "sc list -q --rows", "--rwos", false),
        ("sc list --rows -q", "sc list -q --pages", "--rows", true),
        ("sc list --rows -q", "sc list -q", "--rows", false),
    ] {
        assert_eq!(
            is_another_option(command, answer, refused),
            expected,
            "{answer}"
        );
    }
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
            Some("bd create --type …"),
        ),
        (
            "curl -s x.test/a | jq --slurpfile cfg a.json",
            Some("jq"),
            Some("jq --slurpfile …"),
        ),
        ("curl -s x.test/a", Some("jq"), None),
        (
            "larch run --patch=/tmp/a.patch --new=false ./cmd/...",
            None,
            Some("larch run --patch=… --new=false"),
        ),
        (
            "larch run --level=2 --mode=fast-only",
            None,
            Some("larch run --level=… --mode=fast-only"),
        ),
    ] {
        assert_eq!(
            without_the_case(answer, complains).as_deref(),
            told,
            "{answer}"
        );
    }
}

#[test]
fn a_call_without_any_of_the_options_of_another_is_another_use() {
    let failed = "larch run --from=main --enable=rows --disable-all ./cmd";
    for (answer, expected) in [
        ("larch run --patch=a.patch --new=false ./cmd", true),
        ("larch run --enable=rows --patch=a.patch ./cmd", false),
        ("larch run ./cmd", false),
    ] {
        assert_eq!(
            is_another_use(failed, answer, "--disable-all"),
            expected,
            "{answer}"
        );
    }
    // With nothing but what was refused there is nothing to compare.
    assert!(!is_another_use(
        "larch run --fast",
        "larch run --quick",
        "--fast"
    ));
}
