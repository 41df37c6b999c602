-- +goose Up

-- How an official line came to be without a charge: NULL of all others. The index counts the lines that have it.
ALTER TABLE lines ADD COLUMN origin TEXT CHECK (origin IS NULL OR origin = 'imported' AND trial = 0 AND charge IS NULL);

-- An official line has a charge, unless it has an origin. SQLite changes no constraint of a table but by its text, which
-- is how its documentation does it where the rows stay as they are: they are not written again.
PRAGMA writable_schema = ON;
UPDATE sqlite_schema SET sql = replace(sql, 'CHECK (trial = (charge IS NULL))', 'CHECK (trial = (charge IS NULL) OR origin IS NOT NULL)')
WHERE type = 'table' AND name = 'lines';
PRAGMA writable_schema = RESET;

CREATE INDEX lines_imported ON lines (origin) WHERE origin IS NOT NULL;
