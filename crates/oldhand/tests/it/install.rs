//! `oldhand install` and `oldhand uninstall`: other people's settings stay theirs, to the byte.

mod every;
mod homes;
mod shapes;

use std::fs;
use std::path::PathBuf;

use oldhand_testkit::Sandbox;
use serde_json::Value;

use crate::{assert_transcript, repository};

const AGENTS: [&str; 3] = ["claude-code", "codex", "gemini"];

/// Settings with comments, odd spaces, other people's hooks and no newline at the end.
const THEIRS: &str = "{\n    \"model\" :  \"opus\",\n    \"hooks\": {\n        \"Stop\": [\n            {\"hooks\": [ {\"type\":\"command\",\"command\":\"say 'all done'\"} ]}\n        ]\n    },\n    \"permissions\": {\"allow\": [\"Bash(ls:*)\"], \"deny\": []}\n}";

fn settings(sandbox: &Sandbox, agent: &str) -> PathBuf {
    let file = match agent {
        "claude-code" => ".claude/settings.json",
        "codex" => ".codex/hooks.json",
        _ => ".gemini/settings.json",
    };
    sandbox.user_home().join(file)
}

fn write_theirs(sandbox: &Sandbox, agent: &str) -> PathBuf {
    let path = settings(sandbox, agent);
    let folder = path.parent().expect("a file has a folder");
    fs::create_dir_all(folder).expect("a folder can be made");
    fs::write(&path, THEIRS).expect("a file can be written");
    path
}

fn install(sandbox: &Sandbox, agent: &str) {
    sandbox.oldhand(["install", agent, "--yes"]).run().success();
}

/// The commands that each event runs.
fn commands(text: &str, event: &str) -> Vec<String> {
    let settings: Value = serde_json::from_str(text).expect("the settings are JSON");
    let groups = settings["hooks"][event].as_array().cloned();
    groups
        .unwrap_or_default()
        .iter()
        .flat_map(|group| group["hooks"].as_array().cloned().unwrap_or_default())
        .filter_map(|hook| hook["command"].as_str().map(str::to_owned))
        .collect()
}

#[test]
fn what_was_there_stays_and_comes_back_to_the_byte() {
    for agent in AGENTS {
        let sandbox = repository();
        let path = write_theirs(&sandbox, agent);
        install(&sandbox, agent);
        let wired = fs::read_to_string(&path).expect("the file is there");
        assert_ne!(wired, THEIRS);
        let start = commands(&wired, "SessionStart");
        assert_eq!(start.len(), 1, "{wired}");
        assert!(
            start[0].contains(&format!(" hook {agent} --home ")),
            "{}",
            start[0]
        );
        assert!(wired.contains("say 'all done'"));
        install(&sandbox, agent);
        assert_eq!(fs::read_to_string(&path).ok(), Some(wired), "twice is once");
        sandbox
            .oldhand(["uninstall", agent, "--yes"])
            .run()
            .success();
        assert_eq!(fs::read_to_string(&path).ok().as_deref(), Some(THEIRS));
    }
}

