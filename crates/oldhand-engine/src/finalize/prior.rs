//! What is known about each candidate before it is weighed: the memory nearest to it, and whether it may pass at all.

use std::collections::{BTreeMap, BTreeSet};

use jiff::{SignedDuration, Timestamp};
use oldhand_domain::event::Digest;
use oldhand_domain::filter::{Filter, State};
use oldhand_domain::id::MemoryId;
use oldhand_domain::lifecycle::HALF_LIVES;
use oldhand_domain::memory::Memory;
use oldhand_domain::path::ProjectPath;
use oldhand_domain::payload::BuiltInType;
use oldhand_domain::session::Tombstone;
use oldhand_domain::vocabulary::Source;
use oldhand_observe::distill::{Candidate, Origin, Subject, goes_on_with, stated, states};
use oldhand_observe::fingerprint::without_module;
use oldhand_observe::fold::SessionAnalytics;
use oldhand_observe::learn::{FindingFact, SessionFacts, defined_in};
use oldhand_observe::promote::{Dropped, KNOWN, Neighbour, Says, is_split, validated_subtask};
use oldhand_recall::same::is_said_in;

use super::record::SessionReport;
use super::state::observed_states;
use super::{Extent, Finalizer};
use crate::EngineError;
use crate::bury::of_error;

/// How many known memories each candidate is compared with.
const NEIGHBOURS: usize = 10;

/// How the keys of files begin that were not there.
const MISSING: &str = "missing:";

/// How the key of what is told of an error begins; its words follow.
const KNOWN_ERROR: &str = "known_error:";

/// How the key of a pair of files begins.
pub(super) const PAIR: &str = "pair:";
/// A file that is in so many told pairs changes with everything.
const HUB: usize = 3;

#[derive(Default)]
pub(super) struct Prior {
    pub(super) neighbours: BTreeMap<String, Neighbour>,
    pub(super) barred: BTreeMap<String, Dropped>,
    /// What the session taught before and would teach as its work stands now.
    pub(super) upheld: BTreeSet<MemoryId>,
}

/// What people and files of the project laid down, read once for all candidates.
struct LaidDown {
    memories: Vec<Memory>,
    /// The sentences of the rules files.
    rules: Vec<String>,
}

