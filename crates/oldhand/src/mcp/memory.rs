//! What is known, for an agent that asks: memories, recipes and what to know before a task.
//!
//! Memories reach the words of an answer as [`Cleared`] ones only: what waits for a review, what was flagged and what outside
//! text had a hand in is counted, not told.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use anyhow::Result;
use oldhand_domain::filter::Filter;
use oldhand_domain::id::SessionId;
use oldhand_domain::memory::Memory;
use oldhand_domain::path::ProjectPath;
use oldhand_domain::payload::{BuiltInType, MemoryType};
use oldhand_domain::text::without_hidden;
use oldhand_domain::vocabulary::{Correction, Role};
use oldhand_engine::{Cue, Listener, Reasons, SearchRequest, Weak, attribute, say};
use oldhand_recall::gate::{Audience, Stale};
use oldhand_recall::inject::{Cleared, Occasion, Point, Said, plain};
use oldhand_recall::plan::RecentWork;
use oldhand_recall::request::Heard;
use serde_json::{Value, json};

use super::reply::Reply;
use super::room::Room;
use super::scratchpad::Note;
use super::tool::Given;
use crate::cli;
use crate::cli::narrow::Narrow;
use crate::code::still;
use crate::desk::{Desk, Purpose, Question};
use crate::out::Out;
use crate::out::time::count;
use crate::project::Head;

/// What narrows a search; people have options of these names for it.
const FILTERS: &[&str] = &[
    "type",
    "file",
    "module",
    "tag",
    "phase",
    "branch",
    "scope",
    "source",
    "min_confidence",
    "since",
    "until",
    "around",
];

/// How many memories are told unless a number is given.
const USUAL: u64 = 8;
/// How many are found before those that may not be told are taken away.
const FOUND: usize = 60;
/// How many recipes are told.
const RECIPES: usize = 3;
/// How many files of a task are told.
const FILES: &str = "12";
/// How many notes of the session come along.
const NOTES: usize = 10;

pub(super) fn types() -> Vec<&'static str> {
    BuiltInType::ALL
        .iter()
        .map(|known| known.as_str())
        .collect()
}

pub(super) fn search(given: &Given, room: &Room) -> Result<Reply> {
    let Some(question) = given.question("query") else {
        let text = "there is nothing to look for: the query is empty".to_owned();
        return Ok(Reply::new(text, json!({ "memories": [] })));
    };
    let question = question.as_ref();
    let narrow = FILTERS
        .iter()
        .filter_map(|name| Some((name.replace('_', "-"), given.word(name)?)));
    let narrow = Narrow::by_name(narrow)?;
    // A note is of now and of here, and has a type and files alone.
    let may_be_note = |name: &str| given.word(name).is_none() || ["type", "file"].contains(&name);
    let notes: Vec<Note> = room
        .notes()
        .into_iter()
        .filter(|_| FILTERS.iter().all(|name| may_be_note(name)))
        .filter(|note| note.answers(question))
        .filter(|note| given.text("type").is_none_or(|wanted| wanted == note.kind))
        .filter(|note| {
            given
                .text("file")
                .is_none_or(|wanted| note.files.iter().any(|file| file.as_str() == wanted))
        })
        .take(NOTES)
        .collect();
    let out = Out::kept();
    let (desk, mut found) = Desk::glance(
        &out,
        |purpose| room.desk_for(Some(Question::of(question)), purpose),
        |desk| {
            let filter = narrow.clone().filter(desk, &out)?;
            find(desk, question, filter, room.places(), &out)
        },
    )?;
    found
        .told
        .truncate(given.number("limit").unwrap_or(USUAL) as usize);
    let (_, mut said) = out.take();
    said.extend(found.kept_back());
    let text = if found.told.is_empty() && notes.is_empty() {
        "nothing is known about this".to_owned()
    } else {
        lines(&found.told)
            .into_iter()
            .chain(notes.iter().map(Note::to_line))
            .collect::<Vec<_>>()
            .join("\n")
    };
    let notes: Vec<Value> = notes.iter().map(Note::to_json).collect();
    let mut data = json!({ "memories": views(&found.told, &desk) });
    if !notes.is_empty() {
        data["session_notes"] = notes.into();
    }
    Ok(Reply::new(text, data).note(&said))
}

pub(super) fn recipe(given: &Given, room: &Room) -> Result<Reply> {
    let Some(task) = given.question("task") else {
        let text = "no recipe is known for this: the task is empty".to_owned();
        return Ok(Reply::new(text, json!({ "recipes": [] })));
    };
    let desk = room.desk(Purpose::Look)?;
    let filter = Filter {
        types: vec![MemoryType::BuiltIn(BuiltInType::WorkflowRecipe)],
        ..Filter::default()
    };
    let out = Out::kept();
    let mut found = find(&desk, &task, filter, BTreeSet::new(), &out)?;
    found.told.truncate(RECIPES);
    let (_, mut said) = out.take();
    said.extend(found.kept_back());
    let text = if found.told.is_empty() {
        "no recipe is known for this".to_owned()
    } else {
        lines(&found.told).join("\n")
    };
    let data = json!({ "recipes": views(&found.told, &desk) });
    Ok(Reply::new(text, data).note(&said))
}

