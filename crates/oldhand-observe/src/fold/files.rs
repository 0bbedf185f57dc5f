//! Which files a session used, how, and which of them together.

use std::collections::{BTreeSet, HashMap};

use jiff::Timestamp;
use oldhand_domain::event::{Call, Event, Place};
use oldhand_domain::path::ProjectPath;
use oldhand_domain::taint::OutsideText;

use super::outside::is_outside;
use super::{LIST_LIMIT, RECENT_FILES, SessionAnalytics};
use crate::outcome::commands::{has_own_shell, program_key};
use crate::outcome::shell::commands;
use crate::outcome::walk::{Begun, Walk};
use crate::paths;

/// A file of this session, by the order in which it was first touched.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FileId(u32);

/// Every file once, with what was done to it.
#[derive(Clone, Debug, Default)]
pub struct Files {
    uses: Vec<FileUse>,
    ids: HashMap<ProjectPath, FileId>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileUse {
    pub path: ProjectPath,
    pub reads: u32,
    pub edits: u32,
    pub writes: u32,
    /// 0 for a file that only a search named.
    pub first_step: u32,
    pub last_step: u32,
}

impl FileUse {
    /// How much the session leaned on it: a read counts 1, an edit 2, a write 3.
    pub fn weight(&self) -> u32 {
        self.reads + 2 * self.edits + 3 * self.writes
    }

    pub fn is_edited(&self) -> bool {
        self.edits + self.writes > 0
    }
}

impl Files {
    pub fn id(&mut self, path: &ProjectPath) -> FileId {
        if let Some(id) = self.ids.get(path) {
            return *id;
        }
        let id = FileId(
            u32::try_from(self.uses.len())
                .expect("a session touches fewer than four billion files"),
        );
        self.ids.insert(path.clone(), id);
        self.uses.push(FileUse {
            path: path.clone(),
            reads: 0,
            edits: 0,
            writes: 0,
            first_step: 0,
            last_step: 0,
        });
        id
    }

    pub fn find(&self, path: &ProjectPath) -> Option<&FileUse> {
        self.known(path).map(|id| self.get(id))
    }

    pub fn known(&self, path: &ProjectPath) -> Option<FileId> {
        self.ids.get(path).copied()
    }

    pub fn get(&self, id: FileId) -> &FileUse {
        &self.uses[id.0 as usize]
    }

    pub fn path(&self, id: FileId) -> &ProjectPath {
        &self.get(id).path
    }

    /// In the order of first touch.
    pub fn iter(&self) -> impl Iterator<Item = (FileId, &FileUse)> {
        self.uses
            .iter()
            .enumerate()
            .map(|(at, file)| (FileId(at as u32), file))
    }

    /// Every file stays known, as one that only a search named.
    pub(super) fn forget_uses(&mut self) {
        for file in &mut self.uses {
            (file.reads, file.edits, file.writes) = (0, 0, 0);
            (file.first_step, file.last_step) = (0, 0);
        }
    }

    /// A file was touched; `None` where the touch came to nothing.
    pub(super) fn count(&mut self, id: FileId, step: u32, kind: Option<AccessKind>) {
        let file = &mut self.uses[id.0 as usize];
        match kind {
            Some(AccessKind::Read) => file.reads += 1,
            Some(AccessKind::Edit) => file.edits += 1,
            Some(AccessKind::Write) => file.writes += 1,
            None => {}
        }
        if file.first_step == 0 {
            file.first_step = step;
        }
        file.last_step = step;
    }

    /// An edit or a write of a file turned out not to have happened.
    fn forget_change(&mut self, id: FileId, kind: AccessKind) {
        let file = &mut self.uses[id.0 as usize];
        let count = match kind {
            AccessKind::Read => &mut file.reads,
            AccessKind::Edit => &mut file.edits,
            AccessKind::Write => &mut file.writes,
        };
        *count = count.saturating_sub(1);
    }

    /// A file that turned out not to be there was not read.
    fn forget_read(&mut self, id: FileId) -> bool {
        let file = &mut self.uses[id.0 as usize];
        file.reads = file.reads.saturating_sub(1);
        let gone = file.weight() == 0;
        if gone {
            file.first_step = 0;
        }
        gone
    }

    pub fn len(&self) -> usize {
        self.uses.len()
    }

