//! The shape of a token: literal text and runs of a byte class, matched greedily and never tried twice.
//!
//! There is no going back inside a shape, so matching one costs at most the length of the token.

use crate::work;

/// A set of ASCII bytes.
#[derive(Clone, Copy)]
pub(crate) struct Class([u64; 2]);

impl Class {
    /// The bytes of `text`; `a-z` means a range, a `-` at the end means itself.
    pub(crate) const fn of(text: &str) -> Self {
        let bytes = text.as_bytes();
        let (mut set, mut at) = ([0_u64; 2], 0);
        while at < bytes.len() {
            let last = if at + 2 < bytes.len() && bytes[at + 1] == b'-' {
                bytes[at + 2]
            } else {
                bytes[at]
            };
            let mut byte = bytes[at];
            at += if last == byte { 1 } else { 3 };
            while byte <= last {
                set[(byte / 64) as usize] |= 1 << (byte % 64);
                byte += 1;
            }
        }
        Self(set)
    }

    pub(crate) const fn has(self, byte: u8) -> bool {
        let half = if byte & 64 == 0 { self.0[0] } else { self.0[1] };
        byte < 128 && half >> (byte % 64) & 1 == 1
    }

    /// How many bytes from `at` on are of this class, at most `most`.
    pub(crate) fn count(self, text: &[u8], at: usize, most: usize) -> usize {
        let count = text[at.min(text.len())..]
            .iter()
            .take(most)
            .take_while(|byte| self.has(**byte))
            .count();
        work::note(count + 1);
        count
    }

    /// How many bytes right before `at` are of this class, at most `most`.
    pub(crate) fn count_back(self, text: &[u8], at: usize, most: usize) -> usize {
        let count = text[..at]
            .iter()
            .rev()
            .take(most)
            .take_while(|byte| self.has(**byte))
            .count();
        work::note(count + 1);
        count
    }
}

pub(crate) const DIGIT: Class = Class::of("0-9");
pub(crate) const HEX_SMALL: Class = Class::of("0-9a-f");
pub(crate) const HEX: Class = Class::of("0-9a-fA-F");
pub(crate) const UPPER_DIGIT: Class = Class::of("0-9A-Z");
pub(crate) const SMALL_DIGIT: Class = Class::of("0-9a-z");
pub(crate) const BASE32: Class = Class::of("A-Z2-7");
pub(crate) const ALNUM: Class = Class::of("0-9A-Za-z");
pub(crate) const WORD: Class = Class::of("0-9A-Za-z_");
pub(crate) const URL_SAFE: Class = Class::of("0-9A-Za-z_-");
pub(crate) const BASE64: Class = Class::of("0-9A-Za-z+/");
pub(crate) const BASE64_PADDED: Class = Class::of("0-9A-Za-z+/=");

/// One piece of a shape.
#[derive(Clone, Copy)]
pub(crate) enum Part {
    Text(&'static str),
    /// As many bytes of the class as there are, within the bounds.
    Run(Class, usize, usize),
    /// The piece, or nothing.
    Maybe(&'static Part),
    /// The first of these texts that fits.
    OneOf(&'static [&'static str]),
}

/// Exactly `count` bytes of `class`.
pub(crate) const fn exactly(class: Class, count: usize) -> Part {
    Part::Run(class, count, count)
}

/// Between `least` and `most` bytes of `class`.
pub(crate) const fn run(class: Class, least: usize, most: usize) -> Part {
    Part::Run(class, least, most)
}

/// How far parts were laid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Laid {
    /// Where they end, if they fit and the last run does not go on beyond them.
    pub(crate) end: Option<usize>,
    /// Up to where the same parts have nothing more to find.
    pub(crate) reach: usize,
}

