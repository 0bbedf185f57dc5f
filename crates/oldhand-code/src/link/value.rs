//! The types of values: what calling something gives, what a field holds, what a parameter takes.

use std::cell::Cell;

use crate::facts::SymbolKind;
use crate::link::Linker;
use crate::link::lookup::Entity;
use crate::link::reach::{STEPS, Trail};
use crate::project::DefinitionId;

impl Linker<'_> {
    /// The types of what calling or reading `entities` gives: of overloads, the first that says so.
    pub(super) fn value_types(&self, entities: &[Entity]) -> Vec<Entity> {
        self.value_types_within(entities, Trail::new(&Cell::new(STEPS)))
    }

    pub(super) fn value_types_within(&self, entities: &[Entity], trail: Trail<'_>) -> Vec<Entity> {
        for entity in entities {
            if let Entity::Definition(id) = entity {
                let kind = self.project.facts(id.file).definitions[id.at as usize].kind;
                if matches!(
                    kind,
                    SymbolKind::Class | SymbolKind::Enum | SymbolKind::Interface
                ) {
                    return vec![entity.clone()];
                }
                let types = self.value_type(*id, trail);
                if !types.is_empty() {
                    return types;
                }
            }
        }
        // What a function gives back may be written out in it: then its members are that function's.
        let written_out = |entity: &&Entity| match entity {
            Entity::Definition(id) => {
                let facts = self.project.facts(id.file);
                let definition = &facts.definitions[id.at as usize];
                definition.kind == SymbolKind::Function && definition.value_type.is_none()
            }
            Entity::Module(_) => false,
        };
        entities.iter().filter(written_out).cloned().collect()
    }

    pub(super) fn value_type(&self, id: DefinitionId, trail: Trail<'_>) -> Vec<Entity> {
        let facts = self.project.facts(id.file);
        let definition = &facts.definitions[id.at as usize];
        let (Some(value_type), Some(trail)) = (definition.value_type, trail.deeper()) else {
            return Vec::new();
        };
        let path = facts.text(value_type);
        let Some(language) = self.project.language(id.file).get() else {
            return Vec::new();
        };
        // `Self`, or what a call on the value itself gives.
        let segments = language.split(path);
        if let Some((first, rest)) = segments.split_first()
            && language.itself.iter().any(|word| word == first)
        {
            let start = self.type_of_member(id, trail);
            return rest.iter().fold(start, |holders, segment| {
                self.members_within(&holders, segment, trail)
            });
        }
        let found = self.path_at_top(id.file, path, trail);
        // A thing that is its own type would be looked up forever.
        found
            .into_iter()
            .filter(|entity| *entity != Entity::Definition(id))
            .collect()
    }

    /// The types of the parameter with the number `at`, of overloads the first that says so; a name for a function type
    /// lends its parameters to what has that type.
    pub(super) fn parameter_types(
        &self,
        entities: &[Entity],
        at: usize,
        trail: Trail<'_>,
    ) -> Vec<Entity> {
        let Some(trail) = trail.deeper() else {
            return Vec::new();
        };
        let mut all = Vec::new();
        for entity in entities {
            let Entity::Definition(id) = entity else {
                continue;
            };
            let facts = self.project.facts(id.file);
            let definition = &facts.definitions[id.at as usize];
            let found = if let Some(parameters) = definition.parameters {
                let path = facts
                    .text(parameters)
                    .split(',')
                    .nth(at)
                    .unwrap_or_default();
                self.path_at_top(id.file, path, trail)
            } else if definition.kind == SymbolKind::Class {
                let made = self.member_of(*id, "constructor", trail);
                self.parameter_types(&made, at, trail)
            } else if definition.kind == SymbolKind::Type {
                let bases = self.bases(*id, trail).into_iter().map(Entity::Definition);
                self.parameter_types(&bases.collect::<Vec<_>>(), at, trail)
            } else {
                let types = self.value_type(*id, trail);
                self.parameter_types(&types, at, trail)
            };
            for entity in found {
                if !all.contains(&entity) {
                    all.push(entity);
                }
            }
        }
        all
    }

    /// The type that a member belongs to.
    fn type_of_member(&self, id: DefinitionId, trail: Trail<'_>) -> Vec<Entity> {
        let facts = self.project.facts(id.file);
        let definition = &facts.definitions[id.at as usize];
        match (definition.owner, definition.container) {
            (Some(owner), _) => self.path_at_top(id.file, facts.text(owner), trail),
            (None, Some(at)) => vec![Entity::Definition(DefinitionId { file: id.file, at })],
            (None, None) => Vec::new(),
        }
    }
}
