-- Schema 3: which sessions met which error, and what may not be learned again. Forward only: once released this file
-- never changes, the next step is a file of its own.

create table session_error (
    session text not null references session (id) on delete cascade,
    message text not null,                                  -- without what changes between runs
    primary key (session, message)
) strict, without rowid;

create index session_error_by_message on session_error (message, session);

-- Hashes of what was erased: a journal that still tells of it teaches it no more.
create table erased (
    hash blob primary key check (length(hash) = 32)
) strict, without rowid;
