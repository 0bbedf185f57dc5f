//! Folders that this project was in before it was renamed or moved, told from what sessions did there.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::Args;
use super::evidence::{Because, Evidence, Verdict, is_below};
use super::find::Transcript;
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

/// So much is read of the sessions of one folder: a hint may take less time than an import.
const BYTES_READ: u64 = 4 * 1024 * 1024;
/// So much is read of all of them together, the latest first: whoever works in worktrees has hundreds of folders that are gone.
const BYTES_READ_OF_ALL: u64 = 4 * BYTES_READ;
/// So many of a folder are asked, the latest: enough for a hint.
const SESSIONS: usize = 8;

/// Which of the folders that sessions ran in were this project's. One that is still there is another project, and what was taken
/// in needs no more words.
pub(super) fn recognise(
    abroad: &[Transcript],
    root: &Path,
    sessions: Option<&Sessions<'_>>,
) -> Vec<Former> {
    let is_new =
        |one: &&Transcript| sessions.is_none_or(|known| !known.imported.contains(&one.session));
    let new = abroad.iter().filter(is_new);
    let mut folders: BTreeMap<&str, Vec<&Transcript>> = BTreeMap::new();
    for one in new {
        folders.entry(one.root.as_str()).or_default().push(one);
    }
    folders.retain(|folder, _| !Path::new(folder).exists());
    let mut latest_first: Vec<(&&str, &Vec<&Transcript>)> = folders.iter().collect();
    latest_first.sort_by_cached_key(|(_, sessions)| {
        Reverse(sessions.iter().filter_map(|one| one.started_at).max())
    });
    // A hint is not worth the history of a large repository.
    let evidence = Evidence::of(root, &|| None);
    let mut left = BYTES_READ_OF_ALL;
    let mut former: Vec<Former> = Vec::new();
    for (folder, sessions) in latest_first {
        if former.iter().any(|one| is_below(folder, &one.folder)) {
            continue;
        }
        let mut left_here = left.min(BYTES_READ);
        let before = left_here;
        let mut latest = sessions.clone();
        latest.sort_by_key(|one| Reverse(one.started_at));
        latest.truncate(SESSIONS);
        let verdict = evidence.judge(folder, &latest, &mut left_here).all;
        left -= before - left_here;
        let Verdict::Ours { root, because } = verdict else {
            continue;
        };
        if Path::new(&root).exists() {
            continue;
        }
        // What ran below such a folder belongs to it.
        former.retain(|one| !is_below(&one.folder, &root));
        let all = folders.iter().filter(|(other, _)| is_below(other, &root));
        let all = all.flat_map(|(_, sessions)| sessions);
        former.push(Former {
            files: all.map(|one| one.path.clone()).collect(),
            folder: root,
            because,
        });
    }
    former.sort_by(|a, b| a.folder.cmp(&b.folder));
    former
}
