//! Several projects: which one a clone that was moved is, and which are known and wanted no more.

use std::fs;
use std::thread;
use std::time::Duration;

use oldhand_store::{Mode, SqliteStore};

use crate::projects::finds;
use crate::{assert_transcript, repository};

#[test]
fn of_two_projects_with_one_history_the_one_that_is_gone_is_offered_first() {
    let sandbox = repository();
    let remember = ["remember", "The cache is shared."];
    sandbox.oldhand(remember).run().success();
    let from = sandbox.project().to_string_lossy().into_owned();
    sandbox.git(sandbox.root(), ["clone", "--quiet", &from, "clone"]);
    sandbox.oldhand(remember).inside("../clone").run().success();
    fs::rename(sandbox.root().join("clone"), sandbox.root().join("moved")).unwrap();
    let told = sandbox.oldhand(["list"]).inside("../moved").run();
    let at = |words: &str| told.stderr.find(words).unwrap_or_else(|| panic!("{told}"));
    assert!(at("looks like project clone") < at("another clone of project project"));
    assert!(at("--same-as clone-") < at("--same-as project-"));
}

#[test]
fn projects_are_listed_and_one_can_be_removed_with_its_memories_kept() {
    let sandbox = repository();
    let remember = ["remember", "The cache is shared."];
    sandbox.oldhand(remember).run().success();
    let gone = sandbox.root().join("gone");
    fs::create_dir(&gone).unwrap();
    let taught = ["remember", "Port 8080 is taken by the proxy."];
    sandbox.oldhand(taught).inside("../gone").run().success();
    fs::remove_dir(&gone).unwrap();
    assert_transcript!(sandbox.oldhand(["status", "--projects"]));
    let listed = ["status", "--projects", "--json"];
    let listed = || -> serde_json::Value {
        serde_json::from_str(&sandbox.oldhand(listed).run().success()).unwrap()
    };
    let known = listed()["projects"].as_array().unwrap().clone();
    assert_eq!(known.len(), 2);
    assert_eq!(known[0]["places"][0]["still_there"], false, "{known:?}");
    let name = known[0]["directory"].as_str().unwrap();

    let remove = ["forget", "--whole-project", name];
    let refused = sandbox.oldhand(remove).run();
    assert_eq!(refused.code, Some(2), "{refused}");
    assert_eq!(listed()["projects"].as_array().unwrap().len(), 2);

    let removed = remove.iter().chain(&["--yes", "--json"]);
    let removed = sandbox.oldhand(removed).run().success();
    let removed: serde_json::Value = serde_json::from_str(&removed).unwrap();
    assert_eq!(removed["memories"], 1, "{removed}");
    assert_eq!(listed()["projects"].as_array().unwrap().len(), 1);
    let left = fs::read_dir(sandbox.home().join("projects")).unwrap();
    assert_eq!(left.count(), 1);
    assert!(finds(&sandbox, ".", "cache"));
    sandbox.oldhand(["doctor"]).run().success();

    let export = removed["export"].as_str().unwrap();
    let import = ["import", "json", export];
    sandbox.oldhand(import).run().success();
    assert!(finds(&sandbox, ".", "proxy"));
}

#[test]
fn what_is_taught_until_a_project_goes_is_in_the_export() {
    let sandbox = repository();
    let remember = ["remember", "The cache is shared."];
    sandbox.oldhand(remember).run().success();
    let at_work = SqliteStore::open(&crate::database(&sandbox), Mode::Write).unwrap();
    let place = fs::canonicalize(sandbox.project()).unwrap();
    let place = place.to_str().unwrap();
    let remove = ["forget", "--whole-project", place, "--yes", "--json"];
    let removing = sandbox.oldhand(remove).spawn();
    // Until it waits for the one at work.
    thread::sleep(Duration::from_secs(2));
    let late = ["remember", "Port 8080 is taken by the proxy."];
    sandbox.oldhand(late).run().success();
    drop(at_work);
    let removed = removing.wait_with_output().unwrap();
    let removed: serde_json::Value = serde_json::from_slice(&removed.stdout).unwrap();
    assert_eq!(removed["memories"], 2, "{removed}");
    let export = fs::read_to_string(removed["export"].as_str().unwrap()).unwrap();
    assert!(export.contains("Port 8080"), "{export}");
}

