//! Rust: crates of `Cargo.toml`, modules as files, and `use` paths that start at `crate`, `self`, `super` or a crate's name.

#[cfg(test)]
mod fixtures;

use rustc_hash::FxHashMap;

use crate::facts::{FileFacts, Import, ImportForm, Reach, SymbolKind};
use crate::problem::{Problem, ProblemKind};
use crate::project::{FileId, Project, join, parent};
use crate::resolve::{Meaning, Resolver};

pub(super) struct Rust {
    /// The library of each crate, by the name code uses for it.
    libraries: FxHashMap<String, FileId>,
    /// The root file of the crate that each file belongs to.
    roots: FxHashMap<FileId, FileId>,
    /// All files of a crate, by its root.
    members: FxHashMap<FileId, Vec<FileId>>,
    /// Where the macros of each crate stand, by its root.
    macros: FxHashMap<FileId, FxHashMap<String, FileId>>,
}

impl Rust {
    pub(super) fn new(project: &Project<'_>, problems: &mut Vec<Problem>) -> Self {
        let mut rust = Self {
            libraries: FxHashMap::default(),
            roots: FxHashMap::default(),
            members: FxHashMap::default(),
            macros: FxHashMap::default(),
        };
        let mut starts: Vec<FileId> = Vec::new();
        let mut packages: FxHashMap<String, FileId> = FxHashMap::default();
        let mut renamed: Vec<(String, String)> = Vec::new();
        for manifest in project
            .manifests()
            .iter()
            .filter(|manifest| manifest.file_name() == "Cargo.toml")
        {
            let table: toml::Table = match toml::from_str(&manifest.text) {
                Ok(table) => table,
                Err(error) => {
                    let detail = format!("not understood: {}", error.message());
                    problems.push(Problem {
                        path: manifest.path.clone(),
                        kind: ProblemKind::Manifest,
                        detail,
                    });
                    continue;
                }
            };
            let text =
                |section: &str, key: &str| Some(table.get(section)?.get(key)?.as_str()?.to_owned());
            renames(&table, &mut renamed);
            let Some(name) = text("package", "name") else {
                continue;
            };
            let at =
                |path: &str| join(manifest.folder(), path).and_then(|path| project.find(&path));
            let library = text("lib", "path")
                .and_then(|path| at(&path))
                .or_else(|| at("src/lib.rs"));
            if let Some(library) = library {
                let called = text("lib", "name")
                    .unwrap_or_else(|| name.clone())
                    .replace('-', "_");
                packages.insert(name, library);
                rust.libraries.insert(called, library);
                starts.push(library);
            }
            starts.extend(at("src/main.rs"));
            starts.extend(at("build.rs"));
            for section in ["bin", "example", "test", "bench"] {
                let named = table
                    .get(section)
                    .and_then(toml::Value::as_array)
                    .into_iter()
                    .flatten();
                starts.extend(named.filter_map(|target| at(target.get("path")?.as_str()?)));
            }
            for folder in ["src/bin", "examples", "tests", "benches"] {
                let Some(folder) = join(manifest.folder(), folder) else {
                    continue;
                };
                starts.extend(
                    project
                        .folder(&folder)
                        .iter()
                        .filter(|&&file| is_rust(project, file)),
                );
                let inner = project.files().filter(|&file| {
                    let path = project.path(file);
                    path.ends_with("/main.rs") && parent(parent(path)) == folder
                });
                starts.extend(inner);
            }
        }
        for (called, package) in renamed {
            if let Some(&library) = packages.get(&package) {
                rust.libraries
                    .entry(called.replace('-', "_"))
                    .or_insert(library);
            }
        }
        for start in starts {
            rust.claim(project, start);
        }
        // A file that no crate declares is a crate of its own folder as far as anyone can tell.
        for file in project.files().filter(|&file| is_rust(project, file)) {
            if !rust.roots.contains_key(&file) {
                let root = parent_module(project, file)
                    .and_then(|around| rust.roots.get(&around).copied());
                rust.roots.insert(file, root.unwrap_or(file));
            }
        }
        rust
    }

    /// Gives every file that `root` declares, through any number of `mod` lines, to that crate.
    fn claim(&mut self, project: &Project<'_>, root: FileId) {
        let mut waiting = vec![root];
        while let Some(file) = waiting.pop() {
            // A module declared by both the library and the program counts for the library, which comes first.
            if self.roots.contains_key(&file) {
                continue;
            }
            self.roots.insert(file, root);
            self.members.entry(root).or_default().push(file);
            let facts = project.facts(file);
            for definition in facts
                .definitions
                .iter()
                .filter(|definition| definition.kind == SymbolKind::Macro)
            {
                let known = self.macros.entry(root).or_default();
                known
                    .entry(facts.text(definition.name).to_owned())
                    .or_insert(file);
            }
            waiting.extend(children(project, file, root));
        }
    }

