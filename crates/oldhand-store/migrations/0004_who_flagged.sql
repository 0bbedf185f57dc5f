-- Schema 4: an agent can flag a memory too, and its word weighs less than a person's. Forward only: once released this file
-- never changes, the next step is a file of its own.

alter table memory add column flagged_by text;              -- null for a person, and for all that was flagged before
