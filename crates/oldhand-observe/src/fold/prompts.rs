//! What a person said.

use jiff::Timestamp;
use oldhand_domain::event::Event;
use oldhand_domain::taint::OutsideText;

use super::{LIST_LIMIT, SessionAnalytics};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PromptUse {
    /// The step before which it came.
    pub step: u32,
    pub text: String,
    pub at: Timestamp,
    /// Parts of it come from elsewhere.
    pub pasted: bool,
    /// Whether the person had just refused a call.
    pub refuses: bool,
}

impl SessionAnalytics {
    pub(super) fn push_prompt(&mut self, text: &str, pasted: bool, at: Timestamp) {
        // A client that runs two hooks says it twice; nobody repeats their words before anything was done.
        let again = self
            .prompts
            .last()
            .is_some_and(|last| last.step == self.step && last.text == text);
        if again {
            return;
        }
        self.close_plan();
        let refuses = std::mem::take(&mut self.refused);
        self.wanted.clear();
        self.hear_why(if pasted { "" } else { text });
        if self.prompts.len() < LIST_LIMIT {
            self.prompts.push(PromptUse {
                step: self.step,
                text: text.to_owned(),
                at,
                pasted,
                refuses,
            });
        }
    }

    /// Notes what a person typed where the agent had asked them something.
    pub(super) fn push_answer(&mut self, text: &str, pasted: bool, event: &Event) {
        if pasted {
            self.take_outside(OutsideText::Pasted);
        }
        let told_already = self.answers.iter().any(|known| known.text == text);
        if event.agent.is_none() && !told_already && self.answers.len() < LIST_LIMIT {
            self.answers.push(PromptUse {
                step: self.step,
                text: text.to_owned(),
                at: event.at,
                pasted,
                refuses: false,
            });
        }
    }

    /// Everything that a person typed: first the prompts, then the answers to questions of the agent.
    pub(crate) fn typed(&self) -> impl Iterator<Item = &PromptUse> {
        self.prompts.iter().chain(&self.answers)
    }
}

#[test]
fn a_typed_answer_lays_down_what_a_prompt_would_and_says_nothing_of_the_work() {
    use super::{FoldOptions, fold};
    use crate::distill::rules_laid_down;
    use crate::outcome::judgement::{WorkVerdict, judge};

    let folded = |said: &str| {
        let story = format!("prompt go on; edit a.rs; run make test = 0; {said}");
        fold(&crate::story::events(&story), &FoldOptions::default())
    };
    for (verb, expected) in [
        ("answer", WorkVerdict::Passed),
        ("prompt", WorkVerdict::Failed),
    ] {
        let session = folded(&format!("{verb} no, that broke the page"));
        assert_eq!(judge(&session).verdict, expected, "{verb}");
        let session = folded(&format!("{verb} always use pnpm in this repository"));
        assert_eq!(rules_laid_down(&session).len(), 1, "{verb}");
    }
}
