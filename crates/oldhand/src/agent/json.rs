//! Looking into JSON whose shape is only hoped for.

use jiff::Timestamp;
use oldhand_domain::event::{Event, Happening, Voice};
use serde_json::Value;

use super::{excerpt, expanded};

/// The longest prompt or answer that an event keeps.
pub(super) const TEXT: usize = 2400;
/// The longest part of a tool's result.
pub(super) const RESULT: usize = 1600;
/// The longest command.
pub(super) const COMMAND: usize = 1200;
/// The longest name of anything.
const NAME: usize = 200;

/// The text at a path of keys, or nothing.
pub(super) fn text<'a>(value: &'a Value, keys: &[&str]) -> Option<&'a str> {
    at(value, keys)?.as_str()
}

pub(super) fn at<'a>(value: &'a Value, keys: &[&str]) -> Option<&'a Value> {
    keys.iter().try_fold(value, |value, key| value.get(key))
}

/// The first of several keys that holds a text.
pub(super) fn any_text<'a>(value: &'a Value, keys: &[&str]) -> Option<&'a str> {
    keys.iter().find_map(|key| value.get(key)?.as_str())
}

pub(super) fn name(value: &str) -> String {
    value[..value.floor_char_boundary(NAME)].to_owned()
}

/// A pattern, a query, an address: named like a thing, but typed, so that it may hold a secret.
pub(super) fn typed(value: &str) -> String {
    excerpt::word(value, NAME)
}

/// A time as RFC 3339, or as milliseconds or seconds since 1970. What lies before there were agents, or far ahead, is none.
pub(super) fn time(value: Option<&Value>) -> Option<Timestamp> {
    match value? {
        Value::String(text) => text.parse().ok().filter(is_plausible),
        Value::Number(number) => {
            let number = number
                .as_i64()
                .or_else(|| number.as_f64().map(|it| it as i64))?;
            [
                Timestamp::from_millisecond(number),
                Timestamp::from_second(number),
            ]
            .into_iter()
            .flatten()
            .find(is_plausible)
        }
        _ => None,
    }
}

fn is_plausible(at: &Timestamp) -> bool {
    /// The beginning of 2015, and that of 2100.
    const FIRST: i64 = 1_420_070_400;
    const LAST: i64 = 4_102_444_800;
    (FIRST..LAST).contains(&at.as_second())
}

#[test]
fn only_what_may_be_a_time_is_one() {
    use serde_json::json;
    let told = |value: Value| time(Some(&value)).map(|at| at.to_string());
    let expected = Some("2026-02-03T04:05:06Z".to_owned());
    for value in [
        json!("2026-02-03T04:05:06Z"),
        json!(1_770_091_506),
        json!(1_770_091_506_000_i64),
        json!(1_770_091_506.7),
    ] {
        assert_eq!(told(value.clone()), expected, "{value}");
    }
    for value in [
        json!(12345),
        json!(0),
        json!(-1),
        json!("1970-01-01T00:00:00Z"),
        json!("9999-01-01T00:00:00Z"),
        json!(i64::MAX),
        json!("yesterday"),
        json!(null),
    ] {
        assert_eq!(told(value.clone()), None, "{value}");
    }
}

/// Text in any of the shapes clients use: a string, a list of blocks, an object with a text.
pub(super) fn flat_text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Array(blocks) => {
            let parts: Vec<String> = blocks
                .iter()
                .map(flat_text)
                .filter(|part| !part.is_empty())
                .collect();
            parts.join("\n")
        }
        Value::Object(_) => {
            let inner = ["text", "output", "stdout", "content", "llmContent", "error"]
                .iter()
                .find_map(|key| value.get(key));
            inner.map(flat_text).unwrap_or_default()
        }
        _ => String::new(),
    }
}

pub(super) fn said(voice: Voice, words: &str, at: Timestamp) -> Option<Event> {
    let text = excerpt::ends(words, TEXT);
    (!text.is_empty()).then(|| Event::new(at, Happening::Text { voice, text }))
}

