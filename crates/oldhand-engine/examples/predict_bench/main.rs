//! How good the files are that `context` predicts, asked of the same evidence the command gathers.
//!
//! ```text
//! predict_bench sessions SESSIONS.jsonl CLONE [SESSIONS.jsonl CLONE …]
//! predict_bench localise TASKS.jsonl CLONES EVERY
//! predict_bench messages COMMITS.jsonl CLONE [COMMITS.jsonl CLONE …]
//! ```
#![expect(
    clippy::disallowed_methods,
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a benchmark reads files, asks git and prints"
)]

mod ground;
mod sessions;
mod tasks;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let folder = std::env::temp_dir().join(format!("predict_bench.{}", std::process::id()));
    match arguments.split_first() {
        Some((what, rest)) if what == "sessions" => sessions::run(rest, &folder),
        Some((what, rest)) if what == "localise" => tasks::localise(rest, &folder),
        Some((what, rest)) if what == "messages" => tasks::messages(rest, &folder),
        _ => eprintln!("say sessions, localise or messages, and what to measure"),
    }
    // What was checked out is as large as the clones; it may never have been made.
    let _ = std::fs::remove_dir_all(&folder);
}
