//! Memories go where the code went that they are about, and are doubted when it changed or is gone.

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;
use oldhand_domain::filter::Filter;
use oldhand_domain::id::MemoryId;
use oldhand_domain::memory::{Mark, Memory};
use oldhand_domain::path::ProjectPath;
use oldhand_domain::payload::{BuiltInType, Payload, Prefetch};
use oldhand_domain::vocabulary::{ReviewReason, Source};

use crate::{Engine, EngineError};

/// What became of a place that memories are about: a file, or `file:symbol`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fate {
    Holds,
    Moved {
        to: String,
    },
    /// It is there, perhaps elsewhere, but what is known about it may no longer be true.
    Doubtful {
        to: String,
        reason: String,
    },
    /// It is there, perhaps elsewhere, and a person should look again.
    Unsure {
        to: String,
    },
    Gone {
        reason: String,
        /// When that was first seen.
        since: Timestamp,
    },
    /// Git knew it and it is not there, but it was gone before anybody looked: what sessions saw of it is over, and what was said of it before it left.
    GoneUnseen {
        reason: String,
        since: Timestamp,
        left: Timestamp,
    },
}

/// What happened to memories because the code changed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Followed {
    /// Those that name another place now.
    pub moved: Vec<MemoryId>,
    /// Those that are stale from now on.
    pub doubted: Vec<MemoryId>,
    /// Those that are no longer stale: what they are about is back.
    pub believed: Vec<MemoryId>,
}

impl Followed {
    pub fn is_empty(&self) -> bool {
        self.moved.is_empty() && self.doubted.is_empty() && self.believed.is_empty()
    }
}

/// How the reason of a stale memory begins when it is stale by this; only such a mark is taken back by itself.
const BECAUSE: &str = "the code changed: ";

impl Engine<'_> {
    /// The places that the project's memories are about, and those places whose memories no longer bear the mark that the
    /// code changed.
    pub fn places(&self) -> Result<Places, EngineError> {
        let kept = self.project.list(&Filter::default())?;
        let mut places = Places::default();
        for memory in &kept.memories {
            places.all.extend(names(memory));
            match &memory.stale {
                Some(mark) if mark.reason.starts_with(BECAUSE) => {
                    places.doubted.extend(names(memory));
                }
                _ => {}
            }
        }
        Ok(places)
    }

    /// Lets every memory follow what became of the places it is about, in one transaction.
    pub fn follow(
        &self,
        fates: &BTreeMap<String, Fate>,
        now: Timestamp,
    ) -> Result<Followed, EngineError> {
        let mut followed = Followed::default();
        self.project.change(&mut |reader| {
            followed = Followed::default();
            let listing = reader.list(&Filter::default())?;
            let mut changed = Vec::new();
            for memory in listing.memories {
                let mut after = memory.clone();
                follow_one(&mut after, fates, now);
                if after == memory {
                    continue;
                }
                let stale = (memory.stale.is_some(), after.stale.is_some());
                match stale {
                    (false, true) => followed.doubted.push(memory.id),
                    (true, false) => followed.believed.push(memory.id),
                    _ => {}
                }
                if (&memory.files, &memory.target_node) != (&after.files, &after.target_node) {
                    followed.moved.push(memory.id);
                }
                after.updated_at = now;
                changed.push(after);
            }
            Ok(changed)
        })?;
        Ok(followed)
    }
}

/// Where memories hang.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Places {
    pub all: BTreeSet<String>,
    /// Those of memories that are stale because the code changed.
    pub doubted: BTreeSet<String>,
}

fn names(memory: &Memory) -> impl Iterator<Item = String> + '_ {
    let beside = match &memory.payload {
        Payload::PrefetchPattern(prefetch) => Some(prefetch.files()),
        _ => None,
    };
    let files = memory.files.iter().chain(beside.into_iter().flatten());
    let files = files.map(ToString::to_string);
    files.chain(memory.target_node.clone())
}

