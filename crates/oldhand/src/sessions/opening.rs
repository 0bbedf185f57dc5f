//! How a session began that nobody learned from yet, by the beginning of its journal.

use jiff::Timestamp;
use oldhand_domain::event::Happening;
use oldhand_domain::id::SessionId;

use super::Sessions;

/// What is known before a journal was read whole.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Opening {
    pub(crate) client: Option<String>,
    pub(crate) at: Option<Timestamp>,
    pub(crate) prompt: Option<String>,
}

/// Who asks for something asks for it among the first events.
const FIRST: usize = 200;
/// So much is kept of a prompt, in bytes; some paste whole files.
const PROMPT: usize = 4000;

impl Sessions<'_> {
    /// Nothing of what cannot be read.
    pub(crate) fn opening(&self, session: &SessionId) -> Opening {
        let mut opening = Opening::default();
        let journals = self.journals_of(session);
        let length = journals.length(session).unwrap_or(0);
        let Ok(events) = journals.open(session, length) else {
            return opening;
        };
        for event in events.take(FIRST).flatten() {
            opening.at = opening.at.or(Some(event.at));
            match event.what {
                Happening::SessionStarted(start) if opening.client.is_none() => {
                    opening.client = Some(start.client);
                    let task = start.task.map(|task| beginning(task.as_str()));
                    opening.prompt = opening.prompt.or(task);
                }
                Happening::Prompt { text, .. }
                    if opening.prompt.is_none() && event.agent.is_none() =>
                {
                    opening.prompt = Some(beginning(text.as_str()));
                }
                _ => {}
            }
            if opening.client.is_some() && opening.prompt.is_some() {
                break;
            }
        }
        opening
    }
}

fn beginning(text: &str) -> String {
    text[..text.floor_char_boundary(PROMPT)].to_owned()
}
