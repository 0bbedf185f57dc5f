//! Which command lines check the work: tests, builds, linters and type checkers of common ecosystems.

mod attempted;
mod container;
mod elsewhere;
mod given;
mod idle;
mod named;
mod program;
mod seen;
mod stated;
mod typed;
mod whole;

use super::shell::{Simple, Then, commands};
pub(super) use named::target;
use named::{by_name, script_name, script_runner, targets};

pub(crate) use attempted::{attempted, hands_in, refused_in};
pub(crate) use elsewhere::elsewhere;
pub(crate) use named::is_bare_check;
pub use program::program_key;
pub use seen::Seen;
pub use stated::{Stated, checks_stated};
pub(crate) use typed::is_interpreter;
pub use typed::{
    check_commands, format_commands, is_compiler, is_own_name, is_standard, own_format_commands,
};
pub use whole::{Whole, own_checks};
pub(crate) use whole::{has_own_shell, in_checkout, run_in_root};

/// What a command checks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Check {
    Test,
    Build,
    TypeCheck,
    Lint,
    /// A script called `check` or a hook, of which nothing shows what it ran.
    Unclear,
}

impl Check {
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Test => "test",
            Self::Build => "build",
            Self::TypeCheck => "type check",
            Self::Lint => "lint",
            Self::Unclear => "check",
        }
    }
}

/// What a command line checks, and whether its exit code says how that went.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CheckLine {
    /// In the order they run, each once.
    pub checks: Vec<Check>,
    pub exit: ExitCode,
    /// What the line shows of each of its checks, in the order they run.
    pub seen: Vec<Seen>,
    /// The same checks, and whether each runs only where the one before it passed.
    pub turns: Vec<Turn>,
    /// What it prints whatever becomes of them.
    pub echoes: Vec<String>,
}

/// One check of a line, each as often as it runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Turn {
    pub check: Check,
    /// Whether it runs only where the check before it passed: `a && b`.
    pub needs_last: bool,
    /// What it is at most where its output does not show what it ran, and its name does not say it.
    pub by_name: Option<Check>,
    /// Which of the line's commands it is.
    pub at: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExitCode {
    /// It fails if and only if a check fails.
    Tells,
    /// A pipe, `|| true` or a later command hides it.
    Masked,
    /// It is that of a search through the output, which ends with 1 where it finds nothing.
    Filtered,
}

/// What `line` checks; `None` when it checks nothing.
pub fn classify(line: &str) -> Option<CheckLine> {
    let run = commands(line);
    let mut checks: Vec<Check> = Vec::new();
    let mut exit = ExitCode::Tells;
    let mut seen = Vec::new();
    let mut turns = Vec::new();
    let mut last = None;
    let pipefail = line.contains("pipefail");
    for (at, simple) in run.iter().enumerate() {
        let Some(check) = check_of(&simple.words) else {
            continue;
        };
        if !checks.contains(&check) {
            checks.push(check);
        }
        seen.push(Seen::at(&run, at, line, pipefail));
        let needs_last = last.is_some_and(|last: usize| is_chain(&run[last..at]));
        turns.push(Turn {
            check,
            needs_last,
            by_name: by_name(&simple.words),
            at,
        });
        last = Some(at);
        match exit_of(&run[at..], pipefail) {
            ExitCode::Tells => {}
            ExitCode::Filtered if exit == ExitCode::Masked => {}
            hidden => exit = hidden,
        }
    }
    (!checks.is_empty()).then_some(CheckLine {
        checks,
        exit,
        seen,
        turns,
        echoes: seen::echoes(&run),
    })
}

/// Whether what follows these commands runs only where the first of them passed. The exit code of a pipe is that of its end.
fn is_chain(run: &[Simple]) -> bool {
    run.iter().all(|simple| simple.then == Then::And)
}

/// Whether a failure of the first command can get lost on the way to the line's exit code.
fn exit_of(run: &[Simple], pipefail: bool) -> ExitCode {
    let is_lost = |simple: &Simple| matches!(simple.then, Then::Or | Then::Next | Then::Aside);
    if run.iter().any(is_lost) || seen::is_always_well(&run[0].words) {
        return ExitCode::Masked;
    }
    let pipes = run.iter().take_while(|simple| simple.then == Then::Pipe);
    let (pipes, last) = (pipes.count(), run.last());
    let is_filter = |simple: &Simple| {
        let program = simple.words[0].rsplit('/').next().unwrap_or_default();
        matches!(
            program,
            "grep" | "egrep" | "fgrep" | "zgrep" | "rg" | "ag" | "ack"
        )
    };
    match last.is_some_and(is_filter) {
        true if pipes > 0 => ExitCode::Filtered,
        _ if pipes > 0 && !pipefail => ExitCode::Masked,
        _ => ExitCode::Tells,
    }
}

