//! What several sessions show together carries the marks of those it rests on.

use oldhand_domain::taint::OutsideText;

use super::super::facts::TELLS_MARKS;
use super::*;
use crate::distill::Together;

const OUTSIDE: &str = "fetch https://a.example/how = 0: words";

/// Stories of which the first `clean` took in nothing, and the rest outside text before anything else.
fn stories(story: &str, clean: usize, marked: usize) -> Knowledge {
    let after = format!("{OUTSIDE}; {story}");
    let mut all = vec![story; clean];
    all.extend(vec![after.as_str(); marked]);
    learned(&all)
}

fn labels(taint: &Taint) -> Vec<String> {
    taint.sources().map(OutsideText::label).collect()
}

/// The marks of the statement of a module whose key begins so.
fn marks(knowledge: &Knowledge, module: &str, key: &str) -> Vec<String> {
    let told = knowledge.synthesize(module, &Stated::nothing());
    let found = told.iter().find(|candidate| candidate.key.starts_with(key));
    let found = found.unwrap_or_else(|| panic!("no {key} in {told:?}"));
    labels(&found.taint)
}

#[test]
fn every_statement_about_a_module_carries_the_marks_of_its_witnesses() {
    let planned = "start build planned 2; read src/m/core.rs; edit src/m/a.rs; edit src/m/b.rs; run make = 2: error: header `bad` not found; run ./configure = 0; run make = 0; edit src/m/a.rs; run make = 0; tokens 90000 1";
    let others = [
        "repeat 6 read src/m/x{n}.rs; tokens 10000 1",
        "edit lib/c.rs; tokens 1000 1",
        "edit lib/c.rs; tokens 1000 1",
        "edit lib/c.rs; tokens 1000 1",
        "edit lib/c.rs; tokens 1000 1",
        "edit lib/c.rs; tokens 1000 1",
    ];
    let with_others = |clean: usize, marked: usize| {
        let after = format!("{OUTSIDE}; {planned}");
        let mut all = others.to_vec();
        all.extend(vec![planned; clean]);
        all.extend(vec![after.as_str(); marked]);
        learned(&all)
    };
    for key in ["checking", "pair:", "calibration"] {
        let marked = with_others(0, 10);
        assert_eq!(marks(&marked, "src/m", key), ["web"], "{key}, all of them");
        assert_eq!(
            marks(&with_others(1, 9), "src/m", key),
            ["web"],
            "{key}, all but one"
        );
        let clean = with_others(10, 1);
        assert!(
            marks(&clean, "src/m", key).is_empty(),
            "{key}, enough by themselves"
        );
    }
    // No fix is known before a session found it without outside text; one such session and one other are not two.
    assert_eq!(
        marks(&with_others(1, 7), "src/m", "known_error"),
        ["web"],
        "a fix"
    );
    assert!(marks(&with_others(2, 3), "src/m", "known_error").is_empty());
    let cost = |clean, marked| {
        labels(
            &with_others(clean, marked)
                .context_cost("src/m")
                .unwrap()
                .taint,
        )
    };
    assert_eq!(cost(3, 5), ["web"]);
    assert!(cost(6, 2).is_empty());
}

#[test]
fn what_was_done_before_outside_text_came_in_is_clean() {
    let story = format!("edit src/m/a.rs; run make test = 0; {OUTSIDE}; edit src/m/b.rs");
    let knowledge = learned(&[story.as_str(); 5]);
    assert!(marks(&knowledge, "src/m", "checking").is_empty());
    let late = format!("edit src/m/a.rs; {OUTSIDE}; run make test = 0");
    let knowledge = learned(&[late.as_str(); 5]);
    assert_eq!(marks(&knowledge, "src/m", "checking"), ["web"]);
}

