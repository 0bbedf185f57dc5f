//! `oldhand review` and `oldhand trust`: what waits for a person, and what their word changes.

use oldhand_testkit::Sandbox;
use serde_json::Value;

use crate::{id_of, sandbox};

/// One memory nobody need look at, and two that wait.
fn house() -> Sandbox {
    let sandbox = sandbox();
    let lines = [
        r#"{"type":"gotcha","content":"Run migrations before the tests, or the schema is empty."}"#,
        r#"{"type":"gotcha","content":"The cache must be warmed by hand after a deploy.","source":"observer_inferred","needs_review":true}"#,
        r#"{"type":"decision","content":"Logs go to standard error, never to files.","source":"observer_inferred","needs_review":true}"#,
    ];
    sandbox
        .oldhand(["import", "json", "--trusted", "-"])
        .stdin(lines.join("\n"))
        .run()
        .success();
    sandbox
}

fn json(sandbox: &Sandbox, arguments: &[&str]) -> Value {
    let all = arguments.iter().chain(&["--json"]);
    let answer = sandbox.oldhand(all).run();
    serde_json::from_str(&answer.stdout).expect("the answer is JSON")
}

fn waiting(sandbox: &Sandbox) -> Vec<String> {
    let queue = json(sandbox, &["review"]);
    let waiting = queue["waiting"].as_array().expect("a list");
    waiting
        .iter()
        .map(|memory| {
            let content = memory["content"].as_str().expect("a text");
            format!(
                "{}: {}",
                memory["why"].as_str().expect("a word"),
                &content[..9]
            )
        })
        .collect()
}

#[test]
fn what_waits_is_listed_and_answers_by_id_empty_the_list() {
    let sandbox = house();
    let mut listed = waiting(&sandbox);
    listed.sort();
    assert_eq!(
        listed,
        ["needs_review: Logs go t", "needs_review: The cache"]
    );
    let (cache, logs) = (id_of(&sandbox, "cache"), id_of(&sandbox, "Logs"));
    let answers = json(
        &sandbox,
        &[
            "review",
            "--confirm",
            &cache,
            "--reject",
            &logs,
            "--as",
            "outdated",
            "--note",
            "they go to the journal",
        ],
    );
    assert_eq!(answers["answers"][0]["outcome"], "confirmed");
    assert_eq!(answers["answers"][1]["outcome"], "rejected");
    assert_eq!(answers["left"], 0);
    let confirmed = json(&sandbox, &["show", &cache]);
    assert!(!confirmed["verified_at"].is_null(), "{confirmed}");
    let rejected = json(&sandbox, &["show", &logs]);
    assert_eq!(rejected["flagged"]["correction"], "outdated");
    assert!(!rejected["deleted_since"].is_null(), "{rejected}");
    let done = sandbox.oldhand(["review"]).run();
    assert_eq!(done.code, Some(1));
    assert!(done.stderr.contains("nothing waits for a review"), "{done}");
}

#[test]
fn without_a_terminal_the_list_is_printed_with_how_to_answer() {
    let sandbox = house();
    let printed = sandbox.oldhand(["review"]).run();
    assert_eq!(printed.code, Some(0));
    assert!(
        printed.stdout.contains("The cache must be warmed")
            && printed.stdout.contains("waits because ")
            && printed.stderr.contains("--confirm ID")
            && printed
                .stderr
                .contains("--as inaccurate|outdated|too_specific|duplicate`"),
        "{printed}"
    );
}

#[test]
fn what_is_wrong_may_be_said_in_usual_words() {
    let sandbox = house();
    let (cache, logs) = (id_of(&sandbox, "cache"), id_of(&sandbox, "Logs"));
    for (id, word, correction) in [
        (&cache, "wrong", "inaccurate"),
        (&logs, "no longer true", "outdated"),
    ] {
        let reject = ["review", "--reject", id, "--as", word];
        sandbox.oldhand(reject).run().success();
        let rejected = json(&sandbox, &["show", id]);
        assert_eq!(rejected["flagged"]["correction"], correction, "{word}");
    }
    let unknown = |word: &str| {
        let reject = ["review", "--reject", &cache, "--as", word];
        sandbox.oldhand(reject).run().stderr
    };
    assert!(unknown("blue").contains("inaccurate, outdated, too_specific, duplicate"));
    assert!(unknown("the port is another").contains("`oldhand review --reject ID --note "));
}

