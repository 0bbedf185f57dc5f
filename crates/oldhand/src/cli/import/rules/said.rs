//! What rules files do not say any more: it is stale, told to nobody, and back as soon as a file says it again.
//!
//! Looked at when rules are imported, when a session begins after one of the files changed, and when sessions were learned from, unless
//! files and commit are those of the last look. All checkouts of a repository share the memories, and some are old: that a file lacks a
//! rule tells nothing. A commit since that took it out does, and so does an edit where a person asks for it.

use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use anyhow::Result;
use oldhand_code::history::versions::{Version, commit_at_hand, versions};
use oldhand_domain::filter::Filter;
use oldhand_domain::id::MemoryId;
use oldhand_domain::memory::Memory;
use oldhand_domain::path::ProjectPath;
use oldhand_domain::vocabulary::Source;
use oldhand_engine::Shelf;
use oldhand_engine::rules::{self, Among, FOLDER_FILES, Found};
use oldhand_observe::settle::telling_words;

mod seen;

use seen::{all_taken_in, commit_file, glance, seen_file};
pub(crate) use seen::{have_changed, keep_up};

use super::own::Own;
use super::taken::Taken;
use super::{of_project, read_files, taken_in};
use crate::desk::Desk;
use crate::file;
use crate::out::Out;
use crate::out::style::FAINT;
use crate::out::time::count;
use crate::out::wrap::shorten;
use crate::project::{Entry, Registry, checkouts};

/// What changed since the files were last looked at.
#[derive(Default)]
pub(crate) struct Looked {
    /// What no file says any more, with the reason.
    pub(crate) unsaid: Vec<(Memory, String)>,
    /// What one says again.
    pub(crate) again: Vec<Memory>,
    /// What the files looked like before they were read.
    seen: String,
    /// The commit at hand then.
    commit: Option<String>,
}

/// Who looks.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum By {
    /// What no commit says is for them alone to judge.
    Person,
    Background,
}

/// What follows from what was seen.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Then {
    Marked,
    OnlyShown,
}

