//! Calls that a hook of the client would not let through.

use super::normalise;

/// How clients begin to tell that a hook would not let a call through: the hook in brackets and its words follow.
const CLIENT_HOOK: &str = "PreToolUse:";
/// How that is told here, in front of the words.
const REFUSED: &str = "a hook refuses it: ";

/// The words with which a hook refused a call: what it wrote, or else what it was to write.
pub(super) fn refusal(output: &str) -> Option<String> {
    let (_, rest) = output.split_once(" hook error: [")?;
    let (hook, words) = rest.rsplit_once("]: ")?;
    let quoted = hook.rsplit('\'').nth(1).or_else(|| hook.rsplit('"').nth(1));
    let words = if words.starts_with("No stderr") {
        quoted?
    } else {
        words
    };
    let words = words.lines().next()?.split(" Command:").next()?.trim();
    (words.split_whitespace().count() >= 3).then(|| format!("{REFUSED}{}", normalise(words)))
}

/// The words of a hook that refused a call, where an error is that.
pub fn hook_words(message: &str) -> Option<&str> {
    message.strip_prefix(REFUSED)
}

/// Whether an output says so.
pub(super) fn is_refusal(output: &str) -> bool {
    output.starts_with(CLIENT_HOOK)
}
