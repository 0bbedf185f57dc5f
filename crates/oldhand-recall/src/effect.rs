//! What became of something that was said: judged from what the agent did and said after it, by fixed rules.

use std::collections::BTreeSet;

use oldhand_domain::event::{Call, Event, Happening};
use oldhand_domain::memory::Memory;
use oldhand_domain::path::ProjectPath;
use oldhand_domain::payload::{BuiltInType, MemoryType, Payload};

/// How an agent took a memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// It did or said what only the memory had told it.
    Used,
    /// Nothing shows that it was heeded. That an agent did not do what it was warned of shows nothing: most do not anyway.
    Ignored,
    /// It, or a person, said that the memory is wrong.
    Contradicted,
}

impl Effect {
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Used => "used",
            Self::Ignored => "ignored",
            Self::Contradicted => "contradicted",
        }
    }
}

/// Words of an agent who found a memory wanting.
const DOUBTS: [&str; 9] = [
    "outdated",
    "no longer",
    "is wrong",
    "incorrect",
    "not true",
    "isn't true",
    "does not apply",
    "doesn't apply",
    "not the case",
];

/// Judges a memory that was said between `before` and `after`.
pub fn judge(memory: &Memory, before: &[Event], after: &[Event]) -> Effect {
    let cite = memory.id.short();
    let flagged_since = memory.flagged.as_ref().map(|flag| flag.since);
    let said_at = after.first().map(|event| event.at);
    if flagged_since.is_some_and(|since| said_at.is_none_or(|at| since >= at)) {
        return Effect::Contradicted;
    }
    let cited = after
        .iter()
        .filter_map(words)
        .find(|words| words.contains(&cite));
    if let Some(words) = cited {
        let words = words.to_lowercase();
        let doubted = DOUBTS.iter().any(|doubt| words.contains(doubt));
        return if doubted {
            Effect::Contradicted
        } else {
            Effect::Used
        };
    }
    if let Payload::DeadEnd(end) = &memory.payload {
        let done =
            |events: &[Event], deed: &str| events.iter().flat_map(deeds).any(|did| did == deed);
        if done(after, &end.tried) {
            return Effect::Ignored;
        }
        let instead = end.used_instead.as_deref();
        if instead.is_some_and(|instead| done(after, instead) && !done(before, instead)) {
            return Effect::Used;
        }
    }
    let known: BTreeSet<String> = before.iter().flat_map(tokens).collect();
    let fresh: BTreeSet<String> = telling(memory)
        .into_iter()
        .filter(|word| !known.contains(word))
        .collect();
    let followed = after
        .iter()
        .flat_map(tokens)
        .any(|word| fresh.contains(&word));
    if followed {
        Effect::Used
    } else {
        Effect::Ignored
    }
}

/// What a memory advises that one does not say by chance: commands and identifiers, and files where it says to go there. That an
/// agent touched the file that a rule is about shows nothing, and what a rule forbids is no advice.
fn telling(memory: &Memory) -> BTreeSet<String> {
    let files: BTreeSet<String> = memory
        .files
        .iter()
        .map(|file| file.as_str().to_lowercase())
        .collect();
    let advised = memory.content.as_str().split([',', ';', '\n']);
    let advised = advised.flat_map(|part| part.split(". "));
    let mut words: BTreeSet<String> = advised
        .filter(|part| !forbids(part))
        .flat_map(split)
        .collect();
    if leads_to_files(memory) {
        words.extend(files);
    } else {
        words.retain(|word| !files.iter().any(|file| file.ends_with(word.as_str())));
    }
    words
}

/// Whether to go to its files is what a memory advises.
fn leads_to_files(memory: &Memory) -> bool {
    use BuiltInType as T;
    let kinds = [
        T::CausalDependency,
        T::PrefetchPattern,
        T::ModuleInsight,
        T::ErrorPattern,
        T::DeadEnd,
    ];
    kinds
        .into_iter()
        .any(|kind| memory.memory_type() == MemoryType::BuiltIn(kind))
}

fn forbids(part: &str) -> bool {
    const NO: [&str; 8] = [
        "never", "not", "don't", "avoid", "no", "without", "cannot", "instead",
    ];
    let lower = part.to_lowercase().replace('’', "'");
    let mut words = lower.split(|c: char| !(c.is_alphanumeric() || c == '\''));
    words.any(|word| NO.contains(&word))
}

/// What the agent said aloud or to itself.
fn words(event: &Event) -> Option<&str> {
    match &event.what {
        Happening::Text { text, .. } => Some(text.as_str()),
        _ => None,
    }
}

/// What the agent did: files it touched, commands it ran, patterns it looked for.
fn deeds(event: &Event) -> Vec<&str> {
    let call = match &event.what {
        Happening::ToolCalled { call, .. } => call,
        Happening::ToolReturned(back) => &back.call,
        _ => return Vec::new(),
    };
    match call {
        Call::Read { file } | Call::Write { file, .. } => file
            .project()
            .map(ProjectPath::as_str)
            .into_iter()
            .collect(),
        Call::Edit { files, .. } => files
            .iter()
            .filter_map(|file| file.project().map(ProjectPath::as_str))
            .collect(),
        Call::Grep { pattern, .. } | Call::Glob { pattern, .. } => vec![pattern],
        Call::Shell { command, .. } => vec![command.as_str()],
        _ => Vec::new(),
    }
}

