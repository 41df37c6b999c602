-- The least that is read of the panel.
CREATE TABLE users (id, username, status, expire, proxy_settings);
INSERT INTO users VALUES (1, 'ana', 'active', NULL, '{"trojan":{"password":"abcd"}}');
