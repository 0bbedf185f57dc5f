//! One page of a tree, its cells, and the records in them.

use std::cmp::Ordering;
use std::ops::Range;
use std::sync::Arc;

use rusqlite::types::ValueRef;

use super::Untold;

/// The `width` bytes from `at` on.
fn part(bytes: &[u8], at: usize, width: usize) -> Result<&[u8], Untold> {
    let end = at.checked_add(width).ok_or(Untold)?;
    bytes.get(at..end).ok_or(Untold)
}

fn length(number: u64) -> Result<usize, Untold> {
    usize::try_from(number).map_err(|_| Untold)
}

/// The number of `width` bytes at `at`, the highest byte first.
pub(super) fn number(bytes: &[u8], at: usize, width: usize) -> Result<u64, Untold> {
    let bytes = part(bytes, at, width)?;
    let add = |sum, byte: &u8| sum << 8 | u64::from(*byte);
    Ok(bytes.iter().fold(0, add))
}

/// The number of one to nine bytes at `at`, which goes on behind it: seven bits a byte, the highest first, and all eight of a ninth.
fn varying(bytes: &[u8], at: &mut usize) -> Result<u64, Untold> {
    let mut sum = 0;
    for place in 0..9 {
        let byte = *bytes.get(*at).ok_or(Untold)?;
        *at += 1;
        if place == 8 {
            return Ok(sum << 8 | u64::from(byte));
        }
        sum = sum << 7 | u64::from(byte & 0x7f);
        if byte & 0x80 == 0 {
            break;
        }
    }
    Ok(sum)
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// A table with row numbers: records are in the leaves.
    Table,
    /// An index, or a table without row numbers: records are everywhere.
    Index,
}

pub(super) struct Page {
    bytes: Arc<[u8]>,
    /// Where the head of the tree's page begins.
    head: usize,
    kind: Kind,
    is_leaf: bool,
    cells: usize,
}

/// Where the record of a cell lies.
pub(super) struct Payload {
    /// What of it is in the page.
    pub(super) range: Range<usize>,
    /// How long all of it is.
    pub(super) size: usize,
    /// The page on which it goes on.
    pub(super) next: Option<u32>,
}

/// What the entries that are looked for begin with.
#[derive(Clone, Copy)]
pub(in super::super) enum Key<'a> {
    Number(i64),
    Text(&'a str),
}

impl Page {
    pub(super) fn new(bytes: Arc<[u8]>, head: usize) -> Result<Self, Untold> {
        let (kind, is_leaf) = match bytes.get(head).ok_or(Untold)? {
            2 => (Kind::Index, false),
            5 => (Kind::Table, false),
            10 => (Kind::Index, true),
            13 => (Kind::Table, true),
            _ => return Err(Untold),
        };
        let cells = number(&bytes, head + 3, 2)? as usize;
        Ok(Self {
            bytes,
            head,
            kind,
            is_leaf,
            cells,
        })
    }

    pub(super) fn is_table(&self) -> bool {
        self.kind == Kind::Table
    }

    pub(super) fn is_leaf(&self) -> bool {
        self.is_leaf
    }

    pub(super) fn cells(&self) -> usize {
        self.cells
    }

    pub(super) fn bytes(&self, range: Range<usize>) -> Result<&[u8], Untold> {
        self.bytes.get(range).ok_or(Untold)
    }

    /// Where a cell begins.
    fn start(&self, cell: usize) -> Result<usize, Untold> {
        let places = self.head + if self.is_leaf { 8 } else { 12 };
        (cell < self.cells).then_some(()).ok_or(Untold)?;
        Ok(number(&self.bytes, places + 2 * cell, 2)? as usize)
    }

    /// The page before a cell, or behind the last one.
    pub(super) fn child(&self, cell: usize) -> Result<u32, Untold> {
        let at = if cell == self.cells {
            self.head + 8
        } else {
            self.start(cell)?
        };
        number(&self.bytes, at, 4).map(|page| page as u32)
    }

    /// The row number of a table's cell.
    pub(super) fn row(&self, cell: usize) -> Result<i64, Untold> {
        let mut at = self.start(cell)?;
        if self.is_leaf {
            varying(&self.bytes, &mut at)?;
        } else {
            at += 4;
        }
        varying(&self.bytes, &mut at).map(|row| row as i64)
    }

    /// The first cell that does not come before what is looked for, or the number of cells.
    pub(super) fn first_not_below(
        &self,
        compare: impl Fn(usize) -> Result<Ordering, Untold>,
    ) -> Result<usize, Untold> {
        let (mut from, mut to) = (0, self.cells);
        while from < to {
            let middle = usize::midpoint(from, to);
            if compare(middle)? == Ordering::Less {
                from = middle + 1;
            } else {
                to = middle;
            }
        }
        Ok(from)
    }

