//! The files of a tree that are worth knowing, found the way a person would: what git ignores, what others wrote and what
//! machines made stays out.

use std::fs::Metadata;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::UNIX_EPOCH;

use ignore::{WalkBuilder, WalkState};
use oldhand_domain::text::{is_hidden, without_hidden};
use rustc_hash::FxHashMap;

use crate::language::{LanguageId, language_of};
use crate::problem::{Problem, ProblemKind};

/// A file as the folder lists it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Seen {
    /// Relative to the project, with forward slashes.
    pub path: String,
    /// Nanoseconds since 1970.
    pub modified: u64,
    pub size: u64,
}

impl Seen {
    /// The file of an entry below `root`. One that vanished since it was listed is simply not there; one with a line end or
    /// another unseen character in its name cannot be named by anybody.
    pub(crate) fn of(root: &Path, entry: &ignore::DirEntry) -> Option<Self> {
        let path = entry.path().strip_prefix(root).ok()?.to_str()?;
        if path.contains(is_hidden) {
            return None;
        }
        let metadata = entry.metadata().ok().filter(Metadata::is_file)?;
        Some(Self {
            path: path.replace('\\', "/"),
            modified: modified_at(&metadata),
            size: metadata.len(),
        })
    }

    pub fn language(&self) -> LanguageId {
        language_of(&self.path).unwrap_or(LanguageId::NONE)
    }
}

/// Nanoseconds since 1970; nothing where the file system does not tell.
pub(crate) fn modified_at(metadata: &Metadata) -> u64 {
    let modified = metadata.modified().ok();
    let since = modified.and_then(|time| time.duration_since(UNIX_EPOCH).ok());
    since.map_or(0, |since| since.as_nanos() as u64)
}

/// Folders that hold what others wrote or what a build made, wherever they are.
const SKIPPED: [&str; 20] = [
    "node_modules",
    "bower_components",
    "vendor",
    "third_party",
    "thirdparty",
    "site-packages",
    "__pycache__",
    "venv",
    "target",
    "dist",
    "Pods",
    "Carthage",
    "DerivedData",
    "jspm_packages",
    "_build",
    "deps",
    "coverage",
    "htmlcov",
    "obj",
    "__generated__",
];

/// Files that say how a project is put together.
const MANIFESTS: [&str; 27] = [
    "package.json",
    "Cargo.toml",
    "go.mod",
    "go.work",
    "pyproject.toml",
    "setup.py",
    "setup.cfg",
    "pom.xml",
    "build.gradle",
    "build.gradle.kts",
    "settings.gradle",
    "settings.gradle.kts",
    "composer.json",
    "Gemfile",
    "Package.swift",
    "CMakeLists.txt",
    "Makefile",
    "justfile",
    "deno.json",
    "pnpm-workspace.yaml",
    "lerna.json",
    "build.sbt",
    "tox.ini",
    "pytest.ini",
    "mise.toml",
    "Taskfile.yml",
    "Taskfile.yaml",
];

/// Which folders a walk leaves out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Skip {
    /// The usual places of vendored and built files.
    Usual,
    /// The usual places and these folder names.
    Also(Vec<String>),
    /// These folder names only, besides what git ignores.
    Only(Vec<String>),
}

impl Skip {
    /// Whether a folder called `folder` is left out, wherever it is.
    pub fn leaves_out(&self, folder: &str) -> bool {
        match self {
            Self::Usual => SKIPPED.contains(&folder),
            Self::Also(more) => SKIPPED.contains(&folder) || more.iter().any(|name| name == folder),
            Self::Only(names) => names.iter().any(|name| name == folder),
        }
    }
}

/// Whether the file called `name` tells how the project is put together.
pub fn is_manifest(name: &str) -> bool {
    MANIFESTS.contains(&name)
        || is_script_config(name)
        || matches!(extension(name), "csproj" | "gemspec")
}

/// Whether the file called `name` configures the TypeScript compiler.
pub fn is_script_config(name: &str) -> bool {
    (name.starts_with("tsconfig") || name.starts_with("jsconfig")) && extension(name) == "json"
}

fn extension(name: &str) -> &str {
    name.rsplit_once('.').map_or("", |(_, extension)| extension)
}

