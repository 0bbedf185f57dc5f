//! Paths as clients write them, made relative to the project.

use std::path::Path;

use oldhand_domain::event::Place;
use oldhand_domain::path::ProjectPath;
use oldhand_observe::outcome::outside::is_of_others;

use crate::project::checkouts;

/// Where clients keep checkouts of all projects.
const CLIENTS_WORKTREES: [&str; 3] = [
    "/.codex/worktrees/",
    "/.claude/worktrees/",
    "/.cursor/worktrees/",
];

/// Where the project lies on the machine the agent ran on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Root {
    path: String,
    /// What paths are relative to where nobody says it.
    base: String,
}

impl Root {
    pub(crate) fn new(path: &str) -> Self {
        let path = slashed(path).trim_end_matches('/').to_owned();
        Self {
            base: path.clone(),
            path,
        }
    }

    /// A project below the folder that a session ran in.
    pub(crate) fn seen_from(path: &str, folder: &str) -> Self {
        Self {
            base: slashed(folder),
            ..Self::new(path)
        }
    }

    /// The whole machine, as seen from a folder: for who does not know yet where the project lies on it.
    pub(crate) fn of_machine(folder: &str) -> Self {
        let base = slashed(folder);
        let drive = if base.starts_with('/') { 0 } else { 2 };
        Self {
            path: base.get(..drive).unwrap_or_default().to_owned(),
            base,
        }
    }

    pub(crate) fn as_str(&self) -> &str {
        &self.path
    }

    /// The folder that the session ran in, where it was not the project's own.
    pub(crate) fn ran_in(&self) -> &str {
        &self.base
    }

    /// The place of a path, which may be relative to `cwd`.
    pub(crate) fn place(&self, path: &str, cwd: Option<&str>) -> Place {
        if path.trim().is_empty() {
            return Place::Outside;
        }
        let whole = straightened(&self.join(path, cwd));
        // macOS shows one folder under two names.
        let inside = below(&whole, &self.path)
            .or_else(|| below(whole.strip_prefix("/private")?, &self.path))
            .or_else(|| below(&whole, self.path.strip_prefix("/private")?));
        inside
            .map(out_of_worktree)
            .and_then(|rest| ProjectPath::new(rest).ok())
            .map_or(Place::Outside, Place::Project)
    }

    /// The path as a whole one, which may be relative to `cwd`.
    pub(super) fn join(&self, path: &str, cwd: Option<&str>) -> String {
        let path = slashed(path.trim().trim_start_matches("file://"));
        if is_absolute(&path) {
            return path;
        }
        let base = cwd.map_or_else(|| self.base.clone(), slashed);
        format!("{}/{path}", base.trim_end_matches('/'))
    }

    /// Whether a path is the project's own folder.
    pub(super) fn is_whole(&self, path: &str, cwd: Option<&str>) -> bool {
        let whole = straightened(&self.join(path, cwd));
        let is_root = |whole: &str| whole == straightened(&self.path);
        is_root(&whole) || whole.strip_prefix("/private").is_some_and(is_root)
    }

    /// Whether a path leads into another checkout of the project and to what is the project's there: a checkout that the repository
    /// knows of, or one where clients put them.
    pub(super) fn is_other_checkout(&self, path: &str, cwd: Option<&str>) -> bool {
        let whole = straightened(&self.join(path, cwd));
        self.inside_other_checkout(&whole)
            .is_some_and(|inside| !is_of_others(&inside))
    }

    fn inside_other_checkout(&self, whole: &str) -> Option<String> {
        let name = self.path.rsplit('/').next().filter(|name| !name.is_empty());
        let kept = CLIENTS_WORKTREES.iter().find_map(|folder| {
            let mut steps = whole.split_once(folder)?.1.split('/');
            // The name of the project stands before or behind the checkout's own.
            let both = [steps.next(), steps.next()];
            both.contains(&name)
                .then(|| steps.collect::<Vec<_>>().join("/"))
        });
        kept.or_else(|| {
            let known = checkouts(Path::new(&self.path)).into_iter();
            let mut known = known.map(|folder| straightened(&slashed(&folder.to_string_lossy())));
            known.find_map(|folder| {
                let whole = whole.strip_prefix("/private").unwrap_or(whole);
                let folder = folder.strip_prefix("/private").unwrap_or(&folder);
                let inside = whole.strip_prefix(folder)?;
                let is_below = inside.is_empty() || inside.starts_with('/');
                is_below.then(|| inside.trim_start_matches('/').to_owned())
            })
        })
    }

    pub(super) fn project(&self, path: &str, cwd: Option<&str>) -> Option<ProjectPath> {
        match self.place(path, cwd) {
            Place::Project(path) => Some(path),
            Place::Outside => None,
        }
    }
}