/// Looks, marks what changed, and says so. What cannot be done is told; nothing else fails for it.
pub(crate) fn look_again(desk: &Desk, by: By, out: &Out) {
    let marked = look(desk, by).and_then(|looked| {
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
pub(crate) fn look(desk: &Desk, by: By) -> Result<Looked> {
    let mut looked = Looked::default();
    let of_files = Filter {
        sources: vec![Source::UserTaught, Source::CommitAuto],
        ..Filter::default()
    };
    let kept = desk.engine().list(Some(Shelf::Project), &of_files)?;
    let kept = kept.memories.into_iter().map(|shelved| shelved.memory);
    let kept: Vec<Memory> = kept.filter(rules::is_of_file).collect();
    let root = &desk.location.root;
    let names = if kept.is_empty() {
        BTreeSet::new()
    } else {
        names(root, &kept)
    };
    // Before they are read: what is written meanwhile is looked at again.
    let noted: BTreeSet<ProjectPath> = names.union(&all_taken_in(root, &names)).cloned().collect();
    looked.seen = glance(root, noted.iter().map(ProjectPath::as_str));
    looked.commit = commit_at_hand(root);
    let files = Files::read(names, &kept, by, desk);
    for memory in &kept {
        match (files.standing_of(memory), rules::is_unsaid(memory)) {
            (Standing::Dropped(file), false) if memory.stale.is_none() => {
                let why = rules::unsaid(&file, files.is_absent(&file));
                looked.unsaid.push((memory.clone(), why));
            }
            (Standing::Said, true) => looked.again.push(memory.clone()),
            _ => {}
        }
    }
    Ok(looked)
}

/// Writes it down, and what the files looked like.
pub(super) fn mark(looked: &Looked, desk: &Desk) -> Result<()> {
    if !looked.is_empty() {
        let unsaid = looked.unsaid.iter();
        let unsaid = unsaid.map(|(memory, why)| (memory.clone(), Some(why.clone())));
        let again = looked.again.iter().map(|memory| (memory.clone(), None));
        let found: Vec<Found> = unsaid.chain(again).collect();
        desk.change_engine(|engine| Ok(engine.mark_unsaid(&found, desk.now)?))?;
    }
    if let Some(project) = &desk.project {
        let note = seen_file(project);
        // Where nothing was ever taken there is nothing to note.
        if looked.seen.lines().nth(1).is_some() || note.exists() {
            // A note that cannot be kept costs another look, no more.
            let _ = file::create_private_dir(&project.directory.join("locks"))
                .and_then(|()| file::write_privately(&note, looked.seen.as_bytes()))
                .and_then(|()| {
                    let commit = looked.commit.as_deref().unwrap_or_default();
                    file::write_privately(&commit_file(project), commit.as_bytes())
                });
        }
    }
    Ok(())
}

fn own_file(memory: &Memory) -> Option<ProjectPath> {
    ProjectPath::new(rules::file_of(memory)?).ok()
}

/// What is to be thought of a rule.
enum Standing {
    /// A file says it, or a person does.
    Said,
    /// None does, and this one did.
    Dropped(ProjectPath),
    /// None does here, and that tells nothing.
    Unknown,
}

/// The files that these memories may stand in.
fn names(root: &Path, memories: &[Memory]) -> BTreeSet<ProjectPath> {
    let of_project = of_project(root).into_iter();
    let mut names: BTreeSet<ProjectPath> =
        of_project.filter_map(|path| inside(&path, root)).collect();
    for memory in memories {
        names.extend(own_file(memory));
        names.extend(of_folders(memory));
    }
    names
}

fn inside(path: &Path, root: &Path) -> Option<ProjectPath> {
    ProjectPath::new(path.strip_prefix(root).ok()?.to_str()?).ok()
}

/// What a text lays down: its sentences, and the memories that they became.
#[derive(Default)]
struct Words {
    sentences: BTreeSet<Vec<String>>,
    became: BTreeSet<MemoryId>,
}

impl Words {
    fn says(&self, memory: &Memory) -> bool {
        self.became.contains(&memory.id)
            || self
                .sentences
                .contains(&telling_words(memory.content.as_str()))
    }
}

/// One rules file of this checkout.
struct RulesFile {
    taken: Taken,
    /// `None` where it is there and cannot be read, or takes in what cannot.
    says: Option<Words>,
    is_empty: bool,
    past: OnceCell<Option<Past>>,
}

/// What git tells of it.
struct Past {
    head: Words,
    replaced: Vec<(Words, Option<i64>)>,
    elsewhere: Vec<(Words, Option<i64>)>,
}

struct Files<'d> {
    root: &'d Path,
    by_name: BTreeMap<ProjectPath, RulesFile>,
    /// The texts of all, by name: settings leave to others what those have the word on.
    texts: Vec<(String, String)>,
    own: Own,
    /// Whether an edit that no commit has counts: a person asks, and there is no other checkout.
    counts_edits: bool,
    /// When the first of the rules was taken.
    since: i64,
}

impl<'d> Files<'d> {
    fn read(names: BTreeSet<ProjectPath>, kept: &[Memory], by: By, desk: &'d Desk) -> Self {
        let root = desk.location.root.as_path();
        let on_disk = names.iter().map(|name| root.join(name.as_str()));
        let on_disk: Vec<PathBuf> = on_disk.filter(|path| path.is_file()).collect();
        let (read, _) = read_files(&on_disk, Some(root));
        let named = read.iter().filter_map(|(path, text)| {
            let name = path.file_name()?.to_str()?;
            Some((name.to_owned(), text.clone()))
        });
        let taken = kept.iter().map(|memory| memory.created_at.as_second());
        let mut all = Self {
            root,
            by_name: BTreeMap::new(),
            texts: named.collect(),
            own: Own::of(root),
            counts_edits: by == By::Person && is_only_checkout(desk),
            since: taken.min().unwrap_or_default(),
        };
        for name in names {
            let Ok(taken) = Taken::read(&name, Shelf::Project, desk) else {
                continue;
            };
            let path = root.join(name.as_str());
            let text = read.iter().find(|(read, _)| *read == path);
            let text = text.map(|(_, text)| text.as_str());
            let says = match text {
                Some(text) => all.words_with_taken_in(&name, text, &path, &taken),
                None if fs::symlink_metadata(&path).is_ok() => None,
                None => Some(Words::default()),
            };
            let file = RulesFile {
                taken,
                says,
                is_empty: text.is_some_and(|text| text.trim().is_empty()),
                past: OnceCell::new(),
            };
            all.by_name.insert(name, file);
        }
        all
    }

    fn words(&self, name: &ProjectPath, text: &str, taken: &Taken) -> Words {
        let others = self.texts.iter();
        let others = others.map(|(name, text)| (name.as_str(), text.as_str()));
        let others: Vec<(&str, &str)> = others.collect();
        let among = Among {
            texts: &others,
            is_own: &|word| self.own.has(word),
        };
        let said = rules::contents_among(name, text, &among);
        let mut words = Words::default();
        for content in said.iter().filter_map(|said| rules::stored_content(said)) {
            words.became.extend(taken.became(&content));
            words.sentences.insert(telling_words(content.as_str()));
        }
        words
    }

    /// With what the file takes in by `@path`; `None` where that cannot be read.
    fn words_with_taken_in(
        &self,
        name: &ProjectPath,
        text: &str,
        path: &Path,
        taken: &Taken,
    ) -> Option<Words> {
        let mut words = self.words(name, text, taken);
        let paths = taken_in(text, path.parent()?);
        let (read, unread) = read_files(&paths, Some(self.root));
        for (_, text) in &read {
            let more = self.words(name, text, taken);
            words.sentences.extend(more.sentences);
            words.became.extend(more.became);
        }
        unread.is_empty().then_some(words)
    }

    fn past<'f>(&self, name: &ProjectPath, file: &'f RulesFile) -> Option<&'f Past> {
        let ask = || {
            let found = versions(self.root, name.as_str(), self.since)?;
            let words = |text: &str| self.words(name, text, &file.taken);
            let all = |versions: Vec<Version>| {
                let each = versions.into_iter();
                each.map(|one| (words(&one.text), one.at)).collect()
            };
            Some(Past {
                head: found.head.as_deref().map(words).unwrap_or_default(),
                replaced: all(found.replaced),
                elsewhere: all(found.elsewhere),
            })
        };
        file.past.get_or_init(ask).as_ref()
    }

    fn standing_of(&self, memory: &Memory) -> Standing {
        let Some(own) = own_file(memory) else {
            return Standing::Said;
        };
        let is_one = |(name, _): &(&ProjectPath, &RulesFile)| {
            **name == own || rules::holds_where(memory, name)
        };
        let of: Vec<(&ProjectPath, &RulesFile)> = self.by_name.iter().filter(is_one).collect();
        let was_taken = |(_, file): &&(&ProjectPath, &RulesFile)| {
            file.taken.became(&memory.content) == Some(memory.id)
        };
        let from: Vec<&(&ProjectPath, &RulesFile)> = of.iter().filter(was_taken).collect();
        let says = |(_, file): &(&ProjectPath, &RulesFile)| {
            file.says.as_ref().is_some_and(|words| words.says(memory))
        };
        if memory.is_verified() || memory.pinned || from.is_empty() || of.iter().any(says) {
            return Standing::Said;
        }
        let is_dropped = |(name, file): &&(&ProjectPath, &RulesFile)| {
            file.says.is_some() && self.has_dropped(name, file, memory)
        };
        if from.iter().all(is_dropped) {
            return Standing::Dropped(own);
        }
        // A file that is only not checked out says what the commit says.
        let is_in_head = |(name, file): &&(&ProjectPath, &RulesFile)| {
            self.is_absent(name)
                && self
                    .past(name, file)
                    .is_some_and(|past| past.head.says(memory))
        };
        if from.iter().any(is_in_head) {
            Standing::Said
        } else {
            Standing::Unknown
        }
    }

    /// Whether a file that does not say it did, and nobody has a later word: a commit since took it out, or, for a person who asks in the
    /// only checkout there is, an edit that no commit has.
    fn has_dropped(&self, name: &ProjectPath, file: &RulesFile, memory: &Memory) -> bool {
        let Some(past) = self.past(name, file) else {
            return false;
        };
        let taken = memory.created_at.as_second();
        let says = |(words, at): &&(Words, Option<i64>)| at.is_some() && words.says(memory);
        let replaced = past.replaced.iter().filter(says);
        let removed = replaced.filter_map(|(_, at)| *at).max();
        let removed = removed.filter(|at| *at >= taken && !past.head.says(memory));
        if let Some(removed) = removed {
            let mut later = past.elsewhere.iter().filter(says);
            return !later.any(|(_, at)| *at >= Some(removed));
        }
        let is_edit = if past.head.says(memory) {
            !self.is_absent(name)
        } else {
            !past.elsewhere.iter().any(|(words, _)| words.says(memory))
        };
        // One that is empty may just be written.
        self.counts_edits && is_edit && !file.is_empty
    }

    fn is_absent(&self, file: &ProjectPath) -> bool {
        fs::symlink_metadata(self.root.join(file.as_str())).is_err()
    }
}

/// Whether nobody else has files of this project: no worktree, and no clone that was joined to it.
fn is_only_checkout(desk: &Desk) -> bool {
    let root = &desk.location.root;
    let is_other = |other: &PathBuf| fs::canonicalize(other).ok() != fs::canonicalize(root).ok();
    let is_there = |other: &PathBuf| other.exists() && is_other(other);
    if checkouts(root).iter().any(is_there) {
        return false;
    }
    let known = Registry::read(&desk.home);
    known.is_ok_and(|known| {
        let entry = known.find(&desk.location.place);
        let folders = entry.map(Entry::folders).unwrap_or_default();
        folders.iter().filter(|(_, is_there)| *is_there).count() <= 1
    })
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
