-- The least that is read of the panel.
CREATE TABLE clients (id, name, volume, expiry, config, enable);
INSERT INTO clients VALUES (1, 'ana', 0, 0, '{"vless":{"uuid":"abcd"}}', 1);
