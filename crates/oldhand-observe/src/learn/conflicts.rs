//! Two sessions that edited one file at the same time: terminals or clients in one folder that know nothing of each other.
//!
//! Agents of one session are for [`crate::detect`] to see. Whichever of two sessions is looked at last finds the other, and
//! says the same of both.

use std::collections::{BTreeMap, BTreeSet};

use jiff::{SignedDuration, Timestamp};
use oldhand_domain::confidence::Confidence;
use oldhand_domain::event::SessionType;
use oldhand_domain::id::SessionId;
use oldhand_domain::path::ProjectPath;
use oldhand_domain::payload::BuiltInType;
use oldhand_domain::signal::SignalKind;
use serde::{Deserialize, Serialize};

use super::SessionFacts;
use crate::distill::{Candidate, Origin, Wording};
use crate::fold::SessionAnalytics;
use crate::promote::Dropped;

/// Whoever comes back to a file later than this had put it down.
const AT_WORK: SignedDuration = SignedDuration::from_mins(30);
/// How many stretches of one file are kept of a session.
const STRETCHES: usize = 32;
/// The days a stretch is looked up by; nobody is at work on one file for longer.
const DAYS: i64 = 31;
/// The steps that are told as evidence.
const STEPS: usize = 8;
/// Who was refused once read the file again and went on.
const RECURS: usize = 2;
/// As sure as of two agents of one session.
const STRENGTH: f64 = 0.8;

/// From the first to the last of the edits that a session made of a file without putting it down.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stretch {
    pub from: Timestamp,
    pub to: Timestamp,
}

impl Stretch {
    /// Whether an edit of one lies between two edits of the other. What is the same to the moment is one story told twice.
    fn cuts(self, other: Self) -> bool {
        self != other && self.from < other.to && other.from < self.to
    }

    fn days(self) -> impl Iterator<Item = i64> {
        let day = |at: Timestamp| at.as_second().div_euclid(24 * 60 * 60);
        let first = day(self.from);
        first..=day(self.to).min(first + DAYS)
    }
}

/// The stretches of edits made at these times.
pub(super) fn stretches(times: impl IntoIterator<Item = Timestamp>) -> Vec<Stretch> {
    let times: BTreeSet<Timestamp> = times.into_iter().collect();
    let mut found: Vec<Stretch> = Vec::new();
    for at in times {
        match found.last_mut() {
            Some(last) if at.duration_since(last.to) <= AT_WORK => last.to = at,
            _ => found.push(Stretch { from: at, to: at }),
        }
    }
    found.truncate(STRETCHES);
    found
}

/// A session, as far as it matters to those who work beside it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Worker {
    pub session: SessionId,
    pub session_type: SessionType,
    pub branch: Option<String>,
    /// Where it ran.
    pub folder: Option<String>,
    /// Names its first call: one that begins alike tells the same past.
    pub first_call: Option<String>,
    pub copied_from: Vec<SessionId>,
}

impl Worker {
    /// Whether two sessions are no copies of each other, and have the same files before them.
    fn is_beside(&self, other: &Self) -> bool {
        let alike = self.first_call.is_some() && self.first_call == other.first_call;
        let copied =
            self.copied_from.contains(&other.session) || other.copied_from.contains(&self.session);
        let apart = match (&self.branch, &other.branch) {
            (Some(one), Some(two)) => one != two,
            _ => false,
        };
        let together = match (&self.folder, &other.folder) {
            (Some(one), Some(two)) => is_one_tree(one, two),
            _ => false,
        };
        self.session != other.session && !alike && !copied && !apart && together
    }
}

/// Whether two folders are of one working tree: the same, or one below the other and no worktree of its own.
fn is_one_tree(one: &str, two: &str) -> bool {
    let (upper, lower) = if one.len() <= two.len() {
        (one, two)
    } else {
        (two, one)
    };
    let below = lower.strip_prefix(upper);
    below.is_some_and(|below| {
        let is_below = below.is_empty() || below.starts_with(['/', '\\']);
        is_below && !below.contains("worktree")
    })
}

/// Who edited what and when, found by file and day, so that a session asks for its own days only.
#[derive(Clone, Debug, Default)]
pub struct EditLog {
    workers: Vec<Worker>,
    stretches: BTreeMap<(ProjectPath, i64), Vec<Entry>>,
}

/// A stretch of one session's edits of a file.
#[derive(Clone, Copy, Debug)]
struct Entry {
    stretch: Stretch,
    /// Its place among the workers.
    by: usize,
    /// An edit was refused there because the file had changed.
    refused: bool,
}

