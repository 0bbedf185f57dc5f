//! Memories are believed as much as their files still are what they were: git is asked what is left of each.

use std::collections::BTreeMap;

use anyhow::Result;
use oldhand_code::history::log::History;
use oldhand_code::history::standing::{KnownThen, standing};
use oldhand_code::names::Files;
use oldhand_domain::id::MemoryId;
use oldhand_domain::port::{Presence, Tree as _};
use oldhand_engine::{Left, Weighed};

use crate::desk::Desk;
use crate::out::Out;
use crate::out::time::count;

/// Weighs the project's memories by what is left of their files. What cannot be done is told; nothing else fails for it.
pub(crate) fn weigh(desk: &Desk, history: &History, out: &Out) {
    match try_weigh(desk, history) {
        Ok(weighed) => tell(&weighed, out),
        Err(error) => out.note(&format!(
            "memories were not compared with what is left of their files: {error:#}"
        )),
    }
}

fn try_weigh(desk: &Desk, history: &History) -> Result<Weighed> {
    let asked: Vec<_> = desk.engine().known_since()?.into_iter().collect();
    let then: Vec<KnownThen> = asked
        .iter()
        .map(|(file, since)| KnownThen {
            path: file.to_string(),
            at: since.as_second(),
        })
        .collect();
    let found = standing(&desk.location.root, history, &then);
    let left: BTreeMap<_, Left> = asked
        .into_iter()
        .zip(found)
        .filter_map(|(asked, found)| {
            let found = found?;
            let left = Left {
                share: f64::from(found.share),
                changes: found.changes,
            };
            Some((asked, left))
        })
        .collect();
    let gone = gone(desk)?;
    if left.is_empty() && gone.is_empty() {
        return Ok(Weighed::default());
    }
    desk.change_engine(|engine| Ok(engine.weigh(&left, &gone, desk.now)?))
}

/// What each memory that agents' findings made names and is in no file any more.
fn gone(desk: &Desk) -> Result<BTreeMap<MemoryId, Option<String>>> {
    let Some(sessions) = desk.sessions() else {
        return Ok(BTreeMap::new());
    };
    let named = desk.engine().named(sessions)?;
    let all: Vec<String> = named.iter().flat_map(|(_, names)| names.clone()).collect();
    let found = Files::below(&desk.location.root).look_for(&all);
    let mut found = found.into_iter();
    Ok(named
        .into_iter()
        .map(|(id, names)| {
            let presence: Vec<Presence> = found.by_ref().take(names.len()).collect();
            let mut asked = names.into_iter().zip(presence);
            let gone = asked.find(|(_, presence)| *presence == Presence::Absent);
            (id, gone.map(|(name, _)| name))
        })
        .collect())
}

fn tell(weighed: &Weighed, out: &Out) {
    let memories = |ids: &[_]| count(ids.len(), "memory");
    if !weighed.doubted.is_empty() {
        let doubted = memories(&weighed.doubted);
        out.note(&format!(
            "{doubted} became stale: their files were rewritten or what they name is gone"
        ));
        out.hint(
            "`oldhand list --stale` shows them; `oldhand verify ID` keeps one that is still right",
        );
    }
    if !weighed.to_review.is_empty() {
        let to_review = memories(&weighed.to_review);
        out.note(&format!(
            "{to_review} to review: their files changed often since they were last of use"
        ));
    }
}
