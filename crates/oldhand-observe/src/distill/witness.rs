//! Which steps of a session bear witness to what many sessions show together, so that any memory leads back to events.

use std::collections::BTreeSet;

use oldhand_domain::payload::Payload;

use super::Candidate;
use crate::fold::SessionAnalytics;
use crate::outcome::commands::{check_commands, format_commands};

/// The steps that are kept.
const STEPS: usize = 8;

impl Candidate {
    /// Takes the session that brought it up for a witness, where nothing else is one.
    pub fn find_witness(&mut self, session: &SessionAnalytics) {
        if !self.evidence.is_empty() {
            return;
        }
        let mut steps: BTreeSet<u32> = BTreeSet::new();
        let used = self
            .files
            .iter()
            .filter_map(|file| session.files.find(file));
        steps.extend(used.map(|file| file.first_step).filter(|step| *step > 0));
        let is_named = |command: &str| self.content.as_str().contains(&format!("`{command}`"));
        for run in &session.runs {
            let checks = check_commands(&run.command).into_iter();
            let commands = checks.map(|(_, command)| command);
            let mut commands = commands.chain(format_commands(&run.command));
            if commands.any(|command| is_named(&command)) {
                steps.insert(run.step);
            }
        }
        for error in session.errors.values() {
            let mut known = self.fingerprints.iter();
            if known.any(|known| known.as_str() == error.message) {
                steps.extend(&error.steps);
            }
        }
        match &self.payload {
            Payload::WorkflowRecipe(recipe) => {
                let is_step = |key: &str| recipe.steps.iter().any(|step| step.description == key);
                let trail = session.trail.iter().filter(|(key, _)| is_step(key));
                steps.extend(trail.map(|(_, step)| *step));
            }
            // The whole session is what it rests on.
            Payload::TaskCalibration(_) | Payload::ContextCost(_) => {
                steps.insert(session.step);
            }
            _ => {}
        }
        self.evidence = steps.into_iter().take(STEPS).collect();
    }
}
