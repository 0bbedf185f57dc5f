//! Errors of a session: how often each came, and what made it go away.

use std::collections::{BTreeSet, VecDeque};

use oldhand_domain::event::{Digest, ToolName};

use super::answers::{does_something, is_answer, same_aim};
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
    /// The folder of the project that it ran in then.
    pub folder: String,
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
    /// It passed in the end, and what did it cannot be told.
    Later,
}

/// Errors that have not ended, and what was done and said since they came.
#[derive(Clone, Debug, Default)]
pub(super) struct Watched {
    open: VecDeque<Digest>,
    /// Commands that passed, each with its step.
    done: VecDeque<(u32, String)>,
    /// What the agent said, each with its step.
    spoken: VecDeque<(u32, String)>,
    /// Failures whose errors were too many to be told apart.
    left_out: u32,
}

/// A call that failed.
#[derive(Clone, Copy)]
pub(super) struct FailedCall<'a> {
    pub tool: ToolName,
    /// The command without its flags, or what was called.
    pub key: &'a str,
    pub typed: &'a str,
    pub folder: &'a str,
    pub output: &'a str,
}

/// How many different errors of one session are told apart. A session with more of them is out of hand, and what its last ones were
/// teaches nothing that its first ones do not.
pub(super) const ERRORS_LIMIT: usize = 512;
/// How many errors are watched for what solves them.
const OPEN_LIMIT: usize = 32;
/// How long an error is watched: what passes so much later was not waiting for it, and looking back further would cost every
/// event more the longer the session is.
const OPEN_STEPS: u32 = 200;
/// How soon another command must follow to count as the answer.
const ANSWER_STEPS: u32 = 3;
/// How soon after the failure a remedy must be run: what comes later was done for something else.
const SOON: u32 = 5;
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
    /// How often it failed with errors that were too many to be told apart.
    pub fn errors_left_out(&self) -> u32 {
        self.watched.left_out
    }

    pub(super) fn count_error(&mut self, error: NormalError, call: FailedCall<'_>) {
        let is_new = !self.errors.contains_key(&error.fingerprint);
        if is_new && self.errors.len() >= ERRORS_LIMIT {
            self.watched.left_out = self.watched.left_out.saturating_add(1);
            return;
        }
        let entry = ErrorUse {
            fingerprint: error.fingerprint,
            message: error.message,
            tool: call.tool,
            command: call.key.to_owned(),
            typed: String::new(),
            folder: String::new(),
            steps: Vec::new(),
            count: 0,
            names: BTreeSet::new(),
            advice: Advice::default(),
            resolution: None,
        };
        self.open_error(entry, call);
    }

    fn open_error(&mut self, error: ErrorUse, call: FailedCall<'_>) {
        let step = self.step;
        let digest = error.fingerprint;
        let entry = self.errors.entry(digest).or_insert(error);
        for name in named_files(call.output) {
            if entry.names.len() < NAMES_LIMIT {
                entry.names.insert(name.to_owned());
            }
        }
        entry.advice = Advice::in_output(call.output);
        entry.count += 1;
        if entry.steps.len() < 64 {
            entry.steps.push(step);
        }
        let typed = call.typed;
        typed[..typed.floor_char_boundary(200)].clone_into(&mut entry.typed);
        call.folder.clone_into(&mut entry.folder);
        // It came back: whatever seemed to solve it did not.
        entry.resolution = None;
        self.watched.open.retain(|open| *open != digest);
        self.watched.open.push_back(digest);
        if self.watched.open.len() > OPEN_LIMIT {
            self.watched.open.pop_front();
        }
    }

    /// A command passed: which open errors does that answer?
    pub(super) fn answer_errors(&mut self, command: &str, typed: &str, folder: &str) {
        if self.watched.open.is_empty() {
            return;
        }
        let step = self.step;
        let mut still_open = VecDeque::with_capacity(self.watched.open.len());
        for digest in std::mem::take(&mut self.watched.open) {
            let Some(error) = self.errors.get(&digest) else {
                continue;
            };
            let last = error.steps.last().copied().unwrap_or(step);
            if step - last > OPEN_STEPS {
                continue;
            }
            let Some(solution) = self.solution(error, last, (command, typed, folder)) else {
                still_open.push_back(digest);
                continue;
            };
            let done: Vec<u32> = match &solution {
                Solution::First(_) => self.steps_between(last, step).collect(),
                _ => Vec::new(),
            };
            let words = self.words_between(last, done.first().copied().unwrap_or(step));
            let bound = match &solution {
                Solution::Edits(files) => self.bound_files(error, files, typed),
                _ => Vec::new(),
            };
            let advised = match &solution {
                Solution::First(done) | Solution::Command(done) => {
                    error.advice.covers(&error.typed, done)
                }
                Solution::Edits(_) | Solution::Again | Solution::Later => false,
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
        self.watched.open = still_open;
    }

    /// How a command that passed just now ended an error that came at `last`; nothing where the error goes on.
    fn solution(
        &self,
        error: &ErrorUse,
        last: u32,
        (command, typed, folder): (&str, &str, &str),
    ) -> Option<Solution> {
        let step = self.step;
        // Running other tests is no answer to one that fails.
        let is_test = error.message.starts_with("test ") && error.message.ends_with(" fails");
        let files = self.edited_between(last, step);
        if error.command != command {
            let is_answer = !is_test
                && step - last <= ANSWER_STEPS
                && files.is_empty()
                && is_answer(&error.typed, typed);
            return is_answer.then(|| Solution::Command(self.told(typed)));
        }
        if !files.is_empty() {
            return Some(Solution::Edits(files));
        }
        if let Some(first) = self.done_first(last, typed) {
            return Some(Solution::First(first));
        }
        if same_words(&error.typed, typed) {
            let is_same = error.folder == folder && !self.changed_between(last, step);
            return Some(if is_same {
                Solution::Again
            } else {
                Solution::Later
            });
        }
        let is_form =
            step - last <= SOON || step - last <= DONE_STEPS && same_aim(&error.typed, typed);
        if !does_something(typed) || !is_form {
            return Some(Solution::Later);
        }
        (!is_test).then(|| Solution::Command(self.told(typed)))
    }

    /// A command that passed and did more than look may be what the next ones build on. A check is such a command where it puts things right.
    pub(super) fn count_done(&mut self, typed: &str, is_check: IsCheck) {
        let mends = (self.mending.last()).is_some_and(|mending| mending.step == self.step);
        let acts = program_key(typed).is_some_and(|key| is_act(&format!("run {key}")));
        let counts = acts && (is_check == IsCheck::No || mends);
        if !counts || self.watched.open.is_empty() {
            return;
        }
        let told = self.told(typed);
        self.watched.done.push_back((self.step, told));
        if self.watched.done.len() > DONE_LIMIT {
            self.watched.done.pop_front();
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
        let steps = self.watched.done.iter().map(|(step, _)| *step);
        steps.filter(move |step| *step > after && *step < until)
    }

    /// What was done soon after an error and before the line that passed just now, or in it, when it was one thing.
    fn done_first(&self, last: u32, typed: &str) -> Option<String> {
        if self.step - last > DONE_STEPS {
            return None;
        }
        let is_between = |step: u32| step > last && step < self.step;
        let mut between = self
            .watched
            .done
            .iter()
            .filter(|(step, _)| is_between(*step));
        let Some((first, only)) = between.next() else {
            return self
                .mended_in(typed)
                .filter(|_| !self.changed_between(last, self.step));
        };
        let is_one = between.all(|(_, other)| same_words(other, only));
        (is_one && first - last <= SOON).then(|| only.clone())
    }

    /// The command of the project that the line of this step ran before its check: `npm run lint:fix && npm run lint`.
    fn mended_in(&self, typed: &str) -> Option<String> {
        let here = self
            .mending
            .iter()
            .rev()
            .take_while(|one| one.step == self.step);
        let by: BTreeSet<Option<&String>> = here.map(|one| one.by.as_ref()).collect();
        let only = by.first().copied().flatten().filter(|_| by.len() == 1)?;
        (!same_words(only, typed)).then(|| only.clone())
    }

    /// Whether anything happened between two steps that may have changed what a command does: an edit, a command that does more than
    /// look or check, or a word of the person, who may have done something.
    fn changed_between(&self, after: u32, until: u32) -> bool {
        let mended = self.mending.iter().rev().map(|one| one.step);
        let edited = self.edits.iter().rev().map(|edit| edit.step);
        let unnamed = self.unnamed_edits.iter().rev().copied();
        let acts = self.git.iter().rev().map(|(step, _)| *step);
        // A prompt is noted with the call that it came behind.
        let asked = self.prompts.iter().rev().map(|prompt| prompt.step + 1);
        is_any_between(mended, after, until)
            || is_any_between(edited, after, until)
            || is_any_between(unnamed, after, until)
            || is_any_between(acts, after, until)
            || is_any_between(asked, after, until + 1)
    }

    /// The agent explains itself: while an error is open, that may be what it is about.
    pub(super) fn count_words(&mut self, text: &str) {
        if self.watched.open.is_empty() {
            return;
        }
        let words: Vec<&str> = text.split_whitespace().collect();
        let words = words.join(" ");
        if words.is_empty() {
            return;
        }
        let short = words[..words.floor_char_boundary(WORDS_LENGTH)].to_owned();
        self.watched.spoken.push_back((self.step, short));
        if self.watched.spoken.len() > DONE_LIMIT {
            self.watched.spoken.pop_front();
        }
    }

    /// What the agent said last between an error and the first edit after it, or what was done first.
    fn words_between(&self, after: u32, until: u32) -> Option<String> {
        let first_edit = self
            .edits
            .iter()
            .rev()
            .take_while(|edit| edit.step > after)
            .last()
            .map_or(until, |edit| edit.step);
        let mut said = self.watched.spoken.iter().rev();
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

/// Whether a line checked the work.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum IsCheck {
    Yes,
    No,
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

/// Whether one of these steps, the last of them first, lies between two others.
fn is_any_between(steps: impl Iterator<Item = u32>, after: u32, until: u32) -> bool {
    let mut later = steps.take_while(|step| *step > after);
    later.any(|step| step < until)
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
