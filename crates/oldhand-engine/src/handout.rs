//! What hooks may need of the memories, worked out beforehand: for each thing that can happen, the memories that are about it.
//!
//! A hook that finds its memories here need not open a database. It chooses among them by the same rules as among those of a
//! database ([`Engine::recall_for`](crate::Engine::recall_for)), so that all that matters here is that none is missing.

use std::collections::{BTreeMap, BTreeSet};

use oldhand_domain::error::StoreError;
use oldhand_domain::filter::{Filter, Only};
use oldhand_domain::id::MemoryId;
use oldhand_domain::memory::Memory;
use oldhand_domain::path::ProjectPath;
use oldhand_domain::payload::{BuiltInType, MemoryType};
use oldhand_domain::port::MemoryReader;
use oldhand_domain::seal::Seal;
use oldhand_domain::text::Fingerprint;
use oldhand_domain::vocabulary::Scope;
use oldhand_observe::distill::missing;
use oldhand_observe::fingerprint::fingerprint;
use oldhand_observe::learn::{leftovers_named, missing_folder, way_out};
use oldhand_recall::gate::{Purpose, refuse};
use oldhand_recall::trust::TrustLevel;
use serde::{Deserialize, Serialize};

use crate::inject::{
    Cue, MOST, SHORTEST_QUOTE, STANDING, STANDING_MOST, STANDING_READ, TRAPS_AND_COUPLINGS, Voice,
    built_in, holds_everywhere, is_for_its_file, tried,
};
use crate::registers::{folder_of_kind, registers};
use crate::rules::{self, Turn};

/// The key of what is said when a session starts.
const BRIEF: &str = "brief";

/// A memory as it is handed out.
#[derive(Serialize)]
struct Sealed<'a> {
    memory: &'a Memory,
    seal: Seal,
}

#[derive(Deserialize)]
struct Opened {
    memory: Memory,
    seal: Seal,
}

/// The key under which a store tells that some session met an error.
pub fn met(message: &str) -> String {
    format!("met:{message}")
}

/// Everything that memories have to say on a cue, by key.
pub fn hand_out(reader: &dyn MemoryReader) -> Result<Vec<(String, Vec<u8>)>, StoreError> {
    let mut by_key: BTreeMap<String, Vec<Memory>> = BTreeMap::new();
    let about = |types: &[BuiltInType]| {
        reader.list(&Filter {
            types: built_in(types),
            ..Filter::default()
        })
    };
    let traps = about(TRAPS_AND_COUPLINGS)?.memories;
    let insights = about(&[BuiltInType::ModuleInsight])?.memories;
    let patterns = about(&[BuiltInType::Pattern])?.memories;
    for memory in traps.into_iter().chain(insights).chain(patterns) {
        for key in keys_of(&memory) {
            by_key.entry(key).or_default().push(memory.clone());
        }
    }
    for memory in of_folders(reader)? {
        for key in memory.files.iter().map(folder_key) {
            by_key.entry(key).or_default().push(memory.clone());
        }
    }
    for memory in registers(reader)? {
        let folder = folder_of_kind(&memory);
        let key = folder.map(|folder| folder_key(&folder));
        if let Some(key) = key {
            by_key.entry(key).or_default().push(memory);
        }
    }
    by_key.insert(BRIEF.to_owned(), standing(reader)?);
    let answers = by_key
        .into_iter()
        .filter_map(|(key, memories)| Some((key, write(&memories)?)));
    Ok(answers.collect())
}

/// What rules files of folders say.
fn of_folders(reader: &dyn MemoryReader) -> Result<Vec<Memory>, StoreError> {
    let filter = Filter {
        scopes: vec![Scope::Module],
        tags: rules::folder_tags(),
        ..Filter::default()
    };
    let mut memories = reader.list(&filter)?.memories;
    memories.retain(|memory| rules::folder_of(memory).is_some());
    Ok(memories)
}

/// The keys a memory is found by.
fn keys_of(memory: &Memory) -> BTreeSet<String> {
    let MemoryType::BuiltIn(memory_type) = memory.memory_type() else {
        return BTreeSet::new();
    };
    let mut keys = BTreeSet::new();
    let mends = way_out(memory.content.as_str());
    keys.extend(mends.map(check_key));
    // What is usual is said when a session starts.
    if memory_type == BuiltInType::Pattern {
        return keys;
    }
    if memory_type == BuiltInType::ModuleInsight {
        let quoted = between_ticks(memory.content.as_str());
        keys.extend(quoted.map(|words| format!("search:{words}")));
        return keys;
    }
    if memory_type == BuiltInType::DeadEnd {
        let tried = tried(memory);
        keys.insert(format!("command:{}", tried.trim()));
        keys.extend(between_ticks(tried).map(|words| format!("command:{words}")));
    }
    keys.extend(memory.fingerprints.iter().map(error_key));
    keys.extend(missing(memory.content.as_str()).map(missing_key));
    keys.extend(missing_folder(memory.content.as_str()).map(missing_key));
    if is_for_its_file(memory) {
        let at = memory.files.iter().filter(|file| memory.holds_from(file));
        keys.extend(at.map(file_key));
    }
    keys
}

fn missing_key(file: &str) -> String {
    format!("missing:{file}")
}

/// Of a check that fails, whatever it complains of.
fn check_key(check: &str) -> String {
    format!("check:{check}")
}

fn file_key(file: &ProjectPath) -> String {
    format!("file:{file}")
}

fn folder_key(folder: &ProjectPath) -> String {
    format!("folder:{folder}")
}

