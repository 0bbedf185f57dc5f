//! The files of a project as linking sees them: paths, manifests, and the facts of each file when asked for.

use std::hash::{Hash, Hasher};
use std::sync::{Arc, OnceLock};

use rustc_hash::{FxHashMap, FxHasher};

use crate::facts::{FileFacts, Receiver, ReferenceKind, SymbolKind};
use crate::language::LanguageId;

/// A file by its number in [`Project::paths`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FileId(pub u32);

/// A definition of a file, by its number in the file's facts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct DefinitionId {
    pub file: FileId,
    pub at: u32,
}

/// A file that says how the project is put together (`package.json`, `go.mod`).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Manifest {
    /// Relative to the project, with forward slashes.
    pub path: String,
    pub text: String,
}

impl Manifest {
    /// The folder it stands in, without a trailing slash; empty for the root.
    pub fn folder(&self) -> &str {
        parent(&self.path)
    }

    pub fn file_name(&self) -> &str {
        self.path.rsplit('/').next().unwrap_or(&self.path)
    }
}

/// Where facts come from when a file is first looked at.
pub type Load<'a> = dyn Fn(FileId) -> Arc<FileFacts> + Sync + 'a;

/// Who has a member of a given name, over the whole project.
pub type Members<'a> = dyn Fn(&str) -> Vec<DefinitionId> + Sync + 'a;

/// All files of a project.
pub struct Project<'a> {
    paths: Vec<String>,
    languages: Vec<LanguageId>,
    by_path: FxHashMap<String, FileId>,
    folders: FxHashMap<String, Vec<FileId>>,
    manifests: Vec<Manifest>,
    facts: Vec<OnceLock<Arc<FileFacts>>>,
    tables: Vec<OnceLock<Table>>,
    load: &'a Load<'a>,
    members: &'a Members<'a>,
}

impl<'a> Project<'a> {
    /// `paths` are relative, with forward slashes, in rising order.
    pub fn new(
        paths: Vec<String>,
        languages: Vec<LanguageId>,
        manifests: Vec<Manifest>,
        load: &'a Load<'a>,
        members: &'a Members<'a>,
    ) -> Self {
        let mut by_path = FxHashMap::default();
        let mut folders: FxHashMap<String, Vec<FileId>> = FxHashMap::default();
        for (at, path) in paths.iter().enumerate() {
            let file = FileId(at as u32);
            by_path.insert(path.clone(), file);
            match folders.get_mut(parent(path)) {
                Some(files) => files.push(file),
                None => {
                    folders.insert(parent(path).to_owned(), vec![file]);
                }
            }
        }
        let facts = paths.iter().map(|_| OnceLock::new()).collect();
        let tables = paths.iter().map(|_| OnceLock::new()).collect();
        Self {
            paths,
            languages,
            by_path,
            folders,
            manifests,
            facts,
            tables,
            load,
            members,
        }
    }

    /// All paths, relative, with forward slashes, in rising order.
    pub fn paths(&self) -> &[String] {
        &self.paths
    }

    pub fn files(&self) -> impl Iterator<Item = FileId> + use<> {
        (0..self.paths.len() as u32).map(FileId)
    }

    pub fn path(&self, file: FileId) -> &str {
        &self.paths[file.0 as usize]
    }

    pub fn language(&self, file: FileId) -> LanguageId {
        self.languages[file.0 as usize]
    }

    /// The file at `path` (relative, forward slashes, no `.` or `..`).
    pub fn find(&self, path: &str) -> Option<FileId> {
        self.by_path.get(path).copied()
    }

    /// The files directly in `folder` (no trailing slash; empty for the root).
    pub fn folder(&self, folder: &str) -> &[FileId] {
        self.folders.get(folder).map_or(&[], Vec::as_slice)
    }

    /// Whether any file lies directly in `folder` or below it.
    pub fn has_folder(&self, folder: &str) -> bool {
        if folder.is_empty() {
            return !self.paths.is_empty();
        }
        let inside = format!("{folder}/");
        let first = self
            .paths
            .partition_point(|path| path.as_str() < inside.as_str());
        self.paths
            .get(first)
            .is_some_and(|path| path.starts_with(&inside))
    }

    pub fn manifests(&self) -> &[Manifest] {
        &self.manifests
    }

    pub fn facts(&self, file: FileId) -> &FileFacts {
        self.facts[file.0 as usize].get_or_init(|| (self.load)(file))
    }

    pub fn table(&self, file: FileId) -> &Table {
        self.tables[file.0 as usize].get_or_init(|| Table::new(self.facts(file)))
    }

    /// The name of a definition.
    pub fn name(&self, definition: DefinitionId) -> &str {
        let facts = self.facts(definition.file);
        facts.text(facts.definitions[definition.at as usize].name)
    }

    /// Every member called `name`, in any type of the project.
    pub fn members_called(&self, name: &str) -> Vec<DefinitionId> {
        (self.members)(name)
    }
}

