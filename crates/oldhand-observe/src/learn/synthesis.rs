//! A module looked at as a whole, and modules that hang together, by rules alone.

use std::collections::BTreeSet;

use oldhand_domain::confidence::Confidence;
use oldhand_domain::id::SessionId;
use oldhand_domain::path::ProjectPath;
use oldhand_domain::payload::BuiltInType;
use oldhand_domain::taint::Taint;

use super::{Knowledge, Place, WHOLE_PROJECT};
use crate::distill::costs::{self, Cost, Plan};
use crate::distill::{Candidate, Origin, Together, Wording};
use crate::outcome::commands::Stated;
use crate::paths;
use crate::promote::{CHANGED, cautious_share};

/// Two modules that are worked on together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Coupling {
    pub modules: (String, String),
    pub sessions: BTreeSet<SessionId>,
    pub pairs: Vec<(ProjectPath, ProjectPath)>,
    /// Outside text that had a hand in it, unless what came before such text says the same.
    pub taint: Taint,
}

/// At most this many memories from one look at a module.
const INSIGHTS: usize = 5;
const COUPLED_SESSIONS: u32 = 5;
const COUPLED_PAIRS: usize = 3;
/// How often sessions must have edited both files of a pair, over all pairs.
const CHANGED_SESSIONS: u32 = 3;
/// With fewer sessions a mean cost is an anecdote.
const COST_SESSIONS: usize = 5;
/// And so is a mean of fewer plans.
const PLANS: usize = 3;
/// What whole-module statements are worth.
const WORTH: f64 = 0.8;

impl Knowledge {
    /// What many sessions of a module say about it: at most five statements, the surest first. What is `stated` the project says itself.
    pub fn synthesize(&self, module: &str, stated: &Stated<'_>) -> Vec<Candidate> {
        if module == WHOLE_PROJECT {
            return self.checking(stated).into_iter().collect();
        }
        if !self.modules.contains_key(module) {
            return Vec::new();
        }
        let mut found: Vec<Candidate> = Vec::new();
        found.extend(self.checking(stated));
        found.extend(self.pairs_of(module));
        found.extend(self.errors_known(module));
        found.extend(self.calibrations(module));
        found.extend(self.context_cost(module));
        found.truncate(INSIGHTS);
        found
    }

    /// Pairs that three sessions edited, the surest first.
    fn pairs_of(&self, module: &str) -> Vec<Candidate> {
        let mut found: Vec<_> = self
            .edges
            .iter()
            .filter(|((a, b), edge)| {
                let here = paths::module_of(a.as_str()) == module
                    || paths::module_of(b.as_str()) == module;
                here && self.is_edited_together(a, b, edge.edited_sessions)
                    && !paths::say_it(a.as_str(), b.as_str())
            })
            .map(|(pair, edge)| {
                let files = [&pair.0, &pair.1];
                let known = files.iter().filter_map(|path| self.files.get(*path));
                // The rarer of the two must mostly bring the other.
                let edits = known.map(|file| file.edit_sessions).min().unwrap_or(1);
                let share = cautious_share(edge.edited_sessions, edits.max(edge.edited_sessions));
                let kinds = edge.task_types.len().clamp(1, 3) as f64;
                (share * (0.7 + 0.1 * kinds) + CHANGED, pair, edge)
            })
            .collect();
        found.sort_by(|(one, a, _), (two, b, _)| two.total_cmp(one).then_with(|| a.cmp(b)));
        found
            .into_iter()
            .take(3)
            .filter_map(|(sure, (a, b), edge)| {
                let (first, then) = if edge.direction() < 0 { (b, a) } else { (a, b) };
                let wording = Wording {
                    payload: BuiltInType::CausalDependency.into(),
                    content: format!(
                        "`{first}` and `{then}` change together: both edited in {} sessions.",
                        edge.edited_sessions
                    ),
                    summary: format!("`{first}` and `{then}` change together"),
                };
                let (counted, taint) = self.rests_on(&edge.edited_by, |sessions| {
                    self.is_edited_together(a, b, sessions)
                });
                let mut pair = candidate(
                    format!("pair:{a}+{b}"),
                    wording,
                    sure,
                    self.named(&counted),
                    taint,
                )?;
                pair.edited = true;
                Some(pair.about([a.clone(), b.clone()]))
            })
            .collect()
    }