/// The command that a line is about: the one that checks the work, else the first that is no preparation.
pub(crate) fn main_command(line: &str) -> Option<Simple> {
    let mut run = commands(line);
    let checking = run
        .iter()
        .position(|simple| check_of(&simple.words).is_some());
    let at = checking
        .or_else(|| run.iter().position(|simple| !is_preparation(simple)))
        .unwrap_or(0);
    (at < run.len()).then(|| run.swap_remove(at))
}

/// Whether a command only gets a line ready for what it is about.
pub(crate) fn is_preparation(simple: &Simple) -> bool {
    matches!(
        simple.words[0].as_str(),
        "cd" | "echo" | "export" | "source" | "." | "sleep" | "set" | "pwd" | "true" | "mkdir"
    )
}

/// A key for "the same command again": program, subcommand and what it is about, without flags.
pub fn command_key(line: &str) -> Option<String> {
    let main = main_command(line)?;
    let program = main.words[0].rsplit('/').next().unwrap_or(&main.words[0]);
    let mut key = program.to_owned();
    for word in main.words[1..]
        .iter()
        .filter(|word| !word.starts_with('-'))
        .take(2)
    {
        key.push(' ');
        key.push_str(&word[..word.floor_char_boundary(60)]);
    }
    Some(key)
}

