//! Pieces of code for an agent that asks what does something: where each is, and how it begins.

use std::fmt::Write as _;

use anyhow::Result;
use oldhand_code::chunk::Chunk;
use oldhand_recall::inject::plain;
use serde_json::{Value, json};

use super::reply::{Reply, harmless};
use super::room::Room;
use super::tool::Given;
use crate::code;
use crate::code::pieces::{Pieces, say_instead, say_left_out};
use crate::out::Out;

/// How many pieces are told unless a number is given.
const USUAL: u64 = 8;
/// So many lines of each are told, and so much of a line.
const LINES: usize = 5;
const WIDTH: usize = 120;

pub(super) fn search(given: &Given, room: &Room) -> Result<Reply> {
    let Some(question) = given.question("query") else {
        let text = "there is nothing to look for: the query is empty".to_owned();
        return Ok(Reply::new(text, json!({ "pieces": [] })));
    };
    let out = Out::kept();
    let desk = code::open_desk(&room.environment, &out)?;
    let within = given.text("file").map(|file| desk.path(file)).transpose()?;
    desk.tell_missing(&within, &out);
    let limit = given.number("limit").unwrap_or(USUAL) as usize;
    let found = Pieces::find(&desk, &question, within.as_slice(), limit, &out)?;
    let told: Vec<&Chunk> = found.best().map(|(_, piece)| &piece.chunk).collect();
    let mut text = String::new();
    for chunk in &told {
        say(chunk, &mut text);
    }
    if told.is_empty() {
        text.push_str("no piece of code shares a word with that");
    }
    let (_, mut notes) = out.take();
    if found.words_left_out > 0 {
        notes.push(say_left_out(found.words_left_out));
    }
    if !told.is_empty() {
        notes.extend(say_instead(&found.instead));
    }
    let notes: Vec<String> = notes.iter().map(|note| plain(note)).collect();
    let data = json!({ "pieces": told.iter().map(|chunk| view(chunk)).collect::<Vec<_>>() });
    Ok(Reply::new(text, data).note(&notes))
}

/// Where a piece is and what it is called, and its first lines below, set in: none of them can be taken for another piece.
fn say(chunk: &Chunk, text: &mut String) {
    let (path, name) = (plain(&chunk.path), plain(&chunk.name));
    let (first, last) = (chunk.first_line, chunk.last_line);
    let kind = chunk.kind.as_str();
    let _ = writeln!(text, "- {path}:{first}-{last} {kind} {name}");
    // Secrets go before lines are cut: half of one would not be known as one.
    let said = harmless(&chunk.text.replace('\t', " "));
    let lines = said.lines().filter(|line| !line.trim().is_empty());
    for line in lines.take(LINES) {
        let words = line.trim_start();
        let indent = " ".repeat((line.len() - words.len()).min(WIDTH / 4));
        let words = &words[..words.floor_char_boundary(WIDTH)];
        let _ = writeln!(text, "    {indent}{}", plain(words));
    }
}

fn view(chunk: &Chunk) -> Value {
    json!({
        "path": plain(&chunk.path),
        "first_line": chunk.first_line,
        "last_line": chunk.last_line,
        "kind": chunk.kind.as_str(),
        "name": plain(&chunk.name),
    })
}
