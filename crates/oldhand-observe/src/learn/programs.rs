//! Programs that one machine does not find and others do: what a shell said there is no error of the project.

use std::collections::BTreeSet;

use oldhand_domain::id::SessionId;
use oldhand_domain::signal::SignalKind;

use super::Knowledge;
use crate::distill::remedy::missing_program;
use crate::distill::{Candidate, Origin};
use crate::promote::Dropped;

impl Knowledge {
    /// The program that an error says is not found, and that another session ran by its name than those that did not find it.
    pub(super) fn found_elsewhere<'m>(&self, message: &'m str) -> Option<&'m str> {
        let program = missing_program(message)?;
        let found = self.named(self.programs.get(program)?);
        let is_it = |message: &str| missing_program(message) == Some(program);
        let records = self.errors.values().filter(|error| is_it(&error.message));
        let missed: BTreeSet<&SessionId> = records.flat_map(|error| &error.sessions).collect();
        let is_elsewhere = found.iter().any(|session| !missed.contains(session));
        is_elsewhere.then_some(program)
    }

    /// Refuses what only the path of one machine brought about.
    pub(crate) fn refuse_of_a_machine(&self, candidates: &mut [Candidate]) {
        let errors = candidates
            .iter_mut()
            .filter(|candidate| candidate.origin == Origin::Signal(SignalKind::ErrorRetry));
        for candidate in errors {
            let mut messages = candidate.fingerprints.iter();
            let program = messages.find_map(|message| self.found_elsewhere(message.as_str()));
            if let Some(program) = program.map(str::to_owned) {
                candidate.refuse(Dropped::FoundElsewhere { program });
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::session;
    use super::*;

    const MISSED: &str = "run go test = 127: zsh:1: command not found: go; run mise exec -- go test = 0: ok; edit a.go; run make test = 0: 1 passed";
    const IN_BASH: &str =
        "run go vet = 127: bash: line 1: go: command not found; run make test = 0";
    const FOUND: &str = "edit a.go; run go test = 0: ok";
    const LATER: &str =
        "run go test = 127: zsh:1: command not found: go; run make setup = 0; run go test = 0: ok";
    const OTHER: &str = "edit a.go; run mise exec -- go test = 0: ok";

    #[test]
    fn a_program_that_another_session_found_is_missing_on_one_machine_only() {
        let missing = "zsh:<n>: command not found: go";
        for (stories, expected) in [
            (&[MISSED, MISSED][..], None),
            (&[MISSED, FOUND], Some("go")),
            (&[FOUND, MISSED], Some("go")),
            // It was made to be found, in the session that had missed it; in whichever shell.
            (&[MISSED, LATER], None),
            (&[MISSED, IN_BASH], None),
            (&[MISSED, OTHER], None),
        ] {
            let mut known = Knowledge::default();
            for (number, story) in stories.iter().enumerate() {
                known.learn(&session(number as u32, story));
            }
            assert_eq!(known.found_elsewhere(missing), expected, "{stories:?}");
        }
    }
}