#[test]
fn a_file_that_we_made_goes_away_again() {
    let sandbox = repository();
    for agent in AGENTS {
        install(&sandbox, agent);
        assert!(settings(&sandbox, agent).exists());
    }
    sandbox
        .oldhand(["uninstall", "--all", "--yes"])
        .run()
        .success();
    for agent in AGENTS {
        assert!(!settings(&sandbox, agent).exists());
    }
    assert_transcript!(sandbox.oldhand(["uninstall", "--all"]), @"
    exit 0
    --- stderr
    note: no agent calls Oldhand
    ");
}

#[test]
fn changes_made_since_stay_and_only_the_hooks_go() {
    let sandbox = repository();
    let path = write_theirs(&sandbox, "claude-code");
    install(&sandbox, "claude-code");
    let wired = fs::read_to_string(&path).expect("the file is there");
    let changed = wired.replace("\"opus\"", "\"sonnet\"");
    fs::write(&path, changed).expect("the file can be written");
    sandbox
        .oldhand(["uninstall", "claude-code", "--yes"])
        .run()
        .success();
    let left = fs::read_to_string(&path).expect("the file is there");
    assert_eq!(left, THEIRS.replace("\"opus\"", "\"sonnet\""));
}

#[test]
fn nothing_is_written_without_a_yes() {
    let sandbox = repository();
    let path = write_theirs(&sandbox, "claude-code");
    assert_transcript!(sandbox.oldhand(["install", "claude-code", "--json"]), @r#"
    exit 2
    --- stderr
    {"error":"writing to an agent's settings needs a yes","kind":"invalid","hint":"`oldhand install claude-code --yes`"}
    "#);
    let shown = sandbox
        .oldhand(["install", "claude-code", "--dry-run"])
        .run()
        .success();
    assert!(
        shown.contains('+') && shown.contains("PostToolUseFailure"),
        "{shown}"
    );
    assert_eq!(
        sandbox.oldhand(["install", "claude-code"]).run().code,
        Some(2)
    );
    assert_eq!(fs::read_to_string(&path).ok().as_deref(), Some(THEIRS));
    assert!(!sandbox.home().join("wires").exists());
}

#[test]
fn the_repository_is_only_written_to_when_that_is_asked_for() {
    let sandbox = repository();
    install(&sandbox, "claude-code");
    assert!(!sandbox.project().join(".claude").exists());
    sandbox
        .oldhand(["install", "claude-code", "--project", "--yes"])
        .run()
        .success();
    let text = sandbox.read(".claude/settings.json");
    assert_eq!(commands(&text, "Stop"), ["oldhand hook claude-code"]);
    let undone = sandbox.oldhand(["uninstall", "claude-code", "--yes"]).run();
    assert!(!settings(&sandbox, "claude-code").exists());
    assert!(sandbox.project().join(".claude/settings.json").exists());
    assert!(
        undone.stderr.contains("settings.json still names Oldhand")
            && undone
                .stderr
                .contains("`oldhand uninstall claude-code --project`"),
        "{undone}"
    );
    install(&sandbox, "claude-code");
    sandbox
        .oldhand(["uninstall", "claude-code", "--project", "--yes"])
        .run()
        .success();
    assert!(!sandbox.project().join(".claude").exists());
    assert!(settings(&sandbox, "claude-code").exists());
}

#[test]
fn the_plugin_of_opencode_is_written_once_and_goes_away_again() {
    let sandbox = repository();
    let plugin = sandbox
        .user_home()
        .join(".config/opencode/plugin/oldhand.js");
    install(&sandbox, "opencode");
    let text = fs::read_to_string(&plugin).expect("the plugin is there");
    assert!(text.contains(env!("CARGO_BIN_EXE_oldhand")), "{text}");
    install(&sandbox, "opencode");
    assert_eq!(
        fs::read_to_string(&plugin).ok(),
        Some(text),
        "twice is once"
    );
    let local = ["install", "opencode", "--project", "--yes"];
    sandbox.oldhand(local).run().success();
    let shared = sandbox.read(".opencode/plugin/oldhand.js");
    assert!(shared.contains("const BINARY = \"oldhand\"\n"), "{shared}");
    let healthy = sandbox.oldhand(["doctor"]).run().stdout;
    assert!(healthy.contains("opencode"), "{healthy}");
    for words in [
        &["uninstall", "opencode", "--yes"][..],
        &["uninstall", "opencode", "--project", "--yes"],
    ] {
        sandbox.oldhand(words).run().success();
    }
    assert!(!plugin.exists());
    assert!(
        !sandbox
            .project()
            .join(".opencode/plugin/oldhand.js")
            .exists()
    );
    let theirs = "export const Theirs = async () => ({})\n";
    fs::create_dir_all(plugin.parent().expect("a file has a folder"))
        .expect("a folder can be made");
    fs::write(&plugin, theirs).expect("a file can be written");
    assert_eq!(
        sandbox.oldhand(["install", "opencode", "--yes"]).run().code,
        Some(2)
    );
    sandbox
        .oldhand(["uninstall", "--all", "--yes"])
        .run()
        .success();
    assert_eq!(fs::read_to_string(&plugin).ok().as_deref(), Some(theirs));
}

#[test]
fn settings_that_are_none_are_refused_and_stay() {
    let sandbox = repository();
    let path = write_theirs(&sandbox, "claude-code");
    for text in [
        "{",
        "[]",
        "{\"hooks\": \"none\"}",
        "{\"hooks\": {\"Stop\": {}}}",
    ] {
        fs::write(&path, text).expect("the file can be written");
        let outcome = sandbox.oldhand(["install", "claude-code", "--yes"]).run();
        assert_eq!(outcome.code, Some(2), "{text}");
        assert_eq!(fs::read_to_string(&path).ok().as_deref(), Some(text));
    }
    fs::write(&path, "{\n  \"model\": \"opus\"\n  \"hooks\": {}\n}\n").expect("it can be written");
    let refused = sandbox.oldhand(["install", "claude-code", "--yes"]).run();
    assert!(
        refused
            .stderr
            .contains("settings.json:3: this is not JSON: a comma or `}` is missing"),
        "{refused}"
    );
    assert_transcript!(sandbox.oldhand(["install", "claude-cod", "--yes"]), @"
    exit 2
    --- stderr
    error: no agent is called `claude-cod`
    hint: did you mean `claude-code`?
    ");
    assert_transcript!(sandbox.oldhand(["install", "windsurf", "--project", "--yes"]), @"
    exit 2
    --- stderr
    error: windsurf reads no settings in a repository
    hint: leave --project out
    ");
    assert_transcript!(sandbox.oldhand(["install", "gemini", "--trust", "--yes"]), @"
    exit 2
    --- stderr
    error: --trust is for codex alone
    ");
}

#[test]
fn the_doctor_sees_hooks_that_cannot_run() {
    let sandbox = repository();
    sandbox.oldhand(["init"]).run().success();
    install(&sandbox, "claude-code");
    let healthy = sandbox.oldhand(["doctor"]).run().success();
    assert!(healthy.contains("claude-code"), "{healthy}");
    let path = settings(&sandbox, "claude-code");
    let wired = fs::read_to_string(&path).expect("the file is there");
    let command = &commands(&wired, "Stop")[0];
    let gone = wired.replace(command.as_str(), "/gone/oldhand hook claude-code");
    fs::write(&path, gone).expect("the file can be written");
    let outcome = sandbox.oldhand(["doctor"]).run();
    assert_eq!(outcome.code, Some(2));
    let told = outcome.words();
    assert!(told.contains("/gone/oldhand, which is not there"), "{told}");
}

#[test]
fn the_doctor_sees_that_codex_skips_what_nobody_approved() {
    let sandbox = repository();
    install(&sandbox, "codex");
    // Without Codex at hand its settings have to do.
    let doctor = || {
        sandbox
            .oldhand(["doctor"])
            .env("PATH", "/usr/bin:/bin")
            .run()
    };
    let outcome = doctor();
    assert_eq!(outcome.code, Some(2));
    let told = outcome.words();
    assert!(told.contains("not approved"), "{told}");
    let hooks = settings(&sandbox, "codex");
    let approved = format!(
        "[hooks.state.\"{}:session_start:0:0\"]\ntrusted_hash = \"sha256:0\"\n",
        hooks.display()
    );
    let approved = [
        "session_start",
        "user_prompt_submit",
        "post_tool_use",
        "subagent_start",
        "subagent_stop",
        "stop",
        "post_compact",
        "session_end",
    ]
    .map(|event| approved.replace("session_start", event))
    .concat();
    fs::write(hooks.with_file_name("config.toml"), approved).expect("a file can be written");
    let outcome = doctor();
    assert_eq!(outcome.code, Some(0), "{outcome}");
}

#[cfg(unix)]
#[test]
fn the_doctor_believes_codex_about_hooks_that_changed_or_are_off() {
    use std::os::unix::fs::PermissionsExt as _;
    let sandbox = repository();
    install(&sandbox, "codex");
    let hooks = settings(&sandbox, "codex");
    let bin = sandbox.root().join("bin");
    fs::create_dir_all(&bin).expect("a folder can be made");
    let codex = bin.join("codex");
    let doctor = |known: Value| {
        let listed = serde_json::json!({ "id": 2, "result": { "data": [{ "hooks": known }] } });
        let script = format!(
            "#!/bin/sh\n[ \"$1\" = --version ] && echo 'codex-cli 0.166.0' && exit\nread a\necho '{{\"id\":1,\"result\":{{}}}}'\nread b\necho '{listed}'\nread c\n"
        );
        fs::write(&codex, script).expect("a file can be written");
        fs::set_permissions(&codex, fs::Permissions::from_mode(0o755)).expect("it can run");
        let path = format!("{}:/usr/bin:/bin", bin.display());
        sandbox.oldhand(["doctor"]).env("PATH", path).run().stdout
    };
    let hook = |status: &str, enabled: bool| {
        let key = format!("{}:stop:0:0", hooks.display());
        serde_json::json!([{ "key": key, "currentHash": "sha256:1", "trustStatus": status, "enabled": enabled }])
    };
    let flat = |text: String| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let changed = flat(doctor(hook("modified", true)));
    assert!(
        changed.contains("changed since you approved them"),
        "{changed}"
    );
    let off = flat(doctor(hook("trusted", false)));
    assert!(off.contains("switched off"), "{off}");
    let fine = flat(doctor(hook("trusted", true)));
    assert!(
        !fine.contains("approved") && !fine.contains("switched off"),
        "{fine}"
    );
}

#[test]
fn comments_where_a_client_reads_none_are_told() {
    let sandbox = repository();
    sandbox.oldhand(["init"]).run().success();
    let path = write_theirs(&sandbox, "claude-code");
    fs::write(&path, "{\n  // mine\n  \"model\": \"opus\"\n}\n").expect("it can be written");
    let words = "settings.json:2 holds a comment or a comma too many, so claude-code reads nothing";
    let outcome = sandbox.oldhand(["install", "claude-code", "--yes"]).run();
    assert!(outcome.stderr.contains(words), "{outcome}");
    let told: Value = serde_json::from_str(&sandbox.oldhand(["doctor", "--json"]).run().stdout)
        .expect("it is JSON");
    assert!(told.to_string().contains(words), "{told}");
    let gemini = write_theirs(&sandbox, "gemini");
    fs::write(&gemini, "{\n  // mine\n  \"model\": \"opus\"\n}\n").expect("it can be written");
    let outcome = sandbox.oldhand(["install", "gemini", "--yes"]).run();
    assert!(!outcome.stderr.contains("comment"), "{outcome}");
}

#[test]
fn a_project_is_named_before_and_behind_the_command_and_only_installing_may_leave_it_out() {
    let sandbox = repository();
    let settings = sandbox.project().join(".gemini/settings.json");
    for words in [
        &["install", "gemini", "--project", "--yes"][..],
        &["install", "--project", "gemini", "--yes"],
        &["install", "--yes", "gemini", "--project"],
        &["install", "gemini", "--project", ".", "--yes"],
        &["--project", ".", "install", "gemini", "--yes"],
    ] {
        sandbox.oldhand(words).run().success();
        assert!(settings.exists(), "{words:?}");
        let back = words.iter().map(|word| match *word {
            "install" => "uninstall",
            word => word,
        });
        sandbox.oldhand(back).run().success();
        assert!(!settings.exists(), "{words:?}");
    }
    sandbox
        .oldhand(["remember", "The zebra is striped.", "--project", "."])
        .run()
        .success();
    for words in [
        &["--project", ".", "search", "zebra"][..],
        &["search", "zebra", "--project", "."],
        &["search", "--project=.", "zebra"],
    ] {
        let found = sandbox.oldhand(words).run().success();
        assert!(found.contains("striped"), "{words:?}: {found}");
    }
    let unnamed = sandbox.oldhand(["search", "zebra", "--project"]).run();
    assert!(unnamed.stderr.contains("--project <DIR>"), "{unnamed}");
}

#[test]
fn an_update_shows_only_the_lines_that_change() {
    let sandbox = repository();
    write_theirs(&sandbox, "claude-code");
    install(&sandbox, "claude-code");
    let path = settings(&sandbox, "claude-code");
    let wired = fs::read_to_string(&path).expect("the file is there");
    let hooks = wired.matches("oldhand hook ").count();
    let moved = wired.replace("oldhand hook ", "other/oldhand hook ");
    fs::write(&path, moved).expect("a file can be written");
    let shown = ["install", "claude-code", "--dry-run"];
    let shown = sandbox.oldhand(shown).run().success();
    for mark in ["  - ", "  + "] {
        let lines = shown.lines().filter(|line| line.starts_with(mark));
        assert_eq!(lines.count(), hooks, "{shown}");
    }
    let removed = ["uninstall", "claude-code", "--yes"];
    let removed = sandbox.oldhand(removed).run().success();
    assert!(removed.contains("  - … and "), "{removed}");
    assert!(removed.lines().count() < 50, "{removed}");
}
