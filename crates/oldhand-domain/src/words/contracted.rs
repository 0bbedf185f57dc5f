//! Words that stand before an apostrophe and say nothing: `don` of `don't`, `let` of `let's`.

use std::borrow::Cow;

/// What is left of a word before `n't`, but for the last letter of that. Sorted.
const BEFORE_NOT: &[&str] = &[
    "ain", "aren", "couldn", "didn", "doesn", "don", "hadn", "hasn", "haven", "isn", "mightn",
    "mustn", "needn", "shan", "shouldn", "wasn", "weren", "won", "wouldn",
];

const APOSTROPHES: [char; 2] = ['\'', '’'];

/// A question without its contractions, of which [`super::split`] would make words: nobody who asks `why won't it` asks who has won.
pub fn without_contractions(question: &str) -> Cow<'_, str> {
    let mut plain = Cow::Borrowed("");
    let mut rest = 0;
    for (at, apostrophe) in question.match_indices(APOSTROPHES) {
        let is_letter = |c: char| c.is_alphanumeric() || c == '_';
        let before = &question[rest.min(at)..at];
        let word = before.rsplit(|c| !is_letter(c)).next().unwrap_or_default();
        let behind = &question[at + apostrophe.len()..];
        let ending = &behind[..behind.find(|c| !is_letter(c)).unwrap_or(behind.len())];
        let word_in_small = word.to_ascii_lowercase();
        let is_contraction = match ending {
            "t" | "T" => BEFORE_NOT.binary_search(&word_in_small.as_str()).is_ok(),
            "s" | "S" => word_in_small == "let",
            _ => false,
        };
        if is_contraction {
            plain += &question[rest..at - word.len()];
            rest = at + apostrophe.len() + ending.len();
        }
    }
    if rest == 0 {
        return Cow::Borrowed(question);
    }
    plain += &question[rest..];
    plain
}

#[cfg(test)]
mod tests {
    use super::super::split;
    use super::*;

    #[test]
    fn a_contraction_is_no_word_and_what_is_spelled_like_a_part_of_it_is() {
        assert!(BEFORE_NOT.is_sorted());
        for (question, expected) in [
            ("why don't we use libgit2", "why we use libgit 2 libgit2"),
            (
                "Let's see what DOESN’T build, won't we",
                "see what build we",
            ),
            ("it couldn't've", "it ve"),
            ("isn't", ""),
            ("who won the don", "who won the don"),
            ("let x = 'tis", "let x tis"),
            ("the Don's tea, won'tab", "the don s tea won tab"),
            ("x_don't été's", "x don xdon t été s"),
            ("can't", "can t"),
            ("'t don' t", "t don t"),
        ] {
            let words = split(&without_contractions(question));
            assert_eq!(words.join(" "), expected, "{question}");
        }
    }

    proptest::proptest! {
        #[test]
        fn what_has_no_apostrophe_stays_and_nothing_is_added(text in "(don|let|won|'|’|t|s| |é|_){0,12}") {
            let plain = without_contractions(&text);
            proptest::prop_assert!(plain.len() <= text.len());
            if !text.contains(APOSTROPHES) {
                proptest::prop_assert_eq!(&*plain, text.as_str());
            }
        }
    }
}
