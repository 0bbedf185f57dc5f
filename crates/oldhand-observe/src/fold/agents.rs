//! When which agent was at work.

use jiff::Timestamp;

use super::SessionAnalytics;

/// When an agent other than the main one was at work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AgentSpan {
    pub first_at: Timestamp,
    pub last_at: Timestamp,
}

impl SessionAnalytics {
    pub(super) fn span(&mut self, agent: &str, at: Timestamp) {
        match self.agents.get_mut(agent) {
            Some(span) => {
                span.first_at = span.first_at.min(at);
                span.last_at = span.last_at.max(at);
            }
            None => {
                self.agents.insert(
                    agent.to_owned(),
                    AgentSpan {
                        first_at: at,
                        last_at: at,
                    },
                );
            }
        }
    }
}
