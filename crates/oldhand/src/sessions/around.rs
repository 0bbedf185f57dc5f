//! What happened around one step of a session, as its journal has it.

use anyhow::Result;
use oldhand_domain::event::{Event, Happening};
use oldhand_domain::id::SessionId;
use oldhand_observe::fold::SessionAnalytics;
use serde::Serialize;

use super::Sessions;
use super::trace::{Moment, describe};

/// The events of a step, of the one before and of the one after.
#[derive(Serialize)]
pub(crate) struct Around {
    pub(crate) id: String,
    pub(crate) step: u32,
    /// How many steps the session has.
    pub(crate) steps: u32,
    pub(crate) events: Vec<Seen>,
    /// Events of these steps that are not shown.
    pub(crate) more: usize,
}

/// One of them, with what was said or came out.
#[derive(Serialize)]
pub(crate) struct Seen {
    #[serde(flatten)]
    pub(crate) moment: Moment,
    pub(crate) text: Option<String>,
}

/// The most events that are shown.
const MOST: usize = 40;
/// The longest text of one, in bytes.
const LENGTH: usize = 2000;

impl Sessions<'_> {
    /// Nothing but the number of steps where the session has no such step, or its journal is gone.
    pub(crate) fn around(&self, session: &SessionId, step: u32) -> Result<Around> {
        let mut around = Around {
            id: session.to_string(),
            step,
            steps: 0,
            events: Vec::new(),
            more: 0,
        };
        let mut fold = SessionAnalytics::default();
        self.own_events(session, |event| {
            fold.take(event, &self.options);
            around.steps = fold.step;
            if fold.step.abs_diff(step) > 1 {
                return;
            }
            // What was called is told by what came of it.
            if matches!(event.what, Happening::ToolCalled { .. }) {
                return;
            }
            let Some(told) = describe(event, "") else {
                return;
            };
            if around.events.len() == MOST {
                around.more += 1;
                return;
            }
            around.events.push(Seen {
                moment: Moment::of(fold.step, event, told),
                text: text_of(event),
            });
        })?;
        Ok(around)
    }
}

fn text_of(event: &Event) -> Option<String> {
    let text = match &event.what {
        Happening::Text { text, .. } | Happening::Prompt { text, .. } => text.as_str(),
        Happening::ToolReturned(back) => back.excerpt.as_str(),
        _ => return None,
    };
    let text = text.trim();
    let cut = &text[..text.floor_char_boundary(LENGTH)];
    let more = if cut.len() < text.len() { "…" } else { "" };
    (!cut.is_empty()).then(|| format!("{cut}{more}"))
}
