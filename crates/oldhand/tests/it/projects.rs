//! Which folders share a memory, and how a moved repository is recognised.

use std::fs;
use std::thread;

use oldhand_testkit::Sandbox;

use crate::{assert_transcript, repository, sandbox};

fn projects(sandbox: &Sandbox) -> usize {
    let list = fs::read_to_string(sandbox.home().join("projects.toml"));
    let list = list.expect("something was taught");
    list.matches("[[project]]").count()
}

pub(crate) fn finds(sandbox: &Sandbox, folder: &str, words: &str) -> bool {
    let outcome = sandbox.oldhand(["search", words]).inside(folder).run();
    outcome.code == Some(0)
}

#[test]
fn worktrees_and_subfolders_share_one_memory() {
    let sandbox = repository();
    sandbox.write("src/deep/a.rs", "");
    let tree = sandbox.root().join("tree");
    let into = tree.to_string_lossy().into_owned();
    sandbox.git(&sandbox.project(), ["worktree", "add", "--quiet", &into]);
    let remember = ["remember", "The cache is shared.", "--file", "a.rs"];
    sandbox.oldhand(remember).inside("src/deep").run().success();
    assert!(finds(&sandbox, "src", "cache"));
    assert!(finds(&sandbox, "../tree", "cache"));
    assert!(finds(&sandbox, ".git", "cache"));
    let listed = sandbox.oldhand(["list", "--json"]).run().success();
    assert!(listed.contains(r#""files":["src/deep/a.rs"]"#), "{listed}");
    assert!(listed.contains(r#""branch":"main""#), "{listed}");
    assert_eq!(projects(&sandbox), 1);
}

#[test]
fn a_project_is_named_from_elsewhere() {
    let sandbox = repository();
    let project = sandbox.project().to_string_lossy().into_owned();
    let elsewhere = sandbox.user_home();
    let arguments = ["remember", "The cache is shared.", "--project", &project];
    sandbox
        .oldhand(arguments)
        .inside(&elsewhere)
        .run()
        .success();
    assert!(finds(&sandbox, ".", "cache"));
    assert_eq!(
        sandbox.oldhand(["list"]).inside(&elsewhere).run().code,
        Some(1)
    );
}

#[test]
fn two_repositories_of_one_name_are_two_projects() {
    let sandbox = sandbox();
    for folder in ["a/api", "b/api"] {
        let folder = sandbox.project().join(folder);
        sandbox.make_repository(&folder);
        sandbox.write("unused", "");
        fs::write(folder.join("name"), folder.to_string_lossy().as_bytes()).unwrap();
        sandbox.git(&folder, ["add", "."]);
        // Another root commit makes it another project.
        sandbox.git(
            &folder,
            ["commit", "--quiet", "--amend", "-m", "Begin elsewhere"],
        );
        sandbox
            .oldhand(["remember", "The cache is shared."])
            .inside(&folder)
            .run()
            .success();
    }
    assert_eq!(projects(&sandbox), 2);
}

#[test]
fn twenty_first_uses_at_once_make_one_project() {
    let sandbox = repository();
    thread::scope(|scope| {
        let first_uses: Vec<_> = (0..20)
            .map(|n| {
                let sandbox = &sandbox;
                scope.spawn(move || {
                    let text = format!("Service {n} listens on port {}", 20_000 + n);
                    sandbox
                        .oldhand(["remember", &text, "--type", "gotcha"])
                        .run()
                })
            })
            .collect();
        for first_use in first_uses {
            let outcome = first_use.join().unwrap();
            assert_eq!(outcome.code, Some(0), "{outcome}");
        }
    });
    assert_eq!(projects(&sandbox), 1);
    let listed = sandbox.oldhand(["export"]).run().success();
    assert_eq!(listed.lines().count(), 20);
}

#[test]
fn a_moved_repository_is_offered_as_the_project_it_was() {
    let sandbox = repository();
    sandbox
        .oldhand(["remember", "The cache is shared."])
        .run()
        .success();
    let moved = sandbox.root().join("moved");
    fs::rename(sandbox.project(), &moved).unwrap();
    fs::create_dir(sandbox.project()).unwrap();
    assert_transcript!(sandbox.oldhand(["init"]).inside("../moved"));
    let join = ["init", "--same-as", "project", "--json"];
    let outcome = sandbox.oldhand(join).inside("../moved").run().success();
    assert!(outcome.contains(r#""outcome":"merged""#), "{outcome}");
    assert!(finds(&sandbox, "../moved", "cache"));
    assert_eq!(projects(&sandbox), 1);
}

#[test]
fn a_clone_joins_before_and_after_it_has_memories_of_its_own() {
    let sandbox = repository();
    sandbox
        .oldhand(["remember", "The cache is shared."])
        .run()
        .success();
    let from = sandbox.project().to_string_lossy().into_owned();
    for (name, teaches) in [("clone-a", false), ("clone-b", true)] {
        sandbox.git(sandbox.root(), ["clone", "--quiet", &from, name]);
        let folder = format!("../{name}");
        if teaches {
            let text = "Port 8080 is taken by the proxy.";
            let outcome = sandbox.oldhand(["remember", text]).inside(&folder).run();
            assert!(
                outcome.stderr.contains("oldhand init --same-as project-"),
                "{outcome}"
            );
        }
        if teaches {
            let project = fs::read_dir(sandbox.home().join("projects")).unwrap();
            let mut projects = project.map(|entry| entry.unwrap().path());
            let clone = projects.find(|path| path.to_string_lossy().contains("clone-b"));
            let journal = clone.expect("it was just taught").join("journal/imported");
            fs::create_dir_all(&journal).unwrap();
            fs::write(journal.join("s1.jsonl"), "{}\n").unwrap();
        }
        let join = ["init", "--same-as", "project"];
        sandbox.oldhand(join).inside(&folder).run().success();
        assert!(finds(&sandbox, &folder, "cache"));
    }
    assert!(finds(&sandbox, ".", "proxy"));
    assert_eq!(projects(&sandbox), 1);
    let directories = fs::read_dir(sandbox.home().join("projects")).unwrap();
    assert_eq!(directories.count(), 1);
    let kept = crate::database(&sandbox).with_file_name("journal/imported/s1.jsonl");
    assert!(kept.exists());
}

#[test]
fn a_folder_without_git_is_one_project_from_any_subfolder() {
    let sandbox = sandbox();
    sandbox.write("a/b/c.txt", "");
    sandbox
        .oldhand(["remember", "The cache is shared."])
        .run()
        .success();
    assert!(finds(&sandbox, "a/b", "cache"));
    sandbox
        .oldhand(["remember", "Port 8080 is taken."])
        .inside("a")
        .run()
        .success();
    assert_eq!(projects(&sandbox), 1);
}

#[test]
fn another_repository_at_a_known_place_is_told_and_can_be_separated() {
    let sandbox = repository();
    sandbox.oldhand(["init"]).run().success();
    sandbox
        .oldhand(["remember", "The cache is shared."])
        .run()
        .success();
    fs::remove_dir_all(sandbox.project().join(".git")).unwrap();
    sandbox.git(&sandbox.project(), ["init", "--quiet"]);
    let begin = ["commit", "--quiet", "--allow-empty", "-m", "Begin anew"];
    sandbox.git(&sandbox.project(), begin);
    let outcome = sandbox.oldhand(["init"]).run();
    assert!(outcome.stderr.contains("with another history"), "{outcome}");
    assert!(finds(&sandbox, ".", "cache"));
    sandbox.oldhand(["init", "--separate"]).run().success();
    assert!(!finds(&sandbox, ".", "cache"));
    assert_eq!(projects(&sandbox), 2);
}

#[test]
fn a_repository_without_commits_is_recognised_once_it_has_some() {
    let sandbox = sandbox();
    sandbox.git(&sandbox.project(), ["init", "--quiet"]);
    sandbox
        .oldhand(["remember", "The cache is shared."])
        .run()
        .success();
    sandbox.git(
        &sandbox.project(),
        ["commit", "--quiet", "--allow-empty", "-m", "Begin"],
    );
    sandbox.oldhand(["init"]).run().success();
    let moved = sandbox.root().join("moved");
    fs::rename(sandbox.project(), &moved).unwrap();
    fs::create_dir(sandbox.project()).unwrap();
    let outcome = sandbox.oldhand(["init"]).inside("../moved").run();
    assert!(outcome.stderr.contains("--same-as"), "{outcome}");
}

#[test]
fn what_is_personal_follows_and_makes_no_project() {
    let sandbox = repository();
    let remember = ["remember", "--personal", "I prefer small commits."];
    sandbox.oldhand(remember).run().success();
    assert!(!sandbox.home().join("projects.toml").exists());
    let elsewhere = sandbox.root().join("elsewhere");
    fs::create_dir(&elsewhere).unwrap();
    assert!(finds(&sandbox, "../elsewhere", "commits"));
    let id = crate::id_of(&sandbox, "commits");
    let pin = sandbox.oldhand(["pin", &id]).inside("../elsewhere");
    assert!(pin.run().success().contains("personal · pinned"));
}

#[test]
fn whoever_looks_into_a_new_clone_is_told_of_the_known_one() {
    let sandbox = repository();
    sandbox
        .oldhand(["remember", "Port 8080 is taken."])
        .run()
        .success();
    let from = sandbox.project().to_string_lossy().into_owned();
    let clone = sandbox.root().join("again");
    let into = clone.to_string_lossy().into_owned();
    sandbox.git(sandbox.root(), ["clone", "--quiet", &from, &into]);
    for command in [
        &["list"][..],
        &["status"],
        &["search", "port"],
        &["show", "12345678"],
    ] {
        let outcome = sandbox.oldhand(command).inside(&clone).run();
        let told = "note: this is another clone of project";
        assert!(outcome.stderr.contains(told), "{outcome}");
        assert!(outcome.stderr.contains("init --same-as"), "{outcome}");
    }
}

#[test]
fn a_folder_that_becomes_a_repository_is_the_project_it_was() {
    let sandbox = sandbox();
    let remember = |text: &str| sandbox.oldhand(["remember", text]).run().success();
    remember("The cache is shared.");
    let project = sandbox.project();
    sandbox.git(&project, ["init", "--quiet"]);
    assert!(finds(&sandbox, ".", "cache"));
    let begin = ["commit", "--quiet", "--allow-empty", "-m", "Begin"];
    sandbox.git(&project, begin);
    assert!(finds(&sandbox, ".", "cache"));
    let tree = sandbox.root().join("tree");
    let into = tree.to_string_lossy().into_owned();
    sandbox.git(&project, ["worktree", "add", "--quiet", &into]);
    assert!(finds(&sandbox, "../tree", "cache"));
    remember("Port 8080 is taken.");
    assert_eq!(projects(&sandbox), 1);
    // Its history was written down with the last memory, so that it can be recognised elsewhere.
    let moved = sandbox.root().join("moved");
    fs::rename(&project, &moved).unwrap();
    fs::create_dir(&project).unwrap();
    let outcome = sandbox.oldhand(["status"]).inside("../moved").run();
    let told = "this looks like project project";
    assert!(outcome.stderr.contains(told), "{outcome}");
}

#[test]
fn a_folder_that_became_a_repository_can_join_and_leave() {
    let sandbox = sandbox();
    let remember = ["remember", "The cache is shared."];
    sandbox.oldhand(remember).run().success();
    let other = sandbox.root().join("other");
    fs::create_dir(&other).unwrap();
    let text = ["remember", "Port 8080 is taken."];
    sandbox.oldhand(text).inside(&other).run().success();
    sandbox.git(&sandbox.project(), ["init", "--quiet"]);
    let join = ["init", "--same-as", "other"];
    sandbox.oldhand(join).run().success();
    assert_eq!(projects(&sandbox), 1);
    assert!(finds(&sandbox, "../other", "cache") && finds(&sandbox, ".", "port"));
    sandbox.oldhand(["init", "--separate"]).run().success();
    assert_eq!(projects(&sandbox), 2);
    assert!(!finds(&sandbox, ".", "cache"));
}

#[test]
fn a_repository_that_came_from_elsewhere_into_a_known_folder_is_only_offered() {
    let sandbox = repository();
    let from = sandbox.project().to_string_lossy().into_owned();
    let folder = sandbox.root().join("folder");
    fs::create_dir(&folder).unwrap();
    let remember = ["remember", "The cache is shared."];
    sandbox.oldhand(remember).inside(&folder).run().success();
    sandbox.git(&folder, ["clone", "--quiet", &from, "."]);
    assert!(!finds(&sandbox, "../folder", "cache"));
    let outcome = sandbox.oldhand(["list"]).inside(&folder).run();
    let told = "note: this folder was project folder before a repository came into it";
    assert!(outcome.stderr.contains(told), "{outcome}");
    assert!(
        outcome.stderr.contains("init --same-as folder-"),
        "{outcome}"
    );
}

#[test]
fn the_first_commits_of_a_known_repository_are_learned_in_passing() {
    let sandbox = sandbox();
    let project = sandbox.project();
    sandbox.git(&project, ["init", "--quiet"]);
    let remember = |text: &str| sandbox.oldhand(["remember", text]).run().success();
    remember("The cache is shared.");
    let begin = ["commit", "--quiet", "--allow-empty", "-m", "Begin"];
    sandbox.git(&project, begin);
    remember("Port 8080 is taken.");
    let from = project.to_string_lossy().into_owned();
    sandbox.git(sandbox.root(), ["clone", "--quiet", &from, "again"]);
    let outcome = sandbox.oldhand(["list"]).inside("../again").run();
    assert!(
        outcome.stderr.contains("another clone of project project"),
        "{outcome}"
    );
}

#[test]
fn what_can_be_recognised_by_nothing_is_offered_by_its_whereabouts() {
    let sandbox = sandbox();
    let (old, new, unlike) = (
        sandbox.root().join("old/api"),
        sandbox.root().join("new/api"),
        sandbox.root().join("new/web"),
    );
    for folder in [&old, &new, &unlike] {
        fs::create_dir_all(folder).unwrap();
    }
    let remember = ["remember", "The cache is shared."];
    sandbox.oldhand(remember).inside(&old).run().success();
    let told = "note: this may be project api, which was at ";
    let list = |folder| sandbox.oldhand(["list"]).inside(folder).run().stderr;
    assert!(!list(&new).contains(told), "it is still there");
    fs::remove_dir_all(&old).unwrap();
    assert!(list(&new).contains(told));
    assert!(!list(&unlike).contains(told));
    let renamed = sandbox.root().join("old/service");
    fs::create_dir(&renamed).unwrap();
    assert!(list(&renamed).contains(told));
}

#[test]
fn a_home_is_no_project_unless_somebody_insists() {
    let sandbox = sandbox();
    let home = sandbox.user_home();
    for arguments in [
        &["remember", "Port 8080 is taken."][..],
        &["init", "--yes", "--no-agents"],
        &["init", "--dry-run"],
        &["where", "main"],
    ] {
        let outcome = sandbox.oldhand(arguments).inside(&home).run();
        assert_eq!(outcome.code, Some(2), "{outcome}");
        let told = "error: your home folder is not a project";
        assert!(outcome.stderr.contains(told), "{outcome}");
        assert!(outcome.stderr.contains("--personal"), "{outcome}");
        assert!(!sandbox.home().join("projects.toml").exists());
    }
    let root = sandbox.oldhand(["remember", "Port 8080 is taken."]);
    let outcome = root.inside("/").run();
    assert!(
        outcome.stderr.contains("the root of the file system"),
        "{outcome}"
    );
    let personal = ["remember", "--personal", "I prefer small commits."];
    sandbox.oldhand(personal).inside(&home).run().success();
    let insist = ["init", "--separate", "--no-agents"];
    sandbox.oldhand(insist).inside(&home).run().success();
    let remember = ["remember", "Port 8080 is taken."];
    sandbox.oldhand(remember).inside(&home).run().success();
    assert_eq!(projects(&sandbox), 1);
}

#[test]
fn a_home_folder_that_is_a_repository_is_a_project() {
    let sandbox = sandbox();
    let home = sandbox.user_home();
    sandbox.git(&home, ["init", "--quiet"]);
    let remember = ["remember", "Port 8080 is taken."];
    sandbox.oldhand(remember).inside(&home).run().success();
}

#[cfg(unix)]
#[test]
fn a_home_that_others_may_look_into_shows_them_nothing() {
    use std::os::unix::fs::PermissionsExt as _;
    let sandbox = repository();
    let open = fs::Permissions::from_mode(0o755);
    fs::set_permissions(sandbox.home(), open).unwrap();
    for arguments in [
        &["remember", "The cache is shared."][..],
        &["remember", "--personal", "I prefer small commits."],
        &["config", "set", "search.limit", "20"],
    ] {
        sandbox.oldhand(arguments).run().success();
    }
    for entry in fs::read_dir(sandbox.home()).unwrap() {
        let entry = entry.unwrap();
        let mode = entry.metadata().unwrap().permissions().mode();
        assert_eq!(mode & 0o077, 0, "{}", entry.path().display());
    }
}

#[test]
fn a_list_that_is_lost_or_damaged_is_made_anew_from_the_projects_themselves() {
    let sandbox = repository();
    sandbox
        .oldhand(["remember", "The cache is shared."])
        .run()
        .success();
    let list = sandbox.home().join("projects.toml");
    let was = fs::read_to_string(&list).unwrap();
    fs::remove_file(&list).unwrap();
    assert!(finds(&sandbox, ".", "cache"), "its folder says whose it is");
    let told = sandbox.oldhand(["doctor"]).run();
    assert_eq!(told.code, Some(2), "{told}");
    assert!(
        told.stdout.contains("the list is gone; 1 project found"),
        "{told}"
    );
    sandbox.oldhand(["doctor", "--repair"]).run().success();
    assert_eq!(fs::read_to_string(&list).unwrap(), was);

    fs::write(&list, [was.as_bytes(), b"\xff\xff"].concat()).unwrap();
    let refused = sandbox.oldhand(["search", "cache"]).run();
    assert!(
        refused
            .stderr
            .contains("`oldhand doctor --repair` makes it anew"),
        "{refused}"
    );
    let mended = sandbox.oldhand(["doctor", "--repair"]).run().success();
    assert!(mended.contains("in the list again: project-"), "{mended}");
    assert_eq!(fs::read_to_string(&list).unwrap(), was);
    assert!(sandbox.home().join("projects.toml-damaged-1").exists());
}

#[test]
fn a_project_whose_folder_says_nothing_is_offered_by_its_name() {
    let sandbox = repository();
    sandbox
        .oldhand(["remember", "The cache is shared."])
        .run()
        .success();
    let folder = crate::database(&sandbox).parent().unwrap().to_owned();
    fs::remove_file(sandbox.home().join("projects.toml")).unwrap();
    fs::remove_file(folder.join("project.toml")).unwrap();
    let told = sandbox.oldhand(["doctor"]).run();
    let words = told.words();
    assert!(words.contains("this may be project project"), "{told}");
    let name = folder.file_name().unwrap().to_str().unwrap().to_owned();
    sandbox
        .oldhand(["init", "--no-agents", "--same-as", &name])
        .run()
        .success();
    assert!(finds(&sandbox, ".", "cache"));
    assert_eq!(projects(&sandbox), 1);
}
