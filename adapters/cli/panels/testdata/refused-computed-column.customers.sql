CREATE TABLE inbounds (id, username, protocol, settings AS (hex(zeroblob(400000)) || username));
