//! The graph after a few files changed: those are read again, whoever asked for a name that changed is linked again, and the
//! rest is copied.

use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use super::build::{Flush, ReadFile, read_all, save};
use super::moves::moves;
use super::place::Place;
use super::shape::{Change, all_names, compare, standing_on};
use super::work::share;
use super::{Index, IndexError, Progress, facts_path, scip_path};
use crate::facts::store::FactStore;
use crate::facts::{FileFacts, SymbolKind};
use crate::link::{Linked, Linker, Precise};
use crate::problem::{Problem, ProblemKind};
use crate::project::{DefinitionId, FileId, Manifest, Project, is_member};
use crate::resolve::Resolvers;
use crate::scip::ScipStore;
use crate::snapshot::draft::{Draft, FileMeta};
use crate::snapshot::{NodeId, Snapshot};
use crate::walk::{Seen, is_manifest, walk};

/// What bringing the graph up to date came to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Refresh {
    pub changed: Vec<String>,
    pub added: Vec<String>,
    pub removed: Vec<String>,
    /// How many files were linked again.
    pub linked: usize,
    pub problems: Vec<Problem>,
}

impl Refresh {
    /// Whether the tree was as the graph said.
    pub fn is_empty(&self) -> bool {
        self.changed.is_empty() && self.added.is_empty() && self.removed.is_empty()
    }
}

/// How a tree differs from a snapshot, by time and size alone.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Drift {
    /// Files whose time or size is not what it was; their content may still be.
    pub touched: Vec<String>,
    pub added: Vec<String>,
    pub removed: Vec<String>,
}

impl Drift {
    pub fn is_empty(&self) -> bool {
        self.touched.is_empty() && self.added.is_empty() && self.removed.is_empty()
    }
}

/// Compares a walk with a snapshot.
pub(super) fn drift(snapshot: &Snapshot, seen: &[Seen]) -> Drift {
    let mut drift = Drift::default();
    let mut old = snapshot.files().peekable();
    for file in seen {
        while let Some(gone) = old.next_if(|&node| snapshot.path(node) < file.path.as_str()) {
            drift.removed.push(snapshot.path(gone).to_owned());
        }
        match old.next_if(|&node| snapshot.path(node) == file.path) {
            Some(node) => {
                let entry = snapshot.file(node);
                if (entry.modified, entry.size) != (file.modified, file.size) {
                    drift.touched.push(file.path.clone());
                }
            }
            None => drift.added.push(file.path.clone()),
        }
    }
    drift
        .removed
        .extend(old.map(|node| snapshot.path(node).to_owned()));
    drift
}

/// Reads what changed and brings `index` up to date.
pub(super) fn update(
    index: &mut Index,
    progress: &mut dyn FnMut(Progress),
) -> Result<Refresh, IndexError> {
    progress(Progress::Walking);
    let mut problems = Vec::new();
    let seen = walk(
        &index.root,
        &index.options.skip,
        index.options.threads,
        &mut problems,
    );
    let drift = drift(&index.snapshot, &seen);
    if drift.is_empty() {
        return Ok(Refresh::default());
    }
    let touched: FxHashSet<&str> = drift
        .touched
        .iter()
        .chain(&drift.added)
        .map(String::as_str)
        .collect();
    let again: Vec<Seen> = seen
        .iter()
        .filter(|file| touched.contains(file.path.as_str()))
        .cloned()
        .collect();
    let read = read_all(
        &index.root,
        &again,
        &index.options,
        &index.facts,
        &mut problems,
        progress,
    );
    let plan = Plan::new(index, &seen, read, &drift).filter(|_| !index.snapshot.is_bloated());
    let Some(plan) = plan else {
        // Something the plan stands on is gone, or old texts have piled up; the whole is never wrong.
        let (fresh, problems) =
            super::build::build(&index.root, &index.state, &index.options, progress)?;
        *index = fresh;
        let linked = index.snapshot.file_count();
        let Drift {
            touched: changed,
            added,
            removed,
        } = drift;
        return Ok(Refresh {
            changed,
            added,
            removed,
            linked,
            problems,
        });
    };
    progress(Progress::Linking {
        of: plan.relink.len(),
    });
    let (snapshot, refresh) = plan.carry_out(index, problems, progress)?;
    index.snapshot = snapshot;
    index.facts = FactStore::new(facts_path(&index.state));
    Ok(refresh)
}

