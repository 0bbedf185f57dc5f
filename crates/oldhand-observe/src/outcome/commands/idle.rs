//! Calls of a checking program that check nothing: help, versions, lists, dry runs.

use super::has;

/// Whether the call only tells something about itself or about what it would do.
pub(super) fn checks_nothing(program: &str, rest: &[String]) -> bool {
    let asks = has(
        rest,
        &[
            "--help",
            "-h",
            "--version",
            "-V",
            "--watch",
            "--init",
            "--list-tests",
            "--listTests",
            "--list",
            "--collect-only",
            "--co",
            "--show-only",
            "--just-print",
            "--recon",
        ],
    );
    if asks && !has(rest, &["--run"]) {
        return true;
    }
    match program {
        "make" | "gmake" | "just" | "task" => has(rest, &["-n", "--dry-run", "--dry", "-l"]),
        "go" => has(rest, &["-n", "-list"]),
        "gradle" | "gradlew" => has(rest, &["-m", "--dry-run"]),
        "ctest" => has(rest, &["-N"]),
        "vitest" | "mocha" => rest.first().is_some_and(|word| word == "list"),
        "cargo" => has(rest, &["list", "--dry-run"]),
        // A formatter's dry run is how it checks.
        "prettier" | "black" | "isort" | "rustfmt" | "clang-format" | "mix" | "dart" => false,
        _ => has(rest, &["--dry-run", "--dryrun"]),
    }
}
