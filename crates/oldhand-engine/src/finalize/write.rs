//! What a session leaves behind, put down in one transaction: new memories, surer ones, withdrawn ones, and its record.

use std::collections::BTreeSet;

use jiff::Timestamp;
use oldhand_domain::error::StoreError;
use oldhand_domain::id::{MemoryId, SessionId};
use oldhand_domain::memory::{Author, CommitSha, Draft, Mark, Memory};
use oldhand_domain::payload::BuiltInType;
use oldhand_domain::port::MemoryReader;
use oldhand_domain::session::{Finished, SessionRecord};
use oldhand_domain::signal::SignalKind;
use oldhand_domain::text::{Content, Summary};
use oldhand_domain::vocabulary::{ReviewReason, Scope, Source};
use oldhand_observe::distill::{Candidate, Origin, recount};
use oldhand_observe::orders::order_in_output;
use oldhand_observe::promote::Promotion;
use oldhand_recall::effect::Effect;
use oldhand_redact::redact;

use super::record::{Product, Put};
use super::told::{self, doubt};
use super::withdraw::{
    age_missing_names, age_missing_programs, give_back, is_failed_use, put_away, refresh_recipes,
    withdraw,
};
use super::{Finalizer, Promoted};
use crate::EngineError;
use crate::redaction::{redact_details, redact_draft};
use crate::remember::{Pending, Voice, Written, hold_back};
use crate::review::rewarded;

/// Who writes down what sessions showed.
pub(super) const OBSERVER: &str = "runner:observer";

