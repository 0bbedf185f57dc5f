//! Members that stand in for those of a base: overridden methods, and what a type has because an interface asks for it.

#[cfg(test)]
mod fixtures;

use rustc_hash::FxHashMap;

use super::{EdgeKind, Entity, Work, sure};
use crate::facts::{Receiver, ReferenceKind, SymbolKind};
use crate::project::{DefinitionId, last_segment};

/// What a block of members outside a type's body says that the type implements.
struct Promise {
    line: u32,
    interfaces: Vec<DefinitionId>,
}

/// The promises made for each type, first line first.
type Promises<'w> = FxHashMap<&'w str, Vec<Promise>>;

impl<'w> Work<'w> {
    /// Links each member to the members of the same name that its type inherits or promises to have.
    pub(super) fn link_overrides(&mut self) {
        if self.language.implements_by_shape() {
            return;
        }
        let facts = self.facts;
        let promises = self.promises();
        // What the type around a member stands on, by the definition around it or by its owner's name.
        let mut known: FxHashMap<(Option<u32>, Option<&str>), Vec<DefinitionId>> =
            FxHashMap::default();
        for (at, definition) in facts.definitions.iter().enumerate() {
            let name = facts.text(definition.name);
            let is_made = self.language.constructors.iter().any(|word| word == name);
            if !is_overridable(definition.kind) || is_made {
                continue;
            }
            let owner = definition
                .owner
                .map(|owner| last_segment(facts.text(owner)));
            let promised = owner
                .and_then(|owner| self.promised(&promises, owner, name, definition.first_line));
            let over = promised.unwrap_or_else(|| {
                let key = (definition.container, owner);
                let bases = known
                    .entry(key)
                    .or_insert_with(|| self.stands_on(at as u32));
                let bases = std::mem::take(bases);
                let over = self.inherited(&bases, name);
                known.insert(key, bases);
                over
            });
            for base in over {
                self.push_override(at as u32, base);
            }
        }
    }

    /// Which blocks outside a type's body say what they implement.
    fn promises(&mut self) -> Promises<'w> {
        let facts = self.facts;
        let mut promises = Promises::default();
        for reference in &facts.references {
            if let (ReferenceKind::Implements, Receiver::Typed(owner)) =
                (reference.kind, reference.receiver)
            {
                let found = self.find(reference).definitions.into_iter();
                let promise = Promise {
                    line: reference.line,
                    interfaces: found.map(|(id, _)| id).collect(),
                };
                let owner = last_segment(facts.text(owner));
                promises.entry(owner).or_default().push(promise);
            }
        }
        for made in promises.values_mut() {
            made.sort_by_key(|promise| promise.line);
        }
        promises
    }

    /// The member that the nearest block before `line`, which is the one around it, promises under that name.
    fn promised(
        &mut self,
        promises: &Promises<'w>,
        owner: &str,
        name: &'w str,
        line: u32,
    ) -> Option<Vec<DefinitionId>> {
        let made = promises.get(owner)?;
        let after = made.partition_point(|promise| promise.line <= line);
        let nearest = &made[after.checked_sub(1)?];
        let project = self.linker.project;
        self.wanted.insert(name);
        let members = nearest.interfaces.iter().flat_map(|&interface| {
            let facts = project.facts(interface.file);
            let inside = project
                .table(interface.file)
                .inside(facts, interface.at, name);
            inside.map(move |at| DefinitionId {
                file: interface.file,
                at,
            })
        });
        let members: Vec<DefinitionId> = members.collect();
        (!members.is_empty()).then_some(members)
    }

    /// What the type that the member `at` belongs to extends and implements; for a member of a value, the type of that value.
    fn stands_on(&mut self, at: u32) -> Vec<DefinitionId> {
        let facts = self.facts;
        let definition = &facts.definitions[at as usize];
        if definition.owner.is_some() {
            let holder = self.type_around(Some(at));
            return holder.map_or_else(Vec::new, |id| self.linker.bases_of(id));
        }
        let Some(container) = definition.container else {
            return Vec::new();
        };
        let holder = DefinitionId {
            file: self.file,
            at: container,
        };
        match facts.definitions[container as usize].kind {
            kind if kind.is_type() => self.linker.bases_of(holder),
            SymbolKind::Variable | SymbolKind::Constant => {
                let types = self.linker.value_types(&[Entity::Definition(holder)]);
                types
                    .into_iter()
                    .filter_map(|entity| match entity {
                        Entity::Definition(id) => Some(id),
                        Entity::Module(_) => None,
                    })
                    .collect()
            }
            _ => Vec::new(),
        }
    }

    /// What each of `bases` calls `name`.
    fn inherited(&mut self, bases: &[DefinitionId], name: &'w str) -> Vec<DefinitionId> {
        if bases.is_empty() {
            return Vec::new();
        }
        self.wanted.insert(name);
        let mut over = Vec::new();
        for &base in bases {
            let found = self.linker.members(&[Entity::Definition(base)], name);
            over.extend(found.into_iter().filter_map(|entity| match entity {
                Entity::Definition(id) => Some(id),
                Entity::Module(_) => None,
            }));
        }
        over
    }

    fn push_override(&mut self, at: u32, base: DefinitionId) {
        let own = DefinitionId {
            file: self.file,
            at,
        };
        let facts = self.linker.project.facts(base.file);
        let over = &facts.definitions[base.at as usize];
        if base == own || !is_overridable(over.kind) {
            return;
        }
        let is_interface = |facts: &crate::facts::FileFacts, container: Option<u32>| {
            container.is_some_and(|at| facts.definitions[at as usize].kind == SymbolKind::Interface)
        };
        let definition = &self.facts.definitions[at as usize];
        let kind = if is_interface(facts, over.container)
            && !is_interface(self.facts, definition.container)
        {
            EdgeKind::Implements
        } else {
            EdgeKind::Extends
        };
        let line = definition.first_line;
        self.push(Some(at), base.into(), kind, sure::ITSELF, line);
    }
}

/// Whether a member of this kind is looked up on the value at hand.
fn is_overridable(kind: SymbolKind) -> bool {
    matches!(kind, SymbolKind::Method | SymbolKind::Field)
}
