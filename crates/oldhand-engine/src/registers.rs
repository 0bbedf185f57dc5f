//! Where a new file has to be entered: learned of git's history and of what registers say today, told to whoever adds such a file.

use std::collections::BTreeSet;

use jiff::Timestamp;
use oldhand_domain::error::StoreError;
use oldhand_domain::filter::{Filter, State};
use oldhand_domain::kind::Kind;
use oldhand_domain::memory::{Author, Draft, Memory};
use oldhand_domain::path::ProjectPath;
use oldhand_domain::payload::{BuiltInType, Payload};
use oldhand_domain::port::{MemoryReader, Tree};
use oldhand_domain::session::SessionStore;
use oldhand_domain::text::{Content, Summary, Tag};
use oldhand_domain::vocabulary::{Scope, Source};
use oldhand_observe::learn::registers::{
    Named, Register, choose, entered_in, is_row, may_be_entered, may_be_register,
};
use oldhand_observe::orders::order_in_output;
use oldhand_observe::paths;

use crate::bury::of_register;
use crate::finalize::ReadRules;
use crate::finalize::needless::{is_output, is_register_said};
use crate::redaction::redact_draft;
use crate::standing::mark;
use crate::{Engine, EngineError};

/// What git's history and the files of today have to say.
#[derive(Clone, Copy)]
pub struct Entering<'a> {
    /// What is changed where files of some kind are added; which of them it names is read here.
    pub found: &'a [Register],
    pub tree: &'a dyn Tree,
    pub rules: ReadRules<'a>,
    /// What was erased is not learned again.
    pub sessions: Option<&'a dyn SessionStore>,
}

/// The tag by which these statements are found.
const TAG: &str = "register";
/// Who writes them.
const AUTHOR: &str = "history";
/// Longer texts are no registers that anybody keeps.
const LONGEST: usize = 1 << 20;
/// So many files of a kind are looked at for whether a program writes them.
const LOOKED_AT: usize = 3;
/// How the reason of a stale memory begins when it is stale by this; only such a mark is taken back by itself.
const BECAUSE: &str = "no longer entered: ";

impl Engine<'_> {
    /// Learns where new files are entered, and doubts what is so no more, in one transaction. Says how many statements are new. What people
    /// changed, doubted or deleted stays as they left it.
    pub fn learn_registers(
        &self,
        entering: Entering<'_>,
        now: Timestamp,
    ) -> Result<usize, EngineError> {
        let told = entering.told();
        let mut erased = BTreeSet::new();
        for one in &told {
            let tombstone = of_register(&one.kind, &one.path);
            if let Some(sessions) = entering.sessions
                && sessions.is_buried(&tombstone)?
            {
                erased.insert((one.kind.clone(), one.path.clone()));
            }
        }
        let mut new = 0;
        self.project.change(&mut |reader| {
            new = 0;
            let known = all(reader)?;
            let mut changed = Vec::new();
            for one in &told {
                let is_it = |memory: &&Memory| {
                    entered_in(memory.content.as_str())
                        .is_some_and(|(kind, path)| kind == one.kind && path == one.path)
                };
                match known.iter().find(is_it) {
                    Some(memory) => changed.extend(renewed(memory, one, now)),
                    None if erased.contains(&(one.kind.clone(), one.path.clone())) => {}
                    None => {
                        let (draft, _) = redact_draft(draft(one));
                        if let Ok(memory) = Memory::new(self.ids.memory_id(), draft, now) {
                            new += 1;
                            changed.push(memory);
                        }
                    }
                }
            }
            let is_told = |kind: &Kind, path: &str| {
                told.iter().any(|one| one.kind == *kind && one.path == path)
            };
            for memory in known.iter().filter(|memory| memory.is_live()) {
                let entered = entered_in(memory.content.as_str());
                if let Some((kind, path)) = entered
                    && !is_told(&kind, path)
                    && !is_theirs(memory)
                {
                    let mut after = memory.clone();
                    let against = format!("few new files like `{kind}` are in `{path}`");
                    mark(&mut after, BECAUSE, Some(against), now);
                    if after != *memory {
                        after.updated_at = now;
                        changed.push(after);
                    }
                }
            }
            Ok(changed)
        })?;
        Ok(new)
    }

    /// Where a file has to be entered.
    pub(crate) fn registers_for(&self, file: &ProjectPath) -> Result<Vec<Memory>, EngineError> {
        let folders: Vec<ProjectPath> = file.folders().collect();
        if folders.is_empty() {
            return Ok(Vec::new());
        }
        let filter = Filter {
            files: folders,
            ..of_registers(State::default())
        };
        let mut found = self.project.list(&filter)?.memories;
        found.retain(|memory| {
            let entered = entered_in(memory.content.as_str());
            entered.is_some_and(|(kind, _)| kind.has(file.as_str()))
        });
        Ok(found)
    }
}

