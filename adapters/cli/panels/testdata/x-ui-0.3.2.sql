-- The schema that gorm makes on SQLite of the models of x-ui 0.3.2 (github.com/vaxilu/x-ui).
CREATE TABLE `users` (`id` integer,`username` text,`password` text,PRIMARY KEY (`id`));
CREATE TABLE `inbounds` (`id` integer,`user_id` integer,`up` integer,`down` integer,`total` integer,`remark` text,`enable` numeric,`expiry_time` integer,`listen` text,`port` integer UNIQUE,`protocol` text,`settings` text,`stream_settings` text,`tag` text UNIQUE,`sniffing` text,PRIMARY KEY (`id`));
CREATE TABLE `settings` (`id` integer,`key` text,`value` text,PRIMARY KEY (`id`));
