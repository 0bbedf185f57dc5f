//! In how many rows of the word index each word of a question is and in which, told by one walk along the lists of the words.
//!
//! Words that are in few rows are all that most questions are answered by. What the walk met of them is rated here: asking the index once more, row
//! by row, takes four times as long.

use std::cmp::Ordering;
use std::ffi::{c_int, c_void};

use oldhand_domain::port::Spread;
use rusqlite::{Connection, OptionalExtension, ffi};

use super::rate::{Api, Context, elsewhere, length, occurrences, part, worth};

/// What the walk met.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Tally {
    /// How many rows the index has.
    rows: i64,
    /// How many words are in all of them.
    total: i64,
    /// In the order of the question.
    pub(super) words: Vec<Counted>,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Counted {
    /// In how many rows the word is, up to the number that was asked for; of few rows up to twice as many.
    pub(super) number: i64,
    /// In how many memories of other stores, where these are weighed beside them.
    elsewhere: i64,
    /// In which row as many were met; nothing where it was met less often.
    pub(super) last: i64,
    /// The rows before that in their order, and how often it is in each.
    met: Vec<(i64, f64)>,
}

/// How often a word was met, and where.
struct Met {
    most: i64,
    /// How many are counted in all.
    furthest: i64,
    counted: Counted,
}

/// Where there are no more rows than so many times the number that was asked for, a word is counted on to twice that number: in a small store that is
/// nearly always all, and asking for its newest rows instead takes three times as long.
const FEW: i64 = 8;

/// See [`read`]. Counting by rows that a statement hands out takes twice as long.
pub(super) unsafe extern "C" fn tally(
    api: *const Api,
    context: *mut Context,
    answer: *mut ffi::sqlite3_context,
    count: c_int,
    values: *mut *mut ffi::sqlite3_value,
) {
    // SAFETY: the index calls this with an API and a context that are good until it returns, and with as many values as it says; the place of the
    // answer is good until then, too.
    unsafe {
        let most = (count == 1).then(|| ffi::sqlite3_value_int64(*values));
        match most.map_or(Err(ffi::SQLITE_MISUSE), |most| walk(&*api, context, most)) {
            Ok(met) => {
                let length = met.len() as c_int;
                let copied = ffi::SQLITE_TRANSIENT();
                ffi::sqlite3_result_blob(answer, met.as_ptr().cast(), length, copied);
            }
            Err(code) => ffi::sqlite3_result_error_code(answer, code),
        }
    }
}

/// Safety: as for [`tally`].
unsafe fn walk(api: &Api, context: *mut Context, most: i64) -> Result<Vec<u8>, c_int> {
    let missing = ffi::SQLITE_MISUSE;
    let check = |code: c_int| (code == ffi::SQLITE_OK).then_some(()).ok_or(code);
    let query = api.xQueryPhrase.ok_or(missing)?;
    let (mut rows, mut total) = (0, 0);
    // SAFETY: as for this; the places, and what is met, outlive the calls.
    unsafe {
        check(api.xRowCount.ok_or(missing)?(context, &raw mut rows))?;
        check(api.xColumnTotalSize.ok_or(missing)?(
            context,
            -1,
            &raw mut total,
        ))?;
        let mut bytes: Vec<u8> = [rows, total]
            .into_iter()
            .flat_map(i64::to_le_bytes)
            .collect();
        for phrase in 0..api.xPhraseCount.ok_or(missing)?(context) {
            let mut met = Met {
                most,
                furthest: if rows <= FEW * most { 2 * most } else { most },
                counted: Counted::default(),
            };
            check(query(
                context,
                phrase,
                (&raw mut met).cast(),
                Some(meet_once),
            ))?;
            let Counted {
                number, last, met, ..
            } = met.counted;
            let length = met.len() as i64;
            bytes.extend(
                [number, last, length]
                    .into_iter()
                    .flat_map(i64::to_le_bytes),
            );
            for (row, often) in met {
                bytes.extend(row.to_le_bytes());
                bytes.extend(often.to_le_bytes());
            }
        }
        Ok(bytes)
    }
}

unsafe extern "C" fn meet_once(api: *const Api, context: *mut Context, met: *mut c_void) -> c_int {
    // SAFETY: as for [`tally`], and what is met is what was handed over. The word is the only one of the question that it is met by.
    unsafe {
        let Met {
            most,
            furthest,
            counted,
        } = &mut *met.cast::<Met>();
        let Some(row) = (*api).xRowid else {
            return ffi::SQLITE_MISUSE;
        };
        let row = row(context);
        counted.number += 1;
        if counted.number == *most {
            counted.last = row;
        }
        if counted.number >= *furthest {
            return ffi::SQLITE_DONE;
        }
        if counted.number >= *most {
            return ffi::SQLITE_OK;
        }
        match occurrences(&*api, context, 0) {
            Ok(often) => counted.met.push((row, often)),
            Err(code) => return code,
        }
        ffi::SQLITE_OK
    }
}

