//! The end of a session: fold what happened, detect, judge, promote, learn, and say what became of each candidate.
//!
//! Nothing here asks a model. The same journal gives the same answer, and finalizing a session twice changes nothing.

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;
use oldhand_domain::confidence::Confidence;
use oldhand_domain::event::Event;
use oldhand_domain::filter::{Filter, Only, State};
use oldhand_domain::id::{MemoryId, SessionId};
use oldhand_domain::memory::{Author, Draft};
use oldhand_domain::session::{SessionRecord, SessionStore};
use oldhand_domain::text::{Content, Summary};
use oldhand_domain::vocabulary::{Scope, Source};
use oldhand_observe::distill::Candidate;
use oldhand_observe::fold::{FoldOptions, SessionAnalytics, fold};
use oldhand_observe::harvest::harvest;
use oldhand_observe::learn::Knowledge;
use oldhand_observe::outcome::judgement::Judgement;
use oldhand_observe::promote::{
    Circumstances, Feedback, Neighbour, Promotion, Report, Says, Verdict, merge, promote,
};
use oldhand_recall::effect::Effect;
use oldhand_redact::redact;

use crate::remember::cosine;
use crate::{Engine, EngineError, Receipt, Shelf, Written};

mod record;
mod told;

pub use record::{ReportLine, SessionBody, SessionReport};
pub use told::{Told, ToldMemory};

/// What finalizing a session did.
#[derive(Clone, Debug, PartialEq)]
pub enum Finalized {
    /// This very journal was finalized before.
    Already(SessionRecord),
    Done(SessionRecord),
}

impl Finalized {
    pub fn record(&self) -> &SessionRecord {
        match self {
            Self::Already(record) | Self::Done(record) => record,
        }
    }
}

/// Finalizes sessions one after the other, the oldest first. It keeps what earlier ones taught in memory, so that a thousand
/// sessions are not read a thousand times.
pub struct Finalizer<'a> {
    engine: Engine<'a>,
    sessions: &'a dyn SessionStore,
    knowledge: Knowledge,
    /// The memory that each promoted key became, so that the same statement is never made twice.
    told: BTreeMap<String, MemoryId>,
}

/// How many known memories each candidate is compared with.
const NEIGHBOURS: usize = 10;

impl<'a> Engine<'a> {
    pub fn finalizer(&self, sessions: &'a dyn SessionStore) -> Result<Finalizer<'a>, EngineError> {
        let knowledge = knowledge_without(sessions, None)?;
        let mut told = BTreeMap::new();
        for report in sessions.sessions()?.iter().filter_map(SessionReport::read) {
            note_told(&mut told, &report);
        }
        Ok(Finalizer {
            engine: *self,
            sessions,
            knowledge,
            told,
        })
    }
}

/// Which memory each key of a report became. A summary of an older report has no key.
fn note_told(told: &mut BTreeMap<String, MemoryId>, report: &SessionReport) {
    for line in report.lines.iter().filter(|line| !line.key.is_empty()) {
        let memory = line.memory.as_ref().and_then(|id| id.parse().ok());
        told.extend(memory.map(|memory| (line.key.clone(), memory)));
    }
}

/// Everything earlier sessions taught, `but` one.
pub(crate) fn knowledge_without(
    sessions: &dyn SessionStore,
    but: Option<&SessionId>,
) -> Result<Knowledge, EngineError> {
    let mut knowledge = Knowledge::default();
    for record in sessions.sessions()? {
        if Some(&record.id) != but
            && let Some(body) = SessionBody::read(&record)
        {
            knowledge.learn(&body.facts);
        }
    }
    Ok(knowledge)
}

impl Finalizer<'_> {
    pub fn knowledge(&self) -> &Knowledge {
        &self.knowledge
    }

