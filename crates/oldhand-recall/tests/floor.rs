//! The floor under retrieval quality: memories of an invented project, questions as developers ask them, a share that must be met.
//!
//! Small enough for every change; `examples/retrieval_bench` measures on real data.

use std::collections::BTreeMap;

use oldhand_domain::words;
use oldhand_embed::{StaticEmbedder, cosine};
use oldhand_recall::fuse::{Method, fuse};
use oldhand_recall::lane::{Lane, Ranked};
use oldhand_recall::plan::{RecentWork, plan};
use oldhand_recall::predict::Bm25;

const MEMORIES: &[&str] = &[
    "Run `make gen` before building: the protobuf sources are not checked in.",
    "Integration tests need a local Postgres on port 5433, started with docker compose.",
    "Payment retries must be idempotent because the gateway repeats webhooks for up to an hour.",
    "We use snake_case in JSON even where the TypeScript client has camelCase; the mapper lives in api/case.ts.",
    "The session cookie is host-only on purpose; a domain cookie broke single sign-on for customers with subdomains.",
    "Never call the search service inside a database transaction: a slow answer holds the row locks.",
    "Feature flags are read once per request; changing one in the middle has no effect until the next.",
    "The nightly export fails when a customer name contains a tab; escape fields in csv_writer.rs.",
    "Decided against GraphQL: two clients, few joins, and caching by URL is worth more to us.",
    "Logs must not contain e-mail addresses; use redact_user before logging a profile.",
    "Image thumbnails are made lazily on first view and cached for thirty days in the bucket.",
    "The mobile app pins the API version in its user agent; do not remove v1 before the spring release.",
    "Cargo workspace builds twice when the feature `metrics` differs between crates; keep it in the workspace table.",
    "Time zones: store UTC, convert only in the view layer, and never trust the browser's offset.",
    "A migration that adds a NOT NULL column must have a default, or the rolling deploy fails on old pods.",
    "Deploys go to the canary ring first and wait fifteen minutes for error rates.",
    "The rate limiter counts by API key, not by address, since offices share one.",
    "WebSocket reconnects use exponential backoff with jitter, capped at a minute.",
    "Tests that sleep are refused in review; use the fake clock from testkit.",
    "The billing cron job runs at 03:00 UTC and must finish before the invoices are mailed at five.",
    "Deleting an account keeps invoices for ten years as the tax law asks, everything else goes within a day.",
    "ESLint's import order rule is off because the formatter already sorts them.",
    "The parser treats a trailing comma as an error in strict mode only.",
    "Memory of the worker grows when the queue is paused: messages are prefetched without a limit.",
    "Secrets come from the vault sidecar at start; an environment variable wins for local development.",
];

/// A question, and which memory answers it.
const QUESTIONS: &[(&str, usize)] = &[
    (
        "why does the build complain about missing protobuf files",
        0,
    ),
    ("which port does the test database use", 1),
    ("are webhooks delivered more than once", 2),
    ("camelCase or snake_case in the API", 3),
    ("why is the login cookie not shared between subdomains", 4),
    ("can I query the search service in a transaction", 5),
    ("I toggled a flag and nothing happened", 6),
    ("csv export broken", 7),
    ("did we ever consider GraphQL", 8),
    ("is it ok to log the user's email", 9),
    ("when are thumbnails generated", 10),
    ("can v1 of the api be dropped", 11),
    ("cargo compiles everything two times", 12),
    ("how do we handle timezones", 13),
    ("adding a required column safely", 14),
    ("what happens during a deploy", 15),
    ("rate limiting per IP or per key", 16),
    ("what is the reconnect strategy of the websocket client", 17),
    ("how to test code that waits", 18),
    ("when does billing run", 19),
    ("what data stays after a user deletes their account", 20),
    ("import sorting lint", 21),
    ("trailing commas in the parser", 22),
    ("worker memory leak when paused", 23),
    ("where do secrets come from locally", 24),
];

fn share_found(method: Option<Method>, within: usize) -> f64 {
    let cut: Vec<Vec<String>> = MEMORIES.iter().map(|text| words::split(text)).collect();
    let text = Bm25::new(cut.iter().map(Vec::as_slice), 0.75);
    let vectors = StaticEmbedder.embed_batch(MEMORIES);
    let found = |&&(question, answer): &&(&str, usize)| {
        let plan = plan(question, RecentWork::Ordinary);
        let words: BTreeMap<String, f64> =
            plan.words.iter().map(|word| (word.clone(), 1.0)).collect();
        let vector = StaticEmbedder.embed(question);
        let near = vectors
            .iter()
            .enumerate()
            .map(|(at, other)| (at, f64::from(cosine(&vector, other))));
        let lanes = [
            Ranked::new(Lane::Text, text.score(&words)),
            Ranked::new(Lane::Dense, near),
        ];
        let (lanes, method) = match method {
            Some(method) => (&lanes[..], method),
            None => (&lanes[..1], Method::Standardised),
        };
        fuse(lanes, &plan, method)
            .iter()
            .take(within)
            .any(|item| item.key == answer)
    };
    QUESTIONS.iter().filter(found).count() as f64 / QUESTIONS.len() as f64
}

#[test]
fn the_right_memory_comes_first_often_enough() {
    let first = share_found(Some(Method::Standardised), 1);
    let among_three = share_found(Some(Method::Standardised), 3);
    assert!(first >= 0.80, "{first} first");
    assert!(among_three >= 0.92, "{among_three} among the first three");
}

#[test]
fn both_lanes_together_beat_words_alone() {
    let words = share_found(None, 3);
    let both = share_found(Some(Method::Standardised), 3);
    assert!(both > words, "{both} against {words}");
}
