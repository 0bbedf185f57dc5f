//! Words in, memories out: all words together first, then any of the rarer ones.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use oldhand_domain::filter::{Filter, TextQuery};
use oldhand_domain::id::MemoryId;
use oldhand_domain::memory::Memory;
use oldhand_domain::port::{Found, Hit, Matches, Spread};
use rusqlite::{Connection, OptionalExtension, ToSql, params_from_iter};

use super::change;
use super::count::{COMMON, count_listed, count_words, newest_key, tally};
use super::glance::Glance;
use super::lists::Lists;
use super::load::{Loaded, load};
use super::pages::Untold;
use super::question::{distinct_words, with_pairs};
use super::rate;
use super::select::Conditions;
use super::tally::Tally;
use crate::matching::passes;

/// How many more matches than wanted are looked at before any is looked up.
const SPARE: usize = 50;
/// With more words than this, a memory that has all of them is not looked for first.
const FEW_WORDS: usize = 4;
/// A word in more memories than this is not asked of one that has all words: walking its list costs more than it tells.
const EVERYWHERE: usize = 10_000;
/// When all words are common, so many of the newest memories that have them are ranked.
const NEWEST: i64 = 1_000;

/// What is searched: a database, or as much of it as pages and lists tell without it.
#[derive(Clone, Copy)]
pub(super) enum Ground<'a> {
    Database(&'a Connection),
    Pages(&'a Glance),
}

impl<'a> Ground<'a> {
    /// An error where there are only pages: then the database is to be asked the whole question.
    pub(super) fn database(self) -> rusqlite::Result<&'a Connection> {
        match self {
            Self::Database(connection) => Ok(connection),
            Self::Pages(_) => Err(rusqlite::Error::InvalidQuery),
        }
    }

    pub(super) fn newest_change(self) -> rusqlite::Result<i64> {
        match self {
            Self::Database(connection) => change::newest(connection),
            Self::Pages(glance) => glance
                .newest_change()
                .map_err(|Untold| rusqlite::Error::InvalidQuery),
        }
    }

    pub(super) fn newest_key(self) -> rusqlite::Result<Option<i64>> {
        match self {
            Self::Database(connection) => newest_key(connection),
            Self::Pages(glance) => glance
                .newest_key()
                .map_err(|Untold| rusqlite::Error::InvalidQuery),
        }
    }
}

pub(super) fn search(connection: &Connection, query: &TextQuery) -> rusqlite::Result<Found> {
    let limit = query.limit.min(query.filter.limit.unwrap_or(usize::MAX));
    let mut damaged = BTreeSet::new();
    let ground = (Ground::Database(connection), None);
    let best = best(ground, query, limit, &Spread::default(), |key, _| {
        Ok(match load(connection, key)? {
            Some(Loaded::Sound(memory)) => Some(*memory).filter(|it| passes(it, &query.filter)),
            Some(Loaded::Damaged(id)) => {
                damaged.extend(id);
                None
            }
            None => None,
        })
    })?;
    let hit = |(memory, score)| Hit { memory, score };
    Ok(Found {
        hits: best.hits.into_iter().map(hit).collect(),
        damaged: damaged.into_iter().collect(),
    })
}

