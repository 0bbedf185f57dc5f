//! What a tool gave back.

use serde::{Deserialize, Serialize};

use super::{BoundedText, Call, Ending};
use crate::path::ProjectPath;

/// How a tool call ended. It repeats the call, because some clients only tell the end.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Return {
    pub id: String,
    pub call: Call,
    pub ended: Ending,
    #[serde(default, skip_serializing_if = "BoundedText::is_empty")]
    pub excerpt: BoundedText,
    /// Files a search found, project-relative, as far as they fit.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub matched: Vec<ProjectPath>,
    /// How many it found, where that is more than `matched` has.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub found: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exit_code: Option<i32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub duration_ms: Option<u64>,
    /// Bytes of the whole result, of which `excerpt` is a part.
    #[serde(default)]
    pub size: u64,
}

impl Return {
    /// How many files of a search are kept.
    pub const MATCHES: usize = 60;

    /// Keeps the first `most` files that a search found, and how many there were.
    pub fn keep_matches(&mut self, most: usize) {
        let all = self.matched.len();
        self.matched.truncate(most);
        self.count_matches(all);
    }

    /// Of `all` files only some are left.
    pub(super) fn count_matches(&mut self, all: usize) {
        if self.matched.len() < all {
            self.found.get_or_insert(all as u64);
        }
    }
}