    /// `digest` names the journal the events come from; `now` is when this happens, not when the session was.
    pub fn finalize(
        &mut self,
        session: &SessionId,
        events: &[Event],
        digest: &str,
        now: Timestamp,
    ) -> Result<Finalized, EngineError> {
        let mut told_before = Vec::new();
        if let Some(known) = self.sessions.session(session)? {
            if known.digest == digest {
                return Ok(Finalized::Already(known));
            }
            if let Some(body) = SessionBody::read(&known) {
                told_before = body.told;
            }
            // The session went on since: what it taught before is taught anew, not twice.
            self.knowledge = knowledge_without(self.sessions, Some(session))?;
        }
        let analytics = fold(events, &FoldOptions::default());
        let harvest = harvest(session.clone(), &analytics, &self.knowledge);
        let mut candidates = self.with_subagents(session, events, harvest.candidates)?;
        for (module, _) in &self.knowledge.learn(&harvest.facts).thresholds {
            candidates.extend(self.knowledge.synthesize(module));
        }
        candidates.extend(self.knowledge.recipes(analytics.last_at.unwrap_or(now)));
        let neighbours = self.neighbours(&candidates)?;
        let circumstances = Circumstances {
            session_type: analytics
                .start
                .as_ref()
                .map(|start| start.session_type)
                .unwrap_or_default(),
            judgement: &harvest.judgement,
            complexity: harvest.complexity,
            dead_ends: &harvest.dead_ends,
            frequency: &harvest.frequency,
            neighbours: &neighbours,
            promoted_before: &BTreeSet::new(),
            feedback: self.feedback()?,
        };
        let report = promote(candidates, &circumstances);
        let promoted = self.write(session, &analytics, &report, now)?;
        let told = self.weigh_told(events, &told_before, analytics.last_at.unwrap_or(now))?;
        let record = record::make(
            session,
            digest,
            &analytics,
            &harvest.judgement,
            harvest.facts,
            &report,
            &promoted,
            told,
            now,
        );
        self.sessions.save_session(&record)?;
        if let Some(report) = SessionReport::read(&record) {
            note_told(&mut self.told, &report);
        }
        Ok(Finalized::Done(record))
    }

    /// What the whole session shows, and what each subagent saw on its own: two that agree count as more than one session's
    /// word.
    fn with_subagents(
        &self,
        session: &SessionId,
        events: &[Event],
        whole: Vec<Candidate>,
    ) -> Result<Vec<Candidate>, EngineError> {
        let agents: BTreeSet<&str> = events
            .iter()
            .filter_map(|event| event.agent.as_deref())
            .collect();
        if agents.is_empty() {
            return Ok(whole);
        }
        let mut seen = vec![whole];
        for agent in agents {
            let own = events
                .iter()
                .filter(|event| event.agent.as_deref() == Some(agent));
            let analytics = fold(own, &FoldOptions::default());
            seen.push(harvest(session.clone(), &analytics, &self.knowledge).candidates);
        }
        let texts: BTreeSet<String> = seen
            .iter()
            .flatten()
            .map(|candidate| candidate.content.as_str().to_owned())
            .collect();
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        let vectors = self.engine.embedder.embed(&texts)?;
        let vectors: BTreeMap<&str, &Vec<f32>> = texts.iter().copied().zip(&vectors).collect();
        let alike = |a: &Candidate, b: &Candidate| match (
            vectors.get(a.content.as_str()),
            vectors.get(b.content.as_str()),
        ) {
            (Some(a), Some(b)) => f64::from(cosine(a, b)),
            _ => 0.0,
        };
        Ok(merge(seen, alike))
    }

