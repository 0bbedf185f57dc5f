//! Words in, memories out: all words together first, then any of the rarer ones.

use std::collections::{BTreeMap, BTreeSet};

use oldhand_domain::filter::{Filter, TextQuery};
use oldhand_domain::id::MemoryId;
use oldhand_domain::port::{Found, Hit, Matches, Spread};
use oldhand_domain::words;
use rusqlite::{Connection, OptionalExtension, ToSql, params_from_iter};

use super::load::{Loaded, load};
use super::select::Conditions;
use crate::matching::passes;

/// More words than this say nothing more about what is looked for.
const MOST_WORDS: usize = 32;
/// A word in more memories than this is common: matching it alone costs much and tells little.
const COMMON: usize = 2_000;
/// How many more matches than wanted are looked at before any is looked up.
const SPARE: usize = 50;
/// With more words than this, a memory that has all of them is not looked for first.
const FEW_WORDS: usize = 4;
/// When all words are common, so many of the newest memories that have them are ranked.
const NEWEST: i64 = 2_000;

pub(super) fn search(connection: &Connection, query: &TextQuery) -> rusqlite::Result<Found> {
    let limit = query.limit.min(query.filter.limit.unwrap_or(usize::MAX));
    let mut found = Found::default();
    best(connection, query, |key, score| {
        match load(connection, key)? {
            Some(Loaded::Sound(memory)) if passes(&memory, &query.filter) => {
                found.hits.push(Hit {
                    memory: *memory,
                    score,
                });
            }
            Some(Loaded::Damaged(id)) => found.damaged.extend(id),
            Some(Loaded::Sound(_)) | None => {}
        }
        Ok(found.hits.len() >= limit)
    })?;
    Ok(found)
}

/// As [`search`], without reading the memories.
pub(super) fn matches(connection: &Connection, query: &TextQuery) -> rusqlite::Result<Matches> {
    let mut hits = Vec::new();
    let passing = if is_plain(&query.filter) {
        Conditions::of(&query.filter).sql()
    } else {
        "true".to_owned()
    };
    let sql = format!("select m.id from memory m where m.key = ?1 and {passing}");
    let mut id_of = connection.prepare_cached(&sql)?;
    let words = best(connection, query, |key, score| {
        let id: Option<String> = id_of.query_row([key], |row| row.get(0)).optional()?;
        let id: Option<MemoryId> = id.and_then(|id| id.parse().ok());
        hits.extend(id.map(|id| (id, score)));
        Ok(hits.len() >= query.limit)
    })?;
    // Keys are given out one after the other, and counting them all would read them all.
    let memories: Option<i64> =
        connection.query_row("select max(key) from memory", [], |row| row.get(0))?;
    let memories = memories.unwrap_or_default().try_into().unwrap_or_default();
    Ok(Matches {
        hits,
        spread: Spread { memories, words },
    })
}

/// Calls `take` with the keys of what matches, best first, until it has enough. Returns in how many memories each word is.
fn best(
    connection: &Connection,
    query: &TextQuery,
    mut take: impl FnMut(i64, f64) -> rusqlite::Result<bool>,
) -> rusqlite::Result<BTreeMap<String, usize>> {
    let words = distinct_words(&query.text);
    if words.is_empty() || query.limit == 0 {
        return Ok(BTreeMap::new());
    }
    let counted = count_words(connection, &words)?;
    let rare: Vec<String> = words
        .iter()
        .filter(|word| counted[*word] < COMMON)
        .cloned()
        .collect();
    let all = joined(&words, " AND ");
    let mut taken = BTreeSet::new();
    let mut rows = if rare.is_empty() {
        let found = run(connection, &all, Reach::Newest, query)?;
        if found.is_empty() && words.len() > 1 {
            run(connection, &joined(&words, " OR "), Reach::Newest, query)?
        } else {
            found
        }
    } else {
        let found = if (2..=FEW_WORDS).contains(&words.len()) {
            run(connection, &all, Reach::Every, query)?
        } else {
            Vec::new()
        };
        if found.len() >= query.limit {
            found
        } else {
            let any = joined(&rare, " OR ");
            // Looking every match up in the wide table costs more than all the rest. Most matches are live, so that the best of
            // all nearly always hold enough of them.
            if is_plain(&query.filter) {
                let most = 2 * query.limit + SPARE;
                let best = run_unfiltered(connection, &any, most)?;
                let is_all = best.len() < most;
                for (key, score) in best {
                    if take(key, score)? {
                        return Ok(counted);
                    }
                    taken.insert(key);
                }
                if is_all {
                    return Ok(counted);
                }
            }
            run(connection, &any, Reach::Every, query)?
        }
    }
    .into_iter()
    .filter(|(key, _)| !taken.contains(key));
    while let Some((key, score)) = rows.next()
        && !take(key, score)?
    {}
    Ok(counted)
}

/// Asks for nothing but that memories are live.
fn is_plain(filter: &Filter) -> bool {
    let plain = Filter {
        limit: filter.limit,
        ..Filter::default()
    };
    *filter == plain
}

/// Keys and scores of the `most` best matches, whatever has become of them.
fn run_unfiltered(
    connection: &Connection,
    expression: &str,
    most: usize,
) -> rusqlite::Result<Vec<(i64, f64)>> {
    const SQL: &str = "
        select rowid, rank from memory_words where memory_words match ?1 order by rank limit ?2";
    let mut statement = connection.prepare_cached(SQL)?;
    let rows = statement.query_map((expression, most as i64), |row| {
        Ok((row.get(0)?, -row.get::<_, f64>(1)?))
    })?;
    rows.collect()
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

/// In how many memories each word is, up to [`COMMON`]: fewer are cheap to rank.
fn count_words(
    connection: &Connection,
    words: &[String],
) -> rusqlite::Result<BTreeMap<String, usize>> {
    const SQL: &str = "
        select count(*) from (select 1 from memory_words where memory_words match ?1 limit ?2)";
    let mut statement = connection.prepare_cached(SQL)?;
    let mut counted = BTreeMap::new();
    for word in words {
        let quoted = joined(std::slice::from_ref(word), "");
        let count = statement.query_row((quoted, COMMON as i64), |row| row.get::<_, i64>(0))?;
        counted.insert(word.clone(), count as usize);
    }
    Ok(counted)
}

/// Keys and scores of what matches, best first.
fn run(
    connection: &Connection,
    expression: &str,
    reach: Reach,
    query: &TextQuery,
) -> rusqlite::Result<Vec<(i64, f64)>> {
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
    let mut statement = connection.prepare_cached(&sql)?;
    let expression: Box<dyn ToSql> = Box::new(expression.to_owned());
    let values = std::iter::once(&expression).chain(&conditions.values);
    let rows = statement.query_map(params_from_iter(values), |row| {
        Ok((row.get(0)?, -row.get::<_, f64>(1)?))
    })?;
    rows.collect()
}
