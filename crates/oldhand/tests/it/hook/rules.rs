//! Rules of files, and which of them a client needs no word of.

use std::fs;

use oldhand_testkit::Sandbox;
use serde_json::json;

use super::told::{call, context, known, payload};
use crate::id_of;

/// What a client hears when a session begins.
fn brief(sandbox: &Sandbox, client: &str) -> String {
    let source = json!({ "source": "startup" });
    call(
        sandbox,
        client,
        payload(sandbox, "s1", "SessionStart", source),
    )
}

/// A known project whose rules file was taken in.
fn ruled(file: &str, rules: &str) -> Sandbox {
    let sandbox = known();
    sandbox.write(file, rules);
    let import = ["import", "rules", file, "--yes"];
    sandbox.oldhand(import).run().success();
    sandbox
}

#[test]
fn a_brief_does_not_repeat_the_rules_file_that_the_client_reads_itself() {
    let sandbox = ruled(
        "CLAUDE.md",
        "# Rules\n\n- Decision: we always use tabs, never spaces, in Makefiles.\n",
    );
    let pinned = id_of(&sandbox, "Makefiles");
    sandbox.oldhand(["pin", &pinned]).run().success();
    assert_eq!(brief(&sandbox, "claude-code"), "");
    let told = brief(&sandbox, "codex");
    assert!(
        context(&told, "SessionStart").contains("Makefiles"),
        "{told}"
    );
}

#[test]
fn context_says_which_client_does_not_hear_a_rule() {
    let sandbox = ruled(
        "CLAUDE.md",
        "# Rules\n\n- Decision: we always use tabs, never spaces, in Makefiles.\n",
    );
    let id = id_of(&sandbox, "Makefiles");
    let task = "which indentation do we use in Makefiles, tabs or spaces";
    let asked = sandbox.oldhand(["context", task]).run().success();
    let told = "not told to every client\n  claude-code  ";
    let short = &id[id.len() - 8..];
    let why = format!("{told}{short}: its own rules files say it\n");
    assert!(asked.contains(&why), "{asked}");
    assert!(!asked.contains("codex"), "{asked}");
    let asked = sandbox.oldhand(["context", task, "--json"]).run().success();
    let asked: serde_json::Value = serde_json::from_str(&asked).expect("JSON");
    assert_eq!(asked["left_to_clients"][0]["client"], "claude-code");
    let left = asked["left_to_clients"].as_array().expect("a list");
    assert!(left.iter().all(|one| one["client"] != "codex"), "{left:?}");
    // What the hook does with the same words.
    for (client, hears) in [("claude-code", false), ("codex", true)] {
        let prompt = json!({ "prompt": task });
        let prompt = payload(&sandbox, "s2", "UserPromptSubmit", prompt);
        let heard = call(&sandbox, client, prompt);
        assert_eq!(heard.contains("Makefiles"), hears, "{client}: {heard}");
    }
}

#[test]
fn a_client_hears_no_rules_of_a_file_that_its_own_leads_to_nor_those_for_another_client() {
    let rules = "# Rules\n\n- Decision: we always use tabs, never spaces, in Makefiles.\n\n## Cursor Cloud specific instructions\n\n- Decision: we always start the virtual desktop first.\n";
    let told_with = |own: &str| {
        let sandbox = ruled("AGENTS.md", rules);
        sandbox.write("CLAUDE.md", own);
        brief(&sandbox, "claude-code")
    };
    assert_eq!(told_with("See @AGENTS.md\n"), "");
    assert_eq!(told_with("See @./AGENTS.md.\n"), "");
    let told = told_with("Use @docs/agents/AGENTS.md for the API.\n");
    assert!(told.contains("Makefiles"), "{told}");
    let told = told_with("Be kind to each other.\n");
    assert!(told.contains("Makefiles"), "{told}");
    assert!(!told.contains("desktop"), "{told}");
}

