//! What a person wants gone stays gone: no session teaches it again, and no report of one still says it.

use std::collections::BTreeSet;

use oldhand_domain::event::Digest;
use oldhand_domain::id::{MemoryId, SessionId};
use oldhand_domain::kind::Kind;
use oldhand_domain::memory::Memory;
use oldhand_domain::session::{SessionRecord, SessionStore, Tombstone};
use oldhand_observe::distill::{SAID, stated};
use oldhand_observe::learn::FindingFact;
use oldhand_observe::learn::registers::entered_in;

use crate::finalize::{ERASED, SessionBody, SessionReport};
use crate::{Engine, EngineError};

impl Engine<'_> {
    /// Notes what is to be erased, and takes its words out of the records of sessions. What their journals say stays until the
    /// session is discarded, and is not learned again.
    pub fn bury(&self, memory: &Memory, sessions: &dyn SessionStore) -> Result<(), EngineError> {
        bury(memory.id, Some(memory), sessions)
    }
}

/// As [`Engine::bury`]. Of a memory that cannot be read, what sessions told it as says which it was.
pub(crate) fn bury(
    id: MemoryId,
    memory: Option<&Memory>,
    sessions: &dyn SessionStore,
) -> Result<(), EngineError> {
    let id = id.to_string();
    let records = sessions.sessions()?;
    let mut keys: BTreeSet<String> = BTreeSet::new();
    for report in records.iter().filter_map(SessionReport::read) {
        let lines = report.lines.into_iter();
        let became = lines.filter(|line| line.memory.as_ref() == Some(&id));
        keys.extend(became.map(|line| line.key));
    }
    // What an agent found out is kept in its words, and may explain another error as well.
    for body in records.iter().filter_map(SessionBody::read) {
        let findings = body.facts.findings.iter();
        let told = findings.filter(|finding| tells(memory, finding));
        keys.extend(told.map(FindingFact::key));
    }
    let mut tombstones: Vec<Tombstone> = keys.iter().map(|key| Tombstone::of_key(key)).collect();
    if let Some(memory) = memory {
        let content = memory.content.as_str();
        tombstones.push(Tombstone::of_words(content));
        tombstones.push(Tombstone::of_words(stated(content)));
        let entered = entered_in(content);
        tombstones.extend(entered.map(|(kind, register)| of_register(&kind, register)));
        let errors = memory.fingerprints.iter();
        tombstones.extend(errors.map(|error| of_error(error.as_str())));
    }
    sessions.bury(&tombstones)?;
    for record in records {
        if let Some(clean) = without(&record, memory, &keys) {
            sessions.rewrite_session(&clean)?;
        }
    }
    Ok(())
}

impl Engine<'_> {
    /// Removes the record of a session. What many sessions showed together when it was one of them is not told twice.
    pub fn remove_session(
        &self,
        id: &SessionId,
        sessions: &dyn SessionStore,
    ) -> Result<(), EngineError> {
        let record = sessions.session(id)?;
        let told = record.as_ref().and_then(SessionBody::read);
        let thresholds = told.iter().flat_map(|body| &body.thresholds);
        let told: Vec<Tombstone> = thresholds.map(of_threshold).collect();
        sessions.bury(&told)?;
        sessions.remove_session(id)?;
        Ok(())
    }
}

/// Stands for an error that was erased from the registry.
pub(crate) fn of_error(message: &str) -> Tombstone {
    Tombstone::of_key(&format!("error:{}", Digest::of(message)))
}

/// Stands for where a kind of file is entered, whatever the numbers.
pub(crate) fn of_register(kind: &Kind, register: &str) -> Tombstone {
    Tombstone::of_key(&format!("entered:{kind}:{register}"))
}

/// Stands for a look at a whole module that is not taken again.
pub(crate) fn of_threshold((module, sessions): &(String, u32)) -> Tombstone {
    Tombstone::of_key(&format!("threshold:{sessions}:{module}"))
}

/// Whether a memory tells this finding.
fn tells(memory: Option<&Memory>, finding: &FindingFact) -> bool {
    memory.is_some_and(|memory| finding.is_told_in(memory.content.as_str()))
}

/// The record without the words of a memory; `None` when it does not hold them.
fn without(
    record: &SessionRecord,
    memory: Option<&Memory>,
    keys: &BTreeSet<String>,
) -> Option<SessionRecord> {
    let mut clean = record.clone();
    let mut said_by_person = false;
    if let Some(mut report) = SessionReport::read(record) {
        for line in &mut report.lines {
            let says = keys.contains(&line.key)
                || memory.is_some_and(|memory| line.summary == memory.summary.as_str());
            if says {
                said_by_person |= line.key.starts_with(SAID);
                ERASED.clone_into(&mut line.summary);
                ERASED.clone_into(&mut line.key);
                line.memory = None;
            }
        }
        clean.report = serde_json::to_string(&report).expect("plain data always serialises");
    }
    if let Some(mut body) = SessionBody::read(record) {
        let is_about = |message: &str| {
            let mut errors = memory.iter().flat_map(|memory| &memory.fingerprints);
            errors.any(|error| error.as_str() == message)
        };
        body.facts.errors.retain(|error| !is_about(&error.message));
        body.facts
            .signals
            .retain(|signal| !keys.contains(&signal.key));
        body.facts
            .findings
            .retain(|finding| !keys.contains(&finding.key()));
        clean.errors.retain(|message| !is_about(message));
        // A person's rule was part of what they asked for.
        if said_by_person {
            ERASED.clone_into(&mut body.prompt);
        }
        clean.body = serde_json::to_string(&body).expect("plain data always serialises");
    }
    (clean != *record).then_some(clean)
}
