//! A file that work begins with: opened early and leaned on.

use oldhand_domain::signal::SignalKind;

use super::{Finding, Norms, Signal};
use crate::fold::SessionAnalytics;
use crate::paths;

/// Files opened later are where the work led, not where it began.
const EARLY_FILES: usize = 15;
/// Less than this is a glance.
const LEANED_ON: u32 = 2;

pub(super) fn detect(session: &SessionAnalytics, _: &Norms) -> Vec<Signal> {
    let early = session
        .files
        .iter()
        .filter(|(_, file)| file.first_step > 0)
        .take(EARLY_FILES);
    early
        .filter(|(_, file)| {
            file.weight() >= LEANED_ON
                && !paths::is_written_by_program(file.path.as_str())
                && !paths::is_eponym(file.path.as_str())
        })
        .map(|(_, file)| {
            let finding = Finding::FileAccess {
                weight: file.weight(),
                edited: file.is_edited(),
            };
            Signal::new(
                SignalKind::FileAccess,
                format!("file:{}", file.path),
                finding,
            )
            .about([file.path.clone()])
            .seen_at([file.first_step])
            .strong(0.5 + 0.05 * f64::from(file.weight().min(8)))
        })
        .collect()
}

#[test]
fn reading_editing_and_writing_weigh_one_two_and_three() {
    let weight = |story: &str| {
        let signals = super::detected(story);
        signals.into_iter().find_map(|signal| match signal.finding {
            Finding::FileAccess { weight, .. } => Some(weight),
            _ => None,
        })
    };
    assert_eq!(weight("read a.rs; read a.rs"), Some(2));
    assert_eq!(weight("edit a.rs"), Some(2));
    assert_eq!(weight("write a.rs"), Some(3));
    assert_eq!(weight("read a.rs; edit a.rs; write a.rs"), Some(6));
}

#[test]
fn early_and_used_files_count() {
    let cases = [
        ("read a.rs; edit a.rs", "file:a.rs"),
        ("read a.rs; read a.rs", "file:a.rs"),
        ("read a.rs", ""),
        ("edit Cargo.lock", ""),
        ("edit src/lists/lists.py", ""),
        ("repeat 14 read f{n}.rs; edit late.rs", "file:late.rs"),
        ("repeat 15 read f{n}.rs; edit late.rs", ""),
        ("grep x = a.rs", ""),
    ];
    for (story, expected) in cases {
        assert_eq!(
            super::keys(SignalKind::FileAccess, story),
            expected,
            "{story}"
        );
    }
}
