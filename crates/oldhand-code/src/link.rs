//! From facts to edges: what each import and each name of a file stands for.
//!
//! [`Linker::link`] looks at one file at a time and at as few others as it needs, so that after an edit only the files that
//! asked for a changed name are linked again. The names a file asked for are part of its result.

mod added;
mod lookup;
mod overrides;
mod precise;
#[cfg(test)]
mod programs;
mod reach;
mod shapes;
mod step;
mod value;

use std::rc::Rc;
use std::sync::OnceLock;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::facts::{
    FileFacts, ImportForm, Name, Reach, Receiver, Reference, ReferenceKind, SymbolKind,
};
use crate::graph::{EdgeKind, Link, Origin};
use crate::language::Language;
use crate::link::lookup::{Entity, Found};
use crate::project::{DefinitionId, FileId, Project};
use crate::resolve::{Meaning, Resolvers};
use crate::scip::ScipStore;

/// What linking a file gave.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Linked {
    /// In rising order, each once.
    pub links: Vec<Link>,
    /// Every name whose coming or going elsewhere may change these links, in rising order.
    pub wanted: Vec<String>,
    /// Packages outside the project, in rising order.
    pub externals: Vec<String>,
    /// Sources that should have been in the project, with their lines.
    pub unresolved: Vec<(String, u32)>,
}

/// Links the files of one project.
pub struct Linker<'p> {
    project: &'p Project<'p>,
    resolvers: &'p Resolvers,
    /// What each import of a file stands for; asked once per file however often it is looked through.
    meanings: Vec<OnceLock<Vec<Meaning>>>,
    /// What the files of a crate add to types from outside their bodies, by type and name; kept with the file that stands for
    /// the crate.
    added: Vec<OnceLock<Added>>,
    precise: Precise<'p>,
}

/// By the hash of both names, so that it borrows nothing.
type Added = FxHashMap<u64, Vec<DefinitionId>>;

/// What compilers found, by the content of each file.
pub(crate) struct Precise<'p> {
    pub(crate) store: &'p ScipStore,
    pub(crate) hashes: Vec<[u8; 32]>,
}

/// How sure a link is, in percent, by the way it was found.
mod sure {
    pub(super) const IMPORT: u8 = 100;
    pub(super) const NAMED: u8 = 98;
    pub(super) const ITSELF: u8 = 95;
    pub(super) const TYPED: u8 = 90;
    pub(super) const RETURNED: u8 = 85;
    /// One member of that name in the whole project: a guess, so below the half.
    pub(super) const UNIQUE: u8 = 45;
}

/// More members of one name than this say nothing about which is meant.
const CANDIDATES: usize = 5;

impl<'p> Linker<'p> {
    pub(crate) fn new(
        project: &'p Project<'p>,
        resolvers: &'p Resolvers,
        precise: Precise<'p>,
    ) -> Self {
        let meanings = project.files().map(|_| OnceLock::new()).collect();
        let added = project.files().map(|_| OnceLock::new()).collect();
        Self {
            project,
            resolvers,
            meanings,
            added,
            precise,
        }
    }

    /// What the import with the number `at` of `file` stands for.
    fn meaning(&self, file: FileId, at: usize) -> &Meaning {
        let all = self.meanings[file.0 as usize].get_or_init(|| {
            let facts = self.project.facts(file);
            let Some(resolver) = self.resolvers.of(self.project, file) else {
                return vec![Meaning::Unresolved; facts.imports.len()];
            };
            facts
                .imports
                .iter()
                .map(|import| resolver.import(self.project, file, facts, import))
                .collect()
        });
        &all[at]
    }

    /// The edges that start in `file`.
    pub fn link(&self, file: FileId) -> Linked {
        let facts = self.project.facts(file);
        let Some(language) = self.project.language(file).get() else {
            return Linked::default();
        };
        let mut work = Work {
            linker: self,
            file,
            facts,
            language,
            bindings: FxHashMap::default(),
            globs: Vec::new(),
            namespaces: Vec::new(),
            opened: Vec::new(),
            packages: FxHashMap::default(),
            linked: Linked::default(),
            // Where a type forwards to decides what its members are, whoever asks.
            wanted: language
                .forwards
                .iter()
                .map(|forward| forward.to.as_str())
                .collect(),
            memory: FxHashMap::default(),
            places: FxHashMap::default(),
            asking: FxHashMap::default(),
        };
        work.link_imports();
        work.link_exports();
        for reference in &facts.references {
            work.link_reference(reference);
        }
        if let Some(references) = self
            .precise
            .store
            .get(&self.precise.hashes[file.0 as usize])
        {
            let links = &mut work.linked.links;
            *links = precise::replace(self.project, file, links, references);
        }
        // What stands in for what is nowhere written, so no compiler's list of references tells it.
        work.link_overrides();
        work.link_shapes();
        let Work {
            mut linked, wanted, ..
        } = work;
        linked.links.sort_unstable();
        linked.links.dedup();
        linked.wanted = wanted.into_iter().map(str::to_owned).collect();
        linked.wanted.sort_unstable();
        linked.externals.sort_unstable();
        linked.externals.dedup();
        linked
    }
}