    fn root_of(&self, file: FileId) -> FileId {
        self.roots.get(&file).copied().unwrap_or(file)
    }

    /// The module file that the first of `names` means, and what is left of them.
    fn start<'n>(
        &self,
        project: &Project<'_>,
        file: FileId,
        inline: usize,
        names: &'n [&'n str],
    ) -> Option<(FileId, &'n [&'n str])> {
        let (&first, rest) = names.split_first()?;
        match first {
            "crate" | "$crate" => Some((self.root_of(file), rest)),
            "self" => Some((file, rest)),
            "super" => {
                let count = names.iter().take_while(|name| **name == "super").count();
                let mut at = file;
                // The first ones leave modules that are written inside this very file.
                for _ in inline..count {
                    at = parent_module(project, at)?;
                }
                Some((at, &names[count..]))
            }
            name => {
                if let Some(child) = child_module(project, file, name, self.root_of(file)) {
                    return Some((child, rest));
                }
                if binds(project, file, name) {
                    return Some((file, names));
                }
                Some((*self.libraries.get(name)?, rest))
            }
        }
    }
}

impl Resolver for Rust {
    fn import(
        &self,
        project: &Project<'_>,
        file: FileId,
        facts: &FileFacts,
        import: &Import,
    ) -> Meaning {
        let source = facts.text(import.source);
        if is_path(source) {
            let found = at_path(project, file, source);
            return found.map_or(Meaning::Unresolved, |found| Meaning::Module(vec![found]));
        }
        let names: Vec<&str> = source
            .split("::")
            .map(str::trim)
            .filter(|name| !name.is_empty())
            .collect();
        let outside = || Meaning::External(names.first().map_or(source, |name| *name).to_owned());
        let inline = facts
            .definitions
            .iter()
            .filter(|definition| definition.kind == SymbolKind::Module)
            .filter(|definition| {
                definition.first_line <= import.line && import.line <= definition.last_line
            })
            .count();
        if names.is_empty() {
            // `use {a, b}`: the name itself is the module.
            let name = match import.form {
                ImportForm::Named(name) => facts.text(name),
                _ => return Meaning::Unresolved,
            };
            return self.libraries.get(name).map_or_else(
                || Meaning::External(name.to_owned()),
                |&file| Meaning::Module(vec![file]),
            );
        }
        let Some((mut module, mut rest)) = self.start(project, file, inline, &names) else {
            return outside();
        };
        while let Some((&name, later)) = rest.split_first() {
            let Some(child) = child_module(project, module, name, self.root_of(module)) else {
                break;
            };
            (module, rest) = (child, later);
        }
        if !rest.is_empty() {
            return Meaning::Inside(
                vec![module],
                rest.iter().map(|name| (*name).to_owned()).collect(),
            );
        }
        match import.form {
            ImportForm::Named(name) => {
                let name = facts.text(name);
                let defines = gives(project, module, name);
                match child_module(project, module, name, self.root_of(module)).filter(|_| !defines)
                {
                    Some(child) => Meaning::Module(vec![child]),
                    None => Meaning::Name(vec![module]),
                }
            }
            ImportForm::Module | ImportForm::All | ImportForm::Effect => {
                Meaning::Module(vec![module])
            }
        }
    }

    fn root(&self, project: &Project<'_>, file: FileId, name: &str) -> Option<Vec<FileId>> {
        match name {
            "crate" | "$crate" => Some(vec![self.root_of(file)]),
            "self" => Some(vec![file]),
            // Inside an inline module `super` is this very file.
            "super" => Some(
                parent_module(project, file)
                    .into_iter()
                    .chain([file])
                    .collect(),
            ),
            name => self.libraries.get(name).map(|&library| vec![library]),
        }
    }

    fn child(&self, project: &Project<'_>, module: &[FileId], name: &str) -> Option<Vec<FileId>> {
        let mut found = module
            .iter()
            .filter_map(|&file| child_module(project, file, name, self.root_of(file)));
        found.next().map(|file| vec![file])
    }

    fn macro_file(&self, _: &Project<'_>, file: FileId, name: &str) -> Option<FileId> {
        self.macros.get(&self.root_of(file))?.get(name).copied()
    }

    fn extensions(&self, _: &Project<'_>, file: FileId) -> Vec<FileId> {
        let members = self.members.get(&self.root_of(file));
        members
            .into_iter()
            .flatten()
            .copied()
            .filter(|&other| other != file)
            .collect()
    }

    fn whole(&self, _: &Project<'_>, file: FileId) -> Option<FileId> {
        Some(self.root_of(file))
    }
}