impl Finalizer<'_> {
    pub(super) fn prior(
        &self,
        candidates: &[Candidate],
        analytics: &SessionAnalytics,
        earlier: Option<&SessionReport>,
        extent: Extent,
        now: Timestamp,
        may_pass: impl Fn(&Candidate) -> bool,
    ) -> Result<Prior, EngineError> {
        let mut prior = Prior::default();
        let mut laid_down = None;
        let mut rejected = None;
        for candidate in candidates {
            let mut barred = self.barred(candidate, earlier)?;
            if barred.is_none() && candidate.is_found_again() {
                barred = self.rejected_finding(candidate, &mut rejected)?;
            }
            // What names its witnesses itself leaves out a session whose work failed.
            if let Some(Dropped::LearnedBefore { memory }) = barred
                && candidate.witnesses.is_empty()
                && may_pass(candidate)
            {
                prior.upheld.insert(memory);
            }
            if extent == Extent::Subtasks && is_open(analytics, candidate) {
                barred = barred.or(Some(Dropped::StillOpen));
            }
            if barred.is_none() && is_outdated(candidate, analytics, now) {
                barred = Some(Dropped::Outdated);
            }
            if barred.is_none() && self.names_gone(candidate) {
                barred = Some(Dropped::Gone);
            }
            if barred.is_none() && self.is_past(candidate) {
                barred = Some(Dropped::Past);
            }
            if barred.is_none() && self.names_hub(candidate) {
                barred = Some(Dropped::Hub { pairs: HUB });
            }
            if barred.is_none() {
                barred = self.stated(candidate, &mut laid_down)?;
            }
            let passes = barred.is_none() && may_pass(candidate);
            if passes {
                barred = self.needless(candidate);
            }
            // Comparing asks the index and the embedder; what does not pass anyway is not compared.
            if passes && barred.is_none() {
                let mut neighbour = self.told(candidate)?;
                if neighbour.is_none() {
                    neighbour = self.left_open(candidate, analytics)?;
                }
                if neighbour.is_none() {
                    let near = self.near(candidate)?;
                    barred = rejected_near(&near);
                    neighbour = alike(&near);
                }
                if let Some(neighbour) = neighbour {
                    prior.neighbours.insert(candidate.key.clone(), neighbour);
                }
            }
            if let Some(barred) = barred {
                prior.barred.insert(candidate.key.clone(), barred);
            }
        }
        Ok(prior)
    }

    /// Takes out what a person erased: errors, and what agents found out.
    pub(super) fn drop_erased(&self, facts: &mut SessionFacts) -> Result<(), EngineError> {
        let mut kept = Vec::with_capacity(facts.errors.len());
        for error in std::mem::take(&mut facts.errors) {
            let before = without_module(&error.message);
            let mut is_erased = false;
            for told in before.iter().chain([&error.message]) {
                is_erased |= self.sessions.is_buried(&of_error(told))?;
            }
            if !is_erased {
                kept.push(error);
            }
        }
        facts.errors = kept;
        let mut findings: Vec<FindingFact> = Vec::with_capacity(facts.findings.len());
        for finding in std::mem::take(&mut facts.findings) {
            let by_words = Tombstone::of_words(&finding.told());
            let by_key = Tombstone::of_key(&finding.key());
            if !self.sessions.is_buried(&by_key)? && !self.sessions.is_buried(&by_words)? {
                findings.push(finding);
            }
        }
        facts.findings = findings;
        Ok(())
    }

    /// The memory in which a person rejected this very finding, be it with another error or without one.
    fn rejected_finding(
        &self,
        candidate: &Candidate,
        rejected: &mut Option<Vec<(MemoryId, String)>>,
    ) -> Result<Option<Dropped>, EngineError> {
        let known = match rejected {
            Some(known) => known,
            None => rejected.insert(self.rejected_gotchas()?),
        };
        let own = stated(candidate.content.as_str());
        let same = known.iter().find(|(_, words)| words == own);
        Ok(same.map(|(memory, _)| Dropped::Rejected { memory: *memory }))
    }

    fn rejected_gotchas(&self) -> Result<Vec<(MemoryId, String)>, EngineError> {
        let gotchas = Filter {
            state: State::Any,
            types: vec![BuiltInType::Gotcha.into()],
            ..Filter::default()
        };
        let known = self.engine.project.list(&gotchas)?.memories.into_iter();
        let rejected = known.filter(Memory::is_rejected);
        Ok(rejected
            .map(|memory| (memory.id, stated(memory.content.as_str()).to_owned()))
            .collect())
    }

    /// Whether a memory that people or files of the project made, or a rules file, says what a person said to an agent.
    fn stated(
        &self,
        candidate: &Candidate,
        laid_down: &mut Option<LaidDown>,
    ) -> Result<Option<Dropped>, EngineError> {
        if candidate.origin != Origin::Person || !candidate.is_fit() {
            return Ok(None);
        }
        let summary = candidate.summary.as_str();
        let rule = summary.split_once(": ").map_or(summary, |(_, rule)| rule);
        let LaidDown { memories, rules } = match laid_down {
            Some(known) => known,
            None => laid_down.insert(self.laid_down()?),
        };
        let known = memories
            .iter()
            .find(|memory| states(memory.content.as_str(), rule));
        if let Some(memory) = known {
            return Ok(Some(Dropped::NamedBefore { memory: memory.id }));
        }
        let mut said = rules.iter().map(String::as_str);
        let is_said = said.clone().any(|text| states(text, rule)) || is_said_in(rule, &mut said);
        Ok(is_said.then_some(Dropped::Stated))
    }

    fn laid_down(&self) -> Result<LaidDown, EngineError> {
        let mut memories = self.engine.project.list(&Filter::default())?.memories;
        memories.retain(|memory| {
            memory.is_live() && memory.source != Source::ObserverInferred && !memory.needs_review
        });
        let texts = self.rules.map(|read| read()).unwrap_or_default();
        let rules = sentences_of(&texts);
        Ok(LaidDown { memories, rules })
    }

    /// Whether what was observed is about files that are not there any more; a pair needs both of its own. What people said, and
    /// where approaches ended that were given up, outlives them.
    fn names_gone(&self, candidate: &Candidate) -> bool {
        let observed = matches!(
            candidate.origin,
            Origin::Signal(_) | Origin::Many | Origin::Synthesis
        );
        let Some(is_gone) = self
            .is_gone
            .filter(|_| observed && !candidate.files.is_empty())
        else {
            return false;
        };
        if candidate.built_in() == Some(BuiltInType::CausalDependency) {
            candidate.files.iter().any(is_gone)
        } else {
            candidate.files.iter().all(is_gone)
        }
    }

    /// Whether the files of today say otherwise: the one that was missing is there, or
    /// one that brings what a client has not.
    fn is_past(&self, candidate: &Candidate) -> bool {
        let Some(size) = self.size else { return false };
        let mut brings = defined_in(&candidate.key).into_iter();
        if brings.any(|file| ProjectPath::new(&file).is_ok_and(|file| size(&file).is_some())) {
            return true;
        }
        let asked = candidate.key.strip_prefix(MISSING);
        let asked = asked.and_then(|asked| ProjectPath::new(asked).ok());
        asked.is_some_and(|asked| size(&asked).is_some())
    }

    /// Whether a pair names a file that is in enough told pairs by now: what changes with everything says little of anything.
    fn names_hub(&self, candidate: &Candidate) -> bool {
        let is_pair = |key: &str| key.starts_with(PAIR);
        let is_two = is_pair(&candidate.key) && candidate.files.len() == 2;
        if !is_two || self.across.learned.contains_key(&candidate.key) {
            return false;
        }
        candidate.files.iter().any(|file| {
            let (first, second) = (format!("{PAIR}{file}+"), format!("+{file}"));
            let told =
                self.across.learned.keys().filter(|key| {
                    is_pair(key) && (key.starts_with(&first) || key.ends_with(&second))
                });
            told.take(HUB).count() == HUB
        })
    }

    /// The memory that this very statement became.
    fn told(&self, candidate: &Candidate) -> Result<Option<Neighbour>, EngineError> {
        let told = self.across.learned.get(&candidate.told_as());
        let told = told.map(|id| self.engine.project.get(*id)).transpose()?;
        // What only grew old may be told anew, and so may work that was finished and a way of working that failed.
        let told = told.flatten().filter(|memory| {
            memory.is_rejected()
                || memory.is_live()
                || memory.deleted_since.is_none() && !comes_back(memory)
        });
        Ok(told.map(|memory| {
            let mut neighbour = told_before(&memory, candidate);
            // A part of what is told already adds nothing to it, but that it may be without the marks of the rest.
            let is_as_clean = memory.taint.is_clean() || !candidate.taint.is_clean();
            let adds_nobody = is_as_clean
                && !candidate.witnesses.is_empty()
                && memory.provenance.is_superset(&candidate.witnesses);
            if adds_nobody {
                neighbour.says = Says::Settled;
            }
            neighbour
        }))
    }

    /// The state of the very work that this session left unfinished again.
    fn left_open(
        &self,
        candidate: &Candidate,
        analytics: &SessionAnalytics,
    ) -> Result<Option<Neighbour>, EngineError> {
        if candidate.built_in() != Some(BuiltInType::WorkState) {
            return Ok(None);
        }
        let states = observed_states(self.engine.project)?.into_iter();
        let same = states.filter(|state| goes_on_with(analytics, None, state));
        let latest = same.max_by_key(|state| (state.created_at, state.id));
        Ok(latest.map(|state| told_before(&state, candidate)))
    }

    /// Memories of the same type that share its words and speak of the same, forgotten ones included, nearest first.
    fn near(&self, candidate: &Candidate) -> Result<Vec<(Memory, f32)>, EngineError> {
        let filter = Filter {
            state: State::Any,
            types: vec![candidate.payload.memory_type()],
            ..Filter::default()
        };
        let mut near = self.engine.nearest(
            self.engine.project,
            candidate.content.as_str(),
            filter,
            NEIGHBOURS,
        )?;
        near.retain(|(memory, _)| !candidate.is_elsewhere(&Subject::of(memory)));
        Ok(near)
    }

    fn barred(
        &self,
        candidate: &Candidate,
        earlier: Option<&SessionReport>,
    ) -> Result<Option<Dropped>, EngineError> {
        let told_as = candidate.told_as();
        let before = Before::of(candidate);
        let words = before.words.iter().map(String::as_str);
        let words = words.chain([candidate.content.as_str()]);
        let keys = before.keys.iter().chain([&told_as]);
        let erased = (words.map(Tombstone::of_words)).chain(keys.map(|key| Tombstone::of_key(key)));
        for tombstone in erased {
            if self.sessions.is_buried(&tombstone)? {
                return Ok(Some(Dropped::Erased));
            }
        }
        for id in (before.keys.iter()).filter_map(|key| self.across.learned.get(key)) {
            let memory = self.engine.project.get(*id)?;
            if memory.is_some_and(|memory| memory.is_rejected()) {
                return Ok(Some(Dropped::Rejected { memory: *id }));
            }
        }
        let own = earlier.and_then(|report| report.learned(&told_as));
        let any = own.or_else(|| self.across.learned.get(&told_as).copied());
        let Some(id) = any else {
            return Ok(None);
        };
        // How far work got changes as it goes on; everything else is learned from a session once.
        let is_once = candidate.origin != Origin::Outcome;
        let Some(memory) = self.engine.project.get(id)? else {
            // It was removed for good: other sessions may tell it anew, but none that told it before.
            let is_told = earlier.is_some_and(|report| report.tells(&told_as));
            return Ok((is_once && is_told).then_some(Dropped::LearnedBefore { memory: id }));
        };
        if memory.is_rejected() {
            return Ok(Some(Dropped::Rejected { memory: memory.id }));
        }
        let stands = memory.is_live() || earlier.is_some_and(|report| report.is_back(&told_as));
        let is_own = own.is_some() && stands && is_once;
        Ok(is_own.then_some(Dropped::LearnedBefore { memory: memory.id }))
    }
}

