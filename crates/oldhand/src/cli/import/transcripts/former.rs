//! Folders that this project was in before it was renamed or moved, told from what sessions did there.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use oldhand_code::history::identity::whole_commit;
use oldhand_domain::event::{Call, Happening};
use oldhand_observe::paths::{file_name, is_config, is_for_agents, is_manifest};

use super::Args;
use super::find::{Kin, Transcript};
use super::here::from_afar;
use crate::agent::Telling;
use crate::out::time::count;
use crate::sessions::Sessions;

/// Sessions of a folder that is gone and was probably this project's.
pub(crate) struct Former {
    pub(crate) folder: String,
    pub(super) files: Vec<PathBuf>,
    pub(super) because: Because,
}

impl Former {
    /// What was found, and the command that takes it in.
    pub(crate) fn say(&self, command: &str) -> String {
        let (files, because) = (count(self.files.len(), "transcript"), self.because.as_str());
        format!(
            "{files} of {}, which is not on this machine: {because}; `{command}` takes them in",
            self.folder
        )
    }

    /// The command for who named no path.
    pub(crate) fn command(&self) -> String {
        Args::default().with_former(&self.folder)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Because {
    Commit,
    Files,
    Name,
}

impl Because {
    pub(super) const fn as_str(self) -> &'static str {
        match self {
            Self::Commit => "a commit made there is in this repository",
            Self::Files => "what was edited there is here",
            Self::Name => "it had this project's name",
        }
    }
}

/// So many sessions of a folder are read at most: the first that worked on files decides.
const SESSIONS_READ: usize = 5;
/// So many events of each.
const EVENTS_READ: usize = 5_000;
/// So much of all of them together, namesakes and the latest first: whoever works in worktrees has hundreds of folders that are gone.
const BYTES_READ: u64 = 16 * 1024 * 1024;
/// Fewer files may be in any two projects.
const FILES: usize = 3;

/// Which of the folders that sessions ran in were this project's. One that is still there is another project, and what was taken
/// in needs no more words.
pub(super) fn recognise(
    abroad: &[Transcript],
    root: &Path,
    sessions: &Sessions<'_>,
) -> Vec<Former> {
    let mut folders: BTreeMap<String, Vec<&Transcript>> = BTreeMap::new();
    let new = abroad
        .iter()
        .filter(|one| !sessions.imported.contains(&one.session));
    for one in new {
        let (folder, _) = from_afar(one.root.as_str(), root);
        folders.entry(folder).or_default().push(one);
    }
    // What ran below such a folder belongs to it.
    let tops: Vec<String> = folders.keys().cloned().collect();
    let found = folders.iter().filter(|(folder, _)| {
        let is_below = |top: &String| top != *folder && Path::new(folder).starts_with(top);
        !Path::new(folder).exists() && !tops.iter().any(is_below)
    });
    let mut found: Vec<(&String, &Vec<&Transcript>)> = found.collect();
    found.sort_by_cached_key(|(folder, sessions)| {
        let latest = sessions.iter().filter_map(|one| one.started_at).max();
        (!is_namesake(folder, root), Reverse(latest))
    });
    let mut left = BYTES_READ;
    let mut former = Vec::new();
    for (folder, sessions) in found {
        let Some(because) = because(folder, sessions, root, &mut left) else {
            continue;
        };
        let below =
            |(other, _): &(&String, &Vec<&Transcript>)| Path::new(other).starts_with(folder);
        let all = folders
            .iter()
            .filter(below)
            .flat_map(|(_, sessions)| sessions);
        former.push(Former {
            folder: folder.clone(),
            files: all.map(|one| one.path.clone()).collect(),
            because,
        });
    }
    former.sort_by(|a, b| a.folder.cmp(&b.folder));
    former
}

/// `left` is how many bytes may still be read.
fn because(folder: &str, sessions: &[&Transcript], root: &Path, left: &mut u64) -> Option<Because> {
    let mut edited = BTreeSet::new();
    let mut sessions = sessions.to_vec();
    sessions.sort_by_key(|one| Reverse(one.started_at));
    for one in sessions.iter().take(SESSIONS_READ) {
        let size = fs::metadata(&one.path).map_or(0, |data| data.len());
        let Some(rest) = left.checked_sub(size) else {
            continue;
        };
        *left = rest;
        let Ok(mut telling) = Telling::open(one.agent, &one.path, &one.name, &one.root) else {
            continue;
        };
        for _ in 0..EVENTS_READ {
            let Ok(Some(event)) = telling.next() else {
                break;
            };
            match event.what {
                Happening::CommitMade { sha: Some(sha), .. }
                    if whole_commit(root, &sha).is_some() =>
                {
                    return Some(Because::Commit);
                }
                Happening::ToolCalled { call, .. } => edited.extend(edits(&call)),
                _ => {}
            }
        }
    }
    let is_here = |file: &String| root.join(file).exists();
    let telling = edited.iter().filter(|file| is_telling(file)).count();
    if telling >= FILES && edited.iter().all(is_here) {
        return Some(Because::Files);
    }
    // Another project may have had the name: what it worked on is not here then.
    let is_ours = edited.is_empty() || edited.iter().any(is_here);
    (is_namesake(folder, root) && is_ours).then_some(Because::Name)
}

fn is_namesake(folder: &str, root: &Path) -> bool {
    from_afar(folder, root).1 == Kin::Namesake
}

/// Whether few other projects have a file of that name in that place: manifests, pages, settings and where programs begin are everywhere.
fn is_telling(path: &str) -> bool {
    const USUAL: [&str; 28] = [
        "__init__", "app", "cli", "config", "error", "errors", "globals", "index", "layout", "lib",
        "main", "mod", "model", "models", "package", "page", "routes", "schema", "server",
        "settings", "setup", "styles", "test", "types", "util", "utils", "view", "views",
    ];
    let name = file_name(path);
    let (stem, ending) = name.split_once('.').unwrap_or((name, ""));
    path.contains('/')
        && !is_manifest(path)
        && !is_config(path)
        && !is_for_agents(path)
        && !matches!(ending, "" | "md" | "txt")
        && !USUAL.contains(&stem)
}

fn edits(call: &Call) -> Vec<String> {
    let places = match call {
        Call::Edit { files, .. } => files.as_slice(),
        Call::Write { file, .. } => std::slice::from_ref(file),
        _ => &[],
    };
    let paths = places.iter().filter_map(|place| place.project());
    paths.map(|path| path.as_str().to_owned()).collect()
}