/// What is to be done for an update.
struct Plan {
    metas: Vec<FileMeta>,
    /// New number of each file to its old one.
    old: Vec<Option<NodeId>>,
    /// Files read just now, by new number.
    read: FxHashMap<u32, ReadFile>,
    relink: FxHashSet<u32>,
    changed: Vec<String>,
    added: Vec<String>,
    removed: Vec<String>,
}

impl Plan {
    /// Nothing when facts that are needed are no longer kept.
    fn new(index: &Index, seen: &[Seen], read: Vec<ReadFile>, drift: &Drift) -> Option<Self> {
        let snapshot = &index.snapshot;
        let unread: FxHashSet<&str> = {
            let got: FxHashSet<&str> = read.iter().map(|file| file.meta.path.as_str()).collect();
            let all = drift.touched.iter().chain(&drift.added).map(String::as_str);
            all.filter(|path| !got.contains(path)).collect()
        };
        let mut by_path: FxHashMap<String, ReadFile> = read
            .into_iter()
            .map(|file| (file.meta.path.clone(), file))
            .collect();
        let mut plan = Self {
            metas: Vec::with_capacity(seen.len()),
            old: Vec::with_capacity(seen.len()),
            read: FxHashMap::default(),
            relink: FxHashSet::default(),
            changed: Vec::new(),
            added: drift.added.clone(),
            removed: drift.removed.clone(),
        };
        let mut change = Change::Names(FxHashSet::default());
        // A file that could not be read any more is as good as gone.
        for file in seen
            .iter()
            .filter(|file| !unread.contains(file.path.as_str()))
        {
            let number = plan.metas.len() as u32;
            let old = snapshot.find_file(&file.path);
            let fresh = by_path.remove(&file.path);
            let entry = old.map(|old| snapshot.file(old));
            let hash = match (&fresh, &entry) {
                (Some(fresh), _) => fresh.meta.hash,
                (None, Some(entry)) => entry.hash,
                (None, None) => return None,
            };
            plan.metas.push(FileMeta {
                path: file.path.clone(),
                language: file.language(),
                modified: file.modified,
                size: file.size,
                hash,
            });
            plan.old.push(old);
            let Some(fresh) = fresh else {
                continue;
            };
            if entry.is_some_and(|entry| entry.hash == hash && hash != [0; 32]) {
                continue;
            }
            if old.is_some() {
                plan.changed.push(file.path.clone());
            }
            let touches = match entry {
                Some(entry) if entry.language.get().is_some() => {
                    let kept = index.facts.get(&(entry.hash, entry.language));
                    kept.map_or(Change::All, |kept| compare(&kept, &fresh.facts))
                }
                Some(_) => Change::Names(FxHashSet::default()),
                None => all_names(&fresh.facts),
            };
            change.join(touches);
            if old.is_none() {
                change.join(file_names(&file.path));
            }
            if fresh.manifest.is_some() {
                change.join(Change::All);
            }
            plan.relink.insert(number);
            plan.read.insert(number, fresh);
        }
        for path in drift
            .removed
            .iter()
            .map(String::as_str)
            .chain(unread.iter().copied())
        {
            change.join(file_names(path));
            if let Some(entry) = snapshot.find_file(path).map(|node| snapshot.file(node)) {
                if is_manifest(path.rsplit('/').next().unwrap_or(path)) {
                    change.join(Change::All);
                } else if entry.language.get().is_some() {
                    let kept = index.facts.get(&(entry.hash, entry.language));
                    change.join(kept.map_or(Change::All, |kept| all_names(&kept)));
                }
            }
        }
        plan.spread(index, change);
        let is_kept = |number: &u32| {
            let meta = &plan.metas[*number as usize];
            plan.read.contains_key(number)
                || meta.language.get().is_none()
                || index.facts.contains(&(meta.hash, meta.language))
        };
        plan.relink.iter().all(is_kept).then_some(plan)
    }

