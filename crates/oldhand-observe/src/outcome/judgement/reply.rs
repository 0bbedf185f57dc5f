//! What a person's next prompt says of the work before it: that it is wrong, that other work begins, or nothing of either.

/// How a person answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Reply {
    /// In these words.
    Objects(String),
    /// They ask for something else.
    GoesOn,
    /// "continue", "hmm", "now run the tests": the work is judged by nobody.
    Neither,
}

/// Only the opening counts: further down people describe what the code should do.
const OPENING: usize = 160;

pub(super) fn read(prompt: &str) -> Reply {
    let prompt = prompt.trim_start();
    if is_of_the_client(prompt) {
        return Reply::Neither;
    }
    let opening = &prompt[..prompt.floor_char_boundary(OPENING)];
    let lower = opening.to_lowercase().replace('’', "'");
    if objects(&lower) {
        let line = opening.lines().next().unwrap_or(opening).trim();
        return Reply::Objects(line[..line.floor_char_boundary(100)].to_owned());
    }
    if begins_work(&lower) {
        Reply::GoesOn
    } else {
        Reply::Neither
    }
}

/// Commands of the client, and what it puts in itself.
fn is_of_the_client(prompt: &str) -> bool {
    prompt.starts_with(['/', '<', '[', '!'])
}

/// The words in which a person takes what they were shown as it is, without a condition or a question.
pub(super) fn accepts(prompt: &str) -> Option<String> {
    const SUBJECTS: [&str; 9] = [
        "it ",
        "this ",
        "that ",
        "all ",
        "spec ",
        "the spec ",
        "the specification ",
        "i ",
        "yes ",
    ];
    const APPROVALS: [&str; 17] = [
        "lgtm",
        "looks good",
        "looks great",
        "looks fine",
        "sounds good",
        "approve",
        "approved",
        "is approved",
        "accept",
        "accepted",
        "is accepted",
        "perfect",
        "ship it",
        "go ahead",
        "sieht gut aus",
        "einverstanden",
        "freigegeben",
    ];
    const CONDITIONS: [&str; 9] = [
        " but ", "except", "however", "so far", " once ", " if ", " after ", " when ", "?",
    ];
    let prompt = prompt.trim();
    if is_of_the_client(prompt) || matches!(read(prompt), Reply::Objects(_)) {
        return None;
    }
    let opening = &prompt[..prompt.floor_char_boundary(OPENING)];
    let lower = opening.to_lowercase();
    if CONDITIONS.iter().any(|condition| lower.contains(condition)) {
        return None;
    }
    let approves = |clause: &str| {
        let clause = without_fillers(clause);
        let rest = SUBJECTS
            .iter()
            .find_map(|subject| clause.strip_prefix(subject))
            .unwrap_or(clause);
        APPROVALS.iter().any(|approval| {
            rest.strip_prefix(approval)
                .is_some_and(|after| !after.starts_with(|c: char| c.is_alphanumeric()))
        })
    };
    let line = opening.lines().next().unwrap_or(opening).trim();
    clauses(&lower)
        .any(approves)
        .then(|| line[..line.floor_char_boundary(100)].to_owned())
}

fn objects(lower: &str) -> bool {
    ANYWHERE.iter().any(|phrase| lower.contains(phrase))
        || refuses(lower)
        || clauses(lower).any(|clause| is_complaint(without_fillers(clause)))
}

/// "no", "No, …", "nope", "stop", "undo …", "please revert it", "wrong file!".
fn refuses(lower: &str) -> bool {
    let mut words = lower.split_whitespace().skip_while(|word| {
        matches!(
            plain(word),
            "please"
                | "pls"
                | "ok"
                | "okay"
                | "just"
                | "hm"
                | "hmm"
                | "can"
                | "could"
                | "you"
                | "sorry"
                | "wait"
        )
    });
    let Some(first) = words.next() else {
        return false;
    };
    let rest: Vec<&str> = words.map(plain).collect();
    let next = rest.first().copied().unwrap_or_default();
    match plain(first) {
        "no" | "nein" | "non" | "não" | "нет" => {
            let said_alone = first.ends_with([',', '.', '!', ';', '-', ':']) || rest.is_empty();
            let kind = matches!(
                next,
                "worries" | "problem" | "problems" | "need" | "rush" | "thanks" | "thank" | "hurry"
            );
            !kind && (said_alone || REFUSED.contains(&next))
        }
        "nope" | "undo" | "revert" | "rollback" | "wrong" | "incorrect" => true,
        "roll" => next == "back" || rest.get(1) == Some(&"back"),
        "stop" => {
            rest.is_empty()
                || (rest.len() == 1 && matches!(next, "it" | "that" | "this" | "please" | "now"))
        }
        _ => false,
    }
}

