//! What people laid down, through the real import: the labelled sample of sentences, told to agents a few at a time.

use std::collections::BTreeSet;

use oldhand_testkit::Sandbox;
use serde_json::Value;

use super::{Scene, import, memories};
use crate::repository;

const SAMPLE: &str = include_str!("../../../../oldhand-observe/data/laid_down.tsv");
/// A session may teach ten memories at most.
const A_SESSION: usize = 8;

fn sample() -> Vec<(bool, &'static str)> {
    let lines = SAMPLE.lines().filter(|line| !line.starts_with('#'));
    lines
        .map(|line| {
            let mut parts = line.splitn(3, '\t');
            let (label, _, sentence) = (parts.next(), parts.next(), parts.next());
            (label == Some("rule"), sentence.expect("a sentence"))
        })
        .collect()
}

fn tell(sandbox: &Sandbox, number: usize, sentences: &[(bool, &str)]) {
    let session = format!("session-{number}");
    let mut scene = Scene::new(sandbox, &session, "go on with the parser");
    for (at, (_, sentence)) in sentences.iter().enumerate() {
        scene.transcript.prompt(sentence);
        scene.edit(&format!("src/part{number}_{at}.rs"), "b");
    }
    scene
        .run("make test", "ok", false)
        .run("git commit -am part", "[main 3b3c4d5] part", false)
        .write(&session);
}

#[test]
fn what_people_lay_down_becomes_memories_and_little_else_does() {
    let sandbox = repository();
    let sample = sample();
    for (number, sentences) in sample.chunks(A_SESSION).enumerate() {
        tell(&sandbox, number, sentences);
    }
    import(&sandbox);
    let told: Vec<String> = memories(&sandbox)
        .iter()
        .filter(|memory| memory["type"] == "preference")
        .map(|memory| memory["content"].as_str().unwrap_or_default().to_owned())
        .collect();
    // The words of the person stand between the outermost marks.
    let kept: BTreeSet<&str> = told
        .iter()
        .map(|content| {
            let (_, words) = content.split_once('"').expect("words of a person");
            words.rsplit_once('"').expect("words of a person").0
        })
        .collect();
    assert_eq!(kept.len(), told.len(), "something is told twice: {told:#?}");
    let count = |label: bool| {
        let of = sample.iter().filter(|(is_rule, _)| *is_rule == label);
        of.filter(|(_, sentence)| kept.iter().any(|words| sentence.contains(words)))
            .count()
    };
    let (right, wrong) = (count(true), count(false));
    let rules = sample.iter().filter(|(is_rule, _)| *is_rule).count();
    assert!(
        10 * right >= 9 * (right + wrong),
        "{wrong} of {} are no rules: {told:#?}",
        right + wrong
    );
    assert!(2 * right >= rules, "only {right} of {rules} rules are kept");
}

#[test]
fn what_a_person_laid_down_outlives_the_failure_of_the_work_it_was_said_in() {
    let sandbox = repository();
    tell(&sandbox, 1, &[(true, "always use pnpm in this repository")]);
    import(&sandbox);
    let all = || {
        let list = sandbox.oldhand(["list", "--all", "--json"]).run().success();
        let list: Value = serde_json::from_str(&list).expect("JSON");
        let memories = list["memories"].as_array().expect("a list");
        let preferences = memories
            .iter()
            .filter(|memory| memory["type"] == "preference");
        preferences
            .map(|memory| (memory["id"].clone(), memory["provenance"].clone()))
            .collect::<Vec<_>>()
    };
    let before = all();
    assert_eq!(before.len(), 1, "{before:#?}");
    for _ in 0..3 {
        let validate = ["session", "validate", "session-1", "--failed"];
        sandbox.oldhand(validate).run().success();
        assert_eq!(all(), before);
    }
}

#[test]
fn a_rule_in_another_language_is_found_by_its_words_and_not_told_where_a_file_has_it() {
    let sandbox = repository();
    sandbox.write("CLAUDE.md", "- パッケージはpnpmを使う。\n");
    let said = [
        "今後はpnpmを使ってください",
        "コミット前に必ずlintを実行してください",
        "커밋 메시지는 항상 영어로 작성해 주세요",
        "毎回失敗するテストを直してください",
    ];
    tell(&sandbox, 1, &said.map(|sentence| (true, sentence)));
    import(&sandbox);
    let kept = memories(&sandbox);
    let kept = kept.iter().filter(|memory| memory["type"] == "preference");
    let kept: BTreeSet<String> = kept.map(|memory| memory["summary"].to_string()).collect();
    let rules = [said[1], said[2]].map(|rule| format!("\"User's rule: {rule}\""));
    assert_eq!(kept, BTreeSet::from(rules));
    for (question, rule) in [("コミット lint", said[1]), ("커밋 메시지 영어로", said[2])]
    {
        let found = sandbox.oldhand(["search", question]).run().success();
        assert!(found.contains(rule), "{found}");
    }
}

#[test]
fn a_rule_leads_back_to_the_prompt_that_says_it() {
    let sandbox = repository();
    let mut scene = Scene::new(&sandbox, "session-1", "make me a picture of the parser");
    scene
        .transcript
        .prompt("always use pnpm in this repository");
    scene.transcript.prompt("what is left to do here?");
    scene
        .edit("src/part.rs", "b")
        .run("make test", "ok", false)
        .write("session-1");
    import(&sandbox);
    let shown = sandbox.oldhand(["session", "show", "session-1"]).run();
    let shown = shown.success();
    assert!(shown.contains("the user said “always use pnpm"), "{shown}");
    assert!(!shown.contains("the user said “make me"), "{shown}");
    assert!(!shown.contains("the user said “what is left"), "{shown}");
}