/// How else a candidate was told, which is how a person may have put it away: in earlier builds the module that was missing had no
/// name, and what an agent found out is told without its error, or with another one.
#[derive(Default)]
struct Before {
    words: Vec<String>,
    keys: Vec<String>,
}

impl Before {
    fn of(candidate: &Candidate) -> Self {
        let mut before = Self::default();
        if candidate.is_found_again() {
            let words = stated(candidate.content.as_str());
            before.words.push(words.to_owned());
            before.keys.extend(candidate.covers.iter().cloned());
            return before;
        }
        let told_as = candidate.told_as();
        if !told_as.starts_with(KNOWN_ERROR) {
            return before;
        }
        for message in &candidate.fingerprints {
            let message = message.as_str();
            if let Some(told) = without_module(message) {
                before.keys.push(format!("error:{}", Digest::of(&told)));
                before.keys.push(format!("{KNOWN_ERROR}{told}"));
                let words = candidate.content.as_str().replace(message, &told);
                before.words.push(words);
            }
        }
        before
    }
}

/// Whether what is over for now may be so again.
fn comes_back(memory: &Memory) -> bool {
    let kind = memory.memory_type();
    [BuiltInType::WorkState, BuiltInType::WorkflowRecipe]
        .map(Into::into)
        .contains(&kind)
}

