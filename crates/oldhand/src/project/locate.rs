//! From a folder to the thing that identifies its project, by reading `.git` files only.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// What stays the same wherever in a project one stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// The git common directory: one for all worktrees of a repository.
    Git(PathBuf),
    /// The root folder of a project without git.
    Folder(PathBuf),
}

/// Where in a project one stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Location {
    pub(crate) place: Place,
    /// What paths in memories are relative to: the top of this checkout.
    pub(crate) root: PathBuf,
    /// The git directory of this checkout, which a linked worktree has of its own.
    pub(crate) git_dir: Option<PathBuf>,
}

/// Files that people put at the top of a project.
const MARKERS: &[&str] = &[
    ".hg",
    ".jj",
    ".svn",
    "AGENTS.md",
    "CLAUDE.md",
    "Cargo.toml",
    "Gemfile",
    "build.gradle",
    "build.gradle.kts",
    "composer.json",
    "deno.json",
    "go.mod",
    "mix.exs",
    "package.json",
    "pom.xml",
    "pyproject.toml",
    "setup.py",
];

/// Finds what `folder` belongs to.
///
/// Without git, a folder that is already a project (`is_known`) holds everything below it; else the nearest folder
/// with a marker is the root; else `folder` itself. A person's home is never the root of what lies below it, and a
/// folder that everyone can write to is not either: whoever left a file there would decide what is one project.
pub(crate) fn locate(
    folder: &Path,
    user_home: Option<&Path>,
    is_known: impl Fn(&Place) -> bool,
) -> io::Result<Location> {
    let folder = fs::canonicalize(folder)?;
    let own = |above: &&Path| **above == folder || !is_open_to_all(above);
    if let Some(location) = folder.ancestors().take_while(own).find_map(repository_at) {
        return Ok(location);
    }
    let user_home = user_home.and_then(|home| fs::canonicalize(home).ok());
    let inside_home = |above: &&Path| **above == folder || Some(*above) != user_home.as_deref();
    let above: Vec<&Path> = folder
        .ancestors()
        .take_while(own)
        .take_while(inside_home)
        .collect();
    let known = above
        .iter()
        .find(|path| is_known(&Place::Folder(path.to_path_buf())));
    let marked = || {
        above
            .iter()
            .find(|path| MARKERS.iter().any(|name| path.join(name).exists()))
    };
    let root = known
        .or_else(marked)
        .map_or_else(|| folder.clone(), |path| path.to_path_buf());
    Ok(Location {
        place: Place::Folder(root.clone()),
        root,
        git_dir: None,
    })
}

#[cfg(unix)]
fn is_open_to_all(folder: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    fs::metadata(folder).is_ok_and(|found| found.permissions().mode() & 0o002 != 0)
}

#[cfg(not(unix))]
fn is_open_to_all(_folder: &Path) -> bool {
    false
}

/// The repository whose top, git directory or bare directory is exactly `folder`.
fn repository_at(folder: &Path) -> Option<Location> {
    let (git_dir, root) = if let Some(git_dir) = git_dir_of(folder) {
        (git_dir, folder.to_path_buf())
    } else if is_git_dir(folder) {
        let root = match folder.file_name() {
            Some(name) if name == ".git" || name == ".bare" => folder.parent()?.to_path_buf(),
            _ => folder.to_path_buf(),
        };
        (folder.to_path_buf(), root)
    } else {
        return None;
    };
    let common = common_dir(&git_dir)?;
    Some(Location {
        place: Place::Git(shared_by_worktrees(&common)),
        root,
        git_dir: Some(git_dir),
    })
}

/// All checkouts that the repository of the checkout `root` itself knows of. What lies in a folder may claim anything.
pub(crate) fn checkouts(root: &Path) -> Vec<PathBuf> {
    let Some(common) = git_dir_of(root).and_then(|git_dir| common_dir(&git_dir)) else {
        return Vec::new();
    };
    let linked = fs::read_dir(common.join("worktrees"))
        .into_iter()
        .flatten()
        .flatten()
        .filter_map(|entry| {
            let named = fs::read_to_string(entry.path().join("gitdir")).ok()?;
            Some(entry.path().join(named.trim()).parent()?.to_path_buf())
        });
    let first = common.ends_with(".git").then(|| common.parent()).flatten();
    linked.chain(first.map(Path::to_path_buf)).collect()
}

