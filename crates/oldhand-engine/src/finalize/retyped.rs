//! Sessions that somebody says were of another type: what that type does not teach goes, and comes back with the type that does.

use std::collections::BTreeSet;

use oldhand_domain::id::MemoryId;
use oldhand_observe::distill::Candidate;
use oldhand_observe::fold::{Because, Kind};
use oldhand_observe::promote::Gate;

use super::record::{SessionBody, SessionReport};

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
