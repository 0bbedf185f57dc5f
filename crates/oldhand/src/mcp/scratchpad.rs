//! What an agent writes: notes for later and its word on how the work went. Nothing becomes a memory before the session is
//! over and judged.

use anyhow::Result;
use oldhand_domain::event::{BoundedText, Happening, Issue};
use oldhand_domain::path::ProjectPath;
use oldhand_domain::payload::BuiltInType;
use oldhand_domain::text::without_hidden;
use oldhand_domain::words::is_telling;
use oldhand_observe::orders::{Order, order_in};
use oldhand_recall::inject::plain;
use serde_json::{Value, json};

use super::reply::Reply;
use super::room::{Room, is_unwatched};
use super::tool::Given;
use crate::config::read_session_type;
use crate::desk::Purpose;
use crate::failure::Failure;

/// Who speaks over this door.
const AGENT: &str = "agent";

/// The longest note: what a memory can hold.
const LONGEST: usize = 2000;

/// What an agent can have an opinion on; the other types are worked out.
pub(super) fn types() -> Vec<&'static str> {
    [
        BuiltInType::Gotcha,
        BuiltInType::Decision,
        BuiltInType::Pattern,
        BuiltInType::Requirement,
        BuiltInType::ErrorPattern,
        BuiltInType::ModuleInsight,
        BuiltInType::DeadEnd,
        BuiltInType::WorkState,
        BuiltInType::WorkflowRecipe,
    ]
    .iter()
    .map(|known| known.as_str())
    .collect()
}

pub(super) fn record(given: &Given, room: &Room) -> Result<Reply> {
    let text = given.text("text").unwrap_or_default();
    // Once cleaned it would look like any other.
    if order_in(text) == Some(Order::Hidden) {
        return Err(Failure::invalid("`text` holds hidden characters")
            .hint("write it again in plain letters")
            .into());
    }
    let text = without_hidden(text);
    let text = text.trim();
    if text.len() > LONGEST {
        return Err(Failure::invalid(format!(
            "`text` has {} bytes, {LONGEST} are the most",
            text.len()
        ))
        .hint("say it in fewer words, or as several notes")
        .into());
    }
    let redacted = oldhand_redact::redact(text);
    let secrets: Vec<String> = redacted
        .findings
        .iter()
        .map(|finding| format!("a secret was taken out: {}", finding.kind))
        .collect();
    let desk = room.desk(Purpose::Look)?;
    let files: Vec<ProjectPath> = given
        .texts("files")
        .into_iter()
        .map(|file| desk.path(file))
        .collect::<Result<_>>()?;
    let kind = given
        .text("type")
        .unwrap_or(BuiltInType::ModuleInsight.as_str());
    let session = room.append(Happening::Noted {
        kind: kind.to_owned(),
        text: BoundedText::head(&redacted.text, LONGEST),
        files: files.clone(),
    })?;
    let kept = if is_unwatched(&session) {
        "noted; search_memory finds it until the session ends. Of a session's notes the few best are kept then; nothing here shows what it read, so that a person confirms them (`oldhand review`) before others are told"
    } else {
        "noted; search_memory finds it until the session ends. If it ends well, the few best of its notes are kept"
    };
    let reply = Reply::new(
        kept.to_owned(),
        json!({ "outcome": "noted", "type": kind, "files": files, "session": session.as_str() }),
    );
    Ok(reply.note(&secrets))
}

pub(super) fn report(given: &Given, room: &Room) -> Result<Reply> {
    let passed = given.is_true("passed");
    let desk = room.desk(Purpose::Look)?;
    let issues: Vec<Issue> = given
        .texts("issues")
        .into_iter()
        .map(|text| {
            // Redacted before it is cut: half of a key looks like no key.
            let text = without_hidden(text);
            let text = oldhand_redact::redact(&text).text;
            Issue::read(&text, |file| desk.path(file).ok())
        })
        .collect();
    let found = issues.len();
    let subtask = given.text("subtask").map(str::trim);
    let subtask = subtask.filter(|subtask| !subtask.is_empty());
    let session_type = given.text("type").map(read_session_type);
    if let Some(session_type) = session_type.transpose()? {
        room.append(Happening::TypeTold {
            session_type,
            by: AGENT.to_owned(),
        })?;
    }
    let session = match subtask {
        Some(subtask) => {
            let subtask = without_hidden(subtask);
            room.append(Happening::SubtaskValidated {
                subtask: oldhand_redact::redact(&subtask).text.into_owned(),
                passed,
                by: AGENT.to_owned(),
                issues,
            })?
        }
        None => room.append(Happening::Validated {
            passed,
            by: AGENT.to_owned(),
            issues,
        })?,
    };
    let said = if subtask.is_some() && found > 0 {
        "written down for this subtask; what was found wrong and is critical or high is kept when the session ends"
    } else if subtask.is_some() {
        "written down for this subtask; the session goes on"
    } else if passed {
        "written down: the work is right; what was learned is kept when the session ends"
    } else {
        "written down: the work is not right yet; only what went wrong is kept unless a later report says it passed"
    };
    Ok(Reply::new(
        said.to_owned(),
        json!({ "outcome": "reported", "passed": passed, "issues": found, "session": session.as_str() }),
    ))
}

/// A note of this session, before anybody judged it.
#[derive(Clone, Debug)]
pub(super) struct Note {
    pub(super) kind: String,
    pub(super) text: String,
    pub(super) files: Vec<ProjectPath>,
}

impl Note {
    pub(super) fn of(happening: Happening) -> Option<Self> {
        match happening {
            Happening::Noted { kind, text, files } => Some(Self {
                kind,
                text: text.as_str().to_owned(),
                files,
            }),
            _ => None,
        }
    }

    /// Whether it shares a telling word with the question.
    pub(super) fn answers(&self, question: &str) -> bool {
        let words = |text: &str| -> Vec<String> {
            text.to_lowercase()
                .split(|c: char| !c.is_alphanumeric() && c != '_')
                .filter(|word| word.chars().count() > 2 && is_telling(word))
                .map(str::to_owned)
                .collect()
        };
        let held = words(&self.text);
        words(question).iter().any(|word| held.contains(word))
    }

    pub(super) fn to_line(&self) -> String {
        let (kind, text) = (plain(&self.kind), plain(&self.text));
        format!("- note of this session ({kind}): {text}")
    }

    pub(super) fn to_json(&self) -> Value {
        json!({ "note": plain(&self.text), "type": self.kind, "files": self.files })
    }
}
