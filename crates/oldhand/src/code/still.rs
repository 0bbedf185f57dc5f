//! Whether what a memory hangs on is still there: a look at the file itself, where nobody has time to read the graph anew.

use std::fs;
use std::path::Path;

use jiff::Timestamp;
use oldhand_domain::memory::{Mark, Memory};
use oldhand_domain::path::ProjectPath;
use oldhand_engine::{Answer, Shelf};
use oldhand_recall::gate::{LeftOut, Refusal, Stale};

/// Larger files are not looked into.
const LARGEST: u64 = 1 << 20;

/// Why a memory cannot be told as it stands: all its files went, or what it hangs on did.
pub(crate) fn why_gone(memory: &Memory, root: &Path) -> Option<String> {
    match missing(memory, root) {
        Some(first) => Some(format!("{first} is gone")),
        None => why_symbol_gone(memory, root),
    }
}

/// The first file of a memory none of whose files is there. They may be gone, or of another branch.
pub(crate) fn missing<'m>(memory: &'m Memory, root: &Path) -> Option<&'m ProjectPath> {
    let first = memory.files.first()?;
    let mut files = memory.files.iter();
    (!files.any(|file| root.join(file.as_str()).exists())).then_some(first)
}

/// Whether the file that a memory's symbol was in has no such name any more. Where it went to is for those to find out who read the graph.
pub(crate) fn why_symbol_gone(memory: &Memory, root: &Path) -> Option<String> {
    let (file, symbol) = memory.target_node.as_deref()?.split_once(':')?;
    let name = symbol.rsplit(['.', ':', '#']).next()?;
    let path = root.join(file);
    let size = fs::metadata(&path).ok()?.len();
    if size > LARGEST || name.is_empty() {
        return None;
    }
    let text = fs::read_to_string(path).ok()?;
    (!holds(&text, name)).then(|| format!("`{name}` is gone from {file}"))
}

/// Whether a text has a name, and not only as a part of a longer one.
fn holds(text: &str, name: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    text.match_indices(name).any(|(at, _)| {
        let before = text[..at].chars().next_back();
        let after = text[at + name.len()..].chars().next();
        !before.is_some_and(is_part) && !after.is_some_and(is_part)
    })
}

/// Takes out of an answer what is gone, or marks it where that is asked for too.
pub(crate) fn set_aside(answer: &mut Answer, stale: Stale, root: &Path, now: Timestamp) {
    let mut kept = Vec::with_capacity(answer.results.len());
    for (shelf, mut candidate) in std::mem::take(&mut answer.results) {
        let is_known = candidate.memory.stale.is_some() || shelf == Shelf::Personal;
        let gone = if is_known {
            None
        } else {
            why_symbol_gone(&candidate.memory, root)
        };
        match (gone, stale) {
            (Some(reason), Stale::Hidden) => {
                let why = Refusal::Stale { reason };
                answer.left_out.push((shelf, LeftOut::of(&candidate, why)));
                continue;
            }
            (Some(reason), Stale::Shown) => {
                candidate.memory.stale = Some(Mark { since: now, reason });
            }
            (None, _) => {}
        }
        kept.push((shelf, candidate));
    }
    answer.results = kept;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_there_when_it_stands_alone() {
        assert!(holds("def parse(line):", "parse"));
        assert!(!holds("def parse_header(line): reparse()", "parse"));
    }
}
