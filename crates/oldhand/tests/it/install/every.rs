//! Every client: wired once, undone to the byte with its folders, and what keeps one silent.

use std::fs;
use std::path::PathBuf;

use serde_json::Value;

use super::{commands, install, settings};
use crate::repository;

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
            .oldhand(["install", client, "--project", "--yes"])
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

#[cfg(target_os = "linux")]
#[test]
fn what_was_added_since_to_files_of_another_repository_stays() {
    let sandbox = repository();
    for client in ["claude-code", "opencode"] {
        let words = ["install", client, "--project", "--yes"];
        sandbox.oldhand(words).run().success();
    }
    let with_theirs = |file: &str, list: &str| {
        let text = sandbox.read(file);
        let theirs = format!("\"{list}\": {{ \"linear\": {{}},");
        sandbox.write(file, text.replace(&format!("\"{list}\": {{"), &theirs));
    };
    with_theirs(".mcp.json", "mcpServers");
    with_theirs("opencode.json", "mcp");
    let elsewhere = sandbox.root().join("elsewhere");
    fs::create_dir_all(&elsewhere).expect("a folder can be made");
    sandbox
        .oldhand(["uninstall", "--all", "--yes"])
        .inside(&elsewhere)
        .run()
        .success();
    for file in [".mcp.json", "opencode.json"] {
        let left = sandbox.read(file);
        assert!(
            left.contains("linear") && !left.contains("oldhand"),
            "{left}"
        );
    }
    assert!(!sandbox.project().join(".opencode").exists());
}

#[cfg(target_os = "linux")]
#[test]
fn a_file_that_is_empty_or_broken_does_not_keep_the_others_from_being_undone() {
    let sandbox = repository();
    let home = sandbox.user_home();
    let write = |file: &str, text: &str| {
        let path = home.join(file);
        fs::create_dir_all(path.parent().expect("a file has a folder"))
            .expect("a folder can be made");
        fs::write(path, text).expect("a file can be written");
    };
    write(".codeium/windsurf/mcp_config.json", "");
    write(".config/zed/settings.json", "{ \"theme\": ");
    write(".codex/config.toml", "= =");
    let before = tree(&home);
    install(&sandbox, "claude-code");
    install(&sandbox, "gemini");
    sandbox
        .oldhand(["uninstall", "--all", "--yes"])
        .run()
        .success();
    assert_eq!(tree(&home), before, "nothing of ours is in those");

    install(&sandbox, "claude-code");
    install(&sandbox, "cursor");
    let broken = "{ \"mcpServers\": { \"oldhand\": ";
    write(".cursor/mcp.json", broken);
    let outcome = sandbox.oldhand(["uninstall", "--all", "--yes"]).run();
    assert_eq!(outcome.code, Some(2));
    assert!(outcome.stderr.contains("mcp.json"), "{}", outcome.stderr);
    let mut left = tree(&home);
    let kept = left.remove(&home.join(".cursor/mcp.json"));
    assert_eq!(kept.as_deref(), Some(broken));
    left.remove(&home.join(".cursor/"));
    assert_eq!(left, before);
}