    /// Whether so many sessions that edited both files are a habit, seen from the one that is edited more rarely.
    fn is_edited_together(&self, a: &ProjectPath, b: &ProjectPath, sessions: u32) -> bool {
        let files = [a, b].into_iter().filter_map(|path| self.files.get(path));
        let rarely = files.map(|file| file.edit_sessions).min().unwrap_or(1);
        sessions >= 3 && 2 * sessions >= rarely
    }

    /// How plans in a module compare with what it took, each methodology and each way of counting for itself.
    pub(super) fn calibrations(&self, module: &str) -> Vec<Candidate> {
        let stats = self.modules.get(module);
        let plans = stats.into_iter().flat_map(|stats| &stats.plans);
        let enough = plans.filter(|(_, plans)| plans.len() >= PLANS);
        let told = enough.filter_map(|((methodology, unit), plans)| {
            let places = plans.iter().map(|(place, _)| place);
            let (counted, taint) = self.rests_on(places, |plans| plans as usize >= PLANS);
            let steps: Vec<Plan> = of_places(plans, &counted);
            let wording = costs::of_steps(module, methodology, *unit, &steps)?;
            let key = costs::steps_told(module, methodology, *unit);
            candidate(key, wording, 0.7, self.named(&counted), taint)
        });
        told.collect()
    }

    /// How full the context gets by work in a module, when that is well above what is usual here.
    pub(super) fn context_cost(&self, module: &str) -> Option<Candidate> {
        let samples = &self.modules.get(module)?.costs;
        let places = samples.iter().map(|(place, _)| place);
        let (counted, taint) = self.rests_on(places, |costs| costs as usize >= COST_SESSIONS);
        let here: Vec<Cost> = of_places(samples, &counted);
        let others = self.modules.keys().filter(|name| name.as_str() != module);
        let elsewhere: Vec<Cost> = others.flat_map(|name| self.costs(name)).collect();
        if here.len() < COST_SESSIONS || elsewhere.len() < COST_SESSIONS {
            return None;
        }
        let wording = costs::of_context(module, &here, costs::mean_tokens(&elsewhere)?)?;
        let witnesses = self.named(&counted);
        candidate(costs::tokens_told(module), wording, 0.7, witnesses, taint)
    }

    /// Whether neither of two modules is mostly worked on without the other. A folder and what lies in it, and a module that
    /// everything touches, hang together with nothing in particular.
    fn is_mutual(&self, (a, b): &(String, String), shared: u32) -> bool {
        let nested =
            |outer: &str, inner: &str| outer == "." || inner.starts_with(&format!("{outer}/"));
        // Tests go with what they test, and documents with everything.
        let beside = |module: &str| {
            paths::is_test(&format!("{module}/x"))
                || module
                    .split('/')
                    .any(|step| step == "docs" || step == "doc")
        };
        let most = [a, b]
            .iter()
            .filter_map(|module| self.modules.get(*module))
            .map(|stats| stats.sessions)
            .max();
        !beside(a)
            && !beside(b)
            && !nested(a, b)
            && !nested(b, a)
            && most.is_none_or(|most| 3 * shared >= 2 * most)
    }

