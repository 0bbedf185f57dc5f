//! What git's history says to whoever learns from sessions: read when it is first asked for.

use std::cell::OnceCell;
use std::collections::HashMap;

use jiff::Timestamp;
use oldhand_code::history::facts::{co_changes, file_facts};
use oldhand_code::history::log::History;
use oldhand_domain::path::ProjectPath;
use oldhand_observe::distill::Together;

use super::read_history;
use crate::desk::Desk;
use crate::out::Out;

/// Pairs that changed together less often than this are not asked about.
const LEAST_TIMES: usize = 5;

type Pairs = HashMap<(String, String), Together>;

pub(crate) struct Past<'d> {
    desk: &'d Desk,
    out: &'d Out,
    /// A history that cannot be read bears nothing out.
    history: OnceCell<Option<History>>,
    pairs: OnceCell<Pairs>,
}

impl<'d> Past<'d> {
    pub(crate) fn of(desk: &'d Desk, out: &'d Out) -> Self {
        Self {
            desk,
            out,
            history: OnceCell::new(),
            pairs: OnceCell::new(),
        }
    }

    /// How often two files changed together.
    pub(crate) fn changed_together(
        &self,
    ) -> impl Fn(&ProjectPath, &ProjectPath) -> Option<Together> + '_ {
        move |a, b| {
            let pairs = self
                .pairs
                .get_or_init(|| self.history().map(pairs).unwrap_or_default());
            let (a, b) = if a <= b { (a, b) } else { (b, a) };
            pairs.get(&(a.to_string(), b.to_string())).copied()
        }
    }

    /// The commit that has the edits of these files, the last of which was made at that time.
    pub(crate) fn taken_in(
        &self,
    ) -> impl Fn(&[&ProjectPath], Timestamp) -> Option<(String, Timestamp)> + '_ {
        move |files, edited| {
            let paths: Vec<&str> = files.iter().map(|file| file.as_str()).collect();
            let found = self.history()?.taken_in(&paths, edited.as_second())?;
            Some((found.commit, Timestamp::from_second(found.time).ok()?))
        }
    }

    fn history(&self) -> Option<&History> {
        self.history
            .get_or_init(|| read_history(self.desk, self.out).ok())
            .as_ref()
    }
}

fn pairs(history: &History) -> Pairs {
    let facts = file_facts(history);
    let commits: HashMap<&str, usize> = facts
        .iter()
        .map(|file| (file.path.as_str(), file.commits))
        .collect();
    let pairs = co_changes(history, LEAST_TIMES, usize::MAX).into_iter();
    pairs
        .map(|pair| {
            let of = |path: &str| commits.get(path).copied().unwrap_or(pair.times);
            let rarer = of(&pair.a).min(of(&pair.b));
            let together = Together {
                both: u32::try_from(pair.times).unwrap_or(u32::MAX),
                rarer: u32::try_from(rarer).unwrap_or(u32::MAX),
            };
            ((pair.a, pair.b), together)
        })
        .collect()
}
