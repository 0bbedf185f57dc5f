//! How commands ended, where a client says so only later.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use oldhand_domain::event::{BoundedText, Call, Ending, Event, Happening};

use super::{LIST_LIMIT, key_of};
use crate::outcome::results::left_running;

/// How much of what a command printed later is kept: its end tells most.
const OUTPUT: usize = 3_000;

/// What came after the returns that it belongs to.
#[derive(Clone, Debug, Default)]
pub struct Endings {
    later: HashMap<u64, Later>,
    /// Calls that would change files, and of which it was told what came of them.
    changed: HashSet<u64>,
}

#[derive(Clone, Debug, Default)]
struct Later {
    exit_code: Option<i32>,
    output: String,
}

impl Later {
    /// Adds what was printed. A client may tell all of it again each time it is asked, with what came since.
    fn add(&mut self, output: &str) {
        let output = output.trim_end();
        if output.is_empty() || self.output.trim_end().ends_with(output) {
            return;
        }
        if output.starts_with(self.output.trim_end()) {
            self.output.clear();
        }
        self.output.push_str(output);
        self.output.push('\n');
        let surplus = self.output.len().saturating_sub(OUTPUT);
        let cut = self.output.ceil_char_boundary(surplus);
        self.output.drain(..cut);
    }
}

impl Endings {
    /// Looks at one event of a journal; all of them are looked at before the first is applied.
    pub fn look_at(&mut self, event: &Event) {
        if let Happening::ToolReturned(back) = &event.what
            && is_change(&back.call)
        {
            self.changed.insert(key_of(&back.id));
        }
        let Happening::CommandEnded {
            id,
            exit_code,
            output,
        } = &event.what
        else {
            return;
        };
        let key = key_of(id);
        if self.later.len() >= LIST_LIMIT && !self.later.contains_key(&key) {
            return;
        }
        let later = self.later.entry(key).or_default();
        later.exit_code = exit_code.or(later.exit_code);
        later.add(output.as_str());
    }

    /// The event as it would have been told at once. What was left running says how the work was when it was started, and
    /// nothing of edits that came before its end.
    pub fn apply<'e>(&self, event: &'e Event) -> Cow<'e, Event> {
        // It was asked for; a person or the client may have refused it.
        if let Happening::ToolCalled { id, call } = &event.what
            && is_change(call)
            && !self.changed.contains(&key_of(id))
        {
            let mut event = event.clone();
            event.what = Happening::ToolCalled {
                id: id.clone(),
                call: Call::Other {
                    name: call.tool().to_string(),
                    asked: None,
                    plan: None,
                },
            };
            return Cow::Owned(event);
        }
        let Happening::ToolReturned(back) = &event.what else {
            return Cow::Borrowed(event);
        };
        let left = match back.call {
            Call::Shell { .. } => left_running(back.excerpt.as_str()),
            _ => None,
        };
        let of_call = self.later.get(&key_of(&back.id));
        let later = of_call.or_else(|| self.later.get(&key_of(left?)));
        let Some((later, code)) = later.and_then(|later| Some((later, later.exit_code?))) else {
            return Cow::Borrowed(event);
        };
        if left.is_none() && back.exit_code.is_some() {
            return Cow::Borrowed(event);
        }
        let printed = left.map(|_| {
            let shown = back.excerpt.as_str().split_once("Output:\n");
            let before = shown.map_or("", |(_, printed)| printed);
            BoundedText::ends(&format!("{before}\n{}", later.output), OUTPUT)
        });
        let mut event = event.clone();
        if let Happening::ToolReturned(back) = &mut event.what {
            back.exit_code = Some(code);
            if code != 0 {
                back.ended = Ending::Failed;
            }
            if let Some(printed) = printed {
                back.excerpt = printed;
            }
        }
        Cow::Owned(event)
    }
}

