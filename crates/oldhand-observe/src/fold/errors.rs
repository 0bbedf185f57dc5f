//! Errors of a session: how often each came, and what made it go away.

use std::collections::BTreeSet;

use oldhand_domain::event::{Digest, ToolName};

use super::answers::{does_something, is_answer};
use super::{Edit, FileId, SessionAnalytics};
use crate::detect::sequence::is_act;
use crate::distill::phrase::without_plumbing;
use crate::distill::remedy::Advice;
use crate::fingerprint::NormalError;
use crate::outcome::commands::program_key;
use crate::outcome::git::GitVerb;

/// One error, however often it came.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ErrorUse {
    pub fingerprint: Digest,
    pub message: String,
    pub tool: ToolName,
    /// The command that failed, without its flags; empty for other tools.
    pub command: String,
    /// The same command as it was typed the last time.
    pub typed: String,
    pub steps: Vec<u32>,
    pub count: u32,
    /// The names of files that its output named, without their folders.
    pub names: BTreeSet<String>,
    /// What its output said of how else to call it.
    pub advice: Advice,
    pub resolution: Option<Resolution>,
}

/// How an error went away.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Resolution {
    pub step: u32,
    pub solution: Solution,
    /// The steps at which the other command was run that it had waited for.
    pub done: Vec<u32>,
    /// Those of the edited files that the error is bound to.
    pub bound: Vec<FileId>,
    /// What the agent said before it did that.
    pub words: Option<String>,
    /// The output of the error had advised or listed it.
    pub advised: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Solution {
    /// These files were edited, and the same command passed.
    Edits(Vec<FileId>),
    /// Another command was run, and the same command passed.
    First(String),
    /// Another command did it.
    Command(String),
    /// Nothing but trying again.
    Again,
}

/// How many errors are watched for what solves them.
const OPEN_LIMIT: usize = 32;
/// How long an error is watched: what passes so much later was not waiting for it, and looking back further would cost every
/// event more the longer the session is.
const OPEN_STEPS: u32 = 200;
/// How soon another command must follow to count as the answer.
const ANSWER_STEPS: u32 = 3;
/// What passes so long after it failed was waiting for nothing that was run in between.
const DONE_STEPS: u32 = 20;
/// How many commands are remembered as what an error may have waited for.
const DONE_LIMIT: usize = 16;
/// How many names of files an error keeps.
const NAMES_LIMIT: usize = 32;
/// The longest command that is told, in bytes.
const TOLD_LENGTH: usize = 160;
/// The longest explanation that is kept, in bytes.
const WORDS_LENGTH: usize = 240;

impl SessionAnalytics {
    pub(super) fn count_error(
        &mut self,
        error: NormalError,
        tool: ToolName,
        command: &str,
        typed: &str,
        output: &str,
    ) {
        let entry = ErrorUse {
            fingerprint: error.fingerprint,
            message: error.message,
            tool,
            command: command.to_owned(),
            typed: String::new(),
            steps: Vec::new(),
            count: 0,
            names: BTreeSet::new(),
            advice: Advice::default(),
            resolution: None,
        };
        self.open_error(entry, typed, output);
    }

    fn open_error(&mut self, error: ErrorUse, typed: &str, output: &str) {
        let step = self.step;
        let digest = error.fingerprint;
        let entry = self.errors.entry(digest).or_insert(error);
        for name in named_files(output) {
            if entry.names.len() < NAMES_LIMIT {
                entry.names.insert(name.to_owned());
            }
        }
        entry.advice = Advice::in_output(output);
        entry.count += 1;
        if entry.steps.len() < 64 {
            entry.steps.push(step);
        }
        typed[..typed.floor_char_boundary(200)].clone_into(&mut entry.typed);
        // It came back: whatever seemed to solve it did not.
        entry.resolution = None;
        self.open_errors.retain(|open| *open != digest);
        self.open_errors.push_back(digest);
        if self.open_errors.len() > OPEN_LIMIT {
            self.open_errors.pop_front();
        }
    }