/// What is kept of four sessions on these days that ask for one document with a commit, in a repository with these files, and what the last of
/// them shows.
fn ask_for_upkeep(files: &[(&str, &str)], days: [usize; 4]) -> (Sandbox, Vec<Value>, String) {
    const PROMPTS: [&str; 4] = [
        "commit and update changelog",
        "commit this and update @CHANGELOG.md",
        "update changelog.md as well, then commit",
        "commit and update the changelog",
    ];
    let sandbox = repository();
    let known = ["remember", "Totals are in cents."];
    sandbox.oldhand(known).run().success();
    for (file, text) in files {
        sandbox.write(file, text);
    }
    let root = sandbox.project();
    sandbox.git(&root, ["add", "."]);
    sandbox.git(&root, ["commit", "-q", "-m", "round the totals"]);
    for (number, (prompt, day)) in PROMPTS.into_iter().zip(days).enumerate() {
        let session = format!("session-{number}");
        let mut scene = Scene::new(&sandbox, &session, "round the totals");
        scene.edit("src/totals.rs", "b");
        scene.transcript.prompt(prompt);
        scene.edit("CHANGELOG.md", "b").run(
            "git commit -am totals",
            "[main 2b3c4d5] totals",
            false,
        );
        let text = scene.transcript.text();
        let text = text.replace("2026-01-10T10", &format!("2026-01-{day:02}T1{number}"));
        sandbox.write(&format!("../transcripts/{session}.jsonl"), text);
    }
    import(&sandbox);
    let mut kept = memories(&sandbox);
    kept.retain(|memory| {
        memory["content"]
            .as_str()
            .is_some_and(|told| told.contains("asked in"))
    });
    let shown = sandbox
        .oldhand(["session", "show", "session-3", "--dropped"])
        .run();
    (sandbox, kept, shown.success())
}

const LISTED: (&str, &str) = ("CHANGELOG.md", "# Changelog\n\n- Totals are rounded.\n");

#[test]
fn a_document_that_people_ask_for_with_each_commit_waits_for_a_person() {
    let (sandbox, kept, shown) = ask_for_upkeep(&[LISTED], [1, 1, 2, 3]);
    let [told] = &kept[..] else {
        panic!("{kept:?}\n{shown}");
    };
    let expected = "The user asked in 4 sessions to update `CHANGELOG.md` with a commit (\"commit and update the changelog\").";
    assert_eq!(told["content"], expected);
    assert_eq!(told["type"], "preference");
    assert_eq!(told["needs_review"], true);
    assert_eq!(told["files"], serde_json::json!(["CHANGELOG.md"]));
    let shown = sandbox.oldhand(["session", "show", "session-3"]).run();
    let shown = shown.success();
    assert!(
        shown.contains("the user said “commit and update"),
        "{shown}"
    );
    import(&sandbox);
    let again = memories(&sandbox);
    assert!(again.contains(told), "{again:?}");
}

#[test]
fn a_document_is_not_asked_for_where_nobody_knows_which_or_a_text_asks_for_it() {
    let twice = ("web/CHANGELOG.md", "# Changelog\n");
    let stated = (
        "CONTRIBUTING.md",
        "# Contributing\n\nUpdate the changelog with every change that people notice.\n",
    );
    for (files, days, why) in [
        (
            vec![LISTED, twice],
            [1, 1, 2, 3],
            "is no one document of the project",
        ),
        (
            vec![LISTED, stated],
            [1, 1, 2, 3],
            "a text of the project says it already",
        ),
        (vec![LISTED], [1, 1, 2, 2], ""),
    ] {
        let (_, kept, shown) = ask_for_upkeep(&files, days);
        assert!(kept.is_empty() && shown.contains(why), "{kept:?}\n{shown}");
    }
}

#[test]
fn what_people_refuse_and_how_they_want_work_handed_in_waits_for_a_person() {
    const NO: &str = "The user doesn't want to proceed with this tool use. The tool use was rejected. To tell you how to proceed, the user said:\ntoo slow.";
    let sandbox = repository();
    let known = ["remember", "Totals are in cents."];
    sandbox.oldhand(known).run().success();
    for day in 1..=4 {
        let session = format!("session-{day}");
        let mut scene = Scene::new(&sandbox, &session, "round the totals");
        scene
            .edit("src/totals.rs", "b")
            .run("make e2e", NO, true)
            .run("make test", "ok", false);
        scene.transcript.prompt("commit, push and open a draft PR");
        let text = scene.transcript.text();
        let text = text.replace("2026-01-10T", &format!("2026-01-{day:02}T"));
        sandbox.write(&format!("../transcripts/{session}.jsonl"), text);
    }
    import(&sandbox);
    let mut kept = memories(&sandbox);
    kept.retain(|memory| memory["type"] == "preference" && memory["needs_review"] == true);
    let kept: BTreeSet<&str> = kept
        .iter()
        .filter_map(|memory| memory["content"].as_str())
        .collect();
    let expected = [
        "In all 4 sessions that asked for a pull request the user asked for a draft (\"commit, push and open a draft PR\").",
        "One user refused `make e2e` in all 4 of their sessions that wanted to run it (\"too slow\").",
    ];
    assert_eq!(kept, BTreeSet::from(expected));
    let shown = sandbox.oldhand(["session", "show", "session-4"]).run();
    let shown = shown.success();
    assert!(
        shown.contains("the user said “commit, push and open"),
        "{shown}"
    );
    assert!(shown.contains("make e2e"), "{shown}");
}
