//! A file edited again within five steps for a reason that can be seen: an error, a file read, an undo.

use oldhand_domain::event::Digest;
use oldhand_domain::signal::SignalKind;

use super::{Cause, Finding, Norms, Signal};
use crate::fold::{AccessKind, Edit, SessionAnalytics};

/// Further apart, the second edit is new work.
const WITHIN: u32 = 5;

pub(super) fn detect(session: &SessionAnalytics, _: &Norms) -> Vec<Signal> {
    let mut found: Vec<Signal> = Vec::new();
    for (at, again) in session.edits.iter().enumerate() {
        let earlier = session.edits[..at]
            .iter()
            .rev()
            .take_while(|edit| again.step - edit.step <= WITHIN);
        let Some(before) = earlier
            .clone()
            .find(|edit| edit.file == again.file && edit.step < again.step)
        else {
            continue;
        };
        // Several edits in a row are one change in parts; without a cause between them nothing was wrong.
        let Some((cause, between)) = cause(session, before, again) else {
            continue;
        };
        let path = session.files.path(again.file).clone();
        // The same file redone for another reason is another lesson.
        let why = match &cause {
            Cause::Broke(error) => format!("!{}", Digest::of(error)),
            Cause::Missing(files) => format!("<-{}", files[0]),
            Cause::Undone => "~".to_owned(),
        };
        let key = format!("backtrack:{path}{why}");
        if found.iter().any(|signal| signal.key == key) {
            continue;
        }
        let strength = if matches!(cause, Cause::Missing(_)) {
            0.6
        } else {
            0.7
        };
        let finding = Finding::Backtrack {
            file: path.clone(),
            steps_between: again.step - before.step,
            cause,
        };
        found.push(
            Signal::new(SignalKind::Backtrack, key, finding)
                .about([path])
                .seen_at(between.into_iter().chain([before.step, again.step]))
                .strong(strength),
        );
    }
    found
}

/// What stands between two edits, and the steps at which it does.
fn cause(session: &SessionAnalytics, before: &Edit, again: &Edit) -> Option<(Cause, Vec<u32>)> {
    if let (Some(first), Some(second)) = (before.change, again.change)
        && second.undoes(first)
    {
        return Some((Cause::Undone, Vec::new()));
    }
    let between = before.step + 1..again.step;
    let broke = session
        .errors
        .values()
        .find(|error| error.steps.iter().any(|step| between.contains(step)));
    if let Some(error) = broke {
        let mut steps = error.steps.clone();
        steps.retain(|step| between.contains(step));
        return Some((Cause::Broke(error.message.clone()), steps));
    }
    let start = session
        .accesses
        .partition_point(|access| access.step < between.start);
    let (mut read, mut steps) = (Vec::new(), Vec::new());
    for access in session.accesses[start..]
        .iter()
        .take_while(|access| access.step < between.end)
    {
        let path = session.files.path(access.file);
        if access.kind == AccessKind::Read && access.file != again.file && !read.contains(path) {
            read.push(path.clone());
            steps.push(access.step);
        }
    }
    (!read.is_empty()).then_some((Cause::Missing(read), steps))
}

#[test]
fn an_edit_in_parts_is_no_backtrack() {
    let cases = [
        ("edit a.rs; edit a.rs; edit a.rs", ""),
        ("edit a.rs; read a.rs; edit a.rs", ""),
        ("edit a.rs; read b.rs; edit a.rs", "backtrack:a.rs<-b.rs"),
        (
            "edit a.rs; run make = 2: error: bad thing; edit a.rs",
            "backtrack:a.rs!79552d357ae495cd",
        ),
        (
            "edit a.rs; read b.rs; read c.rs; read d.rs; read e.rs; edit a.rs",
            "backtrack:a.rs<-b.rs",
        ),
        ("edit a.rs x -> y; edit a.rs y -> x", "backtrack:a.rs~"),
        (
            "edit a.rs; read b.rs; read c.rs; read d.rs; read e.rs; read f.rs; edit a.rs",
            "",
        ),
    ];
    for (story, expected) in cases {
        assert_eq!(
            super::keys(SignalKind::Backtrack, story),
            expected,
            "{story}"
        );
    }
}

#[test]
fn what_stands_between_the_edits_is_among_the_events_that_show_it() {
    for story in [
        "edit a.rs; read b.rs; edit a.rs",
        "edit a.rs; run make = 2: error: bad thing; edit a.rs",
    ] {
        let shown = super::shown_at(SignalKind::Backtrack, story);
        assert_eq!(shown, [1, 2, 3], "{story}");
    }
}