    /// A command passed: which open errors does that answer?
    pub(super) fn answer_errors(&mut self, command: &str, typed: &str) {
        if self.open_errors.is_empty() {
            return;
        }
        let step = self.step;
        let mut still_open = std::collections::VecDeque::with_capacity(self.open_errors.len());
        for digest in std::mem::take(&mut self.open_errors) {
            let Some(error) = self.errors.get(&digest) else {
                continue;
            };
            let last = error.steps.last().copied().unwrap_or(step);
            if step - last > OPEN_STEPS {
                continue;
            }
            // Running other tests is no answer to one that fails.
            let is_test = error.message.starts_with("test ") && error.message.ends_with(" fails");
            let solution = if error.command == command {
                let files = self.edited_between(last, step);
                if !files.is_empty() {
                    Some(Solution::Edits(files))
                } else if step - last > DONE_STEPS {
                    Some(Solution::Again)
                } else if let Some(first) = self.done_between(last, step) {
                    Some(Solution::First(first))
                } else if same_words(&error.typed, typed) || !does_something(typed) {
                    Some(Solution::Again)
                } else if is_test {
                    None
                } else {
                    Some(Solution::Command(self.told(typed)))
                }
            } else if !is_test
                && step - last <= ANSWER_STEPS
                && is_answer(&error.typed, typed)
                && self.edited_between(last, step).is_empty()
            {
                Some(Solution::Command(self.told(typed)))
            } else {
                None
            };
            let Some(solution) = solution else {
                still_open.push_back(digest);
                continue;
            };
            let words = self.words_between(last, step);
            let done = match &solution {
                Solution::First(_) => self.steps_between(last, step).collect(),
                _ => Vec::new(),
            };
            let bound = match &solution {
                Solution::Edits(files) => self.bound_files(error, files, typed),
                _ => Vec::new(),
            };
            let advised = match &solution {
                Solution::First(done) | Solution::Command(done) => {
                    error.advice.covers(&error.typed, done)
                }
                Solution::Edits(_) | Solution::Again => false,
            };
            if let Some(error) = self.errors.get_mut(&digest) {
                error.resolution = Some(Resolution {
                    step,
                    solution,
                    done,
                    bound,
                    words,
                    advised,
                });
            }
        }
        self.open_errors = still_open;
    }

    /// A command that passed and did more than look may be what the next ones build on.
    pub(super) fn count_done(&mut self, typed: &str) {
        let acts = program_key(typed).is_some_and(|key| is_act(&format!("run {key}")));
        if !acts || self.open_errors.is_empty() {
            return;
        }
        let told = self.told(typed);
        self.done.push_back((self.step, told));
        if self.done.len() > DONE_LIMIT {
            self.done.pop_front();
        }
    }

    /// A command as it is told to others: its first line, without what only shapes its output and without the folder that the project had on this machine.
    fn told(&self, typed: &str) -> String {
        let mut lines = typed.trim().lines();
        let first = lines.next().unwrap_or("").trim();
        let root = self.start.as_ref().map_or("", |start| start.cwd.as_str());
        let line = from_root(first, root);
        let line = without_plumbing(&line);
        let cut = &line[..line.floor_char_boundary(TOLD_LENGTH)];
        // What is not whole says so, and is offered to nobody.
        let is_whole = cut.len() == line.len() && lines.next().is_none();
        format!("{cut}{}", if is_whole { "" } else { "…" })
    }

    /// The steps at which something was done between an error and its end.
    fn steps_between(&self, after: u32, until: u32) -> impl Iterator<Item = u32> {
        let steps = self.done.iter().map(|(step, _)| *step);
        steps.filter(move |step| *step > after && *step < until)
    }

    /// What was done between an error and its end, when it was one thing.
    fn done_between(&self, after: u32, until: u32) -> Option<String> {
        let mut between = self
            .done
            .iter()
            .filter(|(step, _)| *step > after && *step < until);
        let (_, only) = between.next()?;
        between
            .all(|(_, other)| same_words(other, only))
            .then(|| only.clone())
    }

    /// The agent explains itself: while an error is open, that may be what it is about.
    pub(super) fn count_words(&mut self, text: &str) {
        if self.open_errors.is_empty() {
            return;
        }
        let words: Vec<&str> = text.split_whitespace().collect();
        let words = words.join(" ");
        if words.is_empty() {
            return;
        }
        let short = words[..words.floor_char_boundary(WORDS_LENGTH)].to_owned();
        self.spoken.push_back((self.step, short));
        if self.spoken.len() > DONE_LIMIT {
            self.spoken.pop_front();
        }
    }

