//! Ways of working that succeeded again and again.

use std::collections::BTreeMap;

use jiff::{SignedDuration, Timestamp};
use oldhand_domain::confidence::Confidence;
use oldhand_domain::id::SessionId;
use oldhand_domain::path::ProjectPath;
use oldhand_domain::payload::{Payload, Recipe, RecipeStep};
use oldhand_domain::taint::Taint;

use super::{Knowledge, SessionFacts};
use crate::detect::sequence::LENGTH;
use crate::distill::{Candidate, Origin, Wording};
use crate::paths;

/// A run of steps in a module, and the sessions that went through it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sequence {
    pub uses: Vec<RecipeUse>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecipeUse {
    pub session: SessionId,
    pub at: Timestamp,
    pub succeeded: Option<bool>,
    /// Outside text that had come in before it.
    pub taint: Taint,
}

/// Successful sessions needed, within so many days.
const SUCCESSES: usize = 3;
const DAYS: i64 = 30;
/// The uses that are remembered; older ones are past the window anyway.
const USES: usize = 50;
/// How sure a fresh recipe is, and what each further success adds.
const FRESH: f64 = 0.7;
const STEP: f64 = 0.05;

pub(super) fn learn(
    sequences: &mut BTreeMap<(String, Vec<String>), Sequence>,
    facts: &SessionFacts,
) {
    let Some(module) = &facts.main_module else {
        return;
    };
    for (steps, after_outside) in facts.each_sequence() {
        let sequence = sequences
            .entry((module.clone(), steps.clone()))
            .or_default();
        sequence.uses.push(RecipeUse {
            session: facts.session.clone(),
            at: facts.at,
            succeeded: facts.succeeded,
            taint: facts.taint_if(after_outside),
        });
        let excess = sequence.uses.len().saturating_sub(USES);
        sequence.uses.drain(..excess);
    }
}

/// A way of working: steps that followed each other in the same sessions of a module.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecipeRecord {
    pub module: String,
    pub steps: Vec<String>,
    /// Every session that went through them, oldest first.
    pub uses: Vec<RecipeUse>,
}

/// The task that a recipe of a module is for.
pub fn task_pattern(module: &str) -> String {
    if module == "." {
        "work at the top of the project".to_owned()
    } else {
        format!("work in {module}")
    }
}

/// A longer run is a diary, not a recipe.
const LONGEST: usize = 12;

impl RecipeRecord {
    /// The same for the same steps in the same module.
    pub fn key(&self) -> String {
        format!("recipe:{}:{}", self.module, self.steps.join(" > "))
    }

    /// The task it is a recipe for.
    pub fn task_pattern(&self) -> String {
        task_pattern(&self.module)
    }

    fn recent(&self, now: Timestamp) -> impl Iterator<Item = &RecipeUse> {
        self.uses
            .iter()
            .filter(move |used| within(used.at, now, DAYS))
    }

    /// Successful sessions within the last thirty days.
    pub fn successes(&self, now: Timestamp) -> usize {
        self.recent(now)
            .filter(|used| used.succeeded == Some(true))
            .count()
    }

    /// The successful sessions it rests on: those that no outside text had come into before, where they are enough by themselves.
    fn rests_on(&self, now: Timestamp) -> Vec<&RecipeUse> {
        let went_well = self.recent(now).filter(|used| used.succeeded == Some(true));
        let went_well: Vec<&RecipeUse> = went_well.collect();
        let own = went_well.iter().filter(|used| used.taint.is_clean());
        let own: Vec<&RecipeUse> = own.copied().collect();
        if own.len() >= SUCCESSES {
            own
        } else {
            went_well
        }
    }

    /// Whether the latest use failed: whatever it was, it is no recipe now.
    pub fn is_spoiled(&self) -> bool {
        let judged = self.uses.iter().filter(|used| used.succeeded.is_some());
        judged
            .max_by_key(|used| (used.at, &used.session))
            .is_some_and(|used| used.succeeded == Some(false))
    }

    /// Whether enough sessions succeeded with it lately.
    pub fn holds(&self, now: Timestamp) -> bool {
        self.successes(now) >= SUCCESSES && !self.is_spoiled()
    }

    pub fn confidence(&self, now: Timestamp) -> Confidence {
        let more = self.rests_on(now).len().saturating_sub(SUCCESSES);
        Confidence::clamped(FRESH).raised(STEP * more as f64, 0.9)
    }

    fn candidate(&self, knowledge: &Knowledge, now: Timestamp) -> Option<Candidate> {
        let went_well = self.rests_on(now);
        let (place, successes) = (paths::place_of(&self.module), went_well.len());
        let list: Vec<String> = self
            .steps
            .iter()
            .enumerate()
            .map(|(at, step)| format!("{}. {step}", at + 1))
            .collect();
        let recipe = Recipe {
            task_pattern: self.task_pattern(),
            steps: self
                .steps
                .iter()
                .map(|step| RecipeStep {
                    description: step.clone(),
                    canonical_file: knowledge.canonical_file(step),
                    canonical_line: None,
                })
                .collect(),
            last_validated_at: self.recent(now).map(|used| used.at).max().unwrap_or(now),
            success_count: successes as u32,
        };
        let wording = Wording {
            payload: Payload::WorkflowRecipe(recipe),
            content: format!(
                "How work {place} goes when it goes well ({successes} successful sessions in {DAYS} days): {}",
                list.join(" ")
            ),
            summary: format!("Work {place}: {}", self.steps.join(" → ")),
        };
        let mut candidate = Candidate::new(self.key(), Origin::Synthesis, wording)?;
        candidate.confidence = self.confidence(now);
        let marks = went_well.iter().map(|used| &used.taint);
        candidate.taint = marks.fold(Taint::CLEAN, Taint::join);
        let witnesses = went_well.iter().map(|used| used.session.clone());
        candidate.witnesses = witnesses.collect();
        candidate.priority = oldhand_domain::signal::SignalKind::ToolSequence
            .rule()
            .score;
        Some(candidate)
    }
}

