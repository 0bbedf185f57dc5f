//! What a session leaves behind, put down in one transaction: new memories, surer ones, withdrawn ones, and its record.

use std::collections::BTreeSet;

use jiff::Timestamp;
use oldhand_domain::error::StoreError;
use oldhand_domain::filter::Filter;
use oldhand_domain::id::{MemoryId, SessionId};
use oldhand_domain::memory::{Author, CommitSha, Draft, Mark, Memory};
use oldhand_domain::payload::{BuiltInType, MemoryType, Payload};
use oldhand_domain::port::MemoryReader;
use oldhand_domain::session::{Finished, SessionRecord};
use oldhand_domain::text::{Content, Summary};
use oldhand_domain::vocabulary::{Scope, Source};
use oldhand_observe::distill::{Candidate, state_key};
use oldhand_observe::learn::task_pattern;
use oldhand_observe::outcome::judgement::WorkVerdict;
use oldhand_observe::promote::Promotion;
use oldhand_redact::redact;

use super::record::Product;
use super::{Extent, Finalizer, Promoted};
use crate::EngineError;
use crate::redaction::{redact_details, redact_draft};
use crate::remember::{Pending, Written};

/// What each further success adds to a recipe, and how sure that makes it at most.
const SUCCESS: f64 = 0.05;
const SUREST: f64 = 0.9;

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
        let mut written = Vec::new();
        for (candidate, promotion) in product.report.promoted() {
            if let Some(memory) = promotion.updates {
                // A memory in like words keeps its own; only what this very statement became is said anew.
                let known = self.across.learned.get(&candidate.told_as()) == Some(&memory);
                let by = Confirmation {
                    session: product.session,
                    promotion,
                    is_clean: candidate.taint.is_clean(),
                    words: known.then_some(candidate),
                };
                by.make_surer(reader, &mut pending, memory, now)?;
                written.push(Promoted::As(memory));
            } else {
                let (draft, _) = redact_draft(self.draft(product, candidate, promotion));
                let settled = self.engine.settle_one(reader, &mut pending, draft, now)?;
                let promoted = Promoted::of(&settled);
                self.add_witnesses(reader, &mut pending, candidate, &promoted)?;
                written.push(promoted);
            }
        }
        self.replace_state(product, reader, &mut pending, &written, now)?;
        refresh_recipes(product, reader, &mut pending, now)?;
        let withdrawn = withdraw(product, reader, &mut pending, now)?;
        Ok(Finished {
            record: product.record(&written, &withdrawn, now),
            memories: pending.into_changed(),
        })
    }

    /// What several sessions showed before one of them taught it was confirmed by all of them.
    fn add_witnesses(
        &self,
        reader: &dyn MemoryReader,
        pending: &mut Pending,
        candidate: &Candidate,
        promoted: &Promoted,
    ) -> Result<(), EngineError> {
        let seen = self.across.seen.get(&candidate.told_as());
        let witnesses: BTreeSet<&SessionId> = seen
            .into_iter()
            .flatten()
            .chain(&candidate.witnesses)
            .collect();
        let (Some(id), false) = (promoted.id(), witnesses.is_empty()) else {
            return Ok(());
        };
        if let Some(mut memory) = pending.find(reader, id)? {
            memory.provenance.extend(witnesses.into_iter().cloned());
            pending.take(vec![memory]);
        }
        Ok(())
    }

    fn draft(&self, product: &Product<'_>, candidate: &Candidate, promotion: &Promotion) -> Draft {
        let analytics = product.pad.analytics();
        let start = analytics.start.as_ref();
        Draft {
            summary: Some(candidate.summary.as_str().to_owned()),
            confidence: promotion.confidence,
            files: candidate.files.clone(),
            modules: candidate.modules.clone(),
            fingerprints: candidate.fingerprints.clone(),
            created_at: analytics.last_at,
            session: Some(product.session.clone()),
            commit: analytics
                .commit_of(&candidate.files)
                .and_then(|sha| self.full_commit(sha)),
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

    fn full_commit(&self, sha: &str) -> Option<CommitSha> {
        CommitSha::new(sha).or_else(|| self.commits.and_then(|find| find(sha)))
    }

    /// How far work got is told once: a later state takes the place of the one before, and finished work has none.
    fn replace_state(
        &self,
        product: &Product<'_>,
        reader: &dyn MemoryReader,
        pending: &mut Pending,
        written: &[Promoted],
        now: Timestamp,
    ) -> Result<(), EngineError> {
        let key = state_key(product.pad.analytics());
        let own = product.earlier.and_then(|report| report.learned(&key));
        let before = own.or_else(|| self.across.learned.get(&key).copied());
        let promoted = product.report.promoted().zip(written);
        let new = promoted
            .filter(|((candidate, _), _)| candidate.key == key)
            .find_map(|(_, written)| written.id());
        let finished = product.judgement.verdict == WorkVerdict::Passed;
        let (Some(before), true) = (before, new.is_some() || finished) else {
            return Ok(());
        };
        if new == Some(before) || product.extent == Extent::Subtasks {
            return Ok(());
        }
        let reason = if finished {
            format!("the work was finished in session {}", product.session)
        } else {
            format!("session {} went on with it", product.session)
        };
        deprecate(reader, pending, before, reason, now)
    }
}

/// A session that says what is known already.
struct Confirmation<'a> {
    session: &'a SessionId,
    promotion: &'a Promotion,
    /// Whether no outside text had a hand in it.
    is_clean: bool,
    /// The same statement with fresher numbers.
    words: Option<&'a Candidate>,
}

