//! Where the symbols of an old state are in a new one: stayed, moved, renamed, changed or gone.
//!
//! Memories hang on symbols, so this must be right more often than it is bold: what agrees in more ways is paired
//! first, an unclear case gets a lower confidence, and what resembles nothing is gone. No step compares all with all.

mod alike;
pub mod follow;
mod pair;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

/// One symbol of one state. Equal symbols are interchangeable.
#[derive(
    Clone,
    Debug,
    Default,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    serde::Serialize,
    serde::Deserialize,
)]
pub struct Symbol {
    pub path: String,
    /// Names of the enclosing symbols, outermost first.
    pub container: Vec<String>,
    pub name: String,
    /// Such as `function`; symbols of different kinds are never taken for each other unless their names agree.
    pub kind: String,
    pub signature: String,
    /// A hash of the body's text; equal means untouched.
    pub body: u64,
    /// Hashes of the body's tokens with names and literals kept, in any order: how structure is compared.
    pub tokens: Vec<u32>,
}

/// A file that git says moved.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct FileRename {
    pub from: String,
    pub to: String,
}

/// What became of every symbol.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Anchoring {
    /// One for each old symbol, in the order they were given.
    pub fates: Vec<Fate>,
    /// Positions of the new symbols that no old one became, ascending.
    pub appeared: Vec<usize>,
}

/// What became of one symbol.
#[derive(Clone, Debug, PartialEq)]
pub enum Fate {
    /// It is now the new symbol at this position.
    Found {
        new: usize,
        /// How it differs, in the order of [`Alteration`]; nothing means that it stayed as it was.
        altered: Vec<Alteration>,
        /// In `0.0..=1.0`.
        confidence: f32,
        evidence: Evidence,
    },
    /// Nothing resembles it; surer the less so.
    Gone { confidence: f32 },
}

impl Fate {
    pub fn is_unaltered(&self) -> bool {
        matches!(self, Self::Found { altered, .. } if altered.is_empty())
    }
}

/// One way in which a symbol differs from what it was.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Alteration {
    /// Another file or another enclosing symbol.
    Moved,
    Renamed,
    Signature,
    Body,
}

/// Why two symbols are taken for one, strongest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Evidence {
    /// The same name in the same place.
    Place,
    /// The same name in the place that git, or its enclosing symbol, moved to.
    FollowedPlace,
    /// The same body.
    Body,
    /// The same name elsewhere, and a similar body.
    Name,
    /// A similar body.
    Structure,
}

/// Finds each of `old` in `new`. The order of both lists and of `renames` does not matter.
pub fn anchor(old: &[Symbol], new: &[Symbol], renames: &[FileRename]) -> Anchoring {
    let renames: BTreeMap<&str, &str> = renames
        .iter()
        .map(|it| (it.from.as_str(), it.to.as_str()))
        .collect();
    let (old_order, new_order) = (sort(old), sort(new));
    let sorted_old: Vec<&Symbol> = old_order.iter().map(|&at| &old[at]).collect();
    let sorted_new: Vec<&Symbol> = new_order.iter().map(|&at| &new[at]).collect();
    let paired = pair::pair(&sorted_old, &sorted_new, &renames);

    let mut fates = vec![Fate::Gone { confidence: 0.0 }; old.len()];
    let mut is_taken = vec![false; new.len()];
    for (at, found) in paired.found.into_iter().enumerate() {
        fates[old_order[at]] = match found {
            None => Fate::Gone {
                confidence: 1.0 - paired.resemblance[at],
            },
            Some(found) => {
                let new_at = new_order[found.new];
                is_taken[new_at] = true;
                Fate::Found {
                    new: new_at,
                    altered: compare(&old[old_order[at]], &new[new_at]),
                    confidence: found.confidence,
                    evidence: found.evidence,
                }
            }
        };
    }
    let appeared = (0..new.len()).filter(|&at| !is_taken[at]).collect();
    Anchoring { fates, appeared }
}

fn sort(symbols: &[Symbol]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..symbols.len()).collect();
    order.sort_by(|&a, &b| symbols[a].cmp(&symbols[b]));
    order
}

fn compare(old: &Symbol, new: &Symbol) -> Vec<Alteration> {
    let differences = [
        (
            Alteration::Moved,
            old.path != new.path || old.container != new.container,
        ),
        (Alteration::Renamed, old.name != new.name),
        (Alteration::Signature, old.signature != new.signature),
        (Alteration::Body, old.body != new.body),
    ];
    differences
        .into_iter()
        .filter(|(_, differs)| *differs)
        .map(|(alteration, _)| alteration)
        .collect()
}
