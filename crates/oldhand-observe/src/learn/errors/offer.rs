//! What of all that made an error go away another session can do again.

use super::super::walls::is_of_surroundings;
use super::{ErrorRecord, FixRecord};
use crate::detect::SolvedBy;
use crate::distill::remedy::{
    is_about_the_call, is_of_words_given, may_answer, may_be_offered, names_another, prepares,
};

impl ErrorRecord {
    /// The ways out that another session can go, the surest first: no edit, which is of its day, and no command that is cut, throws
    /// work away, reaches other machines or has nothing to do with the error.
    pub fn ranked(&self) -> Vec<(&SolvedBy, &FixRecord)> {
        let mut fixes = self.ways_out();
        fixes.retain(|(by, _)| !names_another(by, &self.message));
        fixes
    }

    fn ways_out(&self) -> Vec<(&SolvedBy, &FixRecord)> {
        let mut fixes: Vec<_> = self.fixes.iter().collect();
        fixes.retain(|(by, _)| self.may_be_shown(by));
        // One more try may have been luck.
        fixes.retain(|(by, fix)| **by != SolvedBy::Again || fix.sessions.len() >= 2);
        // What only failed work did is no advice.
        fixes.retain(|(_, fix)| fix.passed > 0 || fix.failed < fix.sessions.len() as u32);
        let rank = |fix: &FixRecord| (fix.confidence(), fix.sessions.len(), fix.last_at);
        fixes.sort_by(|(a, one), (b, two)| {
            rank(two)
                .partial_cmp(&rank(one))
                .unwrap_or(std::cmp::Ordering::Equal)
                .then_with(|| a.cmp(b))
        });
        fixes
    }

    fn may_be_shown(&self, by: &SolvedBy) -> bool {
        let command = self.usual_command();
        match by {
            SolvedBy::Edits(_) | SolvedBy::Later => return false,
            // What the surroundings refuse they do not allow by chance, and what is missing does not come by asking again.
            SolvedBy::Again => {
                return !is_of_surroundings(&self.message)
                    && !is_about_the_call(&self.message)
                    && !is_of_words_given(&self.message, command);
            }
            SolvedBy::First(other) | SolvedBy::Command(other) if !may_be_offered(other) => {
                return false;
            }
            SolvedBy::First(_) | SolvedBy::Command(_) | SolvedBy::Without { .. } => {}
        }
        may_answer(by, &self.message, command)
    }

    /// The fix that held more than once.
    pub fn tested(&self) -> Option<(&SolvedBy, &FixRecord)> {
        self.best().filter(|(_, fix)| fix.is_tested())
    }

    /// The fix that may be offered when the error comes again, whatever it names.
    pub fn best(&self) -> Option<(&SolvedBy, &FixRecord)> {
        self.best_for(&self.message)
    }

    /// The fix that may be offered when the error comes again with this output: it held in a session that was validated and that nothing
    /// from outside had a hand in, and it brings nothing that this error does not speak of. A command that came before it once may be
    /// chance, unless it prepares something, and so may another command that was about something else; another try is an answer only
    /// when it was one more than once.
    pub fn best_for(&self, output: &str) -> Option<(&SolvedBy, &FixRecord)> {
        self.ways_out().into_iter().find(|(by, fix)| {
            let is_enough = match by {
                SolvedBy::Without { .. } => true,
                SolvedBy::Command(_) => fix.sessions.len() >= 2 || fix.same_aim,
                SolvedBy::First(command) => fix.sessions.len() >= 2 || prepares(command),
                SolvedBy::Again => fix.passed >= 2,
                SolvedBy::Edits(_) | SolvedBy::Later => false,
            };
            fix.passed > fix.failed && is_enough && !names_another(by, output)
        })
    }
}
