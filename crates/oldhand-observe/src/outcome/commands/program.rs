//! Which program a command line is about, in a word or two.

use super::main_command;

/// The program a line is about: `cargo test`, `git commit`, `rg`. Coarser than [`super::command_key`].
pub fn program_key(line: &str) -> Option<String> {
    /// What stands behind these says where, not what.
    const PLACES: [&str; 10] = [
        "-C",
        "-F",
        "-p",
        "-w",
        "--cwd",
        "--dir",
        "--filter",
        "--package",
        "--prefix",
        "--workspace",
    ];
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
        let is_place = at > 0 && PLACES.contains(&rest[at - 1].as_str());
        (!word.starts_with('-') && !is_place && plain(word)).then_some(word.as_str())
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
