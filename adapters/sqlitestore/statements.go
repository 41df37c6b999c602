package sqlitestore

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"zombiezen.com/go/sqlite"
)

const (
	// Of a record with a checksum that comes last: it is that of the columns before it, in this order.
	resellerColumns  = `path, role, username, username_key, password_hash, token, country, whatsapp, telegram, email, notes, language, blocked, created_at, ` + balanceColumns
	lineColumns      = `owner, path, username, username_key, created_at, ` + keptNameColumns
	tombstoneColumns = `charge, actor, at, checksum`
	keyColumns       = `account, key, request, status, body, expires, checksum`
	// What moves with credits, and what changes of a line in its life.
	balanceColumns  = `credits, ledger_seq, ledger_link, recharged_at, trials, updated_at, checksum`
	keptNameColumns = `password, trial, expires_at, country, whatsapp, notes, platform_id, charge, edited, updated_at, checksum`
	// Its chain is the checksum.
	movementColumns = `operation, source_system, source_account, source_seq, source_balance, source_link, target_system, target_account, target_seq, target_balance, target_link, amount, line, actor, request, notes, at`
)

// blockedAtOnce is how many resellers one statement asks about: as many as can
// stand above a reseller.
const blockedAtOnce = 8

const blockedIDs = `id1, id2, id3, id4, id5, id6, id7, id8`

// What a page of a list examines, in the order of ids and in that of expiry, by
// the parameters of a lineSearch.
const (
	linePage        = ` CROSS JOIN lines ON id = line WHERE scope = :scope AND `
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
	linePath  = `'[' || -l.owner || replace(rtrim(substr(l.path, 1, length(l.path) - length(l.owner) - 1), '/'), '/', ',') || ']'`
	strayLine = `(l.id IS NULL OR e.scope <> -l.owner AND (e.scope = l.owner OR NOT instr(l.path, '/' || e.scope || '/')))`
	lineLists = `CASE WHEN json_valid(` + linePath + `) THEN ` + linePath + ` ELSE '[]' END`
)

