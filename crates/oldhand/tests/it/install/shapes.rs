//! Settings as people really keep them: whatever their shape, they come back as they were, or are not touched at all.

use std::fs;
use std::path::{Path, PathBuf};

use oldhand_testkit::Sandbox;

use super::install;
use crate::repository;

/// The clients whose files differ most, and one file of each.
const CLIENTS: [(&str, &str); 5] = [
    ("claude-code", ".claude/settings.json"),
    ("codex", ".codex/config.toml"),
    ("gemini", ".gemini/settings.json"),
    ("cursor", ".cursor/hooks.json"),
    ("zed", ".config/zed/settings.json"),
];

/// JSON in the hands of people.
const JSON: [&str; 9] = [
    "",
    "{}",
    "{ }\n\n",
    "{\"model\":\"opus\"}",
    "{\r\n\t\"model\": \"opus\",\r\n\t\"hooks\": {}\r\n}\r\n",
    "\u{feff}{\n  \"model\": \"opus\"\n}\n",
    "// of mine\n{\n  /* a */ \"model\": \"opus\", // b\n  \"list\": [1,2,],\n}\n// the end",
    "{\n  \"version\": 1,\n  \"model\": \"opus\",\n  \"hooks\": {\n    \"stop\": [{ \"command\": \"say done\" }],\n    \"Stop\": [{ \"hooks\": [{ \"type\": \"command\", \"command\": \"say 'all \\\"done\\\"'\" }] }]\n  },\n  \"mcpServers\": { \"linear\": { \"command\": \"npx\", \"args\": [\"-y\", \"linear\"] } },\n  \"context_servers\": {}\n}\n",
    "{\n    \"model\": \"opus\",\n    \"text\": \"{ \\\"hooks\\\": [ // no comment \\u00e9 ü 🦀\",\n    \"hooks\": { \"PreToolUse\": [] }\n}",
];

/// The same, where TOML is spoken.
const TOML: [&str; 9] = [
    "",
    "# nothing but a comment",
    "\n\n",
    "model = \"opus\"",
    "model = \"opus\"\r\n\r\n[features]\r\nhooks = true\r\n",
    "\u{feff}model = \"opus\"\n",
    "model = \"opus\" # mine\n\n[mcp_servers.linear] # theirs\ncommand = \"npx\"\nargs = [\"-y\",\n  \"linear\", # two lines\n]\n\n# the end",
    "model = \"opus\"\n[projects.\"/home/me/a b\"]\ntrust_level = \"trusted\"\n\n[[things]]\na = 1\n",
    "mcp_servers = { linear = { command = \"npx\" } }\nmodel = \"opus\"\n",
];

fn write(path: &Path, text: &str) {
    fs::create_dir_all(path.parent().expect("a file has a folder")).expect("a folder can be made");
    fs::write(path, text).expect("a file can be written");
}

fn text_of(path: &Path) -> String {
    fs::read_to_string(path).expect("the file is there")
}

fn shape(client: &str, number: usize) -> &'static str {
    if client == "codex" {
        TOML[number]
    } else {
        JSON[number]
    }
}

/// Whether it was written to; a file that was refused is as it was.
fn try_install(sandbox: &Sandbox, client: &str, path: &Path, before: &str) -> bool {
    let outcome = sandbox.oldhand(["install", client, "--yes"]).run();
    let after = text_of(path);
    match outcome.code {
        Some(0) => assert!(after.contains("oldhand"), "{client}: {after}"),
        _ => assert_eq!(after, before, "{client}: {outcome}"),
    }
    outcome.code == Some(0)
}

#[cfg(target_os = "linux")]
#[test]
fn settings_of_every_shape_come_back_to_the_byte() {
    let mut written = 0;
    for number in 0..JSON.len() {
        let sandbox = repository();
        let home = sandbox.user_home();
        for (client, file) in CLIENTS {
            let path = home.join(file);
            write(&path, shape(client, number));
            written += usize::from(try_install(&sandbox, client, &path, shape(client, number)));
        }
        sandbox
            .oldhand(["uninstall", "--all", "--yes"])
            .run()
            .success();
        for (client, file) in CLIENTS {
            let left = text_of(&home.join(file));
            assert_eq!(left, shape(client, number), "{client}, shape {number}");
        }
    }
    let all = JSON.len() * CLIENTS.len();
    assert!(written >= all - 6, "{written} of {all} could be written to");
}

#[cfg(target_os = "linux")]
#[test]
fn an_edit_between_two_installs_is_all_that_stays() {
    for number in [3, 4, 6, 7] {
        let sandbox = repository();
        let home = sandbox.user_home();
        let edit = |text: &str| text.replace("opus", "sonnet");
        for (client, file) in CLIENTS {
            let path = home.join(file);
            write(&path, shape(client, number));
            if !try_install(&sandbox, client, &path, shape(client, number)) {
                continue;
            }
            // Somebody edits the file, and Oldhand moves.
            let ours = text_of(&path).replace("/oldhand", "/moved/oldhand");
            write(&path, &edit(&ours));
            install(&sandbox, client);
            assert!(!text_of(&path).contains("/moved/oldhand"), "{client}");
        }
        sandbox
            .oldhand(["uninstall", "--all", "--yes"])
            .run()
            .success();
        for (client, file) in CLIENTS {
            let left = text_of(&home.join(file));
            assert_eq!(
                left,
                edit(shape(client, number)),
                "{client}, shape {number}"
            );
        }
    }
}

#[cfg(unix)]
#[test]
fn a_link_stays_a_link_and_a_file_that_may_not_be_written_keeps_its_mode() {
    use std::os::unix::fs::{PermissionsExt as _, symlink};
    let sandbox = repository();
    let home = sandbox.user_home();
    let kept: PathBuf = home.join("dotfiles/claude.json");
    write(&kept, JSON[7]);
    let link = home.join(".claude/settings.json");
    fs::create_dir_all(home.join(".claude")).expect("a folder can be made");
    symlink(&kept, &link).expect("a link can be made");
    let locked = home.join(".gemini/settings.json");
    write(&locked, JSON[3]);
    let mode = |path: &Path| {
        let file = fs::metadata(path).expect("the file is there");
        file.permissions().mode() & 0o777
    };
    fs::set_permissions(&locked, fs::Permissions::from_mode(0o444)).expect("a mode can be set");
    install(&sandbox, "claude-code");
    assert!(text_of(&kept).contains("oldhand"));
    try_install(&sandbox, "gemini", &locked, JSON[3]);
    assert_eq!(mode(&locked), 0o444);
    sandbox
        .oldhand(["uninstall", "--all", "--yes"])
        .run()
        .success();
    let is_link = fs::symlink_metadata(&link).is_ok_and(|file| file.is_symlink());
    assert!(is_link, "it is a link as before");
    assert_eq!(text_of(&kept), JSON[7]);
    assert_eq!(text_of(&locked), JSON[3]);
    assert_eq!(mode(&locked), 0o444);
}