/// Whether a candidate waits for the end of the session: with few subtasks all of it does, but for what was found wrong with one of them.
fn is_open(analytics: &SessionAnalytics, candidate: &Candidate) -> bool {
    let is_validated = is_split(analytics) && validated_subtask(analytics, candidate).is_some();
    candidate.subtask.is_none() && !is_validated
}

/// How far work got is worth nothing once it would have been forgotten.
fn is_outdated(candidate: &Candidate, analytics: &SessionAnalytics, now: Timestamp) -> bool {
    let kind = candidate.payload.memory_type();
    let (Some(days), Some(at)) = (kind.half_life_days(), analytics.last_at) else {
        return false;
    };
    let days = i64::from(HALF_LIVES * days);
    kind == BuiltInType::WorkState.into()
        && now.duration_since(at) > SignedDuration::from_hours(24 * days)
}

/// What says something most alike.
fn alike(near: &[(Memory, f32)]) -> Option<Neighbour> {
    let (memory, cosine) = near.iter().find(|(memory, _)| memory.is_live())?;
    Some(Neighbour {
        memory: memory.id,
        cosine: f64::from(*cosine),
        confidence: memory.confidence,
        says: Says::Alike,
    })
}

/// What says almost the same and that people want no more of.
fn rejected_near(near: &[(Memory, f32)]) -> Option<Dropped> {
    let rejected = near
        .iter()
        .find(|(memory, cosine)| f64::from(*cosine) > KNOWN && memory.is_rejected());
    rejected.map(|(memory, _)| Dropped::Rejected { memory: memory.id })
}

/// The memory that this very statement became. What a person judged, changed or removed since is theirs, and so is the answer to an agent's
/// doubt; and outside text neither supports nor rewords what was learned without it.
fn told_before(memory: &Memory, candidate: &Candidate) -> Neighbour {
    let washes = !candidate.taint.is_clean() && memory.taint.is_clean();
    let judged = memory.verified.is_some() || memory.flagged.is_some();
    let open = memory.is_live() && !judged && !washes;
    Neighbour {
        memory: memory.id,
        cosine: 1.0,
        confidence: memory.confidence,
        says: if open { Says::TheSame } else { Says::Settled },
    }
}

/// The sentences of a Markdown text, without the marks of lists; a sentence may go over several lines.
fn sentences_of(text: &str) -> Vec<String> {
    let mut blocks = vec![String::new()];
    for line in text.lines().map(str::trim) {
        let is_item = line.starts_with(['-', '*', '|', '#', '>'])
            || line.starts_with(|c: char| c.is_ascii_digit());
        if line.is_empty() || is_item {
            blocks.push(String::new());
        }
        if let Some(block) = blocks.last_mut() {
            block.push(' ');
            block.push_str(line);
        }
    }
    let plain = blocks.iter().map(|block| block.replace("**", ""));
    let sentences = plain.flat_map(|block| {
        let sentences = block.split(". ").map(|sentence| sentence.trim().to_owned());
        sentences.collect::<Vec<_>>()
    });
    sentences.filter(|sentence| !sentence.is_empty()).collect()
}
