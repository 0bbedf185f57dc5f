//! The whole graph at once: walk, read in parallel, link in parallel, write.

use std::fs;
use std::io::Write;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, OnceLock};

use rustc_hash::FxHashMap;

use super::place::Place;
use super::work::share;
use super::{Index, IndexError, Options, Progress, facts_path, scip_path};
use crate::extract::Extractor;
use crate::facts::FileFacts;
use crate::facts::codec::encode;
use crate::facts::store::{FactStore, Key};
use crate::link::{Linked, Linker, Precise};
use crate::problem::{Problem, ProblemKind};
use crate::project::{DefinitionId, FileId, Manifest, Project, is_member};
use crate::read::read;
use crate::resolve::Resolvers;
use crate::scip::ScipStore;
use crate::snapshot::Snapshot;
use crate::snapshot::draft::{Draft, FileMeta};
use crate::walk::{Seen, is_manifest, walk};

pub(super) fn build(
    root: &Path,
    state: &Path,
    options: &Options,
    progress: &mut dyn FnMut(Progress),
) -> Result<(Index, Vec<Problem>), IndexError> {
    let place = Place::new(state, root);
    place
        .create(root)
        .map_err(|source| failed("create", state, source))?;
    progress(Progress::Walking);
    let mut problems = Vec::new();
    let seen = walk(root, &options.skip, options.threads, &mut problems);
    if !place.was_read_with(options) && place.snapshot().exists() {
        // Files that were read then may not be now: what is kept of them must not answer for them.
        let _ = fs::remove_file(facts_path(state));
    }
    let facts = FactStore::new(facts_path(state));
    let scip = ScipStore::open(&scip_path(state));
    let is_first = !place.snapshot().exists();
    let mut files = Vec::with_capacity(seen.len());
    // Whoever asks while a large tree is read for the first time is answered from its first part.
    let part = if is_first && seen.len() >= LARGE {
        seen.len() / 4
    } else {
        0
    };
    for (from, some) in [(0, &seen[..part]), (part, &seen[part..])] {
        let mut tell = |step| {
            let step = match step {
                Progress::Reading { done, .. } => {
                    let (done, of) = (from + done, seen.len());
                    if is_first && (done % 512 == 0 || done == of) {
                        place.note_reading(done, of);
                    }
                    Progress::Reading { done, of }
                }
                other => other,
            };
            progress(step);
        };
        files.extend(read_all(
            root,
            some,
            options,
            &facts,
            &mut problems,
            &mut tell,
        ));
        if from == 0 && part > 0 {
            place.note_reading(files.len(), seen.len());
            let linked = link_all(&files, &scip, options.threads, &mut Vec::new());
            let bytes = write_down(&files, &linked, &[]);
            // A part that cannot be kept is missed by those who ask early, and by nobody else.
            let _ = replace_file(&place.part(), &bytes, Flush::No);
        }
    }
    progress(Progress::Linking { of: files.len() });
    let linked = link_all(&files, &scip, options.threads, &mut problems);
    progress(Progress::Writing);
    problems.sort_by(|a, b| a.path.cmp(&b.path));
    let snapshot = save(
        &place.snapshot(),
        &write_down(&files, &linked, &problems),
        Flush::Yes,
    )?;
    place.note_options(options);
    place.finish_reading();
    let mut keys: Vec<Key> = files
        .iter()
        .map(|file| (file.meta.hash, file.meta.language))
        .collect();
    keys.extend(place.keys_of_others());
    // The cache only saves time: when it cannot be written the graph is still true.
    let fresh = files.iter().filter_map(ReadFile::to_keep);
    if let Err(error) = facts.append(fresh).and_then(|()| facts.compact(&keys)) {
        problems.push(Problem {
            path: String::new(),
            kind: ProblemKind::Cache,
            detail: error.to_string(),
        });
    }
    let facts = FactStore::new(facts_path(state));
    let index = Index {
        root: root.to_owned(),
        state: state.to_owned(),
        options: options.clone(),
        facts,
        snapshot,
        names: OnceLock::new(),
    };
    Ok((index, problems))
}

/// A first reading of so many files takes long enough for somebody to ask meanwhile.
const LARGE: usize = 4000;

