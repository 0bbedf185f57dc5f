//! How well a row of the word index matches, worked out inside the index: BM25, as the index itself would, for a quarter of what its own takes.
//!
//! The index looks the size of each row up with a statement of its own, counts again in how many rows each word is, and sorts in a statement
//! inside the statement. Here the size comes with the row and the counts are given, as far as they are known.

use std::ffi::{CStr, c_int, c_void};
use std::ptr;

use oldhand_domain::port::Spread;
use rusqlite::{Connection, ffi};

use super::tally;

/// What a match in each column weighs: content, summary, tags, files. The same numbers stand in the index's own settings.
const WEIGHTS: [f64; 4] = [1.0, 1.5, 2.0, 1.0];
/// Twice as much, in whole numbers.
pub(super) const IN_HALVES: [u64; 4] = [2, 3, 4, 2];
/// The constants of BM25 that SQLite has.
const K1: f64 = 1.2;
const B: f64 = 0.75;

/// In how many rows a word is that has not been counted.
pub(super) const UNKNOWN: i64 = -1;

/// In how many memories of other stores a word is.
pub(super) fn elsewhere(others: &Spread, word: &str) -> i64 {
    others.words.get(word).map_or(0, |count| *count as i64)
}

/// What the words of a question are weighed by, beside what the index itself knows.
pub(super) struct Counts {
    /// How many memories other stores have, and how many words are in all of them.
    others: [i64; 2],
    /// In how many rows each word is, or [`UNKNOWN`], and in how many memories of other stores.
    words: Vec<[i64; 2]>,
}

impl Counts {
    pub(super) fn of(words: &[String], counts: &[i64], others: &Spread) -> Self {
        let pair = |(word, count): (&String, &i64)| [*count, elsewhere(others, word)];
        Self {
            others: [others.indexed as i64, others.length as i64],
            words: words.iter().zip(counts).map(pair).collect(),
        }
    }

    /// As `rate` is given them: eight bytes each.
    pub(super) fn bytes(&self) -> Vec<u8> {
        let pairs = std::iter::once(&self.others).chain(&self.words);
        pairs.flatten().flat_map(|n| n.to_le_bytes()).collect()
    }

    /// What [`Self::bytes`] wrote. What is missing is nothing, and of a word unknown.
    fn read(bytes: &[u8]) -> Self {
        let mut pairs = bytes.as_chunks::<16>().0.iter().map(|pair| {
            [0, 8].map(|at| i64::from_le_bytes(*pair[at..].first_chunk().unwrap_or(&[0; 8])))
        });
        Self {
            others: pairs.next().unwrap_or_default(),
            words: pairs.collect(),
        }
    }
}

/// Gives a connection the function `rate(memory_words, SIZE, COUNTS)`: the size of the row as the index keeps it, and [`Counts`]. A higher
/// rate is a better match. And the function `tally(memory_words, MOST)`, which
/// [`tally::read`] reads.
pub(super) fn teach(connection: &Connection) -> rusqlite::Result<()> {
    let api = api(connection)?;
    let functions: [(&CStr, ffi::fts5_extension_function); 2] =
        [(c"rate", Some(rate)), (c"tally", Some(tally::tally))];
    for (name, function) in functions {
        // SAFETY: the API is that of an open connection. The function needs no state of its own.
        check(unsafe {
            let create = (*api).xCreateFunction;
            let create = create.ok_or(rusqlite::Error::InvalidQuery)?;
            create(api, name.as_ptr(), ptr::null_mut(), function, None)
        })?;
    }
    Ok(())
}

pub(super) fn check(code: c_int) -> rusqlite::Result<()> {
    match code {
        ffi::SQLITE_OK | ffi::SQLITE_ROW => Ok(()),
        code => Err(rusqlite::Error::SqliteFailure(ffi::Error::new(code), None)),
    }
}

