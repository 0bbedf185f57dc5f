//! The clues of the likeliest files for the text on standard input, as JSON: what weights are learned from.
//!
//! `localise_clues ROOT STATE_FOLDER < ISSUE`

#![expect(
    clippy::disallowed_methods,
    reason = "a measurement reads files and the clock"
)]

use std::io::{self, Read as _, Write as _};
use std::ops::ControlFlow;
use std::path::Path;
use std::time::Instant;

use oldhand_code::concordance::Concordance;
use oldhand_code::history::log::History;
use oldhand_code::history::read::{self, ReadOptions};
use oldhand_code::index::{Index, Options};
use oldhand_code::localise::{Clue, Ground, localise};
use oldhand_code::read::Generated;
use oldhand_code::walk::Skip;
use oldhand_embed::StaticEmbedder;

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    let (root, state) = (Path::new(&arguments[1]), Path::new(&arguments[2]));
    let mut text = String::new();
    io::stdin()
        .read_to_string(&mut text)
        .expect("text on standard input");
    let options = Options {
        threads: 2,
        max_bytes: 2 << 20,
        skip: Skip::Usual,
        generated: Generated::Skip,
    };
    let (mut index, _) =
        Index::open_or_build(root, state, &options, &mut |_| {}).expect("the tree can be read");
    index
        .refresh(&mut |_| {})
        .expect("the tree can be read again");
    let (words, _) = Concordance::refresh(root, &state.join("words"), 2).expect("words are kept");
    let path = state.join("history.bin");
    let known = std::fs::read(&path)
        .ok()
        .and_then(|bytes| History::from_bytes(&bytes));
    let options = ReadOptions {
        commit_limit: 50_000,
        progress: &mut |_| ControlFlow::Continue(()),
    };
    let history = read::read(root, known, options);
    std::fs::write(&path, history.to_bytes()).expect("the history is kept");
    let ground = Ground {
        index: &index,
        words: &words,
        history: &history,
        embed: &|texts| StaticEmbedder.embed_batch(texts),
    };
    let start = Instant::now();
    let located = localise(&ground, &text, 250);
    let seconds = start.elapsed().as_secs_f64();
    let files: Vec<serde_json::Value> = located
        .iter()
        .map(|file| {
            let clues: Vec<f32> = Clue::ALL.iter().map(|clue| file.clues.get(*clue)).collect();
            serde_json::json!({ "path": file.path, "score": file.score, "clues": clues })
        })
        .collect();
    let line = serde_json::json!({ "seconds": seconds, "files": files });
    writeln!(io::stdout(), "{line}").expect("standard output is open");
}
