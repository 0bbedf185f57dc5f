//! Which rules of a file were taken before, so that those a person edited or forgot since stay so.

use std::collections::BTreeSet;

use anyhow::Result;
use oldhand_domain::path::ProjectPath;
use oldhand_domain::text::Content;
use oldhand_engine::Shelf;

use crate::desk::Desk;

/// Marks of rules, from which their words cannot be read.
pub(super) struct Taken(BTreeSet<String>);

impl Taken {
    /// Where nothing was ever taken there are none.
    pub(super) fn read(file: &ProjectPath, shelf: Shelf, desk: &Desk) -> Result<Self> {
        let body = match desk.store(shelf) {
            Some(store) => store.document(&document_name(file))?,
            None => None,
        };
        let body = body.unwrap_or_default();
        Ok(Self(body.lines().map(str::to_owned).collect()))
    }

    pub(super) fn has(&self, content: &Content) -> bool {
        self.0.contains(&mark(content))
    }

    /// Remembers that these were taken from `file`.
    pub(super) fn add(
        file: &ProjectPath,
        shelf: Shelf,
        desk: &Desk,
        contents: impl Iterator<Item = Content>,
    ) -> Result<()> {
        let Self(mut marks) = Self::read(file, shelf, desk)?;
        let before = marks.len();
        marks.extend(contents.map(|content| mark(&content)));
        if marks.len() == before {
            return Ok(());
        }
        if let Some(store) = desk.store(shelf) {
            let marks: Vec<String> = marks.into_iter().collect();
            store.put_document(&document_name(file), &marks.join("\n"))?;
        }
        Ok(())
    }
}

fn document_name(file: &ProjectPath) -> String {
    format!("taken-rules:{file}")
}

fn mark(content: &Content) -> String {
    let hash = blake3::hash(content.as_str().as_bytes());
    hash.to_hex()[..32].to_owned()
}
