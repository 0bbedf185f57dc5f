//! From signals to would-be memories: concrete words, without any model.
//!
//! A candidate names the file, the command, the error and what fixed it, or it is not worth having.
//! [`crate::promote`] decides which of them become memories.

use std::collections::{BTreeMap, BTreeSet};

use oldhand_domain::confidence::Confidence;
use oldhand_domain::event::Severity;
use oldhand_domain::id::SessionId;
use oldhand_domain::path::ProjectPath;
use oldhand_domain::payload::{BuiltInType, MemoryType, Payload};
use oldhand_domain::signal::SignalKind;
use oldhand_domain::taint::Taint;
use oldhand_domain::text::{Content, Fingerprint, ModuleName, Summary};
use oldhand_domain::vocabulary::Source;

use crate::detect::dead_end::DeadEnd;
use crate::detect::early::{self, Early};
use crate::detect::{CAUSE, Finding, Signal, SolvedBy};
use crate::fold::SessionAnalytics;
use crate::outcome::commands::{main_command, program_key};
use crate::paths;
use crate::promote::Dropped;

pub(crate) mod claim;
mod consolidate;
pub(crate) mod costs;
mod explicit;
mod found;
mod group;
mod pair;
mod person;
pub(crate) mod phrase;
pub(crate) mod remedy;
mod subject;
mod together;
mod witness;
mod wording;
mod work;

pub use claim::{
    Claim, Statement, has_both, is_claim, is_file, is_same, keep, made_of, may_say, meets, names,
    names_to_find, stem, taken_for, typed, typed_at,
};
pub use consolidate::consolidate;
pub use costs::{Cost, Plan, StepUnit};
pub use explicit::is_found_in_part;
pub use found::stated;
pub(crate) use found::{Again, explains, found_again, told as found_told, topic};
pub use group::{Group, SeenBy};
pub use person::{SAID, states};
pub(crate) use person::{SAID_AGAIN_SURE, WORTH as SAID_WORTH, refused, said_again};
pub(crate) use person::{from_prompts as rules_laid_down, keys as keys_of_rules};
pub use phrase::recount;
use remedy::NoSubcommand;
pub use remedy::missing_program;
pub use subject::Subject;
pub(crate) use together::SMALL;
pub use together::{Company, Together, Which};
pub use wording::{Wording, missing, missing_and_meant};
pub use work::{goes_on_with, outcome, unfinished};

/// A would-be memory with what it rests on.
#[derive(Clone, Debug, PartialEq)]
pub struct Candidate {
    /// The same in every session that shows the same thing.
    pub key: String,
    pub origin: Origin,
    pub payload: Payload,
    pub content: Content,
    pub summary: Summary,
    pub files: BTreeSet<ProjectPath>,
    /// Those of them that change when the others do: it holds from the others only.
    pub impacted: BTreeSet<ProjectPath>,
    pub modules: BTreeSet<ModuleName>,
    pub fingerprints: BTreeSet<Fingerprint>,
    pub confidence: Confidence,
    /// What the signal is worth.
    pub priority: f64,
    /// Where early triggers put it in the queue; 0 for the rest.
    pub urgency: f64,
    pub source: Source,
    pub taint: Taint,
    /// The steps of the session that taught it.
    pub evidence: Vec<u32>,
    /// The sessions that showed it together, for what no single one shows.
    pub witnesses: BTreeSet<SessionId>,
    /// At least two agents saw it on their own.
    pub quorum: bool,
    /// Sessions that must show it, where that is not for its signal to say.
    pub sessions_needed: Option<u32>,
    /// Its file, or both files of a pair, were edited in this session, not only read.
    pub edited: bool,
    /// Why it can become nothing, where its own words say so.
    pub(crate) unfit: Option<Dropped>,
    /// The statement it makes, where other keys make the same one.
    pub(crate) told: Option<String>,
    /// What it says along with its own: the keys of statements that are not told beside it.
    pub covers: BTreeSet<String>,
    /// The two files that showed it, where it names all that change with them.
    pub(crate) seed: Option<(ProjectPath, ProjectPath)>,
    /// What the files of today have to bear out, for what an agent found out.
    pub claim: Option<Claim>,
    /// The document that a person wants to be kept up to date, as they call it.
    pub upkeep: Option<String>,
    /// The part of the work whose validation found it.
    pub subtask: Option<String>,
    /// A person found it, and not an agent.
    pub(crate) by_person: bool,
}

