//! What specifications and reviews are closed by: a person's word, and the reviewer's own last one.

use oldhand_domain::event::SessionType;

use super::{Evidence, reply};
use crate::fold::{PromptUse, SessionAnalytics};

/// The evidence that only sessions of these types wait for.
pub(super) fn find(session: &SessionAnalytics) -> Option<Evidence> {
    match session.kind().session_type {
        SessionType::SpecCreation => accepted(session),
        SessionType::PrReview => reviewed(session),
        _ => None,
    }
}

/// The last approval of what was written before it and left alone since.
fn accepted(session: &SessionAnalytics) -> Option<Evidence> {
    let mut prompts = session.prompts.iter().rev();
    prompts.find_map(|prompt| {
        let words = reply::accepts(&prompt.text)?;
        let stands = !prompt.pasted && !prompt.refuses && is_final(session, prompt);
        stands.then_some(Evidence::Accepted {
            words,
            step: prompt.step,
        })
    })
}

/// Whether there was something to accept, and none of it was changed afterwards.
fn is_final(session: &SessionAnalytics, prompt: &PromptUse) -> bool {
    let (before, after): (Vec<_>, Vec<_>) = session
        .edits
        .iter()
        .partition(|edit| edit.step <= prompt.step);
    let again = |file| after.iter().any(|edit| edit.file == file);
    !before.is_empty() && !before.iter().any(|edit| again(edit.file))
}

/// A review that is broken off ends with a call or a question; one that is completed, with what the reviewer has to say, or it was
/// posted.
fn reviewed(session: &SessionAnalytics) -> Option<Evidence> {
    let posted = session.posted_review().map(str::to_owned);
    session.is_reviewed().then_some(Evidence::Reviewed {
        posted,
        step: session.step,
    })
}

#[cfg(test)]
mod tests {
    use super::super::judge;
    use crate::fold::{FoldOptions, fold};
    use crate::story::events;

    fn evidence(story: &str) -> String {
        let session = fold(&events(story), &FoldOptions::default());
        let found = judge(&session).evidence;
        let lines: Vec<String> = found.iter().map(super::Evidence::describe).collect();
        lines.join(", ")
    }

    #[test]
    fn a_specification_is_accepted_by_a_person_who_has_seen_the_last_of_it() {
        let accepted = "the user accepted it: \"Looks good, thanks\"";
        let spec = "start spec_creation; prompt specify the export; write spec/export.md";
        for (story, expected) in [
            ("prompt Looks good, thanks", accepted),
            ("prompt Looks good, thanks; edit src/export.rs", accepted),
            ("prompt Looks good, thanks; edit spec/export.md", ""),
            ("prompt what about errors?", ""),
            ("paste Looks good, thanks", ""),
            ("say Looks good, thanks", ""),
            ("end", ""),
        ] {
            assert_eq!(evidence(&format!("{spec}; {story}")), expected, "{story}");
        }
        let nothing_yet = "start spec_creation; prompt Looks good, thanks; write spec/export.md";
        assert_eq!(evidence(nothing_yet), "");
        let build = "prompt specify the export; write spec/export.md; prompt Looks good, thanks";
        assert_eq!(evidence(build), "");
    }

    #[test]
    fn a_review_is_completed_by_its_last_word() {
        let review = "start pr_review; prompt review it; read src/a.rs; say Let me run the tests.";
        let completed = "the review ended with a summary";
        for (story, expected) in [
            ("run make test = 0; say Two findings.", completed),
            ("run make test = 0; say Two findings.; end", completed),
            ("run make test = 0", ""),
            ("run make test = 0; end", ""),
            ("run make test = 0; think Two findings.", ""),
            ("run make test = 0; as one: say Two findings.", ""),
            ("run make test = 0; say Two findings.; prompt go on", ""),
            (
                "run gh pr review 12 -a = 0; run make test = 0",
                "the review was posted: `gh pr review 12 -a`",
            ),
            ("run gh pr review 12 -a = 1: no", ""),
        ] {
            assert_eq!(evidence(&format!("{review}; {story}")), expected, "{story}");
        }
        assert_eq!(evidence("read src/a.rs; say Two findings."), "");
    }
}
