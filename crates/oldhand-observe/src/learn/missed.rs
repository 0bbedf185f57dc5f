//! Folders that are not there, and in which session after session looks for files: each for another one, so that only counting tells.

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;
use oldhand_domain::path::ProjectPath;
use oldhand_domain::payload::BuiltInType;
use serde::{Deserialize, Serialize};

use super::errors::occasions;
use super::facts::SessionFacts;
use super::walls::sure_after;
use super::{Knowledge, Place, synthesis};
use crate::detect::{Finding, Signal};
use crate::distill::phrase::seen;
use crate::distill::{Candidate, Wording};
use crate::fold::{RefusalKind, SessionAnalytics};
use crate::paths;

/// So many sessions, on so many occasions, looked there.
const SESSIONS: usize = 3;
const OCCASIONS: usize = 2;
/// So many different files say where they are instead.
const FILES: usize = 2;
/// How many paths are kept of a session.
const PATHS: usize = 40;
/// How many of the files it is about.
const NAMED: usize = 8;

/// A path that a session looked for in vain.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct MissedFact {
    pub path: ProjectPath,
    /// Where it was found then.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub found: Option<ProjectPath>,
    /// Outside text had come in before that.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub after_outside: bool,
    pub step: u32,
}

/// What a session looked for in vain, and did not go on to write.
pub(super) fn missed(
    session: &SessionAnalytics,
    signals: &[Signal],
    is_after: impl Fn(u32) -> bool,
) -> Vec<MissedFact> {
    let found: BTreeMap<&ProjectPath, &ProjectPath> = signals
        .iter()
        .filter_map(|signal| match &signal.finding {
            Finding::Missing { asked, found } => Some((asked, found)),
            _ => None,
        })
        .collect();
    let mut missed: BTreeMap<&ProjectPath, MissedFact> = BTreeMap::new();
    for refusal in &session.refusals {
        let is_missed = matches!(
            refusal.kind,
            RefusalKind::Missing { .. } | RefusalKind::InVain
        );
        let is_written = || {
            let mut edited = session
                .edits
                .iter()
                .map(|edit| session.files.path(edit.file));
            edited.any(|file| file.is_at_or_below(&refusal.file))
        };
        if missed.len() < PATHS
            && is_missed
            && !paths::is_generated(refusal.file.as_str())
            && !missed.contains_key(&refusal.file)
            && !is_written()
        {
            let fact = MissedFact {
                path: refusal.file.clone(),
                found: found.get(&refusal.file).map(|found| (*found).clone()),
                after_outside: is_after(refusal.step),
                step: refusal.step,
            };
            missed.insert(&refusal.file, fact);
        }
    }
    missed.into_values().collect()
}

/// A path over all sessions.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Missed {
    by: Vec<(Place, Timestamp)>,
    found: BTreeSet<ProjectPath>,
}

impl Knowledge {
    pub(super) fn learn_missed(&mut self, facts: &SessionFacts, number: u32) {
        for fact in &facts.missed {
            let known = self.missed.entry(fact.path.clone()).or_default();
            let place = Place::new(number, fact.after_outside);
            known.by.push((place, facts.at));
            known.found.extend(fact.found.clone());
        }
    }

    /// That a folder is not there, with where most of what was looked for in it is, as a would-be memory. `is_there` says whether a file is
    /// today; what is gone says nothing.
    pub fn missing_folder(
        &self,
        folder: &ProjectPath,
        is_there: &dyn Fn(&ProjectPath) -> bool,
    ) -> Option<Candidate> {
        let below = || {
            let from = self.missed.range(folder.clone()..);
            let near = from.take_while(|(path, _)| path.as_str().starts_with(folder.as_str()));
            near.filter(|(path, _)| path.is_at_or_below(folder))
        };
        let mut sessions: BTreeMap<u32, (Place, Timestamp)> = BTreeMap::new();
        for (place, at) in below().flat_map(|(_, missed)| &missed.by) {
            let known = sessions.entry(place.number()).or_insert((*place, *at));
            // Who looked there before any outside text did so on their own.
            if !place.is_after_outside() {
                *known = (*place, *at);
            }
        }
        let is_enough = |times: &BTreeSet<Timestamp>, number: usize| {
            number >= SESSIONS && occasions(times) >= OCCASIONS
        };
        let times: BTreeSet<Timestamp> = sessions.values().map(|(_, at)| *at).collect();
        if !is_enough(&times, sessions.len()) {
            return None;
        }
        let (led, files) = led(folder, below(), is_there)?;
        let own = sessions
            .values()
            .filter(|(place, _)| !place.is_after_outside());
        let clean: BTreeSet<Timestamp> = own.map(|(_, at)| *at).collect();
        let places: Vec<Place> = sessions.values().map(|(place, _)| *place).collect();
        let (counted, taint) = self.rests_on(&places, |number| is_enough(&clean, number as usize));
        let counted_times: BTreeSet<Timestamp> = if taint.is_clean() { clean } else { times };
        let place = match led.as_str() {
            "" => "at the top of the project".to_owned(),
            led => format!("in `{led}/`"),
        };
        let number = u32::try_from(counted.len()).unwrap_or(u32::MAX);
        let wording = Wording::plain(
            BuiltInType::Gotcha,
            format!("{MISSING}{folder}/{LOOKED_FOR}{place} ({}).", seen(number)),
            format!("{MISSING}{folder}/`; look {place}"),
        );
        let key = format!("missing:{folder}/");
        let sure = sure_after(occasions(&counted_times).max(OCCASIONS + 1));
        let witnesses = self.named(&counted);
        let mut told = synthesis::candidate(key, wording, sure, witnesses, taint)?;
        told.covers
            .extend(below().map(|(path, _)| format!("missing:{path}")));
        told.impacted.extend(files.iter().take(NAMED).cloned());
        Some(told.about(files.into_iter().take(NAMED)))
    }
}

