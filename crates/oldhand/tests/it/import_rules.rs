//! `oldhand import rules`.

use oldhand_testkit::Sandbox;

use crate::{assert_transcript, id_of, sandbox};

fn with_rules() -> Sandbox {
    let sandbox = sandbox();
    sandbox.write("src/db/schema.sql", "");
    sandbox.write(
        "CLAUDE.md",
        "\
# Shop

This file provides guidance to Claude Code.

## Commands

```bash
# Run the fast tests
npm test
```

## Database

- Never edit `src/db/schema.sql` by hand; change the migrations in `src/db/gone.sql`.
- Prefer prepared statements over string building in every query.

| table | owner |
|-------|-------|
",
    );
    sandbox.write(
        ".cursorrules",
        "You must answer in English.\nUse two spaces.\n",
    );
    sandbox.write(
        ".cursor/rules/api.mdc",
        "---\ndescription: API\nglobs: src/db/**/*.sql\n---\n- Watch out: the API caches for an hour.\n",
    );
    sandbox.write(
        ".windsurfrules",
        "1. Keep components under 200 lines of code each.\n",
    );
    sandbox.write(".github/copilot-instructions.md", "We use pnpm, not npm.\n");
    sandbox.write(
        "AGENTS.md",
        "Always run the linter before committing anything.\n",
    );
    sandbox
}

#[test]
fn a_preview_writes_nothing() {
    let sandbox = with_rules();
    assert_transcript!(sandbox.oldhand(["import", "rules", "--dry-run"]));
    assert_eq!(std::fs::read_dir(sandbox.home()).unwrap().count(), 0);
}

#[test]
fn every_known_file_is_taken() {
    let sandbox = with_rules();
    assert_transcript!(sandbox.oldhand(["import", "rules", "--yes"]));
    assert_transcript!(sandbox.oldhand(["list"]));
}

#[test]
fn as_json() {
    assert_transcript!(with_rules().oldhand([
        "import",
        "rules",
        ".cursorrules",
        "--yes",
        "--json"
    ]));
}

#[test]
fn a_second_time_takes_only_what_is_new() {
    let sandbox = with_rules();
    sandbox
        .oldhand(["import", "rules", "--yes"])
        .run()
        .success();
    let before = sandbox
        .oldhand(["export"])
        .at("2026-02-01T00:00:00Z")
        .run()
        .success();
    assert_transcript!(sandbox.oldhand(["import", "rules", "--yes"]));
    let after = sandbox
        .oldhand(["export"])
        .at("2026-02-01T00:00:00Z")
        .run()
        .success();
    assert_eq!(before, after);
    sandbox.write(
        ".cursorrules",
        "You must answer in English.\nUse four spaces.\n",
    );
    assert_transcript!(sandbox.oldhand(["import", "rules", ".cursorrules", "--yes"]));
}

#[test]
fn a_rule_that_was_forgotten_stays_forgotten() {
    let sandbox = with_rules();
    sandbox
        .oldhand(["import", "rules", "--yes"])
        .run()
        .success();
    let id = id_of(&sandbox, "linter");
    sandbox.oldhand(["forget", &id]).run().success();
    sandbox
        .oldhand(["import", "rules", "--yes"])
        .run()
        .success();
    assert_eq!(sandbox.oldhand(["search", "linter"]).run().code, Some(1));
}

#[test]
fn without_a_terminal_a_yes_is_needed() {
    assert_transcript!(with_rules().oldhand(["import", "rules", "AGENTS.md"]));
}

#[test]
fn without_rules_files_nothing_is_found() {
    assert_transcript!(sandbox().oldhand(["import", "rules"]));
}

#[test]
fn without_rules_files_the_project_stays_unknown() {
    let sandbox = sandbox();
    let outcome = sandbox.oldhand(["import", "rules", "--yes"]).run();
    assert_eq!(outcome.code, Some(1), "{outcome}");
    assert!(!sandbox.home().join("projects.toml").exists());
}

#[test]
fn a_rule_that_was_edited_or_erased_stays_so() {
    let sandbox = with_rules();
    let import = || {
        sandbox
            .oldhand(["import", "rules", "--yes"])
            .run()
            .success()
    };
    import();
    let edited = id_of(&sandbox, "linter");
    sandbox
        .oldhand(["edit", &edited, "--text", "Format before every commit."])
        .run()
        .success();
    let erased = id_of(&sandbox, "prepared statements");
    sandbox
        .oldhand(["forget", &erased, "--now", "--yes"])
        .run()
        .success();
    let again = import();
    assert!(!again.contains("+ "), "{again}");
    assert_eq!(sandbox.oldhand(["search", "linter"]).run().code, Some(1));
}

