//! Asking: searches over both shelves, and what an agent would be told.

use std::collections::{BTreeMap, BTreeSet};

use oldhand_domain::memory::Memory;
use oldhand_domain::port::VectorIndex;
use oldhand_recall::candidate::Candidate;
use oldhand_recall::trust::TrustLevel;

use super::*;

#[test]
fn both_shelves_answer_and_say_which_they_are() {
    let house = House::new();
    let engine = house.engine();
    house.remember(Draft {
        files: [ProjectPath::new("Makefile").unwrap()].into(),
        ..gotcha("make needs GNU make")
    });
    engine
        .remember(
            Shelf::Personal,
            gotcha("I like make targets sorted"),
            day(0),
        )
        .unwrap();
    let request = SearchRequest {
        text: "make".to_owned(),
        filter: Filter::default(),
        shelf: None,
        stale: Stale::Hidden,
        near: BTreeSet::new(),
        recent: RecentWork::Ordinary,
        phase: None,
        reasons: Reasons::Read,
        weak: Weak::Hidden,
        limit: 10,
    };
    let answer = engine.search(&request, &|_| None, day(0)).unwrap();
    let shelves: Vec<Shelf> = answer.results.iter().map(|(shelf, _)| *shelf).collect();
    assert_eq!(shelves.len(), 2);
    assert!(shelves.contains(&Shelf::Personal) && shelves.contains(&Shelf::Project));
    let only = SearchRequest {
        shelf: Some(Shelf::Personal),
        ..request
    };
    assert_eq!(
        engine
            .search(&only, &|_| None, day(0))
            .unwrap()
            .results
            .len(),
        1
    );
}

/// What an engine that knows three lessons of one file, and much that shares words with its path, answers.
fn asked_of_files(question: &str) -> Vec<(Shelf, Candidate)> {
    let house = House::new();
    let lessons = [
        (
            "crates/ignore/src/walk.rs",
            "A symlink that points at its parent loops for ever.",
        ),
        (
            "crates/ignore/src/walk.rs",
            "The threads must be joined before results are read.",
        ),
        (
            "crates/ignore/src/walk.rs",
            "Hidden entries are skipped before the rules are asked.",
        ),
        (
            "crates/ignore/src/dir.rs",
            "Walk crates by src and ignore what ends in rs.",
        ),
        (
            "crates/core/main.rs",
            "Crates print to stderr, ignore what src says.",
        ),
        ("Cargo.toml", "Versions are pinned to the patch."),
        (
            "crates/core/Cargo.toml",
            "The cargo features of core are off, see the toml.",
        ),
    ];
    for (file, text) in lessons {
        house.remember(Draft {
            files: [ProjectPath::new(file).unwrap()].into(),
            ..gotcha(text)
        });
    }
    house.teach("Release: bump crates, then the lock file of cargo, then the toml.");
    house.teach("Ignore crates whose src has no rs files when you walk them.");
    house.teach("Loops over symlink targets are slow on src of crates.");
    let request = SearchRequest {
        text: question.to_owned(),
        filter: Filter::default(),
        shelf: None,
        stale: Stale::Hidden,
        near: BTreeSet::new(),
        recent: RecentWork::Ordinary,
        phase: None,
        reasons: Reasons::Read,
        weak: Weak::Hidden,
        limit: 10,
    };
    house
        .engine()
        .search(&request, &|_| None, day(0))
        .unwrap()
        .results
}

