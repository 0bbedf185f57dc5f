//! Writing a memory: redact, check, compare, save, and say what happened.

use std::collections::HashMap;
use std::rc::Rc;

use jiff::Timestamp;
use oldhand_domain::error::StoreError;
use oldhand_domain::filter::{Filter, TextQuery};
use oldhand_domain::id::{MemoryId, SessionId};
use oldhand_domain::memory::{Draft, Memory, SESSION_LIMIT};
use oldhand_domain::port::{Embedder, MemoryReader};
use oldhand_domain::taint::{OutsideText, Taint};
use oldhand_domain::text::InvalidText;
use oldhand_domain::vocabulary::{ReviewReason, Source};
use oldhand_observe::orders::{Order, order_in, order_in_output, order_of_person};
pub use oldhand_observe::settle::Voice;
use oldhand_observe::settle::{Neighbour, Said, Settlement, settle};

use crate::redaction::{Redaction, redact_draft};
use crate::{Engine, EngineError, Shelf};

/// What happened to a draft.
#[derive(Clone, Debug, PartialEq)]
pub struct Receipt {
    pub outcome: Written,
    /// What was taken out before anything was stored.
    pub redactions: Vec<Redaction>,
    /// The order to a model that its words give: a person reads it first.
    pub order: Option<Order>,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Written {
    Inserted(Box<Memory>),
    /// It was known; this is the known memory as it is now.
    Merged {
        into: Box<Memory>,
        cosine: f32,
        /// Whether that changed anything about it.
        is_news: bool,
    },
    /// It says the opposite of `old`, which are deprecated now.
    Superseded {
        new: Box<Memory>,
        old: Vec<Memory>,
    },
    Refused(Refusal),
}

#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum Refusal {
    #[error(transparent)]
    Text(#[from] InvalidText),
    #[error(
        "session {0} has already left {SESSION_LIMIT} memories, which is the most one session may"
    )]
    SessionFull(SessionId),
}

impl Receipt {
    /// The memory that now says it; `None` when refused.
    pub fn memory(&self) -> Option<&Memory> {
        match &self.outcome {
            Written::Inserted(memory)
            | Written::Merged { into: memory, .. }
            | Written::Superseded { new: memory, .. } => Some(memory),
            Written::Refused(_) => None,
        }
    }

    pub fn id(&self) -> Option<MemoryId> {
        self.memory().map(|memory| memory.id)
    }
}

/// How many memories one transaction of [`Engine::remember_all`] takes: enough to make the disk's
/// confirmation cheap, few enough that other writers get their turn.
const BATCH: usize = 100;

/// How many textual matches are looked at to find the nearest by meaning.
const CANDIDATES: usize = 30;

