//! What an agent would be told before a task, line by line, and why the rest stays unsaid.
//!
//! The default is silence: a memory that nobody asked for must clear every gate and a bar on its estimated relevance. A
//! [`Role`] says for which kind of work it is asked, and with it which types of memory are of use.

mod role;
mod unsaid;

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;
use oldhand_domain::filter::Filter;
use oldhand_domain::id::MemoryId;
use oldhand_domain::memory::Memory;
use oldhand_domain::path::ProjectPath;
use oldhand_domain::payload::{BuiltInType, MemoryType, Payload};
use oldhand_domain::tokens;
use oldhand_domain::vocabulary::{Phase, Role};
use oldhand_recall::beside::Surrounding;
use oldhand_recall::candidate::{BAR, Candidate, Judged};
use oldhand_recall::gate::{Audience, Purpose, Refusal};
use oldhand_recall::inject::{Cleared, Fence, brief_task};
use oldhand_recall::named::Named;
use oldhand_recall::phase;
use oldhand_recall::plan::{RecentWork, plan};
use oldhand_recall::score::{Emphasis, Situation};
use oldhand_recall::subject::{is_subject, spoken_for};
use oldhand_recall::trust::TrustLevel;

use crate::inject::{STANDING, attribute, without_secrets};
use crate::registers::register_tag;
use crate::search::{Asking, asking};
use crate::{Engine, EngineError, Shelf, rules};

pub use unsaid::{Unsaid, Why};

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
    /// What came to mind and is not told, the likeliest first.
    pub left_out: Vec<Unsaid>,
    /// Where something is worth saying and nothing fits: the tokens that the shortest of it takes.
    pub least: Option<usize>,
    /// The files that the memories which come to mind speak for, told or not, each with the relevance of its memory.
    pub about: Vec<(ProjectPath, f64)>,
}

/// What a task brings to mind, before it is packed.
#[derive(Default)]
pub(crate) struct Weighed {
    /// What is worth saying, best first.
    pub(crate) chosen: Vec<Candidate>,
    unsaid: Vec<Unsaid>,
    /// What all of it is about, told or not, each with the relevance of its memory.
    about: Vec<(ProjectPath, f64)>,
    /// Among how many memories it was found.
    memories: usize,
    /// Whether the task is near to anything.
    is_near: bool,
    /// The files that the task names.
    named: Named,
}

/// The most steps that are ever allowed.
const MOST_STEPS: u32 = 500;
/// Plans are never stretched further, however far off they were.
const MOST_STRETCH: f64 = 2.0;