    pub fn is_empty(&self) -> bool {
        self.uses.is_empty()
    }
}

/// How far back a read that failed is looked for: no client has more calls on their way at once.
const LATEST: usize = 64;

/// One touch of one file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Access {
    pub step: u32,
    pub file: FileId,
    pub kind: AccessKind,
    pub at: Timestamp,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AccessKind {
    Read,
    Edit,
    Write,
}

/// Two files within [`RECENT_FILES`] accesses of each other. The pair is kept smaller id first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CoAccess {
    pub count: u32,
    /// How often the first of the pair came first.
    pub forward: u32,
    pub steps_apart: u32,
    pub millis_apart: i64,
    /// The step of the second use that first came close to one of the other file, and the step of that.
    pub first_step: u32,
    pub from_step: u32,
}

impl SessionAnalytics {
    pub(super) fn touch(&mut self, place: &Place, kind: AccessKind, event: &Event) {
        if kind == AccessKind::Read && is_outside(place) {
            self.take_outside(OutsideText::File);
        }
        if let Place::Project(path) = place {
            self.touch_file(path, kind, event);
        }
    }

    pub(super) fn touch_file(&mut self, path: &ProjectPath, kind: AccessKind, event: &Event) {
        let step = self.step;
        let id = self.files.id(path);
        self.files.count(id, step, Some(kind));
        if self.accesses.len() < LIST_LIMIT {
            self.accesses.push(Access {
                step,
                file: id,
                kind,
                at: event.at,
            });
        }
        self.join_recent(id, step, event.at);
        self.reading = (kind == AccessKind::Read).then_some((id, event.at));
    }

    /// The latest read of a file found nothing there.
    pub(super) fn forget_file(&mut self, path: &ProjectPath) {
        let Some(&id) = self.files.ids.get(path) else {
            return;
        };
        if !self.files.forget_read(id) {
            return;
        }
        // Only what was touched lately can have met it; looking through the whole session would cost more the longer it is.
        let latest = self.accesses.len().saturating_sub(LATEST);
        for at in (latest..self.accesses.len()).rev() {
            let other = self.accesses[at].file;
            if other == id {
                self.accesses.remove(at);
            } else {
                self.co_access.remove(&(other.min(id), other.max(id)));
            }
        }
        self.recent.retain(|(other, ..)| *other != id);
        self.reading = None;
    }

    /// The change that `call` began did not happen: it must not count as one.
    pub(super) fn take_back_edit(&mut self, call: u64) {
        let Some(step) = self.changing.remove(&call) else {
            return;
        };
        // Calls that run side by side end in any order; the failed one is the one of this step.
        let first = self.edits.partition_point(|edit| edit.step < step);
        let last = self.edits.partition_point(|edit| edit.step <= step);
        self.edits.drain(first..last);
        self.unnamed_edits.retain(|unnamed| *unnamed != step);
        let since = self.accesses.partition_point(|access| access.step < step);
        let made = self.accesses[since..]
            .iter()
            .take_while(|access| access.step == step);
        for access in made.filter(|access| access.kind != AccessKind::Read) {
            self.files.forget_change(access.file, access.kind);
        }
    }

    pub(super) fn join_recent(&mut self, id: FileId, step: u32, at: Timestamp) {
        for &(other, other_step, other_at) in &self.recent {
            if other == id {
                continue;
            }
            let (pair, forward) = if other < id {
                ((other, id), 1)
            } else {
                ((id, other), 0)
            };
            let edge = self.co_access.entry(pair).or_default();
            edge.count += 1;
            edge.forward += forward;
            edge.steps_apart += step - other_step;
            if let Some(other_at) = other_at {
                let apart = at.duration_since(other_at).as_millis();
                edge.millis_apart = edge
                    .millis_apart
                    .saturating_add(i64::try_from(apart).unwrap_or(0).max(0));
            }
            if edge.first_step == 0 {
                edge.from_step = other_step;
                edge.first_step = step;
            }
        }
        self.recent.retain(|(other, ..)| *other != id);
        self.recent.push_back((id, step, Some(at)));
        if self.recent.len() > RECENT_FILES {
            self.recent.pop_front();
        }
    }

