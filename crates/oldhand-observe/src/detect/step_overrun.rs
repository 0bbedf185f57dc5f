//! The work took far more, or far fewer, steps than planned.

use oldhand_domain::signal::SignalKind;

use super::{Finding, Norms, Signal};
use crate::distill::StepUnit;
use crate::fold::SessionAnalytics;
use crate::learn::native;
use crate::paths;

const FAR_MORE: f64 = 1.5;
const FAR_FEWER: f64 = 0.5;

pub(super) fn detect(session: &SessionAnalytics, _: &Norms) -> Vec<Signal> {
    let Some(plan) = session.plan() else {
        return Vec::new();
    };
    let ratio = f64::from(plan.actual) / f64::from(plan.planned);
    if ratio < FAR_MORE && ratio > FAR_FEWER {
        return Vec::new();
    }
    let module = main_module(session);
    let methodology = session.methodology().map_or_else(native, str::to_owned);
    let way = if ratio > 1.0 { "over" } else { "under" };
    let planned_by = session.methodology().map(|name| format!("{name}:"));
    let counted = match plan.unit {
        StepUnit::Calls => "",
        StepUnit::Items => "items:",
    };
    let key = format!(
        "steps:{module}:{}{counted}{way}",
        planned_by.unwrap_or_default()
    );
    let finding = Finding::StepOverrun {
        module,
        methodology,
        plan,
    };
    vec![
        Signal::new(SignalKind::StepOverrun, key, finding)
            .seen_at([session.step])
            .strong(0.65),
    ]
}

/// The module with the most edits, else the most reads.
pub(crate) fn main_module(session: &SessionAnalytics) -> String {
    let mut weights: std::collections::BTreeMap<&str, u32> = std::collections::BTreeMap::new();
    for (_, file) in session.files.iter() {
        *weights
            .entry(paths::module_of(file.path.as_str()))
            .or_default() += file.weight();
    }
    let most = weights
        .into_iter()
        .max_by_key(|(name, weight)| (*weight, std::cmp::Reverse(*name)));
    most.map_or(".", |(name, _)| name).to_owned()
}

#[test]
fn only_a_plan_can_be_overrun() {
    let cases = [
        (
            "start build planned 20; repeat 30 edit src/a.rs",
            "steps:src:over",
        ),
        ("start build planned 20; repeat 29 edit src/a.rs", ""),
        ("start build planned 20; repeat 11 edit src/a.rs", ""),
        (
            "start build planned 20; repeat 10 edit src/a.rs",
            "steps:src:under",
        ),
        (
            "plan 2; edit src/a.rs; plan 4; edit src/a.rs",
            "steps:src:items:over",
        ),
        ("start build planned 4; repeat 4 edit src/a.rs", ""),
        ("start build; repeat 40 edit src/a.rs", ""),
    ];
    for (story, expected) in cases {
        assert_eq!(
            super::keys(SignalKind::StepOverrun, story),
            expected,
            "{story}"
        );
    }
}