    /// Where the record of a cell lies on pages of this size.
    pub(super) fn payload(&self, cell: usize, page_size: usize) -> Result<Payload, Untold> {
        let mut at = self.start(cell)?;
        if !self.is_leaf {
            at += 4;
        }
        let size = length(varying(&self.bytes, &mut at)?)?;
        if self.is_table() {
            varying(&self.bytes, &mut at)?;
        }
        let most = if self.is_table() {
            page_size - 35
        } else {
            (page_size - 12) * 64 / 255 - 23
        };
        if size <= most {
            return Ok(Payload {
                range: at..at + size,
                size,
                next: None,
            });
        }
        // Of a longer one as much stays as lets the last of the other pages be full, but never less than that.
        let least = (page_size - 12) * 32 / 255 - 23;
        let stays = least + (size - least) % (page_size - 4);
        let end = at + if stays <= most { stays } else { least };
        Ok(Payload {
            range: at..end,
            size,
            next: Some(number(&self.bytes, end, 4)? as u32),
        })
    }

    /// How the first value of a cell's record compares with `key`; an error where that value is not in the page.
    pub(super) fn compare(
        &self,
        cell: usize,
        key: Key<'_>,
        page_size: usize,
    ) -> Result<Ordering, Untold> {
        let bytes = self.bytes(self.payload(cell, page_size)?.range)?;
        let mut at = 0;
        let start = length(varying(bytes, &mut at)?)?;
        let first = value(bytes, varying(bytes, &mut at)?, start)?;
        Ok(match (first, key) {
            (ValueRef::Integer(number), Key::Number(key)) => number.cmp(&key),
            (ValueRef::Text(text), Key::Text(key)) => text.cmp(key.as_bytes()),
            // All keys of a tree are of one kind.
            _ => return Err(Untold),
        })
    }
}

/// How many bytes a value of this type takes.
fn width(of: u64) -> Result<usize, Untold> {
    Ok(match of {
        0 | 8 | 9 => 0,
        1..=4 => of as usize,
        5 => 6,
        6 | 7 => 8,
        10 | 11 => return Err(Untold),
        _ => length((of - 12) / 2)?,
    })
}

/// The value of this type that begins at `at`.
fn value(bytes: &[u8], of: u64, at: usize) -> Result<ValueRef<'_>, Untold> {
    let width = width(of)?;
    let bytes = part(bytes, at, width)?;
    Ok(match of {
        0 => ValueRef::Null,
        1..=6 => {
            let unused = 64 - 8 * width as u32;
            ValueRef::Integer((number(bytes, 0, width)? as i64) << unused >> unused)
        }
        7 => ValueRef::Real(f64::from_bits(number(bytes, 0, 8)?)),
        8 => ValueRef::Integer(0),
        9 => ValueRef::Integer(1),
        _ if of.is_multiple_of(2) => ValueRef::Blob(bytes),
        _ => ValueRef::Text(bytes),
    })
}

/// No table of ours has more.
const MOST_COLUMNS: usize = 64;

/// A row, or an entry of an index.
pub(in super::super) struct Record {
    bytes: Bytes,
    /// The type of each value, and where it begins.
    values: Vec<(u64, usize)>,
}

enum Bytes {
    Page(Arc<[u8]>, Range<usize>),
    Own(Vec<u8>),
}

impl Record {
    pub(super) fn within(page: &Page, range: Range<usize>) -> Result<Self, Untold> {
        Self::new(Bytes::Page(Arc::clone(&page.bytes), range))
    }

    pub(super) fn whole(bytes: Vec<u8>) -> Result<Self, Untold> {
        Self::new(Bytes::Own(bytes))
    }

    fn new(bytes: Bytes) -> Result<Self, Untold> {
        let record = bytes.get()?;
        let mut at = 0;
        let start = length(varying(record, &mut at)?)?;
        let mut values = Vec::with_capacity(start.min(MOST_COLUMNS));
        let mut next = start;
        while at < start {
            let of = varying(record, &mut at)?;
            if values.len() == MOST_COLUMNS {
                return Err(Untold);
            }
            values.push((of, next));
            next = next.checked_add(width(of)?).ok_or(Untold)?;
        }
        // A record ends where its last value does.
        let is_whole = at == start && next == record.len();
        is_whole.then_some(Self { bytes, values }).ok_or(Untold)
    }

    /// How much memory it takes, at least.
    pub(super) fn cost(&self) -> usize {
        let bytes = match &self.bytes {
            Bytes::Page(_, range) => range.len(),
            Bytes::Own(bytes) => bytes.len(),
        };
        bytes + size_of::<Self>() + size_of_val(&self.values[..])
    }

    /// The value of this column. A column that was added to the table later is empty in older rows.
    pub(in super::super) fn value(&self, column: usize) -> Result<ValueRef<'_>, Untold> {
        match self.values.get(column) {
            Some((of, at)) => value(self.bytes.get()?, *of, *at),
            None => Ok(ValueRef::Null),
        }
    }

    pub(in super::super) fn text(&self, column: usize) -> Result<&str, Untold> {
        self.value(column)?.as_str().map_err(|_| Untold)
    }

    pub(in super::super) fn integer(&self, column: usize) -> Result<i64, Untold> {
        self.value(column)?.as_i64().map_err(|_| Untold)
    }

    /// The last value, which in an entry of an index is the number of its row.
    pub(in super::super) fn last(&self) -> Result<i64, Untold> {
        let last = self.values.len().checked_sub(1).ok_or(Untold)?;
        self.integer(last)
    }
}

impl Bytes {
    fn get(&self) -> Result<&[u8], Untold> {
        match self {
            Self::Page(bytes, range) => bytes.get(range.clone()).ok_or(Untold),
            Self::Own(bytes) => Ok(bytes),
        }
    }
}
