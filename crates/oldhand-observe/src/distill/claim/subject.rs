//! What a sentence is about that says how something works: a name between backticks, or what somebody else made.

use super::is_file;

/// What a statement is about.
pub(in crate::distill) enum Subject<'s> {
    /// What it names first, between backticks.
    Name,
    /// What somebody else made, as a sentence begins with it: `Cobra doesn't …`, `UIKit's …`.
    Maker(&'s str),
}

/// What a sentence that says what something does is about; `None` where that is an ordinary word, a file of the project, or where
/// no verb follows.
pub(in crate::distill) fn subject(sentence: &str) -> Option<Subject<'_>> {
    let sentence = sentence.trim_start();
    if let Some(platform) = platform(sentence) {
        return Some(Subject::Maker(platform));
    }
    let (first, rest) = sentence.split_once(' ')?;
    let after_article = ARTICLES
        .contains(&first.to_lowercase().as_str())
        .then_some(rest);
    // `Wrapping `io.EOF` breaks …` and `The repo's `x` flags …` are about the name as well.
    let after_joint = OF_USE
        .contains(&first.to_lowercase().as_str())
        .then_some(rest);
    let owned = after_article.and_then(|rest| rest.split_once("'s "));
    let after_owner = owned
        .filter(|(owner, _)| !owner.contains(' '))
        .map(|(_, rest)| rest);
    let quoted = [Some(sentence), after_article, after_joint, after_owner];
    let quoted = quoted.into_iter().flatten();
    let mut quoted = quoted.filter_map(|text| text.strip_prefix('`')?.split_once('`'));
    if let Some((name, rest)) = quoted.next() {
        // In "the `sync` fast path returns" the path is meant, not the name.
        let near = if after_article.is_some() { 2 } else { BETWEEN };
        return (!is_file(name) && does_within(rest, near)).then_some(Subject::Name);
    }
    if let Some(rest) = after_article {
        // Where a name stands amid a sentence its capital letter says so: "the newer Codex format". "The Codex job" is the project's.
        let near = rest.split_whitespace().take(BETWEEN - 1);
        let maker = near
            .filter(|word| word.contains(|c: char| c.is_ascii_lowercase()))
            .find_map(maker)?;
        let mut of_it = rest.split_once(maker)?.1.split_whitespace().take(BETWEEN);
        let is_theirs = of_it.any(|word| THEIRS.contains(&word.to_lowercase().as_str()));
        let does = does(rest.split_once(maker)?.1);
        return (is_theirs && does).then_some(Subject::Maker(maker));
    }
    let maker = maker(first)?;
    let is_about = if first.ends_with("'s") {
        does(rest)
    } else {
        does_next(rest)
    };
    is_about.then_some(Subject::Maker(maker))
}

/// Where something behaves so: "On ClickHouse Cloud, …", "In Bun, …".
pub(super) fn platform(sentence: &str) -> Option<&str> {
    let (first, rest) = sentence.split_once(' ')?;
    let (place, said) = rest.split_once(", ")?;
    let is_name = |word: &str| word.starts_with(|c: char| c.is_ascii_uppercase());
    let is_place = matches!(first, "On" | "In" | "Under") && place.split(' ').all(is_name);
    let name = place.split(' ').next().and_then(maker)?;
    (is_place && does(said.trim_start_matches("the "))).then_some(name)
}

/// What one does with a tool of others, as a sentence about it begins.
const OF_USE: [&str; 6] = [
    "wrapping", "calling", "passing", "setting", "using", "running",
];

/// What of somebody's thing is theirs as well, and not what a project made with it.
const THEIRS: [&str; 7] = [
    "version", "format", "release", "api", "sdk", "runtime", "protocol",
];

const ARTICLES: [&str; 5] = ["the", "a", "an", "each", "every"];

/// So many words may stand between what a sentence is about and what that does.
const BETWEEN: usize = 4;

/// Whether a verb in the present is among the first words of what follows, before any mark.
fn does(rest: &str) -> bool {
    does_within(rest, BETWEEN)
}

