//! What a prompt hears is what `oldhand context` shows.

use oldhand_testkit::Sandbox;
use oldhand_testkit::questions::{MEMORIES, QUESTIONS};
use serde_json::{Value, json};

use super::told::{context, known, teach, tell};

/// A project with the memories of the questions, and a person who brought some along.
fn filled() -> Sandbox {
    let sandbox = known();
    for text in MEMORIES {
        teach(&sandbox, &[text, "--type", "gotcha"]);
    }
    teach(
        &sandbox,
        &[
            "Always show me the command before it is run.",
            "--personal",
            "--type",
            "preference",
        ],
    );
    sandbox
}

/// What `context` shows, with `MARK` in the place of what is different each time.
fn shown(sandbox: &Sandbox, task: &str) -> String {
    let outcome = sandbox.oldhand(["context", task, "--json"]).run();
    let answer: Value = serde_json::from_str(&outcome.stdout).expect("an answer is JSON");
    let text = answer["text"].as_str().expect("there is a text");
    match text.strip_prefix("<oldhand-memory ") {
        Some(rest) => text.replace(&rest[..8], "MARK"),
        None => String::new(),
    }
}

#[test]
fn a_prompt_hears_exactly_what_context_shows() {
    let sandbox = filled();
    let foreign = [
        "hello",
        "what time is it",
        "write a haiku about autumn",
        "show me the command before you run it",
        "translate the README to French",
    ];
    let questions = QUESTIONS.iter().map(|(question, _)| *question);
    let mut told = 0;
    for (number, task) in questions.chain(foreign).enumerate() {
        let session = format!("s{number}");
        let answer = tell(
            &sandbox,
            &session,
            "UserPromptSubmit",
            json!({ "prompt": task }),
        );
        let heard = match answer.as_str() {
            "" => String::new(),
            answer => context(answer, "UserPromptSubmit"),
        };
        assert_eq!(heard, shown(&sandbox, task), "{task}");
        told += usize::from(!heard.is_empty());
    }
    assert!(
        told >= 5,
        "a test in which hardly anything is said is none: {told}"
    );
}

/// What is heard of a prompt, and what `context` shows and says of it.
fn both(sandbox: &Sandbox, session: &str, task: &str) -> (String, String, String) {
    let prompt = json!({ "prompt": task });
    let heard = match tell(sandbox, session, "UserPromptSubmit", prompt).as_str() {
        "" => String::new(),
        answer => context(answer, "UserPromptSubmit"),
    };
    let said = sandbox.oldhand(["context", task]).run().stdout;
    (heard, shown(sandbox, task), said)
}

#[test]
fn short_prompts_talk_and_commands_are_judged_alike() {
    const NO_REQUEST: &str = "it asks for nothing that a memory could answer";
    const TO_CLIENT: &str = "a command to the client itself, with which agents are told nothing";
    let sandbox = known();
    for text in [
        "Run tests with `just test`, never with cargo test alone.",
        "Never rename CODEX_SANDBOX_ENV_VAR: the seatbelt profile reads it.",
        "Continue a release only after the go of the person on call, thanks to the new gate; ok is not enough.",
    ] {
        teach(&sandbox, &[text, "--type", "gotcha"]);
    }
    for (number, (task, told)) in [
        ("run tests", Ok("just test")),
        ("rename CODEX_SANDBOX_ENV_VAR", Ok("seatbelt")),
        ("ok", Err(NO_REQUEST)),
        ("thanks", Err(NO_REQUEST)),
        ("go on", Err(NO_REQUEST)),
        ("continue", Err(NO_REQUEST)),
        ("hello", Err(NO_REQUEST)),
        ("/run tests", Err(TO_CLIENT)),
        ("/continue the release after the go", Err(TO_CLIENT)),
    ]
    .into_iter()
    .enumerate()
    {
        let (heard, shown, said) = both(&sandbox, &format!("t{number}"), task);
        assert_eq!(heard, shown, "{task}");
        match told {
            Ok(words) => assert!(heard.contains(words), "{task}: {heard}"),
            Err(why) => {
                assert_eq!(heard, "", "{task}");
                let said = said.split_whitespace().collect::<Vec<_>>().join(" ");
                assert!(said.contains(&format!("silence: {why}")), "{task}: {said}");
            }
        }
    }
}

