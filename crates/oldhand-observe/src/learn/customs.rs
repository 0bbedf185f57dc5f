//! In what way people want work to be handed in, counted over sessions: those that asked for it so, and those that asked for it at all.

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;
use oldhand_domain::confidence::Confidence;
use oldhand_domain::id::SessionId;
use oldhand_domain::payload::BuiltInType;
use serde::{Deserialize, Serialize};

use super::Knowledge;
use super::facts::SessionFacts;
use crate::distill::{Candidate, Origin, SAID, SAID_AGAIN_SURE, SAID_WORTH, Wording};
use crate::fold::SessionAnalytics;
use crate::language::instruction::{CUSTOMS, Custom, Stance, wishes};

/// So many sessions that asked for it, on so many days.
const SESSIONS: usize = 4;
const DAYS: usize = 3;
/// For one that asked for the contrary so many must have asked for it.
const FOR_ONE_AGAINST: usize = 3;

/// What a session said of a custom.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CustomFact {
    pub custom: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub name: String,
    /// For it, against it, or nothing of either where the act alone was asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wanted: Option<bool>,
    pub words: String,
    pub at: Timestamp,
    pub step: u32,
}

/// What the prompts of a session say of customs: for each the last word on it, in the most words.
pub(super) fn customs(session: &SessionAnalytics) -> Vec<CustomFact> {
    let mut found: BTreeMap<&'static str, CustomFact> = BTreeMap::new();
    let mut typed: Vec<_> = session.typed().filter(|prompt| !prompt.pasted).collect();
    typed.sort_by_key(|prompt| prompt.at);
    for prompt in typed {
        for wish in wishes(&prompt.text) {
            let said = CustomFact {
                custom: wish.custom.to_owned(),
                name: wish.name,
                wanted: match wish.stance {
                    Stance::Asks => None,
                    Stance::For => Some(true),
                    Stance::Against => Some(false),
                },
                words: wish.words.to_owned(),
                at: prompt.at,
                step: prompt.step,
            };
            let is_told = found.get(wish.custom).is_some_and(|known| {
                known.wanted.is_some() && said.wanted.is_none()
                    || known.wanted == said.wanted
                        && known.name == said.name
                        && known.words.len() >= said.words.len()
            });
            if !is_told {
                found.insert(wish.custom, said);
            }
        }
    }
    found.into_values().collect()
}

impl Knowledge {
    pub(super) fn learn_customs(&mut self, facts: &SessionFacts) {
        for custom in &facts.customs {
            let known = self.customs.entry(custom.custom.clone()).or_default();
            known.push((facts.session.clone(), custom.clone()));
        }
    }

    /// The customs that a session asks for once more, often enough, as would-be memories.
    pub(crate) fn customs(&self, facts: &SessionFacts) -> Vec<Candidate> {
        let said = facts.customs.iter();
        let told = said.filter_map(|said| {
            let custom = CUSTOMS.iter().find(|custom| custom.id == said.custom)?;
            let known = self.customs.get(&said.custom);
            let known = known.into_iter().flatten();
            let mut all: Said<'_> = known.map(|(session, one)| (session, one)).collect();
            all.push((&facts.session, said));
            tell(custom, said, all)
        });
        told.collect()
    }
}

/// What sessions said of a custom, each with which one that was.
type Said<'k> = Vec<(&'k SessionId, &'k CustomFact)>;

fn tell(custom: &Custom, said: &CustomFact, mut all: Said<'_>) -> Option<Candidate> {
    // A copy of a session has the times of the first.
    let mut times = BTreeSet::new();
    all.retain(|(_, one)| times.insert(one.at));
    let is_for = |one: &CustomFact| one.wanted == Some(true) && one.name == said.name;
    let against = |(_, one): &&(&SessionId, &CustomFact)| one.wanted == Some(false);
    let against = all.iter().filter(against).count();
    let wanting = all.iter().filter(|(_, one)| is_for(one)).copied();
    let wanting: Said<'_> = wanting.collect();
    let days: BTreeSet<String> = wanting
        .iter()
        .map(|(_, one)| one.at.strftime("%Y-%m-%d").to_string())
        .collect();
    let (times, asked) = (wanting.len(), all.len());
    if said.wanted != Some(true)
        || times < SESSIONS
        || days.len() < DAYS
        || times < FOR_ONE_AGAINST * against
        || 2 * times < asked
    {
        return None;
    }
    let counts = match (custom.content.starts_with("{counts}"), times == asked) {
        (true, true) => format!("In all {times} sessions"),
        (true, false) => format!("In {times} of the {asked} sessions"),
        (false, _) => format!("{times} sessions"),
    };
    let words = wanting.iter().map(|(_, one)| one.words.as_str());
    // Marks of its own would end the quotation.
    let words = words
        .max_by_key(|words| words.len())?
        .replace(['"', '`'], "");
    let filled = |text: &str| {
        let text = text.replace("{counts}", &counts);
        text.replace("{name}", &said.name)
    };
    let wording = Wording {
        payload: BuiltInType::Preference.into(),
        content: format!("{} (\"{words}\").", filled(custom.content)),
        summary: format!("User's rule: {}", filled(custom.summary)),
    };
    let key = format!("{SAID}custom:{}:{}", custom.id, said.name);
    let mut candidate = Candidate::new(key, Origin::Person, wording)?;
    candidate.confidence = Confidence::clamped(SAID_AGAIN_SURE);
    candidate.priority = SAID_WORTH;
    candidate.urgency = SAID_WORTH;
    candidate.evidence = vec![said.step];
    let witnesses = wanting.into_iter().map(|(session, _)| session.clone());
    candidate.witnesses = witnesses.collect();
    Some(candidate)
}

