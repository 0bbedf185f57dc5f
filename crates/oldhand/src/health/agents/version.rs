//! Clients that are too old for what we ask of them: they pass over what they do not know.

use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::time::Duration;

use crate::wire::Client;

/// A client that does not say its version by then is not asked again.
const PATIENCE: Duration = Duration::from_secs(5);

/// The first version with every event we listen to.
const fn oldest(client: Client) -> Option<[u32; 3]> {
    match client {
        Client::ClaudeCode => Some([2, 1, 120]),
        Client::Codex => Some([0, 124, 0]),
        Client::Gemini => Some([0, 26, 0]),
        _ => None,
    }
}

/// What to say of a client that is too old; `None` where that cannot be told.
pub(super) fn check(client: Client) -> Option<(String, String)> {
    let oldest = oldest(client)?;
    let told = ask(client.program())?;
    let version = parse(&told)?;
    (version < oldest).then(|| {
        let [major, minor, patch] = oldest;
        (
            format!("{} is too old: not every hook runs", told.trim()),
            format!("update it to {major}.{minor}.{patch} or newer"),
        )
    })
}

fn ask(program: &str) -> Option<String> {
    let mut child = Command::new(program)
        .arg("--version")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .ok()?;
    let mut output = child.stdout.take()?;
    let (sender, receiver) = mpsc::channel();
    // Ends when the process does, which is killed below if need be.
    let listen = move || {
        let mut text = String::new();
        let _ = std::io::Read::read_to_string(&mut output, &mut text);
        let _ = sender.send(text);
    };
    // Where there is no thread to listen, the sender is gone and nothing was told.
    let _ = std::thread::Builder::new().spawn(listen);
    let told = receiver.recv_timeout(PATIENCE).ok();
    let _ = child.kill();
    let _ = child.wait();
    told.and_then(|told| told.lines().next().map(str::to_owned))
}

/// The first three numbers with dots between them.
fn parse(text: &str) -> Option<[u32; 3]> {
    text.split(|c: char| !c.is_ascii_digit() && c != '.')
        .find_map(|word| {
            let mut numbers = word.split('.').map(str::parse);
            let mut next = || numbers.next()?.ok();
            Some([next()?, next()?, next()?])
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_read_however_they_are_told() {
        assert_eq!(parse("2.1.197 (Claude Code)"), Some([2, 1, 197]));
        assert_eq!(parse("codex-cli 0.166.0"), Some([0, 166, 0]));
        assert_eq!(parse("v0.61.0-preview.1"), Some([0, 61, 0]));
        assert_eq!(parse("unknown"), None);
        assert!([0, 9, 0] < [0, 26, 0]);
    }
}
