//! What the subagents of a session did, in the order of time, from the files that their client wrote beside the session's own.
//!
//! Of each file no more than one event is in memory, and only files of subagents that were at work at the same time are open.

use std::collections::BTreeSet;
use std::io;
use std::path::{Path, PathBuf};

use jiff::Timestamp;
use oldhand_domain::event::{Event, Happening};

use super::find::Transcript;
use crate::agent::{Reading, Telling};

pub(super) struct Aside<'a> {
    transcript: &'a Transcript,
    /// Files whose first event was looked at, and when that happened.
    waiting: BTreeSet<(Timestamp, PathBuf)>,
    open: Vec<(Event, Telling<'a>)>,
    reading: Reading,
    trouble: Option<io::Error>,
}

impl<'a> Aside<'a> {
    pub(super) fn of(transcript: &'a Transcript) -> io::Result<Self> {
        let mut aside = Self {
            transcript,
            waiting: BTreeSet::new(),
            open: Vec::new(),
            reading: Reading::default(),
            trouble: None,
        };
        for path in &transcript.aside {
            let mut telling = aside.telling(path)?;
            match next(&mut telling)? {
                Some(first) => {
                    aside.waiting.insert((first.at, path.clone()));
                }
                None => aside.reading.add(telling.reading()),
            }
        }
        Ok(aside)
    }

    fn telling(&self, path: &Path) -> io::Result<Telling<'a>> {
        let of = self.transcript;
        Telling::open(of.agent, path, &of.name, &of.root)
    }

    /// The earliest event that is left and happened before `then`.
    pub(super) fn next_before(&mut self, then: Timestamp) -> Option<Event> {
        while let Some((at, _)) = self.waiting.first()
            && *at < then
            && self.open.iter().all(|(event, _)| *at <= event.at)
        {
            let (_, path) = self.waiting.pop_first()?;
            let opened = self.telling(&path).and_then(|mut telling| {
                let first = next(&mut telling)?;
                Ok(first.map(|first| (first, telling)))
            });
            let opened = self.note(opened).flatten();
            self.open.extend(opened);
        }
        let earliest = (0..self.open.len()).min_by_key(|&at| self.open[at].0.at)?;
        if self.open[earliest].0.at >= then {
            return None;
        }
        let following = next(&mut self.open[earliest].1);
        if let Some(Some(following)) = self.note(following) {
            return Some(std::mem::replace(&mut self.open[earliest].0, following));
        }
        let (last, telling) = self.open.remove(earliest);
        self.reading.add(telling.reading());
        Some(last)
    }

    fn note<T>(&mut self, done: io::Result<T>) -> Option<T> {
        done.map_err(|error| self.trouble = Some(error)).ok()
    }

    /// How reading went, once nothing is left.
    pub(super) fn finish(&mut self) -> io::Result<Reading> {
        match self.trouble.take() {
            Some(trouble) => Err(trouble),
            None => Ok(std::mem::take(&mut self.reading)),
        }
    }
}

/// Its session began before it did.
fn next(telling: &mut Telling<'_>) -> io::Result<Option<Event>> {
    loop {
        match telling.next()? {
            Some(event) if matches!(event.what, Happening::SessionStarted(_)) => {}
            next => return Ok(next),
        }
    }
}
