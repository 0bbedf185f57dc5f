//! Memories as a page of Markdown: one for people, one for agents that read a rules file.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use jiff::Timestamp;
use oldhand_domain::memory::Memory;
use oldhand_domain::payload::{BuiltInType, MemoryType};
use oldhand_engine::Shelved;
use oldhand_engine::rules::Turn;

use crate::out::time::moment;

/// Everything, for people: by type, with where each statement comes from.
pub(crate) fn markdown(name: &str, memories: &[Shelved], now: Timestamp) -> String {
    let mut page = format!("# What is remembered about {name}\n");
    for (memory_type, group) in by_type(memories.iter()) {
        let _ = write!(page, "\n## {}\n", heading(&memory_type));
        for memory in group {
            let _ = write!(page, "\n- {}\n", indented(memory.content.as_str()));
            let mut facts = vec![
                format!("`{}`", memory.id.short()),
                format!("confidence {}", memory.confidence_now(now)),
                memory.source.to_string(),
                moment(memory.created_at),
            ];
            facts.extend(memory.files.iter().map(|file| format!("`{file}`")));
            facts.extend(memory.tags.iter().map(|tag| format!("#{tag}")));
            let _ = writeln!(page, "  ({})", facts.join(", "));
        }
    }
    page
}

/// What an agent may rely on, one bullet each.
pub(crate) fn claude_md(name: &str, memories: &[&Shelved]) -> String {
    let mut page = format!("# {name}\n");
    for (memory_type, group) in by_type(memories.iter().copied()) {
        let _ = write!(page, "\n## {}\n\n", heading(&memory_type));
        for memory in group {
            let _ = write!(page, "- {}", indented(memory.content.as_str()));
            let content = memory.content.as_str();
            let unnamed = memory
                .files
                .iter()
                .filter(|file| !content.contains(file.as_str()));
            let files: Vec<String> = unnamed.map(|file| format!("`{file}`")).collect();
            if !files.is_empty() {
                let _ = write!(page, " ({})", files.join(", "));
            }
            page.push('\n');
        }
    }
    page
}

/// Whether an agent may be told this without a person looking at it first.
pub(crate) fn is_sound(memory: &Memory) -> bool {
    memory.is_live()
        && memory.flagged.is_none()
        && memory.stale.is_none()
        && !memory.needs_review
        && memory.taint.is_clean()
}

fn by_type<'a>(memories: impl Iterator<Item = &'a Shelved>) -> Vec<(MemoryType, Vec<&'a Memory>)> {
    let mut groups: BTreeMap<MemoryType, Vec<&Memory>> = BTreeMap::new();
    for Shelved { memory, .. } in memories {
        groups.entry(memory.memory_type()).or_default().push(memory);
    }
    let mut groups: Vec<_> = groups.into_iter().collect();
    for (_, group) in &mut groups {
        group.sort_by_key(|memory| Turn::of(memory));
    }
    // What must be kept comes first; a reader may not get to the end.
    groups.sort_by_key(|(memory_type, _)| match memory_type {
        MemoryType::BuiltIn(BuiltInType::Requirement) => 0,
        MemoryType::BuiltIn(BuiltInType::Gotcha) => 1,
        _ => 2,
    });
    groups
}

/// `error_pattern` as a heading: `Error patterns`.
fn heading(memory_type: &MemoryType) -> String {
    let words = memory_type.to_string().replace(['_', ':'], " ");
    let mut letters = words.chars();
    let first: String = letters
        .next()
        .into_iter()
        .flat_map(char::to_uppercase)
        .collect();
    let words = format!("{first}{}", letters.as_str());
    match words.strip_suffix('y') {
        Some(stem) => format!("{stem}ies"),
        None => format!("{words}s"),
    }
}

fn indented(content: &str) -> String {
    content.replace('\n', "\n  ")
}