impl Knowledge {
    /// Every way of working that at least `sessions` sessions shared. Overlapping runs of the same sessions are one.
    pub fn ways_of_working(&self, sessions: usize) -> Vec<RecipeRecord> {
        self.joined(self.sequences.iter(), sessions)
    }

    fn joined<'a>(
        &self,
        sequences: impl Iterator<Item = (&'a (String, Vec<String>), &'a Sequence)>,
        sessions: usize,
    ) -> Vec<RecipeRecord> {
        let mut groups: BTreeMap<(&str, Vec<&SessionId>), Vec<&Vec<String>>> = BTreeMap::new();
        for ((module, steps), sequence) in sequences {
            if sequence.uses.len() >= sessions {
                let mut used: Vec<&SessionId> =
                    sequence.uses.iter().map(|used| &used.session).collect();
                used.sort_unstable();
                groups.entry((module, used)).or_default().push(steps);
            }
        }
        let mut found = Vec::new();
        for ((module, _), runs) in groups {
            for steps in join(&runs) {
                found.push(RecipeRecord {
                    module: module.to_owned(),
                    uses: self.uses_of(module, &steps),
                    steps,
                });
            }
        }
        found.sort_by(|a, b| {
            let rank = |record: &RecipeRecord| (record.uses.len(), record.steps.len());
            rank(b).cmp(&rank(a)).then_with(|| a.key().cmp(&b.key()))
        });
        found
    }

    /// The sessions that went through all of `steps`, oldest first, each with the marks of every part of it.
    fn uses_of(&self, module: &str, steps: &[String]) -> Vec<RecipeUse> {
        let parts = steps.windows(LENGTH);
        let parts =
            parts.filter_map(|part| self.sequences.get(&(module.to_owned(), part.to_vec())));
        let mut uses: BTreeMap<&SessionId, RecipeUse> = BTreeMap::new();
        for used in parts.flat_map(|part| &part.uses) {
            let known = uses.entry(&used.session).or_insert_with(|| used.clone());
            known.taint = std::mem::take(&mut known.taint).join(&used.taint);
        }
        let mut uses: Vec<RecipeUse> = uses.into_values().collect();
        uses.sort_by(|a, b| (a.at, &a.session).cmp(&(b.at, &b.session)));
        uses
    }

    /// Ways of working that a session went and that are recipes at `now`, as candidates that need review. No other can have
    /// become one by it.
    pub fn recipes(&self, facts: &SessionFacts, now: Timestamp) -> Vec<Candidate> {
        let Some(module) = &facts.main_module else {
            return Vec::new();
        };
        let gone = facts.each_sequence().filter_map(|(steps, _)| {
            self.sequences
                .get_key_value(&(module.clone(), steps.clone()))
        });
        self.joined(gone, SUCCESSES)
            .iter()
            .filter(|record| record.holds(now))
            .filter_map(|record| record.candidate(self, now))
            .collect()
    }

    /// The file a step is mostly about: the most used one of the module it names.
    fn canonical_file(&self, step: &str) -> Option<ProjectPath> {
        let (verb, module) = step.split_once(' ')?;
        let changes = match verb {
            "read" => false,
            "edit" | "write" => true,
            _ => return None,
        };
        let used = self
            .files
            .iter()
            .filter(|(path, _)| paths::step_place(paths::module_of(path.as_str())) == module)
            .map(|(path, file)| {
                let sessions = if changes {
                    file.edit_sessions
                } else {
                    file.sessions
                };
                (sessions, path)
            });
        let most = used.max_by_key(|(sessions, path)| (*sessions, std::cmp::Reverse(*path)));
        most.filter(|(sessions, _)| *sessions > 0)
            .map(|(_, path)| path.clone())
    }
}

/// Runs that overlap in all but one step, put together as far as the way is the only one.
fn join<'a>(runs: &[&'a Vec<String>]) -> Vec<Vec<String>> {
    // Looked up by what overlaps, so that no run is compared with every other.
    let mut by_front: BTreeMap<&[String], Vec<&Vec<String>>> = BTreeMap::new();
    let mut by_back: BTreeMap<&[String], Vec<&Vec<String>>> = BTreeMap::new();
    for &run in runs {
        by_front.entry(&run[..run.len() - 1]).or_default().push(run);
        by_back.entry(&run[1..]).or_default().push(run);
    }
    let only = |found: Option<&Vec<&'a Vec<String>>>| match found.map(Vec::as_slice) {
        Some([one]) => Some(*one),
        _ => None,
    };
    let after = |run: &[String]| only(by_front.get(&run[1..]));
    // A run goes on from another when each leads to the other and to nothing else.
    let continues = |run: &[String]| {
        only(by_back.get(&run[..run.len() - 1])).is_some_and(|before| after(before).is_some())
    };
    let mut joined: Vec<Vec<String>> = Vec::new();
    for run in runs.iter().filter(|run| !continues(run)) {
        let mut steps = (*run).clone();
        let mut last = *run;
        while let Some(next) = after(last)
            && continues(next)
            && steps.len() < LONGEST
        {
            steps.extend(next.last().cloned());
            last = next;
        }
        joined.push(steps);
    }
    joined
}

/// Whether `at` lies within `days` before `now`.
fn within(at: Timestamp, now: Timestamp, days: i64) -> bool {
    now.duration_since(at) <= SignedDuration::from_hours(24 * days)
}
