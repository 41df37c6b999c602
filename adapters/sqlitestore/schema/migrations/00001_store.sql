-- Amounts are ten-thousandths of a credit, times are Unix milliseconds in UTC, booleans are 0 or 1, and an unset text is
-- ''. A path has the ids from the root down to the account itself, each with a slash on both sides, such as '/1/5/'. A
-- checksum covers the columns that the program writes, in the order in which it reads them; NULL: no checksum. extra is
-- JSON with the fields that most records lack, or NULL. So a field that is added later needs no column. A field with an
-- index has a column of its own.

-- 'rslr' marks a SQLite file of this program.
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
    saves         INTEGER NOT NULL DEFAULT 1,
    checksum      INTEGER,
    extra         TEXT,
    revision      INTEGER, -- NULL until the first change
    block_suspends INTEGER, -- NULL unless the block keeps lines from being served
    CHECK (role <> 'admin' OR credits = 0),
    CHECK ((ledger_seq = 0) = (ledger_link = zeroblob(32)))
) STRICT;

CREATE INDEX accounts_roots ON accounts (id) WHERE path = '/' || id || '/';
CREATE INDEX accounts_suspending ON accounts (block_suspends) WHERE block_suspends IS NOT NULL;

-- The lists of accounts: 0 has all accounts, 7 the tree of account 7, which includes account 7, and -7 its direct
-- children.
CREATE TABLE account_lists (
    list    INTEGER NOT NULL,
    account INTEGER NOT NULL,
    PRIMARY KEY (list, account)
) STRICT, WITHOUT ROWID;

-- '/1/5/' makes [0,1,5].
CREATE TRIGGER accounts_enter_their_lists AFTER INSERT ON accounts
BEGIN
    INSERT INTO account_lists (list, account)
    SELECT value, NEW.id FROM json_each('[0' || replace(rtrim(NEW.path, '/'), '/', ',') || ']');
    INSERT INTO account_lists (list, account)
    SELECT -json_extract('[0' || replace(rtrim(NEW.path, '/'), '/', ',') || ']', '$[#-2]'), NEW.id WHERE NEW.role <> 'admin';
END;

CREATE TABLE lines (
    id           INTEGER PRIMARY KEY CHECK (id > 0),
    owner        INTEGER NOT NULL REFERENCES accounts (id),
    path         TEXT    NOT NULL, -- of the owner
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
    saves        INTEGER NOT NULL DEFAULT 1,
    checksum     INTEGER,
    extra        TEXT,
    external_id  TEXT,
    revision     INTEGER, -- NULL until the first change
    suspended    INTEGER, -- NULL unless it is
    origin       TEXT CHECK (origin IS NULL OR origin = 'imported' AND trial = 0 AND charge IS NULL), -- of an official line without a charge
    plan         INTEGER, -- NULL of a trial, and of an imported line until its first extension
    connections  INTEGER, -- of the plan
    CHECK (trial = (platform_id IS NULL)),
    CHECK (trial = (charge IS NULL) OR origin IS NOT NULL)
) STRICT;

-- Finds the lines of an external id. An account has at most one of them; callers who see many accounts have more.
CREATE UNIQUE INDEX lines_external_ids ON lines (external_id, owner) WHERE external_id IS NOT NULL;

-- Few lines are suspended or imported.
CREATE INDEX lines_suspended ON lines (suspended) WHERE suspended IS NOT NULL;
CREATE INDEX lines_imported ON lines (origin) WHERE origin IS NOT NULL;

-- The lists of lines, in two orders. A line has an entry for its owner's own lines (-7: account 7), and one for each
-- account above the owner (7: all below account 7). A tree is both, and the list of everything is the trees of the
-- admins. The program writes the entries at the end of a transaction: triggers would cost each command more than all
-- else. There are no entries in the order of names: few lines are sorted when they are read, and otherwise the index of
-- all names is read.
CREATE TABLE line_ids (
    scope INTEGER NOT NULL,
    line  INTEGER NOT NULL,
    PRIMARY KEY (scope, line)
) STRICT, WITHOUT ROWID;

CREATE TABLE line_expiries (
    scope  INTEGER NOT NULL,
    expiry INTEGER NOT NULL, -- expires_at in lines
    line   INTEGER NOT NULL,
    PRIMARY KEY (scope, expiry, line)
) STRICT, WITHOUT ROWID;

-- The rest of deleted lines. Like the movements that paid for them, tombstones are never removed.
CREATE TABLE tombstones (
    line     INTEGER PRIMARY KEY CHECK (line > 0),
    charge   INTEGER CHECK (charge > 0), -- movement that paid for the activation
    actor    INTEGER NOT NULL CHECK (actor > 0),
    at       INTEGER NOT NULL,
    checksum INTEGER
) STRICT;

CREATE TRIGGER tombstones_are_never_changed BEFORE UPDATE ON tombstones
BEGIN
    SELECT RAISE(ABORT, 'a tombstone is never changed');
END;

-- Except in a copy that is started again: it was never a store.
CREATE TRIGGER tombstones_are_never_removed BEFORE DELETE ON tombstones
WHEN NOT EXISTS (SELECT 1 FROM settings WHERE name = 'copy')
BEGIN
    SELECT RAISE(ABORT, 'a tombstone is never removed');
