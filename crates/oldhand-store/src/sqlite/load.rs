//! Columns become a memory again. What does not match its seal does not come back.

use std::collections::BTreeSet;
use std::str::FromStr;

use jiff::Timestamp;
use oldhand_domain::confidence::Confidence;
use oldhand_domain::id::{MemoryId, SessionId};
use oldhand_domain::memory::{Author, Chunk, CommitSha, Flag, Mark, Memory, Usage, Verified};
use oldhand_domain::payload::{MemoryType, Payload};
use oldhand_domain::relation::{Extraction, Relation, RelationTarget};
use oldhand_domain::seal::{Seal, TextHash};
use oldhand_domain::taint::Taint;
use oldhand_domain::text::{Citation, Content, Summary};
use oldhand_domain::vocabulary::FlaggedBy;
use oldhand_domain::work_unit::WorkUnit;
use rusqlite::types::{FromSql, ValueRef};
use rusqlite::{Connection, Row, params};
use serde::de::DeserializeOwned;

/// What a row turned out to be.
pub(super) enum Loaded {
    Sound(Box<Memory>),
    /// The words are not the ones that were written. The id is missing when it cannot be read either.
    Damaged(Option<MemoryId>),
}

/// A column holds what Oldhand would not have written there.
pub(super) struct Broken;

/// A row, wherever it was read.
pub(super) trait Values {
    fn value(&self, column: usize) -> Result<ValueRef<'_>, Broken>;
}

impl Values for Row<'_> {
    fn value(&self, column: usize) -> Result<ValueRef<'_>, Broken> {
        self.get_ref(column).map_err(broken)
    }
}

/// A time as it is stored: of one width, so that text order is time order.
pub(super) fn time_text(time: Timestamp) -> String {
    format!("{time:.9}")
}

/// The columns of a memory, in the order in which [`put_together`] takes them.
macro_rules! select {
    (
        $tags:literal, $files:literal, $modules:literal, $fingerprints:literal, $usage:literal,
        $sessions:literal, $nodes:literal, $has_relations:literal, $rest:expr
    ) => {
        concat!(
            "
        select m.id, m.type, m.payload, m.content, m.summary, m.citation, m.confidence, ",
            $tags,
            ", ",
            $files,
            ", ",
            $modules,
            ", ",
            $fingerprints,
            ", m.created_at, m.updated_at, ",
            $usage,
            ", m.session, ",
            $sessions,
            ",
            m.commit_sha, m.branch, m.work_methodology, m.work_path, m.work_label, m.methodology,
            m.scope, m.source, m.created_by, m.visibility, m.target_node, ",
            $nodes,
            ",
            m.half_life_days, m.needs_review, m.review_reason, m.verified_at, m.verified_text, m.pinned,
            m.flagged_since, m.flagged_correction, m.flagged_note, m.flagged_by, m.stale_since,
            m.stale_reason,
            m.deprecated_since, m.deprecated_reason, m.deleted_since, m.chunk_type,
            m.chunk_first_line, m.chunk_last_line, m.chunk_context_prefix, m.embedding_model,
            m.revision, m.taint, m.seal, ",
            $has_relations,
            ", m.key
        from memory m ",
            $rest
        )
    };
}

macro_rules! select_where {
    ($condition:literal) => {
        select!(
            "(select json_group_array(tag) from memory_tag where memory = m.key)",
            "(select json_group_array(path) from memory_file where memory = m.key)",
            "(select json_group_array(module) from memory_module where memory = m.key)",
            "(select json_group_array(fingerprint) from memory_fingerprint where memory = m.key)",
            "u.last_accessed_at, u.access_count",
            "(select json_group_array(session) from memory_provenance where memory = m.key)",
            "(select json_group_array(node) from memory_impacted_node where memory = m.key)",
            "exists (select 1 from memory_relation where memory = m.key)",
            concat!(
                "left join memory_usage u on u.memory = m.key where ",
                $condition
            )
        )
    };
}