    /// Agents without file tools read and search through the shell.
    pub(super) fn begin_shell(&mut self, command: &str, begun: Begun<'_>, event: &Event) {
        let is_lost = has_own_shell(command);
        let mut walk = Walk::of(begun);
        for simple in commands(command) {
            if walk.goes(&simple) {
                if is_lost {
                    walk.lose();
                }
                continue;
            }
            let file_word = |word: &str| file_word(word, &walk);
            let program = simple.words[0].rsplit('/').next().unwrap_or("");
            let mut plain = simple.words[1..]
                .iter()
                .filter(|word| !word.starts_with('-'));
            match program {
                "cat" | "bat" | "less" | "more" | "nl" | "head" | "tail" => {
                    let files: Vec<ProjectPath> =
                        plain.filter_map(|word| file_word(word)).take(8).collect();
                    for path in files {
                        self.touch_file(&path, AccessKind::Read, event);
                    }
                }
                "sed" if !simple.words.iter().any(|word| word.starts_with("-i")) => {
                    if let Some(path) = plain.next_back().and_then(|word| file_word(word)) {
                        self.touch_file(&path, AccessKind::Read, event);
                    }
                }
                "rg" | "grep" | "ag" | "ack" if !is_filter(&simple.words) => {
                    if let Some(pattern) = plain.clone().next() {
                        let pattern = pattern.clone();
                        self.count_grep(&pattern);
                    }
                }
                _ => {}
            }
        }
    }

    pub(super) fn extend_trail(&mut self, call: &Call) {
        let module = |place: &Place| {
            place.project().map_or("outside".to_owned(), |path| {
                paths::step_place(paths::module_of(path.as_str())).to_owned()
            })
        };
        let key = match call {
            Call::Read { file } => format!("read {}", module(file)),
            Call::Edit { files, .. } => format!(
                "edit {}",
                files.first().map_or_else(|| "outside".to_owned(), module)
            ),
            Call::Write { file, .. } => format!("write {}", module(file)),
            Call::Grep { .. } => "grep".to_owned(),
            Call::Glob { .. } => "glob".to_owned(),
            Call::Shell { command, .. } => match program_key(command.as_str()) {
                Some(key) => format!("run {key}"),
                None => return,
            },
            Call::Mcp { server, name } => format!("mcp {server} {name}"),
            Call::WebFetch { .. } | Call::WebSearch { .. } => "web".to_owned(),
            // Planning and bookkeeping are not part of how the work is done.
            Call::Task { .. } | Call::Other { .. } => return,
        };
        if self.trail.last().is_none_or(|(last, _)| *last != key) && self.trail.len() < LIST_LIMIT {
            self.trail.push((key, self.step));
        }
    }
}

/// A word of a command that names a file of the project.
fn file_word(word: &str, walk: &Walk<'_>) -> Option<ProjectPath> {
    let named = word.contains('.') || word.contains('/');
    let odd = word.contains(['*', '$', '(', '{', '=', '?', '|']) || word.ends_with('/');
    if !named || odd { None } else { walk.path(word) }
}

/// `… | grep x` filters another command's output; it is no search of the project.
fn is_filter(words: &[String]) -> bool {
    let recursive = words[0] != "grep"
        || words.iter().any(|word| {
            word.starts_with('-') && !word.starts_with("--") && word.contains(['r', 'R'])
        });
    let plain = words[1..]
        .iter()
        .filter(|word| !word.starts_with('-'))
        .count();
    !recursive && plain < 2
}

impl SessionAnalytics {
    /// The files edited so far, in order of their first edit.
    pub fn edited_files(&self) -> Vec<FileId> {
        let mut seen = BTreeSet::new();
        self.edits
            .iter()
            .map(|edit| edit.file)
            .filter(|file| seen.insert(*file))
            .collect()
    }

    /// The step of the first edit of a file.
    pub fn first_edit(&self, file: FileId) -> Option<u32> {
        let mut edits = self.edits.iter();
        edits.find(|edit| edit.file == file).map(|edit| edit.step)
    }

    /// How the session's unit of work was planned, where it has one.
    pub fn methodology(&self) -> Option<&str> {
        let unit = self.start.as_ref()?.work_unit.as_ref()?;
        Some(unit.methodology())
    }

    pub fn last_edit_step(&self) -> Option<u32> {
        let named = self.edits.last().map(|edit| edit.step);
        named.max(self.unnamed_edits.last().copied())
    }
}
