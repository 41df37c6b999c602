-- Amounts are ten-thousandths of a credit, times are Unix milliseconds in UTC,
-- booleans are 0 or 1, and an unset text is ''. A path is the ids from the root
-- down to the account itself, each with a slash on both sides, as in '/1/5/'.

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
    ledger_seq    INTEGER NOT NULL CHECK (ledger_seq >= 0), -- how many movements concern it
    ledger_link   BLOB    NOT NULL CHECK (length(ledger_link) = 32), -- of the last of them
    recharged_at  INTEGER NOT NULL,
    blocked       INTEGER NOT NULL CHECK (blocked IN (0, 1)),
    trials        TEXT    NOT NULL, -- JSON: [[start of the slot, count], ...]
    created_at    INTEGER NOT NULL,
    updated_at    INTEGER NOT NULL,
    version       INTEGER NOT NULL DEFAULT 1,
    CHECK (role <> 'admin' OR credits = 0),
    CHECK ((ledger_seq = 0) = (ledger_link = zeroblob(32)))
) STRICT;

-- The lists that an account is in: 0 is all of them, 7 the tree of account 7, itself
-- included, and -7 what is right below it.
CREATE TABLE account_lists (
    list    INTEGER NOT NULL,
    account INTEGER NOT NULL,
    PRIMARY KEY (list, account)
) STRICT, WITHOUT ROWID;

-- '/1/5/' makes [0,1,5].
-- +goose StatementBegin
CREATE TRIGGER accounts_enter_their_lists AFTER INSERT ON accounts
BEGIN
    INSERT INTO account_lists (list, account)
    SELECT value, NEW.id FROM json_each('[0' || replace(rtrim(NEW.path, '/'), '/', ',') || ']');
    INSERT INTO account_lists (list, account)
    SELECT -json_extract('[0' || replace(rtrim(NEW.path, '/'), '/', ',') || ']', '$[#-2]'), NEW.id WHERE NEW.role <> 'admin';
END;
-- +goose StatementEnd

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
    charge       INTEGER CHECK (charge > 0), -- movement that paid for the activation
    edited       INTEGER NOT NULL CHECK (edited IN (0, 1)),
    created_at   INTEGER NOT NULL,
    updated_at   INTEGER NOT NULL,
    version      INTEGER NOT NULL DEFAULT 1,
    CHECK (trial = (platform_id IS NULL)),
    CHECK (trial = (charge IS NULL))
) STRICT;

-- The lists that a line is in: 0 is all of them, 7 what account 7 and all below it
-- own, and -7 what it owns itself. Each list is a range in the order of ids, and one
-- in the order of expiry.
CREATE TABLE line_lists (
    list   INTEGER NOT NULL,
    line   INTEGER NOT NULL,
    expiry INTEGER NOT NULL, -- expires_at in lines
    PRIMARY KEY (list, line)
) STRICT, WITHOUT ROWID;

CREATE INDEX line_lists_expiry ON line_lists (list, expiry, line);

-- Owner 5 with the path '/1/5/' makes [0,-5,1,5].
-- +goose StatementBegin
CREATE TRIGGER lines_enter_their_lists AFTER INSERT ON lines
BEGIN
    INSERT INTO line_lists (list, line, expiry)
    SELECT value, NEW.id, NEW.expires_at FROM json_each('[0,' || -NEW.owner || replace(rtrim(NEW.owner_path, '/'), '/', ',') || ']');
END;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE TRIGGER lines_move_in_their_lists AFTER UPDATE OF expires_at ON lines WHEN NEW.expires_at <> OLD.expires_at
BEGIN
    UPDATE line_lists SET expiry = NEW.expires_at WHERE line = NEW.id AND list IN
        (SELECT value FROM json_each('[0,' || -OLD.owner || replace(rtrim(OLD.owner_path, '/'), '/', ',') || ']'));
END;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE TRIGGER lines_leave_their_lists AFTER DELETE ON lines
BEGIN
    DELETE FROM line_lists WHERE line = OLD.id AND list IN
        (SELECT value FROM json_each('[0,' || -OLD.owner || replace(rtrim(OLD.owner_path, '/'), '/', ',') || ']'));
END;
-- +goose StatementEnd

-- A side of a movement is a system account or an account. With an account goes
-- its entry: the number among its movements, the balance right after, and the
-- link of the chain. An admin's entry stands beside issuance, which the admin
-- stands for. The line may be gone: the ledger outlives lines.
CREATE TABLE movements (
    id             INTEGER PRIMARY KEY CHECK (id > 0),
    operation      TEXT    NOT NULL,
    source_system  TEXT    CHECK (source_system = 'issuance'),
    source_account INTEGER REFERENCES accounts (id),
    source_seq     INTEGER CHECK (source_seq > 0),
    source_balance INTEGER CHECK (source_balance BETWEEN 0 AND 1000000000000000),
    source_link    BLOB    CHECK (length(source_link) = 32),
    target_system  TEXT    CHECK (target_system IN ('issuance', 'consumption')),
    target_account INTEGER REFERENCES accounts (id),
    target_seq     INTEGER CHECK (target_seq > 0),
    target_balance INTEGER CHECK (target_balance BETWEEN 0 AND 1000000000000000),
    target_link    BLOB    CHECK (length(target_link) = 32),
    amount         INTEGER NOT NULL CHECK (amount BETWEEN 1 AND 10000000000000),
    line           INTEGER CHECK (line > 0),
    actor          INTEGER NOT NULL,
    request        TEXT    NOT NULL,
    notes          TEXT    NOT NULL,
    at             INTEGER NOT NULL,
    CHECK (source_system IS NOT NULL OR source_account IS NOT NULL),
    CHECK ((target_system IS NULL) <> (target_account IS NULL)),
    CHECK (source_account IS NOT NULL OR target_account IS NOT NULL),
    CHECK ((source_account IS NULL) = (source_seq IS NULL)),
    CHECK ((source_account IS NULL) = (source_balance IS NULL)),
    CHECK ((source_account IS NULL) = (source_link IS NULL)),
    CHECK ((target_account IS NULL) = (target_seq IS NULL)),
    CHECK ((target_account IS NULL) = (target_balance IS NULL)),
    CHECK ((target_account IS NULL) = (target_link IS NULL)),
    CHECK (source_system <> target_system),
    CHECK (source_account <> target_account)
) STRICT;

CREATE UNIQUE INDEX movements_source ON movements (source_account, source_seq) WHERE source_account IS NOT NULL;
CREATE UNIQUE INDEX movements_target ON movements (target_account, target_seq) WHERE target_account IS NOT NULL;

-- +goose StatementBegin
CREATE TRIGGER movements_are_never_changed BEFORE UPDATE ON movements
BEGIN
    SELECT RAISE(ABORT, 'a movement is never changed');
END;
-- +goose StatementEnd

-- But for a copy that is started over: it was never a store.
-- +goose StatementBegin
CREATE TRIGGER movements_are_never_removed BEFORE DELETE ON movements
WHEN NOT EXISTS (SELECT 1 FROM settings WHERE name = 'copy')
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

-- key-fingerprint is that of the service key. While there is a copy, the store is
-- an unfinished one: its value names the run that fills it. probe is written to
-- see whether a write is kept.
CREATE TABLE settings (
    name  TEXT PRIMARY KEY,
    value TEXT NOT NULL
) STRICT, WITHOUT ROWID;
