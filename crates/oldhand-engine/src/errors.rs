//! Errors that agents met here, and what made them go away.

use std::collections::BTreeSet;

use oldhand_domain::confidence::Confidence;
use oldhand_domain::event::Digest;
use oldhand_domain::filter::{Filter, State};
use oldhand_domain::id::SessionId;
use oldhand_domain::memory::Memory;
use oldhand_domain::session::SessionStore;
use oldhand_domain::text::Fingerprint;
use oldhand_observe::detect::SolvedBy;
use oldhand_observe::fingerprint::fingerprint;
use oldhand_observe::learn::ErrorRecord;

use crate::finalize::{Across, SessionBody};
use crate::{Engine, EngineError};

/// What fixed an error before, sure enough to be told when it comes again.
#[derive(Clone, Debug, PartialEq)]
pub struct KnownFix {
    /// The error without what changes between runs.
    pub message: String,
    /// Names the error wherever it is named: the same for the same message.
    pub error: Digest,
    pub by: SolvedBy,
    /// What the agent said before it did that.
    pub words: Option<String>,
    /// The sessions that fixed it this way.
    pub sessions: Vec<SessionId>,
    pub confidence: Confidence,
    /// The memories about the same error.
    pub about: Vec<Memory>,
}

/// How many sessions are asked about one error. More would not make its fix surer.
const ASKED: usize = 12;

impl Engine<'_> {
    /// Every error that finished sessions met, those of most sessions first.
    pub fn errors(&self, sessions: &dyn SessionStore) -> Result<Vec<ErrorRecord>, EngineError> {
        let knowledge = Across::read(sessions, &BTreeSet::new())?.knowledge;
        let errors = knowledge.errors.into_values();
        let mut errors: Vec<ErrorRecord> = errors.filter(|error| !error.is_of_a_look()).collect();
        errors.sort_by(|a, b| {
            let rank = |error: &ErrorRecord| (error.sessions.len(), error.count, error.last_at);
            rank(b)
                .cmp(&rank(a))
                .then_with(|| a.message.cmp(&b.message))
        });
        Ok(errors)
    }

    /// What fixed the error that `output` tells of, when a validated session did. Reads only the sessions that met it.
    ///
    /// A person's word against a memory of the same error counts against the fix too.
    pub fn known_fix(
        &self,
        output: &str,
        sessions: &dyn SessionStore,
    ) -> Result<Option<KnownFix>, EngineError> {
        let Some(error) = fingerprint(output) else {
            return Ok(None);
        };
        let mut record = ErrorRecord::default();
        for met in sessions.sessions_with_error(&error.message, ASKED)? {
            let Some(body) = SessionBody::read(&met) else {
                continue;
            };
            let told = body.facts.errors.iter();
            if let Some(fact) = told.into_iter().find(|fact| fact.message == error.message) {
                record.learn(&body.facts, fact);
            }
        }
        let Some((by, fix)) = record.best() else {
            return Ok(None);
        };
        if names_another(by, output) {
            return Ok(None);
        }
        let mut about = self.about_message(&error.message)?;
        if about.iter().any(is_spoken_against) {
            return Ok(None);
        }
        // What was replaced or grew old says nothing against the fix.
        about.retain(Memory::is_live);
        Ok(Some(KnownFix {
            message: error.message.clone(),
            error: error.fingerprint,
            by: by.clone(),
            words: fix.words.clone(),
            sessions: fix.sessions.iter().cloned().collect(),
            confidence: fix.confidence(),
            about,
        }))
    }

    /// The memories about an error, those that went included.
    fn about_message(&self, message: &str) -> Result<Vec<Memory>, EngineError> {
        let Ok(fingerprint) = Fingerprint::new(message) else {
            return Ok(Vec::new());
        };
        let filter = Filter {
            state: State::Any,
            fingerprints: vec![fingerprint],
            ..Filter::default()
        };
        Ok(self.project.list(&filter)?.memories)
    }
}

/// Whether a fix brings a package or a page that this error does not speak of: errors are known by their words without names, and
/// what one missing package needed helps no other.
fn names_another(by: &SolvedBy, output: &str) -> bool {
    let (SolvedBy::First(command) | SolvedBy::Command(command)) = by else {
        return false;
    };
    let mut words = command.split_whitespace();
    words.any(|word| {
        let word = word.trim_matches(['"', '\'']);
        let versioned = word.rsplit_once('@').filter(|(name, version)| {
            !name.is_empty() && version.starts_with(|c: char| c.is_ascii_digit() || c == 'v')
        });
        let host = word.split_once('/').map_or("", |(host, _)| host);
        let is_address = host.trim_matches('.').contains('.') || word.contains("://");
        match versioned {
            Some((name, _)) => !output.contains(name),
            None => is_address && !output.contains(word),
        }
    })
}

/// Whether somebody said that a memory is wrong, or a person wants no more of it.
fn is_spoken_against(memory: &Memory) -> bool {
    memory.is_rejected() || memory.is_live() && memory.flagged.is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_one_missing_package_needed_is_told_of_no_other() {
        let output = "main.go:3:1: no module here provides package example.org/acme/ink";
        let first = |command: &str| SolvedBy::First(command.to_owned());
        for (command, is_of_another) in [
            ("go get example.org/acme/ink@v1.4.0", false),
            ("go get example.org/acme/ink", false),
            ("go get example.org/other/paper@v2.0.0", true),
            ("go get example.org/other/paper", true),
            ("npm install paper@2", true),
            ("./scripts/gen.sh src/ink.go", false),
            ("../tools/gen.sh", false),
            ("go mod tidy", false),
        ] {
            assert_eq!(
                names_another(&first(command), output),
                is_of_another,
                "{command}"
            );
        }
    }
}
