//! The words that a question is looked up by.

use oldhand_domain::words;

use super::count::COMMON;
use super::search::Ground;

/// More words than this say nothing more about what is looked for.
const MOST_WORDS: usize = 32;

pub(super) fn distinct_words(text: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    for word in words::split(text) {
        if !words.contains(&word) {
            words.push(word);
        }
        if words.len() == MOST_WORDS {
            break;
        }
    }
    words
}

/// The words, and for a character that stands alone the pairs that memories have with it.
pub(super) fn with_pairs(
    ground: Ground<'_>,
    mut words: Vec<String>,
) -> rusqlite::Result<Vec<String>> {
    const HAVING: &str = "select content from memory where instr(content, ?1) > 0 limit ?2";
    let lone: Vec<String> = words
        .iter()
        .filter(|word| words::is_lone(word))
        .cloned()
        .collect();
    for character in lone {
        let mut having = ground.database()?.prepare_cached(HAVING)?;
        let mut rows = having.query((&character, COMMON as i64))?;
        while let Some(row) = rows.next()? {
            let content: String = row.get(0)?;
            let pairs = words::split(&content).into_iter();
            for pair in pairs.filter(|pair| pair.contains(&character)) {
                if words.len() < MOST_WORDS && !words.contains(&pair) {
                    words.push(pair);
                }
            }
        }
    }
    Ok(words)
}
