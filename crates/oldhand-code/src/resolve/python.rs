//! Python: packages and modules, relative imports, source folders, namespace packages.

#[cfg(test)]
mod fixtures;

use rustc_hash::FxHashMap;

use crate::facts::{FileFacts, Import, ImportForm};
use crate::project::{FileId, Project, parent};
use crate::resolve::{Meaning, Resolver};

/// What Python finds by its first name: packages and modules at the top of some source folder.
pub(super) struct Python {
    /// Folders in which a package or module of that name lies at the top.
    tops: FxHashMap<String, Vec<String>>,
}

impl Python {
    pub(super) fn new(project: &Project<'_>) -> Self {
        let mut tops: FxHashMap<String, Vec<String>> = FxHashMap::default();
        for file in project.files().filter(|&file| is_python(project, file)) {
            let path = project.path(file);
            let mut note = |folder: &str, name: &str| {
                let known = tops.entry(name.to_owned()).or_default();
                if known.last().map(String::as_str) != Some(folder) {
                    known.push(folder.to_owned());
                }
            };
            // A folder on the way that is not a package may be a place from which names are looked up.
            let mut below = stem(path);
            let mut folder = parent(path);
            loop {
                if !is_package(project, folder) && below != "__init__" {
                    note(folder, below);
                }
                if folder.is_empty() {
                    break;
                }
                below = folder.rsplit('/').next().unwrap_or(folder);
                folder = parent(folder);
            }
        }
        for folders in tops.values_mut() {
            folders.sort_by_key(|folder| (rank(folder), folder.len(), folder.clone()));
            folders.dedup();
        }
        Self { tops }
    }

    /// The module with an absolute dotted name, seen from the file at `from`.
    fn absolute(&self, project: &Project<'_>, from: &str, name: &str) -> Option<FileId> {
        let path = name.replace('.', "/");
        let first = name.split('.').next().unwrap_or(name);
        let folders = self.tops.get(first)?;
        let find = |folder: &String| {
            module_at(project, &below(folder, &path)).filter(|&file| project.path(file) != from)
        };
        // A folder around the importing file is nearer than any other.
        let around = |folder: &&String| {
            folder.is_empty()
                || from
                    .strip_prefix(folder.as_str())
                    .is_some_and(|rest| rest.starts_with('/'))
        };
        let nearest = folders
            .iter()
            .filter(around)
            .max_by_key(|folder| folder.len());
        nearest
            .and_then(find)
            .or_else(|| folders.iter().find_map(find))
    }

    /// The folder that a dotted name means when it is a package without `__init__`.
    fn folder(&self, project: &Project<'_>, name: &str) -> Option<String> {
        let path = name.replace('.', "/");
        let first = name.split('.').next().unwrap_or(name);
        let folders = self
            .tops
            .get(first)?
            .iter()
            .map(|folder| below(folder, &path));
        folders
            .into_iter()
            .find(|folder| project.has_folder(folder))
    }
}

impl Resolver for Python {
    fn import(
        &self,
        project: &Project<'_>,
        file: FileId,
        facts: &FileFacts,
        import: &Import,
    ) -> Meaning {
        let (source, from) = (facts.text(import.source), project.path(file));
        let dots = source.bytes().take_while(|&byte| byte == b'.').count();
        let missing = || {
            if dots > 0 {
                Meaning::Unresolved
            } else {
                outside(source)
            }
        };
        let (module, folder) = if dots > 0 {
            let mut base = parent(from);
            for _ in 1..dots {
                if base.is_empty() {
                    return Meaning::Unresolved;
                }
                base = parent(base);
            }
            let rest = source[dots..].replace('.', "/");
            let place = if rest.is_empty() {
                base.to_owned()
            } else {
                below(base, &rest)
            };
            (module_at(project, &place), Some(place))
        } else {
            (
                self.absolute(project, from, source),
                self.folder(project, source),
            )
        };
        match import.form {
            ImportForm::Named(name) => {
                let name = facts.text(name);
                let defines = module.is_some_and(|module| says(project, module, name));
                let inner = || {
                    let place = match module {
                        Some(module) => package_folder(project, module)?,
                        None => folder.clone()?,
                    };
                    module_at(project, &below(&place, name))
                };
                match (module, defines) {
                    (Some(module), true) => Meaning::Name(vec![module]),
                    (Some(module), false) => inner().map_or(Meaning::Name(vec![module]), |inner| {
                        Meaning::Module(vec![inner])
                    }),
                    (None, _) => inner().map_or_else(missing, |inner| Meaning::Module(vec![inner])),
                }
            }
            ImportForm::Module | ImportForm::All | ImportForm::Effect => {
                module.map_or_else(missing, |module| Meaning::Module(vec![module]))
            }
        }
    }

