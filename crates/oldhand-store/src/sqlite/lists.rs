//! The lists of the word index, ready in the handout: in which rows each word is, and how often.
//!
//! Walking along the lists of the index itself is what takes longest of a question in words. A handout is never behind its database, so that these
//! tell the same; what they do not tell is asked of the index. No byte of a list is zero, so that a part of a file that was never written is known
//! for damage.

use std::path::Path;

use oldhand_domain::filter::Filter;
use oldhand_domain::id::MemoryId;
use oldhand_domain::port::Spread;
use oldhand_domain::words::VERSION;
use rusqlite::Connection;
use rustc_hash::FxHashMap;
use uuid::Uuid;

use super::count::COMMON;
use super::pages::Untold;
use super::porter;
use super::rate::{IN_HALVES, elsewhere, length_of, part, worth};
use super::search::Ground;
use super::select::Conditions;
use super::terms::Tokenizer;
use crate::handout::{Handout, Place};

/// A word in more rows than this has no list: asking the index for the newest of them takes no longer than reading it.
const LISTED: usize = 20_000;

/// The key of how many rows there are, and how many words are in all of them. An index that another version cut is built anew, which is no change.
fn all_key() -> String {
    format!("words:{VERSION}")
}

/// The key of a word: in how many rows it is; of a common word the [`COMMON`]th row from either end; of others the list.
fn word_key(term: &str) -> String {
    format!("word:{term}")
}

/// The key of the list of a common word.
fn list_key(term: &str) -> String {
    format!("list:{term}")
}

/// The key of the ids of all memories that live, sixteen bytes each, in the order of their rows from the first on.
const IDS: &str = "ids";
/// Stands for the id of a row that is gone.
const NOBODY: [u8; 16] = [0xff; 16];
/// With more rows than this their ids are not handed out.
const MOST_IDS: usize = 1 << 21;

/// Seven bits a byte, the lowest first; a set eighth bit says that more follow. Nothing but nought has a byte that is zero.
fn push(bytes: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
}

/// The next number; `None` at the end, and for what was not written by [`push`].
fn take(bytes: &mut &[u8]) -> Option<u64> {
    let (first, rest) = bytes.split_first()?;
    if *first < 0x80 {
        // Nearly all are as small as that.
        *bytes = rest;
        return (*first != 0).then_some(u64::from(*first));
    }
    let mut number = 0;
    for (at, byte) in bytes.iter().enumerate().take(9) {
        number |= u64::from(byte & 0x7f) << (7 * at);
        if byte & 0x80 == 0 {
            *bytes = &bytes[at + 1..];
            return (*byte != 0).then_some(number);
        }
    }
    None
}

/// Goes along a list, one row after the other: whoever laid all of them out first would fill more memory than the answer takes.
struct Walk<'a> {
    bytes: &'a [u8],
    /// How many rows are to come.
    left: usize,
    at: Met,
    worth: f64,
}

/// A row that has a word.
#[derive(Clone, Copy)]
struct Met {
    row: i64,
    /// Twice as often as [`super::rate::occurrences`] counts.
    halves: u64,
    /// How many words are in the row.
    size: u64,
}

/// Behind the last row.
const END: i64 = i64::MAX;

impl<'a> Walk<'a> {
    /// A walk that stands at the first row; `None` for damage.
    fn along(bytes: &'a [u8], number: usize, worth: f64) -> Option<Self> {
        let at = Met {
            row: 0,
            halves: 0,
            size: 0,
        };
        let mut walk = Self {
            bytes,
            left: number,
            at,
            worth,
        };
        walk.go_on()?;
        Some(walk)
    }

