//! Places that a task names, and lists of versions that it does not.

use super::*;

/// The files predicted for a task about which commits speak for the README and for the list of versions.
fn paths(task: &str) -> Vec<String> {
    let files = strings(&[
        "crates/shop-cart/src/lib.rs",
        "crates/shop-cart/src/table.rs",
        "crates/shop-mail/src/lib.rs",
        "docs/one.md",
        "docs/two.md",
        "docs/three.md",
        "README.md",
        "Cargo.lock",
    ]);
    let evidence = Evidence {
        files: &files,
        expected: &[
            ("Cargo.lock".to_owned(), 0.7),
            ("README.md".to_owned(), 0.6),
        ],
        commits: &vec![commit(&["README.md"]); 400],
        ..Evidence::default()
    };
    let found = predict(&Task::new(task), &evidence, 10);
    found.into_iter().map(|file| file.path).collect()
}

#[test]
fn a_folder_that_is_named_comes_before_what_commits_say() {
    let found = paths("add a column to the table in shop-cart");
    assert_eq!(found[0], "crates/shop-cart/src/table.rs");
    let of_folder = |path: &String| path.starts_with("crates/shop-cart/");
    assert!(found[..2].iter().all(of_folder), "{found:?}");
    assert_eq!(paths("add a column somewhere")[0], "README.md");
}

#[test]
fn a_folder_of_one_plain_word_is_no_name_of_a_place() {
    assert_eq!(paths("the docs are wrong")[0], "README.md");
}

#[test]
fn a_folder_with_most_of_the_files_says_nothing() {
    let files = strings(&["the_app/a.rs", "the_app/b.rs", "notes.md"]);
    let evidence = Evidence {
        files: &files,
        ..Evidence::default()
    };
    let found = predict(&Task::new("start the_app"), &evidence, 10);
    let reasons = found.iter().flat_map(|file| &file.because);
    let mut lanes = reasons.map(|reason| reason.lane);
    assert!(!lanes.any(|lane| lane == PredictionLane::NamedFolder));
}

#[test]
fn a_list_of_versions_is_predicted_where_the_task_is_about_it() {
    let is_list = |path: &String| path == "Cargo.lock";
    assert!(!paths("retry where the store is locked").iter().any(is_list));
    assert!(paths("bump the parser").iter().any(is_list));
    assert!(paths("sort Cargo.lock").iter().any(is_list));
}
