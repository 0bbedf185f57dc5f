//! Rules files of the folders of a project.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use oldhand_code::walk::{Skip, named_below};
use oldhand_domain::path::ProjectPath;
use oldhand_engine::rules::{FOLDER_FILES, NOT_ITS_OWN};

/// So many are read; a project with more is several.
pub(super) const MOST: usize = 100;
/// So many folders down they are looked for.
const DEEPEST: usize = 8;

/// Those of the outermost folders first, and in each in the order of [`FOLDER_FILES`]. A folder with a name that is no path of a project (a
/// line's end in it) has none: its rules would be everybody's.
pub(super) fn find(root: &Path) -> Vec<PathBuf> {
    let skip = Skip::Also(NOT_ITS_OWN.iter().map(|name| (*name).to_owned()).collect());
    let mut found = named_below(root, &skip, FOLDER_FILES, DEEPEST);
    found.retain(|path| {
        let inside = path.strip_prefix(root).ok().and_then(Path::to_str);
        inside.is_some_and(|inside| ProjectPath::new(inside).is_ok())
    });
    found.sort_by_cached_key(|path| {
        let folder = path.parent().map(Path::to_owned);
        let place = FOLDER_FILES.iter().position(|file| path.ends_with(file));
        (path.components().count(), folder, place)
    });
    found
}

/// Where one file has several names, as `GEMINI.md` that leads to `CLAUDE.md`, the first is enough.
pub(super) fn each_once(paths: impl IntoIterator<Item = PathBuf>) -> Vec<PathBuf> {
    let mut seen = BTreeSet::new();
    let mut is_new = |path: &PathBuf| {
        let resolved = fs::canonicalize(path).unwrap_or_else(|_| path.clone());
        seen.insert(resolved)
    };
    paths.into_iter().filter(|path| is_new(path)).collect()
}
