//! One rule for the exit codes of all commands, and a table that holds every one of them to it.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use oldhand_testkit::Sandbox;

use crate::{id_of, repository, sandbox};

/// What a command is given for each answer it has. `ID` stands for the id of a memory.
struct Row {
    command: &'static str,
    /// Exit code 0.
    well: &'static [&'static str],
    /// Exit code 1: the answer is that there is nothing.
    nothing: &'static [&'static str],
    /// Exit code 1: what was named is not there.
    unknown: &'static [&'static str],
    /// Exit code 2.
    bad: &'static [&'static str],
}

/// Stands where a command has no such answer.
const NEVER: &[&str] = &[];
/// What has neither arguments nor a way to go wrong but an option that does not exist.
const NO_SUCH_OPTION: &[&str] = &["--no-such-option"];

const fn row(
    command: &'static str,
    well: &'static [&'static str],
    nothing: &'static [&'static str],
    unknown: &'static [&'static str],
    bad: &'static [&'static str],
) -> Row {
    Row {
        command,
        well,
        nothing,
        unknown,
        bad,
    }
}

/// In an order in which one does not spoil the next: what forgets and switches off comes last.
const ROWS: &[Row] = &[
    row(
        "init",
        &["--yes", "--no-agents"],
        NEVER,
        &["--same-as", "nobody"],
        NO_SUCH_OPTION,
    ),
    row("status", &[""], NEVER, NEVER, NO_SUCH_OPTION),
    row(
        "remember",
        &["Port 8080 is taken by the proxy."],
        NEVER,
        NEVER,
        &[" "],
    ),
    row(
        "search",
        &["cache", "-n", "0"],
        &["zyxwvu"],
        &["cache", "--around", "ffffffff"],
        NO_SUCH_OPTION,
    ),
    row(
        "list",
        &["-n", "0"],
        &["--tag", "nowhere"],
        &["--around", "ffffffff"],
        &["-n", "many"],
    ),
    row("show", &["ID"], NEVER, &["ffffffff"], &["1"]),
    row(
        "context",
        &["the cache is shared between pods"],
        &["zyxwvu", "--files", "0"],
        NEVER,
        NO_SUCH_OPTION,
    ),
    row(
        "edit",
        &["ID", "--tag", "cache"],
        NEVER,
        &["ffffffff", "--tag", "a"],
        &["ID", "--confidence", "7"],
    ),
    row("pin", &["ID"], NEVER, &["ffffffff"], &[""]),
    row("unpin", &["ID"], NEVER, &["ffffffff"], &[""]),
    row("verify", &["ID"], NEVER, &["ffffffff"], &[""]),
    row(
        "review",
        &["--confirm", "ID"],
        &["-n", "0"],
        &["--confirm", "ffffffff"],
        &["-n", "many"],
    ),
    row(
        "flag",
        &["ID", "outdated"],
        NEVER,
        &["ffffffff"],
        &["ID", "purple"],
    ),
    row("trust", &[""], NEVER, NEVER, &["set", "purple"]),
    row(
        "impact",
        &["cents", "-n", "0"],
        &["report"],
        &["nowhere.py"],
        &["cents", "--depth", "0"],
    ),
    row("deps", &["money.py"], &["alone.py"], &["nowhere.py"], &[""]),
    row(
        "refs",
        &["cents", "-n", "0"],
        &["report"],
        &["nowhere"],
        &[" "],
    ),
    row(
        "flow",
        &["report", "cents"],
        &["cents", "report"],
        &["report", "nowhere"],
        &["report"],
    ),
    row("where", &["cents", "-n", "0"], &["zyxwvu"], NEVER, &[" "]),
    row(
        "outline",
        &["money.py", "--budget", "100"],
        &["empty.py"],
        &["nowhere.py"],
        &["money.py", "--budget", "x"],
    ),
    row(
        "map",
        &["-n", "0"],
        &["--project", "bare"],
        NEVER,
        &["-n", "x"],
    ),
    row(
        "coupled",
        &["money.py", "-n", "0"],
        NEVER,
        &["nowhere.py"],
        &[""],
    ),
    row(
        "hot",
        &["-n", "0"],
        &["--project", "bare"],
        NEVER,
        &["-n", "x"],
    ),
    row(
        "import json",
        &["one.jsonl"],
        &["empty.py"],
        &["nowhere.jsonl"],
        &["two.jsonl"],
    ),
    row(
        "import rules",
        &["rules.md", "--yes"],
        &["nothing.md"],
        &["nowhere.md"],
        NO_SUCH_OPTION,
    ),
    row(
        "import transcripts",
        NEVER,
        &[""],
        &["nowhere"],
        NO_SUCH_OPTION,
    ),
    row(
        "import scip",
        NEVER,
        NEVER,
        &["nowhere.scip"],
        &["money.py"],
    ),
    row("export", &[""], NEVER, NEVER, &["--format", "purple"]),
    row("session", NEVER, &[""], &["show", "nobody"], &["show", ""]),
    row("errors", NEVER, &["-n", "0"], &["ffffffff"], &[" "]),
    row("recipe", NEVER, &["-n", "0"], &["ffffffff"], &[" "]),
    row(
        "install",
        &["claude-code", "--dry-run"],
        NEVER,
        NEVER,
        &["purple"],
    ),
    row(
        "uninstall",
        &["claude-code", "--dry-run"],
        NEVER,
        NEVER,
        &["purple"],
    ),
    row("hook", &["claude-code"], NEVER, NEVER, NEVER),
    row("job", &["reindex"], NEVER, NEVER, &[""]),
    row("mcp", &[""], NEVER, NEVER, NO_SUCH_OPTION),
    row("up", NEVER, NEVER, NEVER, &["--port", "x"]),
    row(
        "backup",
        &[""],
        NEVER,
        &["restore", "nothing", "--yes"],
        NO_SUCH_OPTION,
    ),
    row("prune", &[""], NEVER, NEVER, NO_SUCH_OPTION),
    row("reindex", &[""], NEVER, NEVER, NO_SUCH_OPTION),
    row("model", &[""], NEVER, NEVER, &["use", "purple"]),
    row("doctor", &[""], NEVER, NEVER, NO_SUCH_OPTION),
    row(
        "config",
        &["get", "search.limit"],
        NEVER,
        NEVER,
        &["get", "purple"],
    ),
    row("completions", &["bash"], NEVER, NEVER, &["purple"]),
    row("version", &[""], NEVER, NEVER, NO_SUCH_OPTION),
    row("help", &["", "search"], NEVER, NEVER, &["serch"]),
    row("forget", &["ID"], NEVER, &["ffffffff"], &["1"]),
    row(
        "forget --whole-project",
        NEVER,
        NEVER,
        &["nobody"],
        &["--no-such-option"],
    ),
    row("restore", &["ID"], NEVER, &["ffffffff"], &["1"]),
    row("off", &[""], NEVER, NEVER, NO_SUCH_OPTION),
    row("on", &[""], NEVER, NEVER, NO_SUCH_OPTION),
];

