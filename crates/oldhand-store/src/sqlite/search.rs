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
/// When all words are common, so many of the newest memories that have them are ranked.
const NEWEST: i64 = 2_000;

pub(super) fn search(connection: &Connection, query: &TextQuery) -> rusqlite::Result<Found> {
    let words = distinct_words(&query.text);
    if words.is_empty() || query.limit == 0 {
        return Ok(Found::default());
    }
    let rare = rare_words(connection, &words)?;
    let all = joined(&words, " AND ");
    if rare.is_empty() {
        let found = run(connection, &all, Reach::Newest, query)?;
        return if found.hits.is_empty() && words.len() > 1 {
            run(connection, &joined(&words, " OR "), Reach::Newest, query)
        } else {
            Ok(found)
        };
    }
    let found = run(connection, &all, Reach::Every, query)?;
    if words.len() == 1 || found.hits.len() >= query.limit {
        return Ok(found);
    }
    run(connection, &joined(&rare, " OR "), Reach::Every, query)
}

/// Which of the memories that match are ranked.
#[derive(Clone, Copy)]
enum Reach {
    Every,
    Newest,
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

/// Those in few memories, and so cheap to rank.
fn rare_words(connection: &Connection, words: &[String]) -> rusqlite::Result<Vec<String>> {
    const SQL: &str = "
        select count(*) from (select 1 from memory_words where memory_words match ?1 limit ?2)";
    let mut statement = connection.prepare_cached(SQL)?;
    let mut rare = Vec::new();
    for word in words {
        let quoted = joined(std::slice::from_ref(word), "");
        let count: i64 = statement.query_row((quoted, COMMON), |row| row.get(0))?;
        if count < COMMON {
            rare.push(word.clone());
        }
    }
    Ok(rare)
}

fn run(
    connection: &Connection,
    expression: &str,
    reach: Reach,
    query: &TextQuery,
) -> rusqlite::Result<Found> {
    let conditions = Conditions::of(&query.filter);
    // `cross` keeps the index in the lead: looking a memory up is cheap, asking the index again is not.
    let matching = "from memory_words w cross join memory m on m.key = w.rowid
        where w.memory_words match ?";
    let sql = match reach {
        Reach::Every => format!(
            "select m.key, w.rank {matching} and {} order by w.rank",
            conditions.sql()
        ),
        Reach::Newest => format!(
            "select * from (select m.key, w.rank as score {matching} and {}
                order by w.rowid desc limit {NEWEST}) order by score",
            conditions.sql()
        ),
    };
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