pub(super) fn flag(given: &Given, room: &Room) -> Result<Reply> {
    let desk = room.desk(Purpose::Change)?;
    let correction = match given.text("correction") {
        Some(word) => word.parse::<Correction>()?,
        None => Correction::Inaccurate,
    };
    let note = given.text("note").map(without_hidden);
    let id = given.text("id").unwrap_or_default();
    let engine = desk.engine();
    let shelved = engine.dispute(id, correction, note.as_deref(), desk.now)?;
    let id = shelved.memory.id.short();
    let said = format!("flagged {id}; nobody is told it any more until a person has looked at it");
    Ok(Reply::new(said, json!({ "outcome": "flagged", "id": id })))
}

/// What may be wrong with a memory.
pub(super) fn corrections() -> Vec<&'static str> {
    let all = Correction::ALL.iter();
    all.map(|correction| correction.as_str()).collect()
}

/// Who may ask for a context.
pub(super) fn roles() -> Vec<&'static str> {
    Role::ALL.iter().map(|role| role.as_str()).collect()
}

pub(super) fn session_context(given: &Given, room: &Room) -> Result<Reply> {
    let desk = room.desk(Purpose::Look)?;
    let mut text = brief(room, &desk)?;
    let mut data = json!({ "project": desk.project_name(), "brief": text.clone() });
    let mut said = Vec::new();
    if let Some(task) = given.question("task") {
        let files: Vec<String> = given
            .texts("files")
            .into_iter()
            .map(|file| format!("--file={file}"))
            .collect();
        let mut arguments = vec!["context", "--files", FILES];
        arguments.extend(files.iter().map(String::as_str));
        let role = given.text("role");
        arguments.extend(role.into_iter().flat_map(|role| ["--role", role]));
        if role == Some(Role::Coder.as_str()) {
            arguments.extend(["--prefetch", "outlines"]);
        }
        // Who asks here is an agent, which has no commands to the client: `/healthz returns 500` is about an endpoint.
        let task = match Heard::of(&task) {
            Heard::Command => task.trim_start().trim_start_matches('/'),
            Heard::Request | Heard::Talk => task.as_ref(),
        };
        arguments.extend(["--", task]);
        let (context, notes) = cli::ask(&arguments, &room.environment)?;
        said = notes;
        let told = context["text"].as_str().unwrap_or_default();
        text.push_str(told);
        let paths: Vec<String> = list(&context, "files")
            .filter_map(|file| file["path"].as_str().map(plain))
            .collect();
        let pointed: Vec<String> = list(&context, "files")
            .filter(|file| file["pointed"] == true)
            .filter_map(|file| file["path"].as_str().map(plain))
            .collect();
        if !pointed.is_empty() {
            text.push_str("Files this will probably touch:\n");
            for path in &pointed {
                let _ = writeln!(text, "- {path}");
            }
        }
        let outlines = outlines(&context);
        for (path, outline) in &outlines {
            let _ = writeln!(text, "\n{path}\n{outline}");
        }
        if !outlines.is_empty() {
            let outlines = outlines.iter();
            data["outlines"] = outlines
                .map(|(path, outline)| json!({ "path": path, "text": outline }))
                .collect();
        }
        data["task"] = told.into();
        data["files"] = paths.into();
    }
    let notes = room.notes();
    for note in notes.iter().take(NOTES) {
        let _ = writeln!(text, "{}", note.to_line());
    }
    if !notes.is_empty() {
        data["session_notes"] = notes.iter().take(NOTES).map(Note::to_json).collect();
    }
    if text.trim().is_empty() {
        text.push_str("nothing is known yet");
    }
    Ok(Reply::new(text, data).note(&said))
}

/// The signatures of the likeliest files, as far as there is room for all of a file.
fn outlines(context: &Value) -> Vec<(&str, String)> {
    const ROOM: usize = 4 * 1024;
    let mut taken = 0;
    let each = list(context, "prefetch").filter_map(|file| {
        let lines = file["text"].as_str()?.lines().map(without_hidden);
        Some((file["path"].as_str()?, lines.collect::<Vec<_>>().join("\n")))
    });
    each.take_while(|(path, text)| {
        taken += path.len() + text.len();
        taken <= ROOM
    })
    .collect()
}

