//! Sessions that turn out to be wrong take back what they vouched for; those that went well make recipes surer.

use std::collections::BTreeSet;

use jiff::Timestamp;
use oldhand_domain::confidence::Confidence;
use oldhand_domain::filter::Filter;
use oldhand_domain::id::{MemoryId, SessionId};
use oldhand_domain::memory::{Mark, Memory};
use oldhand_domain::payload::{BuiltInType, MemoryType, Payload};
use oldhand_domain::port::MemoryReader;
use oldhand_domain::vocabulary::Source;
use oldhand_observe::distill::{Candidate, missing_program};
use oldhand_observe::learn::{missing_names, task_pattern};
use oldhand_observe::outcome::judgement::WorkVerdict;

use super::record::{Product, ReportLine, TakenOut};
use super::write::deprecate;
use super::{Extent, Finalizer, Promoted};
use crate::EngineError;
use crate::remember::Pending;

/// What each session behind a memory adds to how sure it is, and how sure that makes it at most.
const WITNESS: f64 = 0.05;
const SUREST: f64 = 0.9;
/// More sessions than this add nothing.
const WITNESSES: usize = 5;

/// Work that turns out to be wrong bears witness to nothing: what was learned from it alone goes, what others showed too is
/// less sure. Not what a person stands by or laid down, nor a subtask that was validated; and what failure teaches stays. Says which
/// memories this session no longer vouches for; `written` are those it speaks of now, and what it would teach as it is stays as well. What git's history says needs nobody's work to be right.
/// What a session left behind as one of another type goes in the same way, whatever became of its work.
pub(super) fn withdraw(
    finalizer: &Finalizer<'_>,
    product: &Product<'_>,
    reader: &dyn MemoryReader,
    pending: &mut Pending,
    written: &[Promoted],
    now: Timestamp,
) -> Result<Vec<TakenOut>, EngineError> {
    let mut withdrawn = Vec::new();
    let failed = product.judgement.verdict == WorkVerdict::Failed;
    let Some(earlier) = product.earlier else {
        return Ok(withdrawn);
    };
    if !failed && product.left_behind.is_empty() {
        return Ok(withdrawn);
    }
    let validated = earlier.lines.iter().filter(|line| line.subtask.is_some());
    let mut spared: BTreeSet<MemoryId> = validated.filter_map(ReportLine::memory).collect();
    spared.extend(written.iter().filter_map(Promoted::id));
    spared.extend(product.upheld);
    let taught: BTreeSet<MemoryId> = earlier
        .lines
        .iter()
        .filter_map(ReportLine::memory)
        .collect();
    let observed = reader.list(&Filter {
        sources: vec![Source::ObserverInferred, Source::AgentExplicit],
        ..Filter::default()
    })?;
    for listed in observed.memories {
        // What an agent asked to keep is kept by the work that it did.
        let is_seen = listed.source == Source::ObserverInferred || taught.contains(&listed.id);
        let vouched = is_seen && listed.provenance.contains(product.session);
        let is_spared = spared.contains(&listed.id) || finalizer.is_of_history(&listed);
        let is_left = product.left_behind.contains(&listed.id) && !is_kept(&listed);
        let goes = is_left || failed && is_of_success(&listed);
        if !vouched || is_spared || !goes {
            continue;
        }
        let Some(mut memory) = pending.find(reader, listed.id)? else {
            continue;
        };
        if memory.is_live() && take_back(&mut memory, product.session) {
            let (id, nobody) = (memory.id, memory.provenance.is_empty());
            withdrawn.push(TakenOut {
                memory: id.to_string(),
            });
            memory.updated_at = now;
            pending.take(vec![memory]);
            if nobody {
                let reason = if is_left {
                    taught_as_other
                } else {
                    taught_and_failed
                };
                deprecate(reader, pending, id, reason(product.session), now)?;
            }
        }
    }
    Ok(withdrawn)
}

const TAUGHT_AND_FAILED: &str = "taught it and failed";

