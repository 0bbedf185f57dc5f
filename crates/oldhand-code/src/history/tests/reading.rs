//! Real repositories read, cached and continued.

use std::ops::ControlFlow;

use super::super::Gap;
use super::super::coupled::coupled;
use super::super::facts::{
    co_changes, current_path, file_facts, fix_chains, fragile_files, hot_spots, is_gone, reversals,
};
use super::super::fixture::{Fixture, write_file};
use super::super::log::{History, RevertEvidence};
use super::super::read::{ReadOptions, read};
use super::{continue_from, names, read_all};

#[test]
fn counts_follow_a_file_through_its_renames() {
    let repo = Fixture::new();
    let text = "one\ntwo\nthree\nfour\n";
    repo.write("a.rs", text)
        .write("b.rs", "b\n")
        .commit("start");
    repo.write("a.rs", &text.replace("two", "2"))
        .write("b.rs", "bb\n")
        .commit("work");
    repo.git(&["mv", "a.rs", "core.rs"]);
    repo.commit("move");
    repo.git(&["mv", "core.rs", "kernel.rs"]);
    repo.write("kernel.rs", "one\n2\nthree\nfour\nfive\n")
        .commit("move and change");
    let history = read_all(&repo);
    assert_eq!(history.gaps(), []);
    assert_eq!(current_path(&history, "a.rs"), Some("kernel.rs"));
    let facts = file_facts(&history);
    let kernel = facts.iter().find(|it| it.path == "kernel.rs").unwrap();
    assert_eq!(
        (kernel.commits, kernel.former_paths.join(" ")),
        (4, "a.rs core.rs".to_owned())
    );
    assert_eq!(kernel.owner(), Some(("Ada", 1.0)));
    assert_eq!(names(&history, "kernel.rs", 1), ["b.rs"]);
    assert_eq!(facts.len(), 2);
}

#[test]
fn a_path_taken_again_is_a_new_file() {
    let repo = Fixture::new();
    repo.write("a.rs", "one\ntwo\nthree\n").commit("start");
    repo.git(&["mv", "a.rs", "b.rs"]);
    repo.commit("move");
    repo.write("a.rs", "something else\n").commit("again");
    let history = read_all(&repo);
    let facts = file_facts(&history);
    assert_eq!(
        facts
            .iter()
            .map(|it| (it.path.as_str(), it.commits))
            .collect::<Vec<_>>(),
        [("a.rs", 1), ("b.rs", 2)]
    );
}

#[test]
fn a_file_that_moved_and_left_a_part_behind_keeps_its_past_in_both() {
    let repo = Fixture::new();
    repo.write("app.rs", "one\ntwo\nthree\n")
        .write("b.rs", "1\n")
        .commit("start");
    repo.write("app.rs", "one\ntwo\nthree\nfour\n")
        .write("b.rs", "2\n")
        .commit("work");
    std::fs::create_dir(repo.path().join("core")).unwrap();
    repo.git(&["mv", "app.rs", "core/app.rs"]);
    repo.commit("move");
    repo.write("core/app.rs", "one\ntwo\n")
        .write("app.rs", "three\nfour\n")
        .commit("give back a part");
    let history = read_all(&repo);
    let counts: Vec<_> = file_facts(&history)
        .into_iter()
        .map(|it| (it.path, it.commits))
        .collect();
    let expected = [("app.rs", 4), ("b.rs", 2), ("core/app.rs", 4)];
    assert_eq!(
        counts,
        expected.map(|(path, commits)| (path.to_owned(), commits))
    );
    let mut times: Vec<_> = co_changes(&history, 1, 10)
        .into_iter()
        .map(|it| (it.a, it.b, it.times))
        .collect();
    times.sort();
    let expected = [
        ("app.rs", "b.rs", 2),
        ("app.rs", "core/app.rs", 1),
        ("b.rs", "core/app.rs", 2),
    ];
    assert_eq!(
        times,
        expected.map(|(a, b, times)| (a.to_owned(), b.to_owned(), times))
    );
}

#[test]
fn reverts_are_found_by_message_and_by_content() {
    let repo = Fixture::new();
    repo.write("a.rs", "one\n").commit("start");
    let bad = repo.write("a.rs", "two\n").commit("try two");
    repo.git(&["revert", "--no-edit", "HEAD"]);
    let worse = repo.write("a.rs", "three\n").commit("try three");
    repo.write("a.rs", "one\n").commit("back to where we were");
    let found = reversals(&read_all(&repo));
    let told: Vec<_> = found
        .iter()
        .map(|it| {
            (
                it.of.as_ref().map(|of| of.id.clone()),
                it.evidence,
                it.paths.join(" "),
            )
        })
        .collect();
    assert_eq!(
        told,
        [
            (
                Some(bad[..16].to_owned()),
                RevertEvidence::Message,
                "a.rs".to_owned()
            ),
            (
                Some(worse[..16].to_owned()),
                RevertEvidence::Content,
                "a.rs".to_owned()
            ),
        ]
    );
}

