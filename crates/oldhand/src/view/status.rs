//! How much is remembered, as JSON.

use std::collections::BTreeMap;

use oldhand_domain::memory::CommitSha;
use serde::Serialize;

use super::graph::CodeView;
use crate::cli::status::{Overview, ShelfOverview};

#[derive(Serialize)]
pub(crate) struct StatusView<'a> {
    version: &'static str,
    project: Option<&'a str>,
    root: String,
    branch: Option<&'a str>,
    commit: Option<&'a CommitSha>,
    home: String,
    shelves: Vec<ShelfView<'a>>,
    code: Option<&'a CodeView>,
}

#[derive(Serialize)]
struct ShelfView<'a> {
    shelf: &'static str,
    database: String,
    bytes: u64,
    memories: usize,
    types: BTreeMap<&'a str, usize>,
    pinned: usize,
    needs_review: usize,
    flagged: usize,
    stale: usize,
    deprecated: usize,
    deleted: usize,
}

impl<'a> StatusView<'a> {
    pub(crate) fn new(overview: &'a Overview) -> Self {
        Self {
            version: env!("CARGO_PKG_VERSION"),
            project: overview.project.as_deref(),
            root: overview.root.display().to_string(),
            branch: overview.head.branch.as_deref(),
            commit: overview.head.commit.as_ref(),
            home: overview.home.display().to_string(),
            shelves: overview.shelves.iter().map(ShelfView::new).collect(),
            code: overview.code.as_ref(),
        }
    }
}

impl<'a> ShelfView<'a> {
    fn new(overview: &'a ShelfOverview) -> Self {
        let counts = &overview.counts;
        let types: BTreeMap<&str, usize> = counts
            .live
            .iter()
            .map(|(name, number)| (name.as_str(), *number))
            .collect();
        Self {
            shelf: overview.shelf.as_str(),
            database: overview.database.display().to_string(),
            bytes: overview.bytes,
            memories: types.values().sum(),
            types,
            pinned: counts.pinned,
            needs_review: counts.needs_review,
            flagged: counts.flagged,
            stale: counts.stale,
            deprecated: counts.deprecated,
            deleted: counts.deleted,
        }
    }
}
