//! `oldhand status`, `version`, `completions`, and what is said without a command.

use crate::{assert_transcript, repository, sandbox, taught};

#[test]
fn status_counts_what_is_kept_and_says_where() {
    assert_transcript!(taught().oldhand(["status"]));
}

#[test]
fn status_as_json() {
    assert_transcript!(taught().oldhand(["status", "--json"]));
}

#[test]
fn status_of_an_unknown_project_says_how_to_start() {
    assert_transcript!(repository().oldhand(["status"]));
}

#[test]
fn status_of_a_folder_that_is_not_there() {
    assert_transcript!(sandbox().oldhand(["status", "--project", "nowhere"]));
}

#[test]
fn version_in_words_and_as_json() {
    assert_transcript!(sandbox().oldhand(["version"]));
    assert_transcript!(sandbox().oldhand(["version", "--json"]));
}

#[test]
fn completions_name_every_command() {
    let script = sandbox().oldhand(["completions", "bash"]).run().success();
    for command in ["remember", "search", "forget", "backup", "doctor"] {
        assert!(script.contains(command), "{command}");
    }
}

#[test]
fn completions_for_an_unknown_shell() {
    assert_transcript!(sandbox().oldhand(["completions", "tcsh"]));
}

#[test]
fn help_lists_the_commands() {
    assert_transcript!(sandbox().oldhand(["--help"]));
}

#[test]
fn help_of_a_command_has_examples() {
    assert_transcript!(sandbox().oldhand(["remember", "--help"]));
}

#[test]
fn an_unknown_command_in_words_and_as_json() {
    assert_transcript!(sandbox().oldhand(["remembr", "x"]));
    assert_transcript!(sandbox().oldhand(["remembr", "x", "--json"]));
}
