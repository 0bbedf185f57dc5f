//! Rules that two files of a project contradict: where both stand, and which file was changed later.

use std::fs;
use std::path::Path;

use oldhand_code::history::versions::versions;
use oldhand_domain::memory::Memory;
use oldhand_domain::path::ProjectPath;
use oldhand_domain::port::MemoryReader as _;
use oldhand_domain::vocabulary::ReviewReason;
use oldhand_engine::rules::{self, Among};
use oldhand_engine::{Receipt, Shelf, Written, contradicted};

use super::Preview;
use super::own::Own;
use crate::desk::Desk;
use crate::out::Out;

/// Says which rules another file contradicts.
pub(super) fn tell_disputes(preview: &Preview, receipts: &[Receipt], desk: &Desk, out: &Out) {
    let root = &desk.location.root;
    let own = Own::of(root);
    let mut are_some = false;
    for (rule, receipt) in preview.new.iter().zip(receipts) {
        let Written::Inserted(memory) = &receipt.outcome else {
            continue;
        };
        let disputed = memory.review_reason == Some(ReviewReason::Disputed);
        if let Some(id) = contradicted(memory).next().filter(|_| disputed) {
            are_some = true;
            let store = desk.store(Shelf::Project);
            let other = store.and_then(|store| store.get(id).ok().flatten());
            let place = other.as_ref().and_then(|other| place_of(other, root, &own));
            let place = place.unwrap_or_else(|| "another rules file".to_owned());
            let later = other
                .as_ref()
                .and_then(|other| changed_later(memory, other, root));
            let later = later.map(|file| format!(" ({file} was changed later)"));
            out.note(&format!(
                "{}: line {} contradicts {place}{}, and no agent is told either",
                preview.file,
                rule.line,
                later.unwrap_or_default(),
            ));
        }
    }
    if are_some {
        out.hint("`oldhand review` shows both, and your word decides");
    }
}

/// What contradicts a rule, for whoever decides: `line 187 of GEMINI.md (CLAUDE.md was changed later)`.
pub(crate) fn other_side(memory: &Memory, desk: &Desk) -> Option<String> {
    let root = &desk.location.root;
    let other = contradicted(memory).next()?;
    let other = desk.store(Shelf::Project)?.get(other).ok()??;
    let place = place_of(&other, root, &Own::of(root))?;
    let later = changed_later(memory, &other, root);
    let later = later.map(|file| format!(" ({file} was changed later)"));
    Some(place + &later.unwrap_or_default())
}

/// `line 187 of GEMINI.md`, where the file says it today.
fn place_of(memory: &Memory, root: &Path, own: &Own) -> Option<String> {
    let file = ProjectPath::new(rules::file_of(memory)?).ok()?;
    let text = fs::read_to_string(root.join(file.as_str())).unwrap_or_default();
    let among = Among {
        texts: &[],
        is_own: &|word| own.has(word),
    };
    let said = rules::parse_among(&file, &text, &among).rules.into_iter();
    let is_it = |content: &str| rules::stored_content(content).as_ref() == Some(&memory.content);
    let mut lines = said
        .filter(|rule| is_it(&rule.content))
        .map(|rule| rule.line);
    Some(match lines.next() {
        Some(line) => format!("line {line} of {file}"),
        None => file.to_string(),
    })
}

/// The file of the two that a later commit changed, where both were changed since they came.
fn changed_later<'m>(a: &'m Memory, b: &'m Memory, root: &Path) -> Option<&'m str> {
    let changed = |file: &str| {
        let replaced = versions(root, file, 0)?.replaced;
        replaced.into_iter().filter_map(|version| version.at).max()
    };
    let (one, other) = (rules::file_of(a)?, rules::file_of(b)?);
    let (one_at, other_at) = (changed(one)?, changed(other)?);
    match one_at.cmp(&other_at) {
        std::cmp::Ordering::Less => Some(other),
        std::cmp::Ordering::Equal => None,
        std::cmp::Ordering::Greater => Some(one),
    }
}
