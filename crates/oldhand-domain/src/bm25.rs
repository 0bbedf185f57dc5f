//! BM25, written once: how much a word says, and how much of it a text has.

/// How much a word says that `with` of `all` texts have: the rarer, the more; never less than nothing.
pub fn rarity(all: f64, with: f64) -> f64 {
    let with = with.min(all);
    (1.0 + (all - with + 0.5) / (with + 0.5)).ln()
}

/// How repetition and length count.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bm25 {
    /// How soon repetition stops to count.
    pub k1: f64,
    /// How strongly long texts are held back, from 0 to 1.
    pub b: f64,
}

impl Bm25 {
    /// The constants everyone uses.
    pub const USUAL: Self = Self { k1: 1.2, b: 0.75 };

    /// How much a word counts that is there `times` times; `length` is the text's against the mean.
    pub fn weigh(self, times: f64, length: f64) -> f64 {
        times * (self.k1 + 1.0) / (times + self.k1 * (1.0 - self.b + self.b * length))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rare_words_say_more_and_common_ones_never_speak_against() {
        assert!(rarity(100.0, 1.0) > rarity(100.0, 50.0));
        assert!(rarity(100.0, 100.0) > 0.0 && rarity(3.0, 9.0) > 0.0);
    }

    #[test]
    fn the_tenth_time_adds_less_than_the_second_and_length_holds_back() {
        let weigh = |times, length| Bm25::USUAL.weigh(times, length);
        assert!(weigh(2.0, 1.0) - weigh(1.0, 1.0) > weigh(10.0, 1.0) - weigh(9.0, 1.0));
        assert!(weigh(1.0, 2.0) < weigh(1.0, 1.0));
        assert!(weigh(0.0, 1.0).abs() < f64::EPSILON);
    }
}
