-- Marzban 0.x. Written from app/db/models.py of github.com/Gozargah/Marzban at v0.8.4 (7f396db), and from its migration
-- a1b2c3d4e5f6, which adds hysteria2. A user has a row of proxies for each of its protocols.
SELECT
  'user ' || u.id AS "row",
  u.id AS id,
  u.username AS username,
  p.secret AS password,
  p.protocol AS password_of,
  iif(u.status = 'on_hold', NULL, u.expire) AS expires_s,
  iif(u.status = 'on_hold', coalesce(u.on_hold_expire_duration, 0), NULL) AS lasts_s,
  u.status IN ('disabled', 'limited') OR u.data_limit > 0 AND u.used_traffic >= u.data_limit AS suspended,
  u.note AS notes,
  json_object(
    'status', CASE
      WHEN u.status NOT IN ('active', 'expired') THEN u.status
      WHEN u.data_limit > 0 AND u.used_traffic >= u.data_limit THEN 'limited'
    END,
    'flow', p.flow,
    'method', p.method,
    'data_limit', u.data_limit,
    'data_limit_reset_strategy', iif(u.data_limit > 0, u.data_limit_reset_strategy, NULL)
  ) AS metadata,
  CASE
    WHEN p.unreadable > 0 THEN 'settings-unreadable'
    WHEN coalesce(u.status, '') NOT IN ('active', 'expired', 'disabled', 'limited', 'on_hold') THEN 'status-unknown'
  END AS code,
  CASE
    WHEN p.unreadable > 0 THEN 'The settings of a proxy of this user are no JSON object.'
    ELSE 'The status "' || coalesce(u.status, '') || '" is not known.'
  END AS why
FROM users u
LEFT JOIN (
  SELECT user_id, protocol, secret, settings ->> '$.flow' AS flow, settings ->> '$.method' AS method,
    min(preference(protocol) + iif(secret <> '', 0, 1000)), sum(settings IS NULL) AS unreadable
  FROM (
    SELECT user_id, settings, lower(type) AS protocol,
      settings ->> iif(lower(type) IN ('vless', 'vmess'), '$.id', '$.password') AS secret
    FROM proxies
  )
  GROUP BY user_id
) p ON p.user_id = u.id
