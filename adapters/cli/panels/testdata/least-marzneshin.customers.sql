-- The least that is read of the panel.
CREATE TABLE users (id, username, key, enabled, expire_strategy, expire_date);
INSERT INTO users VALUES (1, 'ana', 'abcd', 1, 'never', NULL);
