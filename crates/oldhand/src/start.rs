//! How the program starts on Linux with the GNU C library, which tells every part of a program its arguments.
//!
//! What Rust does before `main` takes a tenth of a millisecond, most of it to learn where the stack ends from a list of all memory that the process has, so
//! that a stack that overflows can be told from other faults; and each thread then asks for a second stack to tell it on. Here the C library starts
//! the program. A stack that overflows still ends it, by the page behind it that nobody may touch, but without that sentence.

use std::ffi::{c_char, c_int};
use std::panic::catch_unwind;
use std::process::ExitCode;

/// What a program that panicked ends with.
const PANICKED: u8 = 101;

/// What the C library calls. The arguments are those that [`std::env::args_os`] tells, which the C library has handed out by now.
// SAFETY: nothing else is called this in a program without a `main` of Rust's, and this is what the C library takes for it.
#[unsafe(no_mangle)]
extern "C" fn main(_count: c_int, _arguments: *const *const c_char) -> c_int {
    fill_closed();
    ignore_broken_pipes();
    let answered = catch_unwind(|| crate::cli::run(std::env::args_os()));
    let code = answered.map_or(PANICKED, number);
    #[allow(
        clippy::disallowed_methods,
        reason = "this is the end of the program, and what was printed has to be on its way"
    )]
    std::process::exit(code.into())
}

/// A code that does not tell its number by itself.
fn number(code: ExitCode) -> u8 {
    let is_it = |number: &u8| ExitCode::from(*number) == code;
    (0..=u8::MAX).find(is_it).unwrap_or(PANICKED)
}

/// Opens nothing in the place of input, output and errors that are closed: else the next file that is opened would take it, and be written to by whoever
/// prints.
fn fill_closed() {
    let mut asked = [0, 1, 2].map(|fd| libc::pollfd {
        fd,
        events: 0,
        revents: 0,
    });
    // SAFETY: these are three, and nobody else has them.
    let told = unsafe { libc::poll(asked.as_mut_ptr(), 3, 0) };
    for one in &asked {
        // Where nobody can tell, each is asked for itself.
        let is_closed = if told < 0 {
            // SAFETY: asking for the flags of any number is allowed.
            unsafe { libc::fcntl(one.fd, libc::F_GETFD) == -1 }
        } else {
            one.revents & libc::POLLNVAL != 0
        };
        if is_closed {
            // SAFETY: the path ends with a zero. The lowest number that is free is taken, which is this one.
            let opened = unsafe { libc::open(c"/dev/null".as_ptr(), libc::O_RDWR, 0) };
            if opened == -1 {
                // SAFETY: it does not come back.
                unsafe { libc::abort() };
            }
        }
    }
}

/// Whoever prints to somebody who does not listen any more is told so, and not ended.
fn ignore_broken_pipes() {
    // SAFETY: no other thread runs yet, and nothing is done in a handler.
    unsafe { libc::signal(libc::SIGPIPE, libc::SIG_IGN) };
}
