//! Looking up a name: in the file, through its imports, on the type of a receiver, and last by name alone.

use std::cell::Cell;
use std::rc::Rc;

use crate::facts::{Name, Receiver, Reference, ReferenceKind, SymbolKind};
use crate::link::reach::{STEPS, Trail};
use crate::link::step::Segment;
use crate::link::{CANDIDATES, Work, sure};
use crate::project::{DefinitionId, FileId};

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

impl<'w> Work<'w> {
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
            Receiver::None => Found::new(self.in_scope(within, name, reference.kind), sure::NAMED),
            Receiver::Typed(_) if outside => {
                let is_path = self.language.split(name).len() > 1;
                let found = if is_path {
                    self.at_path(within, name)
                } else {
                    self.in_scope(within, name, reference.kind)
                };
                Found::new(found, sure::NAMED)
            }
            Receiver::Itself => {
                self.wanted.insert(name);
                Found::new(self.on_itself(within, name), sure::ITSELF)
            }
            Receiver::Parent => {
                self.wanted.insert(name);
                let around = self.type_around(within);
                let bases: Vec<Entity> = around
                    .into_iter()
                    .flat_map(|id| self.linker.bases_of(id))
                    .map(Entity::Definition)
                    .collect();
                Found::new(self.linker.members(&bases, name), sure::ITSELF)
            }
            Receiver::Path(path) => {
                self.wanted.insert(name);
                let holders = self.holders(within, path);
                let path = facts.text(path);
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
                    if path.contains(['.', '(']) {
                        sure::TYPED
                    } else {
                        sure::NAMED
                    },
                )
            }
            Receiver::Typed(path) => {
                self.wanted.insert(name);
                let holders = self.holders(within, path);
                if holders.is_empty() {
                    return Found::default();
                }
                Found::new(self.linker.members(&holders, name), sure::TYPED)
            }
            Receiver::Returned(callee) => {
                self.wanted.insert(name);
                let callees = self.holders(within, callee);
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
    fn in_scope(&mut self, within: Option<u32>, name: &'w str, kind: ReferenceKind) -> Vec<Entity> {
        let facts = self.facts;
        let table = self.linker.project.table(self.file);
        let mut around = within;
        let names_type = !matches!(kind, ReferenceKind::Use | ReferenceKind::Call);
        while let Some(at) = around {
            let definition = &facts.definitions[at as usize];
            if !definition.kind.is_type() || self.language.members_in_scope() {
                // A property is often called like its type.
                let seen = |at: &u32| {
                    let is_value = matches!(
                        facts.definitions[*at as usize].kind,
                        SymbolKind::Method | SymbolKind::Field
                    );
                    !is_value || (self.language.members_in_scope() && !names_type)
                };
                let inside: Vec<u32> = table.inside(facts, at, name).filter(seen).collect();
                if !inside.is_empty() {
                    return inside.into_iter().map(|at| self.own(at)).collect();
                }
            }
            around = definition.container;
        }
        let steps = Cell::new(STEPS);
        self.linker
            .at_top(self.file, name, Some(self), Trail::new(&steps))
    }

    fn own(&self, at: u32) -> Entity {
        Entity::Definition(DefinitionId {
            file: self.file,
            at,
        })
    }

    /// The type whose body or `impl` holds the definition `within`.
    pub(super) fn type_around(&mut self, within: Option<u32>) -> Option<DefinitionId> {
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
            let found = self.linker.members(&[Entity::Definition(id)], name);
            if !found.is_empty() {
                return found;
            }
        }
        // Where the same word also means the module around (`self::name`).
        let resolver = self.linker.resolvers.of(self.linker.project, self.file);
        if let Some(module) =
            resolver.and_then(|resolver| resolver.root(self.linker.project, self.file, "self"))
        {
            return self.linker.members(&[Entity::Module(module)], name);
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

    /// What a path of names means inside the definition `within`; many names stand behind the same path.
    fn holders(&mut self, within: Option<u32>, path: Name) -> Rc<[Entity]> {
        if let Some(known) = self.places.get(&(path, within)) {
            return Rc::clone(known);
        }
        let found: Rc<[Entity]> = self.at_path(within, self.facts.text(path)).into();
        self.places.insert((path, within), Rc::clone(&found));
        found
    }

    fn at_path(&mut self, within: Option<u32>, path: &'w str) -> Vec<Entity> {
        // `import a.b` is known by its whole path.
        if let Some(known) = self.bindings.get(path) {
            return known.clone();
        }
        let segments: Vec<&'w str> = self.language.split(path);
        let names = segments.iter().map(|segment| Segment::read(segment).name);
        self.wanted.extend(names.flat_map(|name| name.split('|')));
        let Some((&first, rest)) = segments.split_first() else {
            return Vec::new();
        };
        let mut start = 0;
        let Segment {
            name: first,
            applied,
        } = Segment::read(first);
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
                None => first
                    .split('|')
                    .flat_map(|name| self.in_scope(within, name, ReferenceKind::Use))
                    .collect(),
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
        if start == 0 {
            let steps = Cell::new(STEPS);
            current = self.linker.apply(current, applied, Trail::new(&steps));
        }
        for segment in &rest[start..] {
            if current.is_empty() {
                break;
            }
            current = self.linker.step(&current, segment);
        }
        current
    }
}

fn path_prefix<'t>(path: &'t str, segments: &[&'t str], count: usize) -> &'t str {
    let last = segments[count - 1];
    let end = last.as_ptr() as usize - path.as_ptr() as usize + last.len();
    &path[..end]
}