impl Entering<'_> {
    /// What is worth telling: registers by what they say today, that nobody else writes or tells of.
    fn told(&self) -> Vec<Register> {
        // No name of a file speaks to a model.
        let is_plain = |one: &Register| order_in_output(&one.content()).is_none();
        let named = self.found.iter().filter_map(|one| self.read(one));
        let named: Vec<Register> = named.filter(is_plain).collect();
        let chosen = choose(named).into_iter();
        let chosen: Vec<Register> = chosen.filter(|one| !self.is_written(&one.path)).collect();
        if chosen.is_empty() {
            return chosen;
        }
        let texts = (self.rules)();
        let is_said = |one: &Register| {
            // A register that is read with the rules says nothing of itself.
            let own = self.tree.text_of(&one.path).unwrap_or_default();
            let others = texts.replace(own.trim(), "");
            is_register_said(&others, &one.path, &one.kind, &one.files)
        };
        chosen.into_iter().filter(|one| !is_said(one)).collect()
    }

    /// Whether a program writes it. Scripts that raise a version write manifests, and people keep the rest of these.
    fn is_written(&self, path: &str) -> bool {
        !paths::is_manifest(path) && is_output(self.tree, &[path])
    }

    fn read(&self, one: &Register) -> Option<Register> {
        let is_entered = one.files.iter().all(|file| may_be_entered(file));
        if !is_entered || !may_be_register(&one.kind, &one.path) {
            return None;
        }
        let text = self.tree.text_of(&one.path)?;
        let is_generated = |file: &str| self.tree.is_generated(file);
        if text.len() > LONGEST || is_generated(&one.path) {
            return None;
        }
        let names = Named::of(&one.path, &text);
        let files = one.files.iter().map(String::as_str);
        let named: Vec<&str> = files.filter(|file| names.names(&one.kind, file)).collect();
        let register = Register {
            named: named.len() as u32,
            ..one.clone()
        };
        let holds = register.holds()
            && is_row(&one.path, &text, &named, &one.kind)
            && !one
                .files
                .iter()
                .take(LOOKED_AT)
                .any(|file| is_generated(file));
        holds.then_some(register)
    }
}

fn draft(one: &Register) -> Draft {
    let files = [one.kind.folder(), &one.path];
    let files = files
        .into_iter()
        .filter_map(|file| ProjectPath::new(file).ok());
    Draft {
        summary: Some(one.summary()),
        confidence: one.confidence(),
        tags: register_tag().into_iter().collect(),
        files: files.collect(),
        impacted_nodes: BTreeSet::from([one.path.clone()]),
        scope: Scope::Module,
        source: Source::ObserverInferred,
        created_by: Author::new(AUTHOR).expect("a plain word is an author"),
        ..Draft::taught(Payload::from(BuiltInType::CausalDependency), one.content())
    }
}