impl Engine<'_> {
    pub fn remember(
        &self,
        shelf: Shelf,
        draft: Draft,
        now: Timestamp,
    ) -> Result<Receipt, EngineError> {
        let receipts = self.remember_all(shelf, vec![draft], Voice::Speaker, now, &mut |_| {})?;
        Ok(receipts.into_iter().next().expect("one receipt per draft"))
    }

    /// Writes drafts in order, each compared with the ones before it. Every batch is one transaction;
    /// `progress` hears how many are done. When a batch fails, the earlier ones stay.
    pub fn remember_all(
        &self,
        shelf: Shelf,
        drafts: Vec<Draft>,
        voice: Voice,
        now: Timestamp,
        progress: &mut dyn FnMut(usize),
    ) -> Result<Vec<Receipt>, EngineError> {
        let store = self.store(shelf)?;
        let mut receipts = Vec::with_capacity(drafts.len());
        let mut drafts = drafts.into_iter().map(redact_draft).peekable();
        while drafts.peek().is_some() {
            let batch: Vec<(Draft, Vec<Redaction>)> = drafts.by_ref().take(BATCH).collect();
            let mut written = Vec::new();
            let mut failure = None;
            let mut plan = |reader: &dyn MemoryReader| -> Result<Vec<Memory>, StoreError> {
                let mut pending = Pending::default();
                written.clear();
                for (draft, _) in &batch {
                    match self.settle_one(reader, &mut pending, draft, voice, now) {
                        Ok(outcome) => written.push(outcome),
                        Err(EngineError::Store(error)) => return Err(error),
                        Err(other) => {
                            failure = Some(other);
                            return Ok(Vec::new());
                        }
                    }
                }
                Ok(pending.changed)
            };
            store.change(&mut plan)?;
            if let Some(failure) = failure {
                return Err(failure);
            }
            let written = written.into_iter().zip(batch);
            receipts.extend(written.map(|(outcome, (draft, redactions))| {
                let is_refused = matches!(outcome, Written::Refused(_));
                Receipt {
                    order: if is_refused {
                        None
                    } else {
                        order_of(&draft, voice)
                    },
                    outcome,
                    redactions,
                }
            }));
            progress(receipts.len());
        }
        Ok(receipts)
    }

    pub(crate) fn settle_one(
        &self,
        reader: &dyn MemoryReader,
        pending: &mut Pending,
        draft: &Draft,
        voice: Voice,
        now: Timestamp,
    ) -> Result<Written, EngineError> {
        let from_agent = draft
            .session
            .clone()
            .filter(|_| draft.source != Source::UserTaught);
        if let Some(session) = from_agent
            && reader.learned_in(&session)? + pending.learned_in(&session) >= SESSION_LIMIT
        {
            return Ok(Written::Refused(Refusal::SessionFull(session)));
        }
        // Limits first: a text that is refused for its length may be of any length, and is not read for orders.
        let mut new = match Memory::new(self.ids.memory_id(), draft.clone(), now) {
            Ok(new) => new,
            Err(error) => return Ok(Written::Refused(error.into())),
        };
        if order_of(draft, voice).is_some() {
            hold_back(&mut new);
            // That somebody read it elsewhere is what a file says of itself.
            new.verified = None;
        }
        let neighbours = self.neighbours(reader, pending, &new)?;
        let settlement = settle(new, &neighbours, voice, now);
        pending.take(settlement.changed());
        Ok(match settlement {
            Settlement::New(memory) | Settlement::Disputed { new: memory, .. } => {
                Written::Inserted(memory)
            }
            Settlement::Same { into, cosine } => Written::Merged {
                is_news: neighbours.iter().all(|near| near.memory != *into),
                into,
                cosine,
            },
            Settlement::Opposite { new, old } => Written::Superseded {
                new,
                old: old.into_iter().map(|(memory, _)| memory).collect(),
            },
        })
    }

    /// Known memories that share words with `new`, nearest in meaning first.
    fn neighbours(
        &self,
        reader: &dyn MemoryReader,
        pending: &mut Pending,
        new: &Memory,
    ) -> Result<Vec<Neighbour>, EngineError> {
        let query = TextQuery {
            text: new.content.as_str().to_owned(),
            filter: Filter::default(),
            limit: CANDIDATES,
        };
        let stored = reader
            .search(&query)?
            .hits
            .into_iter()
            .map(|hit| hit.memory);
        let mut candidates: Vec<Memory> = pending.changed.clone();
        candidates.extend(stored.filter(|memory| !pending.holds(memory.id)));
        let near = pending.by_nearness(self.embedder, new.content.as_str(), candidates)?;
        let neighbour = |(memory, cosine): (Memory, f32)| {
            let text = memory.content.as_str();
            let said = match pending.said.get(text) {
                Some(said) => said.clone(),
                None => pending.said.entry(text.to_owned()).or_default().clone(),
            };
            Neighbour {
                memory,
                cosine,
                said,
            }
        };
        Ok(near.into_iter().map(neighbour).collect())
    }

    /// Memories that share words with `text`, nearest in meaning first.
    pub(crate) fn nearest(
        &self,
        reader: &dyn MemoryReader,
        text: &str,
        filter: Filter,
        limit: usize,
    ) -> Result<Vec<(Memory, f32)>, EngineError> {
        let query = TextQuery {
            text: text.to_owned(),
            filter,
            limit,
        };
        let found = reader
            .search(&query)?
            .hits
            .into_iter()
            .map(|hit| hit.memory)
            .collect();
        Pending::default().by_nearness(self.embedder, text, found)
    }
}

