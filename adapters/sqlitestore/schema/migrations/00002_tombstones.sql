-- +goose Up

-- What is left of lines that were deleted. Like the movements that paid for them,
-- tombstones outlive everything.
CREATE TABLE tombstones (
    line   INTEGER PRIMARY KEY CHECK (line > 0),
    charge INTEGER CHECK (charge > 0), -- movement that paid for the activation
    actor  INTEGER NOT NULL CHECK (actor > 0),
    at     INTEGER NOT NULL
) STRICT;

-- +goose StatementBegin
CREATE TRIGGER tombstones_are_never_changed BEFORE UPDATE ON tombstones
BEGIN
    SELECT RAISE(ABORT, 'a tombstone is never changed');
END;
-- +goose StatementEnd

-- But for a copy that is started over: it was never a store.
-- +goose StatementBegin
CREATE TRIGGER tombstones_are_never_removed BEFORE DELETE ON tombstones
WHEN NOT EXISTS (SELECT 1 FROM settings WHERE name = 'copy')
BEGIN
    SELECT RAISE(ABORT, 'a tombstone is never removed');
END;
-- +goose StatementEnd

-- Lines that were deleted up to now left nothing. The setting tempers what an
-- auditor makes of that; a new file, in which nothing has moved, has none.
INSERT INTO settings (name, value)
SELECT 'tombstones-since', CAST(CAST(unixepoch('subsec') * 1000 AS INTEGER) AS TEXT)
WHERE EXISTS (SELECT 1 FROM movements);