/// How the word index is spoken to; never null, and good as long as the connection.
pub(super) fn api(connection: &Connection) -> rusqlite::Result<*mut ffi::fts5_api> {
    let mut api: *mut ffi::fts5_api = ptr::null_mut();
    // SAFETY: the connection is open and nobody else uses it meanwhile. The statement is finalized whatever became of it, and writes the address
    // of what lives as long as the connection to a place that outlives the statement.
    unsafe {
        let mut statement: *mut ffi::sqlite3_stmt = ptr::null_mut();
        let sql = c"select fts5(?1)".as_ptr();
        let mut asked = check(ffi::sqlite3_prepare_v2(
            connection.handle(),
            sql,
            -1,
            &raw mut statement,
            ptr::null_mut(),
        ));
        if asked.is_ok() {
            let place = (&raw mut api).cast::<c_void>();
            let kind = c"fts5_api_ptr".as_ptr();
            ffi::sqlite3_bind_pointer(statement, 1, place, kind, None);
            asked = check(ffi::sqlite3_step(statement));
        }
        ffi::sqlite3_finalize(statement);
        asked?;
    }
    if api.is_null() {
        return Err(rusqlite::Error::InvalidQuery);
    }
    Ok(api)
}

/// What is the same for all rows of a question.
struct Words {
    /// What each word is worth.
    worth: Vec<f64>,
    /// How long rows are on average.
    average: f64,
}

pub(super) type Api = ffi::Fts5ExtensionApi;
pub(super) type Context = ffi::Fts5Context;

unsafe extern "C" fn rate(
    api: *const Api,
    context: *mut Context,
    answer: *mut ffi::sqlite3_context,
    count: c_int,
    values: *mut *mut ffi::sqlite3_value,
) {
    // SAFETY: the index calls this with an API and a context that are good until it returns, and with as many values as it says.
    let rated = unsafe {
        if count == 2 {
            rate_row(&*api, context, blob(*values), blob(*values.add(1)))
        } else {
            Err(ffi::SQLITE_MISUSE)
        }
    };
    // SAFETY: the place of the answer is good until this returns.
    unsafe {
        match rated {
            Ok(rate) => ffi::sqlite3_result_double(answer, rate),
            Err(code) => ffi::sqlite3_result_error_code(answer, code),
        }
    }
}

/// Safety: as for [`rate`]; `size` and `counts` are what it was given.
unsafe fn rate_row(
    api: &Api,
    context: *mut Context,
    size: &[u8],
    counts: &[u8],
) -> Result<f64, c_int> {
    // Every row of a sound index has one.
    if size.is_empty() {
        return Err(ffi::SQLITE_CORRUPT);
    }
    // SAFETY: as for this.
    let words = unsafe { words(api, context, counts) }?;
    let length = length(size, words.average);
    let mut rate = 0.0;
    for (word, worth) in words.worth.iter().enumerate() {
        // SAFETY: as for this.
        let often = unsafe { occurrences(api, context, word as c_int) }?;
        rate += part(often, *worth, length);
    }
    Ok(rate)
}

/// How much the length of a row of this size, as the index keeps it, counts against it.
pub(super) fn length(size: &[u8], average: f64) -> f64 {
    length_of(numbers(size).sum(), average)
}

/// As [`length`], for a row of so many words.
pub(super) fn length_of(size: u64, average: f64) -> f64 {
    K1 * (1.0 - B + B * size as f64 / average)
}

/// What a word that is in a row so often adds to its rate.
pub(super) fn part(often: f64, worth: f64, length: f64) -> f64 {
    worth * ((often * (K1 + 1.0)) / (often + length))
}

/// What a word is worth that is in so many of all rows.
pub(super) fn worth(rows: i64, count: i64) -> f64 {
    let with = count as f64 + 0.5;
    let rarity = ((rows - count) as f64 + 0.5) / with;
    let idf = rarity.ln();
    if idf > 0.0 { idf } else { 1e-6 }
}

