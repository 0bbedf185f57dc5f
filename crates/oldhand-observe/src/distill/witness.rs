//! Which steps of a session bear witness to what many sessions show together, so that any memory leads back to events.

use std::collections::BTreeSet;

use oldhand_domain::id::SessionId;
use oldhand_domain::path::ProjectPath;
use oldhand_domain::payload::{BuiltInType, Payload};
use oldhand_domain::text::ModuleName;

use super::claim::names_to_find;
use super::{Candidate, Subject};
use crate::fold::SessionAnalytics;
use crate::learn::missing_name;
use crate::outcome::commands::{Whole, check_commands, format_commands, own_checks};
use crate::paths;

/// The steps that are kept.
const STEPS: usize = 8;

impl Candidate {
    /// Finds what in a session shows it, where that is not known and the session is one of those that do.
    pub fn find_witness(&mut self, id: &SessionId, session: &SessionAnalytics) {
        let shows = self.witnesses.is_empty() || self.witnesses.contains(id);
        if shows && self.evidence.is_empty() {
            self.evidence = session.steps_about(&self.subject());
        }
    }
}

impl SessionAnalytics {
    /// The steps that have to do with something, the first of each file and error.
    pub fn steps_about(&self, subject: &Subject<'_>) -> Vec<u32> {
        let mut steps: BTreeSet<u32> = BTreeSet::new();
        if let Some(edits) = self.edits_of(subject) {
            steps.extend(edits);
        } else {
            let used = subject.files.iter();
            let used = used.filter_map(|file| self.files.find(file));
            steps.extend(used.map(|file| file.first_step).filter(|step| *step > 0));
        }
        let named = checks_named(subject.content);
        for run in self.runs.iter().filter(|_| !named.is_empty()) {
            let checks = check_commands(&run.command).into_iter();
            let commands = checks.map(|(_, command)| command);
            let commands = commands.chain(format_commands(&run.command));
            let wholes = own_checks(&run.command, "", "").into_iter();
            let mut commands = commands.chain(wholes.map(|whole| whole.base()));
            if commands.any(|command| named.contains(&command)) {
                steps.insert(run.step);
            }
        }
        for error in self.errors.values() {
            let mut known = subject.fingerprints.iter();
            if known.any(|known| known.as_str() == error.message) {
                steps.extend(&error.steps);
            }
        }
        let client = self
            .start
            .as_ref()
            .map_or("", |start| start.client.as_str());
        for (named, used) in &self.in_vain {
            let message = missing_name(client, named);
            if subject
                .fingerprints
                .iter()
                .any(|known| known.as_str() == message)
            {
                steps.extend(&used.steps);
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
        if steps.is_empty() && subject.files.is_empty() {
            // What is about no file may tell of one.
            let named = names_to_find(subject.content).into_iter();
            let files = named.filter_map(|name| ProjectPath::new(&name).ok());
            let used = files.filter_map(|file| self.first_edit(self.files.known(&file)?));
            steps.extend(used);
        }
        if steps.is_empty() && subject.modules.len() > 1 {
            // That modules go together any of their files shows, where there is one of each.
            let used = subject
                .modules
                .iter()
                .map(|module| self.first_use_of(module));
            steps.extend(used.collect::<Option<Vec<u32>>>().into_iter().flatten());
        }
        steps.into_iter().take(STEPS).collect()
    }

    /// The first edit of each file of something that says how files change, where the session edited them all.
    fn edits_of(&self, subject: &Subject<'_>) -> Option<Vec<u32>> {
        let says_so = subject.payload.memory_type() == BuiltInType::CausalDependency.into();
        let edit = |file| self.first_edit(self.files.known(file)?);
        let edits: Option<Vec<u32>> = subject.files.iter().map(edit).collect();
        edits.filter(|_| says_so)
    }

    /// The step at which a file of a module was first used.
    fn first_use_of(&self, module: &ModuleName) -> Option<u32> {
        let used = self.files.iter().map(|(_, file)| file).filter(|file| {
            file.first_step > 0 && paths::module_of(file.path.as_str()) == module.as_str()
        });
        used.map(|file| file.first_step).min()
    }
}

/// What stands between backticks, and of commands that check also what they are without what they were given.
fn checks_named(content: &str) -> BTreeSet<String> {
    let spans = content.split('`').skip(1).step_by(2);
    spans
        .flat_map(|span| {
            let base = Whole::read(span).map(|whole| whole.base());
            base.into_iter().chain([span.to_owned()])
        })
        .collect()
}

#[test]
fn how_files_change_is_shown_by_edits() {
    use super::{Origin, Wording};
    use oldhand_domain::path::ProjectPath;
    let session = crate::fold::fold(
        &crate::story::events("read a.rs; read b.rs; edit b.rs; read c.rs; edit a.rs"),
        &crate::fold::FoldOptions::default(),
    );
    let shown = |memory_type: BuiltInType, files: [&str; 2]| {
        let words = "These files change together.".to_owned();
        let wording = Wording::plain(memory_type, words.clone(), words);
        let candidate = Candidate::new("key".to_owned(), Origin::Many, wording).unwrap();
        let files = files.map(|file| ProjectPath::new(file).unwrap());
        session.steps_about(&candidate.about(files).subject())
    };
    let change = BuiltInType::CausalDependency;
    assert_eq!(shown(change, ["a.rs", "b.rs"]), [3, 5]);
    assert_eq!(shown(change, ["a.rs", "c.rs"]), [1, 4], "not edited");
    assert_eq!(shown(BuiltInType::Gotcha, ["a.rs", "b.rs"]), [1, 2]);
}

#[test]
fn a_check_is_shown_by_its_runs_whatever_they_were_given() {
    use crate::fold::{FoldOptions, fold};
    let story =
        "edit src/a.ts; run npx vitest run --globals src/a.test.ts = 0: 1 passed; run ls = 0";
    let session = fold(&crate::story::events(story), &FoldOptions::default());
    let content = "How changes are checked: test with `npx vitest run --globals` in `web`.";
    let named = checks_named(content);
    assert!(named.contains("npx vitest run"), "{named:?}");
    let wording = super::Wording::plain(BuiltInType::Pattern, content.to_owned(), "x".to_owned());
    let candidate = Candidate::new("checking".to_owned(), super::Origin::Many, wording).unwrap();
    assert_eq!(session.steps_about(&candidate.subject()).len(), 1);
}
