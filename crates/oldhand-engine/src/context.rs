//! What an agent would be told before a task, line by line, and why the rest stays unsaid.
//!
//! The default is silence: a memory that nobody asked for must clear every gate and a bar on its estimated relevance. A
//! [`Role`] says for which kind of work it is asked, and with it which types of memory are of use.

mod role;

use std::collections::BTreeMap;

use jiff::Timestamp;
use oldhand_domain::filter::Filter;
use oldhand_domain::id::MemoryId;
use oldhand_domain::path::ProjectPath;
use oldhand_domain::payload::{BuiltInType, MemoryType, Payload};
use oldhand_domain::tokens;
use oldhand_domain::vocabulary::{Phase, Role};
use oldhand_recall::candidate::{BAR, Candidate};
use oldhand_recall::gate::{Audience, Purpose, Refusal};
use oldhand_recall::inject::{Cleared, Fence, brief_task};
use oldhand_recall::phase;
use oldhand_recall::score::{Emphasis, Situation};
use oldhand_recall::trust::TrustLevel;

use crate::inject::without_secrets;
use crate::search::asking;
use crate::{Engine, EngineError, Shelf};

#[derive(Clone, Debug)]
pub struct ContextRequest {
    pub task: String,
    pub phase: Option<Phase>,
    /// Who asks; `None` is an agent that does everything itself.
    pub role: Option<Role>,
    /// Files at hand: what is known about these very files needs no other reason.
    pub files: Vec<ProjectPath>,
    /// `None` takes the phase's own.
    pub budget: Option<usize>,
    /// The branch that is checked out.
    pub branch: Option<String>,
    pub level: TrustLevel,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Context {
    /// What an agent would read; empty is silence.
    pub text: String,
    pub tokens: usize,
    /// What it says, in the order of their worth.
    pub memories: Vec<(Shelf, Candidate)>,
    pub left_out: Vec<(MemoryId, String)>,
    /// What the memories that come to mind are about, told or not, each with the relevance of its memory.
    pub about: Vec<(ProjectPath, f64)>,
}

/// The most steps that are ever allowed.
const MOST_STEPS: u32 = 500;
/// Plans are never stretched further, however far off they were.
const MOST_STRETCH: f64 = 2.0;

/// Tokens for what is said at the beginning of a task of no phase.
const BUDGET: usize = 1200;

impl Engine<'_> {
    pub fn context(
        &self,
        request: &ContextRequest,
        now: Timestamp,
    ) -> Result<Context, EngineError> {
        let level = request.level;
        let purpose = Purpose::Inject { level };
        let audience = Audience::AtWork {
            session: None,
            branch: request.branch.as_deref(),
        };
        let at = request.phase.or_else(|| request.role.map(role::phase));
        let situation = Situation {
            now,
            phase: at,
            churn: &BTreeMap::new(),
            emphasis: Emphasis::Usefulness,
        };
        let wanted = Filter {
            types: request.role.map(role::types).unwrap_or_default(),
            ..Filter::default()
        };
        let answer = self.recall(&asking(&request.task, &wanted, purpose), &situation)?;
        let mut context = Context::default();
        context.left_out.extend(
            answer
                .left_out
                .iter()
                .map(|(_, left)| (left.id, left.why.to_string())),
        );
        // What is known about the files at hand, and where work was left, needs no other reason.
        let mut chosen = self.at_hand(request, &wanted, purpose, &situation)?;
        // What follows the person speaks of files of other projects.
        let of_project = answer
            .results
            .iter()
            .filter(|(shelf, _)| *shelf == Shelf::Project);
        for (_, candidate) in of_project {
            let relevance = candidate.because.relevance;
            let about = candidate.memory.files.iter();
            context
                .about
                .extend(about.map(|file| (file.clone(), relevance)));
        }
        // What waits for a review is not told, but where it points is worth a look.
        let waiting = answer.left_out.iter().filter(|(shelf, left)| {
            *shelf == Shelf::Project && matches!(left.why, Refusal::NeedsReview | Refusal::Tainted)
        });
        for (_, left) in waiting {
            let about = left.about.iter().cloned();
            context
                .about
                .extend(about.map(|file| (file, left.relevance)));
        }
        for (shelf, candidate) in answer.results {
            let relevance = candidate.because.relevance;
            let is_known = |(_, known): &(_, Candidate)| known.memory.id == candidate.memory.id;
            if chosen.iter().any(is_known) {
                continue;
            }
            let why = if relevance < BAR {
                format!(
                    "relevance {:.2} is under {BAR}",
                    (relevance * 100.0).floor() / 100.0
                )
            } else if !answer.stands_out {
                "the task comes no nearer to anything known here than chance brings it".to_owned()
            } else {
                chosen.push((shelf, candidate));
                continue;
            };
            context.left_out.push((candidate.memory.id, why));
        }
        self.expand(&mut chosen, purpose, now)?;
        let mut cleared = Vec::new();
        for (_, candidate) in &chosen {
            match Cleared::of(candidate.memory.clone(), level, audience, now) {
                Ok(one) => cleared.push((one, candidate.score)),
                Err(refusal) => {
                    let left = (candidate.memory.id, refusal.to_string());
                    context.left_out.push(left);
                }
            }
        }
        let budget = request
            .budget
            .unwrap_or_else(|| at.map_or(BUDGET, phase::budget));
        let brief = brief_task(&cleared, at, budget, &self.fence());
        let no_room = brief
            .left_out
            .iter()
            .map(|(id, reason)| (*id, reason.to_string()));
        context.left_out.extend(no_room);
        chosen.retain(|(_, candidate)| brief.memories.contains(&candidate.memory.id));
        context.text = brief.text;
        without_secrets(&mut context.text);
        // What takes the place of a secret may be longer or shorter than it.
        context.tokens = tokens::count(&context.text);
        context.memories = chosen;
        Ok(context)
    }

