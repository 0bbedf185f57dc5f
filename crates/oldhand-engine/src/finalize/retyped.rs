//! Sessions that somebody says were of another type: what that type does not teach goes, and comes back with the type that does.

use std::collections::BTreeSet;

use oldhand_domain::id::MemoryId;
use oldhand_observe::distill::Candidate;
use oldhand_observe::fold::{Because, Kind};
use oldhand_observe::promote::Gate;

use super::record::{SessionBody, SessionReport};

/// Why a line is withdrawn that was promoted when the session was of another type.
pub(super) const NOT_TAUGHT: &str = "sessions of its type do not teach it";
/// Why a line is promoted whose session had failed for a while.
pub(super) const RIGHT_AFTER_ALL: &str = "the work was right after all";
/// Why a line is promoted again once the session is of a type that teaches it.
pub(super) const TAUGHT_AGAIN: &str = "its type teaches it again";

impl SessionReport {
    /// Whether what the candidate of this key became comes back with the session.
    pub(super) fn is_back(&self, key: &str) -> bool {
        let mut lines = self.lines.iter().filter(|line| line.key == key);
        lines.any(|line| [RIGHT_AFTER_ALL, TAUGHT_AGAIN].contains(&line.why.as_str()))
    }

    /// Whether a memory was taken from the session because of the type it is said to be of, and not because its work failed.
    pub fn is_of_other_type(&self, memory: &str) -> bool {
        let mut lines = self.lines.iter();
        lines.any(|line| line.memory.as_deref() == Some(memory) && line.why == NOT_TAUGHT)
    }
}

/// The statements of a session that its gate lets through no session of its type.
pub(super) fn shut_out(candidates: &[Candidate], gate: Gate) -> BTreeSet<String> {
    let shut = candidates.iter().filter(|one| !gate.is_for(one));
    shut.map(Candidate::told_as).collect()
}

/// The memories that a session taught as one of another type and does not teach as what somebody says it was. What several sessions show
/// together is not its own to take back.
pub(super) fn left_behind(
    kind: &Kind,
    before: Option<&SessionBody>,
    earlier: Option<&SessionReport>,
    shut_out: &BTreeSet<String>,
) -> BTreeSet<MemoryId> {
    let is_told = matches!(kind.because, Because::Told { .. });
    let was_other = before.is_some_and(|body| body.session_type != kind.session_type.as_str());
    let lines = earlier.iter().flat_map(|report| &report.lines);
    lines
        .filter(|line| is_told && was_other && !line.together && shut_out.contains(&line.key))
        .filter_map(super::ReportLine::memory)
        .collect()
}
