//! What is left of a file that somebody knew.

use super::super::fixture::Fixture;
use super::super::log::History;
use super::super::standing::{KnownThen, Standing, standing};
use super::read_all;

fn ask(repo: &Fixture, history: &History, path: &str, at: i64) -> Option<Standing> {
    let then = KnownThen {
        path: path.to_owned(),
        at,
    };
    standing(repo.path(), history, &[then])[0]
}

fn time_of(repo: &Fixture, commit: &str) -> i64 {
    let time = repo.git(&["show", "-s", "--format=%ct", commit]);
    time.parse().unwrap()
}

const DAYS: i64 = 30 * 86_400;

#[test]
fn what_was_rewritten_since_is_told_as_a_share_through_renames() {
    let repo = Fixture::new();
    let text = "one\ntwo\nthree\nfour\n";
    repo.write("a.rs", text).write("b.rs", text);
    let first = time_of(&repo, &repo.commit("start"));
    repo.wait(DAYS);
    repo.git(&["mv", "a.rs", "core.rs"]);
    repo.commit("move");
    repo.write("core.rs", "one\n2\n3\n4\nfive\n").commit("work");
    repo.write("core.rs", "one\n2\n3\n4\nfive\nsix\n");
    let last = time_of(&repo, &repo.commit("more work"));
    let history = read_all(&repo);
    let then = ask(&repo, &history, "core.rs", first).unwrap();
    assert!((then.share - 0.25).abs() < 1e-6, "{then:?}");
    assert_eq!(then.changes, 3);
    let untouched = ask(&repo, &history, "b.rs", first).unwrap();
    assert!((untouched.share - 1.0).abs() < 1e-6);
    assert_eq!(untouched.changes, 0);
    let known_now = ask(&repo, &history, "core.rs", last).unwrap();
    assert!((known_now.share - 1.0).abs() < 1e-6);
}

#[test]
fn work_that_is_committed_soon_after_was_known() {
    let repo = Fixture::new();
    repo.write("a.rs", "one\ntwo\n");
    let first = time_of(&repo, &repo.commit("start"));
    repo.write("a.rs", "other\nwords\n")
        .commit("what was at hand");
    let history = read_all(&repo);
    let found = ask(&repo, &history, "a.rs", first + 60).unwrap();
    assert!((found.share - 1.0).abs() < 1e-6, "{found:?}");
    assert_eq!(found.changes, 0);
}

#[test]
fn nobody_can_say_what_a_file_was_before_its_history_begins_or_after_it_is_gone() {
    let repo = Fixture::new();
    repo.write("a.rs", "one\n").write("b.rs", "b\n");
    let first = time_of(&repo, &repo.commit("start"));
    repo.wait(DAYS);
    repo.git(&["rm", "-q", "b.rs"]);
    repo.commit("remove");
    let history = read_all(&repo);
    assert_eq!(ask(&repo, &history, "a.rs", first - DAYS), None);
    assert_eq!(ask(&repo, &history, "b.rs", first), None);
    assert_eq!(ask(&repo, &history, "never.rs", first), None);
}

#[test]
fn what_another_worktree_keeps_still_stands() {
    let repo = Fixture::new();
    repo.write("a.rs", "one\ntwo\n");
    let first = time_of(&repo, &repo.commit("start"));
    let elsewhere = tempfile::tempdir().unwrap();
    let place = elsewhere.path().join("tree");
    repo.git(&[
        "worktree",
        "add",
        "-q",
        place.to_str().unwrap(),
        "-b",
        "old",
    ]);
    repo.wait(DAYS);
    repo.write("a.rs", "other\nwords\n").commit("work");
    let history = read_all(&repo);
    let found = ask(&repo, &history, "a.rs", first).unwrap();
    assert!((found.share - 1.0).abs() < 1e-6, "{found:?}");
}
