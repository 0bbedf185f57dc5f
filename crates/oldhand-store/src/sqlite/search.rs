//! Words in, memories out: all words together first, then any of the rarer ones.

use oldhand_domain::filter::TextQuery;
use oldhand_domain::port::{Found, Hit};
use oldhand_domain::words;
use rusqlite::{Connection, ToSql, params_from_iter};

use super::load::{Loaded, load};
use super::select::Conditions;
use crate::matching::passes;

/// More words than this say nothing more about what is looked for.
const MOST_WORDS: usize = 32;
/// A word in more memories than this is common: matching it alone costs much and tells little.
const COMMON: i64 = 2_000;
/// The rarest words stay even when all are common.
const KEPT_COMMON: usize = 2;

pub(super) fn search(connection: &Connection, query: &TextQuery) -> rusqlite::Result<Found> {
    let words = distinct_words(&query.text);
    if words.is_empty() || query.limit == 0 {
        return Ok(Found::default());
    }
    let all = run(connection, &joined(&words, " AND "), query)?;
    if words.len() == 1 || all.hits.len() >= query.limit {
        return Ok(all);
    }
    let rare = without_common(connection, words)?;
    run(connection, &joined(&rare, " OR "), query)
}

fn distinct_words(text: &str) -> Vec<String> {
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

/// Quoted, every word is only a word to FTS5: no operator, no syntax error.
fn joined(words: &[String], operator: &str) -> String {
    let quoted: Vec<String> = words.iter().map(|word| format!("\"{word}\"")).collect();
    quoted.join(operator)
}

fn without_common(connection: &Connection, words: Vec<String>) -> rusqlite::Result<Vec<String>> {
    const SQL: &str = "
        select count(*) from (select 1 from memory_words where memory_words match ?1 limit ?2)";
    let mut statement = connection.prepare_cached(SQL)?;
    let mut counted = Vec::new();
    for word in words {
        let count: i64 = statement.query_row((format!("\"{word}\""), COMMON), |row| row.get(0))?;
        counted.push((count, word));
    }
    counted.sort();
    let rare = counted.iter().filter(|(count, _)| *count < COMMON).count();
    counted.truncate(rare.max(KEPT_COMMON));
    Ok(counted.into_iter().map(|(_, word)| word).collect())
}

fn run(connection: &Connection, expression: &str, query: &TextQuery) -> rusqlite::Result<Found> {
    let conditions = Conditions::of(&query.filter);
    let sql = format!(
        "select m.key, w.rank from memory_words w join memory m on m.key = w.rowid
        where w.memory_words match ? and {} order by w.rank",
        conditions.sql()
    );
    let limit = query.limit.min(query.filter.limit.unwrap_or(usize::MAX));
    let mut statement = connection.prepare_cached(&sql)?;
    let expression: Box<dyn ToSql> = Box::new(expression.to_owned());
    let values = std::iter::once(&expression).chain(&conditions.values);
    let mut rows = statement.query(params_from_iter(values))?;
    let mut found = Found::default();
    while found.hits.len() < limit
        && let Some(row) = rows.next()?
    {
        match load(connection, row.get(0)?)? {
            Some(Loaded::Sound(memory)) if passes(&memory, &query.filter) => {
                let score = -row.get::<_, f64>(1)?;
                found.hits.push(Hit {
                    memory: *memory,
                    score,
                });
            }
            Some(Loaded::Damaged(id)) => found.damaged.extend(id),
            Some(Loaded::Sound(_)) | None => {}
        }
    }
    Ok(found)
}