/// A repository with three files that belong together, one that stands alone and one that is empty.
fn shop() -> Sandbox {
    let sandbox = repository();
    let commit = |message: &str| {
        sandbox.git(&sandbox.project(), ["add", "."]);
        sandbox.git(&sandbox.project(), ["commit", "--quiet", "-m", message]);
    };
    for (path, text) in [
        ("alone.py", "ALONE = 1\n"),
        ("empty.py", "\n"),
        ("rules.md", "- Never push to main without a review.\n"),
        (
            "one.jsonl",
            "{\"type\":\"gotcha\",\"content\":\"Ports below 1024 need root.\"}\n",
        ),
        ("two.jsonl", "{\"type\":\n"),
        ("nothing.md", "# Rules\n"),
    ] {
        sandbox.write(path, text);
    }
    commit("Add what stands alone");
    for n in 0..4 {
        sandbox.write(
            "money.py",
            format!("def cents(sum):\n    return sum * {n}\n"),
        );
        let report = "from money import cents\n\ndef report(sum):\n    return cents(sum)";
        sandbox.write("report.py", format!("{report} + {n}\n"));
        commit("Count again");
    }
    let bare = sandbox.project().join("bare");
    std::fs::create_dir(&bare).expect("a folder can be made");
    sandbox.git(&bare, ["init", "--quiet"]);
    let remember = ["remember", "The cache is shared between pods."];
    sandbox.oldhand(remember).run().success();
    sandbox
}

