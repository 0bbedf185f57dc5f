//! The level of trust that holds in a project: the one a person set, or the one that was earned.

use anyhow::Result;
use jiff::{SignedDuration, Timestamp};
use oldhand_domain::event::{Event, Happening};
use oldhand_recall::trust::{MANY_FLAGS, TrackRecord, TrustLevel};
use oldhand_store::handout::{Handout, document_key};
use oldhand_store::journal::{JournalFile, Journals};
use oldhand_store::{Mode, SqliteStore};

use crate::config::{self, FILE, Settings, keys};
use crate::desk::{Desk, refuse_gone};
use crate::failure::Failure;
use crate::out::Out;
use crate::out::time::count;
use crate::project::Project;

/// The name of the page on which the earned level stands.
pub(crate) const PAGE: &str = "trust";
/// Flags within this time count as one session's where no session is known.
const ONE_SITTING: SignedDuration = SignedDuration::from_hours(4);

/// What may be said unasked here. What a person set goes before what was earned.
pub(crate) fn level(settings: &Settings, store: Option<&SqliteStore>) -> TrustLevel {
    settings.trust.unwrap_or_else(|| earned(store))
}

/// The level that was earned; a project begins at the standard one.
pub(crate) fn earned(store: Option<&SqliteStore>) -> TrustLevel {
    page(store).0
}

/// The level that was earned, and since when it is counted what comes after it.
fn page(store: Option<&SqliteStore>) -> (TrustLevel, Timestamp) {
    let page = store.and_then(|store| store.document(PAGE).ok().flatten());
    read(&page.unwrap_or_default())
}

/// When a person last took a step back, if they ever did.
pub(crate) fn went_back(store: Option<&SqliteStore>) -> Option<Timestamp> {
    Some(page(store).1).filter(|since| *since > Timestamp::MIN)
}

/// The level that was earned, as it was handed out; `None` where it cannot be read.
pub(crate) fn handed_out(handout: &Handout) -> Option<TrustLevel> {
    match handout.answer(&document_key(PAGE)).ok()? {
        None => Some(TrustLevel::default()),
        Some(page) => Some(read(&String::from_utf8(page).ok()?).0),
    }
}

/// A level, and behind it the time when trust last went back, if it ever did.
fn read(page: &str) -> (TrustLevel, Timestamp) {
    let mut words = page.split_whitespace();
    let level = words.next().and_then(|level| level.parse().ok());
    let since = words.next().and_then(|since| since.parse().ok());
    (level.unwrap_or_default(), since.unwrap_or(Timestamp::MIN))
}

/// Moves the earned level on when the record allows it, and says so.
pub(crate) fn grow(desk: &Desk, out: &Out) -> Result<()> {
    let Some(store) = desk.project_store() else {
        return Ok(());
    };
    if desk.settings.trust.is_some() {
        return Ok(());
    }
    let (level, since) = page(Some(store));
    if let Some(next) = level.earned(&record(desk)?) {
        put(store, next, since)?;
        out.note(&format!(
            "trust grew from {} to {}: agents hear what is {:.2} sure or more",
            level.as_str(),
            next.as_str(),
            next.at_least().get()
        ));
        out.hint("`oldhand trust back` takes it back");
    }
    Ok(())
}

/// Goes one step back. What was earned is earned again from there, by what comes after; what a person set is set lower. `None`
/// where there is no step behind.
pub(crate) fn step_back(desk: &Desk, project: &Project) -> Result<Option<TrustLevel>> {
    let store = desk.project_store();
    let Some(back) = level(&desk.settings, store).stepped_back() else {
        return Ok(None);
    };
    if desk.settings.trust.is_some() {
        set(project, back.as_str())?;
    } else if let Some(store) = store {
        put(store, back, desk.now)?;
    } else {
        refuse_gone(&project.database(), Some(&project.name))?;
        let store = SqliteStore::open(&project.database(), Mode::Write)?;
        put(&store, back, desk.now)?;
    }
    Ok(Some(back))
}

/// A person's word on the level, for this project.
pub(crate) fn set(project: &Project, level: &str) -> Result<()> {
    let key = keys::find("trust").map_err(|_| Failure::invalid("there is no such setting"))?;
    let value = key.parse(level).map_err(Failure::invalid)?;
    config::set(&project.directory.join(FILE), key, &value).map(drop)
}

/// Writes down the level that was earned.
fn put(store: &SqliteStore, level: TrustLevel, since: Timestamp) -> Result<()> {
    let page = format!("{} {since}", level.as_str());
    Ok(store.put_document(PAGE, &page)?)
}

pub(crate) fn record(desk: &Desk) -> Result<TrackRecord> {
    Ok(match desk.project_store() {
        Some(store) => desk.engine().track_record(store, page(Some(store)).1)?,
        None => TrackRecord::default(),
    })
}

/// After a flag: where many came in one session, less trust is offered.
pub(crate) fn offer_to_step_back(desk: &Desk, out: &Out) -> Result<()> {
    let sitting = desk.now.checked_sub(ONE_SITTING).unwrap_or(Timestamp::MIN);
    let session = desk.project.as_ref();
    let session = session.and_then(|project| session_began(project, sitting));
    let flags = desk.engine().flags_since(session.unwrap_or(sitting))?;
    let level = level(&desk.settings, desk.project_store());
    if flags >= MANY_FLAGS && level.stepped_back().is_some() {
        let when = match session {
            Some(_) => "since the last session began",
            None => "within a few hours",
        };
        out.note(&format!(
            "{} flagged {when}; trust is {}",
            count(flags, "memory"),
            level.as_str()
        ));
        out.hint("`oldhand trust back` lets agents hear less, until it is earned again");
    }
    Ok(())
}

/// When the session began, or went on, that people flag what they met in: the last one, if it is not long over.
fn session_began(project: &Project, sitting: Timestamp) -> Option<Timestamp> {
    let journals = Journals::new(project.directory.join("journal"));
    let modified = |journal: &JournalFile| Timestamp::try_from(journal.modified).ok();
    let all = journals.list().ok()?.into_iter();
    let last = all
        .filter(|journal| modified(journal).is_some_and(|at| at >= sitting))
        .max_by_key(|journal| journal.modified)?;
    let events = journals.read(&last.session).ok()?.events;
    let began = |event: &Event| matches!(event.what, Happening::SessionStarted(_));
    let start = events.iter().rev().find(|event| began(event));
    Some(start.or(events.first())?.at)
}
