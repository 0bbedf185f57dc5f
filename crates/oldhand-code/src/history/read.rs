//! Reads a repository into a [`History`]: every commit once, newest first, as far as the caller lets it.

use std::ops::ControlFlow;
use std::path::Path;

use oldhand_domain::text::is_hidden;
use rustc_hash::FxHashSet;

use super::commit::{Change, ChangeKind, Commit, Nature, Trait};
use super::log::{History, leading_digits};
use super::tree::{self, Difference};
use super::{Gap, git, lines};

/// How far to read. There is no clock here: whoever has a time budget breaks from `progress` when it is spent.
pub struct ReadOptions<'a> {
    /// Older commits than this many are left out, and the history says so.
    pub commit_limit: usize,
    /// Called with the number of commits read so far; breaking keeps what was read, which is the newest part.
    pub progress: &'a mut dyn FnMut(usize) -> ControlFlow<()>,
}

/// Changes of larger fixes are not compared line by line.
const LINES_OF_FILES: usize = 20;
const OBJECT_CACHE_BYTES: usize = 32 * 1024 * 1024;

/// The history of the repository that `path` lies in, continuing `known`. Never fails: what could not be read is in
/// [`History::gaps`], and `known` comes back with whatever could be added.
pub fn read(path: &Path, known: Option<History>, mut options: ReadOptions<'_>) -> History {
    let mut history = known.unwrap_or_default();
    history.gaps.retain(|gap| matches!(gap, Gap::Capped { .. }));
    if let Err(gap) = continue_reading(path, &mut history, &mut options) {
        history.gaps.push(gap);
    }
    history
}

fn continue_reading(
    path: &Path,
    history: &mut History,
    options: &mut ReadOptions<'_>,
) -> Result<(), Gap> {
    let mut repository = git::open(path)?;
    repository.object_cache_size(OBJECT_CACHE_BYTES);
    let head = repository.head_id().map_err(|_| Gap::Unborn)?.detach();
    if repository.is_shallow().unwrap_or(false) {
        history.gaps.push(Gap::Shallow);
    }
    let commits = read_commits(&repository, head, history, options)?;
    for commit in commits.iter().rev() {
        history.add(commit);
    }
    history.tip = Some(head.to_string());
    let (paths, submodules) = list_tree(&repository, head)?;
    history.set_tree(paths);
    if submodules > 0 {
        history.gaps.push(Gap::Submodules { count: submodules });
    }
    Ok(())
}

/// The commits that `history` does not know, newest first.
fn read_commits(
    repository: &gix::Repository,
    head: gix::ObjectId,
    history: &mut History,
    options: &mut ReadOptions<'_>,
) -> Result<Vec<Commit>, Gap> {
    use gix::revision::walk::Sorting;
    use gix::traverse::commit::simple::CommitTimeOrder;

    // A tip that is gone (rewritten and pruned) hides nothing; commits known by id are skipped all the same.
    let tip = history
        .tip
        .as_deref()
        .and_then(|tip| gix::ObjectId::from_hex(tip.as_bytes()).ok());
    let tip = tip.filter(|tip| repository.has_object(tip));
    let known: FxHashSet<u64> = history.commits.iter().map(|entry| entry.id).collect();
    let walk = repository
        .rev_walk([head])
        .with_hidden(tip)
        .sorting(Sorting::ByCommitTime(CommitTimeOrder::NewestFirst))
        .all()
        .map_err(git::unreadable("commits"))?;
    let mut commits = Vec::new();
    for info in walk {
        let stopped =
            commits.len() == options.commit_limit || (options.progress)(commits.len()).is_break();
        if stopped {
            history
                .gaps
                .retain(|gap| !matches!(gap, Gap::Capped { .. }));
            history.gaps.push(Gap::Capped {
                commits: history.commits.len() + commits.len(),
            });
            break;
        }
        let read = info.map_err(git::unreadable("commits")).and_then(|info| {
            if known.contains(&leading_digits(&info.id.to_string())) {
                Ok(None)
            } else {
                read_commit(repository, info.id).map(Some)
            }
        });
        match read {
            Ok(commit) => commits.extend(commit),
            // One broken object must not cost the rest; the walk itself ends when it cannot go on.
            Err(gap) if !history.gaps.contains(&gap) => history.gaps.push(gap),
            Err(_) => {}
        }
    }
    Ok(commits)
}

