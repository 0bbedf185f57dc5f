//! What is said beside memories: the fix of an error that was met before, and where a repeated search led.

use oldhand_domain::event::{Call, Event, Happening};
use oldhand_domain::path::ProjectPath;
use oldhand_engine::{Cue, Engine, KnownFix, Listener};
use oldhand_observe::detect::SolvedBy;
use oldhand_observe::orders::order_in_output;
use oldhand_recall::inject::{ClearedFix, Fact, FoundFix, Line};
use oldhand_store::SqliteStore;

/// The fix of this very error, when a session that ended well found one and nothing stands against saying it. Where a memory
/// tells of the error, the memory is enough.
pub(super) fn add_fix(
    engine: &Engine<'_>,
    store: &SqliteStore,
    listener: Listener<'_>,
    cue: &Cue,
    lines: &mut Vec<Line>,
) {
    let Cue::Failed(output) = cue else {
        return;
    };
    if !lines.is_empty() {
        return;
    }
    let Ok(Some(fix)) = engine.known_fix(output, store) else {
        return;
    };
    let Some(deed) = deed(&fix) else {
        return;
    };
    let error = fix.error.to_string();
    // Errors are what programs print, whoever told them to.
    if [&error, &deed]
        .iter()
        .any(|text| order_in_output(text).is_some())
    {
        return;
    }
    let found = FoundFix {
        error: &error,
        deed: &deed,
        sessions: fix.sessions.len(),
        held: fix.held,
        confidence: fix.confidence,
        about: &fix.about,
    };
    let cleared = ClearedFix::of(found, listener.level, listener.now);
    lines.extend(cleared.ok().map(|fix| Line::Fact(Fact::fix(&fix))));
}

/// What another session can do again, in words.
fn deed(fix: &KnownFix) -> Option<String> {
    match &fix.by {
        SolvedBy::Edits(_) | SolvedBy::Later => None,
        SolvedBy::First(command) => Some(format!("`{command}` before it")),
        SolvedBy::Command(command) => Some(format!("`{command}` instead")),
        SolvedBy::Without { command, option } => Some(format!("`{command}` without `{option}`")),
        SolvedBy::Again => Some("another try, unchanged".to_owned()),
    }
}

/// How many files of an earlier search are named.
const LED_TO: usize = 3;

/// Where the same search led earlier in the session: the files it found that were opened afterwards. What the agent found itself a
/// moment ago is still before its eyes, so this is for another agent of the session, or after the context was compacted.
pub(super) fn add_search(told: &[Event], agent: Option<&str>, cue: &Cue, lines: &mut Vec<Line>) {
    let Cue::Searched(pattern) = cue else {
        return;
    };
    let compacted = told
        .iter()
        .rposition(|event| event.agent.as_deref() == agent && is_compaction(event));
    let earlier = told.iter().enumerate().find_map(|(at, event)| {
        let forgotten = event.agent.as_deref() != agent || compacted.is_some_and(|then| at < then);
        match &event.what {
            Happening::ToolReturned(back) if forgotten => match &back.call {
                Call::Grep { pattern: other, .. } if other == pattern => {
                    Some((at, back.matched.as_slice()))
                }
                _ => None,
            },
            _ => None,
        }
    });
    let Some((at, matched)) = earlier else {
        return;
    };
    let mut led_to: Vec<ProjectPath> = Vec::new();
    for event in &told[at..] {
        if let Happening::ToolReturned(back) = &event.what
            && let Call::Read { file } = &back.call
            && let Some(file) = file.project()
            && matched.contains(file)
            && !led_to.contains(file)
            && led_to.len() < LED_TO
        {
            led_to.push(file.clone());
        }
    }
    lines.extend(Fact::searched(pattern, &led_to).map(Line::Fact));
}

fn is_compaction(event: &Event) -> bool {
    matches!(event.what, Happening::ContextCompacted)
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;
    use oldhand_domain::event::{BoundedText, Ending, Place, Return};

    use super::*;

    fn back(call: Call, matched: &[&str], agent: Option<&str>) -> Event {
        let returned = Return {
            id: "1".to_owned(),
            call,
            ended: Ending::Succeeded,
            excerpt: BoundedText::default(),
            matched: matched
                .iter()
                .map(|path| ProjectPath::new(path).unwrap())
                .collect(),
            found: None,
            exit_code: None,
            duration_ms: None,
            size: 0,
        };
        Event {
            agent: agent.map(str::to_owned),
            ..Event::new(Timestamp::UNIX_EPOCH, Happening::ToolReturned(returned))
        }
    }

    fn grep() -> Call {
        Call::Grep {
            pattern: "fn open".to_owned(),
            within: None,
        }
    }

    fn read(path: &str) -> Call {
        Call::Read {
            file: Place::Project(ProjectPath::new(path).unwrap()),
        }
    }

    fn said(told: &[Event], agent: Option<&str>) -> usize {
        let mut lines = Vec::new();
        let cue = Cue::Searched("fn open".to_owned());
        add_search(told, agent, &cue, &mut lines);
        lines.len()
    }

    #[test]
    fn a_search_is_answered_from_before_for_those_who_do_not_see_the_answer_any_more() {
        let mut told = vec![
            back(grep(), &["src/a.rs", "src/b.rs"], None),
            back(read("src/b.rs"), &[], None),
        ];
        assert_eq!(said(&told, None), 0, "it has just seen it");
        assert_eq!(said(&told, Some("explorer")), 1);
        told.push(Event::new(
            Timestamp::UNIX_EPOCH,
            Happening::ContextCompacted,
        ));
        assert_eq!(said(&told, None), 1);
        let led_nowhere = [back(grep(), &["src/a.rs"], None)];
        assert_eq!(said(&led_nowhere, Some("explorer")), 0);
    }
}
