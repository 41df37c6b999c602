package sqlitestore

import (
	"fmt"
	"regexp"
	"strings"
)

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

// The statements. A parameter is named after the column that it is for.
var (
	// IMMEDIATE takes the lock of the one writer at once: a transaction that starts
	// by reading and is then overtaken by another process could not be continued.
	begin      = write("begin a transaction", `BEGIN IMMEDIATE`)
	commit     = write("commit", `COMMIT`)
	rollback   = write("roll back", `ROLLBACK`)
	savepoint  = write("begin a command", `SAVEPOINT command`)
	release    = write("end a command", `RELEASE command`)
	rollbackTo = write("undo a command", `ROLLBACK TO command`)

	getReseller      = query("get an account", `SELECT id, `+resellerColumns+` FROM accounts WHERE id = :id`)
	findReseller     = query("find an account", `SELECT id, `+resellerColumns+` FROM accounts WHERE username_key = :username_key`)
	blockedResellers = query("look for blocked accounts", `SELECT id FROM accounts WHERE id IN (`+parameters(blockedIDs)+`) AND blocked = 1`)
	anyReseller      = query("look for any account", `SELECT EXISTS (SELECT 1 FROM accounts)`)
	insertReseller   = write("insert an account", insertInto("accounts", "id, "+resellerColumns))
	saveReseller     = write("save an account", `UPDATE accounts SET version = version + 1, (`+resellerColumns+`) = (`+parameters(resellerColumns)+`) WHERE id = :id`)
	listResellers    = query("list accounts", `SELECT id, `+resellerColumns+` FROM account_lists CROSS JOIN accounts ON id = account
		WHERE list = :list AND account > :after AND account <= :last AND +username_key >= :names_from AND +username_key < :names_to ORDER BY account LIMIT :limit`)
	resellersEdge       = query("find the edge of a page of accounts", `SELECT account FROM account_lists WHERE list = :list AND account > :after ORDER BY account LIMIT 1 OFFSET :examined - 1`)
	resellerInList      = query("look for an account in a list", `SELECT EXISTS (SELECT 1 FROM account_lists WHERE list = :list AND account = :account)`)
	resellerNamesBeyond = query("count names of accounts", `SELECT id FROM accounts WHERE username_key >= :names_from AND username_key < :names_to ORDER BY username_key LIMIT 1 OFFSET :examined`)
	resellersNamed      = query("find accounts by the start of their names", `SELECT id FROM accounts
		WHERE username_key >= :names_from AND username_key < :names_to AND +id > :after AND EXISTS (SELECT 1 FROM account_lists WHERE list = :list AND account = id)`)

	getLine           = query("get a line", `SELECT id, `+lineColumns+` FROM lines WHERE id = :id`)
	findLine          = write("find a line", `SELECT id FROM lines WHERE username_key = :username_key`)
	insertLine        = write("insert a line", insertInto("lines", "id, "+lineColumns))
	saveLine          = write("save a line", `UPDATE lines SET version = version + 1, (`+lineColumns+`) = (`+parameters(lineColumns)+`) WHERE id = :id`)
	deleteLine        = write("delete a line", `DELETE FROM lines WHERE id = :id`)
	addTombstone      = write("keep a tombstone", insertInto("tombstones", "line, "+tombstoneColumns))
	listLines         = query("list lines", `SELECT id, `+lineColumns+` `+linePage+lineRange+lineFilters+` ORDER BY line LIMIT :limit`)
	linesEdge         = query("find the edge of a page of lines", `SELECT 0, line FROM line_lists WHERE list = :list AND `+lineRange+` ORDER BY line LIMIT 1 OFFSET :examined - 1`)
	listLinesByExpiry = query("list lines by expiry", `SELECT id, `+lineColumns+` `+linePage+lineExpiryRange+lineFilters+` ORDER BY expiry, line LIMIT :limit`)
	linesEdgeByExpiry = query("find the edge of a page of lines by expiry", `SELECT expiry, line FROM line_lists WHERE list = :list AND `+lineExpiryRange+` ORDER BY expiry, line LIMIT 1 OFFSET :examined - 1`)
	lineNamesBeyond   = query("count names of lines", `SELECT id FROM lines WHERE username_key >= :names_from AND username_key < :names_to ORDER BY username_key LIMIT 1 OFFSET :examined`)
	linesNamed        = query("find lines by the start of their names", `SELECT expires_at, id FROM lines WHERE username_key >= :names_from AND username_key < :names_to AND (:trial IS NULL OR trial = :trial)
		AND expires_at >= :expires_from AND expires_at < :expires_to AND EXISTS (SELECT 1 FROM line_lists WHERE list = :list AND line = id)`)

	appendMovement = write("append a movement", insertInto("movements", "id, "+movementColumns))
	getMovement    = write("get a movement", `SELECT id, `+movementColumns+` FROM movements WHERE id = :id`)

	listMovements = query("list movements of an account", `SELECT id, `+movementColumns+`, source_seq AS seq FROM movements WHERE source_account = :account AND source_seq < :before
		UNION ALL SELECT id, `+movementColumns+`, target_seq FROM movements WHERE target_account = :account AND target_seq < :before ORDER BY seq DESC LIMIT :limit`)
	// Sums of int64 may not fit in one: the high and the low half are summed apart.
	sumMovements = query("sum the movements", `SELECT count(*),
		sum(amount >> 32) FILTER (WHERE source_system = 'issuance'), sum(amount & 0xffffffff) FILTER (WHERE source_system = 'issuance'),
		sum(amount >> 32) FILTER (WHERE target_system = 'issuance'), sum(amount & 0xffffffff) FILTER (WHERE target_system = 'issuance'),
		sum(amount >> 32) FILTER (WHERE target_system = 'consumption'), sum(amount & 0xffffffff) FILTER (WHERE target_system = 'consumption')
		FROM movements`)
	sumBalances = query("sum the balances", `SELECT sum(credits >> 32), sum(credits & 0xffffffff) FROM accounts`)

	auditResellers  = query("read accounts", `SELECT id, `+resellerColumns+` FROM accounts WHERE id > :after ORDER BY id LIMIT :limit`)
	auditLines      = query("read lines", `SELECT id, `+lineColumns+` FROM lines WHERE id > :after ORDER BY id LIMIT :limit`)
	auditTombstones = query("read tombstones", `SELECT line, `+tombstoneColumns+` FROM tombstones WHERE line > :after ORDER BY line LIMIT :limit`)
	auditTombstone  = query("read a tombstone", `SELECT line, `+tombstoneColumns+` FROM tombstones WHERE line = :id`)
	auditMovements  = query("read movements", `SELECT `+auditedMovement+` WHERE id > :after ORDER BY id LIMIT :limit`)
	auditMovement   = query("read a movement", `SELECT `+auditedMovement+` WHERE id = :id`)
	auditPosting    = query("read a movement of an account", `SELECT `+auditedMovement+` WHERE source_account = :account AND source_seq = :seq
		UNION ALL SELECT `+auditedMovement+` WHERE target_account = :account AND target_seq = :seq LIMIT 1`)

	unlistedResellers = query("look for accounts that a list lacks", `SELECT a.id FROM accounts AS a WHERE EXISTS (SELECT 1 FROM json_each(`+resellerLists+`) AS due
		WHERE NOT EXISTS (SELECT 1 FROM account_lists AS e WHERE e.list = due.value AND e.account = a.id))`)
	strayResellers = query("look for accounts in other lists", `SELECT e.account, e.list FROM account_lists AS e LEFT JOIN accounts AS a ON a.id = e.account WHERE a.id IS NULL
		OR NOT (e.list = 0 OR instr(a.path, '/' || e.list || '/') OR a.role <> 'admin' AND instr(a.path, '/' || -e.list || '/' || a.id || '/'))`)
	unlistedLines = query("look for lines that a list lacks", `SELECT l.id FROM lines AS l WHERE EXISTS (SELECT 1 FROM json_each(`+lineLists+`) AS due
		WHERE NOT EXISTS (SELECT 1 FROM line_lists AS e WHERE e.list = due.value AND e.line = l.id AND e.expiry = l.expires_at))`)
	strayLines = query("look for lines in other lists", `SELECT e.line, e.list FROM line_lists AS e LEFT JOIN lines AS l ON l.id = e.line WHERE l.id IS NULL
		OR NOT (e.list = 0 OR e.list = -l.owner OR instr(l.owner_path, '/' || e.list || '/')) ORDER BY e.list, e.line`)  // as the lines are kept, and not by expiry

	getKey = query("get a key", `SELECT `+keyColumns+` FROM idempotency WHERE account = :account AND key = :key`)
	putKey = write("put a key", insertInto("idempotency", keyColumns)+`
		ON CONFLICT (account, key) DO UPDATE SET (request, status, body, expires) = (excluded.request, excluded.status, excluded.body, excluded.expires)`)
	expireBy = write("bring back keys that expire too late", `UPDATE idempotency SET expires = :latest WHERE (account, key) IN
		(SELECT account, key FROM idempotency WHERE expires > :latest ORDER BY expires LIMIT :limit)`)
	dropExpired = write("drop expired keys", `DELETE FROM idempotency WHERE (account, key) IN
		(SELECT account, key FROM idempotency WHERE expires <= :now ORDER BY expires LIMIT :limit)`)
	exportKeys = query("read keys", `SELECT `+keyColumns+` FROM idempotency WHERE (account, key) > (:account, :key) ORDER BY account, key LIMIT :limit`)

	takeIDs = write("take ids", `INSERT INTO sequences (name, next) VALUES (:name, 1 + :count)
		ON CONFLICT (name) DO UPDATE SET next = next + :count RETURNING next`)
	nextID       = query("read the next id", `SELECT next FROM sequences WHERE name = :name`)
	startIDs     = write("start a sequence", insertInto("sequences", "name, next"))
	claimSetting = write("claim a setting", insertInto("settings", "name, value")+` ON CONFLICT (name) DO NOTHING`)
	getSetting   = query("get a setting", `SELECT value FROM settings WHERE name = :name`)
	putSetting   = write("put a setting", insertInto("settings", "name, value")+` ON CONFLICT (name) DO UPDATE SET value = excluded.value`)
	dropSetting  = write("drop a setting", `DELETE FROM settings WHERE name = :name`)

	anyRecord = write("look for any record", `SELECT EXISTS (SELECT 1 FROM accounts) OR EXISTS (SELECT 1 FROM lines) OR EXISTS (SELECT 1 FROM tombstones) OR EXISTS (SELECT 1 FROM movements)
		OR EXISTS (SELECT 1 FROM idempotency) OR EXISTS (SELECT 1 FROM sequences)`)
	removeMovements    = write("remove movements", `DELETE FROM movements WHERE id IN (SELECT id FROM movements LIMIT :limit)`)
	emptyLineLists     = write("remove all lists of lines", `DELETE FROM line_lists`)
	removeLines        = write("remove lines", `DELETE FROM lines WHERE id IN (SELECT id FROM lines LIMIT :limit)`)
	removeTombstones   = write("remove tombstones", `DELETE FROM tombstones WHERE line IN (SELECT line FROM tombstones LIMIT :limit)`)
	emptyResellerLists = write("remove all lists of accounts", `DELETE FROM account_lists`)
	removeResellers    = write("remove accounts", `DELETE FROM accounts WHERE id IN (SELECT id FROM accounts LIMIT :limit)`)
	emptyKeys          = write("remove all keys", `DELETE FROM idempotency`)
	emptySequences     = write("remove all sequences", `DELETE FROM sequences`)
)

