//! The wrong door: a file opened first, left for good, while the work went on in one that looks like it.

use oldhand_domain::signal::SignalKind;

use super::{Finding, Norms, Signal};
use crate::fold::SessionAnalytics;
use crate::paths;

/// How alike two names must be for one to be taken for the other.
const ALIKE: f64 = 0.3;
/// The real door is found within this many steps.
const WITHIN: u32 = 12;

pub(super) fn detect(session: &SessionAnalytics, _: &Norms) -> Vec<Signal> {
    let mut found = Vec::new();
    for (_, opened) in session.files.iter() {
        let path = opened.path.as_str();
        if opened.is_edited()
            || opened.reads == 0
            || opened.reads > 2
            || !paths::is_code(path)
            || paths::is_test(path)
            || paths::is_generated(path)
        {
            continue;
        }
        // The first edit after it was last looked at: that is where the work was.
        let edit = session
            .edits
            .iter()
            .find(|edit| edit.step > opened.last_step && edit.step - opened.last_step <= WITHIN);
        let Some(edit) = edit else { continue };
        let worked_in = session.files.get(edit.file);
        // It was known before: then the first file was read for its own sake.
        if worked_in.first_step < opened.first_step || paths::is_test(worked_in.path.as_str()) {
            continue;
        }
        if paths::name_likeness(path, worked_in.path.as_str()) < ALIKE {
            continue;
        }
        let key = format!("door:{path}->{}", worked_in.path);
        let finding = Finding::ReadAbandon {
            opened: opened.path.clone(),
            worked_in: worked_in.path.clone(),
        };
        found.push(
            Signal::new(SignalKind::ReadAbandon, key, finding)
                .about([opened.path.clone(), worked_in.path.clone()])
                .seen_at([opened.first_step, edit.step])
                .strong(0.6),
        );
    }
    found
}

#[test]
fn only_a_look_alike_is_a_wrong_door() {
    let cases = [
        (
            "read ipc/github.ts; read ipc/github-issues.ts; edit ipc/github-issues.ts",
            "door:ipc/github.ts->ipc/github-issues.ts",
        ),
        (
            "read ipc/github.ts; read src/cache.ts; edit src/cache.ts",
            "",
        ),
        (
            "read src/cache.ts; read ipc/github.ts; edit ipc/github.ts",
            "",
        ),
        (
            "read a/user.rs; read a/user_store.rs; edit a/user_store.rs; edit a/user.rs",
            "",
        ),
        (
            "read a/user_store.rs; read a/user.rs; edit a/user_store.rs",
            "",
        ),
        ("read a/user_test.go; read a/user.go; edit a/user.go", ""),
        ("read a/user.rs", ""),
    ];
    for (story, expected) in cases {
        assert_eq!(
            super::keys(SignalKind::ReadAbandon, story),
            expected,
            "{story}"
        );
    }
}
