-- of marzban-0.8.4.sql
INSERT INTO users (id, username, status, expire, note, data_limit, data_limit_reset_strategy, used_traffic, on_hold_expire_duration) VALUES
    (9, 'ana.tv', 'active', 1803902400, 'João — 日本, pays'||char(13)||char(10)||'in cash', 0, 'no_reset', 5, NULL),
    (2, 'forever', 'active', NULL, NULL, NULL, 'no_reset', 0, NULL),
    (3, 'hysteria', 'active', 0, '', NULL, 'no_reset', 0, NULL),
    (4, 'off', 'disabled', 1803902400, NULL, NULL, 'no_reset', 0, NULL),
    (5, 'limited', 'limited', 1803902400, NULL, 10737418240, 'month', 0, NULL),
    (6, 'gone', 'expired', 1788220800, NULL, NULL, 'no_reset', 0, NULL),
    (7, 'waits', 'on_hold', NULL, NULL, NULL, 'no_reset', 0, 2592000),
    (8, 'used-up', 'active', 1803902400, NULL, 500, 'no_reset', 500, NULL),
    (10, 'ΟΔΟΣ', 'active', 1803902400, NULL, NULL, 'no_reset', 0, NULL),
    (11, 'ms', 'active', 1803902400000, NULL, NULL, 'no_reset', 0, NULL),
    (12, 'days', 'active', 30, NULL, NULL, 'no_reset', 0, NULL),
    (13, 'text', 'active', 'soon', NULL, NULL, 'no_reset', 0, NULL),
    (14, 'held', 'on_hold', NULL, NULL, NULL, 'no_reset', 0, NULL),
    (15, 'long', 'on_hold', NULL, NULL, NULL, 'no_reset', 0, 2592000000),
    (16, 'new', 'sleeping', NULL, NULL, NULL, 'no_reset', 0, NULL),
    (17, 'broken', 'active', 1803902400, NULL, NULL, 'no_reset', 0, NULL),
    (18, NULL, 'active', -5, NULL, NULL, 'no_reset', 0, NULL);
INSERT INTO proxies (id, user_id, type, settings) VALUES
    (1, 10, 'VMess', '{"id": "99999999-2222-4333-8444-555555555555"}'), (2, 9, 'VLESS', '{"id": "11111111-2222-4333-8444-555555555555", "flow": "xtls-rprx-vision"}'),
    (3, 9, 'Shadowsocks', '{"password": "s0cks-pass", "method": "chacha20-ietf-poly1305"}'), (4, 9, 'Trojan', '{"password": "tr0jan-pass", "flow": ""}'),
    (5, 2, 'VLESS', '{"id": "11111111-2222-4333-8444-555555555555", "flow": "xtls-rprx-vision"}'), (6, 3, 'HYSTERIA2', '{"password": "hy2-pass"}'), (7, 17, 'VLESS', 'null'), (8, 404, 'VLESS', '{}'),
    (9, 4, 'Trojan', '{"password": ""}'), (10, 4, 'Shadowsocks', '{"password": "s0cks-4", "method": "aes-128-gcm"}');