#[test]
fn who_names_a_file_hears_first_what_is_known_about_it() {
    for (question, file, number) in [
        ("crates/ignore/src/walk.rs", "crates/ignore/src/walk.rs", 3),
        ("ignore/src/walk.rs", "crates/ignore/src/walk.rs", 3),
        (
            "what must I mind in `walk.rs:12`?",
            "crates/ignore/src/walk.rs",
            3,
        ),
        ("walk.rs symlink loops", "crates/ignore/src/walk.rs", 3),
        ("Cargo.toml", "Cargo.toml", 1),
        ("core/Cargo.toml release", "crates/core/Cargo.toml", 1),
    ] {
        let found = asked_of_files(question);
        let file = ProjectPath::new(file).unwrap();
        let is_about = |(_, one): &(Shelf, Candidate)| one.memory.files.contains(&file);
        let first: Vec<bool> = found.iter().map(is_about).collect();
        assert!(first.is_sorted_by(|a, b| a >= b), "{question}: {first:?}");
        assert_eq!(first.iter().filter(|is| **is).count(), number, "{question}");
        assert!(first.len() > number, "others are found, too");
        let totals = found.iter().map(|(_, one)| one.because.total());
        assert!(totals.is_sorted_by(|a, b| a >= b), "{question}");
        let why = found[0].1.because.to_string();
        let reason = format!("about {file}, which is named");
        assert!(why.contains(&reason), "{why}");
        assert!(!why.contains("rarest shared word 0 %"), "{why}");
    }
}

#[test]
fn the_other_words_decide_among_what_is_known_about_a_file() {
    for (question, begin) in [
        ("walk.rs symlink loops", "A symlink"),
        (
            "join the threads of crates/ignore/src/walk.rs",
            "The threads",
        ),
        ("why does walk.rs skip hidden entries", "Hidden"),
    ] {
        let found = asked_of_files(question);
        let first = found[0].1.memory.content.as_str();
        assert!(first.starts_with(begin), "{question}: {first}");
    }
}

#[test]
fn who_names_no_file_that_is_known_is_answered_by_words() {
    for question in [
        "which src do crates ignore when they walk",
        "node.js loops over symlink targets",
        "src/unknown.rs loops over symlink targets",
    ] {
        let found = asked_of_files(question);
        assert!(!found.is_empty());
        for (_, one) in found {
            let because = &one.because;
            assert!(
                because.name().is_none() && because.named == 0.0,
                "{because}"
            );
        }
    }
}

#[test]
fn what_a_person_keeps_is_rated_as_if_the_project_kept_it() {
    let releases = [
        "Releases are tagged on Friday.",
        "Release notes are written before the release.",
        "Releases need a green main branch.",
        "The release script bumps all versions.",
        "Tags of releases begin with a v.",
        "A release is announced in the channel.",
        "Old releases stay on the download page.",
        "Release branches are cut from main.",
        "Hotfix releases skip the freeze.",
        "The release train leaves every second week.",
    ];
    let own = "Sign release tags with my YubiKey and never with the laptop's key.";
    let ask = |shelf: Shelf| {
        let house = House::new();
        for text in releases {
            house.teach(text);
        }
        house.engine().remember(shelf, gotcha(own), day(0)).unwrap();
        search(&house.engine(), "sign release tags")
    };
    let (beside, within) = (ask(Shelf::Personal), ask(Shelf::Project));
    assert_eq!(beside[0], own, "{beside:?}");
    assert_eq!(beside, within);
}

#[test]
fn an_agent_is_told_what_is_sound_and_relevant_and_nothing_else() {
    let house = House::new();
    let engine = house.engine();
    let file = ProjectPath::new("src/wire.rs").unwrap();
    let sound = house.remember(Draft {
        files: [file.clone()].into(),
        ..gotcha("The wire format breaks unless protoc runs before the build")
    });
    let unreviewed = house.remember(Draft {
        needs_review: true,
        files: [file.clone()].into(),
        ..gotcha("The wire format is faster with zero copies, someone thinks")
    });
    house.teach("The panel uses blue buttons everywhere");
    let ask = |task: &str, files: Vec<ProjectPath>| {
        let request = ContextRequest {
            task: task.to_owned(),
            phase: None,
            role: None,
            files,
            budget: None,
            branch: None,
            level: TrustLevel::Standard,
        };
        engine.context(&request, day(0)).unwrap()
    };
    let told = ask("change the wire format", vec![file.clone()]);
    assert!(
        told.text.contains("protoc runs before the build"),
        "{}",
        told.text
    );
    assert!(
        !told.text.contains("zero copies") && !told.text.contains("blue buttons"),
        "{}",
        told.text
    );
    let why = |id: Option<MemoryId>| {
        told.left_out
            .iter()
            .find(|left| Some(left.id) == id)
            .map(ToString::to_string)
    };
    assert_eq!(why(unreviewed.id()).as_deref(), Some("waits for a review"));
    engine
        .flag(
            &sound.id().unwrap().to_string(),
            Correction::Outdated,
            None,
            day(0),
        )
        .unwrap();
    assert_eq!(ask("change the wire format", vec![file]).text, "");
    assert_eq!(ask("write a poem about the sea", Vec::new()).text, "");
}

