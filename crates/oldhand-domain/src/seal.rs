//! Hashes that tell whether stored words are still the words that were written.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::memory::Memory;
use crate::payload::MemoryType;
use crate::text::{Content, Summary};

/// The hash of the text a person reviews: type, content and summary.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct TextHash([u8; 32]);

/// The hash of everything in a memory but its usage counters. A row whose seal does not match was
/// changed by something other than Oldhand, and is not used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Seal([u8; 32]);

macro_rules! hash_bytes {
    ($name:ident) => {
        impl $name {
            pub const fn from_bytes(bytes: [u8; 32]) -> Self {
                Self(bytes)
            }

            pub const fn as_bytes(&self) -> &[u8; 32] {
                &self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
            }
        }
    };
}

hash_bytes!(TextHash);
hash_bytes!(Seal);

impl TextHash {
    pub fn of(memory_type: &MemoryType, content: &Content, summary: &Summary) -> Self {
        let mut canon = Canon::new();
        canon
            .text(&memory_type.to_string())
            .text(content.as_str())
            .text(summary.as_str());
        Self(canon.finish())
    }
}

impl Seal {
    pub fn of(memory: &Memory) -> Self {
        // Destructured, so that a new field cannot be forgotten here.
        let Memory {
            id,
            payload,
            content,
            summary,
            citation,
            confidence,
            tags,
            files,
            modules,
            fingerprints,
            created_at,
            updated_at,
            usage: _,
            session,
            provenance,
            commit,
            branch,
            work_unit,
            methodology,
            scope,
            source,
            created_by,
            visibility,
            target_node,
            impacted_nodes,
            relations,
            half_life_days,
            needs_review,
            review_reason,
            verified,
            pinned,
            flagged,
            stale,
            deprecated,
            deleted_since,
            chunk,
            embedding_model,
            revision,
            taint,
        } = memory;
        let mut canon = Canon::new();
        canon
            .text(&id.to_string())
            .json(payload)
            .text(content.as_str())
            .text(summary.as_str());
        canon
            .json(citation)
            .number(confidence.get().to_bits())
            .json(tags)
            .json(files)
            .json(modules)
            .json(fingerprints);
        canon
            .json(created_at)
            .json(updated_at)
            .json(session)
            .json(provenance)
            .json(commit)
            .json(branch);
        canon
            .json(work_unit)
            .json(methodology)
            .json(scope)
            .json(source)
            .json(created_by)
            .json(visibility);
        canon
            .json(target_node)
            .json(impacted_nodes)
            .json(relations)
            .json(half_life_days)
            .json(needs_review);
        canon
            .json(&verified.map(|v| (v.at, v.text.to_string())))
            .json(pinned)
            .json(flagged)
            .json(stale)
            .json(deprecated);
        canon
            .json(deleted_since)
            .json(chunk)
            .json(embedding_model)
            .number(*revision)
            .json(taint);
        // The seals of memories that were written before reasons were kept still hold.
        if let Some(reason) = review_reason {
            canon.text(reason.as_str());
        }
        Self(canon.finish())
    }
}

/// Length-prefixed fields, so that moving a byte from one field to the next changes the hash. Gathered first and hashed at once, since every
/// memory that is read is sealed again.
struct Canon(Vec<u8>);

impl Canon {
    fn new() -> Self {
        Self(Vec::with_capacity(2048))
    }

    fn text(&mut self, text: &str) -> &mut Self {
        self.number(text.len() as u64);
        self.0.extend_from_slice(text.as_bytes());
        self
    }

    fn number(&mut self, number: u64) -> &mut Self {
        self.0.extend_from_slice(&number.to_le_bytes());
        self
    }

    fn json(&mut self, value: &impl Serialize) -> &mut Self {
        let before = self.0.len();
        self.number(0);
        let start = self.0.len();
        serde_json::to_writer(&mut self.0, value)
            .expect("plain values with string keys always serialise");
        let length = (self.0.len() - start) as u64;
        self.0[before..start].copy_from_slice(&length.to_le_bytes());
        self
    }

    fn finish(&self) -> [u8; 32] {
        *blake3::hash(&self.0).as_bytes()
    }
}
