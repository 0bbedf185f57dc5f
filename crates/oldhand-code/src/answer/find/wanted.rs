//! Words that are looked for in many names: what each text has of them, without a copy of any.

use super::words;
use crate::question::MOST_WORDS;

/// Words in lower case, each once.
pub(super) struct Wanted {
    /// In the order of their letters.
    words: Vec<String>,
    /// Where those begin whose first byte is at least this one.
    first: [u8; 129],
}

/// Which of the words a text has, a bit each.
type Met = [u64; MOST_WORDS.div_ceil(64)];

impl Wanted {
    /// At most [`MOST_WORDS`] of them.
    pub(super) fn new(words: impl Iterator<Item = String>) -> Self {
        let mut words: Vec<String> = words.collect();
        words.sort_unstable();
        words.dedup();
        words.truncate(MOST_WORDS);
        let mut first = [0; 129];
        for (byte, place) in first.iter_mut().enumerate() {
            *place = words.partition_point(|word| usize::from(word.as_bytes()[0]) < byte) as u8;
        }
        Self { words, first }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    pub(super) fn len(&self) -> usize {
        self.words.len()
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &str> {
        self.words.iter().map(String::as_str)
    }

    /// How much of the words `text` has, from nothing to one.
    pub(super) fn share(&self, text: &str) -> f32 {
        let mut met = Met::default();
        if text.is_ascii() {
            each_plain_word(text.as_bytes(), |word| self.meet(word, &mut met));
        } else {
            words(text).for_each(|word| self.meet(word.as_bytes(), &mut met));
        }
        let met: u32 = met.iter().map(|bits| bits.count_ones()).sum();
        met as f32 / self.words.len() as f32
    }

    /// `word` in whatever case.
    fn meet(&self, word: &[u8], met: &mut Met) {
        let Some(first) = word.first() else {
            return;
        };
        let first = usize::from(first.to_ascii_lowercase());
        let places = if first < 128 {
            self.first[first]..self.first[first + 1]
        } else {
            self.first[128]..self.words.len() as u8
        };
        for place in places {
            let place = usize::from(place);
            if word.eq_ignore_ascii_case(self.words[place].as_bytes()) {
                met[place / 64] |= 1 << (place % 64);
            }
        }
    }
}

/// As [`words`], of a text of plain letters, in the case they are written in.
pub(super) fn each_plain_word(text: &[u8], mut take: impl FnMut(&[u8])) {
    let mut start = 0;
    let mut before = b' ';
    for (at, &byte) in text.iter().enumerate() {
        if !byte.is_ascii_alphanumeric() {
            take(&text[start..at]);
            start = at + 1;
        } else if byte.is_ascii_uppercase() {
            let ends_capitals =
                before.is_ascii_uppercase() && text.get(at + 1).is_some_and(u8::is_ascii_lowercase);
            if before.is_ascii_lowercase() || ends_capitals {
                take(&text[start..at]);
                start = at;
            }
        }
        before = byte;
    }
    take(&text[start..]);
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    fn slowly(wanted: &BTreeSet<String>, text: &str) -> f32 {
        let have: BTreeSet<String> = words(text).collect();
        wanted.intersection(&have).count() as f32 / wanted.len() as f32
    }

    proptest::proptest! {
        #[test]
        fn a_text_has_what_its_words_are(
            asked in "[a-eA-E0-2éÉ_ ]{1,30}",
            text in "[a-eA-E0-2éÉ_. ]{0,40}",
        ) {
            let wanted: BTreeSet<String> = words(&asked).collect();
            if !wanted.is_empty() {
                let quick = Wanted::new(wanted.iter().cloned()).share(&text);
                proptest::prop_assert!((quick - slowly(&wanted, &text)).abs() < 1e-6);
            }
        }
    }

    #[test]
    fn as_many_as_are_looked_for_are_told_apart() {
        let many: Vec<String> = (0..MOST_WORDS).map(|at| format!("w{at}")).collect();
        let wanted = Wanted::new(many.iter().cloned());
        assert!((wanted.share(&many.join(" ")) - 1.0).abs() < 1e-6);
        assert!((wanted.share("w0 w199 w200") - 2.0 / MOST_WORDS as f32).abs() < 1e-6);
    }
}