const MISSING: &str = "There is no `";
const LOOKED_FOR: &str = "`; what was looked for there is ";

/// The folder that a note says is not there.
pub fn missing_folder(content: &str) -> Option<&str> {
    let (name, rest) = content.strip_prefix(MISSING)?.split_once('`')?;
    let is_one = rest.starts_with(LOOKED_FOR.trim_start_matches('`'));
    name.strip_suffix('/').filter(|_| is_one)
}

/// The folder in which most of the files are that were looked for in another, and those files.
fn led<'m>(
    folder: &ProjectPath,
    below: impl Iterator<Item = (&'m ProjectPath, &'m Missed)>,
    is_there: &dyn Fn(&ProjectPath) -> bool,
) -> Option<(String, Vec<ProjectPath>)> {
    let mut to: BTreeMap<Option<String>, BTreeSet<ProjectPath>> = BTreeMap::new();
    for (path, missed) in below {
        let rest = path.as_str()[folder.as_str().len()..].trim_start_matches('/');
        for found in missed.found.iter().filter(|found| is_there(found)) {
            let above = found
                .as_str()
                .strip_suffix(rest)
                .filter(|_| !rest.is_empty());
            let above = above.filter(|above| above.is_empty() || above.ends_with('/'));
            let led = above.map(|above| above.trim_end_matches('/').to_owned());
            to.entry(led).or_default().insert(found.clone());
        }
    }
    let most = to.iter().filter(|(led, _)| led.is_some());
    let (led, files) = most.max_by_key(|(led, files)| (files.len(), std::cmp::Reverse(*led)))?;
    let all: usize = to.values().map(BTreeSet::len).sum();
    let is_most = files.len() >= FILES && files.len() > 2 * (all - files.len());
    let led = led.clone().filter(|_| is_most)?;
    Some((led, files.iter().cloned().collect()))
}

#[cfg(test)]
mod tests {
    use super::super::tests::learned;
    use super::*;

    fn folder(path: &str) -> ProjectPath {
        ProjectPath::new(path).unwrap()
    }

    fn told(stories: &[&str]) -> Option<Candidate> {
        learned(stories).missing_folder(&folder("src/cmds"), &|file| file.as_str() != "src/gone.go")
    }

    const RUN: &str =
        "read src/cmds/run.go = failed: File does not exist.; read src/run.go; read src/a.go";
    const STOP: &str =
        "read src/cmds/stop.go = failed: File does not exist.; read src/stop.go; read src/a.go";
    const LISTED: &str = "glob src/cmds/*.go = 0 files; read src/list.go";
    const ELSEWHERE: &str =
        "read src/cmds/log.go = failed: File does not exist.; read lib/log.go; read src/a.go";
    const RENAMED: &str =
        "read src/cmds/set.go = failed: File does not exist.; read src/set.rs; read src/a.go";
    const GONE: &str =
        "read src/cmds/gone.go = failed: File does not exist.; read src/gone.go; read src/a.go";
    const WRITTEN: &str =
        "read src/cmds/run.go = failed: File does not exist.; write src/cmds/run.go";

    #[test]
    fn what_is_looked_for_in_a_folder_that_is_not_there_is_told_once_for_all() {
        let told = told(&[RUN, STOP, LISTED]).unwrap();
        let said =
            "There is no `src/cmds/`; what was looked for there is in `src/` (seen in 3 sessions).";
        assert_eq!(told.content.as_str(), said);
        assert_eq!(missing_folder(said), Some("src/cmds"));
        assert_eq!(
            told.summary.as_str(),
            "There is no `src/cmds/`; look in `src/`"
        );
        let covers: Vec<&str> = told.covers.iter().map(String::as_str).collect();
        let covered = [
            "missing:src/cmds",
            "missing:src/cmds/run.go",
            "missing:src/cmds/stop.go",
        ];
        assert_eq!(covers, covered);
        let files: Vec<&str> = told.files.iter().map(ProjectPath::as_str).collect();
        assert_eq!(files, ["src/run.go", "src/stop.go"]);
        assert!(told.taint.is_clean());
    }

    #[test]
    fn three_sessions_and_two_files_must_show_it() {
        for (stories, expected) in [
            (&[RUN, STOP][..], false),
            (&[RUN, STOP, RUN], true),
            (&[RUN, RUN, LISTED], false),
            (&[LISTED, LISTED, LISTED], false),
            (&[RUN, STOP, WRITTEN], false),
            (&[RUN, GONE, LISTED], false),
            (&[RUN, STOP, ELSEWHERE], false),
            (&[RUN, STOP, RENAMED], false),
            (&[RUN, STOP, GONE], true),
        ] {
            assert_eq!(told(stories).is_some(), expected, "{stories:?}");
        }
    }

    #[test]
    fn what_only_outside_text_led_to_is_marked() {
        let marked = format!("fetch https://a.example/page; {LISTED}");
        let is_clean = |stories: &[&str]| told(stories).unwrap().taint.is_clean();
        assert!(is_clean(&[RUN, STOP, RUN, &marked]));
        assert!(!is_clean(&[RUN, STOP, &marked]));
    }

    #[test]
    fn one_evening_is_no_habit() {
        let mut known = Knowledge::default();
        for (number, story) in [RUN, STOP, LISTED].into_iter().enumerate() {
            let mut facts = super::super::tests::session(number as u32, story);
            facts.at = Timestamp::UNIX_EPOCH;
            known.learn(&facts);
        }
        assert_eq!(known.missing_folder(&folder("src/cmds"), &|_| true), None);
    }
}