impl Finalizer<'_> {
    pub(super) fn write(
        &self,
        product: &Product<'_>,
        now: Timestamp,
    ) -> Result<SessionRecord, EngineError> {
        let mut failure = None;
        let mut saved = None;
        let put =
            self.sessions
                .finish_session(&mut |reader| match self.plan(product, reader, now) {
                    Ok(finished) => {
                        saved = Some(finished.record.clone());
                        Ok(finished)
                    }
                    Err(EngineError::Store(error)) => Err(error),
                    Err(other) => {
                        let told = other.to_string();
                        failure = Some(other);
                        Err(StoreError::Backend {
                            doing: "learn from a session",
                            source: told.into(),
                        })
                    }
                });
        if let Some(failure) = failure {
            return Err(failure);
        }
        put?;
        Ok(saved.expect("a plan that is saved was made"))
    }

    fn plan(
        &self,
        product: &Product<'_>,
        reader: &dyn MemoryReader,
        now: Timestamp,
    ) -> Result<Finished, EngineError> {
        let mut pending = Pending::default();
        give_back(product, reader, &mut pending, now)?;
        let mut written = Vec::new();
        for (candidate, promotion) in product.report.promoted() {
            let witnesses = self.witnesses(product, candidate);
            let marked = self.told_by_marked(product, candidate, promotion, reader, &pending)?;
            let anew = marked.and_then(|known| {
                let said = (candidate, promotion);
                self.learn_anew(product, said, &known, witnesses.clone(), now)
                    .ok()
            });
            if let Some(memory) = anew {
                written.push(Promoted::As(memory.id));
                pending.take(vec![memory]);
            } else if promotion.updates.is_none()
                && let Some(mut memory) = put_away(product, candidate, reader, &pending)?
            {
                // What this session took away by failing, or by going on, comes back as it says it now.
                memory.deprecated = None;
                memory.confidence = promotion.confidence;
                if candidate.origin == Origin::Outcome {
                    // Who was right since left nothing open.
                    memory
                        .provenance
                        .retain(|session| self.across.not_passed(session).is_some());
                }
                memory.provenance.extend(witnesses);
                match promotion.review {
                    Some(why) => memory.await_review(why),
                    None if memory.review_reason == Some(ReviewReason::Guess) => {
                        memory.end_review();
                    }
                    None => {}
                }
                reword(&mut memory, candidate);
                memory.updated_at = now;
                written.push(Promoted::As(memory.id));
                pending.take(vec![memory]);
            } else if let Some(memory) = promotion.updates {
                let by = Confirmation {
                    sessions: witnesses,
                    promotion,
                    is_clean: candidate.taint.is_clean(),
                    is_contradicted: self.across.contradicted.contains(&memory),
                    // A memory in like words keeps its own.
                    words: promotion.restates.then_some(candidate),
                };
                by.make_surer(reader, &mut pending, memory, now)?;
                written.push(Promoted::As(memory));
            } else {
                let (draft, _) = redact_draft(self.draft(product, candidate, promotion));
                let settled =
                    self.engine
                        .settle_one(reader, &mut pending, &draft, Voice::Speaker, now)?;
                let known = matches!(settled, Written::Merged { .. });
                let promoted = Promoted::of(&settled);
                if let Some(id) = promoted.id()
                    && let Some(mut memory) = pending.find(reader, id)?
                {
                    // The session that brings up what others show is none of them.
                    memory
                        .provenance
                        .retain(|session| known || witnesses.contains(session));
                    memory.provenance.extend(witnesses);
                    pending.take(vec![memory]);
                }
                written.push(promoted);
            }
        }
        let over = self.replace_state(product, reader, &mut pending, &written, now)?;
        self.replace_covered(product, reader, &mut pending, &written, now)?;
        let withdrawn = withdraw(self, product, reader, &mut pending, &written, now)?;
        let put = Put {
            written,
            withdrawn,
            over,
        };
        refresh_recipes(product, reader, &mut pending, now)?;
        age_missing_programs(product, reader, &mut pending, now)?;
        age_missing_names(product, reader, &mut pending, now)?;
        let used = weigh_told(product, reader, &mut pending, now)?;
        Ok(Finished {
            record: product.record(&put, now),
            memories: counted(pending.into_changed()),
            used,
        })
    }

    /// The sessions that show what a candidate says: those it names itself, or else this one and the earlier ones that showed
    /// the very same.
    fn witnesses(&self, product: &Product<'_>, candidate: &Candidate) -> BTreeSet<SessionId> {
        let mut witnesses = candidate.witnesses.clone();
        if witnesses.is_empty() {
            witnesses = self.across.knowledge.shown_by(candidate);
            witnesses.insert(product.session.clone());
        }
        witnesses.retain(|session| session == product.session || !self.across.has_failed(session));
        witnesses
    }

    pub(super) fn draft(
        &self,
        product: &Product<'_>,
        candidate: &Candidate,
        promotion: &Promotion,
    ) -> Draft {
        let analytics = product.pad.analytics();
        let start = analytics.start.as_ref();
        let branch = start.and_then(|start| start.branch.clone());
        let scope = scope_of(candidate, branch.as_deref());
        Draft {
            summary: Some(candidate.summary.as_str().to_owned()),
            confidence: promotion.confidence,
            files: candidate.files.clone(),
            impacted_nodes: impacted(candidate),
            modules: candidate.modules.clone(),
            fingerprints: candidate.fingerprints.clone(),
            created_at: analytics.last_at,
            session: Some(product.session.clone()),
            commit: analytics
                .commit_of(&candidate.files)
                .and_then(|sha| self.full_commit(sha)),
            branch,
            work_unit: start.and_then(|start| start.work_unit.clone()),
            methodology: start
                .and_then(|start| start.work_unit.as_ref())
                .map(|unit| unit.methodology().to_owned()),
            scope,
            source: candidate.source,
            created_by: Author::new(OBSERVER).expect("a plain word is an author"),
            needs_review: promotion.review.is_some(),
            review_reason: promotion.review,
            taint: candidate.taint.clone(),
            ..Draft::taught(candidate.payload.clone(), candidate.content.as_str())
        }
    }

    /// What follows a person was used as well. It lies in another database, so that it is counted after the session is put
    /// down, and never twice; a count that is lost costs nothing else.
    pub(super) fn count_personal(&self, product: &Product<'_>, at: Timestamp) {
        let Some(person) = self.engine.personal else {
            return;
        };
        let used = product.newly_used().into_iter();
        let own: Vec<MemoryId> = used
            .filter(|id| person.get(*id).is_ok_and(|found| found.is_some()))
            .collect();
        if !own.is_empty() {
            let _ = person.touch(&own, at);
        }
    }

    fn full_commit(&self, sha: &str) -> Option<CommitSha> {
        CommitSha::new(sha).or_else(|| self.commits.and_then(|find| find(sha)))
    }

    /// What says of some files that they change together is over once a statement says it of more, and so is what another says along; not
    /// what agents are told by one that waits for a person, nor what is clean by one that is marked.
    fn replace_covered(
        &self,
        product: &Product<'_>,
        reader: &dyn MemoryReader,
        pending: &mut Pending,
        written: &[Promoted],
        now: Timestamp,
    ) -> Result<(), EngineError> {
        let stays = |known: &Memory, new: &Memory| {
            let is_theirs = known.verified.is_some() || known.flagged.is_some() || known.pinned;
            let is_told = new.needs_review && !known.needs_review;
            is_theirs || is_told || known.taint.is_clean() && !new.taint.is_clean()
        };
        let promoted = || product.report.promoted().zip(written);
        for ((candidate, _), written) in promoted() {
            let new = written.id().map(|new| pending.find(reader, new));
            let Some(new) = new.transpose()?.flatten() else {
                continue;
            };
            let covered = candidate.covers.iter();
            for id in covered.filter_map(|key| self.across.learned.get(key)) {
                let known = pending.find(reader, *id)?;
                if *id != new.id && known.is_some_and(|known| !stays(&known, &new)) {
                    let reason = format!("memory {} says it along", new.id);
                    deprecate(reader, pending, *id, reason, now)?;
                }
            }
        }
        let mut groups = promoted()
            .filter(|((candidate, _), _)| candidate.is_group())
            .peekable();
        if groups.peek().is_none() {
            return Ok(());
        }
        let learned = self.learned_company(reader)?;
        for ((candidate, _), written) in groups {
            let new = written.id().map(|new| pending.find(reader, new));
            let Some(new) = new.transpose()?.flatten() else {
                continue;
            };
            let reason = format!(
                "memory {} says it of all files that change with these",
                new.id
            );
            for (_, known) in &learned {
                let is_part = known.files.len() > 1 && known.files.is_subset(&candidate.files);
                if known.id != new.id && is_part && !stays(known, &new) {
                    deprecate(reader, pending, known.id, reason.clone(), now)?;
                }
            }
        }
        Ok(())
    }
}

