//! What sessions saw of files that were edited together. A session that edited much joins whatever lay about, so that only those
//! of few files are counted.

use std::collections::{BTreeMap, BTreeSet};

use oldhand_domain::path::ProjectPath;

use super::{Knowledge, SessionFacts};
use crate::distill::{Company, SMALL, Together};

/// How many sessions of a file are its latest.
const LATEST: usize = 8;

/// The sessions that edited few files, by their place among all.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Edits {
    sessions: Vec<u32>,
    files: BTreeMap<ProjectPath, Vec<u32>>,
}

impl Edits {
    pub(super) fn learn(&mut self, facts: &SessionFacts, number: u32) {
        let edited = || facts.files.iter().filter(|file| file.edits > 0);
        if !(1..=SMALL).contains(&edited().count()) {
            return;
        }
        self.sessions.push(number);
        for file in edited() {
            self.files
                .entry(file.path.clone())
                .or_default()
                .push(number);
        }
    }
}

impl Company for Knowledge {
    fn together(&self, a: &ProjectPath, b: &ProjectPath) -> Option<Together> {
        let (of_a, of_b) = (self.edits.files.get(a)?, self.edits.files.get(b)?);
        let since = *of_a.first()?.max(of_b.first()?);
        let from = |numbers: &[u32]| numbers.partition_point(|number| *number < since);
        let each = [&of_a[from(of_a)..], &of_b[from(of_b)..]];
        let both = |numbers: &[u32]| {
            let is_in = |number: &u32, of: &[u32]| of.binary_search(number).is_ok();
            let both = numbers
                .iter()
                .filter(|number| each.iter().all(|of| is_in(number, of)));
            both.count() as u32
        };
        let latest = |numbers: &[u32]| {
            let latest = &numbers[numbers.len().saturating_sub(LATEST)..];
            [both(latest), latest.len() as u32]
        };
        let sessions = &self.edits.sessions;
        let seen = Together {
            all: (sessions.len() - from(sessions)) as u32,
            ..Together::of(both(each[0]), each.map(|numbers| numbers.len() as u32))
        };
        Some(seen.lately(each.map(latest)))
    }

    fn beside(&self, file: &ProjectPath) -> Vec<ProjectPath> {
        let Some(own) = self.edits.files.get(file) else {
            return Vec::new();
        };
        let shared = self.edits.files.iter().map(|(other, numbers)| {
            let both = own
                .iter()
                .filter(|number| numbers.binary_search(number).is_ok());
            (both.count(), other)
        });
        let mut found: Vec<_> = shared
            .filter(|(both, other)| *both >= 2 && *other != file)
            .collect();
        found.sort_by(|a, b| b.0.cmp(&a.0).then_with(|| a.1.cmp(b.1)));
        found.into_iter().map(|(_, other)| other.clone()).collect()
    }

    fn changed_of(&self, files: &BTreeSet<ProjectPath>) -> Vec<u32> {
        let mut changed: BTreeMap<u32, u32> = BTreeMap::new();
        for number in files
            .iter()
            .filter_map(|file| self.edits.files.get(file))
            .flatten()
        {
            *changed.entry(*number).or_default() += 1;
        }
        changed.into_values().collect()
    }
}

impl Knowledge {
    /// How often two files were used close to each other, whether or not they were edited.
    pub fn used_together(&self, a: &ProjectPath, b: &ProjectPath) -> Option<Together> {
        let pair = if a < b { (a, b) } else { (b, a) };
        let edge = self.edges.get(&(pair.0.clone(), pair.1.clone()))?;
        let (of_a, of_b) = (self.files.get(a)?.sessions, self.files.get(b)?.sessions);
        Some(Together {
            all: self.sessions.len() as u32,
            ..Together::of(edge.sessions, [of_a, of_b])
        })
    }
}
