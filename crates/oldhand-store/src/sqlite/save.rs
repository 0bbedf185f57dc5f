//! A memory becomes columns.

use jiff::Timestamp;
use oldhand_domain::id::{MemoryId, SessionId};
use oldhand_domain::memory::{CommitSha, Memory, Usage};
use oldhand_domain::path::ProjectPath;
use oldhand_domain::payload::Payload;
use oldhand_domain::relation::{Extraction, Relation, RelationTarget};
use oldhand_domain::seal::Seal;
use oldhand_domain::text::{Citation, Fingerprint, ModuleName, Tag};
use oldhand_domain::vocabulary::{FlaggedBy, ReviewReason};
use oldhand_domain::work_unit::WorkUnit;
use rusqlite::{Connection, OptionalExtension, named_params, params};

use super::index;
use super::load::{AUTOMATIC, STATED, time_text};

/// Writes a memory in place of the one with the same id and gives it the next revision.
pub(super) fn save(connection: &Connection, memory: &Memory) -> rusqlite::Result<()> {
    let old: Option<(i64, i64)> = connection
        .prepare_cached("select key, revision from memory where id = ?1")?
        .query_row([memory.id.to_string()], |row| {
            Ok((row.get(0)?, row.get(1)?))
        })
        .optional()?;
    let memory = Memory {
        revision: old.map_or(1, |(_, revision)| revision.unsigned_abs() + 1),
        ..memory.clone()
    };
    if let Some((key, _)) = old {
        connection
            .prepare_cached("delete from memory where key = ?1")?
            .execute([key])?;
    }
    insert(connection, old.map(|(key, _)| key), &memory)
}

/// Counts one use of a memory and leaves the rest of it alone.
pub(super) fn count_use(
    connection: &Connection,
    id: MemoryId,
    at: Timestamp,
) -> rusqlite::Result<()> {
    const SQL: &str = "
        update memory_usage set access_count = access_count + 1, last_accessed_at = ?2
        where memory = (select key from memory where id = ?1)";
    let mut statement = connection.prepare_cached(SQL)?;
    statement.execute(params![id.to_string(), time_text(at)])?;
    Ok(())
}

/// Writes a memory exactly as it is, revision included. `key` is the one it had before, if any.
pub(super) fn insert(
    connection: &Connection,
    key: Option<i64>,
    memory: &Memory,
) -> rusqlite::Result<()> {
    insert_wide_row(connection, key, memory)?;
    let key = connection.last_insert_rowid();
    let Usage {
        last_accessed_at,
        access_count,
    } = memory.usage;
    connection
        .prepare_cached(
            "insert into memory_usage (memory, last_accessed_at, access_count) values (?1, ?2, ?3)",
        )?
        .execute(params![
            key,
            time_text(last_accessed_at),
            access_count as i64
        ])?;
    let many = |sql: &str, values: &mut dyn Iterator<Item = &str>| -> rusqlite::Result<()> {
        let mut statement = connection.prepare_cached(sql)?;
        for value in values {
            statement.execute(params![key, value])?;
        }
        Ok(())
    };
    many(
        "insert into memory_tag (memory, tag) values (?1, ?2)",
        &mut memory.tags.iter().map(Tag::as_str),
    )?;
    many(
        "insert into memory_file (memory, path) values (?1, ?2)",
        &mut memory.files.iter().map(ProjectPath::as_str),
    )?;
    many(
        "insert into memory_module (memory, module) values (?1, ?2)",
        &mut memory.modules.iter().map(ModuleName::as_str),
    )?;
    many(
        "insert into memory_fingerprint (memory, fingerprint) values (?1, ?2)",
        &mut memory.fingerprints.iter().map(Fingerprint::as_str),
    )?;
    many(
        "insert into memory_provenance (memory, session) values (?1, ?2)",
        &mut memory.provenance.iter().map(SessionId::as_str),
    )?;
    many(
        "insert into memory_impacted_node (memory, node) values (?1, ?2)",
        &mut memory.impacted_nodes.iter().map(String::as_str),
    )?;
    insert_relations(connection, key, &memory.relations)?;
    index::write(connection, key, memory)
}