/// Whether the file called `name` is prose.
pub fn is_prose(name: &str) -> bool {
    matches!(extension(name), "md" | "mdx" | "rst" | "adoc")
}

/// Whether a file called `name` belongs to the graph: source, prose or a manifest.
pub fn is_worth_knowing(name: &str) -> bool {
    language_of(name).is_some() || is_manifest(name) || is_prose(name)
}

static NOTHING_EVERYWHERE: AtomicBool = AtomicBool::new(false);

/// Says that no setting of git names files to ignore in every repository, so that no walk of this process looks for them. Without it each finds out
/// with a regular expression, which takes longer to make than a small tree to walk.
pub fn ignore_nothing_everywhere() {
    NOTHING_EVERYWHERE.store(true, Ordering::Relaxed);
}

/// A walk without what git ignores that does not follow links, so that a loop of them cannot catch it.
pub(crate) fn plain_walker(root: &Path) -> WalkBuilder {
    let mut walker = WalkBuilder::new(root);
    walker
        .git_global(!NOTHING_EVERYWHERE.load(Ordering::Relaxed))
        .require_git(false)
        .follow_links(false);
    walker
}

/// How a tree is walked: without what git ignores, without following links, so that a loop of them cannot catch the walk, and
/// without the folders that `skip` leaves out.
fn walker(root: &Path, skip: &Skip) -> WalkBuilder {
    let filter = skip.clone();
    let mut walker = plain_walker(root);
    walker.filter_entry(move |entry| {
        let is_folder = entry.file_type().is_some_and(|kind| kind.is_dir());
        entry.depth() == 0
            || !is_folder
            || !entry
                .file_name()
                .to_str()
                .is_some_and(|name| filter.leaves_out(name))
    });
    walker
}

/// `root` and every folder below it that a walk goes into.
pub fn folders(root: &Path, skip: &Skip) -> Vec<PathBuf> {
    let entries = walker(root, skip).build().flatten();
    let folders = entries.filter(|entry| entry.file_type().is_some_and(|kind| kind.is_dir()));
    folders.map(ignore::DirEntry::into_path).collect()
}

/// Files called one of `names` in folders of the tree at `root`, `deep` folders down at most, those of the outermost folders first. Links
/// are none, wherever they lead. Not gone into are hidden folders, but for `.github`, and those that are repositories of their own.
pub fn named_below(root: &Path, skip: &Skip, names: &[&str], deep: usize) -> Vec<PathBuf> {
    let places = [root.to_owned(), root.join(".github")];
    let mut found: Vec<PathBuf> = Vec::new();
    for place in places.iter().filter(|place| place.is_dir()) {
        let entries = walker(place, skip).max_depth(Some(deep + 1)).build();
        let own: Vec<PathBuf> = entries.flatten().map(ignore::DirEntry::into_path).collect();
        let is_other = |path: &PathBuf| path != place && path.join(".git").exists();
        let others: Vec<&PathBuf> = own.iter().filter(|path| is_other(path)).collect();
        let is_wanted = |path: &&PathBuf| {
            let name = path.file_name().and_then(|name| name.to_str());
            let is_named = name.is_some_and(|name| names.contains(&name));
            is_named
                && path.parent() != Some(root)
                && !path.is_symlink()
                && path.is_file()
                && !others.iter().any(|other| path.starts_with(other))
        };
        found.extend(own.iter().filter(is_wanted).cloned());
    }
    found.sort_by_cached_key(|path| (path.components().count(), path.clone()));
    found
}

/// A tree with no more entries is walked sooner than threads are started, which also sleep a millisecond whenever they wait for each other.
const FEW: usize = 500;

/// Every file below `root` that is worth knowing, in the order of paths.
pub fn walk(root: &Path, skip: &Skip, threads: usize, problems: &mut Vec<Problem>) -> Vec<Seen> {
    let mut collected: Mutex<(Vec<Seen>, Vec<Problem>)> = Mutex::default();
    let mut batch = Batch::new(&collected);
    let mut entries = walker(root, skip).build();
    for entry in entries.by_ref().take(FEW) {
        batch.take(root, entry);
    }
    match entries.next() {
        Some(_) if has_threads(threads) => {
            drop(batch);
            collected = Mutex::default();
            let walker = walker(root, skip).threads(threads).build_parallel();
            walker.run(|| {
                let mut batch = Batch::new(&collected);
                Box::new(move |entry| {
                    batch.take(root, entry);
                    WalkState::Continue
                })
            });
        }
        rest => {
            for entry in rest.into_iter().chain(entries) {
                batch.take(root, entry);
            }
            drop(batch);
        }
    }
    let (mut files, found) = collected.into_inner().unwrap_or_default();
    problems.extend(found);
    files.sort_unstable();
    report_collisions(&files, problems);
    files
}