/// What follows a "no" that refuses.
const REFUSED: [&str; 18] = [
    "this", "that", "that's", "it", "it's", "you", "i", "not", "don't", "use", "still", "wait",
    "stop", "we", "please", "revert", "undo", "don´t",
];

/// Wherever they stand, these say it.
const ANYWHERE: [&str; 42] = [
    "that's wrong",
    "that is wrong",
    "this is wrong",
    "that's not right",
    "that's not correct",
    "that is not correct",
    "that's incorrect",
    "still failing",
    "still fails",
    "still broken",
    "still doesn't work",
    "still does not work",
    "still not working",
    "you broke",
    "not what i asked",
    "not what i wanted",
    "not what i meant",
    "didn't ask for",
    "did not ask for",
    "should not have",
    "shouldn't have",
    "revert that",
    "undo that",
    // German, French, Spanish, Portuguese, Italian, Russian, Chinese, Japanese
    "das ist falsch",
    "stimmt nicht",
    "geht nicht",
    "funktioniert nicht",
    "ne marche pas",
    "ne fonctionne pas",
    "c'est faux",
    "no funciona",
    "está mal",
    "não funciona",
    "está errado",
    "non funziona",
    "не работает",
    "неправильно",
    "неверно",
    "不对",
    "错了",
    "違います",
    "動きません",
];

/// "it crashes", "that broke the page", "this is not working": the work as subject, at the beginning of a clause.
fn is_complaint(clause: &str) -> bool {
    const SUBJECTS: [&str; 12] = [
        "it ",
        "this ",
        "that ",
        "it's ",
        "that's ",
        "your change ",
        "your changes ",
        "your fix ",
        "your code ",
        "the fix ",
        "the change ",
        "same error",
    ];
    const PREDICATES: [&str; 30] = [
        "broke",
        "broken",
        "breaks",
        "crashes",
        "crashed",
        "fails",
        "failed",
        "failing",
        "is broken",
        "is failing",
        "is wrong",
        "is not right",
        "isn't right",
        "is incorrect",
        "is not working",
        "isn't working",
        "not working",
        "doesn't work",
        "does not work",
        "didn't work",
        "did not work",
        "don't work",
        "doesn't compile",
        "does not compile",
        "doesn't build",
        "looks wrong",
        "looks broken",
        "seems wrong",
        "seems broken",
        "not right",
    ];
    if clause.starts_with("same error") {
        return true;
    }
    // "it's" may stand before "is broken" written short.
    let rest = SUBJECTS
        .iter()
        .find_map(|subject| clause.strip_prefix(subject));
    let rest = rest.map(|rest| {
        rest.strip_prefix("still ")
            .or_else(|| rest.strip_prefix("now "))
            .unwrap_or(rest)
    });
    let alone = clause.split(' ').count() <= 4;
    let told = |text: &str| {
        PREDICATES.iter().any(|predicate| {
            text.strip_prefix(predicate)
                .is_some_and(|after| !after.starts_with(|c: char| c.is_alphanumeric()))
        })
    };
    rest.is_some_and(told) || alone && (told(clause) || clause == "wrong")
}

fn clauses(lower: &str) -> impl Iterator<Item = &str> {
    lower
        .split(['.', '!', '?', ',', ';', '\n', '—'])
        .flat_map(|part| part.split(" but "))
        .map(str::trim)
        .filter(|part| !part.is_empty())
}

fn without_fillers(mut text: &str) -> &str {
    const FILLERS: [&str; 21] = [
        "no ",
        "hmm ",
        "hm ",
        "now ",
        "and ",
        "so ",
        "well ",
        "ok ",
        "okay ",
        "great ",
        "thanks ",
        "actually ",
        "yeah ",
        "hey ",
        "next ",
        "then ",
        "please ",
        "also ",
        "can you ",
        "could you ",
        "let's ",
    ];
    while let Some(rest) = FILLERS.iter().find_map(|filler| text.strip_prefix(filler)) {
        text = rest.trim_start_matches([',', ' ', '.', '!', '-', ':']);
    }
    text
}

