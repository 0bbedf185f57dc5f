//! Each way of saying nothing, one at a time, and that a quiet house is quiet.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::*;

/// What is said about a client that reads these files, below the user's home unless they begin with a slash.
fn said(client: Client, files: &[(&str, &str)]) -> Vec<String> {
    said_with(client, files, &[])
}

/// The same where these variables are set, too.
fn said_with(client: Client, files: &[(&str, &str)], variables: &[(&str, &str)]) -> Vec<String> {
    let mut environment = Environment::read(None).unwrap();
    environment.user_home = Some(PathBuf::from("/users/u"));
    let files: BTreeMap<PathBuf, String> = files
        .iter()
        .map(|(path, text)| (Path::new("/users/u").join(path), (*text).to_owned()))
        .collect();
    let around = Surroundings {
        environment: &environment,
        root: Some(Path::new("/users/u/shop")),
        project: Some(Path::new("/users/u/shop")),
        variable: &|wanted: &str| {
            let found = variables.iter().find(|(name, _)| *name == wanted);
            found.map(|(_, value)| PathBuf::from(value))
        },
        read: &|path: &Path| files.get(path).cloned(),
        has_hooks: true,
        has_server: true,
    };
    ways(client, &around)
        .into_iter()
        .map(|(detail, fix)| {
            assert!(!fix.is_empty());
            detail
        })
        .collect()
}

/// Gemini CLI runs nothing in folders that nobody trusts.
const TRUSTED: (&str, &str) = (
    ".gemini/trustedFolders.json",
    r#"{ "/users/u/shop": "TRUST_FOLDER" }"#,
);

#[track_caller]
fn assert_said(client: Client, file: &str, text: &str, words: &str) {
    let said = said(client, &[TRUSTED, (file, text)]);
    assert!(
        said.len() == 1 && said[0].contains(words),
        "{file} {text}: {said:?}"
    );
}

#[test]
fn where_nothing_is_in_the_way_nothing_is_said() {
    for client in Client::ALL {
        assert_eq!(said(client, &[TRUSTED]), [""; 0]);
        let on = r#"{ "disableAllHooks": false, "hooksConfig": { "enabled": true }, "chat.mcp.access": "all" }"#;
        for file in [".claude/settings.json", ".gemini/settings.json"] {
            assert_eq!(said(client, &[TRUSTED, (file, on)]), [""; 0]);
        }
    }
}

#[cfg(target_os = "linux")]
#[test]
fn claude_code_can_be_switched_off_in_seven_places() {
    let client = Client::ClaudeCode;
    let off = r#"{ "disableAllHooks": true }"#;
    for file in [
        ".claude/settings.json",
        "shop/.claude/settings.json",
        "shop/.claude/settings.local.json",
        "/etc/claude-code/managed-settings.json",
    ] {
        assert_said(client, file, off, "hooks are switched off");
    }
    let plugin = r#"{ "enabledPlugins": { "oldhand@oldhand": true } }"#;
    assert_said(client, ".claude/settings.json", plugin, "connected twice");
    let managed = "/etc/claude-code/managed-settings.json";
    assert_said(
        client,
        managed,
        r#"{ "allowManagedHooksOnly": true }"#,
        "its own hooks only",
    );
    assert_said(
        client,
        managed,
        r#"{ "allowedMcpServers": [] }"#,
        "only listed servers",
    );
    let allowed = r#"{ "allowedMcpServers": [{ "serverName": "oldhand" }] }"#;
    assert_eq!(said(client, &[(managed, allowed)]), [""; 0]);
    assert_said(
        client,
        managed,
        r#"{ "deniedMcpServers": [{ "serverName": "oldhand" }] }"#,
        "denied",
    );
    assert_said(
        client,
        "shop/.claude/settings.local.json",
        r#"{ "disabledMcpjsonServers": ["oldhand"] }"#,
        "switched off",
    );
    assert_said(
        client,
        ".claude.json",
        r#"{ "projects": { "/users/u/shop": { "disabledMcpServers": ["oldhand"] } } }"#,
        "switched off for this project",
    );
    assert_said(
        client,
        ".claude.json",
        r#"{ "projects": { "/users/u/shop": { "disabledMcpjsonServers": ["oldhand"] } } }"#,
        "switched off for this project",
    );
}

#[test]
fn codex_can_be_switched_off_managed_or_untrusting() {
    let client = Client::Codex;
    for feature in ["hooks", "codex_hooks"] {
        let text = format!("[features]\n{feature} = false\n");
        assert_said(
            client,
            ".codex/config.toml",
            &text,
            "hooks are switched off",
        );
    }
    for tools in [
        r#"disabled_tools = ["search_memory"]"#,
        "enabled_tools = []",
    ] {
        let text = format!("[mcp_servers.oldhand]\ncommand = \"oldhand\"\n{tools}\n");
        assert_said(client, ".codex/config.toml", &text, "some tools");
    }
    let strange = r#"{ "version": 1, "hooks": { "Stop": [{ "hooks": [{ "command": "oldhand hook codex" }] }] } }"#;
    let words = "has a `version`, so Codex reads nothing";
    assert_said(client, ".codex/hooks.json", strange, words);
    let managed = "/etc/codex/requirements.toml";
    assert_said(
        client,
        managed,
        "allow_managed_hooks_only = true\n",
        "its own hooks only",
    );
    let here = (
        "shop/.codex/config.toml",
        "[mcp_servers.oldhand]\ncommand = \"oldhand\"\n",
    );
    assert!(said(client, &[here])[0].contains("does not trust this folder"));
    let trusted = (
        ".codex/config.toml",
        "[projects.\"/users/u/shop\"]\ntrust_level = \"trusted\"\n",
    );
    assert_eq!(said(client, &[here, trusted]), [""; 0]);
}

