//! How much of a session was seen.

use super::SessionAnalytics;

/// What is known of a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sight {
    /// The calls of its tools were seen.
    Work,
    /// Only what its agent says.
    WordsOnly,
}

impl SessionAnalytics {
    /// Whether anybody but the agent tells what it did. Who is heard and never seen may have read anything.
    pub fn sight(&self) -> Sight {
        if self.step == 0 {
            Sight::WordsOnly
        } else {
            Sight::Work
        }
    }
}
