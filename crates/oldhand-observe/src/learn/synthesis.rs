//! A module looked at as a whole, and modules that hang together, by rules alone.

use std::collections::BTreeSet;

use oldhand_domain::confidence::Confidence;
use oldhand_domain::id::SessionId;
use oldhand_domain::path::ProjectPath;
use oldhand_domain::payload::{BuiltInType, Calibration, ContextCost, Payload, Prefetch};
use oldhand_domain::text::{Fingerprint, ModuleName};

use super::{Knowledge, WHOLE_PROJECT};
use crate::distill::{Candidate, Origin, Wording, error_told};
use crate::paths;
use crate::promote::cautious_share;

/// Two modules that are worked on together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Coupling {
    pub modules: (String, String),
    pub sessions: BTreeSet<SessionId>,
    pub pairs: Vec<(ProjectPath, ProjectPath)>,
}

const ALWAYS: f64 = 0.8;
const FREQUENTLY: f64 = 0.5;
/// The lower end of the share must reach this: four sessions of five are an accident, seven of ten are not.
const SURELY: f64 = 0.39;
/// At most this many memories from one look at a module.
const INSIGHTS: usize = 5;
const COUPLED_SESSIONS: u32 = 5;
const COUPLED_PAIRS: usize = 3;
/// With fewer sessions a mean cost is an anecdote.
const COST_SESSIONS: usize = 5;
/// What work in a module must cost against elsewhere before anybody would plan otherwise.
const COSTLY: u64 = 2;
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
        found.extend(self.calibration(module));
        found.extend(self.context_cost(module));
        found.truncate(INSIGHTS);
        found
    }

    /// How work is checked in this project. The same words whichever module asks, so that it is told once.
    fn checking(&self) -> Option<Candidate> {
        let mut parts: Vec<String> = Vec::new();
        let mut short: Vec<String> = Vec::new();
        let mut sure: f64 = 1.0;
        for (check, commands) in &self.checks {
            let of = self.checked.get(check).copied().unwrap_or(0);
            let usual = commands
                .iter()
                .max_by_key(|(command, sessions)| (**sessions, std::cmp::Reverse(*command)));
            let Some((command, &sessions)) = usual else {
                continue;
            };
            if sessions < 3 || f64::from(sessions) <= 0.5 * f64::from(of) {
                continue;
            }
            sure = sure.min(cautious_share(sessions, of));
            parts.push(format!(
                "{check} with `{command}` ({sessions} of {of} sessions)"
            ));
            short.push(format!("`{command}`"));
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
        candidate("checking".to_owned(), wording, 0.3 + 0.6 * sure, Vec::new())
    }

    /// Files that most sessions of a module read.
    fn prefetch(&self, module: &str, sessions: u32) -> Option<Candidate> {
        // The top folder is no module: what is read there is read by everybody. Folders that begin with a dot hold settings.
        let name = ModuleName::new(module)
            .ok()
            .filter(|_| !module.starts_with('.'))?;
        let mut shares: Vec<(f64, &ProjectPath)> = self
            .files
            .iter()
            .filter(|(path, _)| paths::module_of(path.as_str()) == module)
            .filter(|(path, _)| {
                let path = path.as_str();
                !paths::is_eponym(path) && !paths::is_config(path) && !paths::is_entry(path)
            })
            .filter(|(_, file)| cautious_share(file.sessions, sessions) >= SURELY)
            .map(|(path, file)| (f64::from(file.sessions) / f64::from(sessions.max(1)), path))
            .filter(|(share, _)| *share > FREQUENTLY)
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
        candidate(
            format!("prefetch:{module}"),
            wording,
            0.5 + 0.02 * f64::from(sessions.min(20)),
            files,
        )
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
                let rarely_edited = [a, b]
                    .iter()
                    .filter_map(|path| self.files.get(*path))
                    .map(|file| file.edit_sessions)
                    .min()
                    .unwrap_or(1);
                here && edge.edited_sessions >= 3
                    && !paths::is_own_test(a.as_str(), b.as_str())
                    && f64::from(edge.sessions) >= 0.6 * f64::from(rarer)
                    && 2 * edge.edited_sessions >= rarely_edited
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
                candidate(format!("pair:{a}+{b}"), wording, 0.6 + 0.03 * f64::from(edge.edited_sessions.min(10)), vec![a.clone(), b.clone()])
            })
            .collect()
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
                (times >= 2).then_some((error, how, times))
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
            .filter_map(|(error, how, times)| {
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
                    Vec::new(),
                )?;
                candidate.witnesses.clone_from(&error.sessions);
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

    /// How plans in a module compare with what it took.
    fn calibration(&self, module: &str) -> Option<Candidate> {
        let steps = &self.modules.get(module)?.steps;
        if steps.len() < 3 {
            return None;
        }
        let mean = |pick: fn(&(u32, u32)) -> u32| {
            steps.iter().map(|pair| f64::from(pick(pair))).sum::<f64>() / steps.len() as f64
        };
        let (planned, actual) = (mean(|pair| pair.0), mean(|pair| pair.1));
        let ratio = actual / planned;
        if (0.8..=1.25).contains(&ratio) {
            return None;
        }
        let calibration = Calibration {
            module: ModuleName::new(module).ok()?,
            methodology: "native".to_owned(),
            mean_actual_steps: actual,
            mean_planned_steps: planned,
            samples: steps.len() as u32,
        };
        let wording = Wording {
            payload: Payload::TaskCalibration(calibration),
            content: format!(
                "Work in `{module}` takes {ratio:.1} times the planned steps ({actual:.0} instead of {planned:.0}, over {} sessions).",
                steps.len()
            ),
            summary: format!("Plan {ratio:.1}× the steps for `{module}`"),
        };
        candidate(format!("calibration:{module}"), wording, 0.7, Vec::new())
    }

    /// How full the context gets by work in a module, when that is well above what is usual here.
    fn context_cost(&self, module: &str) -> Option<Candidate> {
        let mut tokens = self.modules.get(module)?.tokens.clone();
        let usual: Vec<u64> = self
            .modules
            .iter()
            .filter(|(name, _)| name.as_str() != module)
            .flat_map(|(_, stats)| stats.tokens.iter().copied())
            .collect();
        if tokens.len() < COST_SESSIONS || usual.len() < COST_SESSIONS {
            return None;
        }
        tokens.sort_unstable();
        let mean = |samples: &[u64]| samples.iter().sum::<u64>() / samples.len() as u64;
        let (here, elsewhere) = (mean(&tokens), mean(&usual));
        if here < COSTLY * elsewhere {
            return None;
        }
        let p90 = tokens[(tokens.len() * 9).div_ceil(10) - 1];
        let cost = ContextCost {
            module: ModuleName::new(module).ok()?,
            mean_tokens: here,
            p90_tokens: p90,
            samples: tokens.len() as u32,
        };
        let wording = Wording {
            payload: Payload::ContextCost(cost),
            content: format!(
                "Work in `{module}` fills the context with {here} tokens on average and {p90} in one of ten sessions (over {} sessions; elsewhere in this project {elsewhere}).",
                tokens.len()
            ),
            summary: format!("`{module}` costs {here} tokens of context; elsewhere {elsewhere}"),
        };
        candidate(format!("context_cost:{module}"), wording, 0.7, Vec::new())
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
            && most.is_none_or(|most| 2 * shared >= most)
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
            })
            .map(|(modules, stats)| Coupling {
                modules: modules.clone(),
                sessions: stats.sessions.clone(),
                pairs: stats.pairs.iter().take(10).cloned().collect(),
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
    files: Vec<ProjectPath>,
) -> Option<Candidate> {
    let mut candidate = Candidate::new(key, Origin::Synthesis, wording)?;
    candidate.confidence = Confidence::clamped(confidence.min(0.9));
    candidate.priority = WORTH;
    Some(candidate.about(files))
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
        let mut candidate =
            Candidate::new(format!("coupling:{a}+{b}"), Origin::Synthesis, wording)?;
        let sessions = self.sessions.len().min(15) as f64;
        candidate.confidence = Confidence::clamped(0.6 + 0.02 * sessions);
        candidate.witnesses.clone_from(&self.sessions);
        candidate.priority = WORTH;
        let files = self
            .pairs
            .iter()
            .take(3)
            .flat_map(|(one, two)| [one.clone(), two.clone()]);
        Some(candidate.about(files))
    }
}