#[test]
fn every_command_keeps_to_the_rule() {
    let sandbox = shop();
    let id = id_of(&sandbox, "cache");
    let mut wrong = Vec::new();
    for row in ROWS {
        for (given, code) in [
            (row.nothing, 1),
            (row.unknown, 1),
            (row.bad, 2),
            (row.well, 0),
        ] {
            if given == NEVER {
                continue;
            }
            let given = given.iter().filter(|word| !word.is_empty() || code == 2);
            let given = given.map(|word| if *word == "ID" { &id } else { *word });
            let words: Vec<&str> = row.command.split(' ').chain(given).collect();
            for json in [None, Some("--json")] {
                if row.command == "restore" && code == 0 {
                    // What is there again cannot be brought back again.
                    sandbox.oldhand(["forget", &id]).run().success();
                }
                let outcome = sandbox.oldhand(words.iter().copied().chain(json)).run();
                if outcome.code != Some(code) {
                    wrong.push(format!("{words:?} should end with {code}: {outcome}"));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_command_is_in_the_table() {
    let help = sandbox().oldhand(["--help"]).run().success();
    let listed = help.lines().skip_while(|line| *line != "Commands:").skip(1);
    let listed = listed.take_while(|line| !line.is_empty());
    let named = listed.filter(|line| !line.starts_with("   "));
    let known: BTreeSet<&str> = named
        .filter_map(|line| line.split_whitespace().next())
        .collect();
    let held: BTreeSet<&str> = ROWS
        .iter()
        .filter_map(|row| row.command.split(' ').next())
        .collect();
    assert_eq!(known, held);
}

/// The table as `docs/commands.md` has it.
pub(crate) fn page() -> String {
    let mut page = String::from(
        "\
## Exit codes

| code | meaning |
| --- | --- |
| 0 | it was answered or done; that there was nothing to do is no failure (`prune`, `export`, an `import` of what was taken in before) |
| 1 | nothing was found, or what you named is not there: a memory, a session, a file, a definition, a project; an `import` found nothing to take |
| 2 | it was not understood or could not be done: a word or option of ours that does not exist, an empty or cut off name, a full disk; an empty question to `search` or `context` is answered with 1 |
| 130 | it was interrupted |

`hook` always ends with 0, so that no agent stops because of it. With `-n 0` every list is shown whole. An example of each, tried by a test:

| command | 0 | 1, nothing found | 1, not there | 2 |
| --- | --- | --- | --- | --- |
",
    );
    for row in ROWS {
        let cell = |given: &[&str]| {
            let shown: Vec<String> = given.iter().map(|word| quote(word)).collect();
            match given {
                NEVER => "–".to_owned(),
                [""] if shown == ["''"] => "alone".to_owned(),
                _ => format!("`{}`", shown.join(" ")),
            }
        };
        let bad = match row.bad {
            [""] => "`''`".to_owned(),
            bad => cell(bad),
        };
        let _ = writeln!(
            page,
            "| {} | {} | {} | {} | {bad} |",
            row.command,
            cell(row.well),
            cell(row.nothing),
            cell(row.unknown)
        );
    }
    page
}

fn quote(word: &str) -> String {
    if word.trim().is_empty() || word.contains(' ') {
        format!("'{word}'")
    } else {
        word.to_owned()
    }
}
