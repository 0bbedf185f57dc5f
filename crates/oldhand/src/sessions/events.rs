//! The events of a session, wherever they were written down: each once, and only its own.

use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use anyhow::Result;
use oldhand_domain::event::{Event, Happening};
use oldhand_domain::id::SessionId;
use oldhand_domain::session::SessionStore as _;
use oldhand_engine::{Finalizer, Scratchpad, SessionBody, name_call};
use oldhand_observe::fold::SessionAnalytics;
use oldhand_store::journal::{Journals, Reading};

use super::Sessions;
use super::seam::Seam;

/// A session as it was when it was first looked at: its journals may grow meanwhile, and all looks at them are looks at the
/// same.
enum Look<'j> {
    /// One journal tells of it, up to this length, and is too long to be held in memory.
    One(&'j Journals, u64),
    /// Two do, and are too long as well.
    Both {
        live: u64,
        imported: u64,
        seam: Seam,
    },
    /// What there is was read already.
    Read(Vec<Event>, Reading),
}

/// Journals of no more bytes than these are read once, and then looked at in memory.
const SHORT: u64 = 8 * 1024 * 1024;

impl Sessions<'_> {
    /// Hands on every event of a session. One whose transcript was read as well is told by two journals.
    pub(crate) fn each(&self, session: &SessionId, take: impl FnMut(&Event)) -> Result<Reading> {
        self.each_of(session, &self.look(session)?, take)
    }

    fn look(&self, session: &SessionId) -> Result<Look<'_>> {
        let (live, imported) = match (self.live.length(session), self.imported.length(session)) {
            (Some(live), Some(imported)) => (live, imported),
            (None, Some(imported)) => return look_at(&self.imported, session, imported),
            (live, None) => return look_at(&self.live, session, live.unwrap_or(0)),
        };
        let mut hooks = self.live.open(session, live)?;
        let mut transcript = self.imported.open(session, imported)?;
        if live + imported > SHORT {
            let hooks = || self.live.open(session, live);
            let seam = Seam::between(transcript, hooks, &self.options)?;
            return Ok(Look::Both {
                live,
                imported,
                seam,
            });
        }
        let of_hooks: Vec<Event> = hooks.by_ref().collect::<Result<_, _>>()?;
        let of_transcript: Vec<Event> = transcript.by_ref().collect::<Result<_, _>>()?;
        let seam = Seam::between(
            of_transcript.iter().map(Ok),
            || Ok(of_hooks.iter().map(Ok)),
            &self.options,
        )?;
        let mut events = Vec::with_capacity(of_transcript.len());
        let (of_transcript, of_hooks) = (of_transcript.into_iter(), of_hooks.into_iter());
        seam.weave(of_transcript.map(Ok), of_hooks.map(Ok), |event| {
            events.push(event);
        })?;
        Ok(Look::Read(
            events,
            both(hooks.reading(), transcript.reading()),
        ))
    }

    fn each_of(
        &self,
        session: &SessionId,
        look: &Look<'_>,
        mut take: impl FnMut(&Event),
    ) -> Result<Reading> {
        match look {
            Look::One(journals, length) => {
                Ok(journals.each_until(session, *length, |event| take(&event))?)
            }
            Look::Both {
                live,
                imported,
                seam,
            } => {
                let mut hooks = self.live.open(session, *live)?;
                let mut transcript = self.imported.open(session, *imported)?;
                seam.weave(&mut transcript, &mut hooks, |event| take(&event))?;
                Ok(both(hooks.reading(), transcript.reading()))
            }
            Look::Read(events, reading) => {
                events.iter().for_each(take);
                Ok(reading.clone())
            }
        }
    }

    /// What names the journals of a session as they are now.
    pub(super) fn digest(&self, session: &SessionId) -> Result<Option<String>> {
        let read = |journals: &Journals| journals.each(session, drop);
        let reading = match (self.live.contains(session), self.imported.contains(session)) {
            (true, true) => both(read(&self.live)?, read(&self.imported)?),
            (true, false) => read(&self.live)?,
            (false, _) => read(&self.imported)?,
        };
        Ok(reading.digest)
    }

    /// What a session showed, without what it only repeats of the session it was resumed or forked from.
    pub(crate) fn scratchpad(
        &self,
        finalizer: &Finalizer<'_>,
        session: &SessionId,
    ) -> Result<(Scratchpad, Reading)> {
        let look = self.look(session)?;
        let mut pad = Scratchpad::new(self.options.clone());
        self.each_of(session, &look, |event| pad.look_ahead(event))?;
        let others = finalizer.copied_from(session, &pad)?;
        let read = self.each_own(session, &others, &look, |event| pad.take(event))?;
        pad.leave_to(others);
        Ok((pad, read))
    }

    /// The events that a session was last finalized from: without those that are counted with another.
    pub(super) fn own_events(
        &self,
        session: &SessionId,
        take: impl FnMut(&Event),
    ) -> Result<Reading> {
        let record = self.store.session(session)?;
        let body = record.as_ref().and_then(SessionBody::read);
        let others = body.map(|body| body.copied_from).unwrap_or_default();
        self.each_own(session, &others, &self.look(session)?, take)
    }

    fn each_own(
        &self,
        session: &SessionId,
        others: &[SessionId],
        look: &Look<'_>,
        mut take: impl FnMut(&Event),
    ) -> Result<Reading> {
        if others.is_empty() {
            return self.each_of(session, look, take);
        }
        let mut theirs: HashSet<u64> = HashSet::new();
        for other in others {
            self.each(other, |event| theirs.extend(name(event)))?;
        }
        // The past is copied as a whole, so that the last copied event ends it.
        let (mut at, mut copied) = (0, 0);
        self.each_of(session, look, |event| {
            at += 1;
            if name(event).is_some_and(|name| theirs.contains(&name)) {
                copied = at;
            }
        })?;
        at = 0;
        // The agent still has before it what it took in then.
        let mut past = SessionAnalytics::default();
        self.each_of(session, look, |event| {
            at += 1;
            if at <= copied {
                past.take(event, &self.options);
            }
            if at == copied + 1 {
                let outside = past.taint_after(u32::MAX);
                if !outside.is_clean() {
                    take(&Event::new(event.at, Happening::MayHaveTaken { outside }));
                }
            }
            if at > copied || matches!(event.what, Happening::SessionStarted(_)) {
                take(event);
            }
        })
    }
}

fn look_at<'j>(journals: &'j Journals, session: &SessionId, length: u64) -> Result<Look<'j>> {
    if length > SHORT {
        return Ok(Look::One(journals, length));
    }
    let mut events = journals.open(session, length)?;
    let read = events.by_ref().collect::<Result<_, _>>()?;
    Ok(Look::Read(read, events.reading()))
}

/// What reading two journals of a session came to. The length of the one that still grows comes first.
fn both(live: Reading, imported: Reading) -> Reading {
    let digest = live.digest.zip(imported.digest);
    Reading {
        bad_lines: live.bad_lines + imported.bad_lines,
        digest: digest.map(|(live, imported)| format!("{live}+{imported}")),
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