#[test]
fn what_follows_the_person_is_told_as_theirs_and_where_the_project_disagrees() {
    let sandbox = known();
    teach(
        &sandbox,
        &["Use tabs for indentation.", "--type", "decision"],
    );
    teach(
        &sandbox,
        &[
            "Never use tabs for indentation.",
            "--personal",
            "--type",
            "preference",
        ],
    );
    teach(
        &sandbox,
        &[
            "I like small commits.",
            "--personal",
            "--type",
            "preference",
        ],
    );
    let answer = tell(
        &sandbox,
        "s1",
        "SessionStart",
        json!({ "source": "startup" }),
    );
    let told = context(&answer, "SessionStart");
    assert!(
        told.contains("- decision: Use tabs for indentation."),
        "{told}"
    );
    assert!(
        told.contains("- preference (the user's own; what this project says goes first): I like small commits."),
        "{told}"
    );
    assert!(
        told.contains("- preference (the user's own; this project says otherwise, see "),
        "{told}"
    );
}

#[test]
fn a_pinned_word_of_the_person_is_told_with_what_the_project_decided_against_it() {
    let sandbox = known();
    let teach = |words: &str, more: &[&str]| {
        let first = ["remember", words, "--json"];
        let arguments = first.iter().chain(more);
        let said = sandbox.oldhand(arguments).run().success();
        let said: Value = serde_json::from_str(&said).expect("an answer is JSON");
        let id = said["memory"]["id"].as_str().expect("it has an id");
        id.to_owned()
    };
    let person = ["--personal", "--type", "preference"];
    let pinned = teach("Never use tabs for indentation.", &person);
    sandbox.oldhand(["pin", &pinned]).run().success();
    let decided = teach("Use tabs for indentation.", &["--type", "decision"]);
    let answer = tell(
        &sandbox,
        "s1",
        "SessionStart",
        json!({ "source": "startup" }),
    );
    let told = context(&answer, "SessionStart");
    let short = &decided[decided.len() - 8..];
    let against = format!("(the user's own; this project says otherwise, see {short})");
    assert!(told.contains(&against), "{told}");
    assert!(told.contains("- decision: Use tabs"), "{told}");
}

#[test]
fn what_was_just_taught_answers_the_next_prompt() {
    let sandbox = known();
    teach(
        &sandbox,
        &[
            "The request logger must flush its buffer before the process forks, or lines are written twice.",
            "--type",
            "gotcha",
        ],
    );
    let prompt =
        json!({ "prompt": "make the request logger flush its buffer before the process forks" });
    let answer = tell(&sandbox, "s1", "UserPromptSubmit", prompt);
    let told = context(&answer, "UserPromptSubmit");
    assert!(told.contains("lines are written twice"), "{told}");
}

#[test]
fn a_prompt_without_blanks_is_heard() {
    let sandbox = known();
    teach(
        &sandbox,
        &[
            "データベースの移行はテストの前に実行してください。スキーマが空になります。",
            "--type",
            "gotcha",
        ],
    );
    let ask = |session: &str, prompt: &str| {
        let prompt = json!({ "prompt": prompt });
        tell(&sandbox, session, "UserPromptSubmit", prompt)
    };
    let heard = ask("s1", "データベースの移行とテスト、スキーマが空です");
    assert!(heard.contains("スキーマが空になります"), "{heard}");
    assert_eq!(ask("s2", "続けて"), "", "a word or two");
}

#[test]
fn who_was_told_how_to_deploy_one_place_is_told_of_another() {
    let sandbox = known();
    for place in ["staging", "production"] {
        let text = format!("Deploy {place} by tagging the commit and pushing the tag to origin.");
        teach(&sandbox, &[&text, "--type", "gotcha"]);
    }
    let ask = |prompt: &str| {
        let prompt = json!({ "prompt": prompt });
        tell(&sandbox, "s1", "UserPromptSubmit", prompt)
    };
    let first = ask("deploy staging");
    assert!(first.contains("Deploy staging by"), "{first}");
    let second = ask("deploy production");
    assert!(
        first.contains("Deploy production by") || second.contains("Deploy production by"),
        "{first}\n{second}"
    );
}
