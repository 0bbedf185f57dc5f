//! What tells of another file, error or unit of work is another memory, however alike the words are.

use super::*;

impl House {
    /// What agents may be told of a type after further sessions, in the order of the words.
    fn tell(&self, memory_type: BuiltInType, sessions: &[(&str, String)]) -> Vec<String> {
        for (name, story) in sessions {
            self.live(name, story);
        }
        let of_type = Filter {
            types: vec![memory_type.into()],
            ..Filter::default()
        };
        let found = self.engine().list(None, &of_type).unwrap().memories;
        let mut told: Vec<String> = found
            .iter()
            .map(|shelved| shelved.memory.summary.to_string())
            .collect();
        told.sort();
        told
    }
}

fn missed(file: &str) -> String {
    format!(
        "read {file}.yml = failed: File does not exist. Did you mean {file}.yaml?; edit src/a.rs; edit src/b.rs; run make test = 0"
    )
}

#[test]
fn another_file_is_another_gotcha() {
    let told = House::new().tell(
        BuiltInType::Gotcha,
        &[
            ("one", missed("src/store/schema_big")),
            ("two", missed("src/store/schema_big")),
            ("three", missed("src/store/schema_huge")),
            ("four", missed("src/store/schema_huge")),
        ],
    );
    assert_eq!(told.len(), 2, "{told:?}");
}

#[test]
fn a_rejection_is_about_the_file_that_was_rejected() {
    let house = House::new();
    for session in ["one", "other"] {
        house.live(session, &missed("src/store/schema_big"));
    }
    let known = house.engine().list(None, &Filter::default()).unwrap();
    let [big] = &known.memories[..] else {
        panic!("{known:?}")
    };
    house
        .engine()
        .forget(&big.memory.id.to_string(), day(1))
        .unwrap();
    let told = house.tell(
        BuiltInType::Gotcha,
        &[
            ("two", missed("src/store/schema_huge")),
            ("three", missed("src/store/schema_big")),
            ("four", missed("src/store/schema_huge")),
        ],
    );
    let [told] = &told[..] else {
        panic!("{told:?}")
    };
    assert!(told.contains("schema_huge"), "{told}");
}

#[test]
fn another_error_is_another_pattern() {
    let met = |target: &str, file: &str| {
        format!(
            "run make = 2: error: no rule to make target {target}; run make = 2: error: no rule to make target {target}; run ./configure {file} = 0; run make = 0; edit src/z.c; run make = 0; run make test = 0"
        )
    };
    let (parser, lexer) = (met("parser.o", "src/p.mk"), met("lexer.o", "src/l.mk"));
    let told = House::new().tell(
        BuiltInType::ErrorPattern,
        &[
            ("one", parser.clone()),
            ("two", parser),
            ("three", lexer.clone()),
            ("four", lexer),
        ],
    );
    assert_eq!(told.len(), 2, "{told:?}");
}

#[test]
fn every_unit_of_work_leaves_its_outcome() {
    let ended = |unit: &str| {
        format!("start build unit epic_1/{unit}; edit src/a.rs; edit src/b.rs; run make test = 0")
    };
    let names = ["story_0", "story_1", "story_2"];
    let told = House::new().tell(
        BuiltInType::WorkUnitOutcome,
        &names.map(|name| (name, ended(name))),
    );
    assert_eq!(told.len(), 3, "{told:?}");
}

const BROKEN: &str = "prompt cache the parser; edit src/parser.c; edit src/cache.c; run make test = 2: error: no cache";

#[test]
fn work_is_finished_only_by_work_that_touches_it() {
    let after = |story: &str| {
        let later = format!("wait 3600s; {story}");
        let sessions = [("one", BROKEN.to_owned()), ("two", later)];
        House::new().tell(BuiltInType::WorkState, &sessions).len()
    };
    for (story, open) in [
        (
            "prompt fix a typo in the docs; edit web/page.ts; edit web/style.ts; run npm test = 0",
            1,
        ),
        // The same check passes, and nobody looked at the work.
        ("prompt fix a typo; edit web/page.ts; run make test = 0", 1),
        ("prompt go on; edit src/cache.c; run make test = 0", 0),
        (
            "prompt mend the test; read src/cache.c; edit tests/cache_test.c; run make test = 0",
            0,
        ),
        (
            "prompt mend the page; read src/cache.c; edit web/page.ts; run npm test = 0",
            1,
        ),
        // Another work that is left open stands beside it; the same one takes its place.
        (
            "prompt draw the page; edit web/page.ts; run npm test = 1: error: no page",
            2,
        ),
        (
            "prompt go on; edit src/lexer.c; edit src/cache.c; run make test = 2: error: still no cache",
            1,
        ),
    ] {
        assert_eq!(after(story), open, "{story}");
    }
}

#[test]
fn finished_work_may_be_open_again() {
    let done = "wait 3600s; prompt go on; edit src/cache.c; run make test = 0";
    let house = House::new();
    let told = house.tell(
        BuiltInType::WorkState,
        &[("one", BROKEN.to_owned()), ("two", done.to_owned())],
    );
    assert_eq!(told, [""; 0]);
    let again = format!("wait 7200s; {BROKEN}");
    let told = house.tell(BuiltInType::WorkState, &[("three", again)]);
    assert_eq!(told.len(), 1);
}
