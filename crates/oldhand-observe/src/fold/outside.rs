//! Text from outside that a session took in. It marks what follows, however the call ended: an error can be as poisoned as an answer.

use oldhand_domain::event::{Call, Event, Happening, Place, Return};
use oldhand_domain::taint::OutsideText;

use super::{FoldOptions, LIST_LIMIT, SessionAnalytics, Subagents, WebUse, key_of};
use crate::outcome::outside::{fetches, is_of_others};

pub(super) fn take(session: &mut SessionAnalytics, back: &Return, options: &FoldOptions) {
    if let Some(outside) = brought_by(back, options) {
        session.take_outside(outside);
    }
    // A subagent hands on what it took in, also where it failed in the end. What that was is among its own events, if anybody told them.
    if let Some(asked) = session.tasks.remove(&key_of(&back.id))
        && options.subagents == Subagents::Here
        && session.heard_of_subagents <= asked
    {
        session.take_outside(OutsideText::Unseen);
    }
}

fn brought_by(back: &Return, options: &FoldOptions) -> Option<OutsideText> {
    match &back.call {
        Call::WebFetch { .. } | Call::WebSearch { .. } => Some(OutsideText::Web),
        Call::Mcp { server, .. } if !options.trusted_servers.contains(server) => {
            Some(OutsideText::Mcp(server.clone()))
        }
        Call::Shell { command, .. } if fetches(command.as_str()) => Some(OutsideText::Web),
        Call::Shell {
            reads_outside: true,
            ..
        }
        | Call::Glob { outside: true, .. } => Some(OutsideText::File),
        Call::Grep {
            within: Some(place),
            ..
        } if is_outside(place) => Some(OutsideText::File),
        _ => None,
    }
}

/// Whether reading here takes in what neither the project nor its people wrote.
pub(super) fn is_outside(place: &Place) -> bool {
    place
        .project()
        .is_none_or(|path| is_of_others(path.as_str()))
}

/// The outside text that an event by itself brings in.
pub fn outside_of(event: &Event, options: &FoldOptions) -> Option<OutsideText> {
    let read = |call: &Call| {
        let outside = matches!(call, Call::Read { file } if is_outside(file));
        outside.then_some(OutsideText::File)
    };
    match &event.what {
        Happening::Prompt { pasted: true, .. } => Some(OutsideText::Pasted),
        Happening::ToolCalled { call, .. } => read(call),
        Happening::ToolReturned(back) => brought_by(back, options).or_else(|| read(&back.call)),
        _ => None,
    }
}

/// More sources than these say nothing new of what follows.
const SOURCES: usize = 64;

impl SessionAnalytics {
    /// Only the first of each kind matters: what comes after is marked already.
    pub(super) fn take_outside(&mut self, outside: OutsideText) {
        if self.outside.len() < SOURCES && !self.outside.iter().any(|(_, known)| *known == outside)
        {
            self.outside.push((self.step, outside));
        }
    }

    pub(super) fn look_outside(&mut self, subject: String) {
        if self.web.len() < LIST_LIMIT {
            self.web.push(WebUse {
                step: self.step,
                subject,
            });
        }
    }
}

/// A page's address without its query and fragment.
pub(super) fn page_of(url: &str) -> String {
    let end = url.find(['?', '#']).unwrap_or(url.len());
    url[..end].trim_end_matches('/').to_lowercase()
}
