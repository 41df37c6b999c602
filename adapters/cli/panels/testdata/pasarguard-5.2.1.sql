-- The tables of PasarGuard 5.2.1 on SQLite that say who its users are, as its models declare them
-- (github.com/PasarGuard/panel, app/db/models.py).
CREATE TABLE admins (
	id INTEGER NOT NULL, username VARCHAR(34) NOT NULL, hashed_password VARCHAR(128) NOT NULL, created_at DATETIME NOT NULL,
	PRIMARY KEY (id)
);
CREATE TABLE users (
	id INTEGER NOT NULL, created_at DATETIME DEFAULT CURRENT_TIMESTAMP NOT NULL, username VARCHAR(128) COLLATE BINARY NOT NULL,
	proxy_settings JSON DEFAULT '{}' NOT NULL, status VARCHAR(8) NOT NULL, used_traffic BIGINT DEFAULT 0 NOT NULL, data_limit BIGINT,
	data_limit_reset_strategy VARCHAR(8) DEFAULT 'no_reset' NOT NULL, expire DATETIME, admin_id INTEGER, sub_revoked_at DATETIME,
	note VARCHAR(500), online_at DATETIME, on_hold_expire_duration BIGINT, on_hold_timeout DATETIME, auto_delete_in_days INTEGER,
	hwid_limit BIGINT, edit_at DATETIME, last_status_change DATETIME,
	PRIMARY KEY (id), FOREIGN KEY(admin_id) REFERENCES admins (id)
);
CREATE UNIQUE INDEX ix_users_username ON users (username);
CREATE TABLE groups (id INTEGER NOT NULL, name VARCHAR(64) NOT NULL, is_disabled BOOLEAN DEFAULT '0' NOT NULL, PRIMARY KEY (id));
CREATE TABLE inbounds (id INTEGER NOT NULL, tag VARCHAR(256) NOT NULL, PRIMARY KEY (id));
CREATE UNIQUE INDEX ix_inbounds_tag ON inbounds (tag);
CREATE TABLE users_groups_association (
	user_id INTEGER NOT NULL, groups_id INTEGER NOT NULL, PRIMARY KEY (user_id, groups_id),
	FOREIGN KEY(user_id) REFERENCES users (id), FOREIGN KEY(groups_id) REFERENCES groups (id)
);
CREATE TABLE inbounds_groups_association (
	inbound_id INTEGER NOT NULL, group_id INTEGER NOT NULL, PRIMARY KEY (inbound_id, group_id),
	FOREIGN KEY(inbound_id) REFERENCES inbounds (id), FOREIGN KEY(group_id) REFERENCES groups (id)
);
CREATE TABLE core_configs (
	id INTEGER NOT NULL, created_at DATETIME NOT NULL, name VARCHAR(256) NOT NULL, config JSON NOT NULL, type VARCHAR(9) DEFAULT 'xray' NOT NULL,
	exclude_inbound_tags VARCHAR(2048), fallbacks_inbound_tags VARCHAR(2048), PRIMARY KEY (id)
);
