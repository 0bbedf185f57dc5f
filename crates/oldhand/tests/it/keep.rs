//! Looking after a memory: `edit`, `pin`, `unpin`, `verify`, `flag`, `forget`, `restore`.

use oldhand_testkit::Sandbox;

use crate::{assert_transcript, id_of, taught};

fn taught_with_id() -> (Sandbox, String) {
    let sandbox = taught();
    let id = id_of(&sandbox, "migrations");
    (sandbox, id)
}

macro_rules! tell {
    ($($name:ident: $($argument:expr),+;)+) => {$(
        mod $name {
            use super::*;

            #[test]
            fn in_words() {
                let (sandbox, id) = taught_with_id();
                let arguments = [$($argument),+].map(|argument: &str| argument.replace("ID", &id));
                assert_transcript!(sandbox.oldhand(arguments));
            }

            #[test]
            fn as_json() {
                let (sandbox, id) = taught_with_id();
                let arguments = [$($argument),+].map(|argument: &str| argument.replace("ID", &id));
                assert_transcript!(sandbox.oldhand(arguments.iter().map(String::as_str).chain(["--json"])));
            }

            #[test]
            fn of_an_unknown_id() {
                let arguments = [$($argument),+].map(|argument: &str| argument.replace("ID", "ffffffff"));
                assert_transcript!(taught().oldhand(arguments));
            }
        }
    )+};
}

tell! {
    edit: "edit", "ID", "--text", "Run `make migrate` before the tests.", "--tag", "db";
    pin: "pin", "ID";
    unpin: "unpin", "ID";
    verify: "verify", "ID";
    flag: "flag", "ID", "outdated", "--note", "tests migrate by themselves now";
    forget: "forget", "ID";
    erase: "forget", "ID", "--now", "--yes";
}

#[test]
fn an_edit_without_a_change_or_an_editor_says_what_to_give() {
    let (sandbox, id) = taught_with_id();
    assert_transcript!(sandbox.oldhand(["edit", &id]));
}

#[test]
fn an_edit_to_nothing_is_refused_and_changes_nothing() {
    let (sandbox, id) = taught_with_id();
    assert_transcript!(sandbox.oldhand(["edit", &id, "--text", ""]));
    let shown = sandbox.oldhand(["show", &id]).run().success();
    assert!(shown.contains("Run migrations before the tests"));
}

#[test]
fn flagging_with_an_unknown_word_names_the_known() {
    let (sandbox, id) = taught_with_id();
    assert_transcript!(sandbox.oldhand(["flag", &id, "blue"]));
    let sentence = sandbox.oldhand(["flag", &id, "the port is another"]).run();
    assert!(sentence.stderr.contains("flag ID --note "), "{sentence}");
    #[cfg(unix)]
    {
        let sentence = sandbox.oldhand(["flag", &id, "it's \"8080\" $HOME"]).run();
        let safe = r#"`oldhand flag ID --note 'it'\''s "8080" $HOME'`"#;
        assert!(sentence.stderr.contains(safe), "{sentence}");
    }
    for (word, correction) in [
        ("wrong", "inaccurate"),
        ("Out of date", "outdated"),
        ("too-specific", "too_specific"),
        ("inaccurate", "inaccurate"),
        ("too specific", "too_specific"),
        ("dupe", "duplicate"),
        ("mistaken", "inaccurate"),
        ("not true any more", "outdated"),
        ("misleading", "inaccurate"),
        ("redundant", "duplicate"),
        ("useless", "inaccurate"),
        ("It is out of date.", "outdated"),
        ("noise", "inaccurate"),
        ("it's too narrow", "too_specific"),
        ("harmful", "inaccurate"),
        ("no longer true", "outdated"),
        ("it is wrong", "inaccurate"),
    ] {
        sandbox.oldhand(["flag", &id, word]).run().success();
        let shown = sandbox.oldhand(["show", &id]).run().success();
        assert!(shown.contains(correction), "{word}: {shown}");
    }
}

#[test]
fn what_is_forgotten_is_out_of_sight_and_comes_back() {
    let (sandbox, id) = taught_with_id();
    sandbox.oldhand(["forget", &id]).run().success();
    assert_eq!(
        sandbox.oldhand(["search", "migrations"]).run().code,
        Some(1)
    );
    assert_transcript!(sandbox.oldhand(["list", "--deleted"]));
    sandbox.oldhand(["restore", &id]).run().success();
    assert_eq!(
        sandbox.oldhand(["search", "migrations"]).run().code,
        Some(0)
    );
}

#[test]
fn restoring_in_words_and_as_json() {
    let (sandbox, id) = taught_with_id();
    sandbox.oldhand(["forget", &id]).run().success();
    assert_transcript!(sandbox.oldhand(["restore", &id]));
    sandbox.oldhand(["forget", &id]).run().success();
    assert_transcript!(sandbox.oldhand(["restore", &id, "--json"]));
}

#[test]
fn what_is_not_forgotten_cannot_be_restored() {
    let (sandbox, id) = taught_with_id();
    assert_transcript!(sandbox.oldhand(["restore", &id]));
}

#[test]
fn a_forgotten_memory_is_restored_before_it_is_changed() {
    let (sandbox, id) = taught_with_id();
    sandbox.oldhand(["forget", &id]).run().success();
    assert_transcript!(sandbox.oldhand(["pin", &id]));
}

#[test]
fn removing_for_good_needs_a_yes() {
    let (sandbox, id) = taught_with_id();
    assert_transcript!(sandbox.oldhand(["forget", &id, "--now"]));
    assert_eq!(sandbox.oldhand(["show", &id]).run().code, Some(0));
}

#[test]
fn bytes_that_a_reader_holds_back_are_told() {
    let (sandbox, id) = taught_with_id();
    let reader = rusqlite::Connection::open(crate::database(&sandbox)).unwrap();
    let hold = "begin; select count(*) from memory;";
    reader.execute_batch(hold).unwrap();
    let forget = sandbox.oldhand(["forget", &id, "--now", "--yes"]).run();
    assert_eq!(forget.code, Some(0), "{forget}");
    assert!(forget.stderr.contains("another process"), "{forget}");
}

#[test]
fn what_was_removed_for_good_is_in_no_file() {
    let (sandbox, id) = taught_with_id();
    sandbox
        .oldhand(["forget", &id, "--now", "--yes"])
        .run()
        .success();
    assert_eq!(sandbox.oldhand(["show", &id]).run().code, Some(1));
    let mut folders = vec![sandbox.home()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let bytes = std::fs::read(&path).unwrap();
            let found = bytes
                .windows(10)
                .any(|window| window.eq_ignore_ascii_case(b"migrations"));
            assert!(!found, "{}", path.display());
        }
    }
}

#[test]
fn what_was_confirmed_and_forgotten_comes_back_confirmed() {
    let (sandbox, id) = taught_with_id();
    for command in ["verify", "forget", "restore"] {
        sandbox.oldhand([command, &id]).run().success();
    }
    let listed = sandbox.oldhand(["list", "--verified"]).run().success();
    assert!(listed.contains("Run migrations"), "{listed}");
}

#[test]
fn help_is_what_the_option_says() {
    let sandbox = taught();
    for command in [&[][..], &["search"], &["backup", "restore"]] {
        let option = sandbox.oldhand(command.iter().chain(&["--help"]));
        let words = sandbox.oldhand(["help"].iter().chain(command));
        assert_eq!(words.run().success(), option.run().success());
    }
    let outcome = sandbox.oldhand(["help", "serch"]).run();
    assert_eq!(outcome.code, Some(2), "{outcome}");
}
