//! Memory for processes that live for a few milliseconds.
//!
//! A search asks for memory some seven thousand times and gives most of it back at once. Whoever calls [`take_nook`] is served from a stretch of its
//! own, without locks and without keeping order in it: pieces that were given back are kept by their size, for the next that asks for as much. Other
//! threads, longer pieces and all that does not fit are served by the system, as is everybody where nobody has a nook.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::ptr;
use std::sync::atomic::{AtomicUsize, Ordering};

#[global_allocator]
static HEAP: Heap = Heap;

struct Heap;

/// How much a nook holds. Only what is used of it is ever taken from the system.
const NOOK: usize = 4 << 20;
/// The longest piece.
const LONGEST: usize = 8 << 10;
/// Short pieces differ by this much, and lie at multiples of it.
const STEP: usize = 16;
/// The longest of the short pieces.
const SHORT: usize = 1 << 10;
/// Long pieces differ by this much.
const LONG_STEP: usize = 512;
const SIZES: usize = SHORT / STEP + (LONGEST - SHORT) / LONG_STEP;

type Address = [u8; size_of::<usize>()];

/// Where the nook of this process begins, or what no piece is behind.
static BEGINNING: AtomicUsize = AtomicUsize::new(usize::MAX);

thread_local! {
    static MINE: Nook = const { Nook::empty() };
}

/// The memory that one thread hands out to itself.
struct Nook {
    /// Where what nobody ever had begins and ends.
    rest: Cell<usize>,
    end: Cell<usize>,
    /// For each size, the piece that was last given back; its first word is where the one before it lies.
    returned: [Cell<usize>; SIZES],
}

/// Gives the calling thread a nook: for commands that answer one short question. There is one for each process.
pub(crate) fn take_nook() {
    let Ok(layout) = Layout::from_size_align(NOOK, STEP) else {
        return;
    };
    MINE.with(|mine| {
        if BEGINNING.load(Ordering::Relaxed) != usize::MAX {
            return;
        }
        // SAFETY: the size is not zero. It is never given back: it is needed until the process ends.
        let start = unsafe { System.alloc(layout) };
        if !start.is_null() {
            mine.rest.set(start.addr());
            mine.end.set(start.addr() + NOOK);
            BEGINNING.store(start.expose_provenance(), Ordering::Relaxed);
        }
    });
}

/// The number of a size and how long its pieces are; `None` for what is not handed out here.
#[inline]
fn piece_for(layout: Layout) -> Option<(usize, usize)> {
    let size = layout.size().max(STEP);
    if layout.align() > STEP || size > LONGEST {
        return None;
    }
    Some(if size <= SHORT {
        let steps = size.div_ceil(STEP);
        (steps - 1, steps * STEP)
    } else {
        let steps = (size - SHORT).div_ceil(LONG_STEP);
        (SHORT / STEP + steps - 1, SHORT + steps * LONG_STEP)
    })
}

fn is_in_nook(piece: *mut u8) -> bool {
    // What another thread is handed was handed over after the beginning was written down.
    piece.addr().wrapping_sub(BEGINNING.load(Ordering::Relaxed)) < NOOK
}

impl Nook {
    const fn empty() -> Self {
        Self {
            rest: Cell::new(0),
            end: Cell::new(0),
            returned: [const { Cell::new(0) }; SIZES],
        }
    }

    #[inline]
    fn take(&self, layout: Layout) -> Option<*mut u8> {
        let end = self.end.get();
        if end == 0 {
            return None;
        }
        let (number, size) = piece_for(layout)?;
        let returned = self.returned.get(number)?;
        if returned.get() != 0 {
            let last: *mut u8 = ptr::with_exposed_provenance_mut(returned.get());
            // SAFETY: a piece that was given back holds where the one before it lies, and nobody else has it.
            let before = unsafe { last.cast::<Address>().read() };
            returned.set(usize::from_ne_bytes(before));
            return Some(last);
        }
        let piece = self.rest.get();
        if end - piece < size {
            return None;
        }
        self.rest.set(piece + size);
        Some(ptr::with_exposed_provenance_mut(piece))
    }