/// Lays `parts` from `start` on.
pub(crate) fn lay(parts: &[Part], text: &[u8], start: usize) -> Laid {
    let mut at = start;
    for part in parts {
        match step(*part, text, at) {
            Some(next) => at = next,
            None => {
                return Laid {
                    end: None,
                    reach: at,
                };
            }
        }
    }
    let class = match parts.last() {
        Some(Part::Run(class, ..)) => *class,
        _ => WORD,
    };
    // A run that is too long is another thing as a whole. Were its end tried again from a later start, what is
    // found would depend on where the run is cut.
    let beyond = class.count(text, at, text.len());
    Laid {
        end: (beyond == 0).then_some(at),
        reach: at + beyond,
    }
}

fn step(part: Part, text: &[u8], at: usize) -> Option<usize> {
    match part {
        Part::Text(literal) => text[at..]
            .starts_with(literal.as_bytes())
            .then(|| at + literal.len()),
        Part::Run(class, least, most) => {
            let count = class.count(text, at, most);
            (count >= least).then_some(at + count)
        }
        Part::Maybe(part) => Some(step(*part, text, at).unwrap_or(at)),
        Part::OneOf(literals) => {
            let fits = literals
                .iter()
                .find(|literal| text[at..].starts_with(literal.as_bytes()))?;
            Some(at + fits.len())
        }
    }
}

/// Where `parts`, laid so that they end at `end`, start. Read from the last piece to the first.
pub(crate) fn start_of(parts: &[Part], text: &[u8], end: usize) -> Option<usize> {
    let mut at = end;
    for part in parts.iter().rev() {
        at = match part {
            Part::Text(literal) => text[..at]
                .ends_with(literal.as_bytes())
                .then(|| at - literal.len())?,
            Part::Run(class, least, most) => {
                let count = class.count_back(text, at, *most);
                (count >= *least).then_some(at - count)?
            }
            Part::Maybe(_) | Part::OneOf(_) => return None,
        };
    }
    Some(at)
}

/// True when a word may start at `at`: nothing word-like before it, seen through JSON and URL escapes.
pub(crate) fn opens_word(text: &[u8], at: usize) -> bool {
    let before = &text[..at];
    let Some(last) = before.last() else {
        return true;
    };
    if !URL_SAFE.has(*last) {
        return true;
    }
    let escaped = |count: usize, opening: &[u8]| {
        let Some(rest) = before.len().checked_sub(count) else {
            return false;
        };
        before[..rest].ends_with(opening) && before[rest..].iter().all(|byte| HEX.has(*byte))
    };
    (matches!(last, b'n' | b't' | b'r') && before[..before.len() - 1].ends_with(b"\\"))
        || escaped(2, b"%")
        || escaped(4, b"\\u")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_class_reads_ranges_and_a_dash_at_the_end() {
        let class = Class::of("a-c_-");
        let members: String = (0..128_u8)
            .filter(|byte| class.has(*byte))
            .map(char::from)
            .collect();
        assert_eq!(members, "-_abc");
    }

    #[test]
    fn a_run_that_goes_on_is_another_token() {
        let parts = [Part::Text("ab_"), exactly(DIGIT, 3)];
        assert_eq!(
            lay(&parts, b"ab_123 ", 0),
            Laid {
                end: Some(6),
                reach: 6
            }
        );
        assert_eq!(
            lay(&parts, b"ab_12345", 0),
            Laid {
                end: None,
                reach: 8
            }
        );
        assert_eq!(
            lay(&parts, b"ab_12", 0),
            Laid {
                end: None,
                reach: 3
            }
        );
    }

    #[test]
    fn parts_can_be_laid_backwards() {
        let parts = [exactly(DIGIT, 2), Part::Text(".")];
        assert_eq!(start_of(&parts, b"x12.", 4), Some(1));
        assert_eq!(start_of(&parts, b"x1.", 3), None);
    }

    #[test]
    fn a_word_opens_after_escapes() {
        for (text, opens) in [
            ("=a", true),
            (r"\na", true),
            ("na", false),
            ("%3Da", true),
            (r"\u0022a", true),
            ("-a", false),
        ] {
            assert_eq!(opens_word(text.as_bytes(), text.len() - 1), opens, "{text}");
        }
    }
}
