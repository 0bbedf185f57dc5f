//! Plain commits in, predictions and facts out.

use super::super::commit::{Change, ChangeKind, Commit};
use super::super::coupled::{Because, coupled};
use super::super::facts::{co_changes, current_path, file_facts};
use super::super::log::History;
use super::super::message::{Expected, Hint, files_for_message};
use super::names;

fn commit(time: i64, message: &str, paths: &[&str]) -> Commit {
    Commit {
        id: format!("{time:016x}"),
        time,
        author: "Ada".to_owned(),
        message: message.to_owned(),
        parents: 1,
        changes: paths
            .iter()
            .map(|path| Change::new(*path, ChangeKind::Modified))
            .collect(),
        changed_files: paths.len(),
    }
}

#[test]
fn what_changed_together_is_coupled_with_its_reason() {
    let mut commits = vec![commit(1, "start", &["a.rs", "b.rs", "c.rs", "d.rs"])];
    commits.extend((2..6).map(|time| commit(time * 86_400, "work", &["a.rs", "c.rs"])));
    let history = History::from_commits(commits);
    let found = coupled(&history, "a.rs", 3);
    assert_eq!(found[0].path, "c.rs");
    assert_eq!(
        found[0].because[0],
        Because::ChangedTogether {
            times: 5,
            of: 5,
            newest: 5 * 86_400
        }
    );
    assert!(
        found
            .windows(2)
            .all(|pair| pair[0].strength >= pair[1].strength)
    );
    assert!(
        found
            .iter()
            .all(|it| (0.0..=1.0).contains(&it.strength) && it.path != "a.rs")
    );
}

#[test]
fn large_commits_couple_where_they_are_how_people_work() {
    let squashed = |count: i64| {
        let small = (0..40).map(|time| commit(time * 86_400, "work", &["a.rs"]));
        let mut commits: Vec<Commit> = small.collect();
        commits.extend((0..count).map(|nth| {
            let mut many: Vec<String> = (0..48).map(|at| format!("{nth}/{at}.rs")).collect();
            many.extend(["a.rs".to_owned(), "b.rs".to_owned()]);
            let many: Vec<&str> = many.iter().map(String::as_str).collect();
            commit((50 + nth) * 86_400, "a whole branch", &many)
        }));
        History::from_commits(commits)
    };
    let counted = |history: &History| -> usize {
        let found = coupled(history, "a.rs", 500);
        let b = found.into_iter().find(|one| one.path == "b.rs");
        b.map_or(0, |b| match b.because.first() {
            Some(Because::ChangedTogether { times, .. }) => *times,
            _ => 0,
        })
    };
    assert_eq!(counted(&squashed(4)), 0);
    assert_eq!(counted(&squashed(5)), 5);
}

#[test]
fn a_sweep_couples_nothing_and_a_merge_counts_once() {
    let many: Vec<String> = (0..40).map(|at| format!("f{at:02}.rs")).collect();
    let many: Vec<&str> = many.iter().map(String::as_str).collect();
    let mut merge = commit(3, "Merge branch", &["f00.rs", "f01.rs"]);
    merge.parents = 2;
    let history = History::from_commits([
        commit(1, "sweep", &many),
        commit(2, "work", &["f00.rs", "f01.rs"]),
        merge,
    ]);
    let edges = co_changes(&history, 1, 100);
    assert_eq!(edges.len(), 1);
    assert_eq!(
        (edges[0].a.as_str(), edges[0].b.as_str(), edges[0].times),
        ("f00.rs", "f01.rs", 1)
    );
}

#[test]
fn prose_and_lock_files_leave_the_first_places_to_source() {
    let mut history = History::default();
    for day in 0..6 {
        let paths: &[&str] = if day % 2 == 0 {
            &["src/a.rs", "src/b.rs", "CHANGELOG.md", "Cargo.lock"]
        } else {
            &["src/a.rs", "CHANGELOG.md", "Cargo.lock"]
        };
        history.add(&commit(day * 86_400, "Work", paths));
    }
    let order = |asked: &str| -> Vec<String> {
        let found = coupled(&history, asked, 10);
        found.into_iter().map(|it| it.path).collect()
    };
    assert_eq!(order("src/a.rs")[0], "src/b.rs");
    assert_eq!(
        order("CHANGELOG.md")[2],
        "src/b.rs",
        "changes least with it"
    );
}

