-- of s-ui-1.5.1.sql
INSERT INTO inbounds (id, type, tag, options) VALUES (1, 'vless', 'v', CAST('{}' AS BLOB)), (2, 'shadowsocks', 's', CAST('{"method": "2022-blake3-aes-128-gcm"}' AS BLOB)), (3, 'hysteria', 'h', CAST('{}' AS BLOB)), (4, 'mixed', 'm', NULL);
CREATE TEMP TABLE full AS SELECT '{"mixed": {"username": "x", "password": "mi"}, "socks": {"username": "x", "password": "so"}, "http": {"username": "x", "password": "ht"}, "shadowsocks": {"name": "x", "password": "ss32"}, "shadowsocks16": {"name": "x", "password": "ss16"}, "vmess": {"name": "x", "uuid": "vm", "alterId": 0}, "vless": {"name": "x", "uuid": "vl", "flow": "xtls-rprx-vision"}, "trojan": {"name": "x", "password": "tr"}, "hysteria": {"name": "x", "auth_str": "hy"}, "tuic": {"name": "x", "uuid": "tu", "password": "tp"}}' AS config;
INSERT INTO clients (id, enable, name, config, inbounds, volume, expiry, down, up, "desc", "group", delay_start, auto_reset, reset_days)
    SELECT c.id, c.enable, c.name, CAST(full.config AS BLOB), CAST(c.inbounds AS BLOB), c.volume, c.expiry, c.down, c.up, c.about, c.team, c.delay, c.auto, c.days FROM full, (
        SELECT 1 AS id, 1 AS enable, 'vless' AS name, '[1]' AS inbounds, 0 AS volume, 1803902400 AS expiry, 0 AS down, 0 AS up, 'João' AS about, 'family' AS team, 0 AS delay, 0 AS auto, 0 AS days
        UNION ALL SELECT 2, 1, 'ss', '[1, 2]', 0, 0, 0, 0, '', '', 0, 0, 0
        UNION ALL SELECT 3, 1, 'hysteria', '[3]', 100, 1803902400, 60, 40, '', '', 0, 0, 0
        UNION ALL SELECT 4, 0, 'off', '[4]', 0, 1788220800, 0, 0, '', '', 0, 0, 0
        UNION ALL SELECT 5, 1, 'nowhere', '[]', 0, 0, 0, 0, '', '', 0, 0, 0
        UNION ALL SELECT 6, 1, 'waits', '[1]', 0, 0, 0, 0, '', '', 1, 0, 30
        UNION ALL SELECT 7, 1, 'resets', '[1]', 0, 1803902400, 0, 0, '', '', 1, 1, 30
        UNION ALL SELECT 8, 1, 'ms', '[1]', 0, 1803902400000, 0, 0, '', '', 0, 0, 0
        UNION ALL SELECT 9, 1, 'odd-inbounds', '7', 0, 0, 0, 0, '', '', 0, 0, 0) c;
INSERT INTO clients (id, enable, name, config, inbounds, volume, expiry, down, up) VALUES (10, 1, 'broken', CAST('{"vless"' AS BLOB), NULL, 0, 0, 0, 0), (11, 1, 'empty', NULL, NULL, 0, 0, 0, 0);