#[cfg(unix)]
#[test]
fn a_file_with_two_names_is_read_once() {
    let sandbox = sandbox();
    sandbox.write("CLAUDE.md", "Always run the linter before committing.\n");
    let link = sandbox.project().join("GEMINI.md");
    std::os::unix::fs::symlink("CLAUDE.md", link).unwrap();
    for files in [&[][..], &["GEMINI.md", "CLAUDE.md"]] {
        let arguments = ["import", "rules", "--dry-run"];
        let outcome = sandbox.oldhand(arguments.iter().chain(files)).run();
        let shown = outcome.success();
        assert_eq!(shown.matches("+ ").count(), 1, "{shown}");
    }
}

#[cfg(unix)]
#[test]
fn a_page_for_people_is_one_by_whichever_link_it_is_found() {
    let sandbox = sandbox();
    sandbox.write("docs/page.md", "We love that you are here.\n\n## Contributing\n\n- Always run the linter before committing.\n");
    let link = sandbox.project().join("CONTRIBUTING.md");
    std::os::unix::fs::symlink("docs/page.md", link).unwrap();
    let shown = sandbox.oldhand(["import", "rules", "--dry-run"]).run();
    let shown = shown.success();
    assert!(
        shown.contains("linter") && shown.contains("CONTRIBUTING.md"),
        "{shown}"
    );
    assert!(!shown.contains("that you are here"), "{shown}");
}

#[test]
fn a_file_that_is_not_text_does_not_hold_up_the_others() {
    let sandbox = sandbox();
    sandbox.write("AGENTS.md", "Always run the linter before committing.\n");
    let bad = sandbox.project().join("CLAUDE.md");
    std::fs::write(bad, b"Use caf\xe9.\n").unwrap();
    let outcome = sandbox.oldhand(["import", "rules", "--yes"]).run();
    assert_eq!(outcome.code, Some(2), "{outcome}");
    assert!(outcome.stderr.contains("passed over: "), "{outcome}");
    assert!(outcome.stdout.contains("1 new"), "{outcome}");
    let init = sandbox.oldhand(["init"]).run();
    assert_eq!(init.code, Some(0), "{init}");
    assert!(init.stderr.contains("CLAUDE.md is not UTF-8"), "{init}");
}

#[test]
fn a_file_without_rules_is_told() {
    let sandbox = sandbox();
    sandbox.write("empty.md", "\n");
    let outcome = sandbox.oldhand(["import", "rules", "empty.md"]).run();
    assert!(outcome.stdout.contains("it holds no rules"), "{outcome}");
    assert!(!outcome.stderr.contains("known already"), "{outcome}");
}

