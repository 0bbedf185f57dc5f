//! What says a statement already, and what does not.

use super::*;

fn is_said(statement: &str, file: &str, text: &str) -> bool {
    let statement = Statement::of(statement).unwrap();
    statement.place_in(file, text).is_some()
}

const WIRE: &str = "`--wire v2` only affects the reading side.";

#[test]
fn a_document_says_it_with_its_names_and_most_of_its_words() {
    for (text, expected) in [
        // In whichever words, in one paragraph.
        (
            "Both ends speak v1.\n\nReading-side discovery may use v2, and writing stays on v1.\n`--wire v2` asks the reading end for v2.",
            true,
        ),
        ("- `--wire v2`: the reading side only.", true),
        ("| `--wire v2` | only the side that is reading |", true),
        // Only named.
        ("Use `--wire v2` for large archives.", false),
        ("```\ntool pull --wire v2 \\\n  --reading side\n```", false),
        // Another name, and another value.
        ("`--wire v1` only affects the reading side.", false),
        ("`--wire v2-beta` only affects the reading side.", false),
        // The same words in different items.
        (
            "- `--wire v2` is fast.\n- Only the reading side matters.",
            false,
        ),
        // It limits nothing.
        (
            "`--wire v2` affects the reading side and the writing side.",
            false,
        ),
        // It says the opposite.
        ("`--wire v2` does not only affect the reading side.", false),
        (
            "`--wire v2` never affects the reading side, only the other.",
            false,
        ),
    ] {
        assert_eq!(is_said(WIRE, "docs/usage.md", text), expected, "{text}");
    }
}

#[test]
fn words_far_apart_in_a_long_paragraph_say_nothing() {
    let filler = "Rows are kept in pages that are written one by one to the disk. ".repeat(6);
    let apart = format!("`--wire v2` is there. {filler}Only the reading side is cached.");
    assert!(!is_said(WIRE, "docs/usage.md", &apart));
    let near = format!("{filler}`--wire v2` is for the reading side only. {filler}");
    assert!(is_said(WIRE, "docs/usage.md", &near));
}

#[test]
fn denying_and_numbers_have_to_be_the_same() {
    let limit = "`LIMIT_AS` isn't settable on macOS.";
    for (text, expected) in [
        ("macOS rejects each attempt to set `LIMIT_AS`.", true),
        ("`LIMIT_AS` cannot be set on macOS.", true),
        ("On macOS set `LIMIT_AS` before the fork.", false),
        ("macOS does not reject it when we set `LIMIT_AS`.", false),
        ("`LIMIT_AS` is not needed here.", false),
    ] {
        assert_eq!(is_said(limit, "docs/limits.rst", text), expected, "{text}");
    }
    let flush = "`flush` never waits for `fsync`, so a power cut loses the last rows.";
    let opposite =
        "`flush` waits for `fsync`, so that a power cut loses no rows, not even the last.";
    assert!(!is_said(flush, "docs/a.md", opposite));
    let same = "`flush` does not wait for `fsync`: the last rows may be lost by a power cut.";
    assert!(is_said(flush, "docs/a.md", same));
    let wait = "`mount` kills its child after 10 seconds.";
    assert!(is_said(
        wait,
        "docs/a.md",
        "After 10 seconds `mount` kills its child."
    ));
    assert!(!is_said(
        wait,
        "docs/a.md",
        "After 30 seconds `mount` kills its child."
    ));
}

#[test]
fn a_comment_says_it_beside_the_code_that_it_is_about() {
    let limit = "`LIMIT_AS` isn't settable on macOS.";
    let beside = "def cap():\n    # Each limit is set if it can be: macOS rejects\n    # LIMIT_AS, and the child would end.\n    if linux:\n        limits.append(resource.LIMIT_AS)\n";
    assert!(is_said(limit, "src/cap.py", beside));
    let doc = "def cap():\n    \"\"\"Caps the child.\n\n    Each limit is set if it can be: macOS rejects\n    ``LIMIT_AS``.\n    \"\"\"\n    limits = [resource.LIMIT_AS]\n";
    assert!(is_said(limit, "src/cap.py", doc));
    assert!(is_said(
        limit,
        "src/cap.go",
        "x := LIMIT_AS // macOS cannot set LIMIT_AS\n"
    ));
    let far = format!(
        "# macOS cannot set LIMIT_AS.\n{}x = LIMIT_AS\n",
        "y = 1\n".repeat(20)
    );
    assert!(!is_said(limit, "src/cap.py", &far));
    let alone = "# macOS cannot set LIMIT_AS.\nx = 1\n";
    assert!(
        !is_said(limit, "src/cap.py", alone),
        "nothing uses it there"
    );
    let code = "raise Error(\"macOS cannot set LIMIT_AS\")\nx = LIMIT_AS\n";
    assert!(!is_said(limit, "src/cap.py", code), "no comment");
}