/// Dependencies that a manifest calls otherwise than their packages, wherever it lists them.
fn renames(table: &toml::Table, found: &mut Vec<(String, String)>) {
    for (section, value) in table {
        let Some(inner) = value.as_table() else {
            continue;
        };
        if !section.ends_with("dependencies") {
            // `[workspace]`, `[target.'cfg(unix)']`: dependencies stand one or two tables further in.
            renames(inner, found);
            continue;
        }
        for (called, dependency) in inner {
            if let Some(package) = dependency.get("package").and_then(toml::Value::as_str) {
                found.push((called.clone(), package.to_owned()));
            }
        }
    }
}

/// The file that an attribute names for the module `name` of `file` (`#[path = "other.rs"] mod name;`).
fn module_at_path(project: &Project<'_>, file: FileId, name: &str) -> Option<FileId> {
    let facts = project.facts(file);
    let named = facts.imports.iter().filter(|import| {
        import.form == ImportForm::Module
            && import.local.is_some_and(|local| facts.text(local) == name)
    });
    let mut sources = named.map(|import| facts.text(import.source));
    let source = sources.find(|source| is_path(source))?;
    at_path(project, file, source)
}

fn at_path(project: &Project<'_>, file: FileId, source: &str) -> Option<FileId> {
    project.find(&join(parent(project.path(file)), source)?)
}

fn is_path(source: &str) -> bool {
    source.strip_suffix(".rs").is_some()
}

/// Whether something at the top of `file` is called `name`.
fn binds(project: &Project<'_>, file: FileId, name: &str) -> bool {
    let facts = project.facts(file);
    let is_local = |import: &Import| {
        import.local.is_some_and(|local| facts.text(local) == name)
            && facts.text(import.source) != name
    };
    project.table(file).top(facts, name).next().is_some() || facts.imports.iter().any(is_local)
}

/// Whether `module` defines `name` or gives it on while it keeps a module of that name to itself.
fn gives(project: &Project<'_>, module: FileId, name: &str) -> bool {
    let facts = project.facts(module);
    let called = || {
        let is_it = |import: &&Import| import.local.is_some_and(|local| facts.text(local) == name);
        facts.imports.iter().filter(is_it)
    };
    let is_open = called()
        .any(|import| import.form == ImportForm::Module && import.reach == Reach::Reexported);
    let is_given = called().any(|import| matches!(import.form, ImportForm::Named(_)));
    project.table(module).top(facts, name).next().is_some() || (is_given && !is_open)
}

/// Module files that `file` declares.
fn children(project: &Project<'_>, file: FileId, root: FileId) -> Vec<FileId> {
    let facts = project.facts(file);
    let declared = facts
        .imports
        .iter()
        .filter(|import| import.form == ImportForm::Module);
    declared
        .filter_map(|import| match facts.text(import.source) {
            source if is_path(source) => at_path(project, file, source),
            name => child_module(project, file, name, root),
        })
        .collect()
}

fn child_module(project: &Project<'_>, file: FileId, name: &str, root: FileId) -> Option<FileId> {
    let folder = module_folder(project.path(file), file == root);
    let inside = |path: &str| {
        if folder.is_empty() {
            path.to_owned()
        } else {
            format!("{folder}/{path}")
        }
    };
    let tries = [
        inside(&format!("{name}.rs")),
        inside(&format!("{name}/mod.rs")),
    ];
    let found = tries.iter().find_map(|path| project.find(path));
    found
        .or_else(|| module_at_path(project, file, name))
        .filter(|&found| found != file)
}

/// The folder in which the modules below a file lie.
fn module_folder(path: &str, is_root: bool) -> String {
    let name = path.rsplit('/').next().unwrap_or(path);
    if is_root || matches!(name, "mod.rs" | "lib.rs" | "main.rs") {
        return parent(path).to_owned();
    }
    path.strip_suffix(".rs").unwrap_or(path).to_owned()
}

/// The module around the one in `file`.
fn parent_module(project: &Project<'_>, file: FileId) -> Option<FileId> {
    let path = project.path(file);
    let folder = if path.ends_with("/mod.rs") {
        parent(parent(path))
    } else {
        parent(path)
    };
    let around = if path.ends_with("/mod.rs") {
        parent(path)
    } else {
        path
    };
    let inside = |name: &str| {
        if parent(around).is_empty() {
            name.to_owned()
        } else {
            format!("{}/{name}", parent(around))
        }
    };
    let tries = [
        format!("{folder}.rs"),
        inside("mod.rs"),
        inside("lib.rs"),
        inside("main.rs"),
    ];
    tries
        .iter()
        .find_map(|path| project.find(path))
        .filter(|&found| found != file)
}

fn is_rust(project: &Project<'_>, file: FileId) -> bool {
    project.language(file).name() == "rust"
}