#[test]
fn a_secret_is_not_shown_and_its_line_of_the_file_is_told() {
    let sandbox = sandbox();
    let secret = ["AKIA", "Q3EGRIXVZ7BUJ2NW"].concat();
    let text = format!("# Rules\n\n- Format the code.\n- Call the API\n  with {secret} always.\n");
    sandbox.write("AGENTS.md", &text);
    let dry = ["import", "rules", "--dry-run"];
    for arguments in [&dry[..], &[&dry[..], &["--json"]].concat()] {
        let outcome = sandbox.oldhand(arguments).run();
        assert_eq!(outcome.code, Some(0), "{outcome}");
        assert!(!outcome.stdout.contains(&secret), "{outcome}");
    }
    let outcome = sandbox
        .oldhand(["import", "rules", "--yes", "--json"])
        .run();
    assert!(!outcome.stdout.contains(&secret), "{outcome}");
    assert!(
        outcome.stdout.contains(r#""line":5,"column":null"#),
        "{outcome}"
    );
    assert!(outcome.stderr.contains("was left out: line 5"), "{outcome}");
}

#[test]
fn a_program_is_no_rules_file() {
    let sandbox = sandbox();
    sandbox.write("mcp.py", "# Never push to main.\nprint(1)\n");
    let outcome = sandbox
        .oldhand(["import", "rules", "mcp.py", "--yes"])
        .run();
    assert_eq!(outcome.code, Some(2), "{outcome}");
    assert!(
        outcome.stderr.contains("mcp.py is no rules file")
            && outcome.stderr.contains("hint: rules stand in Markdown"),
        "{outcome}"
    );
}

#[cfg(unix)]
#[test]
fn a_link_out_of_the_project_is_no_rules_file_of_it() {
    let sandbox = sandbox();
    sandbox.write("../elsewhere.md", "- Always push straight to main.\n");
    sandbox.write(
        "docs/rules.md",
        "- Prefer prepared statements in every query.\n",
    );
    let link = |target: &str, name: &str| {
        std::os::unix::fs::symlink(target, sandbox.project().join(name)).unwrap();
    };
    link("../elsewhere.md", "AGENTS.md");
    link("docs/rules.md", "CLAUDE.md");
    let run = sandbox.oldhand(["import", "rules", "--yes"]).run();
    let said = format!("{run:?}");
    assert!(
        said.contains("AGENTS.md is a link out of the project"),
        "{said}"
    );
    let list = sandbox.oldhand(["list", "--json"]).run().success();
    assert!(list.contains("prepared statements"), "{list}");
    assert!(!list.contains("push straight"), "{list}");
    // Who names it stands by it.
    sandbox
        .oldhand(["import", "rules", "--yes", "AGENTS.md"])
        .run()
        .success();
    let list = sandbox.oldhand(["list", "--json"]).run().success();
    assert!(list.contains("push straight"), "{list}");
}

#[test]
fn what_a_heading_forbids_keeps_it_and_what_was_taken_without_it_goes() {
    let sandbox = sandbox();
    let rule = "Use console.log statements in production code paths because they leak data.";
    let import = || {
        let import = sandbox.oldhand(["import", "rules", "AGENTS.md", "--yes"]);
        import.run().success()
    };
    sandbox.write("AGENTS.md", format!("## Logging\n\n- {rule}\n"));
    import();
    sandbox.write("AGENTS.md", format!("## Do not\n\n- {rule}\n"));
    let told = import();
    let list = sandbox.oldhand(["list"]).run().success();
    assert!(list.contains("Do not use console.log"), "{told}\n{list}");
    assert!(!list.contains("Use console.log"), "{told}\n{list}");
    let again = import();
    assert!(again.contains("1 rule known already"), "{again}");
}

#[test]
fn rules_files_of_folders_hold_there_and_are_found_once() {
    let sandbox = sandbox();
    let write = |path: &str, rule: &str| sandbox.write(path, format!("# Rules\n\n- {rule}\n"));
    write(
        "AGENTS.md",
        "Always run the linter before committing anything.",
    );
    write(
        "web/AGENTS.md",
        "Never fetch in a component; `store.ts` does that for all of them.",
    );
    sandbox.write("web/store.ts", "");
    write(
        "api/deep/GEMINI.md",
        "Always answer errors with a problem document.",
    );
    write("node_modules/x/AGENTS.md", "Always use the vendored thing.");
    write("tests/fixtures/AGENTS.md", "Always be a fixture.");
    write("external/lib/AGENTS.md", "Always use what others wrote.");
    write("third-party/x/AGENTS.md", "Always be of a third party.");
    write("examples/demo/CLAUDE.md", "Always show how it is done.");
    #[cfg(unix)]
    for folder in ["web", "api"] {
        let link = sandbox.project().join(folder).join("CLAUDE.md");
        std::fs::create_dir_all(link.parent().unwrap()).unwrap();
        std::os::unix::fs::symlink("../node_modules/x/AGENTS.md", link).unwrap();
    }
    write("sub/AGENTS.md", "Always be a submodule of your own.");
    sandbox.write("sub/.git", "gitdir: elsewhere");
    write("out/AGENTS.md", "Always be ignored by git.");
    sandbox.write(".gitignore", "out/\n");
    let answer = sandbox
        .oldhand(["import", "rules", "--yes", "--json"])
        .run()
        .success();
    let answer: serde_json::Value = serde_json::from_str(&answer).unwrap();
    let files = answer["files"].as_array().unwrap().iter();
    let files: Vec<&str> = files.map(|file| file["path"].as_str().unwrap()).collect();
    assert_eq!(files, ["AGENTS.md", "web/AGENTS.md", "api/deep/GEMINI.md"]);
    let listed = sandbox
        .oldhand(["list", "--json", "--scope", "module"])
        .run()
        .success();
    let listed: serde_json::Value = serde_json::from_str(&listed).unwrap();
    let about = |words: &str| {
        let mut all = listed["memories"].as_array().unwrap().iter();
        let one = all.find(|one| one["content"].as_str().unwrap().contains(words));
        one.unwrap()["files"].clone()
    };
    assert_eq!(
        about("in a component"),
        serde_json::json!(["web", "web/store.ts"])
    );
    assert_eq!(about("problem document"), serde_json::json!(["api/deep"]));
    let again = sandbox.oldhand(["import", "rules", "--yes"]).run();
    assert!(
        again.stderr.contains("everything is known already"),
        "{}",
        again.stderr
    );
}

/// What is live, each with the files that it is about.
fn listed(sandbox: &Sandbox) -> Vec<(String, serde_json::Value)> {
    let list = sandbox.oldhand(["list", "--json"]).run().success();
    let list: serde_json::Value = serde_json::from_str(&list).expect("a list is JSON");
    let memories = list["memories"].as_array().expect("a list").iter();
    let told = memories.map(|one| {
        let content = one["content"].as_str().expect("a text").to_owned();
        (content, one["files"].clone())
    });
    let mut told: Vec<_> = told.collect();
    told.sort_by_key(|(content, files)| (content.clone(), files.to_string()));
    told
}

#[test]
fn a_file_of_a_folder_forbids_nothing_elsewhere() {
    let sandbox = sandbox();
    let rule = "Use default exports for the components of pages.";
    sandbox.write("AGENTS.md", format!("# Rules\n\n- {rule}\n"));
    sandbox.write("web/AGENTS.md", format!("## Never\n\n- {rule}\n"));
    let import = ["import", "rules", "--yes"];
    sandbox.oldhand(import).run().success();
    let kept = listed(&sandbox);
    assert_eq!(kept.len(), 2, "{kept:?}");
    assert!(kept.iter().any(|(content, _)| content == rule), "{kept:?}");
}

#[test]
fn what_one_folder_says_is_new_in_another_and_at_the_top() {
    let sandbox = sandbox();
    let rule = "Never fetch in a component of a page.";
    let write = |path: &str| sandbox.write(path, format!("# Rules\n\n- {rule}\n"));
    let import = || {
        let import = sandbox.oldhand(["import", "rules", "--yes"]);
        import.run().success()
    };
    write("web/AGENTS.md");
    import();
    write("api/AGENTS.md");
    import();
    let both = (rule.to_owned(), serde_json::json!(["api", "web"]));
    assert_eq!(listed(&sandbox), std::slice::from_ref(&both));
    write("AGENTS.md");
    import();
    let everywhere = (rule.to_owned(), serde_json::json!([]));
    assert_eq!(listed(&sandbox), [both, everywhere]);
    assert!(import().contains("= 1 rule known already"));
}

/// A project whose two rules files disagree.
fn disagreeing() -> Sandbox {
    let sandbox = sandbox();
    let write = |file: &str, program: &str| {
        let rule = format!("# Rules\n\n- Run all of the tests with `{program} test`\n");
        sandbox.write(file, rule);
    };
    write("CLAUDE.md", "npm");
    write("AGENTS.md", "pnpm");
    let taken = sandbox.oldhand(["import", "rules", "--yes"]).run();
    assert!(
        taken.stderr.contains("AGENTS.md: line 3 contradicts"),
        "{}",
        taken.stderr
    );
    sandbox
}

fn waiting(sandbox: &Sandbox) -> String {
    let list = ["list", "--needs-review", "--json"];
    sandbox.oldhand(list).run().stdout
}

#[test]
fn two_rules_files_that_disagree_wait_for_a_persons_word() {
    let sandbox = disagreeing();
    let waiting = waiting(&sandbox);
    assert!(
        waiting.contains("`npm test`") && waiting.contains("`pnpm test`"),
        "{waiting}"
    );
    let told = sandbox.oldhand(["context", "run the tests"]).run();
    assert!(!told.stdout.contains("told in"), "{}", told.stdout);
    let right = id_of(&sandbox, "pnpm");
    sandbox.oldhand(["verify", &right]).run().success();
    let left = sandbox.oldhand(["list", "--json"]).run().success();
    assert!(
        left.contains("`pnpm test`") && !left.contains("`npm test`"),
        "{left}"
    );
}

#[test]
fn a_dispute_is_over_where_one_of_the_two_is_forgotten() {
    for how in [&[][..], &["--now", "--yes"]] {
        let sandbox = disagreeing();
        let wrong = id_of(&sandbox, "pnpm");
        let forget = ["forget", &wrong];
        let forget = forget.iter().chain(how);
        sandbox.oldhand(forget).run().success();
        assert_eq!(listed(&sandbox).len(), 1);
        let waiting = waiting(&sandbox);
        assert!(!waiting.contains("`npm test`"), "{waiting}");
    }
}

#[test]
fn a_dispute_is_over_where_a_file_does_not_say_it_any_more() {
    for now in ["- Run all of the tests with `npm test`", "Ask us."] {
        let sandbox = disagreeing();
        sandbox.write("AGENTS.md", format!("# Rules\n\n{now}\n"));
        let import = ["import", "rules", "--yes"];
        let told = sandbox.oldhand(import).run();
        assert!(told.stdout.contains("1 rule became stale"), "{told}");
        let over = waiting(&sandbox);
        assert!(!over.contains("`npm test`"), "{over}");
        sandbox.write(
            "AGENTS.md",
            "# Rules\n\n- Run all of the tests with `pnpm test`\n",
        );
        let told = sandbox.oldhand(import).run();
        assert!(told.stdout.contains("1 rule no longer stale"), "{told}");
        let again = waiting(&sandbox);
        assert!(again.contains("`npm test`"), "{again}");
        assert!(again.contains("`pnpm test`"), "{again}");
    }
}
