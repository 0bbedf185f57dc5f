//! Which files belong together.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;

use super::MapInput;
use crate::project::parent;
use crate::snapshot::{NodeId, Snapshot};

/// Files that make a module.
pub(super) struct Group {
    pub(super) name: String,
    pub(super) folder: String,
    pub(super) files: Vec<NodeId>,
    pub(super) tests: Vec<NodeId>,
}

/// A folder with fewer source files is not a module of its own.
const SMALL: usize = 3;
/// More modules than a person can keep in mind.
const MANY: usize = 48;
/// A file moves when this share of its links is with another module.
const DRAWN: f32 = 0.7;
/// And it has at least this much weight of them.
const HEAVY: f32 = 4.0;
/// What changing together weighs against a link.
const TOGETHER: f32 = 6.0;

pub(super) fn grow(snapshot: &Snapshot, input: &MapInput) -> Vec<Group> {
    let packages = packages(input);
    let is_source = |file: &NodeId| snapshot.file(*file).language.get().is_some();
    let source: Vec<NodeId> = snapshot.files().filter(is_source).collect();
    let mut folder_of: FxHashMap<NodeId, String> = FxHashMap::default();
    for &file in source.iter().filter(|&&file| !snapshot.file(file).is_test) {
        folder_of.insert(file, parent(snapshot.path(file)).to_owned());
    }
    let links = file_links(snapshot, input);
    merge_small(&mut folder_of, &packages, &links);
    draw(&mut folder_of, &packages, &links);
    let mut groups: BTreeMap<String, Group> = BTreeMap::new();
    for (&file, folder) in &folder_of {
        let new = || Group {
            name: name(folder, &packages),
            folder: folder.clone(),
            files: Vec::new(),
            tests: Vec::new(),
        };
        groups
            .entry(folder.clone())
            .or_insert_with(new)
            .files
            .push(file);
    }
    for &file in source.iter().filter(|&&file| snapshot.file(file).is_test) {
        let home = links
            .get(&file)
            .and_then(|links| strongest(links, &folder_of));
        let home = home
            .filter(|home| groups.contains_key(home))
            .or_else(|| nearest(parent(snapshot.path(file)), &groups));
        if let Some(group) = home.and_then(|home| groups.get_mut(&home)) {
            group.tests.push(file);
        }
    }
    let mut groups: Vec<Group> = groups.into_values().collect();
    for group in &mut groups {
        group.files.sort_unstable();
        group.tests.sort_unstable();
    }
    groups
}

/// Folders with a manifest of their own, and the names those give.
fn packages(input: &MapInput) -> BTreeMap<String, Option<String>> {
    let mut packages: BTreeMap<String, Option<String>> = BTreeMap::new();
    for manifest in &input.manifests {
        if super::commands::marks_package(manifest.file_name()) {
            let known = packages.entry(manifest.folder().to_owned()).or_default();
            *known = known
                .take()
                .or_else(|| super::commands::package_name(manifest));
        }
    }
    packages
}

fn package_of<'p>(folder: &str, packages: &'p BTreeMap<String, Option<String>>) -> &'p str {
    let mut at = folder;
    loop {
        if let Some((found, _)) = packages.get_key_value(at) {
            return found;
        }
        if at.is_empty() {
            return "";
        }
        at = parent(at);
    }
}

/// How strongly each file is tied to each other: links in both directions, and changes made together.
fn file_links(snapshot: &Snapshot, input: &MapInput) -> FxHashMap<NodeId, FxHashMap<NodeId, f32>> {
    let mut links: FxHashMap<NodeId, FxHashMap<NodeId, f32>> = FxHashMap::default();
    let mut tie = |a: NodeId, b: NodeId, weight: f32| {
        *links.entry(a).or_default().entry(b).or_default() += weight;
        *links.entry(b).or_default().entry(a).or_default() += weight;
    };
    for node in snapshot.files().chain(snapshot.symbols()) {
        let from = snapshot.file_of(node);
        for edge in snapshot.outgoing(node).filter(|edge| edge.confidence >= 50) {
            let to = snapshot.file_of(edge.to);
            if from != to {
                tie(from, to, edge.kind.weight());
            }
        }
    }
    for pair in &input.together {
        if let (Some(a), Some(b)) = (snapshot.find_file(&pair.a), snapshot.find_file(&pair.b)) {
            tie(a, b, pair.weight * TOGETHER);
        }
    }
    links
}

