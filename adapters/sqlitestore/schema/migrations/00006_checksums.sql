-- +goose Up

-- Of the columns before it, in the order in which the program reads them. NULL: there is none.
ALTER TABLE accounts ADD COLUMN checksum INTEGER;
ALTER TABLE lines ADD COLUMN checksum INTEGER;
ALTER TABLE tombstones ADD COLUMN checksum INTEGER;
ALTER TABLE idempotency ADD COLUMN checksum INTEGER;
ALTER TABLE sessions ADD COLUMN checksum INTEGER;

UPDATE accounts SET checksum = resellerd_checksum(id, path, role, username, username_key, password_hash, token, country, whatsapp, telegram, email,
    notes, language, blocked, created_at, credits, ledger_seq, ledger_link, recharged_at, trials, updated_at);
UPDATE lines SET checksum = resellerd_checksum(id, owner, path, username, username_key, created_at, password, trial, expires_at, country, whatsapp,
    notes, platform_id, charge, edited, updated_at);
UPDATE idempotency SET checksum = resellerd_checksum(account, key, request, status, body, expires);
UPDATE sessions SET checksum = resellerd_checksum(id, account, password, device, address, created_at, used_at);

-- A process of an earlier version that has this file open makes no checksums. It knows these columns, in which changes are
-- counted, by their former name alone, so that each of its commands fails.
ALTER TABLE accounts RENAME COLUMN version TO changes;
ALTER TABLE lines RENAME COLUMN version TO changes;

-- Which nothing changes but this.
DROP TRIGGER tombstones_are_never_changed;
UPDATE tombstones SET checksum = resellerd_checksum(line, charge, actor, at);
-- +goose StatementBegin
CREATE TRIGGER tombstones_are_never_changed BEFORE UPDATE ON tombstones
BEGIN
    SELECT RAISE(ABORT, 'a tombstone is never changed');
END;
-- +goose StatementEnd