#[test]
fn what_warns_of_a_command_is_told_beside_what_names_it() {
    let house = House::new();
    for warning in [
        "To run the tests with `npm test` hangs unless Redis is up",
        "To run the tests with `npm test` writes over all snapshots",
    ] {
        house.remember(gotcha(warning));
    }
    house.teach("Run all of the tests with `npm test`");
    let request = ContextRequest {
        task: "run the tests".to_owned(),
        phase: None,
        role: None,
        files: Vec::new(),
        budget: None,
        branch: None,
        level: TrustLevel::Standard,
    };
    let told = house.engine().context(&request, day(0)).unwrap();
    for words in ["Redis", "snapshots"] {
        let left = told.left_out.iter().map(ToString::to_string);
        let left: Vec<String> = left.collect();
        assert!(told.text.contains(words), "{} {left:?}", told.text);
    }
}

#[test]
fn no_question_breaks_a_search() {
    let house = House::new();
    let engine = house.engine();
    house.remember(gotcha("Run migrations before the tests"));
    let long = "migrations NEAR tests ".repeat(5_000);
    for question in [
        "",
        " ",
        "\0",
        "migrations\0tests",
        "\"migrations",
        "'; drop table memory; --",
        "migrations AND OR NOT NEAR(tests, 3) *",
        "content:migrations ^tests -before +x {a b}",
        "🙂 🚀",
        "مرحبا \u{202e}migrations",
        "配置文件",
        "_ . / \\ :: ()",
        &long,
    ] {
        let found = search(&engine, question);
        let named = question.contains("migrations");
        assert_eq!(
            !found.is_empty(),
            named,
            "{:?}",
            &question[..question.len().min(40)]
        );
    }
}

/// Knows beforehand how near each memory is, the nearest first.
struct Nearness(Vec<(MemoryId, f32)>);

impl VectorIndex for Nearness {
    fn nearest(
        &self,
        _: &[f32],
        limit: usize,
        among: Option<&BTreeSet<MemoryId>>,
    ) -> Vec<(MemoryId, f32)> {
        let passes = |(id, _): &&(MemoryId, f32)| among.is_none_or(|among| among.contains(id));
        self.0.iter().filter(passes).take(limit).copied().collect()
    }

    fn cosines(&self, _: &[f32], ids: &[MemoryId]) -> Vec<(MemoryId, f32)> {
        let known = self.0.iter();
        known.filter(|(id, _)| ids.contains(id)).copied().collect()
    }

    fn vectors(&self, _: &[MemoryId]) -> BTreeMap<MemoryId, Vec<f32>> {
        BTreeMap::new()
    }
}

#[test]
fn what_lives_is_found_behind_any_number_of_nearer_memories_that_do_not() {
    let house = House::new();
    let live = house.teach("The parser keeps a stack of open brackets");
    let live = live.memory().unwrap().clone();
    let deleted: Vec<Memory> = (0..300)
        .map(|_| Memory {
            id: house.ids.memory_id(),
            deleted_since: Some(day(0)),
            ..live.clone()
        })
        .collect();
    let mut nearness: Vec<(MemoryId, f32)> =
        deleted.iter().map(|memory| (memory.id, 0.9)).collect();
    nearness.push((live.id, 0.8));
    let nearness = Nearness(nearness);
    house.project.change(&mut |_| Ok(deleted.clone())).unwrap();
    let engine = house.engine().with_vectors(Shelf::Project, &nearness);
    assert_eq!(search(&engine, "nesting"), [live.content.as_str()]);
}