#[cfg(test)]
mod tests {
    use jiff::SignedDuration;
    use oldhand_domain::id::SessionId;

    use super::super::{Knowledge, facts};
    use crate::fold::{FoldOptions, fold};
    use crate::outcome::judgement::judge;
    use crate::story::events;

    /// What the last of some sessions tells, each of a day with its prompt.
    fn told(sessions: &[(i64, &str)]) -> Vec<String> {
        let mut known = Knowledge::default();
        let mut told = Vec::new();
        for (number, (day, prompt)) in sessions.iter().enumerate() {
            let mut events = events(&format!("start build\nprompt {prompt}\nedit a.rs"));
            for event in &mut events {
                event.at += SignedDuration::from_hours(24 * day);
                event.at += SignedDuration::from_mins(number as i64);
            }
            let session = fold(&events, &FoldOptions::default());
            let id = SessionId::new(format!("s{number}")).unwrap();
            let facts = facts(id, &session, &[], &judge(&session));
            told = known.customs(&facts);
            known.learn(&facts);
            for one in &told {
                let count = format!("{} ", one.witnesses.len());
                assert!(one.content.as_str().contains(&count), "{one:?}");
            }
        }
        let texts = told.iter().map(|one| one.content.as_str().to_owned());
        texts.collect()
    }

    const DRAFT: &str = "commit, push and open a draft PR";
    const SHORT: &str = "draft PR please";
    const PLAIN: &str = "push and create a PR";

    #[test]
    fn four_sessions_of_three_days_make_a_custom_where_half_of_all_ask_for_it() {
        let four = [(0, DRAFT), (0, SHORT), (1, SHORT), (2, SHORT)];
        let expected = "In all 4 sessions that asked for a pull request the user asked for a draft (\"commit, push and open a draft PR\").";
        assert_eq!(told(&four), [expected]);
        assert!(told(&four[1..]).is_empty(), "three");
        let two_days = [(0, DRAFT), (0, SHORT), (1, SHORT), (1, SHORT)];
        assert!(told(&two_days).is_empty());
        let mut some = vec![(0, PLAIN); 4];
        some.extend(four);
        let expected = "In 4 of the 8 sessions that asked for a pull request the user asked for a draft (\"commit, push and open a draft PR\").";
        assert_eq!(told(&some), [expected]);
        some.insert(0, (0, PLAIN));
        assert!(told(&some).is_empty(), "fewer than half");
        assert!(told(&[&four[..], &[(3, PLAIN)]].concat()).is_empty());
    }

    #[test]
    fn a_contrary_wish_ends_a_custom() {
        let fresh = "ok back to main, and pull in latest";
        let other = "branching from main won't work, this should branch off the importer branch";
        let four = [(0, fresh), (0, fresh), (1, fresh), (2, fresh)];
        let expected = "The user asked in 4 sessions to begin work from a fresh main (\"ok back to main, and pull in latest\").";
        assert_eq!(told(&four), [expected]);
        assert_eq!(told(&[&[(0, other)][..], &four].concat()), [expected]);
        assert!(told(&[&[(0, other), (0, other)][..], &four].concat()).is_empty());
        assert!(told(&[&four[..], &[(3, other)]].concat()).is_empty());
        // The last word is the one that was typed last, whether in a prompt or in an answer.
        let turned = format!("go on\nanswer {other}\nprompt {fresh}");
        let turned = [(0, &*turned), (0, &turned), (1, &turned), (2, &turned)];
        assert_eq!(told(&turned), [expected]);
        let back = format!("{fresh}\nanswer {other}");
        assert!(told(&[&four[..], &[(3, &back)]].concat()).is_empty());
    }

    #[test]
    fn a_name_is_kept_as_the_person_has_it_and_each_counts_for_itself() {
        let one = "file an issue, medium priority, Project:Apollo";
        let other = "file an issue, Project: Web";
        assert_eq!(
            told(&[(0, one), (1, one), (2, one), (3, other), (4, one)]),
            [
                "In 4 of the 5 sessions that asked for an issue the user named \"Apollo\" as its project (\"file an issue, medium priority, Project:Apollo\")."
            ]
        );
        assert!(told(&[(0, one), (1, one), (2, other), (3, other)]).is_empty());
    }
}
