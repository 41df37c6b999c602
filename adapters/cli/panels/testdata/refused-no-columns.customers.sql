CREATE TABLE users (id, username, note); CREATE TABLE proxies (user_id, type, settings);