const HAS_RELATIONS: usize = 52;
const KEY: usize = 53;

/// Reads the memory with this key. Several statements: the caller holds a transaction.
pub(super) fn load(connection: &Connection, key: i64) -> rusqlite::Result<Option<Loaded>> {
    let mut statement = connection.prepare_cached(select_where!("m.key = ?1"))?;
    let mut rows = statement.query([key])?;
    let row = rows.next()?;
    row.map(|row| read_row(connection, row)).transpose()
}

/// What belongs to a memory and lies in other tables, read by itself.
pub(super) struct Parts {
    /// As JSON: tags, files, modules, fingerprints, sessions, places.
    pub(super) lists: [String; 6],
    pub(super) usage: Option<(String, i64)>,
    pub(super) relations: Vec<Relation>,
}

/// Reads the memory with this key, with `parts` instead of what its own tables have. Its seal is for the caller to compare.
pub(super) fn load_with(
    connection: &Connection,
    key: i64,
    parts: Parts,
) -> rusqlite::Result<Option<Result<(Memory, Seal), Broken>>> {
    const SQL: &str = select!(
        "?2",
        "?3",
        "?4",
        "?5",
        "?8, ?9",
        "?6",
        "?7",
        "0",
        "where m.key = ?1"
    );
    let mut statement = connection.prepare_cached(SQL)?;
    let [tags, files, modules, fingerprints, sessions, places] = &parts.lists;
    let (last, count) = parts.usage.unzip();
    let mut rows = statement.query(params![
        key,
        tags,
        files,
        modules,
        fingerprints,
        sessions,
        places,
        last,
        count
    ])?;
    let Some(row) = rows.next()? else {
        return Ok(None);
    };
    let mut columns = Columns { row, next: 0 };
    let memory = assemble(&mut columns, parts.relations);
    Ok(Some(memory.and_then(|memory| {
        Ok((memory, Seal::from_bytes(columns.take()?)))
    })))
}

const BY_ID: &str = select_where!("m.id = ?1");

/// Makes ready what [`load_each`] asks: understanding the statement takes as long as reading several memories.
pub(super) fn expect_reading(connection: &Connection) {
    // Where that fails, whoever reads is told.
    let _ = connection.prepare_cached(BY_ID);
}

/// As [`load`], for each of `ids`.
pub(super) fn load_each(
    connection: &Connection,
    ids: &[MemoryId],
    mut take: impl FnMut(MemoryId, Loaded),
) -> rusqlite::Result<()> {
    let mut statement = connection.prepare_cached(BY_ID)?;
    for id in ids {
        let mut rows = statement.query([id.to_string()])?;
        if let Some(row) = rows.next()? {
            take(*id, read_row(connection, row)?);
        }
    }
    Ok(())
}

fn read_row(connection: &Connection, row: &Row<'_>) -> rusqlite::Result<Loaded> {
    let relations = if row.get(HAS_RELATIONS)? {
        load_relations(connection, row.get(KEY)?)?
    } else {
        Ok(Vec::new())
    };
    Ok(put_together(row, relations))
}

