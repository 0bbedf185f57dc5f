//! Files that the text names, by path or by what they define.

use rustc_hash::{FxHashMap, FxHashSet};

use super::clue::{Clue, Clues};
use super::mentions::{Mentions, Said};
use super::{Ground, place_value};
use crate::facts::SymbolKind;
use crate::snapshot::{NodeId, Snapshot};

/// A name that more files define says nothing about any of them.
const COMMON: usize = 30;

pub(super) fn by_names(
    ground: &Ground<'_>,
    mentions: &Mentions,
    clues: &mut FxHashMap<NodeId, Clues>,
) {
    let snapshot = ground.index.snapshot();
    let files = Files::of(snapshot);
    for path in &mentions.paths {
        for (file, share) in files.at(path) {
            clues.entry(file).or_default().raise(Clue::Path, share);
        }
    }
    let mut place = 0;
    for frame in &mentions.frames {
        let found = files.at(frame);
        for &(file, share) in &found {
            clues
                .entry(file)
                .or_default()
                .raise(Clue::Frame, share * place_value(place));
        }
        place += usize::from(!found.is_empty());
    }
    for (parts, in_title) in &mentions.dotted {
        for (file, share) in files.spelled(parts) {
            let share = if *in_title { share * 1.5 } else { share };
            clues.entry(file).or_default().raise(Clue::Module, share);
        }
        by_member(snapshot, parts, clues);
    }
    for (name, said) in &mentions.names {
        by_definition(snapshot, name, *said, clues);
        for &file in files.called(name) {
            let share =
                if said.in_title { 1.0 } else { 0.6 } / (files.called(name).len() as f32).sqrt();
            clues.entry(file).or_default().raise(Clue::Stem, share);
        }
    }
}

fn by_definition(
    snapshot: &Snapshot,
    name: &str,
    said: Said,
    clues: &mut FxHashMap<NodeId, Clues>,
) {
    let mut of_file: FxHashMap<NodeId, f32> = FxHashMap::default();
    for node in snapshot.named(name) {
        let file = snapshot.file_of(node);
        if snapshot.file(file).is_test {
            continue;
        }
        let worth = worth(snapshot.kind(node));
        let known = of_file.entry(file).or_default();
        *known = known.max(worth);
        if of_file.len() > COMMON {
            return;
        }
    }
    let spread = of_file.len() as f32;
    for (file, worth) in of_file {
        let share = worth / spread.sqrt() * (said.times as f32).min(4.0).sqrt();
        let clues = clues.entry(file).or_default();
        if said.as_code {
            clues.add(Clue::Defines, share / 2.0);
        } else {
            clues.add(Clue::DefinesWord, share / 2.0);
        }
        if said.in_title {
            clues.add(Clue::DefinesTitled, worth / spread.sqrt());
        }
    }
}

/// `Type.member`: where a type of that name has a member of that name.
fn by_member(snapshot: &Snapshot, parts: &[String], clues: &mut FxHashMap<NodeId, Clues>) {
    for pair in parts.windows(2) {
        let owners: FxHashSet<NodeId> = snapshot
            .named(&pair[0])
            .map(|node| snapshot.file_of(node))
            .collect();
        if owners.is_empty() || owners.len() > COMMON {
            continue;
        }
        let members: FxHashSet<NodeId> = snapshot
            .named(&pair[1])
            .filter(|&node| {
                snapshot
                    .symbol(node)
                    .container
                    .is_some_and(|container| snapshot.name(container) == pair[0])
            })
            .map(|node| snapshot.file_of(node))
            .collect();
        for file in members.intersection(&owners) {
            clues
                .entry(*file)
                .or_default()
                .raise(Clue::DefinesMember, 1.0 / (members.len() as f32).sqrt());
        }
    }
}

