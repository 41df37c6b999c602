-- The tables of Marzneshin 0.7.4 on SQLite that say who its users are, as its models declare them
-- (github.com/marzneshin/marzneshin, app/db/models.py).
CREATE TABLE admins (id INTEGER NOT NULL, username VARCHAR(32), hashed_password VARCHAR(128), enabled BOOLEAN DEFAULT 1 NOT NULL, PRIMARY KEY (id));
CREATE TABLE services (id INTEGER NOT NULL, name VARCHAR(64), PRIMARY KEY (id));
CREATE TABLE nodes (id INTEGER NOT NULL, name VARCHAR(256), PRIMARY KEY (id));
CREATE TABLE inbounds (
	id INTEGER NOT NULL, protocol VARCHAR(15), tag VARCHAR(256) NOT NULL, config VARCHAR(512) NOT NULL, node_id INTEGER,
	PRIMARY KEY (id), FOREIGN KEY(node_id) REFERENCES nodes (id), UNIQUE (node_id, tag)
);
CREATE TABLE users (
	id INTEGER NOT NULL, username VARCHAR(32), "key" VARCHAR(64), activated BOOLEAN DEFAULT 1 NOT NULL, enabled BOOLEAN DEFAULT 1 NOT NULL,
	removed BOOLEAN DEFAULT 0 NOT NULL, used_traffic BIGINT DEFAULT 0, lifetime_used_traffic BIGINT DEFAULT 0 NOT NULL, traffic_reset_at DATETIME,
	data_limit BIGINT, data_limit_reset_strategy VARCHAR(8) DEFAULT 'no_reset' NOT NULL, ip_limit INTEGER DEFAULT -1 NOT NULL,
	settings VARCHAR(1024), expire_strategy VARCHAR(18) DEFAULT 'NEVER' NOT NULL, expire_date DATETIME, usage_duration BIGINT,
	activation_deadline DATETIME, admin_id INTEGER, sub_updated_at DATETIME, sub_last_user_agent VARCHAR(512), sub_revoked_at DATETIME,
	created_at DATETIME, note VARCHAR(500), online_at DATETIME, edit_at DATETIME,
	PRIMARY KEY (id), UNIQUE ("key"), FOREIGN KEY(admin_id) REFERENCES admins (id)
);
CREATE UNIQUE INDEX ix_users_username ON users (username);
CREATE TABLE users_services (
	user_id INTEGER NOT NULL, service_id INTEGER NOT NULL, PRIMARY KEY (user_id, service_id),
	FOREIGN KEY(user_id) REFERENCES users (id), FOREIGN KEY(service_id) REFERENCES services (id)
);
CREATE TABLE inbounds_services (
	inbound_id INTEGER NOT NULL, service_id INTEGER NOT NULL, PRIMARY KEY (inbound_id, service_id),
	FOREIGN KEY(inbound_id) REFERENCES inbounds (id), FOREIGN KEY(service_id) REFERENCES services (id)
);