#[test]
fn a_text_that_begins_behind_code_is_no_comment_nor_is_the_code_after_it() {
    let limit = "`LIMIT_AS` isn't settable on macOS.";
    let said = "macOS cannot set LIMIT_AS";
    for (text, expected) in [
        (
            format!("X = \"\"\"\nrows\n\"\"\"\nfail({said})\nx = LIMIT_AS\n"),
            false,
        ),
        (
            format!("X = \"\"\"\n# {said}\n\"\"\"\nx = LIMIT_AS\n"),
            false,
        ),
        (
            format!("X = f('''a\n{said}''')\nfail({said})\nx = LIMIT_AS\n"),
            false,
        ),
        (format!("X = \"\"\"a\"\"\"\nx = LIMIT_AS  # {said}\n"), true),
        (format!("X = '\"\"\"'\n# {said}\nx = LIMIT_AS\n"), true),
        (
            format!("X = 1  # or \"\"\"\n# {said}\nx = LIMIT_AS\n"),
            true,
        ),
        (
            format!("X = \"\"\"\nrows\n\"\"\"\n# {said}\nx = LIMIT_AS\n"),
            true,
        ),
    ] {
        assert_eq!(is_said(limit, "src/cap.py", &text), expected, "{text}");
    }
}

#[test]
fn what_is_put_around_a_statement_is_none_of_it() {
    for content in [
        "Easily got wrong: `cache_ttl` counts minutes.",
        "`cache_ttl` counts minutes (`app.toml`).",
        "`cache_ttl` counts minutes (`app.toml`)",
        "`make test` fails with \"error: too old\". The cause: `cache_ttl` counts minutes. Mended in `src/a.c`.",
    ] {
        assert!(
            is_said(content, "docs/a.md", "`cache_ttl` counts minutes."),
            "{content}"
        );
    }
    assert_eq!(Statement::of("Nothing is named here."), None);
    assert_eq!(Statement::of("`a` and `b`"), None);
}

#[test]
fn the_place_is_the_first_line_of_the_passage() {
    let statement = Statement::of("`cache_ttl` counts minutes.").unwrap();
    let text = "# Cache\n\nIt is there.\n\n- One.\n- The value of `cache_ttl`\n  counts minutes.\n";
    assert_eq!(statement.place_in("docs/a.md", text), Some(6));
    assert_eq!(statement.needles(), ["cache_ttl"]);
    let dotted = Statement::of("`transport.UploadPack` emits two marks.").unwrap();
    assert_eq!(dotted.needles(), ["UploadPack"]);
}

#[test]
fn lists_of_changes_and_what_programs_write_say_nothing_of_today() {
    for (file, expected) in [
        ("docs/usage.md", true),
        ("README.md", true),
        ("src/history.rs", true),
        ("CHANGELOG.md", false),
        ("docs/releases/v2.md", false),
        (".changeset/odd-fish.md", false),
        ("web/dist/app.js", false),
    ] {
        assert_eq!(may_say(file), expected, "{file}");
    }
}

#[test]
fn a_text_that_says_otherwise_asks_or_tells_of_another_time_says_nothing() {
    let skips = "`flush` skips `fsync` by default, so a power cut loses the last rows of a table.";
    let order = "`fsync` runs before `flush` when a table of rows is closed.";
    let never = "`flush` never waits for `fsync`, so a power cut loses the last rows.";
    for (statement, text, expected) in [
        (
            skips,
            "By default `flush` skips `fsync`: the last rows of a table are lost in a power cut.",
            true,
        ),
        (
            skips,
            "`flush` calls `fsync` by default, so a power cut keeps the last rows of a table.",
            false,
        ),
        (
            order,
            "When a table is closed `fsync` runs before `flush` for all rows.",
            true,
        ),
        (
            order,
            "`flush` runs before `fsync` when a table of rows is closed.",
            false,
        ),
        (
            never,
            "Note that `flush` never waits for `fsync`. A power cut loses the last rows.",
            true,
        ),
        (
            never,
            "Does `flush` never wait for `fsync`? A power cut would lose the last rows.",
            false,
        ),
        (
            never,
            "Why? `flush` never waits for `fsync`! A power cut loses the last rows.",
            true,
        ),
        (
            never,
            "- [ ] `flush` never waits for `fsync`, a power cut loses the last rows.",
            false,
        ),
        (
            never,
            "- [ ] Should `flush` never wait for `fsync`, so that a power cut loses the last rows?",
            false,
        ),
        (
            never,
            "It is a myth that `flush` never waits for `fsync`, so a power cut loses the last rows.",
            false,
        ),
        (
            never,
            "Before 2.0 `flush` never waited for `fsync`, so a power cut lost the last rows. Since then it waits.",
            false,
        ),
        (
            never,
            "Before 2.0, `flush` never waited for `fsync`, so a power cut lost the last rows.",
            false,
        ),
        (
            never,
            "In 1.4 `flush` never waits for `fsync`, so a power cut loses the last rows.",
            false,
        ),
        (
            never,
            "1. `flush` never waits for `fsync`, so a power cut loses the last rows.",
            true,
        ),
        (
            WIRE,
            "`--wire v2` is fast. Only the reading side matters.",
            false,
        ),
    ] {
        assert_eq!(is_said(statement, "docs/a.md", text), expected, "{text}");
    }
}

#[test]
fn a_word_that_turns_a_statement_around_has_to_be_there() {
    let hooks = "`sync` runs all hooks of the image before the build.";
    let text = |word: &str| format!("The hooks of an image are run by `sync` {word} its build.");
    assert!(is_said(hooks, "docs/a.md", &text("before")));
    assert!(!is_said(hooks, "docs/a.md", &text("after")));
    let mail = "`mailer` is enabled by default for all queues of a worker.";
    let text = |word: &str| format!("By default `mailer` is {word} for the queues of a worker.");
    assert!(is_said(mail, "docs/a.md", &text("enabled")));
    assert!(!is_said(mail, "docs/a.md", &text("disabled")));
    assert!(turns(&subject("disables").unwrap()) && turns(&subject("disable").unwrap()));
}