/// A path inside a worktree that is kept below the project, as the project itself has it.
fn out_of_worktree(path: &str) -> &str {
    let rest = [".worktrees/", ".claude/worktrees/", ".cursor/worktrees/"]
        .iter()
        .find_map(|folder| path.strip_prefix(folder));
    rest.and_then(|rest| rest.split_once('/'))
        .map_or(path, |(_, inside)| inside)
}

fn slashed(path: &str) -> String {
    path.replace('\\', "/")
}

fn is_absolute(path: &str) -> bool {
    let bytes = path.as_bytes();
    path.starts_with('/')
        || path.starts_with('~')
        || (bytes.len() > 1 && bytes[0].is_ascii_alphabetic() && bytes[1] == b':')
}

/// A path without `.` and `..` steps, judged by its text alone.
fn straightened(path: &str) -> String {
    let mut steps: Vec<&str> = Vec::new();
    for step in path.split('/') {
        match step {
            "" | "." => {}
            ".." => {
                steps.pop();
            }
            _ => steps.push(step),
        }
    }
    let lead = if path.starts_with('/') { "/" } else { "" };
    format!("{lead}{}", steps.join("/"))
}

fn below<'a>(whole: &'a str, root: &str) -> Option<&'a str> {
    whole.strip_prefix(root)?.strip_prefix('/')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_become_relative_or_stay_outside() {
        let root = Root::new("/home/dev/project/");
        let told = |path: &str, cwd: Option<&str>| {
            root.place(path, cwd).project().map(ToString::to_string)
        };
        assert_eq!(
            told("/home/dev/project/src/a.rs", None).as_deref(),
            Some("src/a.rs")
        );
        assert_eq!(told("src/a.rs", None).as_deref(), Some("src/a.rs"));
        assert_eq!(
            told("a.rs", Some("/home/dev/project/src")).as_deref(),
            Some("src/a.rs")
        );
        assert_eq!(
            told("../a.rs", Some("/home/dev/project/src")).as_deref(),
            Some("a.rs")
        );
        assert_eq!(
            told("/home/dev/project/.worktrees/2/src/a.rs", None).as_deref(),
            Some("src/a.rs")
        );
        assert_eq!(
            told("src/a.rs", Some("/home/dev/project/.claude/worktrees/fix")).as_deref(),
            Some("src/a.rs")
        );
        assert_eq!(told("../../etc/passwd", None), None);
        assert_eq!(told("/home/dev/project2/a.rs", None), None);
        assert_eq!(told("/etc/passwd", None), None);
        assert_eq!(told("", None), None);
        assert_eq!(told("a.rs", Some("/tmp")), None);
        let windows = Root::new("C:\\dev\\project");
        assert_eq!(
            windows
                .place("C:\\dev\\project\\src\\a.rs", None)
                .project()
                .map(ToString::to_string)
                .as_deref(),
            Some("src/a.rs")
        );
        let mac = Root::new("/tmp/x");
        assert_eq!(
            mac.place("/private/tmp/x/a.rs", None)
                .project()
                .map(ToString::to_string)
                .as_deref(),
            Some("a.rs")
        );
    }

    #[test]
    fn another_checkout_is_one_that_the_repository_knows_of() {
        let home = tempfile::tempdir().expect("a folder");
        let home = home.path().canonicalize().expect("a folder");
        let git = |arguments: &[&str]| {
            let mut git = std::process::Command::new("git");
            let done = git.current_dir(&home).args(arguments).output();
            assert!(done.expect("git").status.success(), "{arguments:?}");
        };
        git(&["init", "--quiet", "react"]);
        let person = ["-c", "user.name=a", "-c", "user.email=a@example.com"];
        let commit = ["commit", "--quiet", "--allow-empty", "-m", "begin"];
        git(&[&["-C", "react"][..], &person, &commit].concat());
        git(&["-C", "react", "worktree", "add", "--quiet", "../fix"]);
        git(&["init", "--quiet", "react-router"]);
        // A folder that says it is one.
        std::fs::create_dir(home.join("react-copy")).expect("a folder");
        let claim = format!("gitdir: {}", home.join("react/.git").display());
        std::fs::write(home.join("react-copy/.git"), claim).expect("a file");

        let root = Root::new(&home.join("react").to_string_lossy());
        for own in [
            "../fix",
            "../fix/README.md",
            "/a/.codex/worktrees/ab12/react/x.md",
        ] {
            assert!(root.is_other_checkout(own, None), "{own}");
        }
        for other in [
            "../react-router/README.md",
            "../react-copy/README.md",
            "../fixture/README.md",
            "../fix/node_modules/a/README.md",
            "/a/worktrees/react/README.md",
            "/a/.codex/worktrees/ab12/router/README.md",
        ] {
            assert!(!root.is_other_checkout(other, None), "{other}");
        }
        let linked = Root::new(&home.join("fix").to_string_lossy());
        assert!(linked.is_other_checkout("../react/README.md", None));
    }
}