#[test]
fn at_the_cautious_level_everything_that_was_learned_waits() {
    let sandbox = house();
    let cache = id_of(&sandbox, "cache");
    sandbox.oldhand(["verify", &cache]).run().success();
    let lines = r#"{"type":"gotcha","content":"Port 8080 is taken on the build machine.","source":"observer_inferred"}"#;
    sandbox
        .oldhand(["import", "json", "--trusted", "-"])
        .stdin(lines)
        .run()
        .success();
    assert_eq!(waiting(&sandbox).len(), 1);
    sandbox
        .oldhand(["trust", "set", "cautious"])
        .run()
        .success();
    let listed = waiting(&sandbox);
    assert_eq!(listed.len(), 2, "{listed:?}");
    assert!(
        listed.contains(&"not_confirmed: Port 8080".to_owned()),
        "{listed:?}"
    );
}

#[test]
fn trust_says_what_holds_and_takes_a_persons_word() {
    let sandbox = house();
    let shown = json(&sandbox, &["trust", "show"]);
    assert_eq!(
        (&shown["level"], &shown["by"]),
        (&"standard".into(), &"earned".into())
    );
    assert_eq!(
        (&shown["at_least"], &shown["to_review"]),
        (&0.65.into(), &2.into())
    );
    let set = json(&sandbox, &["trust", "set", "autonomous"]);
    assert_eq!(
        (&set["level"], &set["by"]),
        (&"autonomous".into(), &"set".into())
    );
    let back = json(&sandbox, &["trust", "set", "earned"]);
    assert_eq!(back["level"], "standard");
    let wrong = sandbox.oldhand(["trust", "set", "blind"]).run();
    assert_eq!(wrong.code, Some(2));
    assert!(wrong.stderr.contains("cautious"), "{wrong}");
}

#[test]
fn trust_goes_back_where_nothing_was_learned_yet() {
    let sandbox = house();
    let projects = std::fs::read_dir(sandbox.home().join("projects")).expect("a project is known");
    for project in projects.flatten() {
        std::fs::remove_dir_all(project.path()).expect("a folder can be removed");
        std::fs::create_dir(project.path()).expect("a folder can be made");
    }
    assert_eq!(json(&sandbox, &["trust", "back"])["level"], "cautious");
    assert_eq!(json(&sandbox, &["trust", "show"])["level"], "cautious");
}

#[test]
fn many_flags_at_once_offer_a_step_back() {
    let sandbox = house();
    for word in ["migrations", "cache"] {
        let id = id_of(&sandbox, word);
        let flagged = sandbox.oldhand(["flag", &id]).run();
        assert!(!flagged.stderr.contains("trust"), "{flagged}");
    }
    let flagged = sandbox.oldhand(["flag", &id_of(&sandbox, "Logs")]).run();
    assert!(flagged.stderr.contains("oldhand trust back"), "{flagged}");
    let back = json(&sandbox, &["trust", "back"]);
    assert_eq!(
        (&back["level"], &back["by"]),
        (&"cautious".into(), &"earned".into())
    );
    let again = sandbox.oldhand(["trust", "back"]).run();
    assert_eq!(again.code, Some(2), "{again}");
}

#[test]
fn flags_of_before_a_session_are_not_of_it() {
    let sandbox = house();
    for word in ["migrations", "cache"] {
        let id = id_of(&sandbox, word);
        sandbox.oldhand(["flag", &id]).run().success();
    }
    crate::mcp::safety::begin(&sandbox, "later");
    let flagged = sandbox.oldhand(["flag", &id_of(&sandbox, "Logs")]).run();
    assert!(!flagged.stderr.contains("trust"), "{flagged}");
}