impl EditLog {
    /// Notes when a session edited which files. Work that failed bears witness to nothing, and no changelog teaches.
    pub fn note(&mut self, worker: Worker, facts: &SessionFacts) {
        if !may_teach(&worker, facts) {
            return;
        }
        let place = self.workers.len();
        self.workers.push(worker);
        for file in &facts.files {
            for stretch in &file.edited_at {
                for day in stretch.days() {
                    let here = self.stretches.entry((file.path.clone(), day));
                    here.or_default().push(Entry {
                        stretch: *stretch,
                        by: place,
                        refused: file.refused,
                    });
                }
            }
        }
    }

    /// The files that a session edited while another did, each as a would-be memory.
    pub fn conflicts(
        &self,
        worker: &Worker,
        facts: &SessionFacts,
        session: &SessionAnalytics,
    ) -> Vec<Candidate> {
        if !may_teach(worker, facts) {
            return Vec::new();
        }
        let mut found = Vec::new();
        for file in &facts.files {
            let mut witnesses = BTreeSet::new();
            let mut own = Vec::new();
            let mut refused = BTreeSet::new();
            refused.extend(file.refused.then_some(&worker.session));
            for stretch in &file.edited_at {
                for other in self.on(&file.path, *stretch) {
                    let beside = &self.workers[other.by];
                    if stretch.cuts(other.stretch) && worker.is_beside(beside) {
                        witnesses.insert(beside.session.clone());
                        own.push(*stretch);
                        refused.extend(other.refused.then_some(&beside.session));
                    }
                }
            }
            if witnesses.is_empty() {
                continue;
            }
            witnesses.insert(worker.session.clone());
            found.extend(
                candidate(&file.path, witnesses, refused.len()).map(|mut candidate| {
                    candidate.evidence = steps(session, &file.path, &own);
                    candidate
                }),
            );
        }
        found
    }

    fn on<'a>(
        &'a self,
        file: &'a ProjectPath,
        stretch: Stretch,
    ) -> impl Iterator<Item = Entry> + 'a {
        stretch
            .days()
            .filter_map(|day| self.stretches.get(&(file.clone(), day)))
            .flatten()
            .copied()
    }
}

fn may_teach(worker: &Worker, facts: &SessionFacts) -> bool {
    facts.succeeded != Some(false) && worker.session_type != SessionType::Changelog
}

/// Where sessions ran into each other more than once it waits for a person, whichever of them brings it up; else they got by, and there
/// is nothing to learn.
fn candidate(
    file: &ProjectPath,
    witnesses: BTreeSet<SessionId>,
    refused: usize,
) -> Option<Candidate> {
    let wording = Wording::plain(
        BuiltInType::Gotcha,
        format!(
            "`{file}` was edited by several sessions in one folder at the same time, and edits of {refused} of them were refused because it had changed. Let one of them finish with it first, or give each a worktree of its own."
        ),
        format!("Let only one session at a time edit `{file}`"),
    );
    let kind = SignalKind::ParallelConflict;
    let mut candidate = Candidate::new(key(file), Origin::Many, wording)?;
    candidate.unfit = (refused < RECURS).then_some(Dropped::GotBy);
    candidate.confidence = Confidence::clamped(STRENGTH);
    candidate.priority = kind.rule().score;
    candidate.witnesses = witnesses;
    Some(candidate.about([file.clone()]))
}

fn key(file: &ProjectPath) -> String {
    format!("sessions_conflict:{file}")
}

