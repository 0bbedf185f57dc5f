//! Single steps of a look-up: one name along a path, a macro seen from afar, what a star import brings in.

use std::cell::Cell;

use crate::facts::{SymbolKind, Visibility};
use crate::language::Language;
use crate::link::Linker;
use crate::link::lookup::Entity;
use crate::link::reach::{STEPS, Trail};
use crate::project::{DefinitionId, FileId};

/// One name of a path, and what is done with it.
pub(super) struct Segment<'t> {
    pub(super) name: &'t str,
    /// Pairs of brackets: empty for a call, with a number for the type of that parameter.
    pub(super) applied: &'t str,
}

impl<'t> Segment<'t> {
    pub(super) fn read(text: &'t str) -> Self {
        let (name, applied) = text.split_at(text.find('(').unwrap_or(text.len()));
        Self { name, applied }
    }
}

impl Linker<'_> {
    /// A macro that its crate gives to others, wherever it stands.
    pub(super) fn macro_exported(&self, root: FileId, name: &str) -> Vec<Entity> {
        let mut found = self.macro_called(root, name);
        found.retain(|entity| match entity {
            Entity::Definition(id) => {
                let definition = &self.project.facts(id.file).definitions[id.at as usize];
                definition.visibility == Visibility::Public
            }
            Entity::Module(_) => false,
        });
        found
    }

    /// A macro that is seen without being imported.
    pub(super) fn macro_called(&self, file: FileId, name: &str) -> Vec<Entity> {
        let resolver = self.resolvers.of(self.project, file);
        let found = resolver.and_then(|resolver| resolver.macro_file(self.project, file, name));
        let Some(other) = found else {
            return Vec::new();
        };
        let facts = self.project.facts(other);
        let is_it = |at: &u32| {
            let definition = &facts.definitions[*at as usize];
            definition.kind == SymbolKind::Macro && facts.text(definition.name) == name
        };
        let all = 0..facts.definitions.len() as u32;
        all.filter(is_it)
            .map(|at| Entity::Definition(DefinitionId { file: other, at }))
            .collect()
    }

    /// Whether importing everything from the module made of `files` brings in `name`: a list of exports names what it
    /// does, and without one a leading underscore hides.
    pub(super) fn gives_all(&self, files: &[FileId], name: &str) -> bool {
        files.iter().any(|&file| {
            let facts = self.project.facts(file);
            let language = self.project.language(file).get();
            if !language.is_some_and(Language::hides_underscores) {
                return true;
            }
            let mut exports = facts.exports.iter();
            if facts.exports.is_empty() {
                !name.starts_with('_')
            } else {
                exports.any(|export| facts.text(export.name) == name)
            }
        })
    }

    /// One name further along a path; the value of a call when the name is called.
    pub(super) fn step(&self, holders: &[Entity], segment: &str) -> Vec<Entity> {
        self.step_within(holders, segment, Trail::new(&Cell::new(STEPS)))
    }

    pub(super) fn step_within(
        &self,
        holders: &[Entity],
        segment: &str,
        trail: Trail<'_>,
    ) -> Vec<Entity> {
        let Segment { name, applied } = Segment::read(segment);
        let members = self.members_within(holders, name, trail);
        if members.is_empty() && self.passes_on(holders, name) {
            return holders.to_vec();
        }
        self.apply(members, applied, trail)
    }

    /// What calling `entities`, or taking a parameter of theirs, gives: `()`, `(0)`, `()(1)`.
    pub(super) fn apply(
        &self,
        mut entities: Vec<Entity>,
        applied: &str,
        trail: Trail<'_>,
    ) -> Vec<Entity> {
        for part in applied.split_terminator(')') {
            let number = part.trim_start_matches('(');
            entities = match number.parse() {
                Ok(at) => self.parameter_types(&entities, at, trail),
                Err(_) => self.value_types_within(&entities, trail),
            };
        }
        entities
    }

    /// Whether calling `name` gives what it is called on (`unwrap`, `clone`).
    pub(super) fn passes_on(&self, holders: &[Entity], name: &str) -> bool {
        let language = holders.iter().find_map(|holder| match holder {
            Entity::Definition(id) => self.project.language(id.file).get(),
            Entity::Module(_) => None,
        });
        language.is_some_and(|language| language.passing.iter().any(|word| word == name))
    }
}
