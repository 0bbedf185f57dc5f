//! What git ignores below the folder of a project, by the files that say so there: the path itself may be gone by now.

use std::path::{Path, PathBuf};

use ignore::Match;
use ignore::gitignore::{Gitignore, GitignoreBuilder};

/// The first folder on the way to `path` that git ignores and holds nothing of, perhaps that itself: what was added all the same is
/// the project's.
pub(super) fn ignored_at(root: &Path, path: &str) -> Option<String> {
    let steps: Vec<&str> = path.split('/').filter(|step| !step.is_empty()).collect();
    let mut ways = (1..=steps.len()).map(|number| &steps[..number]);
    let ignored = ways.find(|way| is_ignored(root, way))?;
    let Some(head) = Head::of(root) else {
        return Some(ignored.join("/"));
    };
    let below = (ignored.len()..=steps.len()).map(|number| steps[..number].join("/"));
    let mut unheld = below.filter(|way| !head.holds(way));
    unheld.next()
}

/// What was committed last.
struct Head {
    repository: gix::Repository,
    tree: gix::ObjectId,
    /// Where the project lies in the repository.
    within: PathBuf,
}

impl Head {
    fn of(root: &Path) -> Option<Self> {
        // Local configuration only, and nothing from the environment.
        let trust_map = gix::sec::trust::Mapping {
            full: gix::open::Options::isolated(),
            reduced: gix::open::Options::isolated(),
        };
        let upwards = gix::discover::upwards::Options::default();
        let opened = gix::ThreadSafeRepository::discover_opts(root, upwards, trust_map).ok()?;
        let repository = opened.to_thread_local();
        let above = repository.workdir()?.canonicalize().ok()?;
        let root = root.canonicalize().ok()?;
        let within = root.strip_prefix(above).ok()?.to_owned();
        let head = repository.head_id().ok()?.detach();
        let tree = repository.find_commit(head).ok()?.tree_id().ok()?.detach();
        Some(Self {
            repository,
            tree,
            within,
        })
    }

    fn holds(&self, folder: &str) -> bool {
        let tree = self.repository.find_tree(self.tree).ok();
        let entry = tree.and_then(|tree| {
            let entry = tree.lookup_entry_by_path(self.within.join(folder));
            entry.ok()?
        });
        entry.is_some()
    }
}

fn is_ignored(root: &Path, way: &[&str]) -> bool {
    // What is said nearer counts more.
    let said = (0..way.len()).rev().map(|above| {
        let folder = root.join(way[..above].join("/"));
        let (said, _) = Gitignore::new(folder.join(".gitignore"));
        is_said(&said, &folder.join(way[above..].join("/")))
    });
    let own = || {
        let mut own = GitignoreBuilder::new(root);
        own.add(root.join(".git/info/exclude"));
        let own = own.build().ok()?;
        is_said(&own, &root.join(way.join("/")))
    };
    let mut said = said.flatten();
    said.next().or_else(own).unwrap_or(false)
}

/// Whether patterns say of a folder that it is ignored, or that it is not.
fn is_said(patterns: &Gitignore, folder: &Path) -> Option<bool> {
    match patterns.matched(folder, true) {
        Match::None => None,
        Match::Ignore(_) => Some(true),
        Match::Whitelist(_) => Some(false),
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn the_first_folder_that_git_ignores_is_found_whether_it_is_there_or_not() {
        let root = tempfile::tempdir().unwrap();
        let root = root.path();
        fs::create_dir_all(root.join(".git/info")).unwrap();
        fs::create_dir_all(root.join("web/kept")).unwrap();
        fs::write(root.join(".gitignore"), "tmp\n*.log\nkept\n").unwrap();
        fs::write(root.join("web/.gitignore"), "/cache\n!kept\n").unwrap();
        fs::write(root.join(".git/info/exclude"), "mine\n").unwrap();
        for (path, expected) in [
            ("tmp", Some("tmp")),
            ("tmp/clones/a", Some("tmp")),
            ("web/tmp/x", Some("web/tmp")),
            ("web/cache/x", Some("web/cache")),
            ("cache/x", None),
            ("web/kept", None),
            ("api/kept/y", Some("api/kept")),
            ("mine/x", Some("mine")),
            ("src/a", None),
        ] {
            assert_eq!(ignored_at(root, path).as_deref(), expected, "{path}");
        }
    }

    #[test]
    fn what_was_added_to_an_ignored_folder_is_of_the_project() {
        let root = tempfile::tempdir().unwrap();
        let root = root.path();
        let git = |arguments: &[&str]| {
            let mut command = std::process::Command::new("git");
            let done = command
                .args(["-c", "user.name=Ada", "-c", "user.email=ada@example.com"])
                .args(arguments)
                .current_dir(root)
                .env("GIT_CONFIG_GLOBAL", "/dev/null")
                .env("GIT_CONFIG_NOSYSTEM", "1");
            assert!(done.output().unwrap().status.success(), "{arguments:?}");
        };
        git(&["init", "-q"]);
        fs::create_dir_all(root.join("src/tmp")).unwrap();
        fs::write(root.join(".gitignore"), "tmp\n").unwrap();
        fs::write(root.join("src/.gitignore"), "tmp\n").unwrap();
        fs::write(root.join("src/tmp/queue.test.ts"), "").unwrap();
        assert_eq!(ignored_at(root, "src/tmp").as_deref(), Some("src/tmp"));
        git(&["add", "-f", "."]);
        git(&["commit", "-q", "-m", "x"]);
        for (below, path, expected) in [
            ("", "src/tmp", None),
            ("", "src/tmp/clones/run-1", Some("src/tmp/clones")),
            ("", "tmp/clones", Some("tmp")),
            ("src", "tmp", None),
            ("src", "lib/tmp", Some("lib/tmp")),
        ] {
            let found = ignored_at(&root.join(below), path);
            assert_eq!(found.as_deref(), expected, "{below} {path}");
        }
    }
}
