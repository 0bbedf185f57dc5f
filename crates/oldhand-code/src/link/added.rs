//! Members that other files add to a type from outside its body: the `impl` blocks of a crate, the methods of a Go package.

use super::{Added, Linker};
use crate::facts::SymbolKind;
use crate::link::lookup::Entity;
use crate::project::{DefinitionId, FileId, hash_of, last_segment};

impl Linker<'_> {
    /// What other files add under `name` to the type called `owner` that `file` defines: of several files the first that does.
    pub(super) fn added_to(&self, file: FileId, owner: &str, name: &str) -> Vec<Entity> {
        let Some(resolver) = self.resolvers.of(self.project, file) else {
            return Vec::new();
        };
        if let Some(whole) = resolver.whole(self.project, file) {
            let added = self.added[whole.0 as usize].get_or_init(|| {
                let mut files = resolver.extensions(self.project, whole);
                files.push(whole);
                self.sort_added(&files)
            });
            let found = added
                .get(&hash_of(&(owner, name)))
                .map_or(&[][..], Vec::as_slice);
            let is_it =
                |id: &&DefinitionId| id.file != file && self.names_of(**id) == (owner, name);
            let mut others = found.iter().filter(is_it).peekable();
            let first = others.peek().map(|id| id.file);
            return others
                .filter(|id| Some(id.file) == first)
                .map(|id| Entity::Definition(*id))
                .collect();
        }
        let mut others = resolver.extensions(self.project, file).into_iter();
        others
            .find_map(|file| {
                let facts = self.project.facts(file);
                let owned = self.project.table(file).owned(facts, owner, name);
                let owned: Vec<Entity> = owned
                    .map(|at| Entity::Definition(DefinitionId { file, at }))
                    .collect();
                (!owned.is_empty()).then_some(owned)
            })
            .unwrap_or_default()
    }

    fn sort_added(&self, files: &[FileId]) -> Added {
        let mut added = Added::default();
        let mut files = files.to_vec();
        files.sort_unstable();
        for file in files {
            let facts = self.project.facts(file);
            for (at, definition) in facts.definitions.iter().enumerate() {
                if definition.owner.is_some() && definition.kind != SymbolKind::Test {
                    let at = at as u32;
                    let id = DefinitionId { file, at };
                    let (owner, name) = self.names_of(id);
                    added.entry(hash_of(&(owner, name))).or_default().push(id);
                }
            }
        }
        added
    }

    /// The type that a definition is added to, and its own name.
    fn names_of(&self, id: DefinitionId) -> (&str, &str) {
        let facts = self.project.facts(id.file);
        let definition = &facts.definitions[id.at as usize];
        let owner = definition.owner.map_or("", |owner| facts.text(owner));
        (last_segment(owner), facts.text(definition.name))
    }
}
