//! What a person can put before an agent by name: the brief, and single memories.

use anyhow::Result;
use oldhand_domain::filter::Filter;
use oldhand_recall::inject::plain;
use rmcp::model::{Resource, ResourceContents, ResourceTemplate};

use super::memory::{brief, clear, lines};
use super::reply::harmless;
use super::room::Room;
use crate::desk::Purpose;
use crate::failure::Failure;

const BRIEF: &str = "oldhand://brief";
const MEMORY: &str = "oldhand://memory/";
/// How many memories are listed, the latest first; others are read by their id.
const LISTED: usize = 50;

pub(super) fn list(room: &Room) -> Result<Vec<Resource>> {
    let brief = Resource::new(BRIEF, "brief")
        .with_title("What to know before starting")
        .with_mime_type("text/plain");
    let desk = room.desk(Purpose::Look)?;
    let filter = Filter {
        limit: Some(LISTED),
        ..Filter::default()
    };
    let kept = desk.engine().list(None, &filter)?;
    let ids: Vec<String> = kept
        .memories
        .iter()
        .map(|shelved| shelved.memory.id.to_string())
        .collect();
    let memories = clear(ids.iter().map(String::as_str), &desk);
    let memories = memories.iter().map(|cleared| {
        let memory = cleared.memory();
        let id = memory.id.short();
        Resource::new(
            format!("{MEMORY}{id}"),
            format!("{} {id}", memory.memory_type()),
        )
        .with_title(harmless(&plain(memory.summary.as_str())))
        .with_mime_type("text/plain")
    });
    Ok(std::iter::once(brief).chain(memories).collect())
}

pub(super) fn templates() -> Vec<ResourceTemplate> {
    let template = ResourceTemplate::new(format!("{MEMORY}{{id}}"), "memory")
        .with_title("A memory by its id")
        .with_mime_type("text/plain");
    vec![template]
}

pub(super) fn read(uri: &str, room: &Room) -> Result<ResourceContents> {
    let desk = room.desk(Purpose::Look)?;
    let text = if uri == BRIEF {
        match brief(room, &desk)? {
            nothing if nothing.is_empty() => "nothing is known yet".to_owned(),
            brief => brief,
        }
    } else if let Some(id) = uri.strip_prefix(MEMORY) {
        let shelved = desk.engine().show(id)?;
        let id = shelved.memory.id.to_string();
        let cleared = clear(std::iter::once(id.as_str()), &desk);
        match lines(&cleared).pop() {
            Some(line) => line,
            None => {
                return Err(Failure::invalid(format!(
                    "memory {} waits for a person's review",
                    shelved.memory.id.short()
                ))
                .hint(
                    "the user can read it with `oldhand show` and confirm it with `oldhand verify`",
                )
                .into());
            }
        }
    } else {
        return Err(Failure::not_found(format!("there is no resource `{uri}`"))
            .hint(format!("there are {BRIEF} and {MEMORY}ID"))
            .into());
    };
    Ok(ResourceContents::text(harmless(&text), uri).with_mime_type("text/plain"))
}
