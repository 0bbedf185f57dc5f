//! Whether what a memory hangs on is still there: a look at the file itself, where nobody has time to read the graph anew.

use std::cell::{Cell, OnceCell};
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use anyhow::Result;
use jiff::Timestamp;
use oldhand_code::anchor::follow::Anchors;
use oldhand_code::history::facts::{current_path, is_gone, last_touched};
use oldhand_code::history::log::History;
use oldhand_code::index::Index;
use oldhand_code::snapshot::Snapshot;
use oldhand_domain::memory::Memory;
use oldhand_domain::path::ProjectPath;
use oldhand_engine::{Answer, Engine, SearchRequest, is_over};
use oldhand_observe::distill::missing as told_missing;
use oldhand_observe::learn::{brought_by, missing_folder};

use super::anchors::{ANCHORS, GONE};
use super::history::kept;
use crate::desk::Desk;
use crate::project::Location;

/// Larger files are not looked into.
const LARGEST: u64 = 1 << 20;

/// Why a memory cannot be told as it stands: all its files went, or what it hangs on did.
pub(crate) fn why_gone(memory: &Memory, root: &Path) -> Option<String> {
    match missing(memory, root) {
        Some(first) => Some(format!("{first} is gone")),
        None => why_symbol_gone(memory, root).or_else(|| why_there(memory, root)),
    }
}

/// Whether the project brings by now what a memory says a client has not, or has what it says is missing: who is told so will not try it.
fn why_there(memory: &Memory, root: &Path) -> Option<String> {
    let content = memory.content.as_str();
    let missed = told_missing(content).or_else(|| missing_folder(content));
    if let Some(path) = missed.filter(|path| root.join(path).exists()) {
        return Some(format!("{path} is there"));
    }
    let messages = memory.fingerprints.iter();
    let mut brings = messages.flat_map(|message| brought_by(message.as_str()));
    let there = brings.find(|file| root.join(file).exists())?;
    Some(format!("{there} brings it"))
}

/// The first file of a memory none of whose files is there. They may be gone, or of another branch.
pub(crate) fn missing<'m>(memory: &'m Memory, root: &Path) -> Option<&'m ProjectPath> {
    let first = memory.files.first()?;
    let mut files = memory.files.iter();
    (!files.any(|file| root.join(file.as_str()).exists())).then_some(first)
}

/// Whether the file that a memory's symbol was in has no such name any more. Where it went to is for those to find out who read the graph.
pub(crate) fn why_symbol_gone(memory: &Memory, root: &Path) -> Option<String> {
    let (file, symbol) = memory.target_node.as_deref()?.split_once(':')?;
    let name = symbol.rsplit(['.', ':', '#']).next()?;
    let path = root.join(file);
    let size = fs::metadata(&path).ok()?.len();
    if size > LARGEST || name.is_empty() {
        return None;
    }
    let text = fs::read_to_string(path).ok()?;
    (!holds(&text, name)).then(|| format!("`{name}` is gone from {file}"))
}

/// Whether a text has a name, and not only as a part of a longer one.
fn holds(text: &str, name: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    text.match_indices(name).any(|(at, _)| {
        let before = text[..at].chars().next_back();
        let after = text[at + name.len()..].chars().next();
        !before.is_some_and(is_part) && !after.is_some_and(is_part)
    })
}

/// Searches, and treats as stale what the tree does not have any more, though nobody wrote that down yet. That costs a look at the files of what may
/// be an answer. Also says whether there was such a thing: who may write looks at the tree then, where it may have moved, and asks again.
pub(crate) fn search(
    engine: &Engine<'_>,
    request: &SearchRequest,
    desk: &Desk,
) -> Result<(Answer, bool)> {
    let departures = Departures::new(desk);
    let has_departed = Cell::new(false);
    let why = |memory: &Memory| {
        let why = departures.why(memory);
        has_departed.set(has_departed.get() || why.is_some());
        why
    };
    let answer = engine.search(request, &why, desk.now)?;
    Ok((answer, has_departed.get()))
}

/// What became of files that are missing, read when the first is.
struct Departures<'d> {
    desk: &'d Desk,
    known: OnceCell<Known>,
}

