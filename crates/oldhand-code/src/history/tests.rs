//! The room as its callers see it.

mod entered;
mod predicting;
mod reading;
mod standing;
mod together;

use std::ops::ControlFlow;

use super::coupled::coupled;
use super::fixture::Fixture;
use super::log::History;
use super::read::{ReadOptions, read};

fn names(history: &History, path: &str, limit: usize) -> Vec<String> {
    coupled(history, path, limit)
        .into_iter()
        .map(|it| it.path)
        .collect()
}

fn read_all(fixture: &Fixture) -> History {
    continue_from(fixture, None)
}

fn continue_from(fixture: &Fixture, known: Option<History>) -> History {
    let mut progress = |_| ControlFlow::Continue(());
    read(
        fixture.path(),
        known,
        ReadOptions {
            commit_limit: 10_000,
            progress: &mut progress,
        },
    )
}
