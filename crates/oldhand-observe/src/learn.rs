//! What many sessions show together: statistics folded session by session, without any model.
//!
//! [`facts()`] takes from a session what outlives it; [`Knowledge`] is a fold over such facts. Learning a
//! session twice changes nothing, so a store may keep the facts and fold them again at any time.

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;
use oldhand_domain::id::SessionId;
use oldhand_domain::path::ProjectPath;
use oldhand_domain::taint::Taint;

use crate::detect::{Finding, Norms, Signal};
use crate::distill::{Candidate, Cost, Frequency, Plan, Seen};
use crate::promote::other_order;

mod attempts;
mod beginnings;
mod checking;
mod company;
mod conflicts;
mod customs;
mod errors;
mod facts;
mod findings;
mod hurdles;
mod leftovers;
mod listings;
mod mends;
mod missed;
mod names;
mod place;
mod programs;
mod recipes;
pub mod registers;
mod said;
mod spent;
mod stats;
mod synthesis;
mod task;
mod walls;

pub use attempts::AttemptFact;
pub use conflicts::{EditLog, Stretch, Worker};
pub use customs::CustomFact;
pub use errors::{ErrorRecord, FixRecord};
pub(crate) use facts::native;
pub use facts::{ErrorFact, FORM, FileFact, PairFact, SessionFacts, SignalFact, facts};
use facts::{TELLS_CHECKS, TELLS_OUTSIDE};
pub use findings::FindingFact;
pub(crate) use findings::findings;
pub use hurdles::{HurdleFact, rules_told};
pub use leftovers::{LeftFact, leftovers_named};
pub use mends::{mended, way_out};
pub use missed::{MissedFact, missing_folder};
pub(crate) use names::missing_name;
pub use names::{VainFact, brought_by, defined_in, missing_names};
use place::Place;
pub use recipes::{RecipeRecord, RecipeUse, Sequence, task_pattern};
pub use stats::{CouplingStats, Edge, FileStats, ModuleStats, SignalStats};
pub use synthesis::Coupling;
pub(crate) use task::task_of;
pub use task::{TaskType, task_type};

/// At these numbers of sessions a module is looked at as a whole, once each.
pub const THRESHOLDS: [u32; 5] = [5, 10, 20, 50, 100];

/// At these numbers of the project's sessions it is looked at how it is checked: a history may end long before the next of those above.
const LOOKS: [u32; 9] = [5, 7, 10, 14, 20, 30, 50, 70, 100];

/// The name under which the whole project is summed up: no folder is called so. Work that is spread wide reaches no module's number.
pub const WHOLE_PROJECT: &str = "*";

/// How many sessions a module's costs are averaged over.
const COST_SAMPLES: usize = 30;
/// With fewer samples a mean is an anecdote.
const NORM_SAMPLES: usize = 5;

/// Everything learned across sessions.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Knowledge {
    pub sessions: BTreeSet<SessionId>,
    /// The same in the order they were learned.
    order: Vec<SessionId>,
    /// The marks of those that took in outside text, by their place in that order.
    taints: BTreeMap<u32, Taint>,
    pub files: BTreeMap<ProjectPath, FileStats>,
    /// How many different files of a module were used.
    pub module_files: BTreeMap<String, u32>,
    /// Sessions of all files taken together.
    file_uses: u64,
    /// The smaller path first; the edge knows the direction.
    pub edges: BTreeMap<(ProjectPath, ProjectPath), Edge>,
    pub errors: BTreeMap<String, ErrorRecord>,
    pub modules: BTreeMap<String, ModuleStats>,
    /// Modules used together, by the pairs of files that joined them.
    pub couplings: BTreeMap<(String, String), CouplingStats>,
    pub sequences: BTreeMap<(String, Vec<String>), Sequence>,
    pub signals: BTreeMap<String, SignalStats>,
    /// Sessions that checked the work, by kind of check and command.
    checks: BTreeMap<String, BTreeMap<String, Vec<Place>>>,
    /// Checks that failed, and what mended them.
    mends: BTreeMap<String, mends::Mended>,
    /// Checks and hooks, and the rules by which they stopped the work.
    hurdles: BTreeMap<String, hurdles::Hurdle>,
    /// What sessions looked for where it is not.
    missed: BTreeMap<ProjectPath, missed::Missed>,
    /// Folders by whose files checks were stopped.
    left: BTreeMap<ProjectPath, Vec<leftovers::Stop>>,
    /// The sessions that found a program by its name alone.
    programs: BTreeMap<String, Vec<Place>>,
    /// What clients have not, and what they have, by their names.
    names: names::Names,
    /// Commands that were wanted, and which of them people refused.
    attempts: attempts::Attempts,
    /// What people said of how work is handed in.
    customs: BTreeMap<String, Vec<(SessionId, CustomFact)>>,
    /// What sessions found out.
    findings: findings::Findings,
    /// Who edited which files, where that were few.
    edits: company::Edits,
}

