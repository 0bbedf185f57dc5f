//! Sessions one after another, and what they add up to.

use super::*;
use crate::detect::{Norms, detect};
use crate::distill::Candidate;
use crate::fold::{FoldOptions, fold};
use crate::harvest::harvest;
use crate::outcome::commands::Stated;
use crate::story::events;
use jiff::SignedDuration;

pub(super) fn session(number: u32, story: &str) -> SessionFacts {
    let analytics = fold(&events(story), &FoldOptions::default());
    let id = SessionId::new(format!("s{number}")).unwrap();
    let mut facts = harvest(id, &analytics, &Knowledge::default()).facts;
    facts.at = Timestamp::UNIX_EPOCH + SignedDuration::from_hours(24 * i64::from(number));
    facts
}

pub(super) fn learned(stories: &[&str]) -> Knowledge {
    let mut knowledge = Knowledge::default();
    for (number, story) in stories.iter().enumerate() {
        knowledge.learn(&session(number as u32, story));
    }
    knowledge
}

fn path(text: &str) -> ProjectPath {
    ProjectPath::new(text).unwrap()
}

#[test]
fn learning_a_session_twice_changes_nothing() {
    let facts = session(
        1,
        "prompt fix it; read src/a.rs; edit src/b.rs; run make = 2: error: bad thing; edit src/b.rs; run make = 0",
    );
    let mut knowledge = Knowledge::default();
    assert!(!knowledge.learn(&facts).known_already);
    let once = knowledge.clone();
    assert!(knowledge.learn(&facts).known_already);
    assert_eq!(knowledge, once);
}

#[test]
fn the_order_of_sessions_does_not_matter_for_counts() {
    let stories = [
        "read src/a.rs; edit src/b.rs",
        "edit src/b.rs; read src/a.rs",
        "read src/a.rs; read src/c.rs",
    ];
    let facts: Vec<SessionFacts> = stories
        .iter()
        .enumerate()
        .map(|(n, story)| session(n as u32, story))
        .collect();
    let fold = |order: &[usize]| {
        let mut knowledge = Knowledge::default();
        for &at in order {
            knowledge.learn(&facts[at]);
        }
        // Places differ, those they name do not.
        let mut named = Vec::new();
        let Knowledge {
            mut files,
            mut edges,
            mut signals,
            ..
        } = knowledge.clone();
        for stats in files.values_mut() {
            named.push(knowledge.named(&std::mem::take(&mut stats.by)));
        }
        for edge in edges.values_mut() {
            named.push(knowledge.named(&std::mem::take(&mut edge.edited_by)));
        }
        for stats in signals.values_mut() {
            named.push(knowledge.named(&std::mem::take(&mut stats.by)));
        }
        let rest = (knowledge.errors, knowledge.couplings);
        (files, edges, signals, rest, named)
    };
    assert_eq!(fold(&[0, 1, 2]), fold(&[2, 0, 1]));
}

#[test]
fn facts_survive_the_store() {
    let facts = session(
        1,
        "prompt add a cache; read src/a.rs; edit src/b.rs; run make = 2: error: bad thing; edit src/b.rs; run make = 0",
    );
    let text = serde_json::to_string(&facts).unwrap();
    assert_eq!(serde_json::from_str::<SessionFacts>(&text).unwrap(), facts);
}

#[test]
fn files_remember_sessions_and_edits() {
    let knowledge = learned(&[
        "prompt fix the login; edit src/a.rs",
        "prompt add a button; read src/a.rs; read src/a.rs",
    ]);
    let file = &knowledge.files[&path("src/a.rs")];
    assert_eq!((file.sessions, file.edit_sessions), (2, 1));
}

#[test]
fn edges_keep_direction_and_diversity() {
    let knowledge = learned(&[
        "prompt fix x; read b.rs; read a.rs",
        "prompt add x; read b.rs; read a.rs",
        "prompt rename x; read b.rs; read a.rs",
    ]);
    let edge = &knowledge.edges[&(path("a.rs"), path("b.rs"))];
    assert_eq!((edge.sessions, edge.direction()), (3, -1));
    assert!((edge.weight() - 9.0).abs() < 1e-9);
    assert_eq!(knowledge.companions(&path("a.rs"))[0].0, &path("b.rs"));
}

/// An error that asks for something, what another session can do about it, and the end of it.
const MISSING: &str = "error: no such table: users";
const FIXED: &str =
    "edit a.c; run make = 2: error: no such table: users; run ./migrate.sh = 0; run make = 0";
const FIRST: &str = "first run `./migrate.sh`";

#[test]
fn errors_collect_their_answers() {
    let knowledge = learned(&[FIXED, FIXED]);
    let error = &knowledge.errors[MISSING];
    let (how, fix) = error.best().unwrap();
    assert_eq!(how.to_string(), FIRST);
    assert_eq!(
        (error.sessions.len(), fix.sessions.len(), fix.passed),
        (2, 2, 2)
    );
    assert_eq!((error.count, error.commands["make"]), (2, 2));
}

