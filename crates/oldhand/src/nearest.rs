//! What a person probably meant by a word that is not known.

/// The known word with the fewest changes from `word`, when those are few for its length.
pub(crate) fn nearest<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let length = word.chars().count();
    let most = 1 + length / 4;
    // A word that is so much longer or shorter is not compared letter by letter: a pasted text would be, with every name there is.
    let is_as_long = |other: &&str| other.chars().count().abs_diff(length) <= most;
    known
        .into_iter()
        .filter(is_as_long)
        .map(|other| (distance(word, other), other))
        .filter(|(distance, _)| *distance <= most)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, other)| other)
}

/// How many letters must be put in, taken out or changed to get from one word to the other.
fn distance(from: &str, to: &str) -> usize {
    let to: Vec<char> = to.chars().collect();
    let mut row: Vec<usize> = (0..=to.len()).collect();
    for (at, letter) in from.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = at + 1;
        for (column, other) in to.iter().enumerate() {
            let changed = diagonal + usize::from(letter != *other);
            diagonal = row[column + 1];
            row[column + 1] = changed.min(row[column] + 1).min(diagonal + 1);
        }
    }
    row[to.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_finds_its_word_and_a_strange_word_finds_none() {
        let known = ["search.limit", "list.limit", "editor"];
        assert_eq!(nearest("serch.limit", known), Some("search.limit"));
        assert_eq!(nearest("edit", known), Some("editor"));
        assert_eq!(nearest("encryption.key", known), None);
    }
}
