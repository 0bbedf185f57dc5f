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