#[test]
fn a_step_back_from_what_was_set_is_set() {
    let sandbox = house();
    json(&sandbox, &["trust", "set", "autonomous"]);
    let back = json(&sandbox, &["trust", "back"]);
    assert_eq!(
        (&back["level"], &back["by"]),
        (&"confident".into(), &"set".into())
    );
}

/// A person at a terminal, who answers each question by what stands above it. `None` where there is no terminal to be had.
#[cfg(target_os = "linux")]
fn answer(
    sandbox: &Sandbox,
    editor: &str,
    mut key: impl FnMut(&str) -> char,
) -> Option<(Option<i32>, String)> {
    use std::io::{Read as _, Write as _};
    let mut child = crate::terminal::in_terminal(sandbox, "review", editor)?;
    let mut terminal = child.stdout.take().expect("standard output is piped");
    let mut keys = child.stdin.take().expect("standard input is piped");
    let mut shown = Vec::new();
    let mut asked = 0;
    let mut byte = [0];
    while terminal.read(&mut byte).expect("it can be read") == 1 {
        shown.push(byte[0]);
        if shown.ends_with(b"[q]uit\r\n") || shown.ends_with(b"[b]ack\r\n") {
            let pressed = key(&String::from_utf8_lossy(&shown[asked..]));
            asked = shown.len();
            keys.write_all(&[pressed as u8]).expect("it listens");
            keys.flush().expect("it listens");
        }
    }
    let code = child.wait().expect("it is our child").code();
    Some((code, String::from_utf8_lossy(&shown).into_owned()))
}

#[cfg(target_os = "linux")]
#[test]
fn at_a_terminal_one_key_answers_each() {
    use std::os::unix::fs::PermissionsExt as _;
    let sandbox = house();
    let lines = [
        r#"{"type":"gotcha","content":"Port 8080 is taken on the build machine.","source":"observer_inferred","needs_review":true}"#,
        r#"{"type":"gotcha","content":"Tests of the panel need a browser.","source":"observer_inferred","needs_review":true}"#,
    ];
    sandbox
        .oldhand(["import", "json", "--trusted", "-"])
        .stdin(lines.join("\n"))
        .run()
        .success();
    let ids = ["cache", "Logs", "8080", "panel"].map(|word| id_of(&sandbox, word));
    // Leaves the text as it is the first time, and changes it the second.
    sandbox.write(
        "editor",
        "#!/bin/sh\nif [ -e \"$0.seen\" ]; then echo 'Logs go to the journal.' > \"$1\"; fi\ntouch \"$0.seen\"\n",
    );
    let editor = sandbox.project().join("editor");
    let program = std::fs::Permissions::from_mode(0o755);
    std::fs::set_permissions(&editor, program).expect("it is ours");
    let mut port = "rbro".chars();
    let mut last = "";
    let answered = answer(&sandbox, &editor.to_string_lossy(), |above| {
        // The words of the memory at hand stand nearest to the question.
        let words = ["cache must", "Logs go", "Port 8080", "panel need"];
        let nearest = words.iter().max_by_key(|word| above.rfind(**word));
        if let Some(word) = nearest.filter(|word| above.contains(**word)) {
            last = *word;
        }
        match last {
            "cache must" => 'C',
            "Logs go" => 'e',
            "Port 8080" => port.next().unwrap_or('q'),
            _ => 'l',
        }
    });
    let Some((code, shown)) = answered else {
        return;
    };
    assert_eq!(code, Some(0), "{shown}");
    assert!(shown.contains("4 of 4"), "{shown}");
    assert!(shown.contains("nothing was changed"), "{shown}");
    assert!(
        shown.contains("1 confirmed, 1 edited, 1 rejected"),
        "{shown}"
    );
    let [cache, logs, port, panel] = ids.map(|id| json(&sandbox, &["show", &id]));
    assert!(!cache["verified_at"].is_null(), "{cache}");
    assert_eq!(logs["content"], "Logs go to the journal.");
    assert!(!logs["verified_at"].is_null(), "{logs}");
    assert_eq!(port["flagged"]["correction"], "outdated");
    assert!(!port["deleted_since"].is_null(), "{port}");
    assert!(panel["verified_at"].is_null(), "{panel}");
    assert_eq!(waiting(&sandbox), ["needs_review: Tests of "]);

    let (code, shown) = answer(&sandbox, "true", |_| 'q').expect("there was a terminal");
    assert_eq!(code, Some(0), "{shown}");
    assert!(
        shown.contains("1 of 1") && shown.contains("0 confirmed, 0 edited, 0 rejected"),
        "{shown}"
    );
    assert_eq!(waiting(&sandbox).len(), 1);
}

