//! A database file read as it lies, without SQLite: whoever wants a few rows waits longer for SQLite to understand the schema than for the rows.
//!
//! The layout is the one that SQLite documents and has promised to keep. Nothing is locked and nothing is written; whether
//! somebody wrote meanwhile tells the time of the file ([`SqliteStore::is_as_it_was`](super::SqliteStore::is_as_it_was)). Whatever is not as it should be is [`Untold`], and SQLite is asked instead: it knows how to say what is wrong.

mod page;

use std::cmp::Ordering;
use std::fs::File;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

pub(super) use page::{Key, Record};
use page::{Page, number};

use crate::vectors::read_at;

/// How many pages are held at most. A short look reads few of them twice.
const HELD: usize = 64;
/// No tree is deeper, however large the file.
const DEEPEST: usize = 24;

const MARK: &[u8; 16] = b"SQLite format 3\0";
const HEAD: usize = 100;
const UTF_8: u64 = 1;

/// What lies ready does not tell: the database is to be asked.
#[derive(Debug, PartialEq)]
pub(super) struct Untold;

/// What one question may take at most. Nothing is in a file twice, so that all that is taken is hardly longer than the file; but a file may claim any length.
const MOST_TAKEN: u64 = 64 << 20;

/// The tree of all definitions begins with the first page.
pub(super) const SCHEMA: u32 = 1;

/// A page with its number.
type Held = (u32, Arc<[u8]>);

pub(super) struct Pages {
    file: File,
    page_size: usize,
    number: u32,
    held: Mutex<Vec<Option<Held>>>,
    pub(super) version: u64,
    pub(super) application: u64,
}

impl Pages {
    pub(super) fn open(path: &Path) -> Result<Self, Untold> {
        let file = File::open(path).map_err(|_| Untold)?;
        let mut head = [0; HEAD];
        read_at(&file, &mut head, 0).map_err(|_| Untold)?;
        let page_size = match number(&head, 16, 2)? {
            1 => 1 << 16,
            size if size.is_power_of_two() && size >= 512 => size as usize,
            _ => return Err(Untold),
        };
        // No page keeps room for others at its end.
        let is_plain = head.starts_with(MARK) && head[20] == 0 && number(&head, 56, 4)? == UTF_8;
        if !is_plain {
            return Err(Untold);
        }
        let pages = file.metadata().map_err(|_| Untold)?.len() / page_size as u64;
        Ok(Self {
            file,
            page_size,
            number: u32::try_from(pages).map_err(|_| Untold)?,
            held: Mutex::new(vec![None; HELD]),
            version: number(&head, 60, 4)?,
            application: number(&head, 68, 4)?,
        })
    }

    /// The row with this number in the table whose tree begins at `root`.
    pub(super) fn row(&self, root: u32, row: i64) -> Result<Option<Record>, Untold> {
        let mut at = root;
        for _ in 0..DEEPEST {
            let page = self.page_below(root, at)?;
            if !page.is_table() {
                return Err(Untold);
            }
            let cell = page.first_not_below(|cell| Ok(page.row(cell)?.cmp(&row)))?;
            if page.is_leaf() {
                let is_there = cell < page.cells() && page.row(cell)? == row;
                return if is_there {
                    self.record(&page, cell).map(Some)
                } else {
                    Ok(None)
                };
            }
            at = page.child(cell)?;
        }
        Err(Untold)
    }

    /// The highest row number of the table whose tree begins at `root`.
    pub(super) fn highest(&self, root: u32) -> Result<Option<i64>, Untold> {
        let mut at = root;
        for _ in 0..DEEPEST {
            let page = self.page_below(root, at)?;
            if !page.is_table() {
                return Err(Untold);
            }
            if page.is_leaf() {
                let last = page.cells().checked_sub(1);
                return last.map(|last| page.row(last)).transpose();
            }
            at = page.child(page.cells())?;
        }
        Err(Untold)
    }

    /// Everything in the index, or the table without row numbers, whose tree begins at `root`, that begins with `key`, in its order.
    pub(super) fn entries(&self, root: u32, key: Key<'_>) -> Result<Vec<Record>, Untold> {
        let mut found = Vec::new();
        self.gather(root, Some(key), &mut Bounds::of(self, root), &mut found)?;
        Ok(found)
    }

    /// Everything in the tree that begins at `root`, in its order.
    pub(super) fn all(&self, root: u32) -> Result<Vec<Record>, Untold> {
        let mut found = Vec::new();
        self.gather(root, None, &mut Bounds::of(self, root), &mut found)?;
        Ok(found)
    }