    /// Goes to the next row, or behind the last one; `None` for damage.
    #[inline]
    fn go_on(&mut self) -> Option<()> {
        if self.left == 0 {
            self.at.row = END;
            return self.bytes.is_empty().then_some(());
        }
        self.left -= 1;
        let (step, halves, size) =
            if let [step @ 1..0x80, halves @ 1..0x80, size @ 1..0x80, rest @ ..] = self.bytes {
                // Nearly all are as small as that.
                self.bytes = rest;
                (u64::from(*step), u64::from(*halves), u64::from(*size))
            } else {
                let mut next = || take(&mut self.bytes);
                (next()?, next()?, next()?)
            };
        let row = self.at.row.checked_add(i64::try_from(step).ok()?)?;
        self.at = Met { row, halves, size };
        (row != END).then_some(())
    }
}

/// What the lists say of the words of a question.
pub(super) struct Lists {
    handout: Handout,
    ids: Place,
    rows: i64,
    total: u64,
    words: Vec<Word>,
}

struct Word {
    /// As it was asked.
    letters: String,
    term: String,
    /// In how many rows it is.
    number: usize,
    /// In how many memories of other stores, where these are weighed beside them.
    elsewhere: i64,
    /// Of a common word: the [`COMMON`]th row from either end.
    ends: Option<(i64, i64)>,
    /// Of one that is not common.
    list: Vec<u8>,
}

impl Lists {
    /// What the handout of the database at `path` says of `words`; `None` where only the index can tell. A connection is in a transaction.
    pub(super) fn read(ground: Ground<'_>, path: &Path, words: &[String]) -> Option<Self> {
        let is_plain = |word: &String| {
            !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_alphanumeric())
        };
        if !words.iter().all(is_plain) {
            return None;
        }
        // Asked first: from here on the connection sees one moment, and a handout that is there later tells of that moment or of a later change.
        let newest = ground.newest_change().ok()?;
        let handout = Handout::open(path)?;
        if handout.newest_change()? != newest {
            return None;
        }
        let all = handout.answer(&all_key()).ok()??;
        let mut all = all.as_slice();
        let rows = i64::try_from(take(&mut all)?).ok()?;
        let total = take(&mut all)?;
        let ids = handout.place(IDS).ok()??;
        let words = words.iter();
        let words = words.map(|word| Word::read(&handout, word, porter::term(word)));
        let words = words.collect::<Option<Vec<Word>>>()?;
        Some(Self {
            handout,
            ids,
            rows,
            total,
            words,
        })
    }

    /// The id of a row's memory, or nothing where it is gone; an error where only the database can tell.
    pub(super) fn id(&self, row: i64) -> Result<Option<MemoryId>, Untold> {
        let place = usize::try_from(row).ok().and_then(|row| row.checked_sub(1));
        let from = place.ok_or(Untold)?.saturating_mul(16);
        let mut id = [0; 16];
        let read = self.handout.read(self.ids, from, &mut id);
        // A part of a file that was never written.
        if read.is_err() || id == [0; 16] {
            return Err(Untold);
        }
        Ok((id != NOBODY).then(|| MemoryId::new(Uuid::from_bytes(id))))
    }

    /// Each word, in how many rows it is, and of a common one the [`COMMON`]th row from either end.
    pub(super) fn counts(&self) -> impl Iterator<Item = (&str, usize, Option<(i64, i64)>)> {
        let words = self.words.iter();
        words.map(|word| (word.letters.as_str(), word.number, word.ends))
    }

    /// Weighs words as if what `others` tells of were here as well; says how many rows there are, and how many words in all of them.
    pub(super) fn weigh_beside(&mut self, others: &Spread) -> (usize, usize) {
        let own = (self.rows as usize, self.total as usize);
        self.rows += others.indexed as i64;
        self.total += others.length as u64;
        for word in &mut self.words {
            word.elsewhere = elsewhere(others, &word.letters);
        }
        own
    }

    /// Rows and rates of what has any of `words`, or `every` one of them, in the order of the rows; each word comes with the count to rate it by, or
    /// with nothing for its own. `None` where only the index can tell.
    pub(super) fn rate(
        &self,
        words: &[(&str, Option<i64>)],
        every: bool,
    ) -> Option<Vec<(i64, f64)>> {
        let found: Vec<&Word> = words
            .iter()
            .map(|(word, _)| self.words.iter().find(|known| known.letters == *word))
            .collect::<Option<_>>()?;
        let mut long: Vec<Vec<u8>> = Vec::new();
        for word in found.iter().filter(|word| word.ends.is_some()) {
            long.push(self.handout.answer(&list_key(&word.term)).ok()??);
        }
        let mut read = long.iter();
        let mut walks: Vec<Walk<'_>> = Vec::new();
        for (word, (_, count)) in found.iter().zip(words) {
            let list = match word.ends {
                Some(_) => read.next()?,
                None => &word.list,
            };
            let count = count.unwrap_or(word.number as i64) + word.elsewhere;
            walks.push(Walk::along(list, word.number, worth(self.rows, count))?);
        }
        let average = self.total as f64 / self.rows as f64;
        let wanted = if every { walks.len() } else { 1 };
        let numbers = found.iter().map(|word| word.number);
        let most = if every {
            numbers.min()
        } else {
            Some(numbers.sum())
        };
        let most = most.unwrap_or_default().min(LISTED * walks.len());
        let mut rated = Vec::with_capacity(most);
        loop {
            let (mut row, mut has_ended) = (END, false);
            for walk in &walks {
                row = row.min(walk.at.row);
                has_ended |= walk.at.row == END;
            }
            // What has every word ends with the list that ends first.
            if row == END || every && has_ended {
                return Some(rated);
            }
            let (mut rate, mut has) = (0.0, 0);
            for walk in walks.iter_mut().filter(|walk| walk.at.row == row) {
                let often = walk.at.halves as f64 / 2.0;
                rate += part(often, walk.worth, length_of(walk.at.size, average));
                has += 1;
                walk.go_on()?;
            }
            if has >= wanted {
                rated.push((row, rate));
            }
        }
    }
}

