//! Text from outside that a session took in. It marks what follows, however the call ended: an error can be as poisoned as an answer.

use oldhand_domain::event::{Call, Place, Return};
use oldhand_domain::taint::OutsideText;

use super::{FoldOptions, LIST_LIMIT, SessionAnalytics, WebUse};
use crate::outcome::outside::fetches;

pub(super) fn take(session: &mut SessionAnalytics, back: &Return, options: &FoldOptions) {
    let outside = match &back.call {
        Call::WebFetch { .. } | Call::WebSearch { .. } => Some(OutsideText::Web),
        Call::Mcp { server, .. } if !options.trusted_servers.contains(server) => {
            Some(OutsideText::Mcp(server.clone()))
        }
        Call::Shell { command, .. } if fetches(command.as_str()) => Some(OutsideText::Web),
        Call::Shell {
            reads_outside: true,
            ..
        }
        | Call::Grep {
            within: Some(Place::Outside),
            ..
        } => Some(OutsideText::File),
        _ => None,
    };
    if let Some(outside) = outside {
        session.take_outside(outside);
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
