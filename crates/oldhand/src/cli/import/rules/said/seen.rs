//! What rules files looked like when they were last looked at, so that nobody looks again at what is as it was.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use oldhand_code::history::versions::commit_at_hand;
use oldhand_domain::path::ProjectPath;

use super::super::{of_project, taken_in};
use super::{By, inside, look_again};
use crate::desk::Desk;
use crate::out::Out;
use crate::project::Project;

/// Looks where there is anything new to be seen.
pub(crate) fn keep_up(desk: &Desk, out: &Out) {
    let root = &desk.location.root;
    let is_seen = |project: &Project| {
        let seen = fs::read_to_string(seen_file(project)).unwrap_or_default();
        let noted: BTreeSet<&str> = noted(&seen).collect();
        let mut today = of_project(root).into_iter();
        let commit = fs::read_to_string(commit_file(project)).ok();
        today.all(|path| inside(&path, root).is_some_and(|name| noted.contains(name.as_str())))
            && glance(root, noted.iter().copied()) == seen
            && commit.is_some_and(|commit| commit_at_hand(root) == Some(commit))
    };
    if !desk.project.as_ref().is_some_and(is_seen) {
        look_again(desk, By::Background, out);
    }
}

/// Whether a file that rules were taken from was written, made or removed since it was last looked at, or this is another checkout. Asked by
/// hooks: one short file, and a look at each of those it names.
pub(crate) fn have_changed(project: &Project) -> bool {
    let Ok(seen) = fs::read_to_string(seen_file(project)) else {
        return false;
    };
    glance(&project.location.root, noted(&seen)) != seen
}

/// The files that were looked at, in order.
fn noted(seen: &str) -> impl Iterator<Item = &str> {
    let names = seen.lines().skip(1);
    names.filter_map(|line| line.splitn(3, ' ').nth(2))
}

pub(super) fn seen_file(project: &Project) -> PathBuf {
    project.directory.join("locks").join("rules-seen")
}

pub(super) fn commit_file(project: &Project) -> PathBuf {
    project.directory.join("locks").join("rules-commit")
}

pub(super) fn glance<'n>(root: &Path, names: impl Iterator<Item = &'n str>) -> String {
    let lines = names.map(|name| {
        let found = fs::metadata(root.join(name)).ok();
        let written = found.as_ref().and_then(|found| found.modified().ok());
        let since = written.and_then(|at| at.duration_since(std::time::UNIX_EPOCH).ok());
        let at = since.map_or(0, |since| since.as_nanos());
        let length = found.map_or(0, |found| found.len());
        format!("{at} {length} {name}\n")
    });
    std::iter::once(format!("{}\n", root.display()))
        .chain(lines)
        .collect()
}

/// The files that these take in by `@path`.
pub(super) fn all_taken_in(root: &Path, names: &BTreeSet<ProjectPath>) -> BTreeSet<ProjectPath> {
    let of = |name: &ProjectPath| {
        let path = root.join(name.as_str());
        let text = fs::read_to_string(&path).unwrap_or_default();
        let folder = path.parent().unwrap_or(root);
        let paths = taken_in(&text, folder).into_iter();
        let paths = paths.filter_map(|path| inside(&path, root));
        paths.collect::<Vec<_>>()
    };
    names.iter().flat_map(of).collect()
}
