//! Commands that a person refuses whenever an agent wants to run them, counted over their sessions.

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;
use oldhand_domain::confidence::Confidence;
use oldhand_domain::event::Digest;
use oldhand_domain::id::SessionId;
use oldhand_domain::payload::BuiltInType;
use serde::{Deserialize, Serialize};

use super::Knowledge;
use super::facts::SessionFacts;
use crate::distill::{Candidate, Origin, SAID, SAID_AGAIN_SURE, SAID_WORTH, Wording};
use crate::fold::SessionAnalytics;
use crate::outcome::commands::hands_in;

/// So many sessions that refused it in the end, on so many days.
const SESSIONS: usize = 3;
const DAYS: usize = 2;

/// What became of a command in a session, the last time that it was wanted there.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AttemptFact {
    pub what: String,
    pub at: Timestamp,
    pub step: u32,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub refused: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
}

/// What a session wanted to run.
pub(super) fn attempts(session: &SessionAnalytics) -> Vec<AttemptFact> {
    let wanted = session.attempts.iter();
    let facts = wanted.map(|(what, attempt)| AttemptFact {
        what: what.clone(),
        at: attempt.at,
        step: attempt.step,
        refused: attempt.refused,
        why: attempt.why.clone(),
    });
    facts.collect()
}

/// Whose session it was, by the folder of a user that it ran in: what one person refuses is not what another lets run. Of sessions elsewhere
/// nobody knows it.
pub(super) fn whose(session: &SessionAnalytics) -> String {
    let cwd = session.start.as_ref().map_or("", |start| &start.cwd);
    let slashed = cwd.replace('\\', "/");
    let mut parts = slashed.split('/').filter(|part| !part.is_empty());
    let above = parts.find(|part| matches!(*part, "Users" | "home"));
    let name = above.and_then(|_| parts.next());
    name.map_or_else(String::new, |name| Digest::of(name).to_string())
}

/// What became of commands, by what they are and whose sessions wanted them.
pub(super) type Attempts = BTreeMap<(String, String), Vec<(SessionId, AttemptFact)>>;

impl Knowledge {
    pub(super) fn learn_attempts(&mut self, facts: &SessionFacts) {
        for attempt in &facts.attempts {
            let of = (attempt.what.clone(), facts.whose.clone());
            let known = self.attempts.entry(of).or_default();
            known.push((facts.session.clone(), attempt.clone()));
        }
    }

    /// What a session's person refused once more, where they mostly do, as would-be memories.
    pub(crate) fn refused(&self, facts: &SessionFacts) -> Vec<Candidate> {
        let refused = facts.attempts.iter().filter(|attempt| attempt.refused);
        let told = refused.filter_map(|attempt| {
            let of = (attempt.what.clone(), facts.whose.clone());
            let mut all = self.attempts.get(&of).cloned().unwrap_or_default();
            all.push((facts.session.clone(), attempt.clone()));
            tell(attempt, &all)
        });
        told.collect()
    }
}

fn tell(attempt: &AttemptFact, all: &[(SessionId, AttemptFact)]) -> Option<Candidate> {
    // A copy of a session has the times of the first.
    let mut times = BTreeSet::new();
    let all: Vec<&(SessionId, AttemptFact)> =
        all.iter().filter(|(_, one)| times.insert(one.at)).collect();
    let those = || all.iter().filter(|(_, one)| one.refused);
    let refused = || those().map(|(_, one)| one);
    let days: BTreeSet<String> = refused()
        .map(|one| one.at.strftime("%Y-%m-%d").to_string())
        .collect();
    let (times, wanted) = (refused().count(), all.len());
    if times < SESSIONS || days.len() < DAYS || 2 * times < wanted {
        return None;
    }
    let what = &attempt.what;
    let of = if times == wanted {
        format!("in all {times} of their sessions")
    } else {
        format!("in {times} of their {wanted} sessions")
    };
    let which = if hands_in(what) {
        "that came to it and that nobody had told to"
    } else {
        "that wanted to run it"
    };
    let why = refused().filter_map(|one| one.why.as_deref());
    let why = why.max_by_key(|why| why.len());
    let quoted = why.map_or(String::new(), |why| format!(" (\"{why}\")"));
    let wording = Wording {
        payload: BuiltInType::Preference.into(),
        content: format!("One user refused `{what}` {of} {which}{quoted}."),
        summary: format!("User's rule: don't run `{what}` unasked"),
    };
    let key = format!("{SAID}refused:{}", Digest::of(what));
    let mut candidate = Candidate::new(key, Origin::Person, wording)?;
    candidate.confidence = Confidence::clamped(SAID_AGAIN_SURE);
    candidate.priority = SAID_WORTH;
    candidate.urgency = SAID_WORTH;
    candidate.evidence = vec![attempt.step];
    candidate.witnesses = those().map(|(session, _)| session.clone()).collect();
    Some(candidate)
}

