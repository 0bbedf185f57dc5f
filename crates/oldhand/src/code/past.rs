//! What git's history says to whoever learns from sessions: read when it is first asked for.

use std::cell::OnceCell;

use jiff::Timestamp;
use oldhand_code::history::facts;
use oldhand_code::history::log::History;
use oldhand_domain::path::ProjectPath;
use oldhand_observe::distill::Together;

use super::read_history;
use crate::desk::Desk;
use crate::out::Out;

pub(crate) struct Past<'d> {
    desk: &'d Desk,
    out: &'d Out,
    /// A history that cannot be read bears nothing out.
    history: OnceCell<Option<History>>,
}

impl<'d> Past<'d> {
    pub(crate) fn of(desk: &'d Desk, out: &'d Out) -> Self {
        Self {
            desk,
            out,
            history: OnceCell::new(),
        }
    }

    /// How often two files changed together.
    pub(crate) fn changed_together(
        &self,
    ) -> impl Fn(&ProjectPath, &ProjectPath) -> Option<Together> + '_ {
        move |a, b| {
            let found = facts::changed_together(self.history()?, a.as_str(), b.as_str());
            let count = |times: usize| u32::try_from(times).unwrap_or(u32::MAX);
            found.map(|(both, rarer)| Together {
                both: count(both),
                rarer: count(rarer),
            })
        }
    }

    /// Whether a file that git knew is not there any more, or elsewhere.
    pub(crate) fn is_gone(&self) -> impl Fn(&ProjectPath) -> bool + '_ {
        move |file| {
            let history = self.history();
            history.is_some_and(|history| facts::is_gone(history, file.as_str()))
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
