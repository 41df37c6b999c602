-- +goose Up

-- Records of kinds, whatever the program declares: it writes each as a JSON object. A new kind or field changes nothing here.
CREATE TABLE records (
    kind     TEXT NOT NULL,
    key      TEXT NOT NULL,
    payload  TEXT NOT NULL,
    checksum INTEGER, -- of the columns before it; NULL: there is none
    PRIMARY KEY (kind, key)
) STRICT, WITHOUT ROWID;

-- What leads to records, in the order in which they are listed. An entry begins with its kind and its index: what is to be
-- unique is the whole entry, and of others the key is a part.
CREATE TABLE record_index (
    entry TEXT PRIMARY KEY,
    key   TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- Who is signed in is one of the kinds: nobody is signed out by the upgrade. What is damaged is left behind.
CREATE TEMP TABLE carried AS
SELECT id || char(1) AS key, account, created_at, min(used_at + 43200000, created_at + 604800000) AS ends,
    json_object('id', id, 'account', account, 'password', lower(hex(password)), 'device', device, 'address', address,
        'created_at', created_at, 'used_at', used_at) AS payload
FROM sessions
WHERE account > 0 AND created_at >= 0 AND used_at >= 0 AND length(password) = 32
    AND (checksum IS NULL OR checksum = resellerd_checksum(id, account, password, device, address, created_at, used_at));

INSERT INTO records SELECT 'session', key, payload, resellerd_checksum('session', key, payload) FROM carried;
INSERT INTO record_index SELECT printf('session/account/8%015x8%015x%s', account, created_at, key), key FROM carried;
INSERT INTO record_index SELECT printf('session/end/8%015x%s', ends, key), key FROM carried;

DROP TABLE carried;
DROP TABLE sessions;
