//! A new statement meets the ones already known: is it new, the same again, or the opposite?
//!
//! Pure: the nearest known memories come in, the memories to save come out. The rules are few on
//! purpose, since a wrong merge loses words and a wrong contradiction hides a true memory.

use std::cell::OnceCell;
use std::rc::Rc;

use jiff::Timestamp;
use oldhand_domain::confidence::Confidence;
use oldhand_domain::id::MemoryId;
use oldhand_domain::memory::{Mark, Memory};
use oldhand_domain::relation::{Extraction, Relation, RelationTarget, RelationType};
use oldhand_domain::taint::{OutsideText, Taint};
use oldhand_domain::vocabulary::{ReviewReason, Source};

mod opposite;
mod program;
mod same;
mod value;

use opposite::Statement;
pub use opposite::{Opposition, oppose, opposites};
pub use same::telling_words;

/// A known memory and how near it is to the new one.
#[derive(Clone, Debug)]
pub struct Neighbour {
    pub memory: Memory,
    pub cosine: f32,
    /// What its content says.
    pub said: Rc<Said>,
}

impl Neighbour {
    fn words(&self) -> &[String] {
        self.said.words(self.memory.content.as_str())
    }

    fn statement(&self) -> &Statement {
        self.said.statement(self.memory.content.as_str())
    }
}

/// A text as it was read: when it is first compared, and once for everything that is compared with it.
#[derive(Debug, Default)]
pub struct Said {
    words: OnceCell<Vec<String>>,
    statement: OnceCell<Statement>,
}

impl Said {
    fn words(&self, text: &str) -> &[String] {
        self.words.get_or_init(|| telling_words(text))
    }

    fn statement(&self, text: &str) -> &Statement {
        self.statement.get_or_init(|| Statement::of(text))
    }
}

/// What became of a new memory, with the memories to save.
#[derive(Clone, Debug, PartialEq)]
pub enum Settlement {
    New(Box<Memory>),
    /// Known already. The known one is confirmed, or left alone when the new one is not to be trusted.
    Same {
        into: Box<Memory>,
        cosine: f32,
    },
    /// The new one says the opposite of known ones: they are deprecated, and it says so.
    Opposite {
        new: Box<Memory>,
        old: Vec<(Memory, Opposition)>,
    },
    /// Rules files disagree: none of them is told before a person settled it.
    Disputed {
        new: Box<Memory>,
        with: Vec<Memory>,
    },
}

impl Settlement {
    pub fn id(&self) -> MemoryId {
        match self {
            Self::New(memory)
            | Self::Same { into: memory, .. }
            | Self::Opposite { new: memory, .. }
            | Self::Disputed { new: memory, .. } => memory.id,
        }
    }

    /// Everything that has to be written for this to be true.
    pub fn changed(&self) -> Vec<Memory> {
        match self {
            Self::New(memory) | Self::Same { into: memory, .. } => vec![(**memory).clone()],
            Self::Opposite { new, old } => {
                let old = old.iter().map(|(memory, _)| memory.clone());
                std::iter::once((**new).clone()).chain(old).collect()
            }
            Self::Disputed { new, with } => {
                let with = with.iter().cloned();
                std::iter::once((**new).clone()).chain(with).collect()
            }
        }
    }
}

/// Who says something that may be known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Voice {
    /// Somebody does, now: once more is a confirmation.
    Speaker,
    /// A record of what was known elsewhere. Read twice it proves no more than read once: only a session that it names, and that did not confirm
    /// the same before, makes it surer.
    Record,
}

/// Compares `new` with its neighbours, nearest first.
pub fn settle(new: Memory, neighbours: &[Neighbour], voice: Voice, now: Timestamp) -> Settlement {
    let words = telling_words(new.content.as_str());
    let same = neighbours.iter().find(|near| {
        let known = &near.memory;
        known.memory_type() == new.memory_type()
            && is_comparable(&new, known)
            && near.words() == words
    });
    let statement = Statement::of(new.content.as_str());
    if same.is_none() {
        let disputed = disputed(&new, &statement, neighbours);
        if !disputed.is_empty() {
            return dispute(new, &disputed, now);
        }
        let old = opposed(&new, &statement, neighbours, now);
        if !old.is_empty() {
            let mut new = new;
            new.relations.extend(
                old.iter()
                    .map(|(memory, _)| relation(RelationType::Supersedes, memory.id)),
            );
            return Settlement::Opposite {
                new: Box::new(new),
                old,
            };
        }
    }
    match same {
        Some(near) => {
            let into = Box::new(confirm(&near.memory, &new, voice, now));
            Settlement::Same {
                into,
                cosine: near.cosine,
            }
        }
        None => Settlement::New(Box::new(with_conflicts(new, &statement, neighbours))),
    }
}