/// The memory of a row and its relations, if it is the one that was written.
pub(super) fn put_together(row: &dyn Values, relations: Result<Vec<Relation>, Broken>) -> Loaded {
    let sound = relations.and_then(|relations| {
        let mut columns = Columns { row, next: 0 };
        let memory = assemble(&mut columns, relations)?;
        let seal = Seal::from_bytes(columns.take()?);
        (Seal::of(&memory) == seal).then_some(memory).ok_or(Broken)
    });
    match sound {
        Ok(memory) => Loaded::Sound(Box::new(memory)),
        Err(Broken) => Loaded::Damaged(Columns { row, next: 0 }.parse().ok()),
    }
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

/// The relation of a row: its type, the target as a memory or a file, how sure, and how it came about.
pub(super) fn relation(row: &dyn Values) -> Result<Relation, Broken> {
    let mut columns = Columns { row, next: 0 };
    let relation_type = columns.parse()?;
    let target = match (
        columns.take::<Option<String>>()?,
        columns.take::<Option<String>>()?,
    ) {
        (Some(id), None) => RelationTarget::Memory(id.parse().map_err(broken)?),
        (None, Some(path)) => RelationTarget::File(path.parse().map_err(broken)?),
        _ => return Err(Broken),
    };
    Ok(Relation {
        relation_type,
        target,
        confidence: Confidence::new(columns.take()?).map_err(broken)?,
        extraction: match columns.text()? {
            STATED => Extraction::Stated,
            AUTOMATIC => Extraction::Automatic,
            _ => return Err(Broken),
        },
    })
}

pub(super) const STATED: &str = "stated";
pub(super) const AUTOMATIC: &str = "automatic";

fn assemble(columns: &mut Columns<'_>, relations: Vec<Relation>) -> Result<Memory, Broken> {
    let id = columns.parse()?;
    let payload = payload(columns)?;
    let content = Content::new(columns.text()?).map_err(broken)?;
    let summary = Summary::stored(columns.text()?).map_err(broken)?;
    let citation = columns.optional(|text| Citation::new(text).ok())?;
    let confidence = Confidence::new(columns.take()?).map_err(broken)?;
    let [tags, files, modules, fingerprints] = [
        columns.text()?,
        columns.text()?,
        columns.text()?,
        columns.text()?,
    ];
    let created_at = columns.parse()?;
    Ok(Memory {
        id,
        payload,
        content,
        summary,
        citation,
        confidence,
        tags: set(tags)?,
        files: set(files)?,
        modules: set(modules)?,
        fingerprints: set(fingerprints)?,
        created_at,
        updated_at: columns.parse()?,
        usage: usage(columns, created_at),
        session: columns.optional(|text| SessionId::new(text).ok())?,
        provenance: set(columns.text()?)?,
        commit: columns.optional(CommitSha::new)?,
        branch: columns.take()?,
        work_unit: work_unit(columns)?,
        methodology: columns.take()?,
        scope: columns.parse()?,
        source: columns.parse()?,
        created_by: Author::new(columns.text()?).map_err(broken)?,
        visibility: columns.parse()?,
        target_node: columns.take()?,
        impacted_nodes: set(columns.text()?)?,
        relations,
        half_life_days: columns.take()?,
        needs_review: columns.take()?,
        review_reason: columns.optional(|text| text.parse().ok())?,
        verified: verified(columns)?,
        pinned: columns.take()?,
        flagged: flag(columns)?,
        stale: mark(columns)?,
        deprecated: mark(columns)?,
        deleted_since: columns.optional(|text| text.parse().ok())?,
        chunk: chunk(columns)?,
        embedding_model: columns.take()?,
        revision: u64::try_from(columns.take::<i64>()?).map_err(broken)?,
        taint: match columns.take::<Option<String>>()? {
            None => Taint::CLEAN,
            Some(json) => serde_json::from_str(&json).map_err(broken)?,
        },
    })
}

fn payload(columns: &mut Columns<'_>) -> Result<Payload, Broken> {
    let memory_type: MemoryType = columns.parse()?;
    let payload = match columns.take::<Option<String>>()? {
        None => return Ok(Payload::Plain(memory_type)),
        Some(json) => serde_json::from_str::<Payload>(&json).map_err(broken)?,
    };
    (payload.memory_type() == memory_type)
        .then_some(payload)
        .ok_or(Broken)
}

/// Counters are not sealed; without readable ones a memory counts as never used.
fn usage(columns: &mut Columns<'_>, created_at: Timestamp) -> Usage {
    let last_accessed_at = columns.parse();
    let access_count = columns.take::<i64>();
    match (last_accessed_at, access_count.map(u64::try_from)) {
        (Ok(last_accessed_at), Ok(Ok(access_count))) => Usage {
            last_accessed_at,
            access_count,
        },
        _ => Usage {
            last_accessed_at: created_at,
            access_count: 0,
        },
    }
}

fn work_unit(columns: &mut Columns<'_>) -> Result<Option<WorkUnit>, Broken> {
    let methodology: Option<String> = columns.take()?;
    let path: Option<String> = columns.take()?;
    let label: Option<String> = columns.take()?;
    let (Some(methodology), Some(path), Some(label)) = (methodology, path, label) else {
        return Ok(None);
    };
    let hierarchy: Vec<&str> = path.split('/').collect();
    WorkUnit::new(&methodology, &hierarchy, &label)
        .map(Some)
        .map_err(broken)
}

fn verified(columns: &mut Columns<'_>) -> Result<Option<Verified>, Broken> {
    let at = columns.optional(|text| text.parse().ok())?;
    let text: Option<[u8; 32]> = columns.take()?;
    let text = text.map(TextHash::from_bytes);
    Ok(at.zip(text).map(|(at, text)| Verified { at, text }))
}

fn flag(columns: &mut Columns<'_>) -> Result<Option<Flag>, Broken> {
    let since = columns.optional(|text| text.parse().ok())?;
    let correction = columns.optional(|text| text.parse().ok())?;
    let note: Option<String> = columns.take()?;
    let by = columns.optional(|text| text.parse().ok())?;
    let both = since.zip(correction);
    Ok(both.map(|(since, correction)| Flag {
        since,
        correction,
        note,
        by: by.unwrap_or(FlaggedBy::Person),
    }))
}

fn mark(columns: &mut Columns<'_>) -> Result<Option<Mark>, Broken> {
    let since = columns.optional(|text| text.parse().ok())?;
    let reason: Option<String> = columns.take()?;
    Ok(since
        .zip(reason)
        .map(|(since, reason)| Mark { since, reason }))
}

fn chunk(columns: &mut Columns<'_>) -> Result<Option<Chunk>, Broken> {
    let chunk_type = columns.optional(|text| text.parse().ok())?;
    let first: Option<u32> = columns.take()?;
    let last: Option<u32> = columns.take()?;
    let prefix: Option<String> = columns.take()?;
    let (Some(chunk_type), Some(first_line), Some(last_line), Some(context_prefix)) =
        (chunk_type, first, last, prefix)
    else {
        return Ok(None);
    };
    Ok(Some(Chunk {
        chunk_type,
        first_line,
        last_line,
        context_prefix,
    }))
}

fn set<T: DeserializeOwned + Ord>(json: &str) -> Result<BTreeSet<T>, Broken> {
    if json == "[]" {
        return Ok(BTreeSet::new());
    }
    serde_json::from_str(json).map_err(broken)
}

fn broken<E>(_: E) -> Broken {
    Broken
}

/// The columns of a row, one after the other: looking each up by its name takes longer than all the rest.
struct Columns<'a> {
    row: &'a dyn Values,
    next: usize,
}

impl<'a> Columns<'a> {
    fn value(&mut self) -> Result<ValueRef<'a>, Broken> {
        self.next += 1;
        self.row.value(self.next - 1)
    }

    fn take<T: FromSql>(&mut self) -> Result<T, Broken> {
        T::column_result(self.value()?).map_err(broken)
    }

    fn text(&mut self) -> Result<&'a str, Broken> {
        self.value()?.as_str().map_err(broken)
    }

    fn parse<T: FromStr>(&mut self) -> Result<T, Broken> {
        self.text()?.parse().map_err(broken)
    }

    fn optional<T>(&mut self, make: impl FnOnce(&str) -> Option<T>) -> Result<Option<T>, Broken> {
        let text = self.value()?.as_str_or_null().map_err(broken)?;
        text.map(|text| make(text).ok_or(Broken)).transpose()
    }
}
