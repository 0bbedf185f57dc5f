//! Words that speak to a model instead of about the work: orders to drop its orders, calls of tools, programs fetched and run
//! unseen, text that hides.
//!
//! Rules files and memories are full of honest imperatives ("always run the tests"), so that precision counts more than recall: an
//! order is one by what it is about, never by its tone. Who writes such words is not refused; a person reads them first.

mod addressed;
mod disguise;
mod shell;

use std::fmt;

pub(crate) use addressed::CLIENTS;
use disguise::{decoded, hides, unmasked};

/// What a text tries to make of its reader.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// Drop what you were told before.
    Overrule,
    /// Be somebody else, or tell what you were told.
    Role,
    /// Keep it from the person you work for.
    Secrecy,
    /// Fetch a program and run it unseen.
    Fetch,
    /// Carry secrets out.
    Leak,
    /// Words in the syntax in which clients call tools and mark who speaks.
    Call,
    /// Tell an agent what to do, where no person speaks.
    Address,
    /// Words in an encoding that only a machine reads.
    Blob,
    /// Characters that nobody sees.
    Hidden,
}

impl Order {
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Overrule => "tells a model to drop its instructions",
            Self::Role => "tells a model who to be",
            Self::Secrecy => "tells a model to keep something from its user",
            Self::Fetch => "runs a program straight from the network",
            Self::Leak => "sends secrets away",
            Self::Call => "is written as a call of a tool or another speaker",
            Self::Address => "tells an agent what to do",
            Self::Blob => "holds encoded words",
            Self::Hidden => "holds hidden characters",
        }
    }
}

