//! Which symbols have similar bodies, without comparing each with each.

use rustc_hash::{FxHashMap, FxHashSet};

/// Two bodies share a bucket when their smallest hashes agree; with this many tries, bodies that share half of their
/// tokens meet almost surely.
const TRIES: u32 = 16;
/// A crowd in one bucket is boilerplate; looking at its first members is enough.
const CROWD: usize = 24;

/// The distinct tokens of a body.
pub(super) fn distinct(tokens: &[u32]) -> Vec<u32> {
    let mut tokens = tokens.to_vec();
    tokens.sort_unstable();
    tokens.dedup();
    tokens
}

/// The share of tokens that two sorted, distinct lists have in common. Two empty bodies have nothing in common.
pub(super) fn similarity(a: &[u32], b: &[u32]) -> f32 {
    let (mut at_a, mut at_b, mut shared) = (0, 0, 0_usize);
    while at_a < a.len() && at_b < b.len() {
        match a[at_a].cmp(&b[at_b]) {
            std::cmp::Ordering::Less => at_a += 1,
            std::cmp::Ordering::Greater => at_b += 1,
            std::cmp::Ordering::Equal => {
                shared += 1;
                at_a += 1;
                at_b += 1;
            }
        }
    }
    let all = a.len() + b.len() - shared;
    if all == 0 {
        0.0
    } else {
        shared as f32 / all as f32
    }
}

/// Pairs of positions in `old` and `new` whose tokens may be alike, each once, sorted.
pub(super) fn meet(old: &[(usize, &[u32])], new: &[(usize, &[u32])]) -> Vec<(usize, usize)> {
    let mut pairs = FxHashSet::default();
    for attempt in 0..TRIES {
        let mut buckets: FxHashMap<u32, Vec<usize>> = FxHashMap::default();
        for &(at, tokens) in new {
            if let Some(smallest) = smallest_hash(tokens, attempt) {
                let bucket = buckets.entry(smallest).or_default();
                if bucket.len() < CROWD {
                    bucket.push(at);
                }
            }
        }
        for &(at, tokens) in old {
            let bucket = smallest_hash(tokens, attempt).and_then(|smallest| buckets.get(&smallest));
            pairs.extend(bucket.into_iter().flatten().map(|&other| (at, other)));
        }
    }
    let mut pairs: Vec<(usize, usize)> = pairs.into_iter().collect();
    pairs.sort_unstable();
    pairs
}

/// The smallest of the tokens' hashes, by a different hash for each attempt.
fn smallest_hash(tokens: &[u32], attempt: u32) -> Option<u32> {
    let salt = attempt.wrapping_mul(0x9e37_79b9) | 1;
    let mix = |token: u32| {
        let mixed = (token ^ salt).wrapping_mul(0x85eb_ca6b);
        (mixed ^ mixed >> 15).wrapping_mul(salt ^ 0xc2b2_ae35)
    };
    tokens.iter().map(|&token| mix(token)).min()
}