/// An order for something that is not spoken of as known: "add a page for …", "now the docs".
fn begins_work(lower: &str) -> bool {
    const ORDERS: &str = "add implement create build write introduce support refactor rename move extract simplify split clean remove \
        delete drop document update upgrade bump migrate port change make fix investigate review explain research design plan look";
    let spaced: Vec<&str> = lower
        .split_whitespace()
        .map(|word| word.trim_end_matches([',', '.', '!']))
        .collect();
    let joined = spaced.join(" ");
    let text = without_fillers(&joined);
    let mut words = text.split(' ').map(plain);
    let (Some(order), Some(what)) = (words.next(), words.next()) else {
        return false;
    };
    let same = |word: &str| {
        matches!(
            word,
            "it" | "this"
                | "that"
                | "them"
                | "these"
                | "those"
                | "again"
                | "back"
                | "sure"
                | "instead"
        )
    };
    let rest: Vec<&str> = words.collect();
    // What does not pass yet is the same work.
    let mending = |word: &str| {
        matches!(
            word,
            "test"
                | "tests"
                | "error"
                | "errors"
                | "build"
                | "lint"
                | "ci"
                | "failing"
                | "broken"
                | "same"
                | "instead"
                | "again"
        )
    };
    let next = text.len() < joined.len()
        && order == "the"
        && (joined.starts_with("now ") || joined.starts_with("next "));
    if next {
        return !mending(what);
    }
    let mends = order == "fix" && (mending(what) || rest.iter().any(|word| mending(word)));
    let known = ORDERS.split_whitespace().any(|known| known == order);
    known && !same(what) && !rest.is_empty() && !mends && !rest.contains(&"instead")
}

fn plain(word: &str) -> &str {
    word.trim_matches(|c: char| !c.is_alphanumeric() && c != '\'')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn objections_are_heard_in_plain_words() {
        for prompt in [
            "No, this is not working",
            "are you sure? it looks broken to me",
            "no",
            "No!",
            "nope, use the other client",
            "stop",
            "please undo",
            "undo",
            "revert it",
            "can you revert your last change?",
            "roll it back",
            "that broke the login page",
            "This crashes now",
            "wrong file!",
            "It fails with a TypeError",
            "It’s still failing",
            "You should not have changed the API",
            "I didn't ask for a new flag",
            "hmm, that doesn't work on Windows",
            "not working",
            "same error",
            "das ist falsch",
            "no, it doesn't work when the cache is cold",
            "Still failing:\n```\nerror\n```",
            "no funciona",
            "不对，应该是另一个文件",
        ] {
            assert!(matches!(read(prompt), Reply::Objects(_)), "{prompt}");
        }
    }

    #[test]
    fn other_work_is_a_new_order() {
        for prompt in [
            "now the docs",
            "Great, thanks! Now add a page for the settings",
            "add a --json flag to the list command",
            "Next, rename the store to archive",
            "can you write a changelog entry for the release",
            "fix the typo in the contributing guide",
            "add a retry for every request that fails",
            "add a retry when login fails",
            "remove the undo button from the toolbar",
        ] {
            assert_eq!(read(prompt), Reply::GoesOn, "{prompt}");
        }
    }

    #[test]
    fn approval_is_plain_and_without_conditions() {
        for prompt in [
            "LGTM",
            "looks good to me",
            "The spec looks good, go on with the plan",
            "Yes, go ahead",
            "ok, approved!",
            "I accept it",
            "Perfect. Now add the tasks for it",
            "sieht gut aus",
        ] {
            assert!(accepts(prompt).is_some(), "{prompt}");
        }
        for prompt in [
            "looks good but the limits are missing",
            "looks good?",
            "looks good so far",
            "not approved",
            "no, that looks good only on paper",
            "it doesn't look good",
            "go ahead if the tests pass",
            "make it perfect",
            "perfectly unclear",
            "thanks",
            "continue",
            "/approve",
            "<command-name>approved</command-name>",
        ] {
            assert_eq!(accepts(prompt), None, "{prompt}");
        }
    }

    #[test]
    fn only_the_opening_counts() {
        let long = format!("{} and that's wrong", "describe the design ".repeat(12));
        assert_eq!(read(&long), Reply::Neither);
    }

    #[test]
    fn what_says_neither_is_taken_for_neither() {
        for prompt in [
            "continue",
            "hmm",
            "ok",
            "thanks",
            "go on",
            "yes",
            "no worries, take your time",
            "no need to run the tests",
            "why did you touch that file?",
            "now run the tests",
            "commit this",
            "fix it",
            "fix the failing test",
            "make it faster",
            "change that back",
            "stop the server and start it again",
            "/clear",
            "<command-name>/compact</command-name>",
            "[Request interrupted by user]",
            "what does if it fails, retry mean?",
            "use the other client instead",
            "",
        ] {
            assert_eq!(read(prompt), Reply::Neither, "{prompt}");
        }
    }
}
