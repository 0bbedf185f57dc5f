//! What an agent found out and others met again: the words for it, and which errors a finding explains.

use oldhand_domain::confidence::Confidence;
use oldhand_domain::path::ProjectPath;
use oldhand_domain::payload::BuiltInType;
use oldhand_domain::signal::SignalKind;
use oldhand_domain::text::Fingerprint;

use super::claim::{self, Subject, names, subject};
use super::phrase::{clip, shortened};
use super::remedy::is_of_the_moment;
use super::wording::correction;
use super::{Candidate, Origin, Wording};
use crate::detect::Symptom;
use crate::fingerprint::hook_words;
use crate::outcome::commands::{main_command, program_key};
use crate::outcome::shell::{Simple, commands};

/// How sure a finding is that one session met again, and what each further one adds.
const SURE: f64 = 0.8;
const EACH: f64 = 0.03;
const SUREST: f64 = 0.9;

/// Shorter names are in every other error.
const LONG: usize = 5;

/// What stands between an error and what is behind it.
const BEHIND: &str = ". The cause: ";

/// A finding that was met again: what it is known by, and its error with the number of sessions that met it, if it explains one.
pub(crate) struct Again<'f> {
    pub key: String,
    pub statement: &'f str,
    pub mended: &'f [ProjectPath],
    pub symptom: Option<(&'f Symptom, usize)>,
    pub sessions: usize,
}

/// A finding as a would-be memory; `None` where its words fit into none.
pub(crate) fn found_again(again: &Again<'_>) -> Option<Candidate> {
    let plain = correction::cause(again.statement, again.mended);
    let wording = match again.symptom {
        Some((symptom, sessions)) => with_error(&plain.content, symptom, sessions),
        None => plain,
    };
    let mut candidate = Candidate::new(again.key.clone(), Origin::Many, wording)?;
    let more = again.sessions.saturating_sub(2) as f64;
    candidate.confidence = Confidence::clamped((SURE + EACH * more).min(SUREST));
    candidate.priority = SignalKind::SelfCorrection.rule().score;
    if let Some((symptom, _)) = again.symptom {
        candidate
            .fingerprints
            .extend(Fingerprint::new(&symptom.message).ok());
    }
    let told = claim::lasting(again.statement, again.mended);
    candidate.claims(claim::of_cause(&told, again.mended));
    Some(candidate.about(again.mended.iter().cloned()))
}

fn with_error(told: &str, symptom: &Symptom, sessions: usize) -> Wording {
    let failing = match symptom.command.as_str() {
        "" => "A call".to_owned(),
        command => format!("`{command} …`"),
    };
    let message = clip(&symptom.message, 200);
    let content =
        format!("{failing} fails with \"{message}\" (met in {sessions} sessions){BEHIND}{told}");
    let lines = [60, 40, 24]
        .map(|limit| format!("\"{}\": {}", clip(&symptom.message, limit), clip(told, 100)));
    let summary = shortened(lines.into_iter().chain([claim::line(told)]));
    Wording::plain(BuiltInType::Gotcha, content, summary)
}

/// What a memory tells of a finding, which may be a part of it.
pub(crate) fn told(statement: &str, mended: &[ProjectPath]) -> String {
    correction::cause(statement, mended).content
}

/// What a memory states, without the error that it is told with.
pub fn stated(content: &str) -> &str {
    content.split_once(BEHIND).map_or(content, |(_, told)| told)
}

/// What a finding is about: whose thing, or the first that it names.
pub(crate) fn topic(statement: &str) -> String {
    match subject(statement) {
        Some(Subject::Maker(maker)) => maker.to_lowercase(),
        _ => names(statement)
            .first()
            .map_or(String::new(), |name| name.to_lowercase()),
    }
}

/// The program whose error a finding explains, with its verb: what it names the error names as well, or it names that program and one
/// of the options that it was given. `None` where it explains another one, or where the error says nothing by itself.
pub(crate) fn explains(statement: &str, message: &str, line: &str) -> Option<String> {
    if says_nothing(message, line) {
        return None;
    }
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    let quoted = || statement.split('`').skip(1).step_by(2);
    let mut parts = quoted().flat_map(|name| name.split(|c| !is_part(c)));
    let in_error = |name: &str| {
        let mut words = message.split(|c| !is_part(c));
        name.len() >= LONG && words.any(|word| word == name)
    };
    let is_named = |word: &str| quoted().any(|name| name.split_whitespace().any(|own| own == word));
    let gave = |simple: &&Simple| {
        let option = |word: &String| word.len() > 1 && word.starts_with('-') && is_named(word);
        is_named(&simple.words[0]) && simple.words[1..].iter().any(option)
    };
    let all = commands(line);
    let called = all.iter().find(gave);
    if called.is_none() && !parts.any(in_error) {
        return None;
    }
    let simple = called.cloned().or_else(|| main_command(line));
    let key = simple.and_then(|simple| program_key(&simple.words.join(" ")));
    Some(key.unwrap_or_default())
}

/// Whether an error tells nothing of what is behind it: a test failed, a file is not there, a hook or a program of every day complains.
fn says_nothing(message: &str, line: &str) -> bool {
    const NOTHING: [&str; 5] = [
        "no such file",
        "file not found",
        "does not exist",
        "tests failed",
        "exit code",
    ];
    let lower = message.to_lowercase();
    lower.starts_with("test ") && lower.ends_with(" fails")
        || NOTHING.iter().any(|words| lower.contains(words))
        || hook_words(message).is_some()
        || is_of_the_moment(message, line)
}
