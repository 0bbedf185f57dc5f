//! Which steps of a session bear witness to what many sessions show together, so that any memory leads back to events.

use std::collections::BTreeSet;

use oldhand_domain::payload::Payload;

use super::{Candidate, Subject};
use crate::fold::SessionAnalytics;
use crate::outcome::commands::{check_commands, format_commands};
use crate::paths;

/// The steps that are kept.
const STEPS: usize = 8;

impl Candidate {
    /// Takes the session that brought it up for a witness, where nothing else is one.
    pub fn find_witness(&mut self, session: &SessionAnalytics) {
        if self.evidence.is_empty() {
            self.evidence = session.steps_about(&self.subject());
        }
    }
}

impl SessionAnalytics {
    /// The steps that have to do with something, the first of each file and error.
    pub fn steps_about(&self, subject: &Subject<'_>) -> Vec<u32> {
        let mut steps: BTreeSet<u32> = BTreeSet::new();
        let used = subject.files.iter();
        let used = used.filter_map(|file| self.files.find(file));
        steps.extend(used.map(|file| file.first_step).filter(|step| *step > 0));
        let is_named = |command: &str| subject.content.contains(&format!("`{command}`"));
        for run in &self.runs {
            let checks = check_commands(&run.command).into_iter();
            let commands = checks.map(|(_, command)| command);
            let mut commands = commands.chain(format_commands(&run.command));
            if commands.any(|command| is_named(&command)) {
                steps.insert(run.step);
            }
        }
        for error in self.errors.values() {
            let mut known = subject.fingerprints.iter();
            if known.any(|known| known.as_str() == error.message) {
                steps.extend(&error.steps);
            }
        }
        match subject.payload {
            Payload::WorkflowRecipe(recipe) => {
                let is_step = |key: &str| recipe.steps.iter().any(|step| step.description == key);
                let trail = self.trail.iter().filter(|(key, _)| is_step(key));
                steps.extend(trail.map(|(_, step)| *step));
            }
            // The whole session is what it rests on.
            Payload::TaskCalibration(_) | Payload::ContextCost(_) => {
                steps.insert(self.step);
            }
            _ => {}
        }
        if steps.is_empty() {
            // What is said of whole modules any of their files shows.
            for module in subject.modules {
                let mut used = self.files.iter().map(|(_, file)| file).filter(|file| {
                    file.first_step > 0 && paths::module_of(file.path.as_str()) == module.as_str()
                });
                steps.extend(used.next().map(|file| file.first_step));
            }
        }
        steps.into_iter().take(STEPS).collect()
    }
}