impl fmt::Display for Order {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// The first order that a text gives to a model; `None` for almost everything that people write down.
pub fn order_in(text: &str) -> Option<Order> {
    if hides(text) {
        return Some(Order::Hidden);
    }
    let plain = unmasked(text);
    if let Some(order) = plain_order_in(&plain) {
        return Some(order);
    }
    if decoded(text) {
        return Some(Order::Blob);
    }
    // The last of all: what a person may say beside it, they may not say with another order.
    plain.lines().any(shell::fetches).then_some(Order::Fetch)
}

/// The same for what a person says themselves: how a program is installed is a thing to note, as long as it stands there where it comes from.
pub fn order_of_person(text: &str) -> Option<Order> {
    order_in(text).filter(|order| {
        let plain = unmasked(text);
        let mut fetching = plain.lines().filter(|line| shell::fetches(line));
        *order != Order::Fetch || !fetching.all(shell::installs)
    })
}

/// The same for words that no person said: what a program printed, a page held or an agent made of them. A person may lay down what
/// agents should always do; an error that does is somebody else's.
pub fn order_in_output(text: &str) -> Option<Order> {
    order_in(text).or_else(|| {
        let plain = unmasked(text);
        let addresses = sentences(&plain).any(|sentence| {
            addressed::addresses(&words_of(sentence).split_whitespace().collect::<Vec<_>>())
        });
        addresses.then_some(Order::Address)
    })
}

/// A line break is white space: an order is none the less one for being spread over two lines.
fn sentences(text: &str) -> impl Iterator<Item = &str> {
    text.split(['.', '!', '?', ';', '。', '！'])
}

/// A sentence with nothing in it but words and spaces.
fn words_of(sentence: &str) -> String {
    sentence
        .chars()
        .filter(|char| *char != '\'')
        .map(|char| if char.is_alphanumeric() { char } else { ' ' })
        .collect()
}

/// `text` is in lower case and of one script.
fn plain_order_in(text: &str) -> Option<Order> {
    if calls(text) {
        return Some(Order::Call);
    }
    if shell::leaks(&text.split_whitespace().collect::<Vec<_>>().join(" ")) {
        return Some(Order::Leak);
    }
    if text.lines().any(is_new_heading) {
        return Some(Order::Role);
    }
    // What stands behind a colon speaks for itself: "not found: ignore …" denies nothing.
    let quoted = sentences(text).flat_map(|sentence| {
        let behind = sentence
            .match_indices(':')
            .map(|(at, _)| &sentence[at + 1..]);
        behind.map(|rest| match rest.char_indices().nth(QUOTED) {
            Some((end, _)) => &rest[..end],
            None => rest,
        })
    });
    sentences(text).chain(quoted).find_map(|sentence| {
        let spaced = words_of(sentence);
        let words: Vec<&str> = spaced.split_whitespace().collect();
        if overrules(&words) || overrules_elsewhere(sentence) {
            Some(Order::Overrule)
        } else if recasts(&words, sentence) {
            Some(Order::Role)
        } else if keeps_secret(&words) {
            Some(Order::Secrecy)
        } else {
            None
        }
    })
}

/// So many letters behind each colon are read: more than an order has, and few enough for a text of nothing but colons.
const QUOTED: usize = 200;

/// How far the parts of an order stand apart.
const REACH: usize = 7;

const DROP: &[&str] = &[
    "ignore",
    "disregard",
    "forget",
    "override",
    "bypass",
    "discard",
];
/// Which of what a model was told.
const EARLIER: &[&str] = &[
    "previous",
    "previously",
    "prior",
    "above",
    "earlier",
    "preceding",
    "foregoing",
];
const OWN: &[&str] = &["your", "original", "initial", "system", "all"];
/// What a model was told, and nothing in a program is called by.
const TOLD: &[&str] = &[
    "instruction",
    "instructions",
    "prompt",
    "prompts",
    "directive",
    "directives",
    "directions",
    "programming",
    "training",
    "safeguards",
    "guardrails",
];
/// What else may have these names: then only what came earlier is meant.
const TOLD_PERHAPS: &[&str] = &[
    "rules",
    "guidelines",
    "commands",
    "orders",
    "context",
    "constraints",
    "restrictions",
];
/// Everything that came earlier.
const ALL_OF_IT: &[&str] = &["everything", "anything", "all", "whatever"];
const NOT: &[&str] = &[
    "not", "never", "dont", "cannot", "cant", "shouldnt", "mustnt",
];

fn overrules(words: &[&str]) -> bool {
    words.iter().enumerate().any(|(at, word)| {
        if !DROP.contains(word) || is_denied(words, at) {
            return false;
        }
        let after = &words[at + 1..words.len().min(at + 1 + REACH)];
        let earlier = after.iter().position(|word| EARLIER.contains(word));
        let own = after.iter().position(|word| OWN.contains(word));
        let names = |from: Option<usize>, what: &[&str]| {
            from.is_some_and(|from| after[from..].iter().any(|word| what.contains(word)))
        };
        let everything =
            after.first().is_some_and(|word| ALL_OF_IT.contains(word))
                && after.iter().skip(1).take(3).any(|word| {
                    EARLIER.contains(word) || matches!(*word, "told" | "before" | "know")
                });
        let and_instead = matches!(after, ["the" | "all", "above", "and", ..]);
        // The thing may stand where nobody looks for it, as in the next note.
        let cut_short = matches!(after, ["all", which] if EARLIER.contains(which));
        cut_short
            || names(earlier, TOLD)
            || names(earlier, TOLD_PERHAPS)
            || names(own, TOLD)
            || everything && !after.contains(&"if")
            || and_instead
    })
}

fn is_denied(words: &[&str], at: usize) -> bool {
    words[at.saturating_sub(3)..at]
        .iter()
        .any(|word| NOT.contains(word))
}

/// The same in other languages: a verb, a time and a thing, in whatever order, by the beginnings of their words.
const ELSEWHERE: &[[&[&str]; 3]] = &[
    [
        &["ignorier", "vergiss", "vergesse", "missachte"],
        &[
            "vorherig",
            "bisherig",
            "obig",
            "vorangegangen",
            "vorig",
            "früher",
        ],
        &["anweisung", "instruktion", "befehl", "vorgaben"],
    ],
    [
        &["ignore", "oublie", "néglige"],
        &["précédent", "antérieur", "ci-dessus"],
        &["instruction", "consigne"],
    ],
    [
        &["ignora", "ignore", "olvid", "omite"],
        &["anterior", "previa", "previo"],
        &["instruccion", "órdenes", "indicacion"],
    ],
    [
        &["ignora", "ignore", "esque", "desconsider"],
        &["anterior", "prévi"],
        &["instruç", "instruçõ", "ordens"],
    ],
    [
        &["ignora", "dimentica"],
        &["precedent", "soprastant"],
        &["istruzion", "ordini"],
    ],
    [
        &["игнорир", "забуд"],
        &["предыдущ", "прошл", "прежн"],
        &["инструкц", "указани", "команд"],
    ],
    [
        &["忽略", "无视", "忽視", "忘记"],
        &["之前", "以上", "先前", "前面", "所有"],
        &["指令", "指示", "提示"],
    ],
    [
        &["無視", "忘れ"],
        &["以前", "これまで", "上記", "前の"],
        &["指示", "命令"],
    ],
    [
        &["무시"],
        &["이전", "위의", "앞의"],
        &["지시", "명령", "지침"],
    ],
];

fn overrules_elsewhere(sentence: &str) -> bool {
    let holds = |beginnings: &[&str]| beginnings.iter().any(|part| sentence.contains(part));
    ELSEWHERE
        .iter()
        .any(|parts| parts.iter().all(|part| holds(part)))
}

/// Where words make a model somebody else.
const RECAST: &[&[&str]] = &[
    &["you", "are", "now", "a"],
    &["you", "are", "now", "an"],
    &["you", "are", "now", "in"],
    &["you", "are", "now", "dan"],
    &["you", "are", "now", "operating"],
    &["you", "are", "now", "unrestricted"],
    &["you", "are", "no", "longer", "bound"],
    &["you", "are", "no", "longer", "restricted"],
    &["you", "are", "no", "longer", "an"],
    &["from", "now", "on", "you", "are"],
    &["pretend", "you", "are"],
    &["pretend", "that", "you", "are"],
    &["do", "anything", "now"],
    &["developer", "mode", "enabled"],
    &["enter", "developer", "mode"],
    &["your", "real", "instructions"],
    &["your", "new", "instructions"],
    &["your", "true", "purpose"],
    &["reveal", "your", "system", "prompt"],
    &["print", "your", "system", "prompt"],
    &["output", "your", "system", "prompt"],
    &["repeat", "your", "system", "prompt"],
    &["show", "your", "system", "prompt"],
    &["reveal", "your", "instructions"],
    &["repeat", "your", "instructions"],
    &["print", "your", "instructions"],
];

fn recasts(words: &[&str], sentence: &str) -> bool {
    RECAST.iter().any(|phrase| holds(words, phrase))
        || [
            "new instructions:",
            "# new instructions",
            "new system prompt:",
            "system override:",
        ]
        .iter()
        .any(|phrase| sentence.contains(phrase))
}

/// Whether a line is nothing but the heading of other instructions.
fn is_new_heading(line: &str) -> bool {
    let line = line
        .trim_start_matches("error")
        .trim_matches([':', '#', '*', '-', '=', ' ']);
    matches!(
        line,
        "new instructions" | "updated instructions" | "new system prompt" | "system override"
    )
}

const TELL: &[&str] = &["tell", "inform", "alert", "notify", "warn"];
const PERSON: &[&str] = &["user", "users", "human", "operator", "developer", "owner"];

/// What follows where the words begin with the person that a model works for.
fn after_person<'a, 'b>(words: &'a [&'b str]) -> Option<&'a [&'b str]> {
    let rest = words.strip_prefix(&["the"]).unwrap_or(words);
    let (first, rest) = rest.split_first()?;
    PERSON.contains(first).then_some(rest)
}

