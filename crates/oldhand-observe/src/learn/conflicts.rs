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
/// What it is told as: once of a project, whichever file they met in.
const KEY: &str = "sessions_conflict";
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

    /// What a session shows of several at work in one checkout, as a would-be memory: of the files that it edited while another did,
    /// the one in which they ran into each other last.
    pub fn conflict(
        &self,
        worker: &Worker,
        facts: &SessionFacts,
        session: &SessionAnalytics,
    ) -> Option<Candidate> {
        if !may_teach(worker, facts) {
            return None;
        }
        let met = facts.files.iter().filter_map(|file| {
            let mut witnesses = BTreeSet::from([worker.session.clone()]);
            let mut own = Vec::new();
            let mut refused = BTreeSet::new();
            refused.extend(file.refused.then_some(&worker.session));
            let mut at = None;
            for stretch in &file.edited_at {
                for other in self.on(&file.path, *stretch) {
                    let beside = &self.workers[other.by];
                    if stretch.cuts(other.stretch) && worker.is_beside(beside) {
                        witnesses.insert(beside.session.clone());
                        own.push(*stretch);
                        refused.extend(other.refused.then_some(&beside.session));
                        at = at.max(Some(stretch.from.max(other.stretch.from)));
                    }
                }
            }
            Some(Met {
                at: at?,
                file: &file.path,
                refused: refused.len(),
                witnesses,
                own,
            })
        });
        let last = met.max_by_key(|met| (met.refused >= RECURS, met.at))?;
        let mut candidate = candidate(&last)?;
        candidate.evidence = steps(session, last.file, &last.own);
        candidate.witnesses = last.witnesses;
        Some(candidate)
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

/// Sessions that edited a file at once.
struct Met<'f> {
    at: Timestamp,
    file: &'f ProjectPath,
    /// How many of them had edits refused there.
    refused: usize,
    witnesses: BTreeSet<SessionId>,
    /// When the one that is looked at edited it.
    own: Vec<Stretch>,
}

/// Where sessions ran into each other more than once it waits for a person, whichever of them brings it up; else they got by, and there
/// is nothing to learn. It is about the checkout, and not about the file that they met in.
fn candidate(met: &Met<'_>) -> Option<Candidate> {
    let (many, refused) = match (met.witnesses.len(), met.refused) {
        (2, 2) => ("two".to_owned(), "both".to_owned()),
        (2, refused) => ("two".to_owned(), format!("{refused} of them")),
        (many, refused) => (many.to_string(), format!("{refused} of them")),
    };
    let wording = Wording::plain(
        BuiltInType::Gotcha,
        format!(
            "Several sessions work in this checkout at once (on {} {many} of them edited `{}`, and edits of {refused} were refused because it had changed): what you did not change may be another's. Stage only your own files, and read a file again before editing it.",
            met.at.strftime("%Y-%m-%d"),
            met.file,
        ),
        "Several sessions edit this checkout at once: stage only your own files".to_owned(),
    );
    let kind = SignalKind::ParallelConflict;
    let mut candidate = Candidate::new(KEY.to_owned(), Origin::Many, wording)?;
    candidate.unfit = (met.refused < RECURS).then_some(Dropped::GotBy);
    candidate.confidence = Confidence::clamped(STRENGTH);
    candidate.priority = kind.rule().score;
    Some(candidate)
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
    fn found(one: &Side, two: &Side) -> Option<Candidate> {
        let after = |first: &Side, second: &Side| {
            let mut log = EditLog::default();
            log.note(first.0.clone(), &first.1);
            log.conflict(&second.0, &second.1, &second.2)
        };
        let (forth, back) = (after(one, two), after(two, one));
        let told = |found: &Option<Candidate>| {
            let found = found.clone()?;
            Some((found.key, found.unfit, found.content, found.witnesses))
        };
        assert_eq!(told(&forth), told(&back));
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
            assert_eq!(found.is_some(), expected, "{one:?} {two:?}");
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
        let told = changed(&|_| {}).expect("two sessions met");
        assert_eq!((told.witnesses.len(), &told.evidence[..]), (2, &[1][..]));
        // Who got by learned nothing, be it that one was refused; where both were, a person is to look at it.
        assert_eq!(told.unfit, Some(Dropped::GotBy));
        let once = changed(&|two| two.1.files[0].refused = true);
        assert_eq!(once.expect("they met").unfit, Some(Dropped::GotBy));
        let (mut first, mut second) = (edits("one", &[0, 10]), edits("two", &[5]));
        (first.1.files[0].refused, second.1.files[0].refused) = (true, true);
        let told = found(&first, &second).expect("two sessions met");
        assert_eq!((told.unfit.clone(), told.origin), (None, Origin::Many));
        // It is no lesson about the file.
        assert!(told.files.is_empty() && told.modules.is_empty());
        let said = "Several sessions work in this checkout at once (on 2025-06-15 two of them edited `a.rs`, and edits of both were refused because it had changed): what you did not change may be another's. Stage only your own files, and read a file again before editing it.";
        assert_eq!(told.content.as_str(), said);
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
            assert_eq!(changed(change), None, "case {number}");
        }
        assert!(changed(&|two| two.0.branch = None).is_some());
        let below = |two: &mut Side| two.0.folder = Some("/shop/api".to_owned());
        assert!(changed(&below).is_some());
    }

    #[test]
    fn nights_are_crossed() {
        let midnight = (24 * 60) - (at(0).as_second() / 60).rem_euclid(24 * 60);
        let (before, after) = (midnight - 5, midnight + 5);
        let found = found(&edits("one", &[before, after]), &edits("two", &[after - 2]));
        assert!(found.is_some());
    }

    #[test]
    fn of_several_files_the_last_in_which_edits_were_refused_is_told() {
        let beside = |name: &str, minutes: [&[i64]; 3]| {
            let mut side = edits(name, minutes[0]);
            let met = side.1.files[0].clone();
            for (file, minutes) in ["b.rs", "c.rs"].into_iter().zip(&minutes[1..]) {
                let mut other = met.clone();
                other.path = ProjectPath::new(file).expect("a path");
                other.edited_at = stretches(minutes.iter().map(|minute| at(*minute)));
                side.1.files.push(other);
            }
            for file in &mut side.1.files[..2] {
                file.refused = true;
            }
            side
        };
        let found = found(
            &beside("one", [&[0, 10], &[20, 30], &[40, 50]]),
            &beside("two", [&[5], &[25], &[45]]),
        );
        let content = found.expect("they met").content;
        assert!(content.as_str().contains("`b.rs`"), "{content}");
    }
}
