//! Pairs of statements that say the opposite, and pairs that do not.

use super::*;

#[test]
fn opposites_are_recognised() {
    for (a, b, expected) in [
        (
            "Use tabs for indentation",
            "Never use tabs for indentation",
            Opposition::Negated,
        ),
        (
            "Tests must be run with --release",
            "Tests must not be run with --release",
            Opposition::Negated,
        ),
        (
            "`isOpen()` returns `true` for a new shop",
            "`isOpen()` returns `false` for a new shop",
            Opposition::Negated,
        ),
        (
            "Keep `strict = true` in the settings",
            "Keep `strict = false` in the settings",
            Opposition::Negated,
        ),
        (
            "Use tabs for indentation.",
            "Use spaces for indentation, not tabs.",
            Opposition::Refused,
        ),
        (
            "Keep `retries = 3` in the settings",
            "Keep `retries = 5` in the settings",
            Opposition::OtherNumber,
        ),
        (
            "Run the migrations before the tests",
            "Run the migrations after the tests",
            Opposition::Negated,
        ),
        (
            "Enable strict mode in tsconfig",
            "Disable strict mode in tsconfig",
            Opposition::Negated,
        ),
        (
            "The cache is safe to delete",
            "The cache isn't safe to delete",
            Opposition::Negated,
        ),
        (
            "We use Postgres for the queue",
            "We do not use Postgres for the queue",
            Opposition::Negated,
        ),
        (
            "Do not run the tests in parallel",
            "Run the tests in parallel",
            Opposition::Negated,
        ),
        (
            "Don't mock the database",
            "Mock the database",
            Opposition::Negated,
        ),
        (
            "We use Redis for sessions",
            "We no longer use Redis for sessions",
            Opposition::Negated,
        ),
        (
            "Commit the generated files",
            "Never committing generated file",
            Opposition::Negated,
        ),
        (
            "Tests need the database",
            "The test doesn't need a database",
            Opposition::Negated,
        ),
        (
            "Use pnpm, not npm",
            "Use npm, not pnpm",
            Opposition::Swapped,
        ),
        (
            "Use pnpm instead of npm here",
            "Use npm rather than pnpm here",
            Opposition::Swapped,
        ),
        (
            "Prefer tabs over spaces",
            "Prefer spaces over tabs",
            Opposition::Swapped,
        ),
        (
            "Never use os/exec.Command, always CommandContext",
            "Always use os/exec.Command, never CommandContext",
            Opposition::Swapped,
        ),
        (
            "Do not use npm; use pnpm",
            "Use npm, not pnpm",
            Opposition::Swapped,
        ),
        (
            "Avoid npm, use pnpm.",
            "Never use pnpm. Always use npm.",
            Opposition::Swapped,
        ),
        ("Use spaces, not tabs", "Use tabs", Opposition::Refused),
        (
            "Indent with spaces, not tabs",
            "Indent with tabs.",
            Opposition::Refused,
        ),
        (
            "Never use npm, always pnpm",
            "Always use npm",
            Opposition::Refused,
        ),
        (
            "noctx: os/exec.Command must not be called. use os/exec.CommandContext",
            "Always use os/exec.Command",
            Opposition::Refused,
        ),
        (
            "The request timeout is 30 seconds",
            "The request timeout is 60 seconds",
            Opposition::OtherNumber,
        ),
        (
            "The API listens on port 8080",
            "The API listens on port 9090",
            Opposition::OtherNumber,
        ),
    ] {
        assert_eq!(oppose(a, b), Some(expected), "{a} / {b}");
        assert_eq!(oppose(b, a), Some(expected), "{b} / {a}");
    }
}

#[test]
fn agreement_and_other_subjects_are_left_alone() {
    for (a, b) in [
        ("Use tabs for indentation", "Use tabs for indentation"),
        (
            "Use tabs for indentation",
            "Always use tabs for indentation",
        ),
        (
            "Never use tabs for indentation",
            "Do not use tabs for indentation",
        ),
        (
            "Use open_pane() instead of bare.open_pane()",
            "Use open_pane() instead of bare.open_pane()",
        ),
        ("Never log passwords", "Log every request"),
        (
            "Error 404 means the route is missing",
            "Error 403 means the route is missing",
        ),
        ("Use pnpm, not npm", "Use pnpm instead of npm"),
        ("Never use npm, always pnpm", "Always use pnpm, never npm"),
        ("Never use npm, always pnpm", "Use pnpm, not yarn"),
        ("Use spaces, not tabs", "Never use tabs"),
        ("Use spaces, not tabs", "Use spaces"),
        ("Use spaces, not tabs", "Use tabs in make files"),
        ("Use bun in api, not npm", "Use npm in web"),
        ("Use axios in the admin app, not fetch", "Use fetch"),
        (
            "Use the mock client in tests, not the client",
            "Use the client",
        ),
        (
            "Tests in api need the database",
            "Tests in web need no database",
        ),
        ("Run lint before commit", "Run commit after lint"),
        ("Run `make test` in CI", "Never run `make tests` in CI"),
        (
            "`include` is a list of globs that the walker reads first.",
            "`exclude` is a list of globs that the walker reads first.",
        ),
        (
            "`allow` takes the names of rules",
            "`deny` takes the names of rules",
        ),
        ("Step 2 runs the linter", "Step 3 runs the linter"),
        ("Never", "Always"),
        ("", ""),
    ] {
        assert_eq!(oppose(a, b), None, "{a} / {b}");
    }
}
