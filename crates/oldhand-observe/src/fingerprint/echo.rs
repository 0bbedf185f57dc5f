//! Lines with which a runner of scripts says what it is about to run.

/// `$ biome check`, `[lint] $ biome check`, `task: [lint] biome check`, `> app@1.0.0 lint`; `[FAILED] biome check [FAILED]`, which only
/// says how that went.
pub(super) fn is_echo(line: &str) -> bool {
    const STATES: [&str; 3] = ["[STARTED] ", "[COMPLETED] ", "[SKIPPED] "];
    let bare = match line
        .strip_prefix('[')
        .and_then(|rest| rest.split_once("] "))
    {
        Some((runner, rest)) if !runner.contains(' ') => rest,
        _ => line,
    };
    let told = bare
        .strip_prefix("task: [")
        .and_then(|rest| rest.split_once("] "));
    bare.starts_with("$ ")
        || STATES.iter().any(|state| line.starts_with(state))
        || line.starts_with("[FAILED] ") && line.ends_with(" [FAILED]")
        || told.is_some_and(|(name, _)| !name.contains(' '))
        || is_banner(line)
}

/// `> app@1.0.0 lint`, and `> @shop/app@1.0.0 lint /srv/shop`: the line that it runs follows behind another `>`.
pub(super) fn is_banner(line: &str) -> bool {
    let Some(rest) = line.strip_prefix("> ") else {
        return false;
    };
    let (package, script) = rest.split_once(' ').unwrap_or((rest, ""));
    let version = package
        .rsplit_once('@')
        .filter(|(name, _)| !name.is_empty());
    let is_versioned = version.is_some_and(|(_, version)| {
        version.starts_with(|c: char| c.is_ascii_digit()) && version.contains('.')
    });
    is_versioned && !script.is_empty() || rest.starts_with("nx run ")
}

#[test]
fn what_a_runner_is_about_to_run_is_told_from_what_came_of_it() {
    for line in [
        "$ biome check --error-on-warnings",
        "[lint] $ eslint --no-error-on-unmatched-pattern .",
        "task: [lint] golangci-lint run --fail-on-error",
        "> app@1.0.0 lint:errors",
        "> @shop/app@1.0.0 lint /srv/shop",
        "> nx run app:lint-errors",
        "[FAILED] markdownlint --fix [FAILED]",
        "[SKIPPED] Skipped because of errors from tasks.",
    ] {
        assert!(is_echo(line), "{line}");
    }
    for line in [
        "> Could not resolve all files for configuration ':app'.",
        "> There were failing tests.",
        "error: $HOME is not set",
        "[lint] a.go:3:4: G104: Errors unhandled (gosec)",
        "task: Failed to run task \"lint\": exit status 1",
        "> ann@example.org was refused",
        "[FAILED] the shelf is not there",
    ] {
        assert!(!is_echo(line), "{line}");
    }
}

#[test]
fn the_line_behind_an_echo_names_the_error() {
    use super::fingerprint;
    for (output, expected) in [
        (
            "$ biome check --error-on-warnings\nerror: no such file: biome.json5",
            Some("error: no such file: biome.json5"),
        ),
        ("$ biome check --error-on-warnings\nChecked 9 files.", None),
        (
            "\n> app@1.0.0 lint\n> eslint --fail-on-errors src\n\nOops! Something went wrong! :(\nError: Cannot find module 'globals'",
            Some("Error: Cannot find module 'globals'"),
        ),
        (
            "\n> app@1.0.0 lint\n\n> eslint --fail-on-errors src\n",
            None,
        ),
        // A line behind a sign that nothing announced is somebody's own.
        (
            "> error: the shelf is not there",
            Some("> error: the shelf is not there"),
        ),
    ] {
        let told = fingerprint(output).map(|error| error.message);
        assert_eq!(told.as_deref(), expected, "{output}");
    }
}
