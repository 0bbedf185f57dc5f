//! A memory as JSON: what `show`, `list`, `search` and `export` print and `import json` takes.

use std::collections::BTreeSet;

use anyhow::Result;
use jiff::Timestamp;
use oldhand_domain::confidence::Confidence;
use oldhand_domain::id::{MemoryId, SessionId};
use oldhand_domain::memory::{Author, CommitSha, Draft, Flag, Mark, Memory};
use oldhand_domain::path::ProjectPath;
use oldhand_domain::payload::{MemoryType, Payload};
use oldhand_domain::relation::Relation;
use oldhand_domain::taint::Taint;
use oldhand_domain::text::{Fingerprint, ModuleName, Summary, Tag};
use oldhand_domain::vocabulary::{ReviewReason, Scope, Source, Visibility};
use oldhand_domain::work_unit::WorkUnit;
use oldhand_engine::{Asked, Shelf, Shelved};
use oldhand_recall::calibration::Likelihood;
use oldhand_recall::candidate::{Added, Candidate, Judged};
use oldhand_recall::fuse::LanePart;
use oldhand_recall::plan::QueryType;
use serde::{Deserialize, Serialize};

use crate::failure::Failure;
use crate::sessions::trace::Lesson;

/// One memory, and the sessions that taught it.
#[derive(Serialize)]
pub(crate) struct ShownView<'a> {
    #[serde(flatten)]
    pub(crate) memory: MemoryView<'a>,
    pub(crate) learned_from: Vec<Lesson>,
}

#[derive(Serialize)]
pub(crate) struct MemoryView<'a> {
    id: MemoryId,
    shelf: &'static str,
    #[serde(rename = "type")]
    memory_type: MemoryType,
    content: &'a str,
    summary: &'a str,
    citation: Option<&'a str>,
    /// As stored.
    confidence: f64,
    /// After its age.
    confidence_now: f64,
    files: &'a BTreeSet<ProjectPath>,
    tags: &'a BTreeSet<Tag>,
    modules: &'a BTreeSet<ModuleName>,
    /// The place in the code it is about: a file, or `file:symbol`.
    target_node: Option<&'a str>,
    /// Those of its files that change when the others do.
    impacted_nodes: &'a BTreeSet<String>,
    fingerprints: &'a BTreeSet<Fingerprint>,
    source: Source,
    created_by: &'a Author,
    scope: Scope,
    visibility: Visibility,
    created_at: Timestamp,
    updated_at: Timestamp,
    last_accessed_at: Timestamp,
    access_count: u64,
    session: Option<&'a SessionId>,
    provenance: &'a BTreeSet<SessionId>,
    commit: Option<&'a CommitSha>,
    branch: Option<&'a str>,
    work_unit: Option<&'a WorkUnit>,
    methodology: Option<&'a str>,
    relations: &'a [Relation],
    half_life_days: Option<u32>,
    needs_review: bool,
    /// Why it waits for a person.
    review_reason: Option<&'static str>,
    /// When a person confirmed the text as it is now.
    verified_at: Option<Timestamp>,
    pinned: bool,
    flagged: Option<&'a Flag>,
    stale: Option<&'a Mark>,
    deprecated: Option<&'a Mark>,
    deleted_since: Option<Timestamp>,
    tainted_by: &'a Taint,
    /// The structured part that some types have.
    #[serde(skip_serializing_if = "Option::is_none")]
    payload: Option<&'a Payload>,
    revision: u64,
}

impl<'a> MemoryView<'a> {
    pub(crate) fn of(shelved: &'a Shelved, now: Timestamp) -> Self {
        Self::new(&shelved.memory, shelved.shelf, now)
    }

    pub(crate) fn new(memory: &'a Memory, shelf: Shelf, now: Timestamp) -> Self {
        Self {
            id: memory.id,
            shelf: shelf.as_str(),
            memory_type: memory.memory_type(),
            content: memory.content.as_str(),
            summary: memory.summary.as_str(),
            citation: memory
                .citation
                .as_ref()
                .map(oldhand_domain::text::Citation::as_str),
            confidence: rounded(memory.confidence.get()),
            confidence_now: rounded(memory.confidence_now(now).get()),
            files: &memory.files,
            tags: &memory.tags,
            modules: &memory.modules,
            target_node: memory.target_node.as_deref(),
            impacted_nodes: &memory.impacted_nodes,
            fingerprints: &memory.fingerprints,
            source: memory.source,
            created_by: &memory.created_by,
            scope: memory.scope,
            visibility: memory.visibility,
            created_at: memory.created_at,
            updated_at: memory.updated_at,
            last_accessed_at: memory.usage.last_accessed_at,
            access_count: memory.usage.access_count,
            session: memory.session.as_ref(),
            provenance: &memory.provenance,
            commit: memory.commit.as_ref(),
            branch: memory.branch.as_deref(),
            work_unit: memory.work_unit.as_ref(),
            methodology: memory.methodology.as_deref(),
            relations: &memory.relations,
            half_life_days: memory.half_life_days(),
            needs_review: memory.needs_review,
            review_reason: memory.review_reason.map(ReviewReason::as_str),
            verified_at: verified_at(memory),
            pinned: memory.pinned,
            flagged: memory.flagged.as_ref(),
            stale: memory.stale.as_ref(),
            deprecated: memory.deprecated.as_ref(),
            deleted_since: memory.deleted_since,
            tainted_by: &memory.taint,
            payload: match &memory.payload {
                Payload::Plain(_) => None,
                structured => Some(structured),
            },
            revision: memory.revision,
        }
    }
}

