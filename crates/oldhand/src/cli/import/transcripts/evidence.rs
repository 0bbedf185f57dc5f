//! Whether sessions that ran in a folder nobody knows worked on this project: told by their commits and the files they touched, never by
//! what the folder is called.

use std::cell::OnceCell;
use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::path::Path;

use oldhand_code::history::facts::is_gone;
use oldhand_code::history::identity::whole_commit;
use oldhand_code::history::log::History;
use oldhand_code::history::together::is_kept;
use oldhand_domain::event::{Call, Event, Happening, Place, Return};
use oldhand_observe::outcome::git::committed;
use oldhand_observe::outcome::outside::is_of_others;
use oldhand_observe::paths::{file_name, is_config, is_for_agents, is_manifest};

use super::find::{Kept, Order, Transcript};
use super::left_out::{Skipped, Why};
use super::take::read;
use crate::agent::{Root, Telling};

/// So much of the sessions of one folder is read at most, the latest first.
pub(super) const BYTES_READ: u64 = 4 * 1024 * 1024;
/// What opening one costs at least.
const BYTES_OPENED: u64 = 16 * 1024;
/// So many files more on one side decide it before that.
const CLEAR: usize = 12;
/// After so many more files it is weighed again.
const STEP: usize = 16;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    /// It was this project, whose paths began at `root`.
    Ours { root: String, because: Because },
    /// It was another: what was touched there is not here and never was.
    Others,
    /// No file was touched that tells one project from another.
    Untold,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Because {
    Commit,
    /// So many that few other projects have.
    Files(usize),
}

impl Because {
    pub(super) const fn as_str(self) -> &'static str {
        match self {
            Self::Commit => "a commit made there is in this repository",
            Self::Files(_) => "what was worked on there is here",
        }
    }
}

/// What this project has to compare with.
pub(super) struct Evidence<'a> {
    root: &'a Path,
    /// Reading it takes a while: it is asked only for files that are not here today.
    read_history: &'a dyn Fn() -> Option<History>,
    history: OnceCell<Option<History>>,
}

impl<'a> Evidence<'a> {
    pub(super) fn of(root: &'a Path, read_history: &'a dyn Fn() -> Option<History>) -> Self {
        Self {
            root,
            read_history,
            history: OnceCell::new(),
        }
    }

    /// The sessions that are this project's, each with the root it had there, and the others with why not. A file that a person named is
    /// taken whatever it tells. What tells nothing is taken where all else that was found is this project's: who gives a folder means it.
    pub(super) fn divide(
        &self,
        afar: Vec<(Order, Transcript)>,
        mut has_others: bool,
    ) -> (Vec<(Order, Transcript)>, Vec<Skipped>) {
        let mut folders: BTreeMap<&str, Vec<&Transcript>> = BTreeMap::new();
        for (_, one) in &afar {
            folders.entry(one.root.as_str()).or_default().push(one);
        }
        let verdicts = folders.iter().map(|(folder, sessions)| {
            let verdict = self.judge(folder, sessions, &mut { BYTES_READ });
            ((*folder).to_owned(), verdict)
        });
        let mut verdicts: BTreeMap<String, Verdict> = verdicts.collect();
        let ours: Vec<(String, Because)> = verdicts
            .values()
            .filter_map(|verdict| match verdict {
                Verdict::Ours { root, because } => Some((root.clone(), *because)),
                _ => None,
            })
            .collect();
        for (folder, verdict) in &mut verdicts {
            // The nearest first.
            let above = ours.iter().filter(|(root, _)| is_below(folder, root));
            let above = above.max_by_key(|(root, _)| root.len());
            let Some((root, because)) = above else {
                has_others |= *verdict == Verdict::Others;
                continue;
            };
            let is_worktree = || folder[root.len()..].contains("worktrees/");
            if *verdict == Verdict::Untold || *verdict == Verdict::Others && is_worktree() {
                *verdict = Verdict::Ours {
                    root: root.clone(),
                    because: *because,
                };
            }
            has_others |= *verdict == Verdict::Others;
        }
        let (mut taken, mut left) = (Vec::new(), Vec::new());
        for (order, mut one) in afar {
            let folder = one.root.as_str();
            let why = match verdicts.get(folder) {
                Some(Verdict::Ours { root, .. }) => {
                    one.root = Root::new(root);
                    None
                }
                Some(Verdict::Others) => Some(Why::Elsewhere(folder.to_owned())),
                _ => has_others.then(|| Why::Untold(folder.to_owned())),
            };
            match why {
                Some(why) if !one.is_named => left.push(Skipped {
                    path: one.path,
                    why,
                }),
                _ => taken.push((order, one)),
            }
        }
        (taken, left)
    }