#[test]
fn what_held_once_is_known_and_not_tested() {
    let best = |stories: &[&str]| {
        let knowledge = learned(stories);
        let best = knowledge.errors[MISSING].best();
        best.map(|(how, fix)| (how.to_string(), fix.confidence().get(), fix.is_tested()))
    };
    assert_eq!(best(&[FIXED]), Some((FIRST.to_owned(), 0.7, false)));
    let taken_back = format!("{FIXED}; run git checkout -- a.c = 0");
    assert_eq!(best(&[&taken_back]), None, "what was taken back is no fix");
    assert_eq!(best(&[FIXED, &taken_back]), None, "one for it, one against");
    let (_, twice, is_tested) = best(&[FIXED, FIXED]).unwrap();
    assert!(twice > 0.7 && is_tested);
}

#[test]
fn a_fix_from_outside_text_is_not_offered_until_a_clean_session_finds_it_too() {
    let best = |stories: &[&str]| {
        let best = learned(stories).errors[MISSING].clone();
        best.best().map(|(how, _)| how.to_string())
    };
    let told = FIXED.replace(
        "run ./migrate.sh",
        "fetch https://a.example/fix = 0: do this; run ./migrate.sh",
    );
    assert_eq!(best(&[&told]), None);
    assert_eq!(best(&[&told, &told]), None);
    assert_eq!(best(&[&told, FIXED]).as_deref(), Some(FIRST));
    assert_eq!(best(&[FIXED, &told]).as_deref(), Some(FIRST));
}

#[test]
fn an_edit_is_counted_and_offered_to_nobody() {
    let edited = "run make = 2: error: bad thing; edit src/fix.c; run make = 0";
    let knowledge = learned(&[edited, edited, edited]);
    let error = &knowledge.errors["error: bad thing"];
    assert_eq!(error.ranked(), [], "{error:?}");
    assert_eq!(error.best(), None);
    let (how, fix) = error.fixes.first_key_value().unwrap();
    assert_eq!(
        (how.to_string().as_str(), fix.passed),
        ("edit src/fix.c", 3)
    );
}

#[test]
fn edits_are_counted_by_the_files_that_most_sessions_edited() {
    let fixed = |other: &str| {
        format!("run make = 2: error: bad thing; edit src/schema.c; edit src/{other}; run make = 0")
    };
    let stories: Vec<String> = (0..6)
        .map(|number| fixed(&format!("w{number}.c")))
        .collect();
    let stories: Vec<&str> = stories.iter().map(String::as_str).collect();
    let counted = |stories: &[&str]| -> Vec<(String, usize)> {
        let knowledge = learned(stories);
        let fixes = knowledge.errors["error: bad thing"].fixes.iter();
        let counted = fixes.map(|(how, fix)| (how.to_string(), fix.sessions.len()));
        counted.collect()
    };
    assert_eq!(counted(&stories), [("edit src/schema.c".to_owned(), 6)]);
    let one = counted(&stories[..1]);
    assert_eq!(one, [("edit src/schema.c, src/w0.c".to_owned(), 1)]);
    // What has nothing in common stays apart.
    let other = "run make = 2: error: bad thing; edit src/else.c; run make = 0";
    assert_eq!(counted(&[stories[0], stories[1], other]).len(), 2);
    assert_eq!(counted(&[stories[0], other]).len(), 2);
}

#[test]
fn a_fix_keeps_what_the_agent_said_before_it() {
    let told = FIXED.replace(
        "run ./migrate.sh",
        "say The tables must be made first.; run ./migrate.sh",
    );
    let told = told.replace("; run make = 0", "; say Now again.; run make = 0");
    let knowledge = learned(&[&told]);
    let (_, fix) = knowledge.errors[MISSING].best().unwrap();
    assert_eq!(fix.words.as_deref(), Some("The tables must be made first."));
}

#[test]
fn a_threshold_is_told_once() {
    let mut knowledge = Knowledge::default();
    let mut told = Vec::new();
    for number in 0..101 {
        told.extend(
            knowledge
                .learn(&session(number, "edit src/a.rs"))
                .thresholds,
        );
    }
    let of = |module: &str| {
        let told = told.iter().filter(|(of, _)| of == module);
        told.map(|(_, sessions)| *sessions).collect::<Vec<_>>()
    };
    assert_eq!(of("src"), [5, 10, 20, 50, 100]);
    assert_eq!(of(WHOLE_PROJECT), [7, 14, 30, 70]);
    assert!(knowledge.learn(&session(20, "edit src/a.rs")).known_already);
}

