//! Two known projects become one: what the one learned moves to the other.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};
use oldhand_domain::filter::{Filter, State};
use oldhand_domain::memory::Memory;
use oldhand_domain::path::ProjectPath;
use oldhand_domain::port::{MemoryReader as _, MemoryStore as _};
use oldhand_domain::session::SessionStore as _;
use oldhand_engine::rules::{file_of, is_of_file};
use oldhand_store::{Alone, Mode, SqliteStore};

use super::Arrival;
use crate::cli::Door;
use crate::cli::import::rules::join_taken;
use crate::cli::import::transcripts::{NOTES, join_notes};
use crate::config::FILE;
use crate::desk::refuse_gone;
use crate::failure::Failure;
use crate::file;
use crate::out::time::count;
use crate::project::{self, Project};

/// Moves what `from` learned into the project called `name`; nothing is removed before everything is there.
pub(super) fn merge(from: &Project, name: &str, door: &Door) -> Result<(Project, Arrival)> {
    let home = &door.environment.home;
    let into = project::named(home, name, from.location.clone())?;
    if into.directory == from.directory {
        return Ok((into, Arrival::Known));
    }
    for project in [from, &into] {
        refuse_gone(&project.database(), Some(&project.name))?;
    }
    bring(from, &into)?;
    if from.directory.join(FILE).exists() {
        door.out.note(&format!(
            "settings that only {} had are not taken over",
            from.name
        ));
    }
    let merged = project::merge(home, from, name)?;
    // Whoever looked for the project before may have written to the old place since, and made it anew.
    for _ in 0..MOST_TIMES {
        if !from.directory.exists() {
            break;
        }
        if let Some(kept) = take_rest(from, &into)? {
            door.out.note(&format!(
                "another process still writes to {}; what it writes from now on stays there",
                kept.display()
            ));
            break;
        }
    }
    Ok((merged, Arrival::Merged))
}

/// How often the old place is looked at again.
const MOST_TIMES: usize = 3;

/// Takes the old place away from those who still look for it, waits for those who are in it, and brings over what they wrote.
/// Where somebody stays, it is kept, and told where.
fn take_rest(from: &Project, into: &Project) -> Result<Option<PathBuf>> {
    let mut directory = from.directory.clone().into_os_string();
    directory.push(".merged");
    let left = Project {
        directory: directory.into(),
        ..from.clone()
    };
    fs::rename(&from.directory, &left.directory)
        .with_context(|| format!("could not rename {}", from.directory.display()))?;
    let alone = Alone::wait(&left.database());
    bring(&left, into)?;
    if alone.is_err() {
        return Ok(Some(left.directory));
    }
    drop(alone);
    fs::remove_dir_all(&left.directory)
        .with_context(|| format!("could not remove {}", left.directory.display()))?;
    Ok(None)
}

/// Brings over what is not there yet; doing it again brings what came in between.
fn bring(from: &Project, into: &Project) -> Result<()> {
    if from.database().exists() {
        move_learned(from, into)?;
    }
    move_files(
        &from.directory.join("journal"),
        &into.directory.join("journal"),
    )
}

/// Memories keep their ids; a session that both know stays as the other project has it, and so does a rule that both took from the same
/// file. What was erased or discarded in the one is not learned again in the other.
fn move_learned(from: &Project, into: &Project) -> Result<()> {
    let source = SqliteStore::open(&from.database(), Mode::Read)?;
    let everything = Filter {
        state: State::Any,
        ..Filter::default()
    };
    let listing = source.list(&everything)?;
    if !listing.damaged.is_empty() {
        let number = count(listing.damaged.len(), "memory");
        return Err(
            Failure::damaged(format!("{number} of {} cannot be read", from.name))
                .hint("`oldhand doctor --repair` first; nothing was moved")
                .into(),
        );
    }
    let target = SqliteStore::open(&into.database(), Mode::Write)?;
    let mut is_now = BTreeMap::new();
    target.change(&mut |reader| {
        let rules = reader.list(&everything)?.memories.into_iter();
        let rules: Vec<Memory> = rules.filter(is_of_file).collect();
        let mut newer = Vec::new();
        for memory in &listing.memories {
            let same_rule = same_rule(&rules, memory);
            match (reader.get(memory.id)?, same_rule) {
                (None, Some(rule)) => {
                    is_now.insert(memory.id, rule.id);
                    newer.extend(stand_by(rule, memory));
                }
                (Some(known), _) if known.updated_at >= memory.updated_at => {}
                _ => newer.push(memory.clone()),
            }
        }
        Ok(newer)
    })?;
    let files: BTreeSet<&str> = listing.memories.iter().filter_map(file_of).collect();
    for file in files
        .into_iter()
        .filter_map(|file| ProjectPath::new(file).ok())
    {
        join_taken(&file, &source, &target, &is_now)?;
    }
    target.bury(&source.tombstones())?;
    for record in source.sessions()? {
        if target.session(&record.id)?.is_none() {
            target.save_session(&record)?;
        }
    }
    Ok(())
}

/// The rule that both projects have, one that is live before one that is not. What a person stands by here is not what was forgotten there.
fn same_rule<'r>(rules: &'r [Memory], memory: &Memory) -> Option<&'r Memory> {
    let is_same =
        |rule: &&Memory| rule.created_by == memory.created_by && rule.content == memory.content;
    let same = || rules.iter().filter(is_same);
    let live = same().find(|rule| rule.is_live());
    let stands = memory.is_live() && (memory.is_verified() || memory.pinned);
    live.or_else(|| same().next().filter(|_| !stands))
}