fn tokens(event: &Event) -> Vec<String> {
    let texts = deeds(event).into_iter().chain(words(event));
    texts.flat_map(split).collect()
}

/// Words that look like names in code: with a sign inside, or with capitals inside.
fn split(text: &str) -> Vec<String> {
    const SHORTEST: usize = 4;
    let inside = |char: char| matches!(char, '_' | '/' | '.' | ':' | '-' | '@');
    text.split(|char: char| !char.is_alphanumeric() && !inside(char))
        .map(|word| word.trim_matches(inside))
        .filter(|word| {
            let capitals = word.chars().skip(1).any(char::is_uppercase);
            word.len() >= SHORTEST && (word.contains(inside) || capitals)
        })
        .map(str::to_lowercase)
        .collect()
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;
    use oldhand_domain::event::{BoundedText, Place, Voice};
    use oldhand_domain::memory::Flag;
    use oldhand_domain::payload::DeadEnd;
    use oldhand_domain::vocabulary::{Correction, FlaggedBy};
    use oldhand_testkit::memory;

    use super::*;

    const NOW: Timestamp = Timestamp::UNIX_EPOCH;

    fn ran(command: &str) -> Event {
        let call = Call::Shell {
            command: BoundedText::head(command, 400),
            reads_outside: false,
        };
        let id = "1".to_owned();
        Event::new(NOW, Happening::ToolCalled { id, call })
    }

    fn edited(file: &str) -> Event {
        let call = Call::Edit {
            files: vec![Place::Project(ProjectPath::new(file).unwrap())],
            change: None,
        };
        let id = "1".to_owned();
        Event::new(NOW, Happening::ToolCalled { id, call })
    }

    fn said(text: &str) -> Event {
        let text = BoundedText::head(text, 400);
        let voice = Voice::Said;
        Event::new(NOW, Happening::Text { voice, text })
    }

    fn fix() -> Memory {
        memory(
            1,
            BuiltInType::ErrorPattern,
            "An undeclared crate `wire_gen` goes away with an edit of build/codegen.rs",
        )
    }

    #[test]
    fn doing_what_only_the_memory_named_is_using_it() {
        let before = [ran("cargo test")];
        assert_eq!(
            judge(&fix(), &before, &[edited("build/codegen.rs")]),
            Effect::Used
        );
        assert_eq!(
            judge(&fix(), &before, &[ran("cargo test")]),
            Effect::Ignored
        );
        let knew = [edited("build/codegen.rs"), said("wire_gen is missing")];
        assert_eq!(
            judge(&fix(), &knew, &[edited("build/codegen.rs")]),
            Effect::Ignored
        );
    }

    #[test]
    fn to_touch_the_file_that_a_rule_is_about_is_not_to_follow_it() {
        let about = |content: &str| {
            let mut memory = memory(3, BuiltInType::Gotcha, content);
            memory.files = [ProjectPath::new("src/cask.rs").unwrap()].into();
            memory
        };
        let judged = |content: &str, deed: Event| judge(&about(content), &[], &[deed]);
        let rule = "Sort the keys of src/cask.rs with `bin/sort-keys` before a commit";
        assert_eq!(judged(rule, edited("src/cask.rs")), Effect::Ignored);
        assert_eq!(judged(rule, ran("bin/sort-keys")), Effect::Used);
        let forbidden = "Never run `bin/sort-keys` here";
        assert_eq!(judged(forbidden, ran("bin/sort-keys")), Effect::Ignored);
    }

    #[test]
    fn a_citation_is_use_unless_it_is_a_denial() {
        let cite = fix().id.short();
        let thanks = said(&format!("As [{cite}] says, I edit the generator."));
        let denial = said(&format!("Memory {cite} is outdated: the generator moved."));
        assert_eq!(judge(&fix(), &[], &[thanks]), Effect::Used);
        assert_eq!(judge(&fix(), &[], &[denial]), Effect::Contradicted);
    }

    #[test]
    fn a_flag_that_came_after_contradicts() {
        let mut memory = fix();
        memory.flagged = Some(Flag {
            since: NOW,
            correction: Correction::Inaccurate,
            note: None,
            by: FlaggedBy::Person,
        });
        assert_eq!(judge(&memory, &[], &[ran("ls")]), Effect::Contradicted);
    }

    #[test]
    fn a_dead_end_is_used_by_going_the_way_it_names_and_not_by_staying_away() {
        let mut memory = memory(2, BuiltInType::DeadEnd, "`make fast` breaks the cache.");
        memory.payload = Payload::DeadEnd(DeadEnd {
            tried: "make fast".to_owned(),
            why_it_failed: "it breaks the cache".to_owned(),
            used_instead: Some("make slow".to_owned()),
            task_context: None,
        });
        let judged = |before: &[Event], after: &str| judge(&memory, before, &[ran(after)]);
        assert_eq!(judged(&[], "make slow"), Effect::Used);
        assert_eq!(judged(&[ran("make slow")], "make slow"), Effect::Ignored);
        assert_eq!(judged(&[], "ls"), Effect::Ignored);
        assert_eq!(judged(&[], "make fast"), Effect::Ignored);
    }
}
