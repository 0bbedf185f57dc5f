-- Schema 2: finished sessions, and the order in which memories changed. Forward only: once released this file never
-- changes, the next step is a file of its own.

create table session (
    id           text primary key check (length(id) between 1 and 128),
    client       text not null,
    started_at   text not null,
    ended_at     text not null,
    finalized_at text not null,
    digest       text not null,                             -- of the journal it was made from
    body         text not null,                             -- JSON; its shape is the engine's
    report       text not null,                             -- JSON; its shape is the engine's
    seal         blob not null check (length(seal) = 32)    -- BLAKE3 over everything above
) strict, without rowid;

create index session_by_start on session (started_at, id);

-- Every save gives a memory the next number, so that what is derived from memories knows what it has not seen yet.
create table memory_change (
    number integer primary key autoincrement,
    memory integer not null unique references memory (key) on delete cascade
) strict;

insert into memory_change (memory) select key from memory order by key;

create trigger memory_changed after insert on memory begin
    insert into memory_change (memory) values (new.key);
end;
