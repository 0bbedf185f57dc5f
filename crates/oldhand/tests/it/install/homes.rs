//! Where everything is kept travels with what is installed: agents need not be started with `OLDHAND_HOME`.

use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::process::Stdio;

use oldhand_testkit::Sandbox;
use serde_json::{Value, json};

use super::install;
use crate::{database, repository};

/// A home that no shell takes for one word unless it is quoted.
const ODD: &str = "o'brien's \"old\" $HOME";

/// Every agent with hooks, and the file that says what is run.
const AGENTS: [(&str, &str); 5] = [
    ("claude-code", ".claude/settings.json"),
    ("codex", ".codex/hooks.json"),
    ("gemini", ".gemini/settings.json"),
    ("cursor", ".cursor/hooks.json"),
    ("opencode", ".config/opencode/plugin/oldhand.js"),
];

fn install_at(sandbox: &Sandbox, agent: &str, home: &Path) {
    sandbox
        .oldhand(["install", agent, "--yes"])
        .env("OLDHAND_HOME", home)
        .run()
        .success();
}

/// The first command of ours in a file, as a shell takes it.
fn command_in(text: &str) -> String {
    if let Some(line) = text.lines().find(|line| line.starts_with("const BINARY")) {
        let read = |line: &str| -> Value {
            let (_, value) = line.split_once(" = ").expect("it is set");
            serde_json::from_str(value).expect("it is JSON")
        };
        let arguments = text
            .lines()
            .find(|line| line.starts_with("const ARGUMENTS"));
        let mut words = vec![read(line)];
        words.extend(
            read(arguments.expect("there are some"))
                .as_array()
                .cloned()
                .expect("it is a list"),
        );
        let quote = |word: &Value| {
            let word = word.as_str().expect("it is a word");
            format!("'{}'", word.replace('\'', r"'\''"))
        };
        return words.iter().map(quote).collect::<Vec<_>>().join(" ");
    }
    let settings: Value = serde_json::from_str(text).expect("the settings are JSON");
    let events = settings["hooks"].as_object().expect("there are hooks");
    let group = &events.values().next().expect("there is one")[0];
    let hook = group.get("hooks").map_or(group, |hooks| &hooks[0]);
    hook["command"].as_str().expect("it runs").to_owned()
}

#[cfg(target_os = "linux")]
#[test]
fn hooks_find_a_home_that_their_agent_knows_nothing_of() {
    let sandbox = repository();
    let home = sandbox.root().join(ODD);
    let at_home = |words: &[&str]| {
        let oldhand = sandbox.oldhand(words).env("OLDHAND_HOME", &home);
        oldhand.run().success()
    };
    at_home(&["init", "--no-agents"]);
    for (agent, file) in AGENTS {
        install_at(&sandbox, agent, &home);
        let text = fs::read_to_string(sandbox.user_home().join(file)).expect("it is there");
        let payload = json!({
            "session_id": agent, "conversation_id": agent, "session": agent, "cwd": sandbox.project(),
            "hook_event_name": match agent {
                "gemini" => "BeforeAgent",
                "cursor" => "beforeSubmitPrompt",
                "opencode" => "chat.message",
                _ => "UserPromptSubmit",
            },
            "prompt": "add a retry to the upload",
            "input": {}, "output": { "parts": [{ "type": "text", "text": "add a retry to the upload" }] },
        });
        let mut child = sandbox
            .command("sh")
            .args(["-c", &command_in(&text)])
            .env_remove("OLDHAND_HOME")
            .stdin(Stdio::piped())
            .spawn()
            .expect("a shell starts");
        let mut to = child.stdin.take().expect("there is a pipe");
        to.write_all(payload.to_string().as_bytes())
            .expect("it listens");
        drop(to);
        assert!(child.wait().expect("it ends").success(), "{agent}");
        let told: Value =
            serde_json::from_str(&at_home(&["session", "list", "--json"])).expect("it is JSON");
        assert!(told.to_string().contains(agent), "{agent}: {told}");
    }
    assert!(!sandbox.user_home().join(".local/share/oldhand").exists());
    let before = sandbox
        .oldhand(["doctor", "--json"])
        .env("OLDHAND_HOME", &home)
        .run()
        .stdout;
    assert!(!before.contains("belong to"), "{before}");
}