/// What a candidate was made from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Origin {
    Signal(SignalKind),
    DeadEnd,
    /// A validation found it.
    Qa,
    /// An agent asked for it.
    Note,
    /// A person laid it down in their own words.
    Person,
    /// Subtasks of a session, or the sessions that went one way, show it together.
    Synthesis,
    /// Many sessions show it together, whichever of them brings it up.
    Many,
    /// How a unit of work ended.
    Outcome,
}

/// How often a key was seen before, by session. The caller keeps it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Frequency {
    pub seen: BTreeMap<String, Seen>,
    /// Earlier sessions in which another remedy helped against the same error, by key.
    pub otherwise: BTreeMap<String, u32>,
    /// Earlier sessions that met an error at all, by its message.
    pub met: BTreeMap<String, u32>,
    /// Earlier sessions that worked in a module, by its folder.
    pub modules: BTreeMap<String, u32>,
    /// Earlier sessions that used a file.
    pub files: BTreeMap<ProjectPath, u32>,
    /// Different files of a module that earlier sessions used, by its folder.
    pub module_files: BTreeMap<String, u32>,
    /// What git says of pairs of files, by key.
    pub together: BTreeMap<String, Together>,
    /// What planned work took in earlier sessions, by module, methodology and what was counted.
    pub plans: BTreeMap<(String, String, StepUnit), Vec<Plan>>,
    /// What earlier sessions of a module cost.
    pub costs: BTreeMap<String, Vec<Cost>>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Seen {
    /// Earlier sessions that showed it, this one not counted.
    pub sessions: u32,
    /// Different kinds of task among them and this one.
    pub task_types: u32,
    /// Earlier sessions in which its file, or both files of a pair, were edited.
    pub edited_sessions: u32,
    /// The marks of outside text on those sessions, where it takes them to be enough.
    pub taint: Taint,
}

impl Frequency {
    /// Whether git's history bears out what a session shows of a pair of files.
    pub(crate) fn borne_out(&self, candidate: &Candidate) -> Option<Together> {
        let together = self.together.get(&candidate.key).copied()?;
        (candidate.edited && together.bears_out()).then_some(together)
    }

    /// What earlier sessions showed of it.
    pub(crate) fn before(&self, key: &str) -> Seen {
        self.seen.get(key).cloned().unwrap_or_default()
    }

    /// Sessions that showed it, this one included.
    pub fn sessions(&self, key: &str) -> u32 {
        self.seen.get(key).map_or(0, |seen| seen.sessions) + 1
    }
}

/// Everything a session has to offer, the most urgent first.
#[cfg(test)]
pub(crate) fn distill(
    session: &SessionAnalytics,
    signals: &[Signal],
    dead_ends: &[DeadEnd],
    frequency: &Frequency,
) -> Vec<Candidate> {
    distill_with(
        rules_laid_down(session),
        session,
        signals,
        dead_ends,
        frequency,
    )
}

/// The same, where the rules that the prompts lay down are known.
pub(crate) fn distill_with(
    laid_down: Vec<Candidate>,
    session: &SessionAnalytics,
    signals: &[Signal],
    dead_ends: &[DeadEnd],
    frequency: &Frequency,
) -> Vec<Candidate> {
    let early = early::triggers(session);
    let mut candidates: Vec<Candidate> = Vec::new();
    candidates.extend(dead_ends.iter().filter_map(explicit::from_dead_end));
    candidates.extend(explicit::from_issues(session));
    candidates.extend(explicit::from_notes(session));
    candidates.extend(laid_down);
    let troubled = troubled_files(signals);
    for signal in signals {
        if let Some(mut candidate) = from_signal(signal, &early, frequency) {
            // A long stare beside an error or a backtrack says that it was costly.
            if matches!(signal.kind, SignalKind::ErrorRetry | SignalKind::Backtrack)
                && signal.files.iter().any(|file| troubled.contains(file))
            {
                candidate.confidence = candidate.confidence.raised(0.05, 0.9);
            }
            candidates.push(candidate);
        }
    }
    // What a rule asks for is said by the check that it failed.
    for candidate in &mut candidates {
        let is_told = candidate.claim.is_some();
        if is_told && claim::rule::is_met(candidate.content.as_str(), session) {
            candidate.refuse(Dropped::SaidByError);
        }
    }
    // What a dead end tells as its reason is not told beside it.
    let reasons: BTreeSet<String> = candidates
        .iter()
        .filter_map(|one| match &one.payload {
            Payload::DeadEnd(end) => Some(end.why_it_failed.clone()),
            _ => None,
        })
        .collect();
    for candidate in &mut candidates {
        let told = explicit::as_reason(candidate.content.as_str());
        if told.is_some_and(|told| reasons.contains(&told)) {
            candidate.refuse(Dropped::ToldAlready);
        }
    }
    candidates.sort_by(|a, b| {
        let rank = |candidate: &Candidate| {
            (
                candidate.urgency,
                candidate.priority,
                candidate.confidence.get(),
            )
        };
        rank(b)
            .partial_cmp(&rank(a))
            .unwrap_or(std::cmp::Ordering::Equal)
            .then_with(|| a.key.cmp(&b.key))
    });
    candidates
}