#[test]
fn fixes_that_are_released_at_once_are_no_fixes_of_the_manifest() {
    let repo = Fixture::new();
    let manifest = |patch: u32| format!("name = \"heron\"\nversion = \"0.4.{patch}\"\n");
    repo.write("a.rs", "one\n")
        .write("heron.toml", &manifest(0))
        .commit("start");
    for patch in 1..6 {
        repo.write("a.rs", &format!("one {patch}\n"))
            .write("heron.toml", &manifest(patch))
            .commit("fix: the count of one");
    }
    let fragile = fragile_files(&read_all(&repo), 2);
    assert_eq!(
        fragile.into_iter().collect::<Vec<_>>(),
        [("a.rs".to_owned(), 5)]
    );
}

#[test]
fn a_fix_of_a_fix_is_a_chain_and_a_hot_spot() {
    let repo = Fixture::new();
    repo.write("a.rs", "one\ntwo\n")
        .write("b.rs", "b\n")
        .commit("start");
    repo.write("a.rs", "one\ntwo checked\n")
        .commit("fix: check two");
    repo.write("a.rs", "one\ntwo checked twice\n")
        .commit("fix the check of two");
    repo.write("a.rs", "one\ntwo checked twice\nlast\n")
        .commit("Fix crash at the end");
    repo.write("b.rs", "bb\n").commit("Polish b");
    let history = read_all(&repo);
    let chains = fix_chains(&history);
    assert_eq!(chains.len(), 1);
    assert_eq!(
        (
            chains[0].path.as_str(),
            chains[0].fixes.len(),
            chains[0].same_lines
        ),
        ("a.rs", 3, true)
    );
    // The second fix took back lines of the first, the third did not.
    assert_eq!(
        fragile_files(&history, 2).into_iter().collect::<Vec<_>>(),
        [("a.rs".to_owned(), 2)]
    );
    assert!(fragile_files(&history, 3).is_empty());
    let spots = hot_spots(&history, 5);
    assert_eq!(
        spots
            .iter()
            .map(|it| (it.path.as_str(), it.fixes))
            .collect::<Vec<_>>(),
        [("a.rs", 3)]
    );
}

#[test]
fn reading_on_is_the_same_as_reading_at_once() {
    let repo = Fixture::new();
    repo.write("a.rs", "1\n")
        .write("b.rs", "1\n")
        .commit("start");
    repo.write("a.rs", "2\n").commit("fix a");
    let early = read_all(&repo).to_bytes();
    repo.git(&["checkout", "-q", "-b", "side"]);
    repo.write("b.rs", "2\n").commit("side work");
    repo.git(&["checkout", "-q", "main"]);
    repo.write("a.rs", "3\n").commit("fix a again");
    repo.git(&["merge", "-q", "--no-ff", "-m", "join", "side"]);
    let continued = continue_from(&repo, History::from_bytes(&early));
    let at_once = read_all(&repo);
    assert_eq!(continued.to_bytes(), at_once.to_bytes());
    assert_eq!(
        continue_from(&repo, Some(continued)).commit_count(),
        at_once.commit_count()
    );
}

#[test]
fn a_rewritten_branch_does_not_count_twice() {
    let repo = Fixture::new();
    repo.write("a.rs", "1\n").commit("start");
    repo.write("a.rs", "2\n").commit("to be replaced");
    let known = read_all(&repo);
    repo.git(&["reset", "-q", "--hard", "HEAD~1"]);
    repo.write("c.rs", "1\n").commit("instead");
    let history = continue_from(&repo, Some(known));
    assert_eq!(history.commit_count(), 3);
    assert_eq!(
        file_facts(&history)
            .iter()
            .map(|it| it.path.as_str())
            .collect::<Vec<_>>(),
        ["a.rs", "c.rs"]
    );
}

#[test]
fn bytes_give_back_the_same_history_and_nonsense_is_refused() {
    let repo = Fixture::new();
    repo.write("a.rs", "1\n")
        .write("b.rs", "1\n")
        .commit("start");
    repo.write("a.rs", "2\n").commit("fix a");
    repo.write("a.rs", "1\n").commit("fix a again");
    repo.git(&["mv", "b.rs", "c.rs"]);
    repo.commit("move");
    let history = read_all(&repo);
    let bytes = history.to_bytes();
    let again = History::from_bytes(&bytes).unwrap();
    assert_eq!(again.to_bytes(), bytes);
    assert_eq!(coupled(&again, "a.rs", 5), coupled(&history, "a.rs", 5));
    for length in 0..bytes.len() {
        assert!(
            History::from_bytes(&bytes[..length]).is_none(),
            "cut at {length}"
        );
    }
    for at in 0..bytes.len() {
        let mut broken = bytes.clone();
        broken[at] ^= 0x55;
        if let Some(history) = History::from_bytes(&broken) {
            coupled(&history, "a.rs", 5);
            file_facts(&history);
        }
    }
}