    /// Adds the files that `change` may concern: who asked for a name of it, and who asked for what stands on such a name.
    fn spread(&mut self, index: &Index, change: Change) {
        let mut names = match change {
            Change::All => {
                self.relink.extend(0..self.metas.len() as u32);
                return;
            }
            Change::Names(names) => names,
        };
        let mut fresh = names.clone();
        while !fresh.is_empty() {
            let asks = |old: NodeId| index.snapshot.wanted(old).any(|name| fresh.contains(name));
            let asked: Vec<u32> = (0..self.metas.len() as u32)
                .filter(|number| {
                    self.read.contains_key(number) || self.old[*number as usize].is_some_and(asks)
                })
                .collect();
            let on = |number: &u32| standing_on(&self.load(index, FileId(*number)), &names);
            fresh = asked.iter().flat_map(on).collect();
            names.extend(fresh.iter().cloned());
            self.relink.extend(asked);
        }
    }

    fn carry_out(
        self,
        index: &Index,
        mut problems: Vec<Problem>,
        progress: &mut dyn FnMut(Progress),
    ) -> Result<(Snapshot, Refresh), IndexError> {
        let snapshot = &index.snapshot;
        let mut relink: Vec<u32> = self.relink.iter().copied().collect();
        relink.sort_unstable();
        let load = |file: FileId| self.load(index, file);
        let new_of_old = self.new_of_old(snapshot);
        let members = |name: &str| self.members(snapshot, &new_of_old, name);
        let paths = self.metas.iter().map(|meta| meta.path.clone()).collect();
        let languages = self.metas.iter().map(|meta| meta.language).collect();
        let project = Project::new(paths, languages, self.manifests(index), &load, &members);
        let resolvers = Resolvers::default();
        let scip = ScipStore::open(&scip_path(&index.state));
        let hashes = self.metas.iter().map(|meta| meta.hash).collect();
        let linker = Linker::new(
            &project,
            &resolvers,
            Precise {
                store: &scip,
                hashes,
            },
        );
        let mut linked: FxHashMap<u32, Linked> = FxHashMap::default();
        share(
            index.options.threads,
            relink.len(),
            || (),
            |(), at| linker.link(FileId(relink[at])),
            |at, result| {
                linked.insert(relink[at], result);
            },
        );
        progress(Progress::Writing);
        let count = |number: usize| match (self.read.get(&(number as u32)), self.old[number]) {
            (Some(read), _) => read.facts.definitions.len() as u32,
            (None, Some(old)) => snapshot.symbols_in(old).len() as u32,
            (None, None) => 0,
        };
        let mut draft = Draft::new((0..self.metas.len()).map(count), Some(snapshot));
        let fresh = |number: u32| self.read.get(&number).map(|read| &*read.facts);
        let moves = moves(snapshot, &draft, &new_of_old, &fresh);
        for (number, meta) in self.metas.iter().enumerate() {
            match (linked.get(&(number as u32)), self.old[number]) {
                (Some(linked), _) => draft.add(meta, project.facts(FileId(number as u32)), linked),
                (None, Some(old)) => draft.copy(old, meta, &moves),
                (None, None) => draft.add(meta, &FileFacts::default(), &Linked::default()),
            }
        }
        problems.extend(resolvers.into_problems());
        let kept = self.kept_problems(snapshot);
        problems.extend(kept);
        problems.sort_by(|a, b| a.path.cmp(&b.path));
        problems.dedup();
        for problem in &problems {
            draft.add_problem(problem);
        }
        let fresh = self.read.values().filter_map(ReadFile::to_keep);
        let keys = || {
            let own = self.metas.iter().map(|meta| (meta.hash, meta.language));
            let others = Place::new(&index.state, &index.root).keys_of_others();
            own.chain(others).collect()
        };
        if let Err(error) = index.facts.append_and_tidy(fresh, keys) {
            let detail = error.to_string();
            problems.push(Problem {
                path: String::new(),
                kind: ProblemKind::Cache,
                detail,
            });
        }
        let saved = save(
            &Place::new(&index.state, &index.root).snapshot(),
            &draft.finish(Some(&moves)),
            Flush::No,
        )?;
        let Self {
            changed,
            added,
            removed,
            ..
        } = self;
        Ok((
            saved,
            Refresh {
                changed,
                added,
                removed,
                linked: relink.len(),
                problems,
            },
        ))
    }