fn troubled_files(signals: &[Signal]) -> BTreeSet<ProjectPath> {
    signals
        .iter()
        .filter(|signal| signal.kind == SignalKind::TimeAnomaly)
        .flat_map(|signal| signal.files.iter().cloned())
        .collect()
}

/// The candidate of one signal; `None` when it has nothing concrete to say.
fn from_signal(signal: &Signal, early: &[Early], frequency: &Frequency) -> Option<Candidate> {
    let rule = signal.kind.rule();
    let seen = frequency.before(&signal.key);
    let sessions = seen.sessions + 1;
    let (wording, unfit) = match wording::of(signal, frequency) {
        Some(wording) => (wording, None),
        None => wording::refused(signal).map(|(wording, why)| (wording, Some(why)))?,
    };
    let urgency = early
        .iter()
        .find(|trigger| trigger.kind == signal.kind)
        .map_or(0.0, |trigger| trigger.priority);
    let mut candidate = Candidate::new(signal.key.clone(), Origin::Signal(signal.kind), wording)?;
    candidate.unfit = unfit;
    candidate.confidence =
        Confidence::clamped(signal.strength).raised(0.05 * f64::from((sessions - 1).min(4)), 0.9);
    candidate.priority = rule.score;
    candidate.urgency = urgency;
    candidate.taint = signal.taint.clone().join(&seen.taint);
    candidate.evidence.clone_from(&signal.evidence);
    match &signal.finding {
        Finding::ErrorRetry {
            message,
            command,
            solved,
            ..
        } => {
            candidate
                .fingerprints
                .extend(Fingerprint::new(message).ok());
            let by = solved.as_ref().map(|solved| &solved.by);
            // No second witness where a program says itself that it does not know what it was told, and then took something else.
            let is_option = |by| {
                is_misuse(message, command, by) && NoSubcommand::of(message, command, by).is_none()
            };
            if by.is_some_and(is_option) {
                let main = main_command(command);
                let is_everybodys = main.is_some_and(|main| remedy::is_everybodys(&main.words[0]));
                candidate.sessions_needed = Some(if is_everybodys { 2 } else { 1 });
            }
            candidate.told = Some(error_told(message));
            // Whoever meets it reads the answer there.
            if solved.as_ref().is_some_and(|solved| solved.advised) {
                candidate.refuse(Dropped::SaidByError);
            }
        }
        Finding::Cause {
            statement, mended, ..
        } => {
            let told = claim::lasting(statement, mended);
            candidate.claims(claim::of_cause(&told, mended));
        }
        Finding::SelfCorrection { .. } => {
            let names = names(candidate.content.as_str());
            candidate.claim = Some(Claim::Own { names });
        }
        // Whoever reads it is told so by the same refusal, at the price of one call.
        Finding::TooLarge { .. } => candidate.refuse(Dropped::SaidByError),
        Finding::Missing { found, .. } => {
            candidate.sessions_needed = Some(signal.sessions_needed());
            candidate.impacted.insert(found.clone());
        }
        // Who is at the second file has found the way.
        Finding::ReadAbandon {
            worked_in: other, ..
        }
        | Finding::ImportChase { to: other, .. }
        | Finding::ConfigTouch { config: other, .. } => {
            candidate.impacted.insert(other.clone());
        }
        // A look at the whole module says the same.
        Finding::StepOverrun {
            module,
            methodology,
            plan,
        } => candidate.told = Some(costs::steps_told(module, methodology, plan.unit)),
        Finding::ContextTokenSpike { module, .. } => {
            candidate.told = Some(costs::tokens_told(module));
        }
        Finding::FileAccess { edited, .. } => candidate.edited = *edited,
        Finding::CoAccess { edited, .. } => candidate.edited = *edited == 2,
        _ => {}
    }
    Some(candidate.about(signal.files.iter().cloned()))
}

/// The option that a program says it does not know.
fn refused_option(message: &str) -> Option<&str> {
    message
        .split(|c: char| c.is_whitespace() || "'\"`:,".contains(c))
        .find(|word| word.starts_with('-') && word.len() > 1)
}

