-- The clients of S-UI.
SELECT count(*) FROM clients