fn keeps_secret(words: &[&str]) -> bool {
    let untold = words.iter().enumerate().any(|(at, word)| {
        if !TELL.contains(word) || !is_denied(words, at) {
            return false;
        }
        // What a program may not tell its users is named; what a model may not is "this", or nothing.
        after_person(&words[at + 1..]).is_some_and(|rest| {
            rest.first()
                .is_none_or(|next| matches!(*next, "about" | "this" | "anything" | "of" | "and"))
        })
    });
    let behind = (0..words.len()).any(|at| {
        let rest = match &words[at..] {
            [
                "without",
                "telling" | "informing" | "alerting" | "notifying",
                rest @ ..,
            ]
            | ["hide", "this", "from", rest @ ..]
            | ["this", "secret" | "hidden", "from", rest @ ..] => after_person(rest).is_some(),
            ["without", "the", "users", "knowledge", ..] => true,
            _ => false,
        };
        rest && !words[..at].iter().any(|before| NOT.contains(before))
    });
    untold || behind
}

fn holds(words: &[&str], phrase: &[&str]) -> bool {
    words.windows(phrase.len()).any(|part| part == phrase)
}

/// Tags in which clients call tools or mark who speaks.
const TAGS: &[&str] = &[
    "invoke",
    "function_calls",
    "function_call",
    "function_results",
    "tool_call",
    "tool_calls",
    "tool_use",
    "tool_result",
    "tool_code",
    "system",
    "system-reminder",
    "system_reminder",
    "assistant",
    "sys",
    "oldhand-memory",
    "hook_context",
    "im_start",
    "im_end",
];