/// The order that a draft gives to a model, in any of the words that may be told.
fn order_of(draft: &Draft, voice: Voice) -> Option<Order> {
    let texts = [
        Some(&draft.content),
        draft.summary.as_ref(),
        draft.citation.as_ref(),
    ];
    let is_own = voice == Voice::Speaker && draft.session.is_none() && !draft.is_handed_over;
    let find = match draft.source {
        Source::ObserverInferred | Source::QaAuto => order_in_output,
        // Not what a file, a program or an agent says that somebody else may have written.
        Source::UserTaught if is_own => order_of_person,
        _ => order_in,
    };
    texts.into_iter().flatten().find_map(|text| find(text))
}

/// Whoever brought words that give orders to a model, a person reads them before an agent does.
pub(crate) fn hold_back(memory: &mut Memory) {
    memory.await_review(ReviewReason::OutsideText);
    memory.pinned = false;
    memory.taint = std::mem::take(&mut memory.taint).join(&Taint::by(OutsideText::Orders));
}

/// What this transaction will save, visible to the drafts that follow in it.
#[derive(Default)]
pub(crate) struct Pending {
    changed: Vec<Memory>,
    /// What the texts mean that were compared so far: each is compared with every later draft.
    vectors: HashMap<String, Vec<f32>>,
    /// What they say, read as they are compared.
    said: HashMap<String, Rc<Said>>,
}

impl Pending {
    /// `memories` by how near they are in meaning to `text`, nearest first.
    fn by_nearness(
        &mut self,
        embedder: &dyn Embedder,
        text: &str,
        memories: Vec<Memory>,
    ) -> Result<Vec<(Memory, f32)>, EngineError> {
        if memories.is_empty() {
            return Ok(Vec::new());
        }
        let contents = memories.iter().map(|memory| memory.content.as_str());
        let unknown: Vec<&str> = contents
            .chain([text])
            .filter(|text| !self.vectors.contains_key(*text))
            .collect();
        let vectors = embedder.embed(&unknown)?;
        let unknown = unknown.into_iter().map(str::to_owned);
        self.vectors.extend(unknown.zip(vectors));
        let wanted = &self.vectors[text];
        let mut near: Vec<(Memory, f32)> = memories
            .into_iter()
            .map(|memory| {
                let cosine = cosine(wanted, &self.vectors[memory.content.as_str()]);
                (memory, cosine)
            })
            .collect();
        near.sort_by(|(a, near_a), (b, near_b)| near_b.total_cmp(near_a).then(a.id.cmp(&b.id)));
        Ok(near)
    }

    pub(crate) fn into_changed(self) -> Vec<Memory> {
        self.changed
    }

    /// A memory as this transaction will leave it.
    pub(crate) fn find(
        &self,
        reader: &dyn MemoryReader,
        id: MemoryId,
    ) -> Result<Option<Memory>, StoreError> {
        match self.changed.iter().find(|memory| memory.id == id) {
            Some(memory) => Ok(Some(memory.clone())),
            None => reader.get(id),
        }
    }

    pub(crate) fn take(&mut self, memories: Vec<Memory>) {
        for memory in memories {
            self.changed.retain(|other| other.id != memory.id);
            self.changed.push(memory);
        }
    }

    pub(crate) fn holds(&self, id: MemoryId) -> bool {
        self.changed.iter().any(|memory| memory.id == id)
    }

    /// New ones only: a merge into a known memory leaves nothing more behind.
    fn learned_in(&self, session: &SessionId) -> usize {
        self.changed
            .iter()
            .filter(|memory| memory.revision == 0 && memory.session.as_ref() == Some(session))
            .count()
    }
}

/// Vectors have unit length, so their product is the cosine.
pub(crate) fn cosine(a: &[f32], b: &[f32]) -> f32 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}
