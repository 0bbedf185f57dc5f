//! Files a client would not read or edit: they are not there, too large to be read in one piece, or changed meanwhile.

use oldhand_domain::event::{Call, Ending, Place, Return};
use oldhand_domain::path::ProjectPath;

use super::answers::only_looks;
use super::{LIST_LIMIT, SessionAnalytics};
use crate::outcome::walk::{Begun, Walk};

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
    /// Files were looked for in it or by it, and there were none.
    InVain,
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

/// How a shell's programs say that a path is not there, behind its name.
const NO_SUCH: &str = "No such file or directory";
/// How many of the paths are noted that one output says are not there.
const MISSED: usize = 4;

/// Notes a failed look at a file of the project; a read that failed was no read.
pub(super) fn take(session: &mut SessionAnalytics, back: &Return, agent: Option<&str>) {
    if matches!(back.call, Call::Glob { .. }) {
        let root = session.root(None).to_owned();
        session.note_in_vain(listed_in_vain(back, &root), agent);
        return;
    }
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

impl SessionAnalytics {
    fn note_in_vain(&mut self, path: Option<ProjectPath>, agent: Option<&str>) {
        let Some(file) = path.filter(|_| self.refusals.len() < LIST_LIMIT) else {
            return;
        };
        self.refusals.push(FileRefusal {
            step: self.step,
            file,
            kind: RefusalKind::InVain,
            agent: agent.map(str::to_owned),
        });
    }

    /// Notes the paths of the project that a look in the shell did not find.
    pub(super) fn note_missing_in_shell(&mut self, command: &str, begun: Begun<'_>, output: &str) {
        if !output.contains(NO_SUCH) || !only_looks(command) {
            return;
        }
        let walk = Walk::of(begun);
        let moves = command.contains("cd ");
        let named = output.lines().filter_map(not_there);
        // Where it stood when it looked is not asked.
        let named = named.filter(|path| path.starts_with('/') || !moves);
        let paths: Vec<ProjectPath> = named.filter_map(|path| walk.path(path)).collect();
        for path in paths.into_iter().take(MISSED) {
            self.note_in_vain(Some(path), None);
        }
    }
}

/// The folder of the project that a listing names and in which it found nothing.
pub fn listed_in_vain(back: &Return, root: &str) -> Option<ProjectPath> {
    let Call::Glob {
        pattern,
        outside: false,
    } = &back.call
    else {
        return None;
    };
    let is_empty = back.ended == Ending::Succeeded && back.matched.is_empty();
    (is_empty && found_none(back)).then(|| listed_folder(pattern, root))?
}

/// Whether a listing says that it gave nothing.
fn found_none(back: &Return) -> bool {
    let words = back.excerpt.as_str().trim();
    words.is_empty() || words.starts_with("No files found") || words.starts_with("No matches")
}

/// The folder of the project in which a listing looks, where it names one.
fn listed_folder(pattern: &str, root: &str) -> Option<ProjectPath> {
    let is_plain = |step: &&str| !step.contains(['*', '?', '[', '{']);
    let steps = pattern.split('/').count();
    let plain: Vec<&str> = pattern.split('/').take_while(is_plain).collect();
    // The last step is the file that is looked for.
    let plain = &plain[..plain.len().min(steps - 1)];
    Walk::of(Begun::at(root)).path(&plain.join("/"))
}

/// `cat: a/b.rs: No such file or directory`, `ls: cannot access 'a/b.rs': No such …`, `sed: can't read a/b.rs: No such …`.
fn not_there(line: &str) -> Option<&str> {
    let before = line.trim().strip_suffix(NO_SUCH)?.strip_suffix(": ")?;
    let (_, named) = before.split_once(": ")?;
    let named = named.trim_end_matches(" for reading");
    if let Some((_, quoted)) = named.split_once(['\'', '‘']) {
        return Some(quoted.trim_end_matches(['\'', '’']));
    }
    named.split(' ').next_back()
}

/// `(34278 tokens)` holds 34278.
fn number_before(words: &str, unit: &str) -> Option<u64> {
    let before = words.split_once(unit)?.0;
    let digits = before.rsplit(|c: char| !c.is_ascii_digit()).next()?;
    digits.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::super::{FoldOptions, fold};
    use super::*;
    use crate::story::events;

    #[test]
    fn paths_that_were_looked_for_in_vain_are_noted() {
        for (story, expected) in [
            ("start build; glob src/cmds/*.go = 0 files", "src/cmds"),
            ("start build; glob src/cmds/run.go = 0 files", "src/cmds"),
            (
                "start build; glob /project/src/cmds/**/*.go = 0 files",
                "src/cmds",
            ),
            ("start build; glob /other/src/*.go = 0 files", ""),
            ("start build; glob **/*.go = 0 files", ""),
            ("start build; glob run.go = 0 files", ""),
            ("start build; glob src/cmds/*.go = 2 files", ""),
            (
                "start build; run cat src/cmds/run.go = 1: cat: src/cmds/run.go: No such file or directory",
                "src/cmds/run.go",
            ),
            (
                "start build; run ls -la /project/src/cmds/ = 2: ls: cannot access '/project/src/cmds/': No such file or directory",
                "src/cmds",
            ),
            (
                "start build; run find src/cmds -name x | head = 0: find: src/cmds: No such file or directory",
                "src/cmds",
            ),
            (
                "start build; run head -5 src/a.go = 1: head: cannot open 'src/a.go' for reading: No such file or directory",
                "src/a.go",
            ),
            // Nobody can tell from where, or it was no look.
            (
                "start build; run cd web && cat src/run.go = 1: cat: src/run.go: No such file or directory",
                "",
            ),
            (
                "start build; run ./up.sh = 1: cat: src/run.go: No such file or directory",
                "",
            ),
            (
                "start build; run cat /etc/x = 1: cat: /etc/x: No such file or directory",
                "",
            ),
        ] {
            let session = fold(&events(story), &FoldOptions::default());
            let refused = session.refusals.iter();
            let vain = refused.filter(|refusal| refusal.kind == RefusalKind::InVain);
            let paths: Vec<&str> = vain.map(|refusal| refusal.file.as_str()).collect();
            assert_eq!(paths.join(", "), expected, "{story}");
        }
    }
}
