//! Cuts a plain word to its term by Porter's rules, as the index does, without asking SQLite: opening that only for its tokenizer would take a
//! fifth of a millisecond of every search.

/// The index leaves words alone that are shorter or longer.
const SHORTEST: usize = 3;
const LONGEST: usize = 64;

/// The term of a word of ASCII letters and digits.
pub(super) fn term(word: &str) -> String {
    let mut word = Word(word.to_ascii_lowercase().into_bytes());
    if (SHORTEST..=LONGEST).contains(&word.0.len()) {
        word.cut();
    }
    word.0.into_iter().map(char::from).collect()
}

/// An ending, and what takes its place.
type Rule = (&'static [u8], &'static [u8]);

/// Of words with a measure above nought. The first ending that fits decides, whether or not the rest is long enough.
const DOUBLE_ENDINGS: [Rule; 21] = [
    (b"ational", b"ate"),
    (b"tional", b"tion"),
    (b"enci", b"ence"),
    (b"anci", b"ance"),
    (b"izer", b"ize"),
    (b"logi", b"log"),
    (b"bli", b"ble"),
    (b"alli", b"al"),
    (b"entli", b"ent"),
    (b"eli", b"e"),
    (b"ousli", b"ous"),
    (b"ization", b"ize"),
    (b"ation", b"ate"),
    (b"ator", b"ate"),
    (b"alism", b"al"),
    (b"iveness", b"ive"),
    (b"fulness", b"ful"),
    (b"ousness", b"ous"),
    (b"aliti", b"al"),
    (b"iviti", b"ive"),
    (b"biliti", b"ble"),
];
const SINGLE_ENDINGS: [Rule; 7] = [
    (b"ical", b"ic"),
    (b"ness", b""),
    (b"icate", b"ic"),
    (b"iciti", b"ic"),
    (b"ful", b""),
    (b"ative", b""),
    (b"alize", b"al"),
];
/// Of words with a measure above one.
const LAST_ENDINGS: [&[u8]; 19] = [
    b"al", b"ance", b"ence", b"er", b"ic", b"able", b"ible", b"ant", b"ement", b"ment", b"ent",
    b"ion", b"ou", b"ism", b"ate", b"iti", b"ous", b"ive", b"ize",
];

struct Word(Vec<u8>);

impl Word {
    fn cut(&mut self) {
        self.cut_plural();
        self.cut_past();
        if let Some((b'y', rest)) = self.0.split_last()
            && has_vowel(rest)
        {
            let last = rest.len();
            self.0[last] = b'i';
        }
        self.replace(&DOUBLE_ENDINGS);
        self.replace(&SINGLE_ENDINGS);
        self.cut_last();
        self.tidy();
    }

    /// What is before `ending`, where something is.
    fn before(&self, ending: &[u8]) -> Option<&[u8]> {
        let rest = self.0.strip_suffix(ending);
        rest.filter(|rest| !rest.is_empty())
    }

    fn cut_plural(&mut self) {
        let cut = match self.0.as_slice() {
            [_, .., b's', b's', b'e', b's'] | [_, .., b'i', b'e', b's'] => 2,
            [.., b's', b's'] => 0,
            [.., b's'] => 1,
            _ => 0,
        };
        self.0.truncate(self.0.len() - cut);
    }

    fn cut_past(&mut self) {
        if let Some(rest) = self.before(b"eed") {
            if measure(rest) > 0 {
                self.0.pop();
            }
            return;
        }
        let rest = self.before(b"ed").or_else(|| self.before(b"ing"));
        let Some(length) = rest.filter(|rest| has_vowel(rest)).map(<[u8]>::len) else {
            return;
        };
        self.0.truncate(length);
        match self.0.as_slice() {
            [_, .., b'a', b't'] | [_, .., b'b', b'l'] | [_, .., b'i', b'z'] => self.0.push(b'e'),
            [.., before, last]
                if before == last
                    && !matches!(last, b'a' | b'e' | b'i' | b'o' | b'u' | b'l' | b's' | b'z') =>
            {
                self.0.pop();
            }
            rest if measure(rest) == 1 && is_short(rest) => self.0.push(b'e'),
            _ => {}
        }
    }

    fn replace(&mut self, rules: &[Rule]) {
        let fits = |(ending, _): &&Rule| self.before(ending).is_some();
        let Some((ending, instead)) = rules.iter().find(fits) else {
            return;
        };
        let length = self.0.len() - ending.len();
        if measure(&self.0[..length]) > 0 {
            self.0.truncate(length);
            self.0.extend_from_slice(instead);
        }
    }