#[test]
fn a_module_is_summed_up_in_five_statements_at_most() {
    let story = "start build planned 2; read src/m/core.rs; edit src/m/a.rs; edit src/m/b.rs; run make = 2: error: header `bad` not found; run ./configure = 0; run make = 0; edit src/m/a.rs; run make = 0";
    let other = "repeat 4 read src/m/x{n}.rs";
    let mut stories = [story; 12];
    stories[0] = other;
    let knowledge = learned(&stories);
    let told: Vec<String> = knowledge
        .synthesize("src/m", &Stated::nothing())
        .iter()
        .map(|candidate| format!("{}: {}", candidate.payload.memory_type(), candidate.content))
        .collect();
    insta::assert_snapshot!(told.join("\n"), @r#"
    pattern: How changes are checked in this project: build with `make` (11 of 11 sessions).
    causal_dependency: `src/m/a.rs` and `src/m/b.rs` change together: both edited in 11 sessions.
    error_pattern: "error: header `bad` not found" came in 11 sessions; what helped 11 times: first run `./configure`.
    task_calibration: Work in `src/m` takes 4.0 times the planned steps (8 instead of 2, over 11 sessions).
    "#);
    assert!(
        knowledge
            .synthesize("nowhere", &Stated::nothing())
            .is_empty()
    );
}

#[test]
fn work_at_the_top_is_told_in_words() {
    let story =
        "read main.go; edit go.sum; edit main.go; run make test = 0; run git commit -m x = 0";
    let recipes = learned(&[story, story, story]).recipes(
        &session(1, story),
        Timestamp::UNIX_EPOCH + SignedDuration::from_hours(72),
    );
    let [recipe] = &recipes[..] else {
        panic!("{recipes:?}")
    };
    assert_eq!(
        recipe.content.to_string(),
        "How work at the top of the project goes when it goes well (3 successful sessions in 30 days): 1. read files at the top 2. edit files at the top 3. run make test 4. run git commit"
    );
    let oldhand_domain::payload::Payload::WorkflowRecipe(told) = &recipe.payload else {
        panic!("{recipe:?}")
    };
    assert_eq!(told.task_pattern, "work at the top of the project");
    let file = told.steps[1].canonical_file.as_ref();
    assert_eq!(file.map(ProjectPath::as_str), Some("main.go"));
}

#[test]
fn a_module_that_fills_the_context_is_known_for_it() {
    let sessions = |tokens: u32| {
        let costly = format!("edit src/m/a.rs; tokens {tokens} 1");
        let mut stories = vec!["edit lib/b.rs; tokens 20000 1".to_owned(); 5];
        stories.extend(vec![costly; 5]);
        let stories: Vec<&str> = stories.iter().map(String::as_str).collect();
        let told = learned(&stories).synthesize("src/m", &Stated::nothing());
        let cost = told.iter().find(|one| one.key.starts_with("context_cost"));
        cost.map(|candidate| candidate.content.to_string())
    };
    assert_eq!(
        sessions(90_000).as_deref(),
        Some(
            "Work in `src/m` fills the context with 90000 tokens on average and 90000 in one of ten sessions (over 5 sessions; elsewhere in this project 20000)."
        )
    );
    assert_eq!(sessions(39_000), None, "less than twice of elsewhere");
}

#[test]
fn frequency_and_norms_come_from_what_was_learned() {
    let story = "edit src/a.rs; read src/b.rs; tokens 4000 1";
    let knowledge = learned(&[story; 5]);
    let analytics = fold(&events(story), &FoldOptions::default());
    let signals = detect(&analytics, &Norms::default());
    let frequency = knowledge.frequency(&signals, task_of(&analytics));
    assert_eq!(frequency.sessions("file:src/a.rs"), 6);
    assert_eq!(frequency.modules["src"], 5);
    assert_eq!(frequency.module_files["src"], 2);
    assert_eq!(knowledge.norms().tokens_per_file, Some(2_000.0));
    assert_eq!(learned(&[story; 4]).norms().tokens_per_file, None);
}

#[test]
fn the_first_telling_word_names_the_task() {
    let cases = [
        ("please fix the flaky test", TaskType::Fix),
        ("add a retry to the client", TaskType::Feature),
        ("write tests for the parser", TaskType::Test),
        ("can we rename this module?", TaskType::Refactor),
        ("what does this do?", TaskType::Question),
        ("hello", TaskType::Other),
    ];
    for (prompt, expected) in cases {
        assert_eq!(task_type(prompt), expected, "{prompt}");
    }
}

#[test]
fn only_work_that_stands_and_saw_for_itself_bears_witness() {
    let error = "run make gen = 2: error: protoc missing here; edit src/p.rs; run make gen = 0";
    let outside = "fetch https://a.example/x = 0: words";
    let seen = |story: &str| {
        let facts = session(1, story);
        let mut knowledge = Knowledge::default();
        knowledge.learn(&facts);
        let key = |key: &&String| key.starts_with("error:");
        knowledge.signals.keys().filter(key).count()
    };
    assert_eq!(seen(error), 1);
    assert_eq!(seen(&format!("{error}; run make test = 0")), 1);
    assert_eq!(seen(&format!("{error}; run make test = 2: error: no")), 0);
    assert_eq!(seen(&format!("{outside}; {error}; run make test = 0")), 0);
    assert_eq!(seen(&format!("{error}; {outside}; run make test = 0")), 1);
    let given_up = format!(
        "{error}; repeat 20 read old/f{{n}}.rs; edit old/a.rs; say This approach won't work, let me try a different approach.; repeat 20 read new/f{{n}}.rs; edit new/a.rs; run make test = 0"
    );
    assert_eq!(seen(&given_up), 0);
}

mod again;
mod answers;
mod checks;
mod couplings;
mod looks;
mod marks;
mod numbers;
mod refused;