// The statements. A parameter is named after the column that it is for.
var (
	takeSnapshot = query("take a snapshot", `PRAGMA data_version`)

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
	saveBalance      = write("save a balance", `UPDATE accounts SET changes = changes + 1, (`+balanceColumns+`) = (`+parameters(balanceColumns)+`) WHERE id = :id`)
	saveReseller     = write("save an account", `UPDATE accounts SET changes = changes + 1, (`+resellerColumns+`) = (`+parameters(resellerColumns)+`) WHERE id = :id`)
	listResellers    = query("list accounts", `SELECT id, `+resellerColumns+` FROM account_lists CROSS JOIN accounts ON id = account
		WHERE list = :list AND account > :after AND account <= :last AND +username_key >= :names_from AND +username_key < :names_to ORDER BY account LIMIT (:limit + 0)`)
	resellersEdge       = query("find the edge of a page of accounts", `SELECT account FROM account_lists WHERE list = :list AND account > :after ORDER BY account LIMIT 1 OFFSET :examined - 1`)
	resellerInList      = query("look for an account in a list", `SELECT EXISTS (SELECT 1 FROM account_lists WHERE list = :list AND account = :account)`)
	resellerNamesBeyond = query("count names of accounts", `SELECT id FROM accounts WHERE username_key >= :names_from AND username_key < :names_to ORDER BY username_key LIMIT 1 OFFSET :examined`)
	resellersNamed      = query("find accounts by the start of their names", `SELECT id FROM accounts
		WHERE username_key >= :names_from AND username_key < :names_to AND +id > :after AND EXISTS (SELECT 1 FROM account_lists WHERE list = :list AND account = id)`)

	getLine              = query("get a line", `SELECT id, `+lineColumns+` FROM lines WHERE id = :id`)
	findLine             = query("find a line", `SELECT id FROM lines WHERE username_key = :username_key`)
	insertLine           = write("insert a line", insertInto("lines", "id, "+lineColumns))
	saveLineKeepingName  = write("save a line that keeps its name", updateLine(keptNameColumns))
	saveLineKeepingOwner = write("save a line that keeps its owner", updateLine(`username, username_key, `+keptNameColumns))
	saveLine             = write("save a line", updateLine(lineColumns))
	deleteLine           = write("delete a line", `DELETE FROM lines WHERE id = :id`)
	addTombstone         = write("keep a tombstone", insertInto("tombstones", "line, "+tombstoneColumns))
	listLines            = query("list lines", `SELECT id, `+lineColumns+` FROM line_ids`+linePage+lineRange+` ORDER BY line LIMIT (:limit + 0)`)
	filterLines          = query("filter the lines of a list", `SELECT id, `+lineColumns+` FROM line_ids`+linePage+lineRange+lineFilters+` ORDER BY line LIMIT (:limit + 0)`)
	linesEdge            = query("find the edge of a page of lines", `SELECT 0, line FROM line_ids WHERE scope = :scope AND `+lineRange+` ORDER BY line LIMIT 1 OFFSET :examined - 1`)
	listLinesByExpiry    = query("list lines by expiry", `SELECT id, `+lineColumns+`, expiry FROM line_expiries`+linePage+lineExpiryRange+lineFilters+` ORDER BY expiry, line LIMIT (:limit + 0)`)
	linesEdgeByExpiry    = query("find the edge of a page of lines by expiry", `SELECT expiry, line FROM line_expiries WHERE scope = :scope AND `+lineExpiryRange+` ORDER BY expiry, line LIMIT 1 OFFSET :examined - 1`)
	linesFirst           = query("find the first lines of a list", `SELECT 0, line FROM line_ids WHERE scope = :scope AND `+lineRange+` ORDER BY line LIMIT (:limit + 0)`)
	linesFirstByExpiry   = query("find the first lines of a list by expiry", `SELECT expiry, line FROM line_expiries WHERE scope = :scope AND `+lineExpiryRange+` ORDER BY expiry, line LIMIT (:limit + 0)`)
	listRoots            = query("list accounts at the root", `SELECT id FROM accounts WHERE path = '/' || id || '/'`)
	enterByID            = write("enter a line in a list", `INSERT INTO line_ids (scope, line) VALUES (:scope, :line) ON CONFLICT DO NOTHING`)
	leaveByID            = write("take a line from a list", `DELETE FROM line_ids WHERE scope = :scope AND line = :line`)
	enterByExpiry        = write("enter a line in a list by expiry", `INSERT INTO line_expiries (scope, expiry, line) VALUES (:scope, :expiry, :line) ON CONFLICT DO NOTHING`)
	leaveByExpiry        = write("take a line from a list by expiry", `DELETE FROM line_expiries WHERE scope = :scope AND expiry = :expiry AND line = :line`)
	lineNamesBeyond      = query("count names of lines", `SELECT id FROM lines WHERE username_key >= :names_from AND username_key < :names_to ORDER BY username_key LIMIT 1 OFFSET :examined`)
	linesNamed           = query("find lines by the start of their names", `SELECT expires_at, id FROM lines WHERE username_key >= :names_from AND username_key < :names_to AND (:trial IS NULL OR trial = :trial)
		AND expires_at >= :expires_from AND expires_at < :expires_to AND (:owner IS NULL OR +owner = :owner) AND instr(path, :above)`)

	appendMovement = write("append a movement", insertInto("movements", "id, "+movementColumns))
	getMovement    = write("get a movement", `SELECT id, `+movementColumns+` FROM movements WHERE id = :id`)

	listMovements = query("list movements of an account", `SELECT id, `+movementColumns+`, source_seq AS seq FROM movements WHERE source_account = :account AND source_seq < :before
		UNION ALL SELECT id, `+movementColumns+`, target_seq FROM movements WHERE target_account = :account AND target_seq < :before ORDER BY seq DESC LIMIT (:limit + 0)`)
	// Sums of int64 may not fit in one: the high and the low half are summed apart.
	sumMovements = scanAll("sum the movements", `SELECT count(*),
		sum(amount >> 32) FILTER (WHERE source_system = 'issuance'), sum(amount & 0xffffffff) FILTER (WHERE source_system = 'issuance'),
		sum(amount >> 32) FILTER (WHERE target_system = 'issuance'), sum(amount & 0xffffffff) FILTER (WHERE target_system = 'issuance'),
		sum(amount >> 32) FILTER (WHERE target_system = 'consumption'), sum(amount & 0xffffffff) FILTER (WHERE target_system = 'consumption')
		FROM movements`)
	sumBalances = scanAll("sum the balances", `SELECT sum(credits >> 32), sum(credits & 0xffffffff) FROM accounts`)

	auditResellers  = query("read accounts", `SELECT id, `+resellerColumns+` FROM accounts WHERE id > :after ORDER BY id LIMIT (:limit + 0)`)
	auditLines      = query("read lines", `SELECT id, `+lineColumns+` FROM lines WHERE id > :after ORDER BY id LIMIT (:limit + 0)`)
	auditTombstones = query("read tombstones", `SELECT line, `+tombstoneColumns+` FROM tombstones WHERE line > :after ORDER BY line LIMIT (:limit + 0)`)
	auditTombstone  = query("read a tombstone", `SELECT line, `+tombstoneColumns+` FROM tombstones WHERE line = :id`)
	auditMovements  = query("read movements", `SELECT `+auditedMovement+` WHERE id > :after ORDER BY id LIMIT (:limit + 0)`)
	auditMovement   = query("read a movement", `SELECT `+auditedMovement+` WHERE id = :id`)
	auditPosting    = query("read a movement of an account", `SELECT `+auditedMovement+` WHERE source_account = :account AND source_seq = :seq
		UNION ALL SELECT `+auditedMovement+` WHERE target_account = :account AND target_seq = :seq LIMIT 1`)
	// The same of movements whose numbers were seen to stand once.
	pageOfMovements = query("read movements that are alone", `SELECT id, `+movementColumns+` FROM movements WHERE id > :after ORDER BY id LIMIT (:limit + 0)`)
	movementAt      = query("read a movement of an account that is alone", `SELECT id, `+movementColumns+` FROM movements WHERE source_account = :account AND source_seq = :seq
		UNION ALL SELECT id, `+movementColumns+` FROM movements WHERE target_account = :account AND target_seq = :seq LIMIT 1`)
	indexesOfNumbers = query("look for the indexes of numbers", `SELECT count(*) FROM sqlite_schema WHERE type = 'index' AND sql IN (
		'CREATE UNIQUE INDEX movements_source ON movements (source_account, source_seq) WHERE source_account IS NOT NULL',
		'CREATE UNIQUE INDEX movements_target ON movements (target_account, target_seq) WHERE target_account IS NOT NULL')`)
	numbersInOrder = scanAll("read numbers of movements", `SELECT source_account, source_seq FROM movements WHERE source_account IS NOT NULL AND source_seq IS NOT NULL
		UNION ALL SELECT target_account, target_seq FROM movements WHERE target_account IS NOT NULL AND target_seq IS NOT NULL ORDER BY 1, 2`)

	placesOfLines   = scanAll("read where lines belong", `SELECT id, owner, path, expires_at FROM lines`)
	entriesByID     = scanAll("read lists of lines", `SELECT scope, 0, line FROM line_ids`)
	entriesByExpiry = scanAll("read lists of lines by expiry", `SELECT scope, expiry, line FROM line_expiries`)

	answers = scanAll("read answers", `SELECT `+keyColumns+` FROM idempotency`)
	// Those with indexes that no other question goes through.
	brokenTables = scanAll("examine tables and indexes", `SELECT t.name, c.integrity_check FROM main.sqlite_schema AS t, pragma_integrity_check(t.name, 'main') AS c
		WHERE t.name IN ('accounts', 'lines', 'movements', 'idempotency') AND c.integrity_check <> 'ok'`)

	unlistedResellers = scanAll("look for accounts that a list lacks", `SELECT a.id FROM accounts AS a WHERE EXISTS (SELECT 1 FROM json_each(`+resellerLists+`) AS due
		WHERE NOT EXISTS (SELECT 1 FROM account_lists AS e WHERE e.list = due.value AND e.account = a.id))`)
	strayResellers = scanAll("look for accounts in other lists", `SELECT e.account, e.list FROM account_lists AS e LEFT JOIN accounts AS a ON a.id = e.account WHERE a.id IS NULL
		OR NOT (e.list = 0 OR instr(a.path, '/' || e.list || '/') OR a.role <> 'admin' AND instr(a.path, '/' || -e.list || '/' || a.id || '/'))`)
	unlistedLines = scanAll("look for lines that a list lacks", `SELECT l.id FROM lines AS l WHERE EXISTS (SELECT 1 FROM json_each(`+lineLists+`) AS due
		WHERE NOT EXISTS (SELECT 1 FROM line_ids AS e WHERE e.scope = due.value AND e.line = l.id)
		OR NOT EXISTS (SELECT 1 FROM line_expiries AS e WHERE e.scope = due.value AND e.expiry = l.expires_at AND e.line = l.id))`)
	strayLines         = scanAll("look for lines in other lists", `SELECT e.line, e.scope FROM line_ids AS e LEFT JOIN lines AS l ON l.id = e.line WHERE `+strayLine)
	strayLinesByExpiry = scanAll("look for lines in other lists by expiry", `SELECT e.line, e.scope FROM line_expiries AS e LEFT JOIN lines AS l ON l.id = e.line
		WHERE (SELECT count(*) FROM line_expiries) <> (SELECT count(*) FROM line_ids) AND (`+strayLine+` OR e.expiry <> l.expires_at)`)

	getKey = query("get a key", `SELECT `+keyColumns+` FROM idempotency WHERE account = :account AND key = :key`)
	putKey = write("put a key", insertInto("idempotency", keyColumns)+`
		ON CONFLICT (account, key) DO UPDATE SET (request, status, body, expires, checksum) = (excluded.request, excluded.status, excluded.body, excluded.expires, excluded.checksum)`)
	expireBy = write("bring back keys that expire too late", `UPDATE idempotency SET expires = :latest, checksum = NULL WHERE id IN
		(SELECT id FROM idempotency WHERE expires > :latest ORDER BY expires LIMIT (:limit + 0))`)
	dropExpired = write("drop expired keys", `DELETE FROM idempotency WHERE id IN
		(SELECT id FROM idempotency WHERE expires <= :now ORDER BY expires LIMIT (:limit + 0)) AND expires <= :now`)
	exportKeys = query("read keys", `SELECT `+keyColumns+` FROM idempotency WHERE (account, key) > (:account, :key) ORDER BY account, key LIMIT (:limit + 0)`)

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
	removeMovements    = write("remove movements", `DELETE FROM movements WHERE id IN (SELECT id FROM movements LIMIT (:limit + 0))`)
	emptyLineIDs       = write("remove all lists of lines", `DELETE FROM line_ids`)
	emptyLineExpiries  = write("remove all lists of lines by expiry", `DELETE FROM line_expiries`)
	removeLines        = write("remove lines", `DELETE FROM lines WHERE id IN (SELECT id FROM lines LIMIT (:limit + 0))`)
	removeTombstones   = write("remove tombstones", `DELETE FROM tombstones WHERE line IN (SELECT line FROM tombstones LIMIT (:limit + 0))`)
	emptyResellerLists = write("remove all lists of accounts", `DELETE FROM account_lists`)
	removeResellers    = write("remove accounts", `DELETE FROM accounts WHERE id IN (SELECT id FROM accounts LIMIT (:limit + 0))`)
	emptyKeys          = write("remove all keys", `DELETE FROM idempotency`)
	emptySequences     = write("remove all sequences", `DELETE FROM sequences`)
)