/// A rule with the word that a person gave for it in the other project, where it has none.
fn stand_by(rule: &Memory, other: &Memory) -> Option<Memory> {
    let mut rule = rule.clone();
    let before = rule.clone();
    rule.pinned |= other.pinned;
    if let Some(verified) = other
        .verified
        .filter(|_| other.is_verified() && !rule.is_verified())
    {
        rule.verify(verified.at.max(rule.updated_at));
    }
    (rule != before).then_some(rule)
}

/// Moves every file below `from`. A journal only grows, so of two with the same name the longer one holds the other; where
/// neither does, the one was begun after the other had moved.
fn move_files(from: &Path, into: &Path) -> Result<()> {
    if !from.is_dir() {
        return Ok(());
    }
    file::create_private_dir(into)?;
    let could_not = || format!("could not move {}", from.display());
    for entry in fs::read_dir(from).with_context(could_not)? {
        let path = entry.with_context(could_not)?.path();
        let Some(name) = path.file_name() else {
            continue;
        };
        let target = into.join(name);
        if path.is_dir() {
            move_files(&path, &target)?;
        } else if target.exists() && name == NOTES {
            join_notes(from, into)?;
        } else if target.exists() {
            join(&path, &target).with_context(could_not)?;
        } else {
            fs::rename(&path, &target).with_context(could_not)?;
        }
    }
    Ok(())
}

/// The source goes, or what only it holds would be joined once more.
fn join(path: &Path, target: &Path) -> io::Result<()> {
    let (moved, there) = (fs::read(path)?, fs::read(target)?);
    if !there.starts_with(&moved) {
        let missing = moved.strip_prefix(there.as_slice()).unwrap_or(&moved);
        let mut target = fs::OpenOptions::new().append(true).open(target)?;
        target.write_all(missing)?;
        target.sync_all()?;
    }
    fs::remove_file(path)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use jiff::Timestamp;
    use oldhand_domain::id::SessionId;
    use oldhand_domain::session::{SessionRecord, Tombstone};

    use super::*;
    use crate::project::{Location, Place};

    #[test]
    fn what_is_written_while_a_journal_moves_is_not_lost() {
        let folder = tempfile::tempdir().unwrap();
        let (from, into) = (folder.path().join("from"), folder.path().join("into"));
        let write = |text: &str| {
            fs::create_dir_all(&from).unwrap();
            fs::write(from.join("one.jsonl"), text).unwrap();
            move_files(&from, &into).unwrap();
            fs::read_to_string(into.join("one.jsonl")).unwrap()
        };
        assert_eq!(write("1\n"), "1\n");
        assert_eq!(write("1\n2\n"), "1\n2\n", "it has grown");
        assert_eq!(write("1\n"), "1\n2\n", "an older copy adds nothing");
        assert_eq!(write("3\n"), "1\n2\n3\n", "begun anew in the old place");
    }

    #[test]
    fn what_both_places_told_differently_is_joined_once() {
        let folder = tempfile::tempdir().unwrap();
        let (from, into) = (folder.path().join("from"), folder.path().join("into"));
        for (place, text) in [(&from, "3\n"), (&into, "1\n")] {
            fs::create_dir_all(place).unwrap();
            fs::write(place.join("one.jsonl"), text).unwrap();
        }
        move_files(&from, &into).unwrap();
        move_files(&from, &into).unwrap();
        let joined = fs::read_to_string(into.join("one.jsonl")).unwrap();
        assert_eq!(joined, "1\n3\n");
    }

    #[test]
    fn whoever_still_writes_to_the_old_place_is_waited_for() {
        let home = tempfile::tempdir().unwrap();
        let project = |name: &str| Project {
            name: name.to_owned(),
            directory: home.path().join(name),
            location: Location {
                place: Place::Folder(home.path().to_owned()),
                root: home.path().to_owned(),
                git_dir: None,
            },
        };
        let (from, into) = (project("next.js-1"), project("into"));
        let other = project("next.merged");
        for place in [&from, &into, &other] {
            fs::create_dir(&place.directory).unwrap();
        }
        let writer = SqliteStore::open(&from.database(), Mode::Write).unwrap();
        let discarded = Tombstone::of_session(&SessionId::new("discarded").unwrap());
        writer.bury(&[discarded]).unwrap();
        let record = SessionRecord {
            id: SessionId::new("late").unwrap(),
            client: "some-client".to_owned(),
            started_at: Timestamp::UNIX_EPOCH,
            ended_at: Timestamp::UNIX_EPOCH,
            finalized_at: Timestamp::UNIX_EPOCH,
            digest: String::new(),
            body: "{}".to_owned(),
            report: "{}".to_owned(),
            errors: BTreeSet::new(),
        };
        std::thread::scope(|scope| {
            let moving = scope.spawn(|| take_rest(&from, &into).unwrap());
            while from.directory.exists() {
                std::thread::yield_now();
            }
            // Long enough for whoever does not wait to be done.
            std::thread::sleep(Duration::from_millis(200));
            writer.save_session(&record).unwrap();
            drop(writer);
            assert_eq!(moving.join().unwrap(), None);
        });
        let moved = SqliteStore::open(&into.database(), Mode::Read).unwrap();
        assert!(moved.session(&record.id).unwrap().is_some());
        assert!(moved.is_buried(&discarded).unwrap());
        assert!(other.directory.exists() && !from.directory.exists());
    }
}
