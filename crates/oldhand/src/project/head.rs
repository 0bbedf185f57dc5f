//! The branch and commit a checkout is at, and where its history began, read from git's files.

use std::fs;
use std::path::Path;

use oldhand_domain::memory::CommitSha;
use oldhand_domain::text::is_hidden;

use super::Location;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Head {
    pub(crate) branch: Option<String>,
    pub(crate) commit: Option<CommitSha>,
}

impl Head {
    /// What cannot be read (no git, nothing committed, another ref format) is left out.
    pub(crate) fn read(location: &Location) -> Self {
        let (Some(git_dir), Some(text)) = (&location.git_dir, text_of(location)) else {
            return Self::default();
        };
        let Some(name) = text.strip_prefix("ref: ") else {
            return Self {
                branch: None,
                commit: CommitSha::new(&text),
            };
        };
        Self {
            branch: branch_of(name).map(str::to_owned),
            commit: resolve(name, git_dir, location.place.path()),
        }
    }

    /// The branch that is checked out, spelled as it is kept with what is learned on it. Packed references, of which there may be
    /// many, are not read for it.
    pub(crate) fn branch(location: &Location) -> Option<String> {
        let text = text_of(location)?;
        let branch = branch_of(text.strip_prefix("ref: ")?)?;
        Some(oldhand_redact::redact(branch).text.into_owned())
    }
}

fn text_of(location: &Location) -> Option<String> {
    let git_dir = location.git_dir.as_ref()?;
    let text = fs::read_to_string(git_dir.join("HEAD")).ok()?;
    Some(text.trim().to_owned())
}

fn branch_of(name: &str) -> Option<&str> {
    name.strip_prefix("refs/heads/")
        .filter(|branch| !branch.starts_with('.') && !branch.contains(is_hidden))
}

/// Whether the history of a repository began in its folder, and did not come from elsewhere: nothing is committed yet, or what
/// git logged first is the first commit of all.
pub(super) fn was_begun_here(location: &Location) -> bool {
    let log = location.place.path().join("logs/HEAD");
    match fs::read_to_string(log) {
        Ok(text) => text
            .lines()
            .next()
            .and_then(|first| first.split_once('\t'))
            .is_some_and(|(_, what)| what.starts_with("commit (initial)")),
        Err(_) => Head::read(location).commit.is_none(),
    }
}

fn resolve(name: &str, git_dir: &Path, common: &Path) -> Option<CommitSha> {
    let loose = [git_dir, common]
        .iter()
        .find_map(|folder| fs::read_to_string(folder.join(name)).ok());
    if let Some(text) = loose {
        return CommitSha::new(text.trim());
    }
    let packed = fs::read_to_string(common.join("packed-refs")).ok()?;
    let (sha, _) = packed
        .lines()
        .filter_map(|line| line.split_once(' '))
        .find(|(_, reference)| *reference == name)?;
    CommitSha::new(sha)
}

#[cfg(test)]
mod tests {
    use oldhand_testkit::Sandbox;

    use super::*;
    use crate::project::locate::locate;

    fn head(folder: &Path) -> Head {
        Head::read(&locate(folder, None, |_| false).unwrap())
    }

    #[test]
    fn branch_and_commit_are_those_git_names() {
        let sandbox = Sandbox::with_repository("unused");
        let top = sandbox.project();
        let commit = CommitSha::new(sandbox.git(&top, ["rev-parse", "HEAD"]).trim());
        let on = |branch: &str| Head {
            branch: Some(branch.to_owned()),
            commit: commit.clone(),
        };
        assert_eq!(head(&top), on("main"));
        sandbox.git(&top, ["pack-refs", "--all"]);
        assert_eq!(head(&top), on("main"));
        let tree = sandbox.root().join("tree");
        let into = tree.to_string_lossy().into_owned();
        sandbox.git(&top, ["worktree", "add", "--quiet", "-b", "a/b", &into]);
        assert_eq!(head(&tree), on("a/b"));
        sandbox.git(&top, ["checkout", "--quiet", "--detach"]);
        assert_eq!(
            head(&top),
            Head {
                branch: None,
                commit
            }
        );
    }
}