/// The known memories that say the opposite and may be replaced, as they should be saved. A contradiction does not care what
/// type it was taken for.
fn opposed(
    new: &Memory,
    statement: &Statement,
    neighbours: &[Neighbour],
    now: Timestamp,
) -> Vec<(Memory, Opposition)> {
    let comparable = neighbours.iter().filter(|near| {
        let known = &near.memory;
        is_comparable(new, known) && may_replace(new, known) && !stand_together(new, known)
    });
    comparable
        .filter_map(|near| {
            let opposition = statement.opposes(near.statement())?;
            Some((deprecate(&near.memory, new, opposition, now), opposition))
        })
        .collect()
}

/// The rules of other files that say the opposite, have another program do the same, or give a name another value: which file is right nobody here can tell.
fn disputed<'n>(
    new: &Memory,
    statement: &Statement,
    neighbours: &'n [Neighbour],
) -> Vec<&'n Memory> {
    if !is_of_file(new) || !is_sayable(new) {
        return Vec::new();
    }
    let known = neighbours.iter().filter(|near| {
        let known = &near.memory;
        let of_another = is_of_file(known) && known.created_by != new.created_by;
        of_another && is_comparable(new, known)
    });
    let opposed = known.filter(|near| {
        let other = near.memory.content.as_str();
        statement.opposes(near.statement()).is_some()
            || program::is_of_another(new.content.as_str(), other)
            || value::is_another(new.content.as_str(), other)
    });
    opposed.map(|near| &near.memory).collect()
}

/// All of them wait for a person, but for what one stands by.
fn dispute(mut new: Memory, disputed: &[&Memory], now: Timestamp) -> Settlement {
    let conflict = |id: MemoryId| relation(RelationType::ConflictsWith, id);
    let mark = |known: &Memory| {
        let mut known = known.clone();
        known.relations.push(conflict(new.id));
        known.await_review(ReviewReason::Disputed);
        known.updated_at = now;
        known
    };
    let open = disputed.iter().copied();
    let open = open.filter(|known| !known.is_verified() && !known.pinned);
    let with: Vec<Memory> = open.map(mark).collect();
    let conflicts = disputed.iter().map(|known| conflict(known.id));
    new.relations.extend(conflicts);
    new.await_review(ReviewReason::Disputed);
    Settlement::Disputed {
        new: Box::new(new),
        with,
    }
}

/// Whether one file says both as it is now: they are two cases, or what to do and what not, and none takes the place of the other.
fn stand_together(new: &Memory, known: &Memory) -> bool {
    is_of_file(new) && new.created_by == known.created_by && new.created_at == known.created_at
}

fn is_of_file(memory: &Memory) -> bool {
    memory.created_by.as_str().starts_with("import:")
}

fn is_comparable(new: &Memory, known: &Memory) -> bool {
    let about_the_same =
        new.files.is_empty() || known.files.is_empty() || !new.files.is_disjoint(&known.files);
    let is_same = known.content == new.content;
    // Parts of one text are neither the same nor opposites, however alike they are, unless they are the same to the letter: then
    // the text was brought again.
    (is_same || known.family() != new.family())
        && known.is_live()
        && known.scope == new.scope
        && (about_the_same || is_same)
}

/// What a person stands by is only ever replaced by a person, and nothing by what nobody may be told yet: else both were silent.
fn may_replace(new: &Memory, known: &Memory) -> bool {
    let stands = known.is_verified() || known.pinned || known.source == Source::UserTaught;
    let speaks = is_sayable(new) || !is_sayable(known) && weighs(new, known);
    speaks && (new.source == Source::UserTaught || !stands)
}

/// Whether outside text left the new one its weight: it came without any, or with the very file that the known one came with.
fn weighs(new: &Memory, known: &Memory) -> bool {
    let import = Taint::by(OutsideText::Import);
    new.taint.is_clean() || new.taint == import && known.taint == import
}

