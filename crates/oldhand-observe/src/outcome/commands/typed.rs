//! Commands that check the work, as a person would type them in the project.

use super::program::{has_verbs, program_key};
use super::whole::run_in_root;
use super::{Check, check_of};
use crate::outcome::shell::{Simple, commands};

/// Each check of a line with the command that makes it, as one would type that alone: `mise run lint`.
pub fn check_commands(line: &str) -> Vec<(Check, String)> {
    checks_among(&commands(line))
}

fn checks_among(run: &[Simple]) -> Vec<(Check, String)> {
    let found = run.iter().filter_map(|simple| {
        let check = check_of(&simple.words)?;
        let words = simple.words.join(" ");
        let program = simple.words[0].as_str();
        // What runs elsewhere is told as it was typed: its name alone would run here.
        if matches!(
            program,
            "docker" | "podman" | "nerdctl" | "docker-compose" | "php"
        ) {
            return (words.len() <= 80).then_some((check, words));
        }
        // Without its scheme nobody can run it.
        if program == "xcodebuild" {
            return Some((check, scheme_of(&simple.words, check)?));
        }
        let key = if is_interpreter(program) {
            interpreted(&simple.words)?
        } else {
            program_key(&words).filter(|key| !is_formatter(key))?
        };
        let key = with_option(key, &simple.words);
        // `make` alone is a command, `pnpm` alone is none.
        let is_whole = !has_verbs(&key) || matches!(key.as_str(), "make" | "just" | "task");
        // Outside of the project's own surroundings the program may not even be there.
        let typed = match &simple.through {
            Some(through) => format!("{through} {key}"),
            None => key,
        };
        is_whole.then_some((check, typed))
    });
    found.collect()
}

/// With what makes it a check, and nothing that is written or waited for.
fn with_option(key: String, words: &[String]) -> String {
    const OPTIONS: [&str; 5] = [
        "--noEmit",
        "--check",
        "--dry-run",
        "--no-run",
        "--list-different",
    ];
    let mut words = words.iter().map(String::as_str);
    let ends = words
        .next()
        .is_some_and(|program| program.ends_with("vitest"));
    let option = words.find(|word| OPTIONS.contains(word) || ends && *word == "run");
    match option {
        Some(option) => format!("{key} {option}"),
        None => key,
    }
}

/// Whether a program runs whatever it is given: its name alone says nothing.
pub(crate) fn is_interpreter(program: &str) -> bool {
    matches!(
        program.rsplit('/').next(),
        Some(
            "python"
                | "python3"
                | "py"
                | "pypy3"
                | "node"
                | "ruby"
                | "perl"
                | "bash"
                | "sh"
                | "zsh"
        )
    )
}

/// What an interpreter runs: `python -m ruff check`, `python manage.py test`.
fn interpreted(words: &[String]) -> Option<String> {
    let program = words.first()?;
    let named = words.get(1)?;
    if named == "-m" {
        let module = program_key(&words.get(2..)?.join(" "))?;
        return Some(format!("{program} -m {module}"));
    }
    if named.starts_with('-') {
        return (program == "node" && named == "--test").then(|| format!("{program} {named}"));
    }
    let verb = words
        .get(2)
        .filter(|verb| verb.chars().all(char::is_alphanumeric));
    let told = [Some(program), Some(named), verb];
    let told: Vec<&str> = told.into_iter().flatten().map(String::as_str).collect();
    Some(told.join(" ")).filter(|told| told.len() <= 60)
}

/// Whether a command is about how code looks: that it may only look, too, is told with an option.
pub(super) fn is_formatter(key: &str) -> bool {
    key.split([' ', ':', '-']).any(|word| {
        matches!(
            word,
            "fmt" | "format" | "gofmt" | "gofumpt" | "prettier" | "black" | "isort" | "rustfmt"
        )
    })
}

