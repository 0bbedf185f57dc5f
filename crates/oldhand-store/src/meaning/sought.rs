//! What was last asked of all vectors of a store, and what was found.

use std::sync::{Arc, OnceLock};

use oldhand_domain::id::MemoryId;

use crate::vectors::Search;

/// A question, how many were wanted, and what was found as soon as it is.
pub(super) struct Question {
    pub(super) vector: Vec<f32>,
    pub(super) limit: usize,
    pub(super) found: Arc<Sought>,
}

/// What is looked for, and found once.
pub(super) struct Sought {
    /// Where it is known beforehand that others will wait for it: they help.
    pub(super) together: Option<Search>,
    pub(super) found: OnceLock<Nearest>,
}

impl Sought {
    pub(super) fn new(together: Option<Search>) -> Self {
        Self {
            together,
            found: OnceLock::new(),
        }
    }

    pub(super) fn is_found(&self) -> bool {
        let together = self.together.as_ref().is_some_and(Search::is_found);
        together || self.found.get().is_some()
    }
}

impl Question {
    pub(super) fn is(&self, vector: &[f32], limit: usize) -> bool {
        (self.vector.as_slice(), self.limit) == (vector, limit)
    }
}

/// Memories and how near they are.
pub(super) type Nearest = Vec<(MemoryId, f32)>;