/// What learning a session changed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Learned {
    /// Nothing: the session was known.
    pub known_already: bool,
    /// Modules that just reached a threshold.
    pub thresholds: Vec<(String, u32)>,
}

impl Knowledge {
    /// Folds in one session.
    pub fn learn(&mut self, facts: &SessionFacts) -> Learned {
        if !self.sessions.insert(facts.session.clone()) {
            return Learned {
                known_already: true,
                thresholds: Vec::new(),
            };
        }
        let older = (facts.form < TELLS_OUTSIDE).then(|| facts.as_after_outside());
        let facts = older.as_ref().unwrap_or(facts);
        let number = self.order.len() as u32;
        self.order.push(facts.session.clone());
        if !facts.taint.is_clean() {
            self.taints.insert(number, facts.taint.clone());
        }
        self.learn_files(facts, number);
        self.learn_pairs(facts, number);
        self.edits.learn(facts, number);
        for error in &facts.errors {
            let record = self.errors.entry(error.message.clone()).or_default();
            record.learn(facts, error);
        }
        self.findings.learn(facts);
        self.learn_mends(facts, number);
        self.learn_hurdles(facts, number);
        self.learn_attempts(facts);
        self.learn_customs(facts);
        self.learn_missed(facts, number);
        self.learn_leftovers(facts, number);
        for program in &facts.programs {
            let found = self.programs.entry(program.clone()).or_default();
            found.push(Place::new(number, false));
        }
        self.names.learn(facts);
        for signal in facts.witnessed() {
            let stats = self.signals.entry(signal.key.clone()).or_default();
            stats.sessions += 1;
            let marks = facts.marks_on(signal);
            stats.by.push(Place::new(number, !marks.is_clean()));
            stats.taint = std::mem::take(&mut stats.taint).join(marks);
            stats.edited_sessions += u32::from(signal.edited);
            stats.task_types.insert(facts.task_type);
        }
        // What an older form shortened may mean something else.
        let checks = facts.each_check().filter(|_| facts.form >= TELLS_CHECKS);
        for ((check, command), after_outside) in checks {
            let commands = self.checks.entry(check.clone()).or_default();
            let by = commands.entry(command.clone()).or_default();
            by.push(Place::new(number, after_outside));
        }
        recipes::learn(&mut self.sequences, facts);
        let sessions = self.sessions.len() as u32;
        let mut thresholds = self.learn_modules(facts, number);
        // A look at any module says what a look at the whole would.
        if thresholds.is_empty() && LOOKS.contains(&sessions) {
            thresholds.push((WHOLE_PROJECT.to_owned(), sessions));
        }
        Learned {
            known_already: false,
            thresholds,
        }
    }

    fn learn_files(&mut self, facts: &SessionFacts, number: u32) {
        for file in &facts.files {
            let stats = self.files.entry(file.path.clone()).or_default();
            if stats.sessions == 0 {
                let module = crate::paths::module_of(file.path.as_str());
                *self.module_files.entry(module.to_owned()).or_default() += 1;
            }
            stats.sessions += 1;
            stats.by.push(Place::new(number, file.after_outside));
            self.file_uses += 1;
            stats.edit_sessions += u32::from(file.edits > 0);
        }
    }

