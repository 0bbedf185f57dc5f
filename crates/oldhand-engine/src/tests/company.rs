//! Files that all change together: one memory, whichever two of them a session shows.

use oldhand_domain::memory::Memory;
use oldhand_domain::port::MemoryReader;

use super::*;

impl House {
    /// Sessions that edit these files, each followed by one that works elsewhere.
    fn change(&self, name: &str, files: &[&str], times: usize) {
        let edits: Vec<String> = files.iter().map(|file| format!("edit {file}")).collect();
        for number in 0..times {
            let task = ["fix it", "add it", "rename it"][number % 3];
            let story = format!("prompt {task}; {}; run make test = 0", edits.join("; "));
            self.live(&format!("{name}{number}"), &story);
            let elsewhere = format!("edit doc/{name}{number}.c; run make test = 0");
            self.live(&format!("{name}{number}-elsewhere"), &elsewhere);
        }
    }

    fn told_of_files(&self) -> Vec<Memory> {
        self.of_type(BuiltInType::CausalDependency)
    }
}

fn names(memory: &Memory) -> Vec<&str> {
    memory.files.iter().map(ProjectPath::as_str).collect()
}

#[test]
fn a_pair_that_grows_is_said_anew_and_what_it_covers_is_over() {
    let house = House::new();
    let all = ["a/one.rs", "b/two.rs", "c/three.rs", "d/four.rs"];
    house.change("first", &["a/one.rs", "b/two.rs"], 4);
    house.change("second", &all, 6);
    let pairs = house.told_of_files();
    let told: Vec<Vec<&str>> = pairs.iter().map(names).collect();
    assert!(told.contains(&vec!["a/one.rs", "b/two.rs"]), "{told:?}");
    assert!(told.contains(&vec!["a/one.rs", "c/three.rs"]), "{told:?}");
    house.change("then", &all, 9);
    let [group] = &house.told_of_files()[..] else {
        panic!("{:?}", house.told_of_files());
    };
    assert_eq!(names(group), all);
    assert!(
        pairs.iter().any(|pair| pair.id == group.id),
        "no new memory"
    );
    let over = pairs.iter().find(|pair| pair.id != group.id).unwrap();
    let over = house.project.get(over.id).unwrap().unwrap();
    let reason = over.deprecated.unwrap().reason;
    assert_eq!(
        reason,
        format!(
            "memory {} says it of all files that change with these",
            group.id
        )
    );
}

#[test]
fn a_group_ends_no_other_statement_about_its_files() {
    let house = House::new();
    let leads = Draft {
        source: Source::ObserverInferred,
        files: ["a/one.rs", "b/two.rs"]
            .map(|file| ProjectPath::new(file).unwrap())
            .into(),
        ..Draft::taught(
            Payload::Plain(BuiltInType::CausalDependency.into()),
            "`a/one.rs` leads to `b/two.rs`, which had to be searched for.",
        )
    };
    let leads = house.remember(leads).memory().unwrap().id;
    house.change("s", &["a/one.rs", "b/two.rs", "c/three.rs"], 12);
    let told = house.told_of_files();
    assert!(
        told.iter().any(|memory| memory.files.len() == 3),
        "{told:?}"
    );
    assert!(told.iter().any(|memory| memory.id == leads), "{told:?}");
}

#[test]
fn a_group_that_does_not_hold_any_more_gives_way_to_its_surest_pair() {
    let house = House::new();
    house.change("all", &["a/one.rs", "b/one.rs", "c/two.rs"], 7);
    let [group] = &house.told_of_files()[..] else {
        panic!("{:?}", house.told_of_files());
    };
    assert_eq!(names(group), ["a/one.rs", "b/one.rs", "c/two.rs"]);
    house.change("two", &["a/one.rs", "b/one.rs"], 9);
    let told = house.told_of_files();
    let pair = told.iter().find(|memory| memory.id == group.id).unwrap();
    assert_eq!(names(pair), ["a/one.rs", "b/one.rs"]);
    assert!(
        told.iter().all(|memory| memory.files.len() == 2),
        "{told:?}"
    );
}

#[test]
fn files_that_are_changed_whatever_is_done_are_no_pair() {
    let house = House::new();
    for number in 0..12 {
        let story =
            format!("edit src/a.rs; edit lib/b.rs; edit doc/{number}.rs; run make test = 0");
        house.live(&format!("s{number}"), &story);
    }
    assert_eq!(house.told_of_files().len(), 0);
}

