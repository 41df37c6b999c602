-- +goose Up

-- Who is signed in with a browser. Sessions are apart from all else: they name an account
-- that nobody looks for, no auditor reads them and no copy has them.
CREATE TABLE sessions (
    id         TEXT    PRIMARY KEY, -- hash of what the browser holds
    account    INTEGER NOT NULL,
    password   BLOB    NOT NULL CHECK (length(password) = 32), -- mark of the password that it began with
    device     TEXT    NOT NULL,
    address    TEXT    NOT NULL,
    created_at INTEGER NOT NULL,
    used_at    INTEGER NOT NULL,
    expires_at INTEGER NOT NULL -- unless it is used before
) STRICT, WITHOUT ROWID;

CREATE INDEX sessions_account ON sessions (account, created_at, id);
CREATE INDEX sessions_expires ON sessions (expires_at);