/// Walks along the lists of the words of `expression`, which are joined by `OR`, each no further than `most` rows. Where no row has any of them,
/// nothing is told.
pub(super) fn read(
    connection: &Connection,
    expression: &str,
    most: i64,
) -> rusqlite::Result<Tally> {
    const SQL: &str =
        "select tally(memory_words, ?2) from memory_words where memory_words match ?1 limit 1";
    let mut statement = connection.prepare_cached(SQL)?;
    let tally = statement
        .query_row((expression, most), |row| {
            Ok(parse(row.get_ref(0)?.as_blob()?))
        })
        .optional()?;
    Ok(tally.unwrap_or_default())
}

fn parse(bytes: &[u8]) -> Tally {
    let mut numbers = bytes.as_chunks::<8>().0.iter().copied();
    let mut next = || numbers.next().unwrap_or_default();
    let (rows, total) = (i64::from_le_bytes(next()), i64::from_le_bytes(next()));
    let mut words = Vec::new();
    let mut left = bytes.len() / 8 - 2;
    while left > 0 {
        let [number, last, length] = [(); 3].map(|()| i64::from_le_bytes(next()));
        let met = (0..length).map(|_| (i64::from_le_bytes(next()), f64::from_le_bytes(next())));
        words.push(Counted {
            number,
            elsewhere: 0,
            last,
            met: met.collect(),
        });
        left = left.saturating_sub(3 + 2 * length as usize);
    }
    Tally { rows, total, words }
}

impl Tally {
    /// Weighs `words`, which are those of the walk, as if what `others` tells of were here as well; says how many rows there are, and how many
    /// words in all of them.
    pub(super) fn weigh_beside(&mut self, words: &[String], others: &Spread) -> (usize, usize) {
        let own = (self.rows as usize, self.total as usize);
        self.rows += others.indexed as i64;
        self.total += others.length as i64;
        for (counted, word) in self.words.iter_mut().zip(words) {
            counted.elsewhere = elsewhere(others, word);
        }
        own
    }

    /// Keys and rates of the rows that have any of the words that are in fewer than `common` rows, best first.
    pub(super) fn rate(
        &self,
        connection: &Connection,
        common: i64,
    ) -> rusqlite::Result<Vec<(i64, f64)>> {
        let rare = || self.words.iter().filter(|word| word.number < common);
        let mut rows: Vec<i64> = rare()
            .flat_map(|word| word.met.iter().map(|(row, _)| *row))
            .collect();
        rows.sort_unstable();
        rows.dedup();
        let lengths = self.lengths(connection, &rows)?;
        let mut rates = vec![0.0; rows.len()];
        for word in rare() {
            let worth = worth(self.rows, word.number + word.elsewhere);
            let mut at = 0;
            for (row, often) in &word.met {
                // Both are in the order of the rows.
                at += rows[at..].iter().take_while(|other| *other < row).count();
                rates[at] += part(*often, worth, lengths[at]);
            }
        }
        let mut rated: Vec<(i64, f64)> = rows.into_iter().zip(rates).collect();
        // Equal ones stay in the order of the index.
        rated.sort_by(|(_, left), (_, right)| right.total_cmp(left));
        Ok(rated)
    }

