//! What the surroundings of the work do not let agents do: the same failure in session after session, and no way around it.
//!
//! Each new session tries it again and pays for it, so that it is worth knowing although nothing is known to help.

use oldhand_domain::payload::BuiltInType;
use oldhand_domain::taint::Taint;
use oldhand_domain::text::Fingerprint;

use super::errors::ErrorRecord;
use super::facts::{ErrorFact, SessionFacts};
use super::{Knowledge, synthesis};
use crate::distill::phrase::clip;
use crate::distill::{Candidate, Wording, error_told};
use crate::outcome::commands::program_key;

/// So many sessions ran into it.
const SESSIONS: usize = 3;
/// How sure they make it, what each further one adds, and the most it can be.
const SURE: f64 = 0.6;
const ANOTHER: f64 = 0.03;
const SUREST: f64 = 0.85;

/// How systems, networks and clients' sandboxes refuse: no edit of the project is answered so.
const REFUSALS: [&str; 15] = [
    "operation timed out",
    "connection timed out",
    "connection refused",
    "could not resolve",
    "no such host",
    "network is unreachable",
    "permission denied",
    "operation not permitted",
    "eperm",
    "eacces",
    "command not found",
    "cannot connect to",
    "failed to connect to",
    "authentication failed",
    "is the docker daemon running",
];

/// Whether an error says that the surroundings refuse something.
pub(crate) fn is_of_surroundings(message: &str) -> bool {
    let lower = message.to_lowercase();
    REFUSALS.iter().any(|words| lower.contains(words))
}

impl Knowledge {
    /// The walls that a session ran into once more, as would-be memories.
    pub(crate) fn walls(&self, facts: &SessionFacts) -> Vec<Candidate> {
        let met = facts.errors.iter();
        let met = met.filter(|error| is_of_surroundings(&error.message));
        met.filter_map(|error| {
            let mut record = self.errors.get(&error.message).cloned().unwrap_or_default();
            record.learn(facts, error);
            wall(&record, error)
        })
        .collect()
    }
}

fn wall(record: &ErrorRecord, error: &ErrorFact) -> Option<Candidate> {
    let sessions = record.sessions.len();
    if sessions < SESSIONS || record.best().is_some() || record.is_mostly_answered() {
        return None;
    }
    let failing = program_key(record.usual_command())?;
    let message = clip(&record.message, 200);
    let wording = Wording {
        payload: BuiltInType::ErrorPattern.into(),
        content: format!(
            "`{failing}` fails here with \"{message}\": {} times in {sessions} sessions, and nothing that was tried helped. Do not try it again; say that it is left to be done.",
            record.count
        ),
        summary: format!("`{failing}` does not work here: \"{}\"", clip(&message, 80)),
    };
    let clean = record.clean.len() >= SESSIONS;
    let taint = if clean {
        Taint::CLEAN
    } else {
        error.taint.clone()
    };
    let sure = SURE + ANOTHER * (sessions - SESSIONS) as f64;
    let key = format!("wall:{}", record.message);
    let mut wall = synthesis::candidate(
        key,
        wording,
        sure.min(SUREST),
        record.sessions.clone(),
        taint,
    )?;
    wall.fingerprints
        .extend(Fingerprint::new(&record.message).ok());
    wall.told = Some(error_told(&record.message));
    Some(wall)
}

#[cfg(test)]
mod tests {
    use super::super::tests::learned;
    use crate::fold::{FoldOptions, fold};
    use crate::harvest::harvest;
    use crate::story::events;
    use oldhand_domain::id::SessionId;

    /// What the last of some sessions tells, after the others were learned.
    fn told(stories: &[&str]) -> Option<String> {
        let (last, before) = stories.split_last().unwrap();
        let known = learned(before);
        let session = fold(&events(last), &FoldOptions::default());
        let harvest = harvest(SessionId::new("last").unwrap(), &session, &known);
        let mut walls = harvest.candidates.into_iter();
        let wall = walls.find(|candidate| candidate.key.starts_with("wall:"));
        wall.map(|wall| wall.content.as_str().to_owned())
    }

    const PUSH: &str = "edit a.rs; run cargo test = 0: test result: ok. 1 passed; run git push = 128: ssh: connect to host git.example port 22: Operation timed out\\nfatal: Could not read from remote repository.";

    #[test]
    fn what_failed_in_every_session_is_told_as_what_not_to_try() {
        assert_eq!(told(&[PUSH, PUSH]), None, "two may be a bad day");
        assert_eq!(
            told(&[PUSH, PUSH, PUSH]).as_deref(),
            Some(
                "`git push` fails here with \"ssh: connect to host git.example port <n>: Operation timed out\": 3 times in 3 sessions, and nothing that was tried helped. Do not try it again; say that it is left to be done."
            )
        );
    }

    #[test]
    fn what_had_an_answer_or_is_of_the_work_is_no_wall() {
        let answered = format!("{PUSH}; run git push https://git.example/a.git = 0");
        assert_eq!(told(&[&answered, &answered, PUSH]), None);
        let work = "edit a.rs; run make = 2: error: undefined symbol cache_open";
        assert_eq!(told(&[work, work, work, work]), None);
    }
}
