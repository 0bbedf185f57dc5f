//! Commands that the main agent wanted to run, and which of them a person refused in the end.

use jiff::Timestamp;
use oldhand_domain::event::{Call, Ending, Event, Happening, Return, UserCorrection};

use super::{LIST_LIMIT, SessionAnalytics};
use crate::language::instruction::objection;
use crate::outcome::commands::{attempted, hands_in, refused_in};

/// What became of a command the last time that it was wanted: whoever lets it run later in the session minded the moment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attempt {
    pub at: Timestamp,
    pub step: u32,
    pub refused: bool,
    /// What the person said with it, where that is about the command.
    pub why: Option<String>,
}

/// How prompts call what hands work in.
const ORDERED: [&str; 9] = [
    "commit", "push", "pr", "prs", "pull", "merge", "mr", "release", "ship",
];

impl SessionAnalytics {
    /// A call begins; a person may refuse it.
    pub(super) fn want(&mut self, key: u64, call: &Call, event: &Event) {
        let line = match call {
            Call::Shell { command, .. } => Some(command.as_str().to_owned()),
            _ => None,
        };
        if event.agent.is_none() && self.wanted.len() < LIST_LIMIT {
            self.wanted.insert(key, line);
        }
    }

    /// It came back, so that nobody refused it.
    pub(super) fn got(&mut self, key: u64, back: &Return, event: &Event) {
        self.wanted.remove(&key);
        let Call::Shell { command, .. } = &back.call else {
            return;
        };
        if event.agent.is_none() && back.ended != Ending::Interrupted {
            for what in attempted(command.as_str()) {
                self.attempt(what, event.at, None);
            }
        }
    }

    /// A person refused a call. Clients do not say which: it is known where one alone was waiting.
    pub(super) fn refuse(&mut self, how: UserCorrection, event: &Event) {
        if how != UserCorrection::PermissionDenied || event.agent.is_some() {
            return;
        }
        // It was about the file, and so are the words behind it.
        if matches!(event.what, Happening::Corrected { file: Some(_), .. }) {
            self.refused_command = None;
            return;
        }
        let mut waiting = self.wanted.values();
        let line = match (waiting.next(), waiting.next()) {
            (Some(Some(line)), None) => refused_in(line),
            _ => None,
        };
        self.wanted.clear();
        self.refused_command.clone_from(&line);
        if let Some(what) = line {
            self.attempt(what, event.at, Some(self.step));
        }
    }

    /// The first words behind a refusal.
    pub(super) fn hear_why(&mut self, words: &str) {
        if let Some(what) = self.refused_command.take()
            && let Some(attempt) = self.attempts.get_mut(&what)
        {
            attempt.why = objection(words, &what).map(str::to_owned);
        }
    }

    fn attempt(&mut self, what: String, at: Timestamp, refused: Option<u32>) {
        // What somebody ordered and then refused waits for something else.
        if hands_in(&what) && self.is_handing_ordered() || self.attempts.len() >= ATTEMPTS {
            return;
        }
        let attempt = Attempt {
            at,
            step: refused.unwrap_or(self.step),
            refused: refused.is_some(),
            why: None,
        };
        self.attempts.insert(what, attempt);
    }

    fn is_handing_ordered(&self) -> bool {
        self.typed().any(|prompt| {
            let lower = prompt.text.to_lowercase();
            let mut words = lower.split(|c: char| !c.is_alphanumeric());
            words.any(|word| ORDERED.contains(&word))
        })
    }
}

/// Commands kept of a session.
const ATTEMPTS: usize = 200;

#[cfg(test)]
mod tests {
    use oldhand_domain::event::{Event, Happening};
    use oldhand_domain::path::ProjectPath;

    use super::super::{FoldOptions, fold};
    use crate::story::events;

    fn wanted(story: &str) -> Vec<String> {
        ends(&events(story))
    }

    /// What was wanted in a session, and how that ended.
    fn ends(events: &[Event]) -> Vec<String> {
        let session = fold(events, &FoldOptions::default());
        let told = session.attempts.iter().map(|(what, attempt)| {
            let why = attempt.why.as_ref();
            let why = why.map_or(String::new(), |why| format!(": {why}"));
            let end = if attempt.refused { "refused" } else { "run" };
            format!("{what} {end}{why}")
        });
        told.collect()
    }

    #[test]
    fn the_last_word_on_a_command_counts() {
        for (story, expected) in [
            ("run make e2e = 0", "make e2e run"),
            ("run make e2e = refused", "make e2e refused"),
            (
                "run make e2e = refused; prompt too slow.; run make e2e = 0",
                "make e2e run",
            ),
            (
                "run make e2e = 0; edit a.rs; run make e2e = refused; prompt too slow.",
                "make e2e refused: too slow",
            ),
            (
                "run make e2e = refused; prompt what are you doing?; prompt too slow.",
                "make e2e refused",
            ),
            // Nobody knows which of the two it was.
            ("run make e2e = waits; task look at it = refused", ""),
            ("run make e2e = waits; read a.rs = refused", ""),
            ("run make e2e = waits; write a.rs = refused", ""),
            ("run make fmt && make e2e = refused", ""),
            ("call ExitPlanMode = refused", ""),
            ("as one: run make e2e = 0", ""),
        ] {
            assert_eq!(wanted(story).join(", "), expected, "{story}");
        }
    }

    fn is_refusal(event: &Event) -> bool {
        matches!(event.what, Happening::Corrected { .. })
    }

    #[test]
    fn a_refusal_that_names_a_file_is_about_no_command() {
        for (story, expected) in [
            ("run make e2e = waits; corrected permission_denied", ""),
            (
                "run make e2e = refused; corrected permission_denied; prompt too slow.",
                "make e2e refused",
            ),
        ] {
            let mut events = events(story);
            let refusals = events.iter().filter(|event| is_refusal(event));
            let last = refusals.map(|event| event.at).max().unwrap();
            for event in &mut events {
                // The first of two was about the command.
                if let Happening::Corrected { file, .. } = &mut event.what {
                    *file = ProjectPath::new("a.rs").ok().filter(|_| event.at == last);
                }
            }
            assert_eq!(ends(&events).join(", "), expected, "{story}");
        }
    }

    #[test]
    fn what_hands_work_in_counts_where_nobody_asked_for_it() {
        let refused = "run git commit -m x = refused";
        for (prompt, expected) in [
            ("fix the parser", "git commit refused"),
            ("fix the parser and commit", ""),
            ("open a PR when it is done", ""),
        ] {
            let story = format!("prompt {prompt}; edit a.rs; {refused}");
            assert_eq!(wanted(&story).join(", "), expected, "{prompt}");
        }
    }
}
