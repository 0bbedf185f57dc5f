//! Which of the captured definitions count.

use rustc_hash::FxHashSet;

use super::gather::{Gathered, RawDefinition, RawImport};
use super::scopes::Scopes;

/// A container before its contents; where two patterns define one name, the later stays and takes over what it does not say.
pub(super) fn sort(definitions: &mut Vec<RawDefinition>) {
    definitions.sort_by_key(|raw| (raw.name.start, std::cmp::Reverse(raw.pattern)));
    definitions.dedup_by(|earlier, kept| {
        let is_same = earlier.name.start == kept.name.start;
        if is_same {
            kept.owner = kept.owner.or(earlier.owner);
            kept.body = kept.body.or(earlier.body);
            kept.doc = kept.doc.or(earlier.doc);
            kept.value_type = kept.value_type.or(earlier.value_type);
            kept.value_path = kept.value_path.or(earlier.value_path);
            kept.parameters = kept.parameters.or(earlier.parameters);
        }
        is_same
    });
    definitions.sort_by_key(|raw| {
        (
            raw.span.start,
            std::cmp::Reverse(raw.span.end),
            raw.name.start,
        )
    });
}

/// Drops what counts only outside of functions but stands in one.
pub(super) fn keep_at_top(definitions: &mut Vec<RawDefinition>, scopes: &Scopes<'_>) {
    let homes = scopes.around(definitions.iter().map(|raw| raw.span.start));
    let mut homes = homes.into_iter();
    definitions.retain(|raw| {
        let home = homes.next().unwrap_or(0);
        !raw.at_top || scopes.outside(home, &raw.span) == 0
    });
}

/// A name that an import binds (`const { total } = require('./cart')`) is defined elsewhere.
pub(super) fn drop_imported(gathered: &mut Gathered) {
    let bound = |raw: &RawImport| raw.local.or(raw.name).map(|span| span.start);
    let bound: FxHashSet<u32> = gathered.imports.iter().filter_map(bound).collect();
    gathered
        .definitions
        .retain(|raw| !bound.contains(&raw.name.start));
}
