//! `oldhand search`, `list` and `show`.

use crate::{assert_transcript, id_of, sandbox, taught};

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
fn an_empty_query_is_refused() {
    assert_transcript!(taught().oldhand(["search", " "]));
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
