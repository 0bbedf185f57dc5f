//! The log: every commit in compact form, files followed through their renames. The rest of the room is derived from it.

use std::sync::OnceLock;

use oldhand_domain::words;
use rustc_hash::{FxHashMap, FxHashSet};

use super::Gap;
use super::commit::{Change, ChangeKind, Commit, Nature, Trait, reverted_id};
use super::index::Index;
use super::place;

/// What git knows about a project: small enough to cache whole, grown by adding commits oldest first.
#[derive(Debug, Default)]
pub struct History {
    pub(super) files: Vec<File>,
    /// Every path a file has had; the newest owner of a path wins.
    pub(super) by_path: FxHashMap<String, FileId>,
    pub(super) words: Names,
    pub(super) authors: Names,
    pub(super) commits: Vec<Entry>,
    pub(super) reverts: Vec<Revert>,
    pub(super) repeated_fixes: Vec<RepeatedFix>,
    pub(super) renames: Vec<Rename>,
    /// The commit this history reaches up to; the next reading starts behind it.
    pub(super) tip: Option<String>,
    pub(super) gaps: Vec<Gap>,
    pub(super) index: OnceLock<Index>,
}

pub(super) type FileId = u32;
/// Position in the log, oldest first.
pub(super) type CommitId = u32;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct File {
    pub(super) path: String,
    pub(super) alive: bool,
    /// The last few contents, newest last, with the commit that brought each.
    pub(super) contents: Vec<(u64, CommitId)>,
    pub(super) last_fix: Option<(CommitId, Vec<u32>)>,
    /// The file it was one with until this commit.
    pub(super) divided_from: Option<(FileId, CommitId)>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Entry {
    /// The first sixteen digits of its id.
    pub(super) id: u64,
    pub(super) time: i64,
    pub(super) author: u32,
    pub(super) nature: Nature,
    pub(super) files: Box<[FileId]>,
    /// Words of the message, sorted; a word said twice is here twice.
    pub(super) words: Box<[u32]>,
}

/// One commit took another back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Revert {
    pub(super) by: CommitId,
    /// `None` when the message names a commit that the log does not hold.
    pub(super) of: Option<CommitId>,
    pub(super) evidence: RevertEvidence,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RevertEvidence {
    /// The message says so.
    Message,
    /// Every file it touches went back to a content it had before.
    Content,
}

/// A file was fixed, and fixed again soon after.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct RepeatedFix {
    pub(super) file: FileId,
    pub(super) first: CommitId,
    pub(super) again: CommitId,
    /// The second fix took away lines that the first had brought.
    pub(super) same_lines: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Rename {
    pub(super) commit: CommitId,
    pub(super) file: FileId,
    pub(super) from: String,
    pub(super) to: String,
}

/// Names by number and back.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Names {
    pub(super) list: Vec<String>,
    pub(super) numbers: FxHashMap<String, u32>,
}

impl Names {
    pub(super) fn intern(&mut self, name: &str) -> u32 {
        if let Some(&number) = self.numbers.get(name) {
            return number;
        }
        let number = self.list.len() as u32;
        self.list.push(name.to_owned());
        self.numbers.insert(name.to_owned(), number);
        number
    }
}

/// A second fix within this time belongs to the first.
const FIX_WINDOW_SECONDS: i64 = 14 * 86_400;
const CONTENTS_KEPT: usize = 6;
const FIX_LINES_KEPT: usize = 256;
const MESSAGE_WORDS_KEPT: usize = 60;
/// So many files of a cut-short list must have moved the same way before the rest of their folder is taken to follow.
const FOLDER_MOVE_FILES: usize = 3;

impl History {
    /// Builds the history of `commits`, oldest first.
    pub fn from_commits(commits: impl IntoIterator<Item = Commit>) -> Self {
        let mut history = Self::default();
        for commit in commits {
            history.add(&commit);
        }
        history
    }

