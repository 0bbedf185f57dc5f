//! Whether sessions that ran in a folder nobody knows worked on this project: told by their commits and the files they touched, never by
//! what the folder is called.

use std::cell::{OnceCell, RefCell};
use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::path::Path;

use oldhand_code::history::branches::Branches;
use oldhand_code::history::facts::is_gone;
use oldhand_code::history::identity::commit_subject;
use oldhand_code::history::log::History;
use oldhand_code::history::together::is_kept;
use oldhand_domain::event::{Call, Happening, Place, Return};
use oldhand_domain::id::SessionId;
use oldhand_observe::outcome::git::committed;
use oldhand_observe::outcome::outside::is_of_others;
use oldhand_observe::paths::{file_name, is_config, is_for_agents, is_manifest};

use super::find::{Order, Transcript};
use super::left_out::{Skipped, Why};
use super::take::read_until;
use crate::agent::Root;

/// So much of the sessions of one folder is read at most, the latest first. A session that begins with pages of a framework, or talks for
/// long before it opens a file, tells nothing in its first part.
const BYTES_READ: u64 = 64 * 1024 * 1024;
/// And so much of all folders, which is what a second or two of an import reads. Behind that still so much of each.
const BYTES_READ_OF_ALL: u64 = 4 * BYTES_READ;
const BYTES_READ_AT_LEAST: u64 = 4 * 1024 * 1024;
/// And so much of all that ran in folders above.
const BYTES_READ_ABOVE: u64 = 32 * 1024 * 1024;
/// Of each an equal share, and so much if there are many.
const SHARE: u64 = 256 * 1024;
/// One session of another project among so many of ours was misjudged more likely than not: its files were thrown away.
const MISJUDGED: usize = 8;
/// Fewer files may be in any two projects.
const FILES: usize = 3;
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

/// What the sessions of a folder tell.
pub(super) struct Told {
    /// Of those that tell nothing by themselves.
    pub(super) all: Verdict,
    each: BTreeMap<SessionId, Verdict>,
    /// Whether what little they touched is here.
    leans_here: bool,
    /// Whether some are this project's and some another's.
    is_divided: bool,
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
    branches: OnceCell<Branches>,
    /// What was looked for before, and whether it is known.
    known: RefCell<BTreeMap<String, bool>>,
}

impl<'a> Evidence<'a> {
    pub(super) fn of(root: &'a Path, read_history: &'a dyn Fn() -> Option<History>) -> Self {
        Self {
            root,
            read_history,
            history: OnceCell::new(),
            branches: OnceCell::new(),
            known: RefCell::default(),
        }
    }

