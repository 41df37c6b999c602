-- The customers in the inbounds of x-ui, and of 3x-ui before 3.1.
SELECT coalesce(sum(CASE
  WHEN json_array_length(settings, '$.clients') > 0 THEN json_array_length(settings, '$.clients')
  WHEN json_array_length(settings, '$.accounts') > 0 THEN json_array_length(settings, '$.accounts')
  WHEN json_array_length(settings, '$.peers') > 0 THEN json_array_length(settings, '$.peers')
  WHEN settings IS NULL OR json_type(settings, '$.clients') NOT IN ('array', 'null') THEN 1
  WHEN coalesce(json_type(settings, '$.clients'), json_type(settings, '$.peers')) IS NULL AND settings <> '{}' THEN 1
  ELSE 0
END), 0)
FROM inbounds
