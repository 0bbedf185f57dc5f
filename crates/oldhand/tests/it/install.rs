//! `oldhand install` and `oldhand uninstall`: other people's settings stay theirs, to the byte.

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
            start[0].ends_with(&format!(" hook {agent}")),
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
        .oldhand(["install", "claude-code", "--local", "--yes"])
        .run()
        .success();
    let text = sandbox.read(".claude/settings.json");
    assert_eq!(commands(&text, "Stop"), ["oldhand hook claude-code"]);
    sandbox
        .oldhand(["uninstall", "claude-code", "--yes"])
        .run()
        .success();
    assert!(!sandbox.project().join(".claude/settings.json").exists());
    assert!(!settings(&sandbox, "claude-code").exists());
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
    let local = ["install", "opencode", "--local", "--yes"];
    sandbox.oldhand(local).run().success();
    let shared = sandbox.read(".opencode/plugin/oldhand.js");
    assert!(shared.contains("const BINARY = \"oldhand\"\n"), "{shared}");
    let healthy = sandbox.oldhand(["doctor"]).run().stdout;
    assert!(healthy.contains("opencode"), "{healthy}");
    sandbox
        .oldhand(["uninstall", "opencode", "--yes"])
        .run()
        .success();
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
    assert_transcript!(sandbox.oldhand(["install", "claude-cod", "--yes"]), @"
    exit 2
    --- stderr
    error: no agent is called `claude-cod`
    hint: did you mean `claude-code`?
    ");
    assert_transcript!(sandbox.oldhand(["install", "windsurf", "--local", "--yes"]), @"
    exit 2
    --- stderr
    error: windsurf reads no settings in a repository
    hint: leave --local out
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
    assert!(
        outcome.stdout.contains("/gone/oldhand, which is not there"),
        "{}",
        outcome.stdout
    );
}

#[test]
fn the_doctor_sees_that_codex_skips_what_nobody_approved() {
    let sandbox = repository();
    install(&sandbox, "codex");
    let outcome = sandbox.oldhand(["doctor"]).run();
    assert_eq!(outcome.code, Some(2));
    assert!(
        outcome.stdout.contains("not approved"),
        "{}",
        outcome.stdout
    );
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
    assert_eq!(sandbox.oldhand(["doctor"]).run().code, Some(0));
}

/// Every client, and each file of its user that is written to.
const FILES: [(&str, &[&str]); 8] = [
    ("claude-code", &[".claude/settings.json", ".claude.json"]),
    ("codex", &[".codex/hooks.json", ".codex/config.toml"]),
    ("gemini", &[".gemini/settings.json"]),
    ("cursor", &[".cursor/hooks.json", ".cursor/mcp.json"]),
    (
        "opencode",
        &[
            ".config/opencode/plugin/oldhand.js",
            ".config/opencode/opencode.json",
        ],
    ),
    ("vscode", &[".config/Code/User/mcp.json"]),
    ("windsurf", &[".codeium/windsurf/mcp_config.json"]),
    ("zed", &[".config/zed/settings.json"]),
];

/// Everything below a folder, with its bytes; folders end with a slash.
fn tree(folder: &std::path::Path) -> std::collections::BTreeMap<PathBuf, String> {
    let mut found = std::collections::BTreeMap::new();
    let mut left = vec![folder.to_owned()];
    while let Some(folder) = left.pop() {
        for entry in fs::read_dir(&folder).expect("a folder can be listed") {
            let path = entry.expect("a folder can be listed").path();
            if path.ends_with(".git") {
                continue;
            }
            if path.is_dir() {
                found.insert(path.join(""), String::new());
                left.push(path);
            } else {
                let bytes = fs::read(&path).expect("a file can be read");
                found.insert(path, String::from_utf8_lossy(&bytes).into_owned());
            }
        }
    }
    found
}

#[cfg(target_os = "linux")]
#[test]
fn every_client_is_wired_once_and_its_files_come_back_with_their_folders() {
    let sandbox = repository();
    let home = sandbox.user_home();
    let theirs = "{\n  // mine\n  \"theme\": \"dark\", \"mcpServers\": { \"linear\": { \"command\": \"linear\" } }\n}";
    for file in [
        ".gemini/settings.json",
        ".config/zed/settings.json",
        ".claude.json",
    ] {
        let path = home.join(file);
        fs::create_dir_all(path.parent().expect("a file has a folder"))
            .expect("a folder can be made");
        fs::write(path, theirs).expect("a file can be written");
    }
    fs::create_dir_all(home.join(".codex")).expect("a folder can be made");
    fs::write(home.join(".codex/config.toml"), "model = \"o5\" # mine\n")
        .expect("a file can be written");
    let before = tree(&home);
    for (client, files) in FILES {
        install(&sandbox, client);
        let once = tree(&home);
        for file in files {
            let text = fs::read_to_string(home.join(file)).expect("the file is there");
            assert!(text.contains("oldhand"), "{client} {file}: {text}");
        }
        install(&sandbox, client);
        assert_eq!(tree(&home), once, "{client}: twice is once");
    }
    assert!(
        fs::read_to_string(home.join(".gemini/settings.json"))
            .expect("it is there")
            .contains("// mine")
    );
    sandbox
        .oldhand(["uninstall", "--all", "--yes"])
        .run()
        .success();
    assert_eq!(tree(&home), before);
}

#[cfg(target_os = "linux")]
#[test]
fn what_stands_in_repositories_goes_too_wherever_they_are() {
    let sandbox = repository();
    let before = tree(&sandbox.project());
    for (client, _) in FILES {
        let local = sandbox
            .oldhand(["install", client, "--local", "--yes"])
            .run();
        assert_eq!(
            local.code,
            Some(if client == "windsurf" { 2 } else { 0 }),
            "{client}"
        );
    }
    let text = sandbox.read(".mcp.json");
    let server: Value = serde_json::from_str(&text).expect("it is JSON");
    assert_eq!(
        server["mcpServers"]["oldhand"]["command"], "oldhand",
        "others keep it elsewhere"
    );
    assert!(!text.contains("OLDHAND_HOME"));
    let elsewhere = sandbox.root().join("elsewhere");
    fs::create_dir_all(&elsewhere).expect("a folder can be made");
    sandbox
        .oldhand(["uninstall", "--all", "--yes"])
        .inside(&elsewhere)
        .run()
        .success();
    assert_eq!(tree(&sandbox.project()), before);
}

#[test]
fn claude_code_takes_it_as_a_plugin_too() {
    let sandbox = repository();
    let folder = sandbox.root().join("my plugins").join("oldhand");
    let arguments = ["install", "claude-code", "--yes", "--plugin"].map(std::ffi::OsStr::new);
    let arguments = arguments.into_iter().chain([folder.as_os_str()]);
    sandbox.oldhand(arguments.clone()).run().success();
    let manifest =
        fs::read_to_string(folder.join(".claude-plugin/plugin.json")).expect("it is there");
    let manifest: Value = serde_json::from_str(&manifest).expect("it is JSON");
    assert_eq!(manifest["name"], "oldhand");
    let hooks = fs::read_to_string(folder.join("hooks/hooks.json")).expect("it is there");
    assert!(commands(&hooks, "Stop")[0].ends_with(" hook claude-code"));
    assert!(!sandbox.user_home().join(".claude").exists());
    let once = tree(&folder);
    sandbox.oldhand(arguments).run().success();
    assert_eq!(tree(&folder), once, "twice is once");
    sandbox
        .oldhand(["uninstall", "claude-code", "--yes"])
        .run()
        .success();
    assert!(!sandbox.root().join("my plugins").exists());
}

#[test]
fn a_plugin_takes_no_place_of_other_files() {
    let sandbox = repository();
    let theirs = sandbox.project().join(".mcp.json");
    fs::write(&theirs, "{}").expect("a file can be written");
    let refused = sandbox
        .oldhand(["install", "claude-code", "--yes", "--plugin", "."])
        .run();
    assert_eq!(refused.code, Some(2));
    assert!(
        refused.stderr.contains("somebody else's file"),
        "{}",
        refused.stderr
    );
    assert_eq!(fs::read_to_string(&theirs).ok().as_deref(), Some("{}"));
}

#[test]
fn cursor_tells_through_its_own_hooks_and_not_twice() {
    let sandbox = repository();
    sandbox.oldhand(["init"]).run().success();
    let ran = |agent: &str, event: &str| {
        let payload = serde_json::json!({
            "conversation_id": "c1", "session_id": "c1", "cursor_version": "3.12", "hook_event_name": event,
            "workspace_roots": [sandbox.project()], "cwd": sandbox.project(), "tool_name": "Shell", "tool_use_id": "t1",
            "tool_input": { "command": "make test" }, "tool_output": "{\"output\":\"ok\",\"exitCode\":0}",
            "tool_response": { "stdout": "ok" },
        });
        let hook = sandbox
            .oldhand(["hook", agent])
            .env("OLDHAND_HOOK_DEADLINE", "60000");
        hook.stdin(payload.to_string()).run().success();
        let project = crate::database(&sandbox);
        let journal = project.with_file_name("journal").join("c1.jsonl");
        fs::read_to_string(journal)
            .unwrap_or_default()
            .lines()
            .count()
    };
    assert_eq!(
        ran("claude-code", "PostToolUse"),
        1,
        "without hooks of its own, Claude Code's are heard"
    );
    install(&sandbox, "cursor");
    assert_eq!(ran("cursor", "postToolUse"), 2);
    assert_eq!(
        ran("claude-code", "PostToolUse"),
        2,
        "the same again is not heard"
    );
}

#[cfg(unix)]
#[test]
fn the_doctor_names_what_keeps_a_client_silent() {
    use std::os::unix::fs::PermissionsExt as _;
    let sandbox = repository();
    sandbox.oldhand(["init"]).run().success();
    let bin = sandbox.root().join("bin");
    fs::create_dir_all(&bin).expect("a folder can be made");
    let old = bin.join("claude");
    fs::write(&old, "#!/bin/sh\necho '2.0.1 (Claude Code)'\n").expect("a file can be written");
    fs::set_permissions(&old, fs::Permissions::from_mode(0o755)).expect("it can be made to run");
    let path = format!("{}:/usr/bin:/bin", bin.display());
    let doctor = || {
        sandbox
            .oldhand(["doctor", "--json"])
            .env("PATH", &path)
            .run()
            .stdout
    };
    install(&sandbox, "claude-code");
    let told = doctor();
    assert!(told.contains("2.0.1 (Claude Code) is too old"), "{told}");
    fs::remove_file(&old).expect("a file can be removed");
    let settings = settings(&sandbox, "claude-code");
    let wired = fs::read_to_string(&settings).expect("the file is there");
    let state = sandbox.user_home().join(".claude.json");
    let served = fs::read_to_string(&state).expect("the file is there");
    for (file, text, words) in [
        (
            &settings,
            wired.replacen('{', "{ \"disableAllHooks\": true,", 1),
            "hooks are switched off",
        ),
        (&settings, wired.replacen('{', "{{", 1), "cannot be read"),
        (
            &settings,
            wired.replace("PostToolBatch", "Notification"),
            "has no hook for PostToolBatch",
        ),
        (
            &state,
            served.replace("/oldhand\"", "/oldhand-gone\""),
            "which is not there",
        ),
        (
            &state,
            served.replace(&format!("{}/oldhand\"", binary_folder()), "oldhand\""),
            "which is not on your PATH",
        ),
    ] {
        let sound = fs::read_to_string(file).expect("the file is there");
        assert_ne!(sound, text, "{words}");
        fs::write(file, &text).expect("a file can be written");
        let told = doctor();
        assert!(told.contains(words), "{words}: {told}");
        fs::write(file, sound).expect("a file can be written");
    }
    let told: Value = serde_json::from_str(&doctor()).expect("it is JSON");
    let checks = told["checks"].as_array().expect("there are checks");
    let fine = checks.iter().all(|check| check["ok"] == true);
    assert!(fine, "{told}");
}

#[cfg(unix)]
fn binary_folder() -> String {
    let binary = std::path::Path::new(env!("CARGO_BIN_EXE_oldhand"));
    binary
        .parent()
        .expect("a file has a folder")
        .display()
        .to_string()
}