fn calls(text: &str) -> bool {
    let mut after = text.match_indices('<').map(|(at, _)| &text[at + 1..]);
    let tagged = after.any(|rest| {
        let rest = rest.trim_start_matches(['<', '/', '|', ' ']);
        let end = rest
            .find(|char: char| !char.is_alphanumeric() && !matches!(char, '-' | '_' | ':'))
            .unwrap_or(rest.len());
        let name = rest[..end].rsplit(':').next().unwrap_or_default();
        let closes = rest[end..].starts_with(['>', '|', ' ', '/']);
        closes && TAGS.contains(&name)
    });
    let marked = [
        "[inst]",
        "[tool_call]",
        "[tool_calls]",
        "[tool_use]",
        "[function_call]",
        "\"type\":\"tool_use\"",
        "\"type\": \"tool_use\"",
        "[/inst]",
        "\"tool_calls\":",
        "\"function_call\":",
        "<|endoftext|>",
    ];
    let speaks = |line: &str| {
        let line = line.trim_start_matches(['#', ' ', '*', '-']);
        line.starts_with("assistant:") || line.starts_with("human:")
    };
    tagged
        || marked.iter().any(|mark| text.contains(mark))
        || text.lines().any(speaks)
        || is_call_in_json(text)
}

/// Whether an object names a tool and what to give it. Programs name many things, but what they give to a command or a file is their own.
fn is_call_in_json(text: &str) -> bool {
    let spaceless: String = text.chars().filter(|char| !char.is_whitespace()).collect();
    let given = [
        "\"input\":{",
        "\"arguments\":{",
        "\"arguments\":\"{",
        "\"parameters\":{",
        "\"args\":{",
    ];
    let what = [
        "\"command\"",
        "\"cmd\"",
        "\"file_path\"",
        "\"script\"",
        "\\\"command\\\"",
    ];
    spaceless.contains("\"name\":\"")
        && given.iter().any(|given| {
            spaceless.split(given).skip(1).any(|rest| {
                let near = &rest[..rest.floor_char_boundary(80)];
                what.iter().any(|what| near.contains(what))
            })
        })
}

#[cfg(test)]
mod tests;
