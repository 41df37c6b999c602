CREATE TABLE proxies (user_id, type, settings);
