-- of 3x-ui-2.8.5.sql
INSERT INTO inbounds (id, remark, enable, protocol, settings, tag, expiry_time, total, up, down) VALUES
(7, 'Trojan', 1, 'trojan', '{"clients": [
    {"email": "Ana", "id": "id-11", "password": "tr0jan-pass", "expiryTime": 1803902400000, "enable": true, "subId": "s1", "limitIp": 2, "totalGB": 0, "comment": "João", "tgId": 4711, "updated_at": 3}]}', 'c', 0, 0, 0, 0),
(1, 'VLESS one', 1, 'vless', '{"decryption": "none", "clients": [
    {"id": "id-1", "email": "ana", "expiryTime": 1803902400000, "enable": true, "subId": "s1", "limitIp": 2, "totalGB": 0, "comment": "João", "tgId": "4711", "flow": "xtls"},
    {"id": "id-2", "email": "never", "expiryTime": 0, "enable": true, "tgId": 0},
    {"id": "id-3", "email": "waits", "expiryTime": -2592000000, "enable": true},
    {"id": "id-4", "email": "off", "expiryTime": 1788220800000.0, "enable": false},
    {"id": "id-5", "email": "far", "expiryTime": 9000000000000000000, "enable": true},
    {"id": "id-6", "email": "odd", "expiryTime": "soon"},
    7,
    {"email": "no-id", "expiryTime": 1803902400000, "totalGB": 100},
    {"id": "id-8", "email": "seconds", "expiryTime": 1803902400},
    {"id": "id-9", "email": "used-up", "expiryTime": 0},
    {"id": "id-10", "email": "began", "expiryTime": -86400000}]}', 'a', 0, 0, 0, 0),
(3, 'closed', 0, 'vless', '{"clients": [{"id": "id-1", "email": "ana", "expiryTime": 1803902400000, "enable": true, "flow": "other"},
    {"id": "id-1", "email": "ana-2", "expiryTime": 1788220800000, "subId": "s1"}, {"id": "id-9", "email": "never", "expiryTime": 1803902400000, "enable": true},
    {"id": "id-10", "email": "alone", "expiryTime": 1803902400000, "enable": true}]}', 'b', 1788220800000, 0, 0, 0),
(8, 'WG', 1, 'wireguard', '{"secretKey": "server-private", "peers": [{"privateKey": "private-8", "publicKey": "public-8", "allowedIPs": ["10.0.0.2/32"]}]}', 'd', 0, 0, 0, 0),
(9, 'nothing', 1, 'tunnel', '', 'e', 0, 0, 0, 0), (10, 'broken', 1, 'vmess', '{"clients": {}}', 'f', 0, 0, 0, 0), (11, 'forward', 1, 'dokodemo-door', '{"address": "1.2.3.4", "port": 53}', 'g', 0, 0, 0, 0);
INSERT INTO client_traffics (inbound_id, enable, email, up, down, expiry_time, total) VALUES (1, 0, 'used-up', 900, 900, 0, 1024), (1, 1, 'no-id', 60, 40, 0, 100), (1, 1, 'began', 1, 1, 1803902400000, 0);