    fn load(&self, index: &Index, file: FileId) -> Arc<FileFacts> {
        if let Some(read) = self.read.get(&file.0) {
            return Arc::clone(&read.facts);
        }
        let meta = &self.metas[file.0 as usize];
        Arc::new(
            index
                .facts
                .get(&(meta.hash, meta.language))
                .unwrap_or_default(),
        )
    }

    fn new_of_old(&self, snapshot: &Snapshot) -> Vec<Option<u32>> {
        let mut new_of_old = vec![None; snapshot.file_count()];
        for (number, old) in self.old.iter().enumerate() {
            if let Some(old) = old {
                new_of_old[old.0 as usize] = Some(number as u32);
            }
        }
        new_of_old
    }

    /// Members called `name`: of unchanged files by the snapshot, of the others by their facts.
    fn members(
        &self,
        snapshot: &Snapshot,
        new_of_old: &[Option<u32>],
        name: &str,
    ) -> Vec<DefinitionId> {
        let mut found = Vec::new();
        for node in snapshot.named(name) {
            let symbol = snapshot.symbol(node);
            let in_type = symbol
                .container
                .is_some_and(|around| snapshot.kind(around).is_type());
            let is_member = matches!(symbol.kind, SymbolKind::Method | SymbolKind::Field)
                && (in_type || !symbol.owner.is_empty());
            let new = new_of_old[symbol.file.0 as usize].filter(|new| !self.read.contains_key(new));
            if let Some(file) = new.filter(|_| is_member) {
                let first = snapshot
                    .symbols_in(symbol.file)
                    .next()
                    .map_or(node.0, |first| first.0);
                found.push(DefinitionId {
                    file: FileId(file),
                    at: node.0 - first,
                });
            }
        }
        for (&file, read) in &self.read {
            for (at, definition) in read.facts.definitions.iter().enumerate() {
                if read.facts.text(definition.name) == name && is_member(&read.facts, at as u32) {
                    found.push(DefinitionId {
                        file: FileId(file),
                        at: at as u32,
                    });
                }
            }
        }
        found.sort_unstable();
        found
    }

    fn manifests(&self, index: &Index) -> Vec<Manifest> {
        let name = |path: &str| path.rsplit('/').next().unwrap_or(path).to_owned();
        let mut manifests = Vec::new();
        for (number, meta) in self
            .metas
            .iter()
            .enumerate()
            .filter(|(_, meta)| is_manifest(&name(&meta.path)))
        {
            let read = self
                .read
                .get(&(number as u32))
                .and_then(|read| read.manifest.clone());
            // One that cannot be read says nothing; the walk has already told why.
            let text = read.or_else(|| std::fs::read_to_string(index.root.join(&meta.path)).ok());
            manifests.extend(text.map(|text| Manifest {
                path: meta.path.clone(),
                text,
            }));
        }
        manifests
    }

    fn kept_problems(&self, snapshot: &Snapshot) -> Vec<Problem> {
        let again: FxHashSet<&str> = self
            .read
            .keys()
            .map(|&number| self.metas[number as usize].path.as_str())
            .collect();
        let there: FxHashSet<&str> = self.metas.iter().map(|meta| meta.path.as_str()).collect();
        let mut kept = snapshot.problems();
        // Names that differ in case only are found anew at every walk.
        kept.retain(|problem| {
            there.contains(problem.path.as_str())
                && !again.contains(problem.path.as_str())
                && problem.kind != ProblemKind::CaseCollision
        });
        kept
    }
}

impl Change {
    fn join(&mut self, other: Self) {
        match (&mut *self, other) {
            (Self::Names(names), Self::Names(more)) => names.extend(more),
            (this, _) => *this = Self::All,
        }
    }
}

/// The names by which a path is imported: its parts, and its file without the extension.
fn file_names(path: &str) -> Change {
    let mut names: FxHashSet<String> = path.split('/').map(str::to_owned).collect();
    if let Some(file) = path.rsplit('/').next() {
        names.extend(file.split('.').map(str::to_owned));
    }
    Change::Names(names)
}
