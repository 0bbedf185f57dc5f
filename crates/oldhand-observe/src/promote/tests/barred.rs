//! What may not pass whatever it is worth, and what belongs to which subtask.

use super::*;

#[test]
fn what_is_barred_does_not_pass_whatever_it_is_worth() {
    let story = format!("{ERROR}{PASSED}");
    let memory = MemoryId::new(uuid::Uuid::from_u128(1));
    for (barred, why) in [
        (
            Dropped::LearnedBefore { memory },
            format!("dropped: memory {memory} was learned from this session before"),
        ),
        (
            Dropped::Rejected { memory },
            format!("dropped: a person rejected it as memory {memory}"),
        ),
        (
            Dropped::Erased,
            "dropped: it was erased and stays so".to_owned(),
        ),
        (
            Dropped::StillOpen,
            "dropped: its subtask is not validated yet".to_owned(),
        ),
    ] {
        let mut given = given(2);
        given.barred = report(&story, &given)
            .promoted()
            .map(|(candidate, _)| (candidate.key.clone(), barred.clone()))
            .collect();
        assert_eq!(fate(&story, "error:", &given), why);
    }
}

#[test]
fn what_was_taught_before_counts_against_the_limit() {
    let story = format!("{ERROR}{PASSED}");
    let mut given = given(2);
    given.taught = 19;
    assert_eq!(report(&story, &given).promoted().count(), 1);
    given.taught = 20;
    assert_eq!(
        fate(&story, "error:", &given),
        "dropped: the session may teach 20 memories at most"
    );
}

#[test]
fn a_candidate_belongs_to_the_subtask_that_ended_after_it() {
    let subtask = |story: &str| {
        let session = fold(&events(story), &FoldOptions::default());
        let signals = detect(&session, &Norms::default());
        let candidates = distill(&session, &signals, &[], &Frequency::default());
        let error = candidates
            .iter()
            .find(|candidate| candidate.key.starts_with("error:"))
            .unwrap();
        validated_subtask(&session, error).map(str::to_owned)
    };
    let others = "edit x.rs; subtask first passed; ";
    assert_eq!(
        subtask(&format!("{others}{ERROR}subtask second passed")).as_deref(),
        Some("second")
    );
    assert_eq!(
        subtask(&format!("{others}{ERROR}subtask second failed")),
        None
    );
    assert_eq!(
        subtask(&format!(
            "{others}{ERROR}subtask second failed; edit y.rs; subtask second passed"
        ))
        .as_deref(),
        Some("second"),
        "passed in the end"
    );
    assert_eq!(subtask(&format!("{others}{ERROR}")), None, "still open");
}