#[cfg(target_os = "linux")]
#[test]
fn what_is_inaccurate_or_too_specific_may_be_written_anew_or_go() {
    use std::os::unix::fs::PermissionsExt as _;
    let sandbox = house();
    sandbox.write(
        "editor",
        "#!/bin/sh\nsed -i 's/, never to files//' \"$1\"\n",
    );
    let editor = sandbox.project().join("editor");
    let program = std::fs::Permissions::from_mode(0o755);
    std::fs::set_permissions(&editor, program).expect("it is ours");
    let ids = ["cache", "Logs"].map(|word| id_of(&sandbox, word));
    let (mut cache, mut logs) = ("ribrig".chars(), "rtw".chars());
    let mut is_cache = false;
    let answered = answer(&sandbox, &editor.to_string_lossy(), |above| {
        if above.contains("cache must") || above.contains("Logs go") {
            is_cache = above.rfind("cache must") > above.rfind("Logs go");
        }
        let keys = if is_cache { &mut cache } else { &mut logs };
        keys.next().unwrap_or('q')
    });
    let Some((code, shown)) = answered else {
        return;
    };
    assert_eq!(code, Some(0), "{shown}");
    assert!(
        shown.contains("0 confirmed, 1 edited, 1 rejected"),
        "{shown}"
    );
    let [cache, logs] = ids.map(|id| json(&sandbox, &["show", &id]));
    assert_eq!(cache["flagged"]["correction"], "inaccurate");
    assert!(!cache["deleted_since"].is_null(), "{cache}");
    assert_eq!(logs["content"], "Logs go to standard error.");
    assert!(!logs["verified_at"].is_null(), "{logs}");
}

#[test]
fn of_two_that_contradict_each_other_the_one_confirmed_last_stands() {
    let sandbox = sandbox();
    sandbox.write("CLAUDE.md", "- Line length is 100 characters.\n");
    sandbox.write("AGENTS.md", "- Line length is 80 characters.\n");
    let import = ["import", "rules", "--yes"];
    sandbox.oldhand(import).run().success();
    let (wide, narrow) = (id_of(&sandbox, "100"), id_of(&sandbox, "80"));
    let both = ["review", "--confirm", &wide, "--confirm", &narrow];
    let refused = sandbox.oldhand(both).run();
    assert_eq!(refused.code, Some(2), "{refused}");
    assert!(refused.stderr.contains("opposite of each other"));
    assert_eq!(waiting(&sandbox).len(), 2, "nothing was changed");
    for (confirmed, words) in [(&wide, "100"), (&narrow, "80"), (&wide, "100")] {
        let answer = ["review", "--confirm", confirmed];
        sandbox.oldhand(answer).run().success();
        assert_eq!(waiting(&sandbox), [] as [&str; 0]);
        let list = json(&sandbox, &["list"]);
        let left = list["memories"].as_array().expect("a list");
        assert_eq!(left.len(), 1, "{list}");
        assert!(left[0]["content"].as_str().unwrap().contains(words));
    }
}