    /// The known memory nearest to each candidate, where one shares its words.
    fn neighbours(
        &self,
        candidates: &[Candidate],
    ) -> Result<BTreeMap<String, Neighbour>, EngineError> {
        let mut nearest = BTreeMap::new();
        for candidate in candidates {
            let told_as = candidate.told_as();
            if let Some(memory) = self.told.get(&told_as) {
                let mut neighbour = self.told_before(*memory)?;
                // A part of what is told already adds nothing to it.
                if told_as != candidate.key {
                    neighbour.says = Says::Settled;
                }
                nearest.insert(candidate.key.clone(), neighbour);
                continue;
            }
            let filter = Filter {
                types: vec![candidate.payload.memory_type()],
                ..Filter::default()
            };
            let near = self.engine.nearest(
                self.engine.project,
                candidate.content.as_str(),
                filter,
                NEIGHBOURS,
            )?;
            if let Some((memory, cosine)) = near.into_iter().next() {
                let neighbour = Neighbour {
                    memory: memory.id,
                    cosine: f64::from(cosine),
                    confidence: memory.confidence,
                    says: Says::Alike,
                };
                nearest.insert(candidate.key.clone(), neighbour);
            }
        }
        Ok(nearest)
    }

    /// The memory that this very statement became. What a person judged, changed or removed since is theirs.
    fn told_before(&self, memory: MemoryId) -> Result<Neighbour, EngineError> {
        let known = self.engine.project.get(memory)?;
        let open = known
            .as_ref()
            .filter(|known| known.is_live() && known.verified.is_none() && known.flagged.is_none());
        Ok(Neighbour {
            memory,
            cosine: 1.0,
            confidence: known
                .as_ref()
                .map_or(Confidence::FULL, |known| known.confidence),
            says: if open.is_some() {
                Says::TheSame
            } else {
                Says::Settled
            },
        })
    }

    /// What the session was told, judged. What it used counts as a use, once however often it is finalized: hooks only read.
    fn weigh_told(
        &self,
        events: &[Event],
        before: &[Told],
        at: Timestamp,
    ) -> Result<Vec<Told>, EngineError> {
        let engine = &self.engine;
        let told = engine.judge_told(events);
        let counted = told::ids(before, Effect::Used);
        let doubted = told::ids(&told, Effect::Contradicted);
        for (shelf, store) in engine.shelves() {
            let known = |ids: BTreeSet<MemoryId>| -> Vec<MemoryId> {
                let is_here = |id: &MemoryId| store.get(*id).is_ok_and(|memory| memory.is_some());
                ids.into_iter().filter(is_here).collect()
            };
            let used = told::ids(&told, Effect::Used);
            let used = known(used.difference(&counted).copied().collect());
            if !used.is_empty() {
                store.touch(&used, at)?;
                engine.reward(shelf, &used, at)?;
            }
            let doubted = known(doubted.clone());
            if !doubted.is_empty() {
                engine.doubt(shelf, &doubted, at)?;
            }
        }
        Ok(told)
    }

    /// What people made of earlier observations: confirmed ones against flagged ones.
    fn feedback(&self) -> Result<Feedback, EngineError> {
        let count = |only: Only| -> Result<u32, EngineError> {
            let filter = Filter {
                state: State::Any,
                sources: vec![Source::ObserverInferred],
                only: vec![only],
                ..Filter::default()
            };
            Ok(self.engine.project.list(&filter)?.memories.len() as u32)
        };
        let rejected = count(Only::Flagged)?;
        Ok(Feedback {
            judged: count(Only::Verified)? + rejected,
            rejected,
        })
    }

    /// Saves what was promoted; one outcome per promoted candidate, in order.
    fn write(
        &self,
        session: &SessionId,
        analytics: &SessionAnalytics,
        report: &Report,
        now: Timestamp,
    ) -> Result<Vec<Promoted>, EngineError> {
        let mut outcomes = Vec::new();
        let mut drafts = Vec::new();
        for (candidate, promotion) in report.promoted() {
            if let Some(memory) = promotion.updates {
                let words = self.told.contains_key(&candidate.key).then_some(candidate);
                outcomes.push(self.make_surer(memory, session, *promotion, words, now)?);
            } else {
                outcomes.push(Promoted::Pending);
                drafts.push(draft(session, analytics, candidate, promotion));
            }
        }
        let receipts = self
            .engine
            .remember_all(Shelf::Project, drafts, now, &mut |_| {})?;
        let mut receipts = receipts.iter();
        for outcome in &mut outcomes {
            if *outcome == Promoted::Pending {
                *outcome = receipts.next().map_or(Promoted::Pending, Promoted::of);
            }
        }
        Ok(outcomes)
    }

