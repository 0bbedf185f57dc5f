//! Which programs and paths are a project's own: how these are used is no manual of somebody else's.

use std::cell::OnceCell;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use oldhand_code::names::called;

/// So many folders down names are read.
const DEEPEST: usize = 2;

/// What the project has, read when it is first asked for.
pub(super) struct Own {
    root: PathBuf,
    names: OnceCell<Names>,
}

#[derive(Default)]
struct Names {
    /// Of files and folders.
    of_files: BTreeSet<String>,
    /// What the project and its packages are called, and the programs that they install.
    of_packages: BTreeSet<String>,
}

impl Own {
    pub(super) fn of(root: &Path) -> Self {
        Self {
            root: root.to_owned(),
            names: OnceCell::new(),
        }
    }

    /// A path that is there, or a program that has the name of a file, a folder or a manifest of the project. What is called `git-sync` is told as
    /// `git sync`.
    pub(super) fn has(&self, word: &str) -> bool {
        if word.contains('/') {
            let is_inside = !word.starts_with(['/', '~']) && !word.contains("..");
            return is_inside && self.root.join(word).exists();
        }
        let word = word.to_lowercase();
        let names = self.names.get_or_init(|| {
            let mut names = Names::default();
            read(&self.root, DEEPEST, &mut names);
            names.of_packages.extend(name_of(&self.root));
            names
        });
        let is_plugin = |name: &String| {
            let rest = name.strip_prefix(&word);
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('-'))
        };
        names.of_files.contains(&word) || names.of_packages.iter().any(is_plugin)
    }
}

/// The name of a file or folder without its ending.
fn name_of(path: &Path) -> Option<String> {
    let name = path.file_name()?.to_str()?.to_lowercase();
    Some(name.split('.').next().unwrap_or_default().to_owned()).filter(|name| !name.is_empty())
}

fn read(folder: &Path, deeper: usize, names: &mut Names) {
    const OTHERS: &[&str] = &["node_modules", "target", "vendor"];
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        let Some(name) = name_of(&path).filter(|name| !OTHERS.contains(&name.as_str())) else {
            continue;
        };
        let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
        if is_folder && deeper > 0 {
            read(&path, deeper - 1, names);
        }
        names.of_packages.extend(names_in(&path));
        names.of_files.insert(name);
    }
}

/// What a manifest calls its package and programs, without whose they are: `@shop/till` is run as `till`.
fn names_in(path: &Path) -> Vec<String> {
    let Some(manifest) = path.file_name().and_then(|name| name.to_str()) else {
        return Vec::new();
    };
    let called = called(manifest, || fs::read_to_string(path).ok()).into_iter();
    let last = called.filter_map(|name| name.rsplit('/').next().map(str::to_lowercase));
    last.collect()
}

#[test]
fn a_project_has_its_files_and_what_its_manifests_install() {
    let folder = tempfile::tempdir().expect("a folder");
    let root = folder.path().join("git-ship");
    let write = |path: &str, text: &str| {
        let path = root.join(path);
        fs::create_dir_all(path.parent().expect("it has one")).expect("a folder");
        fs::write(path, text).expect("a file");
    };
    write(
        "package.json",
        "{\"name\": \"@shop/till\", \"bin\": {\"ring\": \"a.js\"}}",
    );
    write(
        "crates/mend/Cargo.toml",
        "[package]\nname = \"oil\"\n\n[[bin]]\nname = \"drip\"\n",
    );
    write("tool/go.mod", "module example.org/me/broom-wide/v2\n");
    write(
        "py/pyproject.toml",
        "[tool.poetry]\nname = \"larch\"\n[tool.poetry.scripts]\nsap = \"larch:sap\"\n",
    );
    write("scripts/sweep.sh", "");
    write("a/b/c/deep.sh", "");
    let own = Own::of(&root);
    for (word, expected) in [
        ("till", true),
        ("ring", true),
        ("oil", true),
        ("drip", true),
        ("mend", true),
        ("sweep", true),
        ("git-ship", true),
        ("git", true),
        ("scripts/sweep.sh", true),
        ("scripts/gone.sh", false),
        ("../git-ship", false),
        ("broom-wide", true),
        ("broom", true),
        ("v2", false),
        ("larch", true),
        ("sap", true),
        ("bro", false),
        ("rtk", false),
        ("deep", false),
    ] {
        assert_eq!(own.has(word), expected, "{word}");
    }
}