fn steps(session: &SessionAnalytics, file: &ProjectPath, stretches: &[Stretch]) -> Vec<u32> {
    let edits = session.edits.iter().filter(|edit| {
        let mut during = stretches.iter();
        session.files.path(edit.file) == file
            && during.any(|stretch| stretch.from <= edit.at && edit.at <= stretch.to)
    });
    let steps: BTreeSet<u32> = edits.map(|edit| edit.step).collect();
    steps.into_iter().take(STEPS).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fold::{FoldOptions, fold};
    use crate::harvest::harvest;
    use crate::learn::Knowledge;
    use crate::story::events;

    fn at(minute: i64) -> Timestamp {
        Timestamp::from_second(1_750_000_000 + 60 * minute).expect("a time")
    }

    fn worker(name: &str) -> Worker {
        Worker {
            session: SessionId::new(name).expect("a name"),
            session_type: SessionType::Build,
            branch: Some("main".to_owned()),
            folder: Some("/shop".to_owned()),
            first_call: Some(name.to_owned()),
            copied_from: Vec::new(),
        }
    }

    /// A session that passed and edited `a.rs` at these minutes.
    fn edits(name: &str, minutes: &[i64]) -> (Worker, SessionFacts, SessionAnalytics) {
        let mut session = fold(
            &events("repeat 4 edit a.rs; run make test = 0"),
            &FoldOptions::default(),
        );
        let edit = session.edits[0].clone();
        session.edits.clear();
        for (step, minute) in minutes.iter().enumerate() {
            let mut edit = edit.clone();
            (edit.at, edit.step) = (at(*minute), step as u32 + 1);
            session.edits.push(edit);
        }
        let id = SessionId::new(name).expect("a name");
        let facts = harvest(id, &session, &Knowledge::default()).facts;
        (worker(name), facts, session)
    }

    type Side = (Worker, SessionFacts, SessionAnalytics);

    /// What the second of two sessions finds, whichever of them that is.
    fn found(one: &Side, two: &Side) -> Vec<Candidate> {
        let after = |first: &Side, second: &Side| {
            let mut log = EditLog::default();
            log.note(first.0.clone(), &first.1);
            log.conflicts(&second.0, &second.1, &second.2)
        };
        let (forth, back) = (after(one, two), after(two, one));
        let told = |found: &[Candidate]| -> Vec<_> {
            let found = found.iter();
            let told = found.map(|one| (one.key.clone(), one.unfit.clone(), one.content.clone()));
            told.collect()
        };
        assert_eq!(told(&forth), told(&back));
        for (one, two) in forth.iter().zip(&back) {
            assert_eq!(one.witnesses, two.witnesses);
        }
        forth
    }

    #[test]
    fn an_edit_must_lie_between_two_of_the_other_session() {
        let cases: [(&[i64], &[i64], bool); 11] = [
            (&[0, 10], &[5], true),
            (&[0, 10], &[5, 15], true),
            (&[0, 10], &[2, 3], true),
            (&[0, 10], &[10, 20], false),
            (&[0], &[0], false),
            (&[0, 10], &[12, 20], false),
            // The same to the moment: one story told twice.
            (&[0, 10], &[0, 10], false),
            // It was put down in between.
            (&[0, 90], &[45], false),
            (&[0, 90, 100], &[95], true),
            (&[0, 30], &[15], true),
            (&[0, 31], &[15], false),
        ];
        for (one, two, expected) in cases {
            let found = found(&edits("one", one), &edits("two", two));
            assert_eq!(found.len(), usize::from(expected), "{one:?} {two:?}");
        }
    }

    #[test]
    fn copies_other_branches_failures_and_changelogs_are_no_conflict() {
        let one = edits("one", &[0, 10]);
        let changed = |change: &dyn Fn(&mut Side)| {
            let mut two = edits("two", &[5]);
            change(&mut two);
            found(&one, &two)
        };
        let [told] = &changed(&|_| {})[..] else {
            panic!("two sessions met");
        };
        assert_eq!((told.witnesses.len(), &told.evidence[..]), (2, &[1][..]));
        // Who got by learned nothing, be it that one was refused; where both were, a person is to look at it.
        assert_eq!(told.unfit, Some(Dropped::GotBy));
        let once = changed(&|two| two.1.files[0].refused = true);
        assert_eq!(once[0].unfit, Some(Dropped::GotBy));
        let (mut first, mut second) = (edits("one", &[0, 10]), edits("two", &[5]));
        (first.1.files[0].refused, second.1.files[0].refused) = (true, true);
        let [told] = &found(&first, &second)[..] else {
            panic!("two sessions met");
        };
        assert_eq!((told.unfit.clone(), told.origin), (None, Origin::Many));
        let begins_alike = |two: &mut Side| two.0.first_call = Some("one".to_owned());
        let tells_its_past = |two: &mut Side| two.0.copied_from = vec![one.0.session.clone()];
        let elsewhere = |two: &mut Side| two.0.branch = Some("other".to_owned());
        let own_tree = |two: &mut Side| two.0.folder = Some("/shop/.worktrees/b".to_owned());
        let nowhere = |two: &mut Side| two.0.folder = None;
        let failed = |two: &mut Side| two.1.succeeded = Some(false);
        let changelog = |two: &mut Side| two.0.session_type = SessionType::Changelog;
        let apart: [&dyn Fn(&mut Side); 7] = [
            &own_tree,
            &nowhere,
            &begins_alike,
            &tells_its_past,
            &elsewhere,
            &failed,
            &changelog,
        ];
        for (number, change) in apart.into_iter().enumerate() {
            assert_eq!(changed(change), [], "case {number}");
        }
        assert_eq!(changed(&|two| two.0.branch = None).len(), 1);
        let below = |two: &mut Side| two.0.folder = Some("/shop/api".to_owned());
        assert_eq!(changed(&below).len(), 1);
    }

    #[test]
    fn nights_are_crossed() {
        let midnight = (24 * 60) - (at(0).as_second() / 60).rem_euclid(24 * 60);
        let (before, after) = (midnight - 5, midnight + 5);
        let found = found(&edits("one", &[before, after]), &edits("two", &[after - 2]));
        assert_eq!(found.len(), 1);
    }
}
