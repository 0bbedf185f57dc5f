//! What imports mean: one set of rules per language family, behind one trait.
//!
//! A resolver is made once per linking from the project's paths and manifests, then asked about one import or name at a
//! time, from many threads. It answers with files; which definition of a file is meant is the linker's business.

#[cfg(test)]
mod fixtures;
mod go;
mod path;
mod python;
mod qualified;
mod rust;
mod typescript;

use std::sync::{Mutex, OnceLock};

use crate::facts::{FileFacts, Import};
use crate::language::LanguageId;
use crate::problem::Problem;
use crate::project::{FileId, Project};

/// What an import stands for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Meaning {
    /// The module made of these files.
    Module(Vec<FileId>),
    /// The import's name, looked up in the module made of these files.
    Name(Vec<FileId>),
    /// The module made of these files, of which only those are imported whose names are used (a Go package).
    Package(Vec<FileId>),
    /// What a path of names leads to, starting in the module made of these files (an item of an inline or re-exported module).
    Inside(Vec<FileId>, Vec<String>),
    /// Names that may be used without saying from which of these files they come (a C# namespace, `import a.*`): only files
    /// whose names are used are imported.
    Namespace(Vec<FileId>),
    /// Something outside the project, by the name of its package.
    External(String),
    /// Something that should be in the project but is not.
    Unresolved,
}

/// The rules of one language family. Every method may be called from many threads at once.
pub trait Resolver: Send + Sync {
    /// What `import`, written in `file`, stands for. `facts` are the facts of `file`.
    fn import(
        &self,
        project: &Project<'_>,
        file: FileId,
        facts: &FileFacts,
        import: &Import,
    ) -> Meaning;

    /// The module that the first `name` of a path means in `file` when nothing in the file explains it (`crate`, the name
    /// of a workspace crate, a package used by its full name).
    fn root(&self, _project: &Project<'_>, _file: FileId, _name: &str) -> Option<Vec<FileId>> {
        None
    }

    /// The module `name` directly below the module made of `module`, when it is files of its own (a Python submodule, a
    /// Rust `mod` in its own file).
    fn child(
        &self,
        _project: &Project<'_>,
        _module: &[FileId],
        _name: &str,
    ) -> Option<Vec<FileId>> {
        None
    }

    /// Files whose top-level names `file` sees without importing them (the rest of a Go package, ambient declarations).
    fn visible(&self, _project: &Project<'_>, _file: FileId) -> Vec<FileId> {
        Vec::new()
    }

    /// The file whose macro `file` calls `name` without importing it, because macros are seen wherever they stand.
    fn macro_file(&self, _project: &Project<'_>, _file: FileId, _name: &str) -> Option<FileId> {
        None
    }

    /// Files that may add members to a type defined in `file` (the rest of a Go package, the `impl` blocks of a crate).
    fn extensions(&self, _project: &Project<'_>, _file: FileId) -> Vec<FileId> {
        Vec::new()
    }

    /// The file that stands for the crate or package of `file` when all of its files may add to each other's types: what they add
    /// is then sorted once for all of them.
    fn whole(&self, _project: &Project<'_>, _file: FileId) -> Option<FileId> {
        None
    }
}

/// The resolvers of a project, by the names the language table uses; each is made when first asked for.
pub struct Resolvers {
    names: Vec<&'static str>,
    by_language: Vec<usize>,
    made: Vec<OnceLock<Box<dyn Resolver>>>,
    problems: Mutex<Vec<Problem>>,
}

impl Default for Resolvers {
    fn default() -> Self {
        let mut names: Vec<&'static str> = Vec::new();
        let mut by_language = Vec::new();
        for language in crate::language::languages() {
            let known = names.iter().position(|name| *name == language.resolver);
            by_language.push(known.unwrap_or_else(|| {
                names.push(&language.resolver);
                names.len() - 1
            }));
        }
        let made = names.iter().map(|_| OnceLock::new()).collect();
        Self {
            names,
            by_language,
            made,
            problems: Mutex::default(),
        }
    }
}

impl Resolvers {
    /// What could not be understood of the manifests read so far.
    pub fn into_problems(self) -> Vec<Problem> {
        self.problems.into_inner().unwrap_or_default()
    }

    /// Languages of one family see each other's names.
    pub(crate) fn family(&self, language: LanguageId) -> Option<usize> {
        self.by_language.get(usize::from(language.0)).copied()
    }

    /// The rules for `file`; nothing when it is not source code.
    pub fn of(&self, project: &Project<'_>, file: FileId) -> Option<&dyn Resolver> {
        let at = self.family(project.language(file))?;
        let resolver = self.made[at].get_or_init(|| {
            let mut found = Vec::new();
            let resolver = make(self.names[at], project, &mut found);
            if let Ok(mut problems) = self.problems.lock() {
                problems.append(&mut found);
            }
            resolver
        });
        Some(&**resolver)
    }
}

fn make(name: &str, project: &Project<'_>, problems: &mut Vec<Problem>) -> Box<dyn Resolver> {
    match name {
        "go" => Box::new(go::Go::new(project, problems)),
        "path" => Box::new(path::Paths::new(project)),
        "qualified" => Box::new(qualified::Qualified::new(project)),
        "python" => Box::new(python::Python::new(project)),
        "rust" => Box::new(rust::Rust::new(project, problems)),
        "typescript" => Box::new(typescript::TypeScript::new(project, problems)),
        _ => Box::new(Nothing),
    }
}

/// For languages whose imports name nothing in the project.
struct Nothing;

impl Resolver for Nothing {
    fn import(&self, _: &Project<'_>, _: FileId, facts: &FileFacts, import: &Import) -> Meaning {
        Meaning::External(facts.text(import.source).to_owned())
    }
}
