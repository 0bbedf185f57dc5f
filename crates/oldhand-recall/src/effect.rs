//! What became of something that was said: judged from what the agent did and said after it, by fixed rules.

mod advice;

use std::collections::BTreeSet;

use oldhand_domain::event::{Call, Event, Happening};
use oldhand_domain::memory::Memory;
use oldhand_domain::path::ProjectPath;
use oldhand_domain::payload::{BuiltInType as T, MemoryType, Payload};

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
/// agent touched the file that a rule is about shows nothing, and what stands on both sides cannot be told apart.
fn telling(memory: &Memory) -> BTreeSet<String> {
    let advice = advice::of(memory.content.as_str());
    let mut words: BTreeSet<String> = advice.advised.into_iter().flat_map(split).collect();
    for word in advice.others.into_iter().flat_map(split) {
        words.remove(&word);
    }
    let files = memory.files.iter().map(|file| file.as_str().to_lowercase());
    match memory.memory_type() {
        // To go to these files is what it advises.
        MemoryType::BuiltIn(T::CausalDependency | T::PrefetchPattern | T::ModuleInsight) => {
            words.extend(files);
        }
        // Some of the files are where it went wrong; its words say which are the answer.
        MemoryType::BuiltIn(T::ErrorPattern | T::DeadEnd) => {}
        _ => {
            let files: Vec<String> = files.collect();
            words.retain(|word| !files.iter().any(|file| file.ends_with(word.as_str())));
        }
    }
    words
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
    use oldhand_domain::payload::{BuiltInType, DeadEnd};
    use oldhand_domain::vocabulary::{Correction, FlaggedBy};
    use oldhand_testkit::memory;

    use super::*;

    const NOW: Timestamp = Timestamp::UNIX_EPOCH;

    fn ran(command: &str) -> Event {
        let call = Call::Shell {
            command: BoundedText::head(command, 400),
            reads_outside: false,
            folder: None,
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
    }

    /// What became of a text when an agent did each of these.
    #[track_caller]
    fn assert_used(kind: BuiltInType, content: &str, used: &[&str], ignored: &[&str]) {
        let memory = memory(4, kind, content);
        for (deeds, effect) in [(used, Effect::Used), (ignored, Effect::Ignored)] {
            for deed in deeds {
                assert_eq!(
                    judge(&memory, &[], &[ran(deed)]),
                    effect,
                    "{content} / {deed}"
                );
            }
        }
    }

    #[test]
    fn an_error_is_used_by_its_answer_and_not_by_what_failed() {
        for (content, used, ignored) in [
            (
                "`bin/fast-test` fails with \"error: use of freed_row instead of row_copy. Stop.\" (seen 3 times). What worked instead: `bin/slow-test`.",
                &["bin/slow-test"][..],
                &["bin/fast-test", "grep freed_row", "grep row_copy"][..],
            ),
            (
                "`bin/test --lib` fails with \"no such target\". What worked instead (without `--lib`, with `--bin`): `bin/test --bin big_app`.",
                &["bin/test --bin big_app"],
                &["bin/test --lib"],
            ),
            (
                "`bin/test` does not know `--fast` (\"unknown option\"). What worked instead: `bin/quick-test -q` (seen in 2 sessions).",
                &["bin/quick-test"],
                &["bin/test --fast"],
            ),
            (
                "`bin/test` fails with \"connection refused\". It passed after `bin/start-db`.",
                &["bin/start-db"],
                &["bin/test"],
            ),
            (
                "`bin/test` fails with \"no row in big_table\". The cause: `RowCache` never reads it. Mended in `src/rows.rs`.",
                &["vi src/rows.rs"],
                &["bin/test", "grep big_table", "grep RowCache"],
            ),
            (
                "\"no row in big_table\" came in 4 sessions; what helped 3 times: running `bin/fill-rows`.",
                &["bin/fill-rows"],
                &["grep big_table"],
            ),
            (
                "`bin/test` failed here with \"use bin/other\": 4 times in 3 sessions, last on 2026-01-02, and nothing that was tried helped. It may have ended since.",
                &[],
                &["bin/test", "bin/other"],
            ),
            (
                "`bin/test` fails with \"run bin/other\". It passed when run again unchanged, so it may be flaky.",
                &[],
                &["bin/test", "bin/other"],
            ),
            (
                "A hook refuses `bin/push` here: \"use bin/send instead\" (seen in 2 sessions).",
                &["bin/send"],
                &["bin/push"],
            ),
        ] {
            assert_used(BuiltInType::ErrorPattern, content, used, ignored);
        }
    }

    #[test]
    fn a_rule_is_used_by_what_it_advises_and_not_by_what_it_forbids() {
        for (content, used, ignored) in [
            (
                "Use bin/dev-server instead of bin/npm-start",
                &["bin/dev-server"][..],
                &["bin/npm-start"][..],
            ),
            (
                "Instead of bin/npm-start, use bin/dev-server",
                &["bin/dev-server"],
                &["bin/npm-start"],
            ),
            (
                "bin/npm-start hangs. Use bin/dev-server instead.",
                &["bin/dev-server"],
                &["bin/npm-start"],
            ),
            (
                "Prefer bin/dev-server over bin/npm-start, which is slow",
                &["bin/dev-server"],
                &["bin/npm-start"],
            ),
            (
                "We use bin/dev-server, not bin/npm-start",
                &["bin/dev-server"],
                &["bin/npm-start"],
            ),
            (
                "Always run bin/dev-server rather than bin/npm-start",
                &["bin/dev-server"],
                &["bin/npm-start"],
            ),
            (
                "Tests do not pass without the database: run bin/start-db first",
                &["bin/start-db"],
                &[],
            ),
            (
                "The user stopped an agent that was about to run `bin/npm-start`, with the words: \"no, use bin/dev-server\".",
                &["bin/dev-server"],
                &["bin/npm-start"],
            ),
            ("Never run `bin/sort-keys` here", &[], &["bin/sort-keys"]),
            ("Don’t use bin/sort-keys for this", &[], &["bin/sort-keys"]),
            (
                "bin/sort-keys breaks when you run bin/other",
                &[],
                &["bin/sort-keys", "bin/other"],
            ),
            ("`bin/sort-keys` wipes the cache", &[], &["bin/sort-keys"]),
            ("bitte nie bin/sort-keys starten", &[], &["bin/sort-keys"]),
            ("n'utilisez jamais bin/sort-keys", &[], &["bin/sort-keys"]),
            ("никогда не запускай bin/sort-keys", &[], &["bin/sort-keys"]),
            ("不要运行 bin/sort-keys", &[], &["bin/sort-keys"]),
            ("bitte immer bin/sort-keys starten", &["bin/sort-keys"], &[]),
            (
                "`bin/test --all` fails; use `bin/test`",
                &[],
                &["bin/test --all"],
            ),
        ] {
            assert_used(BuiltInType::Gotcha, content, used, ignored);
        }
    }

    #[test]
    fn a_dead_end_that_names_files_is_used_by_those_that_were_gone_on_with() {
        let content = "A dead end: working on `src/old_way.rs`, given up after 9 steps. It cannot see the rows. What was done instead: work on `src/new_way.rs`.";
        let mut memory = memory(5, BuiltInType::DeadEnd, content);
        memory.files = ["src/old_way.rs", "src/new_way.rs"]
            .map(|file| ProjectPath::new(file).unwrap())
            .into();
        let judged = |file: &str| judge(&memory, &[], &[edited(file)]);
        assert_eq!(judged("src/new_way.rs"), Effect::Used);
        assert_eq!(judged("src/old_way.rs"), Effect::Ignored);
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
