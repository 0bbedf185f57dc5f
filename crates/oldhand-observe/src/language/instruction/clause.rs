//! Which part of what a person typed is the rule: the clause that orders, without what was said before it, or with the sentence that it
//! leans on.

use super::cues::PLACES;
use super::handing::DOING;
use super::law::{has_word, is_condition, is_law, names_tool};
use super::standing::needs_leave;
use super::wrap::text_column;
use super::{is_deed, proposed};

/// Words that open a condition, which belongs to the rule: "when you commit, always …".
const CONDITIONS: [&str; 17] = [
    "when", "whenever", "if", "for", "in", "on", "after", "before", "unless", "while", "with",
    "during", "once", "as", "where", "at", "to",
];

/// Words behind which something holds for all that is to come.
const TO_COME: [&str; 3] = ["from now on", "from now,", "from here on"];

/// The rule that a sentence lays down, as it stands in the text: without what was said before it, and where it is to be written down
/// for agents, what is to be written.
pub(super) fn rule_of(sentence: &str) -> &str {
    let sentence = to_be_written(sentence).unwrap_or(sentence);
    let lower = sentence.to_ascii_lowercase();
    let orders = ["always ", "never "].iter().chain(&TO_COME);
    let starts = orders.flat_map(|word| lower.match_indices(word));
    // What holds from now on is set against what was: "no need to mend that, but from now on …".
    let is_against =
        |before: &str, word: &str| before.trim_end().ends_with(", but") && TO_COME.contains(&word);
    let mut starts = starts.filter(|(start, word)| {
        let before = &lower[..*start];
        let is_apart = is_said_before(before) || is_against(before, word);
        *start > 0 && is_apart && is_law(&lower[*start..])
    });
    let cut = starts.next().map(|(start, _)| start);
    without_reminder(cut.map_or(sentence, |start| &sentence[start..]))
}

/// A rule without "I said" behind it, which only says that it was laid down before.
fn without_reminder(rule: &str) -> &str {
    const POINTING: [&str; 7] = ["like", "as", "what", "that", "where", "how", "than"];
    let bare = rule.trim_end_matches(['.', '!', ' ']);
    let start = bare.len().checked_sub(" i said".len());
    let Some((said, reminder)) = start.and_then(|start| bare.split_at_checked(start)) else {
        return rule;
    };
    let last = said.rsplit(' ').next().unwrap_or_default();
    let is_reminder = reminder.eq_ignore_ascii_case(" i said");
    let points = POINTING.contains(&last.to_ascii_lowercase().as_str());
    if is_reminder && !points {
        said.trim_end_matches([',', ' '])
    } else {
        rule
    }
}

/// What is to stand in a rules file, where a sentence asks to put it there: "update AGENTS.md to say that we never …".
fn to_be_written(sentence: &str) -> Option<&str> {
    const FILES: [&str; 4] = ["claude.md", "agents.md", "gemini.md", " rule "];
    let lower = sentence.to_ascii_lowercase();
    let at = FILES
        .iter()
        .filter_map(|file| lower.find(file))
        .max()
        .filter(|at| lower[..*at].contains(|c: char| c.is_alphabetic()))?;
    let is_asked = is_deed(lower.strip_prefix("note, ").unwrap_or(&lower));
    let places = |joint: &&str| Some((lower[at..].find(joint)?, joint.len()));
    let first = [" that ", ": ", " to "].iter().filter_map(places).min();
    let joint = first.map(|(start, length)| at + start + length)?;
    // "to say that", "to state that"
    let mut words = lower[joint..].splitn(3, ' ');
    let said = match (words.next(), words.next(), words.next()) {
        (Some(_), Some("that"), Some(said)) => sentence.len() - said.len(),
        _ => joint,
    };
    is_asked.then(|| sentence[said..].trim())
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
    names_tool(lower)
        || lower.contains("ask me")
        || has_word(lower, &WITH_ANY_WORK) && has_word(lower, &VERSIONED)
}

