//! What an agent may narrow a search by: the same as a person.

use serde_json::json;

use super::{Client, text};
use crate::repository;

#[test]
fn a_search_is_narrowed_as_a_person_narrows_it() {
    let sandbox = repository();
    for (words, of) in [
        (
            "Ports of the api begin at 7000.",
            ["--type", "decision", "--tag", "ports"],
        ),
        (
            "Ports of the web begin at 8000.",
            ["--type", "gotcha", "--module", "web"],
        ),
    ] {
        let taught = ["remember", words].into_iter().chain(of);
        sandbox.oldhand(taught).run().success();
    }
    let mut client = Client::start(&sandbox);
    for (name, value, told) in [
        ("type", "decision", "7000"),
        ("tag", "ports", "7000"),
        ("tag", "#ports", "7000"),
        ("module", "web", "8000"),
        ("module", "WEB", "8000"),
    ] {
        let said = client.words("search_memory", &json!({ "query": "ports", name: value }));
        let other = if told == "7000" { "8000" } else { "7000" };
        assert!(
            said.contains(told) && !said.contains(other),
            "{name}: {said}"
        );
    }
    for (name, value, is_told) in [
        ("source", "user_taught", true),
        ("source", "commit_auto", false),
        ("scope", "global", true),
        ("scope", "session", false),
        ("branch", "nowhere", false),
        ("min_confidence", "0.5", true),
        ("min_confidence", "0.99", false),
        ("since", "1d", true),
        ("until", "2020-01-01", false),
        ("around", "2020-01-01", false),
        ("phase", "validate", true),
    ] {
        let said = client.words("search_memory", &json!({ "query": "ports", name: value }));
        assert_eq!(said.contains("Ports of the"), is_told, "{name}: {said}");
    }
    for (name, value, said) in [
        ("scope", json!("wide"), "`scope`: unknown scope `wide`"),
        ("since", json!("soon"), "`since`: `soon`"),
        ("min_confidence", json!(7), "`min_confidence` is not"),
        (
            "module",
            json!("parser"),
            "no module is called `parser`: there are web",
        ),
        ("types", json!(["gotcha"]), "takes no `types`"),
    ] {
        let answer = client.call("search_memory", &json!({ "query": "ports", name: value }));
        assert_eq!(answer["isError"], true, "{answer}");
        assert!(text(&answer).contains(said), "{answer}");
        assert!(!text(&answer).contains("--"), "{answer}");
    }
    client.leave();
}