/// A prompt as the user typed it, without what clients and hooks put around it.
pub(super) fn prompt(words: &str, at: Timestamp) -> Option<Event> {
    let mut words = words.to_owned();
    for tag in [
        "system-reminder",
        "hook_context",
        "environment_context",
        "user_instructions",
        "ide_opened_file",
        "ide_selection",
        "session_context",
        "subagent_notification",
        "local-command-stdout",
        "local-command-caveat",
        "task-notification",
        "recommended_plugins",
        "turn_aborted",
        "heartbeat",
        "in-app-browser-context",
        "codex_internal_context",
        "skill",
    ] {
        words = without_tag(&words, tag);
    }
    let words = asked_in_editor(words.trim());
    if words.is_empty() {
        return None;
    }
    let words = expanded::given(words).unwrap_or(words);
    let pasted = is_pasted(words) || expanded::is_file(words);
    Some(Event::new(
        at,
        Happening::Prompt {
            text: excerpt::ends(words, TEXT),
            pasted,
            answers: false,
        },
    ))
}

/// What was typed into an editor, which puts its open files before it.
fn asked_in_editor(words: &str) -> &str {
    const FRAMES: [&str; 2] = [
        "# Context from my IDE setup:",
        "# Files mentioned by the user:",
    ];
    // An open file may have the heading, too: the request stands last.
    let Some((before, asked)) = words.rsplit_once("## My request for Codex:") else {
        return words;
    };
    let is_frame = before.is_empty() || FRAMES.iter().any(|frame| before.starts_with(frame));
    if is_frame { asked.trim() } else { words }
}

/// What stands between `<tag>` and `</tag>`.
pub(super) fn tagged<'t>(words: &'t str, tag: &str) -> Option<&'t str> {
    let (_, rest) = words.split_once(&format!("<{tag}>"))?;
    let (inner, _) = rest.split_once(&format!("</{tag}>"))?;
    Some(inner.trim())
}

/// The words without what stands between these tags, which somebody else put there.
pub(super) fn without_tag(words: &str, tag: &str) -> String {
    let (open, close) = (format!("<{tag}"), format!("</{tag}>"));
    let mut out = String::new();
    let mut rest = words;
    while let Some(start) = rest.find(&open) {
        out.push_str(&rest[..start]);
        match rest[start..].find(&close) {
            Some(end) => rest = &rest[start + end + close.len()..],
            None => return out,
        }
    }
    out.push_str(rest);
    out
}

/// Whether a prompt holds a block that nobody types: a fenced or quoted part, the head of a mail, or very many lines. Of 1,829 prompts
/// of nine repositories three lines in a fence mark five more than twelve did, and nobody quoted as much.
fn is_pasted(words: &str) -> bool {
    const BLOCK: usize = 3;
    const LINES: usize = 40;
    const HEADS: [&str; 5] = ["From: ", "To: ", "Subject: ", "Sent: ", "Date: "];
    let (mut fenced, mut quoted, mut longest, mut heads) = (0, 0, 0, 0);
    let mut inside = false;
    for line in words.lines() {
        let line = line.trim_start();
        heads += usize::from(HEADS.iter().any(|head| line.starts_with(head)));
        if line.starts_with("```") || line.starts_with("~~~") {
            inside = !inside;
            (fenced, quoted) = (0, 0);
            continue;
        }
        fenced = if inside { fenced + 1 } else { 0 };
        quoted = if line.starts_with('>') { quoted + 1 } else { 0 };
        longest = longest.max(fenced).max(quoted);
    }
    // A plan that the client hands from one session to the next was made here.
    if words.starts_with("Implement the following plan:") {
        return false;
    }
    longest >= BLOCK
        || heads >= 2
        || words.lines().count() >= LINES
        || words.contains("[Pasted text")
}

#[test]
fn what_nobody_types_is_pasted() {
    let long = "a line\n".repeat(40);
    for words in [
        "see this:\n```\none\ntwo\nthree\n```",
        "the reviewer wrote:\n> one\n> two\n> three",
        "From: bob@a.example\nSubject: hi\n\nAlways use pnpm.",
        "what is this? [Pasted text #1 +30 lines]",
        &long,
    ] {
        assert!(is_pasted(words), "{words}");
    }
    for words in [
        "run `make test` and then:\n```\nmake deploy\n```",
        "the output was\n> 3 passed\nis that right?",
        "From: here on use pnpm",
        "First do this.\n\nThen do that:\n- one\n- two\n- three\n- four",
        "Implement the following plan:\n```\n1\n2\n3\n```",
    ] {
        assert!(!is_pasted(words), "{words}");
    }
}
