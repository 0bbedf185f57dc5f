//! Memories follow the code they are about: what moved is followed, what changed or went is doubted.

use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use anyhow::Result;
use jiff::Timestamp;
use oldhand_code::anchor::follow::{Anchors, Whereabouts};
use oldhand_code::history::facts::current_path;
use oldhand_code::index::Index;
use oldhand_code::snapshot::Snapshot;
use oldhand_engine::{Fate, Followed};

use super::still::left_at;
use super::{folder, read_history};
use crate::desk::Desk;
use crate::file::write_atomically;
use crate::out::Out;
use crate::out::time::count;

/// What memories hang on, as it was when it last held.
pub(super) const ANCHORS: &str = "anchors.json";
/// Since when what memories hang on is gone: whoever confirms one later knew of it.
pub(super) const GONE: &str = "gone.json";

/// Lets the project's memories follow the graph as it is now. What cannot be done is told; no question fails for it.
pub(crate) fn follow(desk: &Desk, index: &Index, out: &Out) {
    match try_follow(desk, index, out) {
        Ok(followed) => tell(&followed, out),
        Err(error) => out.note(&format!("memories do not follow the code: {error:#}")),
    }
}

fn try_follow(desk: &Desk, index: &Index, out: &Out) -> Result<Followed> {
    let places = desk.engine().places()?;
    if places.all.is_empty() {
        return Ok(Followed::default());
    }
    let path = folder(desk)?.join(ANCHORS);
    let before = Anchors::read(&fs::read(&path).unwrap_or_default());
    let mut anchors = before.clone();
    // A doubt that is no longer there was ended by a person: what hangs there hangs on it as it is.
    for altered in anchors.altered() {
        if !places.doubted.contains(&altered) {
            anchors.accept(&altered);
        }
    }
    // Git is asked only when something is missing.
    let history = OnceCell::new();
    let ask = || {
        history
            .get_or_init(|| read_history(desk, out).ok())
            .as_ref()
    };
    let mut renamed = |gone: &str| {
        let to = current_path(ask()?, gone)?;
        (to != gone).then(|| to.to_owned())
    };
    let is_missing = |place: &str| {
        !place.contains(':')
            && index.snapshot().find_file(place).is_none()
            && !index.root().join(place).exists()
    };
    let found = anchors.follow(index, &places.all, &mut renamed);
    // All worktrees share the memories: what is still in one of them must not be hidden there because it went from another.
    let elsewhere = Index::other_trees(&desk.location.root, &folder(desk)?);
    let gone_path = folder(desk)?.join(GONE);
    let was_gone: BTreeMap<String, Timestamp> =
        serde_json::from_slice(&fs::read(&gone_path).unwrap_or_default()).unwrap_or_default();
    let mut gone_since: BTreeMap<String, Timestamp> = BTreeMap::new();
    let mut kept_for = 0;
    let mut fates: BTreeMap<String, Fate> = BTreeMap::new();
    for (place, whereabouts) in found {
        let since = was_gone.get(&place).copied().unwrap_or(desk.now);
        let is_elsewhere = |tree: &Snapshot| before.holds_in(tree, &place);
        let fate = if whereabouts != Whereabouts::Holds && elsewhere.iter().any(is_elsewhere) {
            anchors.take_back(&before, &place);
            kept_for += 1;
            Fate::Holds
        } else if whereabouts == Whereabouts::Holds
            && is_missing(&place)
            && !elsewhere.iter().any(is_elsewhere)
            && let Some(left) =
                ask().and_then(|history| left_at(history, &place, &desk.location, since))
        {
            Fate::GoneUnseen {
                reason: gone(&place),
                since,
                left,
            }
        } else {
            judge(&place, whereabouts, since)
        };
        if matches!(fate, Fate::Gone { .. } | Fate::GoneUnseen { .. }) {
            gone_since.insert(place.clone(), since);
        }
        fates.insert(place, fate);
    }
    if kept_for > 0 {
        let places = count(kept_for, "place");
        out.note(&format!(
            "{places} that memories are about changed here but not in another worktree; the memories stay as they are"
        ));
    }
    let is_settled = |place: &String| matches!(fates.get(place), Some(Fate::Holds) | None);
    let doubts: BTreeSet<&String> = places.doubted.iter().collect();
    let is_quiet = places.all.iter().all(is_settled) && doubts.is_empty();
    let followed = if is_quiet {
        Followed::default()
    } else {
        desk.change_engine(|engine| Ok(engine.follow(&fates, desk.now)?))?
    };
    if anchors != before {
        write_atomically(&path, &anchors.write())?;
    }
    if gone_since != was_gone {
        write_atomically(&gone_path, &serde_json::to_vec(&gone_since)?)?;
    }
    Ok(followed)
}

/// What a place's whereabouts mean for what is remembered about it.
fn judge(place: &str, whereabouts: Whereabouts, since: Timestamp) -> Fate {
    let (file, name) = place
        .split_once(':')
        .map_or((place, None), |(file, name)| (file, Some(name)));
    match whereabouts {
        Whereabouts::Holds => Fate::Holds,
        Whereabouts::Moved { to } => Fate::Moved { to },
        Whereabouts::CallsLess { to } => Fate::Unsure { to },
        Whereabouts::Altered { to } => Fate::Doubtful {
            to,
            reason: format!(
                "the signature of `{}` is another one",
                name.unwrap_or(place)
            ),
        },
        Whereabouts::Gone => Fate::Gone {
            reason: match name {
                Some(name) => format!("`{name}` is gone from {file}"),
                None => gone(file),
            },
            since,
        },
    }
}

fn gone(file: &str) -> String {
    format!("{file} is gone")
}

fn tell(followed: &Followed, out: &Out) {
    let memories = |ids: &[_]| count(ids.len(), "memory");
    if !followed.moved.is_empty() {
        let moved = memories(&followed.moved);
        out.note(&format!("{moved} followed code that moved"));
    }
    if !followed.doubted.is_empty() {
        let doubted = memories(&followed.doubted);
        out.note(&format!("{doubted} became stale: the code changed"));
        out.hint(
            "`oldhand list --stale` shows them; `oldhand verify ID` keeps one that is still right",
        );
    }
    if !followed.believed.is_empty() {
        let believed = memories(&followed.believed);
        out.note(&format!("{believed} no longer stale: the code is back"));
    }
}
