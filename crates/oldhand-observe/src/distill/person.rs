//! What a person laid down while working with an agent, kept in their own words.

use oldhand_domain::confidence::Confidence;
use oldhand_domain::event::Digest;
use oldhand_domain::path::ProjectPath;
use oldhand_domain::payload::BuiltInType;
use oldhand_domain::taint::OutsideText;

use super::phrase::{clip, is_concrete, without_plumbing};
use super::wording::Wording;
use super::{Candidate, Origin};
use crate::fold::{Refused, SessionAnalytics};
use crate::language::instruction::{Occasion, instructions};

/// How the key of a person's own rule begins.
pub const SAID: &str = "said:";
/// What a person's own rule is worth.
const WORTH: f64 = 0.85;
/// How sure one is that a sentence was meant for more than the moment.
const SURE: f64 = 0.7;

/// Rules, conventions and prohibitions from the prompts of a session, each once.
pub(super) fn from_prompts(session: &SessionAnalytics) -> Vec<Candidate> {
    let mut found: Vec<Candidate> = Vec::new();
    for prompt in &session.prompts {
        let occasion = if prompt.refused.is_some() {
            Occasion::Refusal
        } else {
            Occasion::Talk
        };
        for sentence in instructions(&prompt.text, occasion) {
            let general = !instructions(sentence, Occasion::Talk).is_empty();
            let refused = prompt.refused.as_ref().filter(|_| !general);
            let Some(wording) = word(session, refused, sentence) else {
                continue;
            };
            let key = format!("{SAID}{}", Digest::of(&plain(sentence)));
            if found.iter().any(|known| known.key == key) {
                continue;
            }
            let Some(mut candidate) = Candidate::new(key, Origin::Person, wording) else {
                continue;
            };
            candidate.confidence = Confidence::clamped(SURE);
            candidate.priority = WORTH;
            candidate.urgency = WORTH;
            // A person's words are their own, whatever the agent had read before; what they paste is not.
            if prompt.pasted {
                candidate.taint = [OutsideText::Pasted].into_iter().collect();
            }
            candidate.evidence = vec![prompt.step];
            found.push(candidate.about(files_named(session, sentence)));
        }
    }
    found
}

/// Words that reach further stand by themselves; other words need the call that they stopped.
fn word(session: &SessionAnalytics, refused: Option<&Refused>, sentence: &str) -> Option<Wording> {
    let said = clip(sentence.trim_end_matches(['.', '!']), 240);
    let (content, summary) = match refused {
        Some(Refused::Command(command)) => {
            let command = clip(
                without_plumbing(command.lines().next().unwrap_or_default()),
                60,
            );
            (
                format!(
                    "The user stopped an agent that was about to run `{command}`, with the words: \"{said}\"."
                ),
                format!("User, stopping `{command}`: {}", clip(&said, 90)),
            )
        }
        Some(Refused::Edit(file)) => {
            let branch = session
                .start
                .as_ref()
                .and_then(|start| start.branch.as_deref());
            // Only the branch that everybody shares makes a difference.
            let shared =
                branch.filter(|name| matches!(*name, "main" | "master" | "develop" | "trunk"));
            let on = shared
                .map(|branch| format!(" on branch `{branch}`"))
                .unwrap_or_default();
            (
                format!(
                    "The user stopped an agent that was about to edit `{file}`{on}, with the words: \"{said}\"."
                ),
                format!("User, stopping an edit{on}: {}", clip(&said, 90)),
            )
        }
        // Without a call to point to, the words must name what they are about.
        Some(Refused::Other) | None if names_something(&said) => (
            format!("The user laid this down while working with an agent: \"{said}\"."),
            format!("User's rule: {}", clip(&said, 120)),
        ),
        _ => return None,
    };
    Some(Wording::plain(BuiltInType::Preference, content, summary))
}

/// Whether a sentence names anything one would recognise later: code, a product, a quoted word.
fn names_something(sentence: &str) -> bool {
    is_concrete(sentence)
        || sentence.contains('"')
        || sentence.split_whitespace().skip(1).any(|word| {
            let word = word.trim_matches(|c: char| !c.is_alphanumeric());
            let hyphened = word.len() > 4 && word.trim_matches('-').contains('-');
            let named = word.len() > 1 && word.starts_with(char::is_uppercase);
            hyphened || named
        })
        || [
            "test",
            "commit",
            "branch",
            "error",
            "type",
            "string",
            "migration",
            "comment",
            "import",
            "log",
            "constant",
        ]
        .iter()
        .any(|word| sentence.to_ascii_lowercase().contains(word))
}

/// The files of the session that a sentence names.
fn files_named(session: &SessionAnalytics, sentence: &str) -> Vec<ProjectPath> {
    let named = session.files.iter().filter(|(_, file)| {
        let name = crate::paths::file_name(file.path.as_str());
        name.len() > 4 && name.contains('.') && sentence.contains(name)
    });
    named.map(|(_, file)| file.path.clone()).take(3).collect()
}

/// The same words in another spelling are the same rule.
fn plain(sentence: &str) -> String {
    let letters = sentence
        .chars()
        .map(|c| if c.is_alphanumeric() { c } else { ' ' });
    let spaced: String = letters.collect();
    spaced
        .to_lowercase()
        .split_whitespace()
        .collect::<Vec<_>>()
        .join(" ")
}
