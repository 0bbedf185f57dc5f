//! What the agent admitted in its own words, with the place where it did.

use std::cell::RefCell;

use oldhand_domain::event::Voice;
use oldhand_domain::path::ProjectPath;

use super::SessionAnalytics;
use crate::language::cause::{Mark, causes};
use crate::language::{Admission, admissions};

/// A sentence in which the agent admitted something.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Said {
    pub step: u32,
    /// How many prompts had come before.
    pub prompts: usize,
    pub admission: Admission,
    pub voice: Voice,
    /// As it was said; of a cause the statement alone.
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

/// What a text admits: in which sentence, and what follows it.
type Found = Vec<(Admission, String, Option<String>)>;

thread_local! {
    /// What was found last, and in what: where there are subagents, each text is heard for the whole session and then for its agent alone.
    static LAST: RefCell<(Option<Voice>, String, Found)> = const { RefCell::new((None, String::new(), Vec::new())) };
}

fn found_again(voice: Voice, text: &str) -> Found {
    LAST.with_borrow_mut(|(of, last, found)| {
        if *of != Some(voice) || last != text {
            *found = find(voice, text);
            *of = Some(voice);
            text.clone_into(last);
        }
        found.clone()
    })
}

fn find(voice: Voice, text: &str) -> Found {
    let admitted = admissions(text).into_iter().map(|admitted| {
        let next = admitted.next.map(str::to_owned);
        (admitted.admission, admitted.sentence.to_owned(), next)
    });
    // Thoughts go through many causes before they come to one.
    let causes = if voice == Voice::Said {
        causes(text)
    } else {
        Vec::new()
    };
    let causes = causes.into_iter().map(|stated| {
        let admission = match stated.mark {
            Mark::Discovery => Admission::Cause,
            Mark::Behaviour => Admission::Behaviour,
        };
        (admission, stated.statement, None)
    });
    admitted.chain(causes).collect()
}

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
        for (admission, sentence, next) in found_again(voice, text) {
            // Transcripts and hooks tell the same sentence twice.
            let known = self.said.iter().any(|said| said.sentence == sentence);
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
                prompts: self.prompts.len(),
                admission,
                voice,
                sentence,
                next,
                agent: agent.map(str::to_owned),
                files,
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_thought_before_it_was_said_still_tells_its_cause() {
        let text = "Found it — `RLIMIT_AS` isn't settable on this kind of system, so `preexec_fn` raises in every child.";
        let heard = |voices: &[Voice]| {
            let mut session = SessionAnalytics::default();
            for voice in voices {
                session.hear(*voice, text, None);
            }
            session.said.len()
        };
        assert_eq!(heard(&[Voice::Reasoned]), 0);
        assert_eq!(heard(&[Voice::Reasoned, Voice::Said]), 1);
        // Each session hears it for itself.
        assert_eq!(heard(&[Voice::Said]), 1);
    }
}
