//! What a person laid down while working with an agent, kept in their own words.

use std::collections::BTreeMap;

use oldhand_domain::confidence::Confidence;
use oldhand_domain::event::Digest;
use oldhand_domain::path::ProjectPath;
use oldhand_domain::payload::BuiltInType;
use oldhand_domain::taint::{OutsideText, Taint};

use super::claim::is_file;
use super::phrase::{clip, is_concrete, shortened};
use super::wording::Wording;
use super::{Candidate, Origin};
use crate::fold::{PromptUse, SessionAnalytics};
use crate::language::instruction::{
    Reach, instructions, is_of_handing_alone, is_of_other_language, is_of_work,
    names_something_elsewhere,
};
use crate::promote::Dropped;

mod again;
#[cfg(test)]
mod measure;
mod stated;
mod taken_back;
#[cfg(test)]
mod tongues;

pub(crate) use again::{SURE as SAID_AGAIN_SURE, refused, said_again};
pub use stated::states;
use taken_back::is_taken_back;

/// How the key of a person's own rule begins.
pub const SAID: &str = "said:";
/// How it begins where the rule is one by the words of another language.
const SAID_ELSEWHERE: &str = "said:elsewhere:";
/// How it begins where the rule has no word that reaches further than the task.
const SAID_OF_HANDING: &str = "said:handing:";
/// What a person's own rule is worth.
pub(crate) const WORTH: f64 = 0.85;
/// How sure one is that a sentence was meant for more than the moment.
const SURE: f64 = 0.7;

/// Rules, conventions and prohibitions from the prompts of a session, each once; also those that come to nothing, with the reason.
pub(crate) fn from_prompts(session: &SessionAnalytics) -> Vec<Candidate> {
    let mut found: Vec<Candidate> = Vec::new();
    let prompts: Vec<&PromptUse> = session.typed().collect();
    for (at, prompt) in prompts.iter().enumerate() {
        let behind = &prompts[at + 1..];
        let later = || behind.iter().copied().filter(|later| later.at >= prompt.at);
        for (sentence, reach) in instructions(&prompt.text) {
            let said = if is_of_other_language(sentence) {
                SAID_ELSEWHERE
            } else if is_of_handing_alone(sentence) {
                SAID_OF_HANDING
            } else {
                SAID
            };
            let key = format!("{said}{}", Digest::of(&plain(without_joint(sentence))));
            if let Some(known) = found.iter_mut().find(|known| known.key == key) {
                let was_back = known.unfit == Some(Dropped::TakenBack);
                if was_back && !is_taken_back(later(), sentence) {
                    known.unfit = unfit(reach, sentence);
                }
                continue;
            }
            let Some(mut candidate) = Candidate::new(key, Origin::Person, word(sentence)) else {
                continue;
            };
            candidate.unfit = unfit(reach, sentence);
            if candidate.is_fit() && is_taken_back(later(), sentence) {
                candidate.unfit = Some(Dropped::TakenBack);
            }
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

/// The keys of the rules that a session's prompts lay down, with the marks of what was pasted, for those who count in how many sessions they were said. Those of other
/// languages, and those of how work is handed in that have no word which reaches further, are not counted: however often they are said, a
/// person reviews them.
pub(crate) fn keys(laid_down: &[Candidate]) -> BTreeMap<String, Taint> {
    let fit = laid_down.iter().filter(|candidate| candidate.is_fit());
    let keys = fit.map(|candidate| (candidate.key.clone(), candidate.taint.clone()));
    let is_doubtful =
        |key: &String| key.starts_with(SAID_ELSEWHERE) || key.starts_with(SAID_OF_HANDING);
    keys.filter(|(key, _)| !is_doubtful(key)).collect()
}

/// A sentence without the small words that join it to what was said before.
fn without_joint(sentence: &str) -> &str {
    const JOINTS: [&str; 19] = [
        "and ", "but ", "so ", "also ", "also, ", "no, ", "yes, ", "ok, ", "ok so ", "erm, ",
        "erm ", "um, ", "uh, ", "hmm, ", "hm, ", "well, ", "right, ", "btw, ", "oh, ",
    ];
    let mut rest = sentence.trim_start();
    while let Some(joint) = JOINTS.iter().find(|joint| {
        rest.get(..joint.len())
            .is_some_and(|start| start.eq_ignore_ascii_case(joint))
    }) {
        rest = rest[joint.len()..].trim_start();
    }
    rest
}

/// Why words with the shape of a rule come to nothing.
fn unfit(reach: Reach, sentence: &str) -> Option<Dropped> {
    match reach {
        Reach::Moment => Some(Dropped::OfTheMoment),
        Reach::Lasting => (!names_something(sentence)).then_some(Dropped::NamesNothing),
    }
}

fn word(sentence: &str) -> Wording {
    let said: Vec<&str> = without_joint(sentence).split_whitespace().collect();
    let said = said.join(" ");
    let said = clip(said.trim_end_matches(['.', '!', '。', '！']), 240);
    Wording::plain(
        BuiltInType::Preference,
        format!("The user laid this down while working with an agent: \"{said}\"."),
        // What is written without spaces has more tokens for its length.
        shortened([120, 90, 60].map(|limit| format!("User's rule: {}", clip(&said, limit)))),
    )
}

/// Whether a sentence says what one could see it broken by: code, a file, a program, or what those who work do.
fn names_something(sentence: &str) -> bool {
    let is_elsewhere = is_of_other_language(sentence);
    // "/api/users" is where a product answers.
    let is_root = |place: &str| place.starts_with('/');
    let names_place = places(sentence).any(|place| !is_elsewhere || !is_root(place));
    if is_elsewhere {
        return names_place || names_something_elsewhere(sentence, is_concrete(sentence));
    }
    names_place || is_concrete(sentence) || is_of_work(sentence)
}

/// The files and folders that a sentence names literally.
fn places(sentence: &str) -> impl Iterator<Item = &str> {
    let words = sentence.split_whitespace().map(|word| {
        let word = word.trim_matches(|c: char| "()[],;:!\"'@`".contains(c));
        word.trim_end_matches('.')
    });
    words.filter(|word| {
        let is_path = word.starts_with(['/', '.', '~']) || word.ends_with('/');
        word.contains('/') && is_path || is_file(word)
    })
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
