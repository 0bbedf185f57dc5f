//! Looking up a name: in the file, through its imports, on the type of a receiver, and last by name alone.

use crate::facts::{
    Definition, ImportForm, Name, Reach, Receiver, Reference, ReferenceKind, SymbolKind, Visibility,
};
use crate::link::{CANDIDATES, Linker, Work, sure};
use crate::project::{DefinitionId, FileId};
use crate::resolve::Meaning;

/// What a name can stand for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Entity {
    Module(Vec<FileId>),
    Definition(DefinitionId),
}

/// The definitions a reference may mean, each with its confidence.
#[derive(Clone, Debug, Default)]
pub(super) struct Found {
    pub(super) definitions: Vec<(DefinitionId, u8)>,
}

impl Found {
    fn new(entities: Vec<Entity>, confidence: u8) -> Self {
        let ids: Vec<DefinitionId> = entities
            .into_iter()
            .filter_map(|entity| match entity {
                Entity::Definition(id) => Some(id),
                Entity::Module(_) => None,
            })
            .collect();
        Self {
            definitions: ids.into_iter().map(|id| (id, confidence)).collect(),
        }
    }
}

/// Re-exports, base types and aliases are followed this far; cycles end here too.
const DEPTH: u8 = 12;

impl Work<'_> {
    pub(super) fn find(&mut self, reference: &Reference) -> Found {
        let facts = self.facts;
        let name = facts.text(reference.name);
        let within = reference.within;
        // A type named in front of an outside `implements` is the source, not the receiver.
        let outside = matches!(
            reference.kind,
            ReferenceKind::Extends | ReferenceKind::Implements
        );
        match reference.receiver {
            Receiver::None => Found::new(self.in_scope(within, name), sure::NAMED),
            Receiver::Typed(_) if outside => Found::new(self.in_scope(within, name), sure::NAMED),
            Receiver::Itself => {
                self.wanted.insert(name);
                Found::new(self.on_itself(within, name), sure::ITSELF)
            }
            Receiver::Parent => {
                self.wanted.insert(name);
                let around = self.type_around(within);
                let bases: Vec<Entity> = around
                    .into_iter()
                    .flat_map(|id| self.linker.bases(id, DEPTH))
                    .map(Entity::Definition)
                    .collect();
                Found::new(self.linker.members(&bases, name), sure::ITSELF)
            }
            Receiver::Path(path) => {
                self.wanted.insert(name);
                let path = facts.text(path);
                let holders = self.at_path(within, path);
                if holders.is_empty() {
                    let head = self.split(path).next().unwrap_or(path);
                    // What comes from outside the project has no members in it.
                    return if self.bindings.contains_key(head) {
                        Found::default()
                    } else {
                        self.by_name(reference)
                    };
                }
                let members = self.linker.members(&holders, name);
                Found::new(
                    members,
                    if path.contains('.') {
                        sure::TYPED
                    } else {
                        sure::NAMED
                    },
                )
            }
            Receiver::Typed(path) => {
                self.wanted.insert(name);
                let path = facts.text(path);
                let holders = self.at_path(within, path);
                if holders.is_empty() {
                    return Found::default();
                }
                Found::new(self.linker.members(&holders, name), sure::TYPED)
            }
            Receiver::Returned(callee) => {
                self.wanted.insert(name);
                let callees = self.at_path(within, facts.text(callee));
                let types = self.linker.value_types(&callees);
                if types.is_empty() {
                    let outside =
                        callees.is_empty() && self.bindings.contains_key(facts.text(callee));
                    return if outside {
                        Found::default()
                    } else {
                        self.by_name(reference)
                    };
                }
                Found::new(self.linker.members(&types, name), sure::RETURNED)
            }
            Receiver::Unknown => self.by_name(reference),
        }
    }

    /// Everything in the project that has this member: a guess, kept only while there are few.
    fn by_name(&mut self, reference: &Reference) -> Found {
        let name = self.facts.text(reference.name);
        if reference.kind != ReferenceKind::Call || name.len() < 3 {
            return Found::default();
        }
        self.wanted.insert(name);
        let mut candidates = self.linker.project.members_called(name);
        let family = self
            .linker
            .resolvers
            .family(self.linker.project.language(self.file));
        candidates.retain(|id| {
            self.linker
                .resolvers
                .family(self.linker.project.language(id.file))
                == family
        });
        if candidates.is_empty() || candidates.len() > CANDIDATES {
            return Found::default();
        }
        let confidence = sure::UNIQUE / candidates.len() as u8;
        Found {
            definitions: candidates.into_iter().map(|id| (id, confidence)).collect(),
        }
    }

    /// What a bare `name` means inside the definition `within`.
    fn in_scope(&mut self, within: Option<u32>, name: &str) -> Vec<Entity> {
        let facts = self.facts;
        let table = self.linker.project.table(self.file);
        let mut around = within;
        while let Some(at) = around {
            let definition = &facts.definitions[at as usize];
            if !definition.kind.is_type() || self.language.members_in_scope() {
                let inside: Vec<u32> = table.inside(facts, at, name).collect();
                if !inside.is_empty() {
                    return inside.into_iter().map(|at| self.own(at)).collect();
                }
            }
            around = definition.container;
        }
        self.linker.at_top(self.file, name, Some(self))
    }

    fn own(&self, at: u32) -> Entity {
        Entity::Definition(DefinitionId {
            file: self.file,
            at,
        })
    }

    /// The type whose body or `impl` holds the definition `within`.
    fn type_around(&mut self, within: Option<u32>) -> Option<DefinitionId> {
        let facts = self.facts;
        let mut around = within;
        while let Some(at) = around {
            let definition = &facts.definitions[at as usize];
            if let Some(owner) = definition.owner {
                let found = self.at_path(definition.container, facts.text(owner));
                return found.into_iter().find_map(|entity| match entity {
                    Entity::Definition(id) => Some(id),
                    Entity::Module(_) => None,
                });
            }
            if definition.kind.is_type() {
                return Some(DefinitionId {
                    file: self.file,
                    at,
                });
            }
            around = definition.container;
        }
        None
    }

    fn on_itself(&mut self, within: Option<u32>, name: &str) -> Vec<Entity> {
        if let Some(id) = self.type_around(within) {
            return self.linker.members(&[Entity::Definition(id)], name);
        }
        // `this` in an object with a name: its members are contained in the object's definition.
        let Some(container) = within.and_then(|at| self.facts.definitions[at as usize].container)
        else {
            return Vec::new();
        };
        let table = self.linker.project.table(self.file);
        table
            .inside(self.facts, container, name)
            .map(|at| self.own(at))
            .collect()
    }

    fn split<'t>(&self, path: &'t str) -> std::vec::IntoIter<&'t str> {
        self.language.split(path).into_iter()
    }

    /// What a path of names means inside the definition `within`.
    fn at_path(&mut self, within: Option<u32>, path: &str) -> Vec<Entity> {
        // `import a.b` is known by its whole path.
        if let Some(known) = self.bindings.get(path) {
            return known.clone();
        }
        let segments: Vec<&str> = self.language.split(path);
        let Some((&first, rest)) = segments.split_first() else {
            return Vec::new();
        };
        let mut start = 0;
        let mut current = if self.language.itself.iter().any(|word| word == first) {
            self.type_around(within)
                .map(Entity::Definition)
                .into_iter()
                .collect()
        } else {
            let longest = (2..=segments.len()).rev().find_map(|count| {
                let prefix = path_prefix(path, &segments, count);
                self.bindings
                    .get(prefix)
                    .map(|known| (known.clone(), count - 1))
            });
            match longest {
                Some((known, count)) => {
                    start = count;
                    known
                }
                None => self.in_scope(within, first),
            }
        };
        if current.is_empty()
            && let Some(module) = self
                .linker
                .resolvers
                .of(self.linker.project, self.file)
                .and_then(|resolver| resolver.root(self.linker.project, self.file, first))
        {
            current = vec![Entity::Module(module)];
        }
        for segment in &rest[start..] {
            if current.is_empty() {
                break;
            }
            current = self.linker.members(&current, segment);
        }
        current
    }
}

