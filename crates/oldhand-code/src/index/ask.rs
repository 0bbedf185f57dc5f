//! The questions, asked of an index: thin calls into [`crate::answer`], plus what needs the tree's own texts.

use std::fs;

use super::Index;
use crate::answer::dependencies::{Dependencies, dependencies};
use crate::answer::find::{Match, find};
use crate::answer::flow::{Flow, flow};
use crate::answer::hot::{Churn, HotSpot, hot_spots};
use crate::answer::impact::{Bounds, Direction, Impact, impact};
use crate::answer::map::{CoChange, MapInput, ModuleMap, map};
use crate::answer::outline::{Outline, outline};
use crate::answer::references::{Site, references};
use crate::answer::target::locate;
use crate::chunk::{Chunk, chunk_prose, chunk_source};
use crate::draw::{Neighbourhood, neighbourhood};
use crate::project::Manifest;
use crate::snapshot::NodeId;
use crate::walk::{is_manifest, is_prose, modified_at};

impl Index {
    /// What `text` means: a file, `file:symbol`, `file:line` or a symbol; best first, nothing when unknown.
    pub fn locate(&self, text: &str) -> Vec<NodeId> {
        locate(&self.snapshot, text)
    }

    /// Who is touched when any of `targets` changes, or what they stand on.
    pub fn impact(&self, targets: &[NodeId], direction: Direction, bounds: Bounds) -> Impact {
        impact(&self.snapshot, targets, direction, bounds)
    }

    /// What `file` uses and who uses it, one step away.
    pub fn dependencies(&self, file: NodeId) -> Dependencies {
        dependencies(&self.snapshot, self.snapshot.file_of(file))
    }

    /// Every place where any of `targets` is named.
    pub fn references(&self, targets: &[NodeId]) -> Vec<Site> {
        references(&self.snapshot, targets)
    }

    /// How any of `from` reaches any of `to`, in at most `depth` steps.
    pub fn flow(&self, from: &[NodeId], to: &[NodeId], depth: u8) -> Flow {
        flow(&self.snapshot, from, to, depth)
    }

    /// Where is it? By name, part of a name, or words of what it does.
    pub fn find(&self, question: &str, limit: usize) -> Vec<Match> {
        match self.names.get() {
            Some(names) => names.find(&self.snapshot, question, limit),
            None => find(&self.snapshot, question, limit),
        }
    }

    /// The signatures of `file` in at most `tokens`.
    pub fn outline(&self, file: NodeId, tokens: usize) -> Outline {
        outline(&self.snapshot, self.snapshot.file_of(file), tokens)
    }

    /// Files where much depends on what changes often; `churn` is how often each path changed.
    pub fn hot_spots(&self, churn: &Churn, limit: usize) -> Vec<HotSpot> {
        hot_spots(&self.snapshot, churn, limit)
    }

    /// The modules of the project; `together` are files that change together, from history.
    pub fn map(&self, together: Vec<CoChange>) -> ModuleMap {
        map(&self.snapshot, &self.map_input(together))
    }

    /// Nodes within `depth` steps of `middle`, to be drawn by [`crate::draw`].
    pub fn neighbourhood(&self, middle: &[NodeId], depth: u8, limit: usize) -> Neighbourhood {
        neighbourhood(&self.snapshot, middle, depth, limit)
    }

    /// The pieces of `file` as it is now; nothing when it cannot be read.
    pub fn chunks_of(&self, file: NodeId) -> Vec<Chunk> {
        let entry = self.snapshot.file(file);
        // A file that was too large to be parsed is too large to be found by meaning.
        if entry.size > self.options.max_bytes {
            return Vec::new();
        }
        let Some(text) = self.text(entry.path) else {
            return Vec::new();
        };
        if entry.language.get().is_some() {
            chunk_source(&self.snapshot, file, &text)
        } else if is_prose(entry.path) {
            chunk_prose(entry.path, &text)
        } else {
            Vec::new()
        }
    }

    /// Whether the file at `path` is as it was read, by its time and size.
    pub fn is_as_read(&self, path: &str) -> bool {
        let entry = self.snapshot.find_file(path);
        let entry = entry.map(|file| self.snapshot.file(file));
        let now = fs::metadata(self.root.join(path)).ok();
        entry.zip(now).is_some_and(|(entry, now)| {
            (entry.modified, entry.size) == (modified_at(&now), now.len())
        })
    }

    /// The pieces of every file, one file after another.
    pub fn chunks(&self) -> impl Iterator<Item = Chunk> + '_ {
        self.snapshot.files().flat_map(|file| self.chunks_of(file))
    }

    pub(crate) fn text(&self, path: &str) -> Option<String> {
        let bytes = fs::read(self.root.join(path)).ok()?;
        Some(crate::read::decode(&bytes).0.into_owned())
    }

    fn map_input(&self, together: Vec<CoChange>) -> MapInput {
        let mut input = MapInput {
            together,
            ..MapInput::default()
        };
        for file in self.snapshot.files() {
            let path = self.snapshot.path(file);
            let name = path.rsplit('/').next().unwrap_or(path);
            let is_readme = is_prose(name) && name.to_lowercase().starts_with("readme");
            if name == "conftest.py" {
                input.manifests.push(named(path));
            }
            if !is_manifest(name) && !is_readme {
                continue;
            }
            let Some(text) = self.text(path) else {
                continue;
            };
            if is_readme {
                input.readmes.push((path.to_owned(), text));
            } else {
                input.manifests.push(Manifest {
                    text,
                    ..named(path)
                });
            }
        }
        let locks = LOCKS.iter().filter(|name| self.root.join(name).exists());
        input.manifests.extend(locks.map(|name| named(name)));
        input
    }
}

/// Files that only the tool that wrote them reads, but whose being there tells which tool that is.
const LOCKS: [&str; 4] = ["yarn.lock", "pnpm-lock.yaml", "bun.lock", "bun.lockb"];

/// A manifest that says what it says by being there.
fn named(path: &str) -> Manifest {
    Manifest {
        path: path.to_owned(),
        text: String::new(),
    }
}
