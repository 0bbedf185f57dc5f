//! Standing orders that say by themselves that they outlive the task: what needs the person's leave, what was ordered before, what holds
//! for all that is to come, what "we" avoid, and what is given with its reason.

use super::cues::{FROM_NOW, SHOWN, TELLS_HOW};
use super::handing::is_of_product;
use super::law::{has_word, is_condition, is_from_now, is_order, refused};
use super::opening;

/// With the leave of the person who speaks. Texts that were made for everybody say "unless the user asks".
const LEAVE: [&str; 2] = [" without asking me", " without telling me"];
const LEAVE_BY_WORD: [&str; 2] = [" unless i ", " without my "];
const WORDS_OF_LEAVE: [&str; 17] = [
    "ask",
    "asked",
    "say",
    "said",
    "tell",
    "told",
    "request",
    "approve",
    "instruct",
    "approval",
    "permission",
    "consent",
    "authorization",
    "confirmation",
    "ok",
    "okay",
    "go-ahead",
];
/// What may stand before such a word.
const BEFORE_LEAVE: [&str; 5] = ["explicitly", "specifically", "explicit", "express", "have"];

/// What stands for the work at hand, whatever it is: "don't start without my go".
pub(super) const AT_HAND: [&str; 16] = [
    "anything",
    "something",
    "nothing",
    "start",
    "proceed",
    "begin",
    "continue",
    "go",
    "move",
    "implement",
    "code",
    "coding",
    "file",
    "files",
    "change",
    "changes",
];

/// What says that a refusal is of a whole kind of things.
const OF_ALL: [&str; 7] = [
    "our",
    "any",
    "all",
    "every",
    "ever",
    "anywhere",
    "everywhere",
];

/// What nobody wants anyway, and where a wish is of one place.
const AVOIDED_ANYWAY: [&str; 9] = [
    "bug",
    "bugs",
    "regression",
    "regressions",
    "error",
    "errors",
    "mistakes",
    "confusion",
    "here",
];

/// In what manner something is done.
const MANNERS: [&str; 6] = [
    "naming",
    "style",
    "pattern",
    "format",
    "convention",
    "notation",
];

/// Whether a sentence in lower case refuses something that the person allows from time to time.
pub(super) fn needs_leave(lower: &str) -> bool {
    let is_leave = |after: &str| {
        let words = after.split(|c: char| !(c.is_alphanumeric() || c == '-'));
        let mut words = words.skip_while(|word| BEFORE_LEAVE.contains(word));
        words
            .next()
            .is_some_and(|word| WORDS_OF_LEAVE.contains(&word))
    };
    let asks = |text: &str| {
        let mut by_word = LEAVE_BY_WORD
            .iter()
            .filter_map(|leave| text.split_once(leave));
        LEAVE.iter().any(|leave| text.contains(leave)) || by_word.any(|(_, after)| is_leave(after))
    };
    refused(lower).any(asks) || is_order(lower, "never ") && asks(lower)
}

/// "From now on don't … without explicit permission": what is allowed from time to time and refused for all that is to come says enough,
/// whatever it names.
fn needs_leave_from_now(lower: &str) -> bool {
    let is_leave = |refused: &str| {
        let mut after = refused.split(" without ").skip(1);
        after.any(|after| {
            let words = after.split(|c: char| !(c.is_alphanumeric() || c == '-'));
            let mut words = words.skip_while(|word| *word == "my" || *word == "any");
            let is_express = words
                .next()
                .is_some_and(|word| BEFORE_LEAVE.contains(&word));
            is_express
                && words
                    .next()
                    .is_some_and(|word| WORDS_OF_LEAVE.contains(&word))
        })
    };
    is_from_now(lower) && refused(lower).any(is_leave)
}

/// "Again, don't wrap our pages": who has to repeat a refusal of a whole kind means it for longer.
fn is_repeated(lower: &str) -> bool {
    let order = opening(lower).strip_prefix("again");
    let order = order.map(|rest| rest.trim_start_matches([',', ':', ' ', '-', '—']));
    order.is_some_and(|order| {
        (refused(order).next().is_some() || order.starts_with("never "))
            && has_word(order, &OF_ALL)
            && !has_word(order, &["just", "only"])
            && !is_of_product(order)
    })
}

/// "All future endpoints shall be versioned", "don't include it in any future PR". How entries of a later day are shown is a wish for
/// the product.
pub(super) fn is_of_all_to_come(lower: &str) -> bool {
    let of_handing = [
        " any future pr",
        " any future commit",
        " any future release",
        " future prs",
        " future commits",
    ];
    let mut refused = refused(lower);
    if refused.any(|what| of_handing.iter().any(|words| what.contains(words))) {
        return true;
    }
    let opening = opening(lower);
    let opens = ["all future ", "every future "];
    let binds = [" shall ", " should ", " must "];
    opens.iter().any(|words| opening.starts_with(words))
        && binds.iter().any(|verb| opening.contains(verb))
        && !has_word(opening, &SHOWN)
}

