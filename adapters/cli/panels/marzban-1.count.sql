-- The users of Marzban 1.0 and PasarGuard.
SELECT count(*) FROM users
