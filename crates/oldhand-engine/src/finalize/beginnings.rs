//! What is kept beside the statement of where work in a module begins: the files that its sessions mostly use, as far as they are there.

use oldhand_domain::payload::Payload;
use oldhand_observe::distill::Candidate;

use super::Finalizer;

impl Finalizer<'_> {
    pub(super) fn keep_beginnings(&self, candidates: &mut [Candidate]) {
        let is_there = |file: &_| self.is_gone.is_none_or(|is_gone| !is_gone(file));
        for candidate in candidates {
            if let Some(files) = self.across.knowledge.beginnings(candidate, &is_there) {
                candidate.payload = Payload::PrefetchPattern(files);
            }
        }
    }
}
