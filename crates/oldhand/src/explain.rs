//! From an error to what a person and a script are told: message, kind, next step, exit code.

use std::io;

use oldhand_domain::error::{ErrorKind, StoreError};
use oldhand_domain::id::MemoryId;
use oldhand_domain::path::InvalidPath;
use oldhand_domain::spelled::UnknownWord;
use oldhand_domain::text::InvalidText;
use oldhand_engine::EngineError;

use crate::failure::Failure;
use crate::nearest::nearest;
use crate::out::{Unprinted, Work};

pub(crate) struct Explained {
    pub(crate) message: String,
    pub(crate) kind: ErrorKind,
    pub(crate) hint: Option<String>,
}

impl Explained {
    pub(crate) fn of(error: &anyhow::Error) -> Self {
        let told = error.chain().find_map(tell);
        let (kind, hint) = told.unwrap_or((ErrorKind::Unavailable, None));
        Self {
            message: format!("{error:#}"),
            kind,
            hint,
        }
    }

    /// 1 says that nothing was found, 2 that something went wrong.
    pub(crate) fn exit_code(&self) -> u8 {
        match self.kind {
            ErrorKind::NotFound => 1,
            ErrorKind::Invalid | ErrorKind::Unavailable | ErrorKind::Damaged => 2,
        }
    }

    pub(crate) fn kind_name(&self) -> &'static str {
        match self.kind {
            ErrorKind::NotFound => "not_found",
            ErrorKind::Invalid => "invalid",
            ErrorKind::Unavailable => "unavailable",
            ErrorKind::Damaged => "damaged",
        }
    }
}

/// How many memories are named when an id could be that of several.
pub(crate) const MOST_CANDIDATES: usize = 5;

/// The memories that an id could have meant.
pub(crate) fn candidates(error: &anyhow::Error) -> Option<&[MemoryId]> {
    error.chain().find_map(|cause| match cause.downcast_ref() {
        Some(EngineError::AmbiguousId { candidates, .. }) => Some(candidates.as_slice()),
        _ => None,
    })
}

/// Whether the reader of standard output has left, which is their right.
pub(crate) fn is_broken_pipe(error: &anyhow::Error) -> bool {
    error.chain().any(|cause| {
        let io = cause.downcast_ref::<io::Error>();
        let json = cause.downcast_ref::<serde_json::Error>();
        io.is_some_and(|error| error.kind() == io::ErrorKind::BrokenPipe)
            || json.is_some_and(|error| error.io_error_kind() == Some(io::ErrorKind::BrokenPipe))
    })
}

/// Whether something could not be done because a disk or a folder takes nothing.
pub(crate) fn is_read_only(error: &anyhow::Error) -> bool {
    error.chain().any(|cause| {
        let store = cause.downcast_ref::<StoreError>();
        let io = cause.downcast_ref::<io::Error>();
        matches!(store, Some(StoreError::ReadOnly { .. }))
            || io.is_some_and(|error| {
                matches!(
                    error.kind(),
                    io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem
                )
            })
    })
}

type Told = (ErrorKind, Option<String>);

fn tell(error: &(dyn std::error::Error + 'static)) -> Option<Told> {
    if let Some(failure) = error.downcast_ref::<Failure>() {
        return Some((failure.kind, failure.hint.clone()));
    }
    if let Some(engine) = error.downcast_ref::<EngineError>() {
        return Some((engine.kind(), about_engine(engine)));
    }
    if let Some(store) = error.downcast_ref::<StoreError>() {
        return Some((store.kind(), about_store(store)));
    }
    if let Some(text) = error.downcast_ref::<InvalidText>() {
        return Some((ErrorKind::Invalid, about_text(text)));
    }
    if let Some(word) = error.downcast_ref::<UnknownWord>() {
        let near = nearest(&word.word, word.known.iter().copied());
        let hint = match near {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("known: {}", word.known.join(", ")),
        };
        return Some((ErrorKind::Invalid, Some(hint)));
    }
    if error.is::<InvalidPath>() {
        let hint = "only files of the project can be named";
        return Some((ErrorKind::Invalid, Some(hint.to_owned())));
    }
    let io = error.downcast_ref::<io::Error>()?;
    if let Some(unprinted) = io.get_ref().and_then(|it| it.downcast_ref::<Unprinted>()) {
        let hint = match unprinted.work {
            Work::Done => {
                "what was to be done is done, only its answer is lost; look where standard output goes"
            }
            Work::UnderWay => "look where standard output goes",
        };
        return Some((ErrorKind::Unavailable, Some(hint.to_owned())));
    }
    let hint = match io.kind() {
        io::ErrorKind::StorageFull => "free some space on the disk, then try again",
        io::ErrorKind::PermissionDenied => {
            "it is not yours to read or write: change its owner or its mode, or set OLDHAND_HOME to a folder of your own"
        }
        io::ErrorKind::ReadOnlyFilesystem => {
            "make it writable, or set OLDHAND_HOME to a folder that is"
        }
        io::ErrorKind::NotFound => "check the path",
        _ => return Some((ErrorKind::Unavailable, None)),
    };
    Some((ErrorKind::Unavailable, Some(hint.to_owned())))
}

fn about_engine(error: &EngineError) -> Option<String> {
    let hint = match error {
        EngineError::UnknownId(_) => {
            "`oldhand list` shows the ids there are, `oldhand list --deleted` those of deleted memories"
                .to_owned()
        }
        EngineError::AmbiguousId { candidates, .. } => {
            let known = candidates.iter().take(MOST_CANDIDATES);
            let known: Vec<String> = known.map(|id| id.short()).collect();
            format!("give another one: {}", known.join(", "))
        }
        EngineError::ShortId(_) => "`oldhand list` shows ids that are long enough".to_owned(),
        EngineError::NotOfProject(id) => {
            format!("the user can flag it: `oldhand flag {}`", id.short())
        }
        EngineError::NotDeleted(_) => "there is nothing to bring back".to_owned(),
        EngineError::Deleted(id) => format!("`oldhand restore {}` brings it back", id.short()),
        EngineError::Text(text) => return about_text(text),
        EngineError::Store(store) => return about_store(store),
        _ => return None,
    };
    Some(hint)
}

fn about_text(error: &InvalidText) -> Option<String> {
    match error {
        InvalidText::TooLong { what: "memory", .. } => {
            Some("say it in fewer words, or as several memories".to_owned())
        }
        InvalidText::TooLong { .. } => Some("shorten it".to_owned()),
        InvalidText::Empty { what: "memory" } => {
            Some("give the text as an argument, or on standard input with `-`".to_owned())
        }
        InvalidText::Empty { .. } | InvalidText::Character { .. } => None,
    }
}

fn about_store(error: &StoreError) -> Option<String> {
    let hint = match error {
        StoreError::NewerSchema { .. } => "update Oldhand; nothing was changed",
        StoreError::DamagedDatabase { .. } => {
            "`oldhand doctor --repair` puts it right and says what it did"
        }
        StoreError::DamagedMemory(_) => {
            "`oldhand doctor --repair` brings it back if a backup has it; `oldhand forget --now ID` removes it"
        }
        StoreError::Busy { .. } => "another process is writing to it; try again in a moment",
        StoreError::DiskFull { .. } => {
            "free some space; reading, `oldhand export` and `oldhand forget --now` still work"
        }
        StoreError::ReadOnly { .. } => {
            "reading still works; to write, make it writable or set OLDHAND_HOME to a folder that is"
        }
        StoreError::Backend { .. } => "`oldhand doctor` looks what is wrong with it",
        _ => return None,
    };
    Some(hint.to_owned())
}
