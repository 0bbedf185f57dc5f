//! What rules files do not say any more: it is stale, told to nobody, and back as soon as a file says it again.
//!
//! Looked at when rules are imported, when a session begins after one of the files changed, and when sessions were learned from. All
//! checkouts of a repository share the memories, so that of their files the one that was written last has the word.

use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use anyhow::Result;
use oldhand_code::history::facts::is_gone;
use oldhand_code::history::kept::is_kept_elsewhere;
use oldhand_domain::filter::Filter;
use oldhand_domain::id::MemoryId;
use oldhand_domain::memory::Memory;
use oldhand_domain::path::ProjectPath;
use oldhand_domain::text::Content;
use oldhand_domain::vocabulary::Source;
use oldhand_engine::Shelf;
use oldhand_engine::rules::{self, FOLDER_FILES, Rule};
use oldhand_observe::settle::is_same_in_words;

use super::taken::Taken;
use super::{of_project, read_files};
use crate::code::read_history;
use crate::desk::Desk;
use crate::file;
use crate::out::Out;
use crate::out::style::FAINT;
use crate::out::time::count;
use crate::out::wrap::shorten;
use crate::project::{Project, checkouts};

/// What changed since the files were last looked at.
#[derive(Default)]
pub(crate) struct Looked {
    /// What no file says any more, with the reason.
    pub(crate) unsaid: Vec<(Memory, String)>,
    /// What one says again.
    pub(crate) again: Vec<Memory>,
    files: BTreeSet<ProjectPath>,
}

/// What follows from what was seen.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Then {
    Marked,
    OnlyShown,
}

/// Looks, marks what changed, and says so. What cannot be done is told; nothing else fails for it.
pub(crate) fn look_again(desk: &Desk, out: &Out) {
    let marked = look(desk, out).and_then(|looked| {
        mark(&looked, desk)?;
        Ok(looked)
    });
    match marked {
        Ok(looked) => {
            if !looked.unsaid.is_empty() {
                out.note(&looked.say_unsaid("became"));
                out.hint(KEEP);
            }
            if !looked.again.is_empty() {
                out.note(&looked.say_again());
            }
        }
        Err(error) => out.note(&format!(
            "memories were not compared with the rules files: {error:#}"
        )),
    }
}

/// What to do about what is stale.
pub(crate) const KEEP: &str =
    "`oldhand list --stale` shows them; `oldhand verify ID` keeps one that is still right";

impl Looked {
    pub(super) fn is_empty(&self) -> bool {
        self.unsaid.is_empty() && self.again.is_empty()
    }

    fn say_unsaid(&self, became: &str) -> String {
        let rules = count(self.unsaid.len(), "rule");
        format!("{rules} {became} stale: no rules file says so any more")
    }

    fn say_again(&self) -> String {
        let rules = count(self.again.len(), "rule");
        format!("{rules} no longer stale: a rules file says so again")
    }

    /// Each of them, for whoever imports rules.
    pub(super) fn show(&self, then: Then, out: &mut Out) -> Result<()> {
        if self.is_empty() {
            return Ok(());
        }
        writeln!(out)?;
        for (memory, why) in &self.unsaid {
            let columns = out.width().saturating_sub(why.len() + 4).max(20);
            let words = shorten(memory.content.as_str(), columns);
            writeln!(out, "- {FAINT}{why}:{FAINT:#} {words}")?;
        }
        if !self.unsaid.is_empty() {
            let became = match then {
                Then::Marked => "became",
                Then::OnlyShown => "would become",
            };
            writeln!(out, "{}", self.say_unsaid(became))?;
        }
        if !self.unsaid.is_empty() && then == Then::Marked {
            out.hint(KEEP);
        }
        if !self.again.is_empty() {
            writeln!(out, "{}", self.say_again())?;
        }
        Ok(())
    }
}