impl Word {
    fn read(handout: &Handout, word: &str, term: String) -> Option<Self> {
        let told = handout.answer(&word_key(&term)).ok()?.unwrap_or_default();
        let mut told = told.as_slice();
        let number = if told.is_empty() {
            0
        } else {
            usize::try_from(take(&mut told)?).ok()?
        };
        let mut read = || i64::try_from(take(&mut told)?).ok();
        let ends = if number < COMMON {
            None
        } else {
            Some((read()?, read()?))
        };
        let list = match ends {
            Some(_) => Vec::new(),
            None => told.to_vec(),
        };
        Some(Self {
            letters: word.to_owned(),
            term,
            number,
            elsewhere: 0,
            ends,
            list,
        })
    }
}

/// The answers that [`Lists::read`] reads. Goes through all that the index has.
pub(super) fn write(connection: &Connection) -> rusqlite::Result<Vec<(String, Vec<u8>)>> {
    const SQL: &str = "select id, c0, c1, c2, c3 from memory_words_content order by id";
    let tokenizer = Tokenizer::of(connection)?;
    let mut made = Made::default();
    let mut statement = connection.prepare(SQL)?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        for (column, weight) in IN_HALVES.iter().enumerate() {
            let text = row.get_ref(column + 1)?.as_str_or_null()?;
            // Words were cut before they were indexed; none is made of two that stand apart.
            for word in text.unwrap_or_default().split(' ') {
                made.meet(word, *weight, &tokenizer)?;
            }
        }
        made.end(row.get(0)?);
    }
    let mut answers = made.answers();
    answers.extend(ids(connection)?.map(|ids| (IDS.to_owned(), ids)));
    Ok(answers)
}

