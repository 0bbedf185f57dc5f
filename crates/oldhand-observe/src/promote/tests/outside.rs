//! What outside text costs.

use oldhand_domain::vocabulary::ReviewReason;

use super::*;

#[test]
fn outside_text_costs_confidence_score_and_a_review() {
    let story = format!("fetch https://x.y = ok; {ERROR}{PASSED}");
    assert_eq!(
        fate(&story, "error:", &given(2)),
        "promoted: score 0.55, confidence 0.59, seen in 2 sessions, needs review"
    );
    let story = format!(
        "fetch https://x.y = ok; edit src/a.rs; edit src/b.rs; note gotcha: The port is 8080 in `a.rs`.; {PASSED}"
    );
    let report = report(&story, &given(1));
    let mut tainted = report
        .promoted()
        .filter(|(candidate, _)| !candidate.taint.is_clean())
        .peekable();
    assert!(tainted.peek().is_some(), "a person may still take it");
    assert!(tainted.all(|(_, promotion)| promotion.review == Some(ReviewReason::OutsideText)));
}

#[test]
fn a_page_that_helps_again_and_again_is_told_for_review() {
    let story = format!("search Rust Pin docs = ok; read src/a.rs; edit src/a.rs; {PASSED}");
    assert!(fate(&story, "web:", &given(2)).starts_with("dropped: seen in"));
    let told = fate(&story, "web:", &given(3));
    assert_eq!(
        told,
        "promoted: score 0.63, confidence 0.45, seen in 3 sessions, needs review"
    );
    let report = report(&story, &given(3));
    let mut promoted = report.promoted();
    let (page, _) = promoted
        .find(|(candidate, _)| candidate.key.starts_with("web:"))
        .unwrap();
    assert_eq!(page.taint, Taint::by(OutsideText::Web));
    let poisoned = format!("fetch https://x.y = ok; {story}");
    let told = fate(&poisoned, "web:rust", &given(3));
    assert!(told.starts_with("dropped: score"), "{told}");
}

#[test]
fn what_a_person_laid_down_waits_for_them_and_outlives_work_that_failed() {
    for end in [
        PASSED,
        "edit src/z.c; run make test = 0; validated failed; ",
    ] {
        let story = format!("prompt Always use pnpm, never npm, in this repository.; {end}");
        let promoted = report(&story, &given(9));
        let mut verdicts = promoted.verdicts.iter();
        let said = verdicts.find(|(candidate, _)| candidate.key.starts_with("said:"));
        let Some((_, Verdict::Promoted(promotion))) = said else {
            panic!("{end}: {said:?}");
        };
        assert_eq!(promotion.review, Some(ReviewReason::Guess), "{end}");
    }
}
