//! The doctor's checks, as JSON.

use serde::Serialize;

use crate::health::Check;

#[derive(Serialize)]
pub(crate) struct DoctorView<'a> {
    ok: bool,
    checks: Vec<CheckView<'a>>,
}

#[derive(Serialize)]
struct CheckView<'a> {
    name: &'static str,
    ok: bool,
    detail: &'a str,
    fix: Option<&'a str>,
}

impl<'a> DoctorView<'a> {
    pub(crate) fn new(checks: &'a [Check]) -> Self {
        let views = checks.iter().map(|check| CheckView {
            name: check.name,
            ok: check.ok,
            detail: &check.detail,
            fix: check.fix.as_deref(),
        });
        Self {
            ok: checks.iter().all(|check| check.ok),
            checks: views.collect(),
        }
    }
}
