//! What must hold when a session is not a straight line: tools side by side, subagents, compaction, resuming, a client that is
//! killed, hooks that hang, and other people's hooks.

use std::fs;
use std::path::PathBuf;

use oldhand_testkit::{Client, Outcome, Script, Stage, Talk, Turn};
use serde_json::json;

use crate::scene::{
    PROMPT, TRAP, answer, connect, journal, known, oldhand, receipts, sessions, settings,
    teach_the_trap, told, told_in, wait_until_learned, warned, wired,
};

fn run(stage: &Stage, script: Script, arguments: &[&str]) -> Outcome {
    stage.model.play(script);
    let outcome = stage.run(PROMPT, arguments);
    assert_eq!(outcome.code, Some(0), "{outcome}");
    outcome
}

/// Says where the trap was told, and that nothing else was.
fn trap_told(stage: &Stage) -> Vec<usize> {
    let told = told(stage);
    assert!(
        told.iter().all(|(_, words)| words.contains(TRAP)),
        "{told:#?}\n{}",
        known(stage)
    );
    told.iter().map(|(when, _)| *when).collect()
}

/// Tools that run side by side call their hooks side by side; what is known of a file is said once all the same.
pub(crate) fn parallel_tools_are_told_once(client: Client) {
    let stage = warned(client);
    let turns = [
        Turn::say("I look at everything at once.")
            .and(stage.read("src/total.js"))
            .and(stage.read("config.json"))
            .and(stage.read("src/total.js"))
            .and(stage.shell("cat src/total.js check.js")),
        Turn::call(stage.read("src/total.js")),
        Turn::say("Seen."),
    ];
    run(&stage, Script::new(turns), &[]);
    assert_eq!(trap_told(&stage), [1]);
}

/// A subagent is told what it needs; the words go to it and not to whoever started it.
pub(crate) fn a_subagent_is_told_itself(client: Client) {
    let stage = warned(client);
    let marker = "LOOK AT THE TOTALS";
    let aside = Talk::Aside(marker.to_owned());
    // Some clients go on while their subagents work, so that the main conversation has to be held up.
    let script = Script::new([
        Turn::call(stage.delegate(&format!("{marker} and say what they do"))),
        Turn::say("Thanks.").held(),
        Turn::say("Thanks again."),
    ]);
    let look = Turn::call(stage.read("src/total.js"));
    stage
        .model
        .play(script.aside(marker, [look, stage.report("They add up.")]));
    let child = stage.start(PROMPT, &[]);
    stage.model.wait_for(&aside, 2);
    stage.model.release();
    let outcome = stage.wait(child);
    assert_eq!(outcome.code, Some(0), "{outcome}");
    let aside = stage.model.asked(&aside);
    let told_aside = told_in(&aside);
    let [(when, words)] = &told_aside[..] else {
        panic!(
            "the subagent is told one thing, not {told_aside:#?}\n{}",
            known(&stage)
        );
    };
    assert_eq!(*when, 1);
    assert!(words.contains(TRAP), "{words}");
    assert_eq!(trap_told(&stage), [0; 0]);
    // What it did is of the session that asked for it, and in its transcript again, which changes nothing.
    wait_until_learned(&stage, 1);
    let session = sessions(&stage).remove(0);
    let id = session["id"].as_str().expect("a session has an id");
    let replay = || answer(&stage.sandbox, &["session", "replay", id, "--json"]);
    let before = replay();
    let import = answer(&stage.sandbox, &["import", "transcripts", "--json"]);
    assert_eq!(import["transcripts"], 1, "{import}");
    assert_eq!(import["finalized"]["sessions"], 0, "{import}");
    assert_eq!(replay(), before);
    assert_eq!(receipts(&stage), [true], "{}", known(&stage));
}

/// What was said before a compaction is gone; the brief is said again, once.
pub(crate) fn a_brief_survives_compaction(client: Client, summary: &str) {
    let stage = wired(client);
    oldhand(&stage.sandbox, &["remember", TRAP, "--type", "decision"]);
    let script = Script::new([
        Turn::call(stage.read("src/total.js")),
        Turn::call(stage.read("config.json")).costing(198_000),
        Turn::call(stage.read("check.js")),
        Turn::call(stage.read("package.json")),
        Turn::say("Seen."),
    ])
    .aside(
        summary,
        [Turn::say("<summary>The totals were looked at.</summary>")],
    );
    run(&stage, script, &[]);
    let asked = stage.model.asked(&Talk::Main);
    let carries = |number: usize| asked[number].memories().len();
    assert_eq!(carries(0), 1, "the brief comes first: {}", known(&stage));
    assert_eq!(told_in(&asked[..2]).len(), 1);
    let last = asked.last().expect("there were requests");
    assert_eq!(last.memories().len(), 1, "{:#?}", last.memories());
    assert!(last.memories()[0].contains(TRAP));
    let aside = stage.model.asked(&Talk::Aside(summary.to_owned()));
    assert!(!aside.is_empty(), "the context was compacted");
}

/// A session that goes on has been told already.
pub(crate) fn a_resumed_session_is_not_told_again(client: Client, resume: &[&str]) {
    let stage = warned(client);
    oldhand(
        &stage.sandbox,
        &["remember", "Money is kept in cents", "--type", "decision"],
    );
    let look = || Script::new([Turn::call(stage.read("src/total.js")), Turn::say("Seen.")]);
    run(&stage, look(), &[]);
    let first: Vec<String> = told(&stage).into_iter().map(|(_, words)| words).collect();
    assert_eq!(first.len(), 2, "{first:#?}");
    wait_until_learned(&stage, 1);
    run(&stage, look(), resume);
    // With the fences they had: what the client brings back is not said again.
    for (_, words) in told(&stage) {
        assert!(first.contains(&words), "{words}");
    }
    assert_eq!(sessions(&stage).len(), 1, "{}", known(&stage));
}

