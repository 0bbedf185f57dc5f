//! Text to vocabulary pieces: identifiers are split, letters lowered and folded, words cut into their longest known pieces.

use crate::table::{Hash, Place, Table};

/// A longer run of letters or digits is a blob (base64, a hash), and says nothing about meaning.
const LONGEST_WORD: usize = 100;

/// No piece of the vocabulary is longer than this many bytes.
const LONGEST_PIECE: usize = 18;

/// Plain letters for U+00C0 to U+017F; `.` where a letter has no plain form and stays what it is.
const PLAIN: &[u8; 192] = b"AAAAAA.CEEEEIIII.NOOOOO..UUUUY..aaaaaa.ceeeeiiii.nooooo..uuuuy.y\
AaAaAaCcCcCcCcDd..EeEeEeEeEeGgGgGgGgHh..IiIiIiIiI...JjKk.LlLlLl....NnNnNn...OoOoOo..RrRrRrSsSsSsSsTtTt..UuUuUuUuUuUuWwYyYZzZzZz.";

/// Appends the pieces of `text` to `found`, at most `most` of them. The order is that of the text.
pub(crate) fn collect(text: &str, table: Table, most: usize, found: &mut Vec<u16>) {
    let most = found.len() + most;
    let mut word = Word::default();
    let mut before = ' ';
    let mut chars = text.chars().map(fold).peekable();
    while let Some(char) = chars.next() {
        if starts_a_word(before, char, chars.peek().copied()) {
            word.cut(table, found);
        }
        before = char;
        if char.is_ascii_alphanumeric() {
            word.push(char.to_ascii_lowercase() as u8);
        } else if char != '_' && !char.is_whitespace() {
            for lower in char.to_lowercase() {
                let mut bytes = [0; 4];
                cut(lower.encode_utf8(&mut bytes).as_bytes(), table, found);
            }
        }
        if found.len() >= most {
            break;
        }
    }
    word.cut(table, found);
    found.truncate(most);
}

fn starts_a_word(before: char, char: char, after: Option<char>) -> bool {
    if !char.is_ascii_alphanumeric() || !before.is_ascii_alphanumeric() {
        return true;
    }
    before.is_ascii_digit() != char.is_ascii_digit()
        || before.is_ascii_lowercase() && char.is_ascii_uppercase()
        || before.is_ascii_uppercase()
            && char.is_ascii_uppercase()
            && after.is_some_and(|after| after.is_ascii_lowercase())
}

fn fold(char: char) -> char {
    match (char as usize)
        .checked_sub(0xc0)
        .and_then(|at| PLAIN.get(at))
    {
        Some(&plain) if plain != b'.' => plain as char,
        _ => char,
    }
}

/// The letters or digits of the word being read.
struct Word {
    bytes: [u8; LONGEST_WORD],
    length: usize,
}

impl Default for Word {
    fn default() -> Self {
        Self {
            bytes: [0; LONGEST_WORD],
            length: 0,
        }
    }
}

impl Word {
    fn push(&mut self, byte: u8) {
        if let Some(place) = self.bytes.get_mut(self.length) {
            *place = byte;
        }
        self.length += 1;
    }

    fn cut(&mut self, table: Table, found: &mut Vec<u16>) {
        if self.length <= LONGEST_WORD {
            cut(&self.bytes[..self.length], table, found);
        }
        self.length = 0;
    }
}

/// Greedy longest match. A word with a part that has no piece adds nothing.
fn cut(word: &[u8], table: Table, found: &mut Vec<u16>) {
    let before = found.len();
    let mut rest = word;
    while !rest.is_empty() {
        let place = if rest.len() == word.len() {
            Place::Start
        } else {
            Place::Continuation
        };
        let Some((piece, length)) = longest(rest, place, table) else {
            found.truncate(before);
            return;
        };
        found.push(piece);
        rest = &rest[length..];
    }
}

fn longest(text: &[u8], place: Place, table: Table) -> Option<(u16, usize)> {
    let mut hashes = [Hash::new(place); LONGEST_PIECE + 1];
    let reach = text.len().min(LONGEST_PIECE);
    for (at, &byte) in text[..reach].iter().enumerate() {
        hashes[at + 1] = hashes[at].with(byte);
    }
    (1..=reach)
        .rev()
        .find_map(|length| Some((table.find(&text[..length], place, hashes[length])?, length)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spelled(text: &str) -> Vec<u16> {
        let mut found = Vec::new();
        collect(text, Table::embedded(), 256, &mut found);
        found
    }

    #[test]
    fn an_identifier_is_its_words_however_it_is_written() {
        let words = spelled("read config file");
        for identifier in [
            "readConfigFile",
            "ReadConfigFile",
            "read_config_file",
            "READ_CONFIG_FILE",
        ] {
            assert_eq!(spelled(identifier), words, "{identifier}");
        }
        assert_eq!(spelled("HTTPServer"), spelled("http server"));
        assert_eq!(spelled("utf8"), spelled("utf 8"));
    }

    #[test]
    fn accents_are_folded() {
        assert_eq!(
            spelled("Café NAÏVE žluťoučký"),
            spelled("cafe naive zlutoucky")
        );
    }

    #[test]
    fn a_blob_adds_nothing() {
        assert!(spelled(&"q".repeat(101)).is_empty());
        assert!(!spelled(&"q".repeat(100)).is_empty());
    }

    #[test]
    fn no_more_pieces_than_asked_for() {
        let mut found = Vec::new();
        collect("one two three four", Table::embedded(), 3, &mut found);
        assert_eq!(found.len(), 3);
    }

    #[test]
    fn strange_input_is_only_text() {
        for text in ["", "\0\0\0", "🙂🙂", "\u{202e}\u{200d}", "𝔘𝔫𝔦𝔠𝔬𝔡𝔢", "﷽"]
        {
            spelled(text);
        }
    }
}