/// Compares what was taken from rules files with what they say today. What a person confirmed, pinned or put in other words is theirs.
pub(crate) fn look(desk: &Desk, out: &Out) -> Result<Looked> {
    let mut looked = Looked::default();
    let of_files = Filter {
        sources: vec![Source::UserTaught, Source::CommitAuto],
        ..Filter::default()
    };
    let kept = desk.engine().list(Some(Shelf::Project), &of_files)?;
    let kept = kept.memories.into_iter().map(|shelved| shelved.memory);
    let kept: Vec<Memory> = kept.filter(rules::is_of_file).collect();
    if kept.is_empty() {
        return Ok(looked);
    }
    let here = Files::of(&desk.location.root, &kept, desk);
    let others: OnceCell<Vec<Files>> = OnceCell::new();
    let elsewhere = || {
        let root = &desk.location.root;
        let others = checkouts(root).into_iter().filter(|other| other != root);
        others.map(|other| Files::of(&other, &kept, desk)).collect()
    };
    for memory in &kept {
        let Some(file) = own_file(memory) else {
            continue;
        };
        let of = here.that_may_say(memory);
        let was_taken = |file: &&ProjectPath| here.became(file, &memory.content) == Some(memory.id);
        let is_kept = memory.is_verified() || memory.pinned;
        let is_judged = !is_kept && of.iter().any(was_taken);
        let is_said = !is_judged
            || of.iter().any(|file| here.says(file, memory))
            || here.is_unknown(&file)
            || others.get_or_init(elsewhere).iter().any(|other| {
                let of = other.that_may_say(memory).into_iter();
                let mut newer = of.filter(|file| other.wrote_later(file, &here));
                newer.any(|file| other.says(file, memory))
            })
            || here.is_absent(&file) && is_on_another_branch(&file, desk, out);
        match (is_said, rules::is_unsaid(memory)) {
            (false, false) if memory.stale.is_none() => {
                let why = rules::unsaid(&file, here.is_absent(&file));
                looked.unsaid.push((memory.clone(), why));
            }
            (true, true) => looked.again.push(memory.clone()),
            _ => {}
        }
    }
    looked.files = here.names().collect();
    Ok(looked)
}

/// Writes it down, and what the files looked like.
pub(super) fn mark(looked: &Looked, desk: &Desk) -> Result<()> {
    if !looked.is_empty() {
        let unsaid = looked.unsaid.iter();
        let against = unsaid.map(|(memory, why)| (memory.id, Some(why.clone())));
        let again = looked.again.iter().map(|memory| (memory.id, None));
        let all = against.chain(again).collect();
        desk.change_engine(|engine| Ok(engine.mark_unsaid(&all, desk.now)?))?;
    }
    if let Some(project) = desk.project.as_ref().filter(|_| !looked.files.is_empty()) {
        let seen = glance(
            &desk.location.root,
            looked.files.iter().map(ProjectPath::as_str),
        );
        // A note that cannot be kept costs another look, no more.
        let _ = file::create_private_dir(&project.directory.join("locks"))
            .and_then(|()| file::write_privately(&seen_file(project), seen.as_bytes()));
    }
    Ok(())
}

/// Whether a file that rules were taken from was written, made or removed since it was last looked at, or this is another checkout. Asked by
/// hooks: one short file, and a look at each of those it names.
pub(crate) fn have_changed(project: &Project) -> bool {
    let Ok(seen) = fs::read_to_string(seen_file(project)) else {
        return false;
    };
    let names = seen.lines().skip(1);
    let names = names.filter_map(|line| line.splitn(3, ' ').nth(2));
    glance(&project.location.root, names) != seen
}

fn seen_file(project: &Project) -> PathBuf {
    project.directory.join("locks").join("rules-seen")
}