    /// What the agent said last between an error and the first edit after it.
    fn words_between(&self, after: u32, until: u32) -> Option<String> {
        let first_edit = self
            .edits
            .iter()
            .rev()
            .take_while(|edit| edit.step > after)
            .last()
            .map_or(until, |edit| edit.step);
        let mut said = self.spoken.iter().rev();
        said.find(|(step, _)| *step >= after && *step < first_edit)
            .map(|(_, words)| words.clone())
    }

    fn edited_between(&self, after: u32, until: u32) -> Vec<FileId> {
        let mut files: Vec<FileId> = Vec::new();
        for edit in self.edits.iter().rev().take_while(|edit| edit.step > after) {
            let counts = edit.step <= until && !self.is_taken_back(edit, until);
            if counts && !files.contains(&edit.file) {
                files.push(edit.file);
            }
        }
        files.reverse();
        files
    }

    /// Whether git had put the file back by then, so that the edit has no part in what passed.
    fn is_taken_back(&self, edit: &Edit, until: u32) -> bool {
        let path = self.files.path(edit.file).as_str();
        let since = self
            .git
            .iter()
            .rev()
            .take_while(|(step, _)| *step > edit.step);
        since
            .filter(|(step, act)| *step <= until && act.verb == GitVerb::Restore)
            .any(|(_, act)| act.takes_back(path))
    }
}

/// Words that look like files, by their last part.
fn named_files(output: &str) -> impl Iterator<Item = &str> {
    let parts = output.split(|c: char| {
        c.is_whitespace() || matches!(c, ':' | '(' | ')' | '"' | '\'' | '`' | ',' | '[' | ']')
    });
    parts.filter_map(|word| {
        let name = word.rsplit(['/', '\\']).next()?;
        let (stem, extension) = name.rsplit_once('.')?;
        let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.');
        let is_file = !stem.is_empty()
            && (1..=5).contains(&extension.len())
            && extension.starts_with(|c: char| c.is_ascii_alphabetic())
            && name.chars().all(plain);
        is_file.then_some(name)
    })
}

/// A command line with paths as seen from `root`.
fn from_root(line: &str, root: &str) -> String {
    let root = root.trim_end_matches('/');
    if root.len() < 2 {
        return line.to_owned();
    }
    let line = without_word_start(line, &format!("cd {root} && "));
    without_word_start(&line, &format!("{root}/"))
}

/// A line without `start` where a word begins with it: in the middle of a path the same letters are another folder.
fn without_word_start(line: &str, start: &str) -> String {
    let is_border = |c: char| {
        c.is_whitespace()
            || matches!(
                c,
                '"' | '\'' | '`' | '=' | ':' | ',' | ';' | '(' | '<' | '>'
            )
    };
    let mut left = String::with_capacity(line.len());
    let mut from = 0;
    for (at, _) in line.match_indices(start) {
        let before = &line[..at];
        let word = before.rsplit(is_border).next().unwrap_or(before);
        // `-I/project/include`: a flag of one letter has its folder right behind it.
        let is_flag = word.len() == 2 && word.starts_with('-');
        if word.is_empty() || is_flag {
            left.push_str(&line[from..at]);
            from = at + start.len();
        }
    }
    left.push_str(&line[from..]);
    left
}

fn same_words(a: &str, b: &str) -> bool {
    a.split_whitespace().eq(b.split_whitespace())
}

#[cfg(test)]
mod tests {
    use super::from_root;

    #[test]
    fn the_projects_folder_is_taken_away_only_where_a_word_begins_with_it() {
        for (line, root, told) in [
            ("cd /app && make test", "/app", "make test"),
            ("cat /app/src/a.c '/app/b.c'", "/app", "cat src/a.c 'b.c'"),
            ("cc -I/app/include x=/app/y", "/app/", "cc -Iinclude x=y"),
            ("cat /srv/app/x", "/app", "cat /srv/app/x"),
            ("cp /opt/src/a.c /src/b.c", "/src", "cp /opt/src/a.c b.c"),
            ("cat /application/x", "/app", "cat /application/x"),
            ("cat /app/x", "/", "cat /app/x"),
        ] {
            assert_eq!(from_root(line, root), told, "{line}");
        }
    }
}
