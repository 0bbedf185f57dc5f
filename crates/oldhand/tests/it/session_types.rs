//! What a session was for: told by a person, or plain from what was asked and done.

use serde_json::json;

use crate::repository;
use crate::session::Transcript;
use crate::verdicts::{answered, with_a_finding};

#[test]
fn what_a_session_was_for_is_told_kept_and_shown() {
    let sandbox = with_a_finding();
    let types = || {
        let listed = answered(&sandbox, &["session", "list"]);
        let sessions = listed["sessions"].as_array().expect("sessions").iter();
        let mut types: Vec<_> = sessions
            .map(|one| (one["id"].to_string(), one["session_type"].to_string()))
            .collect();
        types.sort();
        types
    };
    let memories = || {
        let listed = answered(&sandbox, &["list"]);
        let memories = listed["memories"].as_array().expect("memories").iter();
        let words = memories.map(|memory| memory["content"].to_string());
        words.collect::<Vec<_>>()
    };
    let tell = |told: &str| {
        let command = ["session", "validate", "found", "--type", told];
        answered(&sandbox, &command)
    };
    let before = (types(), memories());
    assert!(!before.1.is_empty());
    assert!(before.0.iter().all(|(_, told)| told == "\"build\""));
    let said = tell("changelog");
    assert_eq!(said["sessions"], 1, "{said}");
    let withdrawn = said["withdrawn"].as_array().expect("a list");
    assert!(!withdrawn.is_empty());
    for one in withdrawn {
        assert_eq!(one["why"], "sessions of its type do not teach it", "{said}");
    }
    let after = (types(), memories());
    assert_eq!(after.0[0].1, "\"changelog\"");
    assert!(after.1.len() < before.1.len(), "{after:?}");
    assert_eq!(tell("changelog")["withdrawn"], said["withdrawn"]);
    assert_eq!((types(), memories()), after);
    // It is in no transcript, and outlives another reading of it, and an import that finds nothing new.
    let grown = sandbox.read("../transcripts/found.jsonl");
    let mut more = Transcript::new(&sandbox, "found");
    more.prompt("thanks");
    sandbox.write("../transcripts/found.jsonl", grown + &more.text());
    for _ in 0..2 {
        let import = ["import", "transcripts", "../transcripts"];
        sandbox.oldhand(import).run().success();
        assert_eq!(types(), after.0);
    }
    let show = ["session", "show", "found"];
    let shown = sandbox.oldhand(show).run().success();
    assert!(shown.contains("changelog: user said so"), "{shown}");
    assert!(shown.contains("at most 0 may come of it"), "{shown}");
    tell("build");
    assert_eq!((types(), memories()), before);
    let shown = sandbox.oldhand(show).run().success();
    assert!(!shown.contains("right after all"), "{shown}");
}

#[test]
fn what_goes_says_whether_its_type_or_its_work_was_the_reason() {
    let sandbox = with_a_finding();
    for (told, reason) in [
        (
            &["--type", "changelog"][..],
            "sessions of its type do not teach it",
        ),
        (
            &["--type", "build", "--failed"],
            "it rests on work that failed",
        ),
    ] {
        let command = ["session", "validate", "found"];
        let command = command.iter().chain(told);
        let said = sandbox.oldhand(command).run().success();
        assert!(said.contains(reason), "{said}");
        sandbox
            .oldhand([
                "session", "validate", "found", "--type", "build", "--passed",
            ])
            .run()
            .success();
    }
}

#[test]
fn a_review_is_known_by_what_was_asked_and_done() {
    let sandbox = repository();
    for (name, asked) in [("asked", "review PR #12"), ("other", "what is in PR 12?")] {
        let mut told = Transcript::new(&sandbox, name);
        told.prompt(asked);
        let diff = json!({ "command": "gh pr diff 12" });
        told.tool("Bash", &diff, "+ a line", false);
        told.say("Two findings: the cache leaks, and the docs are old.");
        sandbox.write(&format!("../transcripts/{name}.jsonl"), told.text());
    }
    let import = ["import", "transcripts", "../transcripts"];
    sandbox.oldhand(import).run().success();
    let shown = |name: &str| {
        let show = ["session", "show", name];
        sandbox.oldhand(show).run().success()
    };
    let review = shown("asked");
    let why = "pr_review: its first prompt asks for a review (\"review PR #12\")";
    assert!(review.contains(why), "{review}");
    assert!(
        review.contains("the review ended with a summary"),
        "{review}"
    );
    assert!(!shown("other").contains("pr_review"), "{}", shown("other"));
    let told = ["session", "validate", "asked", "--type", "build"];
    sandbox.oldhand(told).run().success();
    assert!(shown("asked").contains("build: user said so"));
}