    fn learn_pairs(&mut self, facts: &SessionFacts, number: u32) {
        let mut joined: BTreeMap<(String, String), BTreeSet<(ProjectPath, ProjectPath)>> =
            BTreeMap::new();
        let mut joined_before: BTreeSet<(String, String)> = BTreeSet::new();
        for pair in &facts.pairs {
            let key = (pair.first.clone(), pair.then.clone());
            let edge = self.edges.entry(key.clone()).or_default();
            edge.sessions += 1;
            edge.count += pair.count;
            let backward = pair.count - pair.forward;
            edge.forward += u32::from(pair.forward > backward);
            edge.backward += u32::from(backward > pair.forward);
            edge.edited_sessions += u32::from(pair.both_edited);
            let place = Place::new(number, pair.after_outside);
            edge.edited_by.extend(pair.both_edited.then_some(place));
            edge.after_outside += u32::from(pair.after_outside);
            edge.millis_apart = edge.millis_apart.saturating_add(pair.millis_apart);
            *edge.task_types.entry(facts.task_type).or_default() += 1;
            let (a, b) = (
                crate::paths::module_of(pair.first.as_str()),
                crate::paths::module_of(pair.then.as_str()),
            );
            if a != b {
                let modules = if a < b {
                    (a.to_owned(), b.to_owned())
                } else {
                    (b.to_owned(), a.to_owned())
                };
                if !pair.after_outside {
                    joined_before.insert(modules.clone());
                }
                joined.entry(modules).or_default().insert(key);
            }
        }
        for (modules, pairs) in joined {
            let after_outside = !joined_before.contains(&modules);
            let stats = self.couplings.entry(modules).or_default();
            stats.sessions.insert(facts.session.clone());
            stats.by.push(Place::new(number, after_outside));
            stats.pairs.extend(pairs);
        }
    }

    fn learn_modules(&mut self, facts: &SessionFacts, number: u32) -> Vec<(String, u32)> {
        let mut reached = Vec::new();
        // What a whole session took and cost shows at its end.
        let place = Place::new(number, !facts.taint.is_clean());
        for (module, edited) in &facts.modules {
            let stats = self.modules.entry(module.clone()).or_default();
            stats.sessions += 1;
            stats.edit_sessions += u32::from(*edited);
            if facts.main_module.as_ref() == Some(module) {
                if let Some(planned) = facts.planned_steps {
                    let plan = Plan {
                        planned,
                        actual: facts.taken_steps.unwrap_or(facts.steps),
                        unit: facts.step_unit,
                    };
                    let methodology = facts.methodology.clone();
                    let key = (methodology.unwrap_or_else(native), facts.step_unit);
                    let plans = stats.plans.entry(key);
                    plans.or_default().push((place, plan));
                }
                if facts.peak_tokens > 0 {
                    let cost = Cost {
                        tokens: facts.peak_tokens,
                        files: facts.files.len() as u32,
                    };
                    stats.costs.push((place, cost));
                    let excess = stats.costs.len().saturating_sub(COST_SAMPLES);
                    stats.costs.drain(..excess);
                }
            }
            if THRESHOLDS.contains(&stats.sessions) && stats.passed.insert(stats.sessions) {
                reached.push((module.clone(), stats.sessions));
            }
        }
        reached
    }

    /// How often what these signals show was seen, for [`crate::distill`] and [`crate::promote`]. Only what a session can ask
    /// for is looked up: a copy of everything would cost each session as much as all before it.
    /// `task` is what the session that asks was about.
    pub fn frequency(&self, signals: &[Signal], task: TaskType) -> Frequency {
        let mut frequency = Frequency::default();
        for signal in signals {
            let keys = [Some(signal.key.clone()), other_order(&signal.key)];
            for key in keys.into_iter().flatten() {
                if let Some(stats) = self.signals.get(&key) {
                    let (sessions, taint) = stats.before(signal);
                    let seen = Seen {
                        sessions,
                        task_types: stats.task_types.len() as u32
                            + u32::from(!stats.task_types.contains(&task)),
                        edited_sessions: stats.edited_sessions,
                        taint,
                    };
                    frequency.seen.insert(key, seen);
                }
            }
            match &signal.finding {
                Finding::ErrorRetry {
                    fingerprint,
                    message,
                    ..
                } => {
                    frequency.met.insert(message.clone(), self.met(message));
                    let otherwise = self.helped_otherwise(*fingerprint, &signal.key);
                    frequency.otherwise.insert(signal.key.clone(), otherwise);
                }
                Finding::GlobIgnore { pattern, .. } => {
                    let elsewhere = self.needed_elsewhere(pattern, &signal.key);
                    frequency.otherwise.insert(signal.key.clone(), elsewhere);
                }
                Finding::StepOverrun {
                    module,
                    methodology,
                    plan,
                } => {
                    let of = (methodology.clone(), plan.unit);
                    let plans = self.plans(module, &of);
                    frequency.plans.insert((module.clone(), of.0, of.1), plans);
                }
                Finding::ContextTokenSpike { module, .. } => {
                    frequency
                        .costs
                        .insert(module.clone(), self.own_costs(module));
                }
                Finding::TestOrder { module, .. } => {
                    if let Some(stats) = self.modules.get(module) {
                        frequency.modules.insert(module.clone(), stats.sessions);
                    }
                }
                _ => {}
            }
            for file in &signal.files {
                if let Some(stats) = self.files.get(file) {
                    frequency.files.insert(file.clone(), stats.sessions);
                }
                let module = crate::paths::module_of(file.as_str());
                if let Some(stats) = self.modules.get(module) {
                    let sessions = stats.sessions;
                    frequency.modules.insert(module.to_owned(), sessions);
                }
                if let Some(files) = self.module_files.get(module) {
                    frequency.module_files.insert(module.to_owned(), *files);
                }
            }
        }
        frequency
    }