    /// Adds one commit, newer than all before it.
    pub fn add(&mut self, commit: &Commit) {
        self.index.take();
        let number = self.commits.len() as CommitId;
        let nature = Nature::of(commit);
        // What a merge brings was already counted where it was written.
        let changes = if nature.is(Trait::Merge) {
            &[]
        } else {
            &commit.changes[..]
        };
        let mut returned_to = Vec::with_capacity(changes.len());
        let mut files = Vec::with_capacity(changes.len());
        if commit.changed_files > changes.len() {
            self.follow_moved_folders(number, changes);
        }
        let listed: FxHashSet<&str> = changes.iter().map(|change| change.path.as_str()).collect();
        for change in changes {
            let file = self.follow(number, change, &listed);
            files.push(file);
            returned_to.push(self.record_content(file, number, change));
            if nature.is(Trait::Fix) && !nature.is(Trait::Sweep) {
                self.record_fix(file, number, commit.time, change);
            }
        }
        files.sort_unstable();
        files.dedup();
        self.record_revert(number, &commit.message, nature, &returned_to);
        let words = self.intern_message(&commit.message);
        self.commits.push(Entry {
            id: leading_digits(&commit.id),
            time: commit.time,
            author: self.authors.intern(&commit.author),
            nature,
            files: files.into(),
            words,
        });
        self.tip = Some(commit.id.clone());
    }

    /// Declares which files exist now; without this the log's own additions and deletions decide.
    pub fn set_tree(&mut self, paths: impl IntoIterator<Item = String>) {
        self.index.take();
        for file in &mut self.files {
            file.alive = false;
        }
        for path in paths {
            let known = self.by_path.get(&path).copied();
            let file = match known.filter(|&file| self.files[file as usize].path == path) {
                Some(file) => file,
                None => self.create(path),
            };
            self.files[file as usize].alive = true;
        }
    }

    pub fn commit_count(&self) -> usize {
        self.commits.len()
    }

    pub fn tip(&self) -> Option<&str> {
        self.tip.as_deref()
    }

    /// The files of commits of at most `most_files` files as they are called now, oldest commit first.
    pub fn small_commits(&self, most_files: usize) -> impl DoubleEndedIterator<Item = Vec<&str>> {
        let small = move |entry: &&Entry| (1..=most_files).contains(&entry.files.len());
        let files = |entry: &Entry| entry.files.iter().map(|&file| self.path(file)).collect();
        self.commits.iter().filter(small).map(files)
    }

    /// Why this history may be less than whole.
    pub fn gaps(&self) -> &[Gap] {
        &self.gaps
    }

    /// The file that has, or last had, this path.
    pub(super) fn find(&self, path: &str) -> Option<FileId> {
        self.by_path.get(path).copied()
    }

    pub(super) fn path(&self, file: FileId) -> &str {
        &self.files[file as usize].path
    }

    pub(super) fn index(&self) -> &Index {
        self.index.get_or_init(|| Index::build(self))
    }

    fn create(&mut self, path: String) -> FileId {
        let file = self.files.len() as FileId;
        self.by_path.insert(path.clone(), file);
        self.files.push(File {
            path,
            alive: true,
            ..File::default()
        });
        file
    }

    /// The file that `change` is about, after the change.
    fn follow(&mut self, number: CommitId, change: &Change, listed: &FxHashSet<&str>) -> FileId {
        if let ChangeKind::Renamed { from } = &change.kind
            && let Some(file) = self.find(from)
        {
            self.rename(number, file, &change.path);
            return file;
        }
        let former = self.find(&change.path);
        // A path that is added again after its file moved away is a new file.
        let known = former
            .filter(|&file| change.kind != ChangeKind::Added || self.path(file) == change.path);
        let file = known.unwrap_or_else(|| self.create(change.path.clone()));
        if let Some(former) = former
            && former != file
            && listed.contains(self.path(former))
        {
            self.divide(number, former, file);
        }
        self.files[file as usize].alive = change.kind != ChangeKind::Deleted;
        file
    }

    /// A file moved, and in one commit gave part of itself back to its old path: both have its past.
    fn divide(&mut self, number: CommitId, whole: FileId, part: FileId) {
        self.files[part as usize].divided_from = Some((whole, number));
        for entry in self
            .commits
            .iter_mut()
            .filter(|entry| entry.files.contains(&whole))
        {
            entry.files = entry.files.iter().copied().chain([part]).collect();
        }
    }

