//! Which program a command line is about, in a word or two.

use super::main_command;

/// What stands behind these says where or how, not what.
const WITH_VALUE: [&str; 12] = [
    "-C",
    "-F",
    "-R",
    "-n",
    "-p",
    "-w",
    "--cwd",
    "--dir",
    "--filter",
    "--package",
    "--prefix",
    "--workspace",
];

/// Whether a word behind a program only belongs to the option before it.
pub(super) fn is_value(program: &str, rest: &[String], at: usize) -> bool {
    let Some(option) = at.checked_sub(1).map(|before| rest[before].as_str()) else {
        return false;
    };
    match (program, option) {
        // These stand alone.
        ("make", "-R" | "-n" | "-p" | "-w")
        | ("just" | "mise" | "task", "-n")
        | ("git", "-p")
        | ("pnpm", "-w") => false,
        // So does this one, mostly, but for a number.
        (_, "-j") => rest[at].chars().all(|c| c.is_ascii_digit()),
        _ => WITH_VALUE.contains(&option),
    }
}

/// The program a line is about: `cargo test`, `git commit`, `rg`. Coarser than [`super::command_key`].
pub fn program_key(line: &str) -> Option<String> {
    let main = main_command(line)?;
    let program = main.words[0].rsplit('/').next()?;
    if !has_verbs(program) {
        return Some(program.to_owned());
    }
    let plain = |word: &str| {
        word.chars()
            .all(|c| c.is_alphanumeric() || matches!(c, '-' | ':' | '_'))
    };
    let rest = &main.words[1..];
    let mut words = rest.iter().enumerate().filter_map(|(at, word)| {
        let is_verb = !word.starts_with('-') && !is_value(program, rest, at) && plain(word);
        is_verb.then_some(word.as_str())
    });
    let Some(verb) = words.next() else {
        return Some(program.to_owned());
    };
    // `npm run lint` and `mise run test` are told apart by what they run.
    match words.next().filter(|_| verb == "run") {
        Some(script) => Some(format!("{program} run {script}")),
        None => Some(format!("{program} {verb}")),
    }
}

/// Whether a program does one of many things, by the word behind it: its name alone says nothing.
pub(super) fn has_verbs(program: &str) -> bool {
    matches!(
        program,
        "git"
            | "cargo"
            | "go"
            | "npm"
            | "pnpm"
            | "yarn"
            | "bun"
            | "make"
            | "just"
            | "docker"
            | "kubectl"
            | "gh"
            | "dotnet"
            | "mvn"
            | "gradle"
            | "gradlew"
            | "mix"
            | "terraform"
            | "pip"
            | "uv"
            | "poetry"
            | "mise"
            | "task"
            | "flutter"
            | "dart"
            | "swift"
            | "deno"
            | "bazel"
            | "biome"
            | "ruff"
            | "ty"
            | "turbo"
            | "nx"
            | "composer"
            | "hatch"
            | "lake"
    )
}