impl Confirmation<'_> {
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
        if !known.provenance.insert(self.session.clone()) {
            return Ok(());
        }
        if let Some(candidate) = self.words {
            let content = redact(candidate.content.as_str());
            let summary = redact(candidate.summary.as_str());
            if let (Ok(content), Ok(summary)) =
                (Content::new(&content.text), Summary::new(&summary.text))
            {
                known.content = content;
                known.summary = summary;
                known.payload = redact_details(&candidate.payload);
                known.taint = known.taint.join(&candidate.taint);
                known.needs_review |= self.promotion.needs_review;
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

fn deprecate(
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

/// A session that went the way of a recipe makes it surer, or stale when it failed.
fn refresh_recipes(
    product: &Product<'_>,
    reader: &dyn MemoryReader,
    pending: &mut Pending,
    now: Timestamp,
) -> Result<(), EngineError> {
    let (facts, Some(succeeded)) = (product.facts, product.facts.succeeded) else {
        return Ok(());
    };
    if facts.sequences.is_empty() || product.extent == Extent::Subtasks {
        return Ok(());
    }
    let recipes = reader.list(&Filter {
        types: vec![BuiltInType::WorkflowRecipe.into()],
        ..Filter::default()
    })?;
    for mut memory in recipes.memories {
        let Payload::WorkflowRecipe(recipe) = &mut memory.payload else {
            continue;
        };
        let steps: Vec<String> = recipe
            .steps
            .iter()
            .map(|step| step.description.clone())
            .collect();
        let here = facts
            .main_module
            .as_ref()
            .is_some_and(|module| recipe.task_pattern == task_pattern(module));
        if !here || !goes_through(facts.sequences.iter(), &steps) || pending.holds(memory.id) {
            continue;
        }
        if !succeeded {
            let reason = format!("session {} went this way and failed", product.session);
            memory.stale.get_or_insert(Mark { since: now, reason });
        } else if memory.provenance.insert(product.session.clone()) {
            recipe.success_count += 1;
            recipe.last_validated_at = recipe.last_validated_at.max(facts.at);
            memory.confidence = memory.confidence.raised(SUCCESS, SUREST);
            memory.stale = None;
        } else {
            continue;
        }
        memory.updated_at = now;
        pending.take(vec![memory]);
    }
    Ok(())
}

/// Whether runs of a session cover all of `steps`.
fn goes_through<'a>(runs: impl Iterator<Item = &'a Vec<String>>, steps: &[String]) -> bool {
    let runs: Vec<&Vec<String>> = runs.collect();
    let length = runs.first().map_or(0, |run| run.len());
    length > 0
        && steps.len() >= length
        && steps
            .windows(length)
            .all(|window| runs.iter().any(|run| run.as_slice() == window))
}

/// Work that turns out to be wrong takes back what was learned from it alone, unless a person stands by it or its subtask
/// was validated. What failure teaches stays.
fn withdraw(
    product: &Product<'_>,
    reader: &dyn MemoryReader,
    pending: &mut Pending,
    now: Timestamp,
) -> Result<Vec<MemoryId>, EngineError> {
    let mut withdrawn = Vec::new();
    if product.judgement.verdict != WorkVerdict::Failed {
        return Ok(withdrawn);
    }
    let lines = product.earlier.iter().flat_map(|report| &report.lines);
    for line in lines.into_iter().filter(|line| line.subtask.is_none()) {
        let Some(id) = line.memory() else {
            continue;
        };
        let Some(memory) = pending.find(reader, id)? else {
            continue;
        };
        let alone = memory.provenance.iter().eq([product.session]);
        if alone && memory.is_live() && is_of_success(&memory) {
            let reason = format!("session {} taught it and failed", product.session);
            deprecate(reader, pending, id, reason, now)?;
            withdrawn.push(id);
        }
    }
    Ok(withdrawn)
}

fn is_of_success(memory: &Memory) -> bool {
    let of_failure = matches!(
        memory.memory_type(),
        MemoryType::BuiltIn(
            BuiltInType::DeadEnd | BuiltInType::WorkUnitOutcome | BuiltInType::WorkState
        )
    );
    !of_failure && memory.source == Source::ObserverInferred && !memory.is_verified()
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

    fn id(&self) -> Option<MemoryId> {
        match self {
            Self::As(id) => Some(*id),
            Self::Refused(_) => None,
        }
    }
}
