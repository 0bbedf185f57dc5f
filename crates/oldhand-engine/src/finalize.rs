//! The end of a session: fold what happened, detect, judge, promote, learn, and say what became of each candidate.
//!
//! Nothing here asks a model. The same journal gives the same answer, and finalizing a session twice changes nothing. A big
//! job is looked at before it is over: with more than five subtasks, each is promoted as it validates.

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;
use oldhand_domain::confidence::Confidence;
use oldhand_domain::id::{MemoryId, SessionId};
use oldhand_domain::path::ProjectPath;
use oldhand_domain::port::Tree;
use oldhand_domain::session::{SessionRecord, SessionStore};
use oldhand_observe::detect::SCRATCHPAD_LIMIT;
use oldhand_observe::distill::{Candidate, Company, is_found_in_part};
use oldhand_observe::fold::SessionAnalytics;
use oldhand_observe::harvest::{Harvest, harvest_alone, harvest_judged};
use oldhand_observe::learn::Knowledge;
use oldhand_observe::outcome::commands::{Stated, checks_stated};
use oldhand_observe::outcome::judgement::{Evidence, Judgement, WorkVerdict, judge};
use oldhand_observe::promote::{
    Circumstances, Feedback, Gate, is_split, may_pass, merge_into, promote,
};

use crate::bury::of_threshold;
use crate::remember::cosine;
use crate::{Engine, EngineError};

mod across;
mod anew;
mod asks;
mod beginnings;
mod claims;
mod company;
mod costs;
mod missing;
pub(crate) mod needless;
mod prior;
mod record;
mod retyped;
mod scratchpad;
mod scripts;
mod state;
mod told;
mod withdraw;
mod write;

pub(crate) use across::Across;
pub use asks::{FindCommit, FindSize, FindTakenIn, IsGone, ReadRules, Watch};
pub use costs::{ScratchpadUse, Took};
pub(crate) use record::ERASED;
pub use record::{OwnTranscript, ReportLine, SessionBody, SessionReport, TakenOut, is_current};
pub use scratchpad::{Scratchpad, name_call};
pub use told::{Told, ToldMemory};

use record::Product;

/// What finalizing a session did.
#[derive(Clone, Debug, PartialEq)]
pub enum Finalized {
    /// This very journal was finalized before.
    Already(SessionRecord),
    Done(SessionRecord),
    /// It goes on, and has too few subtasks to be looked at before its end.
    Waiting,
}

impl Finalized {
    pub fn record(&self) -> Option<&SessionRecord> {
        match self {
            Self::Already(record) | Self::Done(record) => Some(record),
            Self::Waiting => None,
        }
    }
}

/// How much of a session is looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extent {
    /// It is over.
    Whole,
    /// It goes on; what its validated subtasks taught is promoted, and what was found wrong with any of them.
    Subtasks,
}

/// Finalizes sessions one after the other, the oldest first. It keeps what earlier ones taught in memory, so that a thousand
/// sessions are not read a thousand times.
pub struct Finalizer<'a> {
    engine: Engine<'a>,
    sessions: &'a dyn SessionStore,
    across: Across,
    /// Sessions that were finalized before and are to be again: what they taught then is not yet among the rest.
    anew: BTreeSet<SessionId>,
    feedback: Feedback,
    commits: Option<FindCommit<'a>>,
    company: Option<&'a dyn Company>,
    taken_in: Option<FindTakenIn<'a>>,
    is_gone: Option<IsGone<'a>>,
    size: Option<FindSize<'a>>,
    tree: Option<&'a dyn Tree>,
    rules: Option<ReadRules<'a>>,
    watch: Option<Watch<'a>>,
}

impl<'a> Engine<'a> {
    /// `pending` are the sessions to be finalized, so that those of them that were before are left out of what is known.
    pub fn finalizer(
        &self,
        sessions: &'a dyn SessionStore,
        pending: &[SessionId],
    ) -> Result<Finalizer<'a>, EngineError> {
        let anew: BTreeSet<SessionId> = pending.iter().cloned().collect();
        Ok(Finalizer {
            engine: *self,
            sessions,
            across: Across::read(sessions, &anew)?,
            anew,
            feedback: across::feedback(self.project)?,
            commits: None,
            company: None,
            taken_in: None,
            is_gone: None,
            size: None,
            tree: None,
            rules: None,
            watch: None,
        })
    }
}

