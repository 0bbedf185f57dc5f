//! A first pass over sketches: the rows that are roughly nearest to a question.

use std::sync::PoisonError;
use std::sync::atomic::Ordering;

use super::{Allowed, Key, RESCORED, Rough, Vectors, VectorsError, layout, scan};

/// So many are looked at in full to tell how near the nearest is.
const RESCORED_FOR_ONE: usize = 64;
/// Fewer rows than this are scanned sooner than a thread starts.
const ROWS_A_THREAD: usize = 40_000;
/// More threads than this wait for memory.
const MOST_THREADS: usize = 4;

impl Vectors {
    /// The cosine of the nearest to `question`; sketches of so few may hide one that is a hair nearer. Nothing where there is none, and where one of
    /// these few is not what was written: it may have been the nearest.
    pub fn how_near(&self, question: &[f32]) -> Result<Option<f32>, VectorsError> {
        self.check_dimensions(question)?;
        let mut bytes = vec![0; self.layout.vector_size()];
        let rough = self.roughly_nearest(question, RESCORED, None);
        let rough = rough.rows(RESCORED_FOR_ONE);
        let mut nearest: Option<f32> = None;
        for &(row, key) in rough.iter().take(RESCORED_FOR_ONE) {
            let stored = self.read(row, &mut bytes);
            if let Some(stored) = stored.filter(|stored| stored.is_sound(key)) {
                let cosine = stored.dot(question);
                nearest = Some(nearest.map_or(cosine, |nearest| nearest.max(cosine)));
            } else if self.key(row) == key {
                // One that was removed meanwhile has no owner any more.
                self.damaged.store(true, Ordering::Relaxed);
                return Ok(None);
            }
        }
        let mut last = self.rough.lock().unwrap_or_else(PoisonError::into_inner);
        *last = Some(Rough {
            question: question.to_vec(),
            rows: rough,
        });
        Ok(nearest)
    }

    /// What [`Vectors::how_near`] found roughly nearest to the same question, where that is as many as are `wanted`.
    pub(super) fn take_rough(&self, question: &[f32], wanted: usize) -> Option<Vec<(usize, Key)>> {
        let mut last = self.rough.lock().unwrap_or_else(PoisonError::into_inner);
        let is_it = |last: &mut Rough| wanted == RESCORED && last.question == question;
        let same = last.take_if(is_it)?;
        Some(same.rows)
    }

    /// The rows whose sketches are nearest. A long file is shared among threads: each finds the best of its part, and the best of all are among
    /// them.
    pub(super) fn roughly_nearest(
        &self,
        question: &[f32],
        wanted: usize,
        allowed: Option<&Allowed>,
    ) -> scan::Best {
        let asked = &scan::Asked::of(question);
        // Asking how many processors there are takes longer than starting a thread too many.
        let parts = (self.rows / ROWS_A_THREAD).clamp(1, MOST_THREADS);
        let share = self.rows.div_ceil(parts).next_multiple_of(layout::BLOCK);
        let scan = |first: usize| {
            let mut best = scan::Best::new(wanted);
            let mut desk = Desk::new();
            let end = (first + share).min(self.rows);
            for first in (first..end).step_by(layout::BLOCK) {
                self.scan_block(first, end, asked, allowed, &mut desk, &mut best);
            }
            best
        };
        if parts == 1 {
            return scan(0);
        }
        std::thread::scope(|scope| {
            let spawn = |part: usize| {
                let begun = std::thread::Builder::new();
                begun.spawn_scoped(scope, move || scan(part * share))
            };
            let others: Vec<_> = (1..parts).map(|part| (part, spawn(part))).collect();
            let mut best = scan(0);
            for (part, other) in others {
                match other.map(std::thread::ScopedJoinHandle::join) {
                    Ok(Ok(found)) => best.join(found),
                    // A thread that panicked (it should not) costs its part of the answer, not the answer.
                    Ok(Err(_)) => {}
                    // The system has no thread to give.
                    Err(_) => best.join(scan(part * share)),
                }
            }
            best
        })
    }

    /// Offers to `best` the rows of the block that begins with row `first`, as far as they are before `end`.
    pub(super) fn scan_block(
        &self,
        first: usize,
        end: usize,
        asked: &scan::Asked,
        allowed: Option<&Allowed>,
        desk: &mut Desk,
        best: &mut scan::Best,
    ) {
        let rows = layout::BLOCK.min(end - first);
        let is_allowed = |row: usize| allowed.is_none_or(|allowed| allowed.has(row));
        let at = self.row(first).key;
        let Some(front) = self.map.get(at..at + self.layout.front_size()) else {
            return;
        };
        if !(first..first + rows).any(is_allowed) {
            return;
        }
        let stretch = self.layout.stretch(front, rows);
        asked.dots(desk.fastest, stretch.sketches, &mut desk.products[..rows]);
        let mut bar = best.bar();
        let roughs = &mut desk.roughs[..rows];
        let products = &desk.products[..rows];
        asked.roughs(products, stretch.fits, bar, roughs, &mut desk.is_above);
        // Nearly all are farther away than the best so far.
        for (eight, roughs) in roughs.chunks(8).enumerate() {
            if !desk.is_above[eight] {
                continue;
            }
            for (at, &rough) in (8 * eight..).zip(roughs) {
                if rough > bar && is_allowed(first + at) && stretch.key(at) != Key::NOBODY {
                    best.offer(first + at, stretch.key(at), rough);
                    bar = best.bar();
                }
            }
        }
    }
}

/// What going through one block after the other needs.
pub(super) struct Desk {
    fastest: scan::Dots,
    products: [i32; layout::BLOCK],
    roughs: [f32; layout::BLOCK],
    is_above: [bool; layout::BLOCK / 8],
}

impl Desk {
    pub(super) fn new() -> Self {
        Self {
            fastest: scan::fastest_dots(),
            products: [0; layout::BLOCK],
            roughs: [0.0; layout::BLOCK],
            is_above: [false; layout::BLOCK / 8],
        }
    }
}
