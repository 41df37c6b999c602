-- of pasarguard-5.2.1.sql
INSERT INTO core_configs (id, created_at, name, config) VALUES (1, '2026-01-01', 'core', '{"inbounds": [{"tag": "v", "protocol": "vless"}, {"tag": "s", "protocol": "shadowsocks"}, {"tag": "h", "protocol": "hysteria"}, 7]}'), (2, '2026-01-01', 'none', '[]');
INSERT INTO inbounds VALUES (1, 'v'), (2, 's'), (3, 'h');
INSERT INTO groups VALUES (1, 'vless', 0), (2, 'both', 0), (3, 'closed', 1), (4, 'hysteria', 0);
INSERT INTO inbounds_groups_association VALUES (1, 1), (1, 2), (2, 2), (2, 3), (3, 4);
INSERT INTO users (id, created_at, username, status, expire, note, data_limit, data_limit_reset_strategy, used_traffic, on_hold_expire_duration, proxy_settings) VALUES
    (1, '2026-01-01', 'vless', 'active', '2027-01-31 18:00:00.123456', 'João', NULL, 'no_reset', 0, NULL, '{"vmess": {"id": "vm-1"}, "vless": {"id": "vl-1", "flow": "xtls"}, "trojan": {"password": "tr-1"}, "shadowsocks": {"password": "ss-1", "method": "aes"}, "hysteria": {"auth": "hy-1"}, "wireguard": {"private_key": "wg-1"}}'),
    (2, '2026-01-01', 'both', 'disabled', '2027-01-31 18:00:00', NULL, NULL, 'no_reset', 0, NULL, '{"vmess": {"id": "vm-2"}, "vless": {"id": "vl-2", "flow": "xtls"}, "trojan": {"password": "tr-2"}, "shadowsocks": {"password": "ss-2", "method": "aes"}, "hysteria": {"auth": "hy-2"}, "wireguard": {"private_key": "wg-2"}}'),
    (3, '2026-01-01', 'closed', 'limited', NULL, NULL, 10, 'day', 10, NULL, '{"vmess": {"id": "vm-3"}, "vless": {"id": "vl-3", "flow": "xtls"}, "trojan": {"password": "tr-3"}, "shadowsocks": {"password": "ss-3", "method": "aes"}, "hysteria": {"auth": "hy-3"}, "wireguard": {"private_key": "wg-3"}}'),
    (4, '2026-01-01', 'hysteria', 'expired', '2026-09-01T00:00:00+03:00', NULL, NULL, 'no_reset', 0, NULL, '{"vmess": {"id": "vm-4"}, "vless": {"id": "vl-4", "flow": "xtls"}, "trojan": {"password": "tr-4"}, "shadowsocks": {"password": "ss-4", "method": "aes"}, "hysteria": {"auth": "hy-4"}, "wireguard": {"private_key": "wg-4"}}'),
    (5, '2026-01-01', 'waits', 'on_hold', NULL, NULL, NULL, 'no_reset', 0, 86400, '{"vless": {"id": "vl-5"}}'),
    (6, '2026-01-01', 'used-up', 'active', NULL, NULL, 10, 'no_reset', 11, NULL, '{}'),
    (7, '2026-01-01', 'seconds', 'active', 1803902400, NULL, NULL, 'no_reset', 0, NULL, '{}'),
    (8, '2026-01-01', 'soon', 'active', 'soon', NULL, NULL, 'no_reset', 0, NULL, '{"wireguard": {"private_key": "wg-8"}}'),
    (9, '2026-01-01', 'broken', 'active', NULL, NULL, NULL, 'no_reset', 0, NULL, '[]'),
    (10, '2026-01-01', 'odd', 'asleep', NULL, NULL, NULL, 'no_reset', 0, NULL, '{"trojan": 5, "a\".b": {"password": "x"}}');
INSERT INTO users_groups_association VALUES (1, 1), (2, 1), (2, 2), (3, 1), (3, 3), (4, 4);
-- an update may leave it behind
CREATE TABLE proxies (id INTEGER, user_id INTEGER, type TEXT, settings TEXT);
