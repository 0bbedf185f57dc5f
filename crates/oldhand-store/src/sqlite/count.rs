//! In how many memories each word of a question is: exactly while it is rare, about when it is common.

use std::collections::BTreeMap;

use rusqlite::Connection;

use super::lists::Lists;
use super::search::{ANY, joined};
use super::tally::{self, Counted, Tally};

/// A word in more memories than this is common: matching it alone costs much and tells little.
pub(super) const COMMON: usize = 2_000;

pub(super) fn newest_key(connection: &Connection) -> rusqlite::Result<Option<i64>> {
    let mut statement = connection.prepare_cached("select max(key) from memory")?;
    statement.query_row([], |row| row.get(0))
}

/// In how many memories each word is. From [`COMMON`] on it is estimated from how soon so many are met from either end.
pub(super) fn count_words(
    connection: &Connection,
    words: &[String],
    tally: &Tally,
) -> rusqlite::Result<BTreeMap<String, usize>> {
    const OLDEST: &str =
        "select rowid from memory_words where memory_words match ?1 order by rowid limit ?2";
    const NEWEST: &str = "select rowid from memory_words where memory_words match ?1
        order by rowid desc limit 1 offset ?2 - 1";
    let newest = newest_key(connection)?;
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
                estimate(first, last, newest)
            };
        }
        counted.insert(word.clone(), number);
    }
    Ok(counted)
}

/// In about how many memories a word is of which so many are up to `last` and from `first` on.
fn estimate(first: i64, last: i64, newest: Option<i64>) -> usize {
    let newest = newest.unwrap_or(last).max(last);
    let share = |span: i64| COMMON as f64 / span.max(1) as f64;
    let between = (first - last - 1) as f64;
    let met = f64::midpoint(share(last), share(newest - first + 1));
    2 * COMMON + (between * met.min(1.0)) as usize
}

/// As [`count_words`], told by lists.
pub(super) fn count_listed(newest: Option<i64>, lists: &Lists) -> BTreeMap<String, usize> {
    let count = |(word, number, ends): (&str, usize, Option<(i64, i64)>)| {
        let number = match ends {
            Some((last, first)) if first > last => estimate(first, last, newest),
            _ => number,
        };
        (word.to_owned(), number)
    };
    lists.counts().map(count).collect()
}

/// In which memories each word is, up to [`COMMON`].
pub(super) fn tally(connection: &Connection, words: &[String]) -> rusqlite::Result<Tally> {
    let of = |words: &[String]| tally::read(connection, &joined(words, ANY), COMMON as i64);
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

#[cfg(test)]
mod tests {
    use rusqlite::ToSql;

    use super::super::rate;
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
}