    /// The sessions that are this project's, each with the root it had there, and the others with why not. A file that a person named is
    /// taken whatever it tells, and so is a session that was taken in before, with the root it had then (`known_root`): another would make
    /// other paths of the same words. What tells nothing, or too little, is taken where something that was found is this project's and nothing is
    /// another's: who gives a folder means it. Where nothing tells, nothing is taken.
    pub(super) fn divide(
        &self,
        afar: Vec<(Order, Transcript)>,
        mut has_others: bool,
        known_root: &dyn Fn(&SessionId) -> Option<String>,
    ) -> (Vec<(Order, Transcript)>, Vec<Skipped>) {
        let mut folders: BTreeMap<String, Vec<&Transcript>> = BTreeMap::new();
        for (_, one) in &afar {
            let folder = one.root.as_str().to_owned();
            folders.entry(folder).or_default().push(one);
        }
        let mut left = BYTES_READ_OF_ALL;
        let folders = folders.into_iter().map(|(folder, sessions)| {
            let here = left.clamp(BYTES_READ_AT_LEAST, BYTES_READ);
            let mut left_here = here;
            let told = self.judge(&folder, &sessions, &mut left_here);
            left = left.saturating_sub(here - left_here);
            (folder, told)
        });
        let mut folders: BTreeMap<String, Told> = folders.collect();
        let ours: Vec<(String, Because)> = folders
            .values()
            .filter_map(|told| match &told.all {
                Verdict::Ours { root, because } => Some((root.clone(), *because)),
                _ => None,
            })
            .collect();
        let has_ours = !ours.is_empty() || folders.values().any(|told| told.leans_here);
        for (folder, told) in &mut folders {
            // The nearest first.
            let above = ours.iter().filter(|(root, _)| is_below(folder, root));
            let above = above.max_by_key(|(root, _)| root.len());
            if let Some((root, because)) = above.filter(|_| !told.is_divided) {
                let is_worktree = folder[root.len()..].contains("worktrees/");
                for verdict in told.each.values_mut().chain([&mut told.all]) {
                    if *verdict == Verdict::Untold || *verdict == Verdict::Others && is_worktree {
                        *verdict = Verdict::Ours {
                            root: root.clone(),
                            because: *because,
                        };
                    }
                }
            }
        }
        let each = || folders.values().flat_map(|told| told.each.values());
        let others = each().filter(|one| **one == Verdict::Others).count();
        let ours = each().filter(|one| matches!(one, Verdict::Ours { .. }));
        has_others |= others * MISJUDGED > ours.count();
        let (mut taken, mut left) = (Vec::new(), Vec::new());
        for (order, mut one) in afar {
            let folder = one.root.as_str();
            let told = folders.get(folder);
            let verdict = told.and_then(|told| told.each.get(&one.session));
            let known = known_root(&one.session);
            let why = match (known.as_ref(), verdict) {
                (Some(root), _) | (None, Some(Verdict::Ours { root, .. })) => {
                    one.root = Root::new(root);
                    None
                }
                (None, Some(Verdict::Others)) => Some(Why::Elsewhere(folder.to_owned())),
                _ => (has_others || !has_ours).then(|| Why::Untold(folder.to_owned())),
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

    /// Of sessions that ran in a folder above, those that worked on this project, and the others: a commit that was made there is in this repository, or most
    /// files that were touched are here.
    pub(super) fn divide_above(
        &self,
        mut above: Vec<(Order, Transcript)>,
        known_root: &dyn Fn(&SessionId) -> Option<String>,
    ) -> (Vec<(Order, Transcript)>, Vec<Skipped>) {
        above.sort_by(|(one, _), (other, _)| other.cmp(one));
        let mut left = BYTES_READ_ABOVE;
        let share = (left / above.len().max(1) as u64).max(SHARE);
        let root = self.root.display().to_string();
        let mut sessions: BTreeMap<SessionId, Touched> = BTreeMap::new();
        for (_, one) in &above {
            let touched = sessions.entry(one.session.clone()).or_default();
            if left > 0 {
                let bytes = self.look_into(one, &root, touched, share.min(left));
                left = left.saturating_sub(bytes.max(BYTES_OPENED));
            }
        }
        let root = Root::new(&root);
        let is_ours = |one: &Transcript| {
            let touched = sessions.get(&one.session);
            one.is_named
                || touched.is_some_and(|touched| self.is_mostly_here(touched, &root))
                || known_root(&one.session).is_some()
        };
        let (ours, others): (Vec<_>, Vec<_>) = above.into_iter().partition(|(_, one)| is_ours(one));
        let others = others.into_iter().map(|(_, one)| Skipped {
            why: Why::Untold(one.root.ran_in().to_owned()),
            path: one.path,
        });
        (ours, others.collect())
    }

    fn is_mostly_here(&self, touched: &Touched, root: &Root) -> bool {
        let here = touched.inside(root).filter(|(path, _)| self.is_known(path));
        let here: Vec<String> = here.map(|(path, _)| path).collect();
        // What tools keep to themselves elsewhere is no project's.
        let is_plain = |path: &str| !path.split('/').any(|step| step.starts_with('.'));
        let all = touched.files.keys().filter(|path| is_plain(path)).count();
        let is_counted = |path: &&String| is_plain(root.as_str()) && is_plain(path);
        let elsewhere = all.saturating_sub(here.iter().filter(is_counted).count());
        touched.has_commit || here.len() > elsewhere
    }

    /// What sessions that ran in `folder` tell; `left` is how many bytes may still be read. Each speaks for itself where it can: one folder
    /// (`/workspace`) may have held one project after another. The rest go with those as far as all of them say the same, and speak
    /// together where none can alone.
    pub(super) fn judge(&self, folder: &str, sessions: &[&Transcript], left: &mut u64) -> Told {
        let mut sessions = sessions.to_vec();
        sessions.sort_by_key(|one| (Reverse(one.started_at), &one.path));
        let share = (*left / sessions.len().max(1) as u64).max(SHARE);
        let mut touched: BTreeMap<&SessionId, Touched> = BTreeMap::new();
        for one in sessions {
            let touched = touched.entry(&one.session).or_default();
            if *left > 0 {
                let bytes = self.look_into(one, folder, touched, share.min(*left));
                *left = left.saturating_sub(bytes.max(BYTES_OPENED));
            }
        }
        let mut all = Touched::default();
        for (path, is_new) in touched.values().flat_map(|one| &one.files) {
            *all.files.entry(path.clone()).or_default() |= is_new;
        }
        // What one session made and another read need not have been kept.
        for (path, is_new) in touched.values_mut().flat_map(|one| &mut one.files) {
            *is_new = all.files[path];
        }
        let whole = self.weigh(folder, &all);
        let alone = |one: &Touched| {
            let weight = self.weigh(folder, one);
            match (weight.here, weight.missing) {
                _ if one.has_commit => Verdict::Ours {
                    // Where it touched nothing else, others know where it was.
                    root: if weight.here > 0 {
                        weight.root
                    } else {
                        whole.root.clone()
                    },
                    because: Because::Commit,
                },
                (here, missing) if here >= FILES && here > missing => Verdict::Ours {
                    root: weight.root,
                    because: Because::Files(here),
                },
                (here, missing) if here < FILES && missing >= FILES && !self.is_empty() => {
                    Verdict::Others
                }
                _ => Verdict::Untold,
            }
        };
        let mut each: BTreeMap<SessionId, Verdict> = touched
            .iter()
            .map(|(session, one)| ((*session).clone(), alone(one)))
            .collect();
        let ours = each.values().filter_map(|one| match one {
            Verdict::Ours { because, .. } => Some(*because),
            _ => None,
        });
        // A commit says more than any number of files.
        let ours = ours.max_by_key(|because| *because == Because::Commit);
        let leans_here = whole.here > whole.missing;
        let ours_alone = each
            .values()
            .filter(|one| matches!(one, Verdict::Ours { .. }));
        let ours_alone = ours_alone.count();
        let others = each.values().filter(|one| **one == Verdict::Others).count();
        let has_others = others * MISJUDGED > ours_alone;
        let all = match (ours, whole.here, whole.missing) {
            (Some(_), ..) if has_others => Verdict::Untold,
            (Some(because), ..) => Verdict::Ours {
                root: whole.root,
                because: match because {
                    Because::Files(_) => Because::Files(whole.here),
                    Because::Commit => because,
                },
            },
            (None, ..) if has_others => Verdict::Others,
            (None, here, missing) if here >= FILES && here > missing => Verdict::Ours {
                root: whole.root,
                because: Because::Files(here),
            },
            (None, _, missing) if leans_here || missing == 0 || self.is_empty() => Verdict::Untold,
            _ => Verdict::Others,
        };
        for one in each.values_mut().filter(|one| **one == Verdict::Untold) {
            *one = all.clone();
        }
        Told {
            is_divided: ours.is_some() && has_others,
            leans_here,
            all,
            each,
        }
    }

    /// Notes what was touched in a session, until that is clear or so many bytes are read; says how many were.
    fn look_into(&self, one: &Transcript, folder: &str, touched: &mut Touched, most: u64) -> u64 {
        let mut weighed_at = touched.files.len();
        let mut read = 0;
        let whole = Transcript {
            root: Root::of_machine(one.root.ran_in()),
            ..one.clone()
        };
        // A session that cannot be read tells nothing.
        let _ = read_until(&whole, |event, bytes| {
            read = bytes;
            match event.what {
                Happening::ToolReturned(Return {
                    call: Call::Shell { command, .. },
                    excerpt,
                    ..
                }) if !touched.has_commit && command.as_str().contains("commit") => {
                    touched.has_commit = self.has_commit(excerpt.as_str());
                }
                // OpenCode tells of a call and what came of it at once.
                Happening::ToolCalled { call, .. }
                | Happening::ToolReturned(Return { call, .. }) => touched.note(&call),
                _ => {}
            }
            if read >= most {
                return ControlFlow::Break(());
            }
            if touched.files.len() < weighed_at + STEP {
                return ControlFlow::Continue(());
            }
            weighed_at = touched.files.len();
            if touched.has_commit || self.weigh(folder, touched).is_clear() {
                return ControlFlow::Break(());
            }
            ControlFlow::Continue(())
        });
        read
    }

    /// Whether git said of a commit that it made it, and it is here under the same words: seven digits of two repositories may be the same.
    fn has_commit(&self, output: &str) -> bool {
        output.lines().any(|line| {
            let subject = line.split_once("] ").map(|(_, subject)| subject.trim());
            let sha = committed(line).filter(|_| subject.is_some());
            sha.is_some_and(|sha| commit_subject(self.root, &sha).as_deref() == subject)
        })
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
            let here = touched.below(&top);
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
        let missing = touched.below(&top).filter(|(_, is_new)| !is_new);
        best.missing = missing.filter(|(path, _)| !self.is_known(path)).count();
        best
    }

    /// Whether there is nothing to compare with: a project that just begins can miss no file.
    fn is_empty(&self) -> bool {
        let names = self.root.read_dir().into_iter().flatten().flatten();
        let mut names = names.map(|entry| entry.file_name());
        names.all(|name| name.as_encoded_bytes().starts_with(b"."))
    }

    /// Whether a file is or was in this project, or on a branch of it.
    fn is_known(&self, path: &str) -> bool {
        if let Some(known) = self.known.borrow().get(path) {
            return *known;
        }
        let known = self.root.join(path).exists() || self.is_in_history(path);
        self.known.borrow_mut().insert(path.to_owned(), known);
        known
    }

    fn is_in_history(&self, path: &str) -> bool {
        let history = self.history.get_or_init(self.read_history);
        history.as_ref().is_some_and(|history| {
            let branches = || self.branches.get_or_init(|| Branches::of(self.root));
            is_kept(history, path) || is_gone(history, path) || branches().have(path)
        })
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

    /// The files below a folder that tell one project from another, by their paths in it.
    fn below(&self, top: &Root) -> impl Iterator<Item = (String, bool)> {
        self.inside(top).filter(|(path, _)| is_telling(path))
    }

    /// All files below a folder, by their paths in it.
    fn inside(&self, top: &Root) -> impl Iterator<Item = (String, bool)> {
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

pub(super) fn is_below(folder: &str, top: &str) -> bool {
    folder
        .strip_prefix(top)
        .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// Whether few other projects have a file of that name in that place: manifests, pages, settings, where programs begin and what is installed are
/// everywhere, and what tools keep to themselves is no project's.
fn is_telling(path: &str) -> bool {
    const USUAL: [&str; 28] = [
        "__init__", "app", "cli", "config", "error", "errors", "globals", "index", "layout", "lib",
        "main", "mod", "model", "models", "package", "page", "routes", "schema", "server",
        "settings", "setup", "styles", "test", "types", "util", "utils", "view", "views",
    ];
    let name = file_name(path);
    let (stem, ending) = name.split_once('.').unwrap_or((name, ""));
    path.contains('/')
        && !path.starts_with('.')
        && !is_of_others(path)
        && !is_manifest(path)
        && !is_config(path)
        && !is_for_agents(path)
        && !matches!(ending, "" | "md" | "txt")
        && !USUAL.contains(&stem)
}
