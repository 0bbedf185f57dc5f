//! What kind of task a session was about.

use serde::{Deserialize, Serialize};

use crate::fold::SessionAnalytics;

/// What kind of task a session was about, by its first prompt.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TaskType {
    Fix,
    Feature,
    Refactor,
    Test,
    Docs,
    Review,
    Question,
    Other,
}

/// What a session was about.
pub(crate) fn task_of(session: &SessionAnalytics) -> TaskType {
    let first = session.prompts.first();
    first.map_or(TaskType::Other, |prompt| task_type(&prompt.text))
}

/// The kind of task a prompt asks for, by the first telling word in it.
pub fn task_type(prompt: &str) -> TaskType {
    const WORDS: [(TaskType, &[&str]); 6] = [
        (
            TaskType::Fix,
            &[
                "fix", "bug", "broken", "fails", "failing", "error", "crash", "wrong", "issue",
                "debug", "flaky",
            ],
        ),
        (
            TaskType::Refactor,
            &[
                "refactor",
                "rename",
                "move",
                "extract",
                "clean",
                "cleanup",
                "simplify",
                "split",
                "deduplicate",
                "reuse",
            ],
        ),
        (TaskType::Test, &["test", "tests", "coverage"]),
        (
            TaskType::Docs,
            &["document", "docs", "readme", "comment", "changelog"],
        ),
        (TaskType::Review, &["review", "pr"]),
        (
            TaskType::Feature,
            &[
                "add",
                "implement",
                "create",
                "build",
                "support",
                "feature",
                "introduce",
                "make",
                "update",
                "change",
            ],
        ),
    ];
    let opening = &prompt[..prompt.floor_char_boundary(300)];
    let lower = opening.to_lowercase();
    for word in lower.split(|c: char| !c.is_alphanumeric()) {
        if let Some((kind, _)) = WORDS.iter().find(|(_, words)| words.contains(&word)) {
            return *kind;
        }
    }
    if opening.trim_end().ends_with('?') {
        TaskType::Question
    } else {
        TaskType::Other
    }
}
