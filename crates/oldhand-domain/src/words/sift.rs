//! Few words looked for among many: each word of a text is met by its first letters and counted, and only those that may be meant are cut out.
//!
//! Sixty-four bytes at a time, without a question for each: where words begin shows in which of them are letters, capitals and digits.

use super::LONGEST_WORD;

const LINE: u8 = b'_';
/// What a byte is, at the first bit of a byte of its own: a small letter, a capital, a digit, a low line.
const KINDS: [u32; 256] = {
    let mut kinds = [0; 256];
    let mut byte = 0_u8;
    while byte < 128 {
        kinds[byte as usize] = match byte {
            b'a'..=b'z' => 1,
            b'A'..=b'Z' => 1 << 8,
            b'0'..=b'9' => 1 << 16,
            LINE => 1 << 24,
            _ => 0,
        };
        byte += 1;
    }
    kinds
};

/// Takes the words of `text` that begin with three bytes that `may_begin` one, and maybe others, and tells how many words there are in all, as
/// [`super::each`] would. Of a shorter word whatever stands behind it is asked for, too. Nothing, where the text has other letters than plain ones
/// or a run of them that is too long for a word: what was taken is then to be forgotten.
pub fn sift(
    text: &str,
    may_begin: impl Fn([u8; 3]) -> bool,
    take: &mut dyn FnMut(&str),
) -> Option<usize> {
    if !text.is_ascii() {
        return None;
    }
    let bytes = text.as_bytes();
    let at = |place: usize| bytes.get(place).copied().unwrap_or_default();
    let mut word = String::new();
    let mut cut = |from: usize, to: usize| {
        word.clear();
        let letters = text[from..to].split(char::from(LINE));
        word.extend(letters);
        word.make_ascii_lowercase();
        take(&word);
    };
    let mut count = 0;
    // Of the name being read: how many parts it has so far, where the first begins, and how many bytes of it came before.
    let (mut parts, mut first, mut run) = (0, 0, 0);
    let mut before = [0; 3];
    for base in (0..bytes.len()).step_by(64) {
        let [small, capital, digit, line] = kinds(&bytes[base..]);
        let letters = small | capital | digit;
        let others = !(letters | line);
        run += others.trailing_zeros();
        if run as usize > LONGEST_WORD {
            return None;
        }
        if others != 0 {
            run = others.leading_zeros();
        }
        let [small_before, capital_before, digit_before] = before;
        before = [small, capital, digit].map(|kind| kind >> 63);
        let after_small = small << 1 | small_before;
        let after_capital = capital << 1 | capital_before;
        let after_digit = digit << 1 | digit_before;
        let before_small = small >> 1 | u64::from(at(base + 64).is_ascii_lowercase()) << 63;
        let after_any = after_small | after_capital | after_digit;
        // In `HTTPServer`, the `S` begins `Server`.
        let mut last_capitals = capital & after_capital & before_small;
        let mut left = last_capitals;
        while left != 0 {
            let bit = left & left.wrapping_neg();
            if is_plural(bytes, base + left.trailing_zeros() as usize + 1) {
                last_capitals &= !bit;
            }
            left &= left - 1;
        }
        let starts = letters & !after_any
            | letters & after_any & (digit ^ after_digit)
            | capital & after_small
            | last_capitals;
        count += starts.count_ones() as usize;
        let (mut left, mut passed) = (starts, 0);
        while left != 0 {
            let place = base + left.trailing_zeros() as usize;
            let below = (left & left.wrapping_neg()) - 1;
            left &= left - 1;
            if others & below & !passed != 0 {
                parts = 0;
            }
            passed = below;
            parts += 1;
            let begin = bytes[place..].first_chunk().copied();
            let begin = begin.unwrap_or_else(|| [0, 1, 2].map(|more| at(place + more)));
            if may_begin(begin.map(|letter| letter | 32)) {
                cut(place, end_of_part(bytes, place));
            }
            if parts == 1 {
                first = place;
            } else if parts == 2 {
                // Several parts are a word together, too.
                count += 1;
                let mut letters = bytes[first..].iter().filter(|byte| **byte != LINE);
                let begin = [letters.next(), letters.next(), letters.next()];
                if may_begin(begin.map(|letter| letter.map_or(0, |letter| letter | 32))) {
                    let is_of_name = |byte: &&u8| byte.is_ascii_alphanumeric() || **byte == LINE;
                    let length = bytes[first..].iter().take_while(is_of_name).count();
                    cut(first, first + length);
                }
            }
        }
        if others & !passed != 0 {
            parts = 0;
        }
    }
    Some(count)
}

