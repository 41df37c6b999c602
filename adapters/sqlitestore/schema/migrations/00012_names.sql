-- +goose Up

-- The lists of 00003_lists.sql in a third order, of the names that lines are compared by.
CREATE TABLE line_names (
    scope INTEGER NOT NULL,
    name  TEXT    NOT NULL, -- username_key in lines
    line  INTEGER NOT NULL,
    PRIMARY KEY (scope, name, line)
) STRICT, WITHOUT ROWID;

INSERT INTO line_names (scope, name, line)
SELECT e.scope, l.username_key, l.id FROM line_ids AS e JOIN lines AS l ON l.id = e.line
ORDER BY e.scope, l.username_key, l.id;
