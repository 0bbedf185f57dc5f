//! Whether a memory passes a filter. What a database selects is looked at once more with this.

use oldhand_domain::filter::{Filter, Only, State};
use oldhand_domain::memory::Memory;
use oldhand_domain::path::ProjectPath;

pub(crate) fn passes(memory: &Memory, filter: &Filter) -> bool {
    let Filter {
        state,
        types,
        sources,
        scopes,
        tags,
        files,
        modules,
        module_places,
        fingerprints,
        session,
        branch,
        at_least,
        created_since,
        created_until,
        only,
        limit: _,
    } = filter;
    let in_state = match state {
        State::Live => memory.is_live(),
        State::Deleted => memory.deleted_since.is_some(),
        State::Any => true,
    };
    in_state
        && any(types, |wanted| *wanted == memory.memory_type())
        && any(sources, |wanted| *wanted == memory.source)
        && any(scopes, |wanted| *wanted == memory.scope)
        && any(tags, |wanted| memory.tags.contains(wanted))
        && any(files, |wanted| is_about(memory, wanted))
        && (modules.is_empty() && module_places.is_empty()
            || modules.iter().any(|name| memory.modules.contains(name))
            || module_places.iter().any(|place| is_about(memory, place)))
        && any(fingerprints, |wanted| memory.fingerprints.contains(wanted))
        && (session.is_none() || *session == memory.session)
        && (branch.is_none() || *branch == memory.branch)
        && at_least.is_none_or(|least| memory.confidence_now(least.at).reaches(least.confidence))
        && created_since.is_none_or(|since| memory.created_at >= since)
        && created_until.is_none_or(|until| memory.created_at <= until)
        && only.iter().all(|mark| carries(memory, *mark))
}

/// An empty list asks nothing.
fn any<T>(wanted: &[T], matches: impl FnMut(&T) -> bool) -> bool {
    wanted.is_empty() || wanted.iter().any(matches)
}

fn is_about(memory: &Memory, place: &ProjectPath) -> bool {
    memory.files.iter().any(|file| file.is_at_or_below(place))
}

fn carries(memory: &Memory, mark: Only) -> bool {
    match mark {
        Only::NeedsReview => memory.needs_review,
        Only::Pinned => memory.pinned,
        Only::Flagged => memory.flagged.is_some(),
        Only::Stale => memory.stale.is_some(),
        Only::Verified => memory.is_verified(),
    }
}
