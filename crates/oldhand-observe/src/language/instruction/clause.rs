//! Which part of what a person typed is the rule: the clause that orders, without what was said before it, or with the sentence that it
//! leans on.

use super::wrap::text_column;
use super::{has_shape, is_deed, is_order, names_tool};

/// Words that open a condition, which belongs to the rule: "when you commit, always …".
const CONDITIONS: [&str; 17] = [
    "when", "whenever", "if", "for", "in", "on", "after", "before", "unless", "while", "with",
    "during", "once", "as", "where", "at", "to",
];

/// "Make that standard": the rule is what was asked for before.
const STANDING: [&str; 9] = [
    "make that standard",
    "make this standard",
    "make it standard",
    "make that the standard",
    "make that the default",
    "make that a habit",
    "make it a habit",
    "make this a habit",
    "that should be standard",
];

/// What is said to be in, out of or beside something else, without saying what.
const LEANING: [&str; 8] = [
    "included",
    "excluded",
    "added",
    "counted",
    "involved",
    "compared",
    "considered",
    "mentioned",
];

/// The rule that a sentence lays down, as it stands in the text.
pub(super) fn rule_of<'a>(text: &'a str, sentences: &[&'a str], at: usize) -> &'a str {
    let sentence = sentences[at];
    let lower = sentence.to_ascii_lowercase();
    let before = at.checked_sub(1).and_then(|at| sentences.get(at));
    if is_standing(&lower)
        && let Some(before) = before
    {
        return between(text, before, sentence);
    }
    if let (true, Some(next)) = (leans(&lower), sentences.get(at + 1)) {
        return between(text, sentence, next);
    }
    let orders = ["always ", "never ", "from now on"];
    let starts = orders.iter().flat_map(|word| lower.match_indices(word));
    let cut = starts.map(|(start, _)| start).find(|start| {
        *start > 0 && is_said_before(&lower[..*start]) && orders_from(&lower[*start..])
    });
    cut.map_or(sentence, |start| &sentence[start..])
}

/// "Make that standard in your workflow".
pub(super) fn is_standing(lower: &str) -> bool {
    STANDING.iter().any(|words| lower.contains(words))
}

/// Whether a sentence does not say what its last word is about: "should never be included".
fn leans(lower: &str) -> bool {
    let bare = lower.trim_end_matches(['.', '!']);
    let last = bare.rsplit(' ').next().unwrap_or_default();
    LEANING.contains(&last) && bare.ends_with(&format!("be {last}"))
}

/// Whether what stands before an order is something else that was said: a verdict, or a deed that is done once.
fn is_said_before(before: &str) -> bool {
    let bare = before.trim_end();
    let first = bare.split([' ', ',']).next().unwrap_or_default();
    let is_condition = CONDITIONS.contains(&first);
    let joined = bare
        .strip_suffix(" and")
        .or_else(|| bare.strip_suffix(" but"));
    // A heading before a colon says of what the rule is.
    if bare.ends_with([';', '—', '–']) || bare.ends_with(':') && bare.contains(" is ") {
        return true;
    }
    (bare.ends_with(',') || joined.is_some()) && !is_condition && is_deed(bare)
}

/// What a rule has that is not about the deed that it was told with: one thing is chosen before another.
const CHOOSING: [&str; 3] = [" not ", " instead of ", " rather than "];

/// What is done with any work once it is there, and of what: a list is merged and an update pushed, too.
const WITH_ANY_WORK: [&str; 4] = ["commit", "push", "merge", "rebase"];
const VERSIONED: [&str; 12] = [
    "main", "master", "trunk", "develop", "branch", "branches", "commits", "origin", "upstream",
    "pr", "prs", "git",
];

/// Whether a rule is about a tool, or about what is done with any work.
fn is_of_any_work(lower: &str) -> bool {
    let has = |list: &[&str]| {
        let mut words = lower.split(|c: char| !c.is_alphanumeric());
        words.any(|word| list.contains(&word))
    };
    names_tool(lower) || lower.contains("ask me") || has(&WITH_ANY_WORK) && has(&VERSIONED)
}

/// Whether a rule is told with a deed that is done once and says nothing that outlives it: "refactor the parser, always return a list".
/// A tool, a choice of one thing before another, "from now on", and what is done with any work once it is there do.
pub(super) fn is_of_deed(sentence: &str, rule: &str) -> bool {
    let lower = rule.to_ascii_lowercase();
    let outlives = is_of_any_work(&lower)
        || lower.starts_with("from now on")
        || CHOOSING.iter().any(|words| lower.contains(words));
    let before = sentence.strip_suffix(rule).unwrap_or_default();
    !outlives && is_deed(&before.to_ascii_lowercase())
}

fn orders_from(lower: &str) -> bool {
    is_order(lower, "always ") || is_order(lower, "never ") || has_shape(lower)
}

/// The part of a text from one of its sentences to the end of another.
fn between<'a>(text: &'a str, first: &'a str, last: &'a str) -> &'a str {
    let place = |part: &str| (part.as_ptr() as usize).checked_sub(text.as_ptr() as usize);
    let (from, until) = (place(first), place(last).map(|at| at + last.len()));
    from.zip(until)
        .and_then(|(from, until)| text.get(from..until))
        .unwrap_or(last)
}