/// How often a word of the question is in the row at hand, each place weighed by its column.
///
/// Safety: as for [`rate`].
pub(super) unsafe fn occurrences(
    api: &Api,
    context: *mut Context,
    word: c_int,
) -> Result<f64, c_int> {
    let first = api.xPhraseFirst.ok_or(ffi::SQLITE_MISUSE)?;
    let next = api.xPhraseNext.ok_or(ffi::SQLITE_MISUSE)?;
    let mut place = ffi::Fts5PhraseIter {
        a: ptr::null(),
        b: ptr::null(),
    };
    let (mut column, mut offset) = (0, 0);
    let mut often = 0.0;
    // SAFETY: as for this; all places outlive the calls. A column below zero is the end.
    unsafe {
        let code = first(
            context,
            word,
            &raw mut place,
            &raw mut column,
            &raw mut offset,
        );
        if code != ffi::SQLITE_OK {
            return Err(code);
        }
        while let Ok(at) = usize::try_from(column) {
            often += WEIGHTS.get(at).copied().unwrap_or(1.0);
            next(context, &raw mut place, &raw mut column, &raw mut offset);
        }
    }
    Ok(often)
}

/// Works out once for each question what its words are worth.
///
/// Safety: as for [`rate`].
unsafe fn words<'a>(api: &Api, context: *mut Context, counts: &[u8]) -> Result<&'a Words, c_int> {
    let (get, set) = api
        .xGetAuxdata
        .zip(api.xSetAuxdata)
        .ok_or(ffi::SQLITE_MISUSE)?;
    // SAFETY: as for this. What is kept is what was set below, and the index lets it go only after the question.
    if let Some(known) = unsafe { get(context, 0).cast::<Words>().as_ref() } {
        return Ok(known);
    }
    let made = Box::into_raw(Box::new(unsafe { weigh(api, context, counts) }?));
    // SAFETY: as for this. The index owns the box from here on, also where it could not keep it.
    let code = unsafe { set(context, made.cast(), Some(let_go)) };
    // SAFETY: it was kept.
    (code == ffi::SQLITE_OK)
        .then(|| unsafe { &*made })
        .ok_or(code)
}

unsafe extern "C" fn let_go(words: *mut c_void) {
    // SAFETY: what is handed back is the box that was handed over, once.
    drop(unsafe { Box::from_raw(words.cast::<Words>()) });
}

/// Safety: as for [`rate`].
unsafe fn weigh(api: &Api, context: *mut Context, counts: &[u8]) -> Result<Words, c_int> {
    let check = |code: c_int| (code == ffi::SQLITE_OK).then_some(()).ok_or(code);
    let missing = ffi::SQLITE_MISUSE;
    let (mut rows, mut total) = (0, 0);
    // SAFETY: as for this; the places outlive the calls.
    let phrases = unsafe {
        check(api.xRowCount.ok_or(missing)?(context, &raw mut rows))?;
        check(api.xColumnTotalSize.ok_or(missing)?(
            context,
            -1,
            &raw mut total,
        ))?;
        api.xPhraseCount.ok_or(missing)?(context)
    };
    let query = api.xQueryPhrase.ok_or(missing)?;
    let given = Counts::read(counts);
    let [other_rows, other_words] = given.others;
    let (rows, total) = (rows + other_rows, total + other_words);
    let mut given = given.words.into_iter();
    let mut worths = Vec::new();
    for phrase in 0..phrases {
        let [count, elsewhere] = given.next().unwrap_or([UNKNOWN, 0]);
        let count = if count == UNKNOWN {
            let mut counted = 0_i64;
            // SAFETY: as for this; the count outlives the call.
            check(unsafe { query(context, phrase, (&raw mut counted).cast(), Some(count_one)) })?;
            counted
        } else {
            count
        };
        worths.push(worth(rows, count + elsewhere));
    }
    Ok(Words {
        worth: worths,
        average: total as f64 / rows as f64,
    })
}

unsafe extern "C" fn count_one(_: *const Api, _: *mut Context, counted: *mut c_void) -> c_int {
    // SAFETY: the place of the count that was handed over.
    unsafe { *counted.cast::<i64>() += 1 };
    ffi::SQLITE_OK
}

/// Safety: the value is one that a function was given, and the bytes are not used after it.
unsafe fn blob<'a>(value: *mut ffi::sqlite3_value) -> &'a [u8] {
    // SAFETY: as for this; the bytes are there until the function returns, and the size is asked for after them.
    unsafe {
        let bytes = ffi::sqlite3_value_blob(value).cast::<u8>();
        let length = ffi::sqlite3_value_bytes(value);
        match usize::try_from(length) {
            Ok(length) if length > 0 && !bytes.is_null() => {
                std::slice::from_raw_parts(bytes, length)
            }
            _ => &[],
        }
    }
}

