//! How the commands of a turn ended: Codex tells its hooks what a command printed, and only its rollout whether it failed.

use std::io::{BufReader, Read as _, Seek as _, SeekFrom};
use std::path::Path;

use jiff::Timestamp;
use oldhand_domain::event::{BoundedText, Event, Happening};
use serde_json::Value;

use super::super::json::{at, name, text};
use super::super::lines::{LINE_LIMIT, Line, next_line};
use crate::file::open_regular;

/// How much of the end of a rollout is looked at: a hook has no time for more.
const TAIL: u64 = 8 * 1024 * 1024;

/// The exit codes of the turn that this payload says has ended. Nothing where the rollout cannot be read.
pub(super) fn endings(payload: &Value, now: Timestamp) -> Vec<Event> {
    let turn = text(payload, &["turn_id"]);
    let file =
        text(payload, &["transcript_path"]).and_then(|path| open_regular(Path::new(path)).ok());
    let (Some(turn), Some(mut file)) = (turn, file) else {
        return Vec::new();
    };
    let length = file.metadata().map_or(0, |about| about.len());
    if file
        .seek(SeekFrom::Start(length.saturating_sub(TAIL)))
        .is_err()
    {
        return Vec::new();
    }
    let mut reader = BufReader::new(file.take(TAIL));
    let mut buffer = Vec::new();
    let mut events = Vec::new();
    while let Ok(Some(line)) = next_line(&mut reader, &mut buffer, LINE_LIMIT) {
        if let Line::Text(line) = line {
            events.extend(ending(&line, turn, now));
        }
    }
    events
}

fn ending(line: &str, turn: &str, now: Timestamp) -> Option<Event> {
    // Most lines are something else, and long.
    if !line.contains("\"CommandExecution\"") {
        return None;
    }
    let line: Value = serde_json::from_str(line).ok()?;
    let payload = line.get("payload")?;
    if text(payload, &["turn_id"])? != turn {
        return None;
    }
    let item = payload.get("item")?;
    let ended = Happening::CommandEnded {
        id: name(text(item, &["id"])?),
        exit_code: Some(i32::try_from(at(item, &["exit_code"])?.as_i64()?).ok()?),
        output: BoundedText::default(),
    };
    Some(Event::new(now, ended))
}