type MemoryKey = (ReferenceKind, Name, Receiver, Option<u32>);

/// One file being linked.
struct Work<'w> {
    linker: &'w Linker<'w>,
    file: FileId,
    facts: &'w FileFacts,
    language: &'w Language,
    /// What the file's imports call things; known but empty for what is outside the project.
    bindings: FxHashMap<&'w str, Vec<Entity>>,
    globs: Vec<&'w [FileId]>,
    /// Files whose names are seen, with the line that says so.
    namespaces: Vec<(&'w [FileId], u32)>,
    /// Types and modules all of whose names are imported.
    opened: Vec<Entity>,
    /// Files of imported packages, with the line of the import.
    packages: FxHashMap<FileId, u32>,
    linked: Linked,
    wanted: FxHashSet<&'w str>,
    /// The same name in the same place means the same thing.
    memory: FxHashMap<MemoryKey, Found>,
    /// What paths of names mean, by the path and the definition around it.
    places: FxHashMap<(Name, Option<u32>), Rc<[Entity]>>,
    /// The interfaces that ask for a method of a name, each with that method; none when there are too many.
    asking: FxHashMap<&'w str, Vec<(DefinitionId, DefinitionId)>>,
}

impl<'w> Work<'w> {
    fn link_imports(&mut self) {
        let facts = self.facts;
        for (at, import) in facts.imports.iter().enumerate() {
            let source = facts.text(import.source);
            self.want_path(source);
            let meaning = self.linker.meaning(self.file, at);
            let local = import.local.map(|local| facts.text(local));
            let kind = match import.reach {
                Reach::Private | Reach::Visible => EdgeKind::Imports,
                Reach::Reexported => EdgeKind::Exports,
            };
            let entities = match meaning {
                Meaning::Module(files) => {
                    self.link_files(files, import.line);
                    if import.form == ImportForm::All {
                        self.globs.push(files);
                        continue;
                    }
                    vec![Entity::Module(files.clone())]
                }
                Meaning::Name(files) => {
                    self.link_files(files, import.line);
                    let ImportForm::Named(name) = import.form else {
                        continue;
                    };
                    self.wanted.insert(facts.text(name));
                    self.linker.exported(files, facts.text(name))
                }
                Meaning::Package(files) => {
                    self.packages
                        .extend(files.iter().map(|&file| (file, import.line)));
                    if import.form == ImportForm::All {
                        self.namespaces.push((files, import.line));
                        continue;
                    }
                    self.bind_package_name(files);
                    vec![Entity::Module(files.clone())]
                }
                Meaning::Inside(files, path) => {
                    self.wanted.extend(path.iter().map(String::as_str));
                    let mut holders = vec![Entity::Module(files.clone())];
                    for name in path {
                        holders = self.linker.members(&holders, name);
                    }
                    self.link_holders(&holders, files, import.line);
                    match import.form {
                        ImportForm::Named(name) => {
                            self.wanted.insert(facts.text(name));
                            self.linker.members(&holders, facts.text(name))
                        }
                        ImportForm::All => {
                            self.opened.extend(holders);
                            continue;
                        }
                        ImportForm::Module | ImportForm::Effect => holders,
                    }
                }
                Meaning::Namespace(files) => {
                    self.namespaces.push((files, import.line));
                    Vec::new()
                }
                Meaning::External(package) => {
                    self.linked.externals.push(package.clone());
                    Vec::new()
                }
                Meaning::Unresolved => {
                    self.linked
                        .unresolved
                        .push((source.to_owned(), import.line));
                    Vec::new()
                }
            };
            for entity in &entities {
                match entity {
                    Entity::Definition(id) => {
                        self.push(None, (*id).into(), kind, sure::IMPORT, import.line);
                    }
                    // A module reached through another file's re-export: used, but not what the import names.
                    Entity::Module(files) if matches!(meaning, Meaning::Name(_)) => {
                        for &file in files {
                            self.push(None, file.into(), EdgeKind::Uses, sure::NAMED, import.line);
                        }
                    }
                    Entity::Module(_) => {}
                }
            }
            if let Some(local) = local {
                let known = self.bindings.entry(local).or_default();
                for entity in entities {
                    if !known.contains(&entity) {
                        known.push(entity);
                    }
                }
            }
        }
    }

