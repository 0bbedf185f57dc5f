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
        || blames(lower)
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

/// "you should not have changed it", and not "guests should not have access" or "you should not have to log in".
fn blames(lower: &str) -> bool {
    ["you should not have ", "you shouldn't have "]
        .iter()
        .filter_map(|phrase| lower.split_once(phrase))
        .filter_map(|(_, after)| after.split_whitespace().next())
        .any(|next| !matches!(plain(next), "to" | "a" | "an" | "any" | "the" | "access"))
}

/// What follows a "no" that refuses.
const REFUSED: [&str; 18] = [
    "this", "that", "that's", "it", "it's", "you", "i", "not", "don't", "use", "still", "wait",
    "stop", "we", "please", "revert", "undo", "don´t",
];

/// Wherever they stand, these say it.
const ANYWHERE: [&str; 40] = [
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
    let told = |text: &str| {
        PREDICATES.iter().any(|predicate| {
            text.strip_prefix(predicate)
                .is_some_and(|after| !after.starts_with(|c: char| c.is_alphanumeric()))
        })
    };
    let alone = || {
        PREDICATES.iter().any(|predicate| {
            clause
                .strip_prefix(predicate)
                .is_some_and(|after| ends_complaint(predicate, after))
        })
    };
    rest.is_some_and(told) || alone() || clause == "wrong"
}

/// Whether a predicate without a subject is still said of the work: "broken again" and "doesn't work on Windows" are, "broken links" is not.
fn ends_complaint(predicate: &str, after: &str) -> bool {
    let is_verb = ["is", "do", "did", "looks", "seems"]
        .iter()
        .any(|verb| predicate.starts_with(verb));
    match after.trim() {
        "" | "again" | "here" | "for me" => true,
        // "not right now" puts it off.
        "now" => predicate != "not right",
        more => {
            after.starts_with(' ')
                && (is_verb || more.starts_with("with "))
                && more.split(' ').count() <= 2
        }
    }
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
mod tests;
