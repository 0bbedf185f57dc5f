//! `oldhand hook`: what agents call. People do not need to.

use std::ffi::OsString;

use crate::hook;

/// Listen to an agent: read one hook payload and perhaps answer
///
/// Agents call this; `oldhand install` tells them to. What happened is written to the journal of its session, and when something
/// trusted is known about the file, error or command at hand, the agent is told. Whatever goes wrong, the answer is silence and
/// the exit code is 0.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  oldhand hook claude-code < payload.json")]
pub(crate) struct Args {
    /// claude-code, codex, gemini, cursor or opencode
    agent: String,
}

/// Answers a call of `oldhand hook` before anything can refuse it: a client takes some exit codes for an order to stop.
///
/// `false` when it is not one, or when a person asks what it is.
pub(super) fn answer(arguments: &[OsString]) -> bool {
    let mut words = arguments.iter().skip(1);
    let is_hook = words.next().is_some_and(|word| word == "hook");
    if !is_hook
        || arguments
            .iter()
            .any(|word| word == "--help" || word == "-h")
    {
        return false;
    }
    let agent = words.next().map(|word| word.to_string_lossy());
    hook::run(agent.as_deref().unwrap_or_default());
    true
}

pub(super) fn run(args: &Args) {
    hook::run(&args.agent);
}
