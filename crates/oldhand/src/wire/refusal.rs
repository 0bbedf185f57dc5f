//! Why a file is left as it is: whose it is, or what about it could not be understood, with the line.

use std::path::Path;

use super::servers::Shape;
use super::{Client, Piece, Place, jsonc};
use crate::failure::Failure;

pub(super) fn taken(path: &Path) -> Failure {
    Failure::invalid(format!("{} is somebody else's file", path.display()))
        .hint("nothing was changed; give that file another name, then try again")
}

/// A file in which this piece found no place.
pub(super) fn strange(path: &Path, piece: Piece, text: &str) -> Failure {
    let why = fault(piece, text).unwrap_or_else(|| out_of_place(piece));
    Failure::invalid(format!("{}{why}", path.display()))
        .hint("nothing was changed; put the file right, then try again")
}

/// A file that names us and that cannot be read, so that nothing can be taken out of it.
pub(super) fn unreadable(path: &Path, piece: Piece, text: &str) -> Failure {
    let why = fault(piece, text).unwrap_or_else(|| out_of_place(piece));
    Failure::invalid(format!(
        "{} names Oldhand and could not be understood: {}{why}",
        path.display(),
        path.display()
    ))
    .hint("that file is as it was; put it right, then try again")
}

/// What keeps a client from reading a file that can be read otherwise: some take JSON without comments only, and pass over all of it.
pub(crate) fn obstacle(client: Client, place: &Place, text: &str) -> Option<String> {
    let is_strict = match client {
        Client::ClaudeCode => true,
        Client::Codex | Client::Cursor => matches!(place.pieces[..], [Piece::Hooks(_)]),
        _ => false,
    };
    let text = text.trim_start_matches('\u{feff}').trim();
    if !is_strict || text.is_empty() || place.pieces.contains(&Piece::Plugin) {
        return None;
    }
    let error = serde_json::from_str::<serde_json::Value>(text).err()?;
    let (shown, line) = (place.path.display(), error.line());
    Some(format!(
        "{shown}:{line} holds a comment or a comma too many, so {} reads nothing of the file",
        client.as_str()
    ))
}

/// The line from which on it makes no sense, and why; `None` where it can be read.
pub(crate) fn fault(piece: Piece, text: &str) -> Option<String> {
    if matches!(piece, Piece::Plugin) {
        return None;
    }
    if matches!(piece, Piece::Server(Shape::Codex)) {
        let error = text.parse::<toml_edit::DocumentMut>().err()?;
        let at = error.span().map_or(0, |span| span.start);
        let message = error.message().trim().replace('\n', ", ");
        return Some(format!(":{}: this is not TOML: {message}", line(text, at)));
    }
    let (at, message) = jsonc::fault(text)?;
    Some(format!(":{}: this is not JSON: {message}", line(text, at)))
}

/// It can be read, and something else stands where ours would.
fn out_of_place(piece: Piece) -> String {
    match piece {
        Piece::Hooks(_) => {
            ": `hooks` is not an object with a list for each event, as the agent reads it"
                .to_owned()
        }
        Piece::Server(shape) => {
            format!(
                ": `{}` is not an object with an entry for each server",
                shape.list()
            )
        }
        Piece::Plugin => " is not what was expected of such a file".to_owned(),
    }
}

/// Counted from 1.
fn line(text: &str, at: usize) -> usize {
    let before = text.as_bytes().iter().take(at);
    1 + before.filter(|&&byte| byte == b'\n').count()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::agent::Agent;

    #[test]
    fn a_refusal_says_the_line_and_what_is_wrong_there() {
        let hooks = Piece::Hooks(Agent::ClaudeCode);
        let said = |piece, text| strange(Path::new("/s"), piece, text).to_string();
        for (piece, text, words) in [
            (
                hooks,
                "{\n  \"a\": 1\n  \"b\": 2\n}",
                "/s:3: this is not JSON: a comma or `}` is missing",
            ),
            (
                hooks,
                "{\n  \"a\": [1, 2",
                "/s:2: this is not JSON: it ends before everything is closed",
            ),
            (
                hooks,
                "{ a: 1 }",
                "/s:1: this is not JSON: a name in double quotes is missing",
            ),
            (
                hooks,
                "{ \"a\" 1 }",
                "/s:1: this is not JSON: a colon is missing",
            ),
            (
                hooks,
                "{ \"a\": nope }",
                "/s:1: this is not JSON: this is no value",
            ),
            (
                hooks,
                "{}\n}",
                "/s:2: this is not JSON: something follows its end",
            ),
            (hooks, "{ \"hooks\": [] }", "/s: `hooks` is not an object"),
            (
                Piece::Server(Shape::Codex),
                "a = 1\nb = = 2\n",
                "/s:2: this is not TOML: ",
            ),
            (
                Piece::Server(Shape::Codex),
                "mcp_servers = 3",
                "/s: `mcp_servers` is not an object",
            ),
        ] {
            let said = said(piece, text);
            assert!(said.starts_with(words), "{text}: {said}");
        }
    }
}
