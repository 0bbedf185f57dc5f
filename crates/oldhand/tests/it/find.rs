//! `oldhand search`, `list` and `show`.

use crate::{assert_transcript, id_of, repository, sandbox, taught};

#[test]
fn search_shows_the_best_first() {
    assert_transcript!(taught().oldhand(["search", "schema", "migrations"]));
}

#[test]
fn search_explains_itself() {
    assert_transcript!(taught().oldhand(["search", "migrations", "--explain"]));
}

#[test]
fn search_as_json() {
    assert_transcript!(taught().oldhand(["search", "migrations", "--json", "--limit", "1"]));
}

#[test]
fn search_narrows_by_type_and_file() {
    let sandbox = taught();
    let found = |extra: [&str; 2]| {
        let arguments = ["search", "migrations", extra[0], extra[1]];
        sandbox.oldhand(arguments).run().code
    };
    assert_eq!(found(["--type", "gotcha"]), Some(0));
    assert_eq!(found(["--type", "decision"]), Some(1));
    assert_eq!(found(["--file", "src"]), Some(0));
    assert_eq!(found(["--file", "docs"]), Some(1));
}

#[test]
fn search_without_a_match_says_so_with_code_1() {
    assert_transcript!(taught().oldhand(["search", "kubernetes"]));
}

#[test]
fn search_without_a_match_is_still_json() {
    assert_transcript!(taught().oldhand(["search", "kubernetes", "--json"]));
}

#[test]
fn nonsense_is_not_answered_with_what_happens_to_be_nearest() {
    let sandbox = taught();
    for n in 0..40 {
        let text = format!("Service {n} of the queue listens on port {}", 20_000 + n);
        sandbox.oldhand(["remember", &text]).run().success();
    }
    for nonsense in ["zzzzqqq", "xyzzy plugh", "asdfgh", "qwertyuiop"] {
        let outcome = sandbox.oldhand(["search", nonsense]).run();
        assert_eq!(outcome.code, Some(1), "{outcome}");
        assert!(outcome.stderr.contains("note: nothing "), "{outcome}");
    }
}

#[test]
fn what_is_only_somewhat_near_is_shown_when_asked_for() {
    let sandbox = sandbox();
    for text in [
        "Run the schema migrations before the integration tests",
        "Thumbnails of images are made lazily and cached",
    ] {
        sandbox.oldhand(["remember", text]).run().success();
    }
    let weak = |extra: &[&str]| {
        let words = ["search", "picture previews", "--json"];
        let answer = sandbox.oldhand([&words, extra].concat()).run();
        serde_json::from_str::<serde_json::Value>(&answer.stdout).unwrap()
    };
    let hidden = weak(&[]);
    let shown = weak(&["--weak"]);
    let count = shown["results"].as_array().unwrap().len();
    let told =
        hidden["results"].as_array().unwrap().len() + hidden["weak"].as_u64().unwrap() as usize;
    assert_eq!(told, count);
    assert_eq!(shown["weak"], 0);
}

#[test]
fn without_a_limit_all_that_have_the_word_are_found() {
    const THINGS: [&str; 12] = [
        "rope", "anvil", "lantern", "barrel", "saddle", "kettle", "compass", "ladder", "whistle",
        "mirror", "anchor", "pillow",
    ];
    const PLACES: [&str; 12] = [
        "harbour", "chapel", "orchard", "quarry", "market", "tunnel", "stable", "meadow", "cellar",
        "library", "glacier", "island",
    ];
    let sandbox = sandbox();
    let lines = PLACES.iter().flat_map(|place| {
        THINGS.iter().map(move |thing| {
            let content = format!("{thing}_{place}() in {place}/{thing}.rs asks the gantry first.");
            let file = format!("{place}/{thing}.rs");
            serde_json::json!({ "type": "gotcha", "content": content, "files": [file] }).to_string()
        })
    });
    let lines: Vec<String> = lines.collect();
    sandbox
        .oldhand(["import", "json", "--trusted", "-"])
        .stdin(lines.join("\n"))
        .run()
        .success();
    let count = |words: &[&str], list: &str| {
        let answer = sandbox.oldhand(words).run().success();
        let answer: serde_json::Value = serde_json::from_str(&answer).unwrap();
        answer[list].as_array().unwrap().len()
    };
    let kept = count(&["list", "--limit", "0", "--json"], "memories");
    assert!(kept > 120, "{kept}");
    let search = ["search", "gantry", "--weak", "--json", "--limit"];
    for (limit, found) in [("0", kept), ("115", 115), ("20", 20)] {
        let words = [&search[..], &[limit]].concat();
        assert_eq!(count(&words, "results"), found, "--limit {limit}");
    }
}

