//! `oldhand doctor`.

use std::fs;
use std::path::PathBuf;

use oldhand_testkit::Sandbox;

use crate::{assert_transcript, sandbox, taught};

/// What the doctor says, with each thing on one line: where lines break hangs on how long the paths of this machine are.
fn unbroken(invocation: oldhand_testkit::Invocation) -> String {
    let mut whole = String::new();
    for line in invocation.run().to_string().lines() {
        match line.strip_prefix("                 ") {
            Some(more) if !more.starts_with("see: ") && !more.starts_with("to do: ") => {
                whole.push(' ');
                whole.push_str(more);
            }
            _ => {
                whole.push('\n');
                whole.push_str(line);
            }
        }
    }
    whole
}

#[test]
fn a_sound_house_in_words_and_as_json() {
    let sandbox = taught();
    insta::assert_snapshot!(unbroken(sandbox.oldhand(["doctor"])));
    assert_transcript!(sandbox.oldhand(["doctor", "--json"]));
}

#[test]
fn an_empty_house_is_sound() {
    insta::assert_snapshot!(unbroken(sandbox().oldhand(["doctor"])));
}

#[test]
fn what_is_broken_is_told_with_what_to_do() {
    let sandbox = taught();
    fs::write(sandbox.home().join("config.toml"), "[search]\nlimt = 3\n").unwrap();
    fs::create_dir(sandbox.home().join("projects/stray-1")).unwrap();
    let outcome = sandbox.oldhand(["doctor"]).env("OLDHAND_COLOUR", "1");
    insta::assert_snapshot!(unbroken(outcome));
}

#[test]
fn a_damaged_database_is_told_and_a_backup_brings_it_back() {
    let sandbox = taught();
    sandbox.oldhand(["backup"]).run().success();
    let database = crate::database(&sandbox);
    let size = fs::metadata(&database).unwrap().len() as usize;
    fs::write(&database, vec![7; size]).unwrap();
    let outcome = sandbox.oldhand(["doctor"]).run();
    assert_eq!(outcome.code, Some(2), "{outcome}");
    assert!(outcome.stdout.contains("bad  database"), "{outcome}");
    let restore = ["backup", "restore", "latest", "--yes"];
    sandbox.oldhand(restore).run().success();
    assert_eq!(
        sandbox.oldhand(["search", "migrations"]).run().code,
        Some(0)
    );
    assert_eq!(sandbox.oldhand(["doctor"]).run().code, Some(0));
}