struct Known {
    anchors: Anchors,
    /// Those whose going the last sweep saw: what it made of that holds.
    swept: BTreeMap<String, Timestamp>,
    /// As far as it was ever read.
    history: Option<History>,
    /// The graphs of other worktrees, which share the memories.
    elsewhere: Vec<Snapshot>,
}

impl<'d> Departures<'d> {
    fn new(desk: &'d Desk) -> Self {
        Self {
            desk,
            known: OnceCell::new(),
        }
    }

    /// Why a memory cannot be told as it stands.
    fn why(&self, memory: &Memory) -> Option<String> {
        let Desk { location, now, .. } = self.desk;
        match missing(memory, &location.root) {
            Some(first) => {
                // Without git nobody could find out what became of them.
                location.git_dir.as_ref()?;
                let known = self.known.get_or_init(|| Known::read(self.desk));
                let mut files = memory.files.iter();
                let all = files.all(|file| known.is_gone(file.as_str(), memory, location, *now));
                all.then(|| format!("{first} is gone"))
            }
            None => why_symbol_gone(memory, &location.root)
                .or_else(|| why_there(memory, &location.root)),
        }
    }
}

impl Known {
    /// Nothing is written, and a history that nobody read is not read for this.
    fn read(desk: &Desk) -> Self {
        let location = &desk.location;
        let folder = super::folder(desk).unwrap_or_default();
        let read = |name| fs::read(folder.join(name)).unwrap_or_default();
        Self {
            anchors: Anchors::read(&read(ANCHORS)),
            swept: serde_json::from_slice(&read(GONE)).unwrap_or_default(),
            history: kept(&folder),
            elsewhere: Index::other_trees(&location.root, &folder),
        }
    }

    /// Whether a file that is missing was there when the memory came about, and did not move. What was never there cannot be gone.
    fn is_gone(&self, file: &str, memory: &Memory, location: &Location, now: Timestamp) -> bool {
        let is_elsewhere = |tree: &Snapshot| tree.find_file(file).is_some();
        if self.swept.contains_key(file) || self.elsewhere.iter().any(is_elsewhere) {
            return false;
        }
        let Some(history) = &self.history else {
            return self.anchors.has_seen(file);
        };
        let moved = current_path(history, file).filter(|to| *to != file);
        if moved.is_some_and(|to| location.root.join(to).exists()) {
            return false;
        }
        let left = || left_at(history, file, location, now);
        self.anchors.has_seen(file) || left().is_some_and(|left| is_over(memory, left))
    }
}

/// When a file that is missing left: by a commit, or when it was `missed`, where the last commit has it. Nothing where git never knew it.
pub(super) fn left_at(
    history: &History,
    file: &str,
    location: &Location,
    missed: Timestamp,
) -> Option<Timestamp> {
    if is_gone(history, file) {
        return Timestamp::from_second(last_touched(history, file)?).ok();
    }
    // A tree that was asked for in part never had the rest.
    let git_dir = location.git_dir.as_ref()?;
    let is_whole = !git_dir.join("info/sparse-checkout").exists();
    (is_whole && current_path(history, file).is_some()).then_some(missed)
}

#[cfg(test)]
mod tests {
    use oldhand_domain::payload::BuiltInType;
    use oldhand_testkit::memory;

    use super::*;

    #[test]
    fn what_is_there_by_now_is_not_told_as_missing() {
        let root = tempfile::tempdir().unwrap();
        let root = root.path();
        let file = "There is no `run.yml`; the file is `run.yaml` (seen in 2 sessions).";
        let folder =
            "There is no `src/cmds/`; what was looked for there is in `src/` (seen in 3 sessions).";
        let why = |told: &str| why_gone(&memory(1, BuiltInType::Gotcha, told), root);
        assert_eq!((why(file), why(folder)), (None, None));
        fs::create_dir_all(root.join("src/cmds")).unwrap();
        fs::write(root.join("run.yml"), "").unwrap();
        assert_eq!(why(file).as_deref(), Some("run.yml is there"));
        assert_eq!(why(folder).as_deref(), Some("src/cmds is there"));
    }

    #[test]
    fn a_name_is_there_when_it_stands_alone() {
        assert!(holds("def parse(line):", "parse"));
        assert!(!holds("def parse_header(line): reparse()", "parse"));
    }
}