fn taught_and_failed(session: &SessionId) -> String {
    format!("session {session} {TAUGHT_AND_FAILED}")
}

const TAUGHT_AS_OTHER: &str = "taught it and was for something else";

fn taught_as_other(session: &SessionId) -> String {
    format!("session {session} {TAUGHT_AS_OTHER}")
}

/// Whether a memory is away only because nobody stands behind it any more: whichever of them was right brings it back.
fn has_lost_all(memory: &Memory) -> bool {
    let mark = memory.deprecated.as_ref();
    memory.deleted_since.is_none()
        && memory.provenance.is_empty()
        && mark.is_some_and(|mark| {
            let ends = [TAUGHT_AND_FAILED, TAUGHT_AS_OTHER];
            ends.iter().any(|end| mark.reason.ends_with(end))
        })
}

pub(super) fn finished_in(session: &SessionId) -> String {
    format!("the work was finished in session {session}")
}

pub(super) fn went_on(session: &SessionId) -> String {
    format!("session {session} went on with it")
}

/// Whether a memory was put away for this very reason, and for no other.
fn is_put_away(memory: &Memory, reason: &str) -> bool {
    let mark = memory.deprecated.as_ref();
    memory.deleted_since.is_none() && mark.is_some_and(|mark| mark.reason == reason)
}

/// The memory that this very statement became before, where nothing but this session put it away and nobody judged it: it comes
/// back instead of a second one.
pub(super) fn put_away(
    product: &Product<'_>,
    candidate: &Candidate,
    reader: &dyn MemoryReader,
    pending: &Pending,
) -> Result<Option<Memory>, EngineError> {
    let Some(earlier) = product.earlier else {
        return Ok(None);
    };
    let reasons = [taught_and_failed, taught_as_other, finished_in, went_on];
    let reasons = reasons.map(|why| why(product.session));
    for id in earlier.withdrawn(&candidate.told_as()) {
        let known = pending.find(reader, id)?.filter(|memory| {
            let is_judged = memory.verified.is_some() || memory.flagged.is_some();
            !is_judged && reasons.iter().any(|reason| is_put_away(memory, reason))
        });
        if known.is_some() {
            return Ok(known);
        }
    }
    Ok(None)
}

/// Puts a session whose work was right after all back behind what it had stood behind, with what was taken from it then.
pub(super) fn give_back(
    product: &Product<'_>,
    reader: &dyn MemoryReader,
    pending: &mut Pending,
    now: Timestamp,
) -> Result<(), EngineError> {
    for taken in &product.given_back {
        let Ok(id) = taken.memory.parse() else {
            continue;
        };
        let Some(mut memory) = pending.find(reader, id)? else {
            continue;
        };
        if has_lost_all(&memory) {
            memory.deprecated = None;
        }
        let failed = failed_use(product.session, now).reason;
        if memory
            .stale
            .as_ref()
            .is_some_and(|mark| mark.reason == failed)
        {
            memory.stale = None;
        }
        let stood = memory.provenance.len();
        if memory.is_live() && memory.provenance.insert(product.session.clone()) {
            if let Payload::WorkflowRecipe(recipe) = &mut memory.payload {
                recipe.success_count += 1;
            }
            // By how many stand behind it, and not by how many did then: who came back in which order says nothing.
            if stood < WITNESSES {
                memory.confidence = Confidence::clamped(memory.confidence.get() + WITNESS);
            }
            memory.updated_at = now;
            pending.take(vec![memory]);
        }
    }
    Ok(())
}

/// Takes a session out of those that stand behind a memory, with what it had added; `false` when it was none of them.
fn take_back(memory: &mut Memory, session: &SessionId) -> bool {
    if !memory.provenance.remove(session) {
        return false;
    }
    if let Payload::WorkflowRecipe(recipe) = &mut memory.payload {
        recipe.success_count = recipe.success_count.saturating_sub(1);
    }
    if memory.provenance.len() < WITNESSES {
        memory.confidence = Confidence::clamped(memory.confidence.get() - WITNESS);
    }
    true
}

