//! Memories are believed less, the more of their files was rewritten since they were known.
//!
//! What is left of a file is written into the memory as where it is derived from, so that looking again takes nothing twice
//! and what comes back is believed again.

use std::collections::{BTreeMap, BTreeSet};

use jiff::{SignedDuration, Timestamp};
use oldhand_domain::confidence::Confidence;
use oldhand_domain::filter::Filter;
use oldhand_domain::id::MemoryId;
use oldhand_domain::memory::{Mark, Memory};
use oldhand_domain::path::ProjectPath;
use oldhand_domain::payload::{BuiltInType, MemoryType, Payload};
use oldhand_domain::relation::{Extraction, Relation, RelationTarget, RelationType};
use oldhand_domain::session::SessionStore;
use oldhand_domain::vocabulary::ReviewReason;
use oldhand_domain::vocabulary::Source;
use oldhand_observe::distill::{is_claim, is_file, names_to_find};

use crate::{Engine, EngineError, ReportLine, SessionReport};

/// A file, and since when somebody knows something about it.
pub type KnownSince = (ProjectPath, Timestamp);

/// What is left of a file since then.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Left {
    /// The share of its lines that are still there.
    pub share: f64,
    /// The commits that changed it.
    pub changes: usize,
}

/// What happened to memories because their files were rewritten.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Weighed {
    /// Those that are believed less or more than before.
    pub moved: Vec<MemoryId>,
    /// Those that are stale from now on.
    pub doubted: Vec<MemoryId>,
    /// Those that a person should look at from now on.
    pub to_review: Vec<MemoryId>,
}

/// How the reason of a stale memory begins when it is stale by this; only such a mark is taken back by itself.
const BECAUSE: &str = "its files changed: ";
/// The same where what it names is gone.
const NAMES_GONE: &str = "what it names is gone: ";
/// The same where it is of a kind that is over.
const OUTLIVED: &str = "it helps nobody: ";
/// Less of a file is as good as nothing; and what is believed this little can still be believed again.
const LEAST_SHARE: f64 = 0.2;
/// Smaller differences are not worth a write.
const NOTICED: f64 = 0.05;
/// After so many changes of a file, an unused memory about it wants to be looked at.
const BUSY: usize = 20;
/// Recipes that nobody used for so long are doubted.
const RECIPE_UNUSED: SignedDuration = SignedDuration::from_hours(60 * 24);

impl Engine<'_> {
    /// Everything that has to be known to [`Engine::weigh`] the project's memories.
    pub fn known_since(&self) -> Result<BTreeSet<KnownSince>, EngineError> {
        let kept = self.project.list(&Filter::default())?;
        let memories = kept.memories.iter();
        Ok(memories.flat_map(questions).collect())
    }

    /// What the project's memories name that agents found out, memory by memory: it has to be in the tree. Other gotchas may name
    /// what never was there, such as the function that a compiler did not find.
    pub fn named(
        &self,
        sessions: &dyn SessionStore,
    ) -> Result<Vec<(MemoryId, Vec<String>)>, EngineError> {
        let filter = Filter {
            types: vec![BuiltInType::Gotcha.into()],
            ..Filter::default()
        };
        let mut kept = self.project.list(&filter)?.memories;
        kept.retain(|memory| memory.source == Source::ObserverInferred);
        if kept.is_empty() {
            return Ok(Vec::new());
        }
        let records = sessions.sessions()?;
        let reports: Vec<SessionReport> = records.iter().filter_map(SessionReport::read).collect();
        let lines = reports.iter().flat_map(|report| &report.lines);
        let claims: BTreeSet<MemoryId> = lines
            .filter(|line| is_claim(&line.key))
            .filter_map(ReportLine::memory)
            .collect();
        let kept = kept
            .into_iter()
            .filter(|memory| claims.contains(&memory.id));
        let named = kept.map(|memory| (memory.id, names_to_find(memory.content.as_str())));
        Ok(named.filter(|(_, names)| !names.is_empty()).collect())
    }

    /// Believes every memory as much as its files still are what they were, in one transaction. A file that `left` does not
    /// tell of speaks neither for nor against; `gone` is what each memory that was asked for names and is in no file any more.
    /// Who stands by a memory knows better than a look at names.
    pub fn weigh(
        &self,
        left: &BTreeMap<KnownSince, Left>,
        gone: &BTreeMap<MemoryId, Option<String>>,
        now: Timestamp,
    ) -> Result<Weighed, EngineError> {
        let mut weighed = Weighed::default();
        self.project.change(&mut |reader| {
            weighed = Weighed::default();
            let mut changed = Vec::new();
            for memory in reader.list(&Filter::default())?.memories {
                let mut after = memory.clone();
                let is_kept = memory.is_verified() || memory.pinned;
                let gone = gone.get(&memory.id).filter(|_| !is_kept);
                let gone = gone.and_then(Option::as_ref);
                let against = gone.map(|name| format!("`{name}` is in no file"));
                mark(&mut after, NAMES_GONE, against, now);
                weigh_one(&mut after, left, now);
                if after == memory {
                    continue;
                }
                if after.confidence != memory.confidence {
                    weighed.moved.push(memory.id);
                }
                if after.stale.is_some() && memory.stale.is_none() {
                    weighed.doubted.push(memory.id);
                }
                if after.needs_review && !memory.needs_review {
                    weighed.to_review.push(memory.id);
                }
                after.updated_at = now;
                changed.push(after);
            }
            Ok(changed)
        })?;
        Ok(weighed)
    }
}

