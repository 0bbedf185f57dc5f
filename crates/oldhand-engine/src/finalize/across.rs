//! What earlier sessions taught: statistics, and which memory each candidate became.

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;
use oldhand_domain::event::SessionType;
use oldhand_domain::filter::{Filter, Only, State};
use oldhand_domain::id::{MemoryId, SessionId};
use oldhand_domain::memory::Memory;
use oldhand_domain::payload::BuiltInType;
use oldhand_domain::port::MemoryStore;
use oldhand_domain::session::{SessionRecord, SessionStore};
use oldhand_domain::vocabulary::Source;
use oldhand_observe::distill::{Candidate, Company};
use oldhand_observe::learn::{EditLog, Knowledge, SessionFacts, Worker};
use oldhand_observe::promote::Feedback;
use oldhand_recall::effect::Effect;

use super::record::{ReportLine, SessionBody, SessionReport};
use super::told::{self, Told};
use crate::EngineError;

/// Everything sessions taught, read once for all that are finalized together.
#[derive(Clone, Debug, Default)]
pub(crate) struct Across {
    pub(crate) knowledge: Knowledge,
    /// The memory that the candidate of a key became, in the latest session that says.
    pub(super) learned: BTreeMap<String, MemoryId>,
    /// When each session was, and whether its work was right, by the last word on it.
    ended: BTreeMap<SessionId, (Timestamp, Option<bool>)>,
    /// What agents that were told it said is wrong.
    pub(super) contradicted: BTreeSet<MemoryId>,
    /// The sessions for which a module was looked at as a whole, by module and number of sessions.
    pub(super) told: BTreeMap<(String, u32), SessionId>,
    /// Modules that a session reached a number of which may teach nothing: the next one looks at them.
    due: BTreeSet<(String, u32)>,
    /// The sessions that begin with the very same call, in the order they were finalized.
    pub(super) families: BTreeMap<String, Vec<SessionId>>,
    /// Who edited what and when.
    pub(super) edits: EditLog,
    /// When the latest session was.
    pub(super) latest: Option<Timestamp>,
}

impl Across {
    /// All sessions; of those that are to be finalized `anew` only which memories came of them.
    pub(crate) fn read(
        sessions: &dyn SessionStore,
        anew: &BTreeSet<SessionId>,
    ) -> Result<Self, EngineError> {
        let mut across = Self::default();
        for record in sessions.sessions()? {
            if let Some(body) = SessionBody::read(&record) {
                across.note_body(&body, &record.id);
            }
            if anew.contains(&record.id) {
                let report = SessionReport::read(&record);
                across.note_learned(report.iter().flat_map(|report| &report.lines));
            } else {
                across.take(&record);
            }
        }
        Ok(across)
    }

    pub(super) fn take(&mut self, record: &SessionRecord) {
        if let Some(body) = SessionBody::read(record) {
            // A clock that ran ahead must not end all weeks.
            let at = body.facts.at.min(record.finalized_at);
            self.latest = self.latest.max(Some(at));
            self.note_end(&body.facts);
            self.edits.note(worker(&record.id, &body), &body.facts);
            let reached = self.knowledge.learn(&body.facts).thresholds;
            for threshold in self.take_looks(reached, worker(&record.id, &body).session_type) {
                self.told
                    .entry(threshold)
                    .or_insert_with(|| record.id.clone());
            }
        }
        if let Some(report) = SessionReport::read(record) {
            self.note_learned(&report.lines);
        }
    }

    /// What a session that reached these numbers looks at as a whole.
    pub(super) fn take_looks(
        &mut self,
        reached: Vec<(String, u32)>,
        session_type: SessionType,
    ) -> Vec<(String, u32)> {
        if session_type == SessionType::Changelog {
            self.due.extend(reached);
            return Vec::new();
        }
        let due = std::mem::take(&mut self.due).into_iter();
        due.chain(reached).collect()
    }

    pub(super) fn note_end(&mut self, facts: &SessionFacts) {
        let end = (facts.at, facts.succeeded);
        self.ended.insert(facts.session.clone(), end);
    }

    pub(super) fn has_failed(&self, session: &SessionId) -> bool {
        let end = self.ended.get(session);
        end.is_some_and(|(_, succeeded)| *succeeded == Some(false))
    }

    /// When a session was whose work is not known to be right: what it left open is so still.
    pub(super) fn not_passed(&self, session: &SessionId) -> Option<Timestamp> {
        let (at, succeeded) = self.ended.get(session)?;
        (*succeeded != Some(true)).then_some(*at)
    }

    fn note_body(&mut self, body: &SessionBody, session: &SessionId) {
        for threshold in &body.thresholds {
            self.told.insert(threshold.clone(), session.clone());
        }
        self.note_contradicted(&body.told);
        if let Some(first) = &body.first_call {
            self.note_family(first, session);
        }
    }