fn is_change(call: &Call) -> bool {
    matches!(call, Call::Edit { .. } | Call::Write { .. })
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;

    use super::super::{FoldOptions, fold};
    use super::*;
    use crate::outcome::results::CheckResult;
    use crate::story::events;

    fn ended(id: &str, exit_code: Option<i32>, output: &str) -> Event {
        let what = Happening::CommandEnded {
            id: id.to_owned(),
            exit_code,
            output: BoundedText::head(output, 200),
        };
        Event::new(Timestamp::UNIX_EPOCH, what)
    }

    #[test]
    fn a_command_whose_end_is_told_later_is_folded_as_if_told_at_once() {
        let at_once = events("run make test = 2: error: bad thing; edit a.c; run make test = 0");
        let mut later = at_once.clone();
        let mut ends = Vec::new();
        for event in &mut later {
            if let Happening::ToolReturned(back) = &mut event.what
                && let Some(exit_code) = back.exit_code.take()
            {
                back.ended = Ending::Succeeded;
                ends.push(ended(&back.id, Some(exit_code), ""));
            }
        }
        assert_eq!(ends.len(), 2);
        let errors = |events: &[Event]| fold(events, &FoldOptions::default()).errors;
        assert_ne!(errors(&later), errors(&at_once));
        later.extend(ends);
        assert_eq!(errors(&later), errors(&at_once));
    }

    #[test]
    fn an_edit_that_was_only_asked_for_changed_nothing() {
        let told = events("edit a.c; edit b.c");
        let mut story = Vec::new();
        for event in &told {
            let Happening::ToolReturned(back) = &event.what else {
                continue;
            };
            let (id, call) = (back.id.clone(), back.call.clone());
            story.push(Event::new(event.at, Happening::ToolCalled { id, call }));
        }
        story.push(told[1].clone());
        let session = fold(&story, &FoldOptions::default());
        let edited = session.edited_files().into_iter();
        let edited: Vec<&str> = edited
            .map(|file| session.files.path(file).as_str())
            .collect();
        assert_eq!((edited.as_slice(), session.step), (&["b.c"][..], 2));
    }

    #[test]
    fn a_check_in_the_background_is_judged_by_what_is_told_of_it_later() {
        let left = "Command running in background with ID: b1. Output is being written to: x";
        for (command, ends, expected) in [
            ("make test", vec![], CheckResult::Unknown),
            // It runs, and what it printed so far may not be all.
            (
                "make test",
                vec![ended("b1", None, "test result: ok. 3 passed; 0 failed")],
                CheckResult::Unknown,
            ),
            (
                "make test",
                vec![ended("b1", Some(0), "")],
                CheckResult::Passed,
            ),
            (
                "make test",
                vec![ended("b1", Some(2), "")],
                CheckResult::Failed,
            ),
            (
                "make test",
                vec![ended("b2", Some(0), "")],
                CheckResult::Unknown,
            ),
            // A pipe hides how it ended; what it printed says so.
            (
                "pytest | tail -5",
                vec![ended("b1", Some(0), "")],
                CheckResult::Unknown,
            ),
            (
                "pytest | tail -5",
                vec![
                    ended("b1", Some(0), ""),
                    ended("b1", None, "== 2 failed, 3 passed in 1s =="),
                ],
                CheckResult::Failed,
            ),
        ] {
            let mut told = events(&format!("edit a.c; run {command} = 0: {left}"));
            let shown = format!("{command}: {ends:?}");
            told.extend(ends);
            let session = fold(&told, &FoldOptions::default());
            assert_eq!(session.runs[0].result, expected, "{shown}");
        }
    }

    #[test]
    fn what_is_told_again_is_kept_once() {
        for (told, kept) in [
            (&["a", "a", "a\n"][..], "a\n"),
            (&["a", "a\nb", "a\nb\nc", "c"], "a\nb\nc\n"),
            (&["a", "", "b"], "a\nb\n"),
        ] {
            let mut later = Later::default();
            for output in told {
                later.add(output);
            }
            assert_eq!(later.output, kept);
        }
    }
}
