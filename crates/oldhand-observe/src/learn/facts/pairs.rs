//! Files that a session used together.

use std::collections::{BTreeMap, BTreeSet};

use super::PairFact;
use crate::fold::{FileId, SessionAnalytics};
use crate::paths;

/// Pairs kept per session, the strongest first.
const PAIRS: usize = 400;

pub(super) fn pairs(session: &SessionAnalytics, is_after: impl Fn(u32) -> bool) -> Vec<PairFact> {
    let mut first_edits: BTreeMap<FileId, u32> = BTreeMap::new();
    for edit in &session.edits {
        first_edits.entry(edit.file).or_insert(edit.step);
    }
    let generated: BTreeSet<FileId> = session
        .files
        .iter()
        .filter(|(_, file)| paths::is_generated(file.path.as_str()))
        .map(|(id, _)| id)
        .collect();
    let mut found: Vec<PairFact> = session
        .co_access
        .iter()
        .filter(|((a, b), _)| !generated.contains(a) && !generated.contains(b))
        .map(|((a, b), edge)| {
            let both_edited =
                session.files.get(*a).is_edited() && session.files.get(*b).is_edited();
            let edited = [a, b].into_iter().filter_map(|file| first_edits.get(file));
            let edited = edited.max().copied().filter(|_| both_edited);
            let shown = edge.first_step.max(edited.unwrap_or(0));
            let (one, two) = (
                session.files.path(*a).clone(),
                session.files.path(*b).clone(),
            );
            let (first, then, forward) = if one < two {
                (one, two, edge.forward)
            } else {
                (two, one, edge.count - edge.forward)
            };
            PairFact {
                first,
                then,
                count: edge.count,
                forward,
                millis_apart: edge.millis_apart,
                both_edited,
                after_outside: is_after(shown),
            }
        })
        .collect();
    found.sort_by(|a, b| {
        (b.both_edited, b.count)
            .cmp(&(a.both_edited, a.count))
            .then_with(|| (&a.first, &a.then).cmp(&(&b.first, &b.then)))
    });
    found.truncate(PAIRS);
    found
}