/// Whether the system gives so many threads, and as many again for those that are still ending. A walk that gets fewer than it asked for panics,
/// or waits without end for those that never came. For one there is nothing to share, and none is asked for.
fn has_threads(count: usize) -> bool {
    if count < 2 {
        return false;
    }
    let gate = Mutex::new(());
    thread::scope(|scope| {
        let closed = gate.lock();
        let start = |_| thread::Builder::new().spawn_scoped(scope, || drop(gate.lock()));
        let started: Vec<_> = (0..2 * count)
            .map(start)
            .take_while(Result::is_ok)
            .collect();
        drop(closed);
        let is_enough = started.len() == 2 * count;
        let ended = started.into_iter().flatten();
        ended.for_each(|thread| drop(thread.join()));
        is_enough
    })
}

/// What one thread of the walk has found; handed over when the thread ends.
struct Batch<'w> {
    files: Vec<Seen>,
    problems: Vec<Problem>,
    to: &'w Mutex<(Vec<Seen>, Vec<Problem>)>,
}

impl<'w> Batch<'w> {
    fn new(to: &'w Mutex<(Vec<Seen>, Vec<Problem>)>) -> Self {
        Self {
            files: Vec::new(),
            problems: Vec::new(),
            to,
        }
    }

    fn take(&mut self, root: &Path, entry: Result<ignore::DirEntry, ignore::Error>) {
        match entry {
            Ok(entry) if entry.file_type().is_some_and(|kind| kind.is_file()) => {
                self.take_file(root, &entry);
            }
            Ok(_) => {}
            Err(error) => self.problems.push(Problem {
                path: String::new(),
                kind: ProblemKind::Unreadable,
                detail: error.to_string(),
            }),
        }
    }

    fn take_file(&mut self, root: &Path, entry: &ignore::DirEntry) {
        let Some(name) = entry.file_name().to_str() else {
            self.problems.push(Problem {
                path: entry.path().to_string_lossy().into_owned(),
                kind: ProblemKind::Encoding,
                detail: "its name is not UTF-8".to_owned(),
            });
            return;
        };
        if !is_worth_knowing(name) {
            return;
        }
        let path = entry.path().strip_prefix(root).unwrap_or(entry.path());
        let path = path.to_string_lossy();
        if path.contains(is_hidden) {
            self.problems.push(Problem {
                path: without_hidden(&path),
                kind: ProblemKind::Encoding,
                detail: "its name has a character that cannot be seen".to_owned(),
            });
        }
        self.files.extend(Seen::of(root, entry));
    }
}

impl Drop for Batch<'_> {
    fn drop(&mut self) {
        if let Ok(mut to) = self.to.lock() {
            to.0.append(&mut self.files);
            to.1.append(&mut self.problems);
        }
    }
}

fn report_collisions(files: &[Seen], problems: &mut Vec<Problem>) {
    let mut seen: FxHashMap<String, &str> = FxHashMap::default();
    for file in files {
        if let Some(other) = seen.insert(file.path.to_lowercase(), &file.path) {
            problems.push(Problem {
                path: file.path.clone(),
                kind: ProblemKind::CaseCollision,
                detail: format!("differs from {other} in case only"),
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_walk_by_one_asks_for_no_thread_and_finds_the_same() {
        assert!(!has_threads(1));
        let folder = tempfile::tempdir().unwrap();
        for number in 0..FEW + 20 {
            std::fs::write(folder.path().join(format!("a{number}.rs")), "fn a() {}").unwrap();
        }
        let found = |threads| walk(folder.path(), &Skip::Usual, threads, &mut Vec::new());
        assert_eq!(found(1).len(), FEW + 20);
        assert!(found(1) == found(4));
    }
}
