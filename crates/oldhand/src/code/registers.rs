//! Where new files have to be entered: learned when the history was read, told when such a file is made and its register does not have it.

use std::fs;
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
use crate::out::Out;
use crate::project::Location;

/// Larger files are no registers.
const LARGEST: u64 = 1 << 20;

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
    let path = location.root.join(register);
    let is_long = fs::metadata(&path).is_ok_and(|found| found.len() > LARGEST);
    let text = (!is_long).then(|| fs::read_to_string(&path).ok()).flatten();
    // Without a register there is nothing to enter it in.
    text.is_none_or(|text| Named::of(register, &text).names(&kind, file.as_str()))
        || location
            .git_dir
            .as_deref()
            .is_some_and(|git_dir| is_tracked(git_dir, file))
}

/// Whether git's index has a file. Most indexes keep whole paths; in one that keeps them short nothing is found, and a file passes for new.
fn is_tracked(git_dir: &Path, file: &ProjectPath) -> bool {
    let Ok(index) = fs::read(git_dir.join("index")) else {
        return false;
    };
    let mut entry = file.as_str().as_bytes().to_vec();
    entry.push(0);
    let first = entry[0];
    index
        .windows(entry.len())
        .any(|bytes| bytes[0] == first && bytes == entry)
}