// statement is one of the statements, each of which is prepared once per connection.
type statement struct {
	number  int    // in statements
	purpose string // names it in an error
	query   bool   // a View runs it too
	long    bool   // it goes through all there is, and is interrupted
	changes bool   // a page of the file wherever it changes a row: no other leaves one as it was
	sql     string
	names   []string // of the parameters, in the order of their numbers

	sessions bool // it is of sessions, which an archive does not look at: they may be damaged, or lacking
}

var statements []*statement

// query makes a statement that a View runs too.
func query(purpose, text string) *statement {
	n := write(purpose, text)
	n.query = true
	return n
}

// scanAll makes a statement that a View runs and that goes through all there is.
func scanAll(purpose, text string) *statement {
	n := query(purpose, text)
	n.long = true
	return n
}

// write makes a statement that writes, or is asked for in updates alone. SQLite gets
// numbers for its parameters: to look names up would cost more with every call.
func write(purpose, text string) *statement {
	n := &statement{number: len(statements), purpose: purpose}
	n.sql = regexp.MustCompile(`:[a-z_0-9]+`).ReplaceAllStringFunc(text, func(parameter string) string {
		name := parameter[1:]
		if !slices.Contains(n.names, name) {
			n.names = append(n.names, name)
		}
		return fmt.Sprintf("?%d", 1+slices.Index(n.names, name))
	})
	n.changes = alwaysChanges.MatchString(text) && !strings.Contains(text, "excluded.") // may be what was there
	statements = append(statements, n)
	return n
}