/// What to know before anything else, as a session is told when it begins.
pub(super) fn brief(room: &Room, desk: &Desk) -> Result<String> {
    let nobody = SessionId::new("mcp")?;
    let session = room.session().unwrap_or(nobody);
    let branch = Head::branch(&room.project.location);
    let listener = Listener {
        session: &session,
        branch: branch.as_deref(),
        level: crate::trust::level(&desk.settings, desk.project_store()),
        now: desk.now,
    };
    let engine = desk.engine();
    let lines = engine.recall_for(&Cue::SessionStarted, listener)?;
    let occasion = Occasion {
        point: Point::Brief,
        about: None,
        said: &Said::default(),
        told: &[],
        seen: &[],
        fence: engine.fence(),
    };
    let injection = say(&occasion, &lines);
    Ok(injection
        .map(|injection| injection.text)
        .unwrap_or_default())
}

/// What was found, and how much of it may not be told.
pub(super) struct Found {
    pub(super) told: Vec<Cleared>,
    kept_back: usize,
    damaged: usize,
    /// That a day has nothing and these are the newest.
    instead: Option<String>,
}

impl Found {
    fn kept_back(&self) -> Vec<String> {
        let mut said = Vec::new();
        if !self.told.is_empty() {
            said.extend(self.instead.clone());
        }
        if self.kept_back > 0 {
            let number = count(self.kept_back, "memory");
            said.push(format!(
                "{number} not told: not sure enough, or waiting for a person's review (`oldhand review`)"
            ));
        }
        if self.damaged > 0 {
            let number = count(self.damaged, "memory");
            said.push(format!(
                "{number} left out because of damage; `oldhand doctor` tells more"
            ));
        }
        said
    }
}

/// `near` are the files whose place in the code the asker looked at just before.
pub(super) fn find(
    desk: &Desk,
    question: &str,
    filter: Filter,
    near: BTreeSet<ProjectPath>,
    out: &Out,
) -> Result<Found> {
    let meanings = desk.meanings(out);
    let request = SearchRequest {
        text: question.to_owned(),
        filter,
        shelf: None,
        stale: Stale::Hidden,
        recent: if near.is_empty() {
            RecentWork::Ordinary
        } else {
            RecentWork::Structure
        },
        near,
        phase: None,
        weak: Weak::Hidden,
        reasons: Reasons::Unread,
        limit: FOUND,
    };
    let (answer, _) = still::search(&desk.engine_with(&meanings), &request, desk)?;
    meanings.tell_damage(out);
    let found = answer.results.len();
    let results = answer.results.into_iter();
    let cleared = results.filter_map(|(shelf, candidate)| {
        let one = clear_asked(candidate.memory, desk)?;
        Some((shelf, one))
    });
    let told = attribute(cleared.collect());
    Ok(Found {
        kept_back: found - told.len(),
        told,
        damaged: answer.damaged.len(),
        instead: answer.asked.say_nothing_of(),
    })
}

/// The memories with these ids that may be told.
pub(super) fn clear<'a>(ids: impl Iterator<Item = &'a str>, desk: &Desk) -> Vec<Cleared> {
    ids.filter_map(|id| desk.engine().show(id).ok())
        .filter_map(|shelved| clear_asked(shelved.memory, desk))
        .collect()
}

/// An agent that asks may weigh what it would not be told unasked; a review that is due still comes first.
fn clear_asked(memory: Memory, desk: &Desk) -> Option<Cleared> {
    let level = crate::trust::level(&desk.settings, desk.project_store()).when_asked();
    Cleared::of(memory, level, Audience::Asking, desk.now).ok()
}

/// One line each: what kind, what it says, what it is about, what to quote it by.
pub(super) fn lines(memories: &[Cleared]) -> Vec<String> {
    let line = |cleared: &Cleared| {
        let memory = cleared.memory();
        let files: Vec<&str> = memory
            .files
            .iter()
            .take(3)
            .map(ProjectPath::as_str)
            .collect();
        let about = if files.is_empty() {
            String::new()
        } else {
            format!(" ({})", plain(&files.join(", ")))
        };
        format!(
            "- {}{}: {}{about} [{}]",
            memory.memory_type(),
            cleared.whose().note(),
            plain(memory.content.as_str()),
            memory.id.short()
        )
    };
    memories.iter().map(line).collect()
}

pub(super) fn views(memories: &[Cleared], desk: &Desk) -> Vec<Value> {
    let view = |cleared: &Cleared| {
        let memory = cleared.memory();
        let confidence = memory.confidence_now(desk.now).get();
        json!({
            "id": memory.id.short(),
            "type": memory.memory_type().to_string(),
            "text": plain(memory.content.as_str()),
            "files": memory.files,
            "confidence": (confidence * 100.0).round() / 100.0,
            "verified": memory.is_verified(),
            "personal": cleared.whose().is_personal(),
        })
    };
    memories.iter().map(view).collect()
}

pub(super) fn list<'a>(value: &'a Value, name: &str) -> impl Iterator<Item = &'a Value> {
    value[name].as_array().into_iter().flatten()
}
