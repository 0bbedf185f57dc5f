//! What a statement is about. Words made from one pattern are alike whatever they name; what they name tells them apart.

use std::collections::BTreeSet;

use oldhand_domain::memory::Memory;
use oldhand_domain::path::ProjectPath;
use oldhand_domain::payload::Payload;
use oldhand_domain::text::{Fingerprint, ModuleName};
use oldhand_domain::work_unit::WorkUnit;

use super::Candidate;

#[derive(Clone, Copy, Debug)]
pub struct Subject<'a> {
    pub files: &'a BTreeSet<ProjectPath>,
    pub modules: &'a BTreeSet<ModuleName>,
    pub fingerprints: &'a BTreeSet<Fingerprint>,
    pub content: &'a str,
    pub payload: &'a Payload,
}

impl<'a> Subject<'a> {
    pub fn of(memory: &'a Memory) -> Self {
        Self {
            files: &memory.files,
            modules: &memory.modules,
            fingerprints: &memory.fingerprints,
            content: memory.content.as_str(),
            payload: &memory.payload,
        }
    }

    /// The unit of work whose end or state it tells.
    fn unit(&self) -> Option<&'a WorkUnit> {
        match self.payload {
            Payload::WorkUnitOutcome(outcome) => Some(&outcome.work_unit),
            Payload::WorkState(state) => Some(&state.work_unit),
            _ => None,
        }
    }
}

impl Candidate {
    pub fn subject(&self) -> Subject<'_> {
        Subject {
            files: &self.files,
            modules: &self.modules,
            fingerprints: &self.fingerprints,
            content: self.content.as_str(),
            payload: &self.payload,
        }
    }

    /// Whether something in like words tells of another unit of work, another error or other files, so that it is neither the
    /// same nor makes this surer. What does not say what it is about is compared by its words.
    pub fn is_elsewhere(&self, other: &Subject<'_>) -> bool {
        let own = self.subject();
        if let (Some(unit), Some(others)) = (own.unit(), other.unit()) {
            return unit != others;
        }
        if own.unit().is_some() != other.unit().is_some() {
            return true;
        }
        if !own.fingerprints.is_empty() && !other.fingerprints.is_empty() {
            return own.fingerprints.is_disjoint(other.fingerprints);
        }
        if own.files.is_empty() || other.files.is_empty() {
            return false;
        }
        if self.is_patterned() {
            // `a` with `b` is not `a` with `c`.
            !own.files.is_subset(other.files) && !other.files.is_subset(own.files)
        } else {
            own.files.is_disjoint(other.files)
        }
    }
}

#[cfg(test)]
mod tests {
    use oldhand_domain::payload::{BuiltInType, Outcome, OutcomeResult};
    use oldhand_domain::signal::SignalKind;

    use super::*;
    use crate::distill::{Origin, Wording};

    fn about(origin: Origin, files: &[&str], errors: &[&str]) -> Candidate {
        let wording = Wording {
            payload: BuiltInType::Gotcha.into(),
            content: "These words are of one pattern.".to_owned(),
            summary: "One pattern".to_owned(),
        };
        let mut candidate = Candidate::new("key".to_owned(), origin, wording).unwrap();
        candidate.fingerprints = errors
            .iter()
            .map(|error| Fingerprint::new(error).unwrap())
            .collect();
        candidate.about(files.iter().map(|file| ProjectPath::new(file).unwrap()))
    }

    /// What each of two statements names.
    type Names = [&'static [&'static str]; 2];

    #[test]
    fn other_files_and_errors_are_another_statement() {
        let signal = Origin::Signal(SignalKind::CoAccess);
        let said = Origin::Signal(SignalKind::SelfCorrection);
        let rows: &[(Origin, Names, Names, bool)] = &[
            (signal, [&["a.rs"], &["a.rs"]], [&[], &[]], false),
            (signal, [&["a.rs"], &["b.rs"]], [&[], &[]], true),
            (
                signal,
                [&["a.rs", "b.rs"], &["a.rs", "c.rs"]],
                [&[], &[]],
                true,
            ),
            (signal, [&["a.rs", "b.rs"], &["a.rs"]], [&[], &[]], false),
            (
                said,
                [&["a.rs", "b.rs"], &["a.rs", "c.rs"]],
                [&[], &[]],
                false,
            ),
            (said, [&["a.rs"], &["b.rs"]], [&[], &[]], true),
            (signal, [&[], &["b.rs"]], [&[], &[]], false),
            (signal, [&["a.rs"], &["a.rs"]], [&["one"], &["two"]], true),
            (signal, [&["a.rs"], &["b.rs"]], [&["one"], &["one"]], false),
            (signal, [&["a.rs"], &["a.rs"]], [&["one"], &[]], false),
        ];
        for (origin, files, errors, elsewhere) in rows {
            let [one, two] = [0, 1].map(|at| about(*origin, files[at], errors[at]));
            let found = one.is_elsewhere(&two.subject());
            assert_eq!(found, *elsewhere, "{origin:?} {files:?} {errors:?}");
        }
    }

    #[test]
    fn what_was_found_again_is_in_an_agents_words_with_a_claim_or_without() {
        let files = [&["a.rs", "b.rs"], &["a.rs", "c.rs"]];
        for (key, elsewhere) in [("cause:of:x", false), ("pair:a+b", true)] {
            let [mut one, two] = files.map(|files| about(Origin::Many, files, &[]));
            one.key = key.to_owned();
            assert!(one.claim.is_none());
            assert_eq!(one.is_elsewhere(&two.subject()), elsewhere, "{key}");
        }
    }

    #[test]
    fn each_unit_of_work_ends_for_itself() {
        let ended = |unit: &str, file: &str| {
            let mut candidate = about(Origin::Outcome, &[file], &[]);
            candidate.payload = Payload::WorkUnitOutcome(Outcome {
                result: OutcomeResult::Succeeded,
                files: Vec::new(),
                decisions: Vec::new(),
                steps: 1,
                tokens: 1,
                retries: 0,
                work_unit: WorkUnit::parse("native", unit).unwrap(),
            });
            candidate
        };
        let one = ended("spec/one", "a.rs");
        assert!(one.is_elsewhere(&ended("spec/two", "a.rs").subject()));
        assert!(!one.is_elsewhere(&ended("spec/one", "b.rs").subject()));
        let of_a_branch = about(Origin::Outcome, &["a.rs"], &[]);
        assert!(one.is_elsewhere(&of_a_branch.subject()));
    }
}