fn is_of_success(memory: &Memory) -> bool {
    let holds_all_the_same = matches!(
        memory.memory_type(),
        MemoryType::BuiltIn(
            BuiltInType::DeadEnd
                | BuiltInType::WorkUnitOutcome
                | BuiltInType::WorkState
                | BuiltInType::Preference
        )
    );
    !holds_all_the_same && !is_kept(memory)
}

/// Whether a person stands by it.
fn is_kept(memory: &Memory) -> bool {
    memory.is_verified() || memory.pinned
}

const FAILED_USE: &str = "went this way and failed";

fn failed_use(session: &SessionId, now: Timestamp) -> Mark {
    Mark {
        since: now,
        reason: format!("session {session} {FAILED_USE}"),
    }
}

/// Whether a mark says that a session failed on the way of a recipe, and nothing else.
pub(super) fn is_failed_use(mark: &Mark) -> bool {
    mark.reason.ends_with(FAILED_USE)
}

/// A session that went the way of a recipe makes it surer, or stale when it failed.
pub(super) fn refresh_recipes(
    product: &Product<'_>,
    reader: &dyn MemoryReader,
    pending: &mut Pending,
    now: Timestamp,
) -> Result<(), EngineError> {
    let (facts, Some(succeeded)) = (product.facts, product.facts.succeeded) else {
        return Ok(());
    };
    let went = facts.sequences.len() + facts.sequences_after_outside.len();
    if went == 0 || product.extent == Extent::Subtasks {
        return Ok(());
    }
    let recipes = reader.list(&Filter {
        types: vec![BuiltInType::WorkflowRecipe.into()],
        ..Filter::default()
    })?;
    for listed in recipes.memories {
        let Some(mut memory) = pending.find(reader, listed.id)? else {
            continue;
        };
        let Payload::WorkflowRecipe(recipe) = &memory.payload else {
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
        let after = &facts.sequences_after_outside;
        let is_gone = |steps: &[String]| goes_through(facts.sequences.iter().chain(after), steps);
        let failed_here = failed_use(product.session, now).reason;
        if succeeded && was_right(&mut memory, &failed_here) {
            memory.updated_at = now;
            pending.take(vec![memory.clone()]);
        }
        let Payload::WorkflowRecipe(recipe) = &mut memory.payload else {
            continue;
        };
        // Work that fails is not handed in.
        let is_used = is_gone(&steps) || !succeeded && is_gone(before_handing_in(&steps));
        if !here || !is_used {
            continue;
        }
        if !succeeded {
            let mark = failed_use(product.session, now);
            memory.stale.get_or_insert_with(|| mark.clone());
            // What a person stands by may be out of date; it is theirs to give up.
            let is_a_persons =
                memory.source != Source::ObserverInferred || memory.is_verified() || memory.pinned;
            if !is_a_persons
                && take_back(&mut memory, product.session)
                && memory.provenance.is_empty()
            {
                memory.deprecated.get_or_insert(mark);
            }
        } else if pending.holds(memory.id) || !goes_through(facts.sequences.iter(), &steps) {
            // Outside text that leads the same way proves nothing.
            continue;
        } else if memory.provenance.insert(product.session.clone()) {
            recipe.success_count += 1;
            recipe.last_validated_at = recipe.last_validated_at.max(facts.at);
            memory.confidence = memory.confidence.raised(WITNESS, SUREST);
            memory.stale = None;
        } else {
            continue;
        }
        memory.updated_at = now;
        pending.take(vec![memory]);
    }
    Ok(())
}

/// The steps of a way of working up to where the work is handed in.
fn before_handing_in(steps: &[String]) -> &[String] {
    let is_handing_in = |step: &String| {
        let command = step.strip_prefix("run ");
        command.is_some_and(|command| ["git add", "git commit", "git push"].contains(&command))
    };
    let end = steps.iter().rposition(|step| !is_handing_in(step));
    &steps[..end.map_or(0, |end| end + 1)]
}

/// Takes the mark of a failed use off again; `false` where there is none.
fn was_right(memory: &mut Memory, failed: &str) -> bool {
    let is_its = |mark: &mut Mark| mark.reason == failed;
    let stale = memory.stale.take_if(is_its).is_some();
    memory.deprecated.take_if(is_its).is_some() || stale
}

/// What one machine did not find is stale once a session elsewhere ran it by its name: it says nothing of the project. Not what a person stands
/// by.
pub(super) fn age_missing_programs(
    product: &Product<'_>,
    reader: &dyn MemoryReader,
    pending: &mut Pending,
    now: Timestamp,
) -> Result<(), EngineError> {
    let facts = product.facts;
    let missed = |program: &str| {
        let mut errors = facts.errors.iter();
        errors.any(|error| missing_program(&error.message) == Some(program))
    };
    let found: BTreeSet<&String> = facts
        .programs
        .iter()
        .filter(|program| !missed(program))
        .collect();
    if found.is_empty() || product.extent == Extent::Subtasks {
        return Ok(());
    }
    let kind = BuiltInType::ErrorPattern;
    age(product, reader, pending, now, kind, |memory| {
        if memory.provenance.contains(product.session) {
            return None;
        }
        let mut messages = memory.fingerprints.iter();
        let program = messages.find_map(|message| missing_program(message.as_str()))?;
        let is_found = found.iter().any(|found| *found == program);
        is_found.then(|| format!("ran `{program}` by its name"))
    })
}

/// What a client did not have is stale once a session called it with success. Not what a person stands by.
pub(super) fn age_missing_names(
    product: &Product<'_>,
    reader: &dyn MemoryReader,
    pending: &mut Pending,
    now: Timestamp,
) -> Result<(), EngineError> {
    let there = missing_names(product.facts);
    if there.is_empty() || product.extent == Extent::Subtasks {
        return Ok(());
    }
    age(
        product,
        reader,
        pending,
        now,
        BuiltInType::Gotcha,
        |memory| {
            let mut messages = memory.fingerprints.iter();
            let name = messages.find_map(|message| there.get(message.as_str()))?;
            Some(format!("called `{name}` with success"))
        },
    )
}

/// Marks what was observed and what `is_over` says that the session did away with.
fn age(
    product: &Product<'_>,
    reader: &dyn MemoryReader,
    pending: &mut Pending,
    now: Timestamp,
    kind: BuiltInType,
    is_over: impl Fn(&Memory) -> Option<String>,
) -> Result<(), EngineError> {
    let observed = reader.list(&Filter {
        types: vec![kind.into()],
        sources: vec![Source::ObserverInferred],
        ..Filter::default()
    })?;
    for listed in observed.memories {
        if is_over(&listed).is_none() {
            continue;
        }
        let Some(mut memory) = pending.find(reader, listed.id)? else {
            continue;
        };
        let is_a_persons = memory.is_verified() || memory.pinned;
        let Some(did) = is_over(&memory).filter(|_| !is_a_persons && memory.stale.is_none()) else {
            continue;
        };
        memory.stale = Some(Mark {
            since: now,
            reason: format!("session {} {did}", product.session),
        });
        memory.updated_at = now;
        pending.take(vec![memory]);
    }
    Ok(())
}

/// Whether runs of a session cover all of `steps`; one run has all of fewer steps than it is long.
fn goes_through<'a>(runs: impl Iterator<Item = &'a Vec<String>>, steps: &[String]) -> bool {
    let runs: Vec<&Vec<String>> = runs.collect();
    let length = runs.first().map_or(0, |run| run.len()).min(steps.len());
    let has = |window: &[String]| {
        let mut runs = runs.iter();
        runs.any(|run| run.windows(length).any(|part| part == window))
    };
    length > 0 && steps.windows(length).all(has)
}