/// How many sessions that begin alike are read for what one of them copied.
const FAMILY: usize = 8;

/// What a session has to offer, and which modules were looked at as a whole for it.
struct Offer {
    harvest: Harvest,
    thresholds: Vec<(String, u32)>,
}

/// What became of a promoted candidate.
#[derive(Clone, Debug, PartialEq)]
enum Promoted {
    As(MemoryId),
    Refused(String),
}

impl Finalizer<'_> {
    pub fn knowledge(&self) -> &Knowledge {
        &self.across.knowledge
    }

    /// The sessions that a session's beginning may be a copy of: clients that resume or fork one write its past anew under
    /// another name. Whichever of them was finalized first counts; so it stays when any of them is finalized again.
    pub fn copied_from(
        &self,
        session: &SessionId,
        pad: &Scratchpad,
    ) -> Result<Vec<SessionId>, EngineError> {
        let Some(first) = &pad.first_call else {
            return Ok(Vec::new());
        };
        let known = self.sessions.session(session)?;
        let before = known.as_ref().and_then(SessionBody::read);
        let mut family = match before.filter(|body| body.first_call.as_ref() == Some(first)) {
            Some(body) => body.copied_from,
            None => self.across.families.get(first).cloned().unwrap_or_default(),
        };
        family.retain(|other| other != session && self.across.contains(other));
        // Each of them tells the past of those before it, so that the latest are enough.
        family.drain(..family.len().saturating_sub(FAMILY));
        Ok(family)
    }

    /// `digest` names the journal that the scratchpad was folded from; `now` is when this happens, not when the session was.
    pub fn finalize(
        &mut self,
        session: &SessionId,
        pad: &Scratchpad,
        digest: &str,
        extent: Extent,
        now: Timestamp,
    ) -> Result<Finalized, EngineError> {
        let is_early = is_split(&pad.whole) || is_found_in_part(&pad.whole);
        if extent == Extent::Subtasks && !is_early {
            return Ok(Finalized::Waiting);
        }
        let known = self.sessions.session(session)?;
        if let Some(known) = &known {
            let seen = extent == Extent::Subtasks && known.digest == digest;
            if seen || is_current(known, digest) {
                if self.anew.remove(session) {
                    self.across.take(known);
                }
                return Ok(Finalized::Already(known.clone()));
            }
            // The session went on since: what it taught before is taught anew, not twice.
            if self.across.knowledge.sessions.contains(session) {
                self.anew.insert(session.clone());
                self.across = Across::read(self.sessions, &self.anew)?;
            }
        }
        self.anew.remove(session);
        let (watch, began) = (self.watch, self.watch.map(|watch| watch()));
        let took = || {
            let learning = watch?().saturating_sub(began?);
            Some(Took::of(pad.folding?, learning))
        };
        let mut earlier = known.as_ref().and_then(SessionReport::read);
        let before = known.as_ref().and_then(SessionBody::read);
        let analytics = &pad.whole;
        let ended_at = analytics.last_at.unwrap_or(now);
        let Offer {
            mut harvest,
            thresholds,
        } = self.offer(session, pad, ended_at)?;
        let candidates = std::mem::take(&mut harvest.candidates);
        let judgement = match extent {
            Extent::Subtasks if is_split(analytics) => validated(analytics.step),
            Extent::Whole | Extent::Subtasks => harvest.judgement,
        };
        let kind = analytics.kind();
        let shut_out = retyped::shut_out(&candidates, Gate::of(kind.session_type, &judgement));
        let left_behind = retyped::left_behind(&kind, before.as_ref(), earlier.as_ref(), &shut_out);
        let mut given_back = Vec::new();
        // Of a part alone nobody knows whether all of it stands again.
        if extent == Extent::Whole
            && judgement.verdict == WorkVerdict::Passed
            && let Some(earlier) = &mut earlier
        {
            let learned = &self.across.learned;
            given_back = earlier.come_back(&shut_out, |key| learned.get(key).copied());
        }
        let (neighbours, barred) = (BTreeMap::new(), BTreeMap::new());
        let circumstances = Circumstances {
            session_type: kind.session_type,
            sight: analytics.sight(),
            judgement: &judgement,
            complexity: harvest.complexity,
            frequency: &harvest.frequency,
            neighbours: &neighbours,
            barred: &barred,
            taught_before: earlier.as_ref().map_or(0, SessionReport::taught),
            feedback: self.feedback,
        };
        let prior = self.prior(
            &candidates,
            analytics,
            earlier.as_ref(),
            extent,
            now,
            |candidate| may_pass(candidate, &circumstances),
        )?;
        let circumstances = Circumstances {
            neighbours: &prior.neighbours,
            barred: &prior.barred,
            ..circumstances
        };
        let report = promote(candidates, &circumstances);
        let product = Product {
            session,
            digest,
            pad,
            judgement: &judgement,
            complexity: harvest.complexity,
            facts: &harvest.facts,
            extent,
            report: &report,
            earlier: earlier.as_ref(),
            told: self.engine.judge_told(&pad.around_told),
            before: before.as_ref(),
            thresholds,
            scratchpad: ScratchpadUse {
                peak_bytes: harvest.peak,
                limit_bytes: SCRATCHPAD_LIMIT,
                evicted: harvest.evicted,
            },
            took: &took,
            given_back,
            left_behind: &left_behind,
            upheld: &prior.upheld,
        };
        let record = self.write(&product, now)?;
        self.count_personal(&product, ended_at);
        self.across.latest = self.across.latest.max(Some(harvest.facts.at.min(now)));
        if let Some(report) = SessionReport::read(&record) {
            self.across.note_learned(&report.lines);
        }
        self.across.note_contradicted(&product.told);
        self.across.note_end(&harvest.facts);
        if let Some(first) = &pad.first_call {
            self.across.note_family(first, session);
        }
        for threshold in product.thresholds {
            self.across.told.insert(threshold, session.clone());
        }
        Ok(Finalized::Done(record))
    }

    /// What finalizing a session would weigh now, without any of it being put down: the finalizer has then learned what it
    /// must not keep, and goes.
    pub fn replay(
        mut self,
        session: &SessionId,
        pad: &Scratchpad,
        now: Timestamp,
    ) -> Result<Harvest, EngineError> {
        let ended_at = pad.whole.last_at.unwrap_or(now);
        Ok(self.offer(session, pad, ended_at)?.harvest)
    }

    /// Everything a session has to offer: what it shows, what its agents agree on, and what many sessions show together now
    /// that it is one of them.
    fn offer(
        &mut self,
        session: &SessionId,
        pad: &Scratchpad,
        ended_at: Timestamp,
    ) -> Result<Offer, EngineError> {
        let analytics = &pad.whole;
        let judgement = self.judge(analytics);
        let known = &self.across.knowledge;
        let mut harvest = harvest_judged(session.clone(), analytics, known, judgement);
        self.drop_erased(&mut harvest.facts)?;
        let whole = std::mem::take(&mut harvest.candidates);
        let mut candidates = self.with_subagents(pad, whole)?;
        let at = harvest.facts.at;
        let worker = pad.worker(session);
        let edits = &mut self.across.edits;
        candidates.extend(edits.conflict(&worker, &harvest.facts, analytics));
        let session_type = worker.session_type;
        edits.note(worker, &harvest.facts);
        let reached = self.across.knowledge.learn(&harvest.facts).thresholds;
        let reached = self.across.take_looks(reached, session_type);
        if let Some(company) = self.company {
            let store = self.engine.project;
            candidates.extend(self.across.weekly(session, at, store, company)?);
        }
        let mut thresholds = Vec::new();
        for threshold in reached {
            if self.is_told(session, &threshold)? {
                continue;
            }
            let kinds = self.rules.map(|read| checks_stated(&read()));
            let kinds = kinds.unwrap_or_default();
            let scripts = |folder: &str| scripts::of(self.tree, folder);
            let stated = Stated {
                kinds,
                scripts: &scripts,
                is_there: &|folder| scripts::is_there(self.tree, folder),
            };
            for candidate in self.across.knowledge.synthesize(&threshold.0, &stated) {
                // Two modules may be looked at together, and some statements are of both.
                let is_same = |other: &Candidate| {
                    other.origin == candidate.origin && other.key == candidate.key
                };
                if !candidates.iter().any(is_same) {
                    candidates.push(candidate);
                }
            }
            thresholds.push(threshold);
        }
        candidates.extend(self.across.knowledge.recipes(&harvest.facts, ended_at));
        self.tell_places(&mut candidates, &harvest.facts);
        self.keep_beginnings(&mut candidates);
        self.across
            .keep_what_stands(&mut candidates, &harvest.facts);
        for candidate in &mut candidates {
            candidate.find_witness(session, analytics);
        }
        self.ask_company(&mut candidates, &mut harvest.frequency)?;
        self.check_claims(&mut candidates)?;
        self.find_documents(&mut candidates);
        harvest.candidates = candidates;
        Ok(Offer {
            harvest,
            thresholds,
        })
    }

    /// Whether a module was looked at as a whole before, at this number of sessions, by another session or one that is gone.
    fn is_told(&self, session: &SessionId, threshold: &(String, u32)) -> Result<bool, EngineError> {
        let by = self.across.told.get(threshold);
        Ok(by.is_some_and(|by| by != session)
            || self.sessions.is_buried(&of_threshold(threshold))?)
    }

    /// What the whole session shows, and what each agent saw on its own: two that agree count as more than one session's
    /// word.
    fn with_subagents(
        &self,
        pad: &Scratchpad,
        whole: Vec<Candidate>,
    ) -> Result<Vec<Candidate>, EngineError> {
        if pad.agents.is_empty() {
            return Ok(whole);
        }
        let mut seen = Vec::new();
        for agent in pad.agents.values() {
            let known = &self.across.knowledge;
            let mut own = harvest_alone(&agent.analytics, known);
            for candidate in &mut own {
                agent.place(candidate);
                // What one agent took in reaches the others in what it tells them.
                let last = candidate.evidence.iter().max();
                let of_all = pad
                    .analytics()
                    .taint_after(last.map_or(u32::MAX, |last| last + 1));
                candidate.taint = std::mem::take(&mut candidate.taint).join(&of_all);
            }
            seen.push(own);
        }
        let texts: BTreeSet<String> = seen
            .iter()
            .flatten()
            .chain(&whole)
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
        Ok(merge_into(whole, seen, alike))
    }

    /// What a session shows of its work and, where it shows nothing, whether git's history has it.
    fn judge(&self, analytics: &SessionAnalytics) -> Judgement {
        let judgement = judge(analytics);
        let (Some(find), Some(last)) = (self.taken_in, analytics.edits.last()) else {
            return judgement;
        };
        if judgement.verdict != WorkVerdict::Unknown {
            return judgement;
        }
        let edited = analytics.edited_files();
        let files: Vec<&ProjectPath> = edited
            .iter()
            .map(|&file| analytics.files.path(file))
            .collect();
        match find(&files, last.at) {
            Some((commit, at)) => {
                let minutes = at.duration_since(last.at).as_mins();
                judgement.taken_in(analytics, &commit, minutes)
            }
            None => judgement,
        }
    }
}

/// Subtasks that were validated are right, whatever becomes of the rest.
fn validated(step: u32) -> Judgement {
    Judgement {
        verdict: WorkVerdict::Passed,
        confidence: Confidence::clamped(0.9),
        evidence: vec![Evidence::Told {
            by: "subtask".to_owned(),
            passed: true,
            step,
        }],
    }
}
