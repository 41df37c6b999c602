-- of 3x-ui-3.6.0.sql
INSERT INTO inbounds (id, remark, enable, protocol, settings, tag, expiry_time, total, up, down) VALUES
    (1, 'VLESS', 1, 'vless', '{"clients": [{"id": "old", "email": "ana", "expiryTime": 5, "enable": false, "subId": "s1"}, {"id": "x", "email": "stale"}, 7, {"email": null}]}', 'a', 0, 0, 1, 1),
    (2, 'Trojan', 1, 'trojan', 'broken', 'b', 1803902400000, 0, 1, 1), (3, 'closed', 0, 'hysteria', '', 'c', 0, 0, 1, 1),
    (4, 'WireGuard', 1, 'wireguard', '{}', 'd', 0, 0, 1, 1), (5, 'full', 1, 'mtproto', '{}', 'e', 0, 10, 5, 5);
INSERT INTO clients (id, email, sub_id, uuid, password, auth, secret, wg_private_key, wg_public_key, expiry_time, enable, total_gb, comment, tg_id, limit_ip, flow) VALUES
    (1, 'ana', 's1', 'uu-1', 'pw-1', 'au-1', '', '', '', 1803902400000, 1, 0, 'renewed', 4711, 2, 'xtls'),
    (2, 'ana-2', 's1', 'uu-2', 'pw-2', '', '', '', '', 1803902400000, 1, 0, '', 0, 0, ''),
    (3, 'ana-3', 's1', 'uu-3', 'pw-3', '', '', '', '', 1788220800000, 1, 0, '', 0, 0, ''),
    (4, 'both', 's4', 'uu-4', 'pw-4', '', '', '', '', 0, 1, 0, '', 0, 0, ''),
    (5, 'inbound-ends', 's5', 'uu-5', 'pw-5', '', '', '', '', -2592000000, 1, 0, '', 0, 0, ''),
    (6, 'used-up', '', 'uu-6', '', '', '', '', '', 0, 1, 100, '', 0, 0, ''),
    (7, 'closed', '', 'uu-7', '', 'au-7', '', '', '', 0, 1, 0, '', 0, 0, ''),
    (8, 'wireguard', '', '', '', '', '', 'private', 'public', 0, 1, 0, '', 0, 0, ''),
    (9, 'full', '', '', '', '', 'secret-9', '', '', 0, 1, 0, '', 0, 0, ''),
    (10, 'nowhere', '', 'uu-10', '', '', '', '', '', 0, 1, 0, '', 0, 0, ''),
    (11, 'seconds', '', 'uu-11', '', '', '', '', '', 1803902400, 1, 0, '', 0, 0, ''),
    (12, 'began', '', 'uu-12', '', '', '', '', '', -2592000000, 0, 0, '', 0, 0, ''),
    (13, 'off-by-traffic', '', 'uu-13', '', '', '', '', '', 0, 1, 0, '', 0, 0, ''),
    (14, 'days', '', 'uu-14', '', '', '', '', '', -2592000, 1, 0, '', 0, 0, '');
INSERT INTO client_inbounds (client_id, inbound_id) VALUES (1, 1), (2, 2), (3, 1), (4, 1), (4, 2), (5, 2), (6, 1), (7, 3), (8, 4), (9, 5), (11, 1), (12, 1), (13, 1), (14, 1);
INSERT INTO client_traffics (inbound_id, enable, email, up, down, expiry_time, total) VALUES (1, 1, 'ana', 5, 5, 1803902400000, 0), (1, 1, 'used-up', 50, 50, 0, 100),
    (1, 1, 'began', 5, 5, 1803902400000, 0), (1, 0, 'off-by-traffic', 5, 5, 0, 0), (1, 0, 'orphan', 5, 5, 0, 0);
UPDATE clients SET expiry_time = 1803902400000 WHERE id = 2;