    fn root(&self, project: &Project<'_>, file: FileId, name: &str) -> Option<Vec<FileId>> {
        // `import a.b` also gives the name `a`.
        let facts = project.facts(file);
        let imported = facts.imports.iter().any(|import| {
            let source = facts.text(import.source);
            import.form == ImportForm::Module
                && source
                    .strip_prefix(name)
                    .is_some_and(|rest| rest.starts_with('.'))
        });
        let found = imported
            .then(|| self.absolute(project, project.path(file), name))
            .flatten()?;
        Some(vec![found])
    }

    fn child(&self, project: &Project<'_>, module: &[FileId], name: &str) -> Option<Vec<FileId>> {
        let folders = module
            .iter()
            .filter_map(|&file| package_folder(project, file));
        let mut found = folders
            .into_iter()
            .filter_map(|folder| module_at(project, &below(&folder, name)));
        found.next().map(|file| vec![file])
    }
}

fn outside(source: &str) -> Meaning {
    Meaning::External(source.split('.').next().unwrap_or(source).to_owned())
}

/// Whether the module itself binds `name`, so that a submodule of that name is not meant.
fn says(project: &Project<'_>, module: FileId, name: &str) -> bool {
    let facts = project.facts(module);
    let is_defined = project.table(module).top(facts, name).next().is_some();
    // `from . import name` in a package's `__init__` is the submodule itself.
    let is_imported = facts.imports.iter().any(|import| {
        import.local.is_some_and(|local| facts.text(local) == name)
            && !matches!(import.form, ImportForm::Named(_) if facts.text(import.source).bytes().all(|byte| byte == b'.'))
    });
    is_defined || is_imported
}

/// The folder whose modules are below this file, when it is a package's `__init__`.
fn package_folder(project: &Project<'_>, file: FileId) -> Option<String> {
    let path = project.path(file);
    (stem(path) == "__init__").then(|| parent(path).to_owned())
}

fn module_at(project: &Project<'_>, path: &str) -> Option<FileId> {
    let tries = [
        format!("{path}.py"),
        format!("{path}/__init__.py"),
        format!("{path}.pyi"),
        format!("{path}/__init__.pyi"),
    ];
    tries
        .iter()
        .find_map(|path| project.find(path.trim_start_matches('/')))
}

fn below(folder: &str, path: &str) -> String {
    if folder.is_empty() {
        path.to_owned()
    } else {
        format!("{folder}/{path}")
    }
}

fn is_package(project: &Project<'_>, folder: &str) -> bool {
    project.find(&below(folder, "__init__.py")).is_some()
}

/// Where names are looked up first: the root, then `src`, then the rest.
fn rank(folder: &str) -> u8 {
    match folder {
        "" => 0,
        folder if folder == "src" || folder.ends_with("/src") => 1,
        _ => 2,
    }
}

fn stem(path: &str) -> &str {
    let name = path.rsplit('/').next().unwrap_or(path);
    name.rsplit_once('.').map_or(name, |(stem, _)| stem)
}

fn is_python(project: &Project<'_>, file: FileId) -> bool {
    project.language(file).name() == "python"
}
