//! The project as a person would explain it: modules with what they are for, where to start, and how to build and test them.
//!
//! Modules grow from folders and manifests, then small ones join the neighbour they work with most, and single files move to
//! where their links and their history are.

mod commands;
mod grow;
mod prose;

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;

use crate::facts::SymbolKind;
use crate::project::{Manifest, parent};
use crate::snapshot::{NodeId, Snapshot};

pub use commands::{Command, Purpose, commands};

/// Two files that change together, and how strongly, in `0.0..=1.0`.
#[derive(Clone, Debug, PartialEq)]
pub struct CoChange {
    pub a: String,
    pub b: String,
    pub weight: f32,
}

/// What the map is made from besides the graph.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MapInput {
    pub manifests: Vec<Manifest>,
    /// Paths and texts of the READMEs.
    pub readmes: Vec<(String, String)>,
    pub together: Vec<CoChange>,
}

/// A part of the project.
#[derive(Clone, Debug, PartialEq)]
pub struct Module {
    pub name: String,
    /// The folder that holds most of it, without a trailing slash.
    pub folder: String,
    pub description: String,
    /// Its source files, in the order of their paths.
    pub files: Vec<NodeId>,
    pub tests: Vec<NodeId>,
    /// The files most others depend on, most first.
    pub core: Vec<NodeId>,
    pub entry_points: Vec<NodeId>,
    /// Other modules by their place in the map, with how many links lead there, most first.
    pub depends_on: Vec<(usize, usize)>,
    /// Packages outside the project, most used first.
    pub externals: Vec<String>,
    pub commands: Vec<Command>,
    pub lines: u32,
}

/// All modules, largest first.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ModuleMap {
    pub modules: Vec<Module>,
    by_file: FxHashMap<NodeId, usize>,
}

impl ModuleMap {
    /// The module of `file`, by its place in the map.
    pub fn module_of(&self, file: NodeId) -> Option<usize> {
        self.by_file.get(&file).copied()
    }
}

/// How many names a module lists of each kind.
const LISTED: usize = 8;

pub fn map(snapshot: &Snapshot, input: &MapInput) -> ModuleMap {
    let groups = grow::grow(snapshot, input);
    let mut modules: Vec<Module> = groups
        .into_iter()
        .map(|group| describe(snapshot, input, &group))
        .collect();
    modules.sort_by(|a, b| b.lines.cmp(&a.lines).then(a.folder.cmp(&b.folder)));
    let mut by_file = FxHashMap::default();
    for (at, module) in modules.iter().enumerate() {
        by_file.extend(
            module
                .files
                .iter()
                .chain(&module.tests)
                .map(|&file| (file, at)),
        );
    }
    for (at, module) in modules.iter_mut().enumerate() {
        module.depends_on = depends_on(snapshot, at, module, &by_file);
    }
    ModuleMap { modules, by_file }
}

/// The other modules that `module` links to, most first.
fn depends_on(
    snapshot: &Snapshot,
    at: usize,
    module: &Module,
    by_file: &FxHashMap<NodeId, usize>,
) -> Vec<(usize, usize)> {
    let mut counts: BTreeMap<usize, usize> = BTreeMap::new();
    for &file in &module.files {
        for part in std::iter::once(file).chain(snapshot.symbols_in(file)) {
            for edge in snapshot.outgoing(part).filter(|edge| edge.confidence >= 50) {
                if let Some(&other) = by_file.get(&snapshot.file_of(edge.to))
                    && other != at
                {
                    *counts.entry(other).or_default() += 1;
                }
            }
        }
    }
    let mut counts: Vec<(usize, usize)> = counts.into_iter().collect();
    counts.sort_by_key(|&(other, count)| (std::cmp::Reverse(count), other));
    counts
}

