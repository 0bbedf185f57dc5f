//! The events of a session, wherever they were written down: each once, and only its own.

use std::collections::{BTreeMap, HashSet};
use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use anyhow::Result;
use jiff::{SignedDuration, Timestamp};
use oldhand_domain::event::{Event, Happening};
use oldhand_domain::id::SessionId;
use oldhand_domain::session::SessionStore as _;
use oldhand_engine::{Finalizer, Scratchpad, SessionBody, name_call};
use oldhand_observe::fold::{FoldOptions, SessionAnalytics};
use oldhand_store::journal::Reading;

use super::Sessions;

/// How long the journals of a session were when they were first looked at.
#[derive(Clone, Copy)]
struct Length {
    live: Option<u64>,
    imported: Option<u64>,
}

impl Sessions<'_> {
    /// Hands on every event of a session. One that was imported and then went on under hooks is told by two journals, one after
    /// the other.
    pub(crate) fn each(&self, session: &SessionId, take: impl FnMut(Event)) -> Result<Reading> {
        self.each_until(session, self.length(session), take)
    }

    fn length(&self, session: &SessionId) -> Length {
        Length {
            live: self.live.length(session),
            imported: self.imported.length(session),
        }
    }

    fn each_until(
        &self,
        session: &SessionId,
        length: Length,
        mut take: impl FnMut(Event),
    ) -> Result<Reading> {
        let (imported, live) = match (length.imported, length.live) {
            (Some(imported), Some(live)) => (imported, live),
            (Some(bytes), None) => return Ok(self.imported.each_until(session, bytes, take)?),
            (None, bytes) => {
                let bytes = bytes.unwrap_or(0);
                return Ok(self.live.each_until(session, bytes, take)?);
            }
        };
        let mut prompts = Prompts::default();
        let before = self.imported.each_until(session, imported, |event| {
            prompts.note(&event);
            take(event);
        })?;
        let since = self.live.each_until(session, live, |event| {
            if !prompts.is_known(&event) {
                take(event);
            }
        })?;
        // The length comes first, as that of the journal that still grows.
        let digest = since.digest.zip(before.digest);
        Ok(Reading {
            bad_lines: before.bad_lines + since.bad_lines,
            digest: digest.map(|(since, before)| format!("{since}+{before}")),
        })
    }

    /// What a session showed, without what it only repeats of the session it was resumed or forked from.
    pub(crate) fn scratchpad(
        &self,
        finalizer: &Finalizer<'_>,
        session: &SessionId,
    ) -> Result<(Scratchpad, Reading)> {
        // A journal may grow meanwhile; all looks at it are looks at the same.
        let length = self.length(session);
        let mut pad = Scratchpad::default();
        self.each_until(session, length, |event| pad.look_ahead(&event))?;
        let others = finalizer.copied_from(session, &pad)?;
        let read = self.each_own(session, &others, length, |event| pad.take(&event))?;
        pad.leave_to(others);
        Ok((pad, read))
    }

    /// The events that a session was last finalized from: without those that are counted with another.
    pub(super) fn own_events(
        &self,
        session: &SessionId,
        take: impl FnMut(Event),
    ) -> Result<Reading> {
        let record = self.store.session(session)?;
        let body = record.as_ref().and_then(SessionBody::read);
        let others = body.map(|body| body.copied_from).unwrap_or_default();
        self.each_own(session, &others, self.length(session), take)
    }

    fn each_own(
        &self,
        session: &SessionId,
        others: &[SessionId],
        length: Length,
        mut take: impl FnMut(Event),
    ) -> Result<Reading> {
        if others.is_empty() {
            return self.each_until(session, length, take);
        }
        let mut theirs: HashSet<u64> = HashSet::new();
        for other in others {
            self.each(other, |event| theirs.extend(name(&event)))?;
        }
        // The past is copied as a whole, so that the last copied event ends it.
        let (mut at, mut copied) = (0, 0);
        self.each_until(session, length, |event| {
            at += 1;
            if name(&event).is_some_and(|name| theirs.contains(&name)) {
                copied = at;
            }
        })?;
        at = 0;
        // The agent still has before it what it took in then.
        let mut past = SessionAnalytics::default();
        self.each_until(session, length, |event| {
            at += 1;
            if at <= copied {
                past.take(&event, &FoldOptions::default());
            }
            if at == copied + 1 {
                let outside = past.taint_after(u32::MAX);
                if !outside.is_clean() {
                    take(Event::new(event.at, Happening::MayHaveTaken { outside }));
                }
            }
            if at > copied || matches!(event.what, Happening::SessionStarted(_)) {
                take(event);
            }
        })
    }
}

/// Names an event that cannot happen twice by chance.
fn name(event: &Event) -> Option<u64> {
    let words = match &event.what {
        Happening::ToolCalled { id, .. } => name_call(id, event.at),
        Happening::ToolReturned(back) => name_call(&back.id, event.at),
        Happening::Prompt { .. } | Happening::Text { .. } => event.to_line()?,
        _ => return None,
    };
    let mut hasher = DefaultHasher::new();
    words.hash(&mut hasher);
    Some(hasher.finish())
}

/// What a person said as a transcript tells it, so that a hook does not say it again.
#[derive(Default)]
struct Prompts {
    said: BTreeMap<String, Vec<Timestamp>>,
}

/// A few words may be said again; the same words so soon are the same.
const FEW_WORDS: usize = 3;
const SOON: SignedDuration = SignedDuration::from_mins(10);

impl Prompts {
    fn note(&mut self, event: &Event) {
        if let (Happening::Prompt { text, .. }, None) = (&event.what, &event.agent) {
            let times = self.said.entry(text.as_str().to_owned()).or_default();
            times.push(event.at);
        }
    }

    /// Whether the transcript told this prompt; each of its prompts is told by a hook once.
    fn is_known(&mut self, event: &Event) -> bool {
        let (Happening::Prompt { text, .. }, None) = (&event.what, &event.agent) else {
            return false;
        };
        let Some(times) = self.said.get_mut(text.as_str()) else {
            return false;
        };
        let long = text.as_str().split_whitespace().count() > FEW_WORDS;
        let same = |at: &Timestamp| long || event.at.duration_since(*at).abs() <= SOON;
        let found = times.iter().rposition(same);
        if let Some(at) = found {
            times.remove(at);
        }
        found.is_some()
    }
}
