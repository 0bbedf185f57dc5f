//! Where new files have to be entered: learned when the history was read, told when such a file is made and its register does not have it.

use std::io::Read as _;
use std::path::Path;

use anyhow::Result;
use oldhand_code::history::entered::entered;
use oldhand_code::history::log::History;
use oldhand_code::names::Files;
use oldhand_domain::memory::Memory;
use oldhand_domain::path::ProjectPath;
use oldhand_engine::Entering;
use oldhand_observe::learn::registers::{Named, Register, entered_in};

use crate::cli::import::rules;
use crate::desk::Desk;
use crate::file;
use crate::out::Out;
use crate::project::Location;

/// Larger files are no registers.
const LARGEST: u64 = 1 << 20;
/// An index of more takes too long to look through while an agent waits.
const LARGEST_INDEX: u64 = 16 << 20;

/// Learns it of the history as it is. What cannot be done is told; nothing else fails for it.
pub(crate) fn learn(desk: &Desk, history: &History, out: &Out) {
    if let Err(error) = try_learn(desk, history) {
        out.note(&format!(
            "where new files are entered was not learned: {error:#}"
        ));
    }
}

fn try_learn(desk: &Desk, history: &History) -> Result<()> {
    // A history that cannot be read says nothing against what is known.
    if history.commit_count() == 0 {
        return Ok(());
    }
    let count = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
    let found: Vec<Register> = entered(history)
        .into_iter()
        .map(|one| Register {
            kind: one.kind,
            path: one.register,
            added: count(one.added),
            changed: count(one.changed),
            files: one.files.into_iter().collect(),
            named: 0,
        })
        .collect();
    let root = &desk.location.root;
    let (tree, rules) = (Files::below(root), rules::read_texts(root));
    let entering = Entering {
        found: &found,
        tree: &tree,
        rules: &rules,
        sessions: desk.sessions(),
    };
    desk.change_engine(|engine| Ok(engine.learn_registers(entering, desk.now)?))?;
    Ok(())
}

/// Whether a memory says where a file has to be entered that is no news: it is entered there by now, or git had it before.
pub(crate) fn is_no_news(memory: &Memory, file: &ProjectPath, location: &Location) -> bool {
    let Some((kind, register)) = entered_in(memory.content.as_str()) else {
        return false;
    };
    let text = read(&location.root.join(register), LARGEST);
    let text = text.and_then(|bytes| String::from_utf8(bytes).ok());
    // Without a register there is nothing to enter it in.
    text.is_none_or(|text| Named::of(register, &text).names(&kind, file.as_str()))
        || location
            .git_dir
            .as_deref()
            .is_some_and(|git_dir| is_tracked(git_dir, file))
}

/// Whether git's index has a file, or is too large to be asked. Most indexes keep whole paths; in one that keeps them short nothing is found,
/// and a file passes for new.
fn is_tracked(git_dir: &Path, file: &ProjectPath) -> bool {
    let path = git_dir.join("index");
    let Some(index) = read(&path, LARGEST_INDEX) else {
        return path.exists();
    };
    let mut entry = file.as_str().as_bytes().to_vec();
    // Before a path stands its length, which is no slash but by chance; before the end of a longer path one does.
    let is_slash_long = entry.len() & 0xff == usize::from(b'/');
    entry.insert(0, 0);
    entry.push(0);
    index.windows(entry.len()).any(|bytes| {
        bytes[1] == entry[1] && bytes[1..] == entry[1..] && (bytes[0] != b'/' || is_slash_long)
    })
}

/// A file of at most so many bytes; nothing of what would make a reader wait, such as a pipe.
fn read(path: &Path, most: u64) -> Option<Vec<u8>> {
    let file = file::open_regular(path).ok()?;
    let mut bytes = Vec::new();
    file.take(most + 1).read_to_end(&mut bytes).ok()?;
    (bytes.len() as u64 <= most).then_some(bytes)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn a_file_is_known_by_its_whole_path() {
        let folder = tempfile::tempdir().unwrap();
        let is_known = |file: &str| is_tracked(folder.path(), &ProjectPath::new(file).unwrap());
        assert!(!is_known("test/a.py"), "there is no index");
        let index = folder.path().join("index");
        fs::write(
            &index,
            b"DIRC\x00\x0dlib/test/b.py\x00\x00\x09test/a.py\x00",
        )
        .unwrap();
        assert!(is_known("test/a.py") && is_known("lib/test/b.py"));
        assert!(!is_known("test/b.py") && !is_known("test/a"));
        let large = fs::File::create(&index).unwrap();
        large.set_len(LARGEST_INDEX + 1).unwrap();
        assert!(is_known("test/c.py"), "too large to be asked");
    }
}