#[test]
fn rules_that_moved_to_a_file_that_the_client_does_not_read_are_told_to_it() {
    let rules = "# Rules\n\n- Decision: we always use tabs, never spaces, in Makefiles.\n";
    for (old, new, client) in [
        ("CLAUDE.md", "AGENTS.md", "claude-code"),
        ("AGENTS.md", "CLAUDE.md", "codex"),
    ] {
        let sandbox = ruled(old, rules);
        let project = sandbox.project();
        fs::rename(project.join(old), project.join(new)).unwrap();
        let import = ["import", "rules", "--yes"];
        sandbox.oldhand(import).run().success();
        let told = brief(&sandbox, client);
        assert!(told.contains("Makefiles"), "{old} to {new}: {told}");
    }
}

#[test]
fn the_steps_of_a_list_are_told_in_the_order_of_their_file() {
    let sandbox = ruled(
        "AGENTS.md",
        "# Landing\n\nYou must always:\n\n1. File what is left to do\n2. Run the gates with `make gates`\n3. Push to the remote\n4. Hand off to the next\n",
    );
    let told = brief(&sandbox, "claude-code");
    let steps = ["File what", "Run the gates", "Push to", "Hand off"];
    let places: Vec<Option<usize>> = steps.iter().map(|step| told.find(step)).collect();
    assert!(places.iter().all(Option::is_some), "{told}");
    assert!(places.is_sorted(), "{told}");
}

#[test]
fn a_tag_that_a_person_gives_keeps_no_client_from_hearing_it() {
    let sandbox = known();
    let rule = "Decision: the wire format of the shop is only changed with a new number.";
    let teach = ["remember", "--type", "decision", "--tag", "for-codex", rule];
    sandbox.oldhand(teach).run().success();
    let told = brief(&sandbox, "claude-code");
    assert!(told.contains("wire format of the shop"), "{told}");
}

/// What a client hears after it edited a file.
fn after_edit(sandbox: &Sandbox, client: &str, session: &str, file: &str) -> String {
    let path = sandbox.project().join(file);
    let edit = json!({
        "tool_name": "Edit",
        "tool_use_id": "t1",
        "tool_input": { "file_path": path, "old_string": "a", "new_string": "b" },
        "tool_response": { "filePath": path },
    });
    call(
        sandbox,
        client,
        payload(sandbox, session, "PostToolUse", edit),
    )
}

#[test]
fn rules_of_a_folder_are_told_to_whoever_works_there_and_does_not_read_them_itself() {
    let sandbox = known();
    let rule = "# Rules\n\n- Never fetch in a component, the store does that for all of them.\n";
    sandbox.write("web/AGENTS.md", rule);
    sandbox.write("web/parts/menu.ts", "a");
    sandbox.write("api/main.ts", "a");
    let import = ["import", "rules", "--yes"];
    sandbox.oldhand(import).run().success();
    assert_eq!(
        brief(&sandbox, "claude-code"),
        "",
        "nobody is in the folder yet"
    );
    assert_eq!(after_edit(&sandbox, "claude-code", "s2", "api/main.ts"), "");
    let told = after_edit(&sandbox, "claude-code", "s2", "web/parts/menu.ts");
    assert!(
        context(&told, "PostToolUse").contains("web:\n- requirement: Never fetch"),
        "{told}"
    );
    assert_eq!(
        after_edit(&sandbox, "claude-code", "s2", "web/parts/menu.ts"),
        "",
        "once"
    );
    sandbox.write("web/CLAUDE.md", "See @AGENTS.md\n");
    assert_eq!(
        after_edit(&sandbox, "claude-code", "s3", "web/parts/menu.ts"),
        ""
    );
}

#[test]
fn a_rule_of_a_folder_is_not_told_in_another_that_it_names() {
    let sandbox = known();
    let rule = "# Rules\n\n- Never import anything from `api/` here, ask the server instead.\n";
    sandbox.write("web/AGENTS.md", rule);
    sandbox.write("web/menu.ts", "a");
    sandbox.write("api/main.ts", "a");
    let import = ["import", "rules", "--yes"];
    sandbox.oldhand(import).run().success();
    assert_eq!(after_edit(&sandbox, "claude-code", "s2", "api/main.ts"), "");
    let told = after_edit(&sandbox, "claude-code", "s2", "web/menu.ts");
    assert!(
        context(&told, "PostToolUse").contains("web:\n- requirement: Never import"),
        "{told}"
    );
}

