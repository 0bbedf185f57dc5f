//! Tables that the finished binary holds in short: six grammars have rows for thousands of states, 15.4 MB of them.
//!
//! On Linux the release binary is linked so that the place of these tables is there but nothing is in it
//! (`crates/oldhand/build.rs`), and the rows are written out when a grammar is asked for first. Linked any other way the tables are where they always
//! were, which shows, and nothing is written. docs/decisions/0019.

use std::slice;
use std::sync::{Mutex, PoisonError};

use tree_sitter_language::LanguageFn;

use crate::rows::write_out;
use crate::table::{Table, table};

/// The rows in short, by the name of the grammar, as the build script wrote them.
const SHORT: &[(&str, &[u8])] = &include!(concat!(env!("OUT_DIR"), "/short.rs"));

/// Held while a table is written. It lies in front of the tables, and makes their place one that may be written to.
#[cfg_attr(target_os = "linux", unsafe(link_section = ".bss.oldhand_tables"))]
static WRITING: Mutex<()> = Mutex::new(());

/// Writes out the table of the grammar called `name` where the binary has only its place.
pub(crate) fn fill(name: &str, grammar: LanguageFn) {
    let short = SHORT.iter().find(|(of, _)| *of == name);
    if let (Some((_, short)), Some(table)) = (short, table(grammar)) {
        let _held = WRITING.lock().unwrap_or_else(PoisonError::into_inner);
        if is_hollow(table) {
            // SAFETY: the place is as long as this and may be written to, as nothing but the linker empties a table. No parser reads it before this
            // function has returned, and all that come here wait for each other.
            let place = unsafe {
                slice::from_raw_parts_mut(table.start.cast_mut(), table.width * table.rows)
            };
            write_out(short, table.width, place);
        }
    }
}

/// The first state is the one that errors are met in: its row says something of each symbol that a file can have.
fn is_hollow(table: Table) -> bool {
    // SAFETY: a table has one row or more of this width.
    let first =
        unsafe { slice::from_raw_parts(table.start, table.width.min(table.rows * table.width)) };
    first.iter().all(|number| *number == 0)
}

#[cfg(test)]
mod tests {
    use std::slice;

    use super::{SHORT, is_hollow, table, write_out};
    use crate::GRAMMARS;

    #[test]
    fn what_is_kept_of_a_table_makes_the_table() {
        for (name, short) in SHORT {
            let (_, grammar) = GRAMMARS
                .iter()
                .find(|(known, _)| known == name)
                .expect("a grammar");
            let table = table(*grammar).expect("a table");
            // SAFETY: tests are linked with the tables where they belong.
            let numbers = unsafe { slice::from_raw_parts(table.start, table.width * table.rows) };
            let mut written = vec![0; numbers.len()];
            write_out(short, table.width, &mut written);
            assert!(written == numbers, "{name}");
            assert!(
                short.len() * 10 < numbers.len() * 2,
                "{name}: {}",
                short.len()
            );
        }
    }

    #[test]
    fn the_linker_leaves_out_the_tables_that_are_kept_in_short() {
        let script = include_str!("../../oldhand/build.rs");
        let (_, list) = script.split_once("const LARGE: [&str; ").expect("a list");
        let (list, _) = list.split_once("];").expect("an end");
        let left_out: Vec<&str> = list.split('"').skip(1).step_by(2).collect();
        let short: Vec<String> = SHORT
            .iter()
            .map(|(name, _)| name.replace('-', "_"))
            .collect();
        let crates: Vec<&str> = left_out
            .iter()
            .map(|name| name.trim_end_matches("_ng"))
            .collect();
        assert!(short == crates || short.is_empty(), "{short:?} {crates:?}");
    }

    #[test]
    fn a_table_that_is_there_is_not_hollow() {
        for (name, grammar) in GRAMMARS {
            assert!(!is_hollow(table(*grammar).expect("a table")), "{name}");
        }
    }
}
