//! Where SQLite has its memory from: this program's own allocator, which knows what kind of process it serves, and without the books that SQLite
//! keeps about it behind a lock of their own.

use std::alloc::{Layout, alloc, dealloc, realloc};
use std::ffi::{c_int, c_void};
use std::ptr;
use std::sync::Once;

use rusqlite::ffi;

/// Stands before each piece and holds how long it is; the piece itself lies as evenly.
const HEAD: usize = 16;
type Length = [u8; size_of::<usize>()];

/// Says so to SQLite, once, before it is first used. Where it was used already, it goes on as it began.
pub(super) fn prepare() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let methods = ffi::sqlite3_mem_methods {
            xMalloc: Some(take),
            xFree: Some(give_back),
            xRealloc: Some(resize),
            xSize: Some(measure),
            xRoundup: Some(round_up),
            xInit: Some(begin),
            xShutdown: Some(end),
            pAppData: ptr::null_mut(),
        };
        // SAFETY: the options take a number and the address of methods, which SQLite copies; it refuses both where it is in use.
        unsafe {
            ffi::sqlite3_config(ffi::SQLITE_CONFIG_MEMSTATUS, 0);
            ffi::sqlite3_config(ffi::SQLITE_CONFIG_MALLOC, &raw const methods);
        }
    });
}

fn layout(size: usize) -> Option<Layout> {
    Layout::from_size_align(size.checked_add(HEAD)?, HEAD).ok()
}

/// Writes down how long a piece is, and tells where it begins behind that.
///
/// Safety: `whole` is nothing, or as long as [`layout`] says for `size`.
unsafe fn behind_head(whole: *mut u8, size: usize) -> *mut c_void {
    if whole.is_null() {
        return ptr::null_mut();
    }
    // SAFETY: as for this.
    unsafe {
        whole.cast::<Length>().write(size.to_ne_bytes());
        whole.add(HEAD).cast()
    }
}

/// Where a piece begins with its head, and how long it is without.
///
/// Safety: `piece` came from [`behind_head`].
unsafe fn with_head(piece: *mut c_void) -> (*mut u8, usize) {
    // SAFETY: as for this.
    unsafe {
        let whole = piece.cast::<u8>().sub(HEAD);
        (whole, usize::from_ne_bytes(whole.cast::<Length>().read()))
    }
}

unsafe extern "C" fn take(size: c_int) -> *mut c_void {
    let Ok(size) = usize::try_from(size) else {
        return ptr::null_mut();
    };
    match layout(size) {
        // SAFETY: with its head it is longer than nothing.
        Some(layout) => unsafe { behind_head(alloc(layout), size) },
        None => ptr::null_mut(),
    }
}

unsafe extern "C" fn give_back(piece: *mut c_void) {
    if piece.is_null() {
        return;
    }
    // SAFETY: SQLite gives back what it took, once.
    unsafe {
        let (whole, size) = with_head(piece);
        if let Some(layout) = layout(size) {
            dealloc(whole, layout);
        }
    }
}

unsafe extern "C" fn resize(piece: *mut c_void, size: c_int) -> *mut c_void {
    let Ok(size) = usize::try_from(size) else {
        return ptr::null_mut();
    };
    // SAFETY: SQLite has taken it and not given it back.
    unsafe {
        let (whole, old) = with_head(piece);
        match (layout(old), layout(size)) {
            (Some(old), Some(new)) => behind_head(realloc(whole, old, new.size()), size),
            _ => ptr::null_mut(),
        }
    }
}

unsafe extern "C" fn measure(piece: *mut c_void) -> c_int {
    if piece.is_null() {
        return 0;
    }
    // SAFETY: as for giving it back.
    let (_, size) = unsafe { with_head(piece) };
    c_int::try_from(size).unwrap_or(c_int::MAX)
}

unsafe extern "C" fn round_up(size: c_int) -> c_int {
    // SQLite never asks for more than fits with room to spare.
    size.saturating_add(7) & !7
}

unsafe extern "C" fn begin(_: *mut c_void) -> c_int {
    ffi::SQLITE_OK
}

unsafe extern "C" fn end(_: *mut c_void) {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_piece_keeps_what_it_holds_while_it_grows_and_shrinks() {
        // SAFETY: each piece is used as SQLite uses it.
        unsafe {
            let piece = take(5);
            piece.cast::<[u8; 5]>().write(*b"kept!");
            let piece = resize(piece, 5000);
            assert_eq!(measure(piece), 5000);
            let piece = resize(piece, 5);
            assert_eq!(piece.cast::<[u8; 5]>().read(), *b"kept!");
            give_back(piece);
            assert!(take(-1).is_null());
            assert_eq!(measure(ptr::null_mut()), 0);
        }
        assert_eq!([1, 8, 9].map(|size| unsafe { round_up(size) }), [8, 8, 16]);
    }
}
