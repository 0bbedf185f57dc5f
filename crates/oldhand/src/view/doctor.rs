//! The doctor's checks, as JSON.

use serde::Serialize;

use crate::health::Check;
use crate::health::repair::Mended;

#[derive(Serialize)]
pub(crate) struct DoctorView<'a> {
    ok: bool,
    checks: Vec<CheckView<'a>>,
    /// What was put right just now.
    repaired: Vec<RepairedView<'a>>,
}

#[derive(Serialize)]
struct RepairedView<'a> {
    database: String,
    found: &'a [String],
    done: Vec<&'a str>,
}

#[derive(Serialize)]
struct CheckView<'a> {
    name: &'static str,
    ok: bool,
    detail: &'a str,
    fix: Option<&'a str>,
}

impl<'a> DoctorView<'a> {
    pub(crate) fn new(checks: &'a [Check], mended: &'a [Mended]) -> Self {
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

impl<'a> RepairedView<'a> {
    fn new(mended: &'a Mended) -> Self {
        Self {
            database: mended.path.display().to_string(),
            found: &mended.found,
            done: mended.done.iter().flatten().map(String::as_str).collect(),
        }
    }
}