    /// What sessions that ran in `folder` tell; `left` is how many bytes may still be read.
    pub(super) fn judge(&self, folder: &str, sessions: &[&Transcript], left: &mut u64) -> Verdict {
        let mut sessions = sessions.to_vec();
        sessions.sort_by_key(|one| (Reverse(one.started_at), &one.path));
        let mut touched = Touched::default();
        let mut weighed_at = 0;
        for one in sessions {
            if *left == 0 {
                break;
            }
            let read = read_some(one, left, |event| {
                match event.what {
                    Happening::ToolReturned(Return {
                        call: Call::Shell { command, .. },
                        excerpt,
                        ..
                    }) if !touched.has_commit && command.as_str().contains("commit") => {
                        let sha = committed(excerpt.as_str());
                        touched.has_commit =
                            sha.is_some_and(|sha| whole_commit(self.root, &sha).is_some());
                    }
                    Happening::ToolCalled { call, .. } => touched.note(&call),
                    _ => {}
                }
                if touched.files.len() < weighed_at + STEP {
                    return ControlFlow::Continue(());
                }
                weighed_at = touched.files.len();
                if touched.has_commit || self.weigh(folder, &touched).is_clear() {
                    return ControlFlow::Break(());
                }
                ControlFlow::Continue(())
            });
            if read.is_break() {
                break;
            }
        }
        let weight = self.weigh(folder, &touched);
        if touched.has_commit {
            return Verdict::Ours {
                root: weight.root,
                because: Because::Commit,
            };
        }
        match (weight.here, weight.missing) {
            (here, missing) if here > missing => Verdict::Ours {
                root: weight.root,
                because: Because::Files(here),
            },
            (0, missing) if missing == 0 || self.is_empty() => Verdict::Untold,
            _ => Verdict::Others,
        }
    }

    /// The folder in or above which a session ran whose files are most like ours: a session may run in a part of the project, or in a worktree.
    fn weigh(&self, folder: &str, touched: &Touched) -> Weight {
        let mut best = Weight {
            root: folder.to_owned(),
            here: 0,
            missing: 0,
        };
        let ends = folder.match_indices('/').map(|(at, _)| at);
        let tops = ends.chain([folder.len()]).map(|end| &folder[..end]);
        // Neither a whole machine nor a whole drive is a project.
        for top in tops.filter(|top| !top.is_empty() && !top.ends_with(':')) {
            let top = Root::new(top);
            let here = touched.below(&top).filter(|(path, _)| is_telling(path));
            let here = here.filter(|(path, _)| self.is_known(path)).count();
            if here > best.here {
                best = Weight {
                    root: top.as_str().to_owned(),
                    here,
                    missing: 0,
                };
            }
        }
        let top = Root::new(&best.root);
        let missing = touched.below(&top).filter(|(path, is_new)| {
            let is_local = path.starts_with('.') || is_of_others(path);
            !is_new && !is_local && !self.is_known(path)
        });
        best.missing = missing.count();
        best
    }

    /// Whether there is nothing to compare with: a project that just begins can miss no file.
    fn is_empty(&self) -> bool {
        let names = self.root.read_dir().into_iter().flatten().flatten();
        let mut names = names.map(|entry| entry.file_name());
        names.all(|name| name.as_encoded_bytes().starts_with(b"."))
    }

    /// Whether a file is or was in this project.
    fn is_known(&self, path: &str) -> bool {
        self.root.join(path).exists()
            || (self.history.get_or_init(self.read_history))
                .as_ref()
                .is_some_and(|history| is_kept(history, path) || is_gone(history, path))
    }
}

/// What a folder's sessions weigh.
struct Weight {
    root: String,
    /// Files of this project that few others have.
    here: usize,
    /// Files that were there and are unheard of here.
    missing: usize,
}

impl Weight {
    fn is_clear(&self) -> bool {
        self.here.abs_diff(self.missing) >= CLEAR
    }
}

#[derive(Default)]
struct Touched {
    /// By their paths on the machine: whether a session made them, which need not have been kept.
    files: BTreeMap<String, bool>,
    has_commit: bool,
}

impl Touched {
    fn note(&mut self, call: &Call) {
        let (places, is_new) = match call {
            Call::Read { file } => (std::slice::from_ref(file), false),
            Call::Edit { files, .. } => (files.as_slice(), false),
            Call::Write { file, .. } => (std::slice::from_ref(file), true),
            _ => return,
        };
        for path in places.iter().filter_map(Place::project) {
            self.files.entry(path.as_str().to_owned()).or_insert(is_new);
        }
    }

    /// The files below a folder, by their paths in it.
    fn below(&self, top: &Root) -> impl Iterator<Item = (String, bool)> {
        let drive = if top.as_str().starts_with('/') {
            "/"
        } else {
            top.as_str().get(..3).unwrap_or_default()
        };
        self.files.iter().filter_map(move |(path, is_new)| {
            let place = top.place(&format!("{drive}{path}"), None);
            Some((place.project()?.as_str().to_owned(), *is_new))
        })
    }
}

/// Hands on what happened in a session, until `put` says that it is enough or all that may be read is.
fn read_some(
    one: &Transcript,
    left: &mut u64,
    mut put: impl FnMut(Event) -> ControlFlow<()>,
) -> ControlFlow<()> {
    let whole = Root::of_machine(one.root.as_str());
    let (mut bytes, mut said) = (0, ControlFlow::Continue(()));
    if one.kept == Kept::Alone {
        let Ok(mut telling) = Telling::open(one.agent, &one.path, &one.name, &whole) else {
            return said;
        };
        while let Ok(Some(event)) = telling.next() {
            bytes = telling.bytes();
            said = put(event);
            if said.is_break() || bytes >= *left {
                break;
            }
        }
    } else {
        let one = Transcript {
            root: whole,
            ..one.clone()
        };
        // A session that cannot be read tells nothing.
        let _ = read(&one, |event| {
            if said.is_continue() {
                said = put(event);
            }
        });
    }
    *left = left.saturating_sub(bytes.max(BYTES_OPENED));
    said
}

pub(super) fn is_below(folder: &str, top: &str) -> bool {
    folder
        .strip_prefix(top)
        .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
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
