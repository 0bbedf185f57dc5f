//! `oldhand config`.

use crate::{assert_transcript, sandbox, taught};

#[test]
fn show_lists_every_key() {
    assert_transcript!(sandbox().oldhand(["config", "show"]));
}

#[test]
fn each_layer_wins_over_the_one_before() {
    let sandbox = taught();
    sandbox
        .oldhand(["config", "set", "search.limit", "7"])
        .run()
        .success();
    sandbox
        .oldhand(["config", "set", "list.limit", "7"])
        .run()
        .success();
    sandbox
        .oldhand(["config", "set", "--local", "search.limit", "3"])
        .run()
        .success();
    let shown = sandbox.oldhand(["config", "show", "--origin"]);
    assert_transcript!(shown.env("OLDHAND_EDITOR", "vi"));
    let shown = sandbox.oldhand(["config", "show", "--json"]);
    assert_transcript!(shown.env("OLDHAND_EDITOR", "vi"));
}

#[test]
fn set_and_get_in_words_and_as_json() {
    let sandbox = sandbox();
    assert_transcript!(sandbox.oldhand(["config", "set", "methodology", "tdd"]));
    assert_transcript!(sandbox.oldhand(["config", "set", "personal.include", "no", "--json"]));
    assert_transcript!(sandbox.oldhand(["config", "get", "methodology"]));
    assert_transcript!(sandbox.oldhand(["config", "get", "personal.include", "--json"]));
}

#[test]
fn an_unknown_key_names_the_nearest() {
    assert_transcript!(sandbox().oldhand(["config", "get", "serch.limit"]));
    assert_transcript!(sandbox().oldhand(["config", "set", "colour", "never"]));
}

#[test]
fn a_value_that_does_not_fit_is_refused() {
    assert_transcript!(sandbox().oldhand(["config", "set", "search.limit", "none"]));
    let variable = sandbox();
    let refused = variable.oldhand(["list"]);
    assert_transcript!(refused.env("OLDHAND_METHODOLOGY", "waterfall"));
}

#[test]
fn a_broken_file_names_file_and_line_and_stops_what_needs_it() {
    let sandbox = taught();
    let path = sandbox.home().join("config.toml");
    for text in [
        "# mine\n[search]\nlimt = 3\n",
        "[search]\nlimit = \"three\"\n",
        "[search\n",
        "search = 3\n",
    ] {
        std::fs::write(&path, text).unwrap();
        assert_transcript!(sandbox.oldhand(["search", "x"]));
    }
}

#[test]
fn what_can_be_read_of_a_broken_file_is_shown_and_can_be_set() {
    let sandbox = taught();
    let path = sandbox.home().join("config.toml");
    std::fs::write(&path, "list.limit = 7\nsearch.limit = \"lots\npurple = 1\n").unwrap();
    let show = ["config", "show", "--origin"];
    let shown = sandbox.oldhand(show).run();
    assert_eq!(shown.code, Some(0), "{shown}");
    assert!(shown.stdout.contains("list.limit = 7"), "{shown}");
    for told in [
        "take out line 2: `search.limit = \"lots`",
        "take out line 3: `purple = 1`",
    ] {
        assert!(shown.stderr.contains(told), "{shown}");
    }
    let set = ["config", "set", "search.limit", "9"];
    let set = sandbox.oldhand(set).run();
    assert_eq!(set.code, Some(0), "{set}");
    assert!(set.stderr.contains("line 2"), "{set}");
    let still = "take out line 3: `purple = 1`";
    assert!(set.stderr.contains(still), "{set}");
    let written = std::fs::read_to_string(&path).unwrap();
    assert!(written.contains("# search.limit = \"lots\n"), "{written}");
    std::fs::write(&path, written.replace("purple = 1\n", "")).unwrap();
    let get = ["config", "get", "search.limit"];
    assert_eq!(sandbox.oldhand(get).run().success(), "9\n");
}

#[test]
fn bytes_that_are_no_text_are_told_with_their_line() {
    let sandbox = taught();
    let path = sandbox.home().join("config.toml");
    let bytes = b"list.limit = 7\neditor = \"\xff\"\n";
    std::fs::write(&path, bytes).unwrap();
    for command in [&["list"][..], &["config", "set", "list.limit", "3"]] {
        let refused = sandbox.oldhand(command).run();
        assert_eq!(refused.code, Some(2), "{refused}");
        assert!(
            refused.stderr.contains("config.toml:2: it is not UTF-8"),
            "{refused}"
        );
        assert!(refused.stderr.contains("take out line 2"), "{refused}");
    }
    assert_eq!(std::fs::read(&path).unwrap(), bytes);
    let shown = sandbox.oldhand(["config", "show"]).run().success();
    assert!(shown.contains("list.limit = 7"), "{shown}");
}

#[test]
fn settings_take_effect() {
    let sandbox = taught();
    let listed = |sandbox: &oldhand_testkit::Sandbox| {
        sandbox
            .oldhand(["list"])
            .run()
            .stdout
            .matches(" · ")
            .count()
    };
    let before = listed(&sandbox);
    sandbox
        .oldhand(["config", "set", "personal.include", "false"])
        .run()
        .success();
    assert!(listed(&sandbox) < before);
    sandbox
        .oldhand(["config", "set", "list.limit", "1"])
        .run()
        .success();
    let outcome = sandbox.oldhand(["list"]).run();
    assert!(outcome.stderr.contains("there are more"), "{outcome}");
}

#[test]
fn the_reference_names_every_key() {
    let sandbox = sandbox();
    let shown = sandbox
        .oldhand(["config", "show", "--json"])
        .run()
        .success();
    let shown: serde_json::Value = serde_json::from_str(&shown).unwrap();
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/configuration.md");
    let reference = std::fs::read_to_string(path).unwrap();
    for setting in shown["settings"].as_array().unwrap() {
        let key = setting["key"].as_str().unwrap();
        let variable = format!("OLDHAND_{}", key.to_uppercase().replace('.', "_"));
        for word in [key, &variable] {
            assert!(reference.contains(&format!("`{word}`")), "{word}");
        }
    }
}