fn glance<'n>(root: &Path, names: impl Iterator<Item = &'n str>) -> String {
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

fn own_file(memory: &Memory) -> Option<ProjectPath> {
    ProjectPath::new(rules::file_of(memory)?).ok()
}

/// A branch that never had a file says nothing against what the file says on another.
fn is_on_another_branch(file: &ProjectPath, desk: &Desk, out: &Out) -> bool {
    let root = &desk.location.root;
    let was_deleted = || {
        let history = read_history(desk, out);
        history.is_ok_and(|history| is_gone(&history, file.as_str()))
    };
    is_kept_elsewhere(root, file.as_str()) && !was_deleted()
}

/// What the rules files of one checkout say.
struct Files {
    root: PathBuf,
    said: BTreeMap<ProjectPath, Vec<Content>>,
    taken: BTreeMap<ProjectPath, Taken>,
}

impl Files {
    /// Those that these memories may stand in. One that cannot be read says what it said.
    fn of(root: &Path, memories: &[Memory], desk: &Desk) -> Self {
        let inside = |path: PathBuf| {
            let inside = path.strip_prefix(root).ok()?.to_str()?;
            ProjectPath::new(inside).ok()
        };
        let mut names: BTreeSet<ProjectPath> =
            of_project(root).into_iter().filter_map(inside).collect();
        for memory in memories {
            names.extend(own_file(memory));
            names.extend(of_folders(memory));
        }
        let paths: Vec<PathBuf> = names.iter().map(|name| root.join(name.as_str())).collect();
        let paths: Vec<PathBuf> = paths.into_iter().filter(|path| path.is_file()).collect();
        let (texts, _) = read_files(&paths, Some(root));
        let all = texts.iter().filter_map(|(path, text)| {
            let name = path.file_name()?.to_str()?;
            Some((name, text.as_str()))
        });
        let said = texts.iter().filter_map(|(path, text)| {
            let name = inside(path.clone())?;
            let parsed = rules::parse_among(&name, text, all.clone()).rules;
            let said = parsed.iter().filter_map(Rule::stored_content).collect();
            Some((name, said))
        });
        let said = said.collect();
        let taken = names.into_iter().filter_map(|name| {
            let taken = Taken::read(&name, Shelf::Project, desk).ok()?;
            Some((name, taken))
        });
        Self {
            root: root.to_owned(),
            said,
            taken: taken.collect(),
        }
    }

    fn names(&self) -> impl Iterator<Item = ProjectPath> {
        self.taken.keys().cloned()
    }

    /// The files that say what holds where a memory does.
    fn that_may_say(&self, memory: &Memory) -> Vec<&ProjectPath> {
        let own = own_file(memory);
        let is_one =
            |file: &&ProjectPath| Some(*file) == own.as_ref() || rules::holds_where(memory, file);
        self.taken.keys().filter(is_one).collect()
    }

    fn became(&self, file: &ProjectPath, content: &Content) -> Option<MemoryId> {
        self.taken.get(file)?.became(content)
    }

    /// Whether a file has the words of a memory, or others that became it or would.
    fn says(&self, file: &ProjectPath, memory: &Memory) -> bool {
        let mut said = self.said.get(file).into_iter().flatten();
        said.any(|content| {
            self.became(file, content) == Some(memory.id)
                || is_same_in_words(content.as_str(), memory.content.as_str())
        })
    }

    fn is_absent(&self, file: &ProjectPath) -> bool {
        fs::symlink_metadata(self.root.join(file.as_str())).is_err()
    }

    /// Whether a file has the last word: it was written after the other's, or the other has none.
    fn wrote_later(&self, file: &ProjectPath, other: &Self) -> bool {
        let written = |files: &Self| {
            let found = fs::metadata(files.root.join(file.as_str()));
            found.and_then(|found| found.modified()).ok()
        };
        written(self) > written(other)
    }

    /// There, and not to be read.
    fn is_unknown(&self, file: &ProjectPath) -> bool {
        !self.said.contains_key(file) && !self.is_absent(file)
    }
}

/// The rules files of the folders that a memory holds in.
fn of_folders(memory: &Memory) -> Vec<ProjectPath> {
    if rules::folder_of(memory).is_none() {
        return Vec::new();
    }
    let each = memory.files.iter().flat_map(|folder| {
        FOLDER_FILES
            .iter()
            .map(move |name| format!("{folder}/{name}"))
    });
    each.filter_map(|path| ProjectPath::new(&path).ok())
        .collect()
}
