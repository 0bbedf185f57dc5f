//! New ids: random ones, or the same ones every time when a seed is given.

use std::sync::atomic::{AtomicU64, Ordering};

use jiff::Timestamp;
use oldhand_domain::id::{IdSource, MemoryId};
use uuid::Uuid;

pub(crate) enum Ids {
    Random,
    Seeded {
        seed: u64,
        now: Timestamp,
        count: AtomicU64,
    },
}

impl Ids {
    pub(crate) fn new(seed: Option<u64>, now: Timestamp) -> Self {
        match seed {
            None => Self::Random,
            Some(seed) => Self::Seeded {
                seed,
                now,
                count: AtomicU64::new(0),
            },
        }
    }

    /// A few letters that tell two things of the same name apart.
    pub(crate) fn tag(&self) -> String {
        self.memory_id().short()
    }
}

impl IdSource for Ids {
    fn memory_id(&self) -> MemoryId {
        MemoryId::new(match self {
            Self::Random => Uuid::now_v7(),
            Self::Seeded { seed, now, count } => {
                let count = count.fetch_add(1, Ordering::Relaxed);
                seeded(*seed, count, *now)
            }
        })
    }
}

/// A UUIDv7 whose random part begins with the count, so that ids of one run sort in the order they were made.
fn seeded(seed: u64, count: u64, now: Timestamp) -> Uuid {
    let noise = scramble(scramble(seed).wrapping_add(count)).to_be_bytes();
    let [.., high, low] = count.to_be_bytes();
    let mut random = [high, low, 0, 0, 0, 0, 0, 0, 0, 0];
    random[2..].copy_from_slice(&noise);
    let millis = u64::try_from(now.as_millisecond()).unwrap_or_default();
    uuid::Builder::from_unix_timestamp_millis(millis, &random).into_uuid()
}

/// The finalizer of SplitMix64: every bit of the input reaches every bit of the output.
fn scramble(value: u64) -> u64 {
    let mut z = value.wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_gives_the_same_ids_in_order_every_time() {
        let run = || {
            let ids = Ids::new(Some(7), Timestamp::UNIX_EPOCH);
            (0..300).map(|_| ids.memory_id()).collect::<Vec<_>>()
        };
        let ids = run();
        assert_eq!(ids, run());
        assert!(ids.is_sorted());
        let short: std::collections::BTreeSet<String> = ids.iter().map(|id| id.short()).collect();
        assert_eq!(short.len(), 300);
    }

    #[test]
    fn two_seeds_share_no_id() {
        let first = |seed| Ids::new(Some(seed), Timestamp::UNIX_EPOCH).tag();
        assert_ne!(first(1), first(2));
    }
}