/// As [`search`], without reading the memories.
pub(super) fn matches(
    (ground, path): (Ground<'_>, &Path),
    query: &TextQuery,
    others: &Spread,
) -> rusqlite::Result<Matches> {
    let passing = if is_plain(&query.filter) {
        Conditions::of(&query.filter).sql()
    } else {
        "true".to_owned()
    };
    let sql = format!("select m.id from memory m where m.key = ?1 and {passing}");
    let mut look = |key, source: &Source| {
        if let Source::Lists(lists) = source
            && let Ok(id) = lists.id(key)
        {
            return Ok(id);
        }
        let connection = ground.database()?;
        if query.filter.at_least.is_some() {
            let passing = |memory: &Memory| passes(memory, &query.filter);
            return Ok(match load(connection, key)? {
                Some(Loaded::Sound(memory)) if passing(&memory) => Some(memory.id),
                _ => None,
            });
        }
        let mut id_of = connection.prepare_cached(&sql)?;
        let id: Option<String> = id_of.query_row([key], |row| row.get(0)).optional()?;
        Ok(id.and_then(|id| id.parse::<MemoryId>().ok()))
    };
    let best = best((ground, Some(path)), query, query.limit, others, &mut look)?;
    // Keys are given out one after the other, and counting them all would read them all.
    let memories = ground.newest_key()?.unwrap_or_default();
    let memories = memories.try_into().unwrap_or_default();
    Ok(Matches {
        hits: best.hits,
        spread: Spread {
            memories,
            words: best.words,
            indexed: best.indexed,
            length: best.length,
        },
    })
}

/// What matches and passes, best first, and in how many memories each word is.
struct Best<T> {
    hits: Vec<(T, f64)>,
    words: BTreeMap<String, usize>,
    /// As [`Spread`] has them.
    indexed: usize,
    length: usize,
}

/// What the words of a question are looked up in.
enum Source {
    Lists(Lists),
    Index(Tally),
}

/// The `limit` best of what matches. `look` tells what has a key, or nothing where that does not pass; it is given what the words were looked up in. With a path, the handout of that database
/// may tell. The words are weighed as if what `others` tells of were here as well.
fn best<T>(
    (ground, path): (Ground<'_>, Option<&Path>),
    query: &TextQuery,
    limit: usize,
    others: &Spread,
    mut look: impl FnMut(i64, &Source) -> rusqlite::Result<Option<T>>,
) -> rusqlite::Result<Best<T>> {
    let words = with_pairs(ground, distinct_words(&query.text))?;
    let mut best = Best {
        hits: Vec::new(),
        words: BTreeMap::new(),
        indexed: 0,
        length: 0,
    };
    if words.is_empty() || limit == 0 {
        return Ok(best);
    }
    let path = path.filter(|_| is_plain(&query.filter));
    let mut source = match path.and_then(|path| Lists::read(ground, path, &words)) {
        Some(lists) => Source::Lists(lists),
        None => Source::Index(tally(ground.database()?, &words)?),
    };
    best.words = match &source {
        Source::Lists(lists) => count_listed(ground.newest_key()?, lists),
        Source::Index(tally) => count_words(ground.database()?, &words, tally)?,
    };
    (best.indexed, best.length) = match &mut source {
        Source::Lists(lists) => lists.weigh_beside(others),
        Source::Index(tally) => tally.weigh_beside(&words, others),
    };
    if best.words.values().all(|number| *number == 0) {
        // The index tells nothing of itself where it has none of the words, and nothing here is weighed by it.
        (best.indexed, best.length) = (0, 0);
    }
    let attempts = attempts(&words, &best.words, limit);
    let last = attempts.len() - 1;
    for (at, attempt) in attempts.into_iter().enumerate() {
        // What has all words is the answer when there is enough of it, or when all words are common; else it is among what has any.
        let enough = match attempt.reach {
            _ if at == last => 0,
            Reach::Every | Reach::Met => limit,
            Reach::Newest => 1,
        };
        let found = find(ground, &attempt, query, others, &source)?;
        if found.rows.len() < enough {
            continue;
        }
        best.hits.clear();
        let mut seen = BTreeSet::new();
        for (key, score) in found.rows {
            seen.insert(key);
            best.hits
                .extend(look(key, &source)?.map(|one| (one, score)));
            if best.hits.len() >= limit {
                return Ok(best);
            }
        }
        if !found.is_all {
            // Too many of the best were not live.
            let rows = run(ground.database()?, &attempt, Some(&query.filter), others)?;
            for (key, score) in rows.into_iter().filter(|(key, _)| !seen.contains(key)) {
                best.hits
                    .extend(look(key, &source)?.map(|one| (one, score)));
                if best.hits.len() >= limit {
                    return Ok(best);
                }
            }
        }
        // Counted again: what was deleted or replaced is no answer.
        if best.hits.len() >= enough {
            break;
        }
    }
    Ok(best)
}

/// One question to the index.
struct Attempt {
    words: Vec<String>,
    operator: &'static str,
    reach: Reach,
    /// In how many memories each word is, or [`rate::UNKNOWN`].
    counts: Vec<i64>,
}

const EVERY: &str = " AND ";
pub(super) const ANY: &str = " OR ";

impl Attempt {
    fn new(
        words: &[String],
        operator: &'static str,
        reach: Reach,
        counted: &BTreeMap<String, usize>,
    ) -> Self {
        let count = |word: &String| match counted[word] {
            // Estimated, and worth an exact count: others are weighed against it.
            COMMON..EVERYWHERE => rate::UNKNOWN,
            count => count as i64,
        };
        Self {
            words: words.to_vec(),
            operator,
            reach,
            counts: words.iter().map(count).collect(),
        }
    }
}

impl Attempt {
    /// What [`run`] finds, told by lists; `None` where only the index can tell.
    fn rate(&self, lists: &Lists) -> Option<Vec<(i64, f64)>> {
        let known = |count: &i64| Some(*count).filter(|count| *count != rate::UNKNOWN);
        let words = self.words.iter().map(String::as_str);
        let words: Vec<(&str, Option<i64>)> = words.zip(self.counts.iter().map(known)).collect();
        let mut rows = lists.rate(&words, self.operator == EVERY)?;
        if matches!(self.reach, Reach::Newest) {
            rows.reverse();
            rows.truncate(NEWEST as usize);
        }
        Some(rows)
    }

    /// The `most` best of what [`Attempt::rate`] told, as [`put_best_first`] puts them.
    fn keep_best(&self, rows: &mut Vec<(i64, f64)>, most: usize) {
        let is_newest = matches!(self.reach, Reach::Newest);
        let order = |(left, low): &(i64, f64), (right, high): &(i64, f64)| {
            let found = if is_newest {
                right.cmp(left)
            } else {
                left.cmp(right)
            };
            high.total_cmp(low).then(found)
        };
        // Putting all of them in order would take longer than rating them.
        if rows.len() > most {
            rows.select_nth_unstable_by(most, order);
            rows.truncate(most);
        }
        rows.sort_unstable_by(order);
    }
}

/// Equal ones stay in the order in which they were found.
fn put_best_first(rows: &mut [(i64, f64)]) {
    rows.sort_by(|(_, left), (_, right)| right.total_cmp(left));
}

/// What to ask the index, one after the other until there is enough.
fn attempts(words: &[String], counted: &BTreeMap<String, usize>, limit: usize) -> Vec<Attempt> {
    let pick = |below: usize| -> Vec<String> {
        let words = words.iter().filter(|word| counted[*word] < below);
        words.cloned().collect()
    };
    let (rare, telling) = (pick(COMMON), pick(EVERYWHERE));
    let mut attempts = Vec::new();
    let mut attempt = |words: &[String], operator: &'static str, reach: Reach| {
        attempts.push(Attempt::new(words, operator, reach, counted));
    };
    if rare.is_empty() {
        let together = if telling.is_empty() { words } else { &telling };
        attempt(together, EVERY, Reach::Newest);
        attempt(together, ANY, Reach::Newest);
    } else {
        // No more memories have all words than have the rarest one.
        let rarest = telling.iter().map(|word| counted[word]).min();
        if telling.len() > 1 && words.len() <= FEW_WORDS && rarest >= Some(limit) {
            attempt(&telling, EVERY, Reach::Every);
        }
        attempt(&rare, ANY, Reach::Met);
    }
    attempts
}

/// What matched, best first.
struct Ranked {
    rows: Vec<(i64, f64)>,
    /// Whether there is no more.
    is_all: bool,
}

/// Looking every match up in the wide table costs more than all the rest. Most matches are live, so that the best of all nearly always hold
/// enough of them.
fn find(
    ground: Ground<'_>,
    attempt: &Attempt,
    query: &TextQuery,
    others: &Spread,
    source: &Source,
) -> rusqlite::Result<Ranked> {
    if !is_plain(&query.filter) {
        let rows = run(ground.database()?, attempt, Some(&query.filter), others)?;
        return Ok(Ranked { rows, is_all: true });
    }
    let most = 2 * query.limit + SPARE;
    let listed = match source {
        Source::Lists(lists) => attempt.rate(lists),
        Source::Index(_) => None,
    };
    let is_listed = listed.is_some();
    let mut rows = match (listed, attempt.reach, source) {
        (Some(rows), ..) => rows,
        (None, Reach::Met, Source::Index(tally)) => {
            tally.rate(ground.database()?, COMMON as i64)?
        }
        _ => run(ground.database()?, attempt, None, others)?,
    };
    let is_all = match attempt.reach {
        Reach::Every | Reach::Met => rows.len() < most,
        Reach::Newest => rows.len() < most.min(NEWEST as usize),
    };
    if is_listed {
        attempt.keep_best(&mut rows, most);
    }
    rows.truncate(most);
    Ok(Ranked { rows, is_all })
}

/// Asks for nothing but that memories are live.
fn is_plain(filter: &Filter) -> bool {
    let plain = Filter {
        limit: filter.limit,
        ..Filter::default()
    };
    *filter == plain
}

/// Which of the memories that match are ranked.
#[derive(Clone, Copy)]
enum Reach {
    Every,
    /// Every one that has a word that is not common, which the tally met.
    Met,
    Newest,
}

/// Quoted, every word is only a word to FTS5: no operator, no syntax error.
pub(super) fn joined(words: &[String], operator: &str) -> String {
    let quoted: Vec<String> = words.iter().map(|word| format!("\"{word}\"")).collect();
    quoted.join(operator)
}

/// Keys and scores of what matches, best first; of all, or of what a filter lets through.
fn run(
    connection: &Connection,
    attempt: &Attempt,
    filter: Option<&Filter>,
    others: &Spread,
) -> rusqlite::Result<Vec<(i64, f64)>> {
    let conditions = filter.map(Conditions::of).unwrap_or_default();
    // `cross` keeps the index in the lead: looking a row up is cheap, asking the index again is not. A row that has no size is
    // damaged, which `rate` says; it is not left out in silence.
    let live = match filter {
        Some(_) => "cross join memory m on m.key = memory_words.rowid",
        None => "",
    };
    let order = match attempt.reach {
        Reach::Every | Reach::Met => String::new(),
        Reach::Newest => format!("order by memory_words.rowid desc limit {NEWEST}"),
    };
    let sql = format!(
        "select memory_words.rowid, rate(memory_words, s.sz, ?)
        from memory_words left join memory_words_docsize s on s.id = memory_words.rowid {live}
        where memory_words match ? and {} {order}",
        conditions.sql()
    );
    let mut statement = connection.prepare_cached(&sql)?;
    let counts = rate::Counts::of(&attempt.words, &attempt.counts, others);
    let counts = counts.bytes();
    let own: [&dyn ToSql; 2] = [&counts, &joined(&attempt.words, attempt.operator)];
    let others = conditions.values.iter().map(|value| &**value);
    let values = params_from_iter(own.into_iter().chain(others));
    let rows = statement.query_map(values, |row| Ok((row.get(0)?, row.get(1)?)))?;
    let mut rows: Vec<(i64, f64)> = rows.collect::<rusqlite::Result<_>>()?;
    put_best_first(&mut rows);
    Ok(rows)
}

/// Keys and scores of the best, bit by bit, and in how many memories each word is.
#[cfg(test)]
pub(super) fn best_keys(
    connection: &Connection,
    path: Option<&Path>,
    query: &TextQuery,
) -> (Vec<(i64, u64)>, BTreeMap<String, usize>) {
    let ground = Ground::Database(connection);
    let look = |key: i64, _: &Source| Ok(Some(key));
    let best = best((ground, path), query, query.limit, &Spread::default(), look).unwrap();
    let hits = best.hits.into_iter();
    let hits = hits.map(|(key, score)| (key, score.to_bits())).collect();
    (hits, best.words)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_whose_size_is_gone_is_damage_and_no_silence() {
        let connection = Connection::open_in_memory().unwrap();
        rate::teach(&connection).unwrap();
        let tables = "create table memory (key integer primary key);
            create virtual table memory_words using fts5 (content);
            insert into memory values (1), (2);
            insert into memory_words (rowid, content) values (1, 'a pool of ten'), (2, 'a pool');";
        connection.execute_batch(tables).unwrap();
        let attempt = Attempt {
            words: vec!["pool".to_owned()],
            operator: ANY,
            counts: vec![rate::UNKNOWN],
            reach: Reach::Every,
        };
        let found = || run(&connection, &attempt, None, &Spread::default());
        assert_eq!(found().unwrap().len(), 2);
        connection
            .execute_batch("delete from memory_words_docsize where id = 2")
            .unwrap();
        assert!(found().is_err());
    }
}