#[cfg(test)]
mod tests {
    use jiff::SignedDuration;
    use oldhand_domain::event::Happening;
    use oldhand_domain::id::SessionId;

    use super::super::{Knowledge, facts};
    use crate::fold::{FoldOptions, fold};
    use crate::outcome::judgement::judge;
    use crate::story::events;

    /// What the last of some sessions tells, each of a day and somebody's folder.
    fn told(sessions: &[(i64, &str, &str)]) -> Option<String> {
        let mut known = Knowledge::default();
        let mut told = Vec::new();
        for (number, (day, folder, story)) in sessions.iter().enumerate() {
            let mut events = events(&format!("start build; prompt go on; {story}"));
            for event in &mut events {
                event.at += SignedDuration::from_hours(24 * day);
                event.at += SignedDuration::from_mins(number as i64);
                if let Happening::SessionStarted(start) = &mut event.what {
                    start.cwd = format!("/{folder}/shop");
                }
            }
            let session = fold(&events, &FoldOptions::default());
            let id = SessionId::new(format!("s{number}")).unwrap();
            let facts = facts(id, &session, &[], &judge(&session));
            told = known.refused(&facts);
            known.learn(&facts);
        }
        let [told] = &told[..] else {
            return None;
        };
        Some(told.content.as_str().to_owned())
    }

    const NO: &str = "run make e2e = refused; prompt too slow.";
    const YES: &str = "run make e2e = 0";
    const ANA: &str = "home/ana";

    #[test]
    fn a_command_that_three_sessions_of_two_days_refused_is_told() {
        let all = "One user refused `make e2e` in all 3 of their sessions that wanted to run it (\"too slow\").";
        assert_eq!(
            told(&[(0, ANA, NO), (0, ANA, NO), (1, ANA, NO)]).as_deref(),
            Some(all)
        );
        assert_eq!(told(&[(0, ANA, NO), (1, ANA, NO)]), None, "two");
        assert_eq!(told(&[(0, ANA, NO), (0, ANA, NO), (0, ANA, NO)]), None);
        let half = "One user refused `make e2e` in 3 of their 6 sessions that wanted to run it (\"too slow\").";
        let mut days = vec![(0, ANA, YES); 3];
        days.extend([(0, ANA, NO), (0, ANA, NO), (1, ANA, NO)]);
        assert_eq!(told(&days).as_deref(), Some(half));
        days.insert(0, (0, ANA, YES));
        assert_eq!(told(&days), None, "fewer than half");
    }

    #[test]
    fn what_others_let_run_does_not_count() {
        let mut days = vec![(0, "Users/bo", YES); 9];
        days.extend([(0, ANA, NO), (0, ANA, NO), (1, "home/ana/work", NO)]);
        assert!(told(&days).is_some());
        days.push((2, "Users/bo", NO));
        assert_eq!(told(&days), None, "once of ten");
    }

    #[test]
    fn what_was_let_run_later_or_ordered_is_of_the_moment() {
        let later = format!("{NO}; {YES}");
        assert_eq!(
            told(&[(0, ANA, &later), (1, ANA, &later), (2, ANA, &later)]),
            None
        );
        let push = "run git push = refused";
        let ordered = format!("prompt commit and push; {push}");
        assert_eq!(
            told(&[(0, ANA, &ordered), (1, ANA, &ordered), (2, ANA, &ordered)]),
            None
        );
        assert_eq!(
            told(&[(0, ANA, push), (1, ANA, push), (2, ANA, push)]).as_deref(),
            Some(
                "One user refused `git push` in all 3 of their sessions that came to it and that nobody had told to."
            )
        );
    }
}