pub(crate) fn check_of(words: &[String]) -> Option<Check> {
    let program = words.first()?.rsplit(['/', '\\']).next()?;
    let program = program
        .strip_suffix(".exe")
        .or_else(|| program.strip_suffix(".cmd"))
        .unwrap_or(program);
    let rest = &words[1..];
    if idle::checks_nothing(program, rest) {
        return None;
    }
    match program {
        "cargo" => cargo(rest),
        "go" => match first(rest)? {
            "test" => Some(Check::Test),
            "build" | "install" => Some(Check::Build),
            "vet" => Some(Check::Lint),
            _ => None,
        },
        "python" | "python3" | "py" | "pypy3" => python(rest),
        "npm" | "pnpm" | "yarn" | "bun" => script_runner(rest),
        "make" | "gmake" | "just" | "task" | "mise" | "rake" | "invoke" | "nox" | "doit"
        | "poe" => targets(program, rest),
        // Scripts that these were told to run by names of their own.
        "pdm" | "rye" | "pipenv" | "hatch" if first(rest) == Some("run") => {
            targets(program, after_verb(rest))
        }
        "tox" => Some(tox(rest)),
        "mvn" | "mvnw" => jvm(
            rest,
            &["test", "verify", "integration-test"],
            &["compile", "package", "install", "test-compile"],
        ),
        "gradle" | "gradlew" | "sbt" => jvm(
            rest,
            &["test", "check"],
            &["build", "assemble", "compile", "classes"],
        ),
        "zig" if has(rest, &["test"]) => Some(Check::Test),
        "dotnet" | "swift" | "bazel" | "bazelisk" | "flutter" | "dart" | "mix" | "deno"
        | "stack" | "cabal" | "zig" | "xcodebuild" | "buck2" | "nx" | "turbo" | "lerna"
        | "moon" | "forge" | "rush" | "ng" | "composer" | "hatch" | "lake" | "lein" | "pants" => {
            verbs(rest)
        }
        "rails" => rails(rest),
        "clojure" | "clj" => (rest.iter())
            .any(|word| word.starts_with('-') && word.contains(":test"))
            .then_some(Check::Test),
        "coverage" => match first(rest)? {
            "run" => python(rest),
            _ => None,
        },
        "terraform" | "tofu" | "terragrunt" => match first(rest)? {
            "validate" => Some(Check::TypeCheck),
            "test" => Some(Check::Test),
            "fmt" => has(rest, &["-check", "--check"]).then_some(Check::Lint),
            _ => None,
        },
        "helm" | "buf" | "sqlfluff" => (first(rest) == Some("lint")).then_some(Check::Lint),
        "trunk" | "dprint" => (first(rest) == Some("check")).then_some(Check::Lint),
        "docker" | "podman" | "nerdctl" | "docker-compose" => check_inside(rest),
        "php" => match first(rest)? {
            "artisan" => rest
                .iter()
                .any(|word| word == "test")
                .then_some(Check::Test),
            _ => check_of(rest),
        },
        "cmake" => rest
            .iter()
            .any(|word| word == "--build")
            .then_some(Check::Build),
        "tsc" | "vue-tsc" | "mypy" | "pyright" | "basedpyright" | "phpstan" | "psalm"
        | "sorbet" | "ty" | "svelte-check" | "tsgo" | "pyrefly" => Some(Check::TypeCheck),
        "pytest" | "py.test" | "jest" | "vitest" | "mocha" | "ava" | "rspec" | "phpunit"
        | "ctest" | "pest" | "paratest" | "cucumber" | "busted" | "bats" | "elm-test"
        | "cypress" | "gotestsum" | "karma" | "tap" | "minitest" | "stylua-test" => {
            Some(Check::Test)
        }
        "playwright" => (first(rest) == Some("test")).then_some(Check::Test),
        "node" => rest
            .iter()
            .any(|word| word == "--test")
            .then_some(Check::Test),
        "eslint" | "golangci-lint" | "staticcheck" | "flake8" | "pylint" | "rubocop"
        | "shellcheck" | "hadolint" | "stylelint" | "oxlint" | "ktlint" | "detekt"
        | "swiftlint" | "credo" | "markdownlint" | "actionlint" | "yamllint" | "clang-tidy"
        | "luacheck" | "lint-staged" | "markdownlint-cli2" | "ansible-lint" | "tflint"
        | "standardrb" | "erb_lint" | "kubeconform" | "cspell" | "gosec" | "revive" => {
            Some(Check::Lint)
        }
        "ruff" => match first(rest)? {
            "check" => Some(Check::Lint),
            "format" => has(rest, &["--check", "--diff"]).then_some(Check::Lint),
            _ => None,
        },
        "biome" => matches!(first(rest), Some("check" | "lint" | "ci")).then_some(Check::Lint),
        "prettier" | "black" | "isort" | "rustfmt" | "clang-format" => has(
            rest,
            &[
                "--check",
                "-c",
                "--check-only",
                "--dry-run",
                "-l",
                "--list-different",
            ],
        )
        .then_some(Check::Lint),
        "gofmt" => has(rest, &["-l", "-d"]).then_some(Check::Lint),
        "pre-commit" | "prek" | "lefthook" => (first(rest) == Some("run")).then_some(Check::Lint),
        "vite" | "next" | "nuxt" | "astro" | "webpack" | "rollup" | "esbuild" | "tsup"
        | "parcel" | "ninja" | "meson" | "javac" | "gcc" | "g++" | "clang" | "clang++"
        | "rustc" | "ghc" => match (program, first(rest)) {
            ("astro", Some("check")) => Some(Check::TypeCheck),
            ("next", Some("lint")) => Some(Check::Lint),
            ("vite" | "next" | "nuxt" | "astro" | "parcel", verb) => {
                (verb == Some("build")).then_some(Check::Build)
            }
            ("meson", verb) => match verb? {
                "test" => Some(Check::Test),
                "compile" => Some(Check::Build),
                _ => None,
            },
            _ => (!rest.is_empty() || program == "ninja").then_some(Check::Build),
        },
        _ => script_name(words),
    }
}

/// What is run inside a container, also as a script of a shell there.
fn check_inside(rest: &[String]) -> Option<Check> {
    let quoted = |word: &String| {
        if word.contains(' ') {
            format!("'{word}'")
        } else {
            word.clone()
        }
    };
    let inner: Vec<String> = container::inside(rest)?.iter().map(quoted).collect();
    classify(&inner.join(" ")).and_then(|line| line.checks.first().copied())
}

fn cargo(rest: &[String]) -> Option<Check> {
    let rest = match rest.first() {
        Some(word) if word.starts_with('+') => &rest[1..],
        _ => rest,
    };
    match first(rest)? {
        // Tests that are only built.
        "test" | "t" | "nextest" if has(rest, &["--no-run"]) => Some(Check::Build),
        "test" | "t" | "nextest" | "llvm-cov" | "tarpaulin" => Some(Check::Test),
        "build" | "b" | "rustc" => Some(Check::Build),
        "check" | "c" => Some(Check::TypeCheck),
        "clippy" => Some(Check::Lint),
        // They run another of these in their own way.
        "miri" | "hack" | "insta" | "careful" => cargo(after_verb(rest)),
        "fmt" => has(rest, &["--check"]).then_some(Check::Lint),
        _ => None,
    }
}