#[test]
fn gemini_can_be_switched_off_in_its_settings() {
    let client = Client::Gemini;
    for (text, words) in [
        (
            r#"{ "hooksConfig": { "enabled": false } }"#,
            "hooks are switched off",
        ),
        (
            r#"{ "tools": { "enableHooks": false } }"#,
            "hooks are switched off",
        ),
        (
            r#"{ "hooksConfig": { "disabled": ["oldhand"] } }"#,
            "our hooks are switched off",
        ),
        (r#"{ "mcp": { "excluded": ["oldhand"] } }"#, "left out"),
        (
            r#"{ "mcp": { "allowed": ["linear"] } }"#,
            "only listed servers",
        ),
    ] {
        for file in [".gemini/settings.json", "shop/.gemini/settings.json"] {
            assert_said(client, file, text, words);
        }
    }
    let switched = r#"{ "oldhand": { "enabled": false } }"#;
    assert_said(
        client,
        ".gemini/mcp-server-enablement.json",
        switched,
        "switched off",
    );
}

#[test]
fn cursor_reads_nothing_of_a_file_it_does_not_like() {
    let client = Client::Cursor;
    let ours = r#""stop": [{ "command": "oldhand hook cursor" }]"#;
    for (text, words) in [
        (
            format!("{{ \"hooks\": {{ {ours} }} }}"),
            "has no `version` 1",
        ),
        (
            format!("{{ \"version\": 1, \"hooks\": {{ {ours}, \"Stop\": [] }} }}"),
            "does not know",
        ),
    ] {
        for file in [".cursor/hooks.json", "shop/.cursor/hooks.json"] {
            assert_said(client, file, &text, words);
        }
    }
}

#[test]
fn vs_code_can_be_told_to_ask_no_servers() {
    for text in [
        r#"{ "chat.mcp.access": "none" }"#,
        r#"{ "chat.mcp.enabled": false }"#,
    ] {
        assert_said(
            Client::VsCode,
            "shop/.vscode/settings.json",
            text,
            "MCP servers are switched off",
        );
    }
}

#[test]
fn gemini_runs_nothing_in_a_folder_it_does_not_trust() {
    let client = Client::Gemini;
    let asks = r#"{ "security": { "folderTrust": { "enabled": true } } }"#;
    let settings = (".gemini/settings.json", asks);
    let untrusted = "does not trust this folder";
    for files in [&[settings][..], &[]] {
        let said = said(client, files);
        assert!(said.len() == 1 && said[0].contains(untrusted), "{said:?}");
    }
    let never_asks = asks.replace("true", "false");
    assert_eq!(said(client, &[(settings.0, &never_asks)]), [""; 0]);
    let told = [("GEMINI_CLI_TRUST_WORKSPACE", "true")];
    assert_eq!(said_with(client, &[], &told), [""; 0]);
    let with = |list: &str| said(client, &[settings, (".gemini/trustedFolders.json", list)]);
    assert_eq!(with(r#"{ "/users/u/shop": "TRUST_FOLDER" }"#), [""; 0]);
    assert_eq!(with(r#"{ "/users/u": "TRUST_FOLDER" }"#), [""; 0]);
    assert_eq!(with(r#"{ "/users/u/other": "TRUST_PARENT" }"#), [""; 0]);
    let refused = r#"{ "/users/u": "TRUST_FOLDER", "/users/u/shop": "DO_NOT_TRUST" }"#;
    assert_eq!(with(refused).len(), 1);
}

#[test]
fn the_agent_of_cursor_passes_over_servers_that_it_was_not_told_of() {
    let list = ".cursor/projects/users-u-shop/mcp-approvals.json";
    let client = Client::Cursor;
    assert_said(client, list, r#"["linear-0123"]"#, "let the server in");
    assert_eq!(
        said(client, &[(list, r#"["oldhand-0123456789abcdef"]"#)]),
        [""; 0]
    );
}

#[test]
fn opencode_can_deny_tools_and_leave_plugins_out() {
    let client = Client::OpenCode;
    let denied = r#"{ "permission": { "oldhand_*": "deny" } }"#;
    assert_said(client, "shop/opencode.json", denied, "denied");
    let said = said_with(client, &[], &[("OPENCODE_PURE", "1")]);
    assert!(
        said.len() == 1 && said[0].contains("loads no plugins"),
        "{said:?}"
    );
}

#[test]
fn opencode_can_switch_tools_off_by_name() {
    let client = Client::OpenCode;
    for tools in ["oldhand_*", "oldhand_search_memory", "*"] {
        let text = format!(r#"{{ "tools": {{ "{tools}": false }} }}"#);
        assert_said(client, "shop/opencode.json", &text, "tools of the server");
    }
    let other = r#"{ "tools": { "bash": false, "oldhand_*": true } }"#;
    assert_eq!(said(client, &[("shop/opencode.json", other)]), [""; 0]);
}
