//! A search that several threads make together: whoever waits for what another began takes a share of what is left.

use std::fmt;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, OnceLock, PoisonError};

use super::rough::Desk;
use super::scan::{Asked, Best};
use super::{Close, Key, Near, Vectors, VectorsError, how_many_closely, in_order, layout};

/// How many full vectors are read before others are taken.
const STRETCH: usize = 16;
/// Who has nothing left to do waits so many turns before it goes to sleep: the others have hardly ever more than a block before them, and waking up
/// takes longer than that.
const TURNS: usize = 4_000;

/// What is looked for among all rows of one reader, and how far that is.
pub struct Search {
    question: Vec<f32>,
    limit: usize,
    asked: Asked,
    /// Sketches first, then full vectors of what is roughly nearest.
    sketches: Stage,
    rough: OnceLock<Vec<(usize, Key)>>,
    vectors: Stage,
    gathered: Mutex<Gathered>,
    is_further: Condvar,
    found: OnceLock<Vec<Near>>,
}

/// Rows that are taken in stretches by whoever has time.
#[derive(Default)]
struct Stage {
    taken: AtomicUsize,
    done: AtomicUsize,
}

impl Stage {
    /// The next `stretch` of `all` rows that nobody has taken yet.
    fn take(&self, stretch: usize, all: usize) -> Option<std::ops::Range<usize>> {
        let from = self.taken.fetch_add(stretch, Ordering::Relaxed);
        (from < all).then(|| from..all.min(from + stretch))
    }

    /// There is nothing to do in a stage of `all` rows.
    fn skip(&self, all: usize) {
        self.taken.store(all, Ordering::Relaxed);
        self.done.store(all, Ordering::Release);
    }

    fn is_done(&self, all: usize) -> bool {
        self.done.load(Ordering::Acquire) >= all
    }
}

/// What those who have done their share have found.
struct Gathered {
    best: Best,
    close: Vec<Close>,
}

/// One thread's share of a stage. Counts as done when it goes, also where that is a panic: nobody waits for ever.
struct Share<'a> {
    search: &'a Search,
    stage: &'a Stage,
    rows: usize,
    best: Best,
    close: Vec<Close>,
}

impl Drop for Share<'_> {
    fn drop(&mut self) {
        let mut gathered = self.search.gathered();
        gathered
            .best
            .join(std::mem::replace(&mut self.best, Best::new(0)));
        gathered.close.append(&mut self.close);
        self.stage.done.fetch_add(self.rows, Ordering::Release);
        drop(gathered);
        self.search.is_further.notify_all();
    }
}

impl fmt::Debug for Search {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let is_found = self.found.get().is_some();
        f.debug_struct("Search")
            .field("limit", &self.limit)
            .field("is_found", &is_found)
            .finish_non_exhaustive()
    }
}

impl Search {
    pub fn is_found(&self) -> bool {
        self.found.get().is_some()
    }

    fn gathered(&self) -> MutexGuard<'_, Gathered> {
        self.gathered.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn share<'a>(&'a self, stage: &'a Stage, best: Best) -> Share<'a> {
        Share {
            search: self,
            stage,
            rows: 0,
            best,
            close: Vec::new(),
        }
    }

    /// Waits until all rows of a stage are done.
    fn wait(&self, stage: &Stage, all: usize) {
        for _ in 0..TURNS {
            if stage.is_done(all) {
                return;
            }
            std::hint::spin_loop();
        }
        let is_waiting = |_: &mut Gathered| !stage.is_done(all);
        drop(self.is_further.wait_while(self.gathered(), is_waiting));
    }
}

impl Vectors {
    /// Begins to look for the `limit` nearest to `question`. Nothing is looked at yet, but for sketches that [`Vectors::how_near`] went through.
    pub fn begin(&self, question: &[f32], limit: usize) -> Result<Search, VectorsError> {
        self.check_dimensions(question)?;
        let wanted = how_many_closely(limit);
        let search = Search {
            question: question.to_vec(),
            limit,
            asked: Asked::of(question),
            sketches: Stage::default(),
            rough: OnceLock::new(),
            vectors: Stage::default(),
            gathered: Mutex::new(Gathered {
                best: Best::new(wanted),
                close: Vec::new(),
            }),
            is_further: Condvar::new(),
            found: OnceLock::new(),
        };
        if let Some(rough) = self.take_rough(question, wanted) {
            search.sketches.skip(self.rows);
            let _ = search.rough.set(in_order(rough));
        }
        Ok(search)
    }

    /// What [`Vectors::nearest`] finds. Where others are at the same search, each does a share of it. Of one that was begun with this very reader.
    pub fn finish(&self, search: &Search) -> Vec<Near> {
        if let Some(found) = search.found.get() {
            return found.clone();
        }
        self.scan_share(search);
        search.wait(&search.sketches, self.rows);
        let rough = search.rough.get_or_init(|| {
            let best = std::mem::replace(&mut search.gathered().best, Best::new(0));
            in_order(best.rows(how_many_closely(search.limit)))
        });
        self.read_share(search, rough);
        search.wait(&search.vectors, rough.len());
        let settle = || {
            // Copied, so that whoever comes after one that panicked here finds all of them.
            let close = search.gathered().close.clone();
            self.settle(close, search.limit)
        };
        search.found.get_or_init(settle).clone()
    }

    fn scan_share(&self, search: &Search) {
        let stage = &search.sketches;
        let mut share = search.share(stage, Best::new(how_many_closely(search.limit)));
        let mut desk = Desk::new();
        while let Some(rows) = stage.take(layout::BLOCK, self.rows) {
            share.rows += rows.len();
            self.scan_block(
                rows.start,
                rows.end,
                &search.asked,
                None,
                &mut desk,
                &mut share.best,
            );
        }
    }

    fn read_share(&self, search: &Search, rough: &[(usize, Key)]) {
        let stage = &search.vectors;
        let mut share = search.share(stage, Best::new(0));
        while let Some(rows) = stage.take(STRETCH, rough.len()) {
            share.rows += rows.len();
            self.read_closely(&search.question, &rough[rows], &mut share.close);
        }
    }
}
