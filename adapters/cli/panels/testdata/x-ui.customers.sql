-- of x-ui-0.3.2.sql
INSERT INTO inbounds (id, remark, enable, protocol, settings, port, tag, expiry_time, total, up, down) VALUES
(1, 'Joao', 1, 'vmess', '{"clients": [{"id": "id-1", "alterId": 0}], "disableInsecureEncryption": false}', 1001, 'a', 1803902400000, 0, 5, 5),
(2, 'Pedro', 1, 'shadowsocks', '{"method": "aes-256-gcm", "password": "ss-pass", "network": "tcp,udp"}', 1002, 'b', 0, 0, 0, 0),
(3, 'Rita', 1, 'socks', '{"auth": "password", "accounts": [{"user": "rita.s", "pass": "socks-pass"}]}', 1003, 'c', 1803902400000, 0, 0, 0),
(4, 'Wil', 1, 'wireguard', '{"peers": [{"publicKey": "abc", "allowedIPs": ["10.0.0.2/32"]}]}', 1004, 'd', 1803902400000, 0, 0, 0),
(5, 'Office', 0, 'http', '{"accounts": [{"user": "one", "pass": "pass-1"}, {"user": "two", "pass": "pass-2"}]}', 1005, 'e', 1803902400000, 0, 0, 0),
(6, 'Tina', 1, 'trojan', '{"clients": [{"password": "tr0jan", "flow": "xtls-rprx-direct"}]}', 1006, 'f', 1803902400000, 10, 6, 4),
(7, 'Vera', 1, 'vless', '{"clients": [{"id": "id-7"}], "decryption": "none"}', 1007, 'g', 1803902400, 0, 0, 0),
(8, 'Forward', 1, 'dokodemo-door', '{"address": "1.2.3.4", "port": 53, "network": "tcp,udp"}', 1008, 'h', 0, 0, 0, 0),
(9, '', 1, 'vmess', '{"clients": [{"id": "id-9"}]}', 1009, 'i', 0, 0, 0, 0),
(10, 'Empty', 1, 'vmess', '{"clients": []}', 1010, 'j', 0, 0, 0, 0),
(11, 'Broken', 1, 'vmess', '{"clients": [', 1011, 'k', 0, 0, 0, 0);
