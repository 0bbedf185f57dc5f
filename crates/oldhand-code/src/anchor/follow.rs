//! What memories hang on, as it was when it last held, and what became of it in the graph of today.
//!
//! A place is a file (`src/cart.ts`) or a definition in it (`src/cart.ts:Cart.total`). A definition that is seen for the first
//! time is taken as it is. Later it is looked for by its place, then where git says its file went, then by name and body in
//! files that changed.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use super::{Fate, FileRename, Symbol, anchor};
use crate::answer::target::qualified_name;
use crate::graph::EdgeKind;
use crate::index::Index;
use crate::snapshot::{NodeId, Snapshot};

/// What became of a place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Whereabouts {
    /// It is there, and what others can rely on did not change.
    Holds,
    /// It is this place now, and otherwise as it was.
    Moved {
        to: String,
    },
    /// It is this place now and its signature is another one.
    Altered {
        to: String,
    },
    /// It is this place now and no longer calls all that it called.
    CallsLess {
        to: String,
    },
    Gone,
}

impl Whereabouts {
    /// The place it has now, when that may be another one.
    pub fn now(&self) -> Option<&str> {
        match self {
            Self::Moved { to } | Self::Altered { to } | Self::CallsLess { to } => Some(to),
            Self::Holds | Self::Gone => None,
        }
    }
}

/// Everything that memories of a project hang on.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Anchors {
    definitions: BTreeMap<String, Kept>,
    /// The content of each file, to know it again elsewhere.
    files: BTreeMap<String, String>,
    /// The time of the newest file at the last look: what is newer may hold what moved.
    newest: u64,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Kept {
    /// When it last held.
    signature: String,
    calls: BTreeSet<String>,
    /// When it was last seen.
    last: Symbol,
}

/// A place that was found is believed from here on.
const SURE: f32 = 0.5;
/// Files read in search of what moved.
const SEARCHED: usize = 400;

impl Anchors {
    /// What [`Anchors::write`] wrote; anything else is nothing known.
    pub fn read(bytes: &[u8]) -> Self {
        serde_json::from_slice(bytes).unwrap_or_default()
    }

    pub fn write(&self) -> Vec<u8> {
        serde_json::to_vec(self).unwrap_or_default()
    }

    /// Places whose signature is not the one that held.
    pub fn altered(&self) -> Vec<String> {
        let altered = self.definitions.iter();
        let altered = altered.filter(|(_, kept)| kept.signature != kept.last.signature);
        altered.map(|(place, _)| place.clone()).collect()
    }

    /// Takes a place as it is at the next look: someone said that what hangs on it is right.
    pub fn accept(&mut self, place: &str) {
        self.definitions.remove(place);
    }

    /// Whether a file was ever seen in the tree.
    pub fn has_seen(&self, file: &str) -> bool {
        self.files.contains_key(file)
    }

    /// Whether `place` is in the graph of another tree as it was when it last held.
    pub fn holds_in(&self, snapshot: &Snapshot, place: &str) -> bool {
        let (path, name) = split(place);
        let Some(name) = name else {
            return snapshot.find_file(path).is_some();
        };
        find(snapshot, path, name).is_some_and(|node| {
            let kept = self.definitions.get(place);
            kept.is_none_or(|kept| kept.signature == snapshot.symbol(node).signature)
        })
    }

    /// Knows `place` as `other` does.
    pub fn take_back(&mut self, other: &Self, place: &str) {
        if let Some(kept) = other.definitions.get(place) {
            self.definitions.insert(place.to_owned(), kept.clone());
        }
        if let Some(hash) = other.files.get(place) {
            self.files.insert(place.to_owned(), hash.clone());
        }
    }

    /// What became of each of `places`. `renamed` says where git knows a file to be that is gone.
    pub fn follow(
        &mut self,
        index: &Index,
        places: &BTreeSet<String>,
        renamed: &mut dyn FnMut(&str) -> Option<String>,
    ) -> BTreeMap<String, Whereabouts> {
        let mut found = BTreeMap::new();
        let mut missing: Vec<&str> = Vec::new();
        for place in places {
            match split(place) {
                (path, None) => {
                    let whereabouts = self.follow_file(index, path, renamed);
                    found.insert(place.clone(), whereabouts);
                }
                (path, Some(name)) => match find(index.snapshot(), path, name) {
                    Some(node) => {
                        let whereabouts = self.compare(index, place, node);
                        found.insert(place.clone(), whereabouts);
                    }
                    None => missing.push(place),
                },
            }
        }
        found.extend(self.search(index, &missing, renamed));
        let now: BTreeSet<&str> = found.values().filter_map(Whereabouts::now).collect();
        self.definitions
            .retain(|place, _| places.contains(place) || now.contains(place.as_str()));
        self.files
            .retain(|place, _| places.contains(place) || now.contains(place.as_str()));
        let snapshot = index.snapshot();
        let times = snapshot.files().map(|file| snapshot.file(file).modified);
        self.newest = times.max().unwrap_or_default();
        found
    }

