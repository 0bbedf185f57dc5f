//! What writing down one event costs. Budget: 20 µs.

use divan::Bencher;
use jiff::Timestamp;
use oldhand_domain::event::{BoundedText, Event, Happening};
use oldhand_domain::id::SessionId;
use oldhand_store::journal::Journals;
use tempfile::TempDir;

fn main() {
    divan::main();
}

/// Lengths of what was said, in bytes.
const LENGTHS: [usize; 3] = [40, 400, 3_000];

/// The baseline: making the line and writing it nowhere.
#[divan::bench(args = LENGTHS)]
fn line_only(bencher: Bencher<'_, '_>, length: usize) {
    let event = event(length);
    bencher.bench(|| event.to_line());
}

#[divan::bench(args = LENGTHS)]
fn append(bencher: Bencher<'_, '_>, length: usize) {
    let folder = TempDir::new().expect("a temporary folder can be made");
    let journals = Journals::new(folder.path());
    let session = SessionId::new("bench").expect("a valid id");
    let events = [event(length)];
    bencher.bench(|| {
        journals
            .append(&session, &events)
            .expect("a journal can be written");
    });
}

fn event(length: usize) -> Event {
    let text = "word ".repeat(length / 5);
    Event::new(
        Timestamp::UNIX_EPOCH,
        Happening::Prompt {
            text: BoundedText::head(&text, length),
            pasted: false,
            answers: false,
        },
    )
}
