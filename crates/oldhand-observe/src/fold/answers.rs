//! Whether a command that passed is another way of doing what one that failed had tried.

use std::collections::BTreeSet;

use crate::detect::sequence::is_act;
use crate::distill::phrase::without_plumbing;
use crate::outcome::commands::{is_interpreter, main_command, program_key};
use crate::outcome::shell::{Simple, commands};

/// Whether `passed` answers `failed`: the same program, or another that runs the same thing, about the same. What only looks
/// or deletes answers nothing, however many words it shares.
pub(super) fn is_answer(failed: &str, passed: &str) -> bool {
    let (Some(tried), Some(done)) = (what_runs(failed), what_runs(passed)) else {
        return false;
    };
    if tried != done || !does_something(passed) || runs_another_script(failed, passed) {
        return false;
    }
    // What runs a command, as `conda run -n lab` does, is not what that is about.
    let about = |line: &str| {
        let main = main_command(line).map_or_else(Vec::new, |main| main.words);
        about(&main.join(" "), &tried)
    };
    let (a, b) = (about(failed), about(passed));
    let same_line = failed.split_whitespace().eq(passed.split_whitespace());
    let shared = a.iter().filter(|word| b.contains(word)).count();
    !same_line && (a.is_empty() || b.is_empty() || shared * 2 >= a.len().min(b.len()))
}

/// Whether both lines give a script to an interpreter, and not the same one.
fn runs_another_script(failed: &str, passed: &str) -> bool {
    let script = |line: &str| {
        let main = main_command(line)?;
        let (program, rest) = main.words.split_first()?;
        let named = rest.first().filter(|_| is_interpreter(program))?;
        let is_file = !named.starts_with('-') && named.contains('.');
        is_file.then(|| named.trim_start_matches("./").to_owned())
    };
    let scripts = (script(failed), script(passed));
    matches!(scripts, (Some(one), Some(other)) if one != other)
}

/// Whether two lines are about the same, word for word, whatever runs them.
pub(crate) fn same_aim(failed: &str, passed: &str) -> bool {
    let aim = |line: &str| {
        let main = main_command(without_plumbing(line))?;
        let runs = what_runs(line)?;
        let words = about(&main.words.join(" "), &runs);
        Some(words.into_iter().collect::<BTreeSet<String>>())
    };
    aim(failed).is_some_and(|aim_of| Some(aim_of) == aim(passed))
}

/// Whether a line does nothing but look at files and at git: whatever it prints is not an error of the project.
pub(crate) fn only_looks(line: &str) -> bool {
    let run = commands(line);
    let looks = |simple: &Simple| {
        let name = simple.words[0].rsplit('/').next().unwrap_or_default();
        let verb = simple
            .words
            .iter()
            .skip(1)
            .find(|word| !word.starts_with('-'));
        let key = match verb.filter(|_| name == "git") {
            Some(verb) => format!("git {verb}"),
            None => name.to_owned(),
        };
        key == "nl" || !is_act(&format!("run {key}"))
    };
    !run.is_empty() && run.iter().all(looks)
}

#[test]
fn searches_and_listings_only_look() {
    for line in [
        "rg -n \"one|two\" a.toml -g '!target'",
        "git status --short && rg -n one docs 2>/dev/null",
        "sed -n 1,20p a.rs; nl -ba b.rs | head",
    ] {
        assert!(only_looks(line), "{line}");
    }
    for line in ["cargo test | grep x", "git push && ls", "make; cat log"] {
        assert!(!only_looks(line), "{line}");
    }
}

/// Whether a command makes something: it neither only looks nor only deletes.
pub(super) fn does_something(line: &str) -> bool {
    const DELETES: [&str; 9] = [
        "rm",
        "rmdir",
        "unlink",
        "shred",
        "trash",
        "truncate",
        "git rm",
        "git clean",
        "docker rm",
    ];
    program_key(line)
        .is_some_and(|key| is_act(&format!("run {key}")) && !DELETES.contains(&key.as_str()))
}

/// Programs that run the same thing, each with the one that stands for all of them.
const STANDS_FOR: [(&str, &str); 17] = [
    ("python3", "python"),
    ("py", "python"),
    ("pypy3", "python"),
    ("pip3", "pip"),
    ("pnpm", "npm"),
    ("yarn", "npm"),
    ("bun", "npm"),
    ("nodejs", "node"),
    ("tsx", "node"),
    ("ts-node", "node"),
    ("deno", "node"),
    ("podman", "docker"),
    ("gradlew", "gradle"),
    ("mvnw", "mvn"),
    ("gmake", "make"),
    ("bazelisk", "bazel"),
    ("docker-compose", "docker compose"),
];

