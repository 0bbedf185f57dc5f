//! Folders that git ignores and whose files stop checks in session after session: what was left there is no part of the project.

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;
use oldhand_domain::path::ProjectPath;
use oldhand_domain::payload::BuiltInType;
use oldhand_domain::text::Fingerprint;
use serde::{Deserialize, Serialize};

use super::facts::SessionFacts;
use super::walls::sure_after;
use super::{Knowledge, Place, synthesis};
use crate::distill::{Candidate, Wording};
use crate::fold::SessionAnalytics;
use crate::fold::left::{Stopped, folders_named};

/// So many sessions on so many days were stopped there.
const SESSIONS: usize = 3;
const DAYS: usize = 2;
/// How many folders of an output are looked up, and how deep.
const LOOKED_UP: usize = 12;

/// That files of a folder stopped a check, or a commit.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct LeftFact {
    /// The first steps of where they lie.
    pub folder: ProjectPath,
    /// A commit was refused because of them.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub refused: bool,
    /// Outside text had come in before that.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub after_outside: bool,
    pub step: u32,
}

pub(super) fn leftovers(
    session: &SessionAnalytics,
    is_after: impl Fn(u32) -> bool,
) -> Vec<LeftFact> {
    let mut found: BTreeMap<&ProjectPath, LeftFact> = BTreeMap::new();
    for left in &session.left {
        let fact = found.entry(&left.folder).or_insert_with(|| LeftFact {
            folder: left.folder.clone(),
            refused: false,
            after_outside: is_after(left.step),
            step: left.step,
        });
        fact.refused |= left.stopped == Stopped::Commit;
    }
    found.into_values().collect()
}

/// One session that was stopped by what lies in a folder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Stop {
    place: Place,
    at: Timestamp,
    refused: bool,
}

impl Knowledge {
    pub(super) fn learn_leftovers(&mut self, facts: &SessionFacts, number: u32) {
        for fact in &facts.left {
            let stops = self.left.entry(fact.folder.clone()).or_default();
            stops.push(Stop {
                place: Place::new(number, fact.after_outside),
                at: facts.at,
                refused: fact.refused,
            });
        }
    }

    /// That files below a folder which git ignores stop checks, told of the first folder below which all of them lie, as a would-be memory.
    pub fn leftover(&self, ignored: &ProjectPath) -> Option<Candidate> {
        let from = self.left.range(ignored.clone()..);
        let near = from.take_while(|(path, _)| path.as_str().starts_with(ignored.as_str()));
        let below: Vec<_> = near
            .filter(|(path, _)| path.is_at_or_below(ignored))
            .collect();
        let mut sessions: BTreeMap<u32, Stop> = BTreeMap::new();
        for stop in below.iter().flat_map(|(_, stops)| *stops) {
            let known = sessions.entry(stop.place.number()).or_insert(*stop);
            known.refused |= stop.refused;
        }
        let days: BTreeSet<_> = sessions
            .values()
            .map(|stop| stop.at.strftime("%F").to_string())
            .collect();
        if sessions.len() < SESSIONS || days.len() < DAYS {
            return None;
        }
        let folder = common(below.iter().map(|(path, _)| path.as_str()));
        let refused = sessions.values().filter(|stop| stop.refused).count();
        let places: Vec<Place> = sessions.values().map(|stop| stop.place).collect();
        let (counted, taint) = self.rests_on(&places, |number| number as usize >= SESSIONS);
        let commits = match refused {
            0 => String::new(),
            refused => format!(", {refused} of them before a commit"),
        };
        let wording = Wording::plain(
            BuiltInType::Gotcha,
            format!(
                "Failures in `{folder}/` are not of the project's code: git ignores it, and at least {} sessions saw checks fail on what had been left there{commits}.",
                sessions.len(),
            ),
            format!("Failures in `{folder}/` are of what was left there, not of the project"),
        );
        let key = format!("left:{ignored}");
        let witnesses = self.named(&counted);
        let mut told =
            synthesis::candidate(key, wording, sure_after(days.len()), witnesses, taint)?;
        told.fingerprints
            .extend(Fingerprint::new(&left_in(&folder)).ok());
        Some(told)
    }
}

