//! Which files a task will probably touch, from everything that is known.

use std::collections::BTreeSet;

use oldhand_domain::session::SessionStore;
use oldhand_observe::paths::is_generated;
use oldhand_recall::predict::{
    Evidence, PastCommit, PastSession, Predicted, Task, predict, session_words,
};

use crate::finalize::SessionBody;
use crate::{Engine, EngineError};

/// What the code room knows, handed in by the door that opened it.
#[derive(Clone, Debug, Default)]
pub struct CodeEvidence {
    /// Every file of the project.
    pub files: Vec<String>,
    /// Files that hold the task's words, with their BM25 score.
    pub contents: Vec<(String, f64)>,
    /// Files that the code itself speaks for, with a score that compares among them.
    pub located: Vec<(String, f64)>,
    /// Files that the messages of earlier commits speak for, with how probable each is.
    pub expected: Vec<(String, f64)>,
    /// The same for what the branch is called.
    pub expected_of_branch: Vec<(String, f64)>,
    /// Pairs of files of which the first uses the second, as far as one of them is at hand.
    pub uses: Vec<(String, String)>,
    /// Small commits, oldest first.
    pub commits: Vec<PastCommit>,
    /// The branch that is checked out, where it has a name.
    pub branch: Option<String>,
}

/// What is asked.
#[derive(Clone, Copy)]
pub struct PredictRequest<'a> {
    pub task: &'a Task,
    pub code: &'a CodeEvidence,
    /// What memories are about that fit the task, with how well they do.
    pub remembered: &'a [(String, f64)],
    /// Files that the task has touched so far, in that order.
    pub at_hand: &'a [String],
    pub limit: usize,
}

impl Engine<'_> {
    /// The files a task will probably touch, likeliest first, after those it has at hand.
    pub fn predict(
        &self,
        request: &PredictRequest<'_>,
        sessions: &dyn SessionStore,
    ) -> Result<Vec<Predicted>, EngineError> {
        let sessions: Vec<PastSession> = sessions
            .sessions()?
            .iter()
            .filter_map(SessionBody::read)
            .map(past)
            .collect();
        Ok(request.answer(&sessions))
    }
}

impl PredictRequest<'_> {
    /// The answer where these are the earlier sessions, oldest first.
    pub fn answer(&self, sessions: &[PastSession]) -> Vec<Predicted> {
        let code = self.code;
        // Memories are about folders too, and about files that are gone.
        let files: BTreeSet<&str> = code.files.iter().map(String::as_str).collect();
        let remembered: Vec<(String, f64)> = self
            .remembered
            .iter()
            .filter(|(path, _)| files.contains(path.as_str()))
            .cloned()
            .collect();
        let evidence = Evidence {
            files: &code.files,
            contents: &code.contents,
            located: &code.located,
            expected: &code.expected,
            expected_of_branch: &code.expected_of_branch,
            remembered: &remembered,
            uses: &code.uses,
            branch: code.branch.as_deref(),
            sessions,
            commits: &code.commits,
            at_hand: self.at_hand,
        };
        predict(self.task, &evidence, self.limit)
    }
}

/// What a session says about later ones; what only an approach used that was given up is no part of its facts.
fn past(body: SessionBody) -> PastSession {
    let facts = &body.facts.files;
    let used: BTreeSet<&str> = facts.iter().map(|file| file.path.as_str()).collect();
    let standing = |mut files: Vec<String>| {
        files.retain(|file| used.is_empty() || used.contains(file.as_str()) || is_generated(file));
        files
    };
    PastSession {
        words: session_words(&body.prompt, body.branch.as_deref()),
        branch: body.branch,
        edited: standing(body.edited),
        read: standing(body.read),
        touched: standing(body.touched),
    }
}
