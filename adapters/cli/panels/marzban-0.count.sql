-- The users of Marzban 0.x.
SELECT count(*) FROM users