/// The folder below which all of these lie.
fn common<'p>(mut paths: impl Iterator<Item = &'p str>) -> String {
    let first: Vec<&str> = paths.next().unwrap_or_default().split('/').collect();
    let shared = paths.fold(first.len(), |shared, path| {
        let same = first.iter().zip(path.split('/'));
        shared.min(same.take_while(|(one, two)| *one == two).count())
    });
    first[..shared].join("/")
}

fn left_in(folder: &str) -> String {
    format!("left in {folder}")
}

/// What memories of leftovers are found by that an output may be about.
pub fn leftovers_named(output: &str) -> Vec<String> {
    let mut found = Vec::new();
    for folder in folders_named(output, "").into_iter().take(LOOKED_UP) {
        let steps: Vec<&str> = folder.as_str().split('/').collect();
        for number in 1..=steps.len() {
            let key = left_in(&steps[..number].join("/"));
            if !found.contains(&key) {
                found.push(key);
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::super::tests::learned;
    use super::*;

    fn told(stories: &[&str]) -> Option<Candidate> {
        learned(stories).leftover(&ProjectPath::new("tmp").unwrap())
    }

    const ONE: &str = "edit src/a.ts; run bun test = 1: tmp/clones/run-1/src/x.test.ts:\\nerror: Cannot find module 'y'\\n 3 pass\\n 1 fail";
    const TWO: &str = "edit src/a.ts; run bun test = 1: tmp/clones/run-2/src/y.test.ts:\\nerror: Cannot find module 'y'\\n 3 pass\\n 1 fail";
    const REFUSED: &str = "edit src/a.ts; run git commit -m x = 1: > shop@1.0.0 test\\ntmp/clones/run-3/src/y.test.ts:\\nTests  1 failed | 2 passed (3)\\nhusky - pre-commit script failed (code 1)";
    const OWN: &str = "write tmp/clones/run-1/src/x.test.ts; run bun test = 1: tmp/clones/run-1/src/x.test.ts:\\n 3 pass\\n 1 fail";
    const PASSED: &str =
        "edit src/a.ts; run bun test = 0: tmp/clones/run-1/src/x.test.ts:\\n 3 pass\\n 0 fail";

    #[test]
    fn three_sessions_that_fail_in_what_was_left_are_told_of_where_all_of_it_lies() {
        let told = told(&[ONE, TWO, REFUSED]).unwrap();
        let said = "Failures in `tmp/clones/` are not of the project's code: git ignores it, and at least 3 sessions saw checks fail on what had been left there, 1 of them before a commit.";
        assert_eq!(told.content.as_str(), said);
        let found: Vec<&str> = told.fingerprints.iter().map(Fingerprint::as_str).collect();
        assert_eq!(found, ["left in tmp/clones"]);
        let named = leftovers_named("tmp/clones/run-9/src/z.test.ts: failed");
        assert_eq!(
            named,
            [
                "left in tmp",
                "left in tmp/clones",
                "left in tmp/clones/run-9"
            ]
        );
    }

    #[test]
    fn what_passes_or_was_edited_and_two_sessions_are_not_enough() {
        for stories in [&[ONE, TWO][..], &[ONE, TWO, OWN], &[ONE, TWO, PASSED]] {
            assert_eq!(told(stories), None, "{stories:?}");
        }
        let mut known = Knowledge::default();
        for number in 0..3 {
            let mut facts = super::super::tests::session(number, ONE);
            facts.at = Timestamp::UNIX_EPOCH;
            known.learn(&facts);
        }
        assert_eq!(
            known.leftover(&ProjectPath::new("tmp").unwrap()),
            None,
            "one day"
        );
    }
}
