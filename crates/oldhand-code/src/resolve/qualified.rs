//! Languages that name packages and types: Java, Kotlin, Scala, C#, PHP, Swift.

use std::sync::OnceLock;

use rustc_hash::FxHashMap;

use super::path::Paths;
use crate::facts::{FileFacts, Import, ImportForm};
use crate::project::{FileId, Project, parent};
use crate::resolve::{Meaning, Resolver};

pub(super) struct Qualified {
    paths: Paths,
    /// Files by their name without extension.
    by_stem: FxHashMap<String, Vec<FileId>>,
    /// Folders with their files, by the folder's own name.
    folders: FxHashMap<String, Vec<String>>,
    /// Files by the package they say they belong to; looked for only when paths do not tell.
    packages: OnceLock<FxHashMap<String, Vec<FileId>>>,
}

impl Qualified {
    pub(super) fn new(project: &Project<'_>) -> Self {
        let (mut by_stem, mut folders) = (
            FxHashMap::<String, Vec<FileId>>::default(),
            FxHashMap::<String, Vec<String>>::default(),
        );
        for file in project.files().filter(|&file| is_qualified(project, file)) {
            let path = project.path(file);
            let name = path.rsplit('/').next().unwrap_or(path);
            by_stem
                .entry(name.split('.').next().unwrap_or(name).to_owned())
                .or_default()
                .push(file);
            let folder = parent(path);
            let known = folders
                .entry(folder.rsplit('/').next().unwrap_or(folder).to_owned())
                .or_default();
            if known.last().map(String::as_str) != Some(folder) {
                known.push(folder.to_owned());
            }
        }
        for known in folders.values_mut() {
            known.sort();
            known.dedup();
        }
        Self {
            paths: Paths::new(project),
            by_stem,
            folders,
            packages: OnceLock::new(),
        }
    }

    /// The file called `name` whose folder or package is `package`, a path of names with slashes.
    fn file_of(
        &self,
        project: &Project<'_>,
        from: FileId,
        package: &str,
        name: &str,
    ) -> Option<FileId> {
        let ends = |&file: &FileId| {
            let folder = parent(project.path(file));
            let says = || {
                project
                    .facts(file)
                    .package
                    .is_some_and(|said| slashed(project.facts(file).text(said)) == package)
            };
            file != from
                && is_kin(project, file, from)
                && (ends_with(folder, package) || says() || is_mapped(folder, package))
        };
        self.by_stem.get(name)?.iter().copied().find(ends)
    }

    /// All files of a package: those of its folder, else those that say so.
    fn files_of(&self, project: &Project<'_>, from: FileId, package: &str) -> Vec<FileId> {
        let last = package.rsplit('/').next().unwrap_or(package);
        let folders = self
            .folders
            .get(last)
            .into_iter()
            .flatten()
            .filter(|folder| ends_with(folder, package));
        let mut files: Vec<FileId> = folders
            .flat_map(|folder| project.folder(folder).iter().copied())
            .filter(|&file| is_kin(project, file, from))
            .collect();
        if files.is_empty() {
            files = self
                .packages(project)
                .get(package)
                .cloned()
                .unwrap_or_default();
            files.retain(|&file| is_kin(project, file, from));
        }
        files.retain(|&file| file != from);
        files
    }

    fn packages(&self, project: &Project<'_>) -> &FxHashMap<String, Vec<FileId>> {
        self.packages.get_or_init(|| {
            let mut packages: FxHashMap<String, Vec<FileId>> = FxHashMap::default();
            for file in project.files().filter(|&file| is_qualified(project, file)) {
                let facts = project.facts(file);
                if let Some(package) = facts.package {
                    packages
                        .entry(slashed(facts.text(package)))
                        .or_default()
                        .push(file);
                }
            }
            packages
        })
    }
}

impl Resolver for Qualified {
    fn import(
        &self,
        project: &Project<'_>,
        file: FileId,
        facts: &FileFacts,
        import: &Import,
    ) -> Meaning {
        let written = facts.text(import.source);
        let outside = || Meaning::External(written.to_owned());
        if written.contains('/') || written.rsplit('.').next() == Some("php") {
            let found = self.paths.find(project, file, written);
            return found.map_or(Meaning::Unresolved, |found| Meaning::Module(vec![found]));
        }
        let package = slashed(written);
        match import.form {
            ImportForm::Named(name) => {
                let name = facts.text(name);
                if let Some(found) = self.file_of(project, file, &package, name) {
                    return Meaning::Name(vec![found]);
                }
                // A member of a type: `import static a.B.c`.
                if let Some((outer, inner)) = package.rsplit_once('/')
                    && let Some(found) = self.file_of(project, file, outer, inner)
                {
                    return Meaning::Module(vec![found]);
                }
                let defines = |&other: &FileId| {
                    let facts = project.facts(other);
                    project.table(other).top(facts, name).next().is_some()
                };
                let files: Vec<FileId> = self
                    .files_of(project, file, &package)
                    .into_iter()
                    .filter(defines)
                    .collect();
                if files.is_empty() {
                    outside()
                } else {
                    Meaning::Name(files)
                }
            }
            ImportForm::Module | ImportForm::All | ImportForm::Effect => {
                let files = self.files_of(project, file, &package);
                if files.is_empty() {
                    outside()
                } else {
                    Meaning::Namespace(files)
                }
            }
        }
    }

    fn visible(&self, project: &Project<'_>, file: FileId) -> Vec<FileId> {
        let beside = project.folder(parent(project.path(file))).iter().copied();
        beside
            .filter(|&other| other != file && is_kin(project, other, file))
            .collect()
    }
}

fn slashed(path: &str) -> String {
    path.replace(['.', '\\'], "/").trim_matches('/').to_owned()
}

fn ends_with(folder: &str, package: &str) -> bool {
    folder == package
        || folder
            .strip_suffix(package)
            .is_some_and(|rest| rest.ends_with('/'))
}

/// Composer maps the first name of a namespace to a folder such as `src`.
fn is_mapped(folder: &str, package: &str) -> bool {
    match package.split_once('/') {
        Some((_, rest)) => {
            ends_with(folder, &format!("src/{rest}")) || ends_with(folder, &format!("app/{rest}"))
        }
        None => ends_with(folder, "src") || ends_with(folder, "app"),
    }
}

fn is_qualified(project: &Project<'_>, file: FileId) -> bool {
    project
        .language(file)
        .get()
        .is_some_and(|language| language.resolver == "qualified")
}

/// The languages of one virtual machine see each other's classes.
fn is_kin(project: &Project<'_>, a: FileId, b: FileId) -> bool {
    let family = |file: FileId| match project.language(file).name() {
        "java" | "kotlin" | "scala" => "jvm",
        other => other,
    };
    family(a) == family(b)
}