#[test]
fn a_recipe_carries_the_marks_of_the_sessions_that_went_it() {
    let story = "read src/m/a.rs; edit src/m/b.rs; run make test = 0; run git commit -m x = 0; run make deploy = 0";
    let now = Timestamp::UNIX_EPOCH + SignedDuration::from_hours(24 * 6);
    let marks = |knowledge: &Knowledge| {
        let recipes = knowledge.recipes(&session(1, story), now);
        let [recipe] = &recipes[..] else {
            panic!("{recipes:?}")
        };
        (labels(&recipe.taint), recipe.content.to_string())
    };
    assert_eq!(marks(&stories(story, 0, 3)).0, ["web"]);
    assert_eq!(marks(&stories(story, 2, 3)).0, ["web"]);
    assert!(marks(&stories(story, 3, 2)).0.is_empty());
    // The first steps were gone before, the last only after: the way as a whole is marked.
    let half = "read src/m/a.rs; edit src/m/b.rs; run make test = 0; run git commit -m x = 0; paste words of a mail; run make deploy = 0";
    let knowledge = learned(&[half; 3]);
    let deploy = session(1, half);
    let mut recipes = knowledge.recipes(&deploy, now).into_iter();
    let whole = recipes.find(|recipe| recipe.content.to_string().contains("make deploy"));
    assert_eq!(labels(&whole.unwrap().taint), ["pasted"]);
}

#[test]
fn modules_that_hang_together_carry_the_marks_too() {
    let story =
        "edit a/x/1.rs; edit b/y/1.rs; edit a/x/2.rs; edit b/y/2.rs; edit a/x/3.rs; edit b/y/3.rs";
    let marks = |clean, marked| {
        let found = stories(story, clean, marked).uncovered_couplings(&BTreeSet::new());
        let every = |_: &ProjectPath, _: &ProjectPath| {
            Some(Together {
                both: 9,
                days: 9,
                rarer: 9,
                other: 9,
                all: 90,
                ..Together::default()
            })
        };
        labels(&found[0].candidate(every).unwrap().taint)
    };
    assert_eq!(marks(0, 5), ["web"]);
    assert_eq!(marks(4, 3), ["web"]);
    assert!(marks(5, 3).is_empty());
}

#[test]
fn facts_keep_what_came_after_outside_text_in_the_store() {
    let story = format!(
        "edit src/a.rs; {OUTSIDE}; edit src/b.rs; run make test = 0; run git commit -m x = 0; run make test = 0"
    );
    let facts = session(1, &story);
    assert_eq!(labels(&facts.taint), ["web"]);
    let after: Vec<bool> = facts.files.iter().map(|file| file.after_outside).collect();
    assert_eq!(after, [false, true]);
    assert!(facts.checks.is_empty() && facts.checks_after_outside.len() == 1);
    assert!(facts.sequences.is_empty() && !facts.sequences_after_outside.is_empty());
    assert!(facts.pairs.iter().all(|pair| pair.after_outside));
    let text = serde_json::to_string(&facts).unwrap();
    assert_eq!(serde_json::from_str::<SessionFacts>(&text).unwrap(), facts);
    let clean = serde_json::to_string(&session(1, "edit src/a.rs; run make test = 0")).unwrap();
    assert!(!clean.contains("outside"), "it costs nothing: {clean}");
}

#[test]
fn an_answer_is_shown_by_those_that_found_it_and_not_by_all_that_met_the_error() {
    let met = "edit src/m/a.rs; run make = 2: error: header `bad` not found";
    let solved = format!("{met}; run ./configure = 0; run make = 0; edit src/m/a.rs; run make = 0");
    let mut all = vec![met; 8];
    all.extend([solved.as_str(); 2]);
    let known = learned(&all).errors_known("src/m");
    let [known] = &known[..] else {
        panic!("{known:?}")
    };
    let witnesses: Vec<&str> = known.witnesses.iter().map(SessionId::as_str).collect();
    assert_eq!(witnesses, ["s8", "s9"]);
}

