-- +goose Up

-- The table of keys was the index of its keys as well: with a few answers in a page, a key was
-- found six pages deep, and each new one split pages. By now an answer goes to the end of
-- the table, and the index is a small one beside it.
CREATE TABLE idempotency_rows (
    id      INTEGER PRIMARY KEY,
    account INTEGER NOT NULL,
    key     TEXT    NOT NULL,
    request BLOB    NOT NULL, -- digest
    status  INTEGER NOT NULL,
    body    BLOB    NOT NULL, -- encrypted
    expires INTEGER NOT NULL
) STRICT;

INSERT INTO idempotency_rows (account, key, request, status, body, expires)
SELECT account, key, request, status, body, expires FROM idempotency;

DROP TABLE idempotency;
ALTER TABLE idempotency_rows RENAME TO idempotency;

CREATE UNIQUE INDEX idempotency_keys ON idempotency (account, key);
CREATE INDEX idempotency_expires ON idempotency (expires);
