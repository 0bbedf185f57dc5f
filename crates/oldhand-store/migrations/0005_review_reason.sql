-- Schema 5: why a memory waits for a person, so that only what waited for more sessions is freed by them. Forward only: once
-- released this file never changes, the next step is a file of its own.

alter table memory add column review_reason text;           -- null where it does not wait, and for all that waited before
