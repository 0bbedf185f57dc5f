//! Tokens per file far above what this project usually costs.

use oldhand_domain::signal::SignalKind;

use super::{Finding, Norms, Signal, step_overrun::main_module};
use crate::fold::{RefusalKind, SessionAnalytics};
use crate::paths;

const TIMES_NORM: f64 = 2.0;
/// With fewer files the share of the client's own prompt is too large.
const FILES: usize = 3;

pub(super) fn detect(session: &SessionAnalytics, norms: &Norms) -> Vec<Signal> {
    let mut found = too_large(session);
    found.extend(spike(session, norms));
    found
}

/// Files that the client would not read in one piece.
fn too_large(session: &SessionAnalytics) -> Vec<Signal> {
    let mut found: Vec<Signal> = Vec::new();
    for refusal in &session.refusals {
        let RefusalKind::TooLarge { tokens } = refusal.kind else {
            continue;
        };
        let key = format!("large:{}", refusal.file);
        if paths::is_generated(refusal.file.as_str()) || found.iter().any(|known| known.key == key)
        {
            continue;
        }
        let finding = Finding::TooLarge {
            file: refusal.file.clone(),
            tokens,
        };
        found.push(
            Signal::new(SignalKind::ContextTokenSpike, key, finding)
                .about([refusal.file.clone()])
                .seen_at([refusal.step])
                .strong(0.8),
        );
    }
    found
}

fn spike(session: &SessionAnalytics, norms: &Norms) -> Vec<Signal> {
    let used = session
        .files
        .iter()
        .filter(|(_, file)| file.first_step > 0)
        .count();
    let Some(norm) = norms.tokens_per_file.filter(|norm| *norm > 0.0) else {
        return Vec::new();
    };
    if used < FILES {
        return Vec::new();
    }
    let per_file = session.tokens.peak as f64 / used as f64;
    if per_file < norm * TIMES_NORM {
        return Vec::new();
    }
    let module = main_module(session);
    let key = format!("tokens:{module}");
    let finding = Finding::ContextTokenSpike {
        module,
        tokens: session.tokens.peak,
        files: used as u32,
        norm: norm as u64,
    };
    vec![
        Signal::new(SignalKind::ContextTokenSpike, key, finding)
            .seen_at([session.step])
            .strong(0.6),
    ]
}

#[test]
fn only_far_above_the_norm_counts() {
    // The norm of the test language is 2 000 tokens a file.
    let cases = [
        ("repeat 4 read src/a{n}.rs; tokens 20000 10", "tokens:src"),
        ("repeat 4 read src/a{n}.rs; tokens 10000 10", ""),
        ("repeat 3 read src/a{n}.rs; tokens 12000 10", "tokens:src"),
        ("repeat 3 read src/a{n}.rs; tokens 11999 10", ""),
        ("repeat 2 read src/a{n}.rs; tokens 90000 10", ""),
        (
            "repeat 2 read src/a{n}.rs; grep handler = src/seen.rs; tokens 90000 10",
            "",
        ),
        ("repeat 4 read src/a{n}.rs", ""),
        (
            "repeat 2 read src/big.rs = failed: File content (34278 tokens) exceeds maximum allowed tokens (25000).",
            "large:src/big.rs",
        ),
        (
            "read src/gen.min.js = failed: File content (34278 tokens) exceeds maximum allowed tokens (25000).",
            "",
        ),
        (
            "read src/big.rs = failed: File content (34278 tokens) exceeds maximum allowed tokens (25000).",
            "large:src/big.rs",
        ),
    ];
    for (story, expected) in cases {
        assert_eq!(
            super::keys(SignalKind::ContextTokenSpike, story),
            expected,
            "{story}"
        );
    }
}
