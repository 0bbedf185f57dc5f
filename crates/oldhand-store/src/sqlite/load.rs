//! Columns become a memory again. What does not match its seal does not come back.

use std::collections::BTreeSet;
use std::str::FromStr;

use jiff::Timestamp;
use oldhand_domain::confidence::Confidence;
use oldhand_domain::id::{MemoryId, SessionId};
use oldhand_domain::memory::{Author, Chunk, CommitSha, Flag, Mark, Memory, Usage, Verified};
use oldhand_domain::path::ProjectPath;
use oldhand_domain::payload::{MemoryType, Payload};
use oldhand_domain::relation::{Extraction, Relation, RelationTarget};
use oldhand_domain::seal::{Seal, TextHash};
use oldhand_domain::taint::Taint;
use oldhand_domain::text::{Citation, Content, Summary};
use oldhand_domain::work_unit::WorkUnit;
use rusqlite::types::FromSql;
use rusqlite::{Connection, Row};
use serde::de::DeserializeOwned;

/// What a row turned out to be.
pub(super) enum Loaded {
    Sound(Box<Memory>),
    /// The words are not the ones that were written. The id is missing when it cannot be read either.
    Damaged(Option<MemoryId>),
}

/// A column holds what Oldhand would not have written there.
struct Broken;

/// A time as it is stored: of one width, so that text order is time order.
pub(super) fn time_text(time: Timestamp) -> String {
    format!("{time:.9}")
}

/// Reads the memory with this key. Several statements: the caller holds a transaction.
pub(super) fn load(connection: &Connection, key: i64) -> rusqlite::Result<Option<Loaded>> {
    const SQL: &str = "
        select m.*, u.last_accessed_at, u.access_count,
            (select json_group_array(tag) from memory_tag where memory = m.key) as tags,
            (select json_group_array(path) from memory_file where memory = m.key) as files,
            (select json_group_array(module) from memory_module where memory = m.key) as modules,
            (select json_group_array(fingerprint) from memory_fingerprint where memory = m.key)
                as fingerprints,
            (select json_group_array(session) from memory_provenance where memory = m.key)
                as provenance,
            (select json_group_array(node) from memory_impacted_node where memory = m.key)
                as impacted_nodes,
            exists (select 1 from memory_relation where memory = m.key) as has_relations
        from memory m left join memory_usage u on u.memory = m.key
        where m.key = ?1";
    let mut statement = connection.prepare_cached(SQL)?;
    let mut rows = statement.query([key])?;
    let Some(row) = rows.next()? else {
        return Ok(None);
    };
    let id = row
        .get_ref("id")?
        .as_str()
        .ok()
        .and_then(|id| id.parse().ok());
    let relations = if row.get("has_relations")? {
        load_relations(connection, key)?
    } else {
        Ok(Vec::new())
    };
    let sound = relations.and_then(|relations| {
        let memory = assemble(row, relations)?;
        let seal = Seal::from_bytes(read(row, "seal")?);
        (Seal::of(&memory) == seal).then_some(memory).ok_or(Broken)
    });
    Ok(Some(match sound {
        Ok(memory) => Loaded::Sound(Box::new(memory)),
        Err(Broken) => Loaded::Damaged(id),
    }))
}

fn load_relations(
    connection: &Connection,
    key: i64,
) -> rusqlite::Result<Result<Vec<Relation>, Broken>> {
    const SQL: &str = "
        select relation_type, target_memory, target_file, confidence, extraction
        from memory_relation where memory = ?1 order by position";
    let mut statement = connection.prepare_cached(SQL)?;
    let mut rows = statement.query([key])?;
    let mut relations = Vec::new();
    while let Some(row) = rows.next()? {
        relations.push(relation(row));
    }
    Ok(relations.into_iter().collect())
}

fn relation(row: &Row<'_>) -> Result<Relation, Broken> {
    let target_memory: Option<String> = read(row, "target_memory")?;
    let target_file: Option<String> = read(row, "target_file")?;
    let target = match (target_memory, target_file) {
        (Some(id), None) => RelationTarget::Memory(id.parse().map_err(broken)?),
        (None, Some(path)) => RelationTarget::File(path.parse().map_err(broken)?),
        _ => return Err(Broken),
    };
    Ok(Relation {
        relation_type: parse(row, "relation_type")?,
        target,
        confidence: Confidence::new(read(row, "confidence")?).map_err(broken)?,
        extraction: match read::<String>(row, "extraction")?.as_str() {
            STATED => Extraction::Stated,
            AUTOMATIC => Extraction::Automatic,
            _ => return Err(Broken),
        },
    })
}

pub(super) const STATED: &str = "stated";
pub(super) const AUTOMATIC: &str = "automatic";

