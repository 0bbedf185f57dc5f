//! What an agent would be told before a task, line by line, and why the rest stays unsaid.
//!
//! The default is silence: a memory that nobody asked for must clear every gate and a bar on its estimated relevance.

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;
use oldhand_domain::confidence::Confidence;
use oldhand_domain::filter::Filter;
use oldhand_domain::id::MemoryId;
use oldhand_domain::path::ProjectPath;
use oldhand_domain::vocabulary::Phase;
use oldhand_recall::candidate::Candidate;
use oldhand_recall::gate::Purpose;
use oldhand_recall::pack::{Item, pack};
use oldhand_recall::render::render;
use oldhand_recall::score::{Emphasis, Situation};

use crate::{Engine, EngineError, Shelf};

#[derive(Clone, Debug)]
pub struct ContextRequest {
    pub task: String,
    pub phase: Option<Phase>,
    /// Files at hand: what is known about these very files needs no other reason.
    pub files: Vec<ProjectPath>,
    /// `None` takes the phase's own.
    pub budget: Option<usize>,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Context {
    /// What an agent would read; empty is silence.
    pub text: String,
    pub tokens: usize,
    /// What it says, in the order of their worth.
    pub memories: Vec<(Shelf, Candidate)>,
    pub left_out: Vec<(MemoryId, String)>,
}

/// How sure a memory must be to be volunteered.
pub const SURE_ENOUGH: f64 = 0.65;

/// How relevant a memory must be to be volunteered for a task: about the chance that it is what the task needs. Under this,
/// saying nothing is better than saying something.
pub const RELEVANT_ENOUGH: f64 = 0.35;

/// Tokens for what is said at the beginning of a task.
const fn budget(phase: Option<Phase>) -> usize {
    match phase {
        Some(Phase::Define | Phase::Validate) => 2500,
        Some(Phase::Implement) => 3000,
        Some(Phase::Refine | Phase::Explore) => 2000,
        Some(Phase::Reflect) => 1500,
        None => 1200,
    }
}

impl Engine<'_> {
    pub fn context(
        &self,
        request: &ContextRequest,
        now: Timestamp,
    ) -> Result<Context, EngineError> {
        let purpose = Purpose::Inject {
            at_least: Confidence::clamped(SURE_ENOUGH),
        };
        let situation = Situation {
            now,
            phase: request.phase,
            churn: &BTreeMap::new(),
            emphasis: Emphasis::Usefulness,
        };
        let answer = self.recall(&request.task, &Filter::default(), None, purpose, &situation)?;
        let mut context = Context::default();
        context.left_out.extend(
            answer
                .left_out
                .iter()
                .map(|(_, left)| (left.id, left.why.to_string())),
        );
        // What is known about the files at hand needs no other reason.
        let mut chosen = self.about(request, purpose, &situation)?;
        for (shelf, candidate) in answer.results {
            let relevance = candidate.because.relevance;
            if chosen
                .iter()
                .any(|(_, known)| known.memory.id == candidate.memory.id)
            {
                continue;
            }
            if relevance >= RELEVANT_ENOUGH {
                chosen.push((shelf, candidate));
            } else {
                let why = format!("relevance {relevance:.2} is under {RELEVANT_ENOUGH}");
                context.left_out.push((candidate.memory.id, why));
            }
        }
        let items = chosen
            .iter()
            .map(|(_, candidate)| Item::of(candidate, request.phase))
            .collect();
        let packed = pack(items, request.budget.unwrap_or(budget(request.phase)));
        let said: BTreeSet<&str> = packed
            .groups
            .iter()
            .flat_map(|group| &group.items)
            .map(|item| item.cite.as_str())
            .collect();
        for (item, reason) in &packed.left_out {
            let id = chosen
                .iter()
                .map(|(_, candidate)| candidate.memory.id)
                .find(|id| id.short() == item.cite);
            context
                .left_out
                .extend(id.map(|id| (id, reason.to_string())));
        }
        chosen.retain(|(_, candidate)| said.contains(candidate.memory.id.short().as_str()));
        context.text = render(&packed.groups);
        context.tokens = if context.text.is_empty() {
            0
        } else {
            packed.tokens
        };
        context.memories = chosen;
        Ok(context)
    }

    /// What may be said about the files at hand, whatever the task is.
    fn about(
        &self,
        request: &ContextRequest,
        purpose: Purpose,
        situation: &Situation<'_>,
    ) -> Result<Vec<(Shelf, Candidate)>, EngineError> {
        if request.files.is_empty() {
            return Ok(Vec::new());
        }
        let filter = Filter {
            files: request.files.clone(),
            ..Filter::default()
        };
        Ok(self
            .recall(&request.task, &filter, None, purpose, situation)?
            .results)
    }
}
