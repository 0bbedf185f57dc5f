//! What people say again: nearly the same short refusal in several sessions, on several days.

use std::collections::{BTreeMap, BTreeSet};

use oldhand_domain::confidence::Confidence;
use oldhand_domain::event::Digest;
use oldhand_domain::payload::BuiltInType;
use oldhand_domain::words;

use super::{EMPTY, WORTH, clip, shortened};
use crate::distill::{Candidate, Origin, Wording};
use crate::fold::{PromptUse, SessionAnalytics};
use crate::language::instruction::{Refusal, refusals};

/// How the key begins of what was refused.
const AGAIN: &str = "said:again:";
/// So many sessions, and so many days.
const SESSIONS: usize = 3;
const DAYS: usize = 2;
/// How sure that makes it.
const SURE: f64 = 0.7;
/// Nobody types so many words twice: a longer prompt that comes again is a copy.
const TYPED_ANEW: usize = 12;

/// What a session refuses: for each thing the key of it, with when it was first said there and in which prompt, so that a copy of a
/// session, or of a prompt, counts once.
pub(crate) fn refused(session: &SessionAnalytics) -> BTreeSet<String> {
    let mut first: BTreeMap<String, String> = BTreeMap::new();
    for prompt in typed(session) {
        for refusal in refusals(&prompt.text) {
            for key in keys(&refusal) {
                let when = format!("{key}:{}:{}", prompt.at, copy_of(&prompt.text));
                first.entry(key).or_insert(when);
            }
        }
    }
    first.into_values().collect()
}

/// The rules that a session says once more, with what earlier ones refused (`before`): enough of them did.
pub(crate) fn said_again<'k>(
    session: &SessionAnalytics,
    before: impl Fn(&str) -> Vec<&'k str>,
) -> Vec<Candidate> {
    let own = refused(session);
    let mut found: Vec<Candidate> = Vec::new();
    for prompt in typed(session) {
        for refusal in refusals(&prompt.text) {
            let counted = keys(&refusal).into_iter().filter_map(|key| {
                let of_key = own.range(key.clone()..);
                let of_key = of_key.take_while(|said| said.starts_with(&key));
                let mut said: Vec<&str> = of_key.map(String::as_str).collect();
                said.extend(before(&key));
                Some((sessions(&said)?, key))
            });
            let Some((sessions, key)) = counted.max_by_key(|(sessions, _)| *sessions) else {
                continue;
            };
            if found.iter().any(|known| known.key == key) {
                continue;
            }
            let wording = word(refusal.words, sessions);
            let Some(mut candidate) = Candidate::new(key, Origin::Person, wording) else {
                continue;
            };
            candidate.confidence = Confidence::clamped(SURE);
            candidate.priority = WORTH;
            candidate.urgency = WORTH;
            candidate.evidence = vec![prompt.step];
            found.push(candidate);
        }
    }
    found
}

/// The prompts that hold nothing from elsewhere.
fn typed(session: &SessionAnalytics) -> impl Iterator<Item = &PromptUse> {
    session.prompts.iter().filter(|prompt| !prompt.pasted)
}

/// The deed with each thing that it is not to be done with: two refusals with one of these in common are nearly the same.
fn keys(refusal: &Refusal<'_>) -> Vec<String> {
    let is_telling = |word: &&String| {
        word.len() > 2 && words::is_telling(word) && !EMPTY.contains(&word.as_str())
    };
    let things = refusal.rest.iter().filter(is_telling);
    let keys = things.map(|thing| {
        let thing = thing.trim_end_matches('s');
        format!(
            "{AGAIN}{}",
            Digest::of(&format!("{} {thing}", refusal.deed))
        )
    });
    keys.collect()
}

/// What tells a prompt that may be a copy; nothing of one that anybody types anew.
fn copy_of(prompt: &str) -> String {
    let is_long = prompt.split_whitespace().count() > TYPED_ANEW;
    if is_long {
        Digest::of(prompt).to_string()
    } else {
        String::new()
    }
}

/// In how many sessions a thing was refused, by their keys, where those are enough.
fn sessions(said: &[&str]) -> Option<usize> {
    let (mut times, mut days, mut copies) = (BTreeSet::new(), BTreeSet::new(), BTreeSet::new());
    for key in said {
        let (when, copy) = key.rsplit_once(':')?;
        let when = when.strip_prefix(AGAIN)?.split_once(':')?.1;
        if copy.is_empty() || copies.insert(copy) {
            times.insert(when);
            days.insert(when.get(..10)?);
        }
    }
    (times.len() >= SESSIONS && days.len() >= DAYS).then_some(times.len())
}

fn word(said: &str, sessions: usize) -> Wording {
    let said: Vec<&str> = said.split_whitespace().collect();
    let said = clip(&said.join(" "), 240);
    Wording::plain(
        BuiltInType::Preference,
        format!("The user said in {sessions} sessions: \"{said}\"."),
        shortened([120, 90, 60].map(|limit| format!("User's rule: {}", clip(&said, limit)))),
    )
}
