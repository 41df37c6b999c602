-- The users of Marzneshin, and those that it has deleted but keeps.
SELECT count(*) FROM users
