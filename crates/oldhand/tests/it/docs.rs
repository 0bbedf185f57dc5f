//! The reference in `docs/` is what the binary says about itself.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use crate::{id_of, sandbox, taught};

/// Set to write the page instead of comparing it.
const UPDATE: &str = "OLDHAND_UPDATE_DOCS";

#[test]
fn the_commands_page_is_the_help_of_every_command() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/commands.md");
    let page = page();
    if std::env::var_os(UPDATE).is_some() {
        fs::write(&path, &page).expect("the page can be written");
    }
    let written = fs::read_to_string(&path).expect("the page is there");
    assert!(
        written == page,
        "docs/commands.md is not current: run this test with {UPDATE}=1"
    );
}

fn page() -> String {
    let mut page = String::from(
        "\
# Commands

What `oldhand COMMAND --help` says, for every command. The answers to `--json` are described in [json.md](json.md), settings in
[configuration.md](configuration.md).

Answers go to standard output, everything else to standard
error. Every command takes `--json` (answer in JSON; `completions` prints its script all the same), `--project DIR` (any folder inside the project to work on) and `--color auto|always|never`. An id may be given in full, as the eight letters that lists show, or as the beginning of either.

",
    );
    page.push_str(&crate::exit_codes::page());
    for command in subcommands(&[]) {
        describe(&mut page, &[&command]);
        for inner in subcommands(&[&command]) {
            describe(&mut page, &[&command, &inner]);
        }
    }
    page
}

fn describe(page: &mut String, command: &[&str]) {
    let help = help(command);
    let heading = "#".repeat(1 + command.len());
    let _ = write!(
        page,
        "\n{heading} {}\n\n```text\n{}\n```\n",
        command.join(" "),
        help.trim_end()
    );
}

fn subcommands(command: &[&str]) -> Vec<String> {
    let help = help(command);
    let listed = help.lines().skip_while(|line| *line != "Commands:").skip(1);
    let listed = listed.take_while(|line| !line.is_empty());
    // A line that continues a description is indented further.
    let named = listed.filter(|line| line.starts_with("  ") && !line.starts_with("   "));
    let names = named.filter_map(|line| line.split_whitespace().next());
    names.map(str::to_owned).collect()
}

fn help(command: &[&str]) -> String {
    let arguments = command.iter().chain(&["--help"]);
    let help = sandbox().oldhand(arguments).run().success();
    let mut section = "";
    let mut kept = Vec::new();
    for line in help.lines().map(str::trim_end) {
        assert!(line.chars().count() <= 80, "{command:?}: {line}");
        if line.ends_with(':') && !line.starts_with(' ') {
            section = line;
        }
        // What every command has is said once, at the top of the page.
        if section != "Everywhere:" {
            kept.push(line);
        }
    }
    kept.join("\n")
}

#[test]
fn every_field_of_an_answer_is_described() {
    let sandbox = taught();
    let id = id_of(&sandbox, "migrations");
    sandbox.write("CLAUDE.md", "- Never push to main.\n\n| a | table |\n");
    sandbox.write(
        "shop/money.py",
        "def cents(amount):\n    return amount * 100\n",
    );
    sandbox.write(
        "shop/report.py",
        "from shop.money import cents\n\n\ndef report(sale):\n    return cents(sale)\n",
    );
    let secret = format!("The staging key is {}{}", "AKIA", "Q3EGRIPW7XZLC2TM");
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/json.md");
    let described = fs::read_to_string(path).expect("the page is there");
    for arguments in [
        &["search", "migrations"][..],
        &["list"],
        &["show", &id],
        &["remember", &secret],
        &["flag", &id, "outdated", "--note", "moved"],
        &["import", "rules", "--dry-run"],
        &["init", "--yes"],
        &["status"],
        &["doctor"],
        &["backup"],
        &["backup", "list"],
        &["backup", "restore", "latest", "--yes"],
        &["config", "show"],
        &["version"],
        &["prune", "--dry-run"],
        &["show", "ffffffff"],
        &["session", "list"],
        &["import", "transcripts"],
        &["session", "finalize", "--all"],
        &["impact", "cents"],
        &["deps", "shop/money.py"],
        &["refs", "cents"],
        &["flow", "report", "cents"],
        &["where", "money"],
        &["outline", "shop/report.py"],
        &["map"],
        &["coupled", "shop/money.py"],
        &["hot"],
        &["reindex"],
    ] {
        let outcome = sandbox.oldhand(arguments.iter().chain(&["--json"])).run();
        let answer = [outcome.stdout.as_str(), outcome.stderr.as_str()].concat();
        let answer: serde_json::Value = serde_json::from_str(&answer).expect("one JSON document");
        for field in fields(&answer) {
            let spellings = [format!("`{field}`"), format!("\"{field}\"")];
            let found = spellings
                .iter()
                .any(|spelling| described.contains(spelling));
            assert!(found, "{arguments:?}: {field}");
        }
    }
}

/// The names of all fields, those of counts by type left out: they are words of the vocabulary.
fn fields(value: &serde_json::Value) -> Vec<String> {
    match value {
        serde_json::Value::Array(items) => items.iter().flat_map(fields).collect(),
        serde_json::Value::Object(members) => members
            .iter()
            .flat_map(|(name, inner)| {
                let inner = if name == "types" {
                    Vec::new()
                } else {
                    fields(inner)
                };
                std::iter::once(name.clone()).chain(inner)
            })
            .collect(),
        _ => Vec::new(),
    }
}
