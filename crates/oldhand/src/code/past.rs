//! What git's history says to whoever learns from sessions: read when it is first asked for.

use std::cell::OnceCell;
use std::collections::BTreeSet;

use jiff::Timestamp;
use oldhand_code::history::log::History;
use oldhand_code::history::{facts, together};
use oldhand_code::index::Index;
use oldhand_code::snapshot::Snapshot;
use oldhand_domain::path::ProjectPath;
use oldhand_observe::distill::{Company, Together};

use super::{folder, read_history};
use crate::desk::Desk;
use crate::out::Out;

pub(crate) struct Past<'d> {
    desk: &'d Desk,
    out: &'d Out,
    /// A history that cannot be read bears nothing out.
    history: OnceCell<Option<History>>,
    /// The graphs of other worktrees, whose sessions are learned from as well.
    elsewhere: OnceCell<Vec<Snapshot>>,
}

impl<'d> Past<'d> {
    pub(crate) fn of(desk: &'d Desk, out: &'d Out) -> Self {
        Self {
            desk,
            out,
            history: OnceCell::new(),
            elsewhere: OnceCell::new(),
        }
    }

    /// Whether a file that git knew is not there any more, or elsewhere, and one that it never knew is on no disk, here or in another worktree.
    pub(crate) fn is_gone(&self) -> impl Fn(&ProjectPath) -> bool + '_ {
        let root = &self.desk.location.root;
        move |file| {
            let path = file.as_str();
            self.history().is_some_and(|history| {
                let never_was = || facts::current_path(history, path).is_none();
                facts::is_gone(history, path)
                    || never_was() && !root.join(path).exists() && !self.is_elsewhere(path)
            })
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

    fn is_elsewhere(&self, path: &str) -> bool {
        let trees = self.elsewhere.get_or_init(|| {
            let folder = folder(self.desk).unwrap_or_default();
            Index::other_trees(&self.desk.location.root, &folder)
        });
        trees.iter().any(|tree| tree.find_file(path).is_some())
    }

    fn history(&self) -> Option<&History> {
        self.history
            .get_or_init(|| read_history(self.desk, self.out).ok())
            .as_ref()
    }
}

impl Company for Past<'_> {
    fn together(&self, a: &ProjectPath, b: &ProjectPath) -> Option<Together> {
        let found = together::changed_together(self.history()?, a.as_str(), b.as_str())?;
        Some(
            Together {
                all: count(found.all),
                days: count(found.days),
                ..Together::of(count(found.both), found.each.map(count))
            }
            .lately(
                found
                    .lately
                    .map(|lately| [count(lately.both), count(lately.of)]),
            )
            .apart(
                count(found.apart.changes),
                [found.apart.days, found.apart.of].map(count),
            ),
        )
    }

    fn keeps(&self, file: &ProjectPath) -> bool {
        let history = self.history();
        history.is_none_or(|history| together::is_kept(history, file.as_str()))
    }

    fn beside(&self, file: &ProjectPath) -> Vec<ProjectPath> {
        let history = self.history();
        let found = history.map(|history| together::changed_with(history, file.as_str(), BESIDE));
        let found = found.unwrap_or_default().into_iter();
        found
            .filter_map(|path| ProjectPath::new(path).ok())
            .collect()
    }

    fn changed_of(&self, files: &BTreeSet<ProjectPath>) -> Vec<u32> {
        let paths: Vec<&str> = files.iter().map(ProjectPath::as_str).collect();
        let history = self.history();
        let found = history.map(|history| together::changed_of(history, &paths));
        found.unwrap_or_default().into_iter().map(count).collect()
    }
}

/// More company of one file is looked at by nobody.
const BESIDE: usize = 50;

fn count(times: usize) -> u32 {
    u32::try_from(times).unwrap_or(u32::MAX)
}
