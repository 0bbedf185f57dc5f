//! `oldhand context`: what an agent would be told, and which files a task will probably touch.

use oldhand_testkit::Sandbox;
use serde_json::Value;

use crate::{assert_transcript, repository};

/// A repository with some code, a commit, and two things worth knowing.
fn house() -> Sandbox {
    let sandbox = repository();
    sandbox.write(
        "src/auth/login.ts",
        "export function login(user: string) { return session(user) }\n",
    );
    sandbox.write(
        "src/auth/session.ts",
        "export function session(user: string) { return user }\n",
    );
    sandbox.write("src/billing/tax.ts", "export const vatRate = 0.2\n");
    let project = sandbox.project();
    sandbox.git(&project, ["add", "."]);
    sandbox.git(
        &project,
        ["commit", "--quiet", "-m", "Let people log in and pay tax"],
    );
    for arguments in [
        &[
            "remember",
            "Log in fails unless the session cookie is signed.",
            "--type",
            "gotcha",
            "--file",
            "src/auth/login.ts",
        ][..],
        &[
            "remember",
            "The panel is never cached.",
            "--type",
            "decision",
        ],
    ] {
        sandbox.oldhand(arguments).run().success();
    }
    sandbox
}

#[test]
fn the_files_of_a_task_come_with_their_reasons() {
    assert_transcript!(house().oldhand([
        "context",
        "login does not keep the session",
        "--files",
        "3"
    ]));
}

#[test]
fn what_is_known_of_the_file_at_hand_is_told() {
    let sandbox = house();
    assert_transcript!(sandbox.oldhand([
        "context",
        "change the login",
        "--file",
        "src/auth/login.ts",
        "--files",
        "1"
    ]));
    let answer = sandbox
        .oldhand([
            "context",
            "change the login",
            "--file",
            "src/auth/login.ts",
            "--json",
        ])
        .run()
        .success();
    let answer: Value = serde_json::from_str(&answer).expect("JSON");
    assert_eq!(answer["silent"], false);
    assert_eq!(
        answer["memories"].as_array().map(Vec::len),
        Some(1),
        "{answer}"
    );
    // The file at hand is known to whoever asks: what comes next is not.
    assert_eq!(
        answer["files"][0]["path"], "src/auth/session.ts",
        "{answer}"
    );
}

#[test]
fn the_usual_answer_is_silence() {
    let answer = house()
        .oldhand(["context", "water the plants", "--json"])
        .run();
    let answer: Value = serde_json::from_str(&answer.stdout).expect("JSON");
    assert_eq!(
        (&answer["silent"], &answer["text"], &answer["tokens"]),
        (&true.into(), &"".into(), &0.into())
    );
}

#[test]
fn a_budget_is_never_exceeded() {
    let sandbox = house();
    for budget in ["0", "10", "40", "1000"] {
        let arguments = [
            "context",
            "change the login",
            "--file",
            "src/auth/login.ts",
            "--budget",
            budget,
            "--json",
        ];
        let answer = sandbox.oldhand(arguments).run().success();
        let answer: Value = serde_json::from_str(&answer).expect("JSON");
        let most: u64 = budget.parse().expect("a number");
        assert!(
            answer["tokens"]
                .as_u64()
                .is_some_and(|tokens| tokens <= most),
            "{budget}: {answer}"
        );
    }
}

#[test]
fn an_empty_task_is_told() {
    assert_transcript!(house().oldhand(["context", " "]));
}
