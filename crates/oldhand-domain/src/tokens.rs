//! How many tokens a text costs a model, near enough to keep a promise about limits.

/// An estimate that leans high: counting too many costs a line, counting too few breaks a budget.
///
/// Words cost one token per five letters or so, digits one per three, every mark one; text outside
/// Latin scripts costs about one per character.
pub fn count(text: &str) -> usize {
    let mut total = 0;
    let mut run = Run::Nothing;
    let mut length = 0_usize;
    let mut before = ' ';
    for c in text.chars() {
        let kind = Run::of(c);
        let new_word = before.is_lowercase() && c.is_uppercase();
        if kind == run && !new_word {
            length += 1;
        } else {
            total += run.cost(length);
            run = kind;
            length = 1;
        }
        before = c;
    }
    total + run.cost(length)
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Run {
    Nothing,
    Space,
    Word,
    Digits,
    Mark,
    Wide,
}

impl Run {
    fn of(c: char) -> Self {
        if c.is_whitespace() {
            Self::Space
        } else if c.is_ascii_digit() {
            Self::Digits
        } else if c.is_ascii_alphabetic() || ('\u{c0}'..='\u{24f}').contains(&c) {
            Self::Word
        } else if c.is_ascii() {
            Self::Mark
        } else {
            Self::Wide
        }
    }

    fn cost(self, length: usize) -> usize {
        match self {
            Self::Nothing => 0,
            // A single space belongs to the word after it.
            Self::Space => usize::from(length > 1),
            Self::Word if length <= 7 => 1,
            Self::Word => length.div_ceil(5),
            Self::Digits => length.div_ceil(3),
            Self::Mark => length.div_ceil(2),
            Self::Wide => length,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_english_is_about_a_token_a_word() {
        assert_eq!(count(""), 0);
        assert_eq!(count("The build fails when the cache is cold"), 8);
    }

    #[test]
    fn identifiers_and_paths_cost_more_than_words() {
        let identifier = count("getUserById");
        assert!((3..=6).contains(&identifier), "{identifier}");
        let path = count("src/auth/session_store.rs");
        assert!((7..=12).contains(&path), "{path}");
    }
}