    /// Safety: the piece came from the nook of this process with this layout, and nobody uses it any more.
    unsafe fn give_back(&self, piece: *mut u8, layout: Layout) {
        // What another thread gives back stays where it is.
        if self.end.get() != 0
            && let Some((number, _)) = piece_for(layout)
            && let Some(returned) = self.returned.get(number)
        {
            // SAFETY: it is ours again, and long enough for an address.
            unsafe { piece.cast::<Address>().write(returned.get().to_ne_bytes()) };
            returned.set(piece.addr());
        }
    }
}

// SAFETY: a piece is handed out again only after it was given back, and only by the one thread that has the nook; pieces are as long as was asked
// for or longer, at multiples of the step, which is as much as is asked for; the rest is the system's.
//
// Written into every place that allocates, these would take a third of a megabyte; and so would what every such place had to do if they could
// panic, which is why nothing in them is looked up by its number without asking first.
unsafe impl GlobalAlloc for Heap {
    #[inline(never)]
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let piece = MINE.with(|mine| mine.take(layout));
        // SAFETY: as for this.
        piece.unwrap_or_else(|| unsafe { System.alloc(layout) })
    }

    #[inline(never)]
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        match MINE.with(|mine| mine.take(layout)) {
            Some(piece) => {
                // SAFETY: it is as long as was asked for.
                unsafe { piece.write_bytes(0, layout.size()) };
                piece
            }
            // SAFETY: as for this.
            None => unsafe { System.alloc_zeroed(layout) },
        }
    }

    #[inline(never)]
    unsafe fn dealloc(&self, piece: *mut u8, layout: Layout) {
        // SAFETY: as for this; whether it came from the nook is told by where it lies.
        unsafe {
            if is_in_nook(piece) {
                MINE.with(|mine| mine.give_back(piece, layout));
            } else {
                System.dealloc(piece, layout);
            }
        }
    }

    #[inline(never)]
    unsafe fn realloc(&self, piece: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: as for this; the new size with the old alignment is what the caller vouches for.
        unsafe {
            if !is_in_nook(piece) {
                return System.realloc(piece, layout, size);
            }
            let new = Layout::from_size_align_unchecked(size, layout.align());
            if piece_for(new) == piece_for(layout) {
                return piece;
            }
            let moved = self.alloc(new);
            if !moved.is_null() {
                ptr::copy_nonoverlapping(piece, moved, layout.size().min(size));
                self.dealloc(piece, layout);
            }
            moved
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::VecDeque;

    use super::*;

    #[test]
    fn a_piece_is_as_long_as_was_asked_for_and_no_size_is_without_a_place() {
        let mut last = None;
        for size in 1..=LONGEST {
            let layout = Layout::from_size_align(size, 8).unwrap();
            let (number, length) = piece_for(layout).unwrap();
            assert!(length >= size && length < size + LONG_STEP && number < SIZES);
            assert!(Some(number) >= last);
            last = Some(number);
        }
        assert_eq!(last, Some(SIZES - 1));
        let too_long = Layout::from_size_align(LONGEST + 1, 8).unwrap();
        let too_even = Layout::from_size_align(8, 64).unwrap();
        assert_eq!((piece_for(too_long), piece_for(too_even)), (None, None));
    }

    #[test]
    fn what_is_written_stays_whoever_allocates_and_frees_meanwhile() {
        take_nook();
        // Given back by other threads, grown beyond the nook and kept in turns.
        let mut kept: VecDeque<(usize, Vec<usize>)> = VecDeque::new();
        for round in 0..20_000_usize {
            let mut numbers = Vec::new();
            numbers.extend(0..round * 7 % 300);
            numbers.push(round);
            kept.push_back((round, numbers));
            if kept.len() > 200 {
                let (round, numbers) = kept.pop_front().unwrap();
                assert_eq!(numbers.last(), Some(&round));
                assert!(
                    numbers[..numbers.len() - 1]
                        .iter()
                        .copied()
                        .eq(0..round * 7 % 300)
                );
                if round.is_multiple_of(1000) {
                    std::thread::spawn(move || drop(numbers)).join().unwrap();
                }
            }
        }
        let zeroed = vec![0_u8; 5000];
        assert!(zeroed.iter().all(|byte| *byte == 0));
    }
}