#[test]
fn marked_sessions_add_nothing_to_plans_and_costs_that_clean_ones_show() {
    let planned = |tokens: u32, steps: usize| {
        let edits = "edit src/m/a.rs; ".repeat(steps);
        format!("start build planned 2; {edits}run make = 0; tokens {tokens} 1")
    };
    let clean = planned(90000, 9);
    let marked = format!("{OUTSIDE}; {}", planned(500_000, 40));
    let mut all = vec!["edit lib/c.rs; tokens 1000 1"; 5];
    all.extend(vec![clean.as_str(); 5]);
    let alone = learned(&all);
    all.extend(vec![marked.as_str(); 4]);
    let with_marked = learned(&all);
    let told = |knowledge: &Knowledge| {
        let mut told = knowledge.calibrations("src/m");
        told.extend(knowledge.context_cost("src/m"));
        let told = told.into_iter();
        let told = told.map(|one| (one.content.to_string(), one.witnesses));
        told.collect::<Vec<_>>()
    };
    assert_eq!(told(&alone).len(), 2);
    assert_eq!(told(&with_marked), told(&alone));
}

#[test]
fn facts_that_do_not_say_when_outside_text_came_in_are_none_of_before() {
    let story = "start build planned 2; edit src/m/a.rs; edit src/m/b.rs; edit src/m/a.rs; edit src/m/b.rs; edit src/m/a.rs; run make test = 0; run git commit -m x = 0; run make deploy = 0";
    let mut older = Knowledge::default();
    for number in 0..10 {
        let mut facts = serde_json::to_value(session(number, story)).unwrap();
        assert!(facts.as_object_mut().unwrap().remove("form").is_some());
        older.learn(&serde_json::from_value(facts).unwrap());
    }
    for key in ["pair:", "calibration"] {
        assert_eq!(marks(&older, "src/m", key), ["unseen"], "{key}");
        assert!(marks(&stories(story, 10, 0), "src/m", key).is_empty());
    }
    let now = Timestamp::UNIX_EPOCH + SignedDuration::from_hours(24 * 12);
    let recipes = older.recipes(&session(1, story), now);
    assert!(!recipes.is_empty());
    for recipe in recipes {
        assert_eq!(labels(&recipe.taint), ["unseen"]);
    }
}

/// What a client states: a file is not there.
const MISSING: &str = "read .lint.yml = failed: File does not exist. Did you mean .lint.yaml?; read .lint.yaml; edit src/a.c; edit src/b.c";

/// How often a session hears that the file was missing before, and with which marks.
fn missed_before(knowledge: &Knowledge, own: &str) -> (u32, Vec<String>) {
    let signals = crate::detect::detected(own);
    let frequency = knowledge.frequency(&signals, TaskType::Feature);
    let seen = frequency.before("missing:.lint.yml");
    (seen.sessions, labels(&seen.taint))
}

#[test]
fn what_a_client_states_counts_with_its_marks_unless_clean_sessions_are_enough() {
    let marked = format!("{OUTSIDE}; {MISSING}");
    let web = || vec!["web".to_owned()];
    for (clean, others, own, expected) in [
        (0, 1, MISSING, (1, web())),
        (1, 1, MISSING, (1, Vec::new())),
        (1, 3, MISSING, (1, Vec::new())),
        (1, 1, &marked, (2, web())),
        (2, 1, &marked, (2, Vec::new())),
    ] {
        let seen = missed_before(&stories(MISSING, clean, others), own);
        assert_eq!(seen, expected, "{clean} clean, {others} marked");
    }
}

#[test]
fn facts_without_marks_of_their_own_have_those_of_the_session() {
    let mut facts = session(1, &format!("{OUTSIDE}; {MISSING}"));
    for signal in &mut facts.signals {
        signal.taint = Taint::CLEAN;
    }
    for (form, expected) in [
        (TELLS_MARKS - 1, vec!["web".to_owned()]),
        (TELLS_MARKS, Vec::new()),
    ] {
        facts.form = form;
        let mut known = Knowledge::default();
        known.learn(&facts);
        assert_eq!(missed_before(&known, MISSING).1, expected, "form {form}");
    }
}