/// Whether no person has to read it first.
fn is_sayable(memory: &Memory) -> bool {
    memory.taint.is_clean() && !memory.needs_review
}

/// The new memory with a note of the known ones that say the opposite and that it may not replace: whoever reviews it sees both.
fn with_conflicts(mut new: Memory, statement: &Statement, neighbours: &[Neighbour]) -> Memory {
    if is_sayable(&new) {
        return new;
    }
    let opposed = neighbours.iter().filter(|near| {
        is_comparable(&new, &near.memory) && statement.opposes(near.statement()).is_some()
    });
    let conflicts: Vec<Relation> = opposed
        .map(|near| relation(RelationType::ConflictsWith, near.memory.id))
        .collect();
    new.relations.extend(conflicts);
    new
}

fn deprecate(known: &Memory, new: &Memory, opposition: Opposition, now: Timestamp) -> Memory {
    let mut old = known.clone();
    let reason = format!("superseded by {}: {}", new.id.short(), opposition.as_str());
    old.deprecated = Some(Mark { since: now, reason });
    old.updated_at = now;
    old
}

fn relation(relation_type: RelationType, id: MemoryId) -> Relation {
    Relation {
        relation_type,
        target: RelationTarget::Memory(id),
        confidence: Confidence::FULL,
        extraction: Extraction::Automatic,
    }
}

/// How much surer one more confirmation makes us, and where that ends.
const CONFIRMATION: f64 = 0.05;
const SUREST: f64 = 0.95;

fn confirm(known: &Memory, new: &Memory, voice: Voice, now: Timestamp) -> Memory {
    let mut merged = known.clone();
    // What a person has to read first proves nothing, and must not spread its taint to words that do not come from there.
    let is_below = !is_sayable(new) && is_sayable(known);
    if is_below || !new.taint.is_clean() && known.taint.is_clean() {
        return merged;
    }
    // One session confirms once, however often it is finalized.
    let mut sessions = new.session.iter().chain(&new.provenance).peekable();
    if sessions.peek().is_some() && sessions.all(|session| known.provenance.contains(session)) {
        return merged;
    }
    // Nor does a file that is read twice say a thing twice.
    if new.created_by == known.created_by && is_of_file(new) {
        return merged;
    }
    let surer = if new.confidence > known.confidence {
        new.confidence
    } else {
        known.confidence
    };
    // To be said again and again is no proof: only what was used, or has a person's word, gets over a bar by it.
    let is_backed = known.is_verified()
        || known.usage.access_count > 0
        || [known.source, new.source].contains(&Source::UserTaught);
    let is_witness = voice == Voice::Speaker || new.session.is_some();
    merged.confidence = if !is_witness || !weighs(new, known) {
        known.confidence
    } else if is_backed {
        surer.raised(CONFIRMATION, SUREST)
    } else {
        surer.raised_below_bar(CONFIRMATION, SUREST)
    };
    merged
        .provenance
        .extend(new.provenance.iter().chain(new.session.iter()).cloned());
    merged.taint = merged.taint.join(&new.taint);
    merged.tags.extend(new.tags.iter().cloned());
    merged.files.extend(new.files.iter().cloned());
    merged.modules.extend(new.modules.iter().cloned());
    merged.fingerprints.extend(new.fingerprints.iter().cloned());
    // The words are the same; a person's spelling of them replaces a machine's, never the other way round.
    if !known.is_verified() && new.source.trust() > known.source.trust() {
        merged.content = new.content.clone();
        merged.summary = new.summary.clone();
        merged.source = new.source;
        merged.created_by = new.created_by.clone();
        if !new.needs_review {
            merged.end_review();
        }
        if new.source == Source::UserTaught {
            merged.taint = new.taint.clone();
        }
    }
    // What a person says in their own words does not hang on the file that says it too.
    let is_own_word = new.source == Source::UserTaught && !is_of_file(new) && is_sayable(new);
    let is_news = is_witness || !known.is_verified();
    if is_own_word && is_news && is_of_file(known) && !known.needs_review && known.flagged.is_none()
    {
        merged.verify(now);
    }
    if is_witness {
        merged.usage.last_accessed_at = now;
    }
    if is_witness || merged != *known {
        merged.updated_at = now;
    }
    merged
}

#[cfg(test)]
mod tests;
