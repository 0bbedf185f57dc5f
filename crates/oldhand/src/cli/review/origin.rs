//! What a memory that waits came of: the session that taught it, and what in it did.

use std::io::Write;

use anyhow::Result;
use oldhand_domain::memory::Memory;

use crate::card::{fact, moments};
use crate::cli::Door;
use crate::desk::{Desk, Purpose};
use crate::out::Out;
use crate::out::style::FAINT;
use crate::sessions::Sessions;
use crate::sessions::trace::{Lesson, Moment};

/// Nothing of what no session taught, or whose journal is gone.
pub(super) struct Origin(Option<Lesson>);

impl Origin {
    pub(super) fn of(memory: &Memory, door: &Door) -> Result<Self> {
        if memory.session.is_none() {
            return Ok(Self(None));
        }
        let desk = Desk::open(&door.environment, Purpose::Look, &door.out)?;
        Self::at(memory, &desk)
    }

    fn at(memory: &Memory, desk: &Desk) -> Result<Self> {
        let Ok(sessions) = Sessions::of(desk) else {
            return Ok(Self(None));
        };
        let mut lessons = sessions.trail(memory)?.lessons.into_iter();
        let is_teacher = |lesson: &Lesson| Some(&lesson.session) == memory.session.as_ref();
        Ok(Self(lessons.find(is_teacher)))
    }

    /// Where it is from, and what decided in full.
    pub(super) fn tell(&self, memory: &Memory, out: &mut Out) -> Result<()> {
        let day = memory.created_at.strftime("%Y-%m-%d");
        let Some(seen) = say_seen(memory) else {
            let from = format!("{}, by {}, {day}", memory.source, memory.created_by);
            return Ok(fact(out, "from", &from)?);
        };
        let how = self.0.iter();
        let how = how.fold(String::new(), |_, lesson| {
            format!("; how that session ended: {}", lesson.outcome)
        });
        fact(out, "from", &format!("{seen}{how}"))?;
        let Some(lesson) = &self.0 else {
            return Ok(());
        };
        let decided: Vec<Moment> = lesson
            .events
            .iter()
            .filter(|one| one.decides)
            .cloned()
            .collect();
        let shown = if decided.is_empty() {
            &lesson.events
        } else {
            &decided
        };
        moments(out, "              ", &shown[..shown.len().min(MOST)])?;
        let step = shown.first().map(|one| one.step);
        let step = step.map_or_else(String::new, |step| format!(" --step {step}"));
        let short = short(memory).unwrap_or_default();
        writeln!(
            out,
            "              {FAINT}`oldhand session show {short}{step}` shows more{FAINT:#}"
        )?;
        Ok(())
    }
}

/// Where it was seen, by the session that taught it.
pub(super) fn say_seen(memory: &Memory) -> Option<String> {
    let (short, day) = (short(memory)?, memory.created_at.strftime("%Y-%m-%d"));
    Some(match memory.provenance.len() {
        0 | 1 => format!("seen in session {short}, {day}"),
        many => format!("seen in {many} sessions, first told by {short}, {day}"),
    })
}

fn short(memory: &Memory) -> Option<&str> {
    let id = memory.session.as_ref()?.as_str();
    Some(&id[..id.floor_char_boundary(SHORT)])
}

/// So many letters of the id of a session are hardly those of another.
const SHORT: usize = 8;
/// So many events are enough to judge by.
const MOST: usize = 4;