#[test]
fn each_way_of_narrowing_narrows_a_search() {
    let sandbox = sandbox();
    let lines = [
        serde_json::json!({ "type": "gotcha", "content": "The cache is shared by all workers.", "files": ["src/cache.rs"], "tags": ["cache"],
            "modules": ["core"], "confidence": 0.9, "source": "user_taught", "scope": "global", "branch": "main",
            "created_at": "2026-01-10T00:00:00Z" }),
        serde_json::json!({ "type": "decision", "content": "The cache of pages is kept for a week.", "files": ["docs/pages.md"],
            "tags": ["pages"], "modules": ["web"], "confidence": 0.4, "source": "commit_auto", "scope": "module", "branch": "next",
            "session": "s-1", "created_at": "2025-06-01T00:00:00Z" }),
    ];
    let lines = lines.map(|line| line.to_string()).join("\n");
    sandbox
        .oldhand(["import", "json", "-"])
        .stdin(lines)
        .at("2026-01-12T00:00:00Z")
        .run()
        .success();
    let found = |extra: &[&str]| {
        let words = ["search", "cache", "--json"];
        let answer = sandbox
            .oldhand([&words, extra].concat())
            .at("2026-01-12T00:00:00Z")
            .run();
        let answer: serde_json::Value = serde_json::from_str(&answer.stdout).unwrap();
        let results = answer["results"].as_array().unwrap().iter();
        let types: Vec<String> = results
            .map(|result| result["type"].as_str().unwrap().to_owned())
            .collect();
        types.join(" ")
    };
    assert_eq!(found(&[]).split(' ').count(), 2);
    for (extra, expected) in [
        (["--type", "gotcha"], "gotcha"),
        (["--file", "docs"], "decision"),
        (["--tag", "cache"], "gotcha"),
        (["--tag", "#cache"], "gotcha"),
        (["--module", "web"], "decision"),
        (["--module", "Web"], "decision"),
        (["--source", "commit_auto"], "decision"),
        (["--scope", "module"], "decision"),
        (["--session", "s-1"], "decision"),
        (["--branch", "main"], "gotcha"),
        (["--min-confidence", "0.8"], "gotcha"),
        (["--since", "2w"], "gotcha"),
        (["--until", "2025-12-31"], "decision"),
        (["--around", "2025-06-03"], "decision"),
        (["--around", "2025-09-01"], ""),
    ] {
        assert_eq!(found(&extra), expected, "{extra:?}");
    }
}

#[test]
fn a_confidence_is_enough_where_it_is_shown_as_that() {
    let sandbox = sandbox();
    let text = "The cache is shared by all workers.";
    let at = "2026-01-10T00:00:00Z";
    let taught = sandbox.oldhand(["remember", text]).at(at);
    taught.run().success();
    // A few hours on, something of it has faded that nobody sees.
    let asked = |extra: [&str; 2]| {
        let words = ["search", "cache"].into_iter().chain(extra);
        sandbox.oldhand(words).at("2026-01-10T06:00:00Z").run()
    };
    let found = asked(["--min-confidence", "0.9"]);
    assert!(found.stdout.contains("sure 0.90"), "{found}");
    assert_eq!(asked(["--min-confidence", "0.91"]).code, Some(1));
}

#[test]
fn what_was_replaced_is_named_where_its_words_are_asked_for() {
    let sandbox = sandbox();
    let old = "Always run migrations before the tests of the billing service.";
    let new = "Never run migrations before the tests of the billing service.";
    for words in [old, new] {
        let taught = ["remember", words, "--type", "decision"];
        sandbox.oldhand(taught).run().success();
    }
    let listed = sandbox.oldhand(["list", "--all", "--json"]).run().success();
    let listed: serde_json::Value = serde_json::from_str(&listed).unwrap();
    let memories = listed["memories"].as_array().unwrap();
    let replaced = memories.iter().find(|memory| memory["content"] == old);
    let replaced = replaced.expect("is kept");
    assert!(replaced["deprecated"].is_object(), "{listed}");
    let explained = sandbox
        .oldhand(["search", "--explain", "--json", old])
        .run();
    let answer: serde_json::Value = serde_json::from_str(&explained.stdout).unwrap();
    assert_eq!(answer["left_out"][0]["id"], replaced["id"], "{answer}");
    let why = answer["left_out"][0]["why"].as_str().unwrap();
    assert!(why.starts_with("replaced: "), "{why}");
    let plain = sandbox.oldhand(["search", "--json", old]).run();
    let plain: serde_json::Value = serde_json::from_str(&plain.stdout).unwrap();
    assert_eq!(plain["results"], answer["results"]);
}