/// The same with the numbers of today; nothing where it is theirs, or as it was.
fn renewed(memory: &Memory, one: &Register, now: Timestamp) -> Option<Memory> {
    let rejected = !memory.is_live() || memory.flagged.is_some();
    if rejected || is_theirs(memory) {
        return None;
    }
    let mut after = memory.clone();
    mark(&mut after, BECAUSE, None, now);
    if memory.content.as_str() != one.content() {
        after.content = Content::new(&one.content()).ok()?;
        after.summary =
            Summary::new(&one.summary()).unwrap_or_else(|_| Summary::of(&after.content));
        after.confidence = one.confidence();
        after.usage.last_accessed_at = now;
    }
    (after != *memory).then(|| {
        after.updated_at = now;
        after
    })
}

fn is_theirs(memory: &Memory) -> bool {
    memory.verified.is_some() || memory.pinned
}

/// Whether what sessions taught of two files says of one of them what is said of its kind.
pub(crate) fn is_told_by_register(memory: &Memory, file: &ProjectPath, told: &[Memory]) -> bool {
    let is_pair = memory.memory_type() == BuiltInType::CausalDependency.into()
        && memory.source == Source::ObserverInferred;
    let mut registers = told
        .iter()
        .filter_map(|one| entered_in(one.content.as_str()));
    is_pair
        && registers.any(|(_, register)| {
            let mut files = memory.files.iter();
            memory.files.len() == 2 && files.all(|one| one == file || one.as_str() == register)
        })
}

/// All statements of this kind that may be told.
pub(crate) fn registers(reader: &dyn MemoryReader) -> Result<Vec<Memory>, StoreError> {
    Ok(reader.list(&of_registers(State::default()))?.memories)
}

/// The folder below which the files lie that such a statement is about.
pub(crate) fn folder_of_kind(memory: &Memory) -> Option<ProjectPath> {
    let (kind, _) = entered_in(memory.content.as_str())?;
    ProjectPath::new(kind.folder()).ok()
}

pub(crate) fn register_tag() -> Option<Tag> {
    Tag::new(TAG).ok()
}

fn all(reader: &dyn MemoryReader) -> Result<Vec<Memory>, StoreError> {
    let mut known = reader.list(&of_registers(State::Any))?.memories;
    // What is live comes before what it replaced.
    known.sort_by_key(|memory| !memory.is_live());
    Ok(known)
}

fn of_registers(state: State) -> Filter {
    Filter {
        state,
        types: vec![BuiltInType::CausalDependency.into()],
        tags: register_tag().into_iter().collect(),
        ..Filter::default()
    }
}

#[cfg(test)]
mod tests {
    use oldhand_domain::id::MemoryId;

    use super::*;

    #[test]
    fn what_sessions_taught_of_a_file_and_its_register_is_told_by_the_register() {
        let now = Timestamp::UNIX_EPOCH;
        let memory =
            |draft: Draft| Memory::new(MemoryId::new(uuid::Uuid::nil()), draft, now).unwrap();
        let path = |path: &str| ProjectPath::new(path).unwrap();
        let told = memory(draft(&Register {
            kind: Kind::new("test/test-*.py").unwrap(),
            path: "package.json".to_owned(),
            added: 5,
            changed: 5,
            files: BTreeSet::from(["test/test-a.py".to_owned()]),
            named: 1,
        }));
        let pair = |files: &[&str], source| {
            let words = "these change together";
            memory(Draft {
                files: files.iter().map(|file| path(file)).collect(),
                source,
                ..Draft::taught(BuiltInType::CausalDependency.into(), words)
            })
        };
        let (learned, taught) = (Source::ObserverInferred, Source::UserTaught);
        for (files, source, expected) in [
            (&["test/test-a.py", "package.json"][..], learned, true),
            (&["test/test-a.py", "package.json"], taught, false),
            (&["test/test-b.py", "package.json"], learned, false),
            (&["test/test-a.py", "src/a.py"], learned, false),
            (
                &["test/test-a.py", "package.json", "src/a.py"],
                learned,
                false,
            ),
        ] {
            let known = pair(files, source);
            let found =
                is_told_by_register(&known, &path("test/test-a.py"), std::slice::from_ref(&told));
            assert_eq!(found, expected, "{files:?}");
        }
    }
}
