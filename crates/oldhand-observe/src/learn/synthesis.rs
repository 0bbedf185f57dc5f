//! A module looked at as a whole, and modules that hang together, by rules alone.

use std::collections::BTreeSet;

use oldhand_domain::confidence::Confidence;
use oldhand_domain::id::SessionId;
use oldhand_domain::path::ProjectPath;
use oldhand_domain::payload::{BuiltInType, Payload, Prefetch};
use oldhand_domain::taint::Taint;
use oldhand_domain::text::{Fingerprint, ModuleName};

use super::{Knowledge, Place, WHOLE_PROJECT};
use crate::distill::costs::{self, Cost, Plan};
use crate::distill::{Candidate, Origin, Wording, error_told};
use crate::paths;
use crate::promote::cautious_share;

/// Two modules that are worked on together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Coupling {
    pub modules: (String, String),
    pub sessions: BTreeSet<SessionId>,
    pub pairs: Vec<(ProjectPath, ProjectPath)>,
    /// Outside text that had a hand in it, unless what came before such text says the same.
    pub taint: Taint,
}

const ALWAYS: f64 = 0.8;
const FREQUENTLY: f64 = 0.5;
/// The lower end of the share must reach this: four sessions of five are an accident, seven of ten are not.
const SURELY: f64 = 0.39;
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
    /// What many sessions of a module say about it: at most five statements, the surest first.
    pub fn synthesize(&self, module: &str) -> Vec<Candidate> {
        if module == WHOLE_PROJECT {
            return self.checking().into_iter().collect();
        }
        let Some(stats) = self.modules.get(module) else {
            return Vec::new();
        };
        let mut found: Vec<Candidate> = Vec::new();
        found.extend(self.checking());
        found.extend(self.prefetch(module, stats.sessions));
        found.extend(self.pairs_of(module));
        found.extend(self.errors_known(module));
        found.extend(self.calibrations(module));
        found.extend(self.context_cost(module));
        found.truncate(INSIGHTS);
        found
    }

    /// How work is checked in this project. The same words whichever module asks, so that it is told once.
    fn checking(&self) -> Option<Candidate> {
        let mut parts: Vec<String> = Vec::new();
        let mut short: Vec<String> = Vec::new();
        let mut sure: f64 = 1.0;
        let mut taint = Taint::CLEAN;
        let mut witnesses: Vec<Place> = Vec::new();
        for (check, commands) in &self.checks {
            let of = self.checked.get(check).copied().unwrap_or(0);
            let usual = commands
                .iter()
                .max_by_key(|(command, by)| (by.len(), std::cmp::Reverse(*command)));
            let Some((command, by)) = usual else {
                continue;
            };
            let sessions = by.len() as u32;
            let is_usual =
                |sessions: u32| sessions >= 3 && f64::from(sessions) > 0.5 * f64::from(of);
            if !is_usual(sessions) {
                continue;
            }
            let (counted, marks) = self.rests_on(by, is_usual);
            taint = taint.join(&marks);
            sure = sure.min(cautious_share(counted.len() as u32, of));
            parts.push(format!(
                "{check} with `{command}` ({sessions} of {of} sessions)"
            ));
            short.push(format!("`{command}`"));
            witnesses.extend(counted);
        }
        if parts.is_empty() {
            return None;
        }
        let wording = Wording {
            payload: BuiltInType::Pattern.into(),
            content: format!(
                "How changes are checked in this project: {}.",
                parts.join(", ")
            ),
            summary: format!("Check changes with {}", short.join(", ")),
        };
        let witnesses = self.named(&witnesses);
        let sure = 0.3 + 0.6 * sure;
        candidate("checking".to_owned(), wording, sure, witnesses, taint)
    }

    /// Files that most sessions of a module read.
    fn prefetch(&self, module: &str, sessions: u32) -> Option<Candidate> {
        // The top folder is no module: what is read there is read by everybody. Folders that begin with a dot hold settings.
        let name = ModuleName::new(module)
            .ok()
            .filter(|_| !module.starts_with('.'))?;
        let share = |part: u32| f64::from(part) / f64::from(sessions.max(1));
        let is_usual =
            |part: u32| cautious_share(part, sessions) >= SURELY && share(part) > FREQUENTLY;
        let mut shares: Vec<(f64, &ProjectPath)> = self
            .files
            .iter()
            .filter(|(path, _)| paths::module_of(path.as_str()) == module)
            .filter(|(path, _)| {
                let path = path.as_str();
                !paths::is_eponym(path) && !paths::is_config(path) && !paths::is_entry(path)
            })
            .filter(|(_, file)| is_usual(file.sessions))
            .map(|(path, file)| (share(file.sessions), path))
            .collect();
        shares.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.cmp(b.1)));
        shares.truncate(8);
        let known = self
            .files
            .keys()
            .filter(|path| paths::module_of(path.as_str()) == module)
            .count();
        // Where nearly every file is used by most, naming them says nothing.
        if shares.is_empty() || 2 * shares.len() > known {
            return None;
        }
        let pick = |always: bool| -> Vec<ProjectPath> {
            shares
                .iter()
                .filter(|(share, _)| (*share > ALWAYS) == always)
                .map(|(_, path)| (*path).clone())
                .collect()
        };
        let (always_read, frequently_read) = (pick(true), pick(false));
        let names: Vec<String> = shares
            .iter()
            .map(|(share, path)| format!("`{path}` ({:.0} %)", share * 100.0))
            .collect();
        let files: Vec<ProjectPath> = shares.iter().map(|(_, path)| (*path).clone()).collect();
        let wording = Wording {
            payload: Payload::PrefetchPattern(Prefetch {
                always_read,
                frequently_read,
                trigger_module: name,
                session_count: sessions,
            }),
            content: format!(
                "Of {sessions} sessions that worked in `{module}`, these files were used by most: {}.",
                names.join(", ")
            ),
            summary: format!("In `{module}`, read `{}` first", files.first()?),
        };
        let used = files.iter().filter_map(|path| self.files.get(path));
        let (mut counted, mut taint) = (Vec::new(), Taint::CLEAN);
        for file in used {
            let (by, marks) = self.rests_on(&file.by, is_usual);
            counted.extend(by);
            taint = taint.join(&marks);
        }
        let candidate = candidate(
            format!("prefetch:{module}"),
            wording,
            0.5 + 0.02 * f64::from(sessions.min(20)),
            self.named(&counted),
            taint,
        )?;
        Some(candidate.about(files))
    }

    /// Pairs that nearly every session of one of them shows.
    fn pairs_of(&self, module: &str) -> Vec<Candidate> {
        let mut found: Vec<_> = self
            .edges
            .iter()
            .filter(|((a, b), edge)| {
                let here = paths::module_of(a.as_str()) == module
                    || paths::module_of(b.as_str()) == module;
                let rarer = [a, b]
                    .iter()
                    .filter_map(|path| self.files.get(*path))
                    .map(|file| file.sessions)
                    .min()
                    .unwrap_or(1);
                here && self.is_edited_together(a, b, edge.edited_sessions)
                    && !paths::is_own_test(a.as_str(), b.as_str())
                    && paths::is_prose(a.as_str()) == paths::is_prose(b.as_str())
                    && f64::from(edge.sessions) >= 0.6 * f64::from(rarer)
            })
            .collect();
        found.sort_by(|(a, one), (b, two)| {
            two.weight().total_cmp(&one.weight()).then_with(|| a.cmp(b))
        });
        found
            .into_iter()
            .take(2)
            .filter_map(|((a, b), edge)| {
                let (first, then) = if edge.direction() < 0 { (b, a) } else { (a, b) };
                let order = if edge.direction() == 0 { String::new() } else { format!(", mostly `{first}` first") };
                let wording = Wording {
                    payload: BuiltInType::CausalDependency.into(),
                    content: format!("`{first}` and `{then}` change together: both edited in {} sessions{order}.", edge.edited_sessions),
                    summary: format!("`{first}` and `{then}` change together"),
                };
                let is_enough = |sessions: u32| self.is_edited_together(a, b, sessions);
                let (counted, taint) = self.rests_on(&edge.edited_by, is_enough);
                let sure = 0.6 + 0.03 * counted.len().min(10) as f64;
                let pair = candidate(format!("pair:{a}+{b}"), wording, sure, self.named(&counted), taint)?;
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

    /// Errors that came in several sessions and have one answer.
    fn errors_known(&self, module: &str) -> Vec<Candidate> {
        let mut known: Vec<_> = self
            .errors
            .values()
            .filter(|error| error.modules.contains(module))
            .filter_map(|error| {
                let (how, fix) = error.best()?;
                let times = fix.sessions.len() as u32;
                // What passed without outside text is enough by itself.
                let taint = if fix.passed >= 2 {
                    Taint::CLEAN
                } else {
                    fix.taint.clone()
                };
                (times >= 2).then_some((error, how, times, taint))
            })
            .collect();
        known.sort_by(|(a, ..), (b, ..)| {
            b.sessions
                .len()
                .cmp(&a.sessions.len())
                .then_with(|| a.message.cmp(&b.message))
        });
        known
            .into_iter()
            .take(2)
            .filter_map(|(error, how, times, taint)| {
                let wording = Wording {
                    payload: BuiltInType::ErrorPattern.into(),
                    content: format!(
                        "\"{}\" came in {} sessions; what helped {times} times: {how}.",
                        error.message,
                        error.sessions.len()
                    ),
                    summary: format!(
                        "\"{}\": {how}",
                        &error.message[..error.message.floor_char_boundary(60)]
                    ),
                };
                let key = format!("known_error:{}", error.message);
                let mut candidate = candidate(
                    key,
                    wording,
                    0.65 + 0.05 * f64::from(times.min(5)),
                    error.sessions.clone(),
                    taint,
                )?;
                candidate
                    .fingerprints
                    .extend(Fingerprint::new(&error.message).ok());
                let usual = error.commands.iter().max_by_key(|(_, times)| **times);
                let command = usual.map_or("", |(command, _)| command.as_str());
                candidate.told = Some(error_told(&error.message, command, Some(how)));
                Some(candidate)
            })
            .collect()
    }

    /// How plans in a module compare with what it took, each methodology for itself.
    pub(super) fn calibrations(&self, module: &str) -> Vec<Candidate> {
        let stats = self.modules.get(module);
        let plans = stats.into_iter().flat_map(|stats| &stats.plans);
        let enough = plans.filter(|(_, plans)| plans.len() >= PLANS);
        let told = enough.filter_map(|(methodology, plans)| {
            let steps: Vec<Plan> = plans.iter().map(|(_, plan)| *plan).collect();
            let wording = costs::of_steps(module, methodology, &steps)?;
            let witnesses = self.named(plans.iter().map(|(place, _)| place));
            let key = costs::steps_told(module, methodology);
            let places = plans.iter().map(|(place, _)| place);
            let (_, taint) = self.rests_on(places, |plans| plans as usize >= PLANS);
            candidate(key, wording, 0.7, witnesses, taint)
        });
        told.collect()
    }

    /// How full the context gets by work in a module, when that is well above what is usual here.
    pub(super) fn context_cost(&self, module: &str) -> Option<Candidate> {
        let here = self.costs(module);
        let others = self.modules.keys().filter(|name| name.as_str() != module);
        let elsewhere: Vec<Cost> = others.flat_map(|name| self.costs(name)).collect();
        if here.len() < COST_SESSIONS || elsewhere.len() < COST_SESSIONS {
            return None;
        }
        let wording = costs::of_context(module, &here, costs::mean_tokens(&elsewhere)?)?;
        let samples = &self.modules.get(module)?.costs;
        let places = || samples.iter().map(|(place, _)| place);
        let (_, taint) = self.rests_on(places(), |costs| costs as usize >= COST_SESSIONS);
        let witnesses = self.named(places());
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

fn candidate(
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
    /// The coupling as a would-be memory.
    pub fn candidate(&self) -> Option<Candidate> {
        let (a, b) = &self.modules;
        let names: Vec<String> = self
            .pairs
            .iter()
            .take(3)
            .map(|(one, two)| format!("`{one}` with `{two}`"))
            .collect();
        let wording = Wording {
            payload: BuiltInType::CausalDependency.into(),
            content: format!(
                "`{a}` and `{b}` are worked on together ({} sessions, {} pairs of files), for example {}.",
                self.sessions.len(),
                self.pairs.len(),
                names.join(", ")
            ),
            summary: format!("`{a}` and `{b}` are worked on together"),
        };
        let sure = 0.6 + 0.02 * self.sessions.len().min(15) as f64;
        let candidate = candidate(
            format!("coupling:{a}+{b}"),
            wording,
            sure,
            self.sessions.clone(),
            self.taint.clone(),
        )?;
        let files = self
            .pairs
            .iter()
            .take(3)
            .flat_map(|(one, two)| [one.clone(), two.clone()]);
        Some(candidate.about(files))
    }
}
