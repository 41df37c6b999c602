-- x-ui, and 3x-ui before 3.1. Written from database/model/model.go of github.com/vaxilu/x-ui at 0.3.2 (9c1be8c),
-- github.com/alireza0/x-ui at v1.12.0 and github.com/MHSanaei/3x-ui at v2.0.0, v2.8.5 and v3.0.0. An inbound has its
-- customers in its settings: clients, accounts of socks and http, or peers of WireGuard. An inbound without a list has
-- one password, and so one customer. A customer without an e-mail address has the remark of the inbound as its name.
WITH lists AS MATERIALIZED (
  SELECT id, remark, protocol, lower(protocol) AS proto, expiry_time, settings,
    enable IS 0 OR coalesce(total, 0) > 0 AND up + down >= total AS closed,
    CASE
      WHEN json_array_length(settings, '$.clients') > 0 THEN 'client'
      WHEN json_array_length(settings, '$.accounts') > 0 THEN 'account'
      WHEN json_array_length(settings, '$.peers') > 0 THEN 'peer'
      WHEN settings IS NULL OR json_type(settings, '$.clients') NOT IN ('array', 'null') THEN 'unreadable'
      WHEN coalesce(json_type(settings, '$.clients'), json_type(settings, '$.peers')) IS NULL AND settings <> '{}' THEN 'inbound'
    END AS kind,
    coalesce(nullif(json_array_length(settings, '$.clients'), 0), nullif(json_array_length(settings, '$.accounts'), 0),
      json_array_length(settings, '$.peers')) AS many
  FROM inbounds
), members AS NOT MATERIALIZED (
  SELECT l.id, l.remark, l.protocol, l.proto, l.expiry_time, l.closed, l.kind, m.key AS place, m.type AS type,
    iif(m.type = 'object', m.value, '{}') AS member, l.many AS many
  FROM lists l, json_each(l.settings, '$.' || l.kind || 's') m
  WHERE l.kind IN ('client', 'account', 'peer')
  UNION ALL
  SELECT id, remark, protocol, proto, expiry_time, closed, kind, 0, 'object', coalesce(settings, '{}'), 1
  FROM lists
  WHERE kind IN ('unreadable', 'inbound')
)
SELECT
  'inbound ' || m.id || iif(m.kind IN ('unreadable', 'inbound'), '', ', ' || m.kind || ' ' || (m.place + 1)) AS "row",
  coalesce(nullif(m.member ->> '$.email', ''), 'inbound-' || m.id || iif(m.many = 1, '', '-' ||
    coalesce(m.member ->> '$.user', m.member ->> '$.publicKey', m.place + 1))) AS id,
  coalesce(nullif(m.member ->> '$.email', ''), iif(m.many > 1, m.member ->> '$.user', NULL), m.remark) AS username,
  CASE
    WHEN m.proto IN ('vless', 'vmess') THEN m.member ->> '$.id'
    WHEN m.proto IN ('trojan', 'shadowsocks') THEN m.member ->> '$.password'
    WHEN m.proto IN ('hysteria', 'hysteria2') THEN m.member ->> '$.auth'
    WHEN m.kind = 'account' THEN m.member ->> '$.pass'
    WHEN m.proto <> 'wireguard' THEN coalesce(m.member ->> '$.password', m.member ->> '$.id', m.member ->> '$.auth', m.member ->> '$.secret')
  END AS password,
  m.proto AS password_of,
  iif(m.member ->> '$.expiryTime' < 0, iif(t.ends > 0, t.ends, NULL), m.member ->> '$.expiryTime') AS expires_ms,
  iif(m.member ->> '$.expiryTime' < 0 AND NOT coalesce(t.ends > 0, 0), -(m.member ->> '$.expiryTime'), NULL) AS lasts_ms,
  m.expiry_time AS until_ms,
  m.closed OR m.member ->> '$.enable' IS 0 OR coalesce(t.off, 0) OR coalesce(t.used_up, 0) AS suspended,
  m.member ->> '$.comment' AS notes,
  nullif(m.member ->> '$.tgId', 0) AS telegram,
  m.member ->> '$.subId' AS person,
  m.id AS inbounds,
  json_object(
    'status', CASE WHEN t.used_up THEN 'limited' WHEN m.closed OR m.member ->> '$.enable' IS 0 OR t.off THEN 'disabled' END,
    'user', iif(m.kind = 'account', m.member ->> '$.user', NULL),
    'flow', m.member ->> '$.flow',
    'security', m.member ->> '$.security',
    'method', m.member ->> '$.method',
    'limit_ip', m.member ->> '$.limitIp',
    'total_gb', m.member ->> '$.totalGB',
    'reset', m.member ->> '$.reset',
    'public_key', m.member ->> '$.publicKey',
    'allowed_ips', m.member ->> '$.allowedIPs'
  ) AS metadata,
  CASE
    WHEN m.kind = 'unreadable' OR m.type <> 'object' THEN 'settings-unreadable'
    WHEN m.kind = 'inbound' AND coalesce(m.member ->> '$.password', m.member ->> '$.secret', '') = '' THEN 'left-out'
  END AS code,
  CASE
    WHEN m.kind = 'unreadable' THEN 'The settings of the inbound are no JSON object with a list of clients: none of them is known.'
    WHEN m.type <> 'object' THEN 'The ' || m.kind || ' is no JSON object.'
    ELSE 'The inbound, of the protocol "' || coalesce(m.protocol, '') || '", has no client and no password.'
  END AS why
FROM members m
LEFT JOIN (
  SELECT email, max(expiry_time) AS ends, enable IS 0 AS off,
    coalesce(total, 0) > 0 AND up + down >= total AS used_up
  FROM client_traffics
  GROUP BY email
) t ON t.email = m.member ->> '$.email'
