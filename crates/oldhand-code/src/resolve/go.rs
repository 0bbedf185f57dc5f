//! Go: modules of `go.mod`, local replacements, and packages as folders.

#[cfg(test)]
mod fixtures;

use crate::facts::{FileFacts, Import, ImportForm};
use crate::problem::{Problem, ProblemKind};
use crate::project::{FileId, Project, join, parent};
use crate::resolve::{Meaning, Resolver};

/// Module paths with the folders they stand for, longest path first.
pub(super) struct Go {
    modules: Vec<(String, String)>,
}

impl Go {
    pub(super) fn new(project: &Project<'_>, problems: &mut Vec<Problem>) -> Self {
        let mut modules: Vec<(String, String)> = Vec::new();
        for manifest in project
            .manifests()
            .iter()
            .filter(|manifest| manifest.file_name() == "go.mod")
        {
            let words = |line: &str| {
                line.split("//")
                    .next()
                    .unwrap_or(line)
                    .split_whitespace()
                    .map(str::to_owned)
                    .collect::<Vec<_>>()
            };
            let lines: Vec<Vec<String>> = manifest.text.lines().map(words).collect();
            let named = lines
                .iter()
                .find(|words| words.len() == 2 && words[0] == "module");
            match named {
                Some(words) => modules.push((
                    words[1].trim_matches('"').to_owned(),
                    manifest.folder().to_owned(),
                )),
                None => problems.push(Problem {
                    path: manifest.path.clone(),
                    kind: ProblemKind::Manifest,
                    detail: "names no module".to_owned(),
                }),
            }
            for words in lines {
                // `replace a => ./b`, also without the first word inside a block.
                if let Some(arrow) = words.iter().position(|word| word == "=>")
                    && let (Some(target), Some(path)) = (
                        words.get(arrow + 1),
                        words.iter().find(|word| *word != "replace"),
                    )
                    && target.starts_with('.')
                    && let Some(folder) = join(manifest.folder(), target)
                {
                    modules.push((path.clone(), folder));
                }
            }
        }
        modules.sort_by_key(|(path, _)| std::cmp::Reverse(path.len()));
        Self { modules }
    }

    fn folder(&self, path: &str) -> Option<String> {
        self.modules.iter().find_map(|(module, folder)| {
            let rest = path.strip_prefix(module.as_str())?;
            if rest.is_empty() {
                return Some(folder.clone());
            }
            join(folder, rest.strip_prefix('/')?)
        })
    }
}

impl Resolver for Go {
    fn import(
        &self,
        project: &Project<'_>,
        _: FileId,
        facts: &FileFacts,
        import: &Import,
    ) -> Meaning {
        let source = facts.text(import.source);
        let Some(folder) = self.folder(source) else {
            return Meaning::External(source.to_owned());
        };
        let files: Vec<FileId> = project
            .folder(&folder)
            .iter()
            .copied()
            .filter(|&file| is_source(project, file))
            .collect();
        match (files.is_empty(), import.form) {
            (true, _) => Meaning::Unresolved,
            // Imported to be run: all of it is.
            (false, ImportForm::Effect) => Meaning::Module(files),
            (false, _) => Meaning::Package(files),
        }
    }

    fn visible(&self, project: &Project<'_>, file: FileId) -> Vec<FileId> {
        let package = |file: FileId| {
            let facts = project.facts(file);
            facts.package.map(|package| facts.text(package))
        };
        let own = package(file);
        let sees_tests = is_test(project, file);
        let beside = project.folder(parent(project.path(file))).iter().copied();
        beside
            .filter(|&other| other != file && project.language(other) == project.language(file))
            .filter(|&other| (sees_tests || !is_test(project, other)) && package(other) == own)
            .collect()
    }

    fn extensions(&self, project: &Project<'_>, file: FileId) -> Vec<FileId> {
        self.visible(project, file)
    }
}

fn is_source(project: &Project<'_>, file: FileId) -> bool {
    project.language(file).name() == "go" && !is_test(project, file)
}

fn is_test(project: &Project<'_>, file: FileId) -> bool {
    project.path(file).ends_with("_test.go")
}