fn assemble(row: &Row<'_>, relations: Vec<Relation>) -> Result<Memory, Broken> {
    let memory_type: MemoryType = parse(row, "type")?;
    let payload = match read::<Option<String>>(row, "payload")? {
        None => Payload::Plain(memory_type.clone()),
        Some(json) => serde_json::from_str(&json).map_err(broken)?,
    };
    if payload.memory_type() != memory_type {
        return Err(Broken);
    }
    let created_at = time(row, "created_at")?;
    Ok(Memory {
        id: parse(row, "id")?,
        payload,
        content: Content::new(&read::<String>(row, "content")?).map_err(broken)?,
        summary: Summary::new(&read::<String>(row, "summary")?).map_err(broken)?,
        citation: optional(row, "citation", |text| Citation::new(&text).ok())?,
        confidence: Confidence::new(read(row, "confidence")?).map_err(broken)?,
        tags: set(row, "tags")?,
        files: set::<ProjectPath>(row, "files")?,
        modules: set(row, "modules")?,
        fingerprints: set(row, "fingerprints")?,
        created_at,
        updated_at: time(row, "updated_at")?,
        usage: usage(row).unwrap_or(Usage {
            last_accessed_at: created_at,
            access_count: 0,
        }),
        session: optional(row, "session", |text| SessionId::new(text).ok())?,
        provenance: set(row, "provenance")?,
        commit: optional(row, "commit_sha", |text| CommitSha::new(&text))?,
        branch: read(row, "branch")?,
        work_unit: work_unit(row)?,
        methodology: read(row, "methodology")?,
        scope: parse(row, "scope")?,
        source: parse(row, "source")?,
        created_by: Author::new(&read::<String>(row, "created_by")?).map_err(broken)?,
        visibility: parse(row, "visibility")?,
        target_node: read(row, "target_node")?,
        impacted_nodes: set(row, "impacted_nodes")?,
        relations,
        half_life_days: read(row, "half_life_days")?,
        needs_review: read(row, "needs_review")?,
        verified: match optional_time(row, "verified_at")? {
            None => None,
            Some(at) => Some(Verified {
                at,
                text: TextHash::from_bytes(read(row, "verified_text")?),
            }),
        },
        pinned: read(row, "pinned")?,
        flagged: match optional_time(row, "flagged_since")? {
            None => None,
            Some(since) => Some(Flag {
                since,
                correction: parse(row, "flagged_correction")?,
                note: read(row, "flagged_note")?,
            }),
        },
        stale: mark(row, "stale_since", "stale_reason")?,
        deprecated: mark(row, "deprecated_since", "deprecated_reason")?,
        deleted_since: optional_time(row, "deleted_since")?,
        chunk: match optional(row, "chunk_type", |text| text.parse().ok())? {
            None => None,
            Some(chunk_type) => Some(Chunk {
                chunk_type,
                first_line: read(row, "chunk_first_line")?,
                last_line: read(row, "chunk_last_line")?,
                context_prefix: read(row, "chunk_context_prefix")?,
            }),
        },
        embedding_model: read(row, "embedding_model")?,
        revision: u64::try_from(read::<i64>(row, "revision")?).map_err(broken)?,
        taint: match read::<Option<String>>(row, "taint")? {
            None => Taint::CLEAN,
            Some(json) => serde_json::from_str(&json).map_err(broken)?,
        },
    })
}

fn work_unit(row: &Row<'_>) -> Result<Option<WorkUnit>, Broken> {
    let Some(path) = read::<Option<String>>(row, "work_path")? else {
        return Ok(None);
    };
    let hierarchy: Vec<&str> = path.split('/').collect();
    let methodology: String = read(row, "work_methodology")?;
    let label: String = read(row, "work_label")?;
    WorkUnit::new(&methodology, &hierarchy, &label)
        .map(Some)
        .map_err(broken)
}

/// Counters are not sealed; without them a memory counts as never used.
fn usage(row: &Row<'_>) -> Result<Usage, Broken> {
    Ok(Usage {
        last_accessed_at: time(row, "last_accessed_at")?,
        access_count: u64::try_from(read::<i64>(row, "access_count")?).map_err(broken)?,
    })
}

fn mark(row: &Row<'_>, since: &str, reason: &str) -> Result<Option<Mark>, Broken> {
    let Some(since) = optional_time(row, since)? else {
        return Ok(None);
    };
    let reason = read(row, reason)?;
    Ok(Some(Mark { since, reason }))
}

fn broken<E>(_: E) -> Broken {
    Broken
}

fn read<T: FromSql>(row: &Row<'_>, column: &str) -> Result<T, Broken> {
    row.get(column).map_err(broken)
}

fn parse<T: FromStr>(row: &Row<'_>, column: &str) -> Result<T, Broken> {
    row.get_ref(column)
        .map_err(broken)?
        .as_str()
        .map_err(broken)?
        .parse()
        .map_err(broken)
}

fn time(row: &Row<'_>, column: &str) -> Result<Timestamp, Broken> {
    parse(row, column)
}

fn optional_time(row: &Row<'_>, column: &str) -> Result<Option<Timestamp>, Broken> {
    optional(row, column, |text| text.parse().ok())
}

fn optional<T>(
    row: &Row<'_>,
    column: &str,
    make: impl FnOnce(String) -> Option<T>,
) -> Result<Option<T>, Broken> {
    let text: Option<String> = read(row, column)?;
    text.map(|text| make(text).ok_or(Broken)).transpose()
}

fn set<T: DeserializeOwned + Ord>(row: &Row<'_>, column: &str) -> Result<BTreeSet<T>, Broken> {
    serde_json::from_str(
        row.get_ref(column)
            .map_err(broken)?
            .as_str()
            .map_err(broken)?,
    )
    .map_err(broken)
}