fn does_within(rest: &str, near: usize) -> bool {
    let is_word = |word: &&str| word.contains(char::is_alphanumeric);
    let mut words = rest.split_whitespace().take_while(is_word).take(near);
    words.any(is_verb)
}

/// Whether a verb follows at once, versions, adverbs and further parts of the name aside: in "Error message reads" and "Review notes
/// have" the first word belongs to the second.
fn does_next(rest: &str) -> bool {
    let is_besides = |word: &&str| {
        word.ends_with("ly")
            || word.starts_with(|c: char| c.is_ascii_uppercase() || c.is_ascii_digit())
    };
    // `Heron 1.3's mount runs …`
    let besides = rest.split_whitespace().take_while(is_besides);
    if let Some(owner) = besides.filter(|word| word.ends_with("'s")).last()
        && let Some((_, owned)) = rest.split_once(owner)
    {
        return does(owned);
    }
    let mut words = rest.split_whitespace().skip_while(is_besides);
    let is_verb_first = words.next().is_some_and(is_verb);
    let mut behind = words.skip_while(|word| word.ends_with("ly"));
    is_verb_first && !behind.next().is_some_and(follows_plural)
}

/// Whether a word goes on behind things of a kind, so that what ends in "s" before it is no verb: "tests pass", "rows silently dropped".
fn follows_plural(word: &str) -> bool {
    const OF_MANY: [&str; 17] = [
        "have", "are", "need", "do", "don't", "pass", "fail", "go", "get", "come", "break",
        "return", "throw", "crash", "exist", "were", "aren't",
    ];
    let bare = word.trim_end_matches(|c: char| !c.is_alphanumeric());
    OF_MANY.contains(&bare)
}

pub(super) fn is_verb(word: &str) -> bool {
    const VERBS: [&str; 16] = [
        "don't", "doesn't", "isn't", "aren't", "can't", "cannot", "won't", "must", "never", "only",
        "need", "require", "are", "always", "do", "silently",
    ];
    const NO_VERBS: [&str; 6] = ["this", "its", "as", "plus", "versus", "thus"];
    let is_third = word.len() >= 2
        && word.ends_with('s')
        && !word.ends_with("ss")
        && word.chars().all(|c| c.is_ascii_lowercase())
        && !NO_VERBS.contains(&word);
    is_third || VERBS.contains(&word)
}

/// The name of somebody else's thing with which a sentence begins: `Cobra doesn't …`, `UIKit's …`.
fn maker(word: &str) -> Option<&str> {
    let name = word.trim_end_matches("'s");
    let is_name = name.starts_with(|c: char| c.is_ascii_uppercase())
        && name.len() >= 4
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '-')
        && !PLAIN_NOUNS.contains(&name.to_lowercase().as_str());
    is_name.then_some(name)
}

/// Things that every program has: such a word has a capital letter only because it opens a sentence.
const PLAIN_NOUNS: [&str; 96] = [
    "agent",
    "agents",
    "array",
    "branch",
    "build",
    "builds",
    "cache",
    "check",
    "checks",
    "child",
    "class",
    "client",
    "code",
    "column",
    "command",
    "commands",
    "comment",
    "commit",
    "commits",
    "component",
    "config",
    "container",
    "controller",
    "data",
    "database",
    "default",
    "dialog",
    "directory",
    "document",
    "element",
    "endpoint",
    "entry",
    "error",
    "errors",
    "event",
    "events",
    "field",
    "file",
    "files",
    "filter",
    "folder",
    "form",
    "function",
    "group",
    "handler",
    "header",
    "hook",
    "hooks",
    "image",
    "import",
    "imports",
    "index",
    "input",
    "integration",
    "interface",
    "item",
    "job",
    "layout",
    "line",
    "list",
    "lock",
    "login",
    "message",
    "method",
    "migration",
    "module",
    "name",
    "output",
    "package",
    "page",
    "parser",
    "path",
    "plugin",
    "project",
    "prompt",
    "query",
    "request",
    "response",
    "route",
    "router",
    "schema",
    "script",
    "search",
    "server",
    "service",
    "session",
    "setup",
    "state",
    "string",
    "table",
    "test",
    "tests",
    "type",
    "types",
    "unit",
    "user",
];
