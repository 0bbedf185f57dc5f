//! Whether a folder that a session ran in is this project's.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::find::Kin;
use crate::agent::Root;
use crate::project::{Location, locate};

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Belonging {
    /// It ran in this project's folder or below it.
    ByFolder,
    /// It lies below a folder that a person named.
    Given,
    /// A person named it.
    Named,
}

/// The project, and where folders that sessions ran in belong.
pub(super) struct Here<'a> {
    location: &'a Location,
    user_home: Option<&'a Path>,
    /// Where it was before, as a person says.
    former: &'a [PathBuf],
    /// Folders of this machine that were looked up: the top of the checkout where they are this project's.
    known: BTreeMap<String, Option<PathBuf>>,
}

impl<'a> Here<'a> {
    pub(super) fn of(
        location: &'a Location,
        user_home: Option<&'a Path>,
        former: &'a [PathBuf],
    ) -> Self {
        Self {
            location,
            user_home,
            former,
            known: BTreeMap::new(),
        }
    }

    /// Where the project is.
    pub(super) fn root(&self) -> &Path {
        &self.location.root
    }

    /// Where the project was when a session ran in `cwd`; `None` when that was another project.
    pub(super) fn root_of(&mut self, cwd: &str, belonging: Belonging) -> Option<(Root, Kin)> {
        let (root, folder) = (&self.location.root, Path::new(cwd));
        if folder.starts_with(root) {
            return Some((Root::new(&root.display().to_string()), Kin::Own));
        }
        if let Some(former) = self.former.iter().find(|former| folder.starts_with(former)) {
            return Some((Root::new(&former.display().to_string()), Kin::Own));
        }
        if folder.is_dir() {
            // Another checkout of the same repository has paths of its own.
            let checkout = self.known.entry(cwd.to_owned()).or_insert_with(|| {
                let found = locate(folder, self.user_home, |_| false).ok()?;
                (found.place == self.location.place).then_some(found.root)
            });
            if let Some(checkout) = checkout {
                return Some((Root::new(&checkout.display().to_string()), Kin::Own));
            }
            if belonging != Belonging::Named {
                return None;
            }
        }
        let (afar, kin) = from_afar(cwd, root);
        match belonging {
            Belonging::ByFolder => None,
            Belonging::Given => Some((Root::new(&afar), kin)),
            Belonging::Named => Some((Root::new(&afar), Kin::Own)),
        }
    }
}

/// Where the project was on another machine: the folder of the same name that the session ran in or below, or the worktree of it.
pub(super) fn from_afar(cwd: &str, root: &Path) -> (String, Kin) {
    let name = root
        .file_name()
        .and_then(|name| name.to_str())
        .unwrap_or_default();
    let steps: Vec<&str> = cwd.split(['/', '\\']).collect();
    if let Some(end) = worktree_end(&steps, name, root) {
        return (steps[..end].join("/"), Kin::Namesake);
    }
    match steps.iter().rposition(|step| *step == name) {
        Some(at) if !name.is_empty() => (steps[..=at].join("/"), Kin::Namesake),
        _ => (cwd.to_owned(), Kin::Stranger),
    }
}

/// Where the path of a worktree ends that tools keep in a folder for worktrees: `worktrees/NAME/TREE`, which a folder of the project is not, or
/// `NAME/.tool/worktrees/TREE`.
fn worktree_end(steps: &[&str], name: &str, root: &Path) -> Option<usize> {
    let kept = steps.iter().rposition(|step| step.ends_with("worktrees"))?;
    let named = steps.iter().rposition(|step| *step == name)?;
    let tree = kept.max(named) + 1;
    let is_tree = kept > named || !root.join(steps.get(tree)?).exists();
    (is_tree && tree < steps.len()).then_some(tree + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_worktree_of_another_machine_is_where_its_own_paths_begin() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().join("shop");
        std::fs::create_dir_all(root.join("packages")).unwrap();
        for (cwd, expected, kin) in [
            ("/home/me/shop", "/home/me/shop", Kin::Namesake),
            ("/home/me/shop/gone/api", "/home/me/shop", Kin::Namesake),
            (
                "/me/worktrees/shop/silver-5b5f",
                "/me/worktrees/shop/silver-5b5f",
                Kin::Namesake,
            ),
            (
                "/me/worktrees/shop/silver-5b5f/web",
                "/me/worktrees/shop/silver-5b5f",
                Kin::Namesake,
            ),
            (
                "/me/worktrees/shop/packages",
                "/me/worktrees/shop",
                Kin::Namesake,
            ),
            (
                "/me/shop/.claude/worktrees/fix-1/web",
                "/me/shop/.claude/worktrees/fix-1",
                Kin::Namesake,
            ),
            ("/me/worktrees/shop", "/me/worktrees/shop", Kin::Namesake),
            ("/me/other", "/me/other", Kin::Stranger),
        ] {
            assert_eq!(from_afar(cwd, &root), (expected.to_owned(), kin), "{cwd}");
        }
    }
}
