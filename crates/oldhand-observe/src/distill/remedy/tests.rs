//! What answers an error for others, and what does not.

use super::*;

fn instead(message: &str, command: &str, other: &str) -> bool {
    is_remedy(message, command, &SolvedBy::Command(other.to_owned()))
}

#[test]
fn chance_is_no_remedy() {
    // The error was of another program of the line; what passed was the same with an `echo` before it.
    assert!(!instead(
        "error: unknown option `short'",
        "gh pr diff --name-only",
        "echo \"=== dupes? ===\" && gh pr diff 42 --name-only",
    ));
    // Two filters were given where one is taken; that an option went as well is chance.
    assert!(!instead(
        "error: unexpected argument 'oci::' found",
        "cargo fmt --all && cargo test cli::tests oci::",
        "cargo test oci::",
    ));
    // Another program, another aim.
    assert!(!instead(
        "the simulator is not found",
        "xcodebuild test",
        "xcrun simctl shutdown all",
    ));
    assert!(instead(
        "error: Formatting issues found",
        "vp check",
        "vp check --fix"
    ));
    assert!(instead(
        "error: unrecognized subcommand 'run'",
        "rtk bun run test",
        "bun run test",
    ));
    // Who asks what there is has not done what was wanted.
    for (asked, expected) in [
        ("app sync version", false),
        ("app sync --version", false),
        ("app sync --help", false),
        ("app version patch", true),
        ("app sync --all", true),
    ] {
        let told = instead("Error: unknown flag: --bogus", "app sync --bogus", asked);
        assert_eq!(told, expected, "{asked}");
    }
    let first = |other: &str| {
        is_remedy(
            "DATABASE_URL is required",
            "app seed",
            &SolvedBy::First(other.to_owned()),
        )
    };
    assert!(first("docker compose up -d") && first("npm run db:migrate"));
    assert!(!first("app list") && !first("python3 look.py"));
}

#[test]
fn what_is_cut_or_reaches_afar_is_not_offered() {
    for command in [
        "uv run python3 -c \"",
        "wrangler d1 execute db --remote --command x",
        "APP_LOG=none app seed --config app.loc…",
        "git reset --hard",
        "rm -rf target",
        "kubectl apply -f x.yaml",
        "git checkout --theirs a.rs && git add a.rs",
        "git restore a.rs",
        "git stash",
        "git merge --abort",
        "npm run db:reset",
        "gh api repos/a/b/pulls/117/comments",
        "sleep 20 && gh pr view 7 --json state",
        "python3 /opt/ann/tools/check.py a.rs",
        "cd D:/shop/.worktrees/x/src && go build -o out.exe .",
        "python c:\\shop\\check.py",
        "cd \"C:\\Users\\ann\\shop\" && cargo test",
        "cd D: && cargo test",
    ] {
        assert!(!may_be_offered(command), "{command}");
    }
    for command in [
        "vp check --fix",
        "git stash pop",
        "git checkout main",
        "npm run db:seed",
        "cat docs/7/a.md",
        "gh pr view --json state",
        "seq 7",
        "uv run python3 -c \"import yaml\"",
        "npm run test:all > /dev/null",
    ] {
        assert!(may_be_offered(command), "{command}");
    }
}

#[test]
fn what_one_missing_package_needed_is_told_of_no_other() {
    let output = "main.go:3:1: no module here provides package example.org/acme/ink";
    let first = |command: &str| SolvedBy::First(command.to_owned());
    for (command, is_of_another) in [
        ("go get example.org/acme/ink@v1.4.0", false),
        ("go get example.org/acme/ink", false),
        ("go get example.org/other/paper@v2.0.0", true),
        ("go get example.org/other/paper", true),
        ("npm install paper@2", true),
        ("./scripts/gen.sh src/ink.go", false),
        ("../tools/gen.sh", false),
        ("go mod tidy", false),
    ] {
        assert_eq!(
            names_another(&first(command), output),
            is_of_another,
            "{command}"
        );
    }
}

#[test]
fn what_a_line_was_given_is_told_from_what_the_work_lacks() {
    for (message, command) in [
        ("error: unexpected argument 'b' found", "cargo test a b"),
        ("error: no such option: --fast", "shop --fast"),
        (
            "error: no library targets found in package `shop`",
            "cargo test --lib",
        ),
        ("zsh: command not found: hk", "hk check"),
        ("error: unknown flag", "shop -x"),
    ] {
        assert!(is_of_words_given(message, command), "{message}");
    }
    for (message, command) in [
        ("error: no such table: users", "cargo test users"),
        ("error: unexpected token `}`", "make"),
        ("KeyError: 'token'", "pytest"),
        ("missing field `port` in the settings", "shop serve"),
    ] {
        assert!(!is_of_words_given(message, command), "{message}");
    }
}

#[test]
fn to_leave_out_a_check_mends_nothing_that_it_found() {
    let without = |message: &str, option: &str| {
        let (command, option) = ("shop check".to_owned(), option.to_owned());
        let by = SolvedBy::Without { command, option };
        is_remedy(message, "shop check", &by) && may_answer(&by, message, "shop check")
    };
    assert!(without(
        "error: no library targets found in package",
        "--lib"
    ));
    assert!(without("error: unknown option: -x", "-x"));
    for message in [
        "Error: unsupported argument \"region\" in prod.tfvars",
        "error: no signing task key was found",
        "error: missing target coverage of 80 percent",
    ] {
        assert!(
            !without(message, "--strict") && !without(message, "-n"),
            "{message}"
        );
    }
}

#[test]
fn to_ask_how_a_program_is_called_is_no_answer() {
    let answers = |other: &str| {
        let by = SolvedBy::Command(other.to_owned());
        may_answer(&by, "error: no such shelf: `a`", "shop add a")
    };
    assert!(answers("shop add a --new"));
    assert!(!answers("shop add --help") && !answers("shop help add"));
}

#[test]
fn a_look_is_no_answer() {
    let first = |other: &str| {
        let by = SolvedBy::First(other.to_owned());
        may_answer(&by, "error: no such file: seed.json", "go test ./...")
    };
    assert!(!first("git config --get-all commit.gpgsign; echo ---"));
    assert!(!first("go vet ./..."));
    assert!(first("git submodule update --init") && first("make seed"));
}

#[test]
fn what_another_command_of_a_line_complains_of_is_not_its_own() {
    let refused = "unknown command \"show\" for \"sandcastle\"";
    assert!(!instead(
        refused,
        "sc connect a 2>&1 & sc show a",
        "sc connect a"
    ));
    assert!(!instead(refused, "sc connect a", "sc connect a --verbose"));
    assert!(instead(refused, "sc show a", "sc list a"));
}

#[test]
fn a_variable_of_which_the_error_says_nothing_is_no_remedy() {
    let unset = "error: DATABASE_URL must be set";
    for (variable, expected) in [
        ("DATABASE_URL=sqlite:a.db", true),
        ("VERBOSE=1", false),
        ("VERBOSE=1 DATABASE_URL=sqlite:a.db", true),
    ] {
        let other = format!("{variable} shop load a");
        assert_eq!(
            instead(unset, "shop load a", &other),
            expected,
            "{variable}"
        );
        let by = SolvedBy::Command(other);
        assert_eq!(
            may_answer(&by, unset, "shop load a"),
            expected,
            "{variable}"
        );
    }
}
