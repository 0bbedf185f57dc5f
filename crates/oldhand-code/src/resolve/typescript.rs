//! JavaScript and TypeScript: relative files, `tsconfig.json` paths, workspace packages with their `exports`.

mod config;
#[cfg(test)]
mod fixtures;
mod package;

use std::sync::OnceLock;

use crate::facts::{FileFacts, Import, ImportForm};
use crate::problem::Problem;
use crate::project::{FileId, Project, join, parent};
use crate::resolve::typescript::config::Configs;
use crate::resolve::typescript::package::{Packages, split_specifier};
use crate::resolve::{Meaning, Resolver};

/// Extensions that may be left out, in the order in which TypeScript tries them.
const EXTENSIONS: [&str; 9] = [
    ".ts", ".tsx", ".d.ts", ".mts", ".cts", ".js", ".jsx", ".mjs", ".cjs",
];

/// What an extension in a specifier may stand for in the source tree.
const WRITTEN_AS: [(&str, &[&str]); 4] = [
    (".js", &[".ts", ".tsx", ".d.ts", ".js", ".jsx"]),
    (".jsx", &[".tsx", ".jsx"]),
    (".mjs", &[".mts", ".d.mts", ".mjs"]),
    (".cjs", &[".cts", ".d.cts", ".cjs"]),
];

pub(super) struct TypeScript {
    configs: Configs,
    packages: Packages,
    /// Declaration files whose names are seen everywhere; looked for when first asked.
    ambient: OnceLock<Vec<FileId>>,
}

impl TypeScript {
    pub(super) fn new(project: &Project<'_>, problems: &mut Vec<Problem>) -> Self {
        let configs = Configs::read(project, problems);
        let packages = Packages::read(project, problems);
        Self {
            configs,
            packages,
            ambient: OnceLock::new(),
        }
    }

    /// The file that `specifier` means in `from`.
    fn find(&self, project: &Project<'_>, from: &str, specifier: &str) -> Place {
        if specifier.starts_with("./")
            || specifier.starts_with("../")
            || specifier == "."
            || specifier == ".."
        {
            let found = join(parent(from), specifier).and_then(|path| load(project, &path));
            return found.map_or_else(|| missing(specifier), Place::File);
        }
        if let Some(path) = specifier.strip_prefix('/') {
            return load(project, path).map_or(Place::Missing, Place::File);
        }
        if let Some(file) = self
            .configs
            .candidates(from, specifier)
            .iter()
            .find_map(|path| load(project, path))
        {
            return Place::File(file);
        }
        if specifier.starts_with('#') {
            let paths = self.packages.imports(from, specifier);
            return paths
                .iter()
                .find_map(|path| load(project, path))
                .map_or(Place::Missing, Place::File);
        }
        let (package, _) = split_specifier(specifier);
        match self.packages.candidates(specifier) {
            Some(paths) => paths
                .iter()
                .find_map(|path| load(project, path))
                .map_or(Place::Missing, Place::File),
            None => Place::Outside(package.to_owned()),
        }
    }
}

enum Place {
    File(FileId),
    Outside(String),
    Missing,
}

/// A relative specifier with a foreign extension names an asset, not a lost module.
fn missing(specifier: &str) -> Place {
    let file = specifier.rsplit('/').next().unwrap_or(specifier);
    let foreign = [
        "css", "scss", "less", "svg", "png", "json", "html", "vue", "svelte", "wasm", "txt", "md",
    ];
    match file.split('?').next().unwrap_or(file).rsplit_once('.') {
        Some((_, extension)) if foreign.contains(&extension) => {
            Place::Outside(specifier.to_owned())
        }
        _ => Place::Missing,
    }
}

impl Resolver for TypeScript {
    fn import(
        &self,
        project: &Project<'_>,
        file: FileId,
        facts: &FileFacts,
        import: &Import,
    ) -> Meaning {
        match self.find(project, project.path(file), facts.text(import.source)) {
            Place::File(found) => match import.form {
                ImportForm::Named(_) => Meaning::Name(vec![found]),
                ImportForm::Module | ImportForm::All | ImportForm::Effect => {
                    Meaning::Module(vec![found])
                }
            },
            Place::Outside(package) => Meaning::External(package),
            Place::Missing => Meaning::Unresolved,
        }
    }

    fn visible(&self, project: &Project<'_>, _: FileId) -> Vec<FileId> {
        let find = || project.files().filter(|&file| is_ambient(project, file));
        self.ambient.get_or_init(|| find().collect()).clone()
    }
}

/// The file that `path` (relative to the project) stands for: itself, with an extension, or a folder's index.
fn load(project: &Project<'_>, path: &str) -> Option<FileId> {
    for (written, kept) in WRITTEN_AS {
        if let Some(stem) = path.strip_suffix(written) {
            let found = kept
                .iter()
                .find_map(|extension| project.find(&format!("{stem}{extension}")));
            if found.is_some() {
                return found;
            }
        }
    }
    let exact = project
        .find(path)
        .filter(|&file| project.language(file).get().is_some());
    let with_extension = || {
        EXTENSIONS
            .iter()
            .find_map(|extension| project.find(&format!("{path}{extension}")))
    };
    let index = || {
        let inside = if path.is_empty() {
            "index".to_owned()
        } else {
            format!("{path}/index")
        };
        EXTENSIONS
            .iter()
            .find_map(|extension| project.find(&format!("{inside}{extension}")))
    };
    exact.or_else(with_extension).or_else(index)
}

/// A script without imports or exports, or a file that declares globals.
fn is_ambient(project: &Project<'_>, file: FileId) -> bool {
    if !project.path(file).ends_with(".d.ts") {
        return false;
    }
    let facts = project.facts(file);
    let declares_globals = project.table(file).top(facts, "global").next().is_some();
    declares_globals
        || (facts.imports.is_empty() && facts.exports.is_empty() && !exports_anything(facts))
}

fn exports_anything(facts: &FileFacts) -> bool {
    facts
        .top_level()
        .any(|(_, definition)| definition.visibility == crate::facts::Visibility::Public)
}