fn outlives_deed(lower: &str) -> bool {
    is_of_any_work(lower)
        || lower.starts_with("from now on")
        || CHOOSING.iter().any(|words| lower.contains(words))
}

/// Whether a rule is told with a deed that is done once and says nothing that outlives it: "refactor the parser, always return a list".
/// A tool, a choice of one thing before another, "from now on", and what is done with any work once it is there do.
pub(super) fn is_of_deed(sentence: &str, rule: &str) -> bool {
    let outlives = outlives_deed(&rule.to_ascii_lowercase());
    let before = sentence.strip_suffix(rule).unwrap_or_default();
    !outlives && to_be_written(sentence).is_none() && is_deed(&before.to_ascii_lowercase())
}

/// Whether a rule only ends the deed that the sentence before it orders: "let's rename it. Keep reading the old name but always write
/// the new one". What orders it opens no clause of its own and says nothing that outlives the deed.
pub(super) fn goes_on(text: &str, last: &str, rule: &str) -> bool {
    let lower = rule.to_ascii_lowercase();
    let begun = last.to_ascii_lowercase();
    let is_begun = is_deed(&begun) || proposed(&begun).is_some_and(is_deed);
    let mut joints = JOINED.iter().filter_map(|joint| lower.split_once(joint));
    let is_joined = joints.any(|(before, _)| !is_law(before) && !is_condition(before));
    is_begun && is_joined && !outlives_deed(&lower) && is_same_line(text, last, rule)
}

/// An order that is joined to another one.
const JOINED: [&str; 4] = [" and always ", " but always ", " and never ", " but never "];

fn is_same_line(text: &str, last: &str, rule: &str) -> bool {
    let Some(start) = text.find(last).map(|at| at + last.len()) else {
        return false;
    };
    let between = text[start..]
        .find(rule)
        .map(|end| &text[start..start + end]);
    between.is_some_and(|between| !between.contains('\n'))
}

/// Whether a sentence stands in brackets from its beginning to its end: an aside that explains what was said beside it.
pub(super) fn is_aside(text: &str, sentence: &str) -> bool {
    let Some(at) = text.find(sentence) else {
        return false;
    };
    let line = text[..at].rsplit('\n').next().unwrap_or_default();
    let is_open = |text: &str| text.matches('(').count() > text.matches(')').count();
    let opens = sentence.trim_start().starts_with('(');
    let closing = sentence.trim_end_matches(|c: char| c.is_ascii_punctuation());
    is_open(line) || opens && is_open(closing)
}

