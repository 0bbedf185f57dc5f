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
use crate::distill::{Again, Candidate, found_again, is_same, names, topic};

/// So many names must two findings share to be the same one.
const SHARED: usize = 2;

/// What a session found out and the files of that day did not speak against.
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

/// A finding with the session that made it.
#[derive(Clone, Debug, PartialEq)]
struct Known {
    at: Timestamp,
    session: SessionId,
    fact: FindingFact,
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
            for error in known.errors() {
                self.of_error.entry(error.to_owned()).or_default().push(at);
            }
            let topic = topic(&known.fact.statement);
            self.of_topic.entry(topic).or_default().push(at);
            self.all.push(known);
        }
    }
}

impl Known {
    fn errors(&self) -> BTreeSet<&str> {
        let errors = self.fact.explains.iter();
        errors.map(|error| bare(&error.message)).collect()
    }

    /// What it is known by, whoever words it: the error that it explains, else what it is about.
    fn key(&self) -> String {
        match self.fact.explains.first() {
            Some(error) => format!("{CAUSE}of:{}", Digest::of(bare(&error.message))),
            None => format!("{CAUSE}about:{}", Digest::of(&topic(&self.fact.statement))),
        }
    }

    fn says_the_same(&self, other: &Self) -> bool {
        let (one, two) = (names(&self.fact.statement), names(&other.fact.statement));
        let shared = one.iter().filter(|name| two.contains(name)).count();
        let is_one = self.fact.statement == other.fact.statement;
        let is_near = shared >= SHARED && is_same(&one, &two);
        is_one || is_near && topic(&self.fact.statement) == topic(&other.fact.statement)
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
    let known = findings.map(|fact| Known {
        at: facts.at,
        session: facts.session.clone(),
        fact: fact.clone(),
    });
    known.collect()
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
    /// session comes last, the words are the same.
    pub(crate) fn found_again(&self, facts: &SessionFacts) -> Vec<Candidate> {
        let own = of_session(facts);
        let met: BTreeSet<&str> = facts
            .errors
            .iter()
            .map(|error| bare(&error.message))
            .collect();
        let mut told: BTreeMap<String, Candidate> = BTreeMap::new();
        let own_errors = own.iter().flat_map(Known::errors);
        let errors = met.into_iter().chain(own_errors).collect();
        let topics = own.iter().map(|known| topic(&known.fact.statement));
        for known in self.near(&own, &errors, &topics.collect()) {
            if let Some(candidate) = self.tell_again(known, &own, facts) {
                told.entry(candidate.key.clone()).or_insert(candidate);
            }
        }
        told.into_values().collect()
    }

    /// The findings of these errors or about these topics, and those of the session itself; the latest first.
    fn near<'k>(
        &'k self,
        own: &'k [Known],
        errors: &BTreeSet<&str>,
        topics: &BTreeSet<String>,
    ) -> Vec<&'k Known> {
        let findings = &self.findings;
        let of_errors = errors
            .iter()
            .filter_map(|error| findings.of_error.get(*error));
        let of_topics = topics
            .iter()
            .filter_map(|topic| findings.of_topic.get(topic));
        let at: BTreeSet<usize> = of_errors.chain(of_topics).flatten().copied().collect();
        let known = at.into_iter().filter_map(|at| findings.all.get(at));
        let mut near: Vec<&Known> = known.chain(own).collect();
        near.sort_by(|one, other| other.rank().cmp(&one.rank()));
        near
    }

    /// A finding with all that met it; `None` where nobody else did, or where somebody found out more since.
    fn tell_again(&self, known: &Known, own: &[Known], facts: &SessionFacts) -> Option<Candidate> {
        let errors = known.errors();
        let topics = BTreeSet::from([topic(&known.fact.statement)]);
        let near = self.near(own, &errors, &topics);
        let is_rival = |other: &&&Known| !errors.is_disjoint(&other.errors());
        let same = || near.iter().filter(|other| other.says_the_same(known));
        let latest = near.iter().filter(is_rival).chain(same());
        if latest.max_by_key(|other| other.rank())?.rank() != known.rank() {
            return None;
        }
        let mut witnesses: BTreeMap<&SessionId, Timestamp> =
            same().map(|other| (&other.session, other.at)).collect();
        witnesses.insert(&known.session, known.at);
        let mut symptom: Option<(&Symptom, usize)> = None;
        for error in &known.fact.explains {
            let met = self.met_by(&error.message, facts);
            let sessions = met.len();
            if symptom.is_none_or(|(_, most)| sessions > most) {
                symptom = Some((error, sessions));
            }
            witnesses.extend(met);
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
            symptom: symptom.filter(|(_, sessions)| *sessions >= 2),
            sessions: times.len(),
        })?;
        told.covers.insert(causes::key(&known.fact.statement));
        told.taint = known.fact.taint.clone();
        told.witnesses = witnesses.into_keys().cloned().collect();
        if known.session == facts.session {
            told.evidence.clone_from(&known.fact.steps);
        }
        Some(told)
    }

    /// The sessions that met an error, whatever place it began with, and when they were.
    fn met_by<'k>(
        &'k self,
        message: &str,
        facts: &'k SessionFacts,
    ) -> BTreeMap<&'k SessionId, Timestamp> {
        let error = bare(message);
        let messages = self.findings.messages.get(error);
        let records = messages.into_iter().flatten();
        let records = records.filter_map(|message| self.errors.get(message));
        let mut met: BTreeMap<&SessionId, Timestamp> = records
            .flat_map(ErrorRecord::met_at)
            .map(|(at, session)| (session, *at))
            .collect();
        if facts.errors.iter().any(|own| bare(&own.message) == error) {
            met.insert(&facts.session, facts.at);
        }
        met
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::session;
    use super::*;

    const FAILS: &str =
        "edit src/b.c; run larch build --only web = 1: error: Shelf 'Rows' is missing";
    const PLACED: &str = "edit src/b.c; run larch build --only web = 1: src/rows.c:3: error: Shelf 'Rows' is missing";
    const OTHER: &str =
        "edit src/b.c; run larch build --only web = 1: error: Shelf 'Pages' is missing";
    const FOUND: &str = "run larch build --only web = 1: error: Shelf 'Rows' is missing; say Root cause: `larch` reads `--only web` as a folder, because it keeps `Rows` apart from all others.; edit src/a.c; run larch build = 0";
    const LATER: &str = "run larch build --only web = 1: error: Shelf 'Rows' is missing; say Root cause: `larch` takes `--only web` for a filter by default, because `Rows` belongs to none.; edit src/a.c; run larch build = 0";
    const PLAIN: &str = "read src/a.c; say Root cause: `Cobble` doesn't hand `Hidden` on to children of `Walk`.; edit src/a.c; run make test = 0";
    const AGAIN: &str = "read src/a.c; say Found it. `Cobble` drops `Hidden` for each child that `Walk` meets.; edit src/c.c; run make test = 0";
    const NEAR: &str = "read src/a.c; say Found it. `Cobble` drops `Shown` for each child that `Steps` meets.; edit src/c.c; run make test = 0";

    /// What the last of these sessions tells, which come in this order.
    fn told_by(sessions: &[&SessionFacts]) -> Vec<String> {
        let mut known = Knowledge::default();
        let mut told = Vec::new();
        for facts in sessions {
            told = known.found_again(facts);
            known.learn(facts);
        }
        let told = told
            .iter()
            .map(|one| format!("{} {}", one.key, one.content));
        told.collect()
    }

    /// Every order of some things.
    fn orders<T: Copy>(all: &[T]) -> Vec<Vec<T>> {
        if all.is_empty() {
            return vec![Vec::new()];
        }
        let firsts = 0..all.len();
        let begun = firsts.flat_map(|first| {
            let mut rest = all.to_vec();
            let first = rest.remove(first);
            let orders = orders(&rest).into_iter();
            orders
                .map(move |rest| [vec![first], rest].concat())
                .collect::<Vec<_>>()
        });
        begun.collect()
    }

    /// What is told once all of these sessions were learned, whichever comes last.
    fn told(stories: &[&str]) -> Vec<String> {
        let facts: Vec<SessionFacts> = stories
            .iter()
            .enumerate()
            .map(|(number, story)| session(number as u32, story))
            .collect();
        let all: Vec<&SessionFacts> = facts.iter().collect();
        let told: BTreeSet<Vec<String>> = orders(&all).iter().map(|order| told_by(order)).collect();
        assert_eq!(told.len(), 1, "{told:?}");
        let told = told.into_iter().next().unwrap().into_iter();
        told.map(|told| told.split_once(' ').unwrap().1.to_owned())
            .collect()
    }

    #[test]
    fn a_finding_is_told_with_its_error_once_another_session_met_that_before_or_after() {
        let two = "`larch …` fails with \"error: Shelf 'Rows' is missing\" (met in 2 sessions). The cause: `larch` reads `--only web` as a folder, because it keeps `Rows` apart from all others.";
        assert_eq!(told(&[FOUND, FAILS]), [two]);
        assert_eq!(told(&[FAILS, FOUND]), [two]);
        // The place is no part of an error.
        let three = two.replace("2 sessions", "3 sessions");
        assert_eq!(told(&[FOUND, FAILS, PLACED]), [three]);
        for alone in [&[FOUND][..], &[FOUND, OTHER], &[FAILS, PLACED]] {
            assert_eq!(told(alone), [""; 0], "{alone:?}");
        }
    }

    #[test]
    fn of_two_causes_of_one_error_the_later_one_is_told() {
        let told = told(&[FOUND, FAILS, LATER]);
        let later = "`larch …` fails with \"error: Shelf 'Rows' is missing\" (met in 3 sessions). The cause: `larch` takes `--only web` for a filter by default, because `Rows` belongs to none.";
        assert_eq!(told, [later]);
    }

    #[test]
    fn what_two_sessions_found_on_their_own_is_told_without_an_error() {
        assert_eq!(
            told(&[PLAIN, AGAIN]),
            ["`Cobble` drops `Hidden` for each child that `Walk` meets."]
        );
        assert_eq!(told(&[PLAIN, NEAR]), [""; 0]);
        assert_eq!(told(&[PLAIN]), [""; 0]);
    }

    #[test]
    fn a_copy_and_what_failed_bear_nothing_out() {
        let (mut copy, found) = (session(1, FAILS), session(0, FOUND));
        assert_eq!(told_by(&[&found, &copy]).len(), 1);
        copy.at = found.at;
        assert_eq!(told_by(&[&found, &copy]), [""; 0]);
        let failed = session(0, &format!("{FOUND}; validated failed"));
        assert_eq!(failed.succeeded, Some(false));
        assert_eq!(told_by(&[&failed, &session(1, FAILS)]), [""; 0]);
    }

    #[test]
    fn an_error_is_known_without_its_place_and_kind() {
        for (message, expected) in [
            ("<path>:<n>:<n>: error: no such shelf", "no such shelf"),
            ("<path>: no such shelf", "no such shelf"),
            ("<path> is no shelf", "<path> is no shelf"),
            ("error:", "error:"),
        ] {
            assert_eq!(bare(message), expected);
        }
    }
}