/// What a line runs, the same however it is started: `npm build` for `yarn build`, `pytest` for `python3 -m pytest`.
fn what_runs(line: &str) -> Option<String> {
    let words = main_command(line)?.words;
    let name = words[0].rsplit('/').next().unwrap_or(&words[0]);
    let versioned = name.starts_with("python3.");
    let stands = STANDS_FOR.iter().find(|(other, _)| *other == name);
    let name = match stands {
        Some((_, one)) => one,
        None if versioned => "python",
        None => name,
    };
    let mut plain = words[1..].iter().filter(|word| !word.starts_with('-'));
    let module = words.iter().position(|word| word == "-m");
    match name {
        "python" => Some(match module.and_then(|at| words.get(at + 1)) {
            Some(module) => module.clone(),
            None => name.to_owned(),
        }),
        "npm" => {
            let script = plain.find(|word| !matches!(word.as_str(), "run" | "run-script"));
            Some(match script.map(String::as_str) {
                None | Some("i" | "ci" | "add" | "install") => "npm install".to_owned(),
                Some(script) => format!("npm {script}"),
            })
        }
        "uv" if plain.next().is_some_and(|verb| verb == "pip") => Some("pip".to_owned()),
        "pip" | "docker compose" => Some(name.to_owned()),
        "docker" if plain.next().is_some_and(|verb| verb == "compose") => {
            Some("docker compose".to_owned())
        }
        "cargo" if plain.next().is_some_and(|verb| verb == "nextest") => {
            Some("cargo test".to_owned())
        }
        _ if stands.is_some() => {
            let verb = plain.next().map_or("", String::as_str);
            program_key(&format!("{name} {verb}"))
        }
        _ => program_key(line),
    }
}

/// The words that say what a line is about, without those that say what runs.
fn about(line: &str, runs: &str) -> Vec<String> {
    const PLUMBING: [&str; 9] = [
        "cd", "2>&1", "tail", "head", "echo", "sudo", "run", "exec", "nextest",
    ];
    let telling = |word: &&str| {
        let name = word.rsplit('/').next().unwrap_or(word);
        let runner = STANDS_FOR
            .iter()
            .any(|(other, one)| *other == name || *one == name)
            || matches!(name, "uv" | "poetry" | "npx" | "bunx" | "docker" | "cargo");
        word.len() > 2
            && !word.starts_with('-')
            && !runner
            && !PLUMBING.contains(word)
            && !runs.split(' ').any(|part| part == name)
    };
    line.split(|c: char| c.is_whitespace() || matches!(c, '&' | ';' | '|' | '"' | '\''))
        .filter(telling)
        .map(str::to_owned)
        .collect()
}

#[test]
fn an_answer_runs_the_same_thing_about_the_same() {
    let answers = [
        ("pytest tests/a.py", "python -m pytest tests/a.py"),
        ("pytest -q tests", "uv run pytest tests"),
        ("python tools/gen.py", "python3 tools/gen.py"),
        ("python tools/gen.py", "uv run python tools/gen.py"),
        ("npm run build", "pnpm build"),
        ("yarn test:unit", "npm run test:unit"),
        ("npm ci", "npm install --legacy-peer-deps"),
        ("npx eslint src", "./node_modules/.bin/eslint src"),
        ("pip install pyyaml", "uv pip install pyyaml"),
        ("docker-compose up db", "docker compose up db"),
        (
            "psql -f db/schema.sql",
            "psql -h localhost -f db/schema.sql",
        ),
        ("cargo nextest run wire", "cargo test wire"),
        ("./gradlew check", "gradle check"),
        ("./scripts/seed.sh users", "bash scripts/seed.sh users"),
        ("make", "make -j1"),
        ("cd web && node gen.js", "npx tsx gen.js"),
    ];
    for (failed, passed) in answers {
        assert!(is_answer(failed, passed), "{failed} / {passed}");
    }
    let others = [
        ("psql -f db/schema.sql", "rm db/schema.sql"),
        ("psql -f db/schema.sql", "cat db/schema.sql"),
        ("psql -f db/schema.sql", "cp db/schema.sql db/old.sql"),
        (
            "psql -f db/schema.sql",
            "psql -c 'select version from meta'",
        ),
        ("node scripts/gen.js", "cat scripts/gen.js"),
        ("node scripts/gen.js", "git rm scripts/gen.js"),
        ("rm build/lock", "rm -f build/lock"),
        ("cat notes.txt", "cat ./notes.txt"),
        ("git push origin main", "git pull origin main"),
        ("npm run build", "npm run lint"),
        ("cargo test wire", "cargo build wire"),
        ("python -m pytest tests", "python tools/tests"),
        ("make db", "make docs"),
        ("make db", "make db"),
        ("pytest tests", ""),
        (
            "conda run -n lab python code/load.py",
            "conda run -n lab python code/train.py",
        ),
        (
            "powershell -Command 'conda run -n lab python code\\load.py'",
            "powershell -Command 'conda run -n lab python code\\train.py'",
        ),
        (
            "python load.py --out data/a.csv data/in.csv",
            "python train.py --out data/a.csv data/in.csv",
        ),
    ];
    for (failed, passed) in others {
        assert!(!is_answer(failed, passed), "{failed} / {passed}");
    }
}