fn verified_at(memory: &Memory) -> Option<Timestamp> {
    let verified = memory.verified.filter(|_| memory.is_verified());
    verified.map(|verified| verified.at)
}

/// Four digits are what a number like this can carry, and the same on every machine.
pub(crate) fn rounded(number: f64) -> f64 {
    // Nothing less is nothing: `-0.0` reads as if it meant something.
    (number * 10_000.0).round() / 10_000.0 + 0.0
}

#[derive(Serialize)]
pub(crate) struct ListView<'a> {
    pub(crate) memories: Vec<MemoryView<'a>>,
    pub(crate) damaged: Vec<MemoryId>,
    pub(crate) truncated: bool,
}

#[derive(Serialize)]
pub(crate) struct SearchView<'a> {
    pub(crate) results: Vec<ResultView<'a>>,
    pub(crate) asked: AskedView<'a>,
    pub(crate) damaged: Vec<MemoryId>,
    /// How many are only somewhat near, and shown with `--weak`.
    pub(crate) weak: usize,
    /// How many changes of memories the search by meaning does not know yet.
    pub(crate) behind: usize,
    /// Found and not shown, with the reason.
    pub(crate) left_out: Vec<LeftOutView>,
}

/// What was looked for, and among how many.
#[derive(Serialize)]
pub(crate) struct AskedView<'a> {
    query_type: Option<&'static str>,
    words: &'a [String],
    memories: usize,
    passing: Option<usize>,
    nothing_of: Option<String>,
}

impl<'a> AskedView<'a> {
    pub(crate) fn new(asked: &'a Asked) -> Self {
        Self {
            query_type: asked.query_type.map(QueryType::as_str),
            words: &asked.words,
            memories: asked.memories,
            passing: asked.passing,
            nothing_of: asked.nothing_of.map(|day| day.to_string()),
        }
    }
}

#[derive(Serialize)]
pub(crate) struct ResultView<'a> {
    #[serde(flatten)]
    memory: MemoryView<'a>,
    score: f64,
    because: BecauseView,
}

#[derive(Serialize)]
pub(crate) struct LeftOutView {
    pub(crate) id: MemoryId,
    pub(crate) why: String,
}

/// Why a result is where it is.
#[derive(Serialize)]
struct BecauseView {
    query_type: &'static str,
    lanes: Vec<LaneView>,
    /// What every memory starts at that the lanes found.
    start: f64,
    /// The start, the lanes and the close reading together.
    fused: f64,
    /// What a close reading added, where there was one.
    read_closely: Option<f64>,
    added: AddedView,
    /// `fused` and what was added: what answers are ordered by.
    total: f64,
    /// The factor by which use, age, trust and confidence change the odds.
    usefulness: Option<f64>,
    /// The estimated chance that this is what was asked for; none where the newest were asked for, or where it was not measured for the model.
    relevance: Option<f64>,
    /// What that chance is made of: log-odds, which add up to it.
    likelihood: Option<LikelihoodView>,
    source_trust: f64,
    confidence_now: f64,
    /// The same, as a line for a person.
    words: String,
}

/// What is added to `fused`, in its points.
#[derive(Serialize)]
struct AddedView {
    act: f64,
    named: f64,
    boost: f64,
    usefulness: f64,
}

impl AddedView {
    fn new(added: Added) -> Self {
        Self {
            act: rounded(added.act),
            named: rounded(added.named),
            boost: rounded(added.boost),
            usefulness: rounded(added.usefulness),
        }
    }
}

#[derive(Serialize)]
struct LikelihoodView {
    stands_out: f64,
    near: f64,
    words_met: f64,
    together: f64,
    memories: f64,
    behind: f64,
    start: f64,
    act: f64,
}

impl LikelihoodView {
    fn new(of: Likelihood) -> Self {
        Self {
            stands_out: rounded(of.stands_out),
            near: rounded(of.near),
            words_met: rounded(of.words_met),
            together: rounded(of.together),
            memories: rounded(of.memories),
            behind: rounded(of.behind),
            start: rounded(of.start),
            act: rounded(of.tells_act()),
        }
    }
}

/// What one way of finding said of a result.
#[derive(Serialize)]
pub(crate) struct LaneView {
    lane: &'static str,
    rank: usize,
    score: f64,
    weight: f64,
    /// What it added to `fused`.
    part: f64,
}

impl LaneView {
    pub(crate) fn new(part: &LanePart) -> Self {
        Self {
            lane: part.lane.as_str(),
            rank: part.rank,
            score: rounded(part.score),
            weight: part.weight,
            part: rounded(part.part),
        }
    }
}

