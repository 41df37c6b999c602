-- Amounts are ten-thousandths of a credit, times are Unix milliseconds in UTC,
-- booleans are 0 or 1, and an unset text is ''. A path is the ids from the root
-- down to the account itself, each followed by a slash, as in '/1/5/': a whole
-- tree is then the range from '/1/5/' up to, and without, '/1/50' ('0' comes
-- right after '/').

-- +goose Up

-- 'rslr': by it a file of this program is told from any other SQLite file.
PRAGMA application_id = 1920167026;

CREATE TABLE accounts (
    id            INTEGER PRIMARY KEY CHECK (id > 0),
    path          TEXT    NOT NULL,
    role          TEXT    NOT NULL CHECK (role IN ('admin', 'master', 'reseller')),
    username      TEXT    NOT NULL,
    username_key  TEXT    NOT NULL UNIQUE,
    password_hash TEXT    NOT NULL,
    token         BLOB    NOT NULL CHECK (length(token) = 16),
    country       TEXT    NOT NULL,
    whatsapp      TEXT    NOT NULL,
    telegram      TEXT    NOT NULL,
    email         TEXT    NOT NULL,
    notes         TEXT    NOT NULL,
    language      TEXT    NOT NULL,
    credits       INTEGER NOT NULL CHECK (credits BETWEEN 0 AND 1000000000000000),
    recharged_at  INTEGER NOT NULL,
    blocked       INTEGER NOT NULL CHECK (blocked IN (0, 1)),
    trials        TEXT    NOT NULL, -- JSON: [[start of the slot, count], ...]
    created_at    INTEGER NOT NULL,
    updated_at    INTEGER NOT NULL,
    version       INTEGER NOT NULL DEFAULT 1,
    CHECK (role <> 'admin' OR credits = 0)
) STRICT;

CREATE TABLE lines (
    id           INTEGER PRIMARY KEY CHECK (id > 0),
    owner        INTEGER NOT NULL REFERENCES accounts (id),
    owner_path   TEXT    NOT NULL,
    username     TEXT    NOT NULL,
    username_key TEXT    NOT NULL UNIQUE,
    password     BLOB    NOT NULL, -- encrypted
    trial        INTEGER NOT NULL CHECK (trial IN (0, 1)),
    expires_at   INTEGER NOT NULL,
    country      TEXT    NOT NULL,
    whatsapp     TEXT    NOT NULL,
    notes        TEXT    NOT NULL,
    platform_id  INTEGER CHECK (platform_id > 0),
    edited       INTEGER NOT NULL CHECK (edited IN (0, 1)),
    created_at   INTEGER NOT NULL,
    updated_at   INTEGER NOT NULL,
    version      INTEGER NOT NULL DEFAULT 1,
    CHECK (trial = (platform_id IS NULL))
) STRICT;

-- A side of a movement is a system account or an account with its balance right
-- after. The line may be gone: the ledger outlives lines.
CREATE TABLE movements (
    id             INTEGER PRIMARY KEY CHECK (id > 0),
    operation      TEXT    NOT NULL,
    source_system  TEXT    CHECK (source_system IN ('issuance', 'consumption')),
    source_account INTEGER REFERENCES accounts (id),
    source_balance INTEGER CHECK (source_balance BETWEEN 0 AND 1000000000000000),
    target_system  TEXT    CHECK (target_system IN ('issuance', 'consumption')),
    target_account INTEGER REFERENCES accounts (id),
    target_balance INTEGER CHECK (target_balance BETWEEN 0 AND 1000000000000000),
    amount         INTEGER NOT NULL CHECK (amount > 0),
    line           INTEGER CHECK (line > 0),
    actor          INTEGER NOT NULL,
    request        TEXT    NOT NULL,
    notes          TEXT    NOT NULL,
    at             INTEGER NOT NULL,
    CHECK ((source_system IS NULL) <> (source_account IS NULL)),
    CHECK ((target_system IS NULL) <> (target_account IS NULL)),
    CHECK ((source_account IS NULL) = (source_balance IS NULL)),
    CHECK ((target_account IS NULL) = (target_balance IS NULL)),
    CHECK (source_system <> target_system),
    CHECK (source_account <> target_account)
) STRICT;

-- +goose StatementBegin
CREATE TRIGGER movements_are_never_changed BEFORE UPDATE ON movements
BEGIN
    SELECT RAISE(ABORT, 'a movement is never changed');
END;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE TRIGGER movements_are_never_removed BEFORE DELETE ON movements
BEGIN
    SELECT RAISE(ABORT, 'a movement is never removed');
END;
-- +goose StatementEnd

CREATE TABLE idempotency (
    account INTEGER NOT NULL,
    key     TEXT    NOT NULL,
    request BLOB    NOT NULL, -- digest
    status  INTEGER NOT NULL,
    body    BLOB    NOT NULL, -- encrypted
    expires INTEGER NOT NULL,
    PRIMARY KEY (account, key)
) STRICT, WITHOUT ROWID;

CREATE INDEX idempotency_expires ON idempotency (expires);

-- next is the first id that no process has taken.
CREATE TABLE sequences (
    name TEXT    PRIMARY KEY,
    next INTEGER NOT NULL CHECK (next > 0)
) STRICT, WITHOUT ROWID;

CREATE TABLE settings (
    name  TEXT PRIMARY KEY,
    value TEXT NOT NULL
) STRICT, WITHOUT ROWID;