/// Numbers as SQLite writes them one behind the other: seven bits a byte, the highest first; a set eighth bit says that more follow.
fn numbers(bytes: &[u8]) -> impl Iterator<Item = u64> {
    let parts = bytes.split_inclusive(|byte| byte & 0x80 == 0);
    parts.map(|part| {
        let add = |number: u64, byte: &u8| number << 7 | u64::from(byte & 0x7f);
        part.iter().fold(0, add)
    })
}

#[cfg(test)]
pub(super) mod tests {
    use oldhand_testkit::Dice;

    use super::*;

    /// Made-up prose in all columns, some of it long.
    pub(in crate::sqlite) fn filled() -> Connection {
        let connection = Connection::open_in_memory().unwrap();
        let tables = "create virtual table memory_words using fts5 (
                content, summary, tags, files, tokenize = 'porter unicode61 remove_diacritics 2');
            insert into memory_words (memory_words, rank) values ('rank', 'bm25(1.0, 1.5, 2.0, 1.0)');";
        connection.execute_batch(tables).unwrap();
        teach(&connection).unwrap();
        let mut dice = Dice::new(5);
        for _ in 0..500 {
            let mut prose = |most: u64| {
                let words = dice.below(most) as usize;
                dice.prose(words)
            };
            let columns = [prose(300), prose(20), prose(4), prose(4)];
            let sql = "insert into memory_words values (?1, ?2, ?3, ?4)";
            connection.execute(sql, columns).unwrap();
        }
        connection
    }

    #[test]
    fn a_row_is_rated_as_the_index_itself_would() {
        let connection = filled();
        let sql = "select rate(memory_words, s.sz, ?2), -rank from memory_words
            join memory_words_docsize s on s.id = memory_words.rowid where memory_words match ?1";
        let mut statement = connection.prepare(sql).unwrap();
        let mut compared = 0;
        for question in [
            "ba",
            "ba OR ce",
            "ba AND ki",
            "\"lo\" OR gu OR nothing",
            "hata",
        ] {
            let pair = |row: &rusqlite::Row<'_>| Ok((row.get(0)?, row.get(1)?));
            let rows = statement.query_map((question, Vec::<u8>::new()), pair);
            for row in rows.unwrap() {
                let (rate, rank): (f64, f64) = row.unwrap();
                assert_eq!(rate.to_bits(), rank.to_bits(), "{question}");
                compared += 1;
            }
        }
        assert!(compared > 1_000, "{compared}");
    }

    #[test]
    fn a_count_that_is_given_is_not_counted_again() {
        let connection = filled();
        let rate = |counts: &[u8]| -> f64 {
            let sql = "select rate(memory_words, s.sz, ?1) from memory_words
                join memory_words_docsize s on s.id = memory_words.rowid where memory_words match 'ki' limit 1";
            connection
                .query_row(sql, [counts], |row| row.get(0))
                .unwrap()
        };
        let count = "select count(*) from memory_words where memory_words match 'ki'";
        let truth: i64 = connection.query_row(count, [], |row| row.get(0)).unwrap();
        let given = |count: i64| {
            let others = Spread::default();
            rate(&Counts::of(&["ki".to_owned()], &[count], &others).bytes())
        };
        assert_eq!(given(truth).to_bits(), rate(&[]).to_bits());
        assert_eq!(given(UNKNOWN).to_bits(), rate(&[]).to_bits());
        assert!(given(1) > rate(&[]));
    }

    #[test]
    fn a_question_without_a_size_is_an_error_and_no_crash() {
        let connection = filled();
        let sql = "select rate(memory_words) from memory_words where memory_words match 'ba'";
        let rated = connection.query_row(sql, [], |row| row.get::<_, f64>(0));
        assert!(rated.is_err());
    }

    #[test]
    fn numbers_of_any_size_are_read_back() {
        assert_eq!(numbers(&[]).count(), 0);
        assert_eq!(
            numbers(&[5, 0x81, 0x00, 0x82, 0x80, 0x01]).collect::<Vec<_>>(),
            [5, 128, 32769]
        );
    }
}
