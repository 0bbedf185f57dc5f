//! How fast the embedded model is: the first text of this process, then many short ones on one core.
//!
//! `cargo run --release -p oldhand-embed --example speed`

use std::time::Instant;

use oldhand_embed::StaticEmbedder;

const TEXTS: [&str; 8] = [
    "where do we parse the configuration file?",
    "pub fn parse_config(path: &Path) -> Result<Config, ConfigError>",
    "the migration fails when the column was renamed before the index was dropped",
    "retry with exponential backoff in the payment client",
    "tests/it/journey_import.rs must run after the fixtures are generated",
    "useEffect runs twice in StrictMode; keep the subscription in a ref",
    "error[E0382]: borrow of moved value: `event`",
    "prefer small commits, one idea each",
];

#[allow(
    clippy::print_stdout,
    clippy::disallowed_methods,
    reason = "a benchmark prints, and measures with the clock"
)]
fn main() {
    let start = Instant::now();
    let first = StaticEmbedder.embed(TEXTS[0]);
    println!(
        "first text of the process: {:?} ({} dimensions)",
        start.elapsed(),
        first.len()
    );

    let texts: Vec<&str> = TEXTS.iter().copied().cycle().take(200_000).collect();
    let start = Instant::now();
    let vectors = StaticEmbedder.embed_batch(&texts);
    let seconds = start.elapsed().as_secs_f64();
    println!(
        "{:.0} short texts a second on one core",
        vectors.len() as f64 / seconds
    );
}
