//! The part of a grammar that is looked up most: one row of numbers for each of its larger states.

use tree_sitter_language::LanguageFn;

/// How tree-sitter's generated code begins to describe a grammar, in versions 14 and 15 of that description.
#[repr(C)]
struct Description {
    version: u32,
    symbol_count: u32,
    counts_between: [u32; 4],
    large_state_count: u32,
    counts_after: [u32; 2],
    longest_alias: u16,
    parse_table: *const u16,
}

/// Where the rows of a grammar are, and how wide they are.
#[derive(Clone, Copy)]
pub(crate) struct Table {
    pub(crate) start: *const u16,
    pub(crate) width: usize,
    pub(crate) rows: usize,
}

/// The table of `grammar`, or nothing where its description is of a version with another beginning.
pub(crate) fn table(grammar: LanguageFn) -> Option<Table> {
    // SAFETY: it takes nothing and hands out the address of a constant.
    let description = unsafe { grammar.into_raw()() }.cast::<Description>();
    // SAFETY: that is what each grammar's function hands out, and every version begins with its number and the count of symbols.
    let version = unsafe { (*description).version };
    if !(14..=15).contains(&version) {
        return None;
    }
    // SAFETY: a description of these versions begins like this one.
    let found = unsafe { &*description };
    Some(Table {
        start: found.parse_table,
        width: found.symbol_count as usize,
        rows: found.large_state_count as usize,
    })
}
