//! A long stare at a file that goes with an error or a backtrack. Time alone is noise.

use oldhand_domain::signal::SignalKind;

use super::{Finding, Norms, Signal};
use crate::fold::SessionAnalytics;

const LONG_MILLIS: i64 = 120_000;
const TIMES_MEDIAN: i64 = 5;
/// How near the trouble must be.
const NEAR: u32 = 5;

pub(super) fn detect(session: &SessionAnalytics, norms: &Norms) -> Vec<Signal> {
    let mut all: Vec<i64> = session.dwells.iter().map(|dwell| dwell.millis).collect();
    all.sort_unstable();
    let Some(&median) = all.get(all.len().saturating_sub(1) / 2) else {
        return Vec::new();
    };
    let backtracks = super::backtrack::detect(session, norms);
    let mut found: Vec<Signal> = Vec::new();
    for dwell in session
        .dwells
        .iter()
        .filter(|dwell| dwell.millis >= LONG_MILLIS.max(median.saturating_mul(TIMES_MEDIAN)))
    {
        let path = session.files.path(dwell.file);
        let near = |step: &u32| step.abs_diff(dwell.step) <= NEAR;
        let erred = session
            .errors
            .values()
            .any(|error| error.steps.iter().any(near));
        let turned = backtracks
            .iter()
            .any(|signal| signal.files.contains(path) && signal.evidence.iter().any(near));
        let with = match (erred, turned) {
            (_, true) => "backtrack",
            (true, false) => "error",
            (false, false) => continue,
        };
        let key = format!("dwell:{path}");
        if found.iter().any(|signal| signal.key == key) {
            continue;
        }
        let finding = Finding::TimeAnomaly {
            file: path.clone(),
            seconds: (dwell.millis / 1000).unsigned_abs(),
            with,
        };
        found.push(
            Signal::new(SignalKind::TimeAnomaly, key, finding)
                .about([path.clone()])
                .seen_at([dwell.step]),
        );
    }
    found
}

#[test]
fn a_long_look_needs_trouble_beside_it() {
    let cases = [
        (
            "read b.rs; read a.rs; wait 300s; run make = 2: error: bad thing",
            "dwell:a.rs",
        ),
        (
            "edit a.rs; read b.rs; read a.rs; wait 300s; edit a.rs",
            "dwell:a.rs",
        ),
        ("read b.rs; read a.rs; wait 300s; run make = 0", ""),
        (
            "read b.rs; read a.rs; wait 119s; run make = 2: error: bad thing",
            "dwell:a.rs",
        ),
        (
            "read b.rs; read a.rs; wait 118s; run make = 2: error: bad thing",
            "",
        ),
        ("edit b.rs; read c.rs; read a.rs; wait 300s; edit b.rs", ""),
        (
            "edit a.rs; read b.rs; edit a.rs; repeat 6 run ls = 0; read c.rs; read a.rs; wait 300s; run ls = 0",
            "",
        ),
        // Five times what the look in the middle took.
        (
            "read b.rs; wait 29s; read c.rs; wait 29s; read a.rs; wait 149s; run make = 2: error: bad thing",
            "dwell:a.rs",
        ),
        (
            "read b.rs; wait 29s; read c.rs; wait 29s; read a.rs; wait 148s; run make = 2: error: bad thing",
            "",
        ),
        (
            "read b.rs; wait 9s; read c.rs; wait 29s; read a.rs; wait 148s; run make = 2: error: bad thing",
            "",
        ),
        (
            "read b.rs; read c.rs; wait 29s; read d.rs; wait 39s; read a.rs; wait 149s; run make = 2: error: bad thing",
            "dwell:a.rs",
        ),
        (
            "read b.rs; read c.rs; read d.rs; read a.rs; wait 300s; read b.rs; read a.rs; wait 300s; run make = 2: error: bad thing",
            "dwell:a.rs",
        ),
        (
            "read b.rs; read a.rs; wait 300s; repeat 5 run ls = 0; run make = 2: error: bad thing",
            "dwell:a.rs",
        ),
        (
            "read b.rs; read a.rs; wait 300s; repeat 6 run ls = 0; run make = 2: error: bad thing",
            "",
        ),
        (
            "read b.rs; read a.rs; wait 300s; prompt go on; run make = 2: error: bad thing",
            "",
        ),
    ];
    for (story, expected) in cases {
        assert_eq!(
            super::keys(SignalKind::TimeAnomaly, story),
            expected,
            "{story}"
        );
    }
}