/// Follows `folder/.git`, which is a directory, or a file that names one: in worktrees, submodules and bare layouts.
fn git_dir_of(folder: &Path) -> Option<PathBuf> {
    let dot_git = folder.join(".git");
    let git_dir = if dot_git.is_dir() {
        dot_git
    } else {
        let text = fs::read_to_string(&dot_git).ok()?;
        let named = text.lines().next()?.strip_prefix("gitdir:")?.trim();
        fs::canonicalize(folder.join(named)).ok()?
    };
    git_dir.join("HEAD").exists().then_some(git_dir)
}

fn is_git_dir(folder: &Path) -> bool {
    folder.join("HEAD").is_file()
        && (folder.join("commondir").is_file()
            || (folder.join("objects").is_dir() && folder.join("refs").is_dir()))
}

fn common_dir(git_dir: &Path) -> Option<PathBuf> {
    match fs::read_to_string(git_dir.join("commondir")) {
        Ok(text) => fs::canonicalize(git_dir.join(text.trim_end_matches(['\r', '\n']))).ok(),
        Err(_) => fs::canonicalize(git_dir).ok(),
    }
}

/// A submodule inside a linked worktree has a git directory below that worktree's; it is the same submodule.
fn shared_by_worktrees(common: &Path) -> PathBuf {
    let steps: Vec<_> = common.components().collect();
    let inside = |at: usize| {
        steps[at].as_os_str() == "worktrees"
            && steps
                .get(at + 2)
                .is_some_and(|step| step.as_os_str() == "modules")
    };
    match (0..steps.len()).find(|&at| inside(at)) {
        Some(at) => steps[..at].iter().chain(&steps[at + 2..]).collect(),
        None => common.to_path_buf(),
    }
}

impl Place {
    pub(crate) fn path(&self) -> &Path {
        match self {
            Self::Git(path) | Self::Folder(path) => path,
        }
    }

    /// The folder that became this repository, if it was a project before it did.
    pub(crate) fn before_git(&self) -> Option<Self> {
        match self {
            Self::Git(path) if path.ends_with(".git") => {
                Some(Self::Folder(path.parent()?.to_path_buf()))
            }
            Self::Git(_) | Self::Folder(_) => None,
        }
    }

    /// How the registry spells this place. A path that is not text is spelled byte by byte.
    pub(crate) fn key(&self) -> String {
        let kind = match self {
            Self::Git(_) => "git",
            Self::Folder(_) => "folder",
        };
        if let Some(path) = self.path().to_str() {
            return format!("{kind}:{path}");
        }
        let bytes = self.path().as_os_str().as_encoded_bytes();
        let hex: Vec<String> = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
        format!("{kind}-bytes:{}", hex.concat())
    }

    /// A name for people, from the folder that holds the repository.
    pub(crate) fn name(&self) -> String {
        let path = self.path();
        let last = |path: &Path| {
            path.file_name()
                .map(|name| name.to_string_lossy().into_owned())
                .unwrap_or_default()
        };
        let name = match self {
            Self::Git(_) if matches!(last(path).as_str(), ".git" | ".bare") => {
                path.parent().map(last).unwrap_or_default()
            }
            Self::Git(_) => last(path).trim_end_matches(".git").to_owned(),
            Self::Folder(_) => last(path),
        };
        plain(&name)
    }
}