fn insert_wide_row(
    connection: &Connection,
    key: Option<i64>,
    memory: &Memory,
) -> rusqlite::Result<()> {
    const SQL: &str = "
        insert into memory values (
            :key, :id, :type, :payload, :content, :summary, :citation, :confidence, :created_at,
            :updated_at, :session, :commit_sha, :branch, :work_methodology, :work_path, :work_label,
            :methodology, :scope, :source, :created_by, :visibility, :target_node, :half_life_days,
            :needs_review, :verified_at, :verified_text, :pinned, :flagged_since,
            :flagged_correction, :flagged_note, :stale_since, :stale_reason, :deprecated_since,
            :deprecated_reason, :deleted_since, :chunk_type, :chunk_first_line, :chunk_last_line,
            :chunk_context_prefix, :embedding_model, :revision, :taint, :seal, :flagged_by,
            :review_reason)";
    let json = |value: serde_json::Result<String>| {
        value.expect("plain values with string keys always serialise")
    };
    let payload = match &memory.payload {
        Payload::Plain(_) => None,
        other => Some(json(serde_json::to_string(other))),
    };
    let taint = (!memory.taint.is_clean()).then(|| json(serde_json::to_string(&memory.taint)));
    let work = memory.work_unit.as_ref();
    let flagged = memory.flagged.as_ref();
    let stale = memory.stale.as_ref();
    let deprecated = memory.deprecated.as_ref();
    let chunk = memory.chunk.as_ref();
    connection.prepare_cached(SQL)?.execute(named_params! {
        ":key": key,
        ":id": memory.id.to_string(),
        ":type": memory.memory_type().to_string(),
        ":payload": payload,
        ":content": memory.content.as_str(),
        ":summary": memory.summary.as_str(),
        ":citation": memory.citation.as_ref().map(Citation::as_str),
        ":confidence": memory.confidence.get(),
        ":created_at": time_text(memory.created_at),
        ":updated_at": time_text(memory.updated_at),
        ":session": memory.session.as_ref().map(SessionId::as_str),
        ":commit_sha": memory.commit.as_ref().map(CommitSha::as_str),
        ":branch": memory.branch,
        ":work_methodology": work.map(WorkUnit::methodology),
        ":work_path": work.map(WorkUnit::path),
        ":work_label": work.map(WorkUnit::label),
        ":methodology": memory.methodology,
        ":scope": memory.scope.as_str(),
        ":source": memory.source.as_str(),
        ":created_by": memory.created_by.as_str(),
        ":visibility": memory.visibility.as_str(),
        ":target_node": memory.target_node,
        ":half_life_days": memory.half_life_days,
        ":needs_review": memory.needs_review,
        ":review_reason": memory.review_reason.map(ReviewReason::as_str),
        ":verified_at": memory.verified.map(|verified| time_text(verified.at)),
        ":verified_text": memory.verified.map(|verified| *verified.text.as_bytes()),
        ":pinned": memory.pinned,
        ":flagged_since": flagged.map(|flag| time_text(flag.since)),
        ":flagged_correction": flagged.map(|flag| flag.correction.as_str()),
        ":flagged_note": flagged.and_then(|flag| flag.note.as_deref()),
        ":flagged_by": flagged
            .filter(|flag| flag.by != FlaggedBy::Person)
            .map(|flag| flag.by.as_str()),
        ":stale_since": stale.map(|mark| time_text(mark.since)),
        ":stale_reason": stale.map(|mark| mark.reason.as_str()),
        ":deprecated_since": deprecated.map(|mark| time_text(mark.since)),
        ":deprecated_reason": deprecated.map(|mark| mark.reason.as_str()),
        ":deleted_since": memory.deleted_since.map(time_text),
        ":chunk_type": chunk.map(|chunk| chunk.chunk_type.as_str()),
        ":chunk_first_line": chunk.map(|chunk| chunk.first_line),
        ":chunk_last_line": chunk.map(|chunk| chunk.last_line),
        ":chunk_context_prefix": chunk.map(|chunk| chunk.context_prefix.as_str()),
        ":embedding_model": memory.embedding_model,
        ":revision": memory.revision as i64,
        ":taint": taint,
        ":seal": *Seal::of(memory).as_bytes(),
    })?;
    Ok(())
}

fn insert_relations(
    connection: &Connection,
    key: i64,
    relations: &[Relation],
) -> rusqlite::Result<()> {
    const SQL: &str = "
        insert into memory_relation
            (memory, position, relation_type, target_memory, target_file, confidence, extraction)
        values (?1, ?2, ?3, ?4, ?5, ?6, ?7)";
    for (position, relation) in relations.iter().enumerate() {
        let (memory, file) = match &relation.target {
            RelationTarget::Memory(id) => (Some(id.to_string()), None),
            RelationTarget::File(path) => (None, Some(path.as_str())),
        };
        let extraction = match relation.extraction {
            Extraction::Stated => STATED,
            Extraction::Automatic => AUTOMATIC,
        };
        connection.prepare_cached(SQL)?.execute(params![
            key,
            position as i64,
            relation.relation_type.as_str(),
            memory,
            file,
            relation.confidence.get(),
            extraction,
        ])?;
    }
    Ok(())
}
