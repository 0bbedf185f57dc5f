//! Which rules of a file were taken before, so that those a person edited or forgot since stay so, and those that a heading forbids go.

use std::collections::BTreeMap;

use anyhow::Result;
use oldhand_domain::filter::{Filter, State};
use oldhand_domain::id::MemoryId;
use oldhand_domain::path::ProjectPath;
use oldhand_domain::port::MemoryReader as _;
use oldhand_domain::text::Content;
use oldhand_engine::Shelf;
use oldhand_engine::rules::{self, Among};
use oldhand_redact::redact;
use oldhand_store::SqliteStore;

use super::own::Own;
use super::{Preview, find_files, label, read_files};
use crate::desk::Desk;
use crate::out::Out;
use crate::out::wrap::shorten;

/// Marks of rules, from which their words cannot be read, each with the memory that says it. What was taken from outside of the project, or
/// before that was kept, has none.
pub(super) struct Taken(BTreeMap<String, Option<MemoryId>>);

impl Taken {
    /// Where nothing was ever taken there are none.
    pub(super) fn read(file: &ProjectPath, shelf: Shelf, desk: &Desk) -> Result<Self> {
        match desk.store(shelf) {
            Some(store) => Self::of(file, store),
            None => Ok(Self(BTreeMap::new())),
        }
    }

    fn of(file: &ProjectPath, store: &SqliteStore) -> Result<Self> {
        let body = store.document(&document_name(file))?;
        let marks = body.as_deref().unwrap_or_default().lines().map(|line| {
            let (mark, id) = line.split_once(' ').unwrap_or((line, ""));
            (mark.to_owned(), id.parse().ok())
        });
        Ok(Self(marks.collect()))
    }

    pub(super) fn has(&self, content: &Content) -> bool {
        self.0.contains_key(&mark(content))
    }

    /// The memory that a rule became.
    pub(super) fn became(&self, content: &Content) -> Option<MemoryId> {
        *self.0.get(&mark(content))?
    }

    /// Remembers that these were taken from `file`, and what they became.
    pub(super) fn add(
        file: &ProjectPath,
        shelf: Shelf,
        desk: &Desk,
        contents: impl Iterator<Item = (Content, Option<MemoryId>)>,
    ) -> Result<()> {
        let mut taken = Self::read(file, shelf, desk)?;
        let before = taken.0.clone();
        for (content, id) in contents {
            let known = taken.0.entry(mark(&content)).or_default();
            *known = known.or(id);
        }
        if taken.0 == before {
            return Ok(());
        }
        if let Some(store) = desk.store(shelf) {
            store.put_document(&document_name(file), &taken.write())?;
        }
        Ok(())
    }

    fn write(&self) -> String {
        let lines = self.0.iter().map(|(mark, id)| match id {
            Some(id) => format!("{mark} {id}"),
            None => mark.clone(),
        });
        lines.collect::<Vec<String>>().join("\n")
    }
}

/// Brings over what was taken from a file in another project. A rule that `is_now` another memory became that one.
pub(crate) fn join_taken(
    file: &ProjectPath,
    from: &SqliteStore,
    into: &SqliteStore,
    is_now: &BTreeMap<MemoryId, MemoryId>,
) -> Result<()> {
    let Taken(brought) = Taken::of(file, from)?;
    let is_live = |id| {
        let memory = into.get(id).ok().flatten();
        memory.is_some_and(|memory| memory.is_live())
    };
    let mut taken = Taken::of(file, into)?;
    let before = taken.0.clone();
    for (mark, id) in brought {
        let id = id.map(|id| is_now.get(&id).copied().unwrap_or(id));
        let known = taken.0.entry(mark).or_default();
        // What it became here may be gone.
        *known = known.filter(|known| id.is_none() || is_live(*known)).or(id);
    }
    if taken.0 != before {
        into.put_document(&document_name(file), &taken.write())?;
    }
    Ok(())
}

/// Lets rules be taken once more that became memories which are lost.
pub(crate) fn take_again(
    desk: &Desk,
    out: &Out,
    is_lost: impl Fn(&Content, MemoryId) -> bool,
) -> Result<()> {
    let Some(store) = desk.store(Shelf::Project) else {
        return Ok(());
    };
    let root = &desk.location.root;
    let (texts, _) = read_files(&find_files(root, out), Some(root));
    let own = Own::of(root);
    let among = Among {
        texts: &[],
        is_own: &|word| own.has(word),
    };
    for (path, text) in texts {
        let file = label(&path, desk)?;
        let Taken(before) = Taken::read(&file, Shelf::Project, desk)?;
        let mut taken = Taken(before.clone());
        let said = rules::parse_among(&file, &text, &among).rules;
        for content in said
            .iter()
            .filter_map(|rule| rules::stored_content(&rule.content))
        {
            if taken
                .became(&content)
                .is_some_and(|id| is_lost(&content, id))
            {
                taken.0.remove(&mark(&content));
            }
        }
        if taken.0 != before {
            store.put_document(&document_name(&file), &taken.write())?;
        }
    }
    Ok(())
}

/// What is known where the rules of a file hold. Files of other folders have its name, and what they say holds elsewhere.
pub(super) fn known_contents(
    file: &ProjectPath,
    shelf: Shelf,
    desk: &Desk,
) -> Result<Vec<Content>> {
    let filter = Filter {
        state: State::Any,
        tags: rules::file_tag(file).into_iter().collect(),
        ..Filter::default()
    };
    let kept = desk.engine().list(Some(shelf), &filter)?.memories;
    let kept = kept.into_iter().map(|shelved| shelved.memory);
    let known = kept.filter(|memory| rules::holds_where(memory, file));
    Ok(known.map(|memory| memory.content).collect())
}

/// What was taken from the file before a heading forbade it goes: it says the opposite of what the file says now.
pub(super) fn forget_opposites(
    preview: &Preview,
    shelf: Shelf,
    desk: &Desk,
    out: &Out,
) -> Result<()> {
    let opposites = preview.new.iter().filter_map(|rule| {
        let opposite = redact(rule.opposite.as_deref()?).text;
        Content::new(&opposite).ok()
    });
    let opposites: Vec<Content> = opposites.collect();
    if opposites.is_empty() {
        return Ok(());
    }
    let filter = Filter {
        tags: rules::file_tag(&preview.file).into_iter().collect(),
        ..Filter::default()
    };
    for shelved in desk.engine().list(Some(shelf), &filter)?.memories {
        let memory = shelved.memory;
        if rules::file_of(&memory) == Some(preview.file.as_str())
            && opposites.contains(&memory.content)
        {
            desk.engine().forget(&memory.id.to_string(), desk.now)?;
            out.note(&format!(
                "{} forbids it: forgot \"{}\"",
                preview.file,
                shorten(memory.content.as_str(), 60)
            ));
        }
    }
    Ok(())
}

fn document_name(file: &ProjectPath) -> String {
    format!("taken-rules:{file}")
}

fn mark(content: &Content) -> String {
    let hash = blake3::hash(content.as_str().as_bytes());
    hash.to_hex()[..32].to_owned()
}