/// How many memories a task is told by itself: what has more right answers than these is a subject to search in.
const MOST_TOLD: usize = 8;

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
        let weighed = self.weigh_task(&request.task, &wanted, purpose, &situation)?;
        let of_person = self.of_person(&request.task, &weighed, &wanted, purpose, &situation)?;
        let mut context = Context {
            left_out: weighed.unsaid,
            about: weighed.about,
            ..Context::default()
        };
        // What is known about the files at hand, and where work was left, needs no other reason.
        let mut chosen = self.at_hand(request, &weighed.named, &wanted, purpose, &situation)?;
        let is_new =
            |known: &[(Shelf, Candidate)], id| known.iter().all(|(_, one)| one.memory.id != id);
        for candidate in weighed.chosen {
            if is_new(&chosen, candidate.memory.id) {
                chosen.push((Shelf::Project, candidate));
            }
        }
        context.left_out.retain(|unsaid| is_new(&chosen, unsaid.id));
        // A hook knows of no files beside those at hand, and what a prompt is told must be what is shown here.
        if request.role.is_some() || !request.files.is_empty() {
            self.expand(&mut chosen, purpose, now)?;
        }
        context.left_out.extend(of_person);
        let mut cleared = Vec::new();
        let mut scores = Vec::new();
        for (shelf, candidate) in &chosen {
            match Cleared::of(candidate.memory.clone(), level, audience, now) {
                Ok(one) => {
                    cleared.push((*shelf, one));
                    scores.push(candidate.score);
                }
                Err(refusal) => {
                    let why = Why::Refused(refusal);
                    context.left_out.push(Unsaid::of(*shelf, candidate, why));
                }
            }
        }
        let cleared: Vec<(Cleared, f64)> = attribute(cleared).into_iter().zip(scores).collect();
        let budget = request
            .budget
            .unwrap_or_else(|| at.map_or(BUDGET, phase::budget));
        let brief = brief_task(&cleared, at, budget, &self.fence());
        for (id, reason) in &brief.left_out {
            let mut known = chosen.iter();
            if let Some((shelf, candidate)) = known.find(|(_, one)| one.memory.id == *id) {
                let why = Why::Unpacked(reason.clone());
                context.left_out.push(Unsaid::of(*shelf, candidate, why));
            }
        }
        if brief.text.is_empty() {
            let fence = Fence::costliest();
            let alone = |one: &(Cleared, f64)| {
                brief_task(std::slice::from_ref(one), None, usize::MAX, &fence).tokens
            };
            context.least = cleared.iter().map(alone).min();
        }
        let likeliest = |a: &Unsaid, b: &Unsaid| b.relevance.total_cmp(&a.relevance);
        context
            .left_out
            .sort_by(|a, b| likeliest(a, b).then(a.id.cmp(&b.id)));
        // Reasons stand in the order of the lines they are for.
        let line = |id: MemoryId| brief.memories.iter().position(|told| *told == id);
        chosen.retain(|(_, candidate)| line(candidate.memory.id).is_some());
        chosen.sort_by_key(|(_, candidate)| line(candidate.memory.id));
        (context.text, context.tokens) = (brief.text, brief.tokens);
        if without_secrets(&mut context.text) {
            // What takes the place of a secret may be longer or shorter than it.
            context.tokens = tokens::count(&context.text);
        }
        let plan = plan(&request.task, RecentWork::Ordinary);
        for (_, candidate) in &mut chosen {
            candidate.find_words(&plan);
        }
        context.memories = chosen;
        Ok(context)
    }

    /// What the project has to say to a task unasked, best first, and what not: for hooks and for whoever wants to see what they say.
    pub(crate) fn weigh_task(
        &self,
        task: &str,
        wanted: &Filter,
        purpose: Purpose,
        situation: &Situation<'_>,
    ) -> Result<Weighed, EngineError> {
        let named = self.named_in(task, Some(Shelf::Project))?;
        let files = named.files();
        let answer = self.recall(&asking(task, &named, wanted, purpose), situation)?;
        let words = plan(task, RecentWork::Ordinary);
        let mut weighed = Weighed {
            memories: answer.asked.memories,
            is_near: answer.stands_out,
            named,
            ..Weighed::default()
        };
        for (shelf, left) in &answer.left_out {
            weighed.unsaid.push(Unsaid::refused(*shelf, left));
            // What waits for a review is not told, but where it points is worth a look.
            if matches!(left.why, Refusal::NeedsReview | Refusal::Tainted) {
                let about = left.about.iter().cloned();
                weighed
                    .about
                    .extend(about.map(|file| (file, left.relevance)));
            }
        }
        for (shelf, candidate) in answer.results {
            let relevance = candidate.because.relevance;
            let about = spoken_for(&candidate.memory).cloned();
            weighed.about.extend(about.map(|file| (file, relevance)));
            let tells_act = candidate
                .because
                .likelihood
                .is_some_and(|likelihood| likelihood.act.is_some());
            let why = if candidate.because.judged == Judged::Unmeasured {
                Why::Unmeasured
            } else if relevance < BAR {
                Why::UnderTheBar
            } else if !answer.stands_out && !tells_act {
                Why::NearNothing
            } else if !is_subject(&candidate.memory, &words, &files) {
                Why::OnlyTheSentence
            } else if weighed.chosen.len() == MOST_TOLD {
                Why::Enough
            } else {
                weighed.chosen.push(candidate);
                continue;
            };
            weighed.unsaid.push(Unsaid::of(shelf, &candidate, why));
        }
        Ok(weighed)
    }

    /// What follows the person and would fit the task: it is not told with it. It has to stand out of all that the project knows, too.
    fn of_person(
        &self,
        task: &str,
        of_project: &Weighed,
        wanted: &Filter,
        purpose: Purpose,
        situation: &Situation<'_>,
    ) -> Result<Vec<Unsaid>, EngineError> {
        if self.personal.is_none() {
            return Ok(Vec::new());
        }
        let named = self.named_in(task, Some(Shelf::Personal))?;
        let asked = Asking {
            shelf: Some(Shelf::Personal),
            before: of_project.memories,
            ..asking(task, &named, wanted, purpose)
        };
        let answer = self.recall(&asked, situation)?;
        let is_near = of_project.is_near || answer.stands_out;
        let fits =
            |(_, candidate): &&(Shelf, Candidate)| is_near && candidate.because.relevance >= BAR;
        let unsaid = answer
            .results
            .iter()
            .filter(fits)
            .map(|(shelf, candidate)| {
                let is_standing = |of: &BuiltInType| candidate.memory.memory_type() == (*of).into();
                let is_told = candidate.memory.pinned || STANDING.iter().any(is_standing);
                let why = if is_told {
                    Why::ToldAtStart
                } else {
                    Why::OnlyFound
                };
                Unsaid::of(*shelf, candidate, why)
            });
        Ok(unsaid.collect())
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
        named: &Named,
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
        let mut around: Vec<Memory> = Vec::new();
        for file in &request.files {
            around.extend(self.rules_around(file)?);
        }
        if !around.is_empty() {
            let folders = request.files.iter().flat_map(ProjectPath::folders);
            filters.push(Filter {
                files: folders.collect(),
                tags: rules::folder_tags(),
                ..wanted.clone()
            });
        }
        let before = around.len();
        for file in &request.files {
            around.extend(self.registers_for(file)?);
        }
        if around.len() > before {
            let folders = request.files.iter().flat_map(ProjectPath::folders);
            filters.push(Filter {
                files: folders.collect(),
                tags: register_tag().into_iter().collect(),
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
        let at_hand: BTreeSet<ProjectPath> = request.files.iter().cloned().collect();
        let at_hand = Surrounding::of(&Named::default(), &at_hand, BTreeSet::new(), Vec::new());
        let mut found: Vec<(Shelf, Candidate)> = Vec::new();
        for filter in filters {
            let answer = self.recall(&asking(&request.task, named, &filter, purpose), situation)?;
            for (shelf, mut candidate) in answer.results {
                let id = candidate.memory.id;
                let memory = &candidate.memory;
                if !filter.tags.is_empty() && around.iter().all(|rule| rule.id != id) {
                    continue;
                }
                let mut asked = filter
                    .files
                    .iter()
                    .filter(|file| memory.files.contains(*file));
                if asked.clone().next().is_some() && !asked.any(|file| memory.holds_from(file)) {
                    continue;
                }
                if found.iter().all(|(_, known)| known.memory.id != id) {
                    let because = &mut candidate.because;
                    because.beside = at_hand.why(&candidate.memory).or(because.beside.take());
                    found.push((shelf, candidate));
                }
            }
        }
        Ok(found)
    }
}
