//! Which file small commits change that add a file of some kind.

use super::super::entered::{are_most, entered};
use super::super::fixture::Fixture;
use super::read_all;

const DAY: i64 = 86_400;

/// Commits one after the other, each a day later; each writes these files.
fn commits(repo: &Fixture, each: &[&[&str]]) {
    for (at, files) in each.iter().enumerate() {
        for file in *files {
            repo.write(file, &format!("{at} of {files:?}\n"));
        }
        repo.commit("Go on");
        repo.wait(DAY);
    }
}

/// What is told of one kind and its register: commits that added one, those that changed it too, and the files there are.
fn told(repo: &Fixture, kind: &str) -> Option<(usize, usize, usize)> {
    let found = entered(&read_all(repo));
    let one = found
        .iter()
        .find(|one| one.kind.as_str() == kind && one.register == "list.json")?;
    Some((one.added, one.changed, one.files.len()))
}

#[test]
fn five_commits_two_thirds_of_them_and_two_of_the_latest_show_it() {
    let begin: &[&str] = &["list.json", "README.md"];
    let a = [
        "t/test-a.py",
        "t/test-b.py",
        "t/test-c.py",
        "t/test-d.py",
        "t/test-e.py",
        "t/test-f.py",
    ];
    let with = |name: &'static str| [name, "list.json"];
    let both: Vec<[&str; 2]> = a.into_iter().map(with).collect();
    let alone: Vec<[&str; 1]> = a.into_iter().map(|name| [name]).collect();
    let is_with = |marks: &str| -> Option<(usize, usize, usize)> {
        let repo = Fixture::new();
        let mut all: Vec<&[&str]> = vec![begin];
        for (at, mark) in marks.chars().enumerate() {
            all.push(if mark == '+' { &both[at] } else { &alone[at] });
        }
        commits(&repo, &all);
        told(&repo, "t/test-*.py")
    };
    for (marks, expected) in [
        ("+++++", Some((5, 5, 5))),
        ("++++", None),
        ("-++-++", Some((6, 4, 6))),
        ("--+-++", None),
        ("++++--", None),
        ("++-+-+", Some((6, 4, 6))),
        ("+++-+-", None),
    ] {
        assert_eq!(is_with(marks), expected, "{marks}");
    }
}

#[test]
fn commits_of_two_days_may_be_one_piece_of_work() {
    for (wait, expected) in [(0, None), (DAY, Some((5, 5, 5)))] {
        let repo = Fixture::new();
        commits(&repo, &[&["list.json"]]);
        for name in ["a", "b", "c", "d", "e"] {
            repo.write(&format!("t/{name}.py"), name);
            repo.write("list.json", name);
            repo.commit("Add one");
            repo.wait(wait);
        }
        assert_eq!(told(&repo, "t/*.py"), expected);
    }
}

#[test]
fn what_was_moved_in_under_another_name_was_not_added() {
    let repo = Fixture::new();
    commits(&repo, &[&["list.json"]]);
    for name in ["a", "b", "c", "d"] {
        commits(&repo, &[&[&format!("t/test-{name}.py"), "list.json"]]);
    }
    repo.write("other.py", "a line\nanother\nand a third\n");
    repo.write("list.json", "other\n");
    repo.commit("Add another");
    repo.git(&["mv", "other.py", "t/test-e.py"]);
    repo.commit("Move it");
    assert_eq!(told(&repo, "t/test-*.py"), None);
    commits(&repo, &[&["t/test-f.py", "list.json"]]);
    assert_eq!(told(&repo, "t/test-*.py"), Some((5, 5, 6)));
}

#[test]
fn sweeps_and_what_came_before_the_register_say_nothing() {
    let repo = Fixture::new();
    commits(&repo, &[&["README.md"], &["t/a.py"]]);
    let crowd: Vec<String> = (0..31).map(|at| format!("crowd/{at}.txt")).collect();
    for file in &crowd {
        repo.write(file, "crowd\n");
    }
    repo.write("t/b.py", "b\n");
    repo.commit("Bring everything");
    commits(&repo, &[&["list.json"]]);
    for name in ["c", "d", "e", "f", "g"] {
        commits(&repo, &[&[&format!("t/{name}.py"), "list.json"]]);
    }
    assert_eq!(told(&repo, "t/*.py"), Some((5, 5, 7)));
}

#[test]
fn a_kind_may_be_one_file_in_each_folder() {
    let repo = Fixture::new();
    commits(&repo, &[&["list.json"]]);
    for name in ["a", "b", "c", "d", "e"] {
        commits(&repo, &[&[&format!("skills/{name}/SKILL.md"), "list.json"]]);
    }
    assert_eq!(told(&repo, "skills/*/SKILL.md"), Some((5, 5, 5)));
}

#[test]
fn four_of_six_are_most_and_three_of_five_are_not() {
    assert!(are_most(4, 6) && are_most(2, 3));
    assert!(!are_most(3, 5) && !are_most(5, 8));
}
