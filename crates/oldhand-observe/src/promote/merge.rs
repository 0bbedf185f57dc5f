//! Scratchpads of parallel agents become one: what several saw is one observation, and a surer one.

use crate::distill::Candidate;

/// Above this, two candidates are one observation.
const SAME: f64 = 0.88;
/// Above this, two agents agree.
const AGREE: f64 = 0.85;

/// What a whole session shows, and what each of its agents saw on its own. The whole holds what all of them did, so that it
/// agrees with nobody; only agents do, with each other.
pub fn merge_into(
    whole: Vec<Candidate>,
    agents: Vec<Vec<Candidate>>,
    alike: impl Fn(&Candidate, &Candidate) -> f64,
) -> Vec<Candidate> {
    let mut merged = whole;
    let known = merged.len();
    for candidate in merge(agents, &alike) {
        match nearest(&merged[..known], &candidate, &alike) {
            Some((at, likeness)) if likeness > SAME => {
                let other = &mut merged[at];
                other.quorum |= candidate.quorum;
                join(other, &candidate);
            }
            _ => merged.push(candidate),
        }
    }
    merged
}

/// Merges the candidates of several agents. `alike` compares two texts, in `0..=1`.
///
/// Marks of outside text are joined, never washed: one tainted source taints the observation.
pub(super) fn merge(
    agents: Vec<Vec<Candidate>>,
    alike: &impl Fn(&Candidate, &Candidate) -> f64,
) -> Vec<Candidate> {
    let mut merged: Vec<Candidate> = Vec::new();
    for candidates in agents {
        // Only others' candidates count: an agent does not agree with itself.
        let known = merged.len();
        for mut candidate in candidates {
            match nearest(&merged[..known], &candidate, alike) {
                Some((at, likeness)) if likeness > SAME => {
                    let other = &mut merged[at];
                    other.quorum = true;
                    join(other, &candidate);
                }
                Some((at, likeness)) if likeness > AGREE => {
                    merged[at].quorum = true;
                    candidate.quorum = true;
                    merged.push(candidate);
                }
                _ => merged.push(candidate),
            }
        }
    }
    merged
}

/// Which of `others` says most nearly the same, and how nearly.
fn nearest(
    others: &[Candidate],
    candidate: &Candidate,
    alike: &impl Fn(&Candidate, &Candidate) -> f64,
) -> Option<(usize, f64)> {
    let others = others.iter().enumerate();
    let near = others.map(|(at, other)| (at, likeness(other, candidate, alike)));
    near.max_by(|(a, one), (b, two)| one.total_cmp(two).then(b.cmp(a)))
}

fn likeness(a: &Candidate, b: &Candidate, alike: &impl Fn(&Candidate, &Candidate) -> f64) -> f64 {
    if a.key == b.key {
        1.0
    } else if a.payload.memory_type() != b.payload.memory_type() || a.is_elsewhere(&b.subject()) {
        0.0
    } else {
        alike(a, b)
    }
}

fn join(into: &mut Candidate, other: &Candidate) {
    into.confidence = if other.confidence > into.confidence {
        other.confidence
    } else {
        into.confidence
    };
    into.urgency = into.urgency.max(other.urgency);
    into.taint = into.taint.clone().join(&other.taint);
    into.files.extend(other.files.iter().cloned());
    into.modules.extend(other.modules.iter().cloned());
    into.fingerprints.extend(other.fingerprints.iter().cloned());
    into.evidence.extend(&other.evidence);
    into.evidence.sort_unstable();
    into.evidence.dedup();
}