    /// How much the length of each row counts against it. A row that has no size is damage.
    fn lengths(&self, connection: &Connection, rows: &[i64]) -> rusqlite::Result<Vec<f64>> {
        const ONE: &str = "select sz from memory_words_docsize where id = ?1";
        const ALL: &str =
            "select id, sz from memory_words_docsize where id between ?1 and ?2 order by id";
        /// One in so many rows is found sooner by going through all than by looking each up.
        const DENSE: i64 = 4;
        let (Some(first), Some(last)) = (rows.first(), rows.last()) else {
            return Ok(Vec::new());
        };
        let average = self.total as f64 / self.rows as f64;
        let damage = || {
            let code = ffi::Error::new(ffi::SQLITE_CORRUPT);
            rusqlite::Error::SqliteFailure(code, None)
        };
        let length = |size: &[u8]| {
            let is_there = !size.is_empty();
            is_there.then(|| length(size, average)).ok_or_else(damage)
        };
        let mut lengths = Vec::with_capacity(rows.len());
        if last - first < DENSE * rows.len() as i64 {
            let mut statement = connection.prepare_cached(ALL)?;
            let mut all = statement.query((first, last))?;
            while let Some(&wanted) = rows.get(lengths.len()) {
                let one = all.next()?.ok_or_else(damage)?;
                match one.get::<_, i64>(0)?.cmp(&wanted) {
                    Ordering::Less => {}
                    Ordering::Equal => lengths.push(length(one.get_ref(1)?.as_blob()?)?),
                    Ordering::Greater => return Err(damage()),
                }
            }
        } else {
            let mut statement = connection.prepare_cached(ONE)?;
            for row in rows {
                let mut found = statement.query([row])?;
                let found = found.next()?.ok_or_else(damage)?;
                lengths.push(length(found.get_ref(0)?.as_blob()?)?);
            }
        }
        Ok(lengths)
    }
}

#[cfg(test)]
mod tests {
    use super::super::rate::tests::filled;
    use super::*;

    #[test]
    fn words_are_tallied_up_to_a_number_and_in_their_order() {
        let connection = filled();
        let rows = |word: &str| -> Vec<i64> {
            let sql = "select rowid from memory_words where memory_words match ?1 order by rowid";
            let mut statement = connection.prepare(sql).unwrap();
            let rows = statement.query_map([word], |row| row.get(0)).unwrap();
            rows.map(Result::unwrap).collect()
        };
        let words = ["ki", "nothing", "ba", "hata"];
        let mut numbers = Vec::new();
        for most in [40, 70, 100] {
            let tally = read(&connection, &words.join(" OR "), most as i64).unwrap();
            let is_small = tally.rows <= FEW * most as i64;
            for (word, counted) in words.iter().zip(&tally.words) {
                let rows = rows(word);
                let last = rows.get(most - 1).copied().unwrap_or_default();
                let furthest = if is_small { 2 * most } else { most };
                assert_eq!(counted.number, rows.len().min(furthest) as i64, "{word}");
                assert_eq!(counted.last, last, "{word}");
                let met: Vec<i64> = counted.met.iter().map(|(row, _)| *row).collect();
                assert_eq!(met, rows[..rows.len().min(most - 1)], "{word}");
                numbers.push((is_small, counted.number, most as i64));
            }
            assert_eq!(tally.words.len(), words.len());
        }
        let has = |test: &dyn Fn(bool, i64, i64) -> bool| {
            numbers
                .iter()
                .any(|&(is_small, number, most)| test(is_small, number, most))
        };
        assert!(has(&|is_small, number, most| !is_small && number == most));
        assert!(has(&|is_small, number, most| is_small && number == 2 * most));
        assert!(has(&|_, number, most| (1..most).contains(&number)));
    }

    #[test]
    fn what_was_met_is_rated_as_the_index_itself_would() {
        let connection = filled();
        let sql = "select rowid, -rank from memory_words where memory_words match ?1 order by rank, rowid";
        let mut statement = connection.prepare(sql).unwrap();
        let mut compared = 0;
        // Many rows are gone through, few are looked up.
        for words in ["ba OR ce", "hata", "ki OR nothing OR hata OR lo", "nothing"] {
            let pair = |row: &rusqlite::Row<'_>| Ok((row.get(0)?, row.get(1)?));
            let truth = statement.query_map([words], pair).unwrap();
            let truth: Vec<(i64, f64)> = truth.map(Result::unwrap).collect();
            let tally = read(&connection, words, 1_000).unwrap();
            let rated = tally.rate(&connection, 1_000).unwrap();
            let bits = |rows: &[(i64, f64)]| -> Vec<(i64, u64)> {
                rows.iter()
                    .map(|(row, rate)| (*row, rate.to_bits()))
                    .collect()
            };
            assert_eq!(bits(&rated), bits(&truth), "{words}");
            compared += rated.len();
        }
        assert!(compared > 500, "{compared}");
    }

    #[test]
    fn a_row_whose_size_is_gone_is_damage_and_no_silence() {
        let connection = filled();
        let remove = "delete from memory_words_docsize where id = ?1";
        for words in ["ba OR ce", "hata"] {
            let tally = read(&connection, words, 1_000).unwrap();
            let rated = tally.rate(&connection, 1_000).unwrap();
            connection.execute(remove, [rated[0].0]).unwrap();
            assert!(tally.rate(&connection, 1_000).is_err(), "{words}");
        }
    }
}
