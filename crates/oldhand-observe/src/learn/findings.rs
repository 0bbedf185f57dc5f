//! What agents found out, kept until another session meets what it explains or finds the same: what one agent thought of one day is mostly
//! mended, known to everybody or half of the truth.

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;
use oldhand_domain::event::Digest;
use oldhand_domain::id::SessionId;
use oldhand_domain::path::ProjectPath;
use oldhand_domain::taint::Taint;
use serde::{Deserialize, Serialize};

use super::Knowledge;
use super::errors::ErrorRecord;
use super::facts::SessionFacts;
use crate::detect::{CAUSE, Finding, Signal, Symptom, causes};
use crate::distill::{Again, Candidate, found_again, found_told, is_same, names, stated, topic};

/// So many names must two findings share to be the same one.
const SHARED: usize = 2;

/// What a session found out and nothing said or done in it spoke against; the files are asked when it is told.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FindingFact {
    pub statement: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub mended: Vec<ProjectPath>,
    /// The errors that it explains, the first one first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub explains: Vec<Symptom>,
    pub steps: Vec<u32>,
    #[serde(default, skip_serializing_if = "Taint::is_clean")]
    pub taint: Taint,
}

/// The findings of a session that nothing in it spoke against.
pub(crate) fn findings(signals: &[Signal], candidates: &[Candidate]) -> Vec<FindingFact> {
    let stands = |signal: &&Signal| {
        let mut own = candidates.iter().filter(|one| one.key == signal.key);
        own.any(Candidate::is_fit)
    };
    let facts = signals.iter().filter(stands).filter_map(|signal| {
        let Finding::Cause {
            statement,
            mended,
            explains,
        } = &signal.finding
        else {
            return None;
        };
        Some(FindingFact {
            statement: statement.clone(),
            mended: mended.clone(),
            explains: explains.clone(),
            steps: signal.evidence.clone(),
            taint: signal.taint.clone(),
        })
    });
    facts.collect()
}

/// A finding with the session that made it, and what it is compared by.
#[derive(Clone, Debug, PartialEq)]
struct Known {
    at: Timestamp,
    session: SessionId,
    fact: FindingFact,
    names: Vec<String>,
    /// What it is about; its own words where it names nothing.
    topic: String,
    /// The errors that it explains, without their places.
    errors: BTreeSet<String>,
}

/// Which sessions are asked: those that no outside text came before decide by themselves where they can.
#[derive(Clone, Copy)]
enum Whose {
    Clean,
    Anybodys,
}

impl Whose {
    fn counts(self, taint: &Taint) -> bool {
        match self {
            Self::Clean => taint.is_clean(),
            Self::Anybodys => true,
        }
    }
}

/// Everything that sessions found out.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Findings {
    all: Vec<Known>,
    of_error: BTreeMap<String, Vec<usize>>,
    of_topic: BTreeMap<String, Vec<usize>>,
    /// The messages of an error, by what they are without the place that some of them begin with.
    messages: BTreeMap<String, BTreeSet<String>>,
}

impl Findings {
    pub(super) fn learn(&mut self, facts: &SessionFacts) {
        for error in &facts.errors {
            let messages = self.messages.entry(bare(&error.message).to_owned());
            messages.or_default().insert(error.message.clone());
        }
        for known in of_session(facts) {
            let at = self.all.len();
            for error in &known.errors {
                self.of_error.entry(error.clone()).or_default().push(at);
            }
            let topic = known.topic.clone();
            self.of_topic.entry(topic).or_default().push(at);
            self.all.push(known);
        }
    }

    /// What is known of these errors and about this topic, the last learned first; some of it twice.
    fn near<'k>(
        &'k self,
        errors: &'k BTreeSet<String>,
        topic: &str,
    ) -> impl Iterator<Item = &'k Known> {
        let of_errors = errors.iter().filter_map(|error| self.of_error.get(error));
        let at = of_errors.chain(self.of_topic.get(topic));
        at.flat_map(|at| at.iter().rev())
            .filter_map(|at| self.all.get(*at))
    }
}

