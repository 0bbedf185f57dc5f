//! Languages that name files: C and C++ includes, Ruby requires, PHP includes, shell `source`, modules with dots for folders.

use rustc_hash::FxHashMap;

use crate::facts::{FileFacts, Import};
use crate::project::{FileId, Project, join, parent};
use crate::resolve::{Meaning, Resolver};

/// Files by the last part of their paths, with and without extension.
pub(super) struct Paths {
    by_name: FxHashMap<String, Vec<FileId>>,
}

impl Paths {
    pub(super) fn new(project: &Project<'_>) -> Self {
        let mut by_name: FxHashMap<String, Vec<FileId>> = FxHashMap::default();
        for file in project.files() {
            let path = project.path(file);
            let name = path.rsplit('/').next().unwrap_or(path);
            by_name.entry(name.to_owned()).or_default().push(file);
            if let Some((stem, _)) = name.rsplit_once('.') {
                by_name.entry(stem.to_owned()).or_default().push(file);
            }
        }
        Self { by_name }
    }

    /// The file that `written` means in the file at `from`: beside it, else below any folder, nearest first.
    pub(super) fn find(
        &self,
        project: &Project<'_>,
        from: FileId,
        written: &str,
    ) -> Option<FileId> {
        let own = project.path(from);
        let extension = own.rsplit_once('.').map_or("", |(_, extension)| extension);
        let with_extension = |path: &str| {
            project
                .find(path)
                .or_else(|| project.find(&format!("{path}.{extension}")))
        };
        let written = after_variable(written);
        if let Some(found) = join(parent(own), written).and_then(|path| with_extension(&path)) {
            return Some(found);
        }
        // What says that it is relative is nowhere else.
        if written.starts_with('.') && !written.contains('$') {
            return None;
        }
        if let Some(found) = join("", written).and_then(|path| with_extension(&path)) {
            return Some(found);
        }
        let written = written
            .trim_start_matches("../")
            .trim_start_matches("./")
            .trim_start_matches('/');
        let last = written.rsplit('/').next().unwrap_or(written);
        let ends = |&file: &FileId| {
            let path = project.path(file);
            let stem = path.rsplit_once('.').map_or(path, |(stem, _)| stem);
            let is_end = |path: &str| {
                path == written
                    || path
                        .strip_suffix(written)
                        .is_some_and(|rest| rest.ends_with('/'))
            };
            file != from && (is_end(path) || is_end(stem)) && same_family(project, file, from)
        };
        let near = |&file: &FileId| {
            let shared = project
                .path(file)
                .split('/')
                .zip(own.split('/'))
                .take_while(|(a, b)| a == b)
                .count();
            (std::cmp::Reverse(shared), project.path(file).len(), file)
        };
        self.by_name
            .get(last)?
            .iter()
            .copied()
            .filter(ends)
            .min_by_key(near)
    }
}

impl Paths {
    /// Languages that load modules by name write dots where the folders are: `shop.cart` is `shop/cart`.
    fn find_module(&self, project: &Project<'_>, from: FileId, written: &str) -> Option<FileId> {
        let is_name = written.contains('.') && !written.starts_with('.') && !written.contains('/');
        let path = is_name.then(|| written.replace('.', "/"))?;
        self.find(project, from, &path)
    }
}

impl Resolver for Paths {
    fn import(
        &self,
        project: &Project<'_>,
        file: FileId,
        facts: &FileFacts,
        import: &Import,
    ) -> Meaning {
        let written = facts.text(import.source);
        let found = self.find(project, file, written);
        match found.or_else(|| self.find_module(project, file, written)) {
            Some(found) => Meaning::Module(vec![found]),
            None if written.starts_with('.') => Meaning::Unresolved,
            None => Meaning::External(written.to_owned()),
        }
    }
}

/// `"$DIR/lib/a.sh"` and `$(dirname "$0")/a.sh` mean a path that only the shell knows; what is behind it is enough.
fn after_variable(written: &str) -> &str {
    let written = written.trim_matches(['"', '\'']);
    if !written.starts_with('$') {
        return written;
    }
    let end = if written.starts_with("$(") {
        written.rfind(')')
    } else {
        written.find('/')
    };
    end.map_or(written, |end| {
        written[end..].trim_start_matches([')', '"', '/'])
    })
}

fn same_family(project: &Project<'_>, a: FileId, b: FileId) -> bool {
    let resolver = |file: FileId| {
        project
            .language(file)
            .get()
            .map(|language| language.resolver.as_str())
    };
    resolver(a) == resolver(b)
        && (project.language(a) == project.language(b) || is_c(project, a) && is_c(project, b))
}

fn is_c(project: &Project<'_>, file: FileId) -> bool {
    matches!(project.language(file).name(), "c" | "cpp")
}
