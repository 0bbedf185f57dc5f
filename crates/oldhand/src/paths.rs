//! Paths as people give them, turned into paths of the project.

use std::fs;
use std::path::{Component, Path, PathBuf};

use anyhow::Result;
use oldhand_domain::path::{InvalidPath, ProjectPath};

/// The path of the project that `given` names, for someone who stands in `folder`.
///
/// A path that exists as seen from the folder is that one; else one that exists as seen from the root, which is how
/// Oldhand itself prints paths; else it is taken from the folder, for files that are yet to be.
pub(crate) fn inside(root: &Path, folder: &Path, given: &str) -> Result<ProjectPath> {
    let given_path = Path::new(given);
    if given.is_empty() {
        return Err(InvalidPath::Empty.into());
    }
    let folder = fs::canonicalize(folder).unwrap_or_else(|_| folder.to_owned());
    let from_folder = folder.join(given_path);
    let path = if !from_folder.exists() && root.join(given_path).exists() {
        root.join(given_path)
    } else {
        from_folder
    };
    let path = settle(&path);
    let outside = || InvalidPath::Outside(given.to_owned());
    let relative = path.strip_prefix(root).map_err(|_| outside())?;
    let text = relative.to_str().ok_or_else(outside)?;
    Ok(ProjectPath::new(text)?)
}

/// Takes `.` and `..` out by the words of the path alone, for one that need not exist.
pub(crate) fn without_dots(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for step in path.components() {
        match step {
            Component::CurDir => {}
            Component::ParentDir => {
                plain.pop();
            }
            other => plain.push(other),
        }
    }
    plain
}

/// Takes `.` and `..` out, and links out of the part that exists, so that one file has one name.
fn settle(path: &Path) -> PathBuf {
    let plain = without_dots(path);
    let Some((there, resolved)) = plain
        .ancestors()
        .find_map(|above| Some((above, fs::canonicalize(above).ok()?)))
    else {
        return plain;
    };
    match plain.strip_prefix(there) {
        Ok(rest) if !rest.as_os_str().is_empty() => resolved.join(rest),
        _ => resolved,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_taken_from_where_one_stands_then_from_the_root() {
        let folder = tempfile::tempdir().unwrap();
        let root = fs::canonicalize(folder.path()).unwrap();
        fs::create_dir_all(root.join("src/db")).unwrap();
        fs::write(root.join("src/db/a.rs"), "").unwrap();
        fs::write(root.join("src/a.rs"), "").unwrap();
        let from = root.join("src");
        let shown = |given: &str| inside(&root, &from, given).map(|path| path.to_string());
        assert_eq!(shown("a.rs").unwrap(), "src/a.rs");
        assert_eq!(shown("src/db/a.rs").unwrap(), "src/db/a.rs");
        assert_eq!(shown("db/../new.rs").unwrap(), "src/new.rs");
        assert_eq!(shown(&from.join("db").to_string_lossy()).unwrap(), "src/db");
        for bad in ["../../elsewhere", "/etc/passwd", ""] {
            assert!(shown(bad).is_err(), "{bad}");
        }
    }
}