/// Whether a program refused an option or a subcommand, and the same program answered without it.
pub(crate) fn is_misuse(message: &str, command: &str, by: &SolvedBy) -> bool {
    const REFUSALS: [&str; 11] = [
        "unknown flag",
        "unknown shorthand flag",
        "unknown option",
        "unknown command",
        "unknown argument",
        "unknown switch",
        "unrecognized option",
        "unrecognized argument",
        "unexpected argument",
        "invalid option",
        // Go's own way to say it.
        "flag provided but not defined",
    ];
    let (SolvedBy::First(answer) | SolvedBy::Command(answer)) = by else {
        return false;
    };
    let lower = message.to_lowercase();
    let refused = refused_option(message);
    REFUSALS.iter().any(|refusal| lower.contains(refusal))
        && program_key(command).is_some()
        && program_key(command) == program_key(answer)
        && refused.is_none_or(|option| !answer.split_whitespace().any(|word| word == option))
}

/// What an error is told as: once, whatever was done about it.
pub(crate) fn error_told(message: &str) -> String {
    format!("known_error:{message}")
}

impl Candidate {
    /// A candidate with neutral values; the wording must fit a memory.
    pub(crate) fn new(key: String, origin: Origin, wording: Wording) -> Option<Self> {
        let content = Content::new(&wording.content).ok()?;
        let summary = Summary::new(&wording.summary).unwrap_or_else(|_| Summary::of(&content));
        Some(Self {
            key,
            origin,
            payload: wording.payload,
            content,
            summary,
            files: BTreeSet::new(),
            impacted: BTreeSet::new(),
            modules: BTreeSet::new(),
            fingerprints: BTreeSet::new(),
            confidence: Confidence::clamped(0.6),
            priority: 0.0,
            urgency: 0.0,
            source: Source::ObserverInferred,
            taint: Taint::CLEAN,
            evidence: Vec::new(),
            witnesses: BTreeSet::new(),
            quorum: false,
            sessions_needed: None,
            edited: false,
            unfit: None,
            told: None,
            covers: BTreeSet::new(),
            seed: None,
            claim: None,
            upkeep: None,
            subtask: None,
            by_person: false,
        })
    }

    pub(crate) fn about(mut self, files: impl IntoIterator<Item = ProjectPath>) -> Self {
        self.name_files(files);
        self
    }

    /// The name of which it tells where it is, where that is what it tells.
    pub fn place_of(&self) -> Option<&str> {
        let is_place = self.origin == Origin::Signal(SignalKind::RepeatedGrep);
        let name = self.content.as_str().split('`').nth(1)?;
        name.split_whitespace().next_back().filter(|_| is_place)
    }

    fn name_files(&mut self, files: impl IntoIterator<Item = ProjectPath>) {
        self.files = files.into_iter().collect();
        let modules = self
            .files
            .iter()
            .filter_map(|file| ModuleName::new(paths::module_of(file.as_str())).ok());
        self.modules = modules.collect();
    }

    /// What it is told as: two candidates with the same answer would become the same memory.
    pub fn told_as(&self) -> String {
        let module = self.modules.first().map(ModuleName::as_str);
        if let Some(told) = &self.told {
            return told.clone();
        }
        match (self.origin, module) {
            // Where work begins in a module is one statement, whichever file it names first.
            (Origin::Signal(SignalKind::FileAccess), Some(module)) => format!("prefetch:{module}"),
            _ => self.key.clone(),
        }
    }

    /// Whether it is what an agent found out and others met again. Its claim says less: that is gone where there are no files to ask.
    pub fn is_found_again(&self) -> bool {
        self.origin == Origin::Many && self.key.starts_with(CAUSE)
    }

    /// Whether its words are ours and the same for all of its kind: what tells two of them apart is what they name.
    pub(crate) fn is_patterned(&self) -> bool {
        match self.origin {
            Origin::Signal(kind) => kind != SignalKind::SelfCorrection,
            // What an agent found out is told in its words.
            Origin::Many => !self.is_found_again(),
            Origin::Synthesis | Origin::Outcome => true,
            Origin::DeadEnd | Origin::Qa | Origin::Note | Origin::Person => false,
        }
    }

    /// The built-in type, unless a methodology brought its own.
    pub fn built_in(&self) -> Option<BuiltInType> {
        match self.payload.memory_type() {
            MemoryType::BuiltIn(built_in) => Some(built_in),
            MemoryType::Plugin(_) => None,
        }
    }
}

/// Issues bad enough to be remembered at once.
pub(crate) fn is_grave(severity: Severity) -> bool {
    matches!(severity, Severity::Critical | Severity::High)
}

#[cfg(test)]
mod tests;
