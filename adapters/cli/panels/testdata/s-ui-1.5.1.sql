-- The schema that gorm makes on SQLite of the models of S-UI 1.5.1 (github.com/alireza0/s-ui), without the tables of
-- outbounds, services, endpoints, tokens, statistics and changes.
CREATE TABLE `settings` (`id` integer PRIMARY KEY AUTOINCREMENT,`key` text,`value` text);
CREATE TABLE `tls` (`id` integer PRIMARY KEY AUTOINCREMENT,`name` text,`server` blob,`client` blob);
CREATE TABLE `users` (`id` integer PRIMARY KEY AUTOINCREMENT,`username` text,`password` text,`last_logins` text);
CREATE TABLE `inbounds` (`id` integer PRIMARY KEY AUTOINCREMENT,`type` text,`tag` text,`tls_id` integer,`addrs` blob,`out_json` blob,`options` blob,CONSTRAINT `fk_inbounds_tls` FOREIGN KEY (`tls_id`) REFERENCES `tls`(`id`),CONSTRAINT `uni_inbounds_tag` UNIQUE (`tag`));
CREATE TABLE `clients` (`id` integer PRIMARY KEY AUTOINCREMENT,`enable` numeric,`name` text,`config` blob,`inbounds` blob,`links` blob,`volume` integer,`expiry` integer,`down` integer,`up` integer,`desc` text,`group` text,`remark` text,`created_at` integer NOT NULL DEFAULT 0,`online_at` integer NOT NULL DEFAULT 0,`delay_start` numeric NOT NULL DEFAULT false,`auto_reset` numeric NOT NULL DEFAULT false,`reset_days` integer NOT NULL DEFAULT 0,`next_reset` integer NOT NULL DEFAULT 0,`total_up` integer NOT NULL DEFAULT 0,`total_down` integer NOT NULL DEFAULT 0);
