//! What git's history says of two files, before agents worked on them often enough to show it.

use oldhand_domain::path::ProjectPath;
use oldhand_domain::payload::BuiltInType;
use oldhand_domain::taint::Taint;
use oldhand_domain::text::{Content, Summary};

use super::{Candidate, phrase};
use crate::promote::{Dropped, cautious_share};

/// The commits of two files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Together {
    /// Those that changed both.
    pub both: u32,
    /// Those that changed the rarer of the two.
    pub rarer: u32,
}

/// Fewer commits than this are chance.
const COMMITS: u32 = 5;
/// With so many commits of the rarer file its company is known.
const COMMITS_AGAINST: u32 = 5;
/// The rarer file must bring the other in this share of its commits, seen from the cautious end.
const SHARE: f64 = 0.5;

impl Together {
    /// Whether a session that edits both needs no other session to bear it out.
    pub fn bears_out(self) -> bool {
        self.both >= COMMITS && self.share() >= SHARE
    }

    /// Whether commits say so too, be they few: at least three, and half of those of the rarer file.
    pub(crate) fn agrees(self) -> bool {
        self.both >= 3 && 2 * self.both >= self.rarer
    }

    /// Whether commits say that the rarer file mostly changes without the other, or hardly ever with it.
    pub fn speaks_against(self) -> bool {
        let apart = self.rarer >= COMMITS_AGAINST && 3 * self.both < self.rarer;
        apart || (self.rarer >= 2 && self.both < 2)
    }

    pub(crate) fn share(self) -> f64 {
        cautious_share(self.both, self.rarer.max(self.both))
    }
}

impl Candidate {
    /// The two files that sessions edited close together.
    pub fn edited_pair(&self) -> Option<(&ProjectPath, &ProjectPath)> {
        self.pair().filter(|_| self.edited)
    }

    /// The two files that it says change together.
    pub fn pair(&self) -> Option<(&ProjectPath, &ProjectPath)> {
        let mut files = self.files.iter();
        match (files.next(), files.next(), files.next()) {
            (Some(a), Some(b), None) if self.key.starts_with("pair:") => Some((a, b)),
            _ => None,
        }
    }

    /// Git saw these files change, and seldom together.
    pub fn contradict(&mut self, together: Together) {
        self.unfit = Some(Dropped::GitDisagrees {
            both: together.both,
            rarer: together.rarer,
        });
    }

    /// Says what git says too. `sessions` edited both.
    pub fn cite(&mut self, together: Together, sessions: u32) {
        let Some((a, b)) = self.edited_pair() else {
            return;
        };
        let agents = phrase::sessions(sessions);
        let content = format!(
            "`{a}` and `{b}` change together: in git's history both changed in {} of the {} small commits of the rarer one, and {agents} edited both.",
            together.both,
            together.rarer.max(together.both),
        );
        let summary = format!("`{a}` and `{b}` change together");
        if let Ok(content) = Content::new(&content) {
            self.summary = Summary::new(&summary).unwrap_or_else(|_| self.summary.clone());
            self.content = content;
            self.payload = BuiltInType::CausalDependency.into();
            // It is git that says so now, in names of files and numbers: no outside text of a session has a hand in that.
            self.taint = Taint::CLEAN;
        }
    }
}
