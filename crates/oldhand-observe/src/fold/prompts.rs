//! What a person said, and what they had just refused when they said it.

use jiff::Timestamp;
use oldhand_domain::event::{Call, Place};
use oldhand_domain::path::ProjectPath;

use super::{LIST_LIMIT, SessionAnalytics};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PromptUse {
    /// The step before which it came.
    pub step: u32,
    pub text: String,
    pub at: Timestamp,
    /// Parts of it come from elsewhere.
    pub pasted: bool,
    /// The call that the person had just refused, and says this about.
    pub refused: Option<Refused>,
}

/// A call that a person did not let through.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refused {
    Command(String),
    Edit(ProjectPath),
    Other,
}

impl Refused {
    pub(super) fn of(call: &Call) -> Self {
        let file = match call {
            Call::Shell { command, .. } => return Self::Command(command.as_str().to_owned()),
            Call::Edit { files, .. } => files.first().and_then(Place::project),
            Call::Write { file, .. } => file.project(),
            _ => None,
        };
        file.map_or(Self::Other, |file| Self::Edit(file.clone()))
    }
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
        let refused = self.refused.take();
        if self.prompts.len() < LIST_LIMIT {
            self.prompts.push(PromptUse {
                step: self.step,
                text: text.to_owned(),
                at,
                pasted,
                refused,
            });
        }
    }
}
