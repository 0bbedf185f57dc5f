//! Checks that a project gave names to: scripts of its manifest, targets, tasks, files of its own.

use super::{Check, check_of};

/// npm, pnpm, yarn and bun: `test`, `run lint`, `--filter web run build`, `yarn tsc`.
pub(super) fn script_runner(rest: &[String]) -> Option<Check> {
    let script = script_of(rest)?;
    match script.name {
        // `npm ci` installs, `npm run ci` runs a script.
        "install" | "i" | "ci" | "add" | "remove" | "dev" | "start" | "publish" | "pack"
            if !script.is_run =>
        {
            None
        }
        "t" | "tst" => Some(Check::Test),
        name => target(name).or_else(|| {
            let words = std::iter::once(name.to_owned()).chain(script.given.iter().cloned());
            check_of(&words.collect::<Vec<_>>())
        }),
    }
}

/// A script as npm and its like were told to run it.
struct Script<'a> {
    name: &'a str,
    given: &'a [String],
    /// Whether `run` stood before it.
    is_run: bool,
}

fn script_of(rest: &[String]) -> Option<Script<'_>> {
    const WITH_VALUE: [&str; 9] = [
        "-w",
        "--workspace",
        "--prefix",
        "--filter",
        "-F",
        "-C",
        "--dir",
        "--cwd",
        "--silent-filter",
    ];
    let mut is_run = false;
    let mut words = rest;
    loop {
        let (word, after) = words.split_first()?;
        words = match word.as_str() {
            word if WITH_VALUE.contains(&word) => after.get(1..)?,
            "workspace" => after.get(1..)?,
            "run" | "run-script" => {
                is_run = true;
                after
            }
            "workspaces" | "foreach" => after,
            word if word.starts_with('-') => after,
            name => {
                return Some(Script {
                    name,
                    given: after,
                    is_run,
                });
            }
        };
    }
}

pub(super) fn targets(program: &str, rest: &[String]) -> Option<Check> {
    let named = named_of(program, rest)?;
    if named.is_empty() {
        return match program {
            "make" | "gmake" => Some(Check::Build),
            "nox" => Some(Check::Test),
            _ => None,
        };
    }
    named.iter().find_map(|name| target(name))
}

/// The targets that make and its like were given; none for a verb of its own.
fn named_of<'a>(program: &str, rest: &'a [String]) -> Option<Vec<&'a str>> {
    // Where its files lie names no target.
    const WITH_VALUE: [&str; 5] = ["-C", "--directory", "--dir", "--justfile", "--taskfile"];
    let mut named = Vec::new();
    let mut words = rest.iter().map(String::as_str);
    while let Some(word) = words.next() {
        if WITH_VALUE.contains(&word) {
            words.next();
        } else if !word.starts_with('-') && !word.contains('=') {
            named.push(word);
        }
    }
    if program != "mise" {
        return Some(named);
    }
    match *named.first()? {
        "run" | "r" => Some(named[1..].to_vec()),
        // A word that is none of its own runs the task of that name.
        "install" | "test-tool" | "generate" | "fmt" => None,
        task => Some(vec![task]),
    }
}

/// What a check is at most, where its name is only `check`: that may be tests or a linter. `make check` runs the tests by the
/// standards of GNU; nobody laid down the others.
pub(super) fn by_name(words: &[String]) -> Option<Check> {
    let (program, rest) = words.split_first()?;
    let program = program.rsplit(['/', '\\']).next()?;
    let is_unclear = match program {
        "npm" | "pnpm" | "yarn" | "bun" => is_bare_check(script_of(rest)?.name),
        "make" | "gmake" | "just" | "task" | "mise" | "rake" | "invoke" | "doit" | "poe" => {
            let named = named_of(program, rest)?;
            let first = named.iter().find(|name| target(name).is_some());
            first.is_some_and(|name| is_bare_check(name))
        }
        "nx" | "turbo" | "lerna" | "moon" | "rush" | "composer" => {
            rest.iter().any(|word| word == "check")
        }
        _ => false,
    };
    is_unclear.then_some(match program {
        "make" | "gmake" => Check::Test,
        _ => Check::Unclear,
    })
}

/// Names of tests, and of what a project's checks all are together.
const TESTS: [&str; 9] = [
    "test", "tests", "spec", "specs", "e2e", "unittest", "vitest", "jest", "pytest",
];

/// Whether a name says that something is checked, and not what.
pub(crate) fn is_bare_check(name: &str) -> bool {
    let lower = name.to_ascii_lowercase();
    let parts: Vec<&str> = lower.split(SEAMS).collect();
    let says_more = |part: &&str| TESTS.contains(part) || *part == "ci";
    target(name) == Some(Check::Test) && !parts.iter().any(says_more)
}

const SEAMS: [char; 5] = [':', '-', '_', '.', '/'];

/// What a script or make target checks, by its name: `test:unit`, `lint-fix`, `type-check`.
pub(in crate::outcome) fn target(name: &str) -> Option<Check> {
    let lower = name.to_ascii_lowercase();
    let parts: Vec<&str> = lower.split(SEAMS).collect();
    let any = |words: &[&str]| parts.iter().any(|part| words.contains(part));
    if any(&[
        "watch", "dev", "serve", "update", "install", "clean", "generate", "fixtures",
    ]) {
        return None;
    }
    // Formatting changes files; only a dry run of it is a check.
    if any(&["format", "fmt", "prettier"]) {
        return any(&["check", "ci", "verify"]).then_some(Check::Lint);
    }
    if any(&["typecheck", "tsc", "types", "typing", "mypy", "pyright"])
        || (any(&["type"]) && any(&["check"]))
    {
        return Some(Check::TypeCheck);
    }
    if any(&TESTS) {
        return Some(Check::Test);
    }
    if any(&["lint", "eslint", "vet", "clippy", "style"]) {
        return Some(Check::Lint);
    }
    if any(&["check", "ci"]) {
        return Some(Check::Test);
    }
    any(&["build", "compile", "bundle", "all", "dist"]).then_some(Check::Build)
}

/// `./scripts/run-tests.sh`, `bin/test`: a path whose name says what it does.
pub(super) fn script_name(words: &[String]) -> Option<Check> {
    let script = words.first()?;
    if !script.contains('/')
        && script
            .split_once('.')
            .is_none_or(|(_, ending)| ending != "sh")
    {
        return None;
    }
    let name = script.rsplit('/').next()?;
    let (stem, ending) = name.split_once('.').unwrap_or((name, ""));
    let parts: Vec<&str> = stem.split(['-', '_']).collect();
    let last = *parts.last()?;
    match last {
        "test" | "tests" => Some(Check::Test),
        "build" => Some(Check::Build),
        "lint" => Some(Check::Lint),
        _ if parts[0] == "test" || parts[0] == "tests" => (ending == "sh").then_some(Check::Test),
        _ => None,
    }
}