#[test]
fn what_the_clients_own_file_says_in_nearly_the_same_words_is_not_told() {
    let rule = |who: &str| {
        format!(
            "# Rules\n\n- Decision: always run `git status` from the top of the repository, {who} starts in other folders too.\n"
        )
    };
    let sandbox = ruled("GEMINI.md", &rule("Gemini"));
    assert!(brief(&sandbox, "claude-code").contains("git status"));
    sandbox.write("CLAUDE.md", rule("Claude"));
    assert_eq!(brief(&sandbox, "claude-code"), "");
}

#[test]
fn a_file_under_two_names_is_read_by_the_clients_of_both() {
    let rules = "# Work\n\n- **Pushing is not the end.**\n  Always look at what the\n  checks say, and\n  mend what they find.\n";
    let sandbox = ruled("CLAUDE.md", rules);
    assert!(brief(&sandbox, "codex").contains("mend what they find"));
    sandbox.write("AGENTS.md", rules);
    assert_eq!(brief(&sandbox, "codex"), "");
    let link = sandbox.project().join("AGENTS.md");
    fs::remove_file(&link).unwrap();
    std::os::unix::fs::symlink("CLAUDE.md", &link).unwrap();
    assert_eq!(brief(&sandbox, "codex"), "");
}

#[test]
fn rules_of_a_folder_stay_there_whatever_its_name_is() {
    let sandbox = known();
    let deep = format!("packages/{}/src", "inner-part-of-a-name-".repeat(4));
    for (folder, rule) in [
        ("my dir", "Always quote the paths of this folder."),
        ("a`b$(c)", "Never run what this folder is called."),
        (deep.as_str(), "Always keep the names of this folder long."),
        ("two\nlines", "Never break the name of a folder."),
    ] {
        sandbox.write(
            &format!("{folder}/AGENTS.md"),
            format!("# Rules\n\n- {rule}\n"),
        );
    }
    sandbox
        .oldhand(["import", "rules", "--yes"])
        .run()
        .success();
    assert_eq!(brief(&sandbox, "claude-code"), "");
    let all = sandbox.oldhand(["list", "--json"]).run().success();
    assert!(all.contains("import:my dir/AGENTS.md"), "{all}");
    assert!(all.contains(&format!("import:{deep}/AGENTS.md")), "{all}");
    assert!(!all.contains("Never break the name"), "{all}");
}

#[test]
fn a_client_hears_nothing_of_the_folder_it_was_started_in_or_will_read_by_itself() {
    let sandbox = known();
    let rule = "# Rules\n\n- Never fetch in a component, the store does that for all of them.\n";
    sandbox.write("web/AGENTS.md", rule);
    sandbox.write("web/menu.ts", "a");
    sandbox
        .oldhand(["import", "rules", "--yes"])
        .run()
        .success();
    let codex_in = |folder: &str, session: &str| {
        let path = sandbox.project().join("web/menu.ts");
        let edit = json!({
            "cwd": sandbox.project().join(folder),
            "tool_name": "Edit",
            "tool_use_id": "t1",
            "tool_input": { "file_path": path, "old_string": "a", "new_string": "b" },
            "tool_response": { "filePath": path },
        });
        call(
            &sandbox,
            "codex",
            payload(&sandbox, session, "PostToolUse", edit),
        )
    };
    assert_eq!(codex_in("web", "s1"), "");
    assert!(codex_in("", "s2").contains("Never fetch"));
    let asked = |client: &str, session: &str| {
        let prompt = json!({ "prompt": "fetch the menu in a component of the web store" });
        call(
            &sandbox,
            client,
            payload(&sandbox, session, "UserPromptSubmit", prompt),
        )
    };
    assert!(asked("claude-code", "s3").contains("Never fetch"));
    fs::rename(
        sandbox.project().join("web/AGENTS.md"),
        sandbox.project().join("web/CLAUDE.md"),
    )
    .unwrap();
    let again = ["import", "rules", "--yes"];
    sandbox.oldhand(again).run().success();
    assert_eq!(asked("claude-code", "s4"), "");
}
