//! Finds all anchors of all rules in one pass: three bytes, folded to fifteen bits, and one look into a table.
//!
//! The table is filled when it is first needed. That takes microseconds, where compiling the same anchors into
//! an automaton takes most of the life of a hook process.

use std::sync::LazyLock;

const SLOTS: usize = 1 << 15;
const WORD_BITS: usize = 64;

/// Literals and what they lead to.
pub(crate) struct Filter<T> {
    /// One bit for each three-byte beginning, small enough to stay in the first-level cache.
    present: Box<[u64; SLOTS / WORD_BITS]>,
    /// For each word of `present`, how many bits are set before it.
    rank: Box<[u16; SLOTS / WORD_BITS]>,
    /// For each set bit, where its entries begin; one more at the end.
    first: Vec<u16>,
    /// Sorted by beginning.
    entries: Vec<Entry<T>>,
}

struct Entry<T> {
    slot: u16,
    literal: &'static [u8],
    case: Case,
    target: T,
}

/// How a literal is compared.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Case {
    Exact,
    Ignored,
}

impl<T: Copy> Filter<T> {
    pub(crate) fn new(literals: impl Iterator<Item = (&'static str, Case, T)>) -> Self {
        let mut present = Box::new([0_u64; SLOTS / WORD_BITS]);
        let mut entries: Vec<Entry<T>> = literals
            .map(|(literal, case, target)| {
                let literal = literal.as_bytes();
                Entry {
                    slot: slot(literal[0], literal[1], literal[2]),
                    literal,
                    case,
                    target,
                }
            })
            .collect();
        entries.sort_by_key(|entry| entry.slot);
        let mut first = Vec::with_capacity(entries.len() + 1);
        for (at, entry) in entries.iter().enumerate() {
            if at == 0 || entries[at - 1].slot != entry.slot {
                first.push(at as u16);
            }
            present[entry.slot as usize / WORD_BITS] |= 1 << (entry.slot as usize % WORD_BITS);
        }
        first.push(entries.len() as u16);
        let mut rank = Box::new([0_u16; SLOTS / WORD_BITS]);
        for word in 1..rank.len() {
            rank[word] = rank[word - 1] + present[word - 1].count_ones() as u16;
        }
        Self {
            present,
            rank,
            first,
            entries,
        }
    }

    /// Calls `found` with each place where a literal starts, in the order of the text.
    pub(crate) fn each(&self, text: &[u8], mut found: impl FnMut(usize, T)) {
        let mut rolling = 0_usize;
        for (at, byte) in text.iter().enumerate() {
            rolling = (rolling << 5 | (*byte & 0x1f) as usize) & (SLOTS - 1);
            let word = self.present[rolling / WORD_BITS];
            if word >> (rolling % WORD_BITS) & 1 == 0 || at < 2 {
                continue;
            }
            let below = word & ((1 << (rolling % WORD_BITS)) - 1);
            let slot = self.rank[rolling / WORD_BITS] as usize + below.count_ones() as usize;
            let entries = self.first[slot] as usize..self.first[slot + 1] as usize;
            let rest = &text[at - 2..];
            for entry in &self.entries[entries] {
                let there = rest.get(..entry.literal.len());
                let same = there.is_some_and(|there| match entry.case {
                    Case::Exact => there == entry.literal,
                    Case::Ignored => there.eq_ignore_ascii_case(entry.literal),
                });
                if same {
                    found(at - 2, entry.target);
                }
            }
        }
    }
}

fn slot(first: u8, second: u8, third: u8) -> u16 {
    u16::from(first & 0x1f) << 10 | u16::from(second & 0x1f) << 5 | u16::from(third & 0x1f)
}

/// A filter that is built at most once in a process.
pub(crate) type Lazy<T> = LazyLock<Filter<T>>;

#[cfg(test)]
mod tests {
    use super::*;

    fn found(literals: &[&'static str], case: Case, text: &str) -> Vec<(usize, usize)> {
        let filter = Filter::new(
            literals
                .iter()
                .copied()
                .zip(0_usize..)
                .map(|(literal, target)| (literal, case, target)),
        );
        let mut places = Vec::new();
        filter.each(text.as_bytes(), |at, target| places.push((at, target)));
        places
    }

    #[test]
    fn every_literal_is_found_where_it_starts() {
        let literals = ["ghp_", "ghp", "://", "pass"];
        assert_eq!(
            found(&literals, Case::Exact, "ghp_ x://pass"),
            [(0, 0), (0, 1), (6, 2), (9, 3)]
        );
        assert_eq!(found(&literals, Case::Exact, "GHP_ PASS"), []);
    }

    #[test]
    fn case_can_be_ignored() {
        assert_eq!(found(&["pass"], Case::Ignored, "a PassWord pas"), [(2, 0)]);
    }

    #[test]
    fn folding_alone_is_no_match() {
        // `-` and `m`, `0` and `p` fold to the same five bits.
        assert_eq!(found(&["pam"], Case::Ignored, "0a- 0A-"), []);
    }
}
