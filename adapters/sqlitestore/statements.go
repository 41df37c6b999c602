package sqlitestore

import (
	"fmt"
	"regexp"
	"strings"
)

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
	keyColumns       = `account, key, request, status, body, expires`
	movementColumns  = `operation, source_system, source_account, source_seq, source_balance, source_link, target_system, target_account, target_seq, target_balance, target_link, amount, line, actor, request, notes, at`
)

// blockedAtOnce is how many resellers one statement asks about: as many as can
// stand above a reseller.
const blockedAtOnce = 8

const blockedIDs = `id1, id2, id3, id4, id5, id6, id7, id8`

// What a page of a list examines, in the order of ids and in that of expiry, by
// the parameters of a lineSearch.
const (
	linePage        = `FROM line_lists CROSS JOIN lines ON id = line WHERE list = :list AND `
	lineFilters     = ` AND (:trial IS NULL OR trial = :trial) AND +username_key >= :names_from AND +username_key < :names_to AND expires_at >= :expires_from AND expires_at < :expires_to`
	lineRange       = `line > :after_line AND line <= :last_line`
	lineExpiryRange = `(expiry, line) > (:after_expiry, :after_line) AND (expiry, line) <= (:last_expiry, :last_line)`
)

// What an auditor reads of a movement, which is recorded as m. That the numbers of
// a reseller are given once is not left to indexes, which others may have dropped.
const auditedMovement = `id, ` + movementColumns + `, EXISTS (SELECT 1 FROM movements AS o WHERE o.id <> m.id AND (
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

// statements holds the SQL. A parameter is named after the column that it is for.
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

	getReseller:      {"get an account", true, `SELECT id, ` + resellerColumns + ` FROM accounts WHERE id = :id`},
	findReseller:     {"find an account", true, `SELECT id, ` + resellerColumns + ` FROM accounts WHERE username_key = :username_key`},
	blockedResellers: {"look for blocked accounts", true, `SELECT id FROM accounts WHERE id IN (` + parameters(blockedIDs) + `) AND blocked = 1`},
	anyReseller:      {"look for any account", true, `SELECT EXISTS (SELECT 1 FROM accounts)`},
	insertReseller:   {"insert an account", false, insertInto("accounts", "id, "+resellerColumns)},
	saveReseller:     {"save an account", false, `UPDATE accounts SET version = version + 1, (` + resellerColumns + `) = (` + parameters(resellerColumns) + `) WHERE id = :id`},
	listResellers: {"list accounts", true, `SELECT id, ` + resellerColumns + ` FROM account_lists CROSS JOIN accounts ON id = account
		WHERE list = :list AND account > :after AND account <= :last AND +username_key >= :names_from AND +username_key < :names_to ORDER BY account LIMIT :limit`},
	resellersEdge:       {"find the edge of a page of accounts", true, `SELECT account FROM account_lists WHERE list = :list AND account > :after ORDER BY account LIMIT 1 OFFSET :examined - 1`},
	resellerInList:      {"look for an account in a list", true, `SELECT EXISTS (SELECT 1 FROM account_lists WHERE list = :list AND account = :account)`},
	resellerNamesBeyond: {"count names of accounts", true, `SELECT id FROM accounts WHERE username_key >= :names_from AND username_key < :names_to ORDER BY username_key LIMIT 1 OFFSET :examined`},
	resellersNamed: {"find accounts by the start of their names", true, `SELECT id FROM accounts
		WHERE username_key >= :names_from AND username_key < :names_to AND +id > :after AND EXISTS (SELECT 1 FROM account_lists WHERE list = :list AND account = id)`},

	getLine:           {"get a line", true, `SELECT id, ` + lineColumns + ` FROM lines WHERE id = :id`},
	findLine:          {"find a line", false, `SELECT id FROM lines WHERE username_key = :username_key`},
	insertLine:        {"insert a line", false, insertInto("lines", "id, "+lineColumns)},
	saveLine:          {"save a line", false, `UPDATE lines SET version = version + 1, (` + lineColumns + `) = (` + parameters(lineColumns) + `) WHERE id = :id`},
	deleteLine:        {"delete a line", false, `DELETE FROM lines WHERE id = :id`},
	bury:              {"keep a tombstone", false, insertInto("tombstones", "line, "+tombstoneColumns)},
	listLines:         {"list lines", true, `SELECT id, ` + lineColumns + ` ` + linePage + lineRange + lineFilters + ` ORDER BY line LIMIT :limit`},
	linesEdge:         {"find the edge of a page of lines", true, `SELECT 0, line FROM line_lists WHERE list = :list AND ` + lineRange + ` ORDER BY line LIMIT 1 OFFSET :examined - 1`},
	listLinesByExpiry: {"list lines by expiry", true, `SELECT id, ` + lineColumns + ` ` + linePage + lineExpiryRange + lineFilters + ` ORDER BY expiry, line LIMIT :limit`},
	linesEdgeByExpiry: {"find the edge of a page of lines by expiry", true, `SELECT expiry, line FROM line_lists WHERE list = :list AND ` + lineExpiryRange + ` ORDER BY expiry, line LIMIT 1 OFFSET :examined - 1`},
	lineNamesBeyond:   {"count names of lines", true, `SELECT id FROM lines WHERE username_key >= :names_from AND username_key < :names_to ORDER BY username_key LIMIT 1 OFFSET :examined`},
	linesNamed: {"find lines by the start of their names", true, `SELECT expires_at, id FROM lines WHERE username_key >= :names_from AND username_key < :names_to AND (:trial IS NULL OR trial = :trial)
		AND expires_at >= :expires_from AND expires_at < :expires_to AND EXISTS (SELECT 1 FROM line_lists WHERE list = :list AND line = id)`},

	appendMovement: {"append a movement", false, insertInto("movements", "id, "+movementColumns)},
	getMovement:    {"get a movement", false, `SELECT id, ` + movementColumns + ` FROM movements WHERE id = :id`},

	listEntries: {"list movements of an account", true, `SELECT id, ` + movementColumns + `, source_seq AS seq FROM movements WHERE source_account = :account AND source_seq < :before
		UNION ALL SELECT id, ` + movementColumns + `, target_seq FROM movements WHERE target_account = :account AND target_seq < :before ORDER BY seq DESC LIMIT :limit`},
	// Sums of int64 may not fit in one: the high and the low half are summed apart.
	sumMovements: {"sum the movements", true, `SELECT count(*),
		sum(amount >> 32) FILTER (WHERE source_system = 'issuance'), sum(amount & 0xffffffff) FILTER (WHERE source_system = 'issuance'),
		sum(amount >> 32) FILTER (WHERE target_system = 'issuance'), sum(amount & 0xffffffff) FILTER (WHERE target_system = 'issuance'),
		sum(amount >> 32) FILTER (WHERE target_system = 'consumption'), sum(amount & 0xffffffff) FILTER (WHERE target_system = 'consumption')
		FROM movements`},
	sumBalances: {"sum the balances", true, `SELECT sum(credits >> 32), sum(credits & 0xffffffff) FROM accounts`},

	auditResellers:  {"read accounts", true, `SELECT id, ` + resellerColumns + ` FROM accounts WHERE id > :after ORDER BY id LIMIT :limit`},
	auditLines:      {"read lines", true, `SELECT id, ` + lineColumns + ` FROM lines WHERE id > :after ORDER BY id LIMIT :limit`},
	auditTombstones: {"read tombstones", true, `SELECT line, ` + tombstoneColumns + ` FROM tombstones WHERE line > :after ORDER BY line LIMIT :limit`},
	auditTombstone:  {"read a tombstone", true, `SELECT line, ` + tombstoneColumns + ` FROM tombstones WHERE line = :id`},
	auditMovements:  {"read movements", true, `SELECT ` + auditedMovement + ` WHERE id > :after ORDER BY id LIMIT :limit`},
	auditMovement:   {"read a movement", true, `SELECT ` + auditedMovement + ` WHERE id = :id`},
	auditEntry: {"read a movement of an account", true, `SELECT ` + auditedMovement + ` WHERE source_account = :account AND source_seq = :seq
		UNION ALL SELECT ` + auditedMovement + ` WHERE target_account = :account AND target_seq = :seq LIMIT 1`},

	unlistedResellers: {"look for accounts that a list lacks", true, `SELECT a.id FROM accounts AS a WHERE EXISTS (SELECT 1 FROM json_each(` + resellerLists + `) AS due
		WHERE NOT EXISTS (SELECT 1 FROM account_lists AS e WHERE e.list = due.value AND e.account = a.id))`},
	strayResellers: {"look for accounts in other lists", true, `SELECT e.account, e.list FROM account_lists AS e LEFT JOIN accounts AS a ON a.id = e.account WHERE a.id IS NULL
		OR NOT (e.list = 0 OR instr(a.path, '/' || e.list || '/') OR a.role <> 'admin' AND instr(a.path, '/' || -e.list || '/' || a.id || '/'))`},
	unlistedLines: {"look for lines that a list lacks", true, `SELECT l.id FROM lines AS l WHERE EXISTS (SELECT 1 FROM json_each(` + lineLists + `) AS due
		WHERE NOT EXISTS (SELECT 1 FROM line_lists AS e WHERE e.list = due.value AND e.line = l.id AND e.expiry = l.expires_at))`},
	strayLines: {"look for lines in other lists", true, `SELECT e.line, e.list FROM line_lists AS e LEFT JOIN lines AS l ON l.id = e.line WHERE l.id IS NULL
		OR NOT (e.list = 0 OR e.list = -l.owner OR instr(l.owner_path, '/' || e.list || '/')) ORDER BY e.list, e.line`}, // as the lines are kept, and not by expiry

	getKey: {"get a key", true, `SELECT ` + keyColumns + ` FROM idempotency WHERE account = :account AND key = :key`},
	putKey: {"put a key", false, insertInto("idempotency", keyColumns) + `
		ON CONFLICT (account, key) DO UPDATE SET (request, status, body, expires) = (excluded.request, excluded.status, excluded.body, excluded.expires)`},
	expireBy: {"bring back keys that expire too late", false, `UPDATE idempotency SET expires = :latest WHERE (account, key) IN
		(SELECT account, key FROM idempotency WHERE expires > :latest ORDER BY expires LIMIT :limit)`},
	dropExpired: {"drop expired keys", false, `DELETE FROM idempotency WHERE (account, key) IN
		(SELECT account, key FROM idempotency WHERE expires <= :now ORDER BY expires LIMIT :limit)`},
	exportKeys: {"read keys", true, `SELECT ` + keyColumns + ` FROM idempotency WHERE (account, key) > (:account, :key) ORDER BY account, key LIMIT :limit`},

	takeIDs: {"take ids", false, `INSERT INTO sequences (name, next) VALUES (:name, 1 + :count)
		ON CONFLICT (name) DO UPDATE SET next = next + :count RETURNING next`},
	nextID:       {"read the next id", true, `SELECT next FROM sequences WHERE name = :name`},
	startIDs:     {"start a sequence", false, insertInto("sequences", "name, next")},
	claimSetting: {"claim a setting", false, insertInto("settings", "name, value") + ` ON CONFLICT (name) DO NOTHING`},
	getSetting:   {"get a setting", true, `SELECT value FROM settings WHERE name = :name`},
	putSetting:   {"put a setting", false, insertInto("settings", "name, value") + ` ON CONFLICT (name) DO UPDATE SET value = excluded.value`},
	dropSetting:  {"drop a setting", false, `DELETE FROM settings WHERE name = :name`},

	anyRecord: {"look for any record", false, `SELECT EXISTS (SELECT 1 FROM accounts) OR EXISTS (SELECT 1 FROM lines) OR EXISTS (SELECT 1 FROM tombstones) OR EXISTS (SELECT 1 FROM movements)
		OR EXISTS (SELECT 1 FROM idempotency) OR EXISTS (SELECT 1 FROM sequences)`},
	removeMovements:    {"remove movements", false, `DELETE FROM movements WHERE id IN (SELECT id FROM movements LIMIT :limit)`},
	emptyLineLists:     {"remove all lists of lines", false, `DELETE FROM line_lists`},
	removeLines:        {"remove lines", false, `DELETE FROM lines WHERE id IN (SELECT id FROM lines LIMIT :limit)`},
	removeTombstones:   {"remove tombstones", false, `DELETE FROM tombstones WHERE line IN (SELECT line FROM tombstones LIMIT :limit)`},
	emptyResellerLists: {"remove all lists of accounts", false, `DELETE FROM account_lists`},
	removeResellers:    {"remove accounts", false, `DELETE FROM accounts WHERE id IN (SELECT id FROM accounts LIMIT :limit)`},
	emptyKeys:          {"remove all keys", false, `DELETE FROM idempotency`},
	emptySequences:     {"remove all sequences", false, `DELETE FROM sequences`},
}

func insertInto(table, columns string) string {
	return `INSERT INTO ` + table + ` (` + columns + `) VALUES (` + parameters(columns) + `)`
}

// parameters returns a parameter for each column, of its name.
func parameters(columns string) string { return ":" + strings.ReplaceAll(columns, ", ", ", :") }

// texts are the statements as SQLite gets them, and the name for each question mark. The
// driver would look the names up with every call.
var texts = func() (texts [statementCount]struct {
	sql   string
	names []string
},
) {
	parameter := regexp.MustCompile(`:[a-z_0-9]+`)
	for n, s := range statements {
		texts[n].sql = parameter.ReplaceAllString(s.sql, "?")
		for _, name := range parameter.FindAllString(s.sql, -1) {
			texts[n].names = append(texts[n].names, name[1:])
		}
	}
	return texts
}()

// args are values for parameters. A statement takes those that it names.
type args []struct {
	name  string
	value any
}

// set gives a parameter another value.
func (a args) set(name string, value any) {
	for i := range a {
		if a[i].name == name {
			a[i].value = value
		}
	}
}

// bind appends the values in the order of the question marks.
func (n statement) bind(values []any, a args) []any {
	at := 0 // in most cases they come in the same order
	for _, name := range texts[n].names {
		for tried := 0; a[at].name != name; at = (at + 1) % len(a) {
			if tried++; tried > len(a) {
				panic(fmt.Sprintf("%s: no value for %s", n, name))
			}
		}
		values = append(values, a[at].value)
	}
	return values
}