    /// The sessions that showed what a candidate says, and whose work did not fail. Behind what no outside text had a hand in stand
    /// only those that showed it before any came in.
    pub fn shown_by(&self, candidate: &Candidate) -> BTreeSet<SessionId> {
        let stats = self.signals.get(&candidate.key);
        let by = stats.into_iter().flat_map(|stats| &stats.by);
        let is_clean = candidate.taint.is_clean();
        self.named(by.filter(|place| !is_clean || !place.is_after_outside()))
    }

    fn named<'a>(&self, places: impl IntoIterator<Item = &'a Place>) -> BTreeSet<SessionId> {
        let places = places.into_iter();
        let sessions = places.filter_map(|place| self.order.get(place.number() as usize));
        sessions.cloned().collect()
    }

    /// The sessions that a statement rests on, and with which marks. Those that showed it before any outside text came in are
    /// enough by themselves where their number is; else all of them count, and the marks of each go with it.
    fn rests_on<'a>(
        &self,
        by: impl IntoIterator<Item = &'a Place>,
        is_enough: impl Fn(u32) -> bool,
    ) -> (Vec<Place>, Taint) {
        let (marked, mut clean): (Vec<Place>, Vec<Place>) =
            by.into_iter().partition(|place| place.is_after_outside());
        if is_enough(clean.len() as u32) {
            return (clean, Taint::CLEAN);
        }
        let taints = marked
            .iter()
            .filter_map(|place| self.taints.get(&place.number()));
        let taint = taints.fold(Taint::CLEAN, Taint::join);
        clean.extend(marked);
        (clean, taint)
    }

    /// What is usual here, for [`crate::detect`].
    pub fn norms(&self) -> Norms {
        let samples: Vec<u64> = self
            .modules
            .values()
            .flat_map(|module| module.costs.iter().map(|(_, cost)| cost.tokens))
            .collect();
        if samples.len() < NORM_SAMPLES || self.file_uses == 0 {
            return Norms::default();
        }
        let files_per_session = self.file_uses as f64 / self.sessions.len().max(1) as f64;
        let tokens = samples.iter().sum::<u64>() as f64 / samples.len() as f64;
        Norms {
            tokens_per_file: Some(tokens / files_per_session.max(1.0)),
        }
    }

    /// Files used with `file`, the most telling first.
    pub fn companions(&self, file: &ProjectPath) -> Vec<(&ProjectPath, &Edge)> {
        let mut found: Vec<_> = self
            .edges
            .iter()
            .filter_map(|((a, b), edge)| match (a == file, b == file) {
                (true, false) => Some((b, edge)),
                (false, true) => Some((a, edge)),
                _ => None,
            })
            .collect();
        found.sort_by(|(a, one), (b, two)| {
            two.weight().total_cmp(&one.weight()).then_with(|| a.cmp(b))
        });
        found
    }
}

fn move_on(known: &mut Option<Timestamp>, at: Timestamp) {
    *known = Some(known.map_or(at, |known| known.max(at)));
}

#[cfg(test)]
mod tests;
