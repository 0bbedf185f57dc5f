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

/// How often two files changed together, and how often each changed.
#[derive(Default)]
struct Pairs {
    together: HashMap<(String, String), u32>,
    commits: HashMap<String, u32>,
}

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
            let (a, b) = (a.to_string(), b.to_string());
            let rarer = *pairs.commits.get(&a)?.min(pairs.commits.get(&b)?);
            let both = pairs.together.get(&(a, b)).copied();
            // Of pairs that are not counted it is known that they were seen less often than those that are.
            let both = both.unwrap_or_else(|| rarer.min(Together::COUNTED - 1));
            Some(Together { both, rarer })
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
    let count = |times: usize| u32::try_from(times).unwrap_or(u32::MAX);
    let facts = file_facts(history).into_iter();
    let pairs = co_changes(history, Together::COUNTED as usize, usize::MAX).into_iter();
    Pairs {
        commits: facts.map(|file| (file.path, count(file.commits))).collect(),
        together: pairs
            .map(|pair| ((pair.a, pair.b), count(pair.times)))
            .collect(),
    }
}
