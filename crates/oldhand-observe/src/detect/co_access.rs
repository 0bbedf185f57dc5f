//! Two files used close together: whoever needs one will need the other.

use std::collections::BTreeSet;

use oldhand_domain::signal::SignalKind;

use super::{Finding, Norms, Signal};
use crate::fold::{FileId, SessionAnalytics};
use crate::paths;

/// The strongest pairs of a session; the rest is company by chance.
const PAIRS: usize = 200;

pub(super) fn detect(session: &SessionAnalytics, _: &Norms) -> Vec<Signal> {
    // Configuration has a detector of its own, and generated files belong to nobody.
    let skipped: BTreeSet<FileId> = session
        .files
        .iter()
        .filter(|(_, file)| {
            let path = file.path.as_str();
            paths::is_written_by_program(path)
                || paths::is_config(path)
                || paths::is_for_agents(path)
        })
        .map(|(id, _)| id)
        .collect();
    let mut pairs: Vec<_> = session
        .co_access
        .iter()
        .filter(|((a, b), _)| !skipped.contains(a) && !skipped.contains(b))
        .map(|(pair, edge)| {
            let edited = [pair.0, pair.1]
                .iter()
                .filter(|id| session.files.get(**id).is_edited())
                .count() as u32;
            (*pair, *edge, edited)
        })
        .collect();
    pairs.sort_by_key(|(pair, edge, edited)| (std::cmp::Reverse((*edited, edge.count)), *pair));
    let is_own_test = |(a, b): (FileId, FileId)| {
        let path = |id| session.files.path(id).as_str();
        paths::is_own_test(path(a), path(b))
    };
    pairs
        .into_iter()
        // Asked of the strongest only: it compares words.
        .filter(|(pair, ..)| !is_own_test(*pair))
        .take(PAIRS)
        .map(|((a, b), edge, edited)| {
            // What makes two files a pair is that both were edited, and only else that both were looked at.
            let edits = session.first_edit(a).zip(session.first_edit(b));
            let shown = edits.unwrap_or((edge.from_step, edge.first_step));
            let (a, b) = (session.files.path(a).clone(), session.files.path(b).clone());
            // The key has no direction; the wording has, when one order clearly prevails.
            let key = if a < b {
                format!("pair:{a}+{b}")
            } else {
                format!("pair:{b}+{a}")
            };
            let backward = edge.count - edge.forward;
            let directed = edge.count >= 2 && (edge.forward == 0 || backward == 0);
            let (first, then) = if edge.forward >= backward {
                (a, b)
            } else {
                (b, a)
            };
            let files = [first.clone(), then.clone()];
            let finding = Finding::CoAccess {
                first,
                then,
                count: edge.count,
                directed,
                edited,
            };
            Signal::new(SignalKind::CoAccess, key, finding)
                .about(files)
                .seen_at([shown.0.min(shown.1), shown.0.max(shown.1)])
                .strong(0.5 + 0.1 * f64::from(edited) + 0.02 * f64::from(edge.count.min(4)))
        })
        .collect()
}

#[test]
fn a_pair_is_at_most_five_accesses_apart() {
    let apart = |between: usize| {
        let story = format!("read a.rs; repeat {between} read f{{n}}.rs; read b.rs");
        super::keys(SignalKind::CoAccess, &story).contains("pair:a.rs+b.rs")
    };
    assert!(apart(4));
    assert!(!apart(5));
}

#[test]
fn pairs_have_one_key_in_both_orders() {
    let cases = [
        ("read a.rs; read b.rs", "pair:a.rs+b.rs"),
        ("read b.rs; read a.rs", "pair:a.rs+b.rs"),
        ("read a.rs", ""),
        ("read a.rs; read Cargo.lock", ""),
        ("read a.rs; read CLAUDE.md", ""),
        ("read a.rs; read package.json", ""),
        ("read a/user.go; read a/user_test.go", ""),
        ("read src/user.ts; read src/user.test.ts", ""),
    ];
    for (story, expected) in cases {
        assert_eq!(
            super::keys(SignalKind::CoAccess, story),
            expected,
            "{story}"
        );
    }
}

#[test]
fn a_pair_has_a_direction_where_one_order_alone_was_seen_twice() {
    let cases = [
        ("read a.rs; read b.rs", "a.rs b.rs"),
        (
            "read a.rs; read b.rs; repeat 5 read f{n}.rs; read a.rs; read b.rs",
            "a.rs > b.rs",
        ),
        (
            "read b.rs; read a.rs; repeat 5 read f{n}.rs; read b.rs; read a.rs",
            "b.rs > a.rs",
        ),
        (
            "read a.rs; read b.rs; repeat 5 read f{n}.rs; read b.rs; read a.rs",
            "a.rs b.rs",
        ),
    ];
    for (story, expected) in cases {
        let found = super::detected(story).into_iter();
        let told = found.filter(|signal| signal.key == "pair:a.rs+b.rs");
        let told: Vec<String> = told
            .map(|signal| match signal.finding {
                Finding::CoAccess {
                    first,
                    then,
                    directed: true,
                    ..
                } => format!("{first} > {then}"),
                Finding::CoAccess { first, then, .. } => format!("{first} {then}"),
                other => panic!("{other:?}"),
            })
            .collect();
        assert_eq!(told, [expected], "{story}");
    }
}

#[test]
fn what_was_edited_is_shown_by_the_edits() {
    let shown = |story: &str| {
        let session = crate::fold::fold(
            &crate::story::events(story),
            &crate::fold::FoldOptions::default(),
        );
        detect(&session, &Norms::default()).remove(0).evidence
    };
    assert_eq!(
        shown("read a.rs; read b.rs; edit b.rs; read c.rs; edit a.rs"),
        [3, 5]
    );
    assert_eq!(shown("read a.rs; read b.rs; edit a.rs"), [1, 2]);
}
