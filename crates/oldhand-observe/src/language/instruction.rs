//! What a person lays down for more than the task at hand: a rule, a convention, a thing not to do.
//!
//! Most of what people type is about the moment. A sentence counts only if its own words reach further ("always",
//! "everywhere", "we use"), or if it says why a call was just refused.

use super::{Prose, Rule, says};

/// Where a sentence stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Occasion {
    /// In the running conversation.
    Talk,
    /// Said while refusing what the agent was about to do.
    Refusal,
}

/// Longer texts are plans, reports and pasted reviews: what they say belongs to one task.
const TEXT_LIMIT: usize = 1500;
const SENTENCE_LIMIT: usize = 240;
/// Fewer words lay nothing down.
const FEWEST_WORDS: usize = 4;

/// Words of the moment, of doubt, and of bug reports.
const PASSING: [&str; 53] = [
    "for now",
    "right now",
    "this time",
    "yet",
    "later",
    "let me know",
    "not sure",
    "i think",
    "i guess",
    "maybe",
    "perhaps",
    "wonder",
    "what if",
    "if we ",
    "if you ",
    "if i ",
    "could we",
    "can we",
    "can you",
    "could you",
    "should we",
    "do we",
    "in this branch",
    "this change",
    "this pr",
    "in this pr",
    "never mind",
    "nevermind",
    "discuss",
    "hang on",
    "wait",
    "worry",
    "try again",
    "is never",
    "are never",
    "was never",
    "never called",
    "never actually",
    "never used",
    "never shown",
    "never worked",
    "always return",
    "always list",
    "looking at",
    "always 0",
    "is always",
    "are always",
    "i don't ",
    "i dont ",
    "i've ",
    "it always",
    "it never",
    "would ",
];

/// A person asks for something.
const WANTED: &[&str] = &[
    "should",
    "make sure",
    "please",
    "let's",
    "we want",
    "i want",
    "i'd like",
    "i would like",
    "must",
    "use ",
    "ensure",
];

const TALK: &[Rule] = &[
    says("always ").first(),
    says("never ").first(),
    says("please always "),
    says("please never "),
    says("should always "),
    says("should never "),
    says("must always "),
    says("must never "),
    says("we always "),
    says("we never "),
    says("but always "),
    says("and always "),
    says("from now on"),
    says("going forward"),
    says("don't ever "),
    says("do not ever "),
    says("please dont "),
    says("please don't just "),
    says("remember to ").first(),
    says("remember that ").first(),
    says("and remember to "),
    says("don't forget to "),
    says("dont forget to "),
    says("we use ").never(&[
        "we use this",
        "we use it",
        "we use that",
        "when we use",
        "where we use",
        "how we use",
    ]),
    says("we only use "),
    says("we don't use "),
    says("we prefer "),
    says("we follow "),
    says("our convention"),
    says("keep our ").first(),
    says("convention is "),
    says("should use the existing "),
    says("use the existing ").first(),
    says("instead of duplicating "),
    says("we don't gitignore "),
    says("we don't commit "),
    says("we don't want ").never(&[
        "we don't want to do this",
        "we don't want that",
        "we don't want this",
    ]),
];

/// Reaching words that need a wish beside them.
const REACHING: [&str; 8] = [
    "everywhere",
    "wherever",
    "whenever you",
    "whenever we",
    "every time you",
    "for every ",
    "across the codebase",
    "in all cases",
];

const REFUSAL: &[Rule] = &[
    says("don't ").first(),
    says("dont ").first(),
    says("do not ").first(),
    says("never "),
    says("always "),
    says("no need to ").first(),
    says("too slow"),
    says("let's not "),
    says("did not say "),
    says("didn't say "),
    says("did not ask "),
    says("didn't ask "),
    says("prefer "),
    says("let's cut a branch"),
    says("create a branch"),
    says("make a branch"),
    says("branch first"),
    says("use the existing "),
];

/// The sentences of `text` that lay something down, in order.
pub fn instructions(text: &str, occasion: Occasion) -> Vec<&str> {
    let opening = text.trim_start();
    if text.len() > TEXT_LIMIT
        || opening.starts_with('<')
        || opening.starts_with("Implement the following")
    {
        return Vec::new();
    }
    let prose = Prose::of(text);
    prose
        .sentences
        .iter()
        .copied()
        .filter(|sentence| lays_down(sentence, occasion))
        .collect()
}

fn lays_down(sentence: &str, occasion: Occasion) -> bool {
    let words = sentence.split_whitespace().count();
    let fewest = match occasion {
        Occasion::Talk => FEWEST_WORDS,
        Occasion::Refusal => 2,
    };
    if sentence.len() > SENTENCE_LIMIT || sentence.ends_with(['?', ':']) || words < fewest {
        return false;
    }
    let lower = sentence.to_ascii_lowercase().replace('’', "'");
    if PASSING.iter().any(|passing| lower.contains(passing)) {
        return false;
    }
    let holds = |rule: &Rule| {
        lower
            .match_indices(rule.phrase)
            .any(|(at, _)| !super::is_quoted(&lower, at) && rule.holds(&lower, at))
    };
    match occasion {
        Occasion::Refusal if REFUSAL.iter().any(holds) => true,
        _ => {
            TALK.iter().any(holds)
                || (REACHING.iter().any(|reach| lower.contains(reach))
                    && WANTED.iter().any(|wish| lower.contains(wish)))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(text: &str, occasion: Occasion) -> bool {
        !instructions(text, occasion).is_empty()
    }

    #[test]
    fn words_that_reach_further_than_the_task_are_kept() {
        for sentence in [
            "we should be using the strong types wherever we can",
            "Let's make sure we're using US English everywhere please.",
            "We use go-git in other places, so that no checkout is needed",
            "Never push to main directly",
            "keep our working documentation in linear.",
            "The function should use the existing GetGitDir() helper instead of duplicating it.",
            "dont forget to branch off main and not the current branch.",
            "Please dont push migrations by running them on the server.",
        ] {
            assert!(told(sentence, Occasion::Talk), "{sentence}");
        }
    }

    #[test]
    fn words_of_the_moment_are_not() {
        for sentence in [
            "don't change anything, just let me know",
            "let's do the mediums first.",
            "commit and push",
            "when do we use defaultAgentName?",
            "It always lists these under each branch",
            "User edits made before the first prompt are never captured.",
            "I think we should always ask",
            "can you use a switch instead of an if everywhere?",
            "Generate a commit message but don't commit it",
            "we don't need to commit",
        ] {
            assert!(!told(sentence, Occasion::Talk), "{sentence}");
        }
        let plan = format!("Always do this. {}", "More of the plan. ".repeat(100));
        assert!(!told(&plan, Occasion::Talk));
    }

    #[test]
    fn a_refusal_says_what_not_to_do() {
        for sentence in [
            "don't run CI or integration tests, too slow.",
            "too slow, really",
            "no, I did not say commit anything",
            "let's cut a branch first",
        ] {
            assert!(told(sentence, Occasion::Refusal), "{sentence}");
        }
        for sentence in [
            "wait please let's talk about this",
            "don't worry about linting for now, just continue",
            "what are you doing...??",
            "let's not make this change in this branch.",
            "Entire Inc. is the owner",
        ] {
            assert!(!told(sentence, Occasion::Refusal), "{sentence}");
        }
    }
}
