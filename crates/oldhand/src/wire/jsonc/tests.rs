//! Pieces go in and out, and what is not ours keeps its bytes.

use serde_json::json;

use super::*;

/// The text without any of ours in the list.
fn without_ours(text: &str) -> String {
    let path = ["hooks", "Stop"];
    let mut text = text.to_owned();
    loop {
        let root = parse(&text).unwrap();
        let list = root.at(&path).map_or(&[][..], Node::elements);
        let Some(index) = list.iter().rposition(|node| node.text() == Some("ours")) else {
            return text;
        };
        text = take_part(&text, &root, &path, index, &|_: &[&str]| false).unwrap();
    }
}

/// What goes in comes out again, and the bytes are those of before.
#[track_caller]
fn round(before: &str, during: &str) {
    let wired = push(before, &["hooks", "Stop"], &json!("ours")).unwrap();
    assert_eq!(wired, during);
    assert!(parse(&wired).is_some());
    assert_eq!(without_ours(&wired), before);
}

#[test]
fn a_list_beside_others_is_added_and_removed() {
    round(
        "{\n  \"model\": \"x\", // mine\n  \"hooks\": {\n    \"Start\": []\n  }\n}\n",
        "{\n  \"model\": \"x\", // mine\n  \"hooks\": {\n    \"Start\": [],\n    \"Stop\": [\n      \"ours\"\n    ]\n  }\n}\n",
    );
}

#[test]
fn an_element_beside_others_is_added_and_removed() {
    round(
        "{\n\t\"hooks\": {\n\t\t\"Stop\": [\n\t\t\t\"theirs\"\n\t\t]\n\t}\n}",
        "{\n\t\"hooks\": {\n\t\t\"Stop\": [\n\t\t\t\"theirs\",\n\t\t\t\"ours\"\n\t\t]\n\t}\n}",
    );
}

#[test]
fn neighbours_that_share_a_line_do_not_become_an_indent() {
    round(
        "{\n  \"a\": 1, \"b\": {}\n}",
        "{\n  \"a\": 1, \"b\": {},\n  \"hooks\": {\n    \"Stop\": [\n      \"ours\"\n    ]\n  }\n}",
    );
}

#[test]
fn a_line_stays_a_line() {
    round(
        r#"{"model":"x"}"#,
        r#"{"model":"x", "hooks": {"Stop":["ours"]}}"#,
    );
}

#[test]
fn nothing_becomes_something_and_nothing_again() {
    round(
        "{}",
        "{\n  \"hooks\": {\n    \"Stop\": [\n      \"ours\"\n    ]\n  }\n}",
    );
}

#[test]
fn only_what_is_unwanted_goes() {
    let text = r#"{ "hooks": { "Stop": ["ours", "theirs", "ours", /* why */ "ours"] } }"#;
    let node = parse(&without_ours(text)).unwrap();
    let left = node.at(&["hooks", "Stop"]).unwrap().elements();
    assert_eq!(
        left.iter().map(Node::text).collect::<Vec<_>>(),
        [Some("theirs")]
    );
}

#[test]
fn what_is_not_json_or_not_a_list_is_not_touched() {
    for text in [
        "",
        "{",
        "{\"hooks\": 3}",
        "{\"hooks\": {\"Stop\": {}}}",
        "[]",
        "{} {}",
        "{\"a\" 1}",
    ] {
        assert_eq!(
            push(text, &["hooks", "Stop"], &json!("ours")),
            None,
            "{text}"
        );
    }
    let deep = format!("{}{}", "[".repeat(10_000), "]".repeat(10_000));
    assert_eq!(parse(&deep), None);
}

#[test]
fn commas_before_a_bracket_and_comments_are_read() {
    let text = "{\n  // a \"comment\"\n  \"a\": [1, -2.5e3, true,],\n}\n";
    let wired = push(text, &["hooks"], &json!("ours")).unwrap();
    let node = parse(&wired).unwrap();
    assert_eq!(node.get("hooks").unwrap().elements().len(), 1);
    assert!(wired.contains("// a \"comment\""));
}

#[test]
fn comments_of_neighbours_stay_when_an_entry_between_them_goes() {
    let cases = [
        (
            "{\n  \"a\": 1, // of a\n  // above\n  \"x\": {\n    \"y\": 1\n  }, // behind\n  // of b\n  \"b\": 2 // too\n}",
            "{\n  \"a\": 1, // of a\n  // above\n  // behind\n  // of b\n  \"b\": 2 // too\n}",
        ),
        (
            "{\n  \"a\": 1,\n  \"x\": 1,\n  // of b\n  \"b\": 2\n}",
            "{\n  \"a\": 1,\n  // of b\n  \"b\": 2\n}",
        ),
        (
            "{\n  \"a\": 1, // of a\n  /* end, */\n  \"x\": 1\n  // last\n}",
            "{\n  \"a\": 1 // of a\n  /* end, */\n  // last\n}",
        ),
        (
            "{\n  \"a\": 1, // of a\n  \"x\": 1,\n}",
            "{\n  \"a\": 1, // of a\n}",
        ),
        (
            "{\r\n  \"x\": 1 /* why */ ,\r\n  \"b\": 2\r\n}",
            "{\r\n  /* why */ \r\n  \"b\": 2\r\n}",
        ),
        ("{ \"x\": 1, \"b\": 2 }", "{ \"b\": 2 }"),
        ("{\"a\":1, \"x\": 1,\n\"b\": 2}", "{\"a\":1,\n\"b\": 2}"),
        ("{\n  // only\n  \"x\": 1\n}", "{\n  // only\n}"),
        ("{\n  \"x\": 1\n}", "{}"),
    ];
    for (before, after) in cases {
        let left = take(before, &["x"], &|_: &[&str]| false).unwrap();
        assert_eq!(left, after);
        assert!(parse(&left).is_some(), "{left}");
    }
}

#[test]
fn an_emptied_object_stays_where_it_is_kept_or_holds_a_comment() {
    let text = "{\"a\": 1, \"servers\": {\"x\": 1}}";
    let kept = take(text, &["servers", "x"], &|path: &[&str]| {
        path == ["servers"]
    });
    assert_eq!(kept.unwrap(), "{\"a\": 1, \"servers\": {}}");
    let gone = take(text, &["servers", "x"], &|_: &[&str]| false);
    assert_eq!(gone.unwrap(), "{\"a\": 1}");
    let noted = take(
        "{\"servers\": { /* mine */ \"x\": 1}}",
        &["servers", "x"],
        &|_: &[&str]| false,
    );
    assert_eq!(noted.unwrap(), "{\"servers\": { /* mine */ }}");
}
