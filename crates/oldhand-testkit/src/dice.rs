//! Chance that can be repeated: the same seed throws the same numbers on every machine.

/// SplitMix64, which is enough to pick a delay or a word.
pub struct Dice(u64);

impl Dice {
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// A number below `limit`, which must not be 0.
    pub fn below(&mut self, limit: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z ^ (z >> 31)) % limit
    }

    /// One of `choices`, which must not be empty.
    pub fn pick<'a, T>(&mut self, choices: &'a [T]) -> &'a T {
        &choices[self.below(choices.len() as u64) as usize]
    }

    /// Prose of made-up words, common ones often and rare ones rarely, as people write.
    pub fn prose(&mut self, words: usize) -> String {
        let words: Vec<String> = (0..words).map(|_| self.word()).collect();
        words.join(" ")
    }

    /// A word whose rank is r with a chance of about 1 in r: the law of Zipf.
    fn word(&mut self) -> String {
        const VOCABULARY: f64 = 30_000.0;
        let part = self.below(1 << 32) as f64 / (1_u64 << 32) as f64;
        let mut rank = VOCABULARY.powf(part) as usize;
        let mut word = String::new();
        while rank > 0 {
            word += SYLLABLES[rank % SYLLABLES.len()];
            rank /= SYLLABLES.len();
        }
        word
    }

    /// A statement about code that no other number gives: memories that are written together must not be merged as
    /// near-duplicates of each other.
    pub fn statement(&mut self, number: usize) -> String {
        let subject = format!("{}{}", self.pick(&SUBJECTS), self.pick(&PARTS));
        let (verb, object) = (self.pick(&VERBS), self.pick(&OBJECTS));
        let (place, reason) = (self.pick(&PARTS), self.pick(&REASONS));
        let mark = (0..4).map(|_| *self.pick(&SYLLABLES)).collect::<String>();
        format!("{subject}{number} {verb} {object} in the {place} called {mark} {reason}")
    }
}

const SUBJECTS: [&str; 12] = [
    "get", "parse", "load", "flush", "merge", "open", "retry", "index", "render", "resolve",
    "verify", "schedule",
];
const PARTS: [&str; 16] = [
    "Account", "Invoice", "Parser", "Cache", "Socket", "Session", "Ledger", "Queue", "Schema",
    "Token", "Worker", "Router", "Widget", "Cursor", "Snapshot", "Bundle",
];
const VERBS: [&str; 12] = [
    "needs",
    "drops",
    "locks",
    "doubles",
    "waits for",
    "ignores",
    "rewrites",
    "expects",
    "closes",
    "skips",
    "rounds",
    "reorders",
];
const OBJECTS: [&str; 14] = [
    "the time zone",
    "a trailing newline",
    "the feature flag",
    "an empty list",
    "the second header",
    "the migration",
    "its own lock",
    "every retry",
    "the cached page",
    "a null column",
    "the build folder",
    "a signed cookie",
    "the first row",
    "the old certificate",
];
const REASONS: [&str; 10] = [
    "because tests run in parallel",
    "since the upgrade",
    "on slow disks only",
    "when the cache is cold",
    "before the server starts",
    "after a failed deploy",
    "unless it is pinned",
    "in release builds",
    "when two people log in",
    "so never call it twice",
];
const SYLLABLES: [&str; 20] = [
    "ba", "ce", "di", "fo", "gu", "ha", "je", "ki", "lo", "mu", "na", "pe", "qi", "ro", "su", "ta",
    "ve", "wi", "xo", "zu",
];

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use super::*;

    #[test]
    fn the_same_seed_throws_the_same_numbers() {
        let throw = || {
            let mut dice = Dice::new(3);
            (0..100).map(|_| dice.below(6)).collect::<Vec<_>>()
        };
        assert_eq!(throw(), throw());
        assert_eq!(throw().into_iter().collect::<BTreeSet<_>>().len(), 6);
    }

    #[test]
    fn some_words_of_prose_are_common_and_many_are_rare() {
        let prose = Dice::new(3).prose(10_000);
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        for word in prose.split(' ') {
            *counts.entry(word).or_default() += 1;
        }
        assert!(counts.values().any(|&count| count > 500));
        assert!(counts.values().filter(|&&count| count == 1).count() > 1_000);
    }

    #[test]
    fn no_two_numbers_give_the_same_statement() {
        let mut dice = Dice::new(3);
        let statements: BTreeSet<String> = (0..2000).map(|n| dice.statement(n)).collect();
        assert_eq!(statements.len(), 2000);
    }
}
