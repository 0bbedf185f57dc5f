//! In how many sessions people laid the same rule down.

use std::collections::{BTreeMap, BTreeSet};

use oldhand_domain::id::SessionId;
use oldhand_domain::taint::Taint;

use super::Knowledge;
use crate::distill::{Frequency, Seen};

impl Knowledge {
    /// The keys of what people said that begin like this.
    pub(crate) fn said(&self, start: &str) -> Vec<&str> {
        let from = self.signals.range(start.to_owned()..);
        let keys = from.map(|(key, _)| key.as_str());
        keys.take_while(|key| key.starts_with(start)).collect()
    }

    /// The sessions in which people said what has this key.
    pub(crate) fn sessions_that_said(&self, key: &str) -> BTreeSet<SessionId> {
        let from = self.signals.range(key.to_owned()..);
        let said = from.take_while(|(said, _)| said.starts_with(key));
        said.flat_map(|(_, stats)| self.named(&stats.by)).collect()
    }

    /// Adds how often people said these rules before. That one was pasted says nothing for those who typed it.
    pub(crate) fn count(&self, rules: &BTreeMap<String, Taint>, frequency: &mut Frequency) {
        for (key, taint) in rules {
            if let Some(stats) = self.signals.get(key) {
                let seen = Seen {
                    sessions: if taint.is_clean() {
                        stats.clean_sessions()
                    } else {
                        stats.sessions
                    },
                    ..Seen::default()
                };
                frequency.seen.insert(key.clone(), seen);
            }
        }
    }
}
