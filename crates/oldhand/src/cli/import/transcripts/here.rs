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
    /// It lies where agents keep what they did everywhere: it ran here, or in a folder above and worked on what is here.
    Usual,
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
        if root.starts_with(folder) && belonging != Belonging::ByFolder {
            let root = Root::seen_from(&root.display().to_string(), cwd);
            let is_said = self.former.iter().any(|former| folder == former);
            return Some((root, if is_said { Kin::Own } else { Kin::Above }));
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
        // What was done there tells whether it was this project.
        let is_given = matches!(belonging, Belonging::Given | Belonging::Named);
        is_given.then(|| (Root::new(cwd), Kin::Afar))
    }
}
