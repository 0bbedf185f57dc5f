//! `oldhand init`.

use crate::{assert_transcript, repository, sandbox, taught};

#[test]
fn a_new_project_is_made_known_and_shown() {
    let sandbox = repository();
    sandbox.write(
        "AGENTS.md",
        "- Never push to main.\n- Prefer small commits over large ones.\n",
    );
    assert_transcript!(sandbox.oldhand(["init"]));
    assert_transcript!(sandbox.oldhand(["init", "--yes", "--no-agents"]));
    assert_transcript!(sandbox.oldhand(["init", "--yes"]));
}

#[test]
fn as_json() {
    let sandbox = repository();
    sandbox.write("AGENTS.md", "- Never push to main.\n");
    assert_transcript!(sandbox.oldhand(["init", "--yes", "--no-agents", "--json"]));
}

#[test]
fn a_second_time_changes_nothing() {
    let sandbox = taught();
    let projects = || std::fs::read(sandbox.home().join("projects.toml")).unwrap();
    let before = projects();
    assert_transcript!(sandbox.oldhand(["init"]));
    assert_eq!(projects(), before);
}

#[test]
fn nothing_is_written_into_the_repository() {
    let sandbox = repository();
    sandbox.oldhand(["init", "--yes"]).run().success();
    sandbox
        .oldhand(["remember", "The cache is shared."])
        .run()
        .success();
    assert_eq!(
        sandbox.git(&sandbox.project(), ["status", "--porcelain", "--ignored"]),
        ""
    );
}

#[test]
fn being_the_same_as_an_unknown_project_is_refused() {
    assert_transcript!(sandbox().oldhand(["init", "--same-as", "api"]));
    assert_transcript!(taught().oldhand(["init", "--same-as", "api"]));
}