    pub(super) fn note_contradicted(&mut self, told: &[Told]) {
        self.contradicted
            .extend(told::ids(told, Effect::Contradicted));
    }

    /// Takes the sessions whose work failed out of those that show something together; `own` are the facts of the one that
    /// brings it up. What only such sessions show is gone. Whoever met the error of a finding met it, whatever their work was worth.
    pub(super) fn keep_what_stands(&self, candidates: &mut Vec<Candidate>, own: &SessionFacts) {
        candidates.retain_mut(|candidate| {
            if candidate.claim.is_some() || candidate.is_found_again() {
                return true;
            }
            let was_shown = !candidate.witnesses.is_empty();
            candidate.witnesses.retain(|session| {
                if *session == own.session {
                    own.succeeded != Some(false)
                } else {
                    !self.has_failed(session)
                }
            });
            !was_shown || !candidate.witnesses.is_empty()
        });
    }

    pub(super) fn note_family(&mut self, first: &str, session: &SessionId) {
        let family = self.families.entry(first.to_owned()).or_default();
        if !family.contains(session) {
            family.push(session.clone());
        }
    }

    /// Whether a session that begins like others is still kept.
    pub(super) fn contains(&self, session: &SessionId) -> bool {
        let mut families = self.families.values();
        families.any(|family| family.contains(session))
    }

    pub(super) fn note_learned<'l>(&mut self, lines: impl IntoIterator<Item = &'l ReportLine>) {
        for line in lines {
            if let Some(memory) = line.memory() {
                self.learned.insert(line.key.clone(), memory);
            }
        }
    }

    /// Once in seven days: modules that hang together, as git says too, and that no memory says so of. A week is one by the
    /// sessions' own clock, and what `session` itself taught counts for nothing, so that replaying it finds the same.
    pub(super) fn weekly(
        &self,
        session: &SessionId,
        at: Timestamp,
        store: &dyn MemoryStore,
        company: &dyn Company,
    ) -> Result<Vec<Candidate>, EngineError> {
        const WEEK: i64 = 7 * 24 * 60 * 60;
        let week = |at: Timestamp| at.as_second().div_euclid(WEEK);
        if self.latest.is_none_or(|latest| week(latest) >= week(at)) {
            return Ok(Vec::new());
        }
        let known = store.list(&Filter {
            types: vec![BuiltInType::CausalDependency.into()],
            ..Filter::default()
        })?;
        let mut covered = BTreeSet::new();
        let others = known.memories.iter();
        for memory in others.filter(|memory| memory.session.as_ref() != Some(session)) {
            let modules: Vec<String> = memory.modules.iter().map(ToString::to_string).collect();
            for (at, one) in modules.iter().enumerate() {
                covered.extend(
                    modules[at + 1..]
                        .iter()
                        .map(|two| (one.clone(), two.clone())),
                );
            }
        }
        let couplings = self.knowledge.uncovered_couplings(&covered);
        // What is left over is still not told of in a week.
        let told = couplings
            .iter()
            .filter_map(|found| found.candidate(|a, b| company.together(a, b)));
        Ok(told.take(COUPLINGS).collect())
    }
}

/// A session as its record tells it.
fn worker(session: &SessionId, body: &SessionBody) -> Worker {
    Worker {
        session: session.clone(),
        session_type: body.session_type.parse().unwrap_or_default(),
        branch: body.branch.clone(),
        folder: body.folder.clone(),
        first_call: body.first_call.clone(),
        copied_from: body.copied_from.clone(),
    }
}

/// As many as a look at a module may teach.
const COUPLINGS: usize = 5;

/// What people made of earlier observations: how many of them they rejected.
pub(super) fn feedback(store: &dyn MemoryStore) -> Result<Feedback, EngineError> {
    let list = |state: State, only: Vec<Only>| -> Result<Vec<Memory>, EngineError> {
        let filter = Filter {
            state,
            sources: vec![Source::ObserverInferred],
            only,
            ..Filter::default()
        };
        Ok(store.list(&filter)?.memories)
    };
    let mut rejected: BTreeSet<MemoryId> = BTreeSet::new();
    rejected.extend(
        list(State::Any, vec![Only::Flagged])?
            .iter()
            .filter(|memory| memory.is_flagged_by_a_person())
            .map(|memory| memory.id),
    );
    let deleted = list(State::Deleted, Vec::new())?;
    rejected.extend(
        deleted
            .iter()
            .filter(|memory| memory.is_rejected())
            .map(|memory| memory.id),
    );
    let live = list(State::default(), Vec::new())?;
    let observed: BTreeSet<MemoryId> = live
        .iter()
        .map(|memory| memory.id)
        .chain(rejected.iter().copied())
        .collect();
    Ok(Feedback {
        observed: observed.len() as u32,
        rejected: rejected.len() as u32,
    })
}