impl FindingFact {
    /// What it is known by in the session that found it.
    pub fn key(&self) -> String {
        causes::key(&self.statement)
    }

    /// What a memory tells of it, without an error.
    pub fn told(&self) -> String {
        found_told(&self.statement, &self.mended)
    }

    /// Whether a memory tells it, with or without an error.
    pub fn is_told_in(&self, content: &str) -> bool {
        self.told() == stated(content)
    }
}

impl Known {
    fn new(facts: &SessionFacts, fact: &FindingFact) -> Self {
        let topic = topic(&fact.statement);
        let errors = fact.explains.iter();
        Self {
            at: facts.at,
            session: facts.session.clone(),
            names: names(&fact.statement),
            topic: if topic.is_empty() {
                fact.statement.clone()
            } else {
                topic
            },
            errors: errors
                .map(|error| bare(&error.message).to_owned())
                .collect(),
            fact: fact.clone(),
        }
    }

    /// What it is known by, whoever words it: the error that it explains, else what it is about.
    fn key(&self) -> String {
        match self.fact.explains.first() {
            Some(error) => format!("{CAUSE}of:{}", Digest::of(bare(&error.message))),
            None => format!("{CAUSE}about:{}", Digest::of(&self.topic)),
        }
    }

    fn says_the_same(&self, other: &Self) -> bool {
        if self.topic != other.topic {
            return false;
        }
        let shared = self.names.iter().filter(|name| other.names.contains(name));
        self.fact.statement == other.fact.statement
            || shared.count() >= SHARED && is_same(&self.names, &other.names)
    }

    /// Whether only one of the two is told.
    fn is_rival(&self, other: &Self) -> bool {
        !self.errors.is_disjoint(&other.errors) || self.says_the_same(other)
    }

    /// Later findings are of those who knew more.
    fn rank(&self) -> (Timestamp, &SessionId, &[u32]) {
        (self.at, &self.session, &self.fact.steps)
    }
}

/// What is left of the findings of a session whose work did not fail.
fn of_session(facts: &SessionFacts) -> Vec<Known> {
    let stands = facts.succeeded != Some(false);
    let findings = facts.findings.iter().filter(|_| stands);
    findings.map(|fact| Known::new(facts, fact)).collect()
}

/// An error without the place and the kind that it may begin with: `<path>:<n>: error: no such shelf` is `no such shelf`.
pub(super) fn bare(message: &str) -> &str {
    const BEFORE: [&str; 6] = [
        "<path>:",
        "<n>:",
        "error:",
        "Error:",
        "ERROR:",
        "fatal error:",
    ];
    let mut rest = message.trim_start();
    while let Some(after) = BEFORE.iter().find_map(|before| rest.strip_prefix(before)) {
        rest = after.trim_start();
    }
    if rest.is_empty() { message } else { rest }
}

impl Knowledge {
    /// What was found out and met again, as far as a session has to do with it: it met the error, or it found the same or made it. Whichever
    /// session comes last, the words and the marks are the same.
    pub(crate) fn found_again(&self, facts: &SessionFacts) -> Vec<Candidate> {
        let own = of_session(facts);
        let met = facts.errors.iter().map(|error| bare(&error.message));
        let own_errors = own.iter().flat_map(|known| known.errors.iter().cloned());
        let errors: BTreeSet<String> = met.map(str::to_owned).chain(own_errors).collect();
        let none = BTreeSet::new();
        let of_errors = self.findings.near(&errors, "");
        let of_topics = own
            .iter()
            .flat_map(|known| self.findings.near(&none, &known.topic));
        let mut near: Vec<&Known> = own.iter().chain(of_errors).chain(of_topics).collect();
        near.sort_by(|one, other| other.rank().cmp(&one.rank()));
        near.dedup_by(|one, other| std::ptr::eq(*one, *other));
        let mut told: BTreeMap<String, Candidate> = BTreeMap::new();
        for whose in [Whose::Clean, Whose::Anybodys] {
            for known in &near {
                if let Some(candidate) = self.tell_again(known, whose, &own, facts) {
                    told.entry(candidate.key.clone()).or_insert(candidate);
                }
            }
        }
        told.into_values().collect()
    }

