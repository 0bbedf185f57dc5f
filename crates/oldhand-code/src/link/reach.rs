//! What files, modules and types hold: exports through any number of re-exports, members through bases and value types.

use std::cell::Cell;

use rustc_hash::FxHashSet;

use crate::facts::{
    Definition, FileFacts, ImportForm, Name, Reach, Receiver, ReferenceKind, SymbolKind, Visibility,
};
use crate::link::lookup::Entity;
use crate::link::step::Segment;
use crate::link::{Linker, Work};
use crate::project::{DefinitionId, FileId, last_segment};
use crate::resolve::Meaning;

impl Linker<'_> {
    /// What `name` means at the top of `file`; `work` is given while that very file is being linked.
    pub(super) fn at_top<'n>(
        &self,
        file: FileId,
        name: &'n str,
        work: Option<&mut Work<'n>>,
        trail: Trail<'_>,
    ) -> Vec<Entity> {
        let facts = self.project.facts(file);
        let own: Vec<u32> = self.project.table(file).top(facts, name).collect();
        if !own.is_empty() {
            return own
                .into_iter()
                .map(|at| Entity::Definition(DefinitionId { file, at }))
                .collect();
        }
        let found = match work {
            Some(work) => {
                if let Some(known) = work.bindings.get(name) {
                    return known.clone();
                }
                work.wanted.insert(name);
                let giving = work
                    .globs
                    .iter()
                    .filter(|files| self.gives_all(files, name));
                let mut globs = giving.map(|files| self.exported(files, name));
                let found = globs.find(|found| !found.is_empty());
                let opened =
                    || Some(self.members(&work.opened, name)).filter(|found| !found.is_empty());
                found
                    .or_else(opened)
                    .or_else(|| self.in_namespaces(name, work))
            }
            None => self.through_imports(file, name, trail, Passing::All),
        };
        if let Some(found) = found {
            return found;
        }
        let Some(resolver) = self.resolvers.of(self.project, file) else {
            return Vec::new();
        };
        for other in resolver.visible(self.project, file) {
            let facts = self.project.facts(other);
            let table = self.project.table(other);
            let globals = table
                .top(facts, "global")
                .filter(|&at| facts.definitions[at as usize].kind == SymbolKind::Module);
            let seen: Vec<u32> = table
                .top(facts, name)
                .chain(globals.flat_map(|at| table.inside(facts, at, name)))
                .collect();
            if !seen.is_empty() {
                return seen
                    .into_iter()
                    .map(|at| Entity::Definition(DefinitionId { file: other, at }))
                    .collect();
            }
        }
        self.macro_called(file, name)
    }

    /// What an import means that leads through `path` from the module made of `files`.
    fn inside(
        &self,
        files: &[FileId],
        path: &[String],
        form: ImportForm,
        facts: &FileFacts,
        trail: Trail<'_>,
    ) -> Vec<Entity> {
        let mut holders = vec![Entity::Module(files.to_vec())];
        for name in path {
            holders = self.members_within(&holders, name, trail);
        }
        match form {
            ImportForm::Named(name) => self.members_within(&holders, facts.text(name), trail),
            _ => holders,
        }
    }

    /// A name of one of the namespaces that the file opens; the file it is found in is thereby imported.
    fn in_namespaces(&self, name: &str, work: &mut Work<'_>) -> Option<Vec<Entity>> {
        for (files, line) in work.namespaces.clone() {
            for &file in files {
                let found = self.exported(&[file], name);
                if !found.is_empty() {
                    work.link_files(&[file], line);
                    return Some(found);
                }
            }
        }
        None
    }

    /// What the module made of `files` calls `name` for others.
    pub(super) fn exported(&self, files: &[FileId], name: &str) -> Vec<Entity> {
        self.exported_within(files, name, Trail::new(&Cell::new(STEPS)))
    }

    fn exported_within(&self, files: &[FileId], name: &str, trail: Trail<'_>) -> Vec<Entity> {
        let Some(trail) = trail.deeper() else {
            return Vec::new();
        };
        for &file in files {
            let facts = self.project.facts(file);
            let Some(language) = self.project.language(file).get() else {
                continue;
            };
            let top = self.project.table(file).top(facts, name);
            let seen = |definition: &Definition| {
                !language.must_export() || definition.visibility == Visibility::Public
            };
            let own: Vec<Entity> = top
                .filter(|&at| seen(&facts.definitions[at as usize]))
                .map(|at| Entity::Definition(DefinitionId { file, at }))
                .collect();
            if !own.is_empty() {
                return own;
            }
            for export in facts
                .exports
                .iter()
                .filter(|export| facts.text(export.name) == name)
            {
                let local = facts.text(export.local);
                let found: Vec<Entity> = self
                    .project
                    .table(file)
                    .top(facts, local)
                    .map(|at| Entity::Definition(DefinitionId { file, at }))
                    .collect();
                if !found.is_empty() {
                    return found;
                }
                if let Some(found) = self.through_imports(file, local, trail, Passing::All) {
                    return found;
                }
            }
            if let Some(found) = self.through_imports(file, name, trail, Passing::Reexported) {
                return found;
            }
        }
        let resolver = files
            .first()
            .and_then(|&file| self.resolvers.of(self.project, file));
        let child = resolver.and_then(|resolver| resolver.child(self.project, files, name));
        match (child, files.first()) {
            (Some(files), _) => vec![Entity::Module(files)],
            (None, Some(&file)) => self.macro_exported(file, name),
            (None, None) => Vec::new(),
        }
    }

    fn through_imports(
        &self,
        file: FileId,
        name: &str,
        trail: Trail<'_>,
        passing: Passing,
    ) -> Option<Vec<Entity>> {
        let trail = trail.deeper()?;
        let facts = self.project.facts(file);
        let open = |reach: Reach| passing == Passing::All || reach != Reach::Private;
        let imports = || {
            facts
                .imports
                .iter()
                .enumerate()
                .filter(|(_, import)| open(import.reach))
        };
        let is_called = |local: Option<Name>| local.is_some_and(|local| facts.text(local) == name);
        // A name may be both a module and something in it that is given on.
        let (mut found, mut module) = (Vec::new(), Vec::new());
        for (at, import) in imports().filter(|(_, import)| is_called(import.local)) {
            match self.meaning(file, at) {
                Meaning::Module(files) | Meaning::Package(files) if module.is_empty() => {
                    module.push(Entity::Module(files.clone()));
                }
                Meaning::Inside(files, path) if found.is_empty() => {
                    found = self.inside(files, path, import.form, facts, trail);
                }
                Meaning::Name(files) if found.is_empty() => {
                    if let ImportForm::Named(name) = import.form {
                        found = self.exported_within(files, facts.text(name), trail);
                    }
                }
                _ => {}
            }
        }
        found.extend(module);
        if !found.is_empty() {
            return Some(found);
        }
        for (at, _) in imports().filter(|(_, import)| import.form == ImportForm::All) {
            if let Meaning::Inside(files, path) = self.meaning(file, at) {
                let holders = self.inside(files, path, ImportForm::Module, facts, trail);
                let found = self.members_within(&holders, name, trail);
                if !found.is_empty() {
                    return Some(found);
                }
            }
            if let Meaning::Module(files) = self.meaning(file, at)
                && !files.contains(&file)
                && self.gives_all(files, name)
            {
                let found = self.exported_within(files, name, trail);
                if !found.is_empty() {
                    return Some(found);
                }
            }
        }
        None
    }

    /// What `holders` call `name`: an export, a member, a member of a base, a member of the value's type.
    pub(super) fn members(&self, holders: &[Entity], name: &str) -> Vec<Entity> {
        self.members_within(holders, name, Trail::new(&Cell::new(STEPS)))
    }

    pub(super) fn members_within(
        &self,
        holders: &[Entity],
        name: &str,
        trail: Trail<'_>,
    ) -> Vec<Entity> {
        let mut found: Vec<Entity> = Vec::new();
        for holder in holders {
            let more = match holder {
                Entity::Module(files) => self.exported_within(files, name, trail),
                Entity::Definition(id) => self.member_of(*id, name, trail),
            };
            for entity in more {
                if !found.contains(&entity) {
                    found.push(entity);
                }
            }
        }
        found
    }

    pub(super) fn member_of(&self, id: DefinitionId, name: &str, trail: Trail<'_>) -> Vec<Entity> {
        let Some(trail) = trail.deeper() else {
            return Vec::new();
        };
        let facts = self.project.facts(id.file);
        let definition = &facts.definitions[id.at as usize];
        let own = self.own_members(id, name);
        if !own.is_empty() {
            return own;
        }
        if definition.kind == SymbolKind::Module {
            // What an inline module imports is kept with its file.
            return self
                .through_imports(id.file, name, trail, Passing::Reexported)
                .unwrap_or_default();
        }
        if definition.kind.is_type() {
            let mut all: Vec<Entity> = Vec::new();
            for base in self.bases(id, trail) {
                let found = self.member_of(base, name, trail);
                // A name for several types may be any of them; what a class inherits is the first.
                if definition.kind != SymbolKind::Type && !found.is_empty() {
                    return found;
                }
                all.extend(found);
            }
            if all.is_empty() {
                all = self.forwarded(id, name, trail);
            }
            if !all.is_empty() {
                all.dedup();
                return all;
            }
        }
        let types = self.value_type(id, trail);
        if types.is_empty() {
            Vec::new()
        } else {
            self.members_within(&types, name, trail)
        }
    }

    /// What stands in the body of a definition under `name`, or is added to it from outside.
    fn own_members(&self, id: DefinitionId, name: &str) -> Vec<Entity> {
        let facts = self.project.facts(id.file);
        let definition = &facts.definitions[id.at as usize];
        let owner = facts.text(definition.name);
        let table = self.project.table(id.file);
        let inside = table.inside(facts, id.at, name);
        let own: Vec<Entity> = inside
            .chain(table.owned(facts, owner, name))
            .map(|at| Entity::Definition(DefinitionId { file: id.file, at }))
            .collect();
        if !own.is_empty() || !definition.kind.is_type() {
            return own;
        }
        self.added_to(id.file, owner, name)
    }

    /// What the types that `id` forwards to call `name`.
    fn forwarded(&self, id: DefinitionId, name: &str, trail: Trail<'_>) -> Vec<Entity> {
        let language = self.project.language(id.file).get();
        let forwards = language.map_or(&[][..], |language| &language.forwards);
        if forwards.iter().any(|forward| forward.to == name) {
            return Vec::new();
        }
        let mut holders = forwards.iter().flat_map(|forward| {
            let named = self.own_members(id, &forward.to).into_iter();
            named.filter(|entity| self.is_promised_by(entity, &forward.by))
        });
        holders
            .find_map(|holder| {
                let found = self.members_within(&[holder], name, trail);
                (!found.is_empty()).then_some(found)
            })
            .unwrap_or_default()
    }

    /// Whether a member stands in the block that says that its type implements `interface`.
    fn is_promised_by(&self, member: &Entity, interface: &str) -> bool {
        let Entity::Definition(id) = member else {
            return false;
        };
        let facts = self.project.facts(id.file);
        let definition = &facts.definitions[id.at as usize];
        let owner = definition
            .owner
            .map(|owner| last_segment(facts.text(owner)));
        let before = facts.references.iter().filter(|reference| {
            let of = match reference.receiver {
                Receiver::Typed(of) => Some(last_segment(facts.text(of))),
                _ => None,
            };
            reference.kind == ReferenceKind::Implements
                && reference.line <= definition.first_line
                && of.is_some()
                && of == owner
        });
        let block = before.max_by_key(|reference| reference.line);
        block.is_some_and(|block| last_segment(facts.text(block.name)) == interface)
    }

    /// What a type extends and implements.
    pub(super) fn bases_of(&self, id: DefinitionId) -> Vec<DefinitionId> {
        self.bases(id, Trail::new(&Cell::new(STEPS)))
    }

    pub(super) fn bases(&self, id: DefinitionId, trail: Trail<'_>) -> Vec<DefinitionId> {
        let Some(trail) = trail.deeper() else {
            return Vec::new();
        };
        let facts = self.project.facts(id.file);
        let (mut bases, mut seen) = (Vec::new(), FxHashSet::default());
        for number in self.project.table(id.file).bases(id.at) {
            let reference = &facts.references[number as usize];
            let name = facts.text(reference.name);
            let found = match reference.receiver {
                Receiver::Path(path) => {
                    let holders = self.path_at_top(id.file, facts.text(path), trail);
                    self.members_within(&holders, name, trail)
                }
                Receiver::Typed(_) => self.path_at_top(id.file, name, trail),
                _ => self.at_top(id.file, name, None, trail),
            };
            for entity in found {
                if let Entity::Definition(base) = entity
                    && base != id
                    && seen.insert(base)
                {
                    bases.push(base);
                }
            }
        }
        bases
    }

    pub(super) fn path_at_top(&self, file: FileId, path: &str, trail: Trail<'_>) -> Vec<Entity> {
        let Some(language) = self.project.language(file).get() else {
            return Vec::new();
        };
        let segments = language.split(path);
        let Some((first, rest)) = segments.split_first() else {
            return Vec::new();
        };
        let Segment {
            name: first,
            applied,
        } = Segment::read(first);
        let mut current: Vec<Entity> = first
            .split('|')
            .flat_map(|name| self.at_top(file, name, None, trail))
            .collect();
        if current.is_empty()
            && let Some(resolver) = self.resolvers.of(self.project, file)
            && let Some(module) = resolver.root(self.project, file, first)
        {
            current = vec![Entity::Module(module)];
        }
        current = self.apply(current, applied, trail);
        for segment in rest {
            current = self.step_within(&current, segment, trail);
        }
        current
    }
}

/// What one look-up may cost, in steps; ordinary names need a few dozen.
pub(super) const STEPS: u32 = 20_000;
/// Re-exports, bases and types are followed this far.
const DEPTH: u8 = 16;

/// How far a look-up may still go: re-exports, bases and types can lead round in circles, and fan out while they do.
#[derive(Clone, Copy)]
pub(super) struct Trail<'t> {
    depth: u8,
    steps: &'t Cell<u32>,
}

impl<'t> Trail<'t> {
    pub(super) fn new(steps: &'t Cell<u32>) -> Self {
        Self {
            depth: DEPTH,
            steps,
        }
    }

    pub(super) fn deeper(self) -> Option<Self> {
        let left = self.steps.get().checked_sub(1)?;
        self.steps.set(left);
        Some(Self {
            depth: self.depth.checked_sub(1)?,
            steps: self.steps,
        })
    }
}

/// Which imports of a file are looked through.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Passing {
    /// Only those that importing files see.
    Reexported,
    All,
}
