//! Which rules of a file were taken before, so that those a person edited or forgot since stay so, and those that a heading forbids go.

use std::collections::BTreeSet;

use anyhow::Result;
use oldhand_domain::filter::{Filter, Only, State};
use oldhand_domain::memory::Memory;
use oldhand_domain::path::ProjectPath;
use oldhand_domain::text::{Content, Tag};
use oldhand_domain::vocabulary::ReviewReason;
use oldhand_engine::rules::{self, KNOWN_FILES, Rule};
use oldhand_engine::{Receipt, Shelf, Written, contradicted};
use oldhand_redact::redact;

use super::Preview;
use crate::desk::Desk;
use crate::out::Out;
use crate::out::wrap::shorten;

/// Marks of rules, from which their words cannot be read.
pub(super) struct Taken(BTreeSet<String>);

impl Taken {
    /// Where nothing was ever taken there are none.
    pub(super) fn read(file: &ProjectPath, shelf: Shelf, desk: &Desk) -> Result<Self> {
        let body = match desk.store(shelf) {
            Some(store) => store.document(&document_name(file))?,
            None => None,
        };
        let body = body.unwrap_or_default();
        Ok(Self(body.lines().map(str::to_owned).collect()))
    }

    pub(super) fn has(&self, content: &Content) -> bool {
        self.0.contains(&mark(content))
    }

    /// Remembers that these were taken from `file`.
    pub(super) fn add(
        file: &ProjectPath,
        shelf: Shelf,
        desk: &Desk,
        contents: impl Iterator<Item = Content>,
    ) -> Result<()> {
        let Self(mut marks) = Self::read(file, shelf, desk)?;
        let before = marks.len();
        marks.extend(contents.map(|content| mark(&content)));
        if marks.len() == before {
            return Ok(());
        }
        if let Some(store) = desk.store(shelf) {
            let marks: Vec<String> = marks.into_iter().collect();
            store.put_document(&document_name(file), &marks.join("\n"))?;
        }
        Ok(())
    }
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

/// What waits because another file says otherwise, and what its own does not say any more. What several files said is for a person.
pub(super) fn withdrawn(
    file: &ProjectPath,
    said: &[Rule],
    shelf: Shelf,
    desk: &Desk,
) -> Result<Vec<Memory>> {
    let filter = Filter {
        tags: rules::file_tag(file).into_iter().collect(),
        only: vec![Only::NeedsReview],
        ..Filter::default()
    };
    let waiting = desk.engine().list(Some(shelf), &filter)?.memories;
    let mut waiting: Vec<Memory> = waiting.into_iter().map(|one| one.memory).collect();
    let taken = Taken::read(file, shelf, desk)?;
    let said: Vec<Content> = said.iter().filter_map(Rule::stored_content).collect();
    waiting.retain(|memory| {
        memory.review_reason == Some(ReviewReason::Disputed)
            && rules::file_of(memory) == Some(file.as_str())
            && taken.has(&memory.content)
            && !said.contains(&memory.content)
            && is_of_one_file(memory)
    });
    Ok(waiting)
}

fn is_of_one_file(memory: &Memory) -> bool {
    let names = KNOWN_FILES
        .iter()
        .filter_map(|file| file.rsplit('/').next());
    let tags: BTreeSet<Tag> = names.filter_map(|name| Tag::new(name).ok()).collect();
    rules::folder_of(memory).is_none() && memory.tags.intersection(&tags).count() <= 1
}

/// The dispute over what a file does not say any more is over.
pub(super) fn forget_withdrawn(previews: &[Preview], desk: &Desk, out: &Out) -> Result<()> {
    let withdrawn = previews
        .iter()
        .flat_map(|one| one.withdrawn.iter().map(move |gone| (one, gone)));
    for (preview, memory) in withdrawn {
        desk.engine().forget(&memory.id.to_string(), desk.now)?;
        out.note(&format!(
            "{} does not say it any more: forgot \"{}\"",
            preview.file,
            shorten(memory.content.as_str(), 60)
        ));
    }
    Ok(())
}

/// Says which rules another file contradicts.
pub(super) fn tell_disputes(preview: &Preview, receipts: &[Receipt], out: &Out) {
    let mut are_some = false;
    for (rule, receipt) in preview.new.iter().zip(receipts) {
        let Written::Inserted(memory) = &receipt.outcome else {
            continue;
        };
        let disputed = memory.review_reason == Some(ReviewReason::Disputed);
        if let Some(other) = contradicted(memory).next().filter(|_| disputed) {
            are_some = true;
            out.note(&format!(
                "{}: line {} contradicts {} of another rules file, and no agent is told either",
                preview.file,
                rule.line,
                other.short()
            ));
        }
    }
    if are_some {
        out.hint("`oldhand review` shows both, and your word decides");
    }
}

fn document_name(file: &ProjectPath) -> String {
    format!("taken-rules:{file}")
}

fn mark(content: &Content) -> String {
    let hash = blake3::hash(content.as_str().as_bytes());
    hash.to_hex()[..32].to_owned()
}
