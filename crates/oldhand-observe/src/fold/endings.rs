//! How commands ended, where a client says so only later.

use std::borrow::Cow;
use std::collections::HashMap;

use oldhand_domain::event::{Ending, Event, Happening};

use super::key_of;

/// The exit codes that came after the returns they belong to.
#[derive(Clone, Debug, Default)]
pub struct Endings {
    codes: HashMap<u64, i32>,
}

impl Endings {
    /// Looks at one event of a journal; all of them are looked at before the first is applied.
    pub fn look_at(&mut self, event: &Event) {
        if let Happening::CommandEnded { id, exit_code } = &event.what {
            self.codes.insert(key_of(id), *exit_code);
        }
    }

    /// The event as it would have been told at once.
    pub fn apply<'e>(&self, event: &'e Event) -> Cow<'e, Event> {
        let Happening::ToolReturned(back) = &event.what else {
            return Cow::Borrowed(event);
        };
        let code = self.codes.get(&key_of(&back.id)).copied();
        let (Some(code), None) = (code, back.exit_code) else {
            return Cow::Borrowed(event);
        };
        let mut event = event.clone();
        if let Happening::ToolReturned(back) = &mut event.what {
            back.exit_code = Some(code);
            if code != 0 {
                back.ended = Ending::Failed;
            }
        }
        Cow::Owned(event)
    }
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;

    use super::super::{FoldOptions, fold};
    use super::*;
    use crate::story::events;

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
                let id = back.id.clone();
                ends.push(Happening::CommandEnded { id, exit_code });
            }
        }
        assert_eq!(ends.len(), 2);
        let errors = |events: &[Event]| fold(events, &FoldOptions::default()).errors;
        assert_ne!(errors(&later), errors(&at_once));
        later.extend(
            ends.into_iter()
                .map(|end| Event::new(Timestamp::UNIX_EPOCH, end)),
        );
        assert_eq!(errors(&later), errors(&at_once));
    }
}