#[test]
fn a_shallow_clone_says_so_and_knows_its_files() {
    let origin = Fixture::new();
    origin
        .write("a.rs", "1\n")
        .write("b.rs", "1\n")
        .commit("one");
    origin
        .write("a.rs", "2\n")
        .write("b.rs", "2\n")
        .commit("two");
    origin
        .write("a.rs", "3\n")
        .write("b.rs", "3\n")
        .commit("three");
    let shallow = origin.clone_with(&["--depth", "2"]);
    let history = read_all(&shallow);
    assert_eq!(history.gaps(), [Gap::Shallow]);
    let facts = file_facts(&history);
    assert_eq!(
        facts
            .iter()
            .map(|it| (it.path.as_str(), it.commits))
            .collect::<Vec<_>>(),
        [("a.rs", 1), ("b.rs", 1)]
    );
}

#[test]
fn no_repository_and_no_commit_are_empty_histories_that_say_why() {
    let folder = tempfile::tempdir().unwrap();
    let mut progress = |_| ControlFlow::Continue(());
    let history = read(
        folder.path(),
        None,
        ReadOptions {
            commit_limit: 10,
            progress: &mut progress,
        },
    );
    assert_eq!(
        (history.commit_count(), history.gaps()),
        (0, &[Gap::NoRepository][..])
    );
    assert_eq!(read_all(&Fixture::new()).gaps(), [Gap::Unborn]);
}

#[test]
fn submodules_are_named_not_read() {
    let inner = Fixture::new();
    inner.write("x.rs", "1\n").commit("inner");
    let outer = Fixture::new();
    let source = inner.path().to_str().unwrap().to_owned();
    outer.git(&[
        "-c",
        "protocol.file.allow=always",
        "submodule",
        "--quiet",
        "add",
        &source,
        "inner",
    ]);
    outer.write("a.rs", "1\n").commit("outer");
    let history = read_all(&outer);
    assert_eq!(history.gaps(), [Gap::Submodules { count: 1 }]);
    assert_eq!(
        file_facts(&history)
            .iter()
            .map(|it| it.path.as_str())
            .collect::<Vec<_>>(),
        [".gitmodules", "a.rs"]
    );
}

#[test]
fn a_bare_hub_and_its_worktrees_are_read() {
    let origin = Fixture::new();
    origin.write("a.rs", "1\n").commit("one");
    let hub = tempfile::tempdir().unwrap();
    let bare = hub.path().join(".bare");
    origin.git(&["clone", "-q", "--bare", ".", bare.to_str().unwrap()]);
    write_file(&hub.path().join(".git"), "gitdir: ./.bare\n");
    let worktree = hub.path().join("tree");
    origin.git(&[
        "-C",
        bare.to_str().unwrap(),
        "worktree",
        "add",
        "-q",
        worktree.to_str().unwrap(),
        "main",
    ]);
    for path in [hub.path(), &worktree] {
        let mut progress = |_| ControlFlow::Continue(());
        let history = read(
            path,
            None,
            ReadOptions {
                commit_limit: 10,
                progress: &mut progress,
            },
        );
        assert_eq!(
            (history.commit_count(), history.gaps()),
            (1, &[][..]),
            "{}",
            path.display()
        );
    }
}

#[test]
fn a_limit_or_a_spent_budget_keeps_the_newest() {
    let repo = Fixture::new();
    for step in 0..5 {
        repo.write(&format!("f{step}.rs"), "1\n").commit("step");
    }
    let mut go_on = |_| ControlFlow::Continue(());
    let limited = read(
        repo.path(),
        None,
        ReadOptions {
            commit_limit: 2,
            progress: &mut go_on,
        },
    );
    assert_eq!(
        (limited.commit_count(), limited.gaps()),
        (2, &[Gap::Capped { commits: 2 }][..])
    );
    let mut seen = Vec::new();
    let mut stop = |read| {
        seen.push(read);
        if read == 3 {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    };
    let stopped = read(
        repo.path(),
        None,
        ReadOptions {
            commit_limit: 10,
            progress: &mut stop,
        },
    );
    assert_eq!(
        (stopped.commit_count(), stopped.gaps()),
        (3, &[Gap::Capped { commits: 3 }][..])
    );
    assert_eq!(seen, [0, 1, 2, 3]);
    let newest = file_facts(&stopped)
        .into_iter()
        .filter(|it| it.commits > 0)
        .map(|it| it.path);
    assert_eq!(newest.collect::<Vec<_>>(), ["f2.rs", "f3.rs", "f4.rs"]);
}

#[test]
fn what_is_gone_or_lies_elsewhere_is_known() {
    let repo = Fixture::new();
    for n in 0..3 {
        repo.write("a.rs", &format!("{n}\n"))
            .write("b.rs", &format!("{n}\n"))
            .commit("both");
    }
    repo.write("a.rs", "alone\n").commit("one");
    repo.write("old.rs", "a long text of its own\n")
        .commit("old");
    repo.git(&["mv", "old.rs", "new.rs"]);
    repo.commit("move");
    repo.git(&["rm", "-q", "b.rs"]);
    repo.commit("remove");
    let history = read_all(&repo);
    let gone = ["a.rs", "b.rs", "old.rs", "new.rs", "never.rs"].map(|path| is_gone(&history, path));
    assert_eq!(gone, [false, true, true, false, false]);
}
