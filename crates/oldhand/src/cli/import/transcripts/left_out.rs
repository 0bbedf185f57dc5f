//! What an import left out, and how that is told: one line a reason, however many files there are.

use std::fmt::{self, Display};
use std::path::{Path, PathBuf};

use oldhand_domain::id::SessionId;

use crate::out::time::count;
use crate::wire::quoted;

pub(super) struct Skipped {
    pub(super) path: PathBuf,
    pub(super) why: Why,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Why {
    /// It ran in another project, in this folder.
    Elsewhere(String),
    /// Nothing that was done in this folder tells which project it was, and others are beside it.
    Untold(String),
    /// It does not say where it ran.
    Nowhere,
    /// It tells of a subagent, and nothing is known of this session, which started it.
    Orphan(SessionId),
    /// The other file tells more of the same session.
    Copy(PathBuf),
    /// All that it tells of this session is known, and more.
    SaysLess(SessionId),
    Unreadable(String),
}

impl Skipped {
    pub(super) fn unreadable(path: &Path, why: impl Into<String>) -> Self {
        Self {
            path: path.to_owned(),
            why: Why::Unreadable(why.into()),
        }
    }
}

const BY_NAME: &str = "name the file itself to take it in";

/// The option that takes the sessions of a folder in.
fn by_folder(folder: &str) -> String {
    format!("`--ran-in {}` takes all of that folder in", quoted(folder))
}

impl Display for Why {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Elsewhere(folder) => write!(
                f,
                "it ran in {folder}, which is another project; {BY_NAME}, or {}",
                by_folder(folder)
            ),
            Self::Untold(folder) => write!(
                f,
                "it ran in {folder}, and no file or commit tells whether that was this project; {BY_NAME}, or {}",
                by_folder(folder)
            ),
            Self::Nowhere => write!(f, "nothing in it says which folder it ran in; {BY_NAME}"),
            Self::Orphan(session) => write!(
                f,
                "it tells of a subagent, and nothing here of {session}, the session that started it; {BY_NAME}"
            ),
            Self::Copy(longer) => {
                write!(f, "it tells of the same session as {}", longer.display())
            }
            Self::SaysLess(session) => write!(
                f,
                "it says less of {session} than what is known, which stays as it is"
            ),
            Self::Unreadable(why) => f.write_str(why),
        }
    }
}

impl Why {
    /// What cannot be read comes first, what is known otherwise last.
    fn rank(&self) -> u8 {
        match self {
            Self::Unreadable(_) => 0,
            Self::Elsewhere(_) | Self::Untold(_) | Self::Nowhere | Self::Orphan(_) => 1,
            Self::Copy(_) | Self::SaysLess(_) => 2,
        }
    }

    /// The same for all files of which it holds.
    fn of_many(&self) -> String {
        match self {
            Self::Elsewhere(folder) => format!(
                "they ran in {folder}, which is another project; {}",
                by_folder(folder)
            ),
            Self::Untold(folder) => format!(
                "they ran in {folder}, and no file or commit tells whether that was this project; {}",
                by_folder(folder)
            ),
            Self::Nowhere => format!("nothing in them says which folder they ran in; {BY_NAME}"),
            Self::Orphan(_) => format!(
                "they tell of subagents, and nothing here of the sessions that started them; {BY_NAME}"
            ),
            Self::Copy(_) => "they tell of the same sessions as longer ones".to_owned(),
            Self::SaysLess(_) => {
                "they say less of their sessions than what is known, which stays as it is"
                    .to_owned()
            }
            Self::Unreadable(why) => why.clone(),
        }
    }
}

/// So many reasons are told; a history may have one for each folder of each machine.
const TOLD: usize = 3;

/// A line for each reason, those first that a person can do something about and that hold of most files.
pub(super) fn notes<'a>(skipped: impl IntoIterator<Item = &'a Skipped>) -> Vec<String> {
    let mut groups: Vec<(String, Vec<&Skipped>)> = Vec::new();
    for one in skipped {
        let why = one.why.of_many();
        match groups.iter_mut().find(|(known, _)| *known == why) {
            Some((_, group)) => group.push(one),
            None => groups.push((why, vec![one])),
        }
    }
    groups.sort_by_key(|(_, group)| (group[0].why.rank(), std::cmp::Reverse(group.len())));
    let more = groups.split_off(groups.len().min(TOLD));
    let more: usize = more.iter().map(|(_, group)| group.len()).sum();
    let lines = groups.into_iter().map(|(why, group)| match &group[..] {
        [one] => format!("left out {}: {}", one.path.display(), one.why),
        [first, ..] => {
            let files = count(group.len(), "file");
            let such = first.path.display();
            format!("left out {files} such as {such} (`--json` names each): {why}")
        }
        [] => why,
    });
    let more = (more > 0).then(|| {
        let files = count(more, "more file");
        format!("{files} left out (`--json` names them)")
    });
    lines.chain(more).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_reason_is_one_line_and_a_single_file_is_told_whole() {
        let skipped = |path: &str, why: Why| Skipped {
            path: PathBuf::from(path),
            why,
        };
        let session = |name: &str| SessionId::new(name).unwrap();
        let told = notes(&[
            skipped("a.jsonl", Why::Orphan(session("one"))),
            skipped("b.jsonl", Why::Elsewhere("/a/shop".to_owned())),
            skipped("f.jsonl", Why::Elsewhere("/a/old shop".to_owned())),
            skipped("g.jsonl", Why::Elsewhere("/a/old shop".to_owned())),
            skipped("c.jsonl", Why::Orphan(session("two"))),
            skipped("d.jsonl", Why::Copy(PathBuf::from("e.jsonl"))),
        ]);
        insta::assert_snapshot!(told.join("\n"), @r"
        left out 2 files such as a.jsonl (`--json` names each): they tell of subagents, and nothing here of the sessions that started them; name the file itself to take it in
        left out 2 files such as f.jsonl (`--json` names each): they ran in /a/old shop, which is another project; `--ran-in '/a/old shop'` takes all of that folder in
        left out b.jsonl: it ran in /a/shop, which is another project; name the file itself to take it in, or `--ran-in /a/shop` takes all of that folder in
        1 more file left out (`--json` names them)
        ");
    }
}