    fn make_surer(
        &self,
        memory: MemoryId,
        session: &SessionId,
        promotion: Promotion,
        words: Option<&Candidate>,
        now: Timestamp,
    ) -> Result<Promoted, EngineError> {
        let words = words.map(|candidate| {
            let content = redact(candidate.content.as_str()).text.into_owned();
            let summary = redact(candidate.summary.as_str()).text.into_owned();
            (Content::new(&content), Summary::new(&summary), candidate)
        });
        self.engine.project.change(&mut |reader| {
            let Some(mut known) = reader.get(memory)? else {
                return Ok(Vec::new());
            };
            if known.provenance.insert(session.clone()) {
                // The same statement with fresher numbers takes the place of the old words.
                if let Some((Ok(content), Ok(summary), candidate)) = &words {
                    known.content = content.clone();
                    known.summary = summary.clone();
                    known.payload = candidate.payload.clone();
                    known.taint = known.taint.join(&candidate.taint);
                    known.needs_review |= promotion.needs_review;
                }
                known.confidence = if promotion.confidence > known.confidence {
                    promotion.confidence
                } else {
                    known.confidence
                };
                known.updated_at = now;
                return Ok(vec![known]);
            }
            Ok(Vec::new())
        })?;
        Ok(Promoted::MadeSurer(memory))
    }
}

/// What became of a promoted candidate.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Promoted {
    Pending,
    MadeSurer(MemoryId),
    Inserted(MemoryId),
    Merged(MemoryId),
    Superseded(MemoryId),
    Refused(String),
}

impl Promoted {
    fn of(receipt: &Receipt) -> Self {
        match &receipt.outcome {
            Written::Inserted(memory) => Self::Inserted(memory.id),
            Written::Merged { into, .. } => Self::Merged(into.id),
            Written::Superseded { new, .. } => Self::Superseded(new.id),
            Written::Refused(why) => Self::Refused(why.to_string()),
        }
    }
}

fn draft(
    session: &SessionId,
    analytics: &SessionAnalytics,
    candidate: &Candidate,
    promotion: &Promotion,
) -> Draft {
    let start = analytics.start.as_ref();
    Draft {
        summary: Some(candidate.summary.as_str().to_owned()),
        confidence: promotion.confidence,
        files: candidate.files.clone(),
        modules: candidate.modules.clone(),
        fingerprints: candidate.fingerprints.clone(),
        created_at: analytics.last_at,
        session: Some(session.clone()),
        branch: start.and_then(|start| start.branch.clone()),
        work_unit: start.and_then(|start| start.work_unit.clone()),
        methodology: start
            .and_then(|start| start.work_unit.as_ref())
            .map(|unit| unit.methodology().to_owned()),
        scope: if candidate.files.is_empty() {
            Scope::Global
        } else {
            Scope::Module
        },
        source: candidate.source,
        created_by: Author::new("runner:observer").expect("a plain word is an author"),
        needs_review: promotion.needs_review,
        taint: candidate.taint.clone(),
        ..Draft::taught(candidate.payload.clone(), candidate.content.as_str())
    }
}

/// The parts of a judgement and a report that a person reads.
fn evidence(judgement: &Judgement) -> Vec<String> {
    judgement
        .evidence
        .iter()
        .map(oldhand_observe::outcome::judgement::Evidence::describe)
        .collect()
}

fn why(verdict: &Verdict) -> String {
    match verdict {
        Verdict::Promoted(_) => verdict.to_string(),
        Verdict::Dropped(dropped) => dropped.to_string(),
    }
}
