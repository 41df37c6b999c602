package sqlitestore

import "strings"

// statement names one of the statements that the store runs, each of which is
// prepared once per connection.
type statement int

const (
	begin statement = iota
	commit
	rollback
	savepoint
	release
	rollbackTo

	getReseller
	findReseller
	blockedResellers
	anyReseller
	insertReseller
	saveReseller
	listResellers
	resellersEdge
	resellerInList
	resellerNamesBeyond
	resellersNamed

	getLine
	findLine
	insertLine
	saveLine
	deleteLine
	bury
	listLines
	linesEdge
	listLinesByExpiry
	linesEdgeByExpiry
	lineNamesBeyond
	linesNamed

	appendMovement
	getMovement
	listEntries
	sumMovements
	sumBalances

	auditResellers
	auditLines
	auditTombstones
	auditTombstone
	auditMovements
	auditMovement
	auditEntry
	unlistedResellers
	strayResellers
	unlistedLines
	strayLines

	getKey
	putKey
	expireBy
	dropExpired
	exportKeys

	takeIDs
	nextID
	startIDs
	claimSetting
	getSetting
	putSetting
	dropSetting

	anyRecord
	removeMovements
	emptyLineLists
	removeLines
	removeTombstones
	emptyResellerLists
	removeResellers
	emptyKeys
	emptySequences

	statementCount
)

// String returns what the statement is for, to name it in an error.
func (n statement) String() string { return statements[n].purpose }

const (
	resellerColumns  = `path, role, username, username_key, password_hash, token, country, whatsapp, telegram, email, notes, language, credits, ledger_seq, ledger_link, recharged_at, blocked, trials, created_at, updated_at`
	lineColumns      = `owner, owner_path, username, username_key, password, trial, expires_at, country, whatsapp, notes, platform_id, charge, edited, created_at, updated_at`
	tombstoneColumns = `charge, actor, at`
	movementFields   = `operation, source_system, source_account, source_seq, source_balance, source_link, target_system, target_account, target_seq, target_balance, target_link, amount, line, actor, request, notes, at`
)

// blockedAtOnce is how many resellers one statement asks about: as many as can
// stand above a reseller.
const blockedAtOnce = 8

// What a page of a list examines, in the order of ids and in that of expiry, by
// the parameters of a lineSearch.
const (
	linePage        = `FROM line_lists CROSS JOIN lines ON id = line WHERE list = ?1 AND `
	lineFilters     = ` AND (?6 IS NULL OR trial = ?6) AND +username_key >= ?7 AND +username_key < ?8 AND expires_at >= ?9 AND expires_at < ?10`
	lineRange       = `line > ?3 AND line <= ?5`
	lineExpiryRange = `(expiry, line) > (?2, ?3) AND (expiry, line) <= (?4, ?5)`
)

// What an auditor reads of a movement, which is recorded as m. That the numbers of
// a reseller are given once is not left to indexes, which others may have dropped.
const auditedMovement = `id, ` + movementFields + `, EXISTS (SELECT 1 FROM movements AS o WHERE o.id <> m.id AND (
	(o.source_account = m.source_account AND o.source_seq = m.source_seq) OR (o.source_account = m.target_account AND o.source_seq = m.target_seq) OR
	(o.target_account = m.source_account AND o.target_seq = m.source_seq) OR (o.target_account = m.target_account AND o.target_seq = m.target_seq)))
	FROM movements AS m`

// The lists that a reseller, recorded as a, and a line, recorded as l, belong to, as
// triggers make them of paths. A path that is none makes no list: its own record is
// damaged.
const (
	resellerPath  = `replace(rtrim(a.path, '/'), '/', ',')`
	resellerLists = `CASE WHEN json_valid('[0' || ` + resellerPath + ` || ']') THEN '[0' || ` + resellerPath + ` ||
		CASE WHEN a.role <> 'admin' THEN ',' || -json_extract('[0' || ` + resellerPath + ` || ']', '$[#-2]') ELSE '' END || ']' ELSE '[]' END`
	linePath  = `'[0,' || -l.owner || replace(rtrim(l.owner_path, '/'), '/', ',') || ']'`
	lineLists = `CASE WHEN json_valid(` + linePath + `) THEN ` + linePath + ` ELSE '[]' END`
)

