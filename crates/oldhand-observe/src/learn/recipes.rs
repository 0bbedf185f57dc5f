//! Ways of working that succeeded again and again.

use std::collections::BTreeMap;

use jiff::Timestamp;
use oldhand_domain::confidence::Confidence;
use oldhand_domain::id::SessionId;
use oldhand_domain::payload::{Payload, Recipe, RecipeStep};

use super::{Knowledge, SessionFacts, within};
use crate::distill::{Candidate, Origin, Wording};

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
    for steps in &facts.sequences {
        let sequence = sequences
            .entry((module.clone(), steps.clone()))
            .or_default();
        sequence.uses.push(RecipeUse {
            session: facts.session.clone(),
            at: facts.at,
            succeeded: facts.succeeded,
        });
        let excess = sequence.uses.len().saturating_sub(USES);
        sequence.uses.drain(..excess);
    }
}

impl Knowledge {
    /// Sequences that are recipes at `now`, as candidates that need review.
    pub fn recipes(&self, now: Timestamp) -> Vec<Candidate> {
        let mut found: Vec<Candidate> = Vec::new();
        for ((module, steps), sequence) in &self.sequences {
            let recent: Vec<&RecipeUse> = sequence
                .uses
                .iter()
                .filter(|used| within(used.at, now, DAYS))
                .collect();
            let successes = recent
                .iter()
                .filter(|used| used.succeeded == Some(true))
                .count();
            // The latest use failed: whatever it was, it is no recipe now.
            let spoiled = recent
                .iter()
                .max_by_key(|used| (used.at, &used.session))
                .is_some_and(|used| used.succeeded == Some(false));
            if successes < SUCCESSES || spoiled {
                continue;
            }
            let last = recent.iter().map(|used| used.at).max().unwrap_or(now);
            let list: Vec<String> = steps
                .iter()
                .enumerate()
                .map(|(at, step)| format!("{}. {step}", at + 1))
                .collect();
            let recipe = Recipe {
                task_pattern: format!("work in {module}"),
                steps: steps
                    .iter()
                    .map(|step| RecipeStep {
                        description: step.clone(),
                        canonical_file: None,
                        canonical_line: None,
                    })
                    .collect(),
                last_validated_at: last,
                success_count: successes as u32,
            };
            let wording = Wording {
                payload: Payload::WorkflowRecipe(recipe),
                content: format!(
                    "How work in `{module}` goes when it goes well ({successes} successful sessions in {DAYS} days): {}",
                    list.join(" ")
                ),
                summary: format!("In `{module}`: {}", steps.join(" → ")),
            };
            let key = format!("recipe:{module}:{}", steps.join(" > "));
            let Some(mut candidate) = Candidate::new(key, Origin::Synthesis, wording) else {
                continue;
            };
            candidate.confidence =
                Confidence::clamped(FRESH).raised(STEP * (successes - SUCCESSES) as f64, 0.9);
            candidate.priority = oldhand_domain::signal::SignalKind::ToolSequence
                .rule()
                .score;
            candidate.evidence = Vec::new();
            found.push(candidate);
        }
        found
    }
}
