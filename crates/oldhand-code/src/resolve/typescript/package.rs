//! `package.json`: which folder is which package, and what its `exports`, `imports` and `main` point to.

use rustc_hash::FxHashMap;
use serde_json::Value;

use crate::problem::{Problem, ProblemKind};
use crate::project::{Project, join, parent};

/// Which condition of an `exports` entry is taken, best first: the one closest to the source.
const CONDITIONS: [&str; 9] = [
    "source",
    "development",
    "types",
    "typescript",
    "import",
    "module",
    "node",
    "require",
    "default",
];

/// Folders that hold what is built; the source lies in `src` beside them.
const BUILT: [&str; 8] = ["dist", "lib", "build", "out", "es", "esm", "cjs", "types"];

/// The packages whose source is part of the project.
pub(super) struct Packages {
    by_name: FxHashMap<String, Package>,
    by_folder: FxHashMap<String, Value>,
}

struct Package {
    folder: String,
    manifest: Value,
}

impl Packages {
    pub(super) fn read(project: &Project<'_>, problems: &mut Vec<Problem>) -> Self {
        let (mut by_name, mut by_folder) = (FxHashMap::default(), FxHashMap::default());
        for manifest in project
            .manifests()
            .iter()
            .filter(|manifest| manifest.file_name() == "package.json")
        {
            let value: Value =
                match serde_json::from_str(manifest.text.trim_start_matches('\u{feff}')) {
                    Ok(value) => value,
                    Err(error) => {
                        problems.push(Problem {
                            path: manifest.path.clone(),
                            kind: ProblemKind::Manifest,
                            detail: format!("not understood: {error}"),
                        });
                        continue;
                    }
                };
            let folder = manifest.folder().to_owned();
            if let Some(name) = value["name"].as_str() {
                by_name.entry(name.to_owned()).or_insert(Package {
                    folder: folder.clone(),
                    manifest: value.clone(),
                });
            }
            by_folder.insert(folder, value);
        }
        Self { by_name, by_folder }
    }

    /// Paths to try for a specifier that starts with a package of the project; nothing when it does not.
    pub(super) fn candidates(&self, specifier: &str) -> Option<Vec<String>> {
        let (name, inside) = split_specifier(specifier);
        let package = self.by_name.get(name)?;
        let mut targets = Vec::new();
        if !package.manifest["exports"].is_null() {
            let key = if inside.is_empty() {
                ".".to_owned()
            } else {
                format!("./{inside}")
            };
            export(&package.manifest["exports"], &key, &mut targets);
        }
        if inside.is_empty() {
            for field in ["source", "types", "typings", "module", "main", "browser"] {
                targets.extend(package.manifest[field].as_str().map(str::to_owned));
            }
            targets.extend(["src/index", "index", "src/main", "lib/index"].map(str::to_owned));
        } else {
            targets.extend([inside.to_owned(), format!("src/{inside}")]);
        }
        Some(in_source(&package.folder, &targets))
    }

    /// Paths to try for a `#name` that the package around `from` defines.
    pub(super) fn imports(&self, from: &str, specifier: &str) -> Vec<String> {
        let mut folder = parent(from);
        loop {
            if let Some(manifest) = self.by_folder.get(folder) {
                let mut targets = Vec::new();
                export(&manifest["imports"], specifier, &mut targets);
                return in_source(folder, &targets);
            }
            if folder.is_empty() {
                return Vec::new();
            }
            folder = parent(folder);
        }
    }
}

/// Each target itself, and where its source would be if it is built.
fn in_source(folder: &str, targets: &[String]) -> Vec<String> {
    let mut paths = Vec::new();
    for target in targets {
        let plain = target.trim_start_matches("./");
        paths.extend(join(folder, plain));
        if let Some((first, rest)) = plain.split_once('/')
            && BUILT.contains(&first)
        {
            // A build may put each format into a folder of its own.
            let rest = rest
                .split_once('/')
                .filter(|(next, _)| BUILT.contains(next))
                .map_or(rest, |(_, rest)| rest);
            let stem = rest.trim_end_matches(".d.ts").trim_end_matches(".d.mts");
            let stem = stem.trim_end_matches(".min.js");
            let stem = stem.rsplit_once('.').map_or(stem, |(stem, _)| stem);
            paths.extend(join(folder, &format!("src/{stem}")));
            paths.extend(join(folder, stem));
        }
    }
    paths
}

/// Adds what `key` stands for in an `exports` or `imports` table.
fn export(table: &Value, key: &str, targets: &mut Vec<String>) {
    match table {
        Value::String(_) | Value::Array(_) if key == "." => condition(table, None, targets),
        // Conditions only: the whole table speaks of the package itself.
        Value::Object(entries)
            if entries.keys().all(|entry| !entry.starts_with(['.', '#'])) && key == "." =>
        {
            condition(table, None, targets);
        }
        Value::Object(entries) => {
            if let Some(exact) = entries.get(key) {
                condition(exact, None, targets);
                return;
            }
            let fits = entries.iter().filter_map(|(pattern, value)| {
                let (before, after) = pattern.split_once('*')?;
                let middle = key.strip_prefix(before)?.strip_suffix(after)?;
                Some((before.len(), middle, value))
            });
            if let Some((_, middle, value)) = fits.max_by_key(|(length, _, _)| *length) {
                condition(value, Some(middle), targets);
            }
        }
        _ => {}
    }
}

/// The paths of an entry in the order of [`CONDITIONS`], without recursion: an entry may nest as deep as it likes.
fn condition(entry: &Value, star: Option<&str>, targets: &mut Vec<String>) {
    let mut waiting = vec![entry];
    while let Some(entry) = waiting.pop() {
        match entry {
            Value::String(path) => {
                targets.push(star.map_or_else(|| path.clone(), |star| path.replace('*', star)));
            }
            Value::Array(entries) => waiting.extend(entries.iter().rev()),
            Value::Object(entries) => {
                waiting.extend(
                    CONDITIONS
                        .iter()
                        .rev()
                        .filter_map(|condition| entries.get(*condition)),
                );
            }
            _ => {}
        }
    }
}

/// The package and the path inside it: `@a/b/c/d` is `@a/b` and `c/d`.
pub(super) fn split_specifier(specifier: &str) -> (&str, &str) {
    let scope = if specifier.starts_with('@') {
        specifier.find('/').map_or(0, |slash| slash + 1)
    } else {
        0
    };
    match specifier[scope..].find('/') {
        Some(slash) => (&specifier[..scope + slash], &specifier[scope + slash + 1..]),
        None => (specifier, ""),
    }
}
