//! What an agent has and has not where it works, said with a mark that it was said before: "as I said, you don't have access to docker
//! here". Said once it may be of the moment; whoever has to say it again means it for longer.

use super::{clause, is_passing, plain};

/// What says that it was said before.
const MARKS: [&str; 20] = [
    "did we not go through this before",
    "didn't we go through this before",
    "didnt we go through this before",
    "didn't we go through this already",
    "didnt we go through this already",
    "we went through this before",
    "we went through this already",
    "we have been through this before",
    "we've been through this before",
    "we've been through this",
    "as i said before",
    "as i said",
    "as i told you before",
    "as i told you",
    "like i said before",
    "like i said",
    "i already told you",
    "i told you before",
    "i told you already",
    "again",
];

/// What is not there for the agent, up to its name.
const LACKS: [&str; 6] = [
    "you don't have access to ",
    "you dont have access to ",
    "you do not have access to ",
    "you have no access to ",
    "there is no ",
    "there's no ",
];
const MISSES: [&str; 8] = [
    " is not available ",
    " isn't available ",
    " isnt available ",
    " is not installed ",
    " isn't installed ",
    " isnt installed ",
    " is not reachable ",
    " isn't reachable ",
];

/// Where an agent works; without one of these a sentence may be about the product.
const HERE: [&str; 9] = [
    "here",
    "from here",
    "in here",
    "in this vm",
    "in this container",
    "in this sandbox",
    "on this machine",
    "on this host",
    "in this environment",
];

const MOST_WORDS: usize = 14;

/// The fact that a sentence says again.
pub(super) fn said_again(sentence: &str) -> Option<&str> {
    let lower = plain(sentence);
    // A quotation mark of more bytes would move the rest.
    if lower.len() != sentence.len() {
        return None;
    }
    let mark = MARKS.iter().find(|mark| lower.starts_with(**mark))?;
    let after = &sentence[mark.len()..];
    let fact = after.trim_start_matches([',', ':', ';', '-', '.', '!', ' ']);
    let is_apart = after.len() > fact.len();
    (is_apart && is_lack(&plain(fact))).then_some(fact)
}

/// Whether a clause in lower case says what an agent does not have where it works.
pub(super) fn is_lack(lower: &str) -> bool {
    let fact: Vec<&str> = lower.split_whitespace().collect();
    let (count, fact) = (fact.len(), fact.join(" "));
    let fact = fact.trim_end_matches(['.', '!', ' ']);
    let place = HERE.iter().filter_map(|here| fact.strip_suffix(here));
    let Some(what) = place.min_by_key(|what| what.len()) else {
        return false;
    };
    let what = what.strip_suffix(' ').map(|what| format!("{what} "));
    let lacks = |what: &str| {
        let of_agent = LACKS.iter().filter_map(|lack| what.strip_prefix(lack));
        let missing = MISSES.iter().filter_map(|miss| what.strip_suffix(miss));
        let mut named = of_agent.chain(missing);
        named.any(|name| !name.trim().is_empty() && !clause::points(name.trim()))
    };
    count <= MOST_WORDS && what.is_some_and(|what| lacks(&what)) && !is_passing(fact)
}

#[cfg(test)]
mod tests {
    use super::super::{Reach, instructions, is_of_work};

    fn kept(text: &str) -> Vec<&str> {
        let lasting = instructions(text).into_iter();
        let lasting = lasting.filter(|(_, reach)| *reach == Reach::Lasting);
        let rules = lasting.map(|(rule, _)| rule);
        rules.filter(|rule| is_of_work(rule)).collect()
    }

    #[test]
    fn what_is_not_there_for_an_agent_lasts_where_it_was_said_before() {
        for (prompt, expected) in [
            (
                "did we not go through this before, you dont have access to docker  here",
                "you dont have access to docker  here",
            ),
            (
                "As I said: podman is not installed in this VM.",
                "podman is not installed in this VM.",
            ),
            (
                "again, there is no database on this machine",
                "there is no database on this machine",
            ),
        ] {
            assert_eq!(kept(prompt), [expected]);
        }
    }

    #[test]
    fn what_is_said_once_of_a_product_or_of_the_moment_is_none() {
        for prompt in [
            "you dont have access to docker here",
            "there is no header here",
            "as i said, you don't have access to the settings as a viewer",
            "again, there is no header",
            "again, the badge is not available",
            "again, you don't have access to docker here yet",
            "as i said, you don't have access to that here",
            "as i said, there is no such button here?",
            "again there is this bug",
            "i allow you to commit with --no-verify",
            "you can push to main for this one",
            "I allow you to skip the hooks",
        ] {
            assert_eq!(kept(prompt), Vec::<&str>::new(), "{prompt}");
        }
    }
}
