-- 3x-ui 3.1 and later. Written from internal/database/model/model.go of github.com/MHSanaei/3x-ui at v3.6.0, from
-- database/model/model.go at v3.1.0, and from internal/web/service/inbound_disable.go. The tables clients,
-- client_inbounds and client_traffics have the clients that the panel serves. The clients in the settings of an inbound
-- are a copy, which may be old. A client that only the copy has is left out.
WITH chosen AS MATERIALIZED (
  SELECT c.*, t.expiry_time AS ends, t.enable IS 0 AS off,
    max(coalesce(c.total_gb, 0), coalesce(t.total, 0)) > 0
      AND coalesce(t.up, 0) + coalesce(t.down, 0) >= max(coalesce(c.total_gb, 0), coalesce(t.total, 0)) AS used_up,
    (
      SELECT lower(i.protocol)
      FROM client_inbounds ci
      JOIN inbounds i ON i.id = ci.inbound_id
      WHERE ci.client_id = c.id
      ORDER BY preference(lower(i.protocol))
      LIMIT 1
    ) AS protocol,
    (
      SELECT iif(
        min(iif(i.enable IS 0, NULL, coalesce(i.expiry_time, 0))) <= 0, NULL,
        coalesce(max(iif(i.enable IS 0, NULL, i.expiry_time)), max(i.expiry_time))
      )
      FROM client_inbounds ci
      JOIN inbounds i ON i.id = ci.inbound_id
      WHERE ci.client_id = c.id
    ) AS until,
    EXISTS (
      SELECT 1
      FROM client_inbounds ci
      JOIN inbounds i ON i.id = ci.inbound_id
      WHERE ci.client_id = c.id AND i.enable IS NOT 0 AND NOT (coalesce(i.total, 0) > 0 AND i.up + i.down >= i.total)
    ) AS served,
    (SELECT group_concat(ci.inbound_id) FROM client_inbounds ci WHERE ci.client_id = c.id) AS inbounds
  FROM clients c
  LEFT JOIN (
    SELECT email, max(expiry_time) AS expiry_time, enable, up, down, total FROM client_traffics GROUP BY email
  ) t ON t.email = c.email
)
SELECT
  'client ' || c.id AS "row",
  c.email AS id,
  c.email AS username,
  CASE
    WHEN c.protocol IN ('vless', 'vmess') THEN c.uuid
    WHEN c.protocol IN ('trojan', 'shadowsocks') THEN c.password
    WHEN c.protocol IN ('hysteria', 'hysteria2') THEN c.auth
    WHEN c.protocol = 'mtproto' THEN c.secret
    WHEN c.protocol = 'wireguard' THEN NULL
    ELSE coalesce(nullif(c.password, ''), nullif(c.uuid, ''), nullif(c.auth, ''), c.secret)
  END AS password,
  c.protocol AS password_of,
  iif(c.expiry_time < 0, iif(c.ends > 0, c.ends, NULL), c.expiry_time) AS expires_ms,
  iif(c.expiry_time < 0 AND NOT coalesce(c.ends > 0, 0), -c.expiry_time, NULL) AS lasts_ms,
  c.until AS until_ms,
  c.enable IS 0 OR c.off OR c.used_up OR NOT c.served AS suspended,
  c.comment AS notes,
  nullif(c.tg_id, 0) AS telegram,
  c.sub_id AS person,
  c.inbounds AS inbounds,
  json_object(
    'status', CASE WHEN c.used_up THEN 'limited' WHEN c.enable IS 0 OR c.off OR NOT c.served THEN 'disabled' END,
    'flow', c.flow,
    'security', c.security,
    'limit_ip', c.limit_ip,
    'total_gb', c.total_gb,
    'reset', c."reset",
    'group', c.group_name,
    'public_key', c.wg_public_key,
    'allowed_ips', c.wg_allowed_ips
  ) AS metadata,
  NULL AS code,
  NULL AS why
FROM chosen c
UNION ALL
SELECT 'inbound ' || i.id || ', client ' || (m.key + 1), m.value ->> '$.email', m.value ->> '$.email', NULL, NULL, NULL, NULL, NULL,
  NULL, NULL, NULL, NULL, NULL, NULL, 'left-out', 'The panel does not serve this client: its table clients does not have it.'
FROM inbounds i, json_each(i.settings, '$.clients') m
WHERE m.type = 'object' AND NOT EXISTS (SELECT 1 FROM clients c WHERE c.email = m.value ->> '$.email')
