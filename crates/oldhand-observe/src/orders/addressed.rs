//! Words of a program or a page that turn to the agent that reads them. People and rules files speak to agents all day; an error does not.

/// Agents that people call by name, in lower case. A cursor is mostly that of a program.
pub(crate) const CLIENTS: [&str; 6] = [
    "claude", "codex", "copilot", "chatgpt", "gemini", "opencode",
];

/// Whether a sentence, in lower case and cut into words, tells an agent what to do.
pub(super) fn addresses(words: &[&str]) -> bool {
    (0..words.len()).any(|at| {
        let rest = &words[at..];
        let Some((addressee, after)) = addressee(rest) else {
            return is_for_good(rest);
        };
        is_told(addressee, after)
    }) || is_dedicated(words)
}

/// Who is spoken to.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Addressee {
    /// Nothing in a program is called so.
    Agent,
    /// A role in a payload may be, too.
    Assistant,
    /// Programs have agents and models of their own.
    Perhaps,
}

fn addressee<'a, 'b>(words: &'a [&'b str]) -> Option<(Addressee, &'a [&'b str])> {
    use Addressee::{Agent, Assistant, Perhaps};
    match words {
        [
            "ai" | "coding" | "autonomous" | "language",
            "agent" | "agents" | "assistant" | "assistants" | "model" | "models",
            after @ ..,
        ]
        | [
            "dear" | "hey" | "attention",
            "assistant" | "agent" | "agents" | "model" | "ai",
            after @ ..,
        ]
        | ["claude", "code", after @ ..]
        | ["llm" | "llms", after @ ..] => Some((Agent, after)),
        [name, after @ ..] if CLIENTS.contains(name) => Some((Agent, after)),
        ["assistant" | "assistants", after @ ..] => Some((Assistant, after)),
        ["agent" | "agents" | "model" | "models", after @ ..] => Some((Perhaps, after)),
        _ => None,
    }
}

/// What agents do for those who turn to them.
const DEEDS: &[&str] = &[
    "add", "append", "approve", "call", "change", "commit", "copy", "create", "delete", "disable",
    "download", "edit", "email", "execute", "fetch", "forward", "ignore", "install", "insert",
    "invoke", "merge", "modify", "open", "paste", "post", "print", "push", "remove", "replace",
    "reveal", "run", "send", "skip", "upload", "use", "write",
];
/// What no program of its own does that is called an agent or a model.
const DEEDS_OF_AGENTS: &[&str] = &[
    "approve",
    "commit",
    "disregard",
    "email",
    "ignore",
    "merge",
    "paste",
    "push",
    "reveal",
    "upload",
];

fn is_told(addressee: Addressee, after: &[&str]) -> bool {
    let ([
        "please" | "kindly" | "must" | "should" | "shall" | "always" | "never" | "dont",
        asked @ ..,
    ]
    | ["need" | "needs" | "have" | "has", "to", asked @ ..]
    | ["do", "not", asked @ ..]) = after
    else {
        return false;
    };
    let stressed = asked.first().is_some_and(|word| {
        matches!(
            *word,
            "always" | "never" | "also" | "now" | "please" | "not" | "first"
        )
    });
    let asked = if stressed { &asked[1..] } else { asked };
    let does = |deeds: &[&str]| asked.first().is_some_and(|deed| deeds.contains(deed));
    match addressee {
        Addressee::Agent | Addressee::Assistant => does(DEEDS),
        Addressee::Perhaps => does(DEEDS_OF_AGENTS),
    }
}

/// What holds for good is laid down, and no error lays down anything.
fn is_for_good(words: &[&str]) -> bool {
    matches!(
        words,
        ["you", "should" | "must" | "shall", "always" | "never", ..]
            | ["you", "need" | "have", "to", "always", ..]
    )
}

/// What names its reader before it begins.
fn is_dedicated(words: &[&str]) -> bool {
    let to = |words: &[&str]| {
        let words = words.strip_prefix(&["the"]).unwrap_or(words);
        matches!(
            words,
            [
                "ai" | "llm"
                    | "llms"
                    | "claude"
                    | "codex"
                    | "copilot"
                    | "assistant"
                    | "assistants"
                    | "agents",
                ..
            ] | [
                "coding" | "language",
                "agents" | "agent" | "model" | "models",
                ..
            ]
        )
    };
    words.iter().enumerate().any(|(at, word)| {
        let rest = &words[at + 1..];
        match *word {
            "note" | "message" | "instruction" | "instructions" => match rest {
                ["to" | "for", rest @ ..] => to(rest),
                _ => false,
            },
            _ => false,
        }
    })
}
