-- Schema 1. Forward only: once released this file never changes, the next step is a file of its own.
--
-- Times are RFC 3339 in UTC with nine digits after the second, so that text order is time order.
-- Words with one spelling (types, sources, scopes) are checked by the domain when a row is read, not
-- here: a newer word must not need a new table.

create table meta (
    name  text primary key,
    value text not null
) strict, without rowid;

create table memory (
    key                  integer primary key,                 -- what the tables below point to
    id                   text not null unique check (length(id) = 36),
    type                 text not null,
    payload              text,                                -- JSON; null for a statement in words only
    content              text not null check (content <> ''),
    summary              text not null check (summary <> ''),
    citation             text,
    confidence           real not null check (confidence between 0.0 and 1.0),
    created_at           text not null,
    updated_at           text not null,
    session              text,
    commit_sha           text,
    branch               text,
    work_methodology     text,                                -- the work unit: all three or none
    work_path            text,
    work_label           text,
    methodology          text,
    scope                text not null,
    source               text not null,
    created_by           text not null,
    visibility           text not null,
    target_node          text,
    half_life_days       integer check (half_life_days >= 0),
    needs_review         integer not null check (needs_review in (0, 1)),
    verified_at          text,
    verified_text        blob check (length(verified_text) = 32),
    pinned               integer not null check (pinned in (0, 1)),
    flagged_since        text,
    flagged_correction   text,
    flagged_note         text,
    stale_since          text,
    stale_reason         text,
    deprecated_since     text,
    deprecated_reason    text,
    deleted_since        text,
    chunk_type           text,
    chunk_first_line     integer,
    chunk_last_line      integer,
    chunk_context_prefix text,
    embedding_model      text,
    revision             integer not null check (revision > 0),
    taint                text,                                -- JSON; null for clean
    seal                 blob not null check (length(seal) = 32),

    check ((work_path is null) = (work_methodology is null)),
    check ((work_path is null) = (work_label is null)),
    check ((verified_at is null) = (verified_text is null)),
    check ((flagged_since is null) = (flagged_correction is null)),
    check ((stale_since is null) = (stale_reason is null)),
    check ((deprecated_since is null) = (deprecated_reason is null))
) strict;

create index memory_by_short_id on memory (substr(id, 29));
create index memory_by_age on memory (created_at, id);
create index memory_by_session on memory (session) where session is not null;
-- What lists begin with and what is counted, without reading the wide rows.
create index memory_live_by_age on memory (created_at, id)
    where deleted_since is null and deprecated_since is null;
create index memory_live_by_type on memory (type)
    where deleted_since is null and deprecated_since is null;
create index memory_to_review on memory (created_at)
    where needs_review = 1 and deleted_since is null and deprecated_since is null;
create index memory_pinned on memory (created_at)
    where pinned = 1 and deleted_since is null and deprecated_since is null;
create index memory_flagged on memory (created_at)
    where flagged_since is not null and deleted_since is null and deprecated_since is null;
create index memory_stale on memory (created_at)
    where stale_since is not null and deleted_since is null and deprecated_since is null;
create index memory_deprecated on memory (deprecated_since)
    where deprecated_since is not null and deleted_since is null;
create index memory_deleted on memory (deleted_since) where deleted_since is not null;

-- Outside the seal and outside the wide row: changes with every use.
create table memory_usage (
    memory           integer primary key references memory (key) on delete cascade,
    last_accessed_at text not null,
    access_count     integer not null check (access_count >= 0)
) strict;

create table memory_tag (
    memory integer not null references memory (key) on delete cascade,
    tag    text not null,
    primary key (memory, tag)
) strict, without rowid;
create index memory_tag_by_tag on memory_tag (tag, memory);

create table memory_file (
    memory integer not null references memory (key) on delete cascade,
    path   text not null,
    primary key (memory, path)
) strict, without rowid;
create index memory_file_by_path on memory_file (path, memory);

create table memory_module (
    memory integer not null references memory (key) on delete cascade,
    module text not null,
    primary key (memory, module)
) strict, without rowid;
create index memory_module_by_module on memory_module (module, memory);

create table memory_fingerprint (
    memory      integer not null references memory (key) on delete cascade,
    fingerprint text not null,
    primary key (memory, fingerprint)
) strict, without rowid;
create index memory_fingerprint_by_fingerprint on memory_fingerprint (fingerprint, memory);

create table memory_provenance (
    memory  integer not null references memory (key) on delete cascade,
    session text not null,
    primary key (memory, session)
) strict, without rowid;
create index memory_provenance_by_session on memory_provenance (session, memory);

create table memory_impacted_node (
    memory integer not null references memory (key) on delete cascade,
    node   text not null,
    primary key (memory, node)
) strict, without rowid;
create index memory_impacted_node_by_node on memory_impacted_node (node, memory);

-- A target memory is named by id and not by key: it may be erased, and the relation still says so.
create table memory_relation (
    memory        integer not null references memory (key) on delete cascade,
    position      integer not null,
    relation_type text not null,
    target_memory text,
    target_file   text,
    confidence    real not null check (confidence between 0.0 and 1.0),
    extraction    text not null,
    primary key (memory, position),
    check ((target_memory is null) <> (target_file is null))
) strict, without rowid;
create index memory_relation_by_memory on memory_relation (target_memory, memory)
    where target_memory is not null;
create index memory_relation_by_file on memory_relation (target_file, memory)
    where target_file is not null;

-- The words of each memory, cut by `oldhand_domain::words` (its version is in meta), rowid = memory.key.
-- Derived: `repair` builds it anew from the tables above.
create virtual table memory_words using fts5 (
    content, summary, tags, files,
    tokenize = 'porter unicode61 remove_diacritics 2'
);
-- Without this, deleted words stay in the index's pages until the next merge.
insert into memory_words (memory_words, rank) values ('secure-delete', 1);
insert into memory_words (memory_words, rank) values ('rank', 'bm25(1.0, 1.5, 2.0, 1.0)');

-- Whole documents looked up by name, such as the module map.
create table document (
    name text primary key,
    body text not null,
    seal blob not null check (length(seal) = 32)
) strict, without rowid;

-- Rows that did not match their seal, as they were found. Never used, kept for people to look at.
create table quarantine (
    number   integer primary key,
    found_at text not null,
    reason   text not null,
    id       text,
    row      text not null                                    -- JSON, column by column
) strict;
