//! What rules files do not say any more.

use std::fs;
use std::path::Path;
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
    let shown = sandbox.oldhand(["list", "--stale"]).run().stdout;
    assert!(shown.contains("  stale: no longer in AGENTS.md"), "{shown}");
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

/// Commits everything, so many seconds after all rules were taken.
fn commit(sandbox: &Sandbox, folder: &Path, second: u32) {
    sandbox.git(folder, ["add", "-A"]);
    let time = format!("2090-01-01T00:00:{second:02}Z");
    sandbox.git_at(folder, &time, ["commit", "--quiet", "-m", "A step"]);
}

/// A repository with an older branch `old`, which has the file without one of the rules.
fn with_old_branch() -> Sandbox {
    let sandbox = repository();
    let top = sandbox.project();
    sandbox.write("AGENTS.md", format!("# Rules\n\n{LINTER}"));
    commit(&sandbox, &top, 1);
    sandbox.git(&top, ["branch", "--quiet", "old"]);
    let sandbox = ruled(sandbox, "AGENTS.md");
    commit(&sandbox, &top, 2);
    sandbox
}

#[test]
fn a_file_that_was_deleted_says_nothing_and_one_of_another_branch_what_it_said() {
    let sandbox = repository();
    let top = sandbox.project();
    sandbox.git(&top, ["checkout", "--quiet", "-b", "work"]);
    let sandbox = ruled(sandbox, "AGENTS.md");
    commit(&sandbox, &top, 1);
    sandbox.git(&top, ["checkout", "--quiet", "-"]);
    assert!(!top.join("AGENTS.md").exists());
    finalize(&sandbox);
    assert_eq!(stale(&sandbox), [], "it is on another branch");
    sandbox.git(&top, ["checkout", "--quiet", "work"]);
    // A worktree that was left behind has it still, and an older word.
    let left = sandbox.root().join("left");
    let add = ["worktree", "add", "--quiet", &left.to_string_lossy()];
    sandbox.git(&top, add);
    sandbox.git(&top, ["rm", "--quiet", "AGENTS.md"]);
    finalize(&sandbox);
    assert_eq!(stale(&sandbox), [], "the commit has it");
    commit(&sandbox, &top, 2);
    finalize(&sandbox);
    let gone = "no longer in AGENTS.md, which is gone";
    assert_eq!(stale(&sandbox).len(), 2);
    assert_eq!(stale(&sandbox)[0].1, gone);
    sandbox.git(&top, ["reset", "--quiet", "--hard", "HEAD~1"]);
    finalize(&sandbox);
    assert_eq!(stale(&sandbox), []);
}

#[test]
fn an_old_branch_says_nothing_against_what_a_newer_one_says() {
    let sandbox = with_old_branch();
    let top = sandbox.project();
    sandbox.git(&top, ["checkout", "--quiet", "old"]);
    finalize(&sandbox);
    import(&sandbox);
    assert_eq!(stale(&sandbox), []);
    // Nor where the old one goes on without it.
    sandbox.write("AGENTS.md", format!("# Rules\n\n{LINTER}\nMore.\n"));
    commit(&sandbox, &top, 3);
    finalize(&sandbox);
    import(&sandbox);
    assert_eq!(stale(&sandbox), []);
    // One that took it out, and a later commit elsewhere that brought it back.
    sandbox.git(&top, ["checkout", "--quiet", "main"]);
    sandbox.write("AGENTS.md", format!("# Rules\n\n{LINTER}"));
    commit(&sandbox, &top, 4);
    finalize(&sandbox);
    assert_eq!(stale(&sandbox), because("no longer in AGENTS.md"));
    sandbox.git(&top, ["branch", "--quiet", "without"]);
    sandbox.write("AGENTS.md", format!("# Rules\n\n{GENERATED}"));
    commit(&sandbox, &top, 5);
    import(&sandbox);
    sandbox.git(&top, ["checkout", "--quiet", "without"]);
    finalize(&sandbox);
    import(&sandbox);
    assert_eq!(stale(&sandbox), []);
}

#[test]
fn an_old_worktree_and_a_clone_that_was_joined_say_nothing_against_it() {
    let sandbox = with_old_branch();
    let top = sandbox.project();
    let tree = sandbox.root().join("tree");
    let add = ["worktree", "add", "--quiet", &tree.to_string_lossy(), "old"];
    sandbox.git(&top, add);
    let clone = sandbox.root().join("clone");
    let from = top.to_string_lossy();
    let clone_it = ["clone", "--quiet", "--branch", "old", &from, "clone"];
    sandbox.git(sandbox.root(), clone_it);
    let join = ["init", "--same-as", "project", "--no-agents", "--yes"];
    sandbox.oldhand(join).inside(&clone).run().success();
    for folder in [&tree, &clone] {
        fs::write(folder.join("AGENTS.md"), "# Rules\n\nOther ones.\n").unwrap();
        for arguments in [
            &["session", "finalize", "--ended"][..],
            &["import", "rules", "--yes"],
        ] {
            sandbox.oldhand(arguments).inside(folder).run().success();
            assert_eq!(stale(&sandbox), [], "{}", folder.display());
        }
    }
}

#[test]
fn a_file_that_is_not_checked_out_says_what_it_said() {
    let sandbox = ruled(repository(), "web/AGENTS.md");
    let top = sandbox.project();
    sandbox.write("api/main.rs", "fn main() {}\n");
    commit(&sandbox, &top, 1);
    sandbox.git(&top, ["sparse-checkout", "set", "api"]);
    assert!(!top.join("web/AGENTS.md").exists());
    finalize(&sandbox);
    import_nothing(&sandbox);
    assert_eq!(stale(&sandbox), []);
}