fn python(rest: &[String]) -> Option<Check> {
    let at = rest.iter().position(|word| word == "-m");
    if let Some(module) = at.and_then(|at| rest.get(at + 1)) {
        return match module.as_str() {
            "pytest" | "unittest" | "nose2" | "nox" => Some(Check::Test),
            "tox" => Some(tox(rest)),
            "coverage" => python(&rest[at? + 2..]),
            "mypy" | "pyright" => Some(Check::TypeCheck),
            "flake8" | "pylint" | "ruff" => Some(Check::Lint),
            "build" | "py_compile" | "compileall" => Some(Check::Build),
            _ => None,
        };
    }
    let script = first(rest)?;
    if script.ends_with("manage.py") || script.ends_with("runtests.py") {
        return (script.ends_with("runtests.py") || rest.iter().any(|word| word == "test"))
            .then_some(Check::Test);
    }
    script_name(rest)
}

/// `tox -e lint` says by the names of its environments what it runs.
fn tox(rest: &[String]) -> Check {
    let at = rest.iter().position(|word| word == "-e");
    let named = at
        .and_then(|at| rest.get(at + 1))
        .map_or("", String::as_str);
    let kinds: Vec<Option<Check>> = named.split(',').map(target).collect();
    match kinds[..] {
        [Some(only)] => only,
        _ => Check::Test,
    }
}

fn rails(rest: &[String]) -> Option<Check> {
    let verb = first(rest)?;
    let verb = verb.split(':').next().unwrap_or(verb);
    matches!(verb, "test" | "spec").then_some(Check::Test)
}

fn jvm(rest: &[String], tests: &[&str], builds: &[&str]) -> Option<Check> {
    let skips = rest
        .iter()
        .any(|word| word.starts_with("-DskipTests") || word.starts_with("-Dmaven.test.skip"));
    let goals = rest
        .iter()
        .filter(|word| !word.starts_with('-'))
        .map(|word| word.rsplit(':').next().unwrap_or(word));
    let mut found = None;
    for goal in goals {
        let goal = goal.split(' ').next().unwrap_or(goal);
        if tests.contains(&goal) || (goal.ends_with("Test") && !skips) || goal == "testOnly" {
            return Some(if skips { Check::Build } else { Check::Test });
        }
        if builds.contains(&goal) || goal.starts_with("compile") || goal.starts_with("assemble") {
            found = Some(Check::Build);
        } else if goal.contains("lint")
            || goal == "checkstyle"
            || goal == "spotlessCheck"
            || goal == "detekt"
        {
            found = found.or(Some(Check::Lint));
        }
    }
    found
}

fn verbs(rest: &[String]) -> Option<Check> {
    // Behind these stands the name of a package or of something new.
    let names_next = |word: &&String| {
        let verb = word.rsplit(['.', ':']).next().unwrap_or(word);
        matches!(
            verb,
            "add" | "add-dependency" | "install" | "require" | "remove" | "new" | "create"
        )
    };
    rest.iter()
        .filter(|word| !word.starts_with('-'))
        .take(3)
        .take_while(|word| !names_next(word))
        .find_map(|word| match word.as_str() {
            "test" | "coveralls" => Some(Check::Test),
            "build" | "compile" | "publish" => Some(Check::Build),
            "check" | "typecheck" => Some(Check::TypeCheck),
            "lint" | "analyze" | "credo" => Some(Check::Lint),
            "format" | "fmt" => {
                has(rest, &["--check", "--check-formatted", "--dry-run"]).then_some(Check::Lint)
            }
            _ => None,
        })
}

fn first(words: &[String]) -> Option<&str> {
    words
        .iter()
        .map(String::as_str)
        .find(|word| !word.starts_with('-'))
}

/// What stands behind the verb.
fn after_verb(words: &[String]) -> &[String] {
    let at = words.iter().position(|word| !word.starts_with('-'));
    at.map_or(&[], |at| &words[at + 1..])
}

fn has(words: &[String], flags: &[&str]) -> bool {
    words.iter().any(|word| flags.contains(&word.as_str()))
}

#[cfg(test)]
mod tests;