impl<'a> ResultView<'a> {
    pub(crate) fn new(shelf: Shelf, candidate: &'a Candidate, now: Timestamp) -> Self {
        let because = &candidate.because;
        let lanes = because.lanes.iter().map(LaneView::new);
        Self {
            memory: MemoryView::new(&candidate.memory, shelf, now),
            score: rounded(candidate.score),
            because: BecauseView {
                query_type: because.query_type.as_str(),
                lanes: lanes.collect(),
                start: rounded(because.start),
                fused: rounded(because.fused),
                read_closely: because.reading.map(|reading| rounded(reading.lift)),
                added: AddedView::new(because.added()),
                total: rounded(because.total()),
                usefulness: because.usefulness.map(|known| rounded(known.factor)),
                relevance: (because.judged == Judged::ByRelevance)
                    .then(|| rounded(because.relevance)),
                likelihood: because.likelihood.map(LikelihoodView::new),
                source_trust: candidate.memory.source.trust(),
                confidence_now: rounded(candidate.memory.confidence_now(now).get()),
                words: because.to_string(),
            },
        }
    }
}

/// One line of `import json`. What `export` prints beyond these fields is the importing store's own business.
#[derive(Deserialize)]
pub(crate) struct ImportLine {
    /// What it was called where it comes from, and what it hangs together with there. Whatever else these hold is passed over.
    #[serde(default)]
    id: serde_json::Value,
    #[serde(default)]
    relations: serde_json::Value,
    #[serde(rename = "type")]
    memory_type: Option<MemoryType>,
    content: String,
    summary: Option<String>,
    citation: Option<String>,
    confidence: Option<Confidence>,
    #[serde(default)]
    tags: BTreeSet<Tag>,
    #[serde(default)]
    files: BTreeSet<ProjectPath>,
    #[serde(default)]
    modules: BTreeSet<ModuleName>,
    target_node: Option<String>,
    #[serde(default)]
    impacted_nodes: BTreeSet<String>,
    #[serde(default)]
    fingerprints: BTreeSet<Fingerprint>,
    source: Option<Source>,
    created_by: Option<Author>,
    scope: Option<Scope>,
    visibility: Option<Visibility>,
    created_at: Option<Timestamp>,
    session: Option<SessionId>,
    commit: Option<CommitSha>,
    branch: Option<String>,
    work_unit: Option<WorkUnit>,
    methodology: Option<String>,
    #[serde(default)]
    needs_review: bool,
    review_reason: Option<ReviewReason>,
    #[serde(default)]
    pinned: bool,
    #[serde(default)]
    tainted_by: Taint,
    payload: Option<Payload>,
    deleted_since: Option<Timestamp>,
    deprecated: Option<Mark>,
}

impl ImportLine {
    pub(crate) fn id(&self) -> Option<MemoryId> {
        MemoryId::deserialize(&self.id).ok()
    }

    /// The first part of the text that this is a further part of.
    pub(crate) fn part_of(&self) -> Option<MemoryId> {
        let relations = Vec::<Relation>::deserialize(&self.relations).ok()?;
        relations.iter().find_map(Relation::first_part)
    }

    /// The memory that the line asks for; `Err` says why there is none.
    pub(crate) fn into_draft(self) -> Result<Draft> {
        if self.deleted_since.is_some() || self.deprecated.is_some() {
            return Err(Failure::invalid("it was deleted or replaced where it comes from").into());
        }
        let payload = match (self.payload, self.memory_type) {
            (Some(payload), Some(named)) if payload.memory_type() != named => {
                let message = format!(
                    "type `{named}` has a payload of `{}`",
                    payload.memory_type()
                );
                return Err(Failure::invalid(message).into());
            }
            (Some(payload), _) => payload,
            (None, Some(named)) => Payload::Plain(named),
            (None, None) => oldhand_engine::rules::guess_type(&self.content).into(),
        };
        let source = self.source.unwrap_or(Source::UserTaught);
        let taught = Draft::taught(payload, self.content);
        Ok(Draft {
            part_of: None,
            // One that another version counted shorter is worded anew instead of refused.
            summary: self.summary.filter(|summary| {
                Summary::new(summary).is_ok() || Summary::stored(summary).is_err()
            }),
            citation: self.citation,
            confidence: self.confidence.unwrap_or(taught.confidence),
            tags: self.tags,
            files: self.files,
            modules: self.modules,
            target_node: self.target_node,
            impacted_nodes: self.impacted_nodes,
            fingerprints: self.fingerprints,
            created_at: self.created_at,
            session: self.session,
            commit: self.commit,
            branch: self.branch,
            work_unit: self.work_unit,
            methodology: self.methodology,
            scope: self.scope.unwrap_or(taught.scope),
            source,
            created_by: self.created_by.unwrap_or(taught.created_by),
            visibility: self.visibility,
            needs_review: self.needs_review,
            review_reason: self.review_reason,
            pinned: self.pinned,
            taint: self.tainted_by,
            payload: taught.payload,
            content: taught.content,
            past: taught.past,
            is_handed_over: taught.is_handed_over,
        })
    }
}
