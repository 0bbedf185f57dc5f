//! The room as its callers see it.

mod predicting;
mod reading;

use super::coupled::coupled;
use super::log::History;

fn names(history: &History, path: &str, limit: usize) -> Vec<String> {
    coupled(history, path, limit)
        .into_iter()
        .map(|it| it.path)
        .collect()
}
