//! How much there is on each shelf.

use oldhand_domain::port::Counts;

use crate::{Engine, EngineError, Shelf};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Status {
    pub shelves: Vec<(Shelf, Counts)>,
}

impl Engine<'_> {
    pub fn status(&self) -> Result<Status, EngineError> {
        let shelves = self
            .shelves()
            .map(|(shelf, store)| Ok((shelf, store.counts()?)));
        Ok(Status {
            shelves: shelves.collect::<Result<_, EngineError>>()?,
        })
    }
}