/// "We should avoid global variables".
fn is_avoided(lower: &str) -> bool {
    let opens = [
        "we avoid ",
        "we should avoid ",
        "we must avoid ",
        "we want to avoid ",
        "you should avoid ",
    ];
    let avoided = opens
        .iter()
        .find_map(|words| opening(lower).strip_prefix(words));
    avoided.is_some_and(|what| {
        let is_shown = ["showing ", "displaying ", "rendering ", "having "]
            .iter()
            .any(|showing| what.starts_with(showing));
        // "The second query" is there already; a manner is meant for what comes.
        let is_there = what.starts_with("the ") && !has_word(what, &MANNERS);
        let is_case = what.contains(" when ");
        !is_shown
            && !is_there
            && !is_case
            && !has_word(what, &AVOIDED_ANYWAY)
            && !is_of_product(what)
    })
}

/// "We should not introduce any regressions": nobody wants that anyway, and nothing says how it would be kept to.
pub(super) fn is_unwanted_anyway(opening: &str) -> bool {
    const REFUSED: [&str; 5] = [
        "we should not ",
        "we shouldn't ",
        "we must not ",
        "we should never ",
        "we must never ",
    ];
    let mut what = REFUSED
        .iter()
        .filter_map(|words| opening.strip_prefix(words));
    let Some(what) = what.next() else {
        return false;
    };
    let is_caused = what.starts_with("introduce ") || what.starts_with("cause ");
    // What goes on behind a comma is a reason, or one more thing.
    let mut clauses = what.split(',').map(str::trim_start);
    let first = clauses.next();
    let more = clauses.take_while(|clause| clause.starts_with("or ") || clause.starts_with("and "));
    let mut all = first.into_iter().chain(more);
    is_caused && all.any(|clause| has_word(clause, &AVOIDED_ANYWAY[..7]))
}

/// Whether a sentence in lower case is a law by one of these.
pub(super) fn is_standing(lower: &str) -> bool {
    needs_leave(lower)
        || is_repeated(lower)
        || is_of_all_to_come(lower)
        || is_avoided(lower)
        || is_set_apart(lower)
}

/// "Internal changes are never breaking ones, only those of settings are": what is meant by a word, set apart from what is not.
fn is_set_apart(lower: &str) -> bool {
    let Some((first, rest)) = lower.split_once(", only ") else {
        return false;
    };
    let rest = rest.trim_end_matches(['.', '!', ' ']);
    let opens = |word: &str| first.starts_with(word);
    [
        (" are never ", " are"),
        (" are never ", " is"),
        (" is never ", " is"),
        (" is never ", " are"),
    ]
    .iter()
    .any(|(never, end)| first.contains(never) && rest.ends_with(end))
        && !["it ", "this ", "that ", "they ", "there "]
            .iter()
            .any(|word| opens(word))
        && !is_of_product(lower)
}

/// "Never use a fixed threshold because it does not carry over": an order with its reason, which goes back to what is named. "Never
/// skip a test because the runner is slow" refuses a reason, and "the upload" is one thing.
fn is_reasoned(lower: &str) -> bool {
    let reasons = [" because it ", " because it's ", " because they "];
    let is_ordered = ["never ", "always "].iter().any(|word| {
        let mut after = lower.split(word).skip(1);
        let is_one = |order: &str| matches!(order.split(' ').nth(1), Some("the" | "my" | "your"));
        is_order(lower, word) && !after.any(is_one)
    });
    is_ordered && reasons.iter().any(|why| lower.contains(why)) && !is_of_product(lower)
}

/// "From now on when we write tests, …"; what "we get" is met by the product.
fn is_of_occasions_to_come(lower: &str) -> bool {
    let opening = opening(lower);
    let rest = FROM_NOW[..2]
        .iter()
        .find_map(|words| opening.strip_prefix(words));
    rest.is_some_and(|rest| {
        let verb = super::opening(rest).split_whitespace().nth(2);
        is_condition(rest) && !verb.is_some_and(|verb| TELLS_HOW.contains(&verb))
    })
}

/// Whether a law says enough by itself to be kept to, though it names neither code nor a thing that all work has.
pub(super) fn says_enough(lower: &str) -> bool {
    needs_leave(lower) && !has_word(lower, &AT_HAND)
        || needs_leave_from_now(lower)
        || is_repeated(lower)
        || is_of_all_to_come(lower)
        || is_avoided(lower)
        || is_set_apart(lower)
        || is_reasoned(lower)
        || is_of_occasions_to_come(lower)
}