// statements holds the SQL. Where a row is written whole, the id is the first
// parameter and the columns follow in their order.
var statements = [statementCount]struct {
	purpose string
	look    bool // a View runs it too
	sql     string
}{
	// IMMEDIATE takes the lock of the one writer at once: a transaction that starts
	// by reading and is then overtaken by another process could not be continued.
	begin:      {"begin a transaction", false, `BEGIN IMMEDIATE`},
	commit:     {"commit", false, `COMMIT`},
	rollback:   {"roll back", false, `ROLLBACK`},
	savepoint:  {"begin a command", false, `SAVEPOINT command`},
	release:    {"end a command", false, `RELEASE command`},
	rollbackTo: {"undo a command", false, `ROLLBACK TO command`},

	getReseller:      {"get an account", true, `SELECT id, ` + resellerColumns + ` FROM accounts WHERE id = ?`},
	findReseller:     {"find an account", true, `SELECT id, ` + resellerColumns + ` FROM accounts WHERE username_key = ?`},
	blockedResellers: {"look for blocked accounts", true, `SELECT id FROM accounts WHERE id IN (` + parameters(blockedAtOnce) + `) AND blocked = 1`},
	anyReseller:      {"look for any account", true, `SELECT EXISTS (SELECT 1 FROM accounts)`},
	insertReseller:   {"insert an account", false, `INSERT INTO accounts (id, ` + resellerColumns + `) VALUES (?, ` + parametersFor(resellerColumns) + `)`},
	saveReseller:     {"save an account", false, `UPDATE accounts SET version = version + 1, ` + assignments(resellerColumns) + ` WHERE id = ?1`},
	listResellers: {"list accounts", true, `SELECT id, ` + resellerColumns + ` FROM account_lists CROSS JOIN accounts ON id = account
		WHERE list = ?1 AND account > ?2 AND account <= ?3 AND +username_key >= ?4 AND +username_key < ?5 ORDER BY account LIMIT ?6`},
	resellersEdge:       {"find the edge of a page of accounts", true, `SELECT account FROM account_lists WHERE list = ? AND account > ? ORDER BY account LIMIT 1 OFFSET ?`},
	resellerInList:      {"look for an account in a list", true, `SELECT EXISTS (SELECT 1 FROM account_lists WHERE list = ? AND account = ?)`},
	resellerNamesBeyond: {"count names of accounts", true, `SELECT id FROM accounts WHERE username_key >= ? AND username_key < ? ORDER BY username_key LIMIT 1 OFFSET ?`},
	resellersNamed: {"find accounts by the start of their names", true, `SELECT id FROM accounts
		WHERE username_key >= ?3 AND username_key < ?4 AND +id > ?2 AND EXISTS (SELECT 1 FROM account_lists WHERE list = ?1 AND account = id)`},

	getLine:           {"get a line", true, `SELECT id, ` + lineColumns + ` FROM lines WHERE id = ?`},
	findLine:          {"find a line", false, `SELECT id FROM lines WHERE username_key = ?`},
	insertLine:        {"insert a line", false, `INSERT INTO lines (id, ` + lineColumns + `) VALUES (?, ` + parametersFor(lineColumns) + `)`},
	saveLine:          {"save a line", false, `UPDATE lines SET version = version + 1, ` + assignments(lineColumns) + ` WHERE id = ?1`},
	deleteLine:        {"delete a line", false, `DELETE FROM lines WHERE id = ?`},
	bury:              {"keep a tombstone", false, `INSERT INTO tombstones (line, ` + tombstoneColumns + `) VALUES (?, ` + parametersFor(tombstoneColumns) + `)`},
	listLines:         {"list lines", true, `SELECT id, ` + lineColumns + ` ` + linePage + lineRange + lineFilters + ` ORDER BY line LIMIT ?11`},
	linesEdge:         {"find the edge of a page of lines", true, `SELECT 0, line FROM line_lists WHERE list = ?1 AND ` + lineRange + ` ORDER BY line LIMIT 1 OFFSET ?6`},
	listLinesByExpiry: {"list lines by expiry", true, `SELECT id, ` + lineColumns + ` ` + linePage + lineExpiryRange + lineFilters + ` ORDER BY expiry, line LIMIT ?11`},
	linesEdgeByExpiry: {"find the edge of a page of lines by expiry", true, `SELECT expiry, line FROM line_lists WHERE list = ?1 AND ` + lineExpiryRange + ` ORDER BY expiry, line LIMIT 1 OFFSET ?6`},
	lineNamesBeyond:   {"count names of lines", true, `SELECT id FROM lines WHERE username_key >= ? AND username_key < ? ORDER BY username_key LIMIT 1 OFFSET ?`},
	linesNamed: {"find lines by the start of their names", true, `SELECT expires_at, id FROM lines WHERE username_key >= ?2 AND username_key < ?3 AND (?4 IS NULL OR trial = ?4)
		AND expires_at >= ?5 AND expires_at < ?6 AND EXISTS (SELECT 1 FROM line_lists WHERE list = ?1 AND line = id)`},

	appendMovement: {"append a movement", false, `INSERT INTO movements (id, ` + movementFields + `) VALUES (?, ` + parametersFor(movementFields) + `)`},
	getMovement:    {"get a movement", false, `SELECT id, ` + movementFields + ` FROM movements WHERE id = ?`},

	listEntries: {"list movements of an account", true, `SELECT id, ` + movementFields + `, source_seq AS seq FROM movements WHERE source_account = ?1 AND source_seq < ?2
		UNION ALL SELECT id, ` + movementFields + `, target_seq FROM movements WHERE target_account = ?1 AND target_seq < ?2 ORDER BY seq DESC LIMIT ?3`},
	// Sums of int64 may not fit in one: the high and the low half are summed apart.
	sumMovements: {"sum the movements", true, `SELECT count(*),
		sum(amount >> 32) FILTER (WHERE source_system = 'issuance'), sum(amount & 0xffffffff) FILTER (WHERE source_system = 'issuance'),
		sum(amount >> 32) FILTER (WHERE target_system = 'issuance'), sum(amount & 0xffffffff) FILTER (WHERE target_system = 'issuance'),
		sum(amount >> 32) FILTER (WHERE target_system = 'consumption'), sum(amount & 0xffffffff) FILTER (WHERE target_system = 'consumption')
		FROM movements`},
	sumBalances: {"sum the balances", true, `SELECT sum(credits >> 32), sum(credits & 0xffffffff) FROM accounts`},

	auditResellers:  {"read accounts", true, `SELECT id, ` + resellerColumns + ` FROM accounts WHERE id > ? ORDER BY id LIMIT ?`},
	auditLines:      {"read lines", true, `SELECT id, ` + lineColumns + ` FROM lines WHERE id > ? ORDER BY id LIMIT ?`},
	auditTombstones: {"read tombstones", true, `SELECT line, ` + tombstoneColumns + ` FROM tombstones WHERE line > ? ORDER BY line LIMIT ?`},
	auditTombstone:  {"read a tombstone", true, `SELECT line, ` + tombstoneColumns + ` FROM tombstones WHERE line = ?`},
	auditMovements:  {"read movements", true, `SELECT ` + auditedMovement + ` WHERE id > ? ORDER BY id LIMIT ?`},
	auditMovement:   {"read a movement", true, `SELECT ` + auditedMovement + ` WHERE id = ?`},
	auditEntry: {"read a movement of an account", true, `SELECT ` + auditedMovement + ` WHERE source_account = ?1 AND source_seq = ?2
		UNION ALL SELECT ` + auditedMovement + ` WHERE target_account = ?1 AND target_seq = ?2 LIMIT 1`},

	unlistedResellers: {"look for accounts that a list lacks", true, `SELECT a.id FROM accounts AS a WHERE EXISTS (SELECT 1 FROM json_each(` + resellerLists + `) AS due
		WHERE NOT EXISTS (SELECT 1 FROM account_lists AS e WHERE e.list = due.value AND e.account = a.id))`},
	strayResellers: {"look for accounts in other lists", true, `SELECT e.account, e.list FROM account_lists AS e LEFT JOIN accounts AS a ON a.id = e.account WHERE a.id IS NULL
		OR NOT (e.list = 0 OR instr(a.path, '/' || e.list || '/') OR a.role <> 'admin' AND instr(a.path, '/' || -e.list || '/' || a.id || '/'))`},
	unlistedLines: {"look for lines that a list lacks", true, `SELECT l.id FROM lines AS l WHERE EXISTS (SELECT 1 FROM json_each(` + lineLists + `) AS due
		WHERE NOT EXISTS (SELECT 1 FROM line_lists AS e WHERE e.list = due.value AND e.line = l.id AND e.expiry = l.expires_at))`},
	strayLines: {"look for lines in other lists", true, `SELECT e.line, e.list FROM line_lists AS e LEFT JOIN lines AS l ON l.id = e.line WHERE l.id IS NULL
		OR NOT (e.list = 0 OR e.list = -l.owner OR instr(l.owner_path, '/' || e.list || '/')) ORDER BY e.list, e.line`}, // as the lines are kept, and not by expiry

	getKey: {"get a key", true, `SELECT account, key, request, status, body, expires FROM idempotency WHERE account = ? AND key = ?`},
	putKey: {"put a key", false, `INSERT INTO idempotency (account, key, request, status, body, expires) VALUES (?, ?, ?, ?, ?, ?)
		ON CONFLICT (account, key) DO UPDATE SET (request, status, body, expires) = (excluded.request, excluded.status, excluded.body, excluded.expires)`},
	expireBy: {"bring back keys that expire too late", false, `UPDATE idempotency SET expires = ?1 WHERE (account, key) IN
		(SELECT account, key FROM idempotency WHERE expires > ?1 ORDER BY expires LIMIT ?2)`},
	dropExpired: {"drop expired keys", false, `DELETE FROM idempotency WHERE (account, key) IN
		(SELECT account, key FROM idempotency WHERE expires <= ? ORDER BY expires LIMIT ?)`},
	exportKeys: {"read keys", true, `SELECT account, key, request, status, body, expires FROM idempotency WHERE (account, key) > (?, ?) ORDER BY account, key LIMIT ?`},

	takeIDs: {"take ids", false, `INSERT INTO sequences (name, next) VALUES (?1, 1 + ?2)
		ON CONFLICT (name) DO UPDATE SET next = next + ?2 RETURNING next`},
	nextID:       {"read the next id", true, `SELECT next FROM sequences WHERE name = ?`},
	startIDs:     {"start a sequence", false, `INSERT INTO sequences (name, next) VALUES (?, ?)`},
	claimSetting: {"claim a setting", false, `INSERT INTO settings (name, value) VALUES (?, ?) ON CONFLICT (name) DO NOTHING`},
	getSetting:   {"get a setting", true, `SELECT value FROM settings WHERE name = ?`},
	putSetting:   {"put a setting", false, `INSERT INTO settings (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value`},
	dropSetting:  {"drop a setting", false, `DELETE FROM settings WHERE name = ?`},

	anyRecord: {"look for any record", false, `SELECT EXISTS (SELECT 1 FROM accounts) OR EXISTS (SELECT 1 FROM lines) OR EXISTS (SELECT 1 FROM tombstones) OR EXISTS (SELECT 1 FROM movements)
		OR EXISTS (SELECT 1 FROM idempotency) OR EXISTS (SELECT 1 FROM sequences)`},
	removeMovements:    {"remove movements", false, `DELETE FROM movements WHERE id IN (SELECT id FROM movements LIMIT ?)`},
	emptyLineLists:     {"remove all lists of lines", false, `DELETE FROM line_lists`},
	removeLines:        {"remove lines", false, `DELETE FROM lines WHERE id IN (SELECT id FROM lines LIMIT ?)`},
	removeTombstones:   {"remove tombstones", false, `DELETE FROM tombstones WHERE line IN (SELECT line FROM tombstones LIMIT ?)`},
	emptyResellerLists: {"remove all lists of accounts", false, `DELETE FROM account_lists`},
	removeResellers:    {"remove accounts", false, `DELETE FROM accounts WHERE id IN (SELECT id FROM accounts LIMIT ?)`},
	emptyKeys:          {"remove all keys", false, `DELETE FROM idempotency`},
	emptySequences:     {"remove all sequences", false, `DELETE FROM sequences`},
}

func parameters(n int) string { return strings.TrimSuffix(strings.Repeat("?, ", n), ", ") }

func parametersFor(columns string) string { return parameters(1 + strings.Count(columns, ",")) }

// assignments sets the columns to the parameters from the second on.
func assignments(columns string) string {
	return "(" + columns + ") = (" + strings.Replace(parametersFor(columns), "?", "?2", 1) + ")"
}
