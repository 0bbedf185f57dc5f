//! Words in, memories out: all words together first, then any of the rarer ones.

use std::collections::{BTreeMap, BTreeSet};

use oldhand_domain::filter::{Filter, TextQuery};
use oldhand_domain::id::MemoryId;
use oldhand_domain::memory::Memory;
use oldhand_domain::port::{Found, Hit, Matches, Spread};
use oldhand_domain::words;
use rusqlite::{Connection, OptionalExtension, ToSql, params_from_iter};

use super::load::{Loaded, load};
use super::rate;
use super::select::Conditions;
use super::tally::{self, Counted, Tally};
use crate::matching::passes;

/// More words than this say nothing more about what is looked for.
const MOST_WORDS: usize = 32;
/// A word in more memories than this is common: matching it alone costs much and tells little.
const COMMON: usize = 2_000;
/// How many more matches than wanted are looked at before any is looked up.
const SPARE: usize = 50;
/// With more words than this, a memory that has all of them is not looked for first.
const FEW_WORDS: usize = 4;
/// A word in more memories than this is not asked of one that has all words: walking its list costs more than it tells.
const EVERYWHERE: usize = 10_000;
/// When all words are common, so many of the newest memories that have them are ranked.
const NEWEST: i64 = 1_000;

pub(super) fn search(connection: &Connection, query: &TextQuery) -> rusqlite::Result<Found> {
    let limit = query.limit.min(query.filter.limit.unwrap_or(usize::MAX));
    let mut damaged = BTreeSet::new();
    let best = best(connection, query, limit, |key| {
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
pub(super) fn matches(connection: &Connection, query: &TextQuery) -> rusqlite::Result<Matches> {
    let passing = if is_plain(&query.filter) {
        Conditions::of(&query.filter).sql()
    } else {
        "true".to_owned()
    };
    let sql = format!("select m.id from memory m where m.key = ?1 and {passing}");
    let mut id_of = connection.prepare_cached(&sql)?;
    let best = best(connection, query, query.limit, |key| {
        if query.filter.at_least.is_some() {
            let passing = |memory: &Memory| passes(memory, &query.filter);
            return Ok(match load(connection, key)? {
                Some(Loaded::Sound(memory)) if passing(&memory) => Some(memory.id),
                _ => None,
            });
        }
        let id: Option<String> = id_of.query_row([key], |row| row.get(0)).optional()?;
        Ok(id.and_then(|id| id.parse::<MemoryId>().ok()))
    })?;
    // Keys are given out one after the other, and counting them all would read them all.
    let memories: Option<i64> =
        connection.query_row("select max(key) from memory", [], |row| row.get(0))?;
    let memories = memories.unwrap_or_default().try_into().unwrap_or_default();
    Ok(Matches {
        hits: best.hits,
        spread: Spread {
            memories,
            words: best.words,
        },
    })
}

/// What matches and passes, best first, and in how many memories each word is.
struct Best<T> {
    hits: Vec<(T, f64)>,
    words: BTreeMap<String, usize>,
}

/// The `limit` best of what matches. `look` tells what has a key, or nothing where that does not pass.
fn best<T>(
    connection: &Connection,
    query: &TextQuery,
    limit: usize,
    mut look: impl FnMut(i64) -> rusqlite::Result<Option<T>>,
) -> rusqlite::Result<Best<T>> {
    let words = with_pairs(connection, distinct_words(&query.text))?;
    let mut best = Best {
        hits: Vec::new(),
        words: BTreeMap::new(),
    };
    if words.is_empty() || limit == 0 {
        return Ok(best);
    }
    let tally = tally(connection, &words)?;
    best.words = count_words(connection, &words, &tally)?;
    let attempts = attempts(&words, &best.words, limit);
    let last = attempts.len() - 1;
    for (at, attempt) in attempts.into_iter().enumerate() {
        // What has all words is the answer when there is enough of it, or when all words are common; else it is among what has any.
        let enough = match attempt.reach {
            _ if at == last => 0,
            Reach::Every | Reach::Met => limit,
            Reach::Newest => 1,
        };
        let found = find(connection, &attempt, query, &tally)?;
        if found.rows.len() < enough {
            continue;
        }
        best.hits.clear();
        let mut seen = BTreeSet::new();
        for (key, score) in found.rows {
            seen.insert(key);
            best.hits.extend(look(key)?.map(|one| (one, score)));
            if best.hits.len() >= limit {
                return Ok(best);
            }
        }
        if !found.is_all {
            // Too many of the best were not live.
            let rows = run(connection, &attempt, Some(&query.filter))?;
            for (key, score) in rows.into_iter().filter(|(key, _)| !seen.contains(key)) {
                best.hits.extend(look(key)?.map(|one| (one, score)));
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
    expression: String,
    reach: Reach,
    /// In how many memories each word of the expression is, as [`rate`] takes it.
    counts: Vec<u8>,
}

impl Attempt {
    fn new(
        words: &[String],
        operator: &str,
        reach: Reach,
        counted: &BTreeMap<String, usize>,
    ) -> Self {
        let count = |word: &String| match counted[word] {
            // Estimated, and worth an exact count: others are weighed against it.
            COMMON..EVERYWHERE => rate::UNKNOWN,
            count => count as i64,
        };
        Self {
            expression: joined(words, operator),
            reach,
            counts: words
                .iter()
                .flat_map(|word| count(word).to_le_bytes())
                .collect(),
        }
    }
}

/// What to ask the index, one after the other until there is enough.
fn attempts(words: &[String], counted: &BTreeMap<String, usize>, limit: usize) -> Vec<Attempt> {
    let pick = |below: usize| -> Vec<String> {
        let words = words.iter().filter(|word| counted[*word] < below);
        words.cloned().collect()
    };
    let (rare, telling) = (pick(COMMON), pick(EVERYWHERE));
    let mut attempts = Vec::new();
    let mut attempt = |words: &[String], operator: &str, reach: Reach| {
        attempts.push(Attempt::new(words, operator, reach, counted));
    };
    if rare.is_empty() {
        let together = if telling.is_empty() { words } else { &telling };
        attempt(together, " AND ", Reach::Newest);
        attempt(together, " OR ", Reach::Newest);
    } else {
        // No more memories have all words than have the rarest one.
        let rarest = telling.iter().map(|word| counted[word]).min();
        if telling.len() > 1 && words.len() <= FEW_WORDS && rarest >= Some(limit) {
            attempt(&telling, " AND ", Reach::Every);
        }
        attempt(&rare, " OR ", Reach::Met);
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
    connection: &Connection,
    attempt: &Attempt,
    query: &TextQuery,
    tally: &Tally,
) -> rusqlite::Result<Ranked> {
    if !is_plain(&query.filter) {
        let rows = run(connection, attempt, Some(&query.filter))?;
        return Ok(Ranked { rows, is_all: true });
    }
    let most = 2 * query.limit + SPARE;
    let mut rows = match attempt.reach {
        Reach::Met => tally.rate(connection, COMMON as i64)?,
        Reach::Every | Reach::Newest => run(connection, attempt, None)?,
    };
    let is_all = match attempt.reach {
        Reach::Every | Reach::Met => rows.len() < most,
        Reach::Newest => rows.len() < most.min(NEWEST as usize),
    };
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

/// The words, and for a character that stands alone the pairs that memories have with it.
fn with_pairs(connection: &Connection, mut words: Vec<String>) -> rusqlite::Result<Vec<String>> {
    const HAVING: &str = "select content from memory where instr(content, ?1) > 0 limit ?2";
    let lone: Vec<String> = words
        .iter()
        .filter(|word| words::is_lone(word))
        .cloned()
        .collect();
    for character in lone {
        let mut having = connection.prepare_cached(HAVING)?;
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

/// Quoted, every word is only a word to FTS5: no operator, no syntax error.
fn joined(words: &[String], operator: &str) -> String {
    let quoted: Vec<String> = words.iter().map(|word| format!("\"{word}\"")).collect();
    quoted.join(operator)
}

/// In how many memories each word is. From [`COMMON`] on it is estimated from how soon so many are met from either end.
fn count_words(
    connection: &Connection,
    words: &[String],
    tally: &Tally,
) -> rusqlite::Result<BTreeMap<String, usize>> {
    const OLDEST: &str =
        "select rowid from memory_words where memory_words match ?1 order by rowid limit ?2";
    const NEWEST: &str = "select rowid from memory_words where memory_words match ?1
        order by rowid desc limit 1 offset ?2 - 1";
    let newest: Option<i64> =
        connection.query_row("select max(key) from memory", [], |row| row.get(0))?;
    let mut counted = BTreeMap::new();
    for (word, counted_to) in words.iter().zip(&tally.words) {
        let quoted = joined(std::slice::from_ref(word), "");
        let last = counted_to.last;
        let mut number = usize::try_from(counted_to.number).unwrap_or_default();
        // Where a word was counted beyond that, it was counted to the end.
        if number == COMMON || number == 2 * COMMON {
            let first: i64 = connection
                .prepare_cached(NEWEST)?
                .query_row((&quoted, COMMON as i64), |row| row.get(0))?;
            let newest = newest.unwrap_or(last).max(last);
            number = if first <= last {
                // The two ends meet, so that there are no more than twice as many.
                let mut oldest = connection.prepare_cached(OLDEST)?;
                let mut rows = oldest.query((&quoted, 2 * COMMON as i64))?;
                let mut met = 0;
                while rows.next()?.is_some() {
                    met += 1;
                }
                met
            } else {
                let share = |span: i64| COMMON as f64 / span.max(1) as f64;
                let between = (first - last - 1) as f64;
                let met = f64::midpoint(share(last), share(newest - first + 1));
                2 * COMMON + (between * met.min(1.0)) as usize
            };
        }
        counted.insert(word.clone(), number);
    }
    Ok(counted)
}

/// In which memories each word is, up to [`COMMON`].
fn tally(connection: &Connection, words: &[String]) -> rusqlite::Result<Tally> {
    let of = |words: &[String]| tally::read(connection, &joined(words, " OR "), COMMON as i64);
    let mut together = of(words)?;
    if together.words.is_empty() {
        // No memory has any of them.
        together.words.resize(words.len(), Counted::default());
    } else if together.words.len() < words.len() {
        // The index made nothing of one of them, so that it is not known whose number is whose.
        together.words.clear();
        for word in words {
            let alone = of(std::slice::from_ref(word))?.words.pop();
            together.words.push(alone.unwrap_or_default());
        }
    }
    Ok(together)
}

/// Keys and scores of what matches, best first; of all, or of what a filter lets through.
fn run(
    connection: &Connection,
    attempt: &Attempt,
    filter: Option<&Filter>,
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
    let own: [&dyn ToSql; 2] = [&attempt.counts, &attempt.expression];
    let others = conditions.values.iter().map(|value| &**value);
    let values = params_from_iter(own.into_iter().chain(others));
    let rows = statement.query_map(values, |row| Ok((row.get(0)?, row.get(1)?)))?;
    let mut rows: Vec<(i64, f64)> = rows.collect::<rusqlite::Result<_>>()?;
    // Equal ones stay in the order in which they were found.
    rows.sort_by(|(_, left), (_, right)| right.total_cmp(left));
    Ok(rows)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_counts_by_where_it_is_and_not_by_how_soon_it_is_met() {
        const MEMORIES: usize = 20_000;
        let connection = Connection::open_in_memory().unwrap();
        let tables = "create table memory (key integer primary key);
            create virtual table memory_words using fts5 (content);";
        connection.execute_batch(tables).unwrap();
        rate::teach(&connection).unwrap();
        let transaction = connection.unchecked_transaction().unwrap();
        for key in 1..=MEMORIES {
            let says = |word, is_said| if is_said { word } else { "" };
            let content = [
                says("everywhere", true),
                says("tenth", key % 10 == 0),
                says("early", key <= COMMON),
                says("soon", key <= 5_000),
                says("late", key > MEMORIES - COMMON),
                says("fifth", key % 5 == 0),
                says("once", key == 7),
            ]
            .join(" ");
            for sql in [
                "insert into memory values (?1)",
                "insert into memory_words (rowid, content) values (?1, ?2)",
            ] {
                let mut statement = transaction.prepare_cached(sql).unwrap();
                let wanted = statement.parameter_count();
                let values: [&dyn ToSql; 2] = [&(key as i64), &content];
                statement.execute(&values[..wanted]).unwrap();
            }
        }
        transaction.commit().unwrap();
        for (word, truth) in [
            ("everywhere", MEMORIES),
            ("tenth", COMMON),
            ("early", COMMON),
            ("soon", 5_000),
            ("late", COMMON),
            ("fifth", 4_000),
            ("once", 1),
        ] {
            // A word of which the index makes nothing takes nobody's place.
            for others in [&[][..], &["nowhere"], &["…", "tenth"]] {
                let words = [others, &[word]].concat();
                let words: Vec<String> = words.into_iter().map(str::to_owned).collect();
                let tally = tally(&connection, &words).unwrap();
                let counted = count_words(&connection, &words, &tally).unwrap()[word];
                assert!(counted.abs_diff(truth) <= truth / 5, "{word}: {counted}");
            }
        }
    }

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
            expression: "pool".to_owned(),
            counts: rate::UNKNOWN.to_le_bytes().to_vec(),
            reach: Reach::Every,
        };
        assert_eq!(run(&connection, &attempt, None).unwrap().len(), 2);
        connection
            .execute_batch("delete from memory_words_docsize where id = 2")
            .unwrap();
        assert!(run(&connection, &attempt, None).is_err());
    }
}