/// Whether an order ends in "now": it tells what is different after the change that is asked for. "From now on" opens a clause.
pub(super) fn is_of_a_change(lower: &str) -> bool {
    let mut clauses = lower.split([',', ';']).map(|clause| {
        clause.trim_end_matches(|c: char| c.is_ascii_punctuation() || c.is_whitespace())
    });
    clauses.any(|clause| {
        let is_ordered = ["always ", "never "]
            .iter()
            .any(|word| clause.contains(word));
        is_ordered && clause.ends_with(" now") && !clause.ends_with("from now")
    })
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

/// Whether a sentence points at what only the talk knows: "never do that", "don't use it for this", "as you said above".
pub(super) fn points(lower: &str) -> bool {
    const SAID: [&str; 5] = ["mentioned", "discussed", "suggested", "proposed", "said"];
    const BEFORE: [&str; 9] = [
        "do", "for", "like", "use", "run", "with", "about", "than", "is",
    ];
    let words: Vec<&str> = lower
        .split(|c: char| !(c.is_alphanumeric() || c == '\''))
        .filter(|word| !word.is_empty())
        .collect();
    let conditioned = is_condition(lower);
    let ordered = |at: usize| {
        at >= 2 && matches!(words[at - 2], "always" | "never" | "don't" | "dont" | "not")
    };
    words.iter().enumerate().any(|(at, word)| {
        let before = at.checked_sub(1).map_or("", |at| words[at]);
        let next = words.get(at + 1).copied();
        match *word {
            "these" | "those" | "above" => true,
            "this" => !next.is_some_and(|next| PLACES.contains(&next)),
            "that" => next.is_none() || BEFORE.contains(&before),
            // What is named before is what is committed: "format the page before committing it".
            "it" if DOING.contains(&before) => false,
            "it" => next.is_none() || at == 0 || before == "use" || ordered(at) && !conditioned,
            "the" => next.is_some_and(|next| matches!(next, "other" | "one")),
            _ => SAID.contains(word) && matches!(before, "you" | "we" | "i"),
        }
    })
}

/// Whether a sentence is one step in a list of things to do: it stands in a list of which most other items are no rules. "Never push
/// to main" is none, whatever stands around it, nor is what needs the person's leave or an item below "Rules for this project:".
pub(super) fn is_step(text: &str, sentence: &str) -> bool {
    let lower = sentence.to_ascii_lowercase();
    let is_order = ["always ", "never ", "from now on"]
        .iter()
        .any(|word| lower.starts_with(word));
    if is_order && is_of_any_work(&lower) || needs_leave(&lower) {
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
    let heading = lines[..own].iter().rfind(|line| !is_item(line));
    let is_of_rules = |line: &&str| {
        let lower = line.trim().to_ascii_lowercase();
        lower.ends_with(':') && has_word(&lower, &["rules", "conventions"])
    };
    if heading.is_some_and(is_of_rules) {
        return false;
    }
    let before = lines[..own].iter().rev().take_while(|line| is_item(line));
    let after = lines[own + 1..].iter().take_while(|line| is_item(line));
    let others: Vec<&&str> = before.chain(after).collect();
    let rules = others
        .iter()
        .filter(|line| is_law(&line.to_ascii_lowercase()));
    others.len() >= 2 && rules.count() * 2 < others.len()
}

#[cfg(test)]
mod tests {
    use super::super::{Reach, instructions};

    fn told(text: &str) -> Vec<&str> {
        let found = instructions(text).into_iter();
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
            ("never commit the notes I said!", "never commit the notes"),
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
        let list = |heading: &str| {
            format!(
                "{heading}:\n- Keep the steps apart in distinct commits.\n- Stop and ask if a step is large.\n- Tell me what to look at."
            )
        };
        assert_eq!(told(&list("Working rules for this project")).len(), 1);
        assert_eq!(told(&list("Please")), Vec::<&str>::new());
    }

    #[test]
    fn an_aside_in_brackets_explains_and_lays_nothing_down() {
        for text in [
            "the cli is fine for this, right? (we use go-git explicitly in other places to need no checkout of `main`)",
            "Use a map here. (We follow `lib/log` elsewhere. We use tabs in Makefiles.)",
            "Take the second one. (we only keep `gen/` for old clients).",
        ] {
            assert_eq!(told(text), Vec::<&str>::new(), "{text}");
        }
        for text in [
            "We use go-git (not the cli) in other places, so that no checkout is needed",
            "(remember) always use the docker of the project",
            "Take the second one. (Never push to main.)",
            "Fine (for today). We use tabs in Makefiles",
        ] {
            assert_eq!(told(text).len(), 1, "{text}");
        }
    }

    #[test]
    fn what_ends_the_deed_that_was_just_ordered_is_no_rule() {
        for text in [
            "ok, let's rename to \"steps\" instead. keep backwards compatibility to also read \"step_count\" but always write \"steps_count\"",
            "keep reading \"step_count\" but always write `steps_count` now",
            "Rename the field in `store.rs`. Take both names and never write the old one.",
            "always write `steps_count` now, and use \"steps\" in what users see",
        ] {
            assert_eq!(told(text), Vec::<&str>::new(), "{text}");
        }
        for text in [
            "Rename the field. Always use poetry, not pip.",
            "Rename the field. Run the linter and never push to main.",
            "Rename the field.\nKeep `docs/` short and always link the issue in `CHANGELOG.md`",
            "from now on always write `steps_count`",
        ] {
            assert_eq!(told(text).len(), 1, "{text}");
        }
    }
}
