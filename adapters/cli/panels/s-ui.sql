-- S-UI. Written from database/model of github.com/alireza0/s-ui at v1.5.1 (e980c43) and 1.0.0, and from
-- service/inbounds.go. A client has settings of every protocol, and connects with those of its inbounds.
WITH chosen AS MATERIALIZED (
  SELECT c.*, (
    SELECT p.key
    FROM json_each(c.config) p
    WHERE p.key IN ('trojan', 'shadowsocks', 'shadowsocks16', 'hysteria2', 'hysteria', 'anytls', 'tuic', 'shadowtls', 'naive',
      'vless', 'vmess', 'socks', 'http') AND p.type = 'object'
      AND coalesce(p.value ->> '$.password', p.value ->> '$.auth_str', p.value ->> '$.uuid', '') <> ''
    ORDER BY preference(p.key) + iif(EXISTS (
      SELECT 1
      FROM json_each(c.inbounds) n
      JOIN inbounds i ON i.id = n.value
      WHERE p.key = CASE
        WHEN i.type = 'shadowsocks' AND i.options ->> '$.method' = '2022-blake3-aes-128-gcm' THEN 'shadowsocks16'
        WHEN i.type = 'mixed' THEN 'socks'
        ELSE i.type
      END
    ), 0, 1000)
    LIMIT 1
  ) AS protocol
  FROM clients c
)
SELECT
  'client ' || c.id AS "row",
  c.id AS id,
  c.name AS username,
  coalesce(
    c.config ->> ('$.' || c.protocol || '.password'),
    c.config ->> ('$.' || c.protocol || '.auth_str'),
    c.config ->> ('$.' || c.protocol || '.uuid')
  ) AS password,
  c.protocol AS password_of,
  iif(c.delay_start IS 1 AND c.auto_reset IS NOT 1, NULL, c.expiry) AS expires_s,
  iif(c.delay_start IS 1 AND c.auto_reset IS NOT 1, coalesce(c.reset_days, 0) * 86400, NULL) AS lasts_s,
  c.enable IS 0 OR c.volume > 0 AND c.up + c.down >= c.volume AS suspended,
  c."desc" AS notes,
  json_object(
    'status', CASE
      WHEN c.volume > 0 AND c.up + c.down >= c.volume THEN 'limited'
      WHEN c.enable IS 0 THEN 'disabled'
      WHEN c.delay_start IS 1 AND c.auto_reset IS NOT 1 THEN 'on_hold'
    END,
    'flow', c.config ->> ('$.' || c.protocol || '.flow'),
    'data_limit', c.volume,
    'group', c."group",
    'remark', c.remark
  ) AS metadata,
  iif(c.config IS NULL, 'settings-unreadable', NULL) AS code,
  'The configuration of this client is no JSON object.' AS why
FROM chosen c
