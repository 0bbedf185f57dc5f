//! Whether a prompt asks for anything that a memory could answer: one judgement for hooks and for whoever wants to see what they say.

use oldhand_domain::words;

use crate::predict::COURTESIES;

/// What a prompt is to a memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Heard {
    /// It says what to do, or asks something.
    Request,
    /// A command to the client itself: `/compact`.
    Command,
    /// A yes, a thanks, a word to go on: whatever shares such words is no answer.
    Talk,
}

impl Heard {
    pub fn of(prompt: &str) -> Self {
        let prompt = prompt.trim();
        if is_command(prompt) {
            Self::Command
        } else if says_something(prompt) {
            Self::Request
        } else {
            Self::Talk
        }
    }

    /// Why nothing is told with it; nothing for a request.
    pub const fn why_silent(self) -> Option<&'static str> {
        match self {
            Self::Request => None,
            Self::Command => {
                Some("a command to the client itself, with which agents are told nothing")
            }
            Self::Talk => Some("it asks for nothing that a memory could answer"),
        }
    }
}

/// `/compact`, `/plugin:deploy now`; not `/etc/hosts`, not `/a.txt`, and not `/login returns 404`.
fn is_command(prompt: &str) -> bool {
    let mut words = prompt
        .strip_prefix('/')
        .unwrap_or_default()
        .split_whitespace();
    let name = words.next().unwrap_or_default();
    let name = name.trim_end_matches([',', '.', '!', '?']);
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | ':');
    name.starts_with(char::is_alphabetic)
        && name.chars().all(is_part)
        && !words.next().is_some_and(|word| TOLD_OF.contains(&word))
}

/// What stands behind the name of a route of which something is told.
const TOLD_OF: [&str; 20] = [
    "answers", "can't", "cannot", "crashes", "does", "doesn't", "fails", "gives", "has", "is",
    "isn't", "must", "needs", "never", "responds", "returns", "should", "takes", "throws", "was",
];

/// A script that sets no blanks between words says something from so many letters on.
const LETTERS: usize = 6;

fn says_something(prompt: &str) -> bool {
    let is_unspaced = |word: &str| word.chars().any(words::is_unspaced);
    let says = |word: &String| {
        !is_unspaced(word)
            && word.chars().nth(1).is_some()
            && !word.bytes().all(|byte| byte.is_ascii_digit())
            && words::is_telling(word)
            && !COURTESIES.contains(&word.as_str())
            && TALK.binary_search(&word.as_str()).is_err()
    };
    let letters = prompt.chars().filter(|c| words::is_unspaced(*c));
    let words = || words::split(&words::without_contractions(prompt));
    letters.take(LETTERS).count() == LETTERS || words().iter().any(says)
}

/// What people say to an agent whatever it is doing: yes and no, greetings, to go on or to stop. Sorted.
const TALK: &[&str] = &[
    "again",
    "agreed",
    "ahead",
    "all",
    "alright",
    "anything",
    "bonjour",
    "bye",
    "cancel",
    "carry",
    "continue",
    "continuer",
    "continuez",
    "correct",
    "course",
    "da",
    "dale",
    "danke",
    "done",
    "enough",
    "exactly",
    "genau",
    "go",
    "going",
    "got",
    "gracias",
    "gut",
    "hallo",
    "hello",
    "help",
    "hey",
    "hi",
    "hm",
    "hmm",
    "hola",
    "ja",
    "just",
    "keep",
    "later",
    "let",
    "makes",
    "maybe",
    "merci",
    "more",
    "morning",
    "nein",
    "next",
    "no",
    "non",
    "nope",
    "now",
    "obrigado",
    "oh",
    "ok",
    "okay",
    "one",
    "oui",
    "pardon",
    "pause",
    "please",
    "point",
    "problem",
    "proceed",
    "quit",
    "ready",
    "really",
    "resume",
    "right",
    "sec",
    "sense",
    "sigue",
    "sim",
    "skip",
    "sorry",
    "sounds",
    "start",
    "stop",
    "sure",
    "think",
    "try",
    "understood",
    "vale",
    "wait",
    "weiter",
    "wow",
    "wrong",
    "ya",
    "yeah",
    "yep",
    "yes",
    "yet",
    "yup",
    "да",
    "дальше",
    "нет",
    "привет",
    "спасибо",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_is_sorted() {
        assert!(TALK.is_sorted());
    }

    #[test]
    fn what_says_what_to_do_is_a_request_however_short() {
        for prompt in [
            "run tests",
            "rename CODEX_SANDBOX_ENV_VAR",
            "deploy",
            "fix clippy",
            "/etc/hosts is not read",
            "/a.txt is empty",
            "/etc/hosts, it is empty",
            "/login gives 404",
            "one endpoint makes no sense",
            "make the wire format compile",
            "データベースの移行とテスト",
            "ok, now run the tests",
            "yes, use tabs",
        ] {
            assert_eq!(Heard::of(prompt), Heard::Request, "{prompt}");
        }
    }

    #[test]
    fn talk_and_commands_to_the_client_are_none() {
        for prompt in [
            "",
            " ",
            "ok",
            "OK!",
            "thanks",
            "thanks, that's great",
            "go on",
            "go ahead please",
            "continue",
            "yes, go",
            "yes please do it",
            "no, not that",
            "no, don't",
            "let's go",
            "got it",
            "makes sense",
            "Sounds good!",
            "good point",
            "no problem",
            "not yet",
            "one sec",
            "hello",
            "2",
            "y",
            "b",
            "👍",
            "続けて",
            "ja, weiter",
            "да",
        ] {
            assert_eq!(Heard::of(prompt), Heard::Talk, "{prompt}");
        }
        for prompt in [
            "/compact",
            " /compact keep the plan please",
            "/mcp__a__b x",
            "/team:deploy",
            "/deploy, now",
            "/deploy!",
        ] {
            assert_eq!(Heard::of(prompt), Heard::Command, "{prompt}");
        }
    }
}