    /// Adds what is below the page `at`, all of it or what begins with `key`.
    fn gather(
        &self,
        at: u32,
        key: Option<Key<'_>>,
        bounds: &mut Bounds,
        found: &mut Vec<Record>,
    ) -> Result<(), Untold> {
        bounds.go_down()?;
        let page = self.page_below(bounds.root, at)?;
        let compare = |cell| {
            key.map_or(Ok(Ordering::Equal), |key| {
                page.compare(cell, key, self.page_size)
            })
        };
        if key.is_some() && page.is_table() {
            return Err(Untold);
        }
        for cell in page.first_not_below(compare)?..=page.cells() {
            if !page.is_leaf() {
                self.gather(page.child(cell)?, key, bounds, found)?;
            }
            if cell == page.cells() || compare(cell)? != Ordering::Equal {
                break;
            }
            // What is within a table's tree only leads to its rows.
            if page.is_leaf() || !page.is_table() {
                let record = self.record(&page, cell)?;
                bounds.take(record.cost())?;
                found.push(record);
            }
        }
        bounds.come_up();
        Ok(())
    }

    /// What a cell holds, put together from all pages it takes.
    fn record(&self, page: &Page, cell: usize) -> Result<Record, Untold> {
        let payload = page.payload(cell, self.page_size)?;
        let Some(mut next) = payload.next else {
            return Record::within(page, payload.range);
        };
        let whole = payload.size;
        if whole as u64 > MOST_TAKEN.min(self.length()) {
            return Err(Untold);
        }
        let mut bytes = Vec::with_capacity(whole);
        bytes.extend_from_slice(page.bytes(payload.range)?);
        while bytes.len() < whole {
            // Long texts are read once, and would take the place of what is read again.
            let mut part = vec![0; self.page_size];
            self.read(next, &mut part)?;
            next = number(&part, 0, 4)? as u32;
            let rest = (whole - bytes.len()).min(self.page_size - 4);
            bytes.extend_from_slice(&part[4..4 + rest]);
        }
        Record::whole(bytes)
    }

    /// As [`Pages::page`], for the tree that begins at `root`: only that page may be empty.
    fn page_below(&self, root: u32, at: u32) -> Result<Page, Untold> {
        let page = self.page(at)?;
        if page.cells() == 0 && at != root {
            return Err(Untold);
        }
        Ok(page)
    }

    fn page(&self, at: u32) -> Result<Page, Untold> {
        let mut held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        let place = &mut held[at as usize % HELD];
        let bytes = match place.take() {
            Some((number, bytes)) if number == at => bytes,
            other => {
                let mut bytes = match other {
                    Some((_, bytes)) if Arc::strong_count(&bytes) == 1 => bytes,
                    // Not gathered from an iterator, which fills it byte by byte.
                    _ => vec![0; self.page_size].into(),
                };
                self.read(at, Arc::get_mut(&mut bytes).ok_or(Untold)?)?;
                bytes
            }
        };
        *place = Some((at, Arc::clone(&bytes)));
        Page::new(bytes, if at == 1 { HEAD } else { 0 })
    }

    fn length(&self) -> u64 {
        u64::from(self.number) * self.page_size as u64
    }

    fn read(&self, at: u32, bytes: &mut [u8]) -> Result<(), Untold> {
        if !(1..=self.number).contains(&at) {
            return Err(Untold);
        }
        let place = u64::from(at - 1) * self.page_size as u64;
        read_at(&self.file, bytes, place).map_err(|_| Untold)
    }
}

/// How far a walk may go: in a damaged file the way may lead in a circle.
struct Bounds {
    root: u32,
    depth: usize,
    pages: u32,
    /// How much memory may be taken.
    bytes: u64,
}

impl Bounds {
    fn of(pages: &Pages, root: u32) -> Self {
        Self {
            root,
            depth: DEEPEST,
            pages: pages.number,
            bytes: MOST_TAKEN.min(4 * pages.length()),
        }
    }

    fn take(&mut self, bytes: usize) -> Result<(), Untold> {
        self.bytes = self.bytes.checked_sub(bytes as u64).ok_or(Untold)?;
        Ok(())
    }

    fn go_down(&mut self) -> Result<(), Untold> {
        self.depth = self.depth.checked_sub(1).ok_or(Untold)?;
        self.pages = self.pages.checked_sub(1).ok_or(Untold)?;
        Ok(())
    }

    fn come_up(&mut self) {
        self.depth += 1;
    }
}

#[cfg(test)]
mod tests;
