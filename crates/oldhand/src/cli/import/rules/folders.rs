//! Rules files of the folders of a project.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use oldhand_code::walk::{Skip, named_below};
use oldhand_engine::rules::{FOLDER_FILES, SAMPLES};

/// So many are read; a project with more is several.
pub(super) const MOST: usize = 100;
/// So many folders down they are looked for.
const DEEPEST: usize = 8;

/// Those of the outermost folders first, and in each what is a file of its own before what leads to one.
pub(super) fn find(root: &Path) -> Vec<PathBuf> {
    let skip = Skip::Also(SAMPLES.iter().map(|name| (*name).to_owned()).collect());
    let mut found = named_below(root, &skip, FOLDER_FILES, DEEPEST);
    let place = |name: &Path| {
        let own = FOLDER_FILES.iter().position(|file| name.ends_with(file));
        (name.is_symlink(), own)
    };
    found.sort_by_cached_key(|path| {
        let folder = path.parent().map(Path::to_owned);
        (path.components().count(), folder, place(path))
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
