//! What commits and branches say in one file, and since when.

use std::collections::BTreeMap;
use std::path::Path;

use gix::ObjectId;
use gix::revision::walk::Sorting;
use gix::traverse::commit::simple::CommitTimeOrder;

use super::{Gap, git, tree};

/// So many branches are asked.
const BRANCHES: usize = 500;
/// So many commits are looked through for one question.
const COMMITS: usize = 20_000;

/// A text that a commit brought or replaced.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Version {
    pub text: String,
    /// When, in seconds since 1970.
    pub at: Option<i64>,
}

/// What git knows of a file; nothing where there is no repository.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Versions {
    /// As the commit at hand has it.
    pub head: Option<String>,
    /// What a commit on the way to the one at hand changed or deleted, as it was before, each with the time of that commit.
    pub replaced: Vec<Version>,
    /// What other branches have instead, with the time of the commit that brought it where the one at hand does not know that commit.
    pub elsewhere: Vec<Version>,
}

/// The commit at hand, where there is one.
pub fn commit_at_hand(root: &Path) -> Option<String> {
    let repository = git::open(root).ok()?;
    Some(repository.head_id().ok()?.to_string())
}

/// Looks back to `since`. `None` where the repository cannot be read that far.
pub fn versions(root: &Path, file: &str, since: i64) -> Option<Versions> {
    let repository = match git::open(root) {
        Ok(repository) => repository,
        Err(Gap::NoRepository) => return Some(Versions::default()),
        Err(_) => return None,
    };
    let look = Look {
        repository: &repository,
        file,
        since,
    };
    let Ok(head) = repository.head_id() else {
        // Nothing is committed yet.
        return Some(Versions::default());
    };
    let head = head.detach();
    let own = look.blob(head);
    let text = match own {
        Some(blob) => Some(look.text(blob)?),
        None => None,
    };
    Some(Versions {
        head: text,
        replaced: look.replaced(head)?,
        elsewhere: look.elsewhere(head, own)?,
    })
}

struct Look<'r> {
    repository: &'r gix::Repository,
    file: &'r str,
    since: i64,
}

impl Look<'_> {
    fn blob(&self, commit: ObjectId) -> Option<ObjectId> {
        let tree = self.repository.find_commit(commit).ok()?.tree().ok()?;
        let entry = tree.lookup_entry_by_path(self.file).ok()??;
        Some(entry.object_id())
    }

    fn text(&self, blob: ObjectId) -> Option<String> {
        let bytes = tree::read_text(self.repository, Some(blob))?;
        String::from_utf8(bytes).ok()
    }

    fn version(&self, blob: ObjectId, at: Option<i64>) -> Option<Version> {
        let text = self.text(blob)?;
        Some(Version { text, at })
    }

    /// The newest commits that change the file, with what it was before each.
    fn replaced(&self, head: ObjectId) -> Option<Vec<Version>> {
        let mut replaced = Vec::new();
        let walk = self.repository.rev_walk([head]).sorting(self.order());
        for commit in walk.all().ok()?.take(COMMITS) {
            let commit = commit.ok()?;
            let after = self.blob(commit.id);
            let parents = commit.parent_ids.iter();
            let before: Vec<Option<ObjectId>> = parents.map(|parent| self.blob(*parent)).collect();
            if before.contains(&after) {
                continue;
            }
            let at = commit.commit_time;
            for blob in before.into_iter().flatten() {
                replaced.extend(self.version(blob, at));
            }
        }
        Some(replaced)
    }

    /// What is on other branches, each text once.
    fn elsewhere(&self, head: ObjectId, own: Option<ObjectId>) -> Option<Vec<Version>> {
        let mut tips: BTreeMap<ObjectId, Vec<ObjectId>> = BTreeMap::new();
        let references = self.repository.references().ok()?;
        let branches = references.all().ok()?.flatten().filter(|reference| {
            let name = reference.name().as_bstr();
            name.starts_with(b"refs/heads/") || name.starts_with(b"refs/remotes/")
        });
        for mut branch in branches.take(BRANCHES) {
            let Ok(tip) = branch.peel_to_id() else {
                continue;
            };
            let blob = self.blob(tip.detach()).filter(|blob| Some(*blob) != own);
            if let Some(blob) = blob {
                tips.entry(blob).or_default().push(tip.detach());
            }
        }
        let versions = tips.into_iter();
        versions
            .map(|(blob, tips)| self.version(blob, self.brought(blob, tips, head)))
            .collect()
    }

    /// When a commit that `head` does not know brought this text; where that cannot be read, it may have been at any time.
    fn brought(&self, blob: ObjectId, tips: Vec<ObjectId>, head: ObjectId) -> Option<i64> {
        let walk = self.repository.rev_walk(tips).with_hidden([head]);
        let Ok(walk) = walk.sorting(self.order()).all() else {
            return Some(i64::MAX);
        };
        for commit in walk.take(COMMITS) {
            let Ok(commit) = commit else {
                return Some(i64::MAX);
            };
            let has = |id: ObjectId| self.blob(id) == Some(blob);
            if has(commit.id) && !commit.parent_ids.iter().any(|parent| has(*parent)) {
                return commit.commit_time;
            }
        }
        None
    }

    fn order(&self) -> Sorting {
        Sorting::ByCommitTimeCutoff {
            order: CommitTimeOrder::NewestFirst,
            seconds: self.since,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::history::fixture::Fixture;

    fn texts(versions: &[Version]) -> Vec<&str> {
        versions.iter().map(|one| one.text.as_str()).collect()
    }

    #[test]
    fn what_commits_took_away_and_what_other_branches_have() {
        let repository = Fixture::new();
        let asked = || versions(repository.path(), "RULES.md", 0).unwrap();
        repository.write("a.rs", "one").commit("begin");
        assert_eq!(asked(), Versions::default());
        repository.git(&["branch", "--quiet", "old"]);
        repository.write("RULES.md", "one").commit("rules");
        repository.git(&["branch", "--quiet", "first"]);
        repository.write("RULES.md", "two").commit("other rules");
        let found = asked();
        assert_eq!(found.head.as_deref(), Some("two"));
        assert_eq!(texts(&found.replaced), ["one"]);
        assert_eq!(texts(&found.elsewhere), ["one"]);
        assert_eq!(found.elsewhere[0].at, None, "it is known here");
        repository.git(&["checkout", "--quiet", "old"]);
        let found = asked();
        assert_eq!((found.head, found.replaced), (None, Vec::new()));
        assert_eq!(found.elsewhere.len(), 2);
        assert!(found.elsewhere.iter().all(|one| one.at.is_some()));
        repository.git(&["checkout", "--quiet", "main"]);
        repository.git(&["rm", "--quiet", "RULES.md"]);
        repository.commit("no rules");
        let found = asked();
        assert_eq!(found.head, None);
        assert_eq!(texts(&found.replaced), ["two", "one"]);
        let nobody = versions(&std::env::temp_dir(), "RULES.md", 0);
        assert_eq!(nobody, Some(Versions::default()));
    }
}