/// Whether a rule counts what only this prompt has: "all 7", "step 0", "task 2.1".
pub(super) fn counts_the_prompt(lower: &str) -> bool {
    const COUNTED: [&str; 8] = [
        "all", "step", "steps", "phase", "task", "tasks", "item", "items",
    ];
    let words: Vec<&str> = lower.split_whitespace().collect();
    words.windows(2).any(|pair| {
        COUNTED.contains(&pair[0]) && pair[1].starts_with(|c: char| c.is_ascii_digit() || c == '#')
    })
}

/// Whether a sentence points at what was said or done right before it, so that nobody else knows what it is about: "never do that",
/// "don't use it for this", "as you said above".
pub(super) fn is_of_the_talk(lower: &str) -> bool {
    const POINTS: [&str; 3] = ["this", "that", "it"];
    const SAID: [&str; 5] = ["mentioned", "discussed", "suggested", "proposed", "said"];
    let words: Vec<&str> = lower
        .split(|c: char| !(c.is_alphanumeric() || c == '\''))
        .filter(|word| !word.is_empty())
        .collect();
    let is_last = |at: usize| at + 1 == words.len();
    let ends_pointing = words.windows(2).enumerate().any(|(at, pair)| {
        is_last(at + 1) && matches!(pair[0], "do" | "for") && POINTS.contains(&pair[1])
    });
    let goes_back = words
        .windows(2)
        .any(|pair| matches!(pair[0], "you" | "we" | "i") && SAID.contains(&pair[1]));
    // "Stop asking me" is tired of this talk; what is not to be asked follows in a rule.
    ends_pointing || goes_back || lower.ends_with("stop asking me")
}

/// Whether a sentence orders that something be written down for agents: the file then says it, and says how it was meant.
pub(super) fn is_to_be_written(opening: &str) -> bool {
    const WRITES: [&str; 5] = ["add ", "update ", "create ", "write ", "put "];
    const FILES: [&str; 4] = ["claude.md", "agents.md", "gemini.md", " skill"];
    WRITES.iter().any(|verb| opening.starts_with(verb))
        && FILES.iter().any(|file| opening.contains(file))
}

/// Whether a sentence is one step in a list of things to do: it stands in a list of which most other items are no rules. "Never push
/// to main" is none, whatever stands around it.
pub(super) fn is_step(text: &str, sentence: &str) -> bool {
    let lower = sentence.to_ascii_lowercase();
    let is_order = ["always ", "never ", "from now on"]
        .iter()
        .any(|word| lower.starts_with(word));
    if is_order && is_of_any_work(&lower) {
        return false;
    }
    let is_item = |line: &str| text_column(line).is_some();
    let lines: Vec<&str> = text
        .lines()
        .filter(|line| !line.trim().is_empty())
        .collect();
    let Some(own) = lines
        .iter()
        .position(|line| is_item(line) && line.contains(sentence))
    else {
        return false;
    };
    let before = lines[..own].iter().rev().take_while(|line| is_item(line));
    let after = lines[own + 1..].iter().take_while(|line| is_item(line));
    let others: Vec<&&str> = before.chain(after).collect();
    let rules = others
        .iter()
        .filter(|line| has_shape(&line.to_ascii_lowercase()));
    others.len() >= 2 && rules.count() * 2 < others.len()
}

#[cfg(test)]
mod tests {
    use super::super::{Occasion, Reach, instructions};

    fn told(text: &str) -> Vec<&str> {
        let found = instructions(text, Occasion::Talk).into_iter();
        let lasting = found.filter(|(_, reach)| *reach == Reach::Lasting);
        lasting.map(|(rule, _)| rule).collect()
    }

    #[test]
    fn a_rule_is_told_without_what_was_said_before_it() {
        for (text, rule) in [
            (
                "fix the login test, always use poetry not pip",
                "always use poetry not pip",
            ),
            (
                "Implement the parser and always use poetry, not pip.",
                "always use poetry, not pip.",
            ),
            (
                "fix the login test, never push to the shared branch",
                "never push to the shared branch",
            ),
            (
                "that is wrong: never open the url, use the driver",
                "never open the url, use the driver",
            ),
            (
                "when you commit, always sign it off",
                "when you commit, always sign it off",
            ),
            (
                "Standing orders: Never commit to main",
                "Standing orders: Never commit to main",
            ),
            (
                "Request a second review. Make that standard in your workflow.",
                "Request a second review. Make that standard in your workflow.",
            ),
            (
                "Erm, paid parsing should never be included. The price is for the search alone.",
                "Erm, paid parsing should never be included. The price is for the search alone.",
            ),
        ] {
            assert_eq!(told(text), [rule], "{text}");
        }
    }

    #[test]
    fn a_step_of_one_plan_is_no_rule() {
        for text in [
            "Check in after each task, never run through all 7 in one go",
            "Please:\n- Create a fresh worktree\n- Write the parser\n- Every prompt must include the check of the tree\n- Open a pull request",
            "for now, fix it, always return an empty list",
            "Refactor the parser in src/a.rs, always return an empty list",
        ] {
            assert_eq!(told(text), Vec::<&str>::new(), "{text}");
        }
        let mixed = "Please:\n- Write the parser\n- Add tests of it\n- Never push to main\n- Always return an empty list\n- Open a pull request";
        assert_eq!(told(mixed), ["Never push to main"]);
        let items = "Please:\n- Always return the merged list\n- Always highlight the branch under the cursor\n- Always push updates to the view\n- Write the parser\n- Add tests of it\n- Open a pull request\n- Update the page";
        assert_eq!(told(items), Vec::<&str>::new());
        let rules = "How we work:\n- Always sign off commits\n- Never push to main\n- We use tabs in Makefiles";
        assert_eq!(told(rules).len(), 3);
    }
}