/// Small folders join the folder they work with most, or the one around them; then the map is kept short.
fn merge_small(
    folder_of: &mut FxHashMap<NodeId, String>,
    packages: &BTreeMap<String, Option<String>>,
    links: &FxHashMap<NodeId, FxHashMap<NodeId, f32>>,
) {
    let mut smallest = SMALL;
    loop {
        let mut members: BTreeMap<String, Vec<NodeId>> = BTreeMap::new();
        for (&file, folder) in folder_of.iter() {
            members.entry(folder.clone()).or_default().push(file);
        }
        let joins = |folder: &str| !packages.contains_key(folder) && !folder.is_empty();
        let small = members
            .iter()
            .filter(|(folder, files)| files.len() < smallest && joins(folder))
            .max_by_key(|(folder, files)| {
                (
                    folder.matches('/').count(),
                    std::cmp::Reverse(files.len()),
                    (*folder).clone(),
                )
            });
        let Some((folder, files)) = small else {
            if members.len() <= MANY || smallest > 4096 {
                return;
            }
            smallest *= 2;
            continue;
        };
        let package = package_of(folder, packages).to_owned();
        let mut pull: BTreeMap<String, f32> = BTreeMap::new();
        for file in files {
            for (other, weight) in links.get(file).into_iter().flatten() {
                if let Some(home) = folder_of.get(other).filter(|home| *home != folder) {
                    // A neighbour in another package is used, not joined.
                    if package_of(home, packages) == package {
                        *pull.entry(home.clone()).or_default() +=
                            weight / (members[home].len() as f32).sqrt();
                    }
                }
            }
        }
        let around = parent(folder).to_owned();
        *pull.entry(around.clone()).or_default() += 2.0;
        let to = pull
            .into_iter()
            .max_by(|a, b| a.1.total_cmp(&b.1).then(b.0.cmp(&a.0)))
            .map_or(around, |(to, _)| to);
        for file in files.clone() {
            folder_of.insert(file, to.clone());
        }
    }
}

/// Files whose links are nearly all with another module of the same package move there.
fn draw(
    folder_of: &mut FxHashMap<NodeId, String>,
    packages: &BTreeMap<String, Option<String>>,
    links: &FxHashMap<NodeId, FxHashMap<NodeId, f32>>,
) {
    let mut moves: Vec<(NodeId, String)> = Vec::new();
    for (&file, home) in folder_of.iter() {
        let mut pull: BTreeMap<&str, f32> = BTreeMap::new();
        for (other, weight) in links.get(&file).into_iter().flatten() {
            if let Some(other) = folder_of.get(other) {
                *pull.entry(other).or_default() += weight;
            }
        }
        let total: f32 = pull.values().sum();
        let Some((&to, &weight)) = pull.iter().max_by(|a, b| a.1.total_cmp(b.1)) else {
            continue;
        };
        // A file that opens its folder stays with it, however widely it is used.
        let same_package = package_of(to, packages) == package_of(home, packages);
        if to != home
            && same_package
            && weight >= HEAVY
            && weight > total * DRAWN
            && !pull.contains_key(home.as_str())
        {
            moves.push((file, to.to_owned()));
        }
    }
    for (file, to) in moves {
        folder_of.insert(file, to);
    }
}

fn strongest(
    links: &FxHashMap<NodeId, f32>,
    folder_of: &FxHashMap<NodeId, String>,
) -> Option<String> {
    let mut pull: BTreeMap<&str, f32> = BTreeMap::new();
    for (other, weight) in links {
        if let Some(folder) = folder_of.get(other) {
            *pull.entry(folder).or_default() += weight;
        }
    }
    pull.into_iter()
        .max_by(|a, b| a.1.total_cmp(&b.1))
        .map(|(folder, _)| folder.to_owned())
}

fn nearest(folder: &str, groups: &BTreeMap<String, Group>) -> Option<String> {
    let mut at = folder;
    loop {
        if groups.contains_key(at) {
            return Some(at.to_owned());
        }
        if at.is_empty() {
            return groups
                .keys()
                .find(|known| known.starts_with(folder))
                .cloned();
        }
        at = parent(at);
    }
}

/// The package's own name for its root, and the path inside it for the rest.
fn name(folder: &str, packages: &BTreeMap<String, Option<String>>) -> String {
    let package = package_of(folder, packages);
    let called = packages.get(package).cloned().flatten();
    let called = called.unwrap_or_else(|| package.rsplit('/').next().unwrap_or(package).to_owned());
    let inside = folder
        .strip_prefix(package)
        .unwrap_or(folder)
        .trim_matches('/');
    let inside = inside
        .strip_prefix("src")
        .map_or(inside, |rest| rest.trim_start_matches('/'));
    match (called.is_empty(), inside.is_empty()) {
        (true, true) => "root".to_owned(),
        (true, false) => inside.to_owned(),
        (false, true) => called,
        // A package often holds a folder of its own name.
        (false, false) if starts_with_name(inside, &called) => inside.to_owned(),
        (false, false) => format!("{called}/{inside}"),
    }
}

fn starts_with_name(path: &str, name: &str) -> bool {
    let first = path.split('/').next().unwrap_or(path);
    first.eq_ignore_ascii_case(name)
}