fn path_prefix<'t>(path: &'t str, segments: &[&'t str], count: usize) -> &'t str {
    let last = segments[count - 1];
    let end = last.as_ptr() as usize - path.as_ptr() as usize + last.len();
    &path[..end]
}

impl Linker<'_> {
    /// What `name` means at the top of `file`; `work` is given while that very file is being linked.
    pub(super) fn at_top(
        &self,
        file: FileId,
        name: &str,
        work: Option<&mut Work<'_>>,
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
                let globs = std::mem::take(&mut work.globs);
                let found = globs
                    .iter()
                    .map(|files| self.exported(files, name))
                    .find(|found| !found.is_empty());
                work.globs = globs;
                found
            }
            None => self.through_imports(file, name, DEPTH, Passing::All),
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
        Vec::new()
    }

    /// What the module made of `files` calls `name` for others.
    pub(super) fn exported(&self, files: &[FileId], name: &str) -> Vec<Entity> {
        self.exported_within(files, name, DEPTH)
    }

    fn exported_within(&self, files: &[FileId], name: &str, depth: u8) -> Vec<Entity> {
        if depth == 0 {
            return Vec::new();
        }
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
                if let Some(found) = self.through_imports(file, local, depth - 1, Passing::All) {
                    return found;
                }
            }
            if let Some(found) = self.through_imports(file, name, depth - 1, Passing::Reexported) {
                return found;
            }
        }
        let resolver = files
            .first()
            .and_then(|&file| self.resolvers.of(self.project, file));
        let child = resolver.and_then(|resolver| resolver.child(self.project, files, name));
        child.map_or_else(Vec::new, |files| vec![Entity::Module(files)])
    }

    fn through_imports(
        &self,
        file: FileId,
        name: &str,
        depth: u8,
        passing: Passing,
    ) -> Option<Vec<Entity>> {
        if depth == 0 {
            return None;
        }
        let facts = self.project.facts(file);
        let open = |reach: Reach| passing == Passing::All || reach == Reach::Reexported;
        let imports = || {
            facts
                .imports
                .iter()
                .enumerate()
                .filter(|(_, import)| open(import.reach))
        };
        let is_called = |local: Option<Name>| local.is_some_and(|local| facts.text(local) == name);
        for (at, import) in imports().filter(|(_, import)| is_called(import.local)) {
            match self.meaning(file, at) {
                Meaning::Module(files) => return Some(vec![Entity::Module(files.clone())]),
                Meaning::Name(files) => {
                    if let ImportForm::Named(name) = import.form {
                        let found = self.exported_within(files, facts.text(name), depth - 1);
                        if !found.is_empty() {
                            return Some(found);
                        }
                    }
                }
                Meaning::External(_) | Meaning::Unresolved => {}
            }
        }
        for (at, _) in imports().filter(|(_, import)| import.form == ImportForm::All) {
            if let Meaning::Module(files) = self.meaning(file, at)
                && !files.contains(&file)
            {
                let found = self.exported_within(files, name, depth - 1);
                if !found.is_empty() {
                    return Some(found);
                }
            }
        }
        None
    }

    /// What `holders` call `name`: an export, a member, a member of a base, a member of the value's type.
    pub(super) fn members(&self, holders: &[Entity], name: &str) -> Vec<Entity> {
        self.members_within(holders, name, DEPTH)
    }

    fn members_within(&self, holders: &[Entity], name: &str, depth: u8) -> Vec<Entity> {
        let mut found: Vec<Entity> = Vec::new();
        for holder in holders {
            let more = match holder {
                Entity::Module(files) => self.exported_within(files, name, depth),
                Entity::Definition(id) => self.member_of(*id, name, depth),
            };
            for entity in more {
                if !found.contains(&entity) {
                    found.push(entity);
                }
            }
        }
        found
    }

    fn member_of(&self, id: DefinitionId, name: &str, depth: u8) -> Vec<Entity> {
        if depth == 0 {
            return Vec::new();
        }
        let facts = self.project.facts(id.file);
        let definition = &facts.definitions[id.at as usize];
        let table = self.project.table(id.file);
        let inside = table.inside(facts, id.at, name).chain(table.owned(
            facts,
            facts.text(definition.name),
            name,
        ));
        let own: Vec<Entity> = inside
            .map(|at| Entity::Definition(DefinitionId { file: id.file, at }))
            .collect();
        if !own.is_empty() {
            return own;
        }
        if definition.kind.is_type() {
            let resolver = self.resolvers.of(self.project, id.file);
            for file in resolver
                .map(|resolver| resolver.extensions(self.project, id.file))
                .unwrap_or_default()
            {
                let others = self.project.facts(file);
                let table = self.project.table(file);
                let owned = table.owned(others, facts.text(definition.name), name);
                let owned: Vec<Entity> = owned
                    .map(|at| Entity::Definition(DefinitionId { file, at }))
                    .collect();
                if !owned.is_empty() {
                    return owned;
                }
            }
            for base in self.bases(id, depth - 1) {
                let found = self.member_of(base, name, depth - 1);
                if !found.is_empty() {
                    return found;
                }
            }
        }
        let types = self.value_type(id, depth - 1);
        if types.is_empty() {
            Vec::new()
        } else {
            self.members_within(&types, name, depth - 1)
        }
    }

    /// What a type extends and implements.
    pub(super) fn bases(&self, id: DefinitionId, depth: u8) -> Vec<DefinitionId> {
        if depth == 0 {
            return Vec::new();
        }
        let facts = self.project.facts(id.file);
        let mut bases = Vec::new();
        for number in self.project.table(id.file).bases(id.at) {
            let reference = &facts.references[number as usize];
            let name = facts.text(reference.name);
            let found = match reference.receiver {
                Receiver::Path(path) => {
                    let holders = self.path_at_top(id.file, facts.text(path));
                    self.members_within(&holders, name, depth - 1)
                }
                _ => self.at_top(id.file, name, None),
            };
            for entity in found {
                if let Entity::Definition(base) = entity
                    && base != id
                {
                    bases.push(base);
                }
            }
        }
        bases
    }

    /// The types of what calling or reading each of `entities` gives.
    pub(super) fn value_types(&self, entities: &[Entity]) -> Vec<Entity> {
        let mut types = Vec::new();
        for entity in entities {
            if let Entity::Definition(id) = entity {
                let kind = self.project.facts(id.file).definitions[id.at as usize].kind;
                if kind == SymbolKind::Class {
                    types.push(entity.clone());
                } else {
                    types.extend(self.value_type(*id, DEPTH));
                }
            }
        }
        types
    }

    fn value_type(&self, id: DefinitionId, depth: u8) -> Vec<Entity> {
        let facts = self.project.facts(id.file);
        let definition = &facts.definitions[id.at as usize];
        let Some(value_type) = definition.value_type.filter(|_| depth > 0) else {
            return Vec::new();
        };
        let path = facts.text(value_type);
        let found = self.path_at_top(id.file, path);
        // A thing that is its own type would be looked up forever.
        found
            .into_iter()
            .filter(|entity| *entity != Entity::Definition(id))
            .collect()
    }

    fn path_at_top(&self, file: FileId, path: &str) -> Vec<Entity> {
        let Some(language) = self.project.language(file).get() else {
            return Vec::new();
        };
        let segments = language.split(path);
        let Some((first, rest)) = segments.split_first() else {
            return Vec::new();
        };
        let mut current = self.at_top(file, first, None);
        if current.is_empty()
            && let Some(resolver) = self.resolvers.of(self.project, file)
            && let Some(module) = resolver.root(self.project, file, first)
        {
            current = vec![Entity::Module(module)];
        }
        for segment in rest {
            current = self.members(&current, segment);
        }
        current
    }
}

/// Which imports of a file are looked through.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Passing {
    /// Only those that importing files see.
    Reexported,
    All,
}