    /// A fence for one injection: nobody could know it before.
    pub fn fence(&self) -> Fence {
        Fence::new(self.ids.memory_id())
    }

    /// How many steps work in `modules` should be allowed where `planned` were planned, and the ratio of earlier work.
    ///
    /// Nothing learned leaves the plan as it is; what waits for a review, is flagged or stale counts for nothing.
    pub fn step_limit(
        &self,
        planned: u32,
        modules: &[String],
    ) -> Result<(u32, Option<f64>), EngineError> {
        let filter = Filter {
            types: vec![BuiltInType::TaskCalibration.into()],
            ..Filter::default()
        };
        let listing = self.project.list(&filter)?;
        let ratios: Vec<f64> = listing
            .memories
            .iter()
            .filter(|memory| {
                !memory.needs_review && memory.flagged.is_none() && memory.stale.is_none()
            })
            .filter_map(|memory| match &memory.payload {
                Payload::TaskCalibration(known) => modules
                    .iter()
                    .any(|module| module == known.module.as_str())
                    .then(|| known.ratio())?,
                _ => None,
            })
            .collect();
        let ratio = ratios.iter().copied().reduce(f64::max);
        let stretch = ratio.unwrap_or(1.0).min(MOST_STRETCH);
        let limit = (f64::from(planned) * stretch).round() as u32;
        Ok((limit.clamp(1, MOST_STEPS), ratio))
    }

    /// What may be said whatever the task is: about the files at hand, and for a recovery where the work was left.
    fn at_hand(
        &self,
        request: &ContextRequest,
        wanted: &Filter,
        purpose: Purpose,
        situation: &Situation<'_>,
    ) -> Result<Vec<(Shelf, Candidate)>, EngineError> {
        let mut filters = Vec::new();
        if !request.files.is_empty() {
            filters.push(Filter {
                files: request.files.clone(),
                ..wanted.clone()
            });
        }
        let standing: Vec<MemoryType> = request.role.map(role::standing).unwrap_or_default();
        if !standing.is_empty() {
            let days = request.role.and_then(role::looks_back);
            let since = days.and_then(|days| {
                let back = jiff::SignedDuration::from_hours(24 * days);
                situation.now.checked_sub(back).ok()
            });
            filters.push(Filter {
                types: standing,
                created_since: since,
                ..Filter::default()
            });
        }
        let mut found: Vec<(Shelf, Candidate)> = Vec::new();
        for filter in filters {
            let answer = self.recall(&asking(&request.task, &filter, purpose), situation)?;
            for result in answer.results {
                let is_new = !found
                    .iter()
                    .any(|(_, known)| known.memory.id == result.1.memory.id);
                if is_new {
                    found.push(result);
                }
            }
        }
        Ok(found)
    }
}
