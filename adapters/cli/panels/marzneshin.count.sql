-- The users of Marzneshin, with deleted users that the database still has.
SELECT count(*) FROM users
