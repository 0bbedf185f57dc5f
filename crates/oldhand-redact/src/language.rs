//! Words or noise? Tells a random string from an English word or an identifier by its pairs of letters.

use crate::work;

/// For each letter, the letters that often follow it in English words and in identifiers. Together these pairs
/// are 93 % of all pairs in words, and a third of all pairs there can be.
const FOLLOWERS: [&str; 26] = [
    "bcdgiklmnprstuvy",
    "aeilosu",
    "acehiklortu",
    "aeiosu",
    "acdefglmnpqrstvx",
    "aefiloru",
    "ehinrsu",
    "aeio",
    "abcdefglmnoprstvz",
    "",
    "eis",
    "adeilostuy",
    "abeimopsu",
    "acdefgiknostuv",
    "bcdgklmnoprstuvw",
    "aeiloprstu",
    "u",
    "acdegikmnorstuy",
    "acehilopstuy",
    "acehilorstuy",
    "abceilmnprst",
    "aei",
    "aeior",
    "eipt",
    "p",
    "e",
];

const PAIRS: [u32; 26] = {
    let mut pairs = [0; 26];
    let mut letter = 0;
    while letter < 26 {
        let followers = FOLLOWERS[letter].as_bytes();
        let mut at = 0;
        while at < followers.len() {
            pairs[letter] |= 1 << (followers[at] - b'a');
            at += 1;
        }
        letter += 1;
    }
    pairs
};

/// What a value is made of.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Makeup {
    pub(crate) len: usize,
    pub(crate) digits: usize,
    pub(crate) small: usize,
    pub(crate) capital: usize,
    /// Neither letter nor digit.
    pub(crate) marks: usize,
    pub(crate) spaces: usize,
    /// Bytes outside ASCII.
    pub(crate) foreign: usize,
    pub(crate) hex: usize,
    /// How often the class of the byte changes: small, capital, digit, mark.
    pub(crate) turns: usize,
    pub(crate) distinct: usize,
    pairs: usize,
    usual_pairs: usize,
}

impl Makeup {
    pub(crate) fn of(value: &[u8]) -> Self {
        work::note(value.len());
        let mut makeup = Self {
            len: value.len(),
            ..Self::default()
        };
        let mut seen = 0_u128;
        let mut last: Option<(u8, u8)> = None;
        for byte in value {
            let class = match byte {
                b'0'..=b'9' => b'd',
                b'a'..=b'z' => b's',
                b'A'..=b'Z' => b'c',
                _ => b'm',
            };
            match class {
                b'd' => makeup.digits += 1,
                b's' => makeup.small += 1,
                b'c' => makeup.capital += 1,
                _ if *byte >= 128 => makeup.foreign += 1,
                _ if byte.is_ascii_whitespace() => makeup.spaces += 1,
                _ => makeup.marks += 1,
            }
            makeup.hex += usize::from(byte.is_ascii_hexdigit());
            seen |= 1 << (byte & 127);
            if let Some((before, class_before)) = last {
                // A capital that opens a word is no turn.
                makeup.turns +=
                    usize::from(class != class_before && !(class_before == b'c' && class == b's'));
                let both_letters = before.is_ascii_alphabetic() && byte.is_ascii_alphabetic();
                let new_word = class_before == b's' && class == b'c';
                if both_letters && !new_word {
                    makeup.pairs += 1;
                    let row = PAIRS[(before.to_ascii_lowercase() - b'a') as usize];
                    makeup.usual_pairs += (row >> (byte.to_ascii_lowercase() - b'a') & 1) as usize;
                }
            }
            last = Some((*byte, class));
        }
        makeup.distinct = seen.count_ones() as usize;
        makeup
    }

    pub(crate) fn letters(&self) -> usize {
        self.small + self.capital
    }

    /// True when the letters read like words. Random letters do so in one of fifteen strings of eight.
    pub(crate) fn reads_like_words(&self) -> bool {
        self.pairs * 10 < 10 + self.usual_pairs * 16 && self.pairs * 2 >= self.letters()
    }

    /// True for what a generator makes and a person does not type.
    pub(crate) fn is_random(&self) -> bool {
        if self.len < 8 || self.spaces > 0 || self.foreign > 0 || self.distinct < 6 {
            return false;
        }
        let mixed = self.digits > 0 && self.letters() > 0;
        if mixed && self.turns >= 4 && self.turns * 7 >= self.len {
            return !self.reads_like_words() || self.digits * 5 >= self.len;
        }
        !self.reads_like_words() && (self.letters() >= 8 || mixed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_and_identifiers_read_like_words() {
        for text in [
            "password",
            "deployments",
            "favorite_touhou",
            "UserLocationAgent",
            "correct-horse-battery",
            "databaseName",
        ] {
            assert!(Makeup::of(text.as_bytes()).reads_like_words(), "{text}");
            assert!(!Makeup::of(text.as_bytes()).is_random(), "{text}");
        }
    }

    #[test]
    fn generated_values_are_random() {
        for text in [
            "vukvpwftsmxojchbykopthlsxf",
            "g3mhx54VqJmdwKxA",
            "661160qo-106707557jl5w6516033eyhq",
            "8f14e45fceea167a5a36dedd4bea2543",
        ] {
            assert!(Makeup::of(text.as_bytes()).is_random(), "{text}");
        }
    }
}