    /// Everything that may be a rival of a finding, it itself among them; some of it twice.
    fn beside<'k>(&'k self, known: &'k Known, own: &'k [Known]) -> impl Iterator<Item = &'k Known> {
        let others = self.findings.near(&known.errors, &known.topic);
        own.iter().chain(others)
    }

    /// A finding with all that met it; `None` where nobody else did, or where somebody found out more since. What clean sessions tell by
    /// themselves no marked one outdoes.
    fn tell_again(
        &self,
        known: &Known,
        whose: Whose,
        own: &[Known],
        facts: &SessionFacts,
    ) -> Option<Candidate> {
        let counts = |other: &&Known| whose.counts(&other.fact.taint);
        let outdoes =
            |other: &Known| other.rank() > known.rank() && counts(&other) && other.is_rival(known);
        if !counts(&known) || self.beside(known, own).any(outdoes) {
            return None;
        }
        let is_told_clean = |other: &Known| {
            other.is_rival(known) && self.tell_again(other, Whose::Clean, own, facts).is_some()
        };
        if matches!(whose, Whose::Anybodys) && self.beside(known, own).any(is_told_clean) {
            return None;
        }
        let mut witnesses = BTreeMap::from([(&known.session, known.at)]);
        let mut taint = known.fact.taint.clone();
        let others = self.beside(known, own).filter(counts);
        for same in others.filter(|other| other.says_the_same(known)) {
            witnesses.insert(&same.session, same.at);
            taint = taint.join(&same.fact.taint);
        }
        let mut symptom: Option<(&Symptom, usize)> = None;
        for error in &known.fact.explains {
            let met = self.met_by(&error.message, facts);
            let met = met.into_iter().filter(|met| whose.counts(met.taint));
            let mut times = BTreeSet::new();
            for Met {
                session,
                at,
                taint: marks,
            } in met
            {
                times.insert(at);
                witnesses.insert(session, at);
                taint = taint.join(marks);
            }
            if symptom.is_none_or(|(_, most)| times.len() > most) {
                symptom = Some((error, times.len()));
            }
        }
        // A copy of a session has its time.
        let times: BTreeSet<Timestamp> = witnesses.values().copied().collect();
        if times.len() < 2 {
            return None;
        }
        let mut told = found_again(&Again {
            key: known.key(),
            statement: &known.fact.statement,
            mended: &known.fact.mended,
            symptom: symptom.filter(|(_, times)| *times >= 2),
            sessions: times.len(),
        })?;
        told.covers.insert(known.fact.key());
        told.taint = taint;
        told.witnesses = witnesses.into_keys().cloned().collect();
        if known.session == facts.session {
            told.evidence.clone_from(&known.fact.steps);
        }
        Some(told)
    }

    /// Who met an error, whatever place it began with.
    fn met_by<'k>(&'k self, message: &str, facts: &'k SessionFacts) -> Vec<Met<'k>> {
        let error = bare(message);
        let messages = self.findings.messages.get(error);
        let records = messages.into_iter().flatten();
        let records = records.filter_map(|message| self.errors.get(message));
        let met = records.flat_map(ErrorRecord::met_at);
        let met = met.map(|((at, session), taint)| Met {
            session,
            at: *at,
            taint,
        });
        let own = facts.errors.iter();
        let own = own.filter(|own| bare(&own.message) == error);
        let own = own.map(|own| Met {
            session: &facts.session,
            at: facts.at,
            taint: &own.taint,
        });
        met.chain(own).collect()
    }
}

/// A session that met an error, and the outside text that it had taken in by then.
struct Met<'k> {
    session: &'k SessionId,
    at: Timestamp,
    taint: &'k Taint,
}

#[cfg(test)]
mod tests;
