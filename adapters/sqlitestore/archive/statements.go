package archive

import (
	"fmt"
	"strings"

	"resellerd/adapters/sqlitestore/engine"
	"resellerd/adapters/sqlitestore/rows"
)

// The columns of a movement m that an audit reads. The audit itself checks that the numbers of a reseller are unique,
// because the indexes may have been dropped.
var auditedMovement = `id, ` + rows.Movements.All + `, EXISTS (SELECT 1 FROM movements AS o WHERE o.id <> m.id AND (
	(o.source_account = m.source_account AND o.source_seq = m.source_seq) OR (o.source_account = m.target_account AND o.source_seq = m.target_seq) OR
	(o.target_account = m.source_account AND o.target_seq = m.source_seq) OR (o.target_account = m.target_account AND o.target_seq = m.target_seq)))
	FROM movements AS m`

// The lists of a reseller, recorded as a, and of a line, recorded as l, as triggers make them from paths. An invalid
// path makes no list: its own record is damaged.
const (
	resellerPath  = `replace(rtrim(a.path, '/'), '/', ',')`
	resellerLists = `CASE WHEN json_valid('[0' || ` + resellerPath + ` || ']') THEN '[0' || ` + resellerPath + ` ||
		CASE WHEN a.role <> 'admin' THEN ',' || -json_extract('[0' || ` + resellerPath +
		` || ']', '$[#-2]') ELSE '' END || ']' ELSE '[]' END`
	linePath  = `'[' || -l.owner || replace(rtrim(substr(l.path, 1, length(l.path) - length(l.owner) - 1), '/'), '/', ',') || ']'`
	strayLine = `(l.id IS NULL OR e.scope <> -l.owner AND (e.scope = l.owner OR NOT instr(l.path, '/' || e.scope || '/')))`
	lineLists = `CASE WHEN json_valid(` + linePath + `) THEN ` + linePath + ` ELSE '[]' END`
)

// counted returns the names of a table and of its index of some rows if the index has another number of entries.
func counted(table, index, rows string) string {
	return fmt.Sprintf("SELECT '%[1]s', '%[2]s' WHERE (SELECT count(*) FROM %[1]s INDEXED BY %[2]s WHERE %[3]s) <> "+
		"(SELECT count(*) FROM %[1]s NOT INDEXED WHERE %[3]s)", table, index, rows)
}