#[cfg(target_os = "linux")]
#[test]
fn a_home_that_moved_is_told_written_anew_and_leaves_nothing_behind() {
    let sandbox = repository();
    let old = sandbox.root().join(ODD);
    for (agent, file) in AGENTS {
        install_at(&sandbox, agent, &old);
        let told = sandbox.oldhand(["doctor"]).run().stdout;
        let words = format!("belong to {}", old.display());
        let told: String = told.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(told.contains(&words), "{agent}: {told}");
        install(&sandbox, agent);
        let text = fs::read_to_string(sandbox.user_home().join(file)).expect("it is there");
        assert!(!text.contains("brien"), "{agent}: {text}");
        assert!(text.contains("--home"), "{agent}: {text}");
        let usual = sandbox.user_home().join(".local/share/oldhand");
        install_at(&sandbox, agent, &usual);
        let text = fs::read_to_string(sandbox.user_home().join(file)).expect("it is there");
        assert!(
            !text.contains("--home"),
            "the usual place needs no word: {text}"
        );
        sandbox
            .oldhand(["uninstall", agent, "--yes"])
            .run()
            .success();
        assert!(!sandbox.user_home().join(file).exists(), "{agent}");
    }
}

#[cfg(unix)]
#[test]
fn a_binary_whose_path_needs_quotes_is_read_right_by_the_doctor() {
    let sandbox = repository();
    let folder = sandbox.root().join("it's my \"bin\"");
    fs::create_dir_all(&folder).expect("a folder can be made");
    let binary = folder.join("oldhand");
    fs::hard_link(env!("CARGO_BIN_EXE_oldhand"), &binary)
        .or_else(|_| fs::copy(env!("CARGO_BIN_EXE_oldhand"), &binary).map(|_| ()))
        .expect("the binary can be had there");
    let run = |words: &[&str]| {
        let outcome = sandbox.command(&binary).args(words).output();
        String::from_utf8(outcome.expect("it runs").stdout).expect("it is text")
    };
    run(&["install", "claude-code", "--yes"]);
    let fine = run(&["doctor", "--json"]);
    assert!(!fine.contains("not there"), "{fine}");
    fs::remove_file(&binary).expect("it can be removed");
    let gone = sandbox.oldhand(["doctor", "--json"]).run().stdout;
    let gone: Value = serde_json::from_str(&gone).expect("it is JSON");
    let words = format!("its hooks run {}, which is not there", binary.display());
    let checks = gone["checks"].as_array().expect("there are checks");
    assert!(
        checks.iter().any(|check| check["detail"] == words.as_str()),
        "{gone}"
    );
}

#[cfg(unix)]
#[test]
fn what_user_and_repository_both_run_is_heard_once() {
    let sandbox = repository();
    sandbox.oldhand(["init"]).run().success();
    let shared = ["install", "claude-code", "--project", "--yes"];
    sandbox.oldhand(shared).run().success();
    let bin = Path::new(env!("CARGO_BIN_EXE_oldhand")).parent();
    let path = format!(
        "{}:/usr/bin:/bin",
        bin.expect("a file has a folder").display()
    );
    let heard = |session: &str| {
        let payload = json!({
            "session_id": session, "cwd": sandbox.project(), "hook_event_name": "UserPromptSubmit", "prompt": "mend it",
        });
        let mut child = sandbox
            .command("sh")
            .args(["-c", "oldhand hook claude-code"])
            .env("PATH", &path)
            .stdin(Stdio::piped())
            .spawn()
            .expect("a shell starts");
        let mut to = child.stdin.take().expect("there is a pipe");
        to.write_all(payload.to_string().as_bytes())
            .expect("it listens");
        drop(to);
        assert!(child.wait().expect("it ends").success());
        let journal = database(&sandbox).with_file_name("journal");
        journal.join(format!("{session}.jsonl")).exists()
    };
    assert!(heard("s1"), "nobody else tells it");
    install(&sandbox, "claude-code");
    assert!(!heard("s2"), "the user's own hook tells it");
}

/// What package managers do: a link that stays, and a program behind it that goes with its version.
#[cfg(unix)]
#[test]
fn a_link_on_the_search_path_is_what_agents_call() {
    let sandbox = repository();
    let folder = sandbox.user_home().join("bin");
    fs::create_dir_all(&folder).expect("a folder");
    let link = folder.join("oldhand");
    std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_oldhand"), &link).expect("a link");
    let path = std::env::var("PATH").expect("a search path");
    let install = |path: String| {
        let command = ["install", "claude-code", "--yes"];
        sandbox.oldhand(command).env("PATH", path).run().success();
        let file = sandbox.user_home().join(".claude/settings.json");
        command_in(&fs::read_to_string(file).expect("settings"))
    };
    let called = install(format!("{}:{path}", folder.display()));
    assert!(called.contains(&link.display().to_string()), "{called}");
    // Another program of that name is not ours.
    let other = sandbox.user_home().join("other");
    fs::create_dir_all(&other).expect("a folder");
    fs::copy("/bin/true", other.join("oldhand")).expect("another program");
    let called = install(format!("{}:{}:{path}", other.display(), folder.display()));
    assert!(called.contains(env!("CARGO_BIN_EXE_oldhand")), "{called}");
}
