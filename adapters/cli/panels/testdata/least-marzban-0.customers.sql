-- The least that is read of the panel.
CREATE TABLE users (id, username, status, expire); CREATE TABLE proxies (user_id, type, settings);
INSERT INTO users VALUES (1, 'ana', 'active', NULL); INSERT INTO proxies VALUES (1, 'Trojan', '{"password":"abcd"}');