fn worth(kind: SymbolKind) -> f32 {
    match kind {
        SymbolKind::Class
        | SymbolKind::Interface
        | SymbolKind::Function
        | SymbolKind::Macro
        | SymbolKind::Enum => 1.0,
        SymbolKind::Type | SymbolKind::Module => 0.8,
        SymbolKind::Method | SymbolKind::Constant => 0.7,
        _ => 0.4,
    }
}

/// The files of the project by the ends of their paths.
struct Files<'s> {
    snapshot: &'s Snapshot,
    by_name: FxHashMap<&'s str, Vec<NodeId>>,
    by_stem: FxHashMap<&'s str, Vec<NodeId>>,
}

impl<'s> Files<'s> {
    fn of(snapshot: &'s Snapshot) -> Self {
        let mut by_name: FxHashMap<&str, Vec<NodeId>> = FxHashMap::default();
        let mut by_stem: FxHashMap<&str, Vec<NodeId>> = FxHashMap::default();
        for file in snapshot.files() {
            let path = snapshot.path(file);
            by_name
                .entry(path.rsplit('/').next().unwrap_or(path))
                .or_default()
                .push(file);
            if let Some(stem) = module_parts(path).next_back() {
                by_stem.entry(stem).or_default().push(file);
            }
        }
        Self {
            snapshot,
            by_name,
            by_stem,
        }
    }

    /// Files whose path ends as `components` does, each with how surely it is meant.
    fn at(&self, components: &[String]) -> Vec<(NodeId, f32)> {
        let Some(same) = components
            .last()
            .and_then(|name| self.by_name.get(name.as_str()))
        else {
            return Vec::new();
        };
        let matched = |file: NodeId| {
            let own = self.snapshot.path(file).rsplit('/');
            own.zip(components.iter().rev())
                .take_while(|(own, said)| own == said)
                .count()
        };
        best_of(same.iter().map(|&file| (file, matched(file))))
    }

    /// Files that a dotted name spells: `models.query` is `…/models/query.py`.
    fn spelled(&self, parts: &[String]) -> Vec<(NodeId, f32)> {
        let mut found: Vec<(NodeId, usize)> = Vec::new();
        for end in 1..=parts.len() {
            for &file in self.called(&parts[end - 1]) {
                let own = module_parts(self.snapshot.path(file)).rev();
                let matched = own
                    .zip(parts[..end].iter().rev())
                    .take_while(|(own, said)| own == said)
                    .count();
                if matched >= 2 || (end == 1 && parts.len() > 1) {
                    found.push((file, matched));
                }
            }
        }
        let longest = found
            .iter()
            .map(|(_, matched)| *matched)
            .max()
            .unwrap_or_default();
        let share =
            |(file, share): (NodeId, f32)| (file, share * if longest > 1 { 1.0 } else { 0.5 });
        best_of(found.into_iter()).into_iter().map(share).collect()
    }

    /// Files of this name, whatever their ending.
    fn called(&self, name: &str) -> &[NodeId] {
        self.by_stem
            .get(name)
            .map(Vec::as_slice)
            .unwrap_or_default()
    }
}

/// Those that matched most, the surer the fewer they are.
fn best_of(found: impl Iterator<Item = (NodeId, usize)> + Clone) -> Vec<(NodeId, f32)> {
    let most = found
        .clone()
        .map(|(_, matched)| matched)
        .max()
        .unwrap_or_default();
    let best: FxHashSet<NodeId> = found
        .filter(|(_, matched)| *matched == most)
        .map(|(file, _)| file)
        .collect();
    let share = 1.0 / (best.len() as f32).sqrt();
    best.into_iter().map(|file| (file, share)).collect()
}

/// `a/b/c.py` is a, b, c; a file that stands for its folder is the folder.
fn module_parts(path: &str) -> impl DoubleEndedIterator<Item = &str> {
    let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
    let stem = name.split('.').next().unwrap_or(name);
    let own = (!matches!(stem, "__init__" | "mod" | "index" | "lib" | "")).then_some(stem);
    folder.split('/').filter(|part| !part.is_empty()).chain(own)
}