#[test]
fn confidence_is_what_is_left_of_it_today() {
    let sandbox = sandbox();
    let line = serde_json::json!({ "type": "gotcha", "content": "The cache is shared by all workers.", "confidence": 0.9,
        "created_at": "2026-01-10T00:00:00Z" });
    sandbox
        .oldhand(["import", "json", "-"])
        .stdin(line.to_string())
        .at("2026-01-10T00:00:00Z")
        .run()
        .success();
    for (words, at, expected) in [
        (
            ["search", "cache"].as_slice(),
            "2026-01-11T00:00:00Z",
            Some(0),
        ),
        (&["list"], "2026-01-11T00:00:00Z", Some(0)),
        // A gotcha halves in sixty days.
        (&["search", "cache"], "2026-03-12T00:00:00Z", Some(1)),
        (&["list"], "2026-03-12T00:00:00Z", Some(1)),
    ] {
        let asked = [words, &["--min-confidence", "0.8"]].concat();
        let outcome = sandbox.oldhand(asked).at(at).run();
        assert_eq!(outcome.code, expected, "{words:?} {at}: {outcome}");
    }
}

#[test]
fn what_is_about_a_file_at_hand_comes_before_what_is_not() {
    let sandbox = sandbox();
    for (text, file) in [
        (
            "Retries of uploads stop after the third timeout",
            "src/upload.rs",
        ),
        (
            "Retries of downloads stop after the third timeout",
            "src/download.rs",
        ),
    ] {
        sandbox
            .oldhand(["remember", text, "--file", file])
            .run()
            .success();
    }
    for file in ["src/upload.rs", "src/download.rs"] {
        let question = "when do retries stop after a timeout";
        let named = format!("{question} in {file}?");
        for words in [vec![question, "--near", file], vec![named.as_str()]] {
            let answer = sandbox
                .oldhand([vec!["search", "--json"], words].concat())
                .run()
                .success();
            let answer: serde_json::Value = serde_json::from_str(&answer).unwrap();
            assert_eq!(answer["results"][0]["files"][0], file, "{answer}");
            let lanes = answer["results"][0]["because"]["lanes"].to_string();
            assert!(lanes.contains("graph"), "{lanes}");
        }
    }
}

#[test]
fn what_came_last_is_asked_for_in_words() {
    let sandbox = sandbox();
    let days = ["2026-01-01", "2026-02-01", "2026-03-01"];
    for (day, text) in days.into_iter().zip([
        "The parser keeps comments",
        "Releases are signed by hand",
        "Thumbnails are cached lazily",
    ]) {
        sandbox
            .oldhand(["remember", text])
            .at(&format!("{day}T00:00:00Z"))
            .run()
            .success();
    }
    let first = |question: &str| {
        let asked = sandbox
            .oldhand(["search", question, "--json"])
            .at("2026-03-02T00:00:00Z");
        let answer: serde_json::Value = serde_json::from_str(&asked.run().stdout).unwrap();
        answer["results"][0]["content"].as_str().map(str::to_owned)
    };
    assert_eq!(
        first("what did we do last week?").as_deref(),
        Some("Thumbnails are cached lazily")
    );
    assert_eq!(
        first("what did we decide about releases lately").as_deref(),
        Some("Releases are signed by hand")
    );
    assert_eq!(first("what did we do"), None);
}

#[test]
fn what_cannot_narrow_a_search_of_code_is_refused() {
    let outcome = taught()
        .oldhand(["search", "--code", "schema", "--since", "2w"])
        .run();
    assert_eq!(outcome.code, Some(2), "{outcome}");
    assert!(outcome.stderr.contains("--since"), "{outcome}");
}

#[test]
fn signs_and_pictures_alone_are_no_words_to_look_for() {
    let sandbox = taught();
    for question in ["🦀", "?!", " … "] {
        let asked = sandbox.oldhand(["search", question]).run();
        assert_eq!(asked.code, Some(1), "{asked}");
        assert!(
            asked.stderr.contains("there are no words to look for"),
            "{asked}"
        );
        let asked = sandbox.oldhand(["context", question]).run();
        assert!(asked.stderr.contains("no words to go by"), "{asked}");
    }
}

