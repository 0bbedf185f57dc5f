//! Something looked up outside and then used: an edit followed.

use oldhand_domain::signal::SignalKind;

use super::{Finding, Norms, Signal};
use crate::fold::SessionAnalytics;

/// An edit later than this has other reasons.
const WITHIN: u32 = 10;

pub(super) fn detect(session: &SessionAnalytics, _: &Norms) -> Vec<Signal> {
    let mut found: Vec<Signal> = Vec::new();
    for look in &session.web {
        let edit = session
            .edits
            .iter()
            .find(|edit| edit.step > look.step && edit.step - look.step <= WITHIN);
        let Some(edit) = edit else { continue };
        let key = format!("web:{}", look.subject);
        if look.subject.is_empty() || found.iter().any(|signal| signal.key == key) {
            continue;
        }
        let edited = session.files.path(edit.file).clone();
        let finding = Finding::ExternalReference {
            subject: look.subject.clone(),
            edited: edited.clone(),
        };
        found.push(
            Signal::new(SignalKind::ExternalReference, key, finding)
                .about([edited])
                .seen_at([look.step, edit.step])
                .strong(0.55),
        );
    }
    found
}

#[test]
fn a_look_without_an_edit_taught_nothing() {
    let cases = [
        (
            "fetch https://Example.org/docs/?q=1 = ok; edit a.rs",
            "web:https://example.org/docs",
        ),
        (
            "search Rust Pin docs = ok; read a.rs; edit a.rs",
            "web:rust pin docs",
        ),
        ("search rust pin docs = ok; read a.rs", ""),
        (
            "repeat 2 search rust pin docs = ok; edit a.rs",
            "web:rust pin docs",
        ),
        (
            "search rust pin docs = ok; repeat 9 read f{n}.rs; edit a.rs",
            "web:rust pin docs",
        ),
        (
            "search rust pin docs = ok; repeat 10 read f{n}.rs; edit a.rs",
            "",
        ),
        ("edit a.rs; search rust pin docs = ok", ""),
    ];
    for (story, expected) in cases {
        assert_eq!(
            super::keys(SignalKind::ExternalReference, story),
            expected,
            "{story}"
        );
    }
}