    /// Names that the file exports under another name, or that it imported first.
    fn link_exports(&mut self) {
        let facts = self.facts;
        for export in &facts.exports {
            let local = facts.text(export.local);
            let line = 0;
            for entity in self.bindings.get(local).cloned().unwrap_or_default() {
                if let Entity::Definition(id) = entity {
                    self.push(None, id.into(), EdgeKind::Exports, sure::NAMED, line);
                }
            }
        }
    }

    /// A package may call itself otherwise than its folder.
    fn bind_package_name(&mut self, files: &'w [FileId]) {
        let Some(first) = files.first().map(|&file| self.linker.project.facts(file)) else {
            return;
        };
        if let Some(package) = first.package {
            let known = self.bindings.entry(first.text(package)).or_default();
            if known.is_empty() {
                known.push(Entity::Module(files.to_vec()));
            }
        }
    }

    /// The file in which a path of names ends is what is imported; where it ends nowhere, the file in which it starts.
    fn link_holders(&mut self, holders: &[Entity], start: &[FileId], line: u32) {
        if holders.is_empty() {
            self.link_files(start, line);
        }
        for holder in holders {
            match holder {
                Entity::Module(files) => self.link_files(&files.clone(), line),
                Entity::Definition(id) => self.link_files(&[id.file], line),
            }
        }
    }

    fn link_files(&mut self, files: &[FileId], line: u32) {
        for &file in files {
            if file != self.file {
                self.push(None, file.into(), EdgeKind::Imports, sure::IMPORT, line);
            }
        }
    }

    fn link_reference(&mut self, reference: &'w Reference) {
        let key = (
            reference.kind,
            reference.name,
            reference.receiver,
            reference.within,
        );
        let known = self.memory.get(&key).cloned();
        let found = known.unwrap_or_else(|| self.find(reference));
        self.memory.entry(key).or_insert_with(|| found.clone());
        let from = self.source_of(reference);
        for (id, confidence) in &found.definitions {
            // A definition that names itself, as in recursion, says nothing new.
            if (id.file, Some(id.at)) == (self.file, from) {
                continue;
            }
            if *confidence > sure::UNIQUE
                && let Some(&line) = self.packages.get(&id.file)
            {
                self.link_files(&[id.file], line);
            }
            let target = &self.linker.project.facts(id.file).definitions[id.at as usize];
            let kind = match reference.kind {
                ReferenceKind::Call | ReferenceKind::Construct => EdgeKind::Calls,
                ReferenceKind::Extends => EdgeKind::Extends,
                ReferenceKind::Implements => EdgeKind::Implements,
                ReferenceKind::Use | ReferenceKind::Type | ReferenceKind::Alias => EdgeKind::Uses,
            };
            if target.kind == SymbolKind::Test {
                continue;
            }
            self.push(from, (*id).into(), kind, *confidence, reference.line);
        }
    }

    /// The definition a reference speaks for: what is around it, or the type named before an outside `implements`.
    fn source_of(&mut self, reference: &'w Reference) -> Option<u32> {
        if let (ReferenceKind::Extends | ReferenceKind::Implements, Receiver::Typed(name)) =
            (reference.kind, reference.receiver)
        {
            let owner = crate::project::last_segment(self.facts.text(name));
            let table = self.linker.project.table(self.file);
            return table.top(self.facts, owner).next().or(reference.within);
        }
        reference.within
    }

    fn push(
        &mut self,
        from: Option<u32>,
        to: crate::graph::End,
        kind: EdgeKind,
        confidence: u8,
        line: u32,
    ) {
        self.linked.links.push(Link {
            from,
            to,
            kind,
            origin: Origin::Ast,
            confidence,
            line,
        });
    }

    fn want_path(&mut self, path: &'w str) {
        // An import of a folder is answered by its index file, so every part of the path counts.
        for part in path
            .split(['/', '.', ':', '\\'])
            .filter(|part| !part.is_empty())
        {
            self.wanted.insert(part);
        }
    }
}
