//! What a look at a whole module rests on.

use super::*;

#[test]
fn a_look_at_a_module_names_the_sessions_that_show_what_it_says() {
    let planned = "start build planned 2; read src/m/core.rs; edit src/m/a.rs; edit src/m/b.rs; run make = 2: error: header `bad` not found; run ./configure = 0; run make = 0; edit src/m/a.rs; run make = 0; tokens 90000 1";
    let other = "repeat 4 read src/m/x{n}.rs; tokens 10000 1";
    let cheap = "edit lib/c.rs; tokens 1000 1";
    let mut stories = vec![cheap; 5];
    stories.push(other);
    stories.extend([planned; 9]);
    let knowledge = learned(&stories);
    let found = |key: &str| {
        let modules = ["src/m", "lib"];
        let mut found = modules
            .iter()
            .flat_map(|module| knowledge.synthesize(module, &Stated::nothing()));
        let candidate = found.find(|candidate| candidate.key.starts_with(key));
        let witnesses = candidate.unwrap_or_else(|| panic!("no {key}")).witnesses;
        let names = witnesses.iter().map(|session| session.as_str().to_owned());
        names.collect::<Vec<_>>()
    };
    let (last, all): (Vec<String>, Vec<String>) = (
        (6..15).map(|n| format!("s{n}")).collect(),
        (5..15).map(|n| format!("s{n}")).collect(),
    );
    let sorted = |mut names: Vec<String>| {
        names.sort();
        names
    };
    for key in ["checking", "pair:", "known_error:"] {
        assert_eq!(found(key), sorted(last.clone()), "{key}");
    }
    let calibrations = knowledge.calibrations("src/m");
    assert_eq!(calibrations[0].witnesses.len(), 9);
    let cost = knowledge.context_cost("src/m").unwrap();
    let names: Vec<String> = cost.witnesses.iter().map(ToString::to_string).collect();
    assert_eq!(names, sorted(all));
}

#[test]
fn each_methodology_is_calibrated_for_itself() {
    let agile =
        "start build planned 2; edit src/m/a.rs; edit src/m/b.rs; edit src/m/c.rs; edit src/m/d.rs";
    let mut knowledge = learned(&[agile, agile, agile]);
    for number in 3..6 {
        let mut facts = session(
            number,
            "start build planned 9; edit src/m/a.rs; edit src/m/b.rs",
        );
        facts.methodology = Some("speckit".to_owned());
        knowledge.learn(&facts);
    }
    let told: Vec<String> = knowledge
        .calibrations("src/m")
        .iter()
        .map(|candidate| format!("{} {}", candidate.key, candidate.summary))
        .collect();
    assert_eq!(
        told,
        [
            "calibration:src/m:native Plan 2.0× the steps for `src/m`",
            "calibration:src/m:speckit Plan 0.2× the steps for `src/m`"
        ]
    );
}

#[test]
fn calls_and_items_of_a_list_share_no_mean() {
    let calls = "start build planned 2; repeat 4 edit src/m/a.rs";
    let items = "plan 2; edit src/m/a.rs; plan 12; edit src/m/b.rs";
    let knowledge = learned(&[calls, items, calls, items, calls, items]);
    let told: Vec<String> = knowledge
        .calibrations("src/m")
        .iter()
        .map(|candidate| candidate.summary.to_string())
        .collect();
    assert_eq!(
        told,
        [
            "Plan 2.0× the steps for `src/m`",
            "Plan 6.0× the items of a list for `src/m`"
        ]
    );
}

#[test]
fn an_answer_to_an_error_is_told_once_two_sessions_gave_it() {
    let plain = "read src/m/core.rs; edit src/m/a.rs; run make = 0";
    let answered = "read src/m/core.rs; run make = 2: error: header `bad` not found; run ./configure = 0; run make = 0; edit src/m/a.rs; run make = 0";
    let is_told = |times: usize| {
        let mut stories = vec![plain; 8];
        stories.extend(vec![answered; times]);
        let told = learned(&stories).synthesize("src/m", &Stated::nothing());
        told.iter()
            .any(|candidate| candidate.key.starts_with("known_error:"))
    };
    assert!(!is_told(1));
    assert!(is_told(2));
}

#[test]
fn an_answer_is_no_news_where_the_error_itself_gave_it_to_half_of_the_sessions() {
    let answered = "run make = 2: error: header `bad` not found; run ./configure = 0; run make = 0; edit src/m/a.rs; run make = 0";
    let is_told = |advised: u32, all: u32| {
        let mut known = Knowledge::default();
        for number in 0..all {
            let mut facts = session(number, answered);
            for error in &mut facts.errors {
                let solved = error.solved.as_mut().expect("it was solved");
                solved.advised = number < advised;
            }
            known.learn(&facts);
        }
        !known.errors_known("src/m").is_empty()
    };
    assert!(is_told(0, 2) && is_told(1, 3) && is_told(2, 5));
    assert!(!is_told(2, 2) && !is_told(1, 2) && !is_told(2, 4));
}
