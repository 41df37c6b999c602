-- The least that is read of the panel.
CREATE TABLE inbounds (id, protocol, settings);
CREATE TABLE clients (id, email, sub_id, uuid, password, expiry_time, enable); CREATE TABLE client_inbounds (client_id, inbound_id);
INSERT INTO clients VALUES (1, 'ana', '', 'abcd', '', 0, 1);
