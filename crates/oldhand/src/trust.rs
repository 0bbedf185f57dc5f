//! The level of trust that holds in a project: the one a person set, or the one that was earned.

use anyhow::Result;
use jiff::{SignedDuration, Timestamp};
use oldhand_recall::trust::{MANY_FLAGS, TrackRecord, TrustLevel};
use oldhand_store::SqliteStore;
use oldhand_store::handout::{Handout, document_key};

use crate::config::Settings;
use crate::desk::Desk;
use crate::out::Out;
use crate::out::time::count;

/// The name of the page on which the earned level stands.
pub(crate) const PAGE: &str = "trust";
/// Flags within this time count as one session's.
const ONE_SITTING: SignedDuration = SignedDuration::from_hours(4);

/// What may be said unasked here. What a person set goes before what was earned.
pub(crate) fn level(settings: &Settings, store: Option<&SqliteStore>) -> TrustLevel {
    settings.trust.unwrap_or_else(|| earned(store))
}

/// The level that was earned; a project begins at the standard one.
pub(crate) fn earned(store: Option<&SqliteStore>) -> TrustLevel {
    let page = store.and_then(|store| store.document(PAGE).ok().flatten());
    page.map(|page| read(&page)).unwrap_or_default()
}

/// The level that was earned, as it was handed out; `None` where it cannot be read.
pub(crate) fn handed_out(handout: &Handout) -> Option<TrustLevel> {
    match handout.answer(&document_key(PAGE)).ok()? {
        None => Some(TrustLevel::default()),
        Some(page) => Some(read(&String::from_utf8(page).ok()?)),
    }
}

fn read(page: &str) -> TrustLevel {
    page.trim().parse().unwrap_or_default()
}

/// Moves the earned level on when the record allows it, and says so.
pub(crate) fn grow(desk: &Desk, out: &Out) -> Result<()> {
    let Some(store) = desk.project_store() else {
        return Ok(());
    };
    if desk.settings.trust.is_some() {
        return Ok(());
    }
    let level = earned(Some(store));
    if let Some(next) = level.earned(&record(desk)?) {
        put(store, next)?;
        out.note(&format!(
            "trust grew from {} to {}: agents hear what is {:.2} sure or more",
            level.as_str(),
            next.as_str(),
            next.at_least().get()
        ));
        out.hint(&format!(
            "`oldhand trust set {}` takes it back",
            level.as_str()
        ));
    }
    Ok(())
}

/// Writes down the level that was earned.
fn put(store: &SqliteStore, level: TrustLevel) -> Result<()> {
    Ok(store.put_document(PAGE, level.as_str())?)
}

pub(crate) fn record(desk: &Desk) -> Result<TrackRecord> {
    Ok(match desk.project_store() {
        Some(store) => desk.engine().track_record(store)?,
        None => TrackRecord::default(),
    })
}

/// After a flag: where many came in one sitting, less trust is offered.
pub(crate) fn offer_to_step_back(desk: &Desk, out: &Out) -> Result<()> {
    let since = desk.now.checked_sub(ONE_SITTING).unwrap_or(Timestamp::MIN);
    let flags = desk.engine().flags_since(since)?;
    let level = level(&desk.settings, desk.project_store());
    if flags >= MANY_FLAGS
        && let Some(back) = level.stepped_back()
    {
        out.note(&format!(
            "{} flagged within a few hours; trust is {}",
            count(flags, "memory"),
            level.as_str()
        ));
        out.hint(&format!(
            "`oldhand trust set {}` lets agents hear less",
            back.as_str()
        ));
    }
    Ok(())
}
