//! Which files a task will probably touch, from everything that is known.

use oldhand_domain::session::SessionStore;
use oldhand_recall::predict::{
    Evidence, Experience, PastCommit, PastSession, Predicted, Task, predict, task_words,
    with_located,
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
    /// Message and files of small commits, oldest first.
    pub commits: Vec<(String, Vec<String>)>,
}

/// How many are judged by experience before the code has its say.
const FIRST: usize = 200;

impl Engine<'_> {
    /// The files `task` will probably touch, likeliest first, after those it has `at_hand`.
    pub fn predict(
        &self,
        task: &Task,
        code: &CodeEvidence,
        at_hand: &[String],
        sessions: &dyn SessionStore,
        limit: usize,
    ) -> Result<Vec<Predicted>, EngineError> {
        let sessions: Vec<PastSession> = sessions
            .sessions()?
            .iter()
            .filter_map(SessionBody::read)
            .map(past)
            .collect();
        let commits: Vec<PastCommit> = code
            .commits
            .iter()
            .map(|(message, files)| PastCommit {
                words: task_words(message),
                files: files.clone(),
            })
            .collect();
        let evidence = Evidence {
            files: &code.files,
            contents: &code.contents,
            sessions: &sessions,
            commits: &commits,
            at_hand,
        };
        let experience = if sessions.is_empty() {
            Experience::None
        } else {
            Experience::Some
        };
        let predicted = predict(task, &evidence, limit.max(FIRST));
        // Once files are at hand, what goes with them says more than where the task began.
        let located: &[(String, f64)] = if at_hand.is_empty() {
            &code.located
        } else {
            &[]
        };
        Ok(with_located(predicted, located, experience, limit))
    }
}

fn past(body: SessionBody) -> PastSession {
    PastSession {
        words: task_words(&body.prompt),
        edited: body.edited,
        read: body.read,
        touched: body.touched,
    }
}
