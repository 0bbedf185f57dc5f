//! The files that a question names: by their path, by the end of it, or by their name alone.

use std::collections::{BTreeMap, BTreeSet};

use oldhand_domain::path::ProjectPath;
use oldhand_domain::port::Called;

/// A name that more files go by, such as `mod.rs`, names none of them.
const MOST_CALLED: usize = 3;

/// Files, each with the name by which a question calls it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Named {
    files: BTreeMap<ProjectPath, ProjectPath>,
}

impl Named {
    /// What `names` mean where `called` says which files go by each. A path stays what it is where nobody knows it: its neighbours may be known.
    pub fn new(names: BTreeSet<ProjectPath>, called: &Called) -> Self {
        let mut files = BTreeMap::new();
        for name in names {
            match called.get(&name) {
                Some(known) if known.contains(&name) => {
                    files.insert(name.clone(), name);
                }
                Some(known) if known.len() <= MOST_CALLED => {
                    let known = known.iter().cloned();
                    files.extend(known.map(|file| (file, name.clone())));
                }
                _ if name.folder().is_some() => {
                    files.insert(name.clone(), name);
                }
                _ => {}
            }
        }
        Self { files }
    }

    pub fn files(&self) -> BTreeSet<ProjectPath> {
        self.files.keys().cloned().collect()
    }

    /// Each file, and what the question calls it.
    pub fn iter(&self) -> impl Iterator<Item = (&ProjectPath, &ProjectPath)> {
        self.files.iter()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path(text: &str) -> ProjectPath {
        ProjectPath::new(text).unwrap()
    }

    #[test]
    fn a_name_means_the_path_itself_or_the_few_files_that_end_in_it() {
        let called: Called = [
            ("Cargo.toml", vec!["Cargo.toml"]),
            ("walk.rs", vec!["a/src/walk.rs", "b/src/walk.rs"]),
            (
                "mod.rs",
                vec!["a/mod.rs", "b/mod.rs", "c/mod.rs", "d/mod.rs"],
            ),
        ]
        .into_iter()
        .map(|(name, files)| (path(name), files.into_iter().map(path).collect()))
        .collect();
        let names = ["Cargo.toml", "walk.rs", "mod.rs", "node.js", "src/new.rs"];
        let named = Named::new(names.map(path).into(), &called);
        let said: Vec<String> = named
            .iter()
            .map(|(file, name)| format!("{file} by {name}"))
            .collect();
        assert_eq!(
            said,
            [
                "Cargo.toml by Cargo.toml",
                "a/src/walk.rs by walk.rs",
                "b/src/walk.rs by walk.rs",
                "src/new.rs by src/new.rs"
            ]
        );
    }
}
