-- +goose Up

-- What keeps lines from being served: NULL where nothing does. The indexes hold the few records that have it.
ALTER TABLE accounts ADD COLUMN block_suspends INTEGER;
ALTER TABLE lines ADD COLUMN suspended INTEGER;
CREATE INDEX accounts_suspending ON accounts (block_suspends) WHERE block_suspends IS NOT NULL;
CREATE INDEX lines_suspended ON lines (suspended) WHERE suspended IS NOT NULL;
