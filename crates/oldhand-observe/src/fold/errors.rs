//! Errors of a session: how often each came, and what made it go away.

use oldhand_domain::event::{Digest, ToolName};

use super::{FileId, SessionAnalytics};
use crate::fingerprint::NormalError;

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
    pub resolution: Option<Resolution>,
}

/// How an error went away.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Resolution {
    pub step: u32,
    pub solution: Solution,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Solution {
    /// These files were edited, and the same command passed.
    Edits(Vec<FileId>),
    /// Another command did it.
    Command(String),
    /// Nothing but trying again.
    Again,
}

/// How many errors are watched for what solves them.
const OPEN_LIMIT: usize = 32;
/// How soon another command must follow to count as the answer.
const ANSWER_STEPS: u32 = 3;

impl SessionAnalytics {
    pub(super) fn count_error(
        &mut self,
        error: NormalError,
        tool: ToolName,
        command: &str,
        typed: &str,
    ) {
        let step = self.step;
        let digest = error.fingerprint;
        let entry = self.errors.entry(digest).or_insert_with(|| ErrorUse {
            fingerprint: digest,
            message: error.message,
            tool,
            command: command.to_owned(),
            typed: String::new(),
            steps: Vec::new(),
            count: 0,
            resolution: None,
        });
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
            let solution = if error.command == command {
                let files = self.edited_between(last, step);
                if !files.is_empty() {
                    Some(Solution::Edits(files))
                } else if same_words(&error.typed, typed) {
                    Some(Solution::Again)
                } else {
                    Some(Solution::Command(clip(typed)))
                }
            } else if step - last <= ANSWER_STEPS
                && is_variant(&error.typed, typed)
                && self.edited_between(last, step).is_empty()
            {
                Some(Solution::Command(clip(typed)))
            } else {
                None
            };
            match (solution, self.errors.get_mut(&digest)) {
                (Some(solution), Some(error)) => {
                    error.resolution = Some(Resolution { step, solution });
                }
                _ => still_open.push_back(digest),
            }
        }
        self.open_errors = still_open;
    }

    fn edited_between(&self, after: u32, until: u32) -> Vec<FileId> {
        let mut files: Vec<FileId> = Vec::new();
        for edit in self.edits.iter().rev().take_while(|edit| edit.step > after) {
            if edit.step <= until && !files.contains(&edit.file) {
                files.push(edit.file);
            }
        }
        files.reverse();
        files
    }
}

fn clip(typed: &str) -> String {
    let line = typed.lines().next().unwrap_or("").trim();
    line[..line.floor_char_boundary(160)].to_owned()
}

fn same_words(a: &str, b: &str) -> bool {
    a.split_whitespace().eq(b.split_whitespace())
}

/// Whether `b` is another way of doing what `a` tried: most of the telling words are the same.
fn is_variant(a: &str, b: &str) -> bool {
    let telling = |text: &str| -> Vec<String> {
        text.split(|c: char| c.is_whitespace() || matches!(c, '&' | ';' | '|' | '"' | '\''))
            .filter(|word| {
                word.len() > 2
                    && !word.starts_with('-')
                    && !matches!(*word, "cd" | "2>&1" | "tail" | "head" | "echo" | "sudo")
            })
            .map(str::to_owned)
            .collect()
    };
    let (a, b) = (telling(a), telling(b));
    if a.is_empty() || b.is_empty() || a == b {
        return false;
    }
    let shared = a.iter().filter(|word| b.contains(word)).count();
    shared * 2 >= a.len().min(b.len()) && shared > 0
}