#[test]
fn a_test_goes_with_what_goes_with_the_code_it_tests() {
    let house = House::new();
    house.change("s", &["a/one.rs", "b/two.rs", "b/two_test.rs"], 6);
    let told = house.told_of_files();
    let told: Vec<Vec<&str>> = told.iter().map(names).collect();
    assert_eq!(told, [vec!["a/one.rs", "b/two.rs"]]);
}

#[test]
fn what_two_told_pairs_say_already_is_not_told_again() {
    let house = House::new();
    house.change("first", &["a/one.rs", "b/two.rs"], 5);
    house.change("second", &["b/two.rs", "c/three.rs"], 5);
    house.change("then", &["a/one.rs", "c/three.rs"], 12);
    let report = house.live(
        "to-the-end",
        "edit a/one.rs; edit c/three.rs; run make test = 0",
    );
    let mut lines = report.lines.iter();
    let line = lines
        .find(|line| line.key == "pair:a/one.rs+c/three.rs")
        .unwrap();
    assert_eq!(line.why, "another candidate says the same");
    let told = house.told_of_files();
    let told: Vec<Vec<&str>> = told.iter().map(names).collect();
    assert!(told.contains(&vec!["a/one.rs", "b/two.rs"]), "{told:?}");
    assert!(!told.contains(&vec!["a/one.rs", "c/three.rs"]), "{told:?}");
}

#[test]
fn a_chain_of_told_pairs_says_nothing_of_its_ends() {
    let house = House::new();
    house.change("first", &["a/one.rs", "b/two.rs"], 5);
    house.change("second", &["b/two.rs", "c/three.rs"], 5);
    house.change("third", &["c/three.rs", "d/four.rs"], 5);
    house.change("then", &["a/one.rs", "d/four.rs"], 12);
    let told = house.told_of_files();
    let told: Vec<Vec<&str>> = told.iter().map(names).collect();
    assert!(told.contains(&vec!["a/one.rs", "d/four.rs"]), "{told:?}");
}

#[test]
fn few_sessions_join_files_of_one_part_only() {
    let pairs = |files: &[&str], times| {
        let house = House::new();
        house.change("s", files, times);
        house.told_of_files().len()
    };
    assert_eq!(pairs(&["server/db.rs", "web/style.rs"], 4), 0);
    assert_eq!(pairs(&["web/sign-in-form.rs", "web/sign-up-form.rs"], 4), 1);
    assert_eq!(pairs(&["server/db.rs", "web/style.rs"], 6), 1);
}

#[test]
fn enough_commits_outweigh_sessions_unless_the_files_are_twins() {
    let pairs = |files: &[&str], times| {
        let house = House::new();
        house.change("s", files, times);
        house.told_of_files().len()
    };
    assert_eq!(pairs(&["web/loose-form.rs", "web/loose-list.rs"], 6), 0);
    assert_eq!(pairs(&["web/a-form.rs", "web/a-list.rs"], 6), 1);
    // Of twins few sessions are enough, too, where commits agree.
    assert_eq!(
        [3, 6].map(|n| pairs(&["web/loose.rs", "old/loose.rs"], n)),
        [1, 1]
    );
}

#[test]
fn pages_of_one_folder_must_change_together_more_often_than_code() {
    let pairs = |files: &[&str]| {
        let house = House::new();
        house.change("s", files, 6);
        house.told_of_files().len()
    };
    assert_eq!(pairs(&["doc/swept-form.md", "doc/swept-list.md"]), 0);
    assert_eq!(pairs(&["web/swept-form.rs", "web/swept-list.rs"]), 1);
}

#[test]
fn three_sessions_are_too_few_where_git_knows_nothing() {
    let pairs = |times| {
        let house = House::new();
        house.change("s", &["web/a-form.rs", "web/a-list.rs"], times);
        house.told_of_files().len()
    };
    assert_eq!([3, 4].map(pairs), [0, 1]);
}

#[test]
fn of_what_one_file_leads_to_two_others_are_told() {
    let house = House::new();
    for other in ["one", "two", "three"] {
        let other = format!("web/lead-{other}.rs");
        house.change(&other.replace('/', "-"), &["web/leader.rs", &other], 1);
    }
    let told = house.told_of_files();
    let told: Vec<Vec<&str>> = told.iter().map(names).collect();
    assert_eq!(told.len(), 2, "{told:?}");
}

#[test]
fn that_code_changes_with_its_test_is_told_to_nobody() {
    let house = House::new();
    house.change("both", &["a/one.rs", "a/tests/flow.rs"], 6);
    house.change("alone", &["a/one.rs"], 9);
    let told = house.told_of_files();
    let told: Vec<&str> = told.iter().map(|memory| memory.content.as_str()).collect();
    assert!(
        !told.iter().any(|told| told.starts_with("When ")),
        "{told:?}"
    );
}
