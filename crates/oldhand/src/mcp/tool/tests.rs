//! What is asked for is said plainly, and what is wrong is told.

use super::*;

/// Words of JSON Schema that every client hands to its model as they are.
const PLAIN: [&str; 9] = [
    "type",
    "properties",
    "required",
    "description",
    "items",
    "enum",
    "minimum",
    "maximum",
    "additionalProperties",
];

#[track_caller]
fn assert_plain(schema: &Value, at: &str) {
    let Value::Object(words) = schema else {
        panic!("{at}: a schema is an object");
    };
    assert!(words["type"].is_string(), "{at}: one type, not a list");
    for (word, value) in words {
        assert!(PLAIN.contains(&word.as_str()), "{at}: {word}");
        match word.as_str() {
            "properties" => {
                for (name, schema) in value.as_object().unwrap() {
                    assert_plain(schema, &format!("{at}.{name}"));
                }
            }
            "items" => assert_plain(value, &format!("{at}[]")),
            "enum" => assert!(value.as_array().unwrap().iter().all(Value::is_string)),
            "required" => assert!(!value.as_array().unwrap().is_empty(), "{at}"),
            _ => {}
        }
    }
}

#[test]
fn schemas_hold_nothing_that_a_client_refuses() {
    for tool in TOOLS {
        assert_plain(&Value::Object(tool.schema()), tool.name);
        // `mcp__plugin_oldhand_oldhand__` comes before it, and 64 letters are the most.
        assert!(tool.name.len() <= 30, "{}", tool.name);
        assert!(
            tool.name
                .bytes()
                .all(|b| b.is_ascii_lowercase() || b == b'_')
        );
    }
}

#[test]
fn descriptions_are_short() {
    let all: usize = TOOLS
        .iter()
        .map(|tool| tool.about.len() + Value::Object(tool.schema()).to_string().len())
        .sum();
    assert!(
        all < 5200,
        "{all} bytes are read by every model in every session"
    );
}

fn refusal(name: &str, given: Value) -> String {
    let Value::Object(given) = given else {
        panic!("arguments are an object");
    };
    match Tool::named(name).unwrap().take(given) {
        Ok(_) => "taken".to_owned(),
        Err(failure) => failure.to_string(),
    }
}

#[test]
fn a_wrong_argument_is_told_what_would_be_right() {
    assert_eq!(refusal("search_memory", json!({})), "`query` is missing");
    assert_eq!(
        refusal("search_memory", json!({ "query": 3 })),
        "`query` is not a text"
    );
    assert_eq!(
        refusal("record_memory", json!({ "text": "x".repeat(5000) })),
        "`text` has 5000 bytes, 4096 are the most"
    );
    assert_eq!(
        refusal("record_memory", json!({ "text": " " })),
        "`text` is empty"
    );
    assert_eq!(
        refusal("search_memory", json!({ "query": "a", "limit": 0 })),
        "`limit` is not a whole number from 1 to 30"
    );
    assert_eq!(
        refusal("report_outcome", json!({ "passed": "yes" })),
        "`passed` is not true or false"
    );
    assert_eq!(
        refusal("flag_memory", json!({ "id": "a", "correction": "wrong" })),
        "`correction` is not one of inaccurate, outdated, too_specific, duplicate"
    );
    assert_eq!(
        refusal("search_memory", json!({ "query": "a", "type": null })),
        "taken"
    );
}

#[test]
fn a_question_may_have_any_length_and_its_beginning_and_end_are_looked_at() {
    let asked = |query: &str| {
        let given = json!({ "query": query }).as_object().unwrap().clone();
        let taken = Tool::named("search_memory").unwrap().take(given);
        let taken = taken.unwrap_or_else(|failure| panic!("{failure}"));
        taken.question("query").map(Cow::into_owned)
    };
    assert_eq!(asked(" \n"), None);
    assert_eq!(asked("why").as_deref(), Some("why"));
    let log = format!("begun {} ended", "é".repeat(1 << 20));
    let looked_at = asked(&log).unwrap();
    assert!(looked_at.len() <= BEGINNING + END + 1);
    assert!(looked_at.starts_with("begun ") && looked_at.ends_with(" ended"));
}

#[test]
fn what_is_not_taken_is_refused_with_what_is() {
    let refused = |tool: &str, given: Value| {
        let failure = Tool::named(tool)
            .unwrap()
            .take(given.as_object().unwrap().clone());
        let failure = failure.err().unwrap();
        format!("{failure}; {}", failure.hint.as_deref().unwrap())
    };
    assert_eq!(
        refused(
            "get_workflow_recipe",
            json!({ "task": "a", "colour": "red" })
        ),
        "get_workflow_recipe takes no `colour`; it takes task"
    );
    let types = refused(
        "search_memory",
        json!({ "query": "a", "types": ["gotcha"] }),
    );
    assert!(
        types.starts_with(
            "search_memory takes no `types`; did you mean `type`? It takes query, type, file"
        ),
        "{types}"
    );
    for tool in TOOLS {
        assert_eq!(
            tool.schema()["additionalProperties"],
            json!(false),
            "{}",
            tool.name
        );
    }
}

#[test]
fn a_share_may_be_a_number_or_the_text_of_one() {
    for sure in [json!(0.7), json!("0.7"), json!(1), json!(0)] {
        let given = json!({ "query": "a", "min_confidence": sure });
        assert_eq!(refusal("search_memory", given), "taken");
    }
    for sure in [json!(7), json!("much"), json!(-0.1), json!([0.5])] {
        let given = json!({ "query": "a", "min_confidence": sure });
        assert_eq!(
            refusal("search_memory", given),
            "`min_confidence` is not a number from 0 to 1"
        );
    }
}
