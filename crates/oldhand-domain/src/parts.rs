//! A text that is too long to be one memory, cut where a reader would pause.

/// The parts of `text`, each of at most `limit` bytes: whole paragraphs as far as they fit, else whole lines, sentences or words; a word that
/// is longer than that is cut between characters. Only white space between parts is lost.
pub fn cut(text: &str, limit: usize) -> Vec<&str> {
    let mut parts = Vec::new();
    let mut rest = text.trim();
    while rest.len() > limit {
        let end = pause(rest, limit);
        let (part, behind) = rest.split_at(end);
        let part = part.trim_end();
        if !part.is_empty() {
            parts.push(part);
        }
        rest = behind.trim_start();
    }
    if !rest.is_empty() {
        parts.push(rest);
    }
    parts
}

/// A part this many times shorter than it may be is too short for the better border.
const SHORTEST: usize = 4;

/// Where the best border within the first `limit` bytes is.
fn pause(text: &str, limit: usize) -> usize {
    let most = text.floor_char_boundary(limit);
    // A limit below the length of one character leaves no choice.
    let most = if most == 0 {
        text.ceil_char_boundary(1)
    } else {
        most
    };
    let head = &text[..most];
    let behind = |border: &str| head.rfind(border).map(|at| at + border.len());
    let sentence = [". ", "! ", "? ", "。"]
        .iter()
        .filter_map(|end| behind(end))
        .max();
    let word = head.rfind(char::is_whitespace);
    [behind("\n\n"), behind("\n"), sentence, word]
        .into_iter()
        .flatten()
        .find(|&at| at >= most / SHORTEST && at > 0)
        .unwrap_or(most)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn paragraphs_stay_whole_where_they_fit() {
        let text = "One two.\n\nThree four. Five six.\n\nSeven.";
        assert_eq!(cut(text, 100), [text]);
        assert_eq!(
            cut(text, 30),
            ["One two.", "Three four. Five six.\n\nSeven."]
        );
        assert_eq!(
            cut(text, 16),
            ["One two.", "Three four.", "Five six.", "Seven."]
        );
        assert_eq!(cut("abcdefgh ij", 4), ["abcd", "efgh", "ij"]);
        assert!(cut(" \n", 4).is_empty());
    }

    proptest! {
        #[test]
        fn nothing_but_white_space_is_lost(text in any::<String>(), limit in 4_usize..64) {
            let parts = cut(&text, limit);
            prop_assert!(parts.iter().all(|part| !part.is_empty() && part.len() <= limit));
            let dense = |text: &str| text.chars().filter(|c| !c.is_whitespace()).collect::<String>();
            prop_assert_eq!(dense(&parts.concat()), dense(&text));
        }
    }
}