#[cfg(target_os = "linux")]
#[test]
fn lists_and_comments_of_a_file_that_was_changed_since_stay() {
    let sandbox = repository();
    for (client, file, list) in [
        ("zed", ".config/zed/settings.json", "context_servers"),
        ("vscode", ".config/Code/User/mcp.json", "servers"),
        (
            "windsurf",
            ".codeium/windsurf/mcp_config.json",
            "mcpServers",
        ),
    ] {
        let path = sandbox.user_home().join(file);
        fs::create_dir_all(path.parent().expect("a file has a folder"))
            .expect("a folder can be made");
        for theirs in [
            format!("{{\n  \"theme\": \"dark\",\n  \"{list}\": {{}}\n}}\n"),
            "{\n  \"theme\": \"dark\" // at night\n}\n".to_owned(),
        ] {
            fs::write(&path, &theirs).expect("a file can be written");
            install(&sandbox, client);
            let wired = fs::read_to_string(&path).expect("the file is there");
            let changed = wired.replace("\"dark\"", "\"light\"");
            fs::write(&path, changed).expect("the file can be written");
            sandbox
                .oldhand(["uninstall", client, "--yes"])
                .run()
                .success();
            let left = fs::read_to_string(&path).expect("the file is there");
            assert_eq!(left, theirs.replace("\"dark\"", "\"light\""), "{client}");
        }
        fs::write(&path, format!("{{\n  \"{list}\": {{}}\n}}\n")).expect("a file can be written");
        install(&sandbox, client);
        let wired = fs::read_to_string(&path).expect("the file is there");
        let theirs = "\n    // the good one\n    \"linear\": {}\n  }";
        let changed = wired.replace("\n    }\n  }", &format!("\n    }},{theirs}"));
        assert_ne!(changed, wired);
        fs::write(&path, changed).expect("the file can be written");
        sandbox
            .oldhand(["uninstall", client, "--yes"])
            .run()
            .success();
        let left = fs::read_to_string(&path).expect("the file is there");
        assert_eq!(
            left,
            format!("{{\n  \"{list}\": {{{theirs}\n}}\n"),
            "{client}"
        );
    }
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
    assert!(commands(&hooks, "Stop")[0].contains(" hook claude-code --home "));
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
            .filter(|line| !line.contains("session_started"))
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

#[test]
fn keys_in_somebodys_settings_are_neither_shown_nor_kept() {
    let sandbox = repository();
    let home = sandbox.user_home();
    let key = format!("ghp_{}", "a1B2c3D4e5F6".repeat(3));
    let theirs = format!(
        "{{\"history\": \"{}\", \"mcpServers\": {{\"github\": {{\"env\": {{\"GITHUB_TOKEN\": \"{key}\"}}}}}}}}",
        "word ".repeat(400)
    );
    fs::write(home.join(".claude.json"), &theirs).expect("a file can be written");
    let shown = sandbox
        .oldhand(["install", "claude-code", "--yes"])
        .run()
        .success();
    assert!(!shown.contains(&key), "{shown}");
    assert!(shown.contains("\"oldhand\""), "the change is seen: {shown}");
    assert!(shown.lines().all(|line| line.len() < 1000), "{shown}");
    for (path, text) in tree(&sandbox.home()) {
        assert!(!text.contains(&key), "{}", path.display());
    }
    sandbox
        .oldhand(["uninstall", "claude-code", "--yes"])
        .run()
        .success();
    let back = fs::read_to_string(home.join(".claude.json")).expect("the file is there");
    assert_eq!(back, theirs);
}

#[test]
fn a_client_whose_folder_was_elsewhere_is_undone_there() {
    let sandbox = repository();
    let folder = sandbox.user_home().join("moved");
    fs::create_dir_all(&folder).expect("a folder can be made");
    sandbox
        .oldhand(["install", "claude-code", "--yes"])
        .env("CLAUDE_CONFIG_DIR", &folder)
        .run()
        .success();
    let settings = folder.join("settings.json");
    let text = fs::read_to_string(&settings).expect("it was wired there");
    fs::write(
        &settings,
        text.replacen('{', "{\n  \"model\": \"opus\",", 1),
    )
    .expect("written");
    sandbox
        .oldhand(["uninstall", "claude-code", "--yes"])
        .run()
        .success();
    let left = fs::read_to_string(&settings).expect("it holds what a person wrote");
    assert!(left.contains("opus") && !left.contains("oldhand"), "{left}");
}

#[test]
fn a_server_of_our_name_that_a_person_had_comes_back() {
    let sandbox = repository();
    let path = sandbox.user_home().join(".claude.json");
    let theirs =
        "{\"mcpServers\": {\"oldhand\": {\"command\": \"mine\", \"env\": {\"A\": \"b\"}}}}\n";
    fs::write(&path, theirs).expect("a file can be written");
    install(&sandbox, "claude-code");
    sandbox
        .oldhand(["uninstall", "claude-code", "--yes"])
        .run()
        .success();
    let back = fs::read_to_string(&path).expect("the file is there");
    assert_eq!(back, theirs);
}