    fn follow_file(
        &mut self,
        index: &Index,
        path: &str,
        renamed: &mut dyn FnMut(&str) -> Option<String>,
    ) -> Whereabouts {
        let snapshot = index.snapshot();
        let hash = |file: NodeId| blake3::Hash::from_bytes(snapshot.file(file).hash).to_string();
        if let Some(file) = snapshot.find_file(path) {
            self.files.insert(path.to_owned(), hash(file));
            return Whereabouts::Holds;
        }
        if index.root().join(path).exists() {
            return Whereabouts::Holds;
        }
        let same = self.files.get(path).and_then(|kept| {
            let mut files = snapshot.files();
            let same = files.find(|&file| snapshot.file(file).size > 0 && hash(file) == *kept);
            same.map(|file| snapshot.path(file).to_owned())
        });
        match renamed(path).or(same) {
            Some(to) => {
                // Who hangs on it hangs on its new place from now on, and has to know when it goes from there.
                let there = snapshot.find_file(&to).map(hash);
                let known = there.or_else(|| self.files.get(path).cloned());
                self.files.extend(known.map(|hash| (to.clone(), hash)));
                Whereabouts::Moved { to }
            }
            None if self.files.contains_key(path) => Whereabouts::Gone,
            // It may be about to be written; what was never there cannot be gone.
            None => Whereabouts::Holds,
        }
    }

    /// Compares the definition at `node` with what was known as `place`.
    fn compare(&mut self, index: &Index, place: &str, node: NodeId) -> Whereabouts {
        let to = place_of(index, node);
        let last = Reader::new(index).take(node);
        let calls = calls(index, node);
        let Some(mut kept) = self.definitions.remove(place) else {
            let signature = last.signature.clone();
            let kept = Kept {
                signature,
                calls,
                last,
            };
            self.definitions.insert(to, kept);
            return Whereabouts::Holds;
        };
        // A new name is in the signature as well, and alone says nothing against what is known.
        kept.signature = kept.signature.replace(&kept.last.name, &last.name);
        let is_altered = kept.signature != last.signature;
        let lost = !kept.calls.is_subset(&calls);
        // A signature speaks against a memory until it is back or accepted; a lost call is told once.
        if !is_altered {
            kept.calls = calls;
        }
        kept.last = last;
        // Until who hangs on it says the new place, the old one is asked for again.
        self.definitions.insert(place.to_owned(), kept.clone());
        self.definitions.insert(to.clone(), kept);
        if is_altered {
            Whereabouts::Altered { to }
        } else if lost {
            Whereabouts::CallsLess { to }
        } else if to == place {
            Whereabouts::Holds
        } else {
            Whereabouts::Moved { to }
        }
    }

    /// Looks for definitions that are not where they were.
    fn search(
        &mut self,
        index: &Index,
        missing: &[&str],
        renamed: &mut dyn FnMut(&str) -> Option<String>,
    ) -> Vec<(String, Whereabouts)> {
        let mut gone = Vec::new();
        let mut old: Vec<(&str, Symbol)> = Vec::new();
        for &place in missing {
            match self.definitions.get(place) {
                Some(kept) => old.push((place, kept.last.clone())),
                None => gone.push((place.to_owned(), Whereabouts::Holds)),
            }
        }
        if old.is_empty() {
            return gone;
        }
        let mut renames = Vec::new();
        for path in old.iter().map(|(_, symbol)| symbol.path.as_str()) {
            if index.snapshot().find_file(path).is_none()
                && let Some(to) = renamed(path)
            {
                let from = path.to_owned();
                renames.push(FileRename { from, to });
            }
        }
        let candidates: Vec<NodeId> = self
            .candidates(index, &old, &renames)
            .into_iter()
            .flat_map(|file| index.snapshot().symbols_in(file))
            .collect();
        let mut reader = Reader::new(index);
        let new: Vec<Symbol> = candidates.iter().map(|&node| reader.take(node)).collect();
        let symbols: Vec<Symbol> = old.iter().map(|(_, symbol)| symbol.clone()).collect();
        let anchoring = anchor(&symbols, &new, &renames);
        for ((place, _), fate) in old.into_iter().zip(anchoring.fates) {
            let whereabouts = match fate {
                Fate::Found {
                    new, confidence, ..
                } if confidence >= SURE => self.compare(index, place, candidates[new]),
                _ => Whereabouts::Gone,
            };
            gone.push((place.to_owned(), whereabouts));
        }
        gone
    }

