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
    /// In how many of them the work held.
    pub held: u32,
    pub confidence: Confidence,
    /// The memories about the same error.
    pub about: Vec<Memory>,
}

/// How many sessions are asked about one error. More would not make its fix surer.
const ASKED: usize = 12;

impl Engine<'_> {
    /// Every error that finished sessions met: those that a tested fix ends first, and those of most sessions before others.
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
        errors.sort_by_cached_key(|error| error.tested().is_none());
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
        let Some((by, fix)) = record.best_for(output) else {
            return Ok(None);
        };
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
            held: fix.passed,
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

/// Whether somebody said that a memory is wrong, or a person wants no more of it.
fn is_spoken_against(memory: &Memory) -> bool {
    memory.is_rejected() || memory.is_live() && memory.flagged.is_some()
}
