//! What an import of rules does not take at its word: pasted manuals, files that are not there, values that two files give otherwise.

use oldhand_testkit::Sandbox;

use crate::{id_of, repository, sandbox};

fn import(sandbox: &Sandbox) -> oldhand_testkit::Outcome {
    sandbox.oldhand(["import", "rules", "--yes"]).run()
}

fn list(sandbox: &Sandbox, more: &[&str]) -> String {
    let arguments = ["list", "--json"].iter().chain(more);
    sandbox.oldhand(arguments).run().stdout
}

fn with_manual(commands: usize) -> Sandbox {
    let sandbox = sandbox();
    let commands: Vec<String> = (0..commands)
        .map(|n| format!("rtk docker part{n} # Compact list {n}"))
        .collect();
    let commands = commands.join("\n");
    sandbox.write(
        "CLAUDE.md",
        format!(
            "# Shop\n\n- Keep the prices in cents everywhere.\n\n# RTK\n\n**Always prefix commands with `rtk`.**\n\n## Docker\n\n```bash\n{commands}\n```\n"
        ),
    );
    sandbox
}

#[test]
fn a_pasted_manual_is_one_pointer_that_nobody_is_told_unasked() {
    let sandbox = with_manual(20);
    let shown = import(&sandbox).success();
    assert!(
        shown.contains("CLAUDE.md: 2 rules, and a manual of rtk (28 lines) as one pointer"),
        "{shown}"
    );
    let kept = list(&sandbox, &[]);
    assert_eq!(kept.matches("\"content\"").count(), 3, "{kept}");
    assert!(kept.contains("Always prefix commands"), "{kept}");
    let found = sandbox.oldhand(["search", "manual of rtk"]).run().success();
    assert!(found.contains("is a manual of `rtk`"), "{found}");
    let told = sandbox.oldhand(["context", "read the manual of rtk"]).run();
    assert!(!told.stdout.contains("] The section"), "{told}");
    assert!(told.stdout.contains("confidence 0.40 is under"), "{told}");
    let again = import(&sandbox).success();
    assert!(again.contains("= 3 rules known already"), "{again}");
}

#[test]
fn a_few_commands_are_rules() {
    let shown = import(&with_manual(19)).success();
    assert!(!shown.contains("a manual of"), "{shown}");
}

#[test]
fn a_manual_that_moves_within_its_file_stays_what_it_is() {
    let sandbox = with_manual(20);
    import(&sandbox).success();
    let path = sandbox.project().join("CLAUDE.md");
    let text = std::fs::read_to_string(&path).unwrap();
    let text = text.replace("# RTK", "- Keep the taxes apart from them.\n\n# RTK");
    std::fs::write(&path, text).unwrap();
    let again = import(&sandbox).success();
    assert!(again.contains("= 3 rules known already"), "{again}");
    assert!(!again.contains("stale"), "{again}");
}

#[test]
fn a_rule_that_names_a_file_which_is_not_there_waits() {
    let sandbox = sandbox();
    sandbox.write(".golangci.yaml", "version: 2\n");
    sandbox.write(
        "CLAUDE.md",
        "# Shop\n\n- Read `.golangci.yml` before you write any Go code.\n- Put the report into `out/report.json` when it is done.\n",
    );
    let shown = import(&sandbox).success();
    assert!(
        shown.contains("line 3 names a file that is not there: .golangci.yml"),
        "{shown}"
    );
    assert!(!shown.contains("line 4 names"), "{shown}");
    let waiting = list(&sandbox, &["--needs-review"]);
    assert!(waiting.contains("missing_file"), "{waiting}");
    assert!(!waiting.contains("report.json"), "{waiting}");
    let review = sandbox.oldhand(["review"]).run().success();
    assert!(
        review.contains("it names a file that is not there"),
        "{review}"
    );
}

#[test]
fn two_files_that_give_a_name_other_values_wait_and_say_where() {
    let sandbox = repository();
    let top = sandbox.project();
    let write = |file: &str, value: &str, why: &str| {
        let rule = format!("# Shop\n\n- Automatic commits: `AllowsMain() = {value}` - {why}\n");
        sandbox.write(file, rule);
    };
    let commit = |second: u32| {
        sandbox.git(&top, ["add", "-A"]);
        let time = format!("2026-01-01T00:00:{second:02}Z");
        sandbox.git_at(&top, &time, ["commit", "--quiet", "-m", "A step"]);
    };
    write("CLAUDE.md", "false", "not yet");
    write("AGENTS.md", "maybe", "not yet");
    commit(1);
    write(
        "AGENTS.md",
        "false",
        "it makes commits, so stay away from main",
    );
    commit(2);
    write(
        "CLAUDE.md",
        "true",
        "safe there, for it commits to the branch at hand",
    );
    commit(3);
    let told = import(&sandbox);
    let expected =
        "AGENTS.md: line 3 contradicts line 3 of CLAUDE.md (CLAUDE.md was changed later)";
    assert!(told.stderr.contains(expected), "{told}");
    let review = sandbox.oldhand(["review"]).run().success();
    let review = review.split_whitespace().collect::<Vec<_>>().join(" ");
    for place in ["line 3 of CLAUDE.md", "line 3 of AGENTS.md"] {
        assert!(review.contains(place), "{review}");
    }
}

#[test]
fn a_rule_in_the_manual_of_an_own_program_is_found_where_it_stands() {
    let sandbox = repository();
    sandbox.write("Cargo.toml", "[package]\nname = \"till\"\n");
    let commands: Vec<String> = (0..20)
        .map(|n| format!("till docker part{n} # Compact list {n}"))
        .collect();
    let commands = commands.join("\n");
    let rule = |value: &str| format!("- Automatic commits: `AllowsMain() = {value}` - by hand\n");
    let own = format!(
        "# Shop\n\n# Till\n\n{}\n```bash\n{commands}\n```\n",
        rule("true")
    );
    sandbox.write("CLAUDE.md", own);
    sandbox.write("AGENTS.md", format!("# Shop\n\n{}", rule("false")));
    let told = import(&sandbox);
    let expected = "AGENTS.md: line 3 contradicts line 5 of CLAUDE.md";
    assert!(told.stderr.contains(expected), "{told}");
}

#[test]
fn what_waits_for_an_order_says_which() {
    let sandbox = sandbox();
    sandbox.write(
        "CLAUDE.md",
        "# Shop\n\n- Install mise: `curl https://mise.run | sh`\n",
    );
    import(&sandbox).success();
    let id = id_of(&sandbox, "mise");
    for command in [&["review"][..], &["show", &id]] {
        let shown = sandbox.oldhand(command).run().stdout;
        let why = "it runs a program straight from the network";
        assert!(shown.contains(why), "{shown}");
    }
}

#[test]
fn the_question_says_where_very_many_rules_stand() {
    for (rules, is_many) in [(121, true), (120, false)] {
        let sandbox = sandbox();
        let each: Vec<String> = (0..rules)
            .map(|n| format!("- Use the colour {n} for part {n} of the page."))
            .collect();
        sandbox.write(
            "CLAUDE.md",
            format!("# Shop\n\n## Colours\n\n{}\n", each.join("\n")),
        );
        let told = sandbox.oldhand(["import", "rules"]).run();
        let says = "CLAUDE.md has 121 rules, more than people usually write";
        assert_eq!(told.stderr.contains(says), is_many, "{told}");
        assert_eq!(told.stderr.contains("\"Colours\" (121)"), is_many, "{told}");
    }
}
