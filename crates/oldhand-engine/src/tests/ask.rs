//! Asking: searches over both shelves, and what an agent would be told.

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
        phase: None,
        weak: Weak::Hidden,
        limit: 10,
    };
    let answer = engine.search(&request, day(0)).unwrap();
    let shelves: Vec<Shelf> = answer.results.iter().map(|(shelf, _)| *shelf).collect();
    assert_eq!(shelves.len(), 2);
    assert!(shelves.contains(&Shelf::Personal) && shelves.contains(&Shelf::Project));
    let only = SearchRequest {
        shelf: Some(Shelf::Personal),
        ..request
    };
    assert_eq!(engine.search(&only, day(0)).unwrap().results.len(), 1);
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
            .find(|(left, _)| Some(*left) == id)
            .map(|(_, why)| why.as_str())
    };
    assert_eq!(why(unreviewed.id()), Some("waits for a review"));
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