/// Where no rules file is left to import.
fn import_nothing(sandbox: &Sandbox) {
    let done = sandbox.oldhand(["import", "rules", "--yes"]).run();
    assert_eq!(done.code, Some(1), "{done}");
}

#[test]
fn what_no_commit_has_is_judged_when_a_person_asks() {
    for is_tracked in [false, true] {
        let sandbox = ruled(repository(), "CLAUDE.local.md");
        if is_tracked {
            commit(&sandbox, &sandbox.project(), 1);
        }
        sandbox.write("CLAUDE.local.md", format!("# Rules\n\n{LINTER}"));
        finalize(&sandbox);
        assert_eq!(stale(&sandbox), []);
        import(&sandbox);
        assert_eq!(stale(&sandbox), because("no longer in CLAUDE.local.md"));
        // No rule is left in it, and that is told.
        sandbox.write("CLAUDE.local.md", "# Rules\n");
        assert!(import(&sandbox).contains("no longer in"));
        assert_eq!(stale(&sandbox).len(), 2);
        sandbox.write("CLAUDE.local.md", format!("# Rules\n\n{LINTER}"));
        import(&sandbox);
        sandbox.write("CLAUDE.local.md", "");
        import_nothing(&sandbox);
        assert_eq!(stale(&sandbox).len(), 1, "an empty file is being written");
        finalize(&sandbox);
        assert_eq!(
            stale(&sandbox).len(),
            1,
            "the background brings nothing back"
        );
    }
}

#[test]
fn a_rule_that_moved_into_a_file_that_its_own_takes_in_holds() {
    let sandbox = ruled(repository(), "CLAUDE.md");
    let top = sandbox.project();
    commit(&sandbox, &top, 1);
    sandbox.write("docs/rules.md", format!("# Rules\n\n{GENERATED}"));
    let left = format!("# Rules\n\nSee @docs/rules.md.\n\n{LINTER}");
    sandbox.write("CLAUDE.md", left);
    commit(&sandbox, &top, 2);
    finalize(&sandbox);
    import(&sandbox);
    assert_eq!(stale(&sandbox), []);
    sandbox.write("docs/rules.md", "# Rules\n");
    import(&sandbox);
    assert_eq!(stale(&sandbox), because("no longer in CLAUDE.md"));
}

#[test]
fn what_a_person_says_in_their_own_words_does_not_hang_on_the_file() {
    let words = GENERATED.trim_start_matches("- ").trim_end();
    for is_stale_first in [false, true] {
        let sandbox = ruled(sandbox(), "AGENTS.md");
        let without = format!("# Rules\n\n{LINTER}");
        if is_stale_first {
            sandbox.write("AGENTS.md", &without);
            import(&sandbox);
            assert_eq!(stale(&sandbox).len(), 1);
        }
        sandbox.oldhand(["remember", words]).run().success();
        assert_eq!(stale(&sandbox), []);
        sandbox.write("AGENTS.md", &without);
        import(&sandbox);
        assert_eq!(stale(&sandbox), []);
    }
}

#[test]
fn a_session_that_begins_notices_that_a_file_changed() {
    let sandbox = ruled(repository(), "AGENTS.md");
    commit(&sandbox, &sandbox.project(), 1);
    sandbox.oldhand(["backup"]).run().success();
    sandbox.write("AGENTS.md", format!("# Rules\n\n{LINTER}"));
    commit(&sandbox, &sandbox.project(), 2);
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

#[test]
fn settings_that_another_file_has_the_word_on_are_not_taken_and_dropped_at_once() {
    let sandbox = sandbox();
    sandbox.write("rustfmt.toml", "max_width = 100\n");
    sandbox.write(".editorconfig", "[*.rs]\nmax_line_length = 120\n");
    let one = ["import", "rules", ".editorconfig", "--yes"];
    sandbox.oldhand(one).run();
    assert_eq!(stale(&sandbox), []);
}

#[test]
fn what_a_joined_clone_took_is_judged_where_it_went_and_what_a_person_stands_by_is_kept() {
    let sandbox = repository();
    let top = sandbox.project();
    sandbox.write("AGENTS.md", format!("# Rules\n\n{GENERATED}{LINTER}"));
    commit(&sandbox, &top, 1);
    let from = top.to_string_lossy().into_owned();
    sandbox.git(sandbox.root(), ["clone", "--quiet", &from, "clone"]);
    import(&sandbox);
    let forgotten = id_of(&sandbox, "linter");
    sandbox.oldhand(["forget", &forgotten]).run().success();
    let erased = id_of(&sandbox, "generated");
    let erase = ["forget", &erased, "--now", "--yes"];
    sandbox.oldhand(erase).run().success();
    let there = |arguments: &[&str]| {
        let done = sandbox.oldhand(arguments).inside("../clone").run();
        done.success()
    };
    there(&["init", "--no-agents", "--yes"]);
    let listed: Value = serde_json::from_str(&there(&["list", "--json"])).unwrap();
    let listed = listed["memories"].as_array().unwrap().iter();
    let stood_by = listed
        .filter(|one| one["content"].as_str().unwrap().contains("linter"))
        .find_map(|one| one["id"].as_str())
        .unwrap();
    there(&["verify", stood_by]);
    there(&["init", "--same-as", "project", "--no-agents"]);
    let kept = sandbox.oldhand(["list", "--json"]).run().success();
    assert!(kept.contains("Always run the linter"), "{kept}");
    assert!(kept.contains("Never edit"), "{kept}");
    sandbox.write("AGENTS.md", format!("# Rules\n\n{LINTER}"));
    commit(&sandbox, &top, 2);
    finalize(&sandbox);
    assert_eq!(stale(&sandbox), because("no longer in AGENTS.md"));
}