    /// Whether two files were still one when `commit` was made, so that it says nothing about them as two.
    pub(super) fn were_one(&self, a: FileId, b: FileId, commit: CommitId) -> bool {
        let is_part = |part: FileId, whole: FileId| {
            let divided = self.files[part as usize].divided_from;
            divided.is_some_and(|(from, at)| from == whole && commit < at)
        };
        is_part(a, b) || is_part(b, a)
    }

    fn rename(&mut self, number: CommitId, file: FileId, to: &str) {
        let from = std::mem::replace(&mut self.files[file as usize].path, to.to_owned());
        self.files[file as usize].alive = true;
        if let Some(replaced) = self.by_path.insert(to.to_owned(), file)
            && replaced != file
        {
            self.files[replaced as usize].alive = false;
        }
        if from != to {
            self.renames.push(Rename {
                commit: number,
                file,
                from,
                to: to.to_owned(),
            });
        }
    }

    /// A list that was cut short may hold only the new half of a move: `core/src/a.rs` appears, `src/a.rs` is not
    /// said to go. When several files of a folder did that, the folder moved.
    fn follow_moved_folders(&mut self, number: CommitId, changes: &[Change]) {
        let listed: FxHashSet<&str> = changes.iter().map(|change| change.path.as_str()).collect();
        let mut moves: FxHashMap<(&str, &str), usize> = FxHashMap::default();
        for change in changes
            .iter()
            .filter(|change| change.kind == ChangeKind::Added)
        {
            for (at, _) in change.path.match_indices('/') {
                let (prefix, old) = (&change.path[..at], &change.path[at + 1..]);
                let is_live = self.find(old).is_some_and(|file| {
                    self.files[file as usize].alive
                        && self.path(file) == old
                        && !listed.contains(old)
                });
                if let (true, Some((top, _))) = (is_live, old.split_once('/')) {
                    *moves.entry((prefix, top)).or_default() += 1;
                }
            }
        }
        let mut moves: Vec<_> = moves
            .into_iter()
            .filter(|(_, count)| *count >= FOLDER_MOVE_FILES)
            .collect();
        moves.sort_unstable();
        for ((prefix, top), _) in moves {
            let stays = |file: &File| !file.alive || listed.contains(file.path.as_str());
            let in_top = |path: &str| {
                path.strip_prefix(top)
                    .is_some_and(|rest| rest.starts_with('/'))
            };
            let moved: Vec<FileId> = (0..self.files.len())
                .filter(|&file| !stays(&self.files[file]) && in_top(&self.files[file].path))
                .map(|file| file as FileId)
                .collect();
            for file in moved {
                let to = format!("{prefix}/{}", self.path(file));
                self.rename(number, file, &to);
            }
        }
    }

    /// Remembers the content; says which commit's work it undoes when it is one the file had before.
    fn record_content(
        &mut self,
        file: FileId,
        number: CommitId,
        change: &Change,
    ) -> Option<CommitId> {
        let contents = &mut self.files[file as usize].contents;
        let after = change.after?;
        let latest = contents.last().map(|(content, _)| *content);
        // Only a change to the newest content we know takes something back; elsewhere two branches merely agree.
        let earlier = contents.iter().rposition(|(content, _)| *content == after);
        let undone = earlier
            .filter(|_| latest.is_some() && latest == change.before && latest != Some(after))
            .and_then(|at| contents.get(at + 1))
            .map(|(_, commit)| *commit);
        if contents.len() == CONTENTS_KEPT {
            contents.remove(0);
        }
        contents.push((after, number));
        undone
    }