fn follow_one(memory: &mut Memory, fates: &BTreeMap<String, Fate>, now: Timestamp) {
    let mut against: Option<String> = None;
    let mut is_known = false;
    // A person who confirmed it after something went knew of that.
    let confirmed = memory.verified.filter(|_| memory.is_verified());
    let is_accepted = |since: Timestamp| confirmed.is_some_and(|confirmed| confirmed.at >= since);
    let target = memory.target_node.clone();
    let target_file = target.as_deref().map(|node| file_of(node).to_owned());
    if let Some(fate) = target.as_ref().and_then(|node| fates.get(node)) {
        is_known = true;
        match fate {
            Fate::Holds | Fate::GoneUnseen { .. } => {}
            Fate::Moved { to } => memory.target_node = Some(to.clone()),
            Fate::Unsure { to } => {
                memory.target_node = Some(to.clone());
                if !memory.is_verified() {
                    memory.await_review(ReviewReason::CodeChanged);
                }
            }
            Fate::Doubtful { to, reason } => {
                memory.target_node = Some(to.clone());
                against = Some(reason.clone());
            }
            Fate::Gone { since, .. } if is_accepted(*since) => {}
            Fate::Gone { reason, .. } => against = Some(reason.clone()),
        }
    }
    let mut files: BTreeSet<ProjectPath> = BTreeSet::new();
    let mut gone: Vec<(String, Timestamp)> = Vec::new();
    for file in &memory.files {
        // The file around the definition goes where the definition went.
        let with_target = (Some(file.as_str()) == target_file.as_deref())
            .then(|| memory.target_node.as_deref().map(file_of))
            .flatten()
            .filter(|to| *to != file.as_str());
        let moved = match (with_target, fates.get(file.as_str())) {
            (Some(to), _) => Some(to),
            (None, Some(Fate::Moved { to })) => Some(to.as_str()),
            (None, Some(Fate::Gone { reason, since })) => {
                gone.push((reason.clone(), *since));
                None
            }
            (
                None,
                Some(Fate::GoneUnseen {
                    reason,
                    since,
                    left,
                }),
            ) if is_over(memory, *left) => {
                gone.push((reason.clone(), *since));
                None
            }
            (None, fate) => {
                is_known |= fate.is_some();
                None
            }
        };
        let moved = moved.and_then(|to| ProjectPath::new(to).ok());
        is_known |= moved.is_some();
        files.insert(moved.unwrap_or_else(|| file.clone()));
    }
    // That files were seen to change together is over with the first of them; what is said of several may hold of those that are left.
    let was_seen_together = memory.source == Source::ObserverInferred
        && memory.memory_type() == BuiltInType::CausalDependency.into();
    let is_over = was_seen_together || gone.len() == memory.files.len();
    let is_news = gone.iter().any(|(_, since)| !is_accepted(*since));
    if against.is_none() && is_news && is_over {
        against = gone.into_iter().next().map(|(reason, _)| reason);
    }
    memory.files = files;
    if let Payload::PrefetchPattern(prefetch) = &mut memory.payload {
        let Prefetch {
            always_read,
            frequently_read,
            ..
        } = prefetch;
        for file in always_read.iter_mut().chain(frequently_read) {
            if let Some(Fate::Moved { to }) = fates.get(file.as_str())
                && let Ok(to) = ProjectPath::new(to)
            {
                *file = to;
            }
        }
    }
    let follow = |place: &String| match fates.get(place) {
        Some(Fate::Moved { to }) => to.clone(),
        _ => place.clone(),
    };
    memory.impacted_nodes = memory.impacted_nodes.iter().map(follow).collect();
    let is_ours = |mark: &Mark| mark.reason.starts_with(BECAUSE);
    match against {
        Some(reason) if memory.stale.is_none() => {
            let reason = format!("{BECAUSE}{reason}");
            memory.stale = Some(Mark { since: now, reason });
        }
        None if is_known && memory.stale.as_ref().is_some_and(is_ours) => memory.stale = None,
        _ => {}
    }
}

/// Whether what is said of a file ended when that left: sessions saw it there, and a person who spoke of it later knew.
pub fn is_over(memory: &Memory, left: Timestamp) -> bool {
    memory.source == Source::ObserverInferred || memory.created_at < left
}

fn file_of(place: &str) -> &str {
    place.split_once(':').map_or(place, |(file, _)| file)
}
