//! What the word index makes of a word: cut by its own tokenizer, so that it is the same however it is asked.

use std::ffi::{CStr, c_char, c_int, c_void};
use std::{ptr, slice};

use rusqlite::{Connection, ffi};

use super::rate::{api, check};

/// What the index is told of its tokenizer, after its name. The same words stand in the schema.
const SETTINGS: [&CStr; 3] = [c"unicode61", c"remove_diacritics", c"2"];
const NAME: &CStr = c"porter";

/// A tokenizer as the index has one.
pub(super) struct Tokenizer<'a> {
    methods: ffi::fts5_tokenizer,
    own: *mut ffi::Fts5Tokenizer,
    /// What made it lives as long as the connection.
    _connection: &'a Connection,
}

impl<'a> Tokenizer<'a> {
    pub(super) fn of(connection: &'a Connection) -> rusqlite::Result<Self> {
        let api = api(connection)?;
        let mut methods = ffi::fts5_tokenizer {
            xCreate: None,
            xDelete: None,
            xTokenize: None,
        };
        let (mut user, mut own) = (ptr::null_mut(), ptr::null_mut());
        let mut settings = SETTINGS.map(CStr::as_ptr);
        let missing = rusqlite::Error::InvalidQuery;
        // SAFETY: the API is that of an open connection, and all places outlive the calls.
        unsafe {
            let find = (*api).xFindTokenizer.ok_or(missing)?;
            check(find(api, NAME.as_ptr(), &raw mut user, &raw mut methods))?;
            let create = methods.xCreate.ok_or(rusqlite::Error::InvalidQuery)?;
            let number = SETTINGS.len() as c_int;
            check(create(user, settings.as_mut_ptr(), number, &raw mut own))?;
        }
        Ok(Self {
            methods,
            own,
            _connection: connection,
        })
    }

    /// The terms of `text`, in their order.
    pub(super) fn terms(&self, text: &str) -> rusqlite::Result<Vec<String>> {
        let mut terms: Vec<String> = Vec::new();
        let cut = self
            .methods
            .xTokenize
            .ok_or(rusqlite::Error::InvalidQuery)?;
        // SAFETY: it was made with these methods and is not deleted yet; the text and the list outlive the call.
        check(unsafe {
            cut(
                self.own,
                (&raw mut terms).cast(),
                ffi::FTS5_TOKENIZE_DOCUMENT,
                text.as_ptr().cast(),
                text.len() as c_int,
                Some(take),
            )
        })?;
        Ok(terms)
    }
}

impl Drop for Tokenizer<'_> {
    fn drop(&mut self) {
        if let Some(delete) = self.methods.xDelete {
            // SAFETY: it was made with these methods, and nobody uses it any more.
            unsafe { delete(self.own) };
        }
    }
}

unsafe extern "C" fn take(
    terms: *mut c_void,
    _: c_int,
    term: *const c_char,
    length: c_int,
    _: c_int,
    _: c_int,
) -> c_int {
    let length = usize::try_from(length).unwrap_or_default();
    // SAFETY: the list is the one that was handed over, and the term has so many bytes.
    unsafe {
        let term = slice::from_raw_parts(term.cast::<u8>(), length);
        (*terms.cast::<Vec<String>>()).push(String::from_utf8_lossy(term).into_owned());
    }
    ffi::SQLITE_OK
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_is_cut_as_the_index_cuts_it() {
        let connection = Connection::open_in_memory().unwrap();
        let tables = "create virtual table cut using fts5 (
                content, tokenize = 'porter unicode61 remove_diacritics 2');
            create virtual table cut_terms using fts5vocab (cut, instance);";
        connection.execute_batch(tables).unwrap();
        let tokenizer = Tokenizer::of(&connection).unwrap();
        for text in [
            "parsing parsed parses relational",
            "Überraschung café",
            "snake_case x1 42",
            "日本 語",
            "… --",
            "",
        ] {
            connection
                .execute_batch("delete from cut")
                .and_then(|()| connection.execute("insert into cut values (?1)", [text]))
                .unwrap();
            let mut statement = connection
                .prepare("select term from cut_terms order by offset")
                .unwrap();
            let truth = statement.query_map([], |row| row.get(0)).unwrap();
            let truth: Vec<String> = truth.map(Result::unwrap).collect();
            assert_eq!(tokenizer.terms(text).unwrap(), truth, "{text}");
        }
    }
}