    fn cut_last(&mut self) {
        let ending = LAST_ENDINGS
            .iter()
            .find(|ending| self.before(ending).is_some());
        let Some(ending) = ending else { return };
        let rest = &self.0[..self.0.len() - ending.len()];
        let fits = *ending != b"ion" || matches!(rest, [.., b's' | b't']);
        if fits && measure(rest) > 1 {
            self.0.truncate(rest.len());
        }
    }

    fn tidy(&mut self) {
        if let Some((b'e', rest)) = self.0.split_last() {
            let measure = measure(rest);
            if measure > 1 || measure == 1 && !is_short(rest) {
                self.0.pop();
            }
        }
        if let [rest @ .., b'l'] = self.0.as_slice()
            && rest.ends_with(b"l")
            && measure(rest) > 1
        {
            self.0.pop();
        }
    }
}

/// Whether each letter is a vowel. A `y` is one behind a consonant.
fn vowels(letters: &[u8]) -> impl Iterator<Item = bool> {
    letters.iter().scan(true, |was_vowel, letter| {
        *was_vowel = match letter {
            b'a' | b'e' | b'i' | b'o' | b'u' => true,
            b'y' => !*was_vowel,
            _ => false,
        };
        Some(*was_vowel)
    })
}

/// How often a consonant follows a vowel.
fn measure(letters: &[u8]) -> usize {
    let (mut was_vowel, mut times) = (false, 0);
    for is_vowel in vowels(letters) {
        times += usize::from(was_vowel && !is_vowel);
        was_vowel = is_vowel;
    }
    times
}

/// A `y` counts as one anywhere but in front.
fn has_vowel(letters: &[u8]) -> bool {
    let is_vowel = |(at, letter): (usize, &u8)| match letter {
        b'a' | b'e' | b'i' | b'o' | b'u' => true,
        b'y' => at > 0,
        _ => false,
    };
    letters.iter().enumerate().any(is_vowel)
}

/// Whether it ends with a consonant, a vowel and a consonant that can be doubled.
fn is_short(letters: &[u8]) -> bool {
    let ends_well = !matches!(letters, [.., b'w' | b'x' | b'y']);
    let vowels: Vec<bool> = vowels(letters).collect();
    ends_well && vowels.ends_with(&[false, true, false])
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use rusqlite::Connection;

    use super::super::terms::Tokenizer;
    use super::term;

    /// Letters that make endings often, and some that make none.
    fn word() -> impl Strategy<Value = String> {
        let rule = super::DOUBLE_ENDINGS.iter().chain(&super::SINGLE_ENDINGS);
        let rules = rule.map(|(ending, _)| *ending);
        let others: [&[u8]; 9] = [
            b"s", b"es", b"ies", b"ed", b"eed", b"ing", b"y", b"ly", b"ll",
        ];
        let endings = rules.chain(super::LAST_ENDINGS).chain(others);
        let endings: Vec<String> = endings
            .map(|ending| String::from_utf8_lossy(ending).into_owned())
            .collect();
        let ending = prop::sample::select(endings);
        let endings = prop::collection::vec(ending, 0..4);
        ("[a-z]{0,6}|[aeiouylstz]{0,5}|[A-Za-z0-9]{0,70}", endings)
            .prop_map(|(front, endings)| front + &endings.concat())
    }

    #[test]
    fn a_word_is_cut_as_the_index_cuts_it() {
        let connection = Connection::open_in_memory().unwrap();
        let tokenizer = Tokenizer::of(&connection).unwrap();
        let is_so = |word: &str| {
            let truth = tokenizer.terms(word).unwrap();
            let cut = (!word.is_empty()).then(|| term(word));
            assert_eq!(cut.into_iter().collect::<Vec<_>>(), truth, "{word}");
        };
        for word in include_str!("porter.rs").split(|letter: char| !letter.is_ascii_alphanumeric())
        {
            is_so(word);
        }
        // All words of up to four letters out of those that the rules speak of, so that every short rest is met.
        let letters = "abeilsty1";
        let mut words = vec![String::new()];
        for _ in 0..4 {
            let longer = |word: &String| {
                letters
                    .chars()
                    .map(move |letter| format!("{word}{letter}"))
                    .collect::<Vec<_>>()
            };
            words = words.iter().flat_map(longer).collect();
            for word in &words {
                is_so(word);
                is_so(&format!("{word}ing"));
                is_so(&format!("{word}ed"));
            }
        }
        proptest!(ProptestConfig::with_cases(5_000), |(word in word())| is_so(&word));
    }
}
