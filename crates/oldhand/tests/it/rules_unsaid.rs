//! What rules files do not say any more.

use std::fs;
use std::time::Duration;

use oldhand_testkit::Sandbox;
use serde_json::{Value, json};

use crate::{id_of, repository, sandbox};

const GENERATED: &str = "- Never edit the generated files under `gen/` by hand.\n";
const LINTER: &str = "- Always run the linter before committing anything.\n";

fn import(sandbox: &Sandbox) -> String {
    let done = sandbox.oldhand(["import", "rules", "--yes"]).run();
    assert_eq!(done.code, Some(0), "{done}");
    format!("{}{}", done.stdout, done.stderr)
}

/// Why each memory is stale, by how its text begins.
fn stale(sandbox: &Sandbox) -> Vec<(String, String)> {
    let list = sandbox.oldhand(["list", "--stale", "--json"]).run();
    let list: Value = serde_json::from_str(&list.stdout).expect("a list is JSON");
    let memories = list["memories"].as_array().expect("a list").iter();
    let told = memories.map(|one| {
        let content = one["content"].as_str().expect("a text");
        let reason = one["stale"]["reason"].as_str().expect("a reason");
        let first: Vec<&str> = content.split(' ').take(2).collect();
        (first.join(" "), reason.to_owned())
    });
    told.collect()
}

fn ruled(sandbox: Sandbox, file: &str) -> Sandbox {
    sandbox.write(file, format!("# Rules\n\n{GENERATED}{LINTER}"));
    import(&sandbox);
    sandbox
}

fn because(reason: &str) -> Vec<(String, String)> {
    vec![("Never edit".to_owned(), reason.to_owned())]
}

#[test]
fn a_rule_that_was_taken_out_of_its_file_is_stale_until_it_is_back() {
    let sandbox = ruled(sandbox(), "AGENTS.md");
    sandbox.write("AGENTS.md", format!("# Rules\n\n{LINTER}"));
    let shown = sandbox.oldhand(["import", "rules", "--dry-run"]).run();
    assert!(shown.stdout.contains("no longer in AGENTS.md"), "{shown}");
    assert_eq!(stale(&sandbox), [], "it is only shown");
    let told = import(&sandbox);
    assert!(told.contains("Never edit the generated"), "{told}");
    assert!(told.contains("1 rule became stale"), "{told}");
    assert_eq!(stale(&sandbox), because("no longer in AGENTS.md"));
    let looked = sandbox.oldhand(["doctor"]).run().words();
    assert!(looked.contains("1 rule stale: no rules file"), "{looked}");
    let asked = sandbox
        .oldhand(["context", "edit the generated files"])
        .run();
    assert!(!asked.stdout.contains("Never edit"), "{asked}");
    assert!(import(&sandbox).contains("everything is known already"));
    sandbox.write("AGENTS.md", format!("# Rules\n\n{LINTER}{GENERATED}"));
    assert!(import(&sandbox).contains("1 rule no longer stale"));
    assert_eq!(stale(&sandbox), []);
    let asked = sandbox
        .oldhand(["context", "edit the generated files"])
        .run();
    assert!(asked.stdout.contains("Never edit"), "{asked}");
}

#[test]
fn what_a_person_stands_by_is_theirs() {
    let makes: [&[&str]; 3] = [
        &["verify", "ID"],
        &["pin", "ID"],
        &["edit", "ID", "--text", "Never edit what is below `gen/`."],
    ];
    for make in makes {
        let sandbox = ruled(sandbox(), "AGENTS.md");
        let id = id_of(&sandbox, "generated");
        let make = make.iter().map(|word| word.replace("ID", &id));
        sandbox.oldhand(make).run().success();
        sandbox.write("AGENTS.md", format!("# Rules\n\n{LINTER}"));
        import(&sandbox);
        assert_eq!(stale(&sandbox), []);
    }
}

#[test]
fn a_rule_that_another_file_says_too_holds() {
    let sandbox = ruled(sandbox(), "AGENTS.md");
    let moved = GENERATED.replace("by hand", "by hand, please");
    for other in ["CLAUDE.md", "GEMINI.md"] {
        sandbox.write("AGENTS.md", format!("# Rules\n\n{LINTER}"));
        sandbox.write(other, format!("# Rules\n\n{moved}"));
        import(&sandbox);
        assert_eq!(stale(&sandbox), [], "{other} says so");
        fs::remove_file(sandbox.project().join(other)).unwrap();
    }
    import(&sandbox);
    assert_eq!(stale(&sandbox), because("no longer in AGENTS.md"));
}

#[test]
fn the_file_of_a_folder_is_looked_at_as_well() {
    let sandbox = ruled(sandbox(), "web/AGENTS.md");
    sandbox.write("web/AGENTS.md", format!("# Rules\n\n{LINTER}"));
    import(&sandbox);
    assert_eq!(stale(&sandbox), because("no longer in web/AGENTS.md"));
}