/// Files with their links, as a snapshot.
fn write_down(files: &[ReadFile], linked: &[Linked], problems: &[Problem]) -> Vec<u8> {
    let mut draft = Draft::new(
        files.iter().map(|file| file.facts.definitions.len() as u32),
        None,
    );
    for (file, linked) in files.iter().zip(linked) {
        draft.add(&file.meta, &file.facts, linked);
    }
    for problem in problems {
        draft.add_problem(problem);
    }
    draft.finish(None)
}

/// A file that has been read.
pub(crate) struct ReadFile {
    pub(crate) meta: FileMeta,
    pub(crate) facts: Arc<FileFacts>,
    /// The text, when it says how the project is put together.
    pub(crate) manifest: Option<String>,
    /// The facts as the cache keeps them, when they are not in it yet.
    pub(crate) fresh: Option<Vec<u8>>,
}

impl ReadFile {
    /// What the cache should keep of it.
    pub(super) fn to_keep(&self) -> Option<(Key, &[u8])> {
        let bytes = self.fresh.as_deref()?;
        Some(((self.meta.hash, self.meta.language), bytes))
    }
}

/// Reads and parses `seen`, in parallel; files that cannot be read are left out.
pub(super) fn read_all(
    root: &Path,
    seen: &[Seen],
    options: &Options,
    cache: &FactStore,
    problems: &mut Vec<Problem>,
    progress: &mut dyn FnMut(Progress),
) -> Vec<ReadFile> {
    let mut files: Vec<Option<ReadFile>> = seen.iter().map(|_| None).collect();
    let mut done = 0;
    share(
        options.threads,
        seen.len(),
        Extractor::default,
        |extractor, at| read_one(root, &seen[at], options, cache, extractor),
        |at, (file, problem)| {
            files[at] = file;
            problems.extend(problem);
            done += 1;
            if done % 64 == 0 || done == seen.len() {
                progress(Progress::Reading {
                    done,
                    of: seen.len(),
                });
            }
        },
    );
    files.into_iter().flatten().collect()
}

fn read_one(
    root: &Path,
    seen: &Seen,
    options: &Options,
    cache: &FactStore,
    extractor: &mut Extractor,
) -> (Option<ReadFile>, Option<Problem>) {
    let problem = |kind, detail| {
        Some(Problem {
            path: seen.path.clone(),
            kind,
            detail,
        })
    };
    let language = seen.language();
    let meta = |hash| FileMeta {
        path: seen.path.clone(),
        language,
        modified: seen.modified,
        size: seen.size,
        hash,
    };
    let unread = |hash| ReadFile {
        meta: meta(hash),
        facts: Arc::default(),
        manifest: None,
        fresh: None,
    };
    if seen.size > options.max_bytes {
        let detail = format!("is larger than {} bytes", options.max_bytes);
        return (Some(unread([0; 32])), problem(ProblemKind::Skipped, detail));
    }
    let bytes = match fs::read(root.join(&seen.path)) {
        Ok(bytes) => bytes,
        Err(error) => return (None, problem(ProblemKind::Unreadable, error.to_string())),
    };
    let hash = *blake3::hash(&bytes).as_bytes();
    let name = seen.path.rsplit('/').next().unwrap_or(&seen.path);
    let manifest = is_manifest(name).then(|| String::from_utf8_lossy(&bytes).into_owned());
    if language.get().is_none() {
        return (
            Some(ReadFile {
                manifest,
                ..unread(hash)
            }),
            None,
        );
    }
    if let Some(facts) = cache.get(&(hash, language)) {
        // Why a file has no facts, or broken ones, is not cached: it is told again only when the file is read again.
        let found = (facts.syntax == crate::facts::Syntax::Broken)
            .then(|| {
                problem(
                    ProblemKind::SyntaxError,
                    "does not parse as a whole".to_owned(),
                )
            })
            .flatten();
        return (
            Some(ReadFile {
                facts: Arc::new(facts),
                manifest,
                ..unread(hash)
            }),
            found,
        );
    }
    // A defect that one file brings to light must not take the answers about all others with it.
    let reading =
        AssertUnwindSafe(|| read(extractor, &seen.path, language, &bytes, options.generated));
    let Ok((facts, found)) = catch_unwind(reading) else {
        *extractor = Extractor::default();
        let detail = "Oldhand failed on it, which is a defect; please report it".to_owned();
        return (Some(unread(hash)), problem(ProblemKind::Unreadable, detail));
    };
    // Facts of a skipped file are cheap to find again, and finding them again tells why it was skipped.
    let is_fresh = found
        .as_ref()
        .is_none_or(|found| found.kind == ProblemKind::SyntaxError);
    let fresh = is_fresh.then(|| encode(&facts));
    (
        Some(ReadFile {
            meta: meta(hash),
            facts: Arc::new(facts),
            manifest,
            fresh,
        }),
        found,
    )
}

