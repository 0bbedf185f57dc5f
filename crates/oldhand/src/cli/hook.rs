//! `oldhand hook`: what agents call. People do not need to.

use std::ffi::{OsStr, OsString};
use std::path::PathBuf;

use crate::hook;

/// Listen to an agent: read one hook payload and perhaps answer
///
/// Agents call this; `oldhand install` tells them to. What happened is written to the journal of its session, and when something
/// trusted is known about the file, error or command at hand, the agent is told. Whatever goes wrong, the answer is silence and
/// the exit code is 0; who tries it at a terminal reads why. Where your own settings name a hook of Oldhand, a call by the bare name
/// leaves the answer to that one: call it by its whole path to try a payload.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  oldhand hook claude-code < payload.json
  \"$(command -v oldhand)\" hook claude-code < payload.json")]
pub(crate) struct Args {
    /// claude-code, codex, gemini, cursor or opencode
    agent: String,
    /// Where Oldhand keeps everything, as `OLDHAND_HOME` says it elsewhere: agents are not always started with that variable
    #[arg(long, value_name = "DIR")]
    home: Option<PathBuf>,
}

/// Answers a call of `oldhand hook` before anything can refuse it: a client takes some exit codes for an order to stop.
///
/// `false` when it is not one, or when a person asks what it is.
pub(super) fn answer(arguments: &[OsString]) -> bool {
    let Some((first, words)) = arguments.get(1..).and_then(<[OsString]>::split_first) else {
        return false;
    };
    let is_question = |word: &OsString| word == "--help" || word == "-h";
    if first != "hook" || words.iter().any(is_question) {
        return false;
    }
    let (agent, home) = understand(words);
    hook::run(&agent, home);
    true
}

pub(super) fn run(args: &Args) {
    hook::run(&args.agent, args.home.clone());
}

/// The agent and the home that are named. What else is said is passed over: a newer `install` may say more.
fn understand(words: &[OsString]) -> (String, Option<PathBuf>) {
    let (mut agent, mut home) = (None, None);
    let mut words = words.iter();
    while let Some(word) = words.next() {
        let joined = word.to_str().and_then(|word| word.strip_prefix("--home="));
        if word == "--home" {
            home = words.next().map(PathBuf::from);
        } else if let Some(joined) = joined {
            home = Some(PathBuf::from(joined));
        } else if agent.is_none() && !word.to_string_lossy().starts_with('-') {
            agent = Some(OsStr::to_string_lossy(word).into_owned());
        }
    }
    (agent.unwrap_or_default(), home)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_agent_and_a_home_are_understood_in_any_order() {
        let understood = |words: &[&str]| {
            let words: Vec<OsString> = words.iter().map(OsString::from).collect();
            understand(&words)
        };
        let home = Some(PathBuf::from("/my home"));
        let agent = || "codex".to_owned();
        assert_eq!(
            understood(&["codex", "--home", "/my home"]),
            (agent(), home.clone())
        );
        assert_eq!(
            understood(&["--home", "/my home", "codex"]),
            (agent(), home.clone())
        );
        assert_eq!(
            understood(&["--home=/my home", "--new", "codex"]),
            (agent(), home)
        );
        assert_eq!(understood(&["codex", "--home"]), (agent(), None));
        assert_eq!(understood(&[]), (String::new(), None));
    }
}
