-- The clients of 3x-ui 3.1 and later, and clients that only the settings of an inbound have.
SELECT (SELECT count(*) FROM clients) + (
  SELECT count(*)
  FROM inbounds i, json_each(i.settings, '$.clients') m
  WHERE m.type = 'object' AND NOT EXISTS (SELECT 1 FROM clients c WHERE c.email = m.value ->> '$.email')
)