#[cfg(test)]
mod tests {
    use super::super::{Reach, instructions, is_of_work};

    /// What is kept of a prompt.
    fn kept(text: &str) -> Vec<&str> {
        let lasting = instructions(text).into_iter();
        let lasting = lasting.filter(|(_, reach)| *reach == Reach::Lasting);
        let rules = lasting.map(|(rule, _)| rule);
        rules.filter(|rule| is_of_work(rule)).collect()
    }

    #[test]
    fn a_standing_order_says_itself_that_it_outlives_the_task() {
        for rule in [
            "Do not regenerate the fixtures unless I explicitly ask.",
            "Please don't restart the staging cluster without my approval",
            "Never upload recordings without asking me.",
            "Again, don't reflow our changelogs",
            "AGAIN: never put emojis into any heading",
            "So all future endpoints shall be versioned.",
            "remove docs/notes from the branch and don't include notes in any future PRs",
            "renames are never breaking changes, only changes of a default are.",
            "Don't bother with Windows, we only support Linux and macOS",
            "We should avoid the snake-case naming",
            "Every future importer must survive an empty archive",
            "We should avoid singletons, they made the suite flaky",
            "we want to avoid abbreviations in identifiers",
            "Never hard-code a tolerance because it differs between scanners.",
            "Always pin actions because they are rewritten under the same tag",
            "From now on when we add benchmarks, we start with the small input",
            "From now, note that DO NOT overwrite the sample files without explicit approval.",
            "from here on don't drop fixtures and seed files without express consent",
        ] {
            assert_eq!(kept(rule), [rule]);
        }
        let rule = "from now, note that do not overwrite seed files without explicit approval.";
        let after = format!("No need to bring the sample back, but {rule}");
        assert_eq!(kept(&after), [rule]);
    }

    #[test]
    fn what_is_of_the_work_at_hand_is_none() {
        let heard = [
            "Don't start without my approval",
            "do not change anything unless I say so",
            "don't implement the plan unless I approve it",
            "Don't touch these fixtures unless I ask",
            "It doesn't delete rows unless I ask twice",
            "The dialog closes without my doing",
            "Don't do it again without my help",
            "Again, don't move the label",
            "Again, the build does not find any header",
            "again, don't put any badge into the sidebar",
            "again, don't do that",
            "All future dates are greyed out",
            "don't include it in this PR, future ones are fine",
            "they are never shown, only the first one is",
            "the header is never red, only the footer is",
            "we should not introduce any breaking changes, or missing bugs/regressions",
            "we must never cause errors",
            "any future change will be lost",
            "All future entries should be hidden in the list",
            "We should avoid any regressions",
            "we should avoid showing it twice",
            "We want to avoid the second request here",
            "we should avoid that for now",
            "should we avoid globals?",
            "It never worked because it was not installed",
            "Never dismiss a report because the runner is slow",
            "Never show the toast because it is distracting",
            "From now on the importer is called loader",
            "don't run the import without my database dump",
            "Do not overwrite a draft unless I explicitly confirm in a popup",
            "again, don't rewrite our whole parser, only the broken branch",
            "All future milestones need to move by two weeks",
            "We should avoid the second query, load both in one",
            "you should avoid a lookup when the token is expired",
            "never retry the upload because it doubles the charge",
            "going forward when we get a 429, we back off",
            "Note that do not overwrite the sample files without a backup",
            "From now, the importer does not overwrite files without explicit approval",
            "from now, it should be faster",
        ]
        .map(kept)
        .concat();
        assert_eq!(heard, Vec::<&str>::new());
    }

    #[test]
    fn of_a_long_prompt_only_what_needs_leave_counts() {
        let plan = "The importer reads the archive and writes one row for each entry of it.\n";
        let steps = "\n- Read the header\n- Do not regenerate the fixtures unless I explicitly ask\n- Write the rows\n- Never keep a cursor open\n- We use tabs in tables\n- Close the file\n";
        let long = plan.repeat(40) + steps;
        assert!(long.len() > super::super::TEXT_LIMIT);
        assert_eq!(
            kept(&long),
            ["Do not regenerate the fixtures unless I explicitly ask"]
        );
        let of_everybody = long.replace("I explicitly ask", "the user asks");
        assert_eq!(kept(&of_everybody), Vec::<&str>::new());
        let quoted = long.replace("- Do not", "> Do not");
        assert_eq!(kept(&quoted), Vec::<&str>::new());
        let log = plan.repeat(300) + steps;
        assert_eq!(kept(&log), Vec::<&str>::new());
    }
}