/// What people want, and what sessions count anew each time, does not get less true by a rewritten line.
fn tells_of_the_text(memory: &Memory) -> bool {
    let plain = [
        BuiltInType::Gotcha,
        BuiltInType::Pattern,
        BuiltInType::ErrorPattern,
        BuiltInType::ModuleInsight,
        BuiltInType::DeadEnd,
        BuiltInType::E2eObservation,
    ];
    let of_this_type =
        |built_in: &BuiltInType| memory.memory_type() == MemoryType::BuiltIn(*built_in);
    !memory.pinned && plain.iter().any(of_this_type)
}

/// When somebody last knew it to be true.
fn known_at(memory: &Memory) -> Timestamp {
    let verified = memory.verified.as_ref().map(|verified| verified.at);
    memory.created_at.max(verified.unwrap_or(memory.created_at))
}

/// When it last served without being corrected.
fn used_at(memory: &Memory) -> Timestamp {
    known_at(memory).max(memory.usage.last_accessed_at)
}

/// Whether it is of a kind that is told to nobody any more: which files most sessions of a folder used.
fn is_outlived(memory: &Memory) -> bool {
    memory.memory_type() == BuiltInType::PrefetchPattern.into()
        && memory.source == Source::ObserverInferred
        && !memory.pinned
        && !memory.is_verified()
        && memory.content.as_str().starts_with("Of ")
}

/// The files whose lines it hangs on. What a session taught names those that it is about, or only what is in them; else they were only
/// at hand.
fn told_of(memory: &Memory) -> impl Iterator<Item = &ProjectPath> {
    let content = memory.content.as_str();
    let is_learned = memory.source == Source::ObserverInferred;
    let is_told = move |file: &&ProjectPath| memory.holds_from(file) && is_named(file, content);
    let names_none = is_learned && !memory.files.iter().any(|file| is_told(&file));
    let is_of_code = names_none && names_code(content);
    let counts = move |file: &&ProjectPath| {
        !is_learned || is_told(file) || is_of_code && memory.holds_from(file)
    };
    memory.files.iter().filter(counts)
}

/// Whether a text names a file by its path or by the end of it.
fn is_named(file: &ProjectPath, text: &str) -> bool {
    let is_outside = |c: char| c.is_whitespace() || "`'\"(),:;".contains(c);
    let words = text
        .split(is_outside)
        .map(|word| word.trim_end_matches('.'));
    let ends_in = |word: &str| {
        let before = file.as_str().strip_suffix(word);
        before.is_some_and(|before| before.is_empty() || before.ends_with('/'))
    };
    words.filter(|word| !word.is_empty()).any(ends_in)
}

/// Whether a text names something that a file may define: code of one word that is no option and no file.
fn names_code(text: &str) -> bool {
    let is_word = |name: &str| !name.starts_with('-') && !name.contains(char::is_whitespace);
    let mut names = names_to_find(text).into_iter();
    names.any(|name| is_word(&name) && !is_file(&name))
}

fn questions(memory: &Memory) -> BTreeSet<KnownSince> {
    let mut asked = BTreeSet::new();
    if tells_of_the_text(memory) || is_outlived(memory) {
        for file in told_of(memory) {
            asked.insert((file.clone(), known_at(memory)));
            asked.insert((file.clone(), used_at(memory)));
        }
    }
    if let Payload::WorkflowRecipe(recipe) = &memory.payload {
        let steps = recipe.steps.iter();
        let files = steps.filter_map(|step| step.canonical_file.clone());
        let since = recipe.last_validated_at.max(known_at(memory));
        asked.extend(files.map(|file| (file, since)));
    }
    asked
}

