//! Files a client would not read or edit: they are not there, too large to be read in one piece, or changed meanwhile.

use oldhand_domain::event::{Call, Ending, Place, Return};
use oldhand_domain::path::ProjectPath;

use super::{LIST_LIMIT, SessionAnalytics};

/// A look at a file that came to nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileRefusal {
    pub step: u32,
    pub file: ProjectPath,
    pub kind: RefusalKind,
    /// Who asked; nobody is the main agent.
    pub agent: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RefusalKind {
    /// It does not exist; the client may say which one was meant.
    Missing { meant: Option<String> },
    /// With its size in tokens, where the client says so.
    TooLarge { tokens: Option<u64> },
    /// Somebody else had changed it since it was read.
    Changed,
}

const MISSING: [&str; 4] = [
    "File does not exist",
    "Path does not exist",
    "No such file or directory",
    "File not found",
];
const TOO_LARGE: [&str; 2] = [
    "exceeds maximum allowed tokens",
    "exceeds maximum allowed size",
];

const CHANGED: [&str; 2] = ["modified since read", "unexpectedly modified"];

/// Notes a failed look at a file of the project; a read that failed was no read.
pub(super) fn take(session: &mut SessionAnalytics, back: &Return, agent: Option<&str>) {
    let place = match &back.call {
        Call::Read { file } | Call::Write { file, .. } => Some(file),
        Call::Grep { within, .. } => within.as_ref(),
        Call::Edit { files, .. } => files.first(),
        _ => None,
    };
    let Some(file) = place.and_then(Place::project) else {
        return;
    };
    if back.ended != Ending::Failed || session.refusals.len() >= LIST_LIMIT {
        return;
    }
    let words = back.excerpt.as_str();
    let edits = matches!(back.call, Call::Edit { .. } | Call::Write { .. });
    let kind = if edits {
        if !CHANGED.iter().any(|cue| words.contains(cue)) {
            return;
        }
        RefusalKind::Changed
    } else if TOO_LARGE.iter().any(|cue| words.contains(cue)) {
        RefusalKind::TooLarge {
            tokens: number_before(words, " tokens"),
        }
    } else if MISSING.iter().any(|cue| words.contains(cue)) {
        let meant = words.split_once("Did you mean ").map(|(_, rest)| {
            let end = rest.find(['?', ' ', '\n']).unwrap_or(rest.len());
            rest[..end].to_owned()
        });
        RefusalKind::Missing { meant }
    } else {
        return;
    };
    let refusal = FileRefusal {
        step: session.step,
        file: file.clone(),
        kind,
        agent: agent.map(str::to_owned),
    };
    if matches!(refusal.kind, RefusalKind::Missing { .. }) {
        session.forget_file(file);
    }
    session.refusals.push(refusal);
}

/// `(34278 tokens)` holds 34278.
fn number_before(words: &str, unit: &str) -> Option<u64> {
    let before = words.split_once(unit)?.0;
    let digits = before.rsplit(|c: char| !c.is_ascii_digit()).next()?;
    digits.parse().ok()
}