/// Links every file.
pub(crate) fn link_all(
    files: &[ReadFile],
    scip: &ScipStore,
    threads: usize,
    problems: &mut Vec<Problem>,
) -> Vec<Linked> {
    let load = |file: FileId| Arc::clone(&files[file.0 as usize].facts);
    let members = members_by_name(files);
    let find = |name: &str| members.get(name).cloned().unwrap_or_default();
    let paths = files.iter().map(|file| file.meta.path.clone()).collect();
    let languages = files.iter().map(|file| file.meta.language).collect();
    let project = Project::new(paths, languages, manifests(files), &load, &find);
    let resolvers = Resolvers::default();
    let hashes = files.iter().map(|file| file.meta.hash).collect();
    let linker = Linker::new(
        &project,
        &resolvers,
        Precise {
            store: scip,
            hashes,
        },
    );
    let mut linked = vec![Linked::default(); files.len()];
    share(
        threads,
        files.len(),
        || (),
        |(), at| linker.link(FileId(at as u32)),
        |at, result| linked[at] = result,
    );
    drop(linker);
    problems.extend(resolvers.into_problems());
    linked
}

fn manifests(files: &[ReadFile]) -> Vec<Manifest> {
    let texts = files
        .iter()
        .filter_map(|file| Some((file.meta.path.clone(), file.manifest.clone()?)));
    texts.map(|(path, text)| Manifest { path, text }).collect()
}

fn members_by_name(files: &[ReadFile]) -> FxHashMap<&str, Vec<DefinitionId>> {
    let mut members: FxHashMap<&str, Vec<DefinitionId>> = FxHashMap::default();
    for (number, file) in files.iter().enumerate() {
        for (at, definition) in file.facts.definitions.iter().enumerate() {
            if is_member(&file.facts, at as u32) {
                let id = DefinitionId {
                    file: FileId(number as u32),
                    at: at as u32,
                };
                members
                    .entry(file.facts.text(definition.name))
                    .or_default()
                    .push(id);
            }
        }
    }
    members
}

/// Puts a snapshot in the place of the old one and opens it.
pub(super) fn save(path: &Path, bytes: &[u8], flush: Flush) -> Result<Snapshot, IndexError> {
    replace_file(path, bytes, flush)?;
    Ok(Snapshot::open(path)?)
}

/// Whether a file must be on disk before it takes the place of another.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Flush {
    Yes,
    /// What a power cut may cost is a few milliseconds of work: the file can be made again from what it replaces.
    No,
}

/// Writes beside the old file, then puts the new one in its place: a reader sees the one or the other, whole.
pub(super) fn replace_file(path: &Path, bytes: &[u8], flush: Flush) -> Result<(), IndexError> {
    static TURN: AtomicU32 = AtomicU32::new(0);
    let turn = TURN.fetch_add(1, Ordering::Relaxed);
    let beside = path.with_extension(format!("new-{}-{turn}", std::process::id()));
    let write = || -> std::io::Result<()> {
        let mut file = fs::File::create(&beside)?;
        file.write_all(bytes)?;
        if flush == Flush::Yes {
            file.sync_data()?;
        }
        drop(file);
        fs::rename(&beside, path)
    };
    write().map_err(|source| {
        // What could not be finished must not be left to fill the disk; if even that fails there is nothing to add.
        let _ = fs::remove_file(&beside);
        failed("write", path, source)
    })
}

pub(super) fn failed(doing: &'static str, path: &Path, source: std::io::Error) -> IndexError {
    IndexError::Io {
        doing,
        path: path.display().to_string(),
        source,
    }
}
