//! One row of the list: an error, or all that one rule of a linter finds and nothing is known to fix.

use std::collections::BTreeSet;

use jiff::Timestamp;
use oldhand_observe::fingerprint::kind_of;
use oldhand_observe::learn::ErrorRecord;

/// Errors that are told together.
pub(super) struct Row<'a> {
    /// The one that stands for all.
    pub(super) first: &'a ErrorRecord,
    others: Vec<&'a ErrorRecord>,
    /// What they have in common.
    pub(super) kind: String,
}

impl<'a> Row<'a> {
    pub(super) fn alone(first: &'a ErrorRecord) -> Self {
        Self {
            first,
            others: Vec::new(),
            kind: String::new(),
        }
    }

    /// A row for each kind of error; one that something is known to fix stands alone. Those met in most sessions come first,
    /// behind those with a tested fix.
    pub(super) fn by_kind(errors: Vec<&'a ErrorRecord>) -> Vec<Self> {
        let mut rows: Vec<Self> = Vec::new();
        for error in errors {
            let kind = if error.ranked().is_empty() {
                kind_of(&error.message)
            } else {
                String::new()
            };
            let known = rows
                .iter_mut()
                .find(|row| !kind.is_empty() && row.kind == kind);
            match known {
                Some(row) => row.others.push(error),
                None => rows.push(Self {
                    kind,
                    ..Self::alone(error)
                }),
            }
        }
        rows.sort_by_cached_key(|row| {
            let often = (row.sessions(), row.count(), row.last_at());
            (row.first.tested().is_none(), std::cmp::Reverse(often))
        });
        rows
    }

    fn all(&self) -> impl Iterator<Item = &'a ErrorRecord> {
        std::iter::once(self.first).chain(self.others.iter().copied())
    }

    pub(super) fn len(&self) -> usize {
        1 + self.others.len()
    }

    pub(super) fn count(&self) -> u32 {
        self.all().map(|error| error.count).sum()
    }

    pub(super) fn sessions(&self) -> usize {
        let met: BTreeSet<_> = self.all().flat_map(|error| &error.sessions).collect();
        met.len()
    }

    pub(super) fn last_at(&self) -> Option<Timestamp> {
        self.all().filter_map(|error| error.last_at).max()
    }
}
