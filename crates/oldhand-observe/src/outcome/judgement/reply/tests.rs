//! What is heard as an objection, as other work and as neither.

use super::*;

#[test]
fn objections_are_heard_in_plain_words() {
    for prompt in [
        "No, this is not working",
        "are you sure? it looks broken to me",
        "no",
        "No!",
        "nope, use the other client",
        "stop",
        "please undo",
        "undo",
        "revert it",
        "can you revert your last change?",
        "roll it back",
        "that broke the login page",
        "This crashes now",
        "wrong file!",
        "It fails with a TypeError",
        "It’s still failing",
        "You should not have changed the API",
        "I didn't ask for a new flag",
        "hmm, that doesn't work on Windows",
        "not working",
        "same error",
        "das ist falsch",
        "no, it doesn't work when the cache is cold",
        "Still failing:\n```\nerror\n```",
        "no funciona",
        "you shouldn't have touched the lock file",
        "broken again",
        "thanks, but doesn't work on Windows",
        "不对，应该是另一个文件",
    ] {
        assert!(matches!(read(prompt), Reply::Objects(_)), "{prompt}");
    }
}

#[test]
fn other_work_is_a_new_order() {
    for prompt in [
        "now the docs",
        "Great, thanks! Now add a page for the settings",
        "add a --json flag to the list command",
        "Next, rename the store to archive",
        "can you write a changelog entry for the release",
        "fix the typo in the contributing guide",
        "add a retry for every request that fails",
        "add a retry when login fails",
        "remove the undo button from the toolbar",
        "Add a role check: guests should not have access to the admin page",
        "add a page for users that shouldn't have an account",
        "make the login simpler: you shouldn't have to type it twice",
    ] {
        assert_eq!(read(prompt), Reply::GoesOn, "{prompt}");
    }
}

#[test]
fn approval_is_plain_and_without_conditions() {
    for prompt in [
        "LGTM",
        "looks good to me",
        "The spec looks good, go on with the plan",
        "Yes, go ahead",
        "ok, approved!",
        "I accept it",
        "Perfect. Now add the tasks for it",
        "sieht gut aus",
    ] {
        assert!(accepts(prompt).is_some(), "{prompt}");
    }
    for prompt in [
        "looks good but the limits are missing",
        "looks good?",
        "looks good so far",
        "not approved",
        "no, that looks good only on paper",
        "it doesn't look good",
        "go ahead if the tests pass",
        "make it perfect",
        "perfectly unclear",
        "thanks",
        "continue",
        "/approve",
        "<command-name>approved</command-name>",
    ] {
        assert_eq!(accepts(prompt), None, "{prompt}");
    }
}

#[test]
fn only_the_opening_counts() {
    let long = format!("{} and that's wrong", "describe the design ".repeat(12));
    assert_eq!(read(&long), Reply::Neither);
}

#[test]
fn what_says_neither_is_taken_for_neither() {
    for prompt in [
        "continue",
        "hmm",
        "ok",
        "thanks",
        "go on",
        "yes",
        "no worries, take your time",
        "no need to run the tests",
        "why did you touch that file?",
        "now run the tests",
        "commit this",
        "fix it",
        "fix the failing test",
        "make it faster",
        "change that back",
        "stop the server and start it again",
        "/clear",
        "<command-name>/compact</command-name>",
        "[Request interrupted by user]",
        "what does if it fails, retry mean?",
        "use the other client instead",
        "the response shouldn't have a trailing slash",
        "broken links, list them in the docs",
        "failed jobs go to a queue of their own",
        "not right now",
        "",
    ] {
        assert_eq!(read(prompt), Reply::Neither, "{prompt}");
    }
}