#[test]
fn a_project_that_cannot_be_read_is_named_with_its_folder_when_it_is_to_go() {
    let sandbox = repository();
    let remember = ["remember", "The cache is shared."];
    sandbox.oldhand(remember).run().success();
    let database = crate::database(&sandbox);
    fs::create_dir(sandbox.root().join("elsewhere")).unwrap();
    let remove = ["forget", "--whole-project", "project", "--yes"];
    let refused = || {
        let outcome = sandbox.oldhand(remove).inside("../elsewhere").run();
        assert_eq!(outcome.code, Some(2), "{outcome}");
        assert!(!outcome.stderr.contains("backup restore"), "{outcome}");
        assert!(outcome.stderr.contains("by hand"), "{outcome}");
    };
    sandbox.oldhand(["backup"]).run().success();
    fs::write(&database, vec![7; 100_000]).unwrap();
    refused();
    fs::remove_file(&database).unwrap();
    refused();
    fs::remove_dir_all(database.parent().unwrap()).unwrap();
    let gone = sandbox.oldhand(remove).inside("../elsewhere");
    gone.run().success();
}

#[test]
fn a_rule_that_both_projects_took_from_one_file_is_one_memory() {
    let sandbox = repository();
    let rules = "# Rules\n\n- Never edit the generated files.\n- Always run the linter first.\n";
    sandbox.write("AGENTS.md", rules);
    let from = sandbox.project();
    sandbox.git(&from, ["add", "-A"]);
    sandbox.git(&from, ["commit", "--quiet", "-m", "rules"]);
    let from = from.to_string_lossy().into_owned();
    sandbox.git(sandbox.root(), ["clone", "--quiet", &from, "clone"]);
    let import = ["import", "rules", "--yes"];
    sandbox.oldhand(import).run().success();
    let taught = ["remember", "The cache is shared."];
    sandbox.oldhand(taught).run().success();
    let clone = |arguments: &[&str]| {
        sandbox
            .oldhand(arguments)
            .inside("../clone")
            .run()
            .success()
    };
    clone(&import);
    let mine: serde_json::Value =
        serde_json::from_str(&clone(&["search", "linter", "--json"])).unwrap();
    clone(&["pin", mine["results"][0]["id"].as_str().unwrap()]);
    clone(&["init", "--no-agents", "--same-as", "project"]);
    let listed: serde_json::Value = serde_json::from_str(&clone(&["list", "--json"])).unwrap();
    let kept = listed["memories"].as_array().unwrap();
    assert_eq!(kept.len(), 3, "{listed}");
    let pinned = kept.iter().filter(|memory| memory["pinned"] == true);
    let pinned: Vec<&str> = pinned
        .filter_map(|memory| memory["content"].as_str())
        .collect();
    assert_eq!(pinned, ["Always run the linter first."]);
}

#[test]
fn a_removal_that_was_cut_short_is_finished_by_a_repair() {
    let sandbox = repository();
    let remember = ["remember", "The cache is shared."];
    sandbox.oldhand(remember).run().success();
    let left = sandbox.home().join("projects/other-12345678.removed");
    fs::create_dir(&left).unwrap();
    fs::write(left.join("memory.db"), "").unwrap();
    let looked = sandbox.oldhand(["doctor"]).run();
    assert_eq!(looked.code, Some(2), "{looked}");
    let told = looked.words();
    assert!(told.contains("--repair` removes what was to go"), "{told}");
    sandbox.oldhand(["doctor", "--repair"]).run().success();
    assert!(!left.exists());
}

#[cfg(unix)]
#[test]
fn what_a_linked_folder_leads_to_is_told_when_the_project_goes() {
    let sandbox = repository();
    let remember = ["remember", "The cache is shared."];
    sandbox.oldhand(remember).run().success();
    let database = crate::database(&sandbox);
    let folder = database.parent().unwrap();
    let elsewhere = sandbox.root().join("elsewhere");
    fs::rename(folder, &elsewhere).unwrap();
    std::os::unix::fs::symlink(&elsewhere, folder).unwrap();
    let remove = ["forget", "--whole-project", "project", "--yes"];
    let removed = sandbox.oldhand(remove).run();
    assert_eq!(removed.code, Some(0), "{removed}");
    let told = format!("what it led to stays: {}", elsewhere.display());
    assert!(
        sandbox
            .without_paths(&removed.stderr)
            .contains(&sandbox.without_paths(&told)),
        "{removed}"
    );
    assert!(elsewhere.exists() && !folder.exists());
}