/// Whether a command is what everybody who knows the language tries first, with nothing that this project needs.
pub fn is_standard(command: &str) -> bool {
    let words: Vec<&str> = command.split_whitespace().collect();
    let Some((first, rest)) = words.split_first() else {
        return false;
    };
    let program = first.rsplit('/').next().unwrap_or(first);
    let of_language = match (program, rest) {
        (
            "cargo" | "go" | "gofmt" | "rustfmt" | "dart" | "flutter" | "swift" | "dotnet" | "mix"
            | "zig" | "mvn" | "mvnw" | "gradle" | "gradlew" | "deno" | "pytest",
            _,
        ) => !is_own_name(command),
        ("bun", [verb, ..]) => *verb == "test",
        ("python" | "python3", ["-m", module, ..]) => matches!(*module, "pytest" | "unittest"),
        _ => false,
    };
    is_usual_script(command) || of_language && rest.iter().all(|word| is_everyday(word))
}

/// Whether a command is the compiler that any agent asks in a project of its language, by whatever runs it.
pub fn is_compiler(command: &str) -> bool {
    let through = ["npx", "bunx", "pnpm", "yarn", "bun", "exec", "--"];
    let words = command.split_whitespace();
    let compiler = words.skip_while(|word| through.contains(word));
    compiler.eq(["tsc", "--noEmit"])
}

/// Whether a word is none that anybody has to be told: what is to be checked, and options that are tried as soon as any are.
fn is_everyday(word: &str) -> bool {
    !word.starts_with('-') && !word.contains('=')
        || matches!(
            word,
            "--" | "-m"
                | "-D"
                | "-p"
                | "--package"
                | "--workspace"
                | "--all"
                | "--all-targets"
                | "--all-features"
                | "--tests"
                | "--lib"
                | "--bins"
                | "--release"
                | "--no-run"
                | "--no-fatal-infos"
                | "-race"
                | "-cover"
                | "-short"
        )
}

/// Whether a command runs a script that every package has under this name.
fn is_usual_script(command: &str) -> bool {
    let mut words = command.split_whitespace();
    let runner = matches!(words.next(), Some("npm" | "pnpm" | "yarn" | "bun"));
    let script = words.find(|word| *word != "run");
    runner
        && matches!(
            script,
            Some("test" | "build" | "lint" | "typecheck" | "type-check" | "check-types")
        )
        && words.next().is_none()
}

/// Whether a command is a name that a project gave to what it does: a target, a task, a script.
pub fn is_own_name(command: &str) -> bool {
    let words = command.split_whitespace();
    let mut words = words.skip_while(|word| {
        let is_set = word.contains('=') && !word.starts_with('-');
        is_set || matches!(*word, "bash" | "sh" | "zsh")
    });
    match (words.next(), words.next()) {
        (Some("mise" | "npm" | "pnpm" | "yarn"), Some("x" | "exec" | "dlx")) => false,
        (Some("cargo"), verb) => verb == Some("xtask"),
        (
            Some(
                "make" | "just" | "task" | "mise" | "rake" | "nox" | "composer" | "npm" | "pnpm"
                | "yarn",
            ),
            Some(_),
        )
        | (Some("bun" | "deno"), Some("run")) => true,
        (program, _) => program
            .and_then(|program| program.rsplit_once('.'))
            .is_some_and(|(_, ending)| matches!(ending, "sh" | "bash" | "ps1")),
    }
}

/// `xcodebuild -workspace App.xcworkspace -scheme App test`: it finds a project by itself, and no workspace where both are there.
fn scheme_of(words: &[String], check: Check) -> Option<String> {
    let value_of = |option: &str| {
        let at = words.iter().position(|word| word == option)?;
        words.get(at + 1).filter(|value| !value.contains(' '))
    };
    let scheme = value_of("-scheme")?;
    let within = value_of("-workspace").map(|within| format!("-workspace {within} "));
    let within = within.unwrap_or_default();
    Some(format!(
        "xcodebuild {within}-scheme {scheme} {}",
        check.as_str()
    ))
}

/// The commands of a line that put code into its usual form: `cargo fmt`, `mise run fmt`, `prettier`.
pub fn format_commands(line: &str) -> Vec<String> {
    formats_among(&commands(line))
}

/// The same of what a line runs in the root of the project that lies at `root`, where it was run in `folder` of it.
pub fn own_format_commands(line: &str, root: &str, folder: &str) -> Vec<String> {
    formats_among(&run_in_root(line, root, folder))
}