fn error_key(error: &Fingerprint) -> String {
    format!("error:{error}")
}

/// What stands between two backticks that follow each other.
fn between_ticks(text: &str) -> impl Iterator<Item = &str> {
    let pieces = text.split('`').count();
    let inner = pieces.saturating_sub(2);
    text.split('`').skip(1).take(inner)
}

/// What a brief of any level of trust is chosen from.
fn standing(reader: &dyn MemoryReader) -> Result<Vec<Memory>, StoreError> {
    let mut found: BTreeMap<MemoryId, Memory> = BTreeMap::new();
    let list = |filter: Filter| {
        let filter = Filter {
            limit: Some(STANDING_READ),
            ..filter
        };
        let mut memories = reader.list(&filter)?.memories;
        memories.retain(holds_everywhere);
        memories.sort_by_key(|memory| (Voice::of(memory), Turn::of(memory)));
        Ok::<_, StoreError>(memories)
    };
    let pinned = list(Filter {
        only: vec![Only::Pinned],
        ..Filter::default()
    })?;
    found.extend(sayable(&pinned, MOST));
    for standing in STANDING {
        let all = list(Filter {
            types: vec![(*standing).into()],
            ..Filter::default()
        })?;
        found.extend(sayable(&all, STANDING_MOST));
    }
    Ok(found.into_values().collect())
}

/// Those that may be said at some level and some place, as many of each as are ever said. A memory is never surer than when it was
/// last used; what time has made of it is for the hook to find out.
fn sayable(memories: &[Memory], most: usize) -> BTreeMap<MemoryId, Memory> {
    let mut found = BTreeMap::new();
    for level in TrustLevel::ALL {
        let mut at_place: BTreeMap<_, usize> = BTreeMap::new();
        for memory in memories {
            let then = memory.usage.last_accessed_at;
            if refuse(memory, Purpose::Inject { level }, then).is_some() {
                continue;
            }
            let place = (memory.scope, memory.branch.as_deref());
            let number = at_place.entry(place).or_default();
            *number += 1;
            if *number <= most {
                found.insert(memory.id, memory.clone());
            }
        }
    }
    found
}

/// `None` where the memories cannot be written, so that the key stays unknown; nothing that is stored is like that.
fn write(memories: &[Memory]) -> Option<Vec<u8>> {
    let sealed: Vec<Sealed<'_>> = memories
        .iter()
        .map(|memory| Sealed {
            memory,
            seal: Seal::of(memory),
        })
        .collect();
    serde_json::to_vec(&sealed).ok()
}

/// `None` where one of them is not what was written.
fn read(bytes: &[u8]) -> Option<Vec<Memory>> {
    let opened: Vec<Opened> = serde_json::from_slice(bytes).ok()?;
    let sound = |one: Opened| (Seal::of(&one.memory) == one.seal).then_some(one.memory);
    opened.into_iter().map(sound).collect()
}

/// Where a cue sends a hook.
enum Way {
    /// What is known is under these keys.
    Keys(Vec<String>),
    /// Nothing can be known.
    Nothing,
    /// Only a database can tell.
    Database,
}

/// The memories that a cue is about, looked up with `answer`, which fails where it cannot be read. `None` where only a database
/// can tell.
pub fn ready_for<E>(
    cue: &Cue,
    answer: impl Fn(&str) -> Result<Option<Vec<u8>>, E>,
) -> Option<Vec<Memory>> {
    let way = match cue {
        Cue::SessionStarted | Cue::ContextCompacted => Way::Keys(vec![BRIEF.to_owned()]),
        Cue::Asked(_) => Way::Database,
        Cue::FileRead(file) => Way::Keys(vec![file_key(file)]),
        Cue::FileEdited(file) => {
            let folders = file.folders().map(|folder| folder_key(&folder));
            Way::Keys(std::iter::once(file_key(file)).chain(folders).collect())
        }
        Cue::FileMissed(file) => {
            let way = std::iter::once(file.clone()).chain(file.folders());
            Way::Keys(way.map(|path| missing_key(path.as_str())).collect())
        }
        Cue::StepEnded(files) => Way::Keys(files.iter().map(file_key).collect()),
        Cue::CheckFailed(check) => Way::Keys(vec![check_key(check)]),
        Cue::CommandRan(command) => quoted("command", command),
        Cue::Searched(pattern) => quoted("search", pattern),
        Cue::Failed(output) => match fingerprint(output) {
            // What fixed it is told by the sessions that met it.
            Some(error) if answer(&met(&error.message)).ok()?.is_some() => Way::Database,
            error => {
                let error = error.map(|error| error.message);
                let told = error.into_iter().chain(leftovers_named(output));
                let told = told.filter_map(|told| Fingerprint::new(&told).ok());
                Way::Keys(told.map(|told| error_key(&told)).collect())
            }
        },
    };
    match way {
        Way::Nothing => Some(Vec::new()),
        Way::Database => None,
        Way::Keys(keys) => {
            let mut memories = Vec::new();
            for key in keys {
                if let Some(bytes) = answer(&key).ok()? {
                    memories.extend(read(&bytes)?);
                }
            }
            Some(memories)
        }
    }
}

fn quoted(kind: &str, words: &str) -> Way {
    let words = words.trim();
    if words.len() < SHORTEST_QUOTE {
        Way::Nothing
    } else if words.contains('`') {
        // Such words can begin in one quotation and end in another.
        Way::Database
    } else {
        Way::Keys(vec![format!("{kind}:{words}")])
    }
}
