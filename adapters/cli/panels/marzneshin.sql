-- Marzneshin. Written from app/db/models.py, app/models/user.py and app/utils/keygen.py of
-- github.com/marzneshin/marzneshin at d3b25e2 (after v0.7.4). The panel derives all secrets of a user from one
-- key: a UUID for vless and vmess, and a password for other protocols. A user connects to the inbounds of its services.
WITH chosen AS MATERIALIZED (
  SELECT u.*, secret(u.key) AS secret, (
    SELECT lower(i.protocol)
    FROM users_services us
    JOIN inbounds_services s ON s.service_id = us.service_id
    JOIN inbounds i ON i.id = s.inbound_id
    WHERE us.user_id = u.id
    ORDER BY preference(lower(i.protocol))
    LIMIT 1
  ) AS protocol
  FROM users u
)
SELECT
  'user ' || u.id AS "row",
  u.id AS id,
  u.username AS username,
  CASE
    WHEN u.protocol = 'wireguard' THEN NULL
    WHEN u.protocol IN ('vless', 'vmess') THEN substr(u.secret, 1, 8) || '-' || substr(u.secret, 9, 4) || '-' ||
      substr(u.secret, 13, 4) || '-' || substr(u.secret, 17, 4) || '-' || substr(u.secret, 21)
    ELSE u.secret
  END AS password,
  u.protocol AS password_of,
  iif(lower(u.expire_strategy) = 'fixed_date', coalesce(u.expire_date, ''), NULL) AS expires_at,
  iif(lower(u.expire_strategy) = 'start_on_first_use', coalesce(u.usage_duration, 0), NULL) AS lasts_s,
  u.enabled IS 0 OR u.data_limit IS NOT NULL AND u.used_traffic >= u.data_limit AS suspended,
  u.note AS notes,
  json_object(
    'status', CASE
      WHEN u.enabled IS 0 THEN 'disabled'
      WHEN u.data_limit IS NOT NULL AND u.used_traffic >= u.data_limit THEN 'limited'
      WHEN lower(u.expire_strategy) = 'start_on_first_use' THEN 'on_hold'
    END,
    'data_limit', u.data_limit,
    'data_limit_reset_strategy', iif(u.data_limit > 0, u.data_limit_reset_strategy, NULL),
    'ip_limit', iif(u.ip_limit > 0, u.ip_limit, NULL)
  ) AS metadata,
  CASE
    WHEN u.removed IS 1 THEN 'left-out'
    WHEN coalesce(lower(u.expire_strategy), '') NOT IN ('never', 'fixed_date', 'start_on_first_use') THEN 'status-unknown'
  END AS code,
  CASE
    WHEN u.removed IS 1 THEN 'The panel has deleted this user.'
    ELSE 'The expire strategy "' || coalesce(u.expire_strategy, '') || '" is not known.'
  END AS why
FROM chosen u
