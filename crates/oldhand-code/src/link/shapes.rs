//! Types that implement an interface by having its methods, without saying so.

use rustc_hash::FxHashMap;

use super::{EdgeKind, Entity, Work};
use crate::facts::SymbolKind;
use crate::project::DefinitionId;

/// The methods agree by name and number of parameters; their types are not compared.
const CONFIDENCE: u8 = 80;
/// A method name that more interfaces have says little about which is meant.
const INTERFACES: usize = 12;
/// Interfaces inside interfaces are followed this far.
const DEPTH: u8 = 4;

impl<'w> Work<'w> {
    /// Links each method to the methods of interfaces that its type implements, and each type to those interfaces.
    pub(super) fn link_shapes(&mut self) {
        if !self.language.implements_by_shape() {
            return;
        }
        let facts = self.facts;
        for (at, definition) in facts.definitions.iter().enumerate() {
            if definition.kind != SymbolKind::Method || definition.owner.is_none() {
                continue;
            }
            let name = facts.text(definition.name);
            let Some(holder) = self.type_around(Some(at as u32)) else {
                continue;
            };
            for (_, method) in self.implemented(holder, name) {
                let (from, line) = (Some(at as u32), definition.first_line);
                self.push(from, method.into(), EdgeKind::Implements, CONFIDENCE, line);
            }
        }
        let methods = self.methods_by_owner();
        for (at, definition) in facts.definitions.iter().enumerate() {
            let is_type = definition.kind.is_type() && definition.kind != SymbolKind::Interface;
            let Some(names) = methods
                .get(facts.text(definition.name))
                .filter(|_| is_type && definition.container.is_none())
            else {
                continue;
            };
            let holder = DefinitionId {
                file: self.file,
                at: at as u32,
            };
            for name in names {
                for (interface, _) in self.implemented(holder, name) {
                    let (from, line) = (Some(at as u32), definition.first_line);
                    let to = interface.into();
                    self.push(from, to, EdgeKind::Implements, CONFIDENCE, line);
                }
            }
        }
    }

    /// Names of methods that this file and those that may add to its types write down, by the type they belong to.
    fn methods_by_owner(&self) -> FxHashMap<&'w str, Vec<&'w str>> {
        let linker = self.linker;
        let resolver = linker.resolvers.of(linker.project, self.file);
        let more = resolver.map(|resolver| resolver.extensions(linker.project, self.file));
        let mut files = more.unwrap_or_default();
        files.push(self.file);
        files.sort_unstable();
        files.dedup();
        let mut methods: FxHashMap<&str, Vec<&str>> = FxHashMap::default();
        for file in files {
            let facts = linker.project.facts(file);
            for definition in &facts.definitions {
                if let Some(owner) = definition.owner {
                    let names = methods.entry(facts.text(owner)).or_default();
                    names.push(facts.text(definition.name));
                }
            }
        }
        methods
    }

    /// The interfaces with a method called `name` that `holder` implements, with that method.
    fn implemented(
        &mut self,
        holder: DefinitionId,
        name: &'w str,
    ) -> Vec<(DefinitionId, DefinitionId)> {
        self.wanted.insert(name);
        let known = self.asking.get(name).cloned();
        let mut interfaces = known.unwrap_or_else(|| {
            let mut found = self.interfaces_with(name);
            if found.len() > INTERFACES {
                found.clear();
            }
            self.asking.insert(name, found.clone());
            found
        });
        interfaces.retain(|&(interface, _)| self.has_all(holder, interface, DEPTH));
        interfaces
    }

    /// Interfaces of this language that have a method called `name`, with that method.
    fn interfaces_with(&self, name: &str) -> Vec<(DefinitionId, DefinitionId)> {
        let project = self.linker.project;
        let members = project.members_called(name).into_iter();
        let found = members.filter_map(|method| {
            let facts = project.facts(method.file);
            let at = facts.definitions[method.at as usize].container?;
            let is_interface = facts.definitions[at as usize].kind == SymbolKind::Interface;
            let is_here = project.language(method.file) == project.language(self.file);
            let interface = DefinitionId {
                file: method.file,
                at,
            };
            (is_interface && is_here).then_some((interface, method))
        });
        found.collect()
    }

    /// Whether the type `holder` has every method of `interface`. Whatever could change that is asked for.
    fn has_all(&mut self, holder: DefinitionId, interface: DefinitionId, depth: u8) -> bool {
        let linker = self.linker;
        let facts = linker.project.facts(interface.file);
        self.wanted
            .insert(facts.text(facts.definitions[interface.at as usize].name));
        let methods = facts
            .definitions
            .iter()
            .filter(|method| method.container == Some(interface.at));
        let mut has_all = true;
        for method in methods {
            let name = facts.text(method.name);
            self.wanted.insert(name);
            let arity = parameters(facts.text(method.signature), name);
            let found = linker.members(&[Entity::Definition(holder)], name);
            has_all &= found.iter().any(|entity| match entity {
                Entity::Definition(id) => {
                    let facts = linker.project.facts(id.file);
                    let found = &facts.definitions[id.at as usize];
                    found.kind == SymbolKind::Method
                        && parameters(facts.text(found.signature), name) == arity
                }
                Entity::Module(_) => false,
            });
        }
        has_all
            && linker.bases_of(interface).into_iter().all(|base| {
                let facts = linker.project.facts(base.file);
                facts.definitions[base.at as usize].kind != SymbolKind::Interface
                    || depth > 0 && self.has_all(holder, base, depth - 1)
            })
    }
}

/// How many parameters a signature says behind `name`.
fn parameters(signature: &str, name: &str) -> usize {
    let opening = format!("{name}(");
    let Some(at) = signature.find(&opening) else {
        return 0;
    };
    let (mut depth, mut commas, mut is_empty) = (0_usize, 0, true);
    for c in signature[at + opening.len()..].chars() {
        match c {
            ')' if depth == 0 => break,
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth = depth.saturating_sub(1),
            ',' if depth == 0 => commas += 1,
            _ => {}
        }
        is_empty &= c.is_whitespace();
    }
    if is_empty { 0 } else { commas + 1 }
}
