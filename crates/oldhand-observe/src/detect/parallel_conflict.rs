//! Two agents edited one file while both were at work.

use std::collections::{BTreeMap, BTreeSet};

use oldhand_domain::signal::SignalKind;

use super::{Finding, Norms, Signal};
use crate::fold::{Edit, FileId, RefusalKind, SessionAnalytics};

/// How the main agent is called beside its subagents.
const MAIN: &str = "main";

pub(super) fn detect(session: &SessionAnalytics, _: &Norms) -> Vec<Signal> {
    if session.agents.is_empty() {
        return Vec::new();
    }
    let mut by_file: BTreeMap<FileId, Vec<&Edit>> = BTreeMap::new();
    for edit in &session.edits {
        by_file.entry(edit.file).or_default().push(edit);
    }
    let mut found = Vec::new();
    for (file, edits) in by_file {
        let mut agents: BTreeSet<&str> = BTreeSet::new();
        let mut steps: BTreeSet<u32> = BTreeSet::new();
        for edit in &edits {
            for other in &edits {
                if edit.agent != other.agent && is_during(session, edit, other) {
                    agents.extend([edit, other].map(|edit| edit.agent.as_deref().unwrap_or(MAIN)));
                    steps.extend([edit.step, other.step]);
                }
            }
        }
        if agents.len() < 2 {
            continue;
        }
        let path = session.files.path(file).clone();
        let key = format!("conflict:{path}");
        let refused = session
            .refusals
            .iter()
            .filter(|refusal| refusal.kind == RefusalKind::Changed && refusal.file == path);
        let mut ran_into: BTreeSet<Option<&str>> = BTreeSet::new();
        for refusal in refused {
            steps.insert(refusal.step);
            ran_into.insert(refusal.agent.as_deref());
        }
        let finding = Finding::ParallelConflict {
            file: path.clone(),
            agents: agents.len(),
            refused: ran_into.len(),
        };
        found.push(
            Signal::new(SignalKind::ParallelConflict, key, finding)
                .about([path])
                .seen_at(steps)
                .strong(0.8),
        );
    }
    found
}

/// Whether `edit` was made while the agent of `other` was alive.
///
/// The main agent is always alive, so an edit of a subagent during its life proves nothing.
fn is_during(session: &SessionAnalytics, edit: &Edit, other: &Edit) -> bool {
    let span = other
        .agent
        .as_ref()
        .and_then(|agent| session.agents.get(agent));
    span.is_some_and(|span| edit.at >= span.first_at && edit.at <= span.last_at)
}

#[test]
fn agents_are_counted_that_were_refused_because_the_file_had_changed() {
    let changed = "File has been modified since read";
    let refused = |more: &str| {
        let story = format!(
            "as one: edit a.rs; as two: edit a.rs = failed: {changed}; as two: edit a.rs; {more}as one: read c.rs"
        );
        let mut found = super::detected(&story).into_iter();
        let found = found.find(|signal| signal.key == "conflict:a.rs");
        match found.map(|signal| signal.finding) {
            Some(Finding::ParallelConflict {
                agents, refused, ..
            }) => (agents, refused),
            other => panic!("{other:?}"),
        }
    };
    let one = |file: &str, why: &str| format!("as one: edit {file} = failed: {why}; ");
    assert_eq!(refused(""), (2, 1));
    assert_eq!(refused(&one("a.rs", changed)), (2, 2));
    assert_eq!(refused(&one("b.rs", changed)), (2, 1));
    assert_eq!(refused(&one("a.rs", "File does not exist.")), (2, 1));
}

#[test]
fn edits_must_overlap_in_time() {
    let cases = [
        (
            "as one: edit a.rs; as two: edit a.rs; as one: read b.rs",
            "conflict:a.rs",
        ),
        (
            "as one: read b.rs; edit a.rs; as one: edit a.rs; as one: read b.rs",
            "conflict:a.rs",
        ),
        (
            "as one: edit a.rs; as one: read b.rs; as two: edit a.rs",
            "",
        ),
        (
            "edit a.rs; as one: edit a.rs; as one: read b.rs; edit a.rs",
            "",
        ),
        (
            "as one: edit a.rs; as two: edit b.rs; as one: read c.rs",
            "",
        ),
    ];
    for (story, expected) in cases {
        assert_eq!(
            super::keys(SignalKind::ParallelConflict, story),
            expected,
            "{story}"
        );
    }
}