#[test]
fn an_empty_query_is_answered_with_what_to_do() {
    let sandbox = taught();
    assert_transcript!(sandbox.oldhand(["search", " "]));
    for arguments in [
        ["search", "", "--json"].as_slice(),
        &["search", "", "--code"],
    ] {
        let outcome = sandbox.oldhand(arguments).run();
        assert_eq!(outcome.code, Some(1), "{outcome}");
    }
}

#[cfg(unix)]
#[test]
fn bytes_that_are_no_text_do_not_hide_the_rest_of_a_query() {
    use std::os::unix::ffi::OsStringExt as _;
    let query = std::ffi::OsString::from_vec(b"\xff\xfe migrations \x01".to_vec());
    let outcome = taught()
        .oldhand([std::ffi::OsStr::new("search"), &query])
        .run();
    assert_eq!(outcome.code, Some(0), "{outcome}");
}

#[test]
fn a_search_where_nothing_is_remembered_says_how_to_start() {
    let outcome = sandbox().oldhand(["search", "anything"]).run();
    assert_eq!(outcome.code, Some(1), "{outcome}");
    assert!(
        outcome.stderr.contains("nothing is remembered here yet"),
        "{outcome}"
    );
}

#[test]
fn list_shows_the_newest_first() {
    assert_transcript!(taught().oldhand(["list"]));
}

#[test]
fn list_as_json() {
    assert_transcript!(taught().oldhand(["list", "--json", "--type", "decision"]));
}

#[test]
fn list_says_when_there_is_more() {
    assert_transcript!(taught().oldhand(["list", "--limit", "1"]));
}

#[test]
fn list_of_nothing_says_how_to_start() {
    assert_transcript!(sandbox().oldhand(["list"]));
}

#[test]
fn looking_leaves_no_trace() {
    let sandbox = sandbox();
    sandbox.oldhand(["list"]).run();
    sandbox.oldhand(["search", "anything"]).run();
    sandbox.oldhand(["status"]).run();
    let left = std::fs::read_dir(sandbox.home()).unwrap().count();
    assert_eq!(left, 0);
}

#[test]
fn show_tells_everything() {
    let sandbox = taught();
    let id = id_of(&sandbox, "migrations");
    assert_transcript!(sandbox.oldhand(["show", &id]));
}

#[test]
fn show_as_json() {
    let sandbox = taught();
    let id = id_of(&sandbox, "migrations");
    assert_transcript!(sandbox.oldhand(["show", &id, "--json"]));
}

#[test]
fn the_short_id_and_its_beginning_are_enough() {
    let sandbox = taught();
    let id = id_of(&sandbox, "migrations");
    let whole = sandbox
        .oldhand(["show", &id, "--json"])
        .at("2026-02-01T00:00:00Z")
        .run()
        .success();
    let tail = &id[id.len() - 8..];
    for given in [tail, &tail[..5], &id[..20], &id.to_uppercase()] {
        let shown = sandbox
            .oldhand(["show", given, "--json"])
            .at("2026-02-01T00:00:00Z");
        assert_eq!(shown.run().success(), whole, "{given}");
    }
}

#[test]
fn an_unknown_id_is_not_found() {
    assert_transcript!(taught().oldhand(["show", "ffffffff"]));
}

#[test]
fn an_unknown_id_is_not_found_in_json_too() {
    assert_transcript!(taught().oldhand(["show", "ffffffff", "--json"]));
}

#[test]
fn an_ambiguous_beginning_names_the_candidates() {
    let sandbox = taught();
    let id = id_of(&sandbox, "migrations");
    // Ids begin with their time, which memories of one hour share.
    assert_transcript!(sandbox.oldhand(["show", &id[..6]]));
}

#[test]
fn too_few_letters_are_no_id() {
    assert_transcript!(taught().oldhand(["show", "01"]));
}

#[test]
fn a_known_project_without_memories_says_how_to_begin() {
    let sandbox = repository();
    sandbox.oldhand(["init", "--no-agents"]).run().success();
    let outcome = sandbox.oldhand(["list"]).run();
    assert_eq!(outcome.code, Some(1), "{outcome}");
    assert!(
        outcome.stderr.contains("nothing is remembered here yet"),
        "{outcome}"
    );
}