// statement is one of the statements, each of which is prepared once per connection.
type statement struct {
	number  int    // in statements
	purpose string // names it in an error
	query   bool   // a View runs it too
	sql     string
	names   []string // of the parameters, in the order of its question marks
}

var statements []*statement

// query makes a statement that a View runs too.
func query(purpose, text string) *statement {
	n := write(purpose, text)
	n.query = true
	return n
}

// write makes a statement that writes, or is asked for in updates alone. SQLite gets
// question marks for its parameters: the driver would look names up with every call.
func write(purpose, text string) *statement {
	parameter := regexp.MustCompile(`:[a-z_0-9]+`)
	n := &statement{number: len(statements), purpose: purpose, sql: parameter.ReplaceAllString(text, "?")}
	for _, name := range parameter.FindAllString(text, -1) {
		n.names = append(n.names, name[1:])
	}
	statements = append(statements, n)
	return n
}

// String returns what the statement is for.
func (n *statement) String() string { return n.purpose }

func insertInto(table, columns string) string {
	return `INSERT INTO ` + table + ` (` + columns + `) VALUES (` + parameters(columns) + `)`
}

// parameters returns a parameter for each column, of its name.
func parameters(columns string) string { return ":" + strings.ReplaceAll(columns, ", ", ", :") }

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
func (n *statement) bind(values []any, a args) []any {
	at := 0 // in most cases they come in the same order
	for _, name := range n.names {
		for tried := 0; a[at].name != name; at = (at + 1) % len(a) {
			if tried++; tried > len(a) {
				panic(fmt.Sprintf("%s: no value for %s", n, name))
			}
		}
		values = append(values, a[at].value)
	}
	return values
}