/// A client that is killed leaves a whole journal and no process; the next session is served as ever.
#[cfg(unix)]
pub(crate) fn a_killed_client_leaves_nothing_behind(client: Client) {
    let stage = warned(client);
    stage.model.play(Script::new([
        Turn::call(stage.read("src/total.js")),
        Turn::say("Never said.").held(),
    ]));
    let mut child = stage.start(PROMPT, &[]);
    stage.model.wait_for(&Talk::Main, 2);
    child.kill().expect("it is our own child");
    child.wait().expect("a child can be waited for");
    stage.model.release();
    #[cfg(target_os = "linux")]
    assert_eq!(crate::scene::processes_left(&stage), [""; 0]);
    let session = sessions(&stage)[0]["id"].clone();
    let session = session.as_str().expect("a session has an id");
    assert!(!journal(&stage, session).is_empty());
    let turns = [Turn::call(stage.read("src/total.js")), Turn::say("Seen.")];
    run(&stage, Script::new(turns), &[]);
    assert_eq!(trap_told(&stage), [1]);
}

/// A hook that hangs is given up by the client after the time that `install` wrote down, in the client's own units.
#[cfg(unix)]
pub(crate) fn a_hook_that_hangs_is_given_up(client: Client, event: &str, arguments: &[&str]) {
    let stage = warned(client);
    let (path, text) = hooks(&stage);
    let text = text.expect("the hooks are written");
    let mut all: serde_json::Value = serde_json::from_str(&text).expect("settings are JSON");
    let hook = &mut all["hooks"][event][0]["hooks"][0];
    let command = hook["command"].as_str().expect("the hook is there");
    hook["command"] = format!("exec sleep 100; {command}").into();
    fs::write(path, all.to_string()).expect("a file can be written");
    let turns = [Turn::call(stage.read("src/total.js")), Turn::say("Seen.")];
    run(&stage, Script::new(turns), arguments);
    assert_eq!(told(&stage), [], "who was given up says nothing");
    assert_eq!(stage.model.asked(&Talk::Main).len(), 2);
}

/// Other hooks may print what they like beside ours; ours is heard, and theirs stay as they were written.
pub(crate) fn other_hooks_print_garbage_beside_ours(
    client: Client,
    event: &str,
    arguments: &[&str],
) {
    let stage = crate::scene::bare(client);
    let (path, before) = hooks(&stage);
    let garbage = json!({
        "matcher": "*",
        "hooks": [{ "type": "command", "command": "printf '{\"hookSpecificOutput\": [}'; echo noise >&2; exit 1" }],
    });
    let text = before.unwrap_or_else(|| "{}".to_owned());
    let mut theirs: serde_json::Value = serde_json::from_str(&text).expect("settings are JSON");
    theirs["hooks"][event] = vec![garbage].into();
    let theirs = theirs.to_string();
    fs::create_dir_all(path.parent().expect("a file has a folder")).expect("a folder can be made");
    fs::write(&path, &theirs).expect("a file can be written");
    connect(&stage);
    teach_the_trap(&stage);
    let turns = [Turn::call(stage.read("src/total.js")), Turn::say("Seen.")];
    run(&stage, Script::new(turns), arguments);
    assert_eq!(trap_told(&stage), [1]);
    oldhand(&stage.sandbox, &["uninstall", client.as_str(), "--yes"]);
    assert_eq!(
        fs::read_to_string(path).ok().as_deref(),
        Some(theirs.as_str())
    );
}

/// Somebody who runs the client for the first time with Oldhand in it sees what they would see without.
pub(crate) fn a_first_run_shows_no_warning(client: Client) {
    let script =
        |stage: &Stage| Script::new([Turn::call(stage.read("src/total.js")), Turn::say("Seen.")]);
    let without = crate::scene::bare(client);
    let with = warned(client);
    let plain = run(&without, script(&without), &[]);
    let outcome = run(&with, script(&with), &[]);
    assert_eq!(trap_told(&with), [1]);
    assert_eq!(outcome.stdout, plain.stdout);
    let complaints = |outcome: &Outcome| -> Vec<String> {
        let text = outcome.to_string();
        let lines = text.lines().filter(|line| {
            let line = line.to_lowercase();
            ["warn", "error", "fail", "invalid", "denied"]
                .iter()
                .any(|word| line.contains(word))
        });
        lines.map(str::to_owned).collect()
    };
    assert_eq!(complaints(&outcome), complaints(&plain));
}

/// The server that `install` named is started by the client and answers its model.
pub(crate) fn the_server_answers(client: Client) {
    let stage = warned(client);
    let turns = [
        Turn::call(stage.ask_server("search_memory", json!({ "query": "loader" }))),
        Turn::say("Seen."),
    ];
    run(&stage, Script::new(turns), &[]);
    let asked = stage.model.asked(&Talk::Main);
    let heard = asked[1].texts().join("\n");
    assert!(heard.contains(TRAP), "{:#}", asked[1].body);
    assert_eq!(told(&stage), [], "who asks is not told unasked");
    #[cfg(target_os = "linux")]
    assert_eq!(crate::scene::processes_left(&stage), [""; 0]);
}

/// The file that holds the client's hooks, and what stands in it.
fn hooks(stage: &Stage) -> (PathBuf, Option<String>) {
    let mut files = settings(stage).into_iter();
    files.next().expect("hooks come first")
}