fn formats_among(run: &[Simple]) -> Vec<String> {
    let formats = run.iter().filter(|simple| {
        let mut words = simple.words.iter().take(3);
        check_of(&simple.words).is_none() && words.any(|word| is_formatter(word))
    });
    formats
        .filter_map(|simple| program_key(&simple.words.join(" ")))
        .filter(|key| key.contains("fmt") || key.contains("format") || !key.contains(' '))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_put_into_form_in_another_folder_says_nothing_here() {
        let formats = |line| own_format_commands(line, "/home/dev/shop", "");
        assert_eq!(formats("cd /tmp/a && cargo fmt"), [""; 0]);
        assert_eq!(formats("cd web && pnpm format"), [""; 0]);
        assert_eq!(formats("cargo fmt"), ["cargo fmt"]);
    }

    fn typed(line: &str) -> String {
        let checks = check_commands(line).into_iter().map(|(_, command)| command);
        checks.collect::<Vec<_>>().join(", ")
    }

    #[test]
    fn a_command_is_told_with_what_it_needs_to_run() {
        for (line, expected) in [
            ("uv run --with x pytest -q tests/a.py", "uv run pytest"),
            ("uvx ty check src", "uvx ty check"),
            (
                "cd web && npx vitest run && bundle exec rspec",
                "npx vitest run, bundle exec rspec",
            ),
            ("mise test src/a.test.ts", "mise test"),
            ("mise install && mise run lint", "mise run lint"),
            (
                "xcodebuild test -workspace V.xcworkspace -scheme Vault -destination 'x=y'",
                "xcodebuild -workspace V.xcworkspace -scheme Vault test",
            ),
            (
                "xcodebuild -scheme Vault test",
                "xcodebuild -scheme Vault test",
            ),
            ("xcodebuild build", ""),
            ("npx tsc --noEmit -p web", "npx tsc --noEmit"),
            ("cargo fmt --check && cargo clippy", "cargo clippy"),
            ("python -m ruff check src", "python -m ruff check"),
            ("uv run python -m pytest -q", "uv run python -m pytest"),
            ("python manage.py test shop", "python manage.py test"),
        ] {
            assert_eq!(typed(line), expected, "{line}");
        }
    }

    #[test]
    fn names_that_projects_give_are_told_from_those_of_languages() {
        for own in [
            "make check",
            "mise run lint",
            "npm test",
            "bun run build",
            "check.sh",
            "build.ps1",
            "cargo xtask",
        ] {
            assert!(is_own_name(own), "{own}");
        }
        for said in [
            "make check",
            "mise run lint",
            "npm run check:all",
            "check.sh",
        ] {
            assert!(!is_standard(said), "{said}");
        }
        for usual in [
            "npm test",
            "pnpm build",
            "bun run lint",
            "npm run typecheck",
        ] {
            assert!(is_standard(usual), "{usual}");
        }
        for other in [
            "make",
            "bun test",
            "mise x shellcheck",
            "pytest",
            "cargo test",
        ] {
            assert!(!is_own_name(other), "{other}");
        }
        for usual in [
            "go vet ./...",
            "cargo clippy --all-targets -- -D warnings",
            "./gradlew test",
            "bun test",
            "pytest tests/",
            "python -m pytest",
        ] {
            assert!(is_standard(usual), "{usual}");
        }
        for (compiler, expected) in [
            ("npx tsc --noEmit", true),
            ("pnpm exec tsc --noEmit", true),
            ("npx tsc --noEmit -p app", false),
            ("npx vue-tsc --noEmit", false),
        ] {
            assert_eq!(is_compiler(compiler), expected, "{compiler}");
        }
        for needed in [
            "go test -tags integration ./...",
            "cargo test --features x",
            "CGO_ENABLED=0 go test ./...",
            "source .venv/bin/activate && pytest",
            "uv run pytest",
            "npm test -- --run",
            "npx tsc --noEmit",
        ] {
            assert!(!is_standard(needed), "{needed}");
        }
    }
}
