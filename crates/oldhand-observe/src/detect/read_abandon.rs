//! The wrong door: a file opened first, left for good, while the work went on in one that looks like it.

use oldhand_domain::path::ProjectPath;
use oldhand_domain::signal::SignalKind;

use super::{Finding, Norms, Signal};
use crate::fold::{FileUse, RefusalKind, SessionAnalytics};
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
                .seen_at([opened.first_step, opened.last_step, edit.step])
                .strong(0.6),
        );
    }
    found.extend(missing(session));
    found
}

/// How soon the right file must be opened after the wrong one was asked for.
const SOON: u32 = 6;

/// Files that were looked for where they are not, with the one that was meant.
fn missing(session: &SessionAnalytics) -> Vec<Signal> {
    let mut found: Vec<Signal> = Vec::new();
    for refusal in &session.refusals {
        let RefusalKind::Missing { meant } = &refusal.kind else {
            continue;
        };
        let asked = refusal.file.as_str();
        // A file that the session goes on to write was expected to be new.
        if paths::is_generated(asked)
            || session
                .files
                .find(&refusal.file)
                .is_some_and(FileUse::is_edited)
        {
            continue;
        }
        let beside = meant.as_ref().and_then(|name| {
            let folder = asked.rfind('/').map_or("", |at| &asked[..=at]);
            ProjectPath::new(&format!("{folder}{name}")).ok()
        });
        let soon = session
            .accesses
            .iter()
            .filter(|access| access.step > refusal.step && access.step - refusal.step <= SOON)
            .map(|access| (session.files.path(access.file), access.step));
        let opened = soon.clone().map(|(path, _)| path).find(|path| {
            paths::stem(path.as_str()) == paths::stem(asked)
                || paths::file_name(path.as_str()) == paths::file_name(asked)
        });
        let Some(right) = beside.or_else(|| opened.cloned()) else {
            continue;
        };
        let key = format!("missing:{asked}");
        if right == refusal.file || found.iter().any(|known| known.key == key) {
            continue;
        }
        let came_to = soon.clone().find(|(path, _)| **path == right);
        let came_to = came_to.map(|(_, step)| step);
        let finding = Finding::Missing {
            asked: refusal.file.clone(),
            found: right.clone(),
        };
        found.push(
            Signal::new(SignalKind::ReadAbandon, key, finding)
                .about([right])
                .seen_at(came_to.into_iter().chain([refusal.step]))
                .strong(0.8),
        );
    }
    found
}

#[test]
fn a_file_asked_for_where_it_is_not_is_told_with_the_right_one() {
    let cases = [
        (
            "read .golangci.yml = failed: File does not exist. Did you mean .golangci.yaml?",
            "missing:.golangci.yml",
        ),
        (
            "read src/config.js = failed: File does not exist.; read lib/config.js",
            "missing:src/config.js",
        ),
        (
            "read src/config.js = failed: File does not exist.; read lib/other.js",
            "",
        ),
        (
            "read src/new.rs = failed: File does not exist.; write src/new.rs",
            "",
        ),
        ("read src/a.rs = failed: Permission denied", ""),
        (
            "read src/config.js = failed: File does not exist.; read lib/config.ts",
            "missing:src/config.js",
        ),
        (
            "read lib/config.js; read src/config.js = failed: File does not exist.",
            "",
        ),
        (
            "read src/config.js = failed: File does not exist.; write src/config.js; read lib/config.js",
            "",
        ),
        (
            "read dist/app.min.js = failed: File does not exist.; read src/app.min.js",
            "",
        ),
        (
            "repeat 2 read .golangci.yml = failed: File does not exist. Did you mean .golangci.yaml?",
            "missing:.golangci.yml",
        ),
        (
            "read src/config.js = failed: File does not exist.; repeat 5 read src/r{n}.js; read lib/config.js",
            "missing:src/config.js",
        ),
        (
            "read src/config.js = failed: File does not exist.; repeat 6 read src/r{n}.js; read lib/config.js",
            "",
        ),
    ];
    for (story, expected) in cases {
        assert_eq!(
            super::keys(SignalKind::ReadAbandon, story),
            expected,
            "{story}"
        );
    }
}

#[test]
fn where_the_right_file_was_found_is_among_the_events_that_show_it() {
    for (story, expected) in [
        (
            "read src/config.js = failed: File does not exist.; read src/a.js; read lib/config.js",
            &[1, 3][..],
        ),
        (
            "read .golangci.yml = failed: File does not exist. Did you mean .golangci.yaml?; read .golangci.yaml",
            &[1, 2],
        ),
        (
            "read .golangci.yml = failed: File does not exist. Did you mean .golangci.yaml?",
            &[1],
        ),
    ] {
        let shown = super::shown_at(SignalKind::ReadAbandon, story);
        assert_eq!(shown, expected, "{story}");
    }
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
        ("read a/user.rs; edit a/user.rs; edit a/user_store.rs", ""),
        ("grep user = a/user.rs; edit a/user_store.rs", ""),
        ("read docs/user.md; edit docs/user_guide.md", ""),
        ("read a/user.min.js; edit a/user_store.js", ""),
        ("read a/user.go; edit a/user_test.go", ""),
        (
            "repeat 2 read a/user.rs; edit a/user_store.rs",
            "door:a/user.rs->a/user_store.rs",
        ),
        ("repeat 3 read a/user.rs; edit a/user_store.rs", ""),
        (
            "read a/user.rs; repeat 11 read b/r{n}.rs; edit a/user_store.rs",
            "door:a/user.rs->a/user_store.rs",
        ),
        (
            "read a/user.rs; repeat 12 read b/r{n}.rs; edit a/user_store.rs",
            "",
        ),
        (
            "read a/user.rs; edit a/user_store_cache.rs",
            "door:a/user.rs->a/user_store_cache.rs",
        ),
        ("read a/user.rs; edit a/user_store_cache_disk.rs", ""),
    ];
    for (story, expected) in cases {
        assert_eq!(
            super::keys(SignalKind::ReadAbandon, story),
            expected,
            "{story}"
        );
    }
}