    /// Whether pairs of files were changed, not only read, often enough to be a habit.
    fn is_changed<'p>(
        &self,
        pairs: impl IntoIterator<Item = &'p (ProjectPath, ProjectPath)>,
    ) -> bool {
        let changed = pairs.into_iter().map(|(a, b)| {
            let edge = |pair| self.edges.get(&pair).map_or(0, |edge| edge.edited_sessions);
            edge((a.clone(), b.clone())).max(edge((b.clone(), a.clone())))
        });
        changed.sum::<u32>() >= CHANGED_SESSIONS
    }

    /// The marks of two modules that hang together: none where pairs and sessions of before any outside text are enough.
    fn taint_of_coupling(&self, stats: &super::CouplingStats) -> Taint {
        let edges = stats.pairs.iter().filter_map(|pair| self.edges.get(pair));
        let own = edges.filter(|edge| edge.after_outside < edge.sessions);
        let pairs = own.count();
        let is_enough = |sessions: u32| sessions >= COUPLED_SESSIONS && pairs >= COUPLED_PAIRS;
        self.rests_on(&stats.by, is_enough).1
    }

    /// Modules that hang together and that no known dependency covers.
    pub fn uncovered_couplings(&self, covered: &BTreeSet<(String, String)>) -> Vec<Coupling> {
        let mut found: Vec<Coupling> = self
            .couplings
            .iter()
            .filter(|(modules, stats)| {
                let turned = (modules.1.clone(), modules.0.clone());
                let sessions = stats.sessions.len() as u32;
                sessions >= COUPLED_SESSIONS
                    && stats.pairs.len() >= COUPLED_PAIRS
                    && !covered.contains(modules)
                    && !covered.contains(&turned)
                    && self.is_mutual(modules, sessions)
                    && self.is_changed(&stats.pairs)
            })
            .map(|(modules, stats)| Coupling {
                modules: modules.clone(),
                sessions: stats.sessions.clone(),
                pairs: stats.pairs.iter().cloned().collect(),
                taint: self.taint_of_coupling(stats),
            })
            .collect();
        found.sort_by(|a, b| {
            b.sessions
                .len()
                .cmp(&a.sessions.len())
                .then_with(|| a.modules.cmp(&b.modules))
        });
        found
    }
}

/// What was measured in the sessions that count.
fn of_places<T: Copy>(samples: &[(Place, T)], counted: &[Place]) -> Vec<T> {
    let samples = samples.iter();
    let own = samples.filter(|(place, _)| counted.contains(place));
    own.map(|(_, measured)| *measured).collect()
}

pub(super) fn candidate(
    key: String,
    wording: Wording,
    confidence: f64,
    witnesses: BTreeSet<SessionId>,
    taint: Taint,
) -> Option<Candidate> {
    let mut candidate = Candidate::new(key, Origin::Many, wording)?;
    candidate.confidence = Confidence::clamped(confidence.min(0.9));
    candidate.priority = WORTH;
    candidate.witnesses = witnesses;
    candidate.taint = taint;
    Some(candidate)
}

impl Coupling {
    /// The coupling as a would-be memory, where git saw enough pairs of its files change together, each file in one pair only:
    /// that two folders were open in the same sessions is true of most folders and helps nobody.
    pub fn candidate(
        &self,
        changed: impl Fn(&ProjectPath, &ProjectPath) -> Option<Together>,
    ) -> Option<Candidate> {
        let (a, b) = &self.modules;
        let mut borne_out: Vec<(Together, &(ProjectPath, ProjectPath))> = self
            .pairs
            .iter()
            .filter(|(one, two)| paths::is_test(one.as_str()) == paths::is_test(two.as_str()))
            .filter_map(|pair| Some((changed(&pair.0, &pair.1)?, pair)))
            .filter(|(together, _)| together.bears_out())
            .collect();
        borne_out.sort_by(|(one, x), (two, y)| {
            two.share().total_cmp(&one.share()).then_with(|| x.cmp(y))
        });
        let mut named: BTreeSet<&ProjectPath> = BTreeSet::new();
        borne_out.retain(|(_, (one, two))| {
            let fresh = !named.contains(one) && !named.contains(two);
            if fresh {
                named.extend([one, two]);
            }
            fresh
        });
        if borne_out.len() < COUPLED_PAIRS {
            return None;
        }
        let told = borne_out.iter().take(COUPLED_PAIRS);
        let names: Vec<String> = told
            .clone()
            .map(|(together, (one, two))| {
                format!("`{one}` with `{two}` ({} commits)", together.both)
            })
            .collect();
        let wording = Wording {
            payload: BuiltInType::CausalDependency.into(),
            content: format!(
                "Files of `{a}` and `{b}` change in pairs ({} of them in git's history, {} sessions worked on both), for example {}.",
                borne_out.len(),
                self.sessions.len(),
                names.join(", ")
            ),
            summary: format!("Files of `{a}` and `{b}` change in pairs"),
        };
        let surest = borne_out
            .first()
            .map_or(0.0, |(together, _)| together.share());
        let candidate = candidate(
            format!("coupling:{a}+{b}"),
            wording,
            surest,
            self.sessions.clone(),
            self.taint.clone(),
        )?;
        let files = told.flat_map(|(_, (one, two))| [one.clone(), two.clone()]);
        Some(candidate.about(files))
    }
}