fn impacted(candidate: &Candidate) -> BTreeSet<String> {
    let files = candidate.impacted.iter();
    files.map(ToString::to_string).collect()
}

/// How far what was learned reaches: where work stands, to the end of the work on its branch; the rest as far as what it names.
fn scope_of(candidate: &Candidate, branch: Option<&str>) -> Scope {
    let is_state = candidate.built_in() == Some(BuiltInType::WorkState);
    match branch {
        Some(_) if is_state => Scope::WorkUnit,
        _ if candidate.files.is_empty() => Scope::Global,
        _ => Scope::Module,
    }
}

/// A session that says what is known already.
struct Confirmation<'a> {
    /// Those that show it.
    sessions: BTreeSet<SessionId>,
    promotion: &'a Promotion,
    /// Whether no outside text had a hand in it.
    is_clean: bool,
    /// Whether an agent that was told it said that it is wrong.
    is_contradicted: bool,
    /// The same statement with fresher numbers.
    words: Option<&'a Candidate>,
}

impl Confirmation<'_> {
    /// What agents are told must not fall silent because a session that proves less says it again: words that a person has
    /// to read first replace only such words.
    fn may_reword(&self, known: &Memory) -> bool {
        known.needs_review || self.promotion.review.is_none()
    }

    fn make_surer(
        &self,
        reader: &dyn MemoryReader,
        pending: &mut Pending,
        memory: MemoryId,
        now: Timestamp,
    ) -> Result<(), EngineError> {
        let Some(mut known) = pending.find(reader, memory)? else {
            return Ok(());
        };
        if known.provenance.is_superset(&self.sessions) {
            // Where work stands moves on with the session that told it; everything else it has said.
            let state = self.words.filter(|words| {
                words.origin == Origin::Outcome
                    && words.content.as_str() != known.content.as_str()
                    && self.may_reword(&known)
            });
            if let Some(state) = state {
                known.confidence = self.promotion.confidence;
                reword(&mut known, state);
                known.updated_at = now;
                pending.take(vec![known]);
            }
            return Ok(());
        }
        // What waited only because few had shown it is shown by enough now, and what a person said once was said often enough.
        let waited_for = match self.words.map(|words| words.origin) {
            Some(Origin::Many) => Some(ReviewReason::FewSessions),
            Some(Origin::Person | Origin::Signal(SignalKind::FileAccess)) => {
                Some(ReviewReason::Guess)
            }
            _ => None,
        };
        let enough = waited_for.is_some()
            && !self.is_contradicted
            && known.flagged.is_none()
            && known.review_reason == waited_for
            && self.promotion.review.is_none()
            && known.taint.is_clean();
        known.provenance.extend(self.sessions.iter().cloned());
        if let Some(candidate) = self.words {
            if self.may_reword(&known) {
                if enough {
                    known.end_review();
                }
                reword(&mut known, candidate);
            }
            // It went well again, so that a failure before says nothing any more.
            if known.stale.as_ref().is_some_and(is_failed_use) {
                known.stale = None;
            }
        }
        // Outside text that says a thing again proves nothing.
        if self.is_clean && self.promotion.confidence > known.confidence {
            known.confidence = self.promotion.confidence;
        }
        known.updated_at = now;
        pending.take(vec![known]);
        Ok(())
    }
}

