//! What exactly a signal found: the facts that its wording will name.

use oldhand_domain::event::Digest;
use oldhand_domain::path::ProjectPath;
use serde::{Deserialize, Serialize};

use crate::distill::Plan;
use crate::fold::Resolution;

/// The facts of one signal.
#[derive(Clone, Debug, PartialEq)]
pub enum Finding {
    FileAccess {
        weight: u32,
        edited: bool,
    },
    CoAccess {
        first: ProjectPath,
        then: ProjectPath,
        count: u32,
        directed: bool,
        edited: u32,
    },
    ErrorRetry {
        fingerprint: Digest,
        message: String,
        command: String,
        count: u32,
        solved: Option<Solved>,
    },
    Backtrack {
        file: ProjectPath,
        steps_between: u32,
        cause: Cause,
    },
    ReadAbandon {
        opened: ProjectPath,
        worked_in: ProjectPath,
    },
    /// A file that was looked for where it is not.
    Missing {
        asked: ProjectPath,
        found: ProjectPath,
    },
    RepeatedGrep {
        /// As it was typed.
        pattern: String,
        count: u32,
        empty: u32,
        found_in: Vec<ProjectPath>,
    },
    ToolSequence {
        steps: Vec<String>,
        count: u32,
    },
    TimeAnomaly {
        file: ProjectPath,
        seconds: u64,
        with: &'static str,
    },
    SelfCorrection {
        sentence: String,
        next: Option<String>,
    },
    /// What the agent found to be behind a failure, and the files that it mended because of it.
    Cause {
        statement: String,
        mended: Vec<ProjectPath>,
        /// The errors that it explains, the first one first.
        explains: Vec<Symptom>,
    },
    ExternalReference {
        subject: String,
        edited: ProjectPath,
    },
    GlobIgnore {
        pattern: String,
        results: u32,
        /// Whether it gave more than that.
        is_cut: bool,
        /// The one folder, deeper than that of the pattern, in which all lay that was used of it.
        below: Option<String>,
    },
    ImportChase {
        from: ProjectPath,
        to: ProjectPath,
    },
    TestOrder {
        module: String,
        order: Order,
        /// How the tests were run, where they were run.
        command: Option<String>,
    },
    ConfigTouch {
        config: ProjectPath,
        module: String,
        code: Vec<ProjectPath>,
    },
    StepOverrun {
        module: String,
        methodology: String,
        plan: Plan,
    },
    ParallelConflict {
        file: ProjectPath,
        /// How many they were.
        agents: usize,
        /// How many of them had edits refused because another had changed the file.
        refused: usize,
    },
    /// A file that a client would not read in one piece.
    TooLarge {
        file: ProjectPath,
        tokens: Option<u64>,
    },
    ContextTokenSpike {
        module: String,
        /// The context at its fullest, and how many files were used.
        tokens: u64,
        files: u32,
        /// The tokens that a file usually takes.
        norm: u64,
    },
}

/// An error by which others know that they met what a finding explains.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Symptom {
    pub message: String,
    /// The program that failed with it, and its verb.
    pub command: String,
}

/// How an error was solved, in names.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Solved {
    pub by: SolvedBy,
    /// Steps from its first appearance to the end of it.
    pub steps: u32,
    /// What the agent said before it did that.
    pub words: Option<String>,
    /// The error itself had advised or listed it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub advised: bool,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SolvedBy {
    /// These files were edited.
    Edits(Vec<ProjectPath>),
    /// This was run, then what had failed passed.
    First(String),
    /// This was run instead.
    Command(String),
    /// The same was run without an option.
    Without { command: String, option: String },
    /// It was run again, unchanged.
    Again,
    /// It passed in the end, and what did it cannot be told.
    Later,
}

impl std::fmt::Display for SolvedBy {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Edits(files) => {
                let names: Vec<&str> = files.iter().map(ProjectPath::as_str).collect();
                write!(f, "edit {}", names.join(", "))
            }
            Self::First(command) => write!(f, "first run `{command}`"),
            Self::Command(command) => write!(f, "run `{command}` instead"),
            Self::Without { command, option } => write!(f, "run `{command}` without `{option}`"),
            Self::Again => f.write_str("run it again"),
            Self::Later => f.write_str("it passed later"),
        }
    }
}

impl Solved {
    pub(crate) fn of(
        resolution: &Resolution,
        first_step: u32,
        path: impl Fn(crate::fold::FileId) -> ProjectPath,
    ) -> Self {
        use crate::fold::Solution;
        let by = match &resolution.solution {
            Solution::Edits(files) => {
                SolvedBy::Edits(files.iter().map(|&file| path(file)).collect())
            }
            Solution::First(command) => SolvedBy::First(command.clone()),
            Solution::Command(command) => SolvedBy::Command(command.clone()),
            Solution::Again => SolvedBy::Again,
            Solution::Later => SolvedBy::Later,
        };
        Self {
            by,
            steps: resolution.step.saturating_sub(first_step),
            words: resolution.words.clone(),
            advised: resolution.advised,
        }
    }
}

/// Why a file was edited again so soon.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Cause {
    /// The edit broke something.
    Broke(String),
    /// What was missing stood in other files.
    Missing(Vec<ProjectPath>),
    /// The second edit took the first one back.
    Undone,
}

/// When the tests came.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    First,
    After,
}
