//! A session as it would have been without some of its steps.

use std::collections::BTreeSet;

use super::{AccessKind, FileId, SessionAnalytics};

impl SessionAnalytics {
    /// What is left when every step for which `is_gone` holds is taken out, with the words beside it. What was asked and validated
    /// stays, and so does what came in from outside.
    #[must_use]
    pub(crate) fn without(&self, is_gone: impl Fn(u32) -> bool) -> Self {
        let stands = |step: u32| !is_gone(step);
        let mut left = self.clone();
        // Words stand between two steps and may be about either.
        left.said
            .retain(|said| stands(said.step) && stands(said.step + 1));
        left.edits.retain(|edit| stands(edit.step));
        left.unnamed_edits.retain(|step| stands(*step));
        left.runs.retain(|run| stands(run.step));
        left.mending.retain(|mending| stands(mending.step));
        left.hurdles.retain(|hurdle| stands(hurdle.step));
        left.left.retain(|one| stands(one.step));
        left.git.retain(|(step, _)| stands(*step));
        left.trail.retain(|(_, step)| stands(*step));
        left.web.retain(|web| stands(web.step));
        left.dwells.retain(|dwell| stands(dwell.step));
        left.refusals.retain(|refusal| stands(refusal.step));
        left.globs.retain(|_, glob| stands(glob.step));
        left.greps.retain(|_, grep| {
            let before = grep.steps.len();
            grep.steps.retain(|step| stands(*step));
            let gone = u32::try_from(before - grep.steps.len()).unwrap_or(u32::MAX);
            grep.count = grep.count.saturating_sub(gone);
            !grep.steps.is_empty()
        });
        left.errors.retain(|_, error| {
            // An error that went away together with the approach that met it was not solved.
            let last = error.steps.last().copied();
            if last.is_some_and(&is_gone)
                || error
                    .resolution
                    .as_ref()
                    .is_some_and(|end| is_gone(end.step))
            {
                error.resolution = None;
            }
            let before = error.steps.len();
            error.steps.retain(|step| stands(*step));
            let gone = u32::try_from(before - error.steps.len()).unwrap_or(u32::MAX);
            error.count = error.count.saturating_sub(gone);
            !error.steps.is_empty()
        });
        left.forget_accesses(stands);
        left
    }

    /// Counts files and pairs anew from the accesses that stand.
    fn forget_accesses(&mut self, stands: impl Fn(u32) -> bool) {
        let accesses = std::mem::take(&mut self.accesses);
        self.files.forget_uses();
        self.co_access.clear();
        self.recent.clear();
        let mut edited: BTreeSet<(u32, FileId)> = BTreeSet::new();
        edited.extend(self.edits.iter().map(|edit| (edit.step, edit.file)));
        for access in accesses.into_iter().filter(|access| stands(access.step)) {
            // A change that failed left its access, and no edit.
            let happened =
                access.kind == AccessKind::Read || edited.contains(&(access.step, access.file));
            self.files
                .count(access.file, access.step, happened.then_some(access.kind));
            self.join_recent(access.file, access.step, access.at);
            self.accesses.push(access);
        }
    }
}