/// Which of the first sixty-four bytes are of each kind, a bit for each byte.
fn kinds(bytes: &[u8]) -> [u64; 4] {
    let mut last = [0; 64];
    let bytes = bytes.first_chunk().unwrap_or_else(|| {
        last[..bytes.len()].copy_from_slice(bytes);
        &last
    });
    let mut kinds = [0; 4];
    for (at, eight) in bytes.as_chunks::<8>().0.iter().enumerate() {
        let mut bits = 0;
        for (at, byte) in eight.iter().enumerate() {
            bits |= KINDS[usize::from(*byte)] << at;
        }
        for (kind, bits) in kinds.iter_mut().zip(bits.to_le_bytes()) {
            *kind |= u64::from(bits) << (8 * at);
        }
    }
    kinds
}

/// Whether the letter at this place makes several of the capitals before it, as in `PRs`.
fn is_plural(bytes: &[u8], place: usize) -> bool {
    let capitals = place.checked_sub(2).map(|from| &bytes[from..place]);
    bytes.get(place) == Some(&b's')
        && !bytes.get(place + 1).is_some_and(u8::is_ascii_lowercase)
        && capitals.is_some_and(|capitals| capitals.iter().all(u8::is_ascii_uppercase))
}

/// Where the part of a name ends that begins at `start`.
fn end_of_part(bytes: &[u8], start: usize) -> usize {
    let goes_on = |at: &usize| {
        let after = bytes.get(at + 1).is_some_and(u8::is_ascii_lowercase);
        match (bytes[at - 1], bytes[*at]) {
            (b'a'..=b'z', b'a'..=b'z') | (b'0'..=b'9', b'0'..=b'9') => true,
            (b'A'..=b'Z', b'a'..=b'z') => !is_plural(bytes, *at),
            (b'A'..=b'Z', b'A'..=b'Z') => !after || is_plural(bytes, at + 1),
            _ => false,
        }
    };
    let more = (start + 1..bytes.len()).take_while(goes_on);
    start + 1 + more.count()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str) {
        let mut all: Vec<String> = super::super::split(text);
        let count = all.len();
        all.sort();
        for letters in ["", "a", "b1", "c", "abc01"] {
            let begins = |letter: u8| letters.is_empty() || letters.contains(char::from(letter));
            let may_begin = |[first, ..]: [u8; 3]| begins(first);
            let mut taken = Vec::new();
            let found = sift(text, may_begin, &mut |word| taken.push(word.to_owned()));
            if let Some(found) = found {
                taken.sort();
                let meant = all.iter().filter(|word| begins(word.as_bytes()[0]));
                let meant: Vec<String> = meant.cloned().collect();
                assert_eq!((taken, found), (meant, count), "{text:?}");
            } else {
                let is_long = |run: &str| run.len() > LONGEST_WORD;
                let is_other = |c: char| !c.is_ascii_alphanumeric() && c != '_';
                assert!(
                    !text.is_ascii() || text.split(is_other).any(is_long),
                    "{text:?}"
                );
            }
        }
    }

    #[test]
    fn names_across_the_border_of_two_steps_are_read_as_elsewhere() {
        for before in 50..70 {
            let blank = " ".repeat(before);
            for name in [
                "HTTPServer",
                "a_b",
                "__init__x",
                "abC12de",
                "X",
                "aB_c",
                "BAs",
                "aBCsB",
            ] {
                check(&format!("{blank}{name}"));
                check(&format!("{blank}{name} b{}", "1_a".repeat(20)));
            }
        }
    }

    #[test]
    fn long_runs_and_other_letters_are_left_to_others() {
        let sifted = |text: &str| sift(text, |_| true, &mut |_| {});
        assert_eq!(sifted(&format!(" {}", "a".repeat(65))), None);
        assert_eq!(sifted(&format!("{} b", "a".repeat(64))), Some(2));
        assert_eq!(sifted(&"a".repeat(128)), None);
        assert_eq!(sifted("été"), None);
    }

    #[test]
    fn the_first_letters_of_a_word_are_asked_for() {
        let found = |text: &str, letters: &[u8; 3]| {
            let mut taken = Vec::new();
            let may_begin = |asked: [u8; 3]| &asked == letters;
            sift(text, may_begin, &mut |word| taken.push(word.to_owned()));
            taken.join(" ")
        };
        let got = found("getUser GETTER Get2 ge_t_s", b"get");
        assert_eq!(got, "get getuser getter get get2 gets");
        // What stands behind a short word is no letter of it, but that is for others to tell.
        assert_eq!(found("aBook a_boat a boat", b"abo"), "a abook aboat");
    }

    proptest::proptest! {
        #[test]
        fn words_are_those_of_every_other_way(text in "[a-csA-C0-1_ .]{0,24}") {
            check(&text);
        }

        #[test]
        fn so_are_those_of_long_texts(text in "([a-cs]{1,4}|s|[A-C]{1,3}|[01]|_|é?[ (.\\n]){0,90}") {
            check(&text);
        }
    }
}
