-- The least that is read of the panel.
CREATE TABLE inbounds (id, protocol, settings);
INSERT INTO inbounds VALUES (1, 'vless', '{"clients":[{"email":"ana","id":"abcd"}]}');