#[test]
fn a_repair_tells_each_step_and_loses_nothing_that_a_backup_has() {
    let sandbox = taught();
    sandbox.oldhand(["backup"]).run().success();
    let database = crate::database(&sandbox);
    fs::write(&database, vec![7; 100_000]).unwrap();
    let outcome = sandbox.oldhand(["doctor", "--repair"]).run();
    assert_eq!(outcome.code, Some(0), "{outcome}");
    assert!(
        outcome.words().contains("the damaged file is kept as"),
        "{outcome}"
    );
    assert!(outcome.words().contains("came back from"), "{outcome}");
    assert_eq!(
        sandbox.oldhand(["search", "migrations"]).run().code,
        Some(0)
    );
    let again = sandbox
        .oldhand(["doctor", "--repair", "--json"])
        .run()
        .success();
    assert!(again.contains(r#""repaired":[]"#), "{again}");
}

#[test]
fn words_that_were_changed_behind_our_back_are_never_shown() {
    let sandbox = taught();
    sandbox.oldhand(["backup"]).run().success();
    let database = crate::database(&sandbox);
    let mut bytes = fs::read(&database).unwrap();
    let words = b"We chose SQLite because";
    let places: Vec<usize> = (0..bytes.len() - words.len())
        .filter(|&at| &bytes[at..at + words.len()] == words)
        .collect();
    assert!(!places.is_empty());
    for at in places {
        bytes[at + 3..at + 8].copy_from_slice(b"hated");
    }
    fs::write(&database, bytes).unwrap();
    let outcome = sandbox.oldhand(["list"]).run();
    assert!(!outcome.stdout.contains("hated"), "{outcome}");
    assert!(
        outcome.stderr.contains("left out because of damage"),
        "{outcome}"
    );
    assert_eq!(sandbox.oldhand(["doctor"]).run().code, Some(2));
    sandbox.oldhand(["doctor", "--repair"]).run().success();
    assert_eq!(sandbox.oldhand(["search", "SQLite"]).run().code, Some(0));
}

#[test]
fn what_a_killed_writer_left_damaged_is_told_by_the_next_one() {
    let sandbox = taught();
    let database = crate::database(&sandbox);
    let damage = rusqlite::Connection::open(&database).unwrap();
    let change = "update memory set summary = 'Other words.'";
    assert!(damage.execute(change, []).unwrap() > 0);
    drop(damage);
    fs::write(database.with_file_name("memory.db-lock"), "clean 0\n+").unwrap();
    let outcome = sandbox.oldhand(["remember", "Prices are in cents."]).run();
    assert!(outcome.stderr.contains("is damaged"), "{outcome}");
    assert!(
        outcome.stderr.contains("`oldhand doctor --repair`"),
        "{outcome}"
    );
    let outcome = sandbox.oldhand(["remember", "Taxes are not."]).run();
    assert!(!outcome.stderr.contains("is damaged"), "{outcome}");
}

#[test]
fn a_journal_that_cannot_be_written_is_told() {
    let sandbox = taught();
    let journal = crate::database(&sandbox).with_file_name("journal");
    fs::write(journal, "in the way").unwrap();
    let outcome = sandbox.oldhand(["doctor"]).run();
    assert_eq!(outcome.code, Some(2));
    let told = outcome.words();
    assert!(
        told.contains("cannot be written, so nothing is learned"),
        "{told}"
    );
}

#[test]
fn a_home_that_cannot_be_made_is_told() {
    let sandbox = taught();
    sandbox.write("in-the-way", "");
    let home = sandbox.project().join("in-the-way/home");
    let outcome = sandbox.oldhand(["doctor"]).env("OLDHAND_HOME", home).run();
    assert_eq!(outcome.code, Some(2), "{outcome}");
    assert!(outcome.words().contains("cannot be made"), "{outcome}");
}

#[test]
fn a_project_that_is_a_file_is_refused_everywhere() {
    let sandbox = taught();
    sandbox.write("a.txt", "");
    for command in ["doctor", "status", "list"] {
        let outcome = sandbox.oldhand([command, "--project", "a.txt"]).run();
        assert_eq!(outcome.code, Some(2), "{outcome}");
        assert!(outcome.stderr.contains("is a file"), "{outcome}");
    }
}

#[test]
fn an_emptied_database_is_mended_and_what_may_be_lost_is_told() {
    let sandbox = taught();
    sandbox.oldhand(["backup"]).run().success();
    fs::write(crate::database(&sandbox), "").unwrap();
    let outcome = sandbox.oldhand(["doctor", "--repair"]).run();
    assert_eq!(outcome.code, Some(0), "{outcome}");
    let words = outcome.words();
    assert!(
        words.contains("everything came back from")
            && words.contains("what was kept after that is lost"),
        "{outcome}"
    );
    assert_eq!(
        sandbox.oldhand(["search", "migrations"]).run().code,
        Some(0)
    );
    let again = sandbox
        .oldhand(["doctor", "--repair", "--json"])
        .run()
        .success();
    assert!(again.contains(r#""repaired":[]"#), "{again}");
}

#[test]
fn a_database_that_is_not_there_is_told_and_mended_like_an_emptied_one() {
    let sandbox = taught();
    sandbox.oldhand(["backup"]).run().success();
    fs::remove_file(crate::database(&sandbox)).unwrap();
    let told = sandbox.oldhand(["doctor"]).run();
    assert_eq!(told.code, Some(2), "{told}");
    assert!(
        told.stdout.contains("`oldhand backup restore latest`"),
        "{told}"
    );
    let mended = sandbox.oldhand(["doctor", "--repair"]).run();
    assert_eq!(mended.code, Some(0), "{mended}");
    assert!(
        mended.words().contains("everything came back from"),
        "{mended}"
    );
    let found = sandbox.oldhand(["search", "migrations"]).run();
    assert_eq!(found.code, Some(0), "{found}");
}

#[test]
fn no_line_is_wider_than_the_terminal_and_every_label_has_a_blank() {
    let sandbox = taught();
    let noted = crate::database(&sandbox).with_file_name("late-hooks");
    fs::write(noted, "2026-01-15T08:00:00Z UserPromptSubmit\n".repeat(3)).unwrap();
    let gone = sandbox.root().join("gone");
    fs::create_dir(&gone).unwrap();
    let remember = ["remember", "The cache is shared."];
    sandbox.oldhand(remember).inside("../gone").run().success();
    fs::remove_dir(&gone).unwrap();
    let told = sandbox.oldhand(["doctor"]).run().success();
    // A path that is longer than a line stays whole.
    let is_path = |line: &str| line.split_whitespace().any(|word| word.len() > 60);
    let is_long = |line: &&str| line.chars().count() > 80 && !is_path(line);
    let long: Vec<&str> = told.lines().filter(is_long).collect();
    assert_eq!(long, [] as [&str; 0]);
    assert!(told.contains("hooks in time\n"), "{told}");
    let words = told.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(
        words.contains("not where they were any more: gone-"),
        "{told}"
    );
    assert!(
        words.contains("`oldhand forget --whole-project NAME`"),
        "{told}"
    );
}

/// The file of vectors that a search made.
fn vectors_of(sandbox: &Sandbox) -> PathBuf {
    let database = crate::database(sandbox);
    let folder = database.with_file_name("vectors");
    let folder = folder.join(database.file_stem().expect("vectors"));
    let mut files = fs::read_dir(&folder)
        .expect("vectors")
        .map(|file| file.expect("vectors").path());
    files
        .find(|file| file.extension().is_some_and(|end| end == "vec"))
        .expect("vectors")
}

/// Flips most of the bytes of the vectors that a search made.
pub(crate) fn damage_vectors(sandbox: &Sandbox) {
    let file = vectors_of(sandbox);
    let mut bytes = fs::read(&file).expect("vectors");
    let eighth = bytes.len() / 8;
    bytes[eighth..].iter_mut().for_each(|byte| *byte ^= 0x5a);
    fs::write(&file, bytes).expect("vectors");
}

#[test]
fn damaged_vectors_are_told_and_made_anew() {
    let sandbox = taught();
    sandbox.oldhand(["search", "migrations"]).run().success();
    damage_vectors(&sandbox);
    let outcome = sandbox.oldhand(["doctor"]).run();
    assert_eq!(outcome.code, Some(2), "{outcome}");
    assert!(outcome.stdout.contains("bad  vectors"), "{outcome}");
    let repaired = sandbox.oldhand(["doctor", "--repair"]).run().success();
    assert!(repaired.contains("the vectors were removed"), "{repaired}");
    sandbox.oldhand(["search", "migrations"]).run().success();
    sandbox.oldhand(["doctor"]).run().success();
}

#[test]
fn an_answer_without_a_damaged_vector_says_so_and_the_next_one_has_it() {
    let said = "some vectors are damaged or cannot be read";
    for question in [
        ["search", "migrations"],
        ["context", "write the migrations"],
    ] {
        let sandbox = taught();
        let ask = || sandbox.oldhand(question).run();
        let before = ask();
        assert!(!before.stderr.contains(said), "{before}");
        damage_vectors(&sandbox);
        let damaged = fs::read(vectors_of(&sandbox)).unwrap();
        let without = ask();
        // Where somebody was at the database meanwhile, the question is asked a second time, of vectors that were made anew.
        let are_damaged = fs::read(vectors_of(&sandbox)).unwrap() == damaged;
        assert_eq!(without.stderr.contains(said), are_damaged, "{without}");
        let again = ask();
        assert!(!again.stderr.contains(said), "{again}");
        assert_eq!(again.code, before.code, "{again}");
        sandbox.oldhand(["doctor"]).run().success();
    }
}

#[test]
fn hooks_that_gave_up_are_counted_as_long_as_it_matters() {
    let sandbox = taught();
    let noted = crate::database(&sandbox).with_file_name("late-hooks");
    let late = |times: usize| {
        let lines = "2026-01-15T08:00:00Z UserPromptSubmit\n".repeat(times);
        let old = "2025-11-01T08:00:00Z Stop\n".repeat(9);
        fs::write(&noted, format!("{old}half a li\n{lines}")).unwrap();
        sandbox.oldhand(["doctor"]).run()
    };
    assert!(!late(0).stdout.contains("gave up"));
    let once = late(1);
    assert_eq!(once.code, Some(0), "{once}");
    let told =
        "1 hook gave up at the limit in the last 7 days and said nothing: UserPromptSubmit 1";
    let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words(&once.stdout).contains(told), "{once}");
    let often = late(6);
    assert!(often.stdout.contains("hook.deadline"), "{often}");
}

#[test]
fn a_copy_of_a_projects_folder_is_told_and_not_taken_for_a_project() {
    let sandbox = taught();
    let folder = crate::database(&sandbox).parent().unwrap().to_owned();
    let copy = folder.with_extension("merged");
    fs::create_dir(&copy).unwrap();
    for file in ["memory.db", "project.toml"] {
        fs::copy(folder.join(file), copy.join(file)).unwrap();
    }
    let list = sandbox.home().join("projects.toml");
    let was = fs::read_to_string(&list).unwrap();
    let told = sandbox.oldhand(["doctor", "--repair"]).run();
    assert!(told.words().contains("look into "), "{told}");
    assert_eq!(fs::read_to_string(&list).unwrap(), was);

    fs::write(&list, "version = 1\n").unwrap();
    let told = sandbox.oldhand(["doctor"]).run();
    let name = folder.file_name().unwrap().to_str().unwrap();
    let fix = format!("puts into the list again: {name} ");
    assert!(told.words().contains(&fix), "{told}");
    sandbox.oldhand(["doctor", "--repair"]).run();
    assert_eq!(fs::read_to_string(&list).unwrap(), was);
}
