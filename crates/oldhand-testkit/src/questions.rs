//! What a search is held to in every change: a small project's memories, and questions that each have one answer among them; and questions
//! about code of this repository.

/// Memories of an invented project.
pub const MEMORIES: &[&str] = &[
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

/// Questions as developers ask them, each with the place of the memory that answers it.
pub const QUESTIONS: &[(&str, usize)] = &[
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

/// Tasks of other projects: none of [`MEMORIES`] is of use in them.
pub const FOREIGN_TASKS: &[&str] = &[
    "tune the shader that draws the water surface",
    "translate the chess opening book into Portuguese",
    "fit the drum machine's swing to the metronome",
    "render the contour lines of the hiking map",
    "train the classifier on the bird recordings",
    "make the robot arm avoid its own base",
    "typeset the bibliography in two columns",
    "simulate how heat spreads through the wall",
    "let the knight jump over other pieces",
    "compress the point cloud of the lidar scan",
    "sort the recipes by how long they cook",
    "draw the family tree from the parish records",
];

/// The crates that [`CODE_QUESTIONS`] are about.
pub const CODE: &[&str] = &["oldhand-domain", "oldhand-recall", "oldhand-store"];

/// Questions about those crates, each with the end of the path and the name of what answers it.
pub const CODE_QUESTIONS: &[(&str, &str, &str)] = &[
    (
        "reduce an english word to its root",
        "domain/src/words.rs",
        "stem",
    ),
    (
        "separate camel case identifiers into single words",
        "domain/src/words.rs",
        "split",
    ),
    (
        "estimate how many tokens a text costs",
        "domain/src/tokens.rs",
        "count",
    ),
    (
        "strip invisible unicode characters",
        "domain/src/text.rs",
        "without_hidden",
    ),
    (
        "chop a long text into pieces of limited size",
        "domain/src/parts.rs",
        "cut",
    ),
    (
        "confidence fades as time passes",
        "domain/src/lifecycle.rs",
        "confidence_now",
    ),
    (
        "is this path inside that directory",
        "domain/src/path.rs",
        "is_at_or_below",
    ),
    (
        "how rare is a term across documents",
        "domain/src/bm25.rs",
        "rarity",
    ),
    (
        "merge the rankings of several retrieval lanes",
        "recall/src/fuse.rs",
        "fuse",
    ),
    (
        "guess which files a change will touch",
        "recall/src/predict.rs",
        "predict",
    ),
    (
        "keep near duplicates from filling the results",
        "recall/src/diversify.rs",
        "diversify",
    ),
    (
        "may this memory be shown for the given purpose",
        "recall/src/gate.rs",
        "refuse",
    ),
    (
        "put together the text injected into the agent's prompt",
        "recall/src/inject.rs",
        "compose",
    ),
    (
        "file names mentioned in the question",
        "recall/src/beside.rs",
        "named_files",
    ),
    (
        "which memory types suit a phase of work",
        "recall/src/phase.rs",
        "types",
    ),
    (
        "turn evidence into a probability of relevance",
        "recall/src/calibration.rs",
        "relevance",
    ),
    (
        "was the disk out of space",
        "store/src/sqlite/failure.rs",
        "is_disk_full",
    ),
    (
        "another process holds the database lock",
        "store/src/sqlite/failure.rs",
        "is_busy",
    ),
    (
        "delete old backups beyond the number kept",
        "store/src/sqlite/backup.rs",
        "prune",
    ),
    (
        "put a backup in place of the current database",
        "store/src/sqlite/backup.rs",
        "restore",
    ),
    (
        "fsync a directory",
        "store/src/sqlite/files.rs",
        "sync_folder",
    ),
    (
        "create a file only its owner may read",
        "store/src/sqlite/files.rs",
        "open_private",
    ),
    (
        "scan embeddings for the closest neighbours",
        "store/src/vectors.rs",
        "nearest",
    ),
    (
        "remove erased memories from a backup",
        "store/src/sqlite/erase.rs",
        "scrub",
    ),
    (
        "truncate the write-ahead log",
        "store/src/sqlite/erase.rs",
        "empty_log",
    ),
    (
        "add events to the end of a session journal",
        "store/src/journal.rs",
        "append",
    ),
    (
        "start time of a session",
        "store/src/journal.rs",
        "began_at",
    ),
    (
        "rebuild the full-text index",
        "store/src/sqlite/index.rs",
        "rebuild",
    ),
    (
        "what changed in the store since a number",
        "store/src/sqlite/change.rs",
        "changes_since",
    ),
    (
        "reserve disk room so that deleting still works when full",
        "store/src/sqlite/ballast.rs",
        "keep",
    ),
];