// The statements. A parameter is named after its column.
var (
	auditResellers = engine.Query("read accounts", `SELECT id, `+rows.Resellers.All+
		` FROM accounts WHERE id > :after ORDER BY id LIMIT (:limit + 0)`)
	auditLines = engine.Query("read lines", `SELECT id, `+rows.Lines.All+
		` FROM lines WHERE id > :after ORDER BY id LIMIT (:limit + 0)`)
	auditTombstones = engine.Query("read tombstones", `SELECT line, `+rows.Tombstones.All+
		` FROM tombstones WHERE line > :after ORDER BY line LIMIT (:limit + 0)`)
	auditTombstone = engine.Query("read a tombstone", `SELECT line, `+rows.Tombstones.All+
		` FROM tombstones WHERE line = :id`)
	auditMovements = engine.Query("read movements", `SELECT `+auditedMovement+
		` WHERE id > :after ORDER BY id LIMIT (:limit + 0)`)
	auditMovement = engine.Query("read a movement", `SELECT `+auditedMovement+` WHERE id = :id`)
	auditPosting  = engine.Query("read a movement of an account", `SELECT `+auditedMovement+
		` WHERE source_account = :account AND source_seq = :seq
		UNION ALL SELECT `+auditedMovement+` WHERE target_account = :account AND target_seq = :seq LIMIT 1`)
	placesOfLines = engine.ScanAll("read where lines belong",
		`SELECT id, owner, path, expires_at FROM lines`)
	entriesByID     = engine.ScanAll("read lists of lines", `SELECT scope, 0, line FROM line_ids`)
	entriesByExpiry = engine.ScanAll("read lists of lines by expiry", `SELECT scope, expiry, line FROM line_expiries`)
	answers         = engine.ScanAll("read answers", `SELECT `+rows.KeyColumns+` FROM idempotency`)
	brokenTables    = engine.ScanAll("examine tables and indexes",
		`SELECT t.name, c.integrity_check FROM main.sqlite_schema AS t, pragma_integrity_check(t.name, 'main') AS c
		WHERE t.name IN ('accounts', 'lines', 'movements', 'idempotency', 'records', 'record_index', 'journal') AND c.integrity_check <> 'ok'`)
	// integrity_check does not report entries of other rows in an index of some rows. The query names indexes, so it
	// can't be prepared, as the statements are, for a file with another schema.
	foreignEntries = strings.Join([]string{
		counted("accounts", "accounts_roots", "path = '/' || id || '/'"),
		counted("accounts", "accounts_suspending", "block_suspends IS NOT NULL"),
		counted("lines", "lines_external_ids", "external_id IS NOT NULL"),
		counted("lines", "lines_suspended", "suspended IS NOT NULL"),
		counted("lines", "lines_imported", "origin IS NOT NULL"),
		counted("movements", "movements_source", "source_account IS NOT NULL"),
		counted("movements", "movements_target", "target_account IS NOT NULL"),
	}, " UNION ALL ")
	unlistedResellers = engine.ScanAll("find accounts that a list lacks",
		`SELECT a.id FROM accounts AS a WHERE EXISTS (SELECT 1 FROM json_each(`+resellerLists+`) AS due
		WHERE NOT EXISTS (SELECT 1 FROM account_lists AS e WHERE e.list = due.value AND e.account = a.id))`)
	strayResellers = engine.ScanAll("find accounts in other lists",
		`SELECT e.account, e.list FROM account_lists AS e LEFT JOIN accounts AS a ON a.id = e.account WHERE a.id IS NULL
		OR NOT (e.list = 0 OR instr(a.path, '/' || e.list || '/') OR a.role <> 'admin' AND instr(a.path, '/' || -e.list || '/' || a.id || '/'))`)
	unlistedLines = engine.ScanAll("find lines that a list lacks",
		`SELECT l.id FROM lines AS l WHERE EXISTS (SELECT 1 FROM json_each(`+lineLists+`) AS due
		WHERE NOT EXISTS (SELECT 1 FROM line_ids AS e WHERE e.scope = due.value AND e.line = l.id)
		OR NOT EXISTS (SELECT 1 FROM line_expiries AS e WHERE e.scope = due.value AND e.expiry = l.expires_at AND e.line = l.id))`)
	strayLines = engine.ScanAll("find lines in other lists",
		`SELECT e.line, e.scope FROM line_ids AS e LEFT JOIN lines AS l ON l.id = e.line WHERE `+strayLine)
	strayLinesByExpiry = engine.ScanAll("find lines in other lists by expiry",
		`SELECT e.line, e.scope FROM line_expiries AS e LEFT JOIN lines AS l ON l.id = e.line
		WHERE (SELECT count(*) FROM line_expiries) <> (SELECT count(*) FROM line_ids) AND (`+strayLine+
			` OR e.expiry <> l.expires_at)`)
	auditEntries = engine.Query("read the journal in pages", `SELECT `+rows.EntryColumns+
		` FROM journal WHERE seq > :after ORDER BY seq LIMIT (:limit + 0)`)
	allEntries    = engine.ScanAll("read all of the journal", `SELECT `+rows.EntryColumns+` FROM journal`)
	listedEntries = engine.ScanAll("read lists of the journal", `SELECT list, id, seq FROM journal_lists`)
	isListed      = engine.Query("find an entry of the journal in a list",
		`SELECT 1 FROM journal_lists WHERE list = :list AND id = :id AND seq = :seq`)
	auditFigures = engine.Query("read figures", `SELECT `+rows.FiguresColumns+
		` FROM journal_figures WHERE (account, day) > (:account, :day) ORDER BY account, day LIMIT (:limit + 0)`)
	exportRecords = engine.Query("read records of a kind", `SELECT `+rows.RecordColumns+
		` FROM records WHERE kind = :kind AND key > :after ORDER BY key LIMIT (:limit + 0)`)
	leadsTo       = engine.Query("read an entry of an index", `SELECT key FROM record_index WHERE entry = :entry`)
	entriesWithin = engine.Query("read entries of the indexes of a kind",
		`SELECT entry, key FROM record_index WHERE entry >= :from AND entry < :before`)
	countEntries = engine.ScanAll("count entries of indexes", `SELECT count(*) FROM record_index`)
	exportKeys   = engine.Query("read keys", `SELECT `+rows.KeyColumns+
		` FROM idempotency WHERE (account, key) > (:account, :key) ORDER BY account, key LIMIT (:limit + 0)`)
)
