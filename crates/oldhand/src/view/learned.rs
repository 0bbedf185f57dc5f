//! What many sessions show together, as JSON: errors and recipes.

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;
use oldhand_domain::event::Digest;
use oldhand_domain::id::{MemoryId, SessionId};
use oldhand_domain::path::ProjectPath;
use oldhand_domain::taint::OutsideText;
use oldhand_engine::KnownRecipe;
use oldhand_observe::detect::SolvedBy;
use oldhand_observe::learn::{ErrorRecord, FixRecord, RecipeUse};
use serde::Serialize;

#[derive(Serialize)]
pub(crate) struct ErrorsView<'a> {
    pub(crate) errors: Vec<ErrorRecordView<'a>>,
    pub(crate) total: usize,
    /// Memories that tell of the error that was asked for, where no session kept it in these words.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) memories: Vec<MemoryId>,
}

#[derive(Serialize)]
pub(crate) struct ErrorRecordView<'a> {
    id: String,
    message: &'a str,
    count: u32,
    sessions: Vec<&'a str>,
    modules: &'a BTreeSet<String>,
    commands: &'a BTreeMap<String, u32>,
    /// Files that were edited to fix it.
    files: BTreeSet<&'a str>,
    first_at: Option<Timestamp>,
    last_at: Option<Timestamp>,
    /// What may be told when it comes again.
    known_fix: Option<String>,
    /// Whether that held more than once.
    tested: bool,
    fixes: Vec<FixView<'a>>,
}

#[derive(Serialize)]
struct FixView<'a> {
    how: String,
    by: &'a SolvedBy,
    words: Option<&'a str>,
    sessions: Vec<&'a str>,
    passed: u32,
    failed: u32,
    steps: u32,
    confidence: f64,
    tainted_by: Vec<String>,
    last_at: Option<Timestamp>,
}

impl<'a> ErrorRecordView<'a> {
    pub(crate) fn new(error: &'a ErrorRecord) -> Self {
        let edited = error.fixes.keys().filter_map(|by| match by {
            SolvedBy::Edits(files) => Some(files),
            _ => None,
        });
        Self {
            id: Digest::of(&error.message).to_string(),
            message: &error.message,
            count: error.count,
            sessions: error.sessions.iter().map(SessionId::as_str).collect(),
            modules: &error.modules,
            commands: &error.commands,
            files: edited.flatten().map(ProjectPath::as_str).collect(),
            first_at: error.first_at,
            last_at: error.last_at,
            known_fix: error.best().map(|(by, _)| by.to_string()),
            tested: error.tested().is_some(),
            fixes: error
                .ranked()
                .into_iter()
                .map(|(by, fix)| FixView::new(by, fix))
                .collect(),
        }
    }
}

impl<'a> FixView<'a> {
    fn new(by: &'a SolvedBy, fix: &'a FixRecord) -> Self {
        Self {
            how: by.to_string(),
            by,
            words: fix.words.as_deref(),
            sessions: fix.sessions.iter().map(SessionId::as_str).collect(),
            passed: fix.passed,
            failed: fix.failed,
            steps: fix.steps,
            confidence: fix.confidence().get(),
            tainted_by: fix.taint.sources().map(OutsideText::label).collect(),
            last_at: fix.last_at,
        }
    }
}

#[derive(Serialize)]
pub(crate) struct RecipesView<'a> {
    pub(crate) recipes: Vec<RecipeView<'a>>,
    pub(crate) total: usize,
}

#[derive(Serialize)]
pub(crate) struct RecipeView<'a> {
    id: String,
    module: &'a str,
    steps: &'a [String],
    /// Whether enough sessions succeeded with it lately.
    holds: bool,
    successes: usize,
    confidence: f64,
    uses: Vec<UseView<'a>>,
    memory: Option<MemoryId>,
}

#[derive(Serialize)]
struct UseView<'a> {
    session: &'a str,
    at: Timestamp,
    outcome: &'static str,
}

impl<'a> RecipeView<'a> {
    pub(crate) fn new(known: &'a KnownRecipe, now: Timestamp) -> Self {
        let record = &known.record;
        Self {
            id: Digest::of(&record.key()).to_string(),
            module: &record.module,
            steps: &record.steps,
            holds: record.holds(now),
            successes: record.successes(now),
            confidence: record.confidence(now).get(),
            uses: record.uses.iter().map(UseView::new).collect(),
            memory: known.memory.as_ref().map(|memory| memory.id),
        }
    }
}

impl<'a> UseView<'a> {
    fn new(used: &'a RecipeUse) -> Self {
        Self {
            session: used.session.as_str(),
            at: used.at,
            outcome: outcome(used),
        }
    }
}

/// How the session that used a recipe ended.
pub(crate) fn outcome(used: &RecipeUse) -> &'static str {
    match used.succeeded {
        Some(true) => "passed",
        Some(false) => "failed",
        None => "unknown",
    }
}
