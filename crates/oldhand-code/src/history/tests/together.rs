//! What small commits say of files that change together.

use super::super::fixture::Fixture;
use super::super::together::{
    Apart, ChangedTogether, Lately, changed_of, changed_together, changed_with,
};
use super::read_all;

/// Does nothing but releases.
const BOT: &str = "releaser <releaser@example.com>";

fn write_all(repo: &Fixture, files: &[&str], text: &str) {
    for file in files {
        repo.write(file, &format!("{file} {text}\n"));
    }
    repo.commit(text);
}

fn count(both: usize, each: [usize; 2], all: usize) -> ChangedTogether {
    let lately = |of: usize| Lately {
        of: of.min(8),
        both: both.min(8),
    };
    ChangedTogether {
        both,
        days: both.min(1),
        each,
        all,
        lately: each.map(lately),
        apart: Apart::default(),
    }
}

#[test]
fn commits_are_counted_since_both_files_are_there() {
    let repo = Fixture::new();
    for n in 0..3 {
        write_all(&repo, &["a.rs"], &format!("before {n}"));
    }
    for n in 0..3 {
        write_all(&repo, &["a.rs", "b.rs"], &format!("both {n}"));
    }
    write_all(&repo, &["a.rs"], "alone");
    write_all(&repo, &["c.rs"], "another");
    let history = read_all(&repo);
    let apart = Apart {
        changes: 1,
        ..Apart::default()
    };
    let counted = |each| ChangedTogether {
        apart,
        ..count(2, each, 5)
    };
    let found = changed_together(&history, "a.rs", "b.rs");
    assert_eq!(found, Some(counted([3, 2])));
    let turned = changed_together(&history, "b.rs", "a.rs");
    assert_eq!(turned, Some(counted([2, 3])));
    assert_eq!(changed_together(&history, "a.rs", "never.rs"), None);
    repo.git(&["rm", "-q", "b.rs"]);
    repo.commit("remove");
    let history = read_all(&repo);
    assert_eq!(changed_together(&history, "a.rs", "b.rs"), None);
    assert_eq!(changed_with(&history, "a.rs", 9), Vec::<&str>::new());
}

#[test]
fn large_commits_say_nothing_of_anybodys_company() {
    let repo = Fixture::new();
    let crowd: Vec<String> = (0..16).map(|n| format!("crowd{n}.rs")).collect();
    let crowd: Vec<&str> = crowd.iter().map(String::as_str).collect();
    for n in 0..4 {
        write_all(&repo, &crowd, &format!("all of it {n}"));
    }
    write_all(&repo, &["crowd1.rs", "crowd2.rs"], "small");
    let history = read_all(&repo);
    let found = changed_together(&history, "crowd1.rs", "crowd2.rs");
    assert_eq!(found, Some(count(1, [1, 1], 1)));
    assert_eq!(changed_of(&history, &crowd), [2]);
}

#[test]
fn releases_of_who_does_nothing_else_say_nothing_of_anybodys_company() {
    let repo = Fixture::new();
    let both = ["news.md", "package.toml"];
    write_all(&repo, &both, "begin");
    for n in 0..4 {
        write_all(&repo, &both, &format!("chore: release v1.{n}.0"));
        repo.git(&["commit", "-q", "--amend", "--no-edit", "--author", BOT]);
    }
    let found = changed_together(&read_all(&repo), "news.md", "package.toml");
    assert_eq!(found, Some(count(0, [0, 0], 5)));
    // A person who releases has to know which files a release changes.
    write_all(&repo, &both, "chore: release v2.0.0");
    let found = changed_together(&read_all(&repo), "news.md", "package.toml");
    assert_eq!(found, Some(count(1, [1, 1], 6)));
}

#[test]
fn what_was_so_once_is_told_from_what_is_so_of_late() {
    let repo = Fixture::new();
    for n in 0..6 {
        write_all(&repo, &["a.rs", "b.rs"], &format!("both {n}"));
    }
    for n in 0..4 {
        write_all(&repo, &["b.rs"], &format!("later {n}"));
        write_all(&repo, &["a.rs"], &format!("later still {n}"));
    }
    let found = changed_together(&read_all(&repo), "a.rs", "b.rs").unwrap();
    assert_eq!((found.both, found.each, found.all), (5, [9, 9], 14));
    assert_eq!(found.lately, [Lately { of: 8, both: 4 }; 2]);
}

#[test]
fn how_long_two_files_went_apart_is_counted_to_the_last_change_of_any_of_them() {
    const DAY: i64 = 86_400;
    let repo = Fixture::new();
    let write = |files: &[&str], days: i64, text: &str| {
        repo.wait(days * DAY);
        write_all(&repo, files, text);
    };
    write(&["a.rs", "b.rs"], 0, "begin");
    write(&["a.rs", "b.rs"], 10, "both");
    write(&["a.rs"], 5, "one");
    write(&["b.rs"], 5, "the other");
    write(&["c.rs"], 30, "another");
    let found = changed_together(&read_all(&repo), "a.rs", "b.rs").unwrap();
    let apart = Apart {
        changes: 2,
        days: 10,
        of: 20,
    };
    assert_eq!(found.apart, apart);
}

#[test]
fn a_file_that_was_made_anew_has_none_of_the_past_of_the_one_that_was_renamed() {
    let repo = Fixture::new();
    let write = |files: &[&str], text: &str| write_all(&repo, files, text);
    for n in 0..4 {
        write(&["guide.md", "news.md"], &format!("of one kind {n}"));
    }
    repo.git(&["mv", "guide.md", "manual.md"]);
    repo.commit("rename");
    // The old name comes back in a commit that changes the file it went to.
    write(&["guide.md", "manual.md"], "another");
    write(&["guide.md", "news.md"], "both");
    write(&["guide.md"], "alone");
    let history = read_all(&repo);
    let found = |a, b| {
        let found = changed_together(&history, a, b);
        found.map(|found| (found.both, found.each))
    };
    assert_eq!(found("guide.md", "news.md"), Some((1, [2, 1])));
    assert_eq!(found("manual.md", "news.md"), Some((3, [5, 4])));
    assert_eq!(changed_with(&history, "news.md", 9), ["manual.md"]);
    let mut counted = changed_of(&history, &["guide.md", "news.md"]);
    counted.sort_unstable();
    assert_eq!(counted, [1, 1, 1, 1, 2]);
}

#[test]
fn company_is_named_by_how_often_it_was_and_counted_as_a_group() {
    let repo = Fixture::new();
    for n in 0..4 {
        write_all(
            &repo,
            &["ca.json", "en.json", "es.json"],
            &format!("text {n}"),
        );
    }
    write_all(&repo, &["en.json", "es.json"], "two of them");
    write_all(&repo, &["en.json", "page.ts"], "once is no company");
    let history = read_all(&repo);
    assert_eq!(changed_with(&history, "en.json", 9), ["es.json", "ca.json"]);
    assert_eq!(changed_with(&history, "en.json", 1), ["es.json"]);
    let mut counted = changed_of(&history, &["ca.json", "en.json", "es.json"]);
    counted.sort_unstable();
    assert_eq!(counted, [1, 2, 3, 3, 3], "without what brought them");
}
