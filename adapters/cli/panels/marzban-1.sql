-- Marzban 1.0 and PasarGuard. Written from app/db/models.py and app/models/proxy.py of github.com/PasarGuard/panel at
-- v5.2.1 (e81877c) and v1.0.0, and from the migration 7e636bb0cf5c of github.com/Gozargah/Marzban. A user has settings
-- of every protocol, and connects with those of the inbounds of its groups. An inbound has its protocol in the
-- configuration of a core, under its tag. Dates are in UTC.
WITH tags AS MATERIALIZED (
  SELECT i.value ->> '$.tag' AS tag, lower(i.value ->> '$.protocol') AS protocol
  FROM core_configs c, json_each(c.config, '$.inbounds') i
  WHERE i.type = 'object' AND lower(i.value ->> '$.protocol') IN ('trojan', 'shadowsocks', 'hysteria', 'vless', 'vmess')
), chosen AS MATERIALIZED (
  SELECT u.*, (
    SELECT p.key
    FROM json_each(u.proxy_settings) p
    WHERE p.key IN ('trojan', 'shadowsocks', 'hysteria', 'vless', 'vmess') AND p.type = 'object'
      AND coalesce(p.value ->> '$.password', p.value ->> '$.auth', p.value ->> '$.id', '') <> ''
    ORDER BY preference(p.key) + iif(EXISTS (
      SELECT 1
      FROM users_groups_association ug
      JOIN groups g ON g.id = ug.groups_id AND g.is_disabled IS NOT 1
      JOIN inbounds_groups_association ig ON ig.group_id = g.id
      JOIN inbounds i ON i.id = ig.inbound_id
      JOIN tags t ON t.tag = i.tag AND t.protocol = p.key
      WHERE ug.user_id = u.id
    ), 0, 1000)
    LIMIT 1
  ) AS protocol
  FROM users u
)
SELECT
  'user ' || u.id AS "row",
  u.id AS id,
  u.username AS username,
  u.proxy_settings ->> ('$.' || u.protocol ||
    CASE u.protocol WHEN 'vless' THEN '.id' WHEN 'vmess' THEN '.id' WHEN 'hysteria' THEN '.auth' ELSE '.password' END
  ) AS password,
  u.protocol AS password_of,
  iif(u.status = 'on_hold', NULL, u.expire) AS expires_at,
  iif(u.status = 'on_hold', coalesce(u.on_hold_expire_duration, 0), NULL) AS lasts_s,
  u.status IN ('disabled', 'limited') OR u.data_limit > 0 AND u.used_traffic >= u.data_limit AS suspended,
  u.note AS notes,
  json_object(
    'status', CASE
      WHEN u.status NOT IN ('active', 'expired') THEN u.status
      WHEN u.data_limit > 0 AND u.used_traffic >= u.data_limit THEN 'limited'
    END,
    'flow', u.proxy_settings ->> ('$.' || u.protocol || '.flow'),
    'method', u.proxy_settings ->> ('$.' || u.protocol || '.method'),
    'data_limit', u.data_limit,
    'data_limit_reset_strategy', iif(u.data_limit > 0, u.data_limit_reset_strategy, NULL)
  ) AS metadata,
  CASE
    WHEN u.proxy_settings IS NULL THEN 'settings-unreadable'
    WHEN coalesce(u.status, '') NOT IN ('active', 'expired', 'disabled', 'limited', 'on_hold') THEN 'status-unknown'
  END AS code,
  CASE
    WHEN u.proxy_settings IS NULL THEN 'The proxy settings of this user are no JSON object.'
    ELSE 'The status "' || coalesce(u.status, '') || '" is not known.'
  END AS why
FROM chosen u
