//! Whether a person said the contrary of a rule later in the same session: the last word is theirs.

use super::stated::{forbids, tells, words_of};
use crate::fold::PromptUse;
use crate::language::instruction::{needs_leave, told};

/// How people say that something is to be done after all.
const WANTED: [&str; 6] = ["need to", "needs to", "must", "should", "have to", "always"];

/// Whether one of the prompts behind it takes back what a prompt laid down. What is pasted is no word of theirs.
pub(super) fn is_taken_back<'p>(
    later: impl IntoIterator<Item = &'p PromptUse>,
    rule: &str,
) -> bool {
    let later = later.into_iter().filter(|later| !later.pasted);
    let mut sentences = later.flat_map(|later| told(&later.text));
    sentences.any(|sentence| takes_back(sentence, rule))
}

/// Whether a sentence says that what a rule forbids is to be done: it has all words that tell what that is. Leave that a person gives
/// ends no rule that asks for it.
fn takes_back(sentence: &str, rule: &str) -> bool {
    let lower = sentence.to_lowercase();
    let is_wanted = WANTED.iter().any(|wish| lower.contains(wish));
    if !is_wanted || needs_leave(rule) {
        return false;
    }
    let forbidden = rule.split(" unless ").next().unwrap_or(rule);
    let is_forbidden = forbidden.len() < rule.len() || forbids(rule, &words_of(rule));
    let (mut said, known) = (words_of(forbidden), words_of(sentence));
    said.retain(|word| tells(word));
    is_forbidden
        && said.len() >= 2
        && said.iter().all(|word| known.contains(word))
        && !forbids(sentence, &known)
}

#[cfg(test)]
mod tests {
    use super::super::from_prompts;
    use crate::fold::{FoldOptions, fold};
    use crate::promote::Dropped;
    use crate::story::events;

    const RULE: &str = "prompt do not write /etc/hosts unless asked for";

    #[test]
    fn the_last_word_on_a_thing_is_the_person_s() {
        let dropped = |story: &str| {
            let session = fold(&events(story), &FoldOptions::default());
            let told = from_prompts(&session).into_iter().next();
            told.and_then(|told| told.unfit)
        };
        let after = |later: &str| dropped(&format!("{RULE}\nedit a.rs\nprompt {later}"));
        let taken = Some(Dropped::TakenBack);
        assert_eq!(
            after("if there is a name we need to write etc hosts"),
            taken
        );
        let again = format!("we need to write etc hosts\n{RULE}");
        assert_eq!(after(&again), None, "the rule is the last word");
        for later in [
            "go on",
            "we need to write the log",
            "do we need to write etc hosts?",
            "as I said we must not write /etc/hosts",
            "write etc hosts",
        ] {
            assert_eq!(after(later), None, "{later}");
        }
        let before = format!("prompt we need to write etc hosts\nedit a.rs\n{RULE}");
        assert_eq!(dropped(&before), None);
        let leave = "prompt do not push to origin without my permission\nedit a.rs\nprompt you should push to origin with my permission";
        assert_eq!(dropped(leave), None);
    }
}
