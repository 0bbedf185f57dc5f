//! What a person said.

use jiff::Timestamp;

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
}
