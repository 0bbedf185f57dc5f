//! What git ignores below the folder of a project, by the files that say so there: the path itself may be gone by now.

use std::path::Path;

use ignore::Match;
use ignore::gitignore::{Gitignore, GitignoreBuilder};

/// The first folder on the way to `path` that git ignores, perhaps that itself.
pub(super) fn ignored_at(root: &Path, path: &str) -> Option<String> {
    let steps: Vec<&str> = path.split('/').filter(|step| !step.is_empty()).collect();
    let mut ways = (1..=steps.len()).map(|number| &steps[..number]);
    let ignored = ways.find(|way| is_ignored(root, way))?;
    Some(ignored.join("/"))
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
}
