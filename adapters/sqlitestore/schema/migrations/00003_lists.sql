-- +goose Up

-- A line has one entry in either order for what its owner has itself (-7: account 7),
-- and one more for each account above the owner (7: all below account 7). The whole
-- of a tree is both, and everything is the trees of the admins. The program makes them with
-- the records, a transaction at a time: triggers cost each command more than all else.
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

INSERT INTO line_ids (scope, line)
SELECT e.list, e.line FROM line_lists AS e LEFT JOIN lines AS l ON l.id = e.line WHERE e.list <> 0 AND (l.id IS NULL OR e.list <> l.owner);

INSERT INTO line_expiries (scope, expiry, line)
SELECT e.list, e.expiry, e.line FROM line_lists AS e LEFT JOIN lines AS l ON l.id = e.line WHERE e.list <> 0 AND (l.id IS NULL OR e.list <> l.owner)
ORDER BY e.list, e.expiry, e.line;

DROP TRIGGER IF EXISTS lines_enter_their_lists;
DROP TRIGGER IF EXISTS lines_move_in_their_lists;
DROP TRIGGER IF EXISTS lines_leave_their_lists;
DROP TABLE line_lists;

-- A process of an earlier version that has this file open makes no such entries. It knows
-- the column by its former name alone, so that each of its commands on lines fails.
ALTER TABLE lines RENAME COLUMN owner_path TO path;

CREATE INDEX accounts_roots ON accounts (id) WHERE path = '/' || id || '/';