    fn record_fix(&mut self, file: FileId, number: CommitId, time: i64, change: &Change) {
        let lines = change.lines.as_ref();
        // A fix that is released at once mends nothing in the file that names the version.
        if lines.is_some_and(|lines| lines.is_bump) {
            return;
        }
        let mut brought: Vec<u32> = lines.map_or_else(Vec::new, |lines| {
            lines.added.iter().take(FIX_LINES_KEPT).copied().collect()
        });
        match self.files[file as usize].last_fix.take() {
            // Two changes of one commit may lead to the same file, which it mended once.
            Some((first, before)) if first == number => {
                brought.extend(before);
                brought.truncate(FIX_LINES_KEPT);
            }
            Some((first, before))
                if time - self.commits[first as usize].time <= FIX_WINDOW_SECONDS =>
            {
                let before: FxHashSet<u32> = before.into_iter().collect();
                let same_lines = lines
                    .is_some_and(|lines| lines.removed.iter().any(|line| before.contains(line)));
                self.repeated_fixes.push(RepeatedFix {
                    file,
                    first,
                    again: number,
                    same_lines,
                });
            }
            _ => {}
        }
        self.files[file as usize].last_fix = Some((number, brought));
    }

    fn record_revert(
        &mut self,
        number: CommitId,
        message: &str,
        nature: Nature,
        undone: &[Option<CommitId>],
    ) {
        if let Some(id) = reverted_id(message) {
            let of = self.find_commit(id);
            self.reverts.push(Revert {
                by: number,
                of,
                evidence: RevertEvidence::Message,
            });
        } else if !undone.is_empty()
            && let Some(all) = undone.iter().copied().collect::<Option<Vec<CommitId>>>()
        {
            let of = all.into_iter().max();
            self.reverts.push(Revert {
                by: number,
                of,
                evidence: RevertEvidence::Content,
            });
        } else if nature.is(Trait::Revert) {
            self.reverts.push(Revert {
                by: number,
                of: None,
                evidence: RevertEvidence::Message,
            });
        }
    }

    /// The newest commit whose id begins with these digits.
    fn find_commit(&self, id: &str) -> Option<CommitId> {
        let digits = id.len().min(16);
        let wanted = leading_digits(id);
        let mask = if digits == 16 {
            u64::MAX
        } else {
            !(u64::MAX >> (4 * digits))
        };
        let at = self
            .commits
            .iter()
            .rposition(|entry| entry.id & mask == wanted & mask)?;
        Some(at as CommitId)
    }

    fn intern_message(&mut self, message: &str) -> Box<[u32]> {
        let words = message_words(message);
        let mut numbers: Vec<u32> = words
            .iter()
            .take(MESSAGE_WORDS_KEPT)
            .map(|word| self.words.intern(word))
            .collect();
        numbers.sort_unstable();
        numbers.into()
    }
}

/// The first sixteen hexadecimal digits of an id, as a number; a shorter id is filled with zeros behind.
pub(super) fn leading_digits(id: &str) -> u64 {
    let digits = id.chars().map_while(|c| c.to_digit(16)).take(16);
    let (value, count) = digits.fold((0_u64, 0_u32), |(value, count), digit| {
        (value << 4 | u64::from(digit), count + 1)
    });
    if count == 0 {
        0
    } else {
        value << (4 * (16 - count))
    }
}

/// The words of a message that say something about files: no trailers, no numbers of issues, no filler.
pub(super) fn message_words(message: &str) -> Vec<String> {
    let mut found = Vec::new();
    for line in message.lines().filter(|line| !is_trailer(line)) {
        words::each(line, &mut |word| {
            found.extend(place::root(word).filter(|word| !is_filler(word)));
        });
    }
    found
}

fn is_trailer(line: &str) -> bool {
    let Some((key, _)) = line.split_once(':') else {
        return false;
    };
    let key = key.trim().to_lowercase();
    key.ends_with("-by") || ["cc", "ref", "refs", "change-id"].contains(&key.as_str())
}

fn is_filler(word: &str) -> bool {
    const FILLER: &[&str] = &[
        "the", "an", "of", "to", "in", "for", "and", "or", "on", "with", "is", "it", "be", "as",
        "by", "at", "from", "this", "that", "are", "was", "not", "use", "using", "via", "into",
        "when", "if", "but", "so", "no", "we", "fix", "add", "update", "updat", "remove", "remov",
        "close", "clos", "merge", "pull", "request", "chore", "feat", "refactor", "test",
    ];
    let is_number = word.chars().all(char::is_numeric);
    FILLER.contains(&word) || (is_number && word.len() > 2)
}
