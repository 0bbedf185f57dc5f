//! What differs between two trees: paths with their contents' ids, and which of them only moved.

use std::collections::BTreeMap;

use gix::bstr::{BString, ByteSlice};
use gix::objs::tree::EntryMode;
use rustc_hash::FxHashMap;

use super::{Gap, git, lines};

/// One file that differs. Submodules are not files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Difference {
    pub(super) path: String,
    /// Where it lay before, when it moved.
    pub(super) from: Option<String>,
    pub(super) before: Option<gix::ObjectId>,
    pub(super) after: Option<gix::ObjectId>,
}

/// Above this many unmatched files a side, only exact moves are looked for.
const INEXACT_MOVES: usize = 30;
/// Texts this alike are one file that moved.
const ALIKE: f32 = 0.5;
/// Two files of one name need less likeness to be one file.
const SAME_NAME_BONUS: f32 = 0.15;
pub(super) const LARGEST_TEXT: usize = 256 * 1024;

/// Compares two trees; `None` is the empty one. Moves are joined.
pub(super) fn compare(
    repository: &gix::Repository,
    before: Option<gix::ObjectId>,
    after: gix::ObjectId,
) -> Result<Vec<Difference>, Gap> {
    let mut found = Vec::new();
    compare_folder(
        repository,
        &BString::default(),
        before,
        Some(after),
        &mut found,
    )?;
    Ok(join_moves(repository, found))
}

type Children = BTreeMap<BString, (EntryMode, gix::ObjectId)>;

fn compare_folder(
    repository: &gix::Repository,
    folder: &BString,
    before: Option<gix::ObjectId>,
    after: Option<gix::ObjectId>,
    found: &mut Vec<Difference>,
) -> Result<(), Gap> {
    let old = read_folder(repository, before)?;
    let mut new = read_folder(repository, after)?;
    let mut pairs: Vec<_> = old
        .into_iter()
        .map(|(name, old)| (new.remove(&name), name, Some(old)))
        .collect();
    pairs.extend(new.into_iter().map(|(name, new)| (Some(new), name, None)));
    for (new, name, old) in pairs {
        if new == old {
            continue;
        }
        let mut path = folder.clone();
        if !path.is_empty() {
            path.push(b'/');
        }
        path.extend_from_slice(&name);
        let tree = |side: Option<(EntryMode, gix::ObjectId)>| {
            side.filter(|(mode, _)| mode.is_tree()).map(|(_, id)| id)
        };
        let file = |side: Option<(EntryMode, gix::ObjectId)>| {
            side.filter(|(mode, _)| mode.is_blob_or_symlink())
                .map(|(_, id)| id)
        };
        if tree(old) != tree(new) {
            compare_folder(repository, &path, tree(old), tree(new), found)?;
        }
        if file(old) != file(new) {
            found.push(Difference {
                path: path.to_str_lossy().into_owned(),
                from: None,
                before: file(old),
                after: file(new),
            });
        }
    }
    Ok(())
}

fn read_folder(repository: &gix::Repository, id: Option<gix::ObjectId>) -> Result<Children, Gap> {
    let Some(id) = id else {
        return Ok(Children::new());
    };
    let tree = repository.find_tree(id).map_err(git::unreadable("tree"))?;
    let entries = tree.iter().map(|entry| {
        let entry = entry.map_err(git::unreadable("tree"))?;
        Ok((
            entry.filename().to_owned(),
            (entry.mode(), entry.object_id()),
        ))
    });
    entries.collect()
}

/// Pairs what went with what came: first the same content, then alike texts.
fn join_moves(repository: &gix::Repository, differences: Vec<Difference>) -> Vec<Difference> {
    let (mut gone, rest): (Vec<_>, Vec<_>) =
        differences.into_iter().partition(|it| it.after.is_none());
    if gone.is_empty() || rest.iter().all(|it| it.before.is_some()) {
        return rest.into_iter().chain(gone).collect();
    }
    let (mut came, mut rest): (Vec<_>, Vec<_>) =
        rest.into_iter().partition(|it| it.before.is_none());

    let mut by_content: FxHashMap<gix::ObjectId, Vec<usize>> = FxHashMap::default();
    for (at, difference) in gone.iter().enumerate() {
        by_content
            .entry(difference.before.expect("what is gone was there"))
            .or_default()
            .push(at);
    }
    let mut taken = vec![false; gone.len()];
    for difference in &mut came {
        let content = difference.after.expect("what came is there");
        let free = by_content
            .get(&content)
            .into_iter()
            .flatten()
            .copied()
            .filter(|&at| !taken[at]);
        let nearest =
            free.max_by_key(|&at| (file_name(&gone[at].path) == file_name(&difference.path), at));
        if let Some(at) = nearest {
            taken[at] = true;
            difference.before = gone[at].before;
            difference.from = Some(gone[at].path.clone());
        }
    }
    let mut keep = taken.iter().map(|taken| !taken);
    gone.retain(|_| keep.next().unwrap_or(true));
    join_alike(repository, &mut gone, &mut came);
    rest.extend(came);
    rest.extend(gone);
    rest
}

fn join_alike(repository: &gix::Repository, gone: &mut Vec<Difference>, came: &mut [Difference]) {
    let unmatched = came.iter().filter(|it| it.before.is_none()).count();
    if gone.len() > INEXACT_MOVES || unmatched > INEXACT_MOVES {
        return;
    }
    let mut texts: Vec<Option<Vec<u8>>> = gone
        .iter()
        .map(|it| read_text(repository, it.before))
        .collect();
    for difference in came.iter_mut().filter(|it| it.before.is_none()) {
        let Some(text) = read_text(repository, difference.after) else {
            continue;
        };
        let likeness = |at: usize| {
            let same_name = file_name(&gone[at].path) == file_name(&difference.path);
            let bonus = if same_name { SAME_NAME_BONUS } else { 0.0 };
            texts[at]
                .as_ref()
                .map_or(0.0, |old| lines::similarity(old, &text) + bonus)
        };
        let best = (0..gone.len())
            .map(|at| (likeness(at), at))
            .max_by(|a, b| a.0.total_cmp(&b.0).then(b.1.cmp(&a.1)));
        if let Some((likeness, at)) = best
            && likeness >= ALIKE
        {
            let old = gone.remove(at);
            texts.remove(at);
            difference.before = old.before;
            difference.from = Some(old.path);
        }
    }
}

/// The content of a text of reasonable size.
pub(super) fn read_text(
    repository: &gix::Repository,
    id: Option<gix::ObjectId>,
) -> Option<Vec<u8>> {
    let id = id?;
    let header = repository.find_header(id).ok()?;
    if header.size() > LARGEST_TEXT as u64 {
        return None;
    }
    let content = repository.find_object(id).ok()?.detach().data;
    (!lines::is_binary(&content)).then_some(content)
}

fn file_name(path: &str) -> &str {
    path.rsplit_once('/').map_or(path, |(_, name)| name)
}