/// The definitions of one file, sorted for looking up by name: by the hash of what they are looked up by, then by number.
pub struct Table {
    top: Vec<(u64, u32)>,
    /// Contained definitions by container and name.
    children: Vec<(u64, u32)>,
    /// Definitions that belong to a type written elsewhere, by that type's name and their own.
    owned: Vec<(u64, u32)>,
    /// Which definition extends or implements what: definition, number of the reference.
    bases: Vec<(u32, u32)>,
}

impl Table {
    fn new(facts: &FileFacts) -> Self {
        let (mut top, mut children, mut owned) = (Vec::new(), Vec::new(), Vec::new());
        for (at, definition) in facts.definitions.iter().enumerate() {
            let at = at as u32;
            // A test is called what it tests, but nobody calls it by that name.
            if definition.kind == SymbolKind::Test {
                continue;
            }
            let name = facts.text(definition.name);
            match (definition.owner, definition.container) {
                (Some(owner), _) => {
                    owned.push((hash_of(&(last_segment(facts.text(owner)), name)), at));
                }
                (None, Some(container)) => children.push((hash_of(&(container, name)), at)),
                (None, None) => top.push((hash_of(&name), at)),
            }
        }
        top.sort_unstable();
        children.sort_unstable();
        owned.sort_unstable();
        let mut table = Self {
            top,
            children,
            owned,
            bases: Vec::new(),
        };
        let mut bases = Vec::new();
        for (number, reference) in facts.references.iter().enumerate() {
            if !matches!(
                reference.kind,
                ReferenceKind::Extends | ReferenceKind::Implements | ReferenceKind::Alias
            ) {
                continue;
            }
            if let Receiver::Typed(owner) = reference.receiver {
                let owners = table.top(facts, last_segment(facts.text(owner)));
                bases.extend(owners.map(|at| (at, number as u32)));
            } else if let Some(within) = reference.within {
                bases.push((within, number as u32));
            }
        }
        bases.sort_unstable();
        table.bases = bases;
        table
    }

    /// Definitions at the top of the file called `wanted`.
    pub fn top<'t>(
        &'t self,
        facts: &'t FileFacts,
        wanted: &'t str,
    ) -> impl Iterator<Item = u32> + 't {
        let name = |at: &u32| facts.text(facts.definitions[*at as usize].name);
        under(&self.top, hash_of(&wanted)).filter(move |at| name(at) == wanted)
    }

    /// Definitions inside `container` called `wanted`.
    pub fn inside<'t>(
        &'t self,
        facts: &'t FileFacts,
        container: u32,
        wanted: &'t str,
    ) -> impl Iterator<Item = u32> + 't {
        under(&self.children, hash_of(&(container, wanted))).filter(move |at| {
            let definition = &facts.definitions[*at as usize];
            definition.container == Some(container) && facts.text(definition.name) == wanted
        })
    }

    /// Definitions called `wanted` that belong to the type called `owner` from outside its body.
    pub fn owned<'t>(
        &'t self,
        facts: &'t FileFacts,
        owner: &'t str,
        wanted: &'t str,
    ) -> impl Iterator<Item = u32> + 't {
        under(&self.owned, hash_of(&(owner, wanted))).filter(move |at| {
            let definition = &facts.definitions[*at as usize];
            let of = definition.owner.map_or("", |of| facts.text(of));
            facts.text(definition.name) == wanted && last_segment(of) == owner
        })
    }

    /// Numbers of the references by which `definition` says what it extends or implements.
    pub fn bases(&self, definition: u32) -> impl Iterator<Item = u32> + '_ {
        let first = self
            .bases
            .partition_point(|&(within, _)| within < definition);
        self.bases[first..]
            .iter()
            .take_while(move |&&(within, _)| within == definition)
            .map(|&(_, number)| number)
    }
}

/// What stands under `hash` in a sorted list.
fn under(sorted: &[(u64, u32)], hash: u64) -> impl Iterator<Item = u32> + '_ {
    let first = sorted.partition_point(|&(other, _)| other < hash);
    let same = sorted[first..].iter();
    same.take_while(move |&&(other, _)| other == hash)
        .map(|&(_, at)| at)
}

/// The hash under which something is looked up while linking.
pub(crate) fn hash_of(key: &impl Hash) -> u64 {
    let mut hasher = FxHasher::default();
    key.hash(&mut hasher);
    hasher.finish()
}

/// Whether a definition can be found by name on a receiver of unknown type.
pub(crate) fn is_member(facts: &FileFacts, at: u32) -> bool {
    let definition = &facts.definitions[at as usize];
    let in_type = |container: u32| facts.definitions[container as usize].kind.is_type();
    matches!(definition.kind, SymbolKind::Method | SymbolKind::Field)
        && (definition.owner.is_some() || definition.container.is_some_and(in_type))
}

/// The folder of `path`, without a trailing slash; empty for the root.
pub fn parent(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

/// The last name of a path written in any language.
pub(crate) fn last_segment(path: &str) -> &str {
    path.rsplit(['.', ':', '\\', '/']).next().unwrap_or(path)
}

/// `path` seen from `folder`, without `.` and `..`; nothing when it leaves the project.
pub fn join(folder: &str, path: &str) -> Option<String> {
    let mut parts: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop()?;
            }
            part => parts.push(part),
        }
    }
    Some(parts.join("/"))
}
