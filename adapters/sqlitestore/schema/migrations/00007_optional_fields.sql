-- +goose Up

-- What a record has of the fields that most lack: as JSON, NULL where it has none. So a field that is added later needs no
-- column, and no record is written again for it. What an index is of has a column of its own.
ALTER TABLE accounts ADD COLUMN extra TEXT;
ALTER TABLE lines ADD COLUMN extra TEXT;
ALTER TABLE lines ADD COLUMN external_id TEXT;

-- All lines of an external id stand together: an account has one of it, and those who see many accounts find them by it.
CREATE UNIQUE INDEX lines_external_ids ON lines (external_id, owner) WHERE external_id IS NOT NULL;

-- A process of an earlier version that has this file open would leave these columns out of a checksum. It knows the column
-- in which changes are counted by its former name alone, so that each of its commands fails. Since this version processes
-- ask for the version of the file (user_version) in each transaction that writes.
ALTER TABLE accounts RENAME COLUMN changes TO saves;
ALTER TABLE lines RENAME COLUMN changes TO saves;