END;

-- A side of a movement is a system account or an account. An account has an
-- entry: the number among its movements, the balance after the movement, and the
-- link of the chain. An admin's entry belongs to issuance: the admin represents
-- the platform. The line may be gone: the ledger outlives lines.
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
    actor_name     TEXT    NOT NULL,
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

CREATE TRIGGER movements_are_never_changed BEFORE UPDATE ON movements
BEGIN
    SELECT RAISE(ABORT, 'a movement is never changed');
END;

-- Except in a copy that is started again: it was never a store.
CREATE TRIGGER movements_are_never_removed BEFORE DELETE ON movements
WHEN NOT EXISTS (SELECT 1 FROM settings WHERE name = 'copy')
BEGIN
    SELECT RAISE(ABORT, 'a movement is never removed');
END;

-- A new answer is at the end of the table, and the index by key is small. A table in the order of keys would have few
-- answers in a page, and each new answer would split pages. The id of an answer is the time when it expires, in
-- milliseconds, times 32,768, plus a number: expired answers are found without another index.
CREATE TABLE idempotency (
    id       INTEGER PRIMARY KEY CHECK (id >> 15 = expires),
    account  INTEGER NOT NULL,
    key      TEXT    NOT NULL,
    request  BLOB    NOT NULL, -- digest
    status   INTEGER NOT NULL,
    body     BLOB    NOT NULL, -- encrypted
    expires  INTEGER NOT NULL,
    checksum INTEGER
) STRICT;

CREATE UNIQUE INDEX idempotency_keys ON idempotency (account, key);

-- next is the first id that no process has taken.
CREATE TABLE sequences (
    name TEXT    PRIMARY KEY,
    next INTEGER NOT NULL CHECK (next > 0)
) STRICT, WITHOUT ROWID;

-- key-fingerprint is the fingerprint of the service key. If copy exists, the
-- store is an unfinished copy; the value names the run that fills it. A write to
-- probe tests whether writes succeed.
CREATE TABLE settings (
    name  TEXT PRIMARY KEY,
    value TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- Records of the kinds that the program declares, each as a JSON object. A new kind or field does not change the schema.
CREATE TABLE records (
    kind     TEXT NOT NULL,
    key      TEXT NOT NULL,
    payload  TEXT NOT NULL,
    checksum INTEGER,
    PRIMARY KEY (kind, key)
) STRICT, WITHOUT ROWID;

-- The index entries of records, in the order of the lists. An entry begins with its kind and its index.
-- Entries are unique: an entry of an index that is not unique contains the key of the record.
CREATE TABLE record_index (
    entry TEXT PRIMARY KEY,
    key   TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- The journal, numbered without a gap. The JSON of an entry has no member for an absent value, so a member that is added
-- later does not change the schema. The hash covers the entry and the hash before it.
CREATE TABLE journal (
    seq   INTEGER PRIMARY KEY CHECK (seq > 0),
    epoch TEXT    NOT NULL,
    hash  BLOB    NOT NULL CHECK (length(hash) = 32),
    type  TEXT    NOT NULL,
    at    INTEGER NOT NULL,
    entry TEXT    NOT NULL -- but for the columns before it
) STRICT;

CREATE TRIGGER entries_are_never_changed BEFORE UPDATE ON journal
BEGIN
    SELECT RAISE(ABORT, 'an entry of the journal is never changed');
END;

-- Except in a copy that is started again: it was never a store.
CREATE TRIGGER entries_are_never_removed BEFORE DELETE ON journal
WHEN NOT EXISTS (SELECT 1 FROM settings WHERE name = 'copy')
BEGIN
    SELECT RAISE(ABORT, 'an entry of the journal is never removed');
END;

-- The entries that concern an account (1), accounts below it (2) or a line (3), and the entry that names a movement (4).
-- The latest entries are not in lists and figures yet: many are added together, because each list is in another page.
CREATE TABLE journal_lists (
    list INTEGER NOT NULL,
    id   INTEGER NOT NULL,
    seq  INTEGER NOT NULL,
    PRIMARY KEY (list, id, seq)
) STRICT, WITHOUT ROWID;

-- The last entry that is in lists and figures. It also shows whether the end of the journal was removed.
CREATE TABLE journal_listed (
    id    INTEGER PRIMARY KEY CHECK (id = 1),
    epoch TEXT    NOT NULL,
    seq   INTEGER NOT NULL CHECK (seq > 0),
    hash  BLOB    NOT NULL CHECK (length(hash) = 32)
) STRICT;

-- Without this record all entries would count twice.
CREATE TRIGGER what_is_listed_is_never_forgotten BEFORE DELETE ON journal_listed
WHEN NOT EXISTS (SELECT 1 FROM settings WHERE name = 'copy')
BEGIN
    SELECT RAISE(ABORT, 'where the lists of the journal end is never removed');
END;

-- The figures of an account on a day, counted from 1970 in UTC. A sum of credits may not fit in an integer:
-- its _high counts multiples of 10^15 of the smallest unit, and its _low the rest.
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
