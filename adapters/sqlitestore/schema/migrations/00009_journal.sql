-- +goose Up

-- How often a record has changed since this version: NULL if it has not.
ALTER TABLE accounts ADD COLUMN revision INTEGER;
ALTER TABLE lines ADD COLUMN revision INTEGER;

-- What happened, numbered without a gap. What an entry lacks has no member in its JSON, so that a member that is added
-- later changes nothing here. The hash is over the entry and the hash before it.
CREATE TABLE journal (
    seq   INTEGER PRIMARY KEY CHECK (seq > 0),
    epoch TEXT    NOT NULL,
    hash  BLOB    NOT NULL CHECK (length(hash) = 32),
    type  TEXT    NOT NULL,
    at    INTEGER NOT NULL,
    entry TEXT    NOT NULL -- but for the columns before it
) STRICT;

-- +goose StatementBegin
CREATE TRIGGER entries_are_never_changed BEFORE UPDATE ON journal
BEGIN
    SELECT RAISE(ABORT, 'an entry of the journal is never changed');
END;
-- +goose StatementEnd

-- But for a copy that is started over: it was never a store.
-- +goose StatementBegin
CREATE TRIGGER entries_are_never_removed BEFORE DELETE ON journal
WHEN NOT EXISTS (SELECT 1 FROM settings WHERE name = 'copy')
BEGIN
    SELECT RAISE(ABORT, 'an entry of the journal is never removed');
END;
-- +goose StatementEnd

-- The entries that concern an account (1), that are below one (2), that are about a line (3), and the one that names a
-- movement (4). The latest are in no list yet, and not in the figures: many are entered together, since each list is in
-- another page.
CREATE TABLE journal_lists (
    list INTEGER NOT NULL,
    id   INTEGER NOT NULL,
    seq  INTEGER NOT NULL,
    PRIMARY KEY (list, id, seq)
) STRICT, WITHOUT ROWID;

-- The last entry that is in lists and figures. It also tells if the end of the journal is gone.
CREATE TABLE journal_listed (
    id    INTEGER PRIMARY KEY CHECK (id = 1),
    epoch TEXT    NOT NULL,
    seq   INTEGER NOT NULL CHECK (seq > 0),
    hash  BLOB    NOT NULL CHECK (length(hash) = 32)
) STRICT;

-- Without it all entries would count twice.
-- +goose StatementBegin
CREATE TRIGGER what_is_listed_is_never_forgotten BEFORE DELETE ON journal_listed
WHEN NOT EXISTS (SELECT 1 FROM settings WHERE name = 'copy')
BEGIN
    SELECT RAISE(ABORT, 'where the lists of the journal end is never removed');
END;
-- +goose StatementEnd

-- What an account did on a day, counted from 1970 in UTC. A sum of credits may not fit in an integer: of its smallest
-- units all that make 10^15 are in the column before.
CREATE TABLE journal_figures (
    account       INTEGER NOT NULL,
    day           INTEGER NOT NULL,
    trials        INTEGER NOT NULL,
    activations   INTEGER NOT NULL,
    extensions    INTEGER NOT NULL,
    spent_high    INTEGER NOT NULL,
    spent_low     INTEGER NOT NULL CHECK (spent_low BETWEEN 0 AND 999999999999999),
    received_high INTEGER NOT NULL,
    received_low  INTEGER NOT NULL CHECK (received_low BETWEEN 0 AND 999999999999999),
    PRIMARY KEY (account, day)
) STRICT, WITHOUT ROWID;
