CREATE VIRTUAL TABLE inbounds USING fts5(id, protocol, settings);