#[test]
fn newer_commits_weigh_more() {
    let year = 365 * 86_400;
    let history = History::from_commits([
        commit(0, "old way", &["a.rs", "old.rs"]),
        commit(6 * year, "new way", &["a.rs", "new.rs"]),
    ]);
    assert_eq!(names(&history, "a.rs", 2), ["new.rs", "old.rs"]);
}

#[test]
fn a_file_without_history_is_judged_by_its_name() {
    let history = History::from_commits([
        commit(
            1,
            "start",
            &["src/parser.rs", "src/lexer.rs", "docs/guide.md"],
        ),
        commit(2, "more", &["src/other.rs"]),
    ]);
    let found = coupled(&history, "tests/parser_test.rs", 1);
    assert_eq!(found[0].path, "src/parser.rs");
    assert!(found[0].because.contains(&Because::TestPair));
}

#[test]
fn nothing_known_answers_nothing() {
    let history = History::default();
    assert_eq!(coupled(&history, "a.rs", 5), []);
    assert_eq!(files_for_message(&history, "anything", 5), []);
    assert_eq!(
        files_for_message(&History::from_commits([commit(1, "x", &["a.rs"])]), "", 0),
        []
    );
}

#[test]
fn words_of_messages_and_paths_lead_to_files() {
    let history = History::from_commits([
        commit(1, "Refuse expired tokens at login", &["src/auth.rs"]),
        commit(2, "Draw the chart axis", &["src/chart.rs"]),
        commit(3, "Round corners", &["src/theme.rs"]),
    ]);
    let found = files_for_message(&history, "login fails with an expired token", 1);
    assert_eq!(found[0].path, "src/auth.rs");
    assert!(
        matches!(&found[0].because[0], Hint::SaidBefore(words) if words.contains(&"token".to_owned()))
    );
    let found = files_for_message(&history, "theme.rs is ugly", 1);
    assert_eq!(
        (found[0].path.as_str(), &found[0].because[0]),
        ("src/theme.rs", &Hint::Mentioned)
    );
}

#[test]
fn a_text_of_unknown_words_speaks_for_no_file() {
    let history = History::from_commits([
        commit(1, "Refuse expired tokens at login", &["src/auth.rs"]),
        commit(2, "Draw the chart axis", &["src/chart.rs"]),
    ]);
    let spoken_for = |text: &str| -> Vec<String> {
        let found = files_for_message(&history, text, 5).into_iter();
        found
            .filter(Expected::is_spoken_for)
            .map(|file| file.path)
            .collect()
    };
    assert!(spoken_for("espresso grinder").is_empty());
    assert_eq!(spoken_for("chart"), ["src/chart.rs"]);
}

#[test]
fn a_list_cut_short_still_moves_the_folder() {
    let paths = ["src/a.rs", "src/b.rs", "src/c.rs", "src/deep/d.rs"];
    let mut start = commit(1, "start", &paths);
    start
        .changes
        .iter_mut()
        .for_each(|change| change.kind = ChangeKind::Added);
    let mut moved = commit(
        2,
        "Move the crate",
        &["core/src/a.rs", "core/src/b.rs", "core/src/c.rs"],
    );
    moved
        .changes
        .iter_mut()
        .for_each(|change| change.kind = ChangeKind::Added);
    moved.changed_files = 80;
    let history = History::from_commits([start, moved]);
    assert_eq!(
        current_path(&history, "src/deep/d.rs"),
        Some("core/src/deep/d.rs")
    );
    assert_eq!(current_path(&history, "src/a.rs"), Some("core/src/a.rs"));
    assert_eq!(file_facts(&history).len(), 4);
}

#[test]
fn a_commit_that_names_a_file_twice_mends_it_once() {
    let history = History::from_commits([
        commit(1, "start", &["a.rs"]),
        commit(86_400, "fix: the first line", &["a.rs", "a.rs"]),
        commit(2 * 86_400, "fix: the first line again", &["a.rs"]),
    ]);
    let facts = &file_facts(&history)[0];
    assert_eq!(facts.repeated_fixes, 1);
}
