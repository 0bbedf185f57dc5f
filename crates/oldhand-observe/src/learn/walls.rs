//! What the surroundings of the work do not let agents do: the same failure in session after session, and no way around it.
//!
//! Each new session tries it again and pays for it, so that it is worth knowing although nothing is known to help. What refused may
//! have ended since: it is told as what happened, never as an order.

use oldhand_domain::payload::BuiltInType;
use oldhand_domain::taint::Taint;
use oldhand_domain::text::Fingerprint;

use super::errors::ErrorRecord;
use super::facts::{ErrorFact, SessionFacts};
use super::{Knowledge, synthesis};
use crate::distill::phrase::clip;
use crate::distill::{Candidate, Wording, error_told};
use crate::outcome::commands::program_key;

/// So many occasions ran into it: the sessions of one evening are one.
pub(super) const OCCASIONS: usize = 3;
/// How sure they make it, what each further one adds, and the most it can be.
const SURE: f64 = 0.6;
const ANOTHER: f64 = 0.03;
const SUREST: f64 = 0.85;

/// How systems, networks and clients' sandboxes refuse: no edit of the project is answered so. That a command took too long says
/// nothing of what refused it, and clients say it of all commands in the same words.
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
        let met = met.filter(|error| self.found_elsewhere(&error.message).is_none());
        met.filter_map(|error| {
            let mut record = self.errors.get(&error.message).cloned().unwrap_or_default();
            record.learn(facts, error);
            wall(&record, error)
        })
        .collect()
    }
}

/// How sure so many occasions make it.
pub(super) fn sure_after(occasions: usize) -> f64 {
    let more = occasions.saturating_sub(OCCASIONS) as f64;
    (SURE + ANOTHER * more).min(SUREST)
}

fn wall(record: &ErrorRecord, error: &ErrorFact) -> Option<Candidate> {
    let occasions = record.occasions();
    let is_answered = record.best().is_some() || record.was_mended() || record.is_mostly_answered();
    if occasions < OCCASIONS || is_answered {
        return None;
    }
    let failing = program_key(record.usual_command())?;
    let message = clip(&record.message, 200);
    let last = record.last_at?.strftime("%Y-%m-%d");
    let wording = Wording {
        payload: BuiltInType::ErrorPattern.into(),
        content: format!(
            "`{failing}` failed here with \"{message}\": {} times in {} sessions, last on {last}, and nothing that was tried helped. It may have ended since.",
            record.count,
            record.sessions.len()
        ),
        summary: format!(
            "`{failing}` failed again and again: \"{}\"",
            clip(&message, 80)
        ),
    };
    let clean = record.clean_occasions() >= OCCASIONS;
    let taint = if clean {
        Taint::CLEAN
    } else {
        error.taint.clone()
    };
    let key = format!("wall:{}", record.message);
    let mut wall = synthesis::candidate(
        key,
        wording,
        sure_after(occasions),
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
    use super::super::tests::session;
    use super::*;
    use jiff::{SignedDuration, Timestamp};

    /// What the last of some sessions tells, after the others were learned, each at its hour.
    fn told(stories: &[(i64, &str)]) -> Option<String> {
        last_wall(stories).map(|wall| wall.content.as_str().to_owned())
    }

    fn last_wall(stories: &[(i64, &str)]) -> Option<Candidate> {
        let mut known = Knowledge::default();
        let mut walls = Vec::new();
        for (number, (hour, story)) in stories.iter().enumerate() {
            let mut facts = session(number as u32, story);
            facts.at = Timestamp::UNIX_EPOCH + SignedDuration::from_hours(*hour);
            walls = known.walls(&facts);
            known.learn(&facts);
        }
        walls.pop()
    }

    const PUSH: &str = "edit a.rs; run cargo test = 0: test result: ok. 1 passed; run git push = 128: ssh: connect to host git.example port 22: Operation timed out\\nfatal: Could not read from remote repository.";

    #[test]
    fn what_failed_on_several_days_is_told_as_what_happened() {
        assert_eq!(told(&[(0, PUSH), (24, PUSH)]), None, "two may be a bad day");
        assert_eq!(
            told(&[(0, PUSH), (24, PUSH), (48, PUSH), (49, PUSH)]).as_deref(),
            Some(
                "`git push` failed here with \"ssh: connect to host git.example port <n>: Operation timed out\": 4 times in 4 sessions, last on 1970-01-03, and nothing that was tried helped. It may have ended since."
            )
        );
    }

    #[test]
    fn the_sessions_of_one_evening_are_one_occasion() {
        let evening: Vec<(i64, &str)> = (0..9).map(|hour| (hour / 3, PUSH)).collect();
        assert_eq!(told(&evening), None);
        let mut days = evening;
        days.extend([(8, PUSH)]);
        assert_eq!(told(&days), None, "two occasions");
        days.extend([(14, PUSH)]);
        assert!(told(&days).is_some());
    }

    #[test]
    fn clean_sessions_of_one_evening_clear_nothing() {
        let read_before = format!("fetch https://a.example/page; {PUSH}");
        let read_before = read_before.as_str();
        let is_clean = |stories: &[(i64, &str)]| last_wall(stories).unwrap().taint.is_clean();
        let evening = [(0, PUSH), (1, PUSH), (2, PUSH)];
        let later = [(24, read_before), (48, read_before)];
        assert!(!is_clean(&[evening.as_slice(), &later].concat()));
        assert!(is_clean(&[(0, PUSH), (24, PUSH), (48, PUSH)]));
    }

    #[test]
    fn what_had_an_answer_or_is_of_the_work_is_no_wall() {
        let answered = format!("{PUSH}; run git push https://git.example/a.git = 0");
        let answered = answered.as_str();
        assert_eq!(told(&[(0, answered), (24, answered), (48, PUSH)]), None);
        let again = format!("{PUSH}; read a.rs; run git push = 0");
        let days = [0, 24, 48, 72].map(|hour| (hour, again.as_str()));
        assert_eq!(told(&days), None, "another try went through each time");
        let slow = |command: &str| {
            format!("edit a.rs; run {command} = 124: error: command timed out after 120 seconds")
        };
        let slow = ["make", "npm test", "cargo build", "pytest"].map(slow);
        let days = [0, 1, 2, 3].map(|day| (day * 24, slow[day as usize].as_str()));
        assert_eq!(told(&days), None, "four commands that took long");
        let work = "edit a.rs; run make = 2: error: undefined symbol cache_open";
        let days = [0, 24, 48, 72].map(|hour| (hour, work));
        assert_eq!(told(&days), None);
    }
}
