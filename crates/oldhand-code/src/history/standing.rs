//! How much of a file still is as somebody knew it at an earlier time, and how often it changed since.

use std::path::Path;

use gix::bstr::ByteSlice;
use rustc_hash::FxHashMap;

use super::commit::Trait;
use super::log::{CommitId, FileId, History};
use super::{git, lines, tree};

/// A file, as it is called now, and when it was known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KnownThen {
    pub path: String,
    /// Seconds since 1970.
    pub at: i64,
}

/// What is left of a file.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Standing {
    /// The share of the lines of then that are still there, in the worktree that kept most of them.
    pub share: f32,
    /// Commits that changed it since; programs' own do not count.
    pub changes: usize,
}

/// Work that is committed so soon after was known already.
const COMMITTED_SOON_SECONDS: i64 = 86_400;

/// What is left of each file; `None` where nobody can say: the file is gone or no text, or the history does not reach back.
pub fn standing(root: &Path, history: &History, asked: &[KnownThen]) -> Vec<Option<Standing>> {
    let Ok(repository) = git::open(root) else {
        return vec![None; asked.len()];
    };
    let look = Look {
        trees: trees_of_today(&repository),
        repository: &repository,
        history,
    };
    // Many memories know one file since one day.
    let mut known: FxHashMap<(&str, i64), Option<Standing>> = FxHashMap::default();
    asked
        .iter()
        .map(|then| {
            let key = (then.path.as_str(), then.at);
            *known.entry(key).or_insert_with(|| look.at(then))
        })
        .collect()
}

struct Look<'a> {
    repository: &'a gix::Repository,
    history: &'a History,
    trees: Vec<gix::ObjectId>,
}

impl Look<'_> {
    fn at(&self, then: &KnownThen) -> Option<Standing> {
        let history = self.history;
        let file = history.find(&then.path)?;
        let known_in = self.last_known(file, then.at)?;
        let before = self.content(self.tree_of(known_in)?, self.path_at(file, known_in))?;
        let now = self
            .trees
            .iter()
            .filter_map(|tree| self.content(*tree, history.path(file)));
        let share = now
            .filter_map(|after| self.kept(before, after))
            .max_by(f32::total_cmp)?;
        let later = &history.commits[known_in as usize + 1..];
        let changes = later
            .iter()
            .filter(|entry| entry.files.contains(&file) && !entry.nature.is(Trait::Automatic));
        Some(Standing {
            share,
            changes: changes.count(),
        })
    }

    /// The commit whose files somebody knew at that time: the first soon after that changed the file, or the last before.
    fn last_known(&self, file: FileId, at: i64) -> Option<CommitId> {
        let commits = || (0..).zip(&self.history.commits);
        let soon = at..=at + COMMITTED_SOON_SECONDS;
        let brought = commits()
            .find(|(_, entry)| soon.contains(&entry.time) && entry.files.contains(&file))
            .map(|(commit, _)| commit);
        let before = || {
            commits()
                .filter(|(_, entry)| entry.time <= at)
                .max_by_key(|(commit, entry)| (entry.time, *commit))
                .map(|(commit, _)| commit)
        };
        brought.or_else(before)
    }

    /// What the file was called right after that commit.
    fn path_at(&self, file: FileId, commit: CommitId) -> &str {
        let renames = self.history.renames.iter();
        let next = renames
            .filter(|rename| rename.file == file && rename.commit > commit)
            .min_by_key(|rename| rename.commit);
        next.map_or(self.history.path(file), |rename| &rename.from)
    }

    fn tree_of(&self, commit: CommitId) -> Option<gix::ObjectId> {
        let digits = format!("{:016x}", self.history.commits[commit as usize].id);
        let prefix = gix::hash::Prefix::from_hex(&digits).ok()?;
        let found = self.repository.objects.lookup_prefix(prefix, None).ok()??;
        let commit = self.repository.find_commit(found.ok()?).ok()?;
        Some(commit.tree_id().ok()?.detach())
    }

    fn content(&self, tree: gix::ObjectId, path: &str) -> Option<gix::ObjectId> {
        let tree = self.repository.find_tree(tree).ok()?;
        let entry = tree.lookup_entry_by_path(path.as_bytes().to_path().ok()?);
        let entry = entry.ok()??;
        entry.mode().is_blob().then(|| entry.object_id())
    }

    fn kept(&self, before: gix::ObjectId, after: gix::ObjectId) -> Option<f32> {
        if before == after {
            return Some(1.0);
        }
        let text = |id| tree::read_text(self.repository, Some(id));
        Some(lines::kept(&text(before)?, &text(after)?))
    }
}

/// What is checked out here and in every other worktree of the repository.
fn trees_of_today(repository: &gix::Repository) -> Vec<gix::ObjectId> {
    let tree = |repository: &gix::Repository| {
        let head = repository.head_id().ok()?;
        let commit = repository.find_commit(head.detach()).ok()?;
        Some(commit.tree_id().ok()?.detach())
    };
    let main = repository.main_repo().ok();
    let others = repository.worktrees().unwrap_or_default().into_iter();
    let others =
        others.filter_map(|proxy| proxy.into_repo_with_possibly_inaccessible_worktree().ok());
    let mut trees: Vec<gix::ObjectId> = std::iter::once(repository.clone())
        .chain(main)
        .chain(others)
        .filter_map(|repository| tree(&repository))
        .collect();
    trees.sort_unstable();
    trees.dedup();
    trees
}