// alwaysChanges finds statements that never write a row as it was.
var alwaysChanges = regexp.MustCompile(`^(DELETE|INSERT|UPDATE \w+ SET changes = changes \+ 1)\b`)

// String returns what the statement is for.
func (n *statement) String() string { return n.purpose }

func updateLine(columns string) string {
	return `UPDATE lines SET changes = changes + 1, (` + columns + `) = (` + parameters(columns) + `) WHERE id = :id`
}

func insertInto(table, columns string) string {
	return `INSERT INTO ` + table + ` (` + columns + `) VALUES (` + parameters(columns) + `)`
}

// parameters returns a parameter for each column, of its name.
func parameters(columns string) string { return ":" + strings.ReplaceAll(columns, ", ", ", :") }

// args are values for parameters. A statement takes those that it names.
type args []arg

type arg struct {
	name  string
	value value
}

// set gives a parameter another value.
func (a args) set(name string, v value) {
	for i := range a {
		if a[i].name == name {
			a[i].value = v
		}
	}
}

// clone returns args that share nothing with a.
func (a args) clone() args {
	copied := make(args, len(a))
	for i, from := range a {
		v := from.value
		copied[i] = arg{strings.Clone(from.name), value{v.kind, v.number, strings.Clone(v.text), bytes.Clone(v.blob)}}
	}
	return copied
}

// bind gives each parameter its value.
func (n *statement) bind(st *sqlite.Stmt, a args) {
	at := -1 // in most cases they come in the same order
	for i, name := range n.names {
		for tried := 0; ; tried++ {
			if tried > len(a) {
				panic(fmt.Sprintf("%s: no value for %s", n, name))
			}
			if at++; at >= len(a) {
				at = 0
			}
			if a[at].name == name {
				break
			}
		}
		a[at].value.bind(st, 1+i)
	}
}