/// The ids of what lives, row by row. `None` where they are too many.
fn ids(connection: &Connection) -> rusqlite::Result<Option<Vec<u8>>> {
    let live = Conditions::of(&Filter::default()).sql();
    let mut statement =
        connection.prepare(&format!("select m.key, m.id from memory m where {live}"))?;
    let mut rows = statement.query([])?;
    let mut ids = Vec::new();
    while let Some(row) = rows.next()? {
        let key: i64 = row.get(0)?;
        let place = usize::try_from(key - 1).unwrap_or(MOST_IDS);
        if place >= MOST_IDS {
            return Ok(None);
        }
        if let Ok(id) = row.get_ref(1)?.as_str()?.parse::<MemoryId>() {
            ids.resize(ids.len().max(place + 1), NOBODY);
            ids[place] = id.uuid().into_bytes();
        }
    }
    Ok(Some(ids.concat()))
}

/// The rows of a list; `None` for damage.
fn rows_of(list: &[u8], number: usize) -> Option<Vec<i64>> {
    let mut walk = Walk::along(list, number, 0.0)?;
    let mut rows = Vec::with_capacity(number);
    while walk.at.row != END {
        rows.push(walk.at.row);
        walk.go_on()?;
    }
    Some(rows)
}

/// Lists in the making.
#[derive(Default)]
struct Made {
    /// Where it stands which terms the index makes of each word.
    known: FxHashMap<String, usize>,
    cuts: Vec<Vec<usize>>,
    numbers: FxHashMap<String, usize>,
    terms: Vec<Term>,
    /// The terms of the row at hand, and how many words it has.
    touched: Vec<usize>,
    size: u64,
    rows: u64,
    total: u64,
}

#[derive(Default)]
struct Term {
    name: String,
    /// Twice how often it is in the row at hand.
    halves: u64,
    number: usize,
    last: i64,
    list: Vec<u8>,
}

impl Made {
    fn meet(&mut self, word: &str, weight: u64, tokenizer: &Tokenizer<'_>) -> rusqlite::Result<()> {
        let cut = match self.known.get(word) {
            Some(cut) => *cut,
            None => self.cut(word, tokenizer)?,
        };
        for &number in &self.cuts[cut] {
            let term = &mut self.terms[number];
            if term.halves == 0 {
                self.touched.push(number);
            }
            term.halves += weight;
            self.size += 1;
        }
        Ok(())
    }

    /// Where the terms of a word are that was not met before.
    fn cut(&mut self, word: &str, tokenizer: &Tokenizer<'_>) -> rusqlite::Result<usize> {
        let terms = tokenizer.terms(word)?.into_iter();
        let numbers = terms.map(|name| {
            *self.numbers.entry(name).or_insert_with_key(|name| {
                self.terms.push(Term {
                    name: name.clone(),
                    ..Term::default()
                });
                self.terms.len() - 1
            })
        });
        self.cuts.push(numbers.collect());
        let cut = self.cuts.len() - 1;
        self.known.insert(word.to_owned(), cut);
        Ok(cut)
    }

    fn end(&mut self, row: i64) {
        let size = std::mem::take(&mut self.size);
        for number in self.touched.drain(..) {
            let term = &mut self.terms[number];
            push(&mut term.list, (row - term.last) as u64);
            push(&mut term.list, std::mem::take(&mut term.halves));
            push(&mut term.list, size);
            term.number += 1;
            term.last = row;
        }
        self.rows += 1;
        self.total += size;
    }

    fn answers(self) -> Vec<(String, Vec<u8>)> {
        let mut all = Vec::new();
        push(&mut all, self.rows);
        push(&mut all, self.total);
        let mut answers = vec![(all_key(), all)];
        for term in self.terms {
            let mut told = Vec::new();
            push(&mut told, term.number as u64);
            if term.number < COMMON {
                told.extend(&term.list);
            } else {
                let rows = rows_of(&term.list, term.number).unwrap_or_default();
                for row in [COMMON - 1, term.number - COMMON] {
                    push(&mut told, rows.get(row).map_or(0, |row| *row as u64));
                }
                if term.number < LISTED {
                    answers.push((list_key(&term.name), term.list));
                }
            }
            answers.push((word_key(&term.name), told));
        }
        answers
    }
}

#[cfg(test)]
mod tests;
