//! The doctor's checks, as JSON.

use serde::Serialize;

use crate::health::Check;
use crate::health::repair::{Mended, describe};

#[derive(Serialize)]
pub(crate) struct DoctorView<'a> {
    ok: bool,
    checks: Vec<CheckView<'a>>,
    /// Databases that were put right just now.
    repaired: Vec<RepairedView>,
}

#[derive(Serialize)]
struct RepairedView {
    database: String,
    found: Vec<String>,
    done: Vec<String>,
}

#[derive(Serialize)]
struct CheckView<'a> {
    name: &'static str,
    ok: bool,
    detail: &'a str,
    fix: Option<&'a str>,
}

impl<'a> DoctorView<'a> {
    pub(crate) fn new(checks: &'a [Check], mended: &[Mended]) -> Self {
        let views = checks.iter().map(|check| CheckView {
            name: check.name,
            ok: check.ok,
            detail: &check.detail,
            fix: check.fix.as_deref(),
        });
        Self {
            ok: checks.iter().all(|check| check.ok),
            checks: views.collect(),
            repaired: mended.iter().map(RepairedView::new).collect(),
        }
    }
}

impl RepairedView {
    fn new(Mended { database, report }: &Mended) -> Self {
        Self {
            database: database.display().to_string(),
            found: report.findings.iter().map(ToString::to_string).collect(),
            done: report.done.iter().map(describe).collect(),
        }
    }
}
