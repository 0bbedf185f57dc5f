//! What the agent admitted in its own words, with the place where it did.

use oldhand_domain::event::Voice;
use oldhand_domain::path::ProjectPath;

use super::SessionAnalytics;
use crate::language::{Admission, admissions};

/// A sentence in which the agent admitted something.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Said {
    pub step: u32,
    pub admission: Admission,
    pub voice: Voice,
    pub sentence: String,
    pub next: Option<String>,
    pub agent: Option<String>,
    /// The files it had just looked at, the latest first.
    pub files: Vec<ProjectPath>,
}

/// When the main agent last spoke: after which call, and after how many prompts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct LastWord {
    step: u32,
    prompts: usize,
}

/// More than this in one session is rambling.
const SAID_LIMIT: usize = 200;

impl SessionAnalytics {
    /// Whether the agent wrote down where it came to: nothing was called or asked since it last spoke.
    pub fn is_summed_up(&self) -> bool {
        self.last_word == Some(self.now())
    }

    fn now(&self) -> LastWord {
        LastWord {
            step: self.step,
            prompts: self.prompts.len(),
        }
    }

    pub(super) fn hear(&mut self, voice: Voice, text: &str, agent: Option<&str>) {
        if voice == Voice::Said && agent.is_none() {
            self.last_word = Some(self.now());
        }
        for admitted in admissions(text) {
            // Transcripts and hooks tell the same sentence twice.
            let known = self
                .said
                .iter()
                .any(|said| said.sentence == admitted.sentence);
            if known || self.said.len() >= SAID_LIMIT {
                continue;
            }
            let files = self
                .recent
                .iter()
                .rev()
                .take(3)
                .map(|(id, ..)| self.files.path(*id).clone())
                .collect();
            self.said.push(Said {
                step: self.step,
                admission: admitted.admission,
                voice,
                sentence: admitted.sentence.to_owned(),
                next: admitted.next.map(str::to_owned),
                agent: agent.map(str::to_owned),
                files,
            });
        }
    }
}