/// Says a memory anew: the words, and all that is found by them.
fn reword(known: &mut Memory, candidate: &Candidate) {
    let content = redact(candidate.content.as_str());
    let summary = redact(candidate.summary.as_str());
    let (Ok(content), Ok(summary)) = (Content::new(&content.text), Summary::new(&summary.text))
    else {
        return;
    };
    known.content = content;
    known.summary = summary;
    known.payload = redact_details(&candidate.payload);
    known.files.clone_from(&candidate.files);
    known.impacted_nodes = impacted(candidate);
    known.modules.clone_from(&candidate.modules);
    known.fingerprints.clone_from(&candidate.fingerprints);
    known.taint = std::mem::take(&mut known.taint).join(&candidate.taint);
    if !candidate.taint.is_clean() {
        known.await_review(ReviewReason::OutsideText);
    }
    hold_back_orders(known, candidate);
}

/// Words that give orders to a model a person reads first.
pub(super) fn hold_back_orders(memory: &mut Memory, candidate: &Candidate) {
    let told = [candidate.content.as_str(), candidate.summary.as_str()];
    if told.into_iter().any(|text| order_in_output(text).is_some()) {
        hold_back(memory);
    }
}

/// What sessions showed says how many stand behind it now. What a person stands by keeps its words.
fn counted(mut memories: Vec<Memory>) -> Vec<Memory> {
    for memory in &mut memories {
        let (sessions, text) = (memory.provenance.len() as u32, memory.content.as_str());
        let is_seen = memory.source == Source::ObserverInferred && memory.verified.is_none();
        if is_seen
            && sessions > 0
            && let Ok(content) = Content::new(&recount(text, sessions))
        {
            memory.content = content;
        }
    }
    memories
}

/// What the session used of what it was told counts as a use, once however often it is finalized: hooks only read. What it
/// said is wrong a person should look at. Says which memories were used and are otherwise as they were.
fn weigh_told(
    product: &Product<'_>,
    reader: &dyn MemoryReader,
    pending: &mut Pending,
    now: Timestamp,
) -> Result<Vec<(MemoryId, Timestamp)>, EngineError> {
    let at = product.pad.analytics().last_at.unwrap_or(now);
    let mut used = Vec::new();
    for id in product.newly_used() {
        let Some(mut memory) = pending.find(reader, id)? else {
            continue;
        };
        memory.usage.access_count += 1;
        memory.usage.last_accessed_at = at;
        if rewarded(&mut memory) {
            memory.updated_at = at;
            pending.take(vec![memory]);
        } else if pending.holds(id) {
            pending.take(vec![memory]);
        } else {
            used.push((id, at));
        }
    }
    for id in told::ids(&product.told, Effect::Contradicted) {
        if let Some(mut memory) = pending.find(reader, id)?
            && doubt(&mut memory)
        {
            memory.updated_at = at;
            pending.take(vec![memory]);
        }
    }
    Ok(used)
}

pub(super) fn deprecate(
    reader: &dyn MemoryReader,
    pending: &mut Pending,
    memory: MemoryId,
    reason: String,
    now: Timestamp,
) -> Result<(), EngineError> {
    if let Some(mut known) = pending.find(reader, memory)?
        && known.is_live()
    {
        known.deprecated = Some(Mark { since: now, reason });
        known.updated_at = now;
        pending.take(vec![known]);
    }
    Ok(())
}

impl Promoted {
    fn of(settled: &Written) -> Self {
        match settled {
            Written::Inserted(memory)
            | Written::Merged { into: memory, .. }
            | Written::Superseded { new: memory, .. } => Self::As(memory.id),
            Written::Refused(why) => Self::Refused(why.to_string()),
        }
    }

    pub(super) fn id(&self) -> Option<MemoryId> {
        match self {
            Self::As(id) => Some(*id),
            Self::Refused(_) => None,
        }
    }
}