fn read_commit(repository: &gix::Repository, id: gix::ObjectId) -> Result<Commit, Gap> {
    let object = repository
        .find_commit(id)
        .map_err(git::unreadable("commit"))?;
    let decoded = object.decode().map_err(git::unreadable("commit"))?;
    let parents: Vec<gix::ObjectId> = decoded.parents().collect();
    let author = decoded.author().map_err(git::unreadable("commit"))?;
    let mut commit = Commit {
        id: id.to_string(),
        time: object.time().map_err(git::unreadable("commit"))?.seconds,
        author: author.name.to_string(),
        message: decoded.message.to_string(),
        parents: parents.len(),
        ..Commit::default()
    };
    let before = match parents.first() {
        // The parent lies behind the edge of a shallow clone: nobody can say what changed.
        Some(parent) if !repository.has_object(parent) => return Ok(commit),
        _ if parents.len() > 1 => return Ok(commit),
        Some(parent) => {
            let parent = repository
                .find_commit(*parent)
                .map_err(git::unreadable("commit"))?;
            Some(
                parent
                    .tree_id()
                    .map_err(git::unreadable("commit"))?
                    .detach(),
            )
        }
        None => None,
    };
    let differences = tree::compare(repository, before, decoded.tree())?;
    commit.changed_files = differences.len();
    let nature = Nature::of(&commit);
    let wants_lines =
        nature.is(Trait::Fix) && !nature.is(Trait::Sweep) && differences.len() <= LINES_OF_FILES;
    let change = |difference: Difference| to_change(repository, difference, wants_lines);
    let named = |difference: &Difference| !difference.path.contains(is_hidden);
    commit.changes = differences.into_iter().filter(named).map(change).collect();
    Ok(commit)
}

fn to_change(repository: &gix::Repository, difference: Difference, wants_lines: bool) -> Change {
    let kind = match (&difference.from, difference.before, difference.after) {
        (Some(from), _, _) => ChangeKind::Renamed { from: from.clone() },
        (None, None, _) => ChangeKind::Added,
        (None, _, None) => ChangeKind::Deleted,
        (None, Some(_), Some(_)) => ChangeKind::Modified,
    };
    let text = |id| tree::read_text(repository, id).unwrap_or_default();
    let lines = (wants_lines && difference.after.is_some())
        .then(|| lines::changed(&text(difference.before), &text(difference.after)));
    let shorten = |id: gix::ObjectId| leading_digits(&id.to_string());
    Change {
        path: difference.path,
        kind,
        before: difference.before.map(shorten),
        after: difference.after.map(shorten),
        lines,
    }
}

/// The files of the commit's tree, and how many submodules lie beside them.
fn list_tree(
    repository: &gix::Repository,
    commit: gix::ObjectId,
) -> Result<(Vec<String>, usize), Gap> {
    let commit = repository
        .find_commit(commit)
        .map_err(git::unreadable("commit"))?;
    let tree = commit.tree().map_err(git::unreadable("tree"))?;
    let entries = tree
        .traverse()
        .breadthfirst
        .files()
        .map_err(git::unreadable("tree"))?;
    let submodules = entries
        .iter()
        .filter(|entry| entry.mode.is_commit())
        .count();
    let files = entries
        .into_iter()
        .filter(|entry| entry.mode.is_blob_or_symlink());
    let paths = files.map(|entry| entry.filepath.to_string());
    // What cannot be seen in a name cannot be named; the tree leaves such files out as well.
    let named = paths.filter(|path| !path.contains(is_hidden));
    Ok((named.collect(), submodules))
}