    /// Files that may hold what is missing: its own, where that went, those with the same name in them, those that changed.
    fn candidates(
        &self,
        index: &Index,
        old: &[(&str, Symbol)],
        renames: &[FileRename],
    ) -> BTreeSet<NodeId> {
        let snapshot = index.snapshot();
        let mut files = BTreeSet::new();
        for (_, symbol) in old {
            files.extend(snapshot.find_file(&symbol.path));
            files.extend(
                snapshot
                    .named(&symbol.name)
                    .map(|node| snapshot.file_of(node)),
            );
        }
        files.extend(renames.iter().filter_map(|it| snapshot.find_file(&it.to)));
        let mut newer: Vec<NodeId> = snapshot
            .files()
            .filter(|&file| snapshot.file(file).modified > self.newest)
            .collect();
        newer.sort_by_key(|&file| std::cmp::Reverse(snapshot.file(file).modified));
        files.extend(newer.into_iter().take(SEARCHED));
        files
    }
}

/// A place as its path and, for a definition, its name.
fn split(place: &str) -> (&str, Option<&str>) {
    match place.split_once(':') {
        Some((path, name)) => (path, Some(name)),
        None => (place, None),
    }
}

/// The definition called `name` in the file at `path`.
fn find(snapshot: &Snapshot, path: &str, name: &str) -> Option<NodeId> {
    let file = snapshot.find_file(path)?;
    let mut symbols = snapshot.symbols_in(file);
    symbols.find(|&node| qualified_name(snapshot, node) == name)
}

/// The place of a node, as memories name it.
pub fn place_of(index: &Index, node: NodeId) -> String {
    let snapshot = index.snapshot();
    let path = snapshot.path(snapshot.file_of(node));
    if snapshot.is_file(node) {
        return path.to_owned();
    }
    format!("{path}:{}", qualified_name(snapshot, node))
}

fn calls(index: &Index, node: NodeId) -> BTreeSet<String> {
    let snapshot = index.snapshot();
    let calls = snapshot
        .outgoing(node)
        .filter(|edge| edge.kind == EdgeKind::Calls && edge.confidence >= 50);
    calls
        .map(|edge| qualified_name(snapshot, edge.to))
        .collect()
}

/// Reads definitions; those of one file in a row cost one reading of the file.
struct Reader<'i> {
    index: &'i Index,
    file: Option<(NodeId, String)>,
}

impl<'i> Reader<'i> {
    fn new(index: &'i Index) -> Self {
        Self { index, file: None }
    }

    fn take(&mut self, node: NodeId) -> Symbol {
        let snapshot = self.index.snapshot();
        let symbol = snapshot.symbol(node);
        let mut container: Vec<String> = Vec::new();
        if !symbol.owner.is_empty() {
            container.push(symbol.owner.to_owned());
        }
        let mut around = symbol.container;
        while let Some(outer) = around {
            let outer = snapshot.symbol(outer);
            container.push(outer.name.to_owned());
            around = outer.container;
        }
        container.reverse();
        let first = symbol.first_line.saturating_sub(1) as usize;
        let count = (symbol.last_line as usize).saturating_sub(first);
        let lines = self.text(symbol.file).lines().skip(first).take(count);
        let words = lines.flat_map(|line| line.split(|c: char| !c.is_alphanumeric() && c != '_'));
        let tokens = words.filter(|word| !word.is_empty()).map(hash).collect();
        Symbol {
            path: snapshot.path(symbol.file).to_owned(),
            container,
            name: symbol.name.to_owned(),
            kind: symbol.kind.as_str().to_owned(),
            signature: symbol.signature.to_owned(),
            body: symbol.body,
            tokens,
        }
    }

    fn text(&mut self, file: NodeId) -> &str {
        if self.file.as_ref().is_none_or(|(known, _)| *known != file) {
            let path = self.index.snapshot().path(file);
            let text = self.index.text(path).unwrap_or_default();
            self.file = Some((file, text));
        }
        self.file.as_ref().map_or("", |(_, text)| text)
    }
}

/// FNV-1a: the same in every process, which the standard hashers do not promise.
fn hash(word: &str) -> u32 {
    word.bytes().fold(0x811c_9dc5, |hash, byte| {
        (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193)
    })
}

#[cfg(test)]
mod tests;