fn describe(snapshot: &Snapshot, input: &MapInput, group: &grow::Group) -> Module {
    let files = group.files.clone();
    let mut used: Vec<(usize, NodeId)> = files
        .iter()
        .map(|&file| (users(snapshot, file), file))
        .collect();
    used.sort_by_key(|&(count, file)| (std::cmp::Reverse(count), file));
    let core: Vec<NodeId> = used
        .iter()
        .filter(|(count, _)| *count > 0)
        .map(|&(_, file)| file)
        .take(LISTED)
        .collect();
    let mut externals: BTreeMap<&str, usize> = BTreeMap::new();
    for &file in &files {
        for name in snapshot.externals(file) {
            *externals.entry(name).or_default() += 1;
        }
    }
    let mut externals: Vec<(&str, usize)> = externals.into_iter().collect();
    externals.sort_by_key(|&(name, count)| (std::cmp::Reverse(count), name));
    Module {
        name: group.name.clone(),
        folder: group.folder.clone(),
        description: description(snapshot, input, group, &core),
        entry_points: entry_points(snapshot, input, group),
        core,
        depends_on: Vec::new(),
        externals: externals
            .into_iter()
            .take(LISTED)
            .map(|(name, _)| name.to_owned())
            .collect(),
        commands: commands(&input.manifests, &group.folder),
        lines: files.iter().map(|&file| snapshot.file(file).lines).sum(),
        tests: group.tests.clone(),
        files,
    }
}

/// How many edges reach a file from outside it.
fn users(snapshot: &Snapshot, file: NodeId) -> usize {
    let parts = std::iter::once(file).chain(snapshot.symbols_in(file));
    parts
        .flat_map(|part| snapshot.incoming(part))
        .filter(|edge| snapshot.file_of(edge.from) != file)
        .count()
}

/// The words of the manifest, else of the README, else of a file of the module, which is then named.
fn description(
    snapshot: &Snapshot,
    input: &MapInput,
    group: &grow::Group,
    core: &[NodeId],
) -> String {
    let mut manifest = input
        .manifests
        .iter()
        .filter(|manifest| manifest.folder() == group.folder);
    if let Some(text) = manifest.find_map(commands::description) {
        return text;
    }
    let readme = input
        .readmes
        .iter()
        .find(|(path, _)| parent(path) == group.folder);
    let called = group.name.rsplit('/').next().unwrap_or(&group.name);
    if let Some(text) = readme.and_then(|(_, text)| prose::description(text, called)) {
        return text;
    }
    let file_name = |file: NodeId| snapshot.path(file).rsplit('/').next().unwrap_or_default();
    let opens = |file: &NodeId| {
        let stem = file_name(*file).split('.').next().unwrap_or_default();
        let is_opener = [
            "index",
            "lib",
            "mod",
            "main",
            "__init__",
            "doc",
            "package-info",
        ];
        parent(snapshot.path(*file)) == group.folder && is_opener.contains(&stem)
    };
    let said = |file: NodeId| prose::description(snapshot.file(file).doc, called);
    let opener = group.files.iter().copied().filter(opens).find_map(said);
    let of_core = || {
        let inside = format!("{}/", group.folder);
        let is_inside =
            |file: &NodeId| group.folder.is_empty() || snapshot.path(*file).starts_with(&inside);
        let mut core = core.iter().copied().filter(is_inside);
        core.find_map(|file| Some(format!("{}: {}", file_name(file), said(file)?)))
    };
    opener.or_else(of_core).unwrap_or_default()
}

/// Files that manifests name, files called like a beginning, and files with a `main`.
fn entry_points(snapshot: &Snapshot, input: &MapInput, group: &grow::Group) -> Vec<NodeId> {
    let told = commands::entry_paths(&input.manifests, &group.folder);
    let mut points: Vec<NodeId> = Vec::new();
    for &file in &group.files {
        let path = snapshot.path(file);
        let name = path.rsplit('/').next().unwrap_or(path);
        let stem = name.split('.').next().unwrap_or(name);
        let is_told = told.iter().any(|told| {
            path == told || path.rsplit_once('.').is_some_and(|(stem, _)| stem == told)
        });
        let opens = matches!(
            stem,
            "main" | "index" | "lib" | "__main__" | "cli" | "app" | "server" | "Program"
        ) && parent(path).split('/').count() <= group.folder.split('/').count() + 1;
        let runs = || {
            let mut symbols = snapshot.symbols_in(file).map(|node| snapshot.symbol(node));
            symbols.any(|symbol| {
                symbol.name == "main"
                    && symbol.container.is_none()
                    && symbol.kind == SymbolKind::Function
            })
        };
        if is_told || opens || runs() {
            points.push(file);
        }
    }
    points.truncate(LISTED);
    points
}