fn weigh_one(memory: &mut Memory, left: &BTreeMap<KnownSince, Left>, now: Timestamp) {
    if let Payload::WorkflowRecipe(recipe) = &memory.payload {
        let since = recipe.last_validated_at.max(known_at(memory));
        let steps = recipe.steps.iter();
        let changed = steps
            .filter_map(|step| step.canonical_file.as_ref())
            .find(|file| {
                let now = left.get(&((*file).clone(), since));
                now.is_some_and(|now| now.changes > 0)
            });
        let against = match changed {
            Some(file) => Some(format!("{file} is another one since it last worked")),
            None if now.duration_since(since.max(memory.usage.last_accessed_at))
                > RECIPE_UNUSED =>
            {
                Some("nobody went this way for 60 days".to_owned())
            }
            None => None,
        };
        mark(memory, BECAUSE, against, now);
        return;
    }
    if is_outlived(memory) {
        let against = "whoever works in a folder opens its files anyway";
        mark(memory, OUTLIVED, Some(against.to_owned()), now);
    }
    if !tells_of_the_text(memory) {
        return;
    }
    let since = known_at(memory);
    let known: Vec<(ProjectPath, f64)> = told_of(memory)
        .filter_map(|file| {
            let left = left.get(&(file.clone(), since))?;
            Some((file.clone(), left.share.clamp(LEAST_SHARE, 1.0)))
        })
        .collect();
    let hangs_on_none = told_of(memory).next().is_none();
    if known.is_empty() && !hangs_on_none {
        return;
    }
    let before = standing(&memory.relations);
    let share = if hangs_on_none {
        1.0
    } else {
        mean(known.iter().map(|(_, share)| *share))
    };
    if (share - before.unwrap_or(1.0)).abs() >= NOTICED {
        memory.confidence = memory.confidence.scaled(share / before.unwrap_or(1.0));
        memory.relations.retain(|relation| !is_ours(relation));
        memory
            .relations
            .extend(known.iter().map(|(file, share)| Relation {
                relation_type: RelationType::DerivedFrom,
                target: RelationTarget::File(file.clone()),
                confidence: Confidence::clamped(*share),
                extraction: Extraction::Automatic,
            }));
    }
    let against = (share <= LEAST_SHARE).then(|| {
        let names: Vec<&str> = known.iter().map(|(file, _)| file.as_str()).collect();
        format!("hardly a line of {} is left", names.join(", "))
    });
    mark(memory, BECAUSE, against, now);
    let used = used_at(memory);
    let is_busy = told_of(memory).any(|file| {
        let left = left.get(&(file.clone(), used));
        left.is_some_and(|left| left.changes >= BUSY)
    });
    // More sessions do not answer this.
    let waits_for_sessions = memory.review_reason == Some(ReviewReason::FewSessions);
    if is_busy && !memory.is_verified() && (!memory.needs_review || waits_for_sessions) {
        memory.await_review(ReviewReason::CodeChanged);
    }
}

/// Doubts a memory, or takes back the doubt that was for the same.
pub(crate) fn mark(memory: &mut Memory, because: &str, against: Option<String>, now: Timestamp) {
    let is_ours = |mark: &Mark| mark.reason.starts_with(because);
    match against {
        Some(reason) if memory.stale.is_none() => {
            let reason = format!("{because}{reason}");
            memory.stale = Some(Mark { since: now, reason });
        }
        None if memory.stale.as_ref().is_some_and(is_ours) => memory.stale = None,
        _ => {}
    }
}

/// What was left of its files when last looked at.
fn standing(relations: &[Relation]) -> Option<f64> {
    let shares: Vec<f64> = relations
        .iter()
        .filter(|relation| is_ours(relation))
        .map(|relation| relation.confidence.get())
        .collect();
    (!shares.is_empty()).then(|| mean(shares.iter().copied()))
}

fn is_ours(relation: &Relation) -> bool {
    relation.relation_type == RelationType::DerivedFrom
        && relation.extraction == Extraction::Automatic
        && matches!(relation.target, RelationTarget::File(_))
}

fn mean(shares: impl ExactSizeIterator<Item = f64>) -> f64 {
    let number = shares.len() as f64;
    shares.sum::<f64>() / number
}