#[test]
fn what_came_from_outside_of_the_project_is_not_looked_for_in_it() {
    let sandbox = sandbox();
    let outside = sandbox.user_home().join("AGENTS.md");
    fs::write(&outside, format!("# Rules\n\n{GENERATED}")).unwrap();
    let outside = outside.to_str().unwrap();
    let import_outside = ["import", "rules", outside, "--yes"];
    sandbox.oldhand(import_outside).run().success();
    sandbox.write("AGENTS.md", format!("# Rules\n\n{LINTER}"));
    import(&sandbox);
    assert_eq!(stale(&sandbox), []);
}

fn finalize(sandbox: &Sandbox) {
    let ended = ["session", "finalize", "--ended"];
    sandbox.oldhand(ended).run().success();
}

#[test]
fn a_file_that_was_deleted_says_nothing_and_one_of_another_branch_what_it_said() {
    let sandbox = repository();
    let top = sandbox.project();
    sandbox.git(&top, ["checkout", "--quiet", "-b", "work"]);
    let sandbox = ruled(sandbox, "AGENTS.md");
    sandbox.git(&top, ["add", "-A"]);
    sandbox.git(&top, ["commit", "--quiet", "-m", "rules"]);
    sandbox.git(&top, ["checkout", "--quiet", "-"]);
    assert!(!top.join("AGENTS.md").exists());
    finalize(&sandbox);
    assert_eq!(stale(&sandbox), [], "it is on another branch");
    sandbox.git(&top, ["checkout", "--quiet", "work"]);
    sandbox.git(&top, ["rm", "--quiet", "AGENTS.md"]);
    sandbox.git(&top, ["commit", "--quiet", "-m", "no rules"]);
    finalize(&sandbox);
    let gone = "no longer in AGENTS.md, which is gone";
    assert_eq!(stale(&sandbox).len(), 2);
    assert_eq!(stale(&sandbox)[0].1, gone);
    sandbox.git(&top, ["reset", "--quiet", "--hard", "HEAD~1"]);
    finalize(&sandbox);
    assert_eq!(stale(&sandbox), []);
}

#[test]
fn a_worktree_whose_file_was_written_later_has_the_word() {
    let sandbox = ruled(repository(), "AGENTS.md");
    let top = sandbox.project();
    sandbox.git(&top, ["add", "-A"]);
    sandbox.git(&top, ["commit", "--quiet", "-m", "rules"]);
    let tree = sandbox.root().join("tree");
    let add = ["worktree", "add", "--quiet", &tree.to_string_lossy()];
    sandbox.git(&top, add);
    let write_at = |path: &std::path::Path, second: u64| {
        fs::write(path, format!("# Rules\n\n{LINTER}")).unwrap();
        let at = std::time::UNIX_EPOCH + Duration::from_secs(second);
        let file = fs::File::options().append(true).open(path).unwrap();
        file.set_modified(at).unwrap();
    };
    write_at(&top.join("AGENTS.md"), 1_000);
    finalize(&sandbox);
    assert_eq!(stale(&sandbox), [], "the worktree says it since");
    write_at(&top.join("AGENTS.md"), 9_000_000_000);
    finalize(&sandbox);
    assert_eq!(stale(&sandbox), because("no longer in AGENTS.md"));
}

#[test]
fn a_session_that_begins_notices_that_a_file_changed() {
    let sandbox = ruled(repository(), "AGENTS.md");
    sandbox.oldhand(["backup"]).run().success();
    sandbox.write("AGENTS.md", format!("# Rules\n\n{LINTER}"));
    let payload = json!({
        "session_id": "s1",
        "cwd": sandbox.project(),
        "hook_event_name": "SessionStart",
        "source": "startup",
    });
    let hook = sandbox.oldhand(["hook", "claude-code"]);
    let hook = hook.env("OLDHAND_HOOK_DEADLINE", "60000");
    hook.stdin(payload.to_string()).run().success();
    for _ in 0..600 {
        if !stale(&sandbox).is_empty() {
            return;
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    panic!("nobody looked at the file again");
}

#[test]
fn a_file_in_which_a_merge_stopped_says_nothing_and_takes_nothing_back() {
    let sandbox = ruled(sandbox(), "AGENTS.md");
    sandbox.write("CLAUDE.md", "- Commit in small steps.\n");
    let stopped = format!(
        "# Rules\n\n<<<<<<< HEAD\n{LINTER}=======\n- Use tabs in every file of ours.\n>>>>>>> other\n"
    );
    sandbox.write("AGENTS.md", stopped);
    let told = sandbox.oldhand(["import", "rules", "--yes"]).run();
    assert_eq!(told.code, Some(2), "{told}");
    assert!(told.stderr.contains("merge conflicts"), "{told}");
    assert_eq!(stale(&sandbox), []);
    let list = sandbox.oldhand(["list", "--json"]).run().stdout;
    assert!(
        !list.contains("Use tabs") && !list.contains("HEAD"),
        "{list}"
    );
    let shown =
        format!("# Rules\n\n{GENERATED}{LINTER}\n```\n<<<<<<< a\n=======\n>>>>>>> b\n```\n");
    sandbox.write("AGENTS.md", shown);
    import(&sandbox);
}