/// What every file system and shell takes without quoting.
fn plain(name: &str) -> String {
    let kept: String = name
        .chars()
        .map(|c| match c {
            'a'..='z' | '0'..='9' | '_' | '.' => c,
            'A'..='Z' => c.to_ascii_lowercase(),
            _ => '-',
        })
        .take(40)
        .collect();
    let kept = kept.trim_matches(['-', '.']);
    if kept.is_empty() {
        "project".to_owned()
    } else {
        kept.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use oldhand_testkit::Sandbox;

    use super::*;

    fn place(folder: &Path) -> Place {
        locate(folder, None, |_| false).unwrap().place
    }

    fn sandbox() -> Sandbox {
        Sandbox::with_repository("unused")
    }

    #[test]
    fn subfolders_and_worktrees_share_one_place() {
        let sandbox = sandbox();
        let top = sandbox.project();
        let tree = sandbox.root().join("tree");
        sandbox.write("src/deep/a.rs", "");
        sandbox.git(
            &top,
            ["worktree", "add", "--quiet", &tree.to_string_lossy()],
        );
        let expected = Place::Git(fs::canonicalize(top.join(".git")).unwrap());
        assert_eq!(place(&top), expected);
        assert_eq!(place(&top.join("src/deep")), expected);
        assert_eq!(place(&top.join(".git/hooks")), expected);
        assert_eq!(place(&tree), expected);
        let location = locate(&tree, None, |_| false).unwrap();
        assert_eq!(location.root, fs::canonicalize(&tree).unwrap());
        assert_ne!(location.git_dir.unwrap(), expected.path());
    }

    #[test]
    fn a_bare_layout_is_one_place_named_after_its_folder() {
        let sandbox = sandbox();
        let layout = sandbox.root().join("My App");
        let bare = layout.join(".bare");
        fs::create_dir(&layout).unwrap();
        let from = sandbox.project().to_string_lossy().into_owned();
        sandbox.git(
            &layout,
            ["clone", "--quiet", "--bare", from.as_str(), ".bare"],
        );
        fs::write(layout.join(".git"), "gitdir: ./.bare\n").unwrap();
        sandbox.git(&layout, ["worktree", "add", "--quiet", "main"]);
        let expected = Place::Git(fs::canonicalize(&bare).unwrap());
        for folder in [&layout, &bare, &layout.join("main")] {
            assert_eq!(place(folder), expected, "{}", folder.display());
        }
        assert_eq!(expected.name(), "my-app");
    }

    #[test]
    fn a_submodule_is_a_project_of_its_own_and_the_same_one_in_every_worktree() {
        let sandbox = sandbox();
        let top = sandbox.project();
        let library = sandbox.root().join("library");
        sandbox.make_repository(&library);
        let from = library.to_string_lossy().into_owned();
        let allow = "protocol.file.allow=always";
        sandbox.git(
            &top,
            ["-c", allow, "submodule", "--quiet", "add", &from, "vendor"],
        );
        sandbox.git(&top, ["commit", "--quiet", "-am", "Add a submodule"]);
        let tree = sandbox.root().join("tree");
        let into = tree.to_string_lossy().into_owned();
        sandbox.git(&top, ["worktree", "add", "--quiet", &into]);
        sandbox.git(
            &tree,
            ["-c", allow, "submodule", "--quiet", "update", "--init"],
        );
        let submodule = place(&top.join("vendor"));
        assert_ne!(submodule, place(&top));
        assert_eq!(submodule.name(), "vendor");
        assert_eq!(place(&tree.join("vendor")), submodule);
    }

    #[test]
    fn without_git_the_nearest_marker_is_the_root() {
        let sandbox = Sandbox::with_folder("unused");
        sandbox.write("app/package.json", "{}");
        sandbox.write("app/src/index.js", "");
        let app = fs::canonicalize(sandbox.project().join("app")).unwrap();
        assert_eq!(place(&app.join("src")), Place::Folder(app.clone()));
        let bare = sandbox.root().join("nothing");
        fs::create_dir(&bare).unwrap();
        assert_eq!(place(&bare), Place::Folder(fs::canonicalize(bare).unwrap()));
        let top = Place::Folder(fs::canonicalize(sandbox.project()).unwrap());
        let known = locate(&app.join("src"), None, |place| *place == top).unwrap();
        assert_eq!(known.place, top);
    }

    #[test]
    fn a_home_does_not_swallow_what_lies_below_it() {
        let sandbox = Sandbox::with_folder("unused");
        sandbox.write("package.json", "{}");
        sandbox.write("notes/a.txt", "");
        let home = sandbox.project();
        let notes = fs::canonicalize(home.join("notes")).unwrap();
        let location = locate(&notes, Some(&home), |_| true).unwrap();
        assert_eq!(location.place, Place::Folder(notes));
    }

    #[cfg(unix)]
    #[test]
    fn a_folder_open_to_all_decides_nothing() {
        use std::os::unix::fs::PermissionsExt;
        let sandbox = sandbox();
        sandbox.write("inside/a.txt", "");
        sandbox.write("package.json", "{}");
        let inside = fs::canonicalize(sandbox.project().join("inside")).unwrap();
        let open = fs::Permissions::from_mode(0o777);
        fs::set_permissions(sandbox.project(), open).unwrap();
        assert_eq!(place(&inside), Place::Folder(inside));
        assert!(matches!(place(&sandbox.project()), Place::Git(_)));
    }

    #[test]
    fn a_git_file_that_leads_nowhere_is_no_repository() {
        let sandbox = Sandbox::with_folder("unused");
        sandbox.write(".git", "gitdir: /nowhere/.git/worktrees/gone\n");
        assert!(matches!(place(&sandbox.project()), Place::Folder(_)));
    }

    #[cfg(unix)]
    #[test]
    fn two_paths_that_are_not_text_have_two_keys() {
        use std::os::unix::ffi::OsStrExt;
        let key = |bytes: &[u8]| Place::Folder(std::ffi::OsStr::from_bytes(bytes).into()).key();
        assert_ne!(key(b"/a/\xff"), key(b"/a/\xfe"));
    }
}
