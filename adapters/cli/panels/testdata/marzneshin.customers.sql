-- of marzneshin-0.7.4.sql
INSERT INTO services VALUES (1, 'vless'), (2, 'mixed'), (3, 'wireguard');
INSERT INTO inbounds VALUES (1, 'VLESS', 'v', '{}', NULL), (2, 'Trojan', 't', '{}', NULL), (3, 'WireGuard', 'w', '{}', NULL);
INSERT INTO inbounds_services VALUES (1, 1), (1, 2), (2, 2), (3, 3);
INSERT INTO users (id, username, key, enabled, removed, data_limit, used_traffic, expire_strategy, expire_date, usage_duration, note, ip_limit) VALUES
    (1, 'ana', '', 1, 0, NULL, 0, 'FIXED_DATE', '2027-01-31 18:00:00.000000', NULL, 'João', 2),
    (2, 'bia', 'a', 1, 0, 10, 5, 'NEVER', NULL, NULL, NULL, -1),
    (3, 'caio', '0123456789abcdef0123456789abcdef', 0, 0, NULL, 0, 'NEVER', NULL, NULL, NULL, -1),
    (4, 'davi', 'k4', 1, 0, 10, 10, 'NEVER', NULL, NULL, NULL, -1),
    (5, 'eva', 'k5', 1, 1, NULL, 0, 'NEVER', NULL, NULL, NULL, -1),
    (6, 'fred', 'k6', 1, 0, NULL, 0, 'START_ON_FIRST_USE', NULL, 864000, NULL, -1),
    (7, 'gabi', NULL, 1, 0, NULL, 0, 'FIXED_DATE', NULL, NULL, NULL, -1),
    (8, 'hugo', 'k8', 1, 0, NULL, 0, 'START_ON_FIRST_USE', NULL, NULL, NULL, -1),
    (9, 'iris', 'k9', 1, 0, NULL, 0, 'SOMETIMES', NULL, NULL, NULL, -1),
    (10, 'jana', 'k10', 1, 0, NULL, 0, 'NEVER', NULL, NULL, NULL, -1);
INSERT INTO users_services VALUES (1, 1), (2, 2), (3, 1), (10, 3);
