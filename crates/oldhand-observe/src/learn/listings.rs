//! What sessions that listed files by the same pattern needed of it.

use super::Knowledge;
use crate::detect::glob_ignore::BELOW;

impl Knowledge {
    /// Sessions that listed by the same pattern and needed something else than what `key` stands for.
    pub(super) fn needed_elsewhere(&self, pattern: &str, key: &str) -> u32 {
        let all = format!("glob:{pattern}");
        let in_folders = format!("{all}{BELOW}");
        let is_it = |other: &str| other == all || other.starts_with(&in_folders);
        let signals = self.signals.range(all.clone()..);
        let signals = signals.take_while(|(other, _)| other.starts_with(&all));
        let others = signals.filter(|(other, _)| other.as_str() != key && is_it(other));
        others.map(|(_, stats)| stats.sessions).sum()
    }
}
